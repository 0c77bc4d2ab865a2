//! Elastic cords from cloth to fixed points.

use crate::common::{Bench, Cut, G, close, cloth, cut, input, select, settings};
use percale::force::drag::Drag;
use percale::force::tether::{Cord, Tethers};
use percale::linalg::Vec3;
use percale::stepper::{Integrator, stepper};
use std::sync::Arc;

/// A sheet that hangs on two cords comes to rest with its weight on them. The forces are along the cords, stretched
/// beyond their slack lengths, which grew by a part of the longest stretch during the swing. The residual motion, 0.1
/// mm/s against a rate of 5/s, is 1e-5 of it.
#[test]
fn cords_bear_the_weight_of_what_hangs_on_them() {
    for set in [0.0, 0.4] {
        let mesh = cut(Cut::Alternating, 6, 6, 0.3, 0.3, |m| Vec3::new(m.x, m.y, 0.0));
        let corners = select(&mesh, |m| m.y > 0.299 && (m.x < 0.001 || m.x > 0.299));
        let mut hung = cloth(mesh, 500.0);
        hung.drag = Drag { normal: 1.0, tangent: 1.0 };
        let gravity = Vec3::new(0.0, -G, 0.0);
        let mut bench = Bench::new(input(gravity, hung), settings(Integrator::BackwardEuler, 5e-3, 1e-8));
        let place = &bench.world.objects[0].place;
        let places: Vec<u32> = corners.iter().map(|v| place[*v as usize]).collect();
        let cord = |vertex: u32| {
            let point = bench.state.x[vertex as usize] + Vec3::new(0.0, 0.5, 0.2);
            Cord { vertex, point, length: 0.5, stiffness: 1.0, set }
        };
        let cords: Vec<Cord> = places.iter().map(|v| cord(*v)).collect();
        assert_eq!(cords.len(), 2);
        bench.world.add(Arc::new(Tethers(cords.clone())));
        bench.state.memory = bench.world.elements.memory(&bench.state.x);
        bench.stepper = stepper(&bench.world, bench.stepper.settings(), true);
        bench.settle(1e-4);
        let longest = &bench.state.memory.0[0].values;
        let pull: Vec3 = cords
            .iter()
            .zip(longest)
            .map(|(cord, longest)| {
                assert!(*longest > 0.6, "{longest}");
                let away = bench.state.x[cord.vertex as usize] - cord.point;
                let slack = cord.length + set * (longest - cord.length);
                -away.normalize() * (cord.stiffness * (away.norm() - slack))
            })
            .sum();
        let mass: f64 = bench.world.mass.iter().sum();
        close(&format!("weight borne by cords of set {set}"), pull.y, mass * G, 2e-4);
    }
}
