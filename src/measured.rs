//! Quantities of a simulation at its frame.

use crate::effect::channels;
use crate::sequence::FrameStats;
use crate::simulation::{Error, Simulation};
use crate::stepper::Touch;
use crate::world::quantity::{Channel, Energies};
use crate::world::{Kind, Object, World};

/// Contact in the last step before a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Object of each vertex, by its index in the world.
    pub objects: [u32; 4],
    /// A vertex and the corners of a triangle, or the ends of two edges, in file order of their objects.
    pub vertices: [u32; 4],
    /// Weights of the vertices in the vector between the closest points: positive on the side that is pushed along the
    /// normal, negative on the other.
    pub weights: [f64; 4],
    /// Unit normal.
    pub normal: [f64; 3],
    /// Distance less the thickness [m]; that about which the step was linearised.
    pub gap: f64,
    /// Force along the normal at the end of the step [N].
    pub force: f64,
}

impl Contact {
    /// Returns the contacts of a step. A joined vertex has the first of its numbers in the file.
    pub(crate) fn all(world: &World, touches: &[Touch]) -> Vec<Contact> {
        if touches.is_empty() {
            return Vec::new();
        }
        let mut places = vec![(0, 0); world.rest.len()];
        for (object, own) in world.objects.iter().enumerate() {
            let all = own.place.iter().enumerate().rev();
            all.for_each(|(file, v)| places[*v as usize] = (object as u32, file as u32));
        }
        let place = |v: u32| places[v as usize];
        let contact = |touch: &Touch| {
            let Touch { vertices, weights, normal, gap, force } = *touch;
            let (objects, vertices) = (vertices.map(|v| place(v).0), vertices.map(|v| place(v).1));
            Contact { objects, vertices, weights, normal: normal.into(), gap, force }
        };
        touches.iter().map(contact).collect()
    }
}

impl Simulation {
    /// Returns the statistics of the steps from the frame before to this one: what `percale run` writes into
    /// `stats.ndjson`. While a frame is not reached, those of the steps so far. Wall times are 0 after
    /// [`Simulation::restore`].
    pub fn stats(&self) -> &FrameStats {
        &self.stats
    }

    /// Computes all energies [J].
    pub fn energies(&self) -> Energies {
        Energies::new(|energy| (energy.joules)(energy, &self.world, &self.state))
    }

    /// Returns the contacts of the last step before the frame. There are none before the first step, and none after
    /// [`Simulation::restore`] until the next.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Returns the fields that a cloth has, such as `"strain"`; none for other objects.
    pub fn fields(&self, object: &str) -> Vec<&'static str> {
        let Some(object) = self.named(object).filter(|object| object.kind == Kind::Cloth) else { return Vec::new() };
        let has = |field: &&Channel| (field.values)(field, &self.world, &self.state, object).is_some();
        channels().filter(has).map(|field| field.word).collect()
    }

    /// Computes a field of a cloth, as `output.fields` writes it: a value for each vertex in file order.
    ///
    /// # Errors
    /// No cloth has that name, or it has no such field.
    pub fn field(&self, object: &str, field: &str) -> Result<Vec<f64>, Error> {
        let none = |why: String| Error::Value(why);
        let own = self.named(object).ok_or_else(|| none(format!("no object is named '{object}'")))?;
        if own.kind != Kind::Cloth {
            return Err(none(format!("'{object}' is no cloth; only cloths have fields")));
        }
        let all = || channels().filter(|channel| channel.word == field);
        let values = all().find_map(|channel| (channel.values)(channel, &self.world, &self.state, own));
        values.ok_or_else(|| {
            let words: Vec<String> = self.fields(object).iter().map(|word| format!("'{word}'")).collect();
            none(format!("'{object}' has no field '{field}'; there are {}", words.join(", ")))
        })
    }

    /// Returns the object of a name.
    pub(crate) fn named(&self, name: &str) -> Option<&Object> {
        self.world.objects.iter().find(|object| object.name == name)
    }
}
