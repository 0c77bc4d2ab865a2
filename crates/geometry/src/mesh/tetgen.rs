//! Reader of TetGen `.node` and `.ele`, two files of one mesh.
//!
//! Read: points and tetrahedra, numbered without a gap from 0 or from 1, as the first point is. Ignored: comments
//! (`#`), attributes and boundary markers, so there are no groups. Tetrahedra of ten nodes are rejected.

use crate::linalg::Vec3;
use crate::mesh::statement::{Statement, Token, Tokens};
use crate::mesh::{MeshError, TetMesh, text};

/// Points of a `.node` file, without their tetrahedra.
#[derive(Clone, Debug, PartialEq)]
pub struct Nodes {
    positions: Vec<Vec3>,
    /// Number of the first point.
    first: i64,
    notes: Vec<MeshError>,
}

/// Reads a `.node` file.
///
/// # Errors
/// Fails for a wrong count, and for numbers that are invalid, not finite or out of order. Errors have line and column,
/// except at the end of the file.
pub fn read_nodes(bytes: &[u8]) -> Result<Nodes, MeshError> {
    let bytes = &text::plain(bytes)?;
    let mut lines = Lines::new(bytes);
    let head = lines.line("the number of points")?;
    let promised = count(&head)?;
    if let Some(dimension) = head.tokens().get(1).filter(|d| d.text != b"3") {
        return Err(dimension.error(format!("points of dimension '{}', not 3", dimension.shown())));
    }
    let columns = 4 + rest(&head, 2);
    let mut nodes = Nodes { positions: Vec::new(), first: 0, notes: Vec::new() };
    for k in 0..promised {
        let line = lines.line("a point")?;
        let [number, x, y, z, ..] = line.tokens() else {
            return Err(line.error("a point needs a number and three coordinates: i x y z"));
        };
        if k == 0 {
            nodes.first = number.integer()?;
            if nodes.first != 0 && nodes.first != 1 {
                return Err(number.error(format!("the first point is {}, not 0 or 1", nodes.first)));
            }
        }
        in_order(number, nodes.first, k)?;
        as_wide(&line, columns, &mut nodes.notes);
        nodes.positions.push(Vec3::new(x.real()?, y.real()?, z.real()?));
    }
    lines.end(promised, "points")?;
    Ok(nodes)
}

impl Nodes {
    /// Reads the `.ele` file that belongs to these points.
    ///
    /// # Errors
    /// Fails for a wrong count, numbers that are invalid or out of order, points that do not exist, and tetrahedra of
    /// ten nodes. Errors have line and column, except at the end of the file.
    pub fn read_tets(self, bytes: &[u8]) -> Result<TetMesh, MeshError> {
        let bytes = &text::plain(bytes)?;
        let mut lines = Lines::new(bytes);
        let head = lines.line("the number of tetrahedra")?;
        let promised = count(&head)?;
        match head.tokens().get(1) {
            Some(nodes) if nodes.text == b"10" => {
                return Err(nodes.error("tetrahedra of 10 nodes are not read: mesh without -o2"));
            }
            Some(nodes) if nodes.text != b"4" => {
                return Err(nodes.error(format!("'{}' nodes a tetrahedron, not 4", nodes.shown())));
            }
            _ => {}
        }
        let columns = 5 + rest(&head, 2);
        let mut notes = Vec::new();
        let points = self.positions.len();
        let mut tets = Vec::new();
        for k in 0..promised {
            let line = lines.line("a tetrahedron")?;
            let [number, corners @ ..] = line.tokens() else { return Err(line.error("a tetrahedron needs a number")) };
            in_order(number, self.first, k)?;
            let Some(corners) = corners.first_chunk::<4>() else {
                return Err(line.error(format!("a tetrahedron needs 4 points, this one has {}", corners.len())));
            };
            let mut tet = [0; 4];
            for (slot, corner) in tet.iter_mut().zip(corners) {
                let point = corner.integer()?;
                let at = point.checked_sub(self.first).and_then(|p| u32::try_from(p).ok());
                *slot = at.filter(|p| (*p as usize) < points).ok_or_else(|| {
                    corner.error(format!("point {point} does not exist, there are {points} from {}", self.first))
                })?;
            }
            as_wide(&line, columns, &mut notes);
            tets.push(tet);
        }
        lines.end(promised, "tetrahedra")?;
        // Notes on the other file get no place, because it would refer to this file.
        notes.extend(self.notes.into_iter().map(|note| MeshError::new(format!("in the .node file: {note}"))));
        Ok(TetMesh { positions: self.positions, tets, notes, ..TetMesh::default() })
    }
}

/// Lines of a file that are not empty.
struct Lines<'a>(Tokens<'a>);

impl<'a> Lines<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self(Tokens::new(bytes))
    }

    fn next(&mut self) -> Option<Statement<'a>> {
        let mut statement = Statement::default();
        while self.0.next(&mut statement) {
            if !statement.tokens().is_empty() {
                return Some(statement);
            }
        }
        None
    }

    fn line(&mut self, expected: &str) -> Result<Statement<'a>, MeshError> {
        self.next().ok_or_else(|| MeshError::new(format!("the file ends where {expected} should stand")))
    }

    fn end(&mut self, promised: usize, what: &str) -> Result<(), MeshError> {
        match self.next() {
            None => Ok(()),
            Some(line) => Err(line.error(format!("more than the {promised} {what} that the first line promises"))),
        }
    }
}

/// Returns the count that a file begins with.
fn count(head: &Statement) -> Result<usize, MeshError> {
    let Some(word) = head.tokens().first() else { return Err(head.error("a count should stand here")) };
    let number = word.integer()?;
    match usize::try_from(number) {
        Ok(count) if count < u32::MAX as usize => Ok(count),
        _ => Err(word.error(format!("{number} is no count"))),
    }
}

/// Returns the sum of the counts of further columns in the first line, from a word on.
fn rest(head: &Statement, from: usize) -> usize {
    let counts = head.tokens().iter().skip(from).map(|word| word.integer().ok().and_then(|n| usize::try_from(n).ok()));
    counts.fold(0, |sum, count| sum.saturating_add(count.unwrap_or(0)))
}

/// Adds a note on the first line that has more or fewer words than the first line of the file promises.
fn as_wide(line: &Statement, columns: usize, notes: &mut Vec<MeshError>) {
    let has = line.tokens().len();
    if has != columns && notes.is_empty() {
        let message = format!("{has} words in this line, but the first line of the file promises {columns}");
        notes.push(line.error(message));
    }
}

fn in_order(number: &Token, first: i64, k: usize) -> Result<(), MeshError> {
    let expected = first + k as i64;
    if number.integer()? == expected {
        return Ok(());
    }
    Err(number.error(format!("number '{}' where {expected} should stand", number.shown())))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODES: &str =
        "# a comment\n\n4 3 1 1 # head\n0  0 0 0  7 1\n1  1 0 0  7 1\n2  0 1 0  7 0\n  3  0 0 1e0\n# end";
    const TETS: &str = "2 4 1\n0  0 1 2 3  5\n1  3 2 1 0\n";

    /// Renumbers a file to count from 1.
    fn from_one(text: &str, numbers: usize) -> String {
        let mut head = true;
        let lines = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')).map(|line| {
            let shifted = |(k, word): (usize, &str)| match word.parse::<i64>() {
                Ok(n) if !head && k < numbers => (n + 1).to_string(),
                _ => word.to_string(),
            };
            let line = line.split_whitespace().enumerate().map(shifted).collect::<Vec<_>>().join(" ");
            head = false;
            line
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn both_ways_to_count_read_the_same() {
        // The last lines lack attributes, which gives notes with different lines.
        let describe = |mesh: TetMesh| (mesh.notes.len(), TetMesh { notes: Vec::new(), ..mesh });
        let (count, zero) = describe(read_nodes(NODES.as_bytes()).unwrap().read_tets(TETS.as_bytes()).unwrap());
        assert_eq!(count, 2);
        assert_eq!(zero.positions, [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()]);
        assert_eq!(zero.tets, [[0, 1, 2, 3], [3, 2, 1, 0]]);
        let nodes = read_nodes(from_one(NODES, 1).as_bytes()).unwrap();
        assert_eq!(nodes.first, 1);
        assert_eq!(describe(nodes.read_tets(from_one(TETS, 5).as_bytes()).unwrap()), (2, zero));
    }

    #[test]
    fn faults_are_told_with_their_place() {
        let cases = [
            ("", "the file ends where the number of points should stand"),
            ("# nothing\n", "the file ends where the number of points should stand"),
            ("four 3 0 0", "1:1: 'four' is not a whole number"),
            ("-4 3 0 0", "1:1: -4 is no count"),
            ("99999999999 3 0 0\n0 0 0 0", "1:1: 99999999999 is no count"),
            ("4 2 0 0", "1:3: points of dimension '2', not 3"),
            ("2 3 0 0\n0 0 0 0", "the file ends where a point should stand"),
            ("1 3 0 0\n2 0 0 0", "2:1: the first point is 2, not 0 or 1"),
            ("2 3 0 0\n1 0 0 0\n3 0 0 0", "3:1: number '3' where 2 should stand"),
            ("1 3 0 0\n1 0 0", "2:1: a point needs a number and three coordinates: i x y z"),
            ("1 3 0 0\n1 0 inf 0", "2:5: 'inf' is not a finite number"),
            ("1 3 0 0\n1 0 0 0\n2 0 0 0", "3:1: more than the 1 points that the first line promises"),
        ];
        for (text, message) in cases {
            assert_eq!(read_nodes(text.as_bytes()).unwrap_err().to_string(), message, "{text}");
        }
        let cases = [
            ("", "the file ends where the number of tetrahedra should stand"),
            ("1 10 0", "1:3: tetrahedra of 10 nodes are not read: mesh without -o2"),
            ("1 3 0", "1:3: '3' nodes a tetrahedron, not 4"),
            ("1 4 0", "the file ends where a tetrahedron should stand"),
            ("1 4 0\n1 0 1 2 3", "2:1: number '1' where 0 should stand"),
            ("1 4 0\n0 0 1 2", "2:1: a tetrahedron needs 4 points, this one has 3"),
            ("1 4 0\n0 0 1 2 4", "2:9: point 4 does not exist, there are 4 from 0"),
            ("1 4 0\n0 0 1 2 -1", "2:9: point -1 does not exist, there are 4 from 0"),
            ("1 4 0\n0 0 1 2 -9223372036854775808", "2:9: point -9223372036854775808 does not exist"),
            ("1 4 0\n0 0 1 2 x", "2:9: 'x' is not a whole number"),
            ("0 4 0\n0 0 1 2 3", "2:1: more than the 0 tetrahedra that the first line promises"),
        ];
        for (text, message) in cases {
            let nodes = read_nodes(NODES.as_bytes()).unwrap();
            let reported = nodes.read_tets(text.as_bytes()).unwrap_err().to_string();
            assert!(reported.starts_with(message), "{text}: {reported}");
        }
        // Point 0 does not exist in a file that counts from 1.
        let nodes = read_nodes(from_one(NODES, 1).as_bytes()).unwrap();
        let reported = nodes.read_tets(b"1 4 0\n1 1 2 3 0").unwrap_err().to_string();
        assert_eq!(reported, "2:9: point 0 does not exist, there are 4 from 1");
    }

    #[test]
    fn columns_that_are_not_promised_are_told() {
        let notes = |nodes: &str, tets: &str| -> Vec<String> {
            let nodes = read_nodes(nodes.as_bytes()).unwrap();
            nodes.read_tets(tets.as_bytes()).unwrap().notes.iter().map(ToString::to_string).collect()
        };
        let nodes = "4 3 1 1\n0 0 0 0 7 1\n1 1 0 0 7 1\n2 0 1 0 7 0\n3 0 0 1 7 0\n";
        let tets = "1 4 1\n0 0 1 2 3 5\n";
        assert!(notes(nodes, tets).is_empty());
        assert_eq!(
            notes(&nodes.replace("1 0 0 7 1", "1 0 0 7 1 9"), &tets.replace("3 5", "3 5 6 7")),
            [
                "2:1: 8 words in this line, but the first line of the file promises 6",
                "in the .node file: 3:1: 7 words in this line, but the first line of the file promises 6"
            ]
        );
        assert_eq!(notes(&nodes.replace("0 0 7 1", "0 0 7"), &tets.replace("4 1", "4")).len(), 2);
        let comma = read_nodes(b"1 3 0 0\n0 0,5 0 0\n").unwrap_err().to_string();
        assert_eq!(comma, "2:3: '0,5' is not a number; write it with a point, not a comma");
    }
}
