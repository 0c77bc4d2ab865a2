//! Reader and writer of Wavefront OBJ, in file order.
//!
//! Vertices keep their order and number, including unused ones, and nothing is split. Pins, weight maps and mesh caches
//! refer to vertices by index. (A general loader such as `tobj` numbers vertices by first use and splits at every `g`.)
//!
//! Read: `v`, `vt`, `f` in all forms (`1`, `1/2`, `1//3`, `1/2/3`, negative indices), polygons, `\` at the end of a
//! line, and the names of `g`, `o`, `usemtl`. Ignored: normals, colours, weights, smoothing groups and material files.
//! Curves, surfaces and references to other files are ignored with a note. A named group is the set of vertices used by
//! faces, lines and points (`f`, `l`, `p`) under that name. Faces keep the material of their `usemtl`.
//!
//! A chart is kept if every face has texture coordinates that exist and are finite. Otherwise it is left out with a
//! note.

mod object;
mod write;

pub use object::{Part, parts, read_object};
pub use write::{material_word, write, write_faces};

use crate::linalg::{Vec2, Vec3};
use crate::mesh::statement::{Statement, Token, Tokens};
use crate::mesh::{LEFT_OUT, Materials, MeshError, Source, TriMesh, polygon, text};
use std::collections::BTreeMap;

/// Largest number of names in one `g` statement.
const NAMES_LIMIT: usize = 64;
/// Index of a missing texture coordinate.
const NONE: u32 = u32::MAX;

/// Keywords that are ignored. Except with those in [`LOST`], nothing of a mesh is lost.
#[rustfmt::skip]
const PASSED: [&str; 36] = [
    "vp", "mg", "mtllib", "usemap", "maplib", "shadow_obj", "trace_obj", "bevel", "c_interp", "d_interp", "lod",
    "cstype", "deg", "bmat", "step", "curv2", "parm", "trim", "hole", "scrv", "sp", "end", "con", "ctech", "stech", "bsp",
    "bzp", "cdc", "cdp", "res", "surf", "curv", "call", "csh", "vw", "vc",
];
/// Ignored keywords with which a part of a mesh may be lost.
const LOST: [&str; 4] = ["surf", "curv", "call", "csh"];

/// Reads an OBJ file.
///
/// # Errors
/// Fails for a number that is invalid or not finite, an index that is 0 or out of range, or a face with fewer than
/// three vertices. These errors have line and column. Fails without a place if there are no vertices.
pub fn read(bytes: &[u8]) -> Result<TriMesh, MeshError> {
    Reader::read(&text::plain(bytes)?)?.finish(None)
}

/// Names that apply to the following statements.
#[derive(Clone, Debug, Default)]
struct Names {
    group: Vec<String>,
    object: Option<String>,
    material: Option<String>,
}

/// Statements under the same names, as ranges in the lists of the reader.
#[derive(Clone, Debug, Default)]
struct Section {
    names: Names,
    vertices: [usize; 2],
    used: [usize; 2],
    faces: [usize; 2],
}

#[derive(Default)]
struct Reader {
    positions: Vec<Vec3>,
    /// Texture coordinates, including those that are not finite, and the line of the first of these.
    uv: Vec<Vec2>,
    broken_uv: Option<usize>,
    /// Numbers of vertices and texture coordinates in the whole file.
    counts: [usize; 2],
    /// Vertices of faces, lines and points in order.
    used: Vec<u32>,
    /// Finished sections.
    sections: Vec<Section>,
    names: Names,
    /// Faces, kept until all vertices are known: corners in `corners`, an end and a line for each.
    corners: Vec<[u32; 2]>,
    faces: Vec<(usize, usize)>,
    /// First line that names a texture coordinate in a file without any.
    without_uv: Option<usize>,
    /// Ignored words that may have held a part of a mesh: first line and number of lines of each.
    passed: BTreeMap<String, (usize, usize)>,
}

impl Reader {
    fn read(bytes: &[u8]) -> Result<Self, MeshError> {
        let mut counts = [0usize; 2];
        let mut statement = Statement::default();
        let mut lines = Tokens::new(bytes);
        while lines.next(&mut statement) {
            match statement.keyword() {
                b"v" | b"V" => counts[0] += 1,
                b"vt" | b"VT" | b"Vt" => counts[1] += 1,
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
        reader.close_section();
        Ok(reader)
    }

    fn take(&mut self, statement: &Statement) -> Result<(), MeshError> {
        let words = statement.words();
        match statement.keyword() {
            b"v" | b"V" => {
                let [x, y, z] = numbers(statement, words, "a vertex needs three coordinates: v x y z")?;
                self.positions.push(Vec3::new(x, y, z));
            }
            b"vt" | b"VT" | b"Vt" => {
                let Some(first) = words.first() else {
                    return Err(statement.error("a texture coordinate needs two numbers: vt u v"));
                };
                let uv = Vec2::new(first.number()?, words.get(1).map_or(Ok(0.0), Token::number)?);
                if !finite(&uv) {
                    self.broken_uv.get_or_insert(statement.line());
                }
                self.uv.push(uv);
            }
            b"f" | b"F" | b"fo" => self.take_face(statement, words)?,
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
                self.close_section();
                self.names.group = words.iter().map(Token::name).collect();
            }
            b"o" => {
                self.close_section();
                self.names.object = joined(words);
            }
            b"usemtl" => {
                self.close_section();
                self.names.material = joined(words);
            }
            b"vn" | b"s" => {}
            // Null bytes pad files to a whole number of blocks.
            other if other.iter().all(|b| *b == 0) => {}
            other => {
                let word = text::name(other);
                if !PASSED.contains(&word.as_str()) || LOST.contains(&word.as_str()) {
                    let word =
                        if self.passed.len() < 4 { word.chars().take(40).collect() } else { "others".to_string() };
                    self.passed.entry(word).or_insert((statement.line(), 0)).1 += 1;
                }
            }
        }
        Ok(())
    }

    fn take_face(&mut self, statement: &Statement, words: &[Token]) -> Result<(), MeshError> {
        if words.len() < 3 {
            return Err(statement.error(format!("a face needs at least 3 vertices, this one has {}", words.len())));
        }
        for word in words {
            let corner = self.corner(word)?;
            self.corners.push(corner);
            self.used.push(corner[0]);
        }
        self.faces.push((self.corners.len(), statement.line()));
        Ok(())
    }

    /// Reads the vertex and texture coordinate (`NONE` for none) of a word such as `3/7/2`, counted from 0.
    fn corner(&mut self, word: &Token) -> Result<[u32; 2], MeshError> {
        let mut corner = [NONE; 2];
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
            if k == 1 && self.counts[1] == 0 {
                self.without_uv.get_or_insert(word.line());
            } else if k < 2 {
                let so_far = if k == 0 { self.positions.len() } else { self.uv.len() };
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

    /// Ends the section with the present names.
    fn close_section(&mut self) {
        let start = self.sections.last().map_or([0; 3], |s| [s.vertices[1], s.used[1], s.faces[1]]);
        self.sections.push(Section {
            names: self.names.clone(),
            vertices: [start[0], self.positions.len()],
            used: [start[1], self.used.len()],
            faces: [start[2], self.faces.len()],
        });
    }

    /// Returns the corners of a face, and its line.
    fn face(&self, f: usize) -> (&[[u32; 2]], usize) {
        let start = f.checked_sub(1).and_then(|before| self.faces.get(before)).map_or(0, |face| face.0);
        let (end, line) = self.faces.get(f).copied().unwrap_or((start, 0));
        (self.corners.get(start..end).unwrap_or_default(), line)
    }

    /// Makes the whole mesh, or the vertices and faces of it that `keep` marks.
    fn finish(self, keep: Option<(Vec<bool>, Vec<bool>)>) -> Result<TriMesh, MeshError> {
        let (vertices, faces) = keep.unzip();
        let is_kept = |all: &Option<Vec<bool>>, k: usize| all.as_ref().is_none_or(|all| all.get(k) == Some(&true));
        let mut mesh = TriMesh { notes: self.notes(), ..TriMesh::default() };
        let mut place = vec![NONE; self.positions.len()];
        for (v, position) in self.positions.iter().enumerate().filter(|(v, _)| is_kept(&vertices, *v)) {
            place[v] = mesh.positions.len() as u32;
            mesh.positions.push(*position);
        }
        let kept = || (0..self.faces.len()).filter(|f| is_kept(&faces, *f));
        let charted = match self.without_chart(kept()) {
            Some((line, why)) => {
                mesh.notes.push(MeshError::at(line, 1, format!("{why}; {LEFT_OUT}")));
                false
            }
            None => kept().any(|f| self.face(f).0.iter().any(|c| c[1] != NONE)),
        };
        let (mut corners, mut ends, mut lines): (Vec<[u32; 2]>, Vec<usize>, Vec<usize>) = Default::default();
        for f in kept() {
            let (face, line) = self.face(f);
            corners.extend(face);
            ends.push(corners.len());
            lines.push(line);
        }
        let used: Vec<u32> = corners.iter().map(|c| place[c[0] as usize]).collect();
        let describe = |(face, what): (usize, String)| MeshError::at(lines[face], 1, what);
        let cut = polygon::cut(&mesh.positions, &used, &ends).map_err(describe)?;
        mesh.triangles = cut.triangles.iter().map(|t| t.map(|k| used[k as usize])).collect();
        if charted {
            mesh.uv_triangles = cut.triangles.iter().map(|t| t.map(|k| corners[k as usize][1])).collect();
        }
        mesh.notes.extend(cut.notes.into_iter().map(describe));
        let named = |name: fn(&Names) -> Option<&str>| self.named(name, kept(), &cut.faces, mesh.triangles.len());
        (mesh.materials, mesh.origins) = (named(|n| n.material.as_deref()), named(|n| n.object.as_deref()));
        mesh.source = Source { faces: cut.faces, lines: lines.iter().map(|line| *line as u32).collect() };
        let mut groups: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for Section { names, used: [from, to], .. } in &self.sections {
            for name in names.group.iter().chain(&names.object).chain(&names.material).filter(|_| from < to) {
                let members = self.used[*from..*to].iter().map(|v| place[*v as usize]).filter(|v| *v != NONE);
                groups.entry(name.clone()).or_default().extend(members);
            }
        }
        for members in groups.values_mut() {
            members.sort_unstable();
            members.dedup();
        }
        groups.retain(|_, members| !members.is_empty());
        mesh.groups = groups;
        if charted {
            mesh.uv = self.uv;
            if vertices.is_some() {
                compact(&mut mesh);
            }
            if let Some(line) = self.broken_uv.filter(|_| !mesh.uv.iter().all(finite)) {
                let what = "a texture coordinate that no face uses is not a finite number; it is taken as 0";
                mesh.notes.push(MeshError::at(line, 1, what));
                mesh.uv.iter_mut().filter(|uv| !finite(uv)).for_each(|uv| *uv = Vec2::zeros());
            }
        }
        Ok(mesh)
    }

    /// Returns the materials or objects of triangles. `cut` is the face of each among `kept`; empty if each face is one
    /// triangle.
    fn named(
        &self,
        name: fn(&Names) -> Option<&str>,
        kept: impl Iterator<Item = usize>,
        cut: &[u32],
        triangles: usize,
    ) -> Materials {
        if self.sections.iter().all(|section| name(&section.names).is_none()) {
            return Materials::default();
        }
        let mut sections = self.sections.iter().peekable();
        let mut of_faces = Vec::new();
        for f in kept {
            while sections.next_if(|section| section.faces[1] <= f).is_some() {}
            of_faces.push(sections.peek().and_then(|section| name(&section.names)));
        }
        let mut all = Materials::default();
        for t in 0..triangles {
            let face = cut.get(t).map_or(t, |f| *f as usize);
            all.add(of_faces.get(face).copied().flatten(), 1);
        }
        all.tidy()
    }

    /// Returns the reason why these faces have no chart, and its line. Returns none if all faces have a chart, or no
    /// face has one.
    fn without_chart(&self, faces: impl Iterator<Item = usize>) -> Option<(usize, String)> {
        if let Some(line) = self.without_uv {
            return Some((line, "texture coordinates are named here, but the file has no 'vt' lines".to_string()));
        }
        let (mut with, mut without, mut count) = (None, None, [0usize; 2]);
        for f in faces {
            let (corners, line) = self.face(f);
            let textured = corners.iter().filter(|c| c[1] != NONE);
            match textured.clone().count() {
                0 => {
                    without.get_or_insert(line);
                    count[1] += 1;
                }
                n if n < corners.len() => {
                    let why = "some corners of this face have a texture coordinate and some have none";
                    return Some((line, why.to_string()));
                }
                _ => {
                    with.get_or_insert(line);
                    count[0] += 1;
                }
            }
            let broken = textured.filter_map(|c| self.uv.get(c[1] as usize)).find(|uv| !finite(uv));
            if let Some(uv) = broken {
                return Some((line, format!("this face has a texture coordinate of {} {}", uv.x, uv.y)));
            }
        }
        let (with, without) = (with?, without?);
        let [all, some] = [count[0] + count[1], count[0]];
        let why = format!(
            "texture coordinates on {some} of {all} faces only: the face of line {with} has them, this one none; give them \
             to all where a chart is needed"
        );
        Some((without, why))
    }

    /// Returns notes on ignored words that may have held a part of a mesh.
    fn notes(&self) -> Vec<MeshError> {
        let note = |(word, (line, lines)): (&String, &(usize, usize))| {
            let of = if *lines == 1 { "this line is".to_string() } else { format!("{lines} such lines are") };
            let what = match word.as_str() {
                "surf" | "curv" => "free-form curves and surfaces are not read; save the mesh as polygons".to_string(),
                "call" | "csh" => "what other files hold is not read".to_string(),
                _ => "OBJ knows no such word".to_string(),
            };
            MeshError::at(*line, 1, format!("'{word}': {of} passed over; {what}"))
        };
        self.passed.iter().map(note).collect()
    }
}

/// Removes texture coordinates that no triangle uses.
fn compact(mesh: &mut TriMesh) {
    let mut place = vec![NONE; mesh.uv.len()];
    mesh.uv_triangles.iter().flatten().for_each(|c| place[*c as usize] = 0);
    let mut uv = Vec::new();
    for (slot, coordinate) in place.iter_mut().zip(&mesh.uv).filter(|(slot, _)| **slot == 0) {
        *slot = uv.len() as u32;
        uv.push(*coordinate);
    }
    mesh.uv_triangles.iter_mut().flatten().for_each(|c| *c = place[*c as usize]);
    mesh.uv = uv;
}

fn finite(uv: &Vec2) -> bool {
    uv.iter().all(|x| x.is_finite())
}

/// Returns the index of an OBJ number. 1 is the first of all, and -1 the last so far.
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

/// Reads the first `N` numbers of a statement.
fn numbers<const N: usize>(statement: &Statement, words: &[Token], lacking: &str) -> Result<[f64; N], MeshError> {
    let mut out = [0.0; N];
    for (k, slot) in out.iter_mut().enumerate() {
        let Some(word) = words.get(k) else { return Err(statement.error(lacking)) };
        *slot = word.real()?;
    }
    Ok(out)
}

/// Joins words to a name with spaces.
fn joined(words: &[Token]) -> Option<String> {
    (!words.is_empty()).then(|| words.iter().map(Token::name).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests;
