//! `flow/frame.0001.vti`: the airflow of a frame as VTK image data, for ParaView and for arrows in pictures.
//!
//! Cell values in single precision, little endian: velocity, pressure, and whether a cell is inside a solid.

use super::disk::{DiskError, read, write};
use super::folder::Folder;
use crate::effect::airflow::domain::Airflow;
use crate::effect::airflow::solver::grid::Grid;
use crate::effect::airflow::solver::solid::Solids;
use crate::linalg::Vec3;
use crate::world::{State, World};
use std::path::PathBuf;

/// File extensions of airflow files.
pub(super) const FLOWS: [&str; 1] = ["vti"];
/// Start of the appended values.
const APPENDED: &[u8] = b"<AppendedData encoding=\"raw\">\n_";

/// Airflow of a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Flowing {
    /// Grid of cells.
    pub grid: Grid,
    /// Velocity at the centre of each cell [m/s].
    pub velocity: Vec<[f32; 3]>,
    /// Pressure [Pa].
    pub pressure: Vec<f32>,
    /// 1 inside obstacles and bodies.
    pub solid: Vec<u8>,
}

impl Flowing {
    /// Samples the airflow of a state. Returns `None` without airflow.
    pub fn of(world: &World, state: &State) -> Option<Flowing> {
        let (airflow, flow) = Airflow::of(world, state)?;
        let grid = airflow.grid;
        let mut solids = Solids::default();
        airflow.find_solids(world, (&state.x, state.now()), |_| Vec3::zeros(), &mut solids);
        let middle = |cell: usize| {
            let place = Grid::place(grid.cells, cell);
            [0, 1, 2].map(|axis| {
                let (sizes, mut next) = (grid.faces(axis), place);
                next[axis] += 1;
                let at = |place| flow.velocity[axis][Grid::number(sizes, place)];
                (0.5 * (at(place) + at(next))) as f32
            })
        };
        Some(Flowing {
            grid,
            velocity: (0..grid.count()).map(middle).collect(),
            pressure: flow.pressure.iter().map(|p| *p as f32).collect(),
            solid: solids.cells.iter().map(|solid| u8::from(solid.is_some())).collect(),
        })
    }

    /// Returns the bytes of the file.
    pub fn vti(&self) -> Vec<u8> {
        let Grid { low, cells, spacing } = self.grid;
        let joined = |all: [String; 3]| all.join(" ");
        let extent = joined(cells.map(|n| format!("0 {n}")));
        let origin = joined([low.x, low.y, low.z].map(|x| x.to_string()));
        let spacing = joined(spacing.map(|x| x.to_string()));
        let velocity: Vec<u8> = self.velocity.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let pressure: Vec<u8> = self.pressure.iter().flat_map(|x| x.to_le_bytes()).collect();
        let blocks = [&velocity, &pressure, &self.solid];
        let mut at = 0;
        let offsets = blocks.map(|block| {
            let own = at;
            at += 8 + block.len();
            own
        });
        let [u, p, s] = offsets;
        let head = format!(
            "<?xml version=\"1.0\"?>\n\
             <VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
             <ImageData WholeExtent=\"{extent}\" Origin=\"{origin}\" Spacing=\"{spacing}\">\n\
             <Piece Extent=\"{extent}\">\n<CellData Vectors=\"velocity\" Scalars=\"pressure\">\n\
             <DataArray type=\"Float32\" Name=\"velocity\" NumberOfComponents=\"3\" format=\"appended\" offset=\"{u}\"/>\n\
             <DataArray type=\"Float32\" Name=\"pressure\" format=\"appended\" offset=\"{p}\"/>\n\
             <DataArray type=\"UInt8\" Name=\"solid\" format=\"appended\" offset=\"{s}\"/>\n\
             </CellData>\n</Piece>\n</ImageData>\n"
        );
        let mut out = head.into_bytes();
        out.extend(APPENDED);
        for block in blocks {
            out.extend((block.len() as u64).to_le_bytes());
            out.extend(block);
        }
        out.extend(b"\n</AppendedData>\n</VTKFile>\n");
        out
    }

    /// Parses the bytes that [`Flowing::vti`] wrote. Returns `None` for other bytes.
    pub fn parse(bytes: &[u8]) -> Option<Flowing> {
        let at = bytes.windows(APPENDED.len()).position(|w| w == APPENDED)?;
        let head = std::str::from_utf8(&bytes[..at]).ok()?;
        let numbers = |name: &str| -> Option<Vec<f64>> {
            let (_, rest) = head.split_once(&format!(" {name}=\""))?;
            let (text, _) = rest.split_once('"')?;
            text.split_whitespace().map(|number| number.parse().ok()).collect()
        };
        let (extent, origin, spacing) = (numbers("WholeExtent")?, numbers("Origin")?, numbers("Spacing")?);
        let ([_, nx, _, ny, _, nz], [x, y, z], [dx, dy, dz]) = (&extent[..], &origin[..], &spacing[..]) else {
            return None;
        };
        let cells = [*nx as usize, *ny as usize, *nz as usize];
        let grid = Grid { low: Vec3::new(*x, *y, *z), cells, spacing: [*dx, *dy, *dz] };
        let mut rest = &bytes[at + APPENDED.len()..];
        let mut block = |size: usize| -> Option<&[u8]> {
            let (length, behind) = rest.split_first_chunk::<8>()?;
            let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
            let (own, behind) = behind.split_at_checked(length)?;
            rest = behind;
            (length == size * grid.count()).then_some(own)
        };
        let floats =
            |bytes: &[u8]| bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect::<Vec<f32>>();
        let velocity = floats(block(12)?).as_chunks::<3>().0.to_vec();
        Some(Flowing { grid, velocity, pressure: floats(block(4)?), solid: block(1)?.to_vec() })
    }
}

impl Folder {
    fn flow(&self, frame: u32) -> PathBuf {
        self.path().join(format!("flow/frame.{frame:04}.vti"))
    }

    /// Writes the airflow of a frame.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn write_flow(&self, flow: &Flowing, frame: u32) -> Result<(), DiskError> {
        self.make(&self.path().join("flow"))?;
        write(&self.flow(frame), &flow.vti())
    }

    /// Reads the airflow of a frame. Returns `None` if it was not written.
    ///
    /// # Errors
    /// The file is damaged or cannot be read.
    pub fn read_flow(&self, frame: u32) -> Result<Option<Flowing>, DiskError> {
        let path = self.flow(frame);
        if !path.is_file() {
            return Ok(None);
        }
        match Flowing::parse(&read(&path)?) {
            Some(flow) => Ok(Some(flow)),
            None => Err(DiskError { path, reason: "is damaged".to_string() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let grid = Grid::new(Vec3::new(-0.1, 0.2, 0.3), Vec3::new(1.0, 2.0, 3.0), [4, 5, 6]);
        let flow = Flowing {
            grid,
            velocity: (0..120).map(|k| [k as f32, -0.5, 1e-30]).collect(),
            pressure: (0..120).map(|k| k as f32 * 0.1).collect(),
            solid: (0..120).map(|k| u8::from(k % 7 == 0)).collect(),
        };
        let bytes = flow.vti();
        assert_eq!(Flowing::parse(&bytes), Some(flow));
        assert!((0..bytes.len() - 40).all(|length| Flowing::parse(&bytes[..length]).is_none()));
    }
}
