//! Reading, writing and checking of mesh files. The files are one program, since each program links the whole crate.

mod alembic;
mod archive;
mod encodings;
mod files;
mod ogawa;
mod sampled;
mod shipped;
mod soundness;
mod stage;
mod tet;
mod timing;
