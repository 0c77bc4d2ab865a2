//! Marked places of a page, and the text that goes there.

/// Returns the page with the text between the marks of `name` replaced.
///
/// # Errors
/// The page lacks a mark.
pub fn replaced(page: &str, name: &str, text: &str) -> Result<String, String> {
    let [begin, end] = [format!("<!-- bench_tables: {name} -->\n"), format!("<!-- end of {name} -->\n")];
    let lacks = |mark: &str| format!("benches/README.md lacks the line {}", mark.trim_end());
    let (before, rest) = page.split_once(&begin).ok_or_else(|| lacks(&begin))?;
    let (_, after) = rest.split_once(&end).ok_or_else(|| lacks(&end))?;
    Ok(format!("{before}{begin}\n{text}\n{end}{after}"))
}

/// Returns the tables of several runs as a single table, below their other lines. Output without a table is set as
/// code.
pub fn block(outputs: &[String]) -> String {
    let lines = || outputs.iter().flat_map(|output| output.lines()).map(str::trim_end);
    if !lines().any(|line| line.starts_with('|')) {
        let code: Vec<&str> = lines().filter(|line| !line.is_empty()).collect();
        return format!("```\n{}\n```\n", code.join("\n"));
    }
    let mut beside: Vec<&str> = Vec::new();
    let mut rows: Vec<&str> = Vec::new();
    for output in outputs {
        let (table, text): (Vec<&str>, Vec<&str>) = output.lines().partition(|line| line.starts_with('|'));
        // Heads of later tables are the same.
        rows.extend(if rows.is_empty() { &table[..] } else { table.get(2..).unwrap_or_default() });
        for line in text.into_iter().map(str::trim).filter(|line| !line.is_empty()) {
            if !beside.contains(&line) {
                beside.push(line);
            }
        }
    }
    format!("{}.\n\n{}\n", beside.join(". "), rows.join("\n"))
}
