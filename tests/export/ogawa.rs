//! Minimal reader of Alembic files, from the layout of the reference implementation.

use std::collections::BTreeMap;

pub struct Archive {
    bytes: Vec<u8>,
    /// Properties of each object by name.
    pub objects: BTreeMap<String, BTreeMap<String, Property>>,
    pub words: String,
    /// First time and interval of each time sampling.
    pub times: Vec<(f64, f64)>,
}

pub struct Property {
    pub meta: String,
    pub pod: u32,
    pub extent: u32,
    pub sampling: usize,
    /// References to the samples.
    samples: Vec<u64>,
}

const DATA: u64 = 1 << 63;

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// Reads an integer of `width` bytes.
fn take(bytes: &mut &[u8], width: usize) -> usize {
    let (own, rest) = bytes.split_at(width);
    *bytes = rest;
    own.iter().rev().fold(0, |n, b| n << 8 | usize::from(*b))
}

fn text(bytes: &mut &[u8], width: usize) -> String {
    let length = take(bytes, width);
    let (own, rest) = bytes.split_at(length);
    *bytes = rest;
    String::from_utf8(own.to_vec()).unwrap()
}

impl Archive {
    pub fn read(bytes: Vec<u8>) -> Archive {
        assert_eq!(&bytes[..8], b"Ogawa\xff\x00\x01");
        let mut archive = Archive { bytes, objects: BTreeMap::new(), words: String::new(), times: Vec::new() };
        let root = archive.group(number(&archive.bytes, 8));
        assert_eq!(root.len(), 6);
        assert_eq!(archive.data(root[0]), 0i32.to_le_bytes());
        archive.words = String::from_utf8(archive.data(root[3]).to_vec()).unwrap();
        let mut times = archive.data(root[4]);
        let mut found = Vec::new();
        while !times.is_empty() {
            let _most = take(&mut times, 4);
            let step = f64::from_bits(take(&mut times, 8) as u64);
            assert_eq!(take(&mut times, 4), 1);
            found.push((f64::from_bits(take(&mut times, 8) as u64), step));
        }
        archive.times = found;
        let mut objects = BTreeMap::new();
        archive.children(root[2], "", "AbcGeom_PolyMesh_v1", &mut objects);
        archive.objects = objects;
        archive
    }

    /// Collects the children of an object. Face sets have the name of their mesh as a prefix.
    fn children(&self, at: u64, above: &str, schema: &str, all: &mut BTreeMap<String, BTreeMap<String, Property>>) {
        let top = self.group(at);
        let headers = self.data(top[top.len() - 1]);
        let mut headers = &headers[..headers.len() - 32];
        for reference in &top[1..top.len() - 1] {
            let name = format!("{above}{}", text(&mut headers, 4));
            assert_eq!(take(&mut headers, 1), 0xff);
            assert!(text(&mut headers, 4).contains(&format!("schema={schema}")));
            let object = self.group(*reference);
            let mut own = BTreeMap::new();
            self.compound(&self.group(object[0]), "", &mut own);
            self.children(*reference, &format!("{name}/"), "AbcGeom_FaceSet_v1", all);
            all.insert(name, own);
        }
        assert!(headers.is_empty());
    }

    fn group(&self, at: u64) -> Vec<u64> {
        assert!(at & DATA == 0);
        let at = at as usize;
        (0..number(&self.bytes, at) as usize).map(|k| number(&self.bytes, at + 8 + 8 * k)).collect()
    }

    fn data(&self, at: u64) -> &[u8] {
        assert!(at & DATA != 0);
        let at = (at & !DATA) as usize;
        if at == 0 { &[] } else { &self.bytes[at + 8..][..number(&self.bytes, at) as usize] }
    }

    /// Collects the properties of a compound. Properties of inner compounds have its name as a prefix.
    fn compound(&self, group: &[u64], above: &str, all: &mut BTreeMap<String, Property>) {
        let (headers, children) = group.split_last().unwrap();
        let mut headers = self.data(*headers);
        for child in children {
            let info = take(&mut headers, 4) as u32;
            let width = 1 << (info >> 2 & 3);
            let inner = info & 3 == 0;
            let samples = if inner { 0 } else { take(&mut headers, width) };
            let sampling = if info & 0x100 != 0 { take(&mut headers, width) } else { 0 };
            let name = format!("{above}{}", text(&mut headers, width));
            let meta = if info >> 20 & 0xff == 0xff { text(&mut headers, width) } else { String::new() };
            let references = self.group(*child);
            if inner {
                self.compound(&references, &format!("{name}/"), all);
                continue;
            }
            // An array has its dimensions after each sample.
            let each = if info & 3 == 1 { 1 } else { 2 };
            assert_eq!(references.len(), samples * each);
            assert_eq!(info & 0x800 != 0, samples == 1);
            let samples = references.into_iter().step_by(each).collect();
            let property = Property { meta, pod: info >> 4 & 15, extent: info >> 12 & 0xff, sampling, samples };
            all.insert(name, property);
        }
        assert!(headers.is_empty());
    }

    /// Returns the samples of a property, each without its key.
    pub fn samples(&self, object: &str, property: &str) -> Vec<&[u8]> {
        self.objects[object][property].samples.iter().map(|s| &self.data(*s)[16..]).collect()
    }
}
