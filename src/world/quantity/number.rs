//! Numbers that a struct holds, as a table.

/// A number that a struct holds; `numbers!` declares them.
pub struct Number<S: 'static> {
    /// Its word in files: the field's name.
    pub word: &'static str,
    /// Unit; empty for a pure number.
    pub unit: &'static str,
    /// What it is.
    pub sentence: &'static str,
    /// It has no fraction.
    pub whole: bool,
    /// What it is where a file does not tell it; `None`: a file must.
    pub absent: Option<f64>,
    /// Its value.
    pub get: fn(&S) -> f64,
    /// Makes it another.
    pub set: fn(&mut S, f64),
}

/// Declares a struct and the table of its numbers: each with its sentence, unit, and what it is where a file does not tell it. Behind
/// `with` stand fields that are no numbers.
macro_rules! numbers {
    (
        $(#[$about:meta])*
        $vis:vis struct $name:ident {
            $(
                $(#[doc = $doc:literal])*
                $fvis:vis $field:ident : $type:ty = $unit:literal $(or $absent:expr)?
            ),* $(,)?
        }
        $( with { $( $(#[doc = $more:literal])* $mvis:vis $other:ident : $of:ty ),* $(,)? } )?
    ) => {
        $(#[$about])*
        $vis struct $name {
            $( $(#[doc = $doc])* $fvis $field: $type, )*
            $( $( $(#[doc = $more])* $mvis $other: $of, )* )?
        }

        impl $name {
            /// Its numbers.
            pub const NUMBERS: &'static [$crate::world::quantity::Number<$name>] = &[$(
                $crate::world::quantity::Number {
                    word: stringify!($field),
                    unit: $unit,
                    sentence: concat!($($doc),*),
                    // A whole type keeps no half.
                    whole: (0.5 as $type) as f64 == 0.0,
                    absent: $crate::world::quantity::numbers!(@absent $($absent)?),
                    get: |all| all.$field as f64,
                    set: |all, value| all.$field = value as $type,
                },
            )*];
        }
    };
    (@absent $absent:expr) => { Some($absent) };
    (@absent) => { None };
}

pub(crate) use numbers;
