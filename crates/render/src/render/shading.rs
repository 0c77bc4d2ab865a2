//! Shading laws: reflection of light by a surface.

/// Least cosine used with a negative exponent, about 2 degrees short of grazing.
const GRAZING: f64 = 0.04;

/// Shading law. Values are relative: a Lambert surface that faces the light gives exactly its colour times the light's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shading {
    /// Minnaert shading `(N.L)^k (N.V)^(1-k)`, Prince & Bigham 2004, section 2.3. `k` = 1 is Lambert. Smaller `k` is
    /// flatter, with darker rims.
    Minnaert {
        /// Exponent, positive.
        k: f64,
    },
    /// Minnaert shading `(N.L)^k (N.V)^(k-1)`, Minnaert, "The reciprocity principle in lunar photometry", 1941. `k` < 1
    /// brightens the rims, as on velvet.
    Minnaert1941 {
        /// Exponent, positive.
        k: f64,
    },
    /// Phong shading `N.L + specular (R.V)^shininess`, Phong 1975.
    Phong {
        /// Exponent of the highlight.
        shininess: f64,
        /// Strength of the highlight, relative to the light's colour.
        specular: f64,
    },
    /// Lambert shading `N.L`.
    Lambert,
}

/// Part of its colour that a fully wet surface loses. Water lets more light into the depth of the material (Lekner &
/// Dorf, "Why some things are darker when wet", 1988).
const DARKER: f64 = 0.5;
/// Highlight of a fully wet surface: strength relative to the light's colour, and exponent.
const SHINE: (f64, f64) = (0.22, 28.0);

/// Returns the part of its colour that a wet surface keeps, and the strength of its highlight. `wetness` runs from 0 to
/// 1; `rv` is the cosine between mirrored light and viewer.
pub(super) fn wetted(wetness: f64, nl: f64, rv: f64) -> (f64, f64) {
    let shine = if nl > 0.0 { SHINE.0 * wetness * power(rv, SHINE.1) } else { 0.0 };
    (1.0 - DARKER * wetness, shine)
}

/// Reflected light per unit of incident light, from one direction or from everywhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    /// Factor of the surface's colour.
    pub diffuse: f64,
    /// Factor of white.
    pub specular: f64,
}

fn power(cosine: f64, exponent: f64) -> f64 {
    if exponent == 0.0 {
        1.0
    } else if exponent < 0.0 {
        cosine.max(GRAZING).powf(exponent)
    } else {
        cosine.max(0.0).powf(exponent)
    }
}

impl Shading {
    /// Returns the response to directional light. Cosines: N.L between normal and light, N.V between normal and viewer,
    /// R.V between mirrored light and viewer. The response is zero if the light is behind the surface.
    pub fn direct(&self, nl: f64, nv: f64, rv: f64) -> Response {
        if nl <= 0.0 {
            return Response { diffuse: 0.0, specular: 0.0 };
        }
        match *self {
            Shading::Minnaert { k } => Response { diffuse: power(nl, k) * power(nv, 1.0 - k), specular: 0.0 },
            Shading::Minnaert1941 { k } => Response { diffuse: power(nl, k) * power(nv, k - 1.0), specular: 0.0 },
            Shading::Phong { shininess, specular } => {
                Response { diffuse: nl, specular: specular * power(rv, shininess.max(1.0)) }
            }
            Shading::Lambert => Response { diffuse: nl, specular: 0.0 },
        }
    }

    /// Returns the diffuse response to uniform light from everywhere, without highlights. This is `1/pi` times the
    /// integral of [`Shading::direct`] over the hemisphere. For both Minnaert forms it is `2/(k+1)` times the factor of
    /// N.V, for the others 1.
    pub fn ambient(&self, nv: f64) -> f64 {
        match *self {
            Shading::Minnaert { k } => 2.0 / (k + 1.0) * power(nv, 1.0 - k),
            Shading::Minnaert1941 { k } => 2.0 / (k + 1.0) * power(nv, k - 1.0),
            Shading::Phong { .. } | Shading::Lambert => 1.0,
        }
    }
}
