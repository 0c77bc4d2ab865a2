//! `[[ignore]]`: parts of objects between which contact is left out.

use super::document::{Node, Value};
use super::fault::meant;
use super::json::Json;
use super::keys::{Context, Kind, section};
use super::kinds::list;
use super::unit::short;

section! {
    /// Parts of objects between which there is no contact, and whose crossings are counted apart. Two obstacles, or two
    /// groups of one, are parts of a figure that crosses itself: cloth caught between them stays at the first and
    /// passes through the second until it is out.
    pub struct Ignore {
        /// Two parts, each `"object"` or `"object:group"`; one part for it and itself.
        pub between: Vec<Part> = list(PartKind, 1..=2).required(),
    }
}

/// Object, or a group of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Name of the object.
    pub object: String,
    /// Group of its vertices; `None` for the whole.
    pub group: Option<String>,
}

impl Part {
    /// Returns the part as it is written in a scene.
    pub fn describe(&self) -> String {
        match &self.group {
            Some(group) => format!("{}:{group}", self.object),
            None => self.object.clone(),
        }
    }
}

/// Kind of a part.
struct PartKind;

impl Kind for PartKind {
    type Value = Part;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<Part> {
        let Value::Text(text) = &node.value else {
            self.refuse(cx, path, node);
            return None;
        };
        // Names of objects have no colon, those of groups may.
        let (object, group) = match text.split_once(':') {
            Some((object, group)) => (object, Some(group.to_string())),
            None => (text.as_str(), None),
        };
        if !cx.objects.contains_key(object) {
            let hint = meant(object, cx.objects.keys().map(String::as_str));
            let message = format!("no cloth, body or obstacle is named '{}'{hint}", short(object));
            cx.fault(node.origin, path, message);
            return None;
        }
        if group.as_ref().is_some_and(|group| group.trim().is_empty()) {
            cx.fault(node.origin, path, format!("no group after the colon; write \"{object}\" for the whole"));
            return None;
        }
        Some(Part { object: object.to_string(), group })
    }

    fn wanted(&self) -> String {
        "an object, or a group of it as \"object:group\"".to_string()
    }

    fn plural(&self) -> String {
        "one or two parts, such as [\"shirt:armpit\", \"arm\"]".to_string()
    }

    fn schema(&self) -> Json {
        Json::map([("type", Json::text("string"))])
    }

    fn json(&self, value: &Part) -> Option<Json> {
        Some(Json::text(value.describe()))
    }
}
