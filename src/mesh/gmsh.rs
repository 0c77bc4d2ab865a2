//! Gmsh `.msh` of versions 2.2 and 4.1 in, text and binary (either byte order).
//!
//! Read: all nodes in file order, whatever their tags; the 4-node tetrahedra; and every named physical group as the set of
//! vertices of its elements, points, lines and surfaces included (groups of one name in several dimensions are one).
//! Passed over: other elements, other sections, parametric coordinates, the entities of a partition.
//!
//! Tetrahedra of second and higher order are refused: their corners alone would be another body where the sides are
//! curved, and their other nodes would belong to nothing.

use crate::linalg::Vec3;
use crate::mesh::cursor::{Cursor, Encoding};
use crate::mesh::{MeshError, TetMesh};
use std::collections::BTreeMap;

/// Most physical groups that one entity may belong to.
const GROUPS_LIMIT: usize = 64;
/// Dimension and number of nodes of the element types 1 to 31.
#[rustfmt::skip]
const SHAPES: [(i64, usize); 31] = [
    (1, 2), (2, 3), (2, 4), (3, 4), (3, 8), (3, 6), (3, 5), (1, 3), (2, 6), (2, 9), (3, 10), (3, 27), (3, 18), (3, 14),
    (0, 1), (2, 8), (3, 20), (3, 15), (3, 13), (2, 9), (2, 10), (2, 12), (2, 15), (2, 15), (2, 21), (1, 4), (1, 5),
    (1, 6), (3, 20), (3, 35), (3, 56),
];
/// The element type that is read, and those of its kind that are not.
const TETRAHEDRON: i64 = 4;
const CURVED_TETRAHEDRA: [i64; 4] = [11, 29, 30, 31];

/// Reads a Gmsh file.
///
/// # Errors
/// Another version, a file that is cut short or promises what does not follow, numbers that are none or not finite, node
/// tags used twice or not at all, tetrahedra of higher order; with line and column as long as nothing binary came before.
pub fn read(bytes: &[u8]) -> Result<TetMesh, MeshError> {
    let mut reader = Reader::new(bytes)?;
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
                reader.cursor.rest_of_line();
                reader.cursor.pass(&format!("$End{name}"))?;
                continue;
            }
        }
        let end = reader.cursor.word(&format!("$End{name}"))?;
        if end.name() != format!("$End{name}") {
            return Err(end.error(format!("'{}' where $End{name} should stand", end.shown())));
        }
    }
    reader.finish()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    V2,
    V4,
}

/// A tetrahedron in node tags; the label is its physical group in version 2.2, its entity in 4.1.
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
    /// The tag of each node, in file order.
    tags: Vec<i64>,
    tets: Vec<Tetrahedron>,
    /// Name of a physical group by dimension and tag.
    names: BTreeMap<(i64, u64), String>,
    /// Physical groups of an entity, by dimension and tag (version 4.1).
    entities: BTreeMap<(i64, i64), Vec<u64>>,
    /// Nodes of the elements of each dimension and label.
    members: BTreeMap<(i64, i64), Vec<i64>>,
}

impl<'a> Reader<'a> {
    /// Reads the section `$MeshFormat`.
    fn new(bytes: &'a [u8]) -> Result<Self, MeshError> {
        let mut cursor = Cursor::new(bytes);
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
        cursor.rest_of_line();
        cursor.pass("$EndMeshFormat")?;
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
        })
    }

    fn int(&mut self, expected: &str) -> Result<i64, MeshError> {
        self.cursor.integer(self.encoding, 4, expected)
    }

    /// A whole number that takes 8 bytes in version 4.1.
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

    /// `$PhysicalNames`, text in every file: dimension, tag and quoted name of each.
    fn physical_names(&mut self) -> Result<(), MeshError> {
        let count = self.cursor.count(Encoding::Text, 0, "the number of physical names")?;
        for _ in 0..count {
            let dimension = self.cursor.word("the dimension of a physical name")?.integer()?;
            let tag = self.cursor.word("the tag of a physical name")?.integer()?;
            let rest = self.cursor.rest_of_line();
            let name = rest.text.trim_ascii().strip_prefix(b"\"").and_then(|n| n.strip_suffix(b"\""));
            let Some(name) = name else { return Err(rest.error("a physical name should stand here in quotes")) };
            self.names.insert((dimension, tag.unsigned_abs()), String::from_utf8_lossy(name).into_owned());
        }
        Ok(())
    }

    /// `$Entities` of version 4.1: which physical groups each point, curve, surface and volume belongs to.
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
                    // The sign tells the direction.
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

    /// The dimension of an element type and its number of nodes.
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
            // In text every element tells its type, in binary a block of them does.
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

    /// Version 2.2 writes an element once for each of its physical groups: the first of them is kept.
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
        let mut mesh = TetMesh::default();
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
mod tests {
    use super::*;

    /// Words and numbers in any encoding.
    struct Out(Vec<u8>, Encoding);

    impl Out {
        fn text(&mut self, text: &str) {
            self.0.extend_from_slice(text.as_bytes());
        }

        fn put(&mut self, number: impl ToString, big_endian: &[u8]) {
            match self.1 {
                Encoding::Text => self.text(&(number.to_string() + " ")),
                Encoding::Big => self.0.extend_from_slice(big_endian),
                Encoding::Little => self.0.extend(big_endian.iter().rev()),
            }
        }

        fn ints(&mut self, numbers: &[i32]) {
            numbers.iter().for_each(|n| self.put(n, &n.to_be_bytes()));
        }

        fn longs(&mut self, numbers: &[i64]) {
            numbers.iter().for_each(|n| self.put(n, &n.to_be_bytes()));
        }

        fn reals(&mut self, numbers: &[f64]) {
            numbers.iter().for_each(|n| self.put(n, &n.to_be_bytes()));
        }
    }

    const TAGS: [i32; 5] = [7, 3, 900, 4, 12];
    const POINTS: [[f64; 3]; 5] =
        [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 1.0 / 3.0, 0.0], [0.0, 0.0, 0.25], [9.0, 9.0, 9.0]];

    /// Two tetrahedra, the second one through another node; a triangle and a prism that are passed over; sections that are
    /// not known, one of them full of bytes that look like something else.
    fn encoded(version: Version, encoding: Encoding) -> Vec<u8> {
        let mut out = Out(Vec::new(), encoding);
        let number = if version == Version::V2 { "2.2" } else { "4.1" };
        out.text(&format!("$MeshFormat\n{number} {} 8\n", u8::from(encoding != Encoding::Text)));
        if encoding != Encoding::Text {
            out.ints(&[1]);
            out.text("\n");
        }
        out.text("$EndMeshFormat\n$Comments\n$Nodes\n1\n$EndComments\n$PhysicalNames\n2\n2 6 \"the skin\"\n3 8 \"foam\"\n$EndPhysicalNames\n");
        let triangle = [900, 4, 12];
        let tets = [[7, 3, 900, 4], [12, 3, 4, 900]];
        let prism = [7, 3, 900, 4, 12, 7];
        if version == Version::V2 {
            out.text("$Nodes\n5\n");
            for (tag, point) in TAGS.iter().zip(POINTS) {
                out.ints(&[*tag]);
                out.reals(&point);
            }
            out.text("\n$EndNodes\n$Elements\n5\n");
            if encoding == Encoding::Text {
                out.ints(&[1, 2, 3, 6, 1, 99, 900, 4, 12]);
                out.ints(&[2, 4, 2, 8, 1, 7, 3, 900, 4, 3, 4, 2, 5, 1, 7, 3, 900, 4, 4, 4, 2, 8, 1, 12, 3, 4, 900]);
                out.ints(&[5, 6, 0, 7, 3, 900, 4, 12, 7]);
            } else {
                out.ints(&[2, 1, 3, 1, 6, 1, 99]);
                out.ints(&triangle);
                out.ints(&[4, 3, 2, 2, 8, 1, 7, 3, 900, 4, 3, 5, 1, 7, 3, 900, 4, 4, 8, 1, 12, 3, 4, 900]);
                out.ints(&[6, 1, 0, 5]);
                out.ints(&prism);
            }
        } else {
            out.text("$Entities\n");
            out.longs(&[1, 0, 1, 2]);
            out.ints(&[1]);
            out.reals(&[0.0; 3]);
            out.longs(&[0]);
            for (tag, groups) in [(-3, &[-6][..]), (1, &[5, 8]), (2, &[])] {
                out.ints(&[tag]);
                out.reals(&[0.0; 6]);
                out.longs(&[groups.len() as i64]);
                out.ints(groups);
                out.longs(&[2]);
                out.ints(&[1, -2]);
            }
            out.text("\n$EndEntities\n$Nodes\n");
            out.longs(&[2, 5, 3, 900]);
            for (entity, range) in [([2, -3, 1], 0..2), ([3, 1, 0], 2..5)] {
                out.ints(&entity);
                out.longs(&[range.len() as i64]);
                TAGS[range.clone()].iter().for_each(|t| out.longs(&[i64::from(*t)]));
                for point in &POINTS[range] {
                    out.reals(point);
                    out.reals(&[0.5, 0.5][..if entity[2] == 1 { 2 } else { 0 }]);
                }
            }
            out.text("\n$EndNodes\n$Elements\n");
            out.longs(&[3, 4, 1, 4]);
            for (entity, elements) in
                [([2, -3, 2], &[&triangle[..]][..]), ([3, 1, 4], &[&tets[0], &tets[1]]), ([3, 2, 6], &[&prism])]
            {
                out.ints(&entity);
                out.longs(&[elements.len() as i64]);
                for element in elements {
                    out.longs(&[5]);
                    element.iter().for_each(|tag| out.longs(&[i64::from(*tag)]));
                }
            }
        }
        out.text("\n$EndElements\n$NodeData\n1\n\"a view\"\n");
        out.reals(&[f64::NAN]);
        out.text("\n$EndNodeData\n");
        out.0
    }

    #[test]
    fn every_version_and_encoding_reads_the_same() {
        for version in [Version::V2, Version::V4] {
            for encoding in [Encoding::Text, Encoding::Little, Encoding::Big] {
                let mesh =
                    read(&encoded(version, encoding)).unwrap_or_else(|e| panic!("{version:?} {encoding:?}: {e}"));
                assert_eq!(mesh.positions, POINTS.map(Vec3::from));
                assert_eq!(mesh.tets, [[0, 1, 2, 3], [4, 1, 3, 2]], "{version:?} {encoding:?}");
                let groups = [("foam".to_string(), vec![0, 1, 2, 3, 4]), ("the skin".to_string(), vec![2, 3, 4])];
                assert_eq!(mesh.groups, BTreeMap::from(groups), "{version:?} {encoding:?}");
            }
        }
    }

    #[test]
    fn a_cut_or_broken_file_of_either_byte_order_does_not_panic() {
        for version in [Version::V2, Version::V4] {
            for encoding in [Encoding::Text, Encoding::Little, Encoding::Big] {
                let bytes = encoded(version, encoding);
                let mut broken = bytes.clone();
                for at in 0..bytes.len() {
                    let cut = read(&bytes[..at]);
                    assert!(cut.is_err() || cut.is_ok_and(|m| m.tets.is_empty() || m.tets.len() == 2));
                    for with in [0, 1, 0x20, 0x7f, 0x80, 0xff] {
                        broken[at] = with;
                        let _ = read(&broken);
                    }
                    broken[at] = bytes[at];
                }
            }
        }
    }

    #[test]
    fn an_element_of_several_groups_is_one() {
        let head = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n2\n";
        let read = |elements: &str| read(format!("{head}{elements}\n$EndElements\n").as_bytes()).unwrap().tets.len();
        assert_eq!(read("1 4 1 5 1 2 3 4 2 4 1 6 1 2 3 4"), 1);
        // In one group it is a duplicate, which is a fault and stays.
        assert_eq!(read("1 4 1 5 1 2 3 4 2 4 1 5 1 2 3 4"), 2);
        assert_eq!(read("1 4 1 5 1 2 3 4 2 4 1 6 2 1 3 4"), 2);
    }

    #[test]
    fn faults_are_told_with_their_place() {
        let cases = [
            ("", "this is no Gmsh file of version 2 or later: it does not begin with $MeshFormat"),
            ("$NOD\n1\n", "this is no Gmsh file"),
            ("$MeshFormat\n", "2:1: the file ends where the version should stand"),
            ("$MeshFormat\n4 0 8\n", "2:1: version '4' is not read; save it as 4.1 or 2.2"),
            ("$MeshFormat\n4.1 2 8\n", "2:5: the file type is '2', not 0 (text) or 1 (binary)"),
            ("$MeshFormat\n4.1 1 4\n", "2:7: a data size of '4' is not read, only 8 is"),
            ("$MeshFormat\n4.1 1 8\nabcd\n", "before byte 24: the mark of the byte order is 1633837924 instead of 1"),
            ("$MeshFormat\n4.1 0 8\n", "3:1: the file ends where $EndMeshFormat should stand"),
        ];
        for (text, message) in cases {
            let told = read(text.as_bytes()).unwrap_err().to_string();
            assert!(told.starts_with(message), "{text}: {told}");
        }
        let nodes = "$Nodes\n1 4 1 4\n3 1 0 4\n1 2 3 4\n0 0 0 1 0 0 0 1 0 0 0 1\n$EndNodes\n";
        let cases = [
            ("".to_string(), "no nodes (section $Nodes)"),
            ("Nodes\n".into(), "4:1: 'Nodes' where a section such as $Nodes should begin"),
            ("$Views\n1\n".into(), "6:1: the file ends where $EndViews should stand"),
            ("$ParametricNodes\n".into(), "4:1: parametric nodes are not read"),
            ("$PhysicalNames\n1\n3 1 foam\n".into(), "6:4: a physical name should stand here in quotes"),
            ("$Nodes\n1 -4 1 4\n".into(), "5:5: the number of nodes is -4, which is negative"),
            ("$Nodes\n1 4 1 x\n".into(), "5:7: 'x' is not a whole number"),
            ("$Nodes\n1 4 1 4\n3 1 2 4\n".into(), "6:6: 2 instead of 0 or 1 (parametric)"),
            ("$Nodes\n1 4 1 4\n4 1 1 4\n".into(), "6:6: an entity of 4 dimensions"),
            (nodes.replace("0 1 0 0 0 1", "0 1 0 0 0 nan"), "8:15: 'nan' is not a finite number"),
            (nodes.replace("1 4 1 4", "1 5 1 4"), "8:24: 5 nodes are promised, but the blocks hold 4"),
            (nodes.replace("$EndNodes", "$EndNode"), "9:1: '$EndNode' where $EndNodes should stand"),
            (nodes.replace("1 2 3 4", "1 2 3 2"), "two nodes have the tag 2"),
            (nodes.replace("1 0 4", "1 0 4000000000000"), "9:1: '$EndNodes' is not a whole number"),
            (
                format!("{nodes}$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 9\n$EndElements"),
                "element 1: there is no node with the tag 9",
            ),
            (
                format!("{nodes}$Elements\n1 2 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements"),
                "13:10: 2 elements are promised, but the blocks hold 1",
            ),
            (
                format!("{nodes}$Elements\n1 1 1 1\n3 1 11 1\n"),
                "12:7: tetrahedra of higher order (element type 11) are not read",
            ),
            (format!("{nodes}$Elements\n1 1 1 1\n3 1 34 1\n"), "12:7: element type 34 is not known"),
            (format!("{nodes}$Elements\n1 1 1 1\n3 1 0 1\n"), "12:6: element type 0 is not known"),
            ("$Entities\n1 0 0 0\n1 0 0 0 65 1\n".into(), "6:11: an entity of 65 physical groups, more than 64"),
        ];
        for (text, message) in cases {
            let told =
                read(format!("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n{text}").as_bytes()).unwrap_err().to_string();
            assert!(told.starts_with(message), "{text}: {told}");
        }
    }
}
