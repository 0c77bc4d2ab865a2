//! Bending of hinges and plates as terms of the system.

use super::{NONE, Patch};
use crate::force::bending::{Bending, Bent, Hinge, fold};
use crate::force::scheme::{Scheme, WIDE, Wide, pick, put, take};
use crate::force::sheet::Sheet;
use crate::force::term::{Law, Name, Own, Rows, couple_all};
use crate::linalg::matrix::{Block, Domain, Lanes, NOWHERE, Real};
use crate::linalg::{Vec3, par};

/// The bending elements of all cloths.
#[derive(Clone, Copy, Debug)]
pub struct Plates<'a> {
    /// Laws by cloth.
    pub sheets: &'a [Sheet],
    /// Hinges: elements by themselves where the law is a table.
    pub hinges: &'a [Hinge],
    /// Elements of the cloths whose rigidity is constant.
    pub patches: &'a [Patch],
}

/// Every hinge that touches a subdomain. The blocks that they share are overwritten, not added to: bending is the first of all terms.
pub struct Hinges<T> {
    sheets: Vec<Sheet>,
    /// Hinges that touch it, then those that share a triangle with one of them.
    hinges: Vec<Hinge>,
    /// For each hinge that touches it, those that share a triangle with it.
    links: Vec<Link>,
    /// What the hinges do in this step.
    turns: Vec<Turn>,
    /// What hinges add to blocks, block by block: sixteen times the hinge, four times its vertex of the row, its vertex of the
    /// column.
    shares: Vec<u32>,
    /// End of each block's `shares`.
    ends: Vec<u32>,
    /// Gradients of the hinges' angles times the root of the stiffness.
    slopes: Vec<[Lanes<T>; 4]>,
}

/// Row of the stiffness of all hinges of a cloth: the hinge itself and the other hinges of its two triangles.
#[derive(Clone, Copy, Debug, Default)]
struct Link {
    /// Indices of the others; any where the stiffness is zero.
    others: [u32; 4],
    /// Stiffness per rigidity: itself, others [-].
    stiffness: [f64; 5],
}

/// A hinge in this step.
#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    /// Angle away from rest, if the velocity stays as it is [rad].
    away: f64,
    /// What free flight adds to it [rad].
    late: f64,
    /// Stiffness by itself [N m].
    stiffness: f64,
    /// Gradient of the angle by vertex [rad/m].
    gradient: [Vec3; 4],
}

impl Plates<'_> {
    fn away(&self, x: &[Vec3]) -> Vec<f64> {
        par::map(self.hinges.len(), |k| self.hinges[k].away(&pick(x, &self.hinges[k].vertices)))
    }

    /// Energy of a hinge by itself [J].
    fn alone(&self, h: &Hinge, x: &[Vec3]) -> f64 {
        match &self.sheets[h.cloth as usize].bending {
            Bending::Constant(_) => 0.0,
            law => h.energy(law, &pick(x, &h.vertices)),
        }
    }

    /// Energy of a patch whose hinges are `away` from rest [J].
    fn together(&self, patch: &Patch, away: &[f64]) -> f64 {
        match self.sheets[patch.cloth as usize].bending {
            Bending::Constant(rigidity) => patch.energy(rigidity, |h| away[h as usize]),
            Bending::Table(_) => 0.0,
        }
    }

    /// Energy of them all [J].
    pub fn energy(&self, x: &[Vec3]) -> f64 {
        let hinges = par::sum(self.hinges.len(), |k| self.alone(&self.hinges[k], x));
        let away = self.away(x);
        hinges + par::sum(self.patches.len(), |k| self.together(&self.patches[k], &away))
    }

    /// The row of each hinge; empty where its law is a table.
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

    /// The hinges of a subdomain, of which all `links` are known.
    fn rows_of<T: Real>(&self, domain: &Domain<T>, links: &[Link]) -> Hinges<T> {
        let mut list = Own::of(domain).near(self.hinges.len(), |h| self.hinges[h].vertices);
        let touching = list.len();
        let mut known: Vec<(u32, u32)> = list.iter().enumerate().map(|(k, h)| (*h, k as u32)).collect();
        known.sort_unstable();
        let find = |h: u32, known: &[(u32, u32)]| known.binary_search_by_key(&h, |k| k.0).map(|k| known[k].1);
        let mut beyond: Vec<u32> = list.iter().flat_map(|h| links[*h as usize].others).collect();
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
        let mut shares: Vec<(u32, u32)> = Vec::new();
        for (k, h) in hinges[..touching].iter().enumerate() {
            let v = h.vertices.map(|v| v as usize);
            for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
                shares.push((domain.place(v[a], v[b]), (16 * k + 4 * a + b) as u32));
            }
        }
        shares.retain(|s| s.0 != NOWHERE);
        shares.sort_unstable();
        // Beyond the last block with a share nothing is written.
        let blocks = shares.last().map_or(0, |s| s.0 + 1);
        Hinges {
            sheets: self.sheets.to_vec(),
            slopes: vec![Default::default(); touching],
            turns: vec![Turn::default(); hinges.len()],
            links: own_links,
            hinges,
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

    fn each_energy(&self, x: &[Vec3], _memory: &[f64], add: &mut dyn FnMut(u32, f64)) {
        let away = self.away(x);
        for h in self.hinges {
            if let Bending::Table(_) = &self.sheets[h.cloth as usize].bending {
                add(h.vertices[0], self.alone(h, x));
            }
        }
        for patch in self.patches {
            if let Bending::Constant(_) = self.sheets[patch.cloth as usize].bending {
                let one = patch.hinges.into_iter().find(|h| *h != NONE).map(|h| self.hinges[h as usize].vertices[0]);
                add(one.unwrap_or_default(), self.together(patch, &away));
            }
        }
    }
}

impl<T: Real> Rows<T> for Hinges<T> {
    fn overwrites(&self) -> usize {
        self.ends.len()
    }

    fn add(&mut self, scheme: &Scheme, _memory: &[f64], domain: &mut Domain<T>, force: &mut [Vec3]) {
        self.turn(scheme);
        for (k, link) in self.links.iter().enumerate() {
            let (h, turn) = (&self.hinges[k], &self.turns[k]);
            let sheet = &self.sheets[h.cloth as usize];
            let bent = match sheet.bending {
                Bending::Constant(rigidity) => {
                    let others = link.others.iter().zip(&link.stiffness[1..]);
                    let sum: f64 = others.map(|(o, c)| c * self.turns[*o as usize].away).sum();
                    rigidity * (link.stiffness[0] * turn.away + sum)
                }
                Bending::Table(_) => turn.stiffness * turn.away,
            };
            let moment = bent + turn.stiffness * turn.late;
            let root = (turn.stiffness * (1.0 + sheet.damping.bend / scheme.beta)).sqrt();
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
    /// Angles of the hinges, some of them side by side.
    fn turn(&mut self, scheme: &Scheme) {
        let Hinges { sheets, hinges, turns, .. } = self;
        let mut edges = [[Wide::default(); 3]; 3];
        let mut gradients = [[Wide::default(); 3]; 4];
        let (mut sin, mut cos) = (Wide::default(), Wide::default());
        for (hinges, turns) in hinges.chunks(WIDE).zip(turns.chunks_mut(WIDE)) {
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
            for (l, (h, turn)) in hinges.iter().zip(turns).enumerate() {
                let sheet = &sheets[h.cloth as usize];
                let gradient = [0, 1, 2, 3].map(|a| take(&gradients[a], l));
                let (away, stiffness) = h.state(&sheet.bending, Bent { sin: sin[l], cos: cos[l], gradient }.angle());
                let (mut whole, mut late) = (0.0, 0.0);
                for (v, g) in h.vertices.iter().zip(&gradient) {
                    let v = *v as usize;
                    let damped = scheme.damped(v);
                    whole += g.dot(&(scheme.y[v] + damped * sheet.damping.bend));
                    late += g.dot(&(scheme.rate[v] - scheme.v[v])) * scheme.betas[v];
                    late += g.dot(&(damped - scheme.v[v])) * sheet.damping.bend;
                }
                *turn = Turn { away: away + whole - late, late, stiffness, gradient };
            }
        }
    }

    /// Sum of shares of a block.
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

    /// Overwrites each block with the sum of the hinges' shares.
    fn write(&self, domain: &mut Domain<T>) {
        let mut start = 0;
        // In two loops, so that sums are made in lanes of four and not of nine.
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
