//! `percale export`: every format, read back.

mod caches;
mod command;
mod crate_file;
mod gltf;
mod looks;
mod ogawa;
mod slow;
mod support;
mod usd;
mod alembic;
mod vanish;
