//! Ogawa, the container of Alembic files, and the objects and properties of Alembic in it. A file consists of groups
//! and data blocks, each written before any reference to it. Layout as in the reference implementation,
//! `lib/Alembic/Ogawa` and `lib/Alembic/AbcCoreOgawa` of <https://github.com/alembic/alembic>.

use crate::sequence::disk::{DiskError, Draft};
use std::path::Path;

/// Bit of a reference that distinguishes data from groups.
const DATA: u64 = 1 << 63;

/// An Ogawa file that is being written.
pub(super) struct Ogawa {
    file: Draft,
}

impl Ogawa {
    /// Starts a file.
    ///
    /// # Errors
    /// The disk refuses.
    pub(super) fn new(path: &Path) -> Result<Ogawa, DiskError> {
        let mut file = Draft::new(path)?;
        // Not frozen, version 1, offset of the root group. The frozen flag and the offset are patched at the end.
        file.put(b"Ogawa\x00\x00\x01\0\0\0\0\0\0\0\0")?;
        Ok(Ogawa { file })
    }

    /// Writes data, in pieces. Returns its reference.
    pub(super) fn data(&mut self, pieces: &[&[u8]]) -> Result<u64, DiskError> {
        let length: usize = pieces.iter().map(|p| p.len()).sum();
        if length == 0 {
            return Ok(DATA);
        }
        let at = self.file.length();
        self.file.put(&(length as u64).to_le_bytes())?;
        for piece in pieces {
            self.file.put(piece)?;
        }
        Ok(at | DATA)
    }

    /// Writes a group. Returns its reference.
    pub(super) fn group(&mut self, children: &[u64]) -> Result<u64, DiskError> {
        if children.is_empty() {
            return Ok(0);
        }
        let at = self.file.length();
        let mut bytes = (children.len() as u64).to_le_bytes().to_vec();
        bytes.extend(children.iter().flat_map(|c| c.to_le_bytes()));
        self.file.put(&bytes)?;
        Ok(at)
    }

    /// Publishes the file.
    ///
    /// # Errors
    /// The disk refuses.
    pub(super) fn finish(mut self, root: u64) -> Result<(), DiskError> {
        self.file.patch(8, &root.to_le_bytes())?;
        self.file.patch(5, &[0xff])?;
        self.file.publish()
    }
}

/// Type of numbers (plain old data).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pod {
    Bool = 0,
    U8 = 1,
    I8 = 2,
    I32 = 6,
    F32 = 10,
    F64 = 11,
    Text = 12,
}

impl Pod {
    fn size(self) -> usize {
        match self {
            Pod::Bool | Pod::U8 | Pod::I8 | Pod::Text => 1,
            Pod::I32 | Pod::F32 => 4,
            Pod::F64 => 8,
        }
    }
}

/// A property with samples.
pub(super) struct Property {
    name: String,
    meta: &'static str,
    array: bool,
    pod: Pod,
    /// Numbers per value.
    extent: u32,
    /// Index of the time sampling.
    times: u32,
    samples: Vec<u64>,
    count: u32,
    /// Number of values of the first sample, and whether all samples have as many.
    values: usize,
    alike: bool,
}

impl Property {
    /// Creates an array property. `times` is 0 for a single sample.
    pub(super) fn array(name: &str, pod: Pod, extent: u32, meta: &'static str, times: u32) -> Property {
        let (samples, name) = (Vec::new(), name.to_string());
        Property { name, meta, array: true, pod, extent, times, samples, count: 0, values: 0, alike: true }
    }

    /// Creates a scalar property.
    pub(super) fn scalar(name: &str, pod: Pod, extent: u32, meta: &'static str, times: u32) -> Property {
        Property { array: false, ..Property::array(name, pod, extent, meta, times) }
    }

    /// Adds a sample.
    pub(super) fn add(&mut self, file: &mut Ogawa, bytes: &[u8]) -> Result<(), DiskError> {
        let reference = if bytes.is_empty() { DATA } else { file.data(&[&key(bytes), bytes])? };
        self.samples.push(reference);
        if self.array {
            // Empty dimensions mean an array of rank 1.
            self.samples.push(DATA);
        }
        let values = bytes.len() / self.pod.size() / self.extent as usize;
        if self.count == 0 {
            self.values = values;
        }
        self.alike &= values == self.values;
        self.count += 1;
        Ok(())
    }

    /// Returns a scalar property of the same name with the first sample alone.
    pub(super) fn first(&self) -> Property {
        let samples = self.samples.iter().take(1).copied().collect();
        Property {
            samples,
            count: self.count.min(1),
            ..Property::scalar(&self.name, self.pod, self.extent, self.meta, 0)
        }
    }

    /// Returns the number of samples.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    fn header(&self) -> Vec<u8> {
        let mut info = if self.array { 2 } else { 1 } | (self.pod as u32) << 4 | self.extent << 12;
        info |= u32::from(self.array && self.values == 1 && self.alike);
        info |= if self.times > 0 { 0x100 } else { 0 };
        info |= if self.count == 1 { 0x800 } else { 0 };
        info |= if self.alike { 0x400 } else { 0 };
        let size = Size::of([self.meta.len(), self.name.len(), self.count as usize]);
        let mut out = (info | size.code() << 2 | meta_code(self.meta)).to_le_bytes().to_vec();
        size.put(self.count as usize, &mut out);
        if self.times > 0 {
            size.put(self.times as usize, &mut out);
        }
        size.text(&self.name, &mut out);
        if !self.meta.is_empty() {
            size.text(self.meta, &mut out);
        }
        out
    }
}

/// A compound property.
pub(super) struct Compound {
    name: &'static str,
    meta: &'static str,
    properties: Vec<Property>,
    compounds: Vec<Compound>,
}

impl Compound {
    /// Creates a compound property from properties and, after them, compounds.
    pub(super) fn new(
        name: &'static str,
        meta: &'static str,
        properties: Vec<Property>,
        compounds: Vec<Compound>,
    ) -> Compound {
        Compound { name, meta, properties, compounds }
    }

    fn header(&self) -> Vec<u8> {
        let size = Size::of([self.meta.len(), self.name.len(), 0]);
        let mut out = (size.code() << 2 | meta_code(self.meta)).to_le_bytes().to_vec();
        size.text(self.name, &mut out);
        if !self.meta.is_empty() {
            size.text(self.meta, &mut out);
        }
        out
    }

    fn write(&self, file: &mut Ogawa) -> Result<u64, DiskError> {
        let (mut references, mut headers) = (Vec::new(), Vec::new());
        for property in &self.properties {
            references.push(file.group(&property.samples)?);
            headers.extend(property.header());
        }
        for compound in &self.compounds {
            references.push(compound.write(file)?);
            headers.extend(compound.header());
        }
        if references.is_empty() {
            return Ok(0);
        }
        references.push(file.data(&[&headers])?);
        file.group(&references)
    }
}

/// An object with its properties and children.
pub(super) struct Object {
    /// Name.
    pub name: String,
    /// Metadata.
    pub meta: &'static str,
    /// Properties.
    pub properties: Compound,
    /// Children.
    pub children: Vec<Object>,
}

impl Object {
    /// Writes the object. Returns its reference.
    pub(super) fn write(&self, file: &mut Ogawa) -> Result<u64, DiskError> {
        let mut references = vec![self.properties.write(file)?];
        let mut headers = Vec::new();
        for child in &self.children {
            references.push(child.write(file)?);
            headers.extend((child.name.len() as u32).to_le_bytes());
            headers.extend(child.name.as_bytes());
            if child.meta.is_empty() {
                headers.push(0);
            } else {
                headers.push(0xff);
                headers.extend((child.meta.len() as u32).to_le_bytes());
                headers.extend(child.meta.as_bytes());
            }
        }
        // Hashes of properties and of children, which no reader needs.
        headers.extend([0; 32]);
        references.push(file.data(&[&headers])?);
        file.group(&references)
    }
}

/// Width of the numbers in a header, as the exponent of 2 of their bytes.
#[derive(Clone, Copy)]
struct Size(u32);

impl Size {
    fn of(all: [usize; 3]) -> Size {
        let largest = all.into_iter().max().unwrap_or(0);
        Size(u32::from(largest >= 1 << 8) + u32::from(largest >= 1 << 16))
    }

    fn code(self) -> u32 {
        self.0
    }

    fn put(self, number: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(&(number as u32).to_le_bytes()[..1 << self.0]);
    }

    fn text(self, text: &str, out: &mut Vec<u8>) {
        self.put(text.len(), out);
        out.extend_from_slice(text.as_bytes());
    }
}

/// Returns the header bits that say whether inline metadata follows.
fn meta_code(meta: &str) -> u32 {
    if meta.is_empty() { 0 } else { 0xff << 20 }
}

/// Computes the key before each sample. Equal bytes have equal keys.
fn key(bytes: &[u8]) -> [u8; 16] {
    let (mut a, mut b) = (0xcbf2_9ce4_8422_2325u64, 0x9e37_79b9_7f4a_7c15u64 ^ bytes.len() as u64);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        let word = u64::from_le_bytes(word);
        a = (a ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
        b = (b.rotate_left(31) ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
    }
    let mut out = [0; 16];
    out[..8].copy_from_slice(&a.to_le_bytes());
    out[8..].copy_from_slice(&b.to_le_bytes());
    out
}
