"""States that are saved, what simulations tell, and what is set between frames."""

import json
import os
import pickle
import unittest
import warnings

import numpy
import percale

from test_percale import COARSE, COMMAND, DRAPE, HOUSE, QUIET, Case, read, rows
from test_scene import sheet


def bits(simulation):
    return [simulation.positions(name).tobytes() + simulation.velocities(name).tobytes() for name in simulation.objects]


def follow(simulation, count):
    """Bits of the next frames."""
    made = []
    for _ in range(count):
        simulation.step()
        made.append(bits(simulation))
    return made


def hung(frames=12, more=None, **keys):
    """A sheet held at one side, above a ball."""
    points, triangles, _ = sheet(12)
    mesh = {"points": points, "triangles": triangles, "groups": {"side": numpy.arange(12)}}
    cloth = {"name": "sheet", "mesh": mesh, "pin": [{"group": "side"}]}
    ball = {"name": "ball", "sphere": {"center": [0.25, -0.3, 0], "radius": 0.2}}
    values = {"time": {"frames": frames}, "cloth": [{**cloth, **(more or {})}], "obstacle": [ball], **keys}
    return percale.from_dict(values)


class Saved(Case):
    def test_frames_after_a_state_have_the_same_bits(self):
        simulation = percale.Simulation(percale.load(DRAPE, set=COARSE))
        simulation.run(until=18)
        self.assertGreater(len(simulation.contacts()["gaps"]), 0)
        state = pickle.loads(pickle.dumps(simulation.save()))
        here, stats = bits(simulation), simulation.stats()
        ahead = follow(simulation, 6)
        simulation.restore(state)
        self.assertEqual((simulation.frame, bits(simulation)), (18, here))
        self.assertEqual({**simulation.stats(), "seconds": 0}, {**stats, "seconds": 0})
        self.assertEqual(simulation.save(), state)
        self.assertEqual(follow(simulation, 6), ahead)
        # Another simulation of the scene, on other threads, goes the same way.
        other = percale.Simulation(percale.load(DRAPE, set=COARSE), threads=1)
        other.restore(state)
        self.assertEqual((follow(other, 6), other.save()), (ahead, simulation.save()))

    def test_what_is_set_is_part_of_the_state(self):
        hangs = lambda: hung(14, more={"air_drag": 1})
        simulation = percale.Simulation(hangs())
        held = simulation.positions("sheet")[simulation.pins("sheet")[0]]
        ball = simulation.positions("ball").copy()
        simulation.set_target("sheet", held + [0.02, 0.01, 0], pin=0)
        simulation.set_target("ball", ball + [0, 0.02, 0])
        simulation.set_gravity([1, -8, 0.5])
        simulation.set_wind([0, 0, 3])
        simulation.run(until=4)
        state = simulation.save()
        ahead = follow(simulation, 5)
        untouched = percale.Simulation(hangs())
        untouched.run(until=9)
        self.assertNotEqual(bits(untouched), ahead[-1])
        for other in (untouched, simulation, percale.Simulation(hangs())):
            other.restore(state)
            self.assertEqual(follow(other, 5), ahead)
        # A state in which nothing is set takes back what is set.
        plain = percale.Simulation(hangs())
        first = plain.save()
        simulation.restore(first)
        self.assertEqual(follow(simulation, 5), follow(plain, 5))

    def test_seams_rest_shapes_air_and_water_are_saved(self):
        for name, frame, more in [
            ("skirt", 3, {}),
            ("skirt-band", 3, {}),
            ("wet-ball", 3, {}),
            ("pillow", 2, {}),
        ]:
            with self.subTest(name):
                scene = percale.load(HOUSE / f"scenes/{name}.toml", set={"time.frames": frame + 2, **more})
                simulation = percale.Simulation(scene)
                simulation.run(until=frame)
                state = simulation.save()
                ahead = follow(simulation, 2)
                for other in (simulation, percale.Simulation(scene)):
                    other.restore(state)
                    self.assertEqual(follow(other, 2), ahead)

    def test_states_that_do_not_fit_are_refused(self):
        simulation = percale.Simulation(hung())
        simulation.step()
        state, here = simulation.save(), bits(simulation)
        points, triangles, _ = sheet(11)
        mesh = {"points": points, "triangles": triangles, "groups": {"side": [0]}}
        others = {
            "'sheet' has another mesh in it": hung(more={"mesh": mesh}),
            "the objects are 'sheet', 'cube', its own 'sheet', 'ball'": hung(
                obstacle=[{"name": "cube", "sphere": {"center": [0, -1, 0], "radius": 0.2}}]
            ),
            "it is at frame 2, the scene has frames 1 to 1": hung(1),
            "time.fps, time.preroll or time.scale is another": hung(time={"fps": 10}),
        }
        for told, scene in others.items():
            other = percale.Simulation(scene)
            before = bits(other)
            with self.assertRaisesRegex(ValueError, f"the saved state cannot be taken: {told}"):
                other.restore(state)
            self.assertEqual(bits(other), before)
        for bad in (b"", state[:-1], state[:100], b"percale checkpoint 2\n" + state[21:], state[:400] + b"?" + state[401:]):
            with self.assertRaises(ValueError):
                simulation.restore(bad)
        with self.assertRaises(TypeError):
            simulation.restore("text")
        self.assertEqual(bits(simulation), here)
        # Another material is another future, and no reason to refuse.
        other = percale.Simulation(hung(more={"material": "silk"}))
        other.restore(state)
        self.assertEqual(bits(other), here)


class Told(Case):
    def test_statistics_and_fields_are_those_of_the_program(self):
        words = ["strain", "speed", "gap"]
        change = {**COARSE, "time.frames": 18, "output.fields": words}
        # Coarse, and on the ball at the end.
        sets = [word for key, value in change.items() for word in ("--set", f"{key}={json.dumps(value)}")]
        done = self.run_command("run", DRAPE, "--out", "out", *QUIET, *sets, program=COMMAND)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in (self.folder / "out/stats.ndjson").read_text().splitlines()]
        simulation = percale.Simulation(percale.load(DRAPE, set=change))
        self.assertEqual(set(words), set(words) & set(simulation.fields("sheet")))
        for line in lines:
            stats = simulation.stats()
            self.assertEqual({**stats, "seconds": 0}, {**line, "seconds": 0})
            self.assertEqual({**simulation.energies(), **line["energies"]}, simulation.energies())
            vertices, _ = read(self.folder / f"out/meshes/sheet/sheet.{line['frame']:04}.ply")
            for word in words:
                values = simulation.field("sheet", word)
                self.assertEqual((values.dtype, values.shape), (numpy.float64, (625,)))
                self.assertEqual(values.astype(numpy.float32).tobytes(), vertices[word].tobytes(), word)
            if not simulation.done:
                simulation.step()
        self.assertEqual(len(lines), 18)

    def test_contacts_bear_the_weight(self):
        # A sheet that lies on a plane.
        points, triangles, _ = sheet(8, 0.5)
        floor = {"name": "floor", "plane": {"point": [0, -0.001, 0]}}
        flat = numpy.where([False, True, False], 0.0, points)
        cloth = {"name": "sheet", "mesh": {"points": flat, "triangles": triangles}, "material": "denim"}
        scene = percale.from_dict({"time": {"frames": 40}, "cloth": [cloth], "obstacle": [floor]})
        simulation = percale.Simulation(scene)
        self.assertEqual({key: len(value) for key, value in simulation.contacts().items()}, dict.fromkeys(simulation.contacts(), 0))
        simulation.run()
        contacts = simulation.contacts()
        count = simulation.stats()["contacts"]
        self.assertGreater(count, 10)
        shapes = {"objects": (count, 4), "vertices": (count, 4), "weights": (count, 4), "normals": (count, 3)}
        for key, shape in {**shapes, "gaps": (count,), "forces": (count,)}.items():
            self.assertEqual(contacts[key].shape, shape, key)
        self.assertEqual(contacts["gaps"].min(), simulation.stats()["min_gap"])
        self.assertEqual(set(contacts["objects"].ravel()), {0, 1})
        # The vector between the closest points is their weighted sum, and as long as gap and thickness.
        where = [simulation.positions(name) for name in simulation.objects]
        corners = numpy.array([[where[o][v] for o, v in zip(*pair)] for pair in zip(contacts["objects"], contacts["vertices"])])
        apart = numpy.einsum("ck,ckd->cd", contacts["weights"], corners)
        along = numpy.einsum("cd,cd->c", apart, contacts["normals"])
        self.assertTrue(numpy.allclose(along - contacts["gaps"], (along - contacts["gaps"]).mean(), atol=2e-5))
        self.assertTrue(numpy.allclose(numpy.linalg.norm(contacts["normals"], axis=1), 1))
        upward = (contacts["forces"][:, None] * contacts["normals"])[:, 1]
        sign = numpy.where(contacts["objects"][numpy.arange(count), contacts["weights"].argmax(axis=1)] == 0, 1, -1)
        weight = 9.81 * -simulation.energies()["gravity"] / 9.81 / flat_height(simulation)
        self.assertLess(abs((sign * upward).sum() / weight - 1), 0.02)

    def test_names_are_checked(self):
        simulation = percale.Simulation(hung())
        with self.assertRaisesRegex(KeyError, "no object is named 'shet'"):
            simulation.field("shet", "strain")
        with self.assertRaisesRegex(ValueError, "'sheet' has no field 'stress'; there are 'strain', 'speed', 'gap'"):
            simulation.field("sheet", "stress")
        with self.assertRaisesRegex(ValueError, "'ball' is no cloth; only cloths have fields"):
            simulation.field("ball", "strain")
        self.assertEqual(simulation.fields("ball"), [])

    def test_functions_are_called_after_each_frame(self):
        simulation = percale.Simulation(hung(6))
        seen = []

        @simulation.on_frame
        def first(own):
            seen.append((own.frame, own.positions("sheet")[:, 1].min()))
            if own.frame == 3:
                own.set_gravity([0, 0, 0])
            if own.frame == 5:
                raise LookupError("enough")

        self.assertTrue(callable(first))
        simulation.run(until=4)
        self.assertEqual([frame for frame, _ in seen], [2, 3, 4])
        with self.assertRaisesRegex(LookupError, "enough"):
            simulation.run()
        # The frame is there.
        self.assertEqual((simulation.frame, seen[-1][0]), (5, 5))
        simulation.run()
        self.assertTrue(simulation.done)
        with self.assertRaisesRegex(ValueError, "frame 6 is the last of the scene, not 7"):
            simulation.run(until=7)


def flat_height(simulation):
    """Mean height of the sheet, whose weight per metre the energy of gravity then gives."""
    return -float(simulation.positions("sheet")[:, 1].astype(float).mean())


class Set(Case):
    def test_pins_and_obstacles_are_at_their_targets(self):
        simulation = percale.Simulation(hung())
        (pin,) = simulation.pins("sheet")
        self.assertEqual((pin.dtype, pin.tolist()), (numpy.int32, list(range(12))))
        rest, ball = simulation.positions("sheet")[pin].astype(float), simulation.positions("ball").astype(float)
        for frame in range(2, 8):
            shift = numpy.array([0.003 * frame, 0.004 * frame, 0.0])
            simulation.set_target("sheet", rest + shift, pin=0)
            simulation.set_target("ball", ball - shift)
            simulation.step()
            self.assertEqual(simulation.positions("sheet")[pin].tobytes(), (rest + shift).astype("f4").tobytes())
            self.assertEqual(simulation.positions("ball").tobytes(), (ball - shift).astype("f4").tobytes())
        self.assertLess(abs(simulation.velocities("sheet")[pin] - [0.09, 0.12, 0]).max(), 1e-3)
        # They stay until another target is set.
        simulation.step()
        self.assertEqual(simulation.positions("sheet")[pin].tobytes(), (rest + shift).astype("f4").tobytes())
        simulation.step()
        self.assertEqual(abs(simulation.velocities("ball")).max(), 0)

    def test_a_driven_pin_moves_as_keyframes_move_it(self):
        times, step = numpy.arange(8) / 30, numpy.array([0.01, 0.02, 0.0])
        keyed = [{"time": time, "translate": step * k} for k, time in enumerate(times)]
        keyed = percale.Simulation(hung(8, more={"pin": [{"group": "side", "keyframes": keyed}]}))
        driven = percale.Simulation(hung(8))
        rest = driven.positions("sheet")[:12].astype(float)
        for k in range(1, 8):
            driven.set_target("sheet", rest + step * k, pin=0)
            driven.step(), keyed.step()
        # The meshes are in double, targets of single positions are not: they differ by rounding alone.
        self.assertLess(abs(driven.positions("sheet") - keyed.positions("sheet")).max(), 2e-4)
        self.assertGreater(abs(driven.positions("sheet") - percale.Simulation(hung()).positions("sheet")).max(), 0.1)

    def test_driven_handles_move_as_keyframes_move_them(self):
        times, step = numpy.arange(8) / 30, numpy.array([0.01, 0.02, 0.0])
        keyed = [{"time": time, "translate": step * k} for k, time in enumerate(times)]
        handle, soft = {"group": "side", "stiffness": 5.0}, {"group": "side", "weight": 0.5}
        for table, one in ("handle", handle), ("pin", soft):
            with self.subTest(table):
                held = lambda more: percale.Simulation(hung(8, more={"pin": None, table: [{**one, **more}]}))
                still, moved, driven = held({}), held({"keyframes": keyed}), held({})
                (own,) = driven.handles("sheet")
                self.assertEqual((own.dtype, own.tolist()), (numpy.int32, list(range(12))))
                rest, state = driven.positions("sheet")[own].astype(float), None
                for k in range(1, 8):
                    driven.set_target("sheet", rest + step * k, handle=0)
                    if k == 5:
                        state, ahead = driven.save(), follow(driven, 1)
                        driven.restore(state)
                    driven.step(), moved.step(), still.step()
                    self.assertTrue(k != 5 or bits(driven) == ahead[0])
                # As for pins, they differ by the rounding of positions alone.
                self.assertLess(abs(driven.positions("sheet") - moved.positions("sheet")).max(), 2e-4)
                self.assertGreater(abs(driven.positions("sheet") - still.positions("sheet")).max(), 0.05)
                still.restore(state)
                self.assertEqual(follow(still, 1), ahead)

    def test_a_driven_pointer_is_that_of_a_file(self):
        # Pressed at the third frame, moved, let go at the seventh and pressed again beside the cloth.
        rows = [(0.5, 0.5, 0), (0.5, 0.5, 0), (0.5, 0.45, 1), (0.55, 0.4, 1), (0.6, 0.4, 1), (0.6, 0.4, 1), (0.6, 0.4, 0)]
        rows += [(0.0, 0.0, 1), (0.0, 0.0, 1), (0.0, 0.0, 0)]
        lines = lambda rows: "".join(f"{k / 30!r},{x!r},{y!r},{down}\n" for k, (x, y, down) in enumerate(rows))
        preview = {"enabled": False, "camera": {"position": [0.25, 1.5, 0.01], "target": [0.25, 0, 0]}}
        made = []
        for direction in ("ray", "motion"):
            of = lambda file: [{"path": str(file), "force": 0.05, "direction": direction}]
            file = self.file("mouse.csv", "t,px,py,button\n" + lines(rows))
            idle = self.file("idle.csv", "t,px,py,button\n" + lines(rows[:1]))
            wanted = percale.Simulation(hung(len(rows), more={"pick": of(file)}, preview=preview))
            driven = percale.Simulation(hung(len(rows), more={"pick": of(idle)}, preview=preview))
            held, missed = [], 0
            for (_, _, down), (x, y, _) in zip(rows, rows[1:]):
                held.append(driven.set_pointer("sheet", [x, y], bool(down)))
                driven.step(), wanted.step()
                self.assertEqual(bits(driven), bits(wanted), driven.frame)
                # A press beside the cloth is told by None, and not counted.
                self.assertEqual(driven.stats()["missed"], 0)
                missed += wanted.stats()["missed"]
            self.assertEqual([vertex is not None for vertex in held], [False] * 2 + [True] * 4 + [False] * 3)
            self.assertEqual((len(set(held[2:6])), missed), (1, 1))
            made.append(bits(driven))
            for told, call in {
                "a coordinate of the pointer is 1.5; it is to be 0 to 1": lambda: driven.set_pointer("sheet", [0, 1.5], True),
                r"pointer of 'sheet': the shape is \[3\], expected \(2,\)": lambda: driven.set_pointer("sheet", [0, 0, 0], True),
                "'sheet' has 1 pointers, counted from 0; there is no pointer 1": lambda: driven.set_pointer("sheet", [0, 0], True, 1),
                "'ball' has 0 pointers": lambda: driven.set_pointer("ball", [0, 0], True),
            }.items():
                with self.assertRaisesRegex(ValueError, told):
                    call()
        self.assertNotEqual(*made)

    def test_gravity_and_factors_act_on_free_fall(self):
        points, triangles, _ = sheet(5)
        cloth = [{"name": "a", "mesh": {"points": points, "triangles": triangles}, "air_drag": 0}]
        values = {"time": {"frames": 40, "fps": 100}, "cloth": cloth}
        simulation = percale.Simulation(percale.from_dict(values))
        simulation.set_gravity([0, 0, 4])
        simulation.run(until=11)
        velocity = lambda: simulation.velocities("a").mean(axis=0)
        self.assertLess(abs(velocity() - [0, 0, 0.4]).max(), 1e-5)
        simulation.set_factor("gravity", -0.5)
        simulation.run(until=21)
        self.assertLess(abs(velocity() - [0, 0, 0.2]).max(), 1e-5)
        # In place of keys.
        keyed = {**values, "key": [{"of": "gravity", "times": [0, 0.2], "factors": [1, 0]}]}
        simulation = percale.Simulation(percale.from_dict(keyed))
        simulation.set_factor("gravity", 2)
        simulation.run(until=11)
        self.assertLess(abs(velocity() - [0, -1.962, 0]).max(), 1e-4)

    def test_wind_takes_cloth_along(self):
        made = []
        for wind in (None, [0, 6, 0]):
            simulation = percale.Simulation(hung(more={"air_drag": 2}))
            if wind:
                simulation.set_wind(wind)
            simulation.run()
            made.append(simulation.positions("sheet").astype(float).mean(axis=0))
        self.assertGreater(made[1][1] - made[0][1], 0.01)
        of_scene = percale.Simulation(hung(more={"air_drag": 2}, wind={"velocity": [0, 6, 0]}))
        of_scene.run()
        self.assertLess(abs(of_scene.positions("sheet").mean(axis=0) - made[1]).max(), 1e-6)
        for call in ("set_wind", [0, 0, 1]), ("set_factor", "wind", 2.0):
            with self.assertRaisesRegex(ValueError, "no cloth or body has air drag, so that wind does nothing; give air_drag"):
                getattr(percale.Simulation(hung()), call[0])(*call[1:])

    def test_a_balloon_takes_its_pressure(self):
        name = HOUSE / "scenes/balloon.toml"
        simulation = percale.Simulation(percale.load(name, set={"time.frames": 6}))
        (balloon,) = [air["cloth"] for air in simulation.stats()["airs"]]
        simulation.set_pressure(balloon, 750.0)
        simulation.step()
        self.assertEqual(simulation.stats()["airs"][0]["pressure"], 750.0)
        state, ahead = simulation.save(), follow(simulation, 2)
        simulation.restore(state)
        self.assertEqual(follow(simulation, 2), ahead)
        with self.assertRaisesRegex(ValueError, "'sheet' is no balloon"):
            percale.Simulation(hung()).set_pressure("sheet", 1)
        with self.assertRaisesRegex(ValueError, "pressure is -1; it is to be 0e0 to 1e7"):
            simulation.set_pressure(balloon, -1)

    def test_positions_and_velocities_are_written(self):
        simulation = percale.Simulation(hung())
        simulation.run(until=4)
        points = simulation.positions("sheet").astype(float)
        lifted = points + numpy.array([0, 0.1, 0])
        simulation.set_positions("sheet", lifted)
        free = numpy.arange(len(points)) >= 12
        self.assertEqual(simulation.positions("sheet")[free].tobytes(), lifted[free].astype("f4").tobytes())
        self.assertEqual(simulation.positions("sheet")[~free].tobytes(), points[~free].astype("f4").tobytes())
        simulation.set_positions("sheet", points)
        simulation.set_velocities("sheet", numpy.tile([0.0, 0.5, 0.0], (len(points), 1)))
        self.assertEqual(abs(simulation.velocities("sheet")[free] - [0, 0.5, 0]).max(), 0)
        self.assertEqual(abs(simulation.velocities("sheet")[~free]).max(), 0)
        state, ahead = simulation.save(), follow(simulation, 2)
        self.assertGreater(simulation.positions("sheet")[:, 1].mean(), points[:, 1].mean())
        simulation.restore(state)
        self.assertEqual(follow(simulation, 2), ahead)

    def test_positions_that_cross_are_refused(self):
        simulation = percale.Simulation(hung())
        simulation.step()
        points, state = simulation.positions("sheet").astype(float), simulation.save()
        # Through the ball.
        with self.assertRaisesRegex(percale.SceneError, "as written 'sheet' and 'ball' cross: .*; move them apart"):
            simulation.set_positions("sheet", points - [0, 0.3, 0])
        self.assertEqual(simulation.save(), state)
        # Nearer than it rests: eased, with a warning.
        near = points.copy()
        near[:, 1] = numpy.where(numpy.hypot(points[:, 0] - 0.25, points[:, 2]) < 0.3, -0.0995, points[:, 1])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            simulation.set_positions("sheet", near)
        self.assertIn("'ball' and 'sheet' begin nearer than they rest", str(caught[0].message))
        simulation.step()

    def test_what_is_set_is_checked(self):
        handles = [{"vertices": [140, 141, 142], "stiffness": 2.0}, {"vertices": [143], "force": [0, 0, 0.01]}]
        simulation = percale.Simulation(hung(more={"air_drag": 1, "handle": handles}))
        points, ball = simulation.positions("sheet").astype(float), simulation.positions("ball").astype(float)
        odd = points.copy()
        odd[7, 1] = numpy.nan
        state = simulation.save()
        for told, call in {
            r"gravity: the shape is \[2\], expected \(3,\)": lambda: simulation.set_gravity([0, 1]),
            r"gravity: vector 0 is \(0, NaN, 0\); components are finite": lambda: simulation.set_gravity([0, numpy.nan, 0]),
            r"wind: vector 0 is \(2000, 0, 0\); .* at most 1e3": lambda: simulation.set_wind([2000, 0, 0]),
            "factor is NaN": lambda: simulation.set_factor("wind", float("nan")),
            r"target of 'ball': the shape is \[3\], expected \(n, 3\)": lambda: simulation.set_target("ball", [0, 0, 0]),
            "target of 'ball': 1 vectors are given, .* are needed": lambda: simulation.set_target("ball", ball[:1]),
            "'sheet' is no obstacle; of cloths and bodies pins have": lambda: simulation.set_target("sheet", points),
            "'sheet' has 1 pins, counted from 0; there is no pin 1": lambda: simulation.set_target("sheet", points, pin=1),
            "'ball' is an obstacle, which has no pins": lambda: simulation.set_target("ball", ball, pin=0),
            "'sheet' has 2 handles, counted from 0; there is no handle 2": lambda: simulation.set_target("sheet", points, handle=2),
            "target of handle 0 of 'sheet': 144 vectors are given, 3 are": lambda: simulation.set_target("sheet", points, handle=0),
            "target of handle 0 of 'sheet': vector 1 is": lambda: simulation.set_target("sheet", odd[6:9], handle=0),
            "handle 1 of 'sheet' is a constant force, which has no": lambda: simulation.set_target("sheet", points[:1], handle=1),
            "'ball' is an obstacle, which has no handles": lambda: simulation.set_target("ball", ball, handle=0),
            "give a pin or a handle, not both": lambda: simulation.set_target("sheet", points, pin=0, handle=0),
            "positions of 'sheet': vector 7 is": lambda: simulation.set_positions("sheet", odd),
            "positions of 'sheet': 12 vectors are given, 144": lambda: simulation.set_positions("sheet", points[:12]),
            "velocities of 'sheet': vector 7 is": lambda: simulation.set_velocities("sheet", odd),
            "'ball' is an obstacle; it moves by set_target": lambda: simulation.set_positions("ball", ball),
        }.items():
            with self.assertRaisesRegex(ValueError, told):
                call()
        for call in (lambda: simulation.set_target("bal", ball), lambda: simulation.set_factor("rain", 1)):
            with self.assertRaises(KeyError):
                call()
        with self.assertRaises((TypeError, ValueError)):
            simulation.set_gravity(["down", 0, 0])
        self.assertEqual(simulation.save(), state)
        gone = percale.Simulation(hung(more={"pin": [{"group": "side", "until": 0.01}]}))
        gone.step()
        with self.assertRaisesRegex(ValueError, "pin 0 of 'sheet' does not hold at this frame"):
            gone.set_target("sheet", points[:12], pin=0)
        late = percale.Simulation(hung(more={"handle": [{"vertices": [140], "stiffness": 2.0, "from": 0.1}]}))
        with self.assertRaisesRegex(ValueError, "handle 0 of 'sheet' does not hold at this frame"):
            late.set_target("sheet", points[140:141], handle=0)


if __name__ == "__main__":
    unittest.main()
