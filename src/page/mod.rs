//! HTML pages in a single file, without network access: tables, plots as SVG, pictures inline. Callers supply the
//! content. This module escapes every text.

mod html;
mod plot;

pub use html::{Cell, document, escape, fold, heading, paragraph, picture, slider, table};
pub use plot::{Line, Plot, number};
