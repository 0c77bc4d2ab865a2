//! PC2 and MDD: positions of every vertex at every frame, for a mesh that the other program has. Each object has a
//! file, and an OBJ of its first frame beside it. While an object is absent it stays as at the nearest frame at which
//! it is present.

use super::obj::{library, mesh};
use super::{ExportHeader, Sample, Sink, le_bytes};
use crate::linalg::Vec3;
use crate::sequence::disk::{DiskError, Draft, write};
use std::path::{Path, PathBuf};

/// File format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// PC2: little endian, samples by frame number.
    Pc2,
    /// MDD: big endian, with the time of each frame.
    Mdd,
}

/// Writer with a file per object.
pub struct Points<'a> {
    folder: PathBuf,
    order: Order,
    header: &'a ExportHeader,
    files: Vec<Draft>,
    buffer: Vec<u8>,
}

impl<'a> Points<'a> {
    /// Starts the files in an existing folder. Static objects are written at every frame too.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn new(folder: &Path, header: &'a ExportHeader, order: Order) -> Result<Points<'a>, DiskError> {
        let mut files = Vec::with_capacity(header.parts.len());
        for part in &header.parts {
            let ending = if order == Order::Pc2 { "pc2" } else { "mdd" };
            let mut file = Draft::new(&folder.join(format!("{}.{ending}", part.name)))?;
            let (frames, vertices) = (header.frames.count(), part.vertices as u32);
            match order {
                Order::Pc2 => {
                    file.put(b"POINTCACHE2\0")?;
                    file.put(&1i32.to_le_bytes())?;
                    file.put(&vertices.to_le_bytes())?;
                    file.put(&(header.frames.first as f32).to_le_bytes())?;
                    file.put(&1f32.to_le_bytes())?;
                    file.put(&frames.to_le_bytes())?;
                }
                Order::Mdd => {
                    file.put(&frames.to_be_bytes())?;
                    file.put(&vertices.to_be_bytes())?;
                    for frame in header.frames.all() {
                        file.put(&((f64::from(frame) / header.fps) as f32).to_be_bytes())?;
                    }
                }
            }
            files.push(file);
        }
        Ok(Points { folder: folder.to_path_buf(), order, header, files, buffer: Vec::new() })
    }
}

impl Sink for Points<'_> {
    fn add(&mut self, part: usize, frame: u32, sample: &Sample) -> Result<(), DiskError> {
        let of = &self.header.parts[part];
        if frame == self.header.frames.first {
            write(&self.folder.join(format!("{}.obj", of.name)), &mesh(self.header, of, sample, &Vec3::zeros()))?;
            library(&self.folder, self.header, of)?;
        }
        le_bytes(&sample.positions, &mut self.buffer);
        if self.order == Order::Mdd {
            self.buffer.as_chunks_mut::<4>().0.iter_mut().for_each(|number| number.reverse());
        }
        let times = if of.still { self.header.frames.count() } else { 1 };
        for _ in 0..times {
            self.files[part].put(&self.buffer)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, DiskError> {
        for file in self.files {
            file.publish()?;
        }
        Ok(vec![self.folder])
    }
}
