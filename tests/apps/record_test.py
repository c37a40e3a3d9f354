"""`cornet run --record`, `info` and `convert` from the outside: files, tables, glTF, exit codes.

    python record_test.py PROGRAM
"""
import csv
import json
import math
import pathlib
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = None

SCENE = """version = 1
title = "shapes"
duration = 0.1
dt = 0.005
[[environment]]
name = "floor"
shape = { type = "half_space" }
[[environment]]
name = "belt"
position = [4, 0, 0.1]
shape = { type = "box", half_extents = [0.5, 0.5, 0.1] }
motion = { type = "steady", velocity = [0.1, 0, 0] }
[[body]]
name = 'a "quoted", name'
mass = 1
shape = { type = "box", half_extents = [0.1, 0.1, 0.05] }
position = [0, 0, 0.05]
velocity = [2, 0, 0]
[[body]]
name = "hull"
mass = 1
shape = { type = "convex_hull", points = [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]] }
position = [1, 0, 0.1]
omega = [0, 0, 40]
[[body]]
name = "ball"
mass = 1
shape = { type = "sphere", radius = 0.1 }
position = [2, 0, 0.1]
"""


def run(*words):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, errors="replace", timeout=120)


def info(file):
    result = run("info", file, "--json")
    return result.returncode, json.loads(result.stdout)


COMPONENT = {5121: 1, 5123: 2, 5125: 4, 5126: 4}
WIDTH = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def read_glb(data):
    """JSON and binary chunk, after the container's rules."""
    magic, version, length = struct.unpack_from("<4sII", data)
    assert (magic, version, length) == (b"glTF", 2, len(data))
    chunks, at = [], 12
    while at < len(data):
        size, kind = struct.unpack_from("<I4s", data, at)
        assert size % 4 == 0 and at + 8 + size <= len(data)
        chunks.append((kind, data[at + 8:at + 8 + size]))
        at += 8 + size
    assert [kind for kind, _ in chunks] == [b"JSON", b"BIN\0"]
    return json.loads(chunks[0][1]), chunks[1][1]


def numbers(gltf, binary, index):
    """Values of an accessor, after the rules for its place."""
    accessor = gltf["accessors"][index]
    view = gltf["bufferViews"][accessor["bufferView"]]
    width, size = WIDTH[accessor["type"]], COMPONENT[accessor["componentType"]]
    assert view["byteOffset"] % size == 0 and accessor["count"] >= 1
    assert accessor["count"] * width * size <= view["byteLength"]
    assert view["byteOffset"] + view["byteLength"] <= gltf["buffers"][0]["byteLength"] <= len(binary)
    kind = "<f4" if accessor["componentType"] == 5126 else f"<u{size}"
    values = np.frombuffer(binary, kind, accessor["count"] * width, view["byteOffset"]).reshape(-1, width)
    assert np.isfinite(values).all()
    for bound, found in (("min", values.min(axis=0)), ("max", values.max(axis=0))):
        if bound in accessor:
            assert np.array_equal(np.float32(accessor[bound]), np.float32(found)), bound
    return values


def check_gltf(gltf, binary):
    """The rules of glTF 2.0 that an animation of rigid bodies can break."""
    assert gltf["asset"]["version"] == "2.0"
    nodes, meshes = gltf["nodes"], gltf["meshes"]
    parents = [child for node in nodes for child in node.get("children", [])]
    assert len(parents) == len(set(parents)), "a node with two parents"
    assert all(0 <= child < len(nodes) for child in parents)
    assert not set(parents) & set(gltf["scenes"][gltf["scene"]]["nodes"])
    for node in nodes:
        assert node.get("mesh", 0) < len(meshes)
        assert abs(math.hypot(*node.get("rotation", [0, 0, 0, 1])) - 1) < 1e-6
    for mesh in meshes:
        for part in mesh["primitives"]:
            points = numbers(gltf, binary, part["attributes"]["POSITION"])
            assert {"min", "max"} <= gltf["accessors"][part["attributes"]["POSITION"]].keys()
            indices = numbers(gltf, binary, part["indices"])
            assert indices.size % 3 == 0 and indices.max() < len(points)
            assert part["material"] < len(gltf["materials"])
    for animation in gltf.get("animations", []):
        targets = [(c["target"]["node"], c["target"]["path"]) for c in animation["channels"]]
        assert len(targets) == len(set(targets)), "two channels for one target"
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            assert channel["target"]["node"] < len(nodes)
            assert {"min", "max"} <= gltf["accessors"][sampler["input"]].keys()
            times = numbers(gltf, binary, sampler["input"])
            values = numbers(gltf, binary, sampler["output"])
            assert (np.diff(times[:, 0]) > 0).all() and times[0, 0] >= 0 and len(times) == len(values)
            if channel["target"]["path"] == "rotation":
                assert abs(np.linalg.norm(values, axis=1) - 1).max() < 1e-6
                assert ((values[1:] * values[:-1]).sum(axis=1) > 0).all(), "the long way round"


class Recordings(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.scene = self.folder / "shapes.toml"
        self.scene.write_text(SCENE)
        self.file = self.folder / "run.h5"

    def record(self, *words):
        result = run("run", self.scene, "--record", self.file, *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def test_the_hash_is_that_of_a_run_without_recording(self):
        self.assertIn("recording     21 frames in", self.record().stdout)
        plain = json.loads(run("run", self.scene, "--json").stdout)
        code, answer = info(self.file)
        self.assertEqual(code, 0)
        self.assertEqual(answer["state_hash"], plain["state_hash"])
        self.assertEqual(answer["energy"]["dissipated"], plain["energy"]["dissipated"])
        self.assertEqual(answer["worst_certificate"], plain["worst_certificate"])
        self.assertEqual((answer["frames"], answer["end"], answer["complete"]), (21, 0.1, True))

    def test_info_says_what_is_in_it(self):
        self.record("--record-every", "4", "--set", "dt=0.01")
        text = run("info", self.file).stdout
        for part in ("shapes", "3 moving, 1 prescribed, 1 fixed", "t = 0 to 0.1 s", "every 4 steps of 0.01 s",
                     "every step solved", "shapes.toml", "--record-every 4"):
            self.assertIn(part, text)

    def test_nothing_of_the_machine_is_in_it(self):
        self.record()
        data = self.file.read_bytes()
        self.assertNotIn(str(self.folder).encode(), data)
        first = info(self.file)[1]
        self.record()
        second = info(self.file)[1]
        self.assertEqual(first["command"], "cornet run shapes.toml --record run.h5")
        for key in first.keys() - {"bytes"}:
            self.assertEqual(first[key], second[key], key)

    def test_other_tools_read_it(self):
        self.record()
        with h5py.File(self.file) as file:
            self.assertEqual(file["format"][0], b"cornet recording")
            self.assertEqual(file["frames/pose"].shape, (21, 4, 7))
            self.assertEqual(file["frames/velocity"].shape, (21, 4, 6))
            self.assertEqual(file["contacts/impulse"].shape[0], file["frames/contact_end"][-1])
            self.assertAlmostEqual(file["frames/time"][20], 0.1)
            self.assertEqual(file["scene/text"][0].decode(), SCENE)
            state, mu = file["contacts/state"][:], file["contacts/mu"][:]
            normal, impulse = file["contacts/normal"][:], file["contacts/impulse"][:]
        along = (normal * impulse).sum(axis=1)
        across = np.linalg.norm(impulse - along[:, None] * normal, axis=1)
        self.assertTrue((across <= mu * along + 1e-6).all())
        self.assertTrue((across[state == 2] >= (mu * along)[state == 2] - 1e-6).all())
        self.assertEqual(set(state) - {0, 1, 2}, set())

    def test_tables(self):
        self.record()
        result = run("convert", self.file, "--to", "csv", self.folder / "tables")
        self.assertEqual(result.returncode, 0, result.stderr)
        tables = {name: list(csv.DictReader((self.folder / "tables" / f"{name}.csv").read_text().splitlines()))
                  for name in ("series", "bodies", "contacts")}
        self.assertEqual(len(tables["series"]), 21)
        self.assertEqual(len(tables["bodies"]), 21 * 4)
        self.assertEqual(tables["bodies"][0]["body"], 'a "quoted", name')
        with h5py.File(self.file) as file:
            self.assertEqual([float(row["x"]) for row in tables["bodies"]], list(file["frames/pose"][:, :, 0].ravel()))
            self.assertEqual(len(tables["contacts"]), file["contacts/mu"].shape[0])
            self.assertEqual([int(row["state_hash"], 16) for row in tables["series"]],
                             [int(x) for x in file["frames/state_hash"][:]])

    def test_gltf_keeps_the_rules(self):
        self.record()
        for every, frames in ((1, 21), (6, 5)):
            result = run("convert", self.file, "--to", "gltf", self.folder / "run.glb", "--every", every)
            self.assertEqual(result.returncode, 0, result.stderr)
            gltf, binary = read_glb((self.folder / "run.glb").read_bytes())
            check_gltf(gltf, binary)
            self.assertEqual(len(gltf["animations"][0]["channels"]), 2 * 4)
            sampler = gltf["animations"][0]["samplers"][0]
            self.assertEqual(gltf["accessors"][sampler["input"]]["count"], frames)
            self.assertEqual(gltf["accessors"][sampler["input"]]["max"], [np.float32(0.1)])
            with h5py.File(self.file) as file:
                path = numbers(gltf, binary, sampler["output"])
                self.assertTrue(np.array_equal(path[-1], file["frames/pose"][20, 0, :3].astype("f4")))

    def test_a_killed_run_can_be_read(self):
        process = subprocess.Popen([PROGRAM, "run", self.scene, "--duration", "100000", "--record", self.file],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(1.5)
        process.send_signal(signal.SIGKILL)
        process.wait()
        code, answer = info(self.file)
        self.assertEqual((code, answer["complete"]), (0, False))
        self.assertGreater(answer["frames"], 10)
        self.assertIn("was killed", answer["messages"][0]["text"])
        self.assertIn("up to t =", answer["messages"][0]["text"])

    def test_an_interrupted_run_is_whole(self):
        process = subprocess.Popen([PROGRAM, "run", self.scene, "--duration", "100000", "--record", self.file],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), 130)
        self.assertTrue(info(self.file)[1]["complete"])

    def test_an_interrupted_run_has_its_last_state(self):
        for every in (7, 1_000_000_000):
            process = subprocess.Popen([PROGRAM, "run", self.scene, "--duration", "100000", "--record", self.file,
                                        "--record-every", str(every), "--json"],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            time.sleep(0.7)
            process.send_signal(signal.SIGINT)
            report = json.loads(process.communicate()[0])
            self.assertEqual(process.returncode, 130)
            self.assertEqual(info(self.file)[1]["state_hash"], report["state_hash"])

    def test_no_output_is_an_input_or_another_output(self):
        self.record()
        scene, file, link = self.scene, self.file, self.folder / "link.h5"
        link.symlink_to(file)
        before = file.read_bytes()
        both = self.folder / "both"
        for words, names in (
                (("report", file, "-o", file), ("--output", "the recording")),
                (("report", file, "-o", link), ("--output", "the recording")),
                (("convert", file, "--to", "gltf", file), ("output", "the recording")),
                (("convert", file, "--to", "csv", file), ("output", "the recording")),
                (("run", scene, "--record", scene), ("--record", "the scene")),
                (("run", scene, "--report", scene), ("--report", "the scene")),
                (("run", scene, "--output", self.folder / "." / scene.name), ("--output", "the scene")),
                (("run", scene, "--record", both, "--report", both), ("--record", "--report")),
                (("run", scene, "--record", both, "--output", both), ("--record", "--output"))):
            result = run(*words)
            self.assertEqual(result.returncode, 2, words)
            for name in names:
                self.assertIn(name, result.stderr)
        self.assertEqual(scene.read_text(), SCENE)
        self.assertEqual(file.read_bytes(), before)
        self.assertFalse(both.exists())

    def damage(self):
        # The second chunk of the poses; what comes after is whole.
        self.record("--duration", "2", "--dt", "0.002")
        with h5py.File(self.file) as file:
            poses = file["frames/pose"]
            chunk, frames = poses.chunks[0], poses.shape[0]
            at = poses.id.get_chunk_info_by_coord((chunk, 0, 0)).byte_offset
        with open(self.file, "r+b") as file:
            file.seek(at + 20)
            file.write(b"damage")
        self.assertGreater(frames, 2 * chunk)
        return chunk, frames

    def test_one_damaged_chunk_costs_its_own_frames_only(self):
        chunk, frames = self.damage()
        self.assertEqual(info(self.file)[1]["unreadable_frames"], list(range(chunk, 2 * chunk)))
        self.assertIn("data that cannot be read in frame", run("info", self.file).stdout)
        result = run("convert", self.file, "--to", "csv", self.folder / "tables")
        self.assertEqual(result.returncode, 3)
        self.assertIn(f"{chunk} of {frames} frames cannot be read", result.stderr)
        with open(self.folder / "tables" / "series.csv") as table:
            found = [int(row["frame"]) for row in csv.DictReader(table)]
        self.assertEqual(found, [k for k in range(frames) if k // chunk != 1])

    def test_a_conversion_that_fails_leaves_the_older_one(self):
        self.record()
        for form, name in (("gltf", "run.glb"), ("csv", "tables")):
            output = self.folder / name
            self.assertEqual(run("convert", self.file, "--to", form, output).returncode, 0)
            before = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
            result = self.run_with_little_room(2000, "convert", self.file, "--to", form, output)
            self.assertEqual(result.returncode, 5, result.stderr)
            after = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
            self.assertEqual(before, after)

    def test_what_cannot_be_read_is_named(self):
        code, answer = info(self.folder / "none.h5")
        self.assertEqual((code, answer["ok"]), (5, False))
        code, answer = info(self.scene)
        self.assertEqual((code, answer["ok"]), (3, False))
        self.assertIn("not HDF5", answer["messages"][0]["text"])
        self.record()
        data = self.file.read_bytes()
        self.file.write_bytes(data[:-1000])
        code, answer = info(self.file)
        self.assertEqual((code, answer["complete"]), (0, False))
        self.assertIn("the end of the file is missing", answer["messages"][0]["text"])

    def test_usage(self):
        self.assertEqual(run("run", self.scene, "--record-every", "2").returncode, 2)
        self.assertEqual(run("run", self.scene, "--record", self.file, "--record-every", "0").returncode, 2)
        self.assertEqual(run("run", self.scene, "--record", self.folder / "no" / "run.h5").returncode, 5)
        self.record()
        self.assertEqual(run("convert", self.file, "--to", "obj", "x").returncode, 2)
        self.assertEqual(run("convert", self.file, "--to", "gltf", self.folder / "no" / "x.glb").returncode, 5)

    def run_with_little_room(self, size, *words):
        # Writing beyond fails, as on a disk that is full; Python ignores the signal, and the program inherits that.
        return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, restore_signals=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)), timeout=120)

    def test_a_full_disk_is_no_end(self):
        pile = ROOT / "scenes" / "demos" / "pile_200.toml"
        for size in (20_000, 100_000, 300_000, 600_000):
            result = self.run_with_little_room(size, "run", pile, "--duration", "0.5", "--record", self.file)
            self.assertEqual(result.returncode, 5, result.stderr)
            self.assertIn("run.h5", result.stderr)
            if self.file.exists():
                self.assertEqual(info(self.file)[1]["complete"], False)
        self.assertEqual(list(self.folder.glob("*.part*")), [])

    def test_two_runs_into_one_file_leave_one_of_them(self):
        runs = [subprocess.Popen([PROGRAM, "run", self.scene, "--record", self.file], stdout=subprocess.DEVNULL)
                for _ in range(2)]
        self.assertEqual([process.wait() for process in runs], [0, 0])
        code, answer = info(self.file)
        self.assertEqual((code, answer["complete"], answer["frames"]), (0, True, 21))

    def test_problems_are_dumped_beside_a_recording(self):
        self.record("--dump-problems", self.folder / "problems", "--dump-problems-all")
        self.assertTrue(info(self.file)[1]["complete"])
        self.assertTrue(list((self.folder / "problems").glob("*.hdf5")))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
