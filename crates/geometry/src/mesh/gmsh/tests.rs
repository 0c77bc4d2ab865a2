use super::*;

/// Writer of text and numbers in any encoding.
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

const TRIANGLE: [i32; 3] = [900, 4, 12];
const TETS: [[i32; 4]; 2] = [[7, 3, 900, 4], [12, 3, 4, 900]];
const QUADRANGLE: [i32; 4] = [7, 3, 900, 12];

/// Writes nodes and elements as version 2 does.
fn put_v2(out: &mut Out) {
    out.text("$Nodes\n5\n");
    for (tag, point) in TAGS.iter().zip(POINTS) {
        out.ints(&[*tag]);
        out.reals(&point);
    }
    out.text("\n$EndNodes\n$Elements\n5\n");
    if out.1 == Encoding::Text {
        out.ints(&[1, 2, 3, 6, 1, 99, 900, 4, 12]);
        out.ints(&[2, 4, 2, 8, 1, 7, 3, 900, 4, 3, 4, 2, 5, 1, 7, 3, 900, 4, 4, 4, 2, 8, 1, 12, 3, 4, 900]);
        out.ints(&[5, 3, 0, 7, 3, 900, 12]);
    } else {
        out.ints(&[2, 1, 3, 1, 6, 1, 99]);
        out.ints(&TRIANGLE);
        out.ints(&[4, 3, 2, 2, 8, 1, 7, 3, 900, 4, 3, 5, 1, 7, 3, 900, 4, 4, 8, 1, 12, 3, 4, 900]);
        out.ints(&[3, 1, 0, 5]);
        out.ints(&QUADRANGLE);
    }
}

/// Writes entities, nodes and elements as version 4 does.
fn put_v4(out: &mut Out) {
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
        [([2, -3, 2], &[&TRIANGLE[..]][..]), ([3, 1, 4], &[&TETS[0], &TETS[1]]), ([2, 2, 3], &[&QUADRANGLE])]
    {
        out.ints(&entity);
        out.longs(&[elements.len() as i64]);
        for element in elements {
            out.longs(&[5]);
            element.iter().for_each(|tag| out.longs(&[i64::from(*tag)]));
        }
    }
}

/// Encodes two tetrahedra, the second one with another node, and a triangle and a quadrangle that are ignored as
/// elements. Adds unknown sections, one of them with bytes that resemble other content.
fn encoded(version: Version, encoding: Encoding) -> Vec<u8> {
    let mut out = Out(Vec::new(), encoding);
    let number = if version == Version::V2 { "2.2" } else { "4.1" };
    out.text(&format!("$MeshFormat\n{number} {} 8\n", u8::from(encoding != Encoding::Text)));
    if encoding != Encoding::Text {
        out.ints(&[1]);
        out.text("\n");
    }
    out.text("$EndMeshFormat\n$Comments\n$Nodes\n1\n$EndComments\n$PhysicalNames\n2\n2 6 \"the skin\"\n3 8 \"foam\"\n$EndPhysicalNames\n");
    match version {
        Version::V2 => put_v2(&mut out),
        Version::V4 => put_v4(&mut out),
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
            let mesh = read(&encoded(version, encoding)).unwrap_or_else(|e| panic!("{version:?} {encoding:?}: {e}"));
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
    // In one group it is a duplicate. Duplicates are faults and stay.
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
        let reported = read(text.as_bytes()).unwrap_err().to_string();
        assert!(reported.starts_with(message), "{text}: {reported}");
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
        (
            format!("{nodes}$Elements\n2 2 1 2\n3 1 4 1\n1 1 2 3 4\n3 1 7 1\n2 1 2 3 4 1\n"),
            "15:2: element 2 is no tetrahedron but of type 7 (hexahedra, prisms and pyramids are not read)",
        ),
        (format!("{nodes}$Elements\n1 1 1 1\n3 1 34 1\n"), "12:7: element type 34 is not known"),
        (format!("{nodes}$Elements\n1 1 1 1\n3 1 0 1\n"), "12:6: element type 0 is not known"),
        ("$Entities\n1 0 0 0\n1 0 0 0 65 1\n".into(), "6:11: an entity of 65 physical groups, more than 64"),
    ];
    for (text, message) in cases {
        let reported =
            read(format!("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n{text}").as_bytes()).unwrap_err().to_string();
        assert!(reported.starts_with(message), "{text}: {reported}");
    }
}

#[test]
fn groups_of_a_partition_are_told_to_be_lost() {
    let text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PartitionedEntities\n1\n$EndPartitionedEntities\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n\
        3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1\n1 4 0 1 2 4 3\n$EndElements\n";
    let mesh = read(text.as_bytes()).unwrap();
    assert!(mesh.notes[0].to_string().starts_with("4:1: the mesh is partitioned"), "{:?}", mesh.notes);
    // Comments and blank lines may come first.
    assert!(read(format!("\n$Comments\nby hand\n$EndComments\n{text}").as_bytes()).is_ok());
}
