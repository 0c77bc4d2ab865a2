//! HTML pages in a single file, without network access: tables, plots as SVG, pictures inline, runs in 3D. Callers
//! supply the content. This module escapes every text.

pub mod film;
mod html;
mod plot;
mod viewer;

pub use html::{Cell, document, escape, fold, heading, paragraph, picture, slider, still, table, verdict};
pub use plot::{FRAME, Line, Plot, TIME, number};
pub use viewer::{document_with_viewer, viewer};
