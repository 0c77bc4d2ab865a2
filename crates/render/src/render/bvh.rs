//! Bounding volume hierarchies over triangles, traversed by packets of rays.
//!
//! The rays of a pixel have nearly the same direction, so that sixteen of them share a traversal. For first hits, every
//! box and triangle test is a straight loop over lanes, which the compiler vectorises.

use super::build::{Bounds, DEPTH, Node, build};
use super::eight::Eight;
use super::packet::{LANES, Lane, Packet, least};

#[derive(Clone, Copy, Debug)]
struct Corner {
    p: [[f32; 3]; 3],
    normal: [f32; 3],
    index: u32,
}

/// Hierarchies over the same triangles, for first hits and for rays that only ask whether anything is in their way.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    corners: Vec<Corner>,
    eight: Eight,
}

impl Tree {
    /// Builds the hierarchies over corner positions. Hits give the index of a triangle in `triangles`. Coordinates must
    /// be finite.
    pub fn new(triangles: &[[[f32; 3]; 3]]) -> Tree {
        let boxes: Vec<Bounds> = triangles.iter().map(Bounds::around).collect();
        let (nodes, order) = build(&boxes);
        let corners: Vec<Corner> = order.iter().map(|i| Corner::new(&triangles[*i as usize], *i)).collect();
        let triangle = |place: usize| {
            let Corner { p: [a, b, c], normal, index } = corners[place];
            (index, [a, b, c, normal])
        };
        let eight = Eight::new(&nodes, triangle);
        Tree { nodes, corners, eight }
    }

    /// Finds the nearest hit of every lane. `reach` becomes its distance (in lengths of `direction`), `hit` its
    /// triangle.
    pub fn nearest(&self, packet: &mut Packet) {
        let inverse = packet.inverse();
        let mut farthest = packet.farthest();
        let mut stack = [(0u32, 0f32); DEPTH + 1];
        let mut top = 0;
        match self.nodes.first() {
            Some(root) if root.entry(packet, &inverse) < f32::INFINITY => {}
            _ => return,
        }
        let mut at = 0u32;
        loop {
            let node = &self.nodes[at as usize];
            if node.count > 0 {
                let first = node.first as usize;
                for corner in &self.corners[first..first + node.count as usize] {
                    corner.test(packet);
                }
                farthest = packet.farthest();
            } else {
                let (a, b) = (node.first, node.first + 1);
                let ta = self.nodes[a as usize].entry(packet, &inverse);
                let tb = self.nodes[b as usize].entry(packet, &inverse);
                let ((near, tn), (far, tf)) = if ta <= tb { ((a, ta), (b, tb)) } else { ((b, tb), (a, ta)) };
                if tn < f32::INFINITY {
                    if tf < f32::INFINITY {
                        stack[top] = (far, tf);
                        top += 1;
                    }
                    at = near;
                    continue;
                }
            }
            loop {
                if top == 0 {
                    return;
                }
                top -= 1;
                if stack[top].1 <= farthest {
                    at = stack[top].0;
                    break;
                }
            }
        }
    }

    /// Finds out whether anything lies within reach. `hit` becomes some triangle or [`super::NONE`].
    pub fn blocked(&self, packet: &mut Packet) {
        self.eight.blocked(packet);
    }
}

impl Node {
    /// Returns the smallest distance at which a lane enters the box within its reach, or infinity if none does.
    #[inline(always)]
    fn entry(&self, packet: &Packet, inverse: &[Lane; 3]) -> f32 {
        least(packet.entries(inverse, self.lo, self.hi))
    }
}

impl Corner {
    fn new(p: &[[f32; 3]; 3], index: u32) -> Corner {
        let e = |i: usize| [0, 1, 2].map(|a| p[i][a] - p[0][a]);
        let (u, v) = (e(1), e(2));
        let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        Corner { p: *p, normal, index }
    }

    /// Intersects the triangle by edge functions `d . (a x b)` from the ray's origin. Reversing an edge exactly changes
    /// the sign of its function, so that no ray slips between two triangles that share it.
    #[inline(always)]
    fn test(&self, packet: &mut Packet) {
        let ([ox, oy, oz], [dx, dy, dz]) = (&packet.origin, &packet.direction);
        let (reach, hit) = (&mut packet.reach, &mut packet.hit);
        let n = self.normal;
        for l in 0..LANES {
            let from = |p: &[f32; 3]| [p[0] - ox[l], p[1] - oy[l], p[2] - oz[l]];
            let edge = |a: &[f32; 3], b: &[f32; 3]| {
                dx[l] * (a[1] * b[2] - a[2] * b[1])
                    + dy[l] * (a[2] * b[0] - a[0] * b[2])
                    + dz[l] * (a[0] * b[1] - a[1] * b[0])
            };
            let (a, b, c) = (from(&self.p[0]), from(&self.p[1]), from(&self.p[2]));
            let (u, v, w) = (edge(&b, &c), edge(&c, &a), edge(&a, &b));
            let least = if u < v { u } else { v };
            let least = if w < least { w } else { least };
            let most = if u > v { u } else { v };
            let most = if w > most { w } else { most };
            // Edge functions give the side exactly, but their sum is inaccurate for a small, distant triangle. The
            // distance comes from the plane, so that surfaces half a millimetre apart keep their order.
            let slope = n[0] * dx[l] + n[1] * dy[l] + n[2] * dz[l];
            let t = (n[0] * a[0] + n[1] * a[1] + n[2] * a[2]) / slope;
            let inside = ((least >= 0.0) | (most <= 0.0)) & (u + v + w != 0.0) & (t > 0.0) & (t < reach[l]);
            reach[l] = if inside { t } else { reach[l] };
            hit[l] = if inside { self.index } else { hit[l] };
        }
    }
}
