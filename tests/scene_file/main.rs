//! The scene file: defaults, every key, refusals, overrides, the schema, materials, and hostile input.

mod air;
mod airflow;
mod balloon;
mod bodies;
mod defaults;
mod files;
mod fold;
mod friction;
mod full;
mod glue;
mod ignore;
mod idle;
mod keys;
mod materials;
mod mutation;
mod overrides;
mod painted;
mod refused;
mod rest;
mod rubbing;
mod schema;
mod support;
