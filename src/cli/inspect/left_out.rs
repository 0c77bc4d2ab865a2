//! Parts that the scene of a run leaves out of contact, by which its crossings are told apart.

use super::super::text::count;
use crate::collision::surface::Surface;
use crate::linalg::Vec3;
use crate::scene::build::{Built, build};
use crate::scene::{self, Fault};
use crate::sequence::{Entry, Folder, Region, Run as Record, read};
use crate::world::World;
use crate::world::crossing::Crossing;
use std::collections::HashMap;
use std::path::Path;

/// Crossings in an entry of `[[ignore]]` over the frames.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// Largest number of pairs of triangles in a frame.
    most: usize,
    /// First frame with that many.
    at: u32,
    /// Number of frames with any.
    frames: usize,
}

/// Parts that a run leaves out of contact.
pub(super) struct LeftOut {
    world: World,
    /// Entries of two obstacles, at vertices of cloths and bodies: these may pass through the second.
    passing: Vec<u64>,
    seen: Vec<Seen>,
}

/// Meshes of a frame: positions, surface, and the entries of its objects.
pub(super) type Frame<'a> = (&'a [Vec3], &'a Surface, &'a [&'a Entry]);

impl LeftOut {
    /// Builds the scene of a run again; `None` if the run left out nothing.
    ///
    /// # Errors
    /// Says why the scene cannot be built as it was.
    pub(super) fn of(folder: &Folder, record: &Record) -> Result<Option<LeftOut>, String> {
        if record.ignored.is_empty() {
            return Ok(None);
        }
        let path = Path::new(&record.scene);
        let first = |faults: Vec<Fault>| faults.first().map_or_else(String::new, Fault::to_string);
        let bytes = read(&folder.scene()).map_err(|error| error.to_string())?;
        let scene = scene::read_recorded(path, &bytes, &[]).map_err(first)?;
        let Built { world, .. } = build(&scene, path).map_err(|refusal| first(refusal.faults))?;
        let same = |entry: &&Entry| {
            let object = world.objects.iter().find(|object| object.name == entry.name);
            object.is_some_and(|o| (o.place.len(), o.triangles.len()) == (entry.vertices, entry.triangles))
        };
        if let Some(other) = record.objects.iter().find(|entry| !same(entry)) {
            return Err(format!("'{}' has another mesh now", other.name));
        }
        let all = world.left_out.crossed.iter().fold(0, |all, crossed| all | 1 << crossed.entry);
        let passing = (0..world.rest.len()).map(|v| if v < world.moving { all } else { 0 }).collect();
        let seen = vec![Seen::default(); world.left_out.names.len()];
        Ok(Some(LeftOut { world, passing, seen }))
    }

    /// Takes the crossings of a frame out of `all` that the scene leaves out. `regions` are those that the run counted:
    /// only by them is known which cloth was caught between two obstacles.
    pub(super) fn take(&mut self, frame: u32, at: Frame, regions: &[Region], all: &mut Vec<Crossing>) {
        let (x, surface, _) = at;
        let corners = self.corners(at);
        let names = &self.world.left_out.names;
        let of = |passing: &[u64], [s, t]: [u32; 2]| {
            let entries = self.world.left_out.entries(passing, &corners(s), &corners(t));
            (entries != 0).then(|| entries.trailing_zeros() as usize)
        };
        let (mut counts, mut caught) = (vec![0; names.len()], vec![0; names.len()]);
        for pair in all.iter().flat_map(|crossing| &crossing.pairs) {
            match (of(&[], *pair), of(&self.passing, *pair)) {
                (Some(entry), _) => counts[entry] += 1,
                (None, Some(entry)) => caught[entry] += 1,
                (None, None) => (),
            }
        }
        let counted = |entry: usize| {
            let region = regions.iter().find(|region| region.between == names[entry]);
            region.map_or(0, |region| region.crossing)
        };
        let passes: Vec<bool> = (0..names.len()).map(|entry| counts[entry] + caught[entry] <= counted(entry)).collect();
        for crossing in all.iter_mut() {
            let out = |pair: [u32; 2]| of(&[], pair).is_some() || of(&self.passing, pair).is_some_and(|e| passes[e]);
            crossing.retain(x, surface, |pair| !out(*pair));
        }
        all.retain(|crossing| !crossing.pairs.is_empty());
        let found = (0..names.len()).map(|entry| counts[entry] + if passes[entry] { caught[entry] } else { 0 });
        let found: Vec<usize> = found.collect();
        drop(corners);
        for (seen, pairs) in self.seen.iter_mut().zip(found) {
            seen.frames += usize::from(pairs > 0);
            if pairs > seen.most {
                (seen.most, seen.at) = (pairs, frame);
            }
        }
    }

    /// Returns a function from triangles of a frame to vertices of the world. Vertices that seams have joined have the
    /// same place in the files.
    fn corners<'a>(&'a self, (x, surface, objects): Frame<'a>) -> impl Fn(u32) -> Vec<u32> + 'a {
        let mut of: Vec<u32> = Vec::with_capacity(x.len());
        for entry in objects {
            let object = self.world.objects.iter().find(|object| object.name == entry.name);
            of.extend(object.map_or(&[][..], |object| &object.place));
        }
        let key = move |v: u32| (surface.object[v as usize], x[v as usize].map(|c| (c + 0.0).to_bits()));
        let mut joined: HashMap<_, Vec<u32>> = HashMap::new();
        (0..x.len() as u32).for_each(|v| joined.entry(key(v)).or_default().push(of[v as usize]));
        move |t| surface.triangles[t as usize].iter().flat_map(|v| joined[&key(*v)].clone()).collect()
    }

    /// Describes what was taken out of frames, an entry a line.
    pub(super) fn describe(&self) -> Vec<String> {
        let all = self.world.left_out.names.iter().zip(&self.seen).filter(|(_, seen)| seen.most > 0);
        let line = |(name, Seen { most, at, frames }): (&String, &Seen)| {
            let (pairs, frames) = (count(*most, "pair"), count(*frames, "frame"));
            format!("[[ignore]] between {name}: at most {pairs} of triangles cross, at frame {at}; some at {frames}")
        };
        all.map(line).collect()
    }
}
