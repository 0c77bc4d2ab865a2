//! HTML pages of one file that need no network: tables, plots as SVG, pictures inline. What a page says is put in by those who
//! know it; here every text is escaped.

mod html;
mod plot;

pub use html::{Cell, document, escape, fold, heading, paragraph, picture, slider, table};
pub use plot::{Line, Plot, number};
