//! Table of the numbers of a struct.

/// Row of the table: a number of a struct. `numbers!` declares the rows.
pub struct Number<S: 'static> {
    /// Name in files: the field's name.
    pub word: &'static str,
    /// Unit; empty for a pure number.
    pub unit: &'static str,
    /// Description.
    pub sentence: &'static str,
    /// The number is an integer.
    pub whole: bool,
    /// Default if a file lacks the number; `None`: required.
    pub absent: Option<f64>,
    /// Returns the value.
    pub get: fn(&S) -> f64,
    /// Sets the value.
    pub set: fn(&mut S, f64),
}

/// Declares a struct and the table of its numbers. Each has a description (its doc comment), a unit, and a default if a
/// file lacks it. Fields after `with` are not in the table.
#[macro_export]
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
            /// Table of the struct's numbers.
            pub const NUMBERS: &'static [$crate::world::quantity::Number<$name>] = &[$(
                $crate::world::quantity::Number {
                    word: stringify!($field),
                    unit: $unit,
                    sentence: concat!($($doc),*),
                    // Integer types truncate 0.5 to 0.
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

pub use numbers;
