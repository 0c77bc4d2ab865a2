//! `[[glue]]`: cloths glued to bodies.

use super::document::{Node, Value};
use super::fault::meant;
use super::json::Json;
use super::keys::{Context, Kind, exactly_one, section};
use super::kinds::quantity;
use super::place::Selector;
use super::unit::{Unit, short};
use crate::force::glue::STIFFNESS;

section! {
    /// Vertices of a cloth glued to the surface of a body, each to the point next to it and as far from it as at the
    /// start.
    pub struct Glue {
        /// Name of the cloth.
        pub cloth: String = Named(&["cloth"]).required(),
        /// Name of the body.
        pub body: String = Named(&["body"]).required(),
        /// Vertices of the cloth that are glued.
        pub selector: Selector = exactly_one(),
        /// Stiffness of the film of glue, per area; as stiff as it is if absent, a garment's weight moves it by less
        /// than 10 um.
        pub stiffness: f64 = quantity(Unit::FilmStiffness, 1.0..=1e12).or(STIFFNESS),
    }
}

/// Name of an object in one of these sections.
pub struct Named(pub &'static [&'static str]);

impl Named {
    /// Formats the sections: "body", "body or obstacle", or "body, obstacle or cloth".
    fn sections(&self) -> String {
        match self.0 {
            [first @ .., last] if first.len() > 1 => format!("{} or {last}", first.join(", ")),
            all => all.join(" or "),
        }
    }
}

impl Kind for Named {
    type Value = String;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<String> {
        let Value::Text(name) = &node.value else {
            self.refuse(cx, path, node);
            return None;
        };
        let is_one = |of: &String| self.0.contains(&of.as_str());
        if cx.objects.get(name).is_some_and(is_one) {
            return Some(name.clone());
        }
        let sections = self.sections();
        let message = match cx.objects.get(name) {
            Some(other) => format!("'{}' is no {sections}, it is in [[{other}]]", short(name)),
            None => {
                let all = cx.objects.iter().filter(|(_, of)| is_one(of)).map(|(name, _)| name.as_str());
                format!("no {sections} is named '{}'{}", short(name), meant(name, all))
            }
        };
        cx.fault(node.origin, path, message);
        None
    }

    fn wanted(&self) -> String {
        let sections = self.sections();
        format!("the name of {} {sections}", if sections.starts_with(['a', 'o']) { "an" } else { "a" })
    }

    fn schema(&self) -> Json {
        Json::map([("type", Json::text("string"))])
    }
}
