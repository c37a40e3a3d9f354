#!/usr/bin/env python3
"""Times whole steps, beside MuJoCo where its Python package is installed, and writes docs/results/steps.md.

    cmake --build build/release --target cornet_steps
    python3 tools/make_step_results.py build/release/bench/cornet_steps [--print] [--quick]

Scene by scene, ours and MuJoCo's in turn, one thread, processor time. --print writes the page to the terminal instead; --quick leaves
out what takes minutes. Needs nothing but Python.
"""
import argparse
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile

from result_pages import table, time_text

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "results" / "steps.md"
SCENES = ROOT / "scenes" / "comparison"
PEER = ROOT / "bench" / "peers" / "mujoco" / "step_times.py"
MAX_SECONDS = 200  # of one run

# Label, scene, settings, seconds before timing, steps, settings of MuJoCo, slow.
CASES = [
    ("one box at rest", "speed_box1", [], 0.2, 2000, ["default", "elliptic"], False),
    ("wall of 10 x 10 bricks at rest", "speed_wall", [], 0.5, 40, ["default", "elliptic"], False),
    ("tower of 30 boxes", "tower", [], 0.5, 200, ["default", "elliptic"], False),
    ("pile of 200 boxes, falling", "speed_boxes", [], 0.3, 10, ["default", "cg"], False),
    ("pile of 200 boxes, collapsing", "speed_boxes", [], 1.0, 40, ["default", "cg"], True),
    ("pile of 200 boxes, at rest", "speed_boxes", [], 4.0, 100, ["default", "cg"], True),
    ("pile of 200 boxes, three seconds from the drop", "speed_boxes", [], 0.0, 600, ["default", "cg"], True),
    ("pile of 1,000 spheres, falling", "speed_spheres", [], 0.15, 5, ["default", "cg"], True),
    ("pile of 1,000 spheres, one heap", "speed_spheres", [], 0.4, 10, ["default", "cg"], True),
]
GROWTH = [
    ("columns of ten", "speed_columns", [(100, ["columns=10"]), (1000, ["columns=100"]), (10000, ["columns=1000"])]),
    ("one wall", "speed_wall", [(100, []), (1000, ["wall.brick.columns=100"]), (10000, ["wall.brick.columns=1000"])]),
]
INTRO = """# What a step costs

Made by `tools/make_step_results.py` with `cornet_steps` (in `bench/steps`): processor time of one thread per step, after the scene
has run for a while, ours and MuJoCo's in turn in the same run. The scenes are those of `scenes/comparison`; MuJoCo gets the same bodies,
places, masses, friction and step. Both sides do different work: ours ends at a certificate of 1e-8 (piles of boxes: 1e-6, of balls: 1e-3) under Coulomb's law, MuJoCo at its
own tolerance under a soft law, with pyramids (*default*, Newton), with cones made hard (*elliptic*: impratio 100, no-slip pass) or with conjugate
gradients that stop early (*cg*). Ratios below one mean that ours is faster. What MuJoCo needs for piles depends on its version: 4.0.0
takes 0.4 times what 3.17.0 takes over the three seconds of the 200 boxes.
"""


def run(command):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        print(f"{command[0]}: {result.stderr.strip()[-300:]}", file=sys.stderr)
        return None
    return json.loads(result.stdout)


def run_ours(program, scene, settings, settle, steps, mjcf=None):
    words = [program, SCENES / f"{scene}.toml", "--settle", settle, "--steps", steps, "--max-seconds", MAX_SECONDS]
    for setting in settings:
        words += ["--set", setting]
    return run(words + (["--mjcf", mjcf] if mjcf else []))


def run_peer(mjcf, setting, settle, steps):
    return run([sys.executable, PEER, mjcf, "--setting", setting, "--settle", settle, "--steps", steps,
                "--max-seconds", MAX_SECONDS])


def scene_tables(program, with_peer, quick):
    times, stages, version = [], [], ""
    with tempfile.TemporaryDirectory() as folder:
        mjcf = pathlib.Path(folder) / "scene.xml"
        for label, scene, settings, settle, steps, peer_settings, slow in CASES:
            if slow and quick:
                continue
            ours = run_ours(program, scene, settings, settle, steps, mjcf)
            if ours is None:
                continue
            print(f"{label}: {time_text(ours['seconds'])}", file=sys.stderr)
            own = [label, ours["bodies"], f"{ours['contacts']:.0f}", time_text(ours["seconds"]), f"{ours['certificate']:.0e}",
                   f"{ours['unsolved']}/{ours['steps']}"]
            shares = [f"{100 * ours[name]:.0f} %" for name in ("detect", "drift", "assemble", "solve", "displace", "certify")]
            stages.append([label, time_text(ours["seconds"]), time_text(ours["longest"]), *shares,
                           f"{ours['factorizations']:.1f}", f"{ours['allocations']:.3g}"])
            peers = [run_peer(mjcf, name, settle, steps) for name in peer_settings] if with_peer else []
            if not any(peers):
                times.append(own + ["-", "-", "-"])
            for name, peer in zip(peer_settings, peers):
                if peer is None:
                    continue
                version = peer["version"]
                times.append(own + [f"{name}: {time_text(peer['seconds'])}", f"{peer['contacts']:.0f}",
                                    f"{ours['seconds'] / peer['seconds']:.2g}"])
                own = [""] * len(own)
    return times, stages, version


def growth_table(program, quick):
    lines = []
    for label, scene, sizes in GROWTH:
        before = None
        for bodies, settings in sizes:
            if quick and bodies > 1000:
                continue
            ours = run_ours(program, scene, settings, 0.02, 10)
            if ours is None:
                continue
            per_body = ours["seconds"] / ours["bodies"]
            lines.append([label, ours["bodies"], f"{ours['contacts']:.0f}", time_text(ours["seconds"]), time_text(per_body),
                          "-" if before is None else f"{per_body / before:.2f}"])
            before = per_body
            print(f"{label}, {bodies}: {time_text(ours['seconds'])}", file=sys.stderr)
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--print", action="store_true", dest="to_terminal")
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    with_peer = importlib.util.find_spec("mujoco") is not None
    times, stages, version = scene_tables(asked.program, with_peer, asked.quick)
    lines = [INTRO, f"MuJoCo {version}." if version else "MuJoCo is not installed here: its columns are empty.", "", "## Scenes", ""]
    lines += table(["scene", "bodies", "contacts", "ours", "certificate", "unsolved", "MuJoCo", "contacts", "ours / MuJoCo"], times)
    lines += ["## Stages", "", "Shares of a step, their medians, factorizations and heap allocations per step.", ""]
    lines += table(["scene", "mean", "longest", "detect", "drift", "assemble", "solve", "displace", "certify", "factorizations", "allocations"], stages)
    lines += ["## Growth", "", "Ten steps at rest; the last column is the time per body over that of the line before.", ""]
    lines += table(["scene", "bodies", "contacts", "per step", "per body", "growth"], growth_table(asked.program, asked.quick))
    text = "\n".join(lines).rstrip() + "\n"
    if asked.to_terminal:
        print(text)
    else:
        PAGE.write_text(text)
        print(f"{PAGE.relative_to(ROOT)}: {len(text.splitlines())} lines", file=sys.stderr)


if __name__ == "__main__":
    main()
