//! Vertices of a binary little-endian PLY file as columns of `f32`. Its faces are not read.

use crate::mesh::MeshError;
use std::io::Read;

/// Longest accepted header [bytes].
const HEADER: usize = 1 << 16;

/// Rows of `f32`, one per vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns {
    /// Names of the columns, in order.
    pub names: Vec<String>,
    /// Number of vertices.
    pub count: usize,
    bytes: Vec<u8>,
}

/// Reads the vertices, as [`super::write`] writes them. Returns `None` for a file of another layout: not binary little
/// endian, another element before the vertices, or vertices with numbers other than `float`.
///
/// # Errors
/// Fails if the file cannot be read or ends early.
pub fn columns(file: &mut impl Read) -> Result<Option<Columns>, MeshError> {
    let broken = |error: std::io::Error| MeshError::new(format!("cannot be read: {error}"));
    let mut start = Vec::with_capacity(4096);
    let end = loop {
        let before = start.len();
        file.by_ref().take(4096).read_to_end(&mut start).map_err(broken)?;
        if let Some(end) = find(&start, b"end_header\n") {
            break end;
        }
        if start.len() == before || start.len() > HEADER {
            return Ok(None);
        }
    };
    let Some((names, count)) = layout(&start[..end]) else { return Ok(None) };
    let size = names.len().checked_mul(4).and_then(|row| row.checked_mul(count));
    let Some(size) = size else { return Ok(None) };
    let mut bytes = start.split_off(end);
    bytes.truncate(size);
    let rest = size - bytes.len();
    file.by_ref().take(rest as u64).read_to_end(&mut bytes).map_err(broken)?;
    if bytes.len() < size {
        return Err(MeshError::new(format!("the header promises {count} vertices, but the file ends early")));
    }
    Ok(Some(Columns { names, count, bytes }))
}

/// Returns names of the columns and number of rows, if the header has the layout.
fn layout(header: &[u8]) -> Option<(Vec<String>, usize)> {
    let mut lines = std::str::from_utf8(header).ok()?.lines().filter(|l| !l.starts_with("comment"));
    if lines.next()? != "ply" || lines.next()? != "format binary_little_endian 1.0" {
        return None;
    }
    let count = lines.next()?.strip_prefix("element vertex ")?.trim().parse().ok()?;
    let mut names = Vec::new();
    for line in lines.take_while(|l| l.starts_with("property")) {
        names.push(line.strip_prefix("property float ")?.trim().to_string());
    }
    (!names.is_empty()).then_some((names, count))
}

/// Returns the end of the first occurrence of `word`.
fn find(bytes: &[u8], word: &[u8]) -> Option<usize> {
    bytes.windows(word.len()).position(|w| w == word).map(|at| at + word.len())
}

impl Columns {
    /// Returns `N` adjacent columns by their names; `None` if they are not adjacent.
    pub fn get<const N: usize>(&self, names: [&str; N]) -> Option<Vec<[f32; N]>> {
        let first = self.names.windows(N).position(|w| w.iter().zip(names).all(|(a, b)| a == b))?;
        let rows = self.bytes.chunks_exact(4 * self.names.len());
        let number = |row: &[u8], k: usize| {
            let at = 4 * (first + k);
            f32::from_le_bytes([row[at], row[at + 1], row[at + 2], row[at + 3]])
        };
        Some(rows.map(|row| std::array::from_fn(|k| number(row, k))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PlyRecord, read, write};
    use super::*;
    use crate::linalg::Vec3;

    #[test]
    fn columns_are_what_the_file_holds() {
        let positions: Vec<Vec3> = (0..700).map(|k| Vec3::new(f64::from(k), 0.5, -0.25 * f64::from(k))).collect();
        let velocities: Vec<Vec3> = positions.iter().map(|p| 2.0 * p).collect();
        let strain: Vec<f64> = positions.iter().map(|p| p.x / 8.0).collect();
        let fields = [("strain", strain.as_slice())];
        let record = PlyRecord {
            positions: &positions,
            triangles: &[[0, 1, 2]],
            velocities: Some(&velocities),
            uv: None,
            fields: &fields,
        };
        let bytes = write(&record).unwrap();
        let found = columns(&mut bytes.as_slice()).unwrap().unwrap();
        assert_eq!((found.names.len(), found.count), (7, 700));
        let same = |a: &[f32; 3], b: &Vec3| (0..3).all(|k| f64::from(a[k]) == b[k]);
        assert!(found.get(["x", "y", "z"]).unwrap().iter().zip(&positions).all(|(a, b)| same(a, b)));
        assert!(found.get(["vx", "vy", "vz"]).unwrap().iter().zip(&velocities).all(|(a, b)| same(a, b)));
        assert!(found.get(["strain"]).unwrap().iter().zip(&strain).all(|([a], b)| f64::from(*a) == *b));
        assert_eq!(found.get(["s", "t"]), None);
        // Files of other programs are left to the general reader.
        let text = b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n";
        assert_eq!(columns(&mut text.as_slice()).unwrap(), None);
        assert!(read(&bytes).is_ok() && columns(&mut &bytes[..9000]).is_err());
    }
}
