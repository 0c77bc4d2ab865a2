//! Dual quaternion skinning: joints turn and shift a point as one rigid motion, the weighted mean of their dual
//! quaternions, which keeps the girth where linear blending collapses. Scale and shear are blended linearly first.

use crate::linalg::{Mat3, Rotation, Vec3};
use openusd::gf::Matrix4d;

/// Quaternion as (w, x, y, z).
type Quaternion = [f64; 4];

/// Joint transform: symmetric scale and shear, then a rigid motion as a dual quaternion.
pub(super) struct Joint {
    scale: Mat3,
    real: Quaternion,
    dual: Quaternion,
}

impl Joint {
    /// Splits the transform of a joint, given for row vectors, by its polar decomposition.
    pub(super) fn of(m: &Matrix4d) -> Joint {
        let shift = Vec3::new(m.0[12], m.0[13], m.0[14]);
        // Transposed, so that it acts on columns.
        let whole = Mat3::from_fn(|row, column| m.0[4 * column + row]);
        let split = whole.svd(true, true);
        let (Some(left), Some(right)) = (split.u, split.v_t) else { return Joint::none() };
        let mut turn = left * right;
        if turn.determinant() < 0.0 {
            turn = -turn;
        }
        let scale = turn.transpose() * whole;
        let q = Rotation::from_matrix(&turn);
        let real = [q.w, q.i, q.j, q.k];
        let dual = product([0.0, shift.x, shift.y, shift.z], real).map(|c| c / 2.0);
        Joint { scale, real, dual }
    }

    fn none() -> Joint {
        Joint { scale: Mat3::identity(), real: [0.0; 4], dual: [0.0; 4] }
    }
}

/// Moves a point by joints, each with its weight.
pub(super) fn moved<'a>(p: Vec3, joints: impl Iterator<Item = (&'a Joint, f64)> + Clone) -> Vec3 {
    // Opposite quaternions are one rotation. All take the side of the heaviest joint, the first of equals.
    let heaviest = joints.clone().fold(None, |best: Option<(&Joint, f64)>, (joint, weight)| match best {
        Some((_, most)) if most >= weight => best,
        _ => Some((joint, weight)),
    });
    let Some((pivot, _)) = heaviest else { return Vec3::zeros() };
    let (mut scaled, mut real, mut dual) = (Vec3::zeros(), [0.0; 4], [0.0; 4]);
    for (joint, weight) in joints {
        scaled += joint.scale * p * weight;
        let side = if dot(joint.real, pivot.real) < 0.0 { -weight } else { weight };
        for k in 0..4 {
            real[k] += side * joint.real[k];
            dual[k] += side * joint.dual[k];
        }
    }
    let square = dot(real, real);
    if square < f64::MIN_POSITIVE {
        return scaled;
    }
    let undone = [real[0], -real[1], -real[2], -real[3]];
    let turned = product(product(real, [0.0, scaled.x, scaled.y, scaled.z]), undone);
    let shift = product(dual, undone);
    Vec3::from_fn(|k, _| (turned[k + 1] + 2.0 * shift[k + 1]) / square)
}

fn dot(a: Quaternion, b: Quaternion) -> f64 {
    a.iter().zip(&b).map(|(x, y)| x * y).sum()
}

fn product([aw, ax, ay, az]: Quaternion, [bw, bx, by, bz]: Quaternion) -> Quaternion {
    [
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    ]
}

#[cfg(test)]
mod tests {
    use super::super::values::transform;
    use super::*;

    fn matrix(turn: f64, scale: [f64; 3], shift: [f64; 3]) -> Matrix4d {
        Matrix4d::scale(scale) * Matrix4d::rotation_y(turn) * Matrix4d::translation(shift)
    }

    #[test]
    fn one_joint_is_its_matrix() {
        let p = Vec3::new(0.3, -0.2, 0.7);
        for scale in [[1.0; 3], [0.5, 2.0, 1.5], [1.0, 1.0, -1.0]] {
            let m = matrix(2.4, scale, [1.0, 2.0, -3.0]) * Matrix4d::rotation_x(-1.0);
            let joint = Joint::of(&m);
            assert!((moved(p, [(&joint, 1.0)].into_iter()) - transform(&m, p)).norm() < 1e-14, "{scale:?}");
        }
    }

    #[test]
    fn halves_of_a_turn_keep_the_girth() {
        let [a, b] = [0.0, 3.0].map(|turn| Joint::of(&matrix(turn, [1.0; 3], [0.0; 3])));
        let p = moved(Vec3::new(1.0, 0.0, 0.0), [(&a, 0.5), (&b, 0.5)].into_iter());
        let half = transform(&Matrix4d::rotation_y(1.5), Vec3::new(1.0, 0.0, 0.0));
        assert!((p - half).norm() < 1e-14, "{p}");
    }
}
