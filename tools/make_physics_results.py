#!/usr/bin/env python3
"""Writes docs/results/physics.md from the scenes with closed forms.

    python3 tools/make_physics_results.py build/release/cornet

Runs every scene of scenes/closed_forms and scenes/comparison that is not long, and puts down what each claims, what came out
and how far off it is.
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "results" / "physics.md"
FOLDERS = ("closed_forms", "comparison")
INTRO = """# Scenes with closed forms

Made by `tools/make_physics_results.py` from `cornet run --json`; the formulas stand in the scene files. "of" says which
number of the run is compared ([scene files](../formats/scene.md)); for a bound "error" is by how much it is broken.
"""


def is_long(file):
    return any(line.startswith("long = true") for line in file.read_text().splitlines())


def run(program, file):
    result = subprocess.run([program, "run", str(file), "--json"], capture_output=True, text=True, check=False)
    return json.loads(result.stdout)


def number(value):
    return "-" if value is None else f"{value:.9g}"


def rows(name, answer):
    for k, check in enumerate(answer["checks"]):
        exact = ("bound " if check["is_bound"] else "") + number(check["expected"])
        error = "-" if check["error"] is None else f"{check['error']:.1e}"
        verdict = "" if check["passed"] else " **not met**"
        yield (f"| {name if k == 0 else ''} | {check['name']} [{check['unit'] or '1'}] | {check['of']} | {exact} "
               f"| {number(check['value'])} | {error}{verdict} |")


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build" / "release" / "cornet")
    text = INTRO
    for folder in FOLDERS:
        text += f"\n## `scenes/{folder}`\n\n| scene | quantity | of | exact | result | error |\n|---|---|---|---|---|---|\n"
        for file in sorted((ROOT / "scenes" / folder).glob("*.toml")):
            if is_long(file):
                continue
            text += "\n".join(rows(file.stem, run(program, file))) + "\n"
    PAGE.write_text(text)
    print(f"{PAGE.relative_to(ROOT)}: {text.count(chr(10))} lines")


if __name__ == "__main__":
    main()
