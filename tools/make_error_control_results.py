#!/usr/bin/env python3
"""Measures what runs under error control deliver, and writes docs/results/error_control.md.

    cmake --build build/release --target cornet_error_control
    python3 tools/make_error_control_results.py build/release/bench/cornet_error_control [--print]

--print writes the page to the terminal instead. Needs nothing but Python.
"""
import argparse
import csv
import pathlib
import re
import subprocess
import sys

from result_pages import table

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "results" / "error_control.md"
INTRO = """# What error control delivers

Made by `tools/make_error_control_results.py` with `cornet_error_control` (in `bench/error_control`), cornet {version}, the exact step. Accuracy bounds the
[estimated error of a step](../math/error_control.md); *delivered* is how far bodies are from where they should be at the end of the run: from the closed form for the sliding block, the rolling and
the bouncing ball and for the ball that comes to rest (*zeno*), from steps of 20 µs elsewhere, without a promise from a run at 1e-7, in metres, turns times the size of the body. Rejected are tries that do not stand, (*early*) those because of impacts at
several times and of stops met on the way; *forced* are steps of 1 µs that do not reach the accuracy.
"""
PROMISED = """## At most twice what is asked for
"""
OTHERS = """## Without a promise

Errors of steps add up over a run, the more the less stable the motion is: the coin wobbles ever faster, balls of a heap part ways at every collision.
"""
UNPROMISED = ("stick_slip", "double_pendulum_with_limits", "rolling_coin", "clutter_of_20_balls")


def version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(cornet VERSION\s+([0-9.]+)", text).group(1)


def line(row):
    name = row["scene"].replace("_", " ")
    if row["accuracy"].startswith("fixed"):
        return [name, f"steps of {float(row['accuracy'].split()[1]) * 1e3:g} ms", row["delivered"], row["steps"], "", "", "", ""]
    rejected = row["rejections"] if row["early"] == "0" else f"{row['rejections']} ({row['early']})"
    return [name, row["accuracy"], row["delivered"], row["steps"], rejected, row["forced"], f"{row['smallest']} to {row['largest']} s",
            f"{float(row['seconds']) * 1e3:.2g} ms"]


def tables(rows, promised):
    head = ["scene", "accuracy [m]", "delivered [m]", "steps", "rejected (early)", "forced", "step size", "time"]
    return table(head, [line(row) for row in rows if (row["scene"] in UNPROMISED) != promised])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--print", action="store_true", dest="to_terminal")
    arguments = parser.parse_args()
    result = subprocess.run([arguments.program], capture_output=True, text=True, check=True)
    rows = list(csv.DictReader(result.stdout.splitlines()))
    parts = [INTRO.format(version=version()), PROMISED, tables(rows, True), "", OTHERS, tables(rows, False)]
    page = "\n".join(part if isinstance(part, str) else "\n".join(part) for part in parts).rstrip() + "\n"
    if arguments.to_terminal:
        print(page, end="")
    else:
        PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
