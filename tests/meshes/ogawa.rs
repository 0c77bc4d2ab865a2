//! Writer of small Alembic files, from the layout of the reference implementation.

/// Object of a file.
pub struct Object {
    pub name: &'static str,
    pub words: &'static str,
    pub properties: Vec<(&'static str, Property)>,
    pub children: Vec<Object>,
}

pub enum Property {
    Within(Vec<(&'static str, Property)>),
    /// Number of the type, whether each sample is an array, index of the clock, and the samples.
    Samples(u32, bool, u32, Vec<Vec<u8>>),
}

pub fn reals(clock: u32, samples: &[&[f32]]) -> Property {
    Property::Samples(
        10,
        true,
        clock,
        samples.iter().map(|s| s.iter().flat_map(|x| x.to_le_bytes()).collect()).collect(),
    )
}

pub fn ints(samples: &[&[i32]]) -> Property {
    Property::Samples(6, true, 0, samples.iter().map(|s| s.iter().flat_map(|x| x.to_le_bytes()).collect()).collect())
}

/// Returns a mesh with these samples of points and one face of all of them.
pub fn mesh(name: &'static str, clock: u32, points: &[&[f32]]) -> Object {
    let count = points.first().map_or(0, |points| points.len() / 3) as i32;
    let corners: Vec<i32> = (0..count).collect();
    let faces = [[count]];
    let (counts, corners) = if count == 0 { (ints(&[]), ints(&[])) } else { (ints(&[&faces[0]]), ints(&[&corners])) };
    let within = vec![("P", reals(clock, points)), (".faceCounts", counts), (".faceIndices", corners)];
    let properties = vec![(".geom", Property::Within(within))];
    Object { name, words: "schema=AbcGeom_PolyMesh_v1", properties, children: Vec::new() }
}

/// Returns a transform with samples of a translation, relative to its parent or not.
pub fn shift(name: &'static str, clock: u32, places: &[[f64; 3]], inherits: bool, children: Vec<Object>) -> Object {
    let bytes = |place: &[f64; 3]| place.iter().flat_map(|x| x.to_le_bytes()).collect();
    let values = Property::Samples(11, false, clock, places.iter().map(bytes).collect());
    let ops = Property::Samples(1, false, 0, vec![vec![1 << 4]]);
    let own = Property::Samples(0, false, 0, vec![vec![u8::from(inherits)]]);
    let within = vec![(".inherits", own), (".ops", ops), (".vals", values)];
    Object { name, words: "schema=AbcGeom_Xform_v3", properties: vec![(".xform", Property::Within(within))], children }
}

/// Returns an object that stands for the one at a path.
pub fn instance(name: &'static str, path: &str) -> Object {
    let source = Property::Samples(12, false, 0, vec![[path.as_bytes(), b"\0"].concat()]);
    Object { name, words: "", properties: vec![(".instanceSource", source)], children: Vec::new() }
}

/// Writes a file with these objects at its top. Each clock has a period and the times in it [s].
pub fn file(clocks: &[(f64, &[f64])], objects: Vec<Object>) -> Vec<u8> {
    let mut file = File(b"Ogawa\xff\0\x01".to_vec());
    file.0.extend([0; 8]);
    let top = file.object(Object { name: "ABC", words: "", properties: Vec::new(), children: objects });
    let mut times = Vec::new();
    for (cycle, own) in clocks {
        times.extend(1u32.to_le_bytes());
        times.extend(cycle.to_le_bytes());
        times.extend((own.len() as u32).to_le_bytes());
        own.iter().for_each(|time| times.extend(time.to_le_bytes()));
    }
    let [version, times, none] = [&0i32.to_le_bytes()[..], &times, &[]].map(|bytes| file.data(bytes));
    let root = file.group(&[version, version, top, none, times, none]);
    file.0[8..16].copy_from_slice(&root.to_le_bytes());
    file.0
}

struct File(Vec<u8>);

impl File {
    fn data(&mut self, bytes: &[u8]) -> u64 {
        let at = self.0.len() as u64;
        self.0.extend((bytes.len() as u64).to_le_bytes());
        self.0.extend(bytes);
        at | 1 << 63
    }

    fn group(&mut self, children: &[u64]) -> u64 {
        let at = self.0.len() as u64;
        self.0.extend((children.len() as u64).to_le_bytes());
        children.iter().for_each(|child| self.0.extend(child.to_le_bytes()));
        at
    }

    fn object(&mut self, object: Object) -> u64 {
        let mut all = vec![self.within(object.properties)];
        let mut headers = Vec::new();
        for child in object.children {
            text(&mut headers, child.name);
            headers.push(0xff);
            text(&mut headers, child.words);
            all.push(self.object(child));
        }
        headers.extend([0; 32]);
        all.push(self.data(&headers));
        self.group(&all)
    }

    fn within(&mut self, properties: Vec<(&'static str, Property)>) -> u64 {
        let (mut all, mut headers) = (Vec::new(), Vec::new());
        for (name, property) in properties {
            // Sizes take four bytes; metadata stand inline.
            let info: u32 = 2 << 2 | 0xff << 20;
            match property {
                Property::Within(own) => {
                    headers.extend(info.to_le_bytes());
                    all.push(self.within(own));
                }
                Property::Samples(pod, array, clock, samples) => {
                    let kind = if array { 2 } else { 1 } | pod << 4 | 0x100 | 1 << 12;
                    headers.extend((info | kind).to_le_bytes());
                    headers.extend((samples.len() as u32).to_le_bytes());
                    headers.extend(clock.to_le_bytes());
                    let mut own = Vec::new();
                    for sample in samples {
                        own.push(self.data(&[&[0; 16], &sample[..]].concat()));
                        own.extend(array.then(|| self.data(&[])));
                    }
                    all.push(self.group(&own));
                }
            }
            text(&mut headers, name);
            text(&mut headers, "");
        }
        all.push(self.data(&headers));
        self.group(&all)
    }
}

fn text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
}
