//! Table with a row for each size of the sheet, printed as measured.

use crate::common::Arguments;
use percale::linalg::par;

/// Reads the command line and prints the table, measured on the requested threads. `start` takes the largest step [s]
/// and returns the title and a function from the number of vertices to the cells of a row.
///
/// # Errors
/// An argument is not a number, or `start` or a row fails.
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
