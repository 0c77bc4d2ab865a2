//! Reader of patterns drawn as SVG. A group of paths is a panel: its largest closed path is the outline.

mod group;
mod path;
mod units;

use super::model::short;
use super::{Options, Pattern};
use crate::mesh::{MeshError, text};
use group::{Group, Item, Words};
use kurbo::{Affine, Point};
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::BTreeMap;
use std::str::FromStr;

/// Largest depth of groups and uses.
const DEEPEST: usize = 48;
/// Largest number of elements, those of uses counted again.
const MOST: usize = 200_000;
/// Name space of Inkscape.
const INKSCAPE: &str = "http://www.inkscape.org/namespaces/inkscape";
/// Name space of links.
const LINK: &str = "http://www.w3.org/1999/xlink";
/// Name space of Sodipodi, the forebear of Inkscape.
const SODIPODI: &str = "http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd";

/// Document, for the places of faults.
pub(super) struct Place<'a> {
    document: &'a Document<'a>,
}

impl Place<'_> {
    /// Makes an error at an element, with its kind and name.
    pub(super) fn fault(&self, node: &Node, what: impl AsRef<str>) -> MeshError {
        let at = self.document.text_pos_at(node.range().start);
        let name = named(node).map(|n| format!(" '{}'", short(n))).unwrap_or_default();
        let what = format!("<{}>{name}: {}", node.tag_name().name(), what.as_ref());
        MeshError::at(at.row as usize, at.col as usize, what)
    }

    /// Returns the line of an element.
    fn line(&self, node: &Node) -> usize {
        self.document.text_pos_at(node.range().start).row as usize
    }
}

/// Returns the name of an element: its label in Inkscape, else its id.
fn named<'a>(node: &Node<'a, '_>) -> Option<&'a str> {
    node.attribute((INKSCAPE, "label")).or_else(|| node.attribute("id")).filter(|name| !name.trim().is_empty())
}

/// Reads a drawing.
///
/// # Errors
/// Fails for text that is no SVG, a drawing without a real size, and panels whose outline is open.
pub(super) fn read(bytes: &[u8], options: &Options) -> Result<Pattern, MeshError> {
    let text = text::name(&text::plain(bytes)?);
    let parsing = ParsingOptions { allow_dtd: true, nodes_limit: 2_000_000, ..ParsingOptions::default() };
    let document = Document::parse_with_options(&text, parsing).map_err(|error| {
        let at = error.pos();
        MeshError::at(at.row as usize, at.col as usize, format!("not XML: {error}"))
    })?;
    let place = Place { document: &document };
    let root = document.root_element();
    if root.tag_name().name() != "svg" {
        return Err(place.fault(&root, "not an SVG drawing, whose first element is <svg>"));
    }
    let map = units::real(&root, options.unit, &place)?;
    let named = document.descendants().filter_map(|n| Some((n.attribute("id")?, n))).collect();
    let mut walk = Walk { place: &place, named, groups: vec![Group::default()], above: Vec::new(), count: 0 };
    walk.children(&root, map, Some(0), 0)?;
    let mut pattern = Pattern::default();
    let mut seams = Vec::new();
    for group in walk.groups {
        group.panels(&mut pattern, &mut seams)?;
    }
    if pattern.panels.is_empty() {
        let what = "no panel in this drawing: a panel is a group with a closed path, its outline";
        return Err(place.fault(&root, what));
    }
    group::sew(&mut pattern, seams)?;
    Ok(pattern)
}

/// Walk through the elements.
struct Walk<'a> {
    place: &'a Place<'a>,
    /// Elements by id.
    named: BTreeMap<&'a str, Node<'a, 'a>>,
    groups: Vec<Group>,
    /// Names of the groups around.
    above: Vec<String>,
    count: usize,
}

/// Returns whether an element is shown, by its attributes and inline style.
fn shown(node: &Node) -> bool {
    let style = node.attribute("style").unwrap_or_default().replace(' ', "");
    let has = |key: &str, value: &str| {
        node.attribute(key) == Some(value) || style.split(';').any(|part| part == format!("{key}:{value}"))
    };
    !has("display", "none") && !has("visibility", "hidden")
}

/// Returns whether an element draws lines.
fn draws(node: &Node) -> bool {
    let name = node.tag_name().name();
    ["path", "line", "polyline", "polygon", "rect", "circle", "ellipse"].contains(&name) && shown(node)
}

impl Walk<'_> {
    /// Looks at the children of a group. `group` is the index of the group to which they belong.
    fn children(&mut self, node: &Node, map: Affine, group: Option<usize>, depth: usize) -> Result<(), MeshError> {
        if depth > DEEPEST {
            let what = format!("groups and uses are nested more than {DEEPEST} deep; does a use show itself?");
            return Err(self.place.fault(node, what));
        }
        for child in node.children().filter(|n| n.is_element()) {
            self.element(&child, map, group, depth)?;
        }
        Ok(())
    }

    fn element(&mut self, node: &Node, map: Affine, group: Option<usize>, depth: usize) -> Result<(), MeshError> {
        self.count += 1;
        if self.count > MOST {
            return Err(self.place.fault(node, "more than 200000 elements, those of uses counted again"));
        }
        if !shown(node) {
            return Ok(());
        }
        let map = map * self.transform(node)?;
        match node.tag_name().name() {
            "g" | "a" | "switch" => {
                let group = self.group(node, group);
                let own = named(node).unwrap_or(self.above.last().map_or("", |name| name));
                self.above.push(own.trim().to_string());
                let outcome = self.children(node, map, group, depth + 1);
                self.above.pop();
                outcome
            }
            "svg" => {
                let shift = (path::number(node, "x", self.place)?, path::number(node, "y", self.place)?);
                if node.has_attribute("viewBox") {
                    return Err(self
                        .place
                        .fault(node, "an inner <svg> with a viewBox of its own is not read; ungroup it"));
                }
                self.children(node, map * Affine::translate(shift), group, depth + 1)
            }
            "use" => self.used(node, map, group, depth),
            "text" => {
                let at = map * Point::new(path::number(node, "x", self.place)?, path::number(node, "y", self.place)?);
                let words: String = node.descendants().filter(|n| n.is_text()).filter_map(|n| n.text()).collect();
                if let Some(group) = group.and_then(|k| self.groups.get_mut(k)) {
                    let line = self.place.line(node);
                    group.texts.push(Words { at, words, role: group::roles(node), line });
                }
                Ok(())
            }
            _ => self.shape(node, map, group),
        }
    }

    /// Begins a panel if a group draws lines itself and lies in none.
    fn group(&mut self, node: &Node, group: Option<usize>) -> Option<usize> {
        if group.is_some_and(|k| k > 0) || !node.children().any(|n| draws(&n)) {
            return group.filter(|k| *k > 0);
        }
        let name = named(node).unwrap_or(self.above.last().map_or("", |name| name)).trim().to_string();
        self.groups.push(Group { name, line: Some(self.place.line(node)), ..Group::default() });
        Some(self.groups.len() - 1)
    }

    /// Looks at the element that a use shows.
    fn used(&mut self, node: &Node, map: Affine, group: Option<usize>, depth: usize) -> Result<(), MeshError> {
        let link = node.attribute("href").or_else(|| node.attribute((LINK, "href"))).unwrap_or_default();
        let shift = (path::number(node, "x", self.place)?, path::number(node, "y", self.place)?);
        let map = map * Affine::translate(shift);
        // Programs draw notches as uses of a symbol.
        if link.to_ascii_lowercase().contains("notch") {
            if let Some(group) = group.and_then(|k| self.groups.get_mut(k)) {
                group.notches.push((map * Point::ZERO, self.place.line(node)));
            }
            return Ok(());
        }
        let wanted = link.strip_prefix('#');
        let Some(target) = wanted.and_then(|id| self.named.get(id)).copied() else {
            return Err(self.place.fault(node, format!("it shows \"{}\", which is not in this file", short(link))));
        };
        if depth >= DEEPEST {
            let what = format!("groups and uses are nested more than {DEEPEST} deep; does a use show itself?");
            return Err(self.place.fault(node, what));
        }
        let first = self.groups.len();
        let outcome = match target.tag_name().name() {
            "symbol" => {
                let group = self.group(&target, group);
                self.children(&target, map, group, depth + 1)
            }
            _ => self.element(&target, map, group, depth + 1),
        };
        // A copy of a panel has the name of the use, not of the panel that it shows.
        if let (Some(name), Some(group)) = (named(node), self.groups.get_mut(first)) {
            group.name = name.trim().to_string();
        }
        outcome
    }

    fn shape(&mut self, node: &Node, map: Affine, group: Option<usize>) -> Result<(), MeshError> {
        let Some(group) = group else {
            // A drawing may have paths in no group at all.
            return if draws(node) { self.shape(node, map, Some(0)) } else { Ok(()) };
        };
        let Some(parts) = path::subpaths(node, self.place)? else { return Ok(()) };
        let single = parts.len() == 1;
        let types = node.attribute((SODIPODI, "nodetypes")).filter(|_| single);
        let line = self.place.line(node);
        for part in parts {
            let part = path::moved(&part, map);
            if !path::is_near(&part) {
                return Err(self.place.fault(node, "it reaches farther than a kilometre; is the real size right?"));
            }
            let item = Item {
                name: named(node).unwrap_or_default().trim().to_string(),
                roles: group::roles(node),
                types: types.map(str::to_string),
                part,
                line,
            };
            if let Some(group) = self.groups.get_mut(group) {
                group.items.push(item);
            }
        }
        Ok(())
    }

    fn transform(&self, node: &Node) -> Result<Affine, MeshError> {
        let Some(text) = node.attribute("transform") else { return Ok(Affine::IDENTITY) };
        let t = svgtypes::Transform::from_str(text)
            .map_err(|error| self.place.fault(node, format!("its transform is wrong: {error}")))?;
        let map = Affine::new([t.a, t.b, t.c, t.d, t.e, t.f]);
        if map.is_finite() { Ok(map) } else { Err(self.place.fault(node, "its transform is not finite")) }
    }
}
