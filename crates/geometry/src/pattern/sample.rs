//! Vertices of the borders and inner lines of panels, as many on one side of a seam as on the other.

use super::check::{OFF, crosses, of_panel};
use super::model::{Side, inside};
use super::{Edge, Panel, Pattern};
use crate::linalg::Vec2;
use crate::mesh::MeshError;
use std::collections::{BTreeMap, BTreeSet};

/// Part of the edge length below which an edge is collapsed to a vertex.
const SLIVER: f64 = 1.0 / 3.0;
/// Length above which no edge is collapsed [m].
const LONGEST: f64 = 0.01;
/// Largest number of pieces of inner lines that are cut where they cross.
const PIECES: usize = 4000;

/// Sampled panel.
#[derive(Clone, Debug, Default)]
pub(super) struct Border {
    /// Vertices: of the loops in order, then of inner lines [m].
    pub points: Vec<Vec2>,
    /// Vertices of each loop, in order.
    pub loops: Vec<Vec<u32>>,
    /// Vertices of each edge from its start to its end; a single one if it is collapsed.
    pub edges: Vec<Vec<u32>>,
    /// Name and vertices of each inner line.
    pub lines: Vec<(String, Vec<u32>)>,
}

/// Division of an edge: arc lengths of its vertices between the ends.
#[derive(Clone, Debug, PartialEq)]
enum Division {
    /// No segment.
    Collapsed,
    /// Arc lengths of inner vertices.
    At(Vec<f64>),
}

/// Samples all panels at an edge length `h` [m].
///
/// # Errors
/// Fails for a panel that is smaller than that.
pub(super) fn sample(pattern: &Pattern, h: f64, notes: &mut Vec<MeshError>) -> Result<Vec<Border>, MeshError> {
    let marks = marks(pattern, h);
    let mut divisions: BTreeMap<Side, Division> = collapsed(pattern, h, notes);
    for stitch in &pattern.stitches {
        if stitch.sides.iter().any(|s| divisions.contains_key(s)) {
            continue;
        }
        let [a, b] = stitch.sides;
        let of = |side: Side| {
            let length = pattern.edge(side).map_or(0.0, |e| e.curve.length());
            (length, marks.get(&side).cloned().unwrap_or_default())
        };
        let (first, mut second) = (of(a), of(b));
        let counts = [&first, &second].map(|(_, marks)| marks.notches.len());
        if counts[0] != counts[1] && !counts.contains(&0) {
            let [first, second] = [a, b].map(|side| pattern.name_of(side));
            let what = format!(
                "'{first}' and '{second}' are sewn together and have {} and {} notches; they are matched by length alone",
                counts[0], counts[1]
            );
            notes.push(MeshError { line: pattern.edge(a).and_then(|e| e.line), column: None, what });
        }
        if !stitch.starts_meet {
            second.1 = second.1.turned(second.0);
        }
        let [first, mut other] = divided([&first, &second], h);
        if !stitch.starts_meet {
            other = other.iter().rev().map(|s| second.0 - s).collect();
        }
        divisions.insert(a, Division::At(first));
        divisions.insert(b, Division::At(other));
    }
    for (k, panel) in pattern.panels.iter().enumerate() {
        for (edge, each) in panel.edges().enumerate() {
            let side = Side { panel: k, edge };
            let own = (each.curve.length(), marks.get(&side).cloned().unwrap_or_default());
            divisions.entry(side).or_insert_with(|| {
                let [at, _] = divided([&own, &own], h);
                Division::At(at)
            });
        }
    }
    let each = |(k, panel): (usize, &Panel)| border(panel, |edge| divisions.get(&Side { panel: k, edge }), h, notes);
    pattern.panels.iter().enumerate().map(each).collect()
}

/// Arc lengths of marks on an edge: of notches, and of ends of inner lines.
#[derive(Clone, Debug, Default)]
struct Marks {
    notches: Vec<f64>,
    ends: Vec<f64>,
}

impl Marks {
    /// Returns the marks of the reversed edge.
    fn turned(&self, length: f64) -> Marks {
        let turn = |all: &[f64]| all.iter().rev().map(|s| length - s).collect();
        Marks { notches: turn(&self.notches), ends: turn(&self.ends) }
    }
}

/// Returns the marks on each edge that has any.
fn marks(pattern: &Pattern, h: f64) -> BTreeMap<Side, Marks> {
    let mut found: BTreeMap<Side, Marks> = BTreeMap::new();
    for (k, panel) in pattern.panels.iter().enumerate() {
        let nearest = |p: Vec2| {
            let near = panel.outline.iter().map(|e| e.curve.nearest(p)).enumerate();
            near.min_by(|a, b| a.1.1.total_cmp(&b.1.1))
                .map(|(edge, (along, far))| (Side { panel: k, edge }, along, far))
        };
        for notch in &panel.notches {
            if let Some((side, along, far)) = nearest(notch.at)
                && far <= OFF
            {
                found.entry(side).or_default().notches.push(along);
            }
        }
        for end in panel.lines.iter().flat_map(|line| [line.curve.start(), line.curve.end()]) {
            if let Some((side, along, far)) = nearest(end)
                && far <= h / 2.0
            {
                found.entry(side).or_default().ends.push(along);
            }
        }
    }
    for (side, marks) in &mut found {
        let length = pattern.edge(*side).map_or(0.0, |e| e.curve.length());
        for all in [&mut marks.notches, &mut marks.ends] {
            all.retain(|s| (1e-4..=length - 1e-4).contains(s));
            all.sort_by(f64::total_cmp);
            all.dedup_by(|a, b| (*a - *b).abs() < 1e-4);
        }
    }
    found
}

/// Returns the edges that are too short for a segment. Both sides of a seam are, or none.
fn collapsed(pattern: &Pattern, h: f64, notes: &mut Vec<MeshError>) -> BTreeMap<Side, Division> {
    let length = |side: Side| pattern.edge(side).map_or(0.0, |e| e.curve.length());
    let mut sewn: BTreeMap<Side, Side> = BTreeMap::new();
    for [a, b] in pattern.stitches.iter().map(|s| s.sides) {
        sewn.insert(a, b);
        sewn.insert(b, a);
    }
    let mut found: BTreeMap<Side, Division> = BTreeMap::new();
    for (panel, each) in pattern.panels.iter().enumerate() {
        for edge in 0..each.edges().count() {
            let side = Side { panel, edge };
            let sides: Vec<Side> = [Some(side), sewn.get(&side).copied()].into_iter().flatten().collect();
            let short = |s: &Side| length(*s) < LONGEST.min(SLIVER * h) && !found.contains_key(s);
            if !sides.iter().all(short) || !sides.iter().all(|s| lonely(pattern, *s, &found, h)) {
                continue;
            }
            let names: Vec<String> = sides.iter().map(|s| format!("'{}'", pattern.name_of(*s))).collect();
            let line = pattern.edge(side).and_then(|e| e.line);
            let what = match names.as_slice() {
                [a, b] => format!(
                    "{a} and {b} are sewn together and {:.1} mm long; each becomes a vertex",
                    1e3 * length(side)
                ),
                _ => format!("edge {} is {:.1} mm long; it becomes a vertex", names.join(""), 1e3 * length(side)),
            };
            notes.push(MeshError { line, column: None, what });
            found.extend(sides.into_iter().map(|s| (s, Division::Collapsed)));
        }
    }
    found
}

/// Returns whether an edge that collapses shortens its loop by little, together with neighbours that collapse too.
fn lonely(pattern: &Pattern, side: Side, found: &BTreeMap<Side, Division>, h: f64) -> bool {
    let Some(panel) = pattern.panels.get(side.panel) else { return false };
    let mut first = 0;
    for edges in std::iter::once(&panel.outline).chain(&panel.holes) {
        let n = edges.len();
        if !(first..first + n).contains(&side.edge) {
            first += n;
            continue;
        }
        let gone = |k: usize| found.contains_key(&Side { panel: side.panel, edge: first + k });
        let at = side.edge - first;
        let length = |k: usize| edges[k].curve.length();
        let forth = (1..n).map(|d| (at + d) % n).take_while(|k| gone(*k)).map(length).sum::<f64>();
        let back = (1..n).map(|d| (at + n - d) % n).take_while(|k| gone(*k)).map(length).sum::<f64>();
        let left = (0..n).filter(|k| !gone(*k)).count();
        return forth + back + length(at) < SLIVER * h && left > 3;
    }
    false
}

/// Divides two edges that are sewn together, or one that is given twice. Returns the arc lengths of inner vertices.
/// Notches that both have are vertices of both.
fn divided(sides: [&(f64, Marks); 2], h: f64) -> [Vec<f64>; 2] {
    let matched = sides[0].1.notches.len() == sides[1].1.notches.len();
    let cuts = sides.map(|(length, marks)| {
        let inner: &[f64] = if matched { &marks.notches } else { &[] };
        let mut cuts = vec![0.0];
        cuts.extend(inner);
        cuts.push(*length);
        cuts
    });
    let mut at = [Vec::new(), Vec::new()];
    for k in 1..cuts[0].len() {
        let part = |side: usize| [cuts[side][k - 1], cuts[side][k]];
        let length = |side: usize| part(side)[1] - part(side)[0];
        let n = (length(0).max(length(1)) / h).round().max(1.0) as usize;
        for side in 0..2 {
            let marks = &sides[side].1;
            let free: Vec<f64> =
                marks.ends.iter().chain(if matched { &[] } else { &marks.notches[..] }).copied().collect();
            at[side].extend(spread(part(side), n, &free));
            if k + 1 < cuts[0].len() {
                at[side].push(cuts[side][k]);
            }
        }
    }
    at
}

/// Divides a part of an edge into `n` segments. Marks are vertices, as far as there are enough. Returns the inner ones.
fn spread([from, to]: [f64; 2], n: usize, marks: &[f64]) -> Vec<f64> {
    let mut inside: Vec<f64> = marks.iter().copied().filter(|s| from < *s && *s < to).collect();
    inside.sort_by(f64::total_cmp);
    let mut knots = vec![(0, from)];
    for s in inside {
        let k = ((s - from) / (to - from) * n as f64).round() as usize;
        if k > knots[knots.len() - 1].0 && k < n {
            knots.push((k, s));
        }
    }
    knots.push((n, to));
    let mut at = Vec::new();
    for pair in knots.windows(2) {
        let [(i, a), (j, b)] = [pair[0], pair[1]];
        at.extend((i + 1..=j).map(|k| if k == j { b } else { a + (b - a) * (k - i) as f64 / (j - i) as f64 }));
    }
    at.pop();
    at
}

/// Makes the vertices of a panel.
fn border<'a>(
    panel: &Panel,
    division: impl Fn(usize) -> Option<&'a Division>,
    h: f64,
    notes: &mut Vec<MeshError>,
) -> Result<Border, MeshError> {
    let mut border = Border::default();
    let mut first = 0;
    for edges in std::iter::once(&panel.outline).chain(&panel.holes) {
        let n = edges.len();
        let gone = |k: usize| division(first + k % n) == Some(&Division::Collapsed);
        let start = border.points.len() as u32;
        let mut corner = vec![start; n];
        let mut own: Vec<Vec<u32>> = Vec::with_capacity(n);
        // A loop begins at an edge that stays, so that runs of collapsed ones do not wrap around.
        let begin = (0..n).find(|k| !gone(*k) && !gone(k + n - 1)).unwrap_or(0);
        let order = || (0..n).map(|d| (begin + d) % n);
        for k in order() {
            corner[k] = border.points.len() as u32;
            if gone(k) {
                continue;
            }
            border.points.push(corner_of(edges, k, &gone));
            if let Some(Division::At(at)) = division(first + k) {
                border.points.extend(at.iter().map(|s| edges[k].curve.at(*s)));
            }
        }
        let end = border.points.len() as u32;
        for (k, corner) in corner.iter().enumerate() {
            // Vertices at the end of the list are followed by the first one.
            let wrapped = |v: u32| if v >= end { start } else { v };
            let inner = match division(first + k) {
                Some(Division::At(at)) => at.len() as u32 + 1,
                _ => 0,
            };
            own.push((*corner..=*corner + inner).map(wrapped).collect());
        }
        if end - start < 3 {
            let what = format!(
                "a loop of it has {} vertices at an edge length of {:.1} mm; give a shorter one",
                end - start,
                1e3 * h
            );
            return Err(of_panel(panel, None, &what));
        }
        border.loops.push((start..end).collect());
        border.edges.extend(own);
        first += n;
    }
    inner_lines(panel, &mut border, h, notes);
    Ok(border)
}

/// Returns the corner at the start of an edge. Corners of collapsed edges before it are its mean.
fn corner_of(edges: &[Edge], k: usize, gone: &impl Fn(usize) -> bool) -> Vec2 {
    let n = edges.len();
    let back = (1..n).take_while(|d| gone(k + n - d)).count();
    let start = edges[k].curve.start();
    if back == 0 { start } else { 0.5 * (start + edges[(k + n - back) % n].curve.start()) }
}

/// Adds the vertices of inner lines.
fn inner_lines(panel: &Panel, border: &mut Border, h: f64, notes: &mut Vec<MeshError>) {
    let rims = border.points.len();
    for line in &panel.lines {
        let length = line.curve.length();
        let n = (length / h).round().max(1.0) as usize;
        let points: Vec<Vec2> = (0..=n).map(|k| line.curve.at(length * k as f64 / n as f64)).collect();
        let ring = |ring: &Vec<u32>| ring.iter().map(|v| border.points[*v as usize]).collect::<Vec<Vec2>>();
        let outside = |p: &Vec2| {
            !inside(border.loops.iter().map(ring), *p) && border.points[..rims].iter().all(|q| (q - p).norm() > h / 2.0)
        };
        if points.iter().any(outside) {
            notes.push(of_panel(panel, line.line, &format!("the line '{}' leaves it; left out", line.name)));
            continue;
        }
        let mut chain: Vec<u32> = Vec::new();
        for (k, p) in points.iter().enumerate() {
            // Ends take vertices of the outline from farther away than inner points do.
            let reach = if k == 0 || k == n { 0.75 * h } else { 0.5 * h };
            let v = vertex(border, *p, reach);
            if chain.last() != Some(&v) {
                chain.push(v);
            }
        }
        if chain.len() > 1 {
            border.lines.push((line.name.clone(), chain));
        }
    }
    cut_crossings(panel, border, h, notes);
    drop_unused(border, rims);
}

/// Returns the nearest vertex within `reach` of a point, else a new one there.
fn vertex(border: &mut Border, p: Vec2, reach: f64) -> u32 {
    let far = |q: &Vec2| (q - p).norm();
    let near = border.points.iter().enumerate().min_by(|a, b| far(a.1).total_cmp(&far(b.1)));
    if let Some((k, q)) = near
        && far(q) < reach
    {
        return k as u32;
    }
    border.points.push(p);
    border.points.len() as u32 - 1
}

/// Gives inner lines a common vertex where they cross.
fn cut_crossings(panel: &Panel, border: &mut Border, h: f64, notes: &mut Vec<MeshError>) {
    let count: usize = border.lines.iter().map(|(_, line)| line.len()).sum();
    if count > PIECES {
        notes.push(of_panel(panel, None, "its inner lines have too many pieces; left out"));
        border.lines.clear();
        border.points.truncate(border.loops.iter().map(Vec::len).sum());
        return;
    }
    for a in 0..border.lines.len() {
        for b in a + 1..border.lines.len() {
            let mut from = 0;
            while let Some((i, j, p)) = first_crossing(border, (a, b), from) {
                let v = vertex(border, p, 0.45 * h);
                // A piece that is not cut is not looked at again, so that this ends.
                from = if border.lines[a].1.contains(&v) { i + 1 } else { i };
                for (line, k) in [(a, i), (b, j)] {
                    pass(border, line, k, (v, p, 0.45 * h));
                }
            }
        }
    }
}

/// Leads a line through vertex `v`, which lies at `p`, after its vertex `k`. Inner vertices nearer than `reach` go.
fn pass(border: &mut Border, line: usize, k: usize, (v, p, reach): (u32, Vec2, f64)) {
    let Border { points, lines, .. } = border;
    let chain = &mut lines[line].1;
    if !chain.contains(&v) {
        chain.insert(k + 1, v);
    }
    let last = chain.len() - 1;
    let near = |w: u32| w != v && (points[w as usize] - p).norm() < reach;
    let mut at = 0..;
    chain.retain(|w| {
        let at = at.next().unwrap_or_default();
        at == 0 || at == last || !near(*w)
    });
}

/// Removes vertices of inner lines that no line has any more.
fn drop_unused(border: &mut Border, rims: usize) {
    let used: BTreeSet<u32> = border.lines.iter().flat_map(|(_, line)| line.iter().copied()).collect();
    let kept: Vec<u32> = (0..border.points.len() as u32).filter(|v| (*v as usize) < rims || used.contains(v)).collect();
    let new: BTreeMap<u32, u32> = kept.iter().zip(0..).map(|(old, new)| (*old, new)).collect();
    border.points = kept.iter().map(|v| border.points[*v as usize]).collect();
    for v in border.lines.iter_mut().flat_map(|(_, line)| line) {
        *v = new.get(v).copied().unwrap_or_default();
    }
}

/// Returns the first pieces of two lines that cross, from piece `from` of the first on.
fn first_crossing(border: &Border, (a, b): (usize, usize), from: usize) -> Option<(usize, usize, Vec2)> {
    let piece = |line: usize, k: usize| [0, 1].map(|d| border.points[border.lines[line].1[k + d] as usize]);
    let pieces = |line: usize| border.lines[line].1.len().saturating_sub(1);
    (from..pieces(a)).find_map(|i| (0..pieces(b)).find_map(|j| crosses(&piece(a, i), &piece(b, j)).map(|p| (i, j, p))))
}
