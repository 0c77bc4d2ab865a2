//! Bending of hinges and plates as terms of the system.

use super::crease::{Crease, Creases, NUMBERS, Resisted, Turned};
use super::{NONE, Patch};
use crate::force::bending::{Bent, Hinge, fold};
use crate::force::cloth_law::ClothLaw;
use crate::force::dahl::Dahl;
use crate::force::scheme::{Scheme, Shape, WIDE, Wide, pick, put, take};
use crate::force::term::{Law, Name, Own, Rows, couple_all};
use crate::linalg::matrix::{Block, Domain, Lanes, NOWHERE, Real};
use crate::linalg::{Vec3, par};

/// Bending elements of all cloths.
#[derive(Clone, Copy, Debug)]
pub struct Plates<'a> {
    /// Laws by cloth.
    pub cloth_laws: &'a [ClothLaw],
    /// Hinges. Each stores energy by itself if the law is a table.
    pub hinges: &'a [Hinge],
    /// Plate elements: bending of the cloths whose rigidity is not a table.
    pub patches: &'a [Patch],
    /// Stresses that depend on the curvature of triangles.
    pub creases: &'a [Crease],
}

/// Hinges that touch a subdomain. Their blocks are overwritten, not added to, because bending is the first term.
pub struct Hinges<T> {
    cloth_laws: Vec<ClothLaw>,
    /// Hinges that touch the subdomain, then those that share a triangle with one of them.
    hinges: Vec<Hinge>,
    /// Indices of these hinges among all.
    whole: Vec<u32>,
    /// Rows of the stiffness, for each hinge that touches the subdomain.
    links: Vec<Link>,
    /// State of the hinges in this step.
    turns: Vec<Turn>,
    /// Whether a map scales the damping of any hinge.
    mapped: bool,
    /// Contributions of hinges to blocks, block by block. Each is coded as sixteen times the hinge, plus four times its
    /// vertex of the row, plus its vertex of the column.
    shares: Vec<u32>,
    /// End of each block's `shares`.
    ends: Vec<u32>,
    /// Gradients of the hinges' angles times the square root of the stiffness.
    slopes: Vec<[Lanes<T>; 4]>,
    /// Creases with a hinge that touches the subdomain, by local hinge indices.
    creases: Vec<Crease>,
    /// Motion of hinges as input of creases, and their resistance as result; empty without creases.
    turned: Vec<Turned>,
    resisted: Vec<Resisted>,
}

/// Row of the stiffness of all hinges of a cloth: the hinge itself and the other hinges of its two triangles.
#[derive(Clone, Copy, Debug, Default)]
struct Link {
    /// Indices of the others; arbitrary where the stiffness is zero.
    others: [u32; 4],
    /// Stiffness per rigidity: itself, then the others [-].
    stiffness: [f64; 5],
}

/// State of a hinge in this step.
#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    /// Angle less the rest angle after a step at the present velocity, times `root` [rad].
    away: f64,
    /// Increase of that angle by free flight, times `root` [rad].
    late: f64,
    /// Change of the angle within the damping time, without its map, times `root` [rad].
    damped: f64,
    /// Present angle less the rest angle [rad].
    angle: f64,
    /// Present angle less that of the rest shape [rad].
    bent: f64,
    /// Stiffness of the hinge by itself, without softening [N m].
    stiffness: f64,
    /// Square root of the stiffness factor.
    root: f64,
    /// Gradient of the angle by vertex [rad/m].
    gradient: [Vec3; 4],
}

impl Plates<'_> {
    /// Returns angles less the rest angles [rad], each times the square root of the hinge's stiffness factor.
    fn away(&self, shape: &Shape) -> Vec<f64> {
        par::map(self.hinges.len(), |k| {
            let h = &self.hinges[k];
            let away = h.away(&pick(shape.x, &h.vertices)) - shape.stiffness_scale.turned(k);
            shape.stiffness_scale.bend(&h.vertices).sqrt() * away
        })
    }

    /// Returns the energy of a single hinge [J]; zero for a plate.
    fn alone(&self, k: usize, shape: &Shape) -> f64 {
        let h = &self.hinges[k];
        let (law, turned) = (&self.cloth_laws[h.cloth as usize].bending, shape.stiffness_scale.turned(k));
        let energy = || shape.stiffness_scale.bend(&h.vertices) * h.energy(law, &pick(shape.x, &h.vertices), turned);
        if law.plate().is_some() { 0.0 } else { energy() }
    }

    /// Returns the energy of a patch, from the angles `away` of its hinges less their rest angles [J].
    fn together(&self, patch: &Patch, away: &[f64]) -> f64 {
        let rigidity = self.cloth_laws[patch.cloth as usize].bending.plate();
        rigidity.map_or(0.0, |rigidity| patch.energy(rigidity, |h| away[h as usize]))
    }

    /// Returns the energy of all bending elements [J].
    pub fn energy(&self, shape: &Shape) -> f64 {
        let hinges = par::sum(self.hinges.len(), |k| self.alone(k, shape));
        let away = self.away(shape);
        let plates = hinges + par::sum(self.patches.len(), |k| self.together(&self.patches[k], &away));
        let creases = self.creases();
        plates + par::sum(self.creases.len(), |k| creases.energy_of(&self.creases[k], shape))
    }

    fn creases(&self) -> Creases<'_> {
        Creases { cloth_laws: self.cloth_laws, hinges: self.hinges, list: self.creases }
    }

    /// Gives `f` each triangle with friction of bending, its laws and its memory.
    pub fn each_rubbing(&self, memory: &[f64], f: impl FnMut(&Crease, &[Option<Dahl>; 2], &[f64])) {
        self.creases().each_rubbing(memory, f);
    }

    /// Returns the work done so far against internal friction [J].
    pub fn work(&self, memory: &[f64]) -> f64 {
        memory.chunks(NUMBERS).map(|element| element[NUMBERS - 1]).sum()
    }

    /// Returns the stiffness row of each hinge; empty if its law is a table.
    fn links(&self) -> Vec<Link> {
        let alone = |h: usize| Link { others: [h as u32; 4], ..Link::default() };
        let mut links: Vec<Link> = (0..self.hinges.len()).map(alone).collect();
        let mut filled = vec![0; links.len()];
        for patch in self.patches {
            let there = || (0..3).filter(|k| patch.hinges[*k] != NONE);
            for i in there() {
                let h = patch.hinges[i] as usize;
                links[h].stiffness[0] += patch.stiffness[(i, i)];
                for j in there().filter(|j| *j != i) {
                    links[h].others[filled[h]] = patch.hinges[j];
                    links[h].stiffness[1 + filled[h]] = patch.stiffness[(i, j)];
                    filled[h] += 1;
                }
            }
        }
        links
    }

    /// Returns the hinges of a subdomain. `links` are the rows of all hinges.
    fn rows_of<T: Real>(&self, domain: &Domain<T>, links: &[Link]) -> Hinges<T> {
        let mut list = Own::of(domain).near(self.hinges.len(), |h| self.hinges[h].vertices);
        let touching = list.len();
        let mut known: Vec<(u32, u32)> = list.iter().enumerate().map(|(k, h)| (*h, k as u32)).collect();
        known.sort_unstable();
        let find = |h: u32, known: &[(u32, u32)]| known.binary_search_by_key(&h, |k| k.0).map(|k| known[k].1);
        let mut beyond: Vec<u32> = list.iter().flat_map(|h| links[*h as usize].others).collect();
        let near = self.creases.iter().filter(|crease| crease.hinges.iter().any(|h| find(*h, &known).is_ok()));
        beyond.extend(near.flat_map(|crease| crease.hinges).filter(|h| *h != NONE));
        beyond.sort_unstable();
        beyond.dedup();
        beyond.retain(|h| find(*h, &known).is_err());
        list.extend(&beyond);
        known.extend(beyond.iter().enumerate().map(|(k, h)| (*h, (touching + k) as u32)));
        known.sort_unstable();
        let link = |h: &u32| {
            let Link { others, stiffness } = links[*h as usize];
            Link { others: others.map(|h| find(h, &known).unwrap_or(0)), stiffness }
        };
        let own_links: Vec<Link> = list[..touching].iter().map(link).collect();
        let hinges: Vec<Hinge> = list.iter().map(|h| self.hinges[*h as usize]).collect();
        let creases = self.creases.iter().filter_map(|crease| {
            let own = crease.hinges.map(|h| find(h, &known).ok());
            let touches = own.iter().flatten().any(|h| (*h as usize) < touching);
            // All hinges of such a crease are known, because one of them touches the subdomain.
            touches.then(|| Crease { hinges: own.map(|h| h.unwrap_or(NONE)), ..*crease })
        });
        let creases: Vec<Crease> = creases.collect();
        let mut shares: Vec<(u32, u32)> = Vec::new();
        for (k, h) in hinges[..touching].iter().enumerate() {
            let v = h.vertices.map(|v| v as usize);
            for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
                shares.push((domain.place(v[a], v[b]), (16 * k + 4 * a + b) as u32));
            }
        }
        shares.retain(|s| s.0 != NOWHERE);
        shares.sort_unstable();
        // Blocks beyond the last contribution are not written.
        let blocks = shares.last().map_or(0, |s| s.0 + 1);
        Hinges {
            cloth_laws: self.cloth_laws.to_vec(),
            slopes: vec![Default::default(); touching],
            turns: vec![Turn::default(); hinges.len()],
            mapped: hinges.iter().any(|h| h.damping != 1.0),
            turned: vec![Turned::default(); if creases.is_empty() { 0 } else { hinges.len() }],
            resisted: vec![Resisted::default(); if creases.is_empty() { 0 } else { hinges.len() }],
            creases,
            links: own_links,
            hinges,
            whole: list,
            ends: (0..blocks).map(|k| shares.partition_point(|s| s.0 <= k) as u32).collect(),
            shares: shares.into_iter().map(|s| s.1).collect(),
        }
    }
}

impl Law for Plates<'_> {
    type Rows<T: Real> = Hinges<T>;

    fn name(&self) -> Name {
        Name::first("bending")
    }

    fn pairs(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.hinges.iter().for_each(|h| couple_all(&h.vertices, couple));
    }

    fn rows<T: Real>(&self, domain: &Domain<T>) -> Hinges<T> {
        self.rows_of(domain, &self.links())
    }

    fn all_rows<T: Real>(&self, domains: &[Domain<T>]) -> Vec<Hinges<T>> {
        let links = self.links();
        par::map_heavy(domains.len(), |k| self.rows_of(&domains[k], &links))
    }

    fn each_energy(&self, shape: &Shape, memory: &[f64], add: &mut dyn FnMut(u32, f64)) {
        let away = self.away(shape);
        let is_plate = |cloth: u32| self.cloth_laws[cloth as usize].bending.plate().is_some();
        let alone = par::map(self.hinges.len(), |k| (!is_plate(self.hinges[k].cloth)).then(|| self.alone(k, shape)));
        self.hinges.iter().zip(alone).for_each(|(h, energy)| energy.into_iter().for_each(|e| add(h.vertices[0], e)));
        let one = |hinges: [u32; 3]| {
            let first = hinges.into_iter().find(|h| *h != NONE);
            first.map_or(0, |h| self.hinges[h as usize].vertices[0])
        };
        let together = par::map(self.patches.len(), |k| {
            let patch = &self.patches[k];
            is_plate(patch.cloth).then(|| self.together(patch, &away))
        });
        let patches = self.patches.iter().zip(together);
        patches.for_each(|(patch, energy)| energy.into_iter().for_each(|e| add(one(patch.hinges), e)));
        let creases = self.creases();
        let of = |k: usize| {
            let crease = &self.creases[k];
            creases.energy_of(crease, shape) + creases.work_of(crease, shape.x, memory)
        };
        let energies = par::map(self.creases.len(), of);
        self.creases.iter().zip(energies).for_each(|(crease, energy)| add(one(crease.hinges), energy));
    }

    fn memory(&self, x: &[Vec3]) -> Vec<f64> {
        self.creases().memory(x)
    }

    fn commit(&self, x: &[Vec3], memory: &mut [f64]) {
        self.creases().commit(x, memory);
    }
}

impl<T: Real> Rows<T> for Hinges<T> {
    fn overwrites(&self) -> usize {
        self.ends.len()
    }

    fn add(&mut self, scheme: &Scheme, memory: &[f64], domain: &mut Domain<T>, force: &mut [Vec3]) {
        self.turn(scheme);
        self.resist(scheme, memory);
        for (k, link) in self.links.iter().enumerate() {
            let (h, turn) = (&self.hinges[k], &self.turns[k]);
            let cloth_law = &self.cloth_laws[h.cloth as usize];
            let bent = match cloth_law.bending.plate() {
                Some(rigidity) => {
                    let others = link.others.iter().zip(&link.stiffness[1..]);
                    let sum: f64 = others.map(|(o, c)| c * self.turns[*o as usize].away).sum();
                    rigidity * (link.stiffness[0] * turn.away + sum + self.evened(h, link))
                }
                None => turn.stiffness * turn.away,
            };
            let mut moment = (bent + turn.stiffness * turn.late) * turn.root;
            let mut stiffness =
                turn.stiffness * (1.0 + cloth_law.damping.bend * h.damping / scheme.beta) * (turn.root * turn.root);
            if let Some(resisted) = self.resisted.get(k) {
                moment += resisted.moment;
                stiffness += resisted.stiffness;
            }
            let root = stiffness.sqrt();
            for ((v, g), slope) in h.vertices.iter().zip(&turn.gradient).zip(&mut self.slopes[k]) {
                if let Some(force) = force.get_mut((*v as usize).wrapping_sub(domain.first)) {
                    *force -= g * moment;
                }
                *slope = [T::of(g.x * root), T::of(g.y * root), T::of(g.z * root), T::default()];
            }
        }
        self.write(domain);
    }
}

impl<T: Real> Hinges<T> {
    /// Returns what the damping between a hinge and the others of its triangles lacks, per rigidity [rad].
    ///
    /// Each angle is damped by the factor of its own hinge, and the matrix of damping is symmetric and dissipates where
    /// rows and columns have the roots of these factors.
    fn evened(&self, h: &Hinge, link: &Link) -> f64 {
        if !self.mapped {
            return 0.0;
        }
        let others = link.others.iter().zip(&link.stiffness[1..]);
        let lacks = |other: &Hinge| (h.damping * other.damping).sqrt() - other.damping;
        others.map(|(o, c)| c * lacks(&self.hinges[*o as usize]) * self.turns[*o as usize].damped).sum()
    }

    /// Evaluates the hinges in groups of [`WIDE`].
    fn turn(&mut self, scheme: &Scheme) {
        let Hinges { cloth_laws, hinges, whole, turns, mapped, .. } = self;
        let mut edges = [[Wide::default(); 3]; 3];
        let mut gradients = [[Wide::default(); 3]; 4];
        let (mut sin, mut cos) = (Wide::default(), Wide::default());
        for ((hinges, whole), turns) in hinges.chunks(WIDE).zip(whole.chunks(WIDE)).zip(turns.chunks_mut(WIDE)) {
            for (l, h) in hinges.iter().enumerate() {
                let v = h.vertices.map(|v| v as usize);
                for k in 0..3 {
                    put(&mut edges[k], l, scheme.x[v[k + 1]] - scheme.x[v[0]]);
                }
            }
            for l in 0..WIDE {
                let bent = fold([take(&edges[0], l), take(&edges[1], l), take(&edges[2], l)]);
                (sin[l], cos[l]) = (bent.sin, bent.cos);
                gradients.iter_mut().zip(bent.gradient).for_each(|(rows, g)| put(rows, l, g));
            }
            for (l, ((h, whole), turn)) in hinges.iter().zip(whole).zip(turns).enumerate() {
                let cloth_law = &cloth_laws[h.cloth as usize];
                let gradient = [0, 1, 2, 3].map(|a| take(&gradients[a], l));
                let turned = scheme.stiffness_scale.turned(*whole as usize);
                let theta = Bent { sin: sin[l], cos: cos[l], gradient }.angle();
                let (away, stiffness) = h.state(&cloth_law.bending, theta, turned);
                let (mut whole, mut late, mut swift) = (0.0, 0.0, 0.0);
                let time = cloth_law.damping.bend * h.damping;
                for (v, g) in h.vertices.iter().zip(&gradient) {
                    let v = *v as usize;
                    let damped = scheme.damped(v);
                    whole += g.dot(&(scheme.y[v] + damped * time));
                    late += g.dot(&(scheme.velocity[v] - scheme.v[v])) * scheme.effective_dt[v];
                    late += g.dot(&(damped - scheme.v[v])) * time;
                }
                if *mapped {
                    swift = h.vertices.iter().zip(&gradient).map(|(v, g)| g.dot(&scheme.v[*v as usize])).sum();
                }
                let root = scheme.stiffness_scale.bend(&h.vertices).sqrt();
                *turn = Turn {
                    away: (away + whole - late) * root,
                    late: late * root,
                    damped: swift * cloth_law.damping.bend * root,
                    angle: away,
                    bent: away + turned,
                    stiffness,
                    root,
                    gradient,
                };
            }
        }
    }

    /// Evaluates the moments and stiffness of creases.
    fn resist(&mut self, scheme: &Scheme, memory: &[f64]) {
        let Hinges { cloth_laws, hinges, turns, creases, turned, resisted, .. } = self;
        if creases.is_empty() {
            return;
        }
        let late = |v: usize| (scheme.velocity[v] - scheme.v[v]) * scheme.effective_dt[v];
        let sum = |hinge: &Hinge, turn: &Turn, of: &dyn Fn(usize) -> Vec3| -> f64 {
            hinge.vertices.iter().zip(&turn.gradient).map(|(v, g)| g.dot(&of(*v as usize))).sum()
        };
        for ((hinge, turn), turned) in hinges.iter().zip(&*turns).zip(&mut *turned) {
            *turned = Turned {
                away: turn.angle,
                bent: turn.bent,
                stiffness_scale: turn.root * turn.root,
                ahead: sum(hinge, turn, &|v| scheme.ahead(v)),
                expected: sum(hinge, turn, &|v| scheme.expected(v)),
            };
        }
        resisted.fill(Resisted::default());
        creases.iter().for_each(|crease| crease.resist(cloth_laws, turned, memory, resisted));
        for ((hinge, turn), resisted) in hinges.iter().zip(&*turns).zip(resisted) {
            resisted.moment += resisted.stiffness * sum(hinge, turn, &late);
        }
    }

    /// Sums the contributions to a block.
    #[inline(always)]
    fn block(&self, shares: &[u32]) -> Block<T> {
        let mut block = Block::default();
        for share in shares {
            let slopes = &self.slopes[(share >> 4) as usize];
            let (row, column) = (&slopes[(share >> 2 & 3) as usize], &slopes[(share & 3) as usize]);
            for c in 0..3 {
                for l in 0..4 {
                    block[c][l] += row[l] * column[c];
                }
            }
        }
        block
    }

    /// Overwrites each block with the sum of its contributions.
    fn write(&self, domain: &mut Domain<T>) {
        let mut start = 0;
        // Two loops, so that sums vectorise in lanes of four and not of nine.
        let mut sums = [Block::default(); 32];
        for (chunk, ends) in self.ends.chunks(sums.len()).enumerate() {
            for (sum, end) in sums.iter_mut().zip(ends) {
                *sum = self.block(&self.shares[start..*end as usize]);
                start = *end as usize;
            }
            for (k, block) in sums[..ends.len()].iter().enumerate() {
                domain.put(chunk * 32 + k, block);
            }
        }
    }
}
