//! Reader of Gmsh `.msh` files of versions 2.2 and 4.1, text and binary (either byte order).
//!
//! Read: all nodes in file order, with any tags; the 4-node tetrahedra; and every named physical group as the set of
//! vertices of its elements, including points, lines and surfaces. Groups of one name in several dimensions are merged.
//! Ignored: points, lines and surfaces without a group, other sections, parametric coordinates, and the entities of a
//! partition.
//!
//! Hexahedra, prisms and pyramids are rejected. Without them the body would have holes. Tetrahedra of second and higher
//! order are rejected. Their corners alone would form another body where sides are curved, and their other nodes would
//! belong to nothing.

use crate::linalg::Vec3;
use crate::mesh::cursor::{Cursor, Encoding};
use crate::mesh::{MeshError, TetMesh, text};
use std::collections::BTreeMap;

/// Largest number of physical groups of one entity.
const GROUPS_LIMIT: usize = 64;
/// Dimension and number of nodes of the element types 1 to 31.
#[rustfmt::skip]
const SHAPES: [(i64, usize); 31] = [
    (1, 2), (2, 3), (2, 4), (3, 4), (3, 8), (3, 6), (3, 5), (1, 3), (2, 6), (2, 9), (3, 10), (3, 27), (3, 18), (3, 14),
    (0, 1), (2, 8), (3, 20), (3, 15), (3, 13), (2, 9), (2, 10), (2, 12), (2, 15), (2, 15), (2, 21), (1, 4), (1, 5),
    (1, 6), (3, 20), (3, 35), (3, 56),
];
/// Element type that is read, and tetrahedra of higher order, which are not.
const TETRAHEDRON: i64 = 4;
const CURVED_TETRAHEDRA: [i64; 4] = [11, 29, 30, 31];

/// Reads a Gmsh file.
///
/// # Errors
/// Fails for another version, a truncated file, counts that do not match the content, and numbers that are invalid or
/// not finite. Fails for duplicate or missing node tags, and for solid elements other than first-order tetrahedra.
/// Errors have line and column until binary data begin.
pub fn read(bytes: &[u8]) -> Result<TetMesh, MeshError> {
    let bytes = text::plain(bytes)?;
    let mut reader = Reader::new(&bytes)?;
    while !reader.cursor.at_end() {
        let section = reader.cursor.word("a section")?;
        let name = section.name();
        let Some(name) = name.strip_prefix('$') else {
            return Err(section.error(format!("'{}' where a section such as $Nodes should begin", section.shown())));
        };
        match (name, reader.version) {
            ("PhysicalNames", _) => reader.physical_names()?,
            ("Entities", Version::V4) => reader.entities()?,
            ("Nodes", Version::V2) => reader.nodes_2()?,
            ("Nodes", Version::V4) => reader.nodes_4()?,
            ("Elements", Version::V2) => reader.elements_2()?,
            ("Elements", Version::V4) => reader.elements_4()?,
            ("ParametricNodes", _) => {
                return Err(section.error("parametric nodes are not read; save without them (Mesh.SaveParametric = 0)"));
            }
            _ => {
                if name == "PartitionedEntities" {
                    let what = "the mesh is partitioned: physical groups of its parts are not read; save it whole";
                    reader.notes.push(section.error(what));
                }
                reader.cursor.rest_of_line();
                reader.cursor.pass(&format!("$End{name}"))?;
                continue;
            }
        }
        reader.cursor.past(&format!("$End{name}"))?;
    }
    reader.finish()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    V2,
    V4,
}

/// Tetrahedron by node tags. The label is its physical group in version 2.2, its entity in 4.1.
struct Tetrahedron {
    number: i64,
    label: i64,
    nodes: [i64; 4],
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    version: Version,
    encoding: Encoding,
    positions: Vec<Vec3>,
    /// Tag of each node, in file order.
    tags: Vec<i64>,
    tets: Vec<Tetrahedron>,
    /// Name of a physical group by dimension and tag.
    names: BTreeMap<(i64, u64), String>,
    /// Physical groups of an entity, by dimension and tag (version 4.1).
    entities: BTreeMap<(i64, i64), Vec<u64>>,
    /// Nodes of the elements of each dimension and label.
    members: BTreeMap<(i64, i64), Vec<i64>>,
    notes: Vec<MeshError>,
}

impl<'a> Reader<'a> {
    /// Reads the section `$MeshFormat`.
    fn new(bytes: &'a [u8]) -> Result<Self, MeshError> {
        let mut cursor = Cursor::new(bytes);
        cursor.at_end();
        while cursor.stands(b"$Comments") {
            cursor.pass("$EndComments")?;
            cursor.at_end();
        }
        if !cursor.stands(b"$MeshFormat") {
            return Err(MeshError::new(
                "this is no Gmsh file of version 2 or later: it does not begin with $MeshFormat",
            ));
        }
        cursor.word("$MeshFormat")?;
        let word = cursor.word("the version")?;
        let version = match word.text {
            b"2.2" => Version::V2,
            b"4.1" => Version::V4,
            _ => return Err(word.error(format!("version '{}' is not read; save it as 4.1 or 2.2", word.shown()))),
        };
        let kind = cursor.word("the file type")?;
        let size = cursor.word("the data size")?;
        let encoding = match kind.text {
            b"0" => Encoding::Text,
            b"1" if size.text != b"8" => {
                return Err(size.error(format!("a data size of '{}' is not read, only 8 is", size.shown())));
            }
            b"1" => {
                cursor.numbers_follow(Encoding::Big)?;
                match cursor.integer(Encoding::Big, 4, "the mark of the byte order")? {
                    1 => Encoding::Big,
                    0x0100_0000 => Encoding::Little,
                    other => return Err(cursor.error(format!("the mark of the byte order is {other} instead of 1"))),
                }
            }
            _ => return Err(kind.error(format!("the file type is '{}', not 0 (text) or 1 (binary)", kind.shown()))),
        };
        cursor.past("$EndMeshFormat")?;
        Ok(Self {
            cursor,
            version,
            encoding,
            positions: Vec::new(),
            tags: Vec::new(),
            tets: Vec::new(),
            names: BTreeMap::new(),
            entities: BTreeMap::new(),
            members: BTreeMap::new(),
            notes: Vec::new(),
        })
    }

    fn int(&mut self, expected: &str) -> Result<i64, MeshError> {
        self.cursor.integer(self.encoding, 4, expected)
    }

    /// Reads an integer that takes 8 bytes in version 4.1.
    fn long(&mut self, expected: &str) -> Result<i64, MeshError> {
        self.cursor.integer(self.encoding, 8, expected)
    }

    fn size(&mut self, expected: &str) -> Result<usize, MeshError> {
        self.cursor.count(self.encoding, 8, expected)
    }

    fn position(&mut self) -> Result<Vec3, MeshError> {
        let mut coordinate = || self.cursor.real(self.encoding, 8, "a coordinate");
        Ok(Vec3::new(coordinate()?, coordinate()?, coordinate()?))
    }

    /// Reads `$PhysicalNames`, which is text in every file: dimension, tag and quoted name of each.
    fn physical_names(&mut self) -> Result<(), MeshError> {
        let count = self.cursor.count(Encoding::Text, 0, "the number of physical names")?;
        for _ in 0..count {
            let dimension = self.cursor.word("the dimension of a physical name")?.integer()?;
            let tag = self.cursor.word("the tag of a physical name")?.integer()?;
            let rest = self.cursor.rest_of_line();
            let name = rest.text.trim_ascii().strip_prefix(b"\"").and_then(|n| n.strip_suffix(b"\""));
            let Some(name) = name else { return Err(rest.error("a physical name should stand here in quotes")) };
            self.names.insert((dimension, tag.unsigned_abs()), text::name(name));
        }
        Ok(())
    }

    /// Reads `$Entities` of version 4.1: the physical groups of each point, curve, surface and volume.
    fn entities(&mut self) -> Result<(), MeshError> {
        self.cursor.numbers_follow(self.encoding)?;
        let mut counts = [0; 4];
        for count in &mut counts {
            *count = self.size("a number of entities")?;
        }
        for (dimension, count) in (0..).zip(counts) {
            for _ in 0..count {
                let tag = self.int("the tag of an entity")?;
                let bounds = if dimension == 0 { 3 } else { 6 };
                self.cursor.skip(self.encoding, bounds, 8, "the bounds of an entity")?;
                let groups = self.size("the number of physical groups")?;
                if groups > GROUPS_LIMIT {
                    let what = format!("an entity of {groups} physical groups, more than {GROUPS_LIMIT}");
                    return Err(self.cursor.error(what));
                }
                let mut own = Vec::new();
                for _ in 0..groups {
                    // The sign gives the direction.
                    own.push(self.int("a physical group")?.unsigned_abs());
                }
                if dimension > 0 {
                    let bounding = self.size("the number of bounding entities")?;
                    self.cursor.skip(self.encoding, bounding, 4, "a bounding entity")?;
                }
                if !own.is_empty() {
                    self.entities.insert((dimension, tag), own);
                }
            }
        }
        Ok(())
    }

    fn nodes_2(&mut self) -> Result<(), MeshError> {
        let count = self.cursor.count(Encoding::Text, 0, "the number of nodes")?;
        self.cursor.numbers_follow(self.encoding)?;
        for _ in 0..count {
            let tag = self.int("a node number")?;
            let position = self.position()?;
            self.tags.push(tag);
            self.positions.push(position);
        }
        Ok(())
    }

    fn nodes_4(&mut self) -> Result<(), MeshError> {
        self.cursor.numbers_follow(self.encoding)?;
        let blocks = self.size("the number of blocks of nodes")?;
        let promised = self.size("the number of nodes")?;
        self.long("the least node tag")?;
        self.long("the greatest node tag")?;
        let before = self.positions.len();
        for _ in 0..blocks {
            let dimension = self.int("the dimension of an entity")?;
            self.int("the tag of an entity")?;
            let parameters = match (self.int("0 or 1 for parametric coordinates")?, usize::try_from(dimension)) {
                (0, Ok(0..=3)) => 0,
                (1, Ok(dimension @ 0..=3)) => dimension,
                (0 | 1, _) => return Err(self.cursor.error(format!("an entity of {dimension} dimensions"))),
                (other, _) => return Err(self.cursor.error(format!("{other} instead of 0 or 1 (parametric)"))),
            };
            let count = self.size("the number of nodes of a block")?;
            for _ in 0..count {
                let tag = self.long("a node tag")?;
                self.tags.push(tag);
            }
            for _ in 0..count {
                let position = self.position()?;
                self.cursor.skip(self.encoding, parameters, 8, "a parametric coordinate")?;
                self.positions.push(position);
            }
        }
        self.kept(promised, self.positions.len() - before, "nodes")
    }

    /// Returns the dimension of an element type and its number of nodes.
    fn shape(&self, kind: i64) -> Result<(i64, usize), MeshError> {
        if CURVED_TETRAHEDRA.contains(&kind) {
            return Err(self.cursor.error(format!(
                "tetrahedra of higher order (element type {kind}) are not read: mesh with order 1 (gmsh -order 1)"
            )));
        }
        let shape = match kind {
            92 => Some(&(3, 64)),
            93 => Some(&(3, 125)),
            _ => kind.checked_sub(1).and_then(|k| usize::try_from(k).ok()).and_then(|k| SHAPES.get(k)),
        };
        shape.copied().ok_or_else(|| self.cursor.error(format!("element type {kind} is not known")))
    }

    fn elements_2(&mut self) -> Result<(), MeshError> {
        let promised = self.cursor.count(Encoding::Text, 0, "the number of elements")?;
        self.cursor.numbers_follow(self.encoding)?;
        let mut read = 0;
        while read < promised {
            // In text every element gives its type. In binary a block of them does.
            let mut number = if self.encoding == Encoding::Text { self.int("an element number")? } else { 0 };
            let kind = self.int("an element type")?;
            let (dimension, nodes) = self.shape(kind)?;
            let count = match self.encoding {
                Encoding::Text => 1,
                _ => self.cursor.count(self.encoding, 4, "the number of elements of a block")?,
            };
            let tags = self.cursor.count(self.encoding, 4, "the number of tags")?;
            for _ in 0..count {
                if self.encoding != Encoding::Text {
                    number = self.int("an element number")?;
                }
                let label = if tags > 0 { self.int("a tag")? } else { 0 };
                self.cursor.skip(self.encoding, tags.saturating_sub(1), 4, "a tag")?;
                self.element(kind, number, (dimension, label), nodes, 4)?;
            }
            read += count;
        }
        self.kept(promised, read, "elements")
    }

    fn elements_4(&mut self) -> Result<(), MeshError> {
        self.cursor.numbers_follow(self.encoding)?;
        let blocks = self.size("the number of blocks of elements")?;
        let promised = self.size("the number of elements")?;
        self.long("the least element tag")?;
        self.long("the greatest element tag")?;
        let mut read = 0;
        for _ in 0..blocks {
            let dimension = self.int("the dimension of an entity")?;
            let entity = self.int("the tag of an entity")?;
            let kind = self.int("an element type")?;
            let (_, nodes) = self.shape(kind)?;
            let count = self.size("the number of elements of a block")?;
            for _ in 0..count {
                let number = self.long("an element tag")?;
                self.element(kind, number, (dimension, entity), nodes, 8)?;
            }
            read += count;
        }
        self.kept(promised, read, "elements")
    }

    /// Reads the node tags of an element.
    fn element(
        &mut self,
        kind: i64,
        number: i64,
        label: (i64, i64),
        nodes: usize,
        width: usize,
    ) -> Result<(), MeshError> {
        if label.0 == 3 && kind != TETRAHEDRON {
            return Err(self.cursor.error(format!(
                "element {number} is no tetrahedron but of type {kind} (hexahedra, prisms and pyramids are not read); \
                 mesh with tetrahedra only"
            )));
        }
        let members = self.members.entry(label).or_default();
        for _ in 0..nodes {
            members.push(self.cursor.integer(self.encoding, width, "a node of an element")?);
        }
        if let (TETRAHEDRON, Some(nodes)) = (kind, members.last_chunk()) {
            self.tets.push(Tetrahedron { number, label: label.1, nodes: *nodes });
        }
        Ok(())
    }

    fn kept(&self, promised: usize, read: usize, what: &str) -> Result<(), MeshError> {
        if promised == read {
            return Ok(());
        }
        Err(self.cursor.error(format!("{promised} {what} are promised, but the blocks hold {read}")))
    }

    /// Keeps the first copy of an element with several physical groups. Version 2.2 writes it once for each of them.
    fn keep_one_of_each(&mut self) {
        let tets = &self.tets;
        let mut order: Vec<usize> = (0..tets.len()).collect();
        order.sort_by_key(|t| tets[*t].nodes);
        let mut again = vec![false; tets.len()];
        for same in order.chunk_by(|s, t| tets[*s].nodes == tets[*t].nodes) {
            for t in &same[1..] {
                again[*t] = tets[*t].label != tets[same[0]].label;
            }
        }
        let mut again = again.into_iter();
        self.tets.retain(|_| again.next() != Some(true));
    }

    fn finish(mut self) -> Result<TetMesh, MeshError> {
        if self.positions.is_empty() {
            return Err(MeshError::new("no nodes (section $Nodes)"));
        }
        if self.positions.len() >= u32::MAX as usize || self.tets.len() >= u32::MAX as usize {
            return Err(MeshError::new("more than 4 billion nodes or elements"));
        }
        let mut by_tag: Vec<(i64, u32)> = self.tags.iter().copied().zip(0..).collect();
        by_tag.sort_unstable();
        if let Some(pair) = by_tag.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(MeshError::new(format!("two nodes have the tag {}", pair[0].0)));
        }
        let vertex = |tag: i64| by_tag.binary_search_by_key(&tag, |n| n.0).ok().map(|at| by_tag[at].1);
        if self.version == Version::V2 {
            self.keep_one_of_each();
        }
        let mut mesh = TetMesh { notes: std::mem::take(&mut self.notes), ..TetMesh::default() };
        for tet in &self.tets {
            let mut vertices = [0; 4];
            for (slot, tag) in vertices.iter_mut().zip(tet.nodes) {
                *slot = vertex(tag).ok_or_else(|| {
                    MeshError::new(format!("element {}: there is no node with the tag {tag}", tet.number))
                })?;
            }
            mesh.tets.push(vertices);
        }
        for (label, nodes) in self.members {
            let one = [label.1.unsigned_abs()];
            let groups = match self.version {
                Version::V2 => &one[..],
                Version::V4 => self.entities.get(&label).map_or(&[][..], Vec::as_slice),
            };
            for name in groups.iter().filter_map(|group| self.names.get(&(label.0, *group))) {
                let members = mesh.groups.entry(name.clone()).or_default();
                for tag in &nodes {
                    members.push(vertex(*tag).ok_or_else(|| {
                        MeshError::new(format!("physical group '{name}': there is no node with the tag {tag}"))
                    })?);
                }
            }
        }
        for members in mesh.groups.values_mut() {
            members.sort_unstable();
            members.dedup();
        }
        mesh.positions = self.positions;
        Ok(mesh)
    }
}

#[cfg(test)]
mod tests;
