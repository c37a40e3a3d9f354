#!/usr/bin/env python3
"""Makes a scene that goes wrong smaller, as long as it goes wrong in the same way.

    reduce_scene.py --program PATH/cornet_fuzz --kind unexplained SCENE.toml OUTPUT.toml

Bodies, joints, surroundings and motions are left out one by one; then the scene begins just before its worst step, if
it goes wrong there too without what was before.
"""
import argparse
import copy
import pathlib
import subprocess
import sys
import tempfile
import tomllib

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from checker import rotation  # noqa: E402
from checker.checks import check  # noqa: E402
from checker.recording import Recording  # noqa: E402

TABLES = ("material", "body", "environment", "constraint", "exclude", "coupling")


def write_value(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {write_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(write_value(v) for v in value) + "]"
    return f'"{value}"' if isinstance(value, str) else repr(value)


def write_scene(scene):
    lines = [f"{key} = {write_value(value)}" for key, value in scene.items() if key not in TABLES]
    for table in TABLES:
        for entry in scene.get(table, []):
            lines += ["", f"[[{table}]]"]
            lines += [f"{key} = {write_value(value)}" for key, value in entry.items() if key != "shape"]
            shapes = entry.get("shape", [])
            if isinstance(shapes, dict):
                lines.append(f"shape = {write_value(shapes)}")
            else:
                for shape in shapes:
                    lines.append(f"[[{table}.shape]]")
                    lines += [f"{key} = {write_value(value)}" for key, value in shape.items()]
    return "\n".join(lines) + "\n"


class Judge:
    """Runs scenes; says where one goes wrong in the given way, and how much."""

    def __init__(self, program, kind, folder):
        self.program, self.kind, self.folder = program, kind, pathlib.Path(folder)

    def __call__(self, scene):
        file = self.folder / "scene.toml"
        file.write_text(write_scene(scene))
        subprocess.run([self.program, "--scene", file, "--output", self.folder / "out"], check=True,
                       stdout=subprocess.DEVNULL)
        try:
            recording = Recording(self.folder / "out" / "scene.h5")
        except (OSError, KeyError, ValueError):
            return None
        for measure in check(recording):
            wrong = measure.exceeds() & recording.accurate
            if measure.kind == self.kind and wrong.any():
                value = np.where(wrong[:, None], measure.value, -1.0)
                frame = int(np.argmax(np.max(value, 1)))
                return recording, frame, float(np.max(value)), measure.names[int(np.argmax(value[frame]))]
        return None


def without(scene, table, index):
    """The scene without an entry, and without what names it."""
    smaller = copy.deepcopy(scene)
    gone = smaller[table].pop(index)
    if table in ("body", "environment"):
        for other in ("constraint", "exclude"):
            smaller[other] = [e for e in smaller.get(other, []) if gone["name"] not in (e["a"], e["b"])]
    names = {e.get("name", f"{e['type']} {e['a']}-{e['b']}") for e in smaller.get("constraint", [])}
    smaller["coupling"] = [e for e in smaller.get("coupling", []) if names.issuperset(e["joints"])]
    return smaller


def simplifications(scene):
    """Scenes that are a little simpler."""
    for table in ("body", "environment", "constraint", "exclude", "coupling"):
        for index in range(len(scene.get(table, []))):
            yield without(scene, table, index)
    for table, keys in (("environment", ("motion", "surface_velocity", "material")), ("body", ("omega", "velocity")),
                        ("constraint", ("motor_speed", "lower_rad", "upper_rad", "lower", "upper"))):
        for index, entry in enumerate(scene.get(table, [])):
            for key in keys:
                if key in entry:
                    smaller = copy.deepcopy(scene)
                    del smaller[table][index][key]
                    if key == "motor_speed":
                        del smaller[table][index]["max_effort"]
                    yield smaller
    if any(scene["gravity"]):
        yield scene | {"gravity": [0.0, 0.0, 0.0]}
    for index, material in enumerate(scene.get("material", [])):
        for key in ("friction", "restitution"):
            if material.get(key):
                smaller = copy.deepcopy(scene)
                smaller["material"][index][key] = 0.0
                yield smaller


def begin_at(scene, recording, frame):
    """The scene from the state of a frame on; None when surroundings move or joints are there."""
    if scene.get("constraint") or any("motion" in e for e in scene.get("environment", [])):
        return None
    later = copy.deepcopy(scene)
    for k, name in enumerate(recording.names[:recording.moving]):
        entry = next(e for e in later["body"] if e["name"] == name)
        x = recording.x[frame, k] - rotation.rotate(recording.q[frame, k], recording.bodies[k].centre)
        entry.update(position=x.tolist(), quat_wxyz=recording.q[frame, k].tolist(),
                     velocity=recording.v[frame, k].tolist(), omega=recording.w[frame, k].tolist())
    return later


def reduce(scene, judge):
    first = judge(scene)
    if first is None:
        return None
    least = 0.3 * first[2]  # the same fault, not another that is small
    changed = True
    while changed:
        changed = False
        for smaller in simplifications(scene):
            found = judge(smaller)
            if found and found[2] >= least:
                scene, changed = smaller, True
                break
    recording, frame, _, _ = judge(scene)
    shorter = scene | {"duration": frame * scene["dt"]}
    scene = shorter if judge(shorter) else scene
    for back in (1, 2, 3, 5, 10, 20):
        later = begin_at(scene, recording, frame - back) if frame >= back else None
        if later:
            later["duration"] = (back + 1) * scene["dt"]
            found = judge(later)
            if found and found[2] >= least:
                return later
    return scene


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--kind", required=True)
    parser.add_argument("scene", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cornet-reduce-") as folder:
        judge = Judge(arguments.program, arguments.kind, folder)
        smaller = reduce(tomllib.loads(arguments.scene.read_text()), judge)
        if smaller is None:
            print(f"{arguments.scene}: nothing of this kind")
            return 1
        arguments.output.write_text(write_scene(smaller))
        _, frame, value, name = judge(smaller)
        print(f"{arguments.output}: {len(smaller['body'])} bodies, step {frame}, {name}: {value:.3e}")
        return 0


if __name__ == "__main__":
    sys.exit(main())
