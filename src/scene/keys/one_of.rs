//! Mutually exclusive keys of a table.

use super::{Field, Keys};
use crate::scene::document::Origin;
use crate::scene::json::Json;

/// Mutually exclusive keys of a table; see [`one_of!`].
pub(crate) trait Alternatives: Sized {
    /// Purpose of the keys.
    const ABOUT: &'static str;
    /// Names of the keys.
    const NAMES: &'static [&'static str];
    /// Declares all keys and reads those present.
    fn take(keys: &mut Keys) -> Vec<(&'static str, Option<Self>)>;
}

/// Field of alternatives of which exactly one key must be present.
pub(crate) struct ExactlyOne<A>(std::marker::PhantomData<A>);
/// Field of alternatives of which at most one key may be present.
pub(crate) struct AtMostOne<A>(std::marker::PhantomData<A>);

/// Field of alternatives with a default. At most one key may be present.
pub(crate) struct OneOr<A>(A);

/// Accepts at most one of the alternatives. The default replaces an absent key.
pub(crate) fn one_or<A: Alternatives>(default: A) -> OneOr<A> {
    OneOr(default)
}

impl<A: Alternatives + Clone> Field for OneOr<A> {
    type Value = A;
    fn take(&self, keys: &mut Keys, name: &'static str, doc: &str) -> Option<A> {
        Some(at_most_one().take(keys, name, doc)?.unwrap_or_else(|| self.0.clone()))
    }
}

/// Requires exactly one of the alternatives.
pub(crate) fn exactly_one<A: Alternatives>() -> ExactlyOne<A> {
    ExactlyOne(std::marker::PhantomData)
}

/// Accepts at most one of the alternatives.
pub(crate) fn at_most_one<A: Alternatives>() -> AtMostOne<A> {
    AtMostOne(std::marker::PhantomData)
}

/// Returns the first alternative that is present. Records an error for each further one.
fn single<A: Alternatives>(keys: &mut Keys) -> Option<Option<A>> {
    let mut found = A::take(keys);
    found.sort_by_key(|(name, _)| match keys.find(name).map(|n| n.origin) {
        Some(Origin::Text(at)) => (0, at),
        Some(Origin::Set(at)) => (1, at),
        None => (2, 0),
    });
    let mut found = found.into_iter();
    let (first, value) = found.next()?;
    let mut conflict = false;
    for (name, _) in found {
        keys.fault(name, format!("conflicts with '{first}'; give one of {}", A::NAMES.join(", ")));
        conflict = true;
    }
    Some(if conflict { None } else { value })
}

fn present(name: &str) -> Json {
    Json::map([("required", Json::texts([name]))])
}

impl<A: Alternatives> Field for ExactlyOne<A> {
    type Value = A;
    fn take(&self, keys: &mut Keys, _name: &'static str, _doc: &str) -> Option<A> {
        keys.rule(|| Json::map([("oneOf", Json::List(A::NAMES.iter().map(|n| present(n)).collect()))]));
        match single(keys) {
            Some(value) => value,
            None => {
                let about = A::ABOUT.split(['(', '.']).next().unwrap_or_default().trim();
                let (first, rest) = about.split_at(about.chars().next().map_or(0, char::len_utf8));
                let about = format!("{}{rest}", first.to_lowercase());
                keys.lacks(format!("missing: {about}; give one of {}", A::NAMES.join(", ")));
                None
            }
        }
    }
}

impl<A: Alternatives> Field for AtMostOne<A> {
    type Value = Option<A>;
    fn take(&self, keys: &mut Keys, _name: &'static str, _doc: &str) -> Option<Option<A>> {
        keys.rule(|| {
            let any: Vec<Json> = A::NAMES.iter().map(|n| present(n)).collect();
            let none = Json::map([("not", Json::map([("anyOf", Json::List(any.clone()))]))]);
            Json::map([("oneOf", Json::List(any.into_iter().chain([none]).collect()))])
        });
        match single(keys) {
            Some(value) => value.map(Some),
            None => Some(None),
        }
    }
}

/// Declares an enum with a key for each variant. A table holds at most one of these keys.
macro_rules! one_of {
    (
        $(#[doc = $about:literal])*
        $vis:vis enum $name:ident {
            $( $(#[doc = $doc:literal])* $variant:ident $(($type:ty))? = $key:literal : $kind:expr ),* $(,)?
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, PartialEq)]
        $vis enum $name { $( $(#[doc = $doc])* $variant $(($type))? ),* }

        impl $crate::scene::keys::Alternatives for $name {
            const ABOUT: &'static str = concat!($($about),*);
            const NAMES: &'static [&'static str] = &[$( $key ),*];
            fn take(keys: &mut $crate::scene::keys::Keys) -> Vec<(&'static str, Option<Self>)> {
                let mut found = Vec::new();
                $(
                    let kind = $kind;
                    keys.declare($key, false, || $crate::scene::keys::described(&kind, concat!($($doc),*)));
                    if let Some(read) = keys.read($key, &kind) {
                        found.push(($key, read.map(|value| $crate::scene::keys::one_of!(@make value $variant $($type)?))));
                    }
                )*
                found
            }
        }
    };
    (@make $value:ident $variant:ident $type:ty) => { Self::$variant($value) };
    (@make $value:ident $variant:ident) => {{ let () = $value; Self::$variant }};
}

pub(in crate::scene) use one_of;
