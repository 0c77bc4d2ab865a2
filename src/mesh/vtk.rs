//! Legacy VTK (`.vtk`) in: unstructured grids of versions 2 to 5, text and binary (high byte first).
//!
//! Read: points of single or double precision and cells of type 10 (tetrahedra), in either form: counts between the
//! indices (versions to 4) or offsets beside them (from 5.1). Passed over: other cells, fields, metadata, and everything
//! from the first data of points or cells on; so there are no groups. Tetrahedra of higher order are refused.

use crate::linalg::Vec3;
use crate::mesh::cursor::{Cursor, Encoding};
use crate::mesh::{MeshError, TetMesh};

/// The cell type that is read, and those of its kind that are not (quadratic, parametric, higher order, Lagrange, Bezier).
const TETRAHEDRON: i64 = 10;
const CURVED_TETRAHEDRA: [i64; 5] = [24, 55, 64, 71, 78];

/// Reads a legacy VTK file.
///
/// # Errors
/// Another kind of data set or number, a file that is cut short or promises what does not follow, numbers that are none or
/// not finite, points that do not exist, tetrahedra of higher order; with line and column as long as nothing binary came
/// before.
pub fn read(bytes: &[u8]) -> Result<TetMesh, MeshError> {
    let mut cursor = Cursor::new(bytes);
    let encoding = header(&mut cursor)?;
    let mut reader =
        Reader { cursor, encoding, points: Vec::new(), cells: Cells::default(), types: Vec::new(), components: 0 };
    while !reader.cursor.at_end() {
        let keyword = reader.cursor.word("a keyword")?;
        match keyword.text.to_ascii_uppercase().as_slice() {
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

/// The first three lines: version, title, encoding.
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

/// The points of cell `c` are `corners[offsets[c]..offsets[c + 1]]`.
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
    /// Numbers a tuple of the array read last.
    components: usize,
}

impl Reader<'_> {
    fn count(&mut self, expected: &str) -> Result<usize, MeshError> {
        self.cursor.count(Encoding::Text, 0, expected)
    }

    /// The name of a type of numbers, and their width; ends the line.
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
        // Numbers in text may stand behind blanks and ends of lines, binary ones do not.
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

    /// Versions to 4: the number of points before the points of each cell.
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

    /// From version 5.1: one offset more than there are cells, then all points.
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

    /// A field before the cells, such as the time: passed over.
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

    /// Ends with an empty line; but among the names of the components, a line each, those without a name are empty.
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
