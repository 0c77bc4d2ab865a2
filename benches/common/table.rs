//! A table with a row for each size of the sheet, printed as it is measured.

use crate::common::Arguments;
use percale::linalg::par;

/// Reads the command line and measures on the threads it asks for: `start` is given the largest step [s] and returns the title
/// and what makes the cells of a row from the number of vertices.
///
/// # Errors
/// An argument that is no number, or what `start` and its rows say.
pub fn table<R>(sizes: &[usize], columns: &[&str], start: impl FnOnce(f64) -> (String, R) + Send) -> Result<(), String>
where
    R: FnMut(usize) -> Result<Vec<String>, String>,
{
    let Arguments { sizes, step, threads } = Arguments::read(sizes)?;
    par::with_threads(threads, || {
        let (title, mut row) = start(step);
        println!("{} threads; {title}", par::threads());
        println!("| {} |", columns.join(" | "));
        println!("|{}", "---|".repeat(columns.len()));
        for size in sizes {
            println!("| {} |", row(size)?.join(" | "));
        }
        Ok(())
    })?
}
