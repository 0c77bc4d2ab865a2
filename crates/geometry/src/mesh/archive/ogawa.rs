//! Reader of Ogawa, the container of Alembic files: groups, data, and headers of objects and properties. The layout
//! follows the reference implementation, `lib/Alembic/Ogawa` and `lib/Alembic/AbcCoreOgawa` of
//! <https://github.com/alembic/alembic>. Only requested data are read from the disk.

use super::samples::{Clock, Property};
use crate::mesh::MeshError;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Bit of a reference that distinguishes data from groups.
const DATA: u64 = 1 << 63;
/// Largest accepted number of samples of a property. No shot has so many.
const MOST: usize = 10_000_000;
/// Largest accepted nesting depth of objects and properties.
const DEEPEST: usize = 200;

/// Open Ogawa file.
pub(super) struct Ogawa {
    file: RefCell<File>,
    length: u64,
    /// Metadata of objects and properties, by index.
    words: Vec<String>,
    /// Time samplings, by index.
    pub clocks: Vec<Clock>,
    /// Reference of the top object.
    top: u64,
    /// Groups read since the top, and remaining bytes for groups and headers. Each group is in the file once.
    known: RefCell<(BTreeSet<u64>, u64)>,
}

/// Object of an Alembic file.
#[derive(Clone, Debug, Default)]
pub(super) struct Object {
    pub name: String,
    pub words: String,
    pub properties: BTreeMap<String, Property>,
    pub children: Vec<Object>,
}

fn cut_short() -> MeshError {
    MeshError::new("is not whole: it ends before what it refers to; was it closed by the program that wrote it?")
}

fn odd(what: &str) -> MeshError {
    MeshError::new(format!("is damaged: {what}"))
}

impl Ogawa {
    /// Opens a file.
    ///
    /// # Errors
    /// Fails if the file is missing, not Ogawa, or incomplete.
    pub(super) fn open(path: &Path) -> Result<Ogawa, MeshError> {
        let denied = |error: std::io::Error| MeshError::new(format!("cannot read it: {error}"));
        let mut file = File::open(path).map_err(denied)?;
        let length = file.seek(SeekFrom::End(0)).map_err(denied)?;
        let mut open = Ogawa {
            file: RefCell::new(file),
            length,
            words: vec![String::new()],
            clocks: Vec::new(),
            top: 0,
            known: RefCell::new((BTreeSet::new(), length)),
        };
        let head = open.bytes(0, length.min(16) as usize)?;
        if head.starts_with(b"\x89HDF") {
            return Err(MeshError::new("is an Alembic file of the old kind, HDF5; save it as Ogawa"));
        }
        if !head.starts_with(b"Ogawa") {
            return Err(MeshError::new("is no Alembic file"));
        }
        if head.len() < 16 || head[5] != 0xff {
            return Err(MeshError::new("is not whole: the program that wrote it did not close it"));
        }
        let root = open.group(number(&head, 8)?)?;
        let [_, _, top, _, clocks, words] =
            root[..].first_chunk::<6>().ok_or_else(|| odd("its root lacks children"))?;
        open.top = *top;
        let clocks = open.data(*clocks)?;
        open.clocks = read_clocks(&clocks)?;
        let words = open.data(*words)?;
        let mut at = 0;
        while at < words.len() {
            let size = usize::from(words[at]);
            open.words.push(text(&words, at + 1, size)?);
            at += 1 + size;
        }
        Ok(open)
    }

    /// Reads the top object with all its descendants.
    ///
    /// # Errors
    /// Fails if the file is incomplete or damaged.
    pub(super) fn top(&self) -> Result<Object, MeshError> {
        self.known.replace((BTreeSet::new(), self.length));
        self.object(self.top, "ABC".into(), String::new(), 0)
    }

    /// Reads the values of a sample.
    ///
    /// # Errors
    /// Fails if the values are missing or incomplete.
    pub(super) fn reals(&self, property: &Property, sample: usize) -> Result<Vec<f64>, MeshError> {
        let (size, bytes) = (size_of(property.pod), self.sample(property, sample)?);
        if bytes.len() % size != 0 {
            return Err(odd("a sample holds part of a value"));
        }
        let wide = |b: &[u8]| -> [u8; 8] { std::array::from_fn(|k| b.get(k).copied().unwrap_or_default()) };
        let four = |b: &[u8]| -> [u8; 4] { std::array::from_fn(|k| b.get(k).copied().unwrap_or_default()) };
        Ok(bytes
            .chunks_exact(size)
            .map(|b| match property.pod {
                10 => f64::from(f32::from_le_bytes(four(b))),
                11 => f64::from_le_bytes(wide(b)),
                2 => f64::from(b[0] as i8),
                4 => f64::from(i16::from_le_bytes([b[0], b[1]])),
                6 => f64::from(i32::from_le_bytes(four(b))),
                8 => i64::from_le_bytes(wide(b)) as f64,
                _ => u64::from_le_bytes(wide(b)) as f64,
            })
            .collect())
    }

    /// Reads the values of a sample as integers.
    ///
    /// # Errors
    /// Fails as [`reals`](Ogawa::reals) does.
    pub(super) fn ints(&self, property: &Property, sample: usize) -> Result<Vec<i32>, MeshError> {
        Ok(self.reals(property, sample)?.into_iter().map(|x| x as i32).collect())
    }

    /// Reads the first sample of a text.
    ///
    /// # Errors
    /// Fails as [`reals`](Ogawa::reals) does.
    pub(super) fn text(&self, property: &Property) -> Result<String, MeshError> {
        Ok(String::from_utf8_lossy(&self.sample(property, 0)?).trim_end_matches('\0').to_string())
    }

    fn sample(&self, property: &Property, sample: usize) -> Result<Vec<u8>, MeshError> {
        let place = property.place(sample) * if property.array { 2 } else { 1 };
        let reference = *property.samples.get(place).ok_or_else(|| odd("a sample that is counted is not there"))?;
        let mut bytes = self.data(reference)?;
        // A key precedes each sample.
        Ok(if bytes.len() >= 16 { bytes.split_off(16) } else { Vec::new() })
    }

    fn object(&self, reference: u64, name: String, words: String, depth: usize) -> Result<Object, MeshError> {
        let children = self.group(reference)?;
        let [properties, objects @ .., headers] = &children[..] else {
            return Ok(Object { name, words, ..Object::default() });
        };
        if depth > DEEPEST {
            return Err(odd("an object is in itself"));
        }
        let headers = self.headers(*headers)?;
        let end = headers.len().saturating_sub(32);
        let (mut at, mut below) = (0, Vec::new());
        while at < end {
            let size = small(&headers, at)?;
            let name = text(&headers, at + 4, size)?;
            at += 4 + size;
            let (words, next) = self.words_of(&headers, at, |at| Ok((small(&headers, at)?, at + 4)))?;
            let child = *objects.get(below.len()).ok_or_else(|| odd("an object that is named is not there"))?;
            below.push(self.object(child, name, words, depth + 1)?);
            at = next;
        }
        let properties = self.properties(*properties, depth)?;
        Ok(Object { name, words, properties, children: below })
    }

    /// Reads metadata by its index in a byte, or as inline text after a byte 255. Also returns the position behind it.
    fn words_of(
        &self,
        bytes: &[u8],
        at: usize,
        size: impl Fn(usize) -> Result<(usize, usize), MeshError>,
    ) -> Result<(String, usize), MeshError> {
        match *bytes.get(at).ok_or_else(cut_short)? {
            0xff => {
                let (size, at) = size(at + 1)?;
                Ok((text(bytes, at, size)?, at + size))
            }
            k => Ok((self.words.get(usize::from(k)).cloned().unwrap_or_default(), at + 1)),
        }
    }

    fn properties(&self, reference: u64, depth: usize) -> Result<BTreeMap<String, Property>, MeshError> {
        let children = self.group(reference)?;
        let Some((headers, own)) = children.split_last() else { return Ok(BTreeMap::new()) };
        if depth > DEEPEST {
            return Err(odd("a property is in itself"));
        }
        let headers = self.headers(*headers)?;
        let (mut at, mut all) = (0, BTreeMap::new());
        while at < headers.len() {
            let (name, mut property, next) = self.header(&headers, at)?;
            let child = *own.get(all.len()).ok_or_else(|| odd("a property that is named is not there"))?;
            if property.compound {
                property.within = self.properties(child, depth + 1)?;
            } else {
                property.samples = self.group(child)?;
                let kept = property.place(property.count.saturating_sub(1)) * if property.array { 2 } else { 1 };
                if property.count > 0 && kept >= property.samples.len() {
                    return Err(odd(&format!(
                        "a property counts {} samples and holds {}",
                        property.count,
                        property.samples.len()
                    )));
                }
            }
            if all.insert(name, property).is_some() {
                return Err(odd("two properties have one name"));
            }
            at = next;
        }
        Ok(all)
    }

    /// Reads the name and the property of a header, and returns the position of the next one.
    fn header(&self, bytes: &[u8], at: usize) -> Result<(String, Property, usize), MeshError> {
        let info = small(bytes, at)? as u32;
        let width = match info >> 2 & 3 {
            0 => 1,
            1 => 2,
            _ => 4,
        };
        let mut at = at + 4;
        let mut next = || -> Result<usize, MeshError> {
            let own = bytes.get(at..at + width).ok_or_else(cut_short)?;
            at += width;
            Ok(own.iter().rev().fold(0, |sum, b| sum << 8 | usize::from(*b)))
        };
        let mut property = Property { compound: info & 3 == 0, array: info & 2 != 0, ..Property::default() };
        if !property.compound {
            property.pod = info >> 4 & 15;
            property.extent = (info >> 12 & 0xff) as usize;
            property.count = next()?;
            property.changes = match (info & 0x200 != 0, info & 0x800 != 0) {
                (true, _) => [next()?, next()?],
                (_, true) => [0, 0],
                _ => [1, property.count.saturating_sub(1)],
            };
            if info & 0x100 != 0 {
                property.clock = next()?;
            }
            let [first, last] = property.changes;
            let fits = property.changes == [0, 0] || 0 < first && first <= last && last < property.count;
            if property.count > MOST || property.count > 1 && !fits {
                return Err(odd(&format!(
                    "a property counts {} samples, {first} to {last} of them changing",
                    property.count
                )));
            }
        }
        let size = next()?;
        let name = text(bytes, at, size)?;
        at += size;
        property.words = match info >> 20 & 0xff {
            0xff => {
                let own = bytes.get(at..at + width).ok_or_else(cut_short)?;
                let size = own.iter().rev().fold(0, |sum, b| sum << 8 | usize::from(*b));
                let words = text(bytes, at + width, size)?;
                at += width + size;
                words
            }
            k => self.words.get(k as usize).cloned().unwrap_or_default(),
        };
        Ok((name, property, at))
    }

    fn group(&self, reference: u64) -> Result<Vec<u64>, MeshError> {
        if reference & DATA != 0 {
            return Err(odd("data stand where a group should"));
        }
        if reference == 0 {
            return Ok(Vec::new());
        }
        if !self.known.borrow_mut().0.insert(reference) {
            return Err(odd("two objects or properties are one group"));
        }
        let count = number(&self.bytes(reference, 8)?, 0)?;
        let size = count.checked_mul(8).ok_or_else(cut_short)?;
        self.take(size)?;
        let bytes = self.bytes(reference + 8, usize::try_from(size).map_err(|_| cut_short())?)?;
        Ok(bytes.chunks_exact(8).map(|b| u64::from_le_bytes(std::array::from_fn(|k| b[k]))).collect())
    }

    /// Reads headers of objects or properties.
    fn headers(&self, reference: u64) -> Result<Vec<u8>, MeshError> {
        let headers = self.data(reference)?;
        self.take(headers.len() as u64)?;
        Ok(headers)
    }

    /// Subtracts so many bytes from those remaining for groups and headers.
    fn take(&self, size: u64) -> Result<(), MeshError> {
        let left = &mut self.known.borrow_mut().1;
        *left =
            left.checked_sub(size).ok_or_else(|| odd("its objects and properties are more than it has bytes for"))?;
        Ok(())
    }

    fn data(&self, reference: u64) -> Result<Vec<u8>, MeshError> {
        if reference & DATA == 0 {
            return Err(odd("a group stands where data should"));
        }
        let at = reference & !DATA;
        if at == 0 {
            return Ok(Vec::new());
        }
        let length = number(&self.bytes(at, 8)?, 0)?;
        self.bytes(at + 8, usize::try_from(length).map_err(|_| cut_short())?)
    }

    fn bytes(&self, at: u64, count: usize) -> Result<Vec<u8>, MeshError> {
        if at.checked_add(count as u64).is_none_or(|end| end > self.length) {
            return Err(cut_short());
        }
        let mut bytes = vec![0; count];
        let mut file = self.file.borrow_mut();
        let read = file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(&mut bytes));
        read.map_err(|error| MeshError::new(format!("cannot read it: {error}")))?;
        Ok(bytes)
    }
}

/// Returns the bytes per value of a type, given by its number.
fn size_of(pod: u32) -> usize {
    match pod {
        3 | 4 | 9 => 2,
        5 | 6 | 10 => 4,
        7 | 8 | 11 => 8,
        _ => 1,
    }
}

fn number(bytes: &[u8], at: usize) -> Result<u64, MeshError> {
    let own = bytes.get(at..at + 8).ok_or_else(cut_short)?;
    Ok(u64::from_le_bytes(std::array::from_fn(|k| own[k])))
}

fn small(bytes: &[u8], at: usize) -> Result<usize, MeshError> {
    let own = bytes.get(at..at + 4).ok_or_else(cut_short)?;
    Ok(u32::from_le_bytes(std::array::from_fn(|k| own[k])) as usize)
}

fn text(bytes: &[u8], at: usize, size: usize) -> Result<String, MeshError> {
    let own = at.checked_add(size).and_then(|end| bytes.get(at..end)).ok_or_else(cut_short)?;
    Ok(String::from_utf8_lossy(own).into_owned())
}

fn read_clocks(bytes: &[u8]) -> Result<Vec<Clock>, MeshError> {
    let (mut at, mut all) = (0, Vec::new());
    while at < bytes.len() {
        // The four skipped bytes hold the largest sample count of a property, which is not needed.
        let cycle = f64::from_bits(number(bytes, at + 4)?);
        let count = small(bytes, at + 12)?;
        at += 16;
        let mut times = Vec::new();
        for _ in 0..count {
            times.push(f64::from_bits(number(bytes, at)?));
            at += 8;
        }
        // A huge cycle marks times that do not repeat.
        let cycle = if cycle.abs() < 1e100 { cycle } else { f64::INFINITY };
        all.push(Clock { cycle, times, beat: cycle });
    }
    Ok(all)
}
