//! Reader of legacy VTK (`.vtk`): unstructured grids of versions 2 to 5, text and binary (big endian).
//!
//! Read: points of single or double precision and cells of type 10 (tetrahedra), in either form: counts between the
//! indices (versions to 4) or separate offsets (from 5.1). Ignored: points, lines and surfaces, fields, metadata, and
//! everything from the first data of points or cells on. So there are no groups. Tetrahedra of higher order are
//! rejected, as are all other solid cells. Without those the body would have holes.

use crate::linalg::Vec3;
use crate::mesh::cursor::{Cursor, Encoding};
use crate::mesh::{MeshError, TetMesh, text};

/// Cell type that is read, and tetrahedra that are not (quadratic, parametric, higher order, Lagrange, Bezier).
const TETRAHEDRON: i64 = 10;
const CURVED_TETRAHEDRA: [i64; 5] = [24, 55, 64, 71, 78];
/// Other solids: voxel, hexahedron, prisms, pyramid (11 to 16), their second-order variants, convex set, polyhedron,
/// and the families that are parametric, of higher order, Lagrange and Bezier.
#[rustfmt::skip]
const SOLIDS: [i64; 26] = [
    11, 12, 13, 14, 15, 16, 25, 26, 27, 29, 31, 32, 33, 37, 41, 42, 56, 65, 66, 67, 72, 73, 74, 79, 80, 81,
];

/// Reads a legacy VTK file.
///
/// # Errors
/// Fails for another kind of data set or number, a truncated file, counts that do not match the content, and numbers
/// that are invalid or not finite. Fails for points that do not exist, and for solid cells other than first-order
/// tetrahedra. Errors have line and column until binary data begin.
pub fn read(bytes: &[u8]) -> Result<TetMesh, MeshError> {
    let bytes = text::plain(bytes)?;
    let mut cursor = Cursor::new(&bytes);
    let encoding = header(&mut cursor)?;
    let mut reader =
        Reader { cursor, encoding, points: Vec::new(), cells: Cells::default(), types: Vec::new(), components: 0 };
    let mut seen: Vec<Vec<u8>> = Vec::new();
    while !reader.cursor.at_end() {
        let keyword = reader.cursor.word("a keyword")?;
        let section = keyword.text.to_ascii_uppercase();
        if [&b"POINTS"[..], b"CELLS", b"CELL_TYPES"].contains(&section.as_slice()) {
            if seen.contains(&section) {
                return Err(keyword.error(format!("a second {}; one mesh a file is read", text::name(&section))));
            }
            seen.push(section.clone());
        }
        match section.as_slice() {
            b"DATASET" => {
                let kind = reader.cursor.word("the kind of data set")?;
                if !kind.text.eq_ignore_ascii_case(b"UNSTRUCTURED_GRID") {
                    return Err(kind.error(format!("'{}' is not read, only UNSTRUCTURED_GRID is", kind.shown())));
                }
            }
            b"POINTS" => reader.points()?,
            b"CELLS" => reader.cells()?,
            b"CELL_TYPES" => reader.types()?,
            b"FIELD" => reader.field()?,
            b"METADATA" => reader.metadata(),
            b"POINT_DATA" | b"CELL_DATA" => break,
            _ => {
                let what = format!("'{}' where POINTS, CELLS or CELL_TYPES should stand", keyword.shown());
                return Err(keyword.error(what));
            }
        }
    }
    reader.finish()
}

/// Reads the first three lines: version, title, encoding.
fn header(cursor: &mut Cursor) -> Result<Encoding, MeshError> {
    if !cursor.stands(b"# vtk DataFile Version ") {
        return Err(MeshError::new("this is no legacy VTK file: it does not begin with '# vtk DataFile Version'"));
    }
    let first = cursor.rest_of_line();
    let version = first.text.rsplit(|b| *b == b' ').next().unwrap_or_default();
    if !matches!(version, [b'2'..=b'5', b'.', ..]) {
        return Err(first.error(format!("version {} is not read, only 2 to 5 are", String::from_utf8_lossy(version))));
    }
    cursor.rest_of_line();
    let kind = cursor.rest_of_line();
    match kind.text.to_ascii_uppercase().as_slice() {
        b"ASCII" => Ok(Encoding::Text),
        b"BINARY" => Ok(Encoding::Big),
        _ => Err(kind.error(format!("'{}' where ASCII or BINARY should stand", kind.shown()))),
    }
}

/// Cells in CSR form: the points of cell `c` are `corners[offsets[c]..offsets[c + 1]]`.
#[derive(Default)]
struct Cells {
    offsets: Vec<usize>,
    corners: Vec<i64>,
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    encoding: Encoding,
    points: Vec<Vec3>,
    cells: Cells,
    types: Vec<i64>,
    /// Numbers per tuple of the last array.
    components: usize,
}

impl Reader<'_> {
    fn count(&mut self, expected: &str) -> Result<usize, MeshError> {
        self.cursor.count(Encoding::Text, 0, expected)
    }

    /// Reads the name of a type of numbers and their width, and ends the line.
    fn width(&mut self) -> Result<(Vec<u8>, usize), MeshError> {
        let kind = self.cursor.word("a type of numbers")?;
        let name = kind.text.to_ascii_lowercase();
        let width = match name.as_slice() {
            b"char" | b"unsigned_char" => 1,
            b"short" | b"unsigned_short" => 2,
            b"int" | b"unsigned_int" | b"float" | b"vtkidtype" | b"vtktypeint32" | b"vtktypeuint32" => 4,
            b"long" | b"unsigned_long" | b"double" | b"vtktypeint64" | b"vtktypeuint64" => 8,
            _ => return Err(kind.error(format!("numbers of type '{}' are not read", kind.shown()))),
        };
        self.cursor.numbers_follow(self.encoding)?;
        Ok((name, width))
    }

    fn points(&mut self) -> Result<(), MeshError> {
        let count = self.count("the number of points")?;
        let (kind, width) = self.width()?;
        if kind != b"float" && kind != b"double" {
            let kind = String::from_utf8_lossy(&kind).into_owned();
            return Err(self.cursor.error(format!("points of type {kind} are not read, only float and double are")));
        }
        self.points.clear();
        self.components = 3;
        for _ in 0..count {
            let mut coordinate = || self.cursor.real(self.encoding, width, "a coordinate");
            let point = Vec3::new(coordinate()?, coordinate()?, coordinate()?);
            self.points.push(point);
        }
        Ok(())
    }

    fn cells(&mut self) -> Result<(), MeshError> {
        let count = self.count("the number of cells")?;
        let size = self.count("the size of the list of cells")?;
        self.cursor.numbers_follow(self.encoding)?;
        // Numbers in text may follow blanks and ends of lines. Binary ones do not.
        if self.encoding == Encoding::Text {
            self.cursor.at_end();
        }
        self.cells = if self.cursor.stands(b"OFFSETS") {
            self.offset_cells(count, size)?
        } else {
            self.counted_cells(count, size)?
        };
        Ok(())
    }

    /// Reads cells of versions to 4: the number of points before the points of each cell.
    fn counted_cells(&mut self, count: usize, size: usize) -> Result<Cells, MeshError> {
        let mut cells = Cells { offsets: vec![0], corners: Vec::new() };
        for _ in 0..count {
            let corners = self.cursor.count(self.encoding, 4, "the number of points of a cell")?;
            for _ in 0..corners {
                cells.corners.push(self.cursor.integer(self.encoding, 4, "a point of a cell")?);
            }
            cells.offsets.push(cells.corners.len());
        }
        let read = count.saturating_add(cells.corners.len());
        if read != size {
            return Err(self.cursor.error(format!("CELLS promises {size} numbers, but the cells have {read}")));
        }
        Ok(cells)
    }

    /// Reads cells from version 5.1 on: one offset more than cells, then all points.
    fn offset_cells(&mut self, offsets: usize, size: usize) -> Result<Cells, MeshError> {
        let mut cells = Cells::default();
        self.cursor.word("OFFSETS")?;
        let (_, width) = self.index_width()?;
        for _ in 0..offsets {
            let offset = self.cursor.count(self.encoding, width, "an offset")?;
            if offset > size || cells.offsets.last().is_some_and(|last| *last > offset) {
                return Err(self.cursor.error(format!("offset {offset} is out of order or above {size}")));
            }
            cells.offsets.push(offset);
        }
        let ends = [cells.offsets.first(), cells.offsets.last()].map(|end| end.copied().unwrap_or(0));
        if offsets > 0 && ends != [0, size] {
            let [first, last] = ends;
            return Err(self
                .cursor
                .error(format!("offsets go from {first} to {last}, but the cells have {size} points")));
        }
        let connectivity = self.cursor.word("CONNECTIVITY")?;
        if !connectivity.text.eq_ignore_ascii_case(b"CONNECTIVITY") {
            let what = format!("'{}' where CONNECTIVITY should stand", connectivity.shown());
            return Err(connectivity.error(what));
        }
        let (_, width) = self.index_width()?;
        for _ in 0..size {
            cells.corners.push(self.cursor.integer(self.encoding, width, "a point of a cell")?);
        }
        Ok(cells)
    }

    fn index_width(&mut self) -> Result<(Vec<u8>, usize), MeshError> {
        let (kind, width) = self.width()?;
        if width < 4 || kind == b"float" || kind == b"double" {
            let kind = String::from_utf8_lossy(&kind).into_owned();
            return Err(self.cursor.error(format!("indices of type {kind} are not read")));
        }
        Ok((kind, width))
    }

    fn types(&mut self) -> Result<(), MeshError> {
        let count = self.count("the number of cell types")?;
        self.cursor.numbers_follow(self.encoding)?;
        self.types.clear();
        for _ in 0..count {
            self.types.push(self.cursor.integer(self.encoding, 4, "a cell type")?);
        }
        Ok(())
    }

    /// Skips a field before the cells, such as the time.
    fn field(&mut self) -> Result<(), MeshError> {
        self.cursor.word("the name of a field")?;
        let arrays = self.count("the number of arrays")?;
        for _ in 0..arrays {
            if self.cursor.word("the name of an array")?.text == b"METADATA" {
                self.metadata();
                self.cursor.word("the name of an array")?;
            }
            self.components = self.count("the number of components")?;
            let tuples = self.count("the number of tuples")?;
            let (_, width) = self.width()?;
            self.cursor.skip(self.encoding, self.components.saturating_mul(tuples), width, "a number of a field")?;
        }
        Ok(())
    }

    /// Skips metadata, which end with an empty line. Each component name has a line, which is empty for a component
    /// without a name.
    fn metadata(&mut self) {
        self.cursor.rest_of_line();
        loop {
            let line = self.cursor.rest_of_line();
            if line.text.is_empty() {
                return;
            }
            if line.text == b"COMPONENT_NAMES" {
                for _ in 0..self.components {
                    if self.cursor.rest_of_line().text.is_empty() && self.cursor.exhausted() {
                        return;
                    }
                }
            }
        }
    }

    fn finish(self) -> Result<TetMesh, MeshError> {
        let (points, cells) = (self.points.len(), self.cells.offsets.len().saturating_sub(1));
        if points == 0 {
            return Err(MeshError::new("no points (POINTS)"));
        }
        if points >= u32::MAX as usize || cells >= u32::MAX as usize {
            return Err(MeshError::new("more than 4 billion points or cells"));
        }
        if self.types.len() != cells {
            return Err(MeshError::new(format!(
                "{cells} cells (CELLS), but {} types of them (CELL_TYPES)",
                self.types.len()
            )));
        }
        let mut tets = Vec::new();
        for (c, (range, kind)) in self.cells.offsets.windows(2).zip(&self.types).enumerate() {
            if CURVED_TETRAHEDRA.contains(kind) {
                return Err(MeshError::new(format!(
                    "cell {c}: tetrahedra of higher order (cell type {kind}) are not read: mesh with order 1"
                )));
            }
            if SOLIDS.contains(kind) {
                return Err(MeshError::new(format!(
                    "cell {c} is no tetrahedron but of type {kind} (hexahedra, prisms and pyramids are not read); mesh with \
                     tetrahedra only"
                )));
            }
            if *kind != TETRAHEDRON {
                continue;
            }
            let corners = self.cells.corners.get(range[0]..range[1]).unwrap_or_default();
            let Ok(corners) = <[i64; 4]>::try_from(corners) else {
                return Err(MeshError::new(format!("cell {c}: a tetrahedron of {} points", corners.len())));
            };
            let mut tet = [0; 4];
            for (slot, corner) in tet.iter_mut().zip(corners) {
                *slot = u32::try_from(corner).ok().filter(|p| (*p as usize) < points).ok_or_else(|| {
                    MeshError::new(format!("cell {c}: point {corner} does not exist, the file has {points}"))
                })?;
            }
            tets.push(tet);
        }
        Ok(TetMesh { positions: self.points, tets, ..TetMesh::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: &str = "POINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\n";

    fn text(body: &str) -> Vec<u8> {
        format!("# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\n{body}").into_bytes()
    }

    #[test]
    fn both_forms_of_cells_are_read() {
        let old = text(&format!("{POINTS}CELLS 2 9\n4 0 1 2 3\n3 0 1 2\nCELL_TYPES 2\n10 5\n"));
        let new = text(&format!(
            "{POINTS}CELLS 3 7\nOFFSETS vtktypeint64\n0 4 7\nCONNECTIVITY vtktypeint32\n0 1 2 3 0 1 2\nCELL_TYPES 2\n10 5\n"
        ));
        let mesh = read(&old).unwrap();
        assert_eq!(mesh.positions, [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()]);
        assert_eq!(mesh.tets, [[0, 1, 2, 3]]);
        assert_eq!(read(&new).unwrap(), mesh);
    }

    #[test]
    fn fields_and_metadata_are_passed_over() {
        let field = "FIELD FieldData 2\nTIME 1 1 double\n0.5\nMETADATA\nCOMPONENT_NAMES\n\nINFORMATION 0\n\nCYCLE 2 1 int\n3 4\n";
        let points = POINTS.replace(
            "0 0 1\n",
            "0 0 1\nMETADATA\nCOMPONENT_NAMES\nX\n\n\nINFORMATION 1\nNAME A LOCATION B\nDATA 2 0 1\n\n",
        );
        let body = format!("{field}{points}cells 1 5\n4 0 1 2 3\nCell_Types 1\n10\nPOINT_DATA 4\nSCALARS w string\n?");
        assert_eq!(read(&text(&body)).unwrap().tets, [[0, 1, 2, 3]]);
    }

    #[test]
    fn faults_are_told_with_their_place() {
        let cases = [
            ("", "this is no legacy VTK file"),
            ("<?xml version=\"1.0\"?>", "this is no legacy VTK file"),
            ("# vtk DataFile Version 1.0\n", "1:1: version 1.0 is not read, only 2 to 5 are"),
            ("# vtk DataFile Version 3.0\nt\nASCI\n", "3:1: 'ASCI' where ASCII or BINARY should stand"),
            ("# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\n", "4:9: 'POLYDATA' is not read"),
            ("# vtk DataFile Version 3.0\nt\nASCII\n", "no points (POINTS)"),
        ];
        for (text, message) in cases {
            let reported = read(text.as_bytes()).unwrap_err().to_string();
            assert!(reported.starts_with(message), "{text}: {reported}");
        }
        let cells = "CELLS 1 5\n4 0 1 2 3\n";
        let offsets = "CELLS 2 4\nOFFSETS vtktypeint64\n0 4\nCONNECTIVITY vtktypeint64\n0 1 2 3\nCELL_TYPES 1\n10\n";
        let cases = [
            ("LINES 1 2\n".to_string(), "5:1: 'LINES' where POINTS, CELLS or CELL_TYPES should stand"),
            ("POINTS 4 int\n".into(), "5:13: points of type int are not read, only float and double are"),
            ("POINTS 4 string\n".into(), "5:10: numbers of type 'string' are not read"),
            ("POINTS 18446744073709551615 float\n".into(), "5:8: '18446744073709551615' is not a whole number"),
            ("POINTS 9223372036854775807 float\n1 2 3".into(), "6:6: the file ends where a coordinate should stand"),
            (POINTS.replace("0 0 1\n", "0 0 1e999\n"), "6:23: '1e999' is not a finite number"),
            (format!("{POINTS}CELLS 1 6\n4 0 1 2 3\n"), "8:10: CELLS promises 6 numbers, but the cells have 5"),
            (
                format!("{POINTS}CELLS 1 5\n-4 0 1 2 3\n"),
                "8:3: the number of points of a cell is -4, which is negative",
            ),
            (format!("{POINTS}{cells}"), "1 cells (CELLS), but 0 types of them (CELL_TYPES)"),
            (format!("{POINTS}{cells}CELL_TYPES 2\n10 10\n"), "1 cells (CELLS), but 2 types"),
            (format!("{POINTS}{cells}CELL_TYPES 1\n24\n"), "cell 0: tetrahedra of higher order (cell type 24)"),
            (
                format!("{POINTS}CELLS 2 11\n4 0 1 2 3\n5 0 1 2 3 0\nCELL_TYPES 2\n10 14\n"),
                "cell 1 is no tetrahedron but of type 14 (hexahedra, prisms and pyramids are not read)",
            ),
            (format!("{POINTS}CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n"), "cell 0: a tetrahedron of 3 points"),
            (
                format!("{POINTS}CELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n"),
                "cell 0: point 4 does not exist, the file has 4",
            ),
            (format!("{POINTS}CELLS 1 5\n4 0 1 2 -1\nCELL_TYPES 1\n10\n"), "cell 0: point -1 does not exist"),
            (format!("{POINTS}{}", offsets.replace("0 4\n", "0 5\n")), "9:4: offset 5 is out of order or above 4"),
            (format!("{POINTS}{}", offsets.replace("0 4\n", "4 0\n")), "9:4: offset 0 is out of order or above 4"),
            (
                format!("{POINTS}{}", offsets.replace("CONN", "CON")),
                "10:1: 'CONECTIVITY' where CONNECTIVITY should stand",
            ),
            (
                format!("{POINTS}{}", offsets.replace("vtktypeint64\n0 4", "float\n0 4")),
                "8:14: indices of type float are not read",
            ),
        ];
        for (body, message) in cases {
            let reported = read(&text(&body)).unwrap_err().to_string();
            assert!(reported.starts_with(message), "{body}: {reported}");
        }
    }

    #[test]
    fn counts_of_nothing_end() {
        // List of names with a claimed endless length, of an array without content.
        let field = "FIELD f 1\na 9223372036854775807 0 float\nMETADATA\nCOMPONENT_NAMES\n";
        assert_eq!(read(&text(field)).unwrap_err().to_string(), "no points (POINTS)");
        let mut binary = b"# vtk DataFile Version 5.1\n\nBINARY\nPOINTS 4000000000 double\n".to_vec();
        binary.extend([0; 100]);
        let reported = read(&binary).unwrap_err().to_string();
        assert!(reported.ends_with("the file ends where a coordinate should stand"), "{reported}");
    }

    #[test]
    fn nothing_is_lost_without_a_word() {
        let cells = "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n";
        let describe = |body: &str| read(&text(body)).unwrap_err().to_string();
        assert_eq!(describe(&format!("{POINTS}{cells}{POINTS}")), "11:1: a second POINTS; one mesh a file is read");
        assert_eq!(describe(&format!("{POINTS}{cells}{cells}")), "11:1: a second CELLS; one mesh a file is read");
        let new = |offsets: &str| {
            format!(
                "{POINTS}CELLS 2 5\nOFFSETS vtktypeint64\n{offsets}\nCONNECTIVITY vtktypeint32\n0 1 2 3 0\nCELL_TYPES 1\n10\n"
            )
        };
        assert!(describe(&new("0 4")).ends_with("offsets go from 0 to 4, but the cells have 5 points"));
        assert!(describe(&new("1 5")).ends_with("offsets go from 1 to 5, but the cells have 5 points"));
    }
}
