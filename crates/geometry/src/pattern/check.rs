//! Checks of a pattern that was read: loops that cross, sizes, stitches, notches.

use super::model::{Side, short};
use super::{Edge, Panel, Pattern};
use crate::linalg::Vec2;
use crate::mesh::MeshError;
use crate::mesh::number_text::rounded;
use std::collections::{BTreeMap, BTreeSet};

/// Distance of chords from curves when crossings are looked for [m].
const CHORD: f64 = 5e-5;
/// Largest number of chords of a panel.
const CHORDS: usize = 200_000;
/// Largest number of panels and stitches.
const PANELS: usize = 2000;
/// Sizes that the longest side of the largest panel has [m].
const SIZES: std::ops::RangeInclusive<f64> = 0.02..=20.0;
/// Sizes beyond which a warning is given [m].
const USUAL: std::ops::RangeInclusive<f64> = 0.1..=4.0;
/// Ratio of the sides of a seam above which a warning is given.
const UNEQUAL: f64 = 1.5;
/// Distance from the outline above which a notch is told [m].
pub(super) const OFF: f64 = 5e-3;

/// Checks all panels and stitches. Adds warnings to the notes of the pattern.
///
/// # Errors
/// Fails for the first panel that no mesh can be made of, and for edges with several seams.
pub fn check(pattern: &mut Pattern) -> Result<(), MeshError> {
    if pattern.panels.len() > PANELS || pattern.stitches.len() > 20 * PANELS {
        let (panels, stitches) = (pattern.panels.len(), pattern.stitches.len());
        return Err(MeshError::new(format!("{panels} panels and {stitches} stitches; this is no garment")));
    }
    size(pattern)?;
    for panel in &pattern.panels {
        outline(panel)?;
    }
    names(pattern)?;
    stitches(pattern)?;
    notches(pattern);
    Ok(())
}

/// Makes an error of a panel.
pub(super) fn of_panel(panel: &Panel, line: Option<usize>, what: &str) -> MeshError {
    MeshError { line: line.or(panel.line), column: None, what: format!("panel '{}': {what}", short(&panel.name)) }
}

/// Formats a place in a panel, in centimetres.
pub(super) fn place(p: Vec2) -> String {
    // A zero that is added turns -0 to 0.
    let [x, y] = [p.x, p.y].map(|c| (1e4 * c).round() / 100.0 + 0.0);
    format!("({x:.2}, {y:.2}) cm")
}

/// Chord of an edge.
struct Chord {
    ends: [Vec2; 2],
    /// Loop, and position in it.
    at: (usize, usize),
    edge: usize,
}

/// Checks that loops neither cross themselves nor each other, and enclose an area.
fn outline(panel: &Panel) -> Result<(), MeshError> {
    let mut chords = Vec::new();
    let mut counts = Vec::new();
    let mut edge = 0;
    for (k, edges) in std::iter::once(&panel.outline).chain(&panel.holes).enumerate() {
        let first = chords.len();
        for each in edges {
            let points = each.curve.flattened(CHORD);
            for pair in points.windows(2).filter(|pair| pair[0] != pair[1]) {
                chords.push(Chord { ends: [pair[0], pair[1]], at: (k, chords.len() - first), edge });
            }
            edge += 1;
        }
        counts.push(chords.len() - first);
        if chords.len() > CHORDS {
            return Err(of_panel(panel, None, "more than 200000 pieces of line in its outline; simplify the curves"));
        }
        if chords.len() - first < 2 {
            return Err(of_panel(panel, None, "its outline has no extent"));
        }
    }
    if let Some((a, b, p)) = crossing(&chords, &counts) {
        let edge = |k: usize| panel.edge(k);
        let (a, b) = (edge(a), edge(b));
        let name = |e: Option<&Edge>| e.map_or("?", |e| &e.name).to_string();
        let (line, at) = (b.and_then(|b| b.line), place(p));
        let which = if name(a) == name(b) {
            format!("its edge '{}' crosses itself", name(a))
        } else {
            format!("its edges '{}' and '{}' cross", name(a), name(b))
        };
        return Err(of_panel(panel, line, &format!("{which} at {at}; move one, so that the outline is a simple loop")));
    }
    let area = panel.area();
    if !(area.is_finite() && area > 1e-8) {
        let all = format!("its outline encloses {} cm2", rounded(1e4 * area));
        return Err(of_panel(panel, None, &format!("{all}; is it drawn twice, or are holes larger than it?")));
    }
    Ok(())
}

/// Returns the edges of the first two chords that cross, and the place.
fn crossing(chords: &[Chord], counts: &[usize]) -> Option<(usize, usize, Vec2)> {
    let low = |c: &Chord| c.ends[0].x.min(c.ends[1].x);
    let high = |c: &Chord| c.ends[0].x.max(c.ends[1].x);
    let mut order: Vec<&Chord> = chords.iter().collect();
    order.sort_by(|a, b| low(a).total_cmp(&low(b)));
    let mut open: Vec<&Chord> = Vec::new();
    for c in order {
        open.retain(|o| high(o) >= low(c));
        for o in &open {
            let around = o.at.1.abs_diff(c.at.1);
            let next = o.at.0 == c.at.0 && (around <= 1 || around + 1 == counts[c.at.0]);
            if !next && let Some(p) = crosses(&o.ends, &c.ends) {
                return Some((o.edge.min(c.edge), o.edge.max(c.edge), p));
            }
        }
        open.push(c);
    }
    None
}

/// Returns where the insides of two line segments cross.
pub(super) fn crosses(a: &[Vec2; 2], b: &[Vec2; 2]) -> Option<Vec2> {
    let side = |s: &[Vec2; 2], p: Vec2| (s[1] - s[0]).perp(&(p - s[0]));
    let [p, q] = [side(a, b[0]), side(a, b[1])];
    let [r, s] = [side(b, a[0]), side(b, a[1])];
    (p * q < 0.0 && r * s < 0.0).then(|| a[0] + (a[1] - a[0]) * (r / (r - s)))
}

/// Checks that the largest panel has the size of a garment's.
fn size(pattern: &mut Pattern) -> Result<(), MeshError> {
    let longest = |panel: &Panel| {
        let [low, high] = panel.bounds();
        (high - low).amax()
    };
    let Some(panel) = pattern.panels.iter().max_by(|a, b| longest(a).total_cmp(&longest(b))) else {
        return Err(MeshError::new("no panels in this file"));
    };
    let size = longest(panel);
    if SIZES.contains(&size) {
        if !USUAL.contains(&size) {
            let what =
                format!("the largest panel measures {} m; is the unit right? 'unit' sets another", rounded(size));
            pattern.notes.push(of_panel(panel, None, &what));
        }
        return Ok(());
    }
    // Ratios of the units in which patterns are drawn: mm, cm, inch, m.
    let ratios = [1e-3, 1e-2, 0.0254, 0.0393701, 0.1, 0.393701, 2.54, 10.0, 25.4, 39.3701, 100.0, 1000.0];
    let fits: Vec<String> = ratios.into_iter().filter(|r| (0.2..=2.0).contains(&(size * r))).map(rounded).collect();
    let fit = if fits.is_empty() { String::new() } else { format!("; {} times that would fit", fits.join(" or ")) };
    let what = format!(
        "the largest panel measures {} m, so lengths are in another unit{fit}: give the length of one with 'unit'",
        rounded(size)
    );
    Err(of_panel(panel, None, &what))
}

/// Makes names of seams unique.
fn names(pattern: &mut Pattern) -> Result<(), MeshError> {
    let mut seen = BTreeSet::new();
    for stitch in &pattern.stitches {
        if !seen.insert(&stitch.name) {
            let what = format!("a second seam named '{}'; names are unique", short(&stitch.name));
            return Err(MeshError { line: stitch.line, column: None, what });
        }
    }
    let mut seen = BTreeSet::new();
    match pattern.panels.iter().find(|p| !seen.insert(&p.name)) {
        Some(panel) => Err(of_panel(panel, None, "another panel has this name; names are unique")),
        None => Ok(()),
    }
}

/// Checks that an edge has one seam, and tells sides of very different lengths.
fn stitches(pattern: &mut Pattern) -> Result<(), MeshError> {
    let mut sewn: BTreeMap<Side, &str> = BTreeMap::new();
    let mut notes = Vec::new();
    for stitch in &pattern.stitches {
        let fault = |what: String| MeshError { line: stitch.line, column: None, what };
        if stitch.sides[0] == stitch.sides[1] {
            let edge = pattern.name_of(stitch.sides[0]);
            return Err(fault(format!("edge '{edge}' is sewn to itself; name two edges")));
        }
        for side in stitch.sides {
            if let Some(other) = sewn.insert(side, &stitch.name) {
                let edge = pattern.name_of(side);
                return Err(fault(format!(
                    "edge '{edge}' has two seams, '{}' and '{}'; cut the edge in two, or leave one seam out",
                    short(other),
                    short(&stitch.name)
                )));
            }
        }
        let [a, b] = stitch.sides.map(|side| pattern.edge(side).map_or(0.0, |e| e.curve.length()));
        // Short ends of cut edges may differ by anything.
        if a.max(b) > UNEQUAL * a.min(b) && a.max(b) > 0.01 {
            let [first, second] = stitch.sides.map(|side| pattern.name_of(side));
            notes.push(fault(format!(
                "seam '{}': '{first}' is {:.1} cm long and '{second}' {:.1} cm; {:.0} % of the longer one is gathered. Are these the edges \
                 that belong together?",
                short(&stitch.name),
                100.0 * a,
                100.0 * b,
                100.0 * (1.0 - a.min(b) / a.max(b))
            )));
        }
    }
    pattern.notes.extend(notes);
    Ok(())
}

/// Tells notches that are not on an outline.
fn notches(pattern: &mut Pattern) {
    let mut notes = Vec::new();
    for panel in &pattern.panels {
        for notch in &panel.notches {
            let far = |e: &Edge| e.curve.nearest(notch.at).1;
            let far = panel.outline.iter().map(far).fold(f64::INFINITY, f64::min);
            if far > OFF {
                let what =
                    format!("the notch at {} is {:.1} mm off the outline; it is left out", place(notch.at), 1e3 * far);
                notes.push(of_panel(panel, notch.line, &what));
            }
        }
    }
    pattern.notes.extend(notes);
}
