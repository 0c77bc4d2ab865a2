//! Reader of DXF as apparel programs write it (ASTM D6673, AAMA-292): a block is a piece, numbers of layers tell what a
//! line is. Other programs' outlines on layer 1 are read as well.

mod entity;
mod pairs;
mod piece;

use super::model::{listed, short};
use super::{Options, Panel, Pattern};
use crate::linalg::Vec2;
use crate::mesh::MeshError;
use pairs::Pair;
use piece::{Block, value_of};
use std::collections::BTreeSet;

/// Content of a file.
#[derive(Default)]
struct File {
    /// Value of `$INSUNITS` in the header.
    units: Option<i64>,
    blocks: Vec<Block>,
    /// Entities outside of blocks.
    loose: Block,
}

/// Reads a file.
///
/// # Errors
/// Fails at what is no DXF, without a unit or a piece, with several sizes of which none is chosen, and for outlines
/// that are open.
pub(super) fn read(bytes: &[u8], options: &Options) -> Result<Pattern, MeshError> {
    let file = file(&pairs::pairs(bytes)?)?;
    let unit = unit(&file, options)?;
    let mut pieces: Vec<&Block> = file.blocks.iter().filter(|b| b.is_piece()).collect();
    if pieces.is_empty() && file.loose.is_piece() {
        pieces.push(&file.loose);
    }
    if pieces.is_empty() {
        let layers: BTreeSet<&str> =
            file.blocks.iter().chain([&file.loose]).flat_map(|b| &b.entities).map(|e| e.layer.as_str()).collect();
        return Err(MeshError::new(format!(
            "no piece in this file: none of its {} blocks has an outline on layer 1 or 14; its layers are {}. Export it as DXF-ASTM or DXF-AAMA",
            file.blocks.len(),
            listed(layers.into_iter())
        )));
    }
    let sample = file.loose.text_of(&["sample size"]).filter(|s| !s.is_empty());
    let pieces = sized(pieces, options, sample)?;
    let mut pattern = Pattern::default();
    let mut whole = Vec::new();
    for block in pieces {
        let panel = block.panel(unit, &mut pattern.notes)?;
        if !block.has_sew_line(&panel) {
            whole.push((panel.line, format!("'{}'", short(&panel.name))));
        }
        add(&mut pattern, panel, block);
    }
    if let Some((line, _)) = whole.first() {
        let what = format!(
            "no sew line (layer 14) in {}: the outline of layer 1 is sewn. If it is the cut line, panels are larger by the seam allowance; \
             export the sew lines too",
            whole.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", ")
        );
        pattern.notes.push(MeshError { line: *line, column: None, what });
    }
    let reported = "DXF has no stitches; name the edges that are sewn together in the scene ([[cloth.pattern.stitch]])";
    pattern.notes.push(MeshError::new(reported));
    Ok(pattern)
}

/// Adds a panel, and its mirror image where two are cut.
fn add(pattern: &mut Pattern, mut panel: Panel, block: &Block) {
    let count = block.text_of(&["quantity"]).map_or(1.0, |text| {
        text.split(',').filter_map(|n| n.trim().parse::<f64>().ok()).filter(|n| *n >= 0.0).sum::<f64>()
    });
    panel.name = unique(panel.name, pattern);
    let line = panel.line;
    let mirrored = mirrored(&panel);
    let name = panel.name.clone();
    pattern.panels.push(panel);
    if count > 2.0 {
        let what = format!("panel '{}': {count} are cut; it is there once", short(&name));
        pattern.notes.push(MeshError { line, column: None, what });
    } else if count == 2.0 {
        let copy = unique(format!("{name}-2"), pattern);
        let what = format!("panel '{}': two are cut; '{}' is its mirror image", short(&name), short(&copy));
        pattern.notes.push(MeshError { line, column: None, what });
        pattern.panels.push(Panel { name: copy, ..mirrored });
    }
}

/// Returns the mirror image of a panel about the upright through its middle. Edges keep their names.
fn mirrored(panel: &Panel) -> Panel {
    let [low, high] = panel.bounds();
    let (x, shift) = (Vec2::new(-1.0, 0.0), Vec2::new(low.x + high.x, 0.0));
    let mut copy = panel.clone();
    let turn = |edges: &mut Vec<super::Edge>| {
        edges.reverse();
        edges.iter_mut().for_each(|e| e.curve = e.curve.mapped(x, Vec2::y(), shift).reversed());
    };
    turn(&mut copy.outline);
    copy.holes.iter_mut().for_each(turn);
    copy.lines.iter_mut().for_each(|l| l.curve = l.curve.mapped(x, Vec2::y(), shift));
    copy.notches.iter_mut().for_each(|n| n.at = Vec2::new(shift.x - n.at.x, n.at.y));
    copy.grain.x = -copy.grain.x;
    copy
}

fn unique(name: String, pattern: &Pattern) -> String {
    let taken = |name: &str| pattern.panels.iter().any(|p| p.name == name);
    if !taken(&name) {
        return name;
    }
    let mut numbered = (2..).map(|k| format!("{name}-{k}"));
    numbered.find(|n| !taken(n)).unwrap_or(name)
}

/// Leaves the pieces of the chosen size. `sample` is the size that the file names as its sample.
fn sized<'a>(pieces: Vec<&'a Block>, options: &Options, sample: Option<&str>) -> Result<Vec<&'a Block>, MeshError> {
    let size = |b: &&'a Block| b.text_of(&["size", "size name"]).filter(|s| !s.is_empty());
    let mut sizes: Vec<&str> = Vec::new();
    for each in pieces.iter().filter_map(size) {
        if !sizes.contains(&each) {
            sizes.push(each);
        }
    }
    let known = || listed(sizes.iter().copied());
    match &options.size {
        Some(wanted) if sizes.is_empty() => {
            Err(MeshError::new(format!("no piece tells a size, so there is no '{}'; leave 'size' out", short(wanted))))
        }
        Some(wanted) if !sizes.contains(&wanted.as_str()) => {
            Err(MeshError::new(format!("no piece of size '{}'; there are {}", short(wanted), known())))
        }
        Some(wanted) => Ok(pieces.into_iter().filter(|b| size(b).is_none_or(|s| s == wanted)).collect()),
        None if sizes.len() > 1 => {
            let sample = sample.map(|s| format!(" (the sample is '{}')", short(s))).unwrap_or_default();
            Err(MeshError::new(format!("pieces of several sizes, {}; choose one with 'size'{sample}", known())))
        }
        None => Ok(pieces),
    }
}

/// Returns the length of a unit of the file [m].
fn unit(file: &File, options: &Options) -> Result<f64, MeshError> {
    if let Some(unit) = options.unit {
        return Ok(unit);
    }
    let inches = 0.0254;
    match file.units {
        Some(1) => return Ok(inches),
        Some(2) => return Ok(0.3048),
        Some(4) => return Ok(1e-3),
        Some(5) => return Ok(1e-2),
        Some(6) => return Ok(1.0),
        _ => {}
    }
    let texts = file.blocks.iter().chain([&file.loose]).flat_map(|b| &b.entities);
    let reported = texts.filter_map(|e| value_of(&e.words, &["units"])).next();
    match reported.map(str::to_ascii_uppercase).as_deref() {
        Some("METRIC") => Ok(1e-3),
        Some("ENGLISH") => Ok(inches),
        _ => Err(MeshError::new(
            "the file does not say its unit (neither $INSUNITS in the header nor a text \"Units: METRIC\"); give the length of a unit with \
             'unit', such as \"1 mm\" or \"1 inch\"",
        )),
    }
}

/// Reads sections, blocks and entities.
fn file(pairs: &[Pair]) -> Result<File, MeshError> {
    let mut file = File::default();
    let mut section = "";
    let mut k = 0;
    while let Some(pair) = pairs.get(k) {
        match (pair.code, pair.value.as_str()) {
            (0, "SECTION") => {
                section = pairs.get(k + 1).filter(|p| p.code == 2).map_or("", |p| &p.value);
                k += 1;
            }
            (0, "ENDSEC") => section = "",
            (0, "EOF") => break,
            (9, "$INSUNITS") if section == "HEADER" => {
                let value = pairs.get(k + 1).filter(|p| p.code == 70);
                file.units = value.map(Pair::number).transpose()?.map(|units| units as i64);
            }
            (0, "BLOCK") if section == "BLOCKS" => {
                let (block, next) = block(pairs, k)?;
                file.blocks.push(block);
                k = next;
                continue;
            }
            (0, _) if section == "ENTITIES" => {
                let (entity, next) = entity::read(pairs, k)?;
                file.loose.entities.push(entity);
                k = next;
                continue;
            }
            _ => {}
        }
        k += 1;
    }
    if file.blocks.is_empty() && file.loose.entities.is_empty() {
        return Err(MeshError::new("no section BLOCKS or ENTITIES with content: not a DXF drawing"));
    }
    file.loose.name = "piece".to_string();
    file.loose.line = file.loose.entities.first().map_or(1, |e| e.line);
    Ok(file)
}

/// Reads the block that begins at pair `at`; returns it and the pair after it.
fn block(pairs: &[Pair], at: usize) -> Result<(Block, usize), MeshError> {
    let mut block = Block { line: pairs[at].line, ..Block::default() };
    let mut k = at + 1;
    while let Some(pair) = pairs.get(k).filter(|p| p.code != 0) {
        if pair.code == 2 {
            block.name.clone_from(&pair.value);
        }
        k += 1;
    }
    while let Some(pair) = pairs.get(k) {
        if pair.value == "ENDBLK" || pair.value == "ENDSEC" {
            break;
        }
        let (entity, next) = entity::read(pairs, k)?;
        block.entities.push(entity);
        k = next;
    }
    Ok((block, k))
}
