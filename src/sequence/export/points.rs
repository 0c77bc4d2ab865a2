//! PC2 and MDD: positions of every vertex at every frame, for a mesh that the other program has. Each object has a
//! file, and an OBJ of its first frame beside it. While an object is absent it stays as at the nearest frame at which
//! it is present.

use super::obj::{library, mesh};
use super::{Sample, Sink, Take, le_bytes};
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
    take: &'a Take,
    files: Vec<Draft>,
    buffer: Vec<u8>,
}

impl<'a> Points<'a> {
    /// Starts the files in an existing folder. Static objects are written at every frame too.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn new(folder: &Path, take: &'a Take, order: Order) -> Result<Points<'a>, DiskError> {
        let mut files = Vec::with_capacity(take.parts.len());
        for part in &take.parts {
            let ending = if order == Order::Pc2 { "pc2" } else { "mdd" };
            let mut file = Draft::new(&folder.join(format!("{}.{ending}", part.name)))?;
            let (frames, vertices) = (take.frames.count(), part.vertices as u32);
            match order {
                Order::Pc2 => {
                    file.put(b"POINTCACHE2\0")?;
                    file.put(&1i32.to_le_bytes())?;
                    file.put(&vertices.to_le_bytes())?;
                    file.put(&(take.frames.first as f32).to_le_bytes())?;
                    file.put(&1f32.to_le_bytes())?;
                    file.put(&frames.to_le_bytes())?;
                }
                Order::Mdd => {
                    file.put(&frames.to_be_bytes())?;
                    file.put(&vertices.to_be_bytes())?;
                    for frame in take.frames.all() {
                        file.put(&((f64::from(frame) / take.fps) as f32).to_be_bytes())?;
                    }
                }
            }
            files.push(file);
        }
        Ok(Points { folder: folder.to_path_buf(), order, take, files, buffer: Vec::new() })
    }
}

impl Sink for Points<'_> {
    fn add(&mut self, part: usize, frame: u32, sample: &Sample) -> Result<(), DiskError> {
        let of = &self.take.parts[part];
        if frame == self.take.frames.first {
            write(&self.folder.join(format!("{}.obj", of.name)), &mesh(self.take, of, sample, &Vec3::zeros()))?;
            library(&self.folder, self.take, of)?;
        }
        le_bytes(&sample.positions, &mut self.buffer);
        if self.order == Order::Mdd {
            self.buffer.as_chunks_mut::<4>().0.iter_mut().for_each(|number| number.reverse());
        }
        let times = if of.still { self.take.frames.count() } else { 1 };
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
