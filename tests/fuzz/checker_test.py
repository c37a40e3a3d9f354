#!/usr/bin/env python3
"""Tests of the checker: its pieces against closed forms, and faults planted into a good recording.

    checker_test.py PATH/cornet_fuzz
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from checker import overlap, rotation, shapes  # noqa: E402
from checker.checks import check  # noqa: E402
from checker.joints import Coupling, Joint, find_period  # noqa: E402
from checker.recording import Recording  # noqa: E402

PROGRAM = sys.argv.pop() if len(sys.argv) > 1 else ""
RANDOM = np.random.default_rng(7)


def pose(p, q=(1.0, 0.0, 0.0, 0.0)):
    return np.array([q]), np.array([p], float)


class Rotations(unittest.TestCase):
    def test_symmetric_top_precesses_at_l_over_i1(self):
        inertia = np.diag([2.0, 2.0, 0.5])
        omega = np.array([0.3, 0.0, 9.0])
        momentum = inertia @ omega
        h = 0.7
        q, too_fast = rotation.turn_freely(np.array([1.0, 0, 0, 0]), omega, inertia, h)
        # Turn about the momentum by |L|/I1, then about the own axis by what is left of the spin.
        exact = rotation.product(rotation.from_vector(h * momentum / 2.0),
                                 rotation.from_vector(np.array([0.0, 0.0, h * (9.0 - momentum[2] / 2.0)])))
        self.assertFalse(too_fast)
        self.assertLess(rotation.angle_between(q, exact), 1e-7)

    def test_forth_and_back_is_where_it_was(self):
        inertia = np.diag([1.0, 2.0, 3.0])
        q0 = rotation.from_vector(np.array([0.1, 0.2, 0.3]))
        omega = np.array([1.0, 30.0, 2.0])
        q1, _ = rotation.turn_freely(q0, omega, inertia, 0.1)
        momentum = rotation.rotate(q0, inertia @ rotation.unrotate(q0, omega))
        omega1 = rotation.rotate(q1, np.linalg.inv(inertia) @ rotation.unrotate(q1, momentum))
        back, _ = rotation.turn_freely(q1, omega1, inertia, -0.1)
        self.assertLess(rotation.angle_between(back, q0), 1e-7)

    def test_vectors_and_quaternions_agree(self):
        phi = np.array([0.4, -1.0, 2.0])
        np.testing.assert_allclose(rotation.to_vector(rotation.from_vector(phi)), phi, atol=1e-14)


class Shapes(unittest.TestCase):
    def all(self):
        points = RANDOM.normal(size=(12, 3))
        return [shapes.Sphere(0.7), shapes.Box([0.3, 0.5, 0.2]), shapes.Capsule(0.2, 0.5), shapes.Cylinder(0.4, 0.3),
                shapes.Cone(0.5, 0.6), shapes.Ellipsoid([0.3, 0.8, 0.5]), shapes.Polyhedron(points)]

    def test_volume_centre_and_inertia_are_those_of_random_points(self):
        for shape in self.all():
            low = -shape.height(-np.eye(3))
            high = shape.height(np.eye(3))
            x = low + (high - low) * RANDOM.random((400000, 3))
            inside = self.contains(shape, x)
            cell = np.prod(high - low) / len(x)
            points = x[inside]
            name = type(shape).__name__
            self.assertAlmostEqual(len(points) * cell / shape.volume, 1.0, delta=0.01, msg=name)
            np.testing.assert_allclose(points.mean(0), shape.centre, atol=0.01, err_msg=name)
            d = points - shape.centre
            second = cell * d.T @ d
            np.testing.assert_allclose(np.trace(second) * np.eye(3) - second, shape.inertia,
                                       atol=0.015 * np.trace(shape.inertia), err_msg=name)

    @staticmethod
    def contains(shape, x):
        """By formulas of its own, not by support functions."""
        across, z = np.hypot(x[:, 0], x[:, 1]), x[:, 2]
        if isinstance(shape, shapes.Sphere):
            return np.linalg.norm(x, axis=1) < shape.radius
        if isinstance(shape, shapes.Ellipsoid):
            return np.linalg.norm(x / shape.radii, axis=1) < 1.0
        if isinstance(shape, shapes.Box):
            return np.all(np.abs(x) < shape.half, axis=1)
        if isinstance(shape, shapes.Capsule):
            return np.hypot(across, np.maximum(0.0, np.abs(z) - shape.half_length)) < shape.radius
        if isinstance(shape, shapes.Cylinder):
            return (across < shape.radius) & (np.abs(z) < shape.half_length)
        if isinstance(shape, shapes.Cone):
            return across < shape.radius * (shape.half_length - z) / (2.0 * shape.half_length)
        corner = shape.vertices[shape.triangles[:, 0]]
        return np.all(np.einsum("ti,nti->nt", shape.directions, x[:, None] - corner) < 0.0, axis=1)

    def test_cube_as_a_hull_is_a_box(self):
        box = shapes.Box([1.0, 2.0, 3.0])
        hull = shapes.Polyhedron(box.vertices)
        self.assertAlmostEqual(hull.volume, box.volume)
        np.testing.assert_allclose(hull.inertia, box.inertia, rtol=1e-12, atol=1e-12)

    def test_furthest_points(self):
        self.assertAlmostEqual(shapes.Cylinder(3.0, 4.0).furthest(np.zeros(3)), 5.0)
        self.assertAlmostEqual(shapes.Ellipsoid([1.0, 2.0, 3.0]).furthest(np.zeros(3)), 3.0)
        self.assertAlmostEqual(shapes.Cone(1.0, 2.0).furthest(np.array([0.0, 0.0, -1.0])), 3.0)


class Depths(unittest.TestCase):
    def depth(self, a, pose_a, b, pose_b):
        pair = overlap.Pair(a, pose_a, b, pose_b)
        return float(overlap.convex_depth(pair, np.zeros((1, 1, 3)) + [0.0, 0.6, 0.8], 0.0)[0])

    def test_closed_forms(self):
        ball, box = shapes.Sphere(1.0), shapes.Box([1.0, 1.0, 1.0])
        self.assertAlmostEqual(self.depth(ball, pose([0, 0, 0]), ball, pose([1.1, 1.1, 0.5])),
                               2.0 - np.linalg.norm([1.1, 1.1, 0.5]), places=6)
        self.assertAlmostEqual(self.depth(box, pose([0, 0, 0]), box, pose([1.9, 0.2, 0.1])), 0.1, places=6)
        self.assertAlmostEqual(self.depth(box, pose([0, 0, 0]), ball, pose([0.3, 1.7, 0.2])), 0.3, places=6)
        # A ball over a corner, inside: the nearest way out is along the diagonal.
        corner = np.ones(3) + 0.5 / np.sqrt(3.0)
        self.assertAlmostEqual(self.depth(box, pose([0, 0, 0]), ball, pose(corner)), 0.5, places=5)
        turned = rotation.from_vector(np.array([np.pi / 4.0, 0.0, 0.0]))  # on its edge
        self.assertAlmostEqual(self.depth(box, pose([0, 0, 0]), box, pose([0.0, 0.0, 2.3], turned)),
                               1.0 + np.sqrt(2.0) - 2.3, places=6)
        capsule = shapes.Capsule(0.5, 2.0)
        across = rotation.from_vector(np.array([0.0, np.pi / 2.0, 0.0]))
        crossed = self.depth(capsule, pose([0, 0, 0]), capsule, pose([0.2, 0.9, 0.3], across))
        self.assertAlmostEqual(crossed, 0.1, places=6)
        self.assertEqual(self.depth(box, pose([0, 0, 0]), ball, pose([0.0, 0.0, 2.001])), 0.0)

    def test_random_pairs_are_never_deeper_than_any_direction_allows(self):
        kinds = Shapes().all()
        d = RANDOM.normal(size=(1, 20000, 3))
        d /= np.linalg.norm(d, axis=-1, keepdims=True)
        for a in kinds:
            for b in kinds:
                q = rotation.from_vector(RANDOM.normal(size=(1, 3)))
                pair = overlap.Pair(a, pose([0, 0, 0]), b, (q, 0.5 * RANDOM.normal(size=(1, 3))))
                brute = -np.max(pair.separation(d))
                found = overlap.search_depth(pair, d[:, :1])[0]
                self.assertLessEqual(found, brute + 1e-6, msg=f"{type(a)} {type(b)}")
                self.assertGreater(found, brute - 0.05, msg=f"{type(a)} {type(b)}")

    def test_a_ball_at_the_side_of_a_cone_is_where_the_plane_problem_says(self):
        radius, half, ball = 0.096, 0.106, 0.0536
        side = np.array([2.0 * half, radius]) / np.hypot(2.0 * half, radius)  # normal in the plane of the axis
        for depth in (-2e-4, 1e-4, 1e-3, 5e-3):
            for share in (0.2, 0.5, 0.8):
                foot = np.array([radius * (1.0 - share), -half + 2.0 * half * share])
                across, z = foot + (ball - depth) * side
                q = rotation.from_vector(RANDOM.normal(size=(1, 3)))
                centre = rotation.rotate(q, np.array([[0.6 * across, 0.8 * across, z]]))
                pair = overlap.Pair(shapes.Sphere(ball), (np.array([[1.0, 0, 0, 0]]), centre),
                                    shapes.Cone(radius, half), (q, np.zeros((1, 3))))
                found = overlap.search_depth(pair, np.array([[[0.0, 0.0, 1.0]]]))[0]
                self.assertAlmostEqual(found, depth, delta=2e-6)

    def test_planes_and_bowls(self):
        q = rotation.from_vector(np.array([0.0, np.pi / 2.0, 0.0]))  # its z axis along x
        cylinder = shapes.Cylinder(0.5, 1.0)
        depth = -overlap.plane_gap(cylinder, pose([0.0, 0.0, 0.45], q), pose([0, 0, 0]))
        self.assertAlmostEqual(float(depth[0]), 0.05)
        depth = -overlap.bowl_gap(shapes.Ellipsoid([0.1, 0.1, 0.4]), pose([0.0, 0.0, 0.7]), pose([0, 0, 0]), 1.0)
        self.assertAlmostEqual(float(depth[0]), 0.1)


class Poses:
    """Two bodies of size 2 and 1 in two frames, B moved and turned in the second."""

    def __init__(self, moved=(0.0, 0.0, 0.0), turned=(0.0, 0.0, 0.0)):
        self.x = np.array([[[0, 0, 0], [1.0, 0, 0]], [[0, 0, 0], np.array([1.0, 0, 0]) + moved]])
        unit = np.array([1.0, 0, 0, 0])
        self.q = np.array([[unit, unit], [unit, rotation.from_vector(np.array(turned, float))]])
        self.size = np.array([2.0, 1.0])
        self.v, self.w = np.zeros((2, 2, 3)), np.zeros((2, 2, 3))
        body = type("Body", (), {"moves": True})
        self.bodies = [body, body]


class Gears:
    """Two gears of size 1 on a carrier of size 2, about z, in two frames of a step of 1 ms."""

    def __init__(self, angles, rates=(0.0, 0.0)):
        self.names = ["carrier", "first", "second"]
        self.time, self.h = np.array([0.0, 1e-3]), np.array([0.0, 1e-3])
        self.x = np.tile([[0.0, 0, 0], [1.0, 0, 0], [-1.0, 0, 0]], (2, 1, 1))
        self.q = np.tile([1.0, 0, 0, 0], (2, 3, 1))
        self.v, self.w = np.zeros((2, 3, 3)), np.zeros((2, 3, 3))
        for k in (0, 1):
            self.q[1, k + 1] = rotation.from_vector(np.array([0.0, 0.0, angles[k]]))
            self.w[:, k + 1, 2] = rates[k]
        self.size = np.array([2.0, 1.0, 1.0])
        self.bodies = [type("Body", (), {"moves": True})] * 3
        hinge = {"type": "hinge", "a": "carrier", "axis": [0, 0, 1.0]}
        self.scene = {"constraint": [dict(hinge, name="x", b="first", anchor=[1.0, 0, 0])],
                      "joint": [dict(hinge, name="y", b="second", anchor=[-1.0, 0, 0])]}


class Couplings(unittest.TestCase):
    def error(self, angles, ratios, rates=(0.0, 0.0)):
        return Coupling(Gears(angles, rates), {"joints": ["x", "y"], "ratios": ratios}).relative_error[1]

    def test_periods_are_those_of_whole_teeth(self):
        self.assertAlmostEqual(find_period([20, 30]), 20.0 * np.pi)
        self.assertAlmostEqual(find_period([-1.0, 1.0 / 3.0]), 2.0 * np.pi / 3.0)
        self.assertAlmostEqual(find_period([1.0, 1.0, -2.0]), 2.0 * np.pi)
        self.assertEqual(find_period([]), 0.0)

    def test_gears_that_are_off(self):
        self.assertAlmostEqual(self.error((0.3, -0.2), [20, 30]), 0.0)
        self.assertAlmostEqual(self.error((0.31, -0.2), [20, 30]), 20 * 0.01 / 50)  # of the carrier's part, the longest

    def test_turns_do_not_matter_and_skipped_teeth_do(self):
        self.assertAlmostEqual(self.error((3.3, -2.2), [20, 30], (3300.0, -2200.0)), 0.0)
        self.assertAlmostEqual(self.error((0.0, 0.0), [7, 11]), 0.0)
        self.assertAlmostEqual(self.error((2.0 * np.pi / 7.0, 0.0), [7, 11]), 2.0 * np.pi / 18.0)


class Joints(unittest.TestCase):
    def error(self, table, **way):
        return Joint(Poses(**way), dict(table, a=0, b=1)).relative_error[1]

    def test_each_type_sees_what_it_forbids(self):
        ball = {"type": "ball", "anchor": [1.0, 0, 0]}
        self.assertAlmostEqual(self.error(ball, moved=(0.0, 0.3, 0.4)), 0.5)
        self.assertAlmostEqual(self.error(ball, turned=(0.1, 0.2, 0.3)), 0.0)
        hinge = {"type": "hinge", "anchor": [1.0, 0, 0], "axis": [0, 0, 2.0]}
        self.assertAlmostEqual(self.error(hinge, turned=(0.0, 0.0, 1.0)), 0.0)
        self.assertAlmostEqual(self.error(hinge, turned=(0.01, 0.0, 0.0)), np.sin(0.01))
        self.assertAlmostEqual(self.error(dict(hinge, upper_rad=0.5), turned=(0.0, 0.0, 0.7)), 0.2)
        self.assertAlmostEqual(self.error(dict(hinge, lower_deg=-10.0), turned=(0.0, 0.0, -0.3)),
                               0.3 - np.pi / 18.0)
        slider = {"type": "slider", "anchor": [1.0, 0, 0], "axis": [1.0, 0, 0]}
        self.assertAlmostEqual(self.error(slider, moved=(0.7, 0.0, 0.0)), 0.0)
        self.assertAlmostEqual(self.error(slider, moved=(0.7, 0.0, 0.2)), 0.2)
        self.assertAlmostEqual(self.error(slider, turned=(0.1, 0.0, 0.0)), 0.1)
        self.assertAlmostEqual(self.error(dict(slider, upper=0.5), moved=(0.7, 0.0, 0.0)), 0.2)
        fixed = {"type": "fixed", "anchor": [1.0, 0, 0]}
        self.assertAlmostEqual(self.error(fixed, turned=(0.0, 0.0, 0.1)), 0.1)
        distance = {"type": "distance"}
        self.assertAlmostEqual(self.error(distance, moved=(0.5, 0.0, 0.0)), 0.5)
        self.assertAlmostEqual(self.error(dict(distance, length=1.2)), 0.2)


SCENE = """
version = 1
dt = 0.002
duration = 0.2
[[material]]
name = "default"
friction = 0.5
[[environment]]
name = "floor"
shape = { type = "half_space" }
[[body]]
name = "block"
shape = { type = "box", half_extents = [0.2, 0.1, 0.1] }
position = [0, 0, 0.1]
velocity = [1, 0, 0]
[[body]]
name = "ball"
shape = { type = "sphere", radius = 0.1 }
position = [0, 2, 1]
omega = [1, 20, 3]
[[body]]
name = "bob"
shape = { type = "sphere", radius = 0.1 }
position = [0.5, 4, 1]
[[environment]]
name = "hook"
shape = { type = "sphere", radius = 0.01 }
position = [0, 4, 1]
[[constraint]]
type = "ball"
a = "hook"
b = "bob"
anchor = [0, 4, 1]
"""


@unittest.skipUnless(PROGRAM, "needs cornet_fuzz")
class PlantedFaults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="cornet-checker-")
        folder = pathlib.Path(cls.folder.name)
        (folder / "good.toml").write_text(SCENE)
        subprocess.run([PROGRAM, "--scene", folder / "good.toml", "--output", folder / "out"], check=True,
                       stdout=subprocess.DEVNULL)
        cls.good = folder / "out" / "good.h5"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def found(self, change, group="frames"):
        """Kinds and frames of what is wrong after a change of a group of the recording."""
        file = self.good.with_name("bad.h5")
        shutil.copy(self.good, file)
        with h5py.File(file, "r+") as data:
            change(data[group])
        return {m.kind: list(np.flatnonzero(m.exceeds())) for m in check(Recording(file)) if m.exceeds().any()}

    @staticmethod
    def shift(dataset, frame, body, column, by, until=None):
        values = dataset[()]
        values[frame:until, body, column] += by
        dataset[...] = values

    def test_a_good_recording_is_clean(self):
        self.assertEqual(self.found(lambda frames: None), {})

    def test_a_body_moved_in_one_frame(self):
        way = 1e-2 * 0.1
        found = self.found(lambda frames: self.shift(frames["pose"], 50, 1, 0, way, 51))
        self.assertEqual(found.get("unexplained"), [50, 51])

    def test_a_body_turned_from_one_frame_on(self):
        def turn(frames):
            values = frames["pose"][()]
            by = np.broadcast_to(rotation.from_vector(np.array([0.0, 0.0, 0.01])), (51, 4))
            values[50:, 1, 3:] = rotation.product(by, values[50:, 1, 3:])
            frames["pose"][...] = values
        self.assertEqual(self.found(turn).get("unexplained"), [50])

    def test_an_opened_joint(self):
        found = self.found(lambda frames: self.shift(frames["pose"], 70, 2, 1, 1e-7, 71))
        self.assertEqual(found, {"closure": [70]})

    def test_an_overlap(self):
        found = self.found(lambda frames: self.shift(frames["pose"], 30, 0, 2, -5e-4))
        self.assertEqual(found.get("new_overlap"), [30])

    def test_energy_from_nowhere(self):
        found = self.found(lambda frames: self.shift(frames["velocity"], 30, 2, 1, 1e-2))
        self.assertIn(30, found.get("energy_gain"))

    def test_momentum_from_nowhere(self):
        found = self.found(lambda frames: self.shift(frames["velocity"], 30, 0, 0, -1e-4))
        self.assertEqual(found.get("momentum"), [30])

    def test_friction_beyond_the_cone(self):
        def push(contacts):
            contacts["impulse"][0] = [0.0, 0.6, 1.0]
        self.assertEqual(self.found(push, "contacts").get("coulomb"), [1])

    def test_an_escape(self):
        found = self.found(lambda frames: self.shift(frames["pose"], 90, 0, 2, -0.2))
        self.assertEqual(found.get("escape")[0], 90)

    def test_a_number_that_is_none(self):
        found = self.found(lambda frames: self.shift(frames["velocity"], 20, 1, 4, np.nan, 21))
        self.assertEqual(found, {"nan": [20]})


if __name__ == "__main__":
    unittest.main()
