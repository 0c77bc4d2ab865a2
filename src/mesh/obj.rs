//! Wavefront OBJ in and out, in file order.
//!
//! Vertices keep their order and their number, unused ones included, and nothing is split: pins, weight maps and mesh
//! caches go by index. (A general loader such as `tobj` numbers vertices by first use and splits at every `g`.)
//!
//! Read: `v`, `vt`, `f` in all forms (`1`, `1/2`, `1//3`, `1/2/3`, negative indices), polygons, `\` at the end of a line,
//! and the names of `g`, `o`, `usemtl`. Normals, colours, weights, smoothing groups, material files and curves are passed
//! over. A named group is the set of vertices used by faces, lines and points (`f`, `l`, `p`) under that name.

use crate::linalg::{Vec2, Vec3};
use crate::mesh::statement::{Statement, Token, Tokens};
use crate::mesh::{MeshError, TriMesh, polygon, text};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Most names in one `g` statement.
const NAMES_LIMIT: usize = 64;

/// Reads an OBJ file.
///
/// # Errors
/// With line and column: a number that is none or not finite, an index that is 0 or out of range, a face of fewer than
/// three vertices, texture coordinates on some faces only; without: no vertices at all.
pub fn read(bytes: &[u8]) -> Result<TriMesh, MeshError> {
    let bytes = &text::plain(bytes)?;
    let mut counts = [0usize; 2];
    let mut statement = Statement::default();
    let mut lines = Tokens::new(bytes);
    while lines.next(&mut statement) {
        match statement.keyword() {
            b"v" => counts[0] += 1,
            b"vt" => counts[1] += 1,
            _ => {}
        }
    }
    if counts[0] == 0 {
        return Err(MeshError::new("no vertices ('v' lines): this is no OBJ file, or an empty one"));
    }
    if counts.iter().any(|&c| c >= u32::MAX as usize) {
        return Err(MeshError::new("more than 4 billion vertices"));
    }
    let mut reader = Reader { counts, ..Reader::default() };
    let mut lines = Tokens::new(bytes);
    while lines.next(&mut statement) {
        reader.take(&statement)?;
    }
    reader.finish()
}

/// What the next faces, lines and points belong to.
#[derive(Default)]
struct Names {
    group: Vec<String>,
    object: Option<String>,
    material: Option<String>,
}

#[derive(Default)]
struct Reader {
    mesh: TriMesh,
    /// Vertices and texture coordinates in the whole file.
    counts: [usize; 2],
    names: Names,
    /// Vertices of faces, lines and points in order, and where the members of each name lie in it.
    used: Vec<u32>,
    spans: BTreeMap<String, Vec<[usize; 2]>>,
    span_start: usize,
    /// Line of the first face, and whether it has texture coordinates.
    first_face: Option<(usize, bool)>,
    /// Scratch of one face.
    corners: Vec<[u32; 2]>,
    points: Vec<Vec3>,
    /// Faces wait until all vertices are known: corners in `face_corners`, one end and line each.
    face_corners: Vec<[u32; 2]>,
    face_ends: Vec<(usize, usize)>,
}

impl Reader {
    fn take(&mut self, statement: &Statement) -> Result<(), MeshError> {
        let words = statement.words();
        match statement.keyword() {
            b"v" => {
                let [x, y, z] = numbers(statement, words, "a vertex needs three coordinates: v x y z")?;
                self.mesh.positions.push(Vec3::new(x, y, z));
            }
            b"vt" => {
                let [u] = numbers(statement, words, "a texture coordinate needs two numbers: vt u v")?;
                let v = if words.len() > 1 { numbers::<2>(statement, words, "")?[1] } else { 0.0 };
                self.mesh.uv.push(Vec2::new(u, v));
            }
            b"f" => self.take_face(statement, words)?,
            b"l" | b"p" => {
                for word in words {
                    let vertex = self.corner(word)?[0];
                    self.used.push(vertex);
                }
            }
            b"g" => {
                if words.len() > NAMES_LIMIT {
                    return Err(statement.error(format!("more than {NAMES_LIMIT} names in one 'g'")));
                }
                self.close_span();
                self.names.group = words.iter().map(Token::name).collect();
            }
            b"o" => {
                self.close_span();
                self.names.object = joined(words);
            }
            b"usemtl" => {
                self.close_span();
                self.names.material = joined(words);
            }
            _ => {}
        }
        Ok(())
    }

    fn take_face(&mut self, statement: &Statement, words: &[Token]) -> Result<(), MeshError> {
        if words.len() < 3 {
            return Err(statement.error(format!("a face needs at least 3 vertices, this one has {}", words.len())));
        }
        self.corners.clear();
        for word in words {
            let corner = self.corner(word)?;
            self.corners.push(corner);
        }
        let textured = self.corners.iter().filter(|c| c[1] != u32::MAX).count();
        if textured != 0 && textured != words.len() {
            return Err(statement.error("some corners of this face have a texture coordinate and some have none"));
        }
        let (first, with) = *self.first_face.get_or_insert((statement.line(), textured > 0));
        if with != (textured > 0) {
            return Err(statement.error(format!(
                "texture coordinates on some faces only: the face of line {first} has {}, this one {}; give them to all or none",
                if with { "them" } else { "none" },
                if with { "none" } else { "them" },
            )));
        }
        self.used.extend(self.corners.iter().map(|c| c[0]));
        self.face_corners.extend(&self.corners);
        self.face_ends.push((self.face_corners.len(), statement.line()));
        Ok(())
    }

    /// Vertex and texture coordinate (`u32::MAX` for none) of a word such as `3/7/2`, counted from 0.
    fn corner(&self, word: &Token) -> Result<[u32; 2], MeshError> {
        let mut corner = [u32::MAX; 2];
        let mut parts = 0;
        for (k, part) in word.text.split(|&b| b == b'/').enumerate() {
            parts = k + 1;
            if k >= 3 || (part.is_empty() && k == 0) {
                parts = 4;
                break;
            }
            if part.is_empty() {
                continue;
            }
            let number = std::str::from_utf8(part).ok().and_then(|p| p.parse::<i64>().ok());
            let Some(number) = number else {
                return Err(word.error(format!("'{}' is no vertex of a face (as 7, 7/2, 7//3 or 7/2/3)", word.shown())));
            };
            if k < 2 {
                let so_far = if k == 0 { self.mesh.positions.len() } else { self.mesh.uv.len() };
                corner[k] = index(number, so_far, self.counts[k]).ok_or_else(|| {
                    let kind = if k == 0 { "vertex" } else { "texture coordinate" };
                    word.error(out_of_range(kind, number, so_far, self.counts[k]))
                })?;
            }
        }
        if parts > 3 {
            return Err(word.error(format!("'{}' is no vertex of a face (as 7, 7/2, 7//3 or 7/2/3)", word.shown())));
        }
        Ok(corner)
    }

    fn close_span(&mut self) {
        let span = [self.span_start, self.used.len()];
        self.span_start = self.used.len();
        if span[0] == span[1] {
            return;
        }
        let names = &self.names;
        for name in names.group.iter().chain(&names.object).chain(&names.material) {
            match self.spans.get_mut(name) {
                Some(spans) => spans.push(span),
                None => {
                    self.spans.insert(name.clone(), vec![span]);
                }
            }
        }
    }

    fn finish(mut self) -> Result<TriMesh, MeshError> {
        self.close_span();
        let mut start = 0;
        for &(end, line) in &self.face_ends {
            let corners = &self.face_corners[start..end];
            start = end;
            self.points.clear();
            self.points.extend(corners.iter().filter_map(|c| self.mesh.positions.get(c[0] as usize)));
            let textured = corners.first().is_some_and(|c| c[1] != u32::MAX);
            let mesh = &mut self.mesh;
            polygon::triangulate(&self.points, |tri| {
                mesh.triangles.push(tri.map(|k| corners[k][0]));
                if textured {
                    mesh.uv_triangles.push(tri.map(|k| corners[k][1]));
                }
            })
            .map_err(|what| MeshError::at(line, 1, what))?;
        }
        if self.mesh.uv_triangles.is_empty() {
            self.mesh.uv.clear();
        }
        for (name, spans) in self.spans {
            let mut members: Vec<u32> = Vec::new();
            for [from, to] in spans {
                members.extend(&self.used[from..to]);
            }
            members.sort_unstable();
            members.dedup();
            self.mesh.groups.insert(name, members);
        }
        Ok(self.mesh)
    }
}

/// The index of an OBJ number: 1 is the first of all, -1 the last so far.
fn index(number: i64, so_far: usize, count: usize) -> Option<u32> {
    let at = if number > 0 { number.checked_sub(1)? } else { number.checked_add(so_far as i64)? };
    let limit = if number > 0 { count } else { so_far };
    (number != 0 && at >= 0 && (at as u64) < limit as u64).then_some(at as u32)
}

fn out_of_range(kind: &str, number: i64, so_far: usize, count: usize) -> String {
    match number {
        0 => format!("{kind} 0: OBJ counts from 1"),
        n if n < 0 => format!("{kind} {n} counts back from the last, but only {so_far} stand before this line"),
        n => format!("{kind} {n} does not exist, the file has {count}"),
    }
}

/// The first `N` numbers of a statement.
fn numbers<const N: usize>(statement: &Statement, words: &[Token], lacking: &str) -> Result<[f64; N], MeshError> {
    let mut out = [0.0; N];
    for (k, slot) in out.iter_mut().enumerate() {
        let Some(word) = words.get(k) else { return Err(statement.error(lacking)) };
        *slot = word.real()?;
    }
    Ok(out)
}

/// A name that may contain spaces.
fn joined(words: &[Token]) -> Option<String> {
    (!words.is_empty()).then(|| words.iter().map(Token::name).collect::<Vec<_>>().join(" "))
}

/// Writes an OBJ file: coordinates in the shortest form that reads back to the same `f64`, texture coordinates where the
/// mesh has a chart, and each group as `g name` with the point element `p i j ...`, so that groups may overlap and read
/// back exactly. Spaces in names become `_`. Channels have no place in OBJ.
pub fn write(mesh: &TriMesh) -> Vec<u8> {
    let mut out = String::with_capacity(48 * mesh.positions.len() + 24 * mesh.triangles.len());
    // Writing to a String cannot fail.
    for p in &mesh.positions {
        let _ = writeln!(out, "v {} {} {}", p.x, p.y, p.z);
    }
    for t in &mesh.uv {
        let _ = writeln!(out, "vt {} {}", t.x, t.y);
    }
    for (i, tri) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = tri.map(|v| u64::from(v) + 1);
        let _ = match mesh.uv_triangles.get(i) {
            Some(chart) => {
                let [p, q, r] = chart.map(|v| u64::from(v) + 1);
                writeln!(out, "f {a}/{p} {b}/{q} {c}/{r}")
            }
            None => writeln!(out, "f {a} {b} {c}"),
        };
    }
    for (name, members) in &mesh.groups {
        let word: String = name.chars().map(|c| if c.is_whitespace() || c == '#' { '_' } else { c }).collect();
        let _ = writeln!(out, "g {word}");
        for chunk in members.chunks(16) {
            out.push('p');
            for &v in chunk {
                let _ = write!(out, " {}", u64::from(v) + 1);
            }
            out.push('\n');
        }
    }
    out.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        read(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn file_order_is_kept() {
        // The last vertex is used by nothing; the faces name the others out of order and in two groups.
        let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 2 0 0\nv 9 9 9\ng a\nf 3 4 1\ng b\nf 5 2 1\n";
        let mesh = read(text.as_bytes()).unwrap();
        let x: Vec<f64> = mesh.positions.iter().map(|p| p.x).collect();
        assert_eq!(x, [0.0, 1.0, 0.0, 1.0, 2.0, 9.0]);
        assert_eq!(mesh.triangles, [[2, 3, 0], [4, 1, 0]]);
        assert_eq!(mesh.groups["a"], [0, 2, 3]);
        assert_eq!(mesh.groups["b"], [0, 1, 4]);
    }

    #[test]
    fn all_forms_of_a_face_are_read() {
        let head = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.5 0.25\nvt 1\nvn 0 0 1\n";
        for face in ["f 1 2 3", "f 1//1 2//1 3//1", "f -3 -2 -1", "f 1 \\\n 2 \\\r\n3 # end", "\tf  1 2\t3"] {
            let mesh = read(format!("{head}{face}").as_bytes()).unwrap();
            assert_eq!(mesh.triangles, [[0, 1, 2]], "{face}");
            assert!(mesh.uv.is_empty() && mesh.uv_triangles.is_empty(), "{face}");
        }
        for face in ["f 1/1 2/2 3/1", "f 1/1/1 2/2/1 3/1/1", "f -3/-2 -2/-1 -1/-2"] {
            let mesh = read(format!("{head}{face}").as_bytes()).unwrap();
            assert_eq!(mesh.uv_triangles, [[0, 1, 0]], "{face}");
            assert_eq!(mesh.uv, [Vec2::new(0.5, 0.25), Vec2::new(1.0, 0.0)], "{face}");
        }
    }

    #[test]
    fn a_face_may_stand_before_its_vertices() {
        let mesh = read(b"f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n").unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2]]);
    }

    #[test]
    fn polygons_become_triangles() {
        let mesh =
            read(b"v 0 0 0\nv 2 0 0\nv 0.5 0.5 0\nv 0 2 0\nvt 0 0\nvt 2 0\nvt .5 .5\nvt 0 2\nf 1/1 2/2 3/3 4/4\n");
        let mesh = mesh.unwrap();
        assert_eq!(mesh.triangles.len(), 2);
        assert_eq!(mesh.triangles, mesh.uv_triangles);
        for t in &mesh.triangles {
            let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
            assert!((b - a).cross(&(c - a)).z > 0.0);
        }
    }

    #[test]
    fn groups_overlap_and_come_from_points_too() {
        let head = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n";
        let mesh =
            read(format!("{head}o my coat\ng top left\nf 1 2 3\ng\nusemtl red\nf 2 4 3\ng pins\np 4 1\n").as_bytes());
        let groups = mesh.unwrap().groups;
        assert_eq!(groups["top"], [0, 1, 2]);
        assert_eq!(groups["left"], groups["top"]);
        assert_eq!(groups["my coat"], [0, 1, 2, 3]);
        assert_eq!(groups["red"], [0, 1, 2, 3]);
        assert_eq!(groups["pins"], [0, 3]);
    }

    #[test]
    fn what_is_written_reads_back() {
        let mut mesh =
            read(b"v 0.1 0 0\nv 1 1e-7 0\nv 0 1 0.3333333333333333\nv 7 7 7\nvt 0 1\nvt 1 1\nf 1/1 2/2 3/1\n").unwrap();
        mesh.groups.insert("hem".into(), vec![0, 3]);
        mesh.groups.insert("waist".into(), vec![0, 1]);
        assert_eq!(read(&write(&mesh)).unwrap(), mesh);
        mesh.uv.clear();
        mesh.uv_triangles.clear();
        assert_eq!(read(&write(&mesh)).unwrap(), mesh);
    }

    #[test]
    fn faults_are_told_with_their_place() {
        let head = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\n";
        let cases = [
            ("", "no vertices"),
            ("hello", "no vertices"),
            ("v 0 0\n", "1:1: a vertex needs three coordinates"),
            ("v 0 nan 0\n", "1:5: 'nan' is not a finite number"),
            ("v 0 0 1e999\n", "1:7: '1e999' is not a finite number"),
            ("v 0 0 zero\n", "1:7: 'zero' is not a number"),
        ];
        for (text, message) in cases {
            assert!(fault(text).starts_with(message), "{text}: {}", fault(text));
        }
        let cases = [
            ("f 1 2", "5:1: a face needs at least 3 vertices, this one has 2"),
            ("f 1 2 0", "5:7: vertex 0: OBJ counts from 1"),
            ("f 1 2 4", "5:7: vertex 4 does not exist, the file has 3"),
            ("f 1 2 -4", "5:7: vertex -4 counts back from the last, but only 3 stand before this line"),
            ("f 1/1 2/2 3/1", "5:7: texture coordinate 2 does not exist, the file has 1"),
            ("f 1/1 2/-9223372036854775808 3/1", "5:7: texture coordinate -9223372036854775808 counts back"),
            ("f 1/1 2/1 3", "5:1: some corners of this face have a texture coordinate and some have none"),
            ("f 1/1 2/1 3/1\nf 1 2 3", "6:1: texture coordinates on some faces only: the face of line 5 has them"),
            ("f 1 2 x", "5:7: 'x' is no vertex of a face"),
            ("f 1 2 /3", "5:7: '/3' is no vertex of a face"),
            ("f 1 2 3/1/1/1", "5:7: '3/1/1/1' is no vertex of a face"),
            ("f 1 \\\n2 9", "6:3: vertex 9 does not exist"),
        ];
        for (text, message) in cases {
            let told = fault(&format!("{head}{text}\n"));
            assert!(told.starts_with(message), "{text}: {told}");
        }
    }
}
