#!/usr/bin/env python3
"""Writes docs/results/solvers.md and its picture from what cornet_compare printed.

    ./do build && cmake --build build/release --target cornet_compare
    build/release/bench/cornet_compare > solvers.csv
    python3 tools/make_solver_results.py solvers.csv

Needs nothing but Python.
"""
import csv
import math
import pathlib
import statistics
import sys

from result_pages import table, time_text

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "results"
SOLVERS = ["exact", "exact_1e-4", "exact_fresh", "ecos_conic", "ecos_exact", "active_set_box", "active_set_octagon"]
MEANING = {
    "exact": "exact Coulomb to 1e-8, solver in use",
    "exact_1e-4": "the same to 1e-4, the accuracy of one conic solve",
    "exact_fresh": "exact Coulomb, first solve of a new solver",
    "ecos_conic": "ECOS, one conic solve at its own tolerance 1e-8: convex model",
    "ecos_exact": "ECOS, conic solves repeated until the certificate meets 1e-8: exact Coulomb",
    "active_set_box": "pivoting, box friction",
    "active_set_octagon": "pivoting, octagon friction",
}
# The palette of Okabe and Ito, and dashes, for colour-blind readers.
PAIRS = [("ecos_conic", "exact_1e-4"), ("ecos_exact", "exact"), ("ecos_conic", "exact")]
STYLE = {"exact": ("#d55e00", "", 3.5), "exact_fresh": ("#d55e00", "3 3", 2),
         "exact_1e-4": ("#e69f00", "", 2),
         "ecos_conic": ("#0072b2", "", 2), "ecos_exact": ("#0072b2", "8 3", 2),
         "active_set_box": ("#009e73", "", 2), "active_set_octagon": ("#009e73", "8 3", 2)}


def read(file):
    with open(file, newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        for key in ("contacts", "iterations", "solves"):
            row[key] = int(row[key])
        for key in ("mu", "mass_ratio", "seconds", "certificate"):
            row[key] = float(row[key])
    return rows


def pick(rows, **wanted):
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def summary(rows, family):
    lines = []
    for contacts in sorted({row["contacts"] for row in pick(rows, family=family)}):
        for solver in SOLVERS:
            runs = pick(rows, family=family, contacts=contacts, solver=solver)
            if not runs:
                continue
            solved = sum(run["status"] == "solved" for run in runs)
            lines.append([contacts, solver, time_text(statistics.median(r["seconds"] for r in runs)),
                          time_text(max(run["seconds"] for run in runs)),
                          f"{statistics.median(run['iterations'] for run in runs):.0f}",
                          f"{max(run['certificate'] for run in runs):.0e}",
                          f"{solved}/{len(runs)}"])
    return table(["contacts", "solver", "median time", "largest", "iterations", "worst certificate",
                  "solved"], lines)


def speed_ups(rows):
    """Ratios of times of ECOS to the exact solver, per group."""
    lines = []
    for family in ("ring", "stack"):
        for contacts in sorted({row["contacts"] for row in pick(rows, family=family)}):
            line = [f"{family}, {contacts}"]
            for solver, ours in PAIRS:
                ratios = []
                for run in pick(rows, family=family, contacts=contacts, solver=solver):
                    key = {k: run[k] for k in ("motion", "mu", "mass_ratio")}
                    own = pick(rows, family=family, contacts=contacts, solver=ours, **key)[0]
                    ratios.append(run["seconds"] / own["seconds"])
                line.append(f"{statistics.median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f})"
                            if ratios else "-")
            lines.append(line)
    return table(["contacts", *(f"{a} / {b}" for a, b in PAIRS)], lines)


def iteration_table(rows):
    """Iterations of one conic solve by friction and mass ratio, stick and slip."""
    ratios = sorted({row["mass_ratio"] for row in pick(rows, family="ring")})
    lines = []
    for contacts in sorted({row["contacts"] for row in pick(rows, family="ring")}):
        for mu in sorted({row["mu"] for row in pick(rows, family="ring")}):
            line = [contacts, mu]
            for ratio in ratios:
                runs = pick(rows, family="ring", solver="ecos_conic", contacts=contacts, mu=mu,
                            mass_ratio=ratio)
                by_motion = {run["motion"]: run["iterations"] for run in runs}
                line.append(f"{by_motion['stick']} / {by_motion['slip']}")
            lines.append(line)
    return table(["contacts", "mu", *(f"ratio {ratio:g}" for ratio in ratios)], lines)


def share_within(rows, limit):
    counts = [row["iterations"] for row in pick(rows, solver="ecos_conic", family="ring")]
    return sum(count <= limit for count in counts), len(counts)


def curve(rows, family, solver):
    points = []
    for contacts in sorted({row["contacts"] for row in pick(rows, family=family, solver=solver)}):
        runs = pick(rows, family=family, solver=solver, contacts=contacts)
        points.append((contacts, statistics.median(run["seconds"] for run in runs)))
    return points


def panel(rows, family, left):
    """Median time over contacts, both axes logarithmic."""
    top, width, height = 60.0, 330.0, 300.0
    contacts = sorted({row["contacts"] for row in pick(rows, family=family)})
    x_of = lambda n: left + width * math.log(n / contacts[0]) / math.log(contacts[-1] / contacts[0])
    y_of = lambda s: top + height * (0.0 - math.log10(s)) / 6.0
    out = [f'<text x="{left + width / 2:.0f}" y="36" text-anchor="middle" class="h">'
           f'{"two bodies, ring of contacts" if family == "ring" else "stack of boxes"}</text>']
    for power, label in zip(range(0, -7, -1), ("1 s", "100 ms", "10 ms", "1 ms", "100 µs", "10 µs", "1 µs")):
        y = y_of(10.0 ** power)
        out.append(f'<path d="M{left} {y:.1f}h{width}" stroke="#e4e4e4"/>'
                   f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    for n in contacts:
        out.append(f'<path d="M{x_of(n):.1f} {top}v{height}" stroke="#f0f0f0"/>'
                   f'<text x="{x_of(n):.1f}" y="{top + height + 18}" text-anchor="middle">{n}</text>')
    out.append(f'<text x="{left + width / 2:.0f}" y="{top + height + 38}" text-anchor="middle">contacts</text>')
    for solver in reversed(SOLVERS):
        colour, dashes, stroke = STYLE[solver]
        points = curve(rows, family, solver)
        path = "L".join(f"{x_of(n):.1f} {y_of(s):.1f}" for n, s in points)
        if path:
            out.append(f'<path d="M{path}" stroke="{colour}" stroke-width="{stroke}" '
                       f'stroke-dasharray="{dashes}"/>')
    return out


def histogram(rows, left):
    """Iterations of one conic solve over all ring problems."""
    top, width, height = 60.0, 240.0, 300.0
    counts = {}
    for row in pick(rows, solver="ecos_conic", family="ring"):
        counts[row["iterations"]] = counts.get(row["iterations"], 0) + 1
    last = max(30, *counts) if counts else 30
    most = max(counts.values(), default=1)
    out = [f'<text x="{left + width / 2:.0f}" y="36" text-anchor="middle" class="h">'
           'iterations of one conic solve</text>',
           f'<path d="M{left} {top + height}h{width}" stroke="#555555"/>']
    for k in range(0, last + 1, 5):
        out.append(f'<text x="{left + width * (k + 0.5) / (last + 1):.1f}" y="{top + height + 18}" '
                   f'text-anchor="middle">{k}</text>')
    for iterations, count in sorted(counts.items()):
        bar = height * count / most
        out.append(f'<rect x="{left + width * iterations / (last + 1):.1f}" y="{top + height - bar:.1f}" '
                   f'width="{0.8 * width / (last + 1):.1f}" height="{bar:.1f}" fill="#0072b2"/>')
    return out


def picture(rows):
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1180 500" fill="none" '
           'font-family="sans-serif" font-size="12">',
           '<style>text{fill:#222222}.h{font-weight:bold;font-size:14px}</style>',
           '<rect width="100%" height="100%" fill="#ffffff"/>']
    out += panel(rows, "ring", 70.0) + panel(rows, "stack", 500.0) + histogram(rows, 910.0)
    for k, solver in enumerate(SOLVERS):
        colour, dashes, stroke = STYLE[solver]
        x, y = 70 + 280 * (k % 4), 440 + 24 * (k // 4)
        out.append(f'<path d="M{x} {y}h34" stroke="{colour}" stroke-width="{stroke}" '
                   f'stroke-dasharray="{dashes}"/><text x="{x + 42}" y="{y + 4}">{solver}</text>')
    return "\n".join(out + ["</svg>", ""])


def main(file):
    rows = read(file)
    within15, total = share_within(rows, 15)
    within30, _ = share_within(rows, 30)
    out = ["# Solvers on small problems and stacks", "",
           "Generated by `tools/make_solver_results.py` from one run of `cornet_compare` (in `bench/comparison`): all",
           "solvers on the same problems in turn, the shortest of several runs, one thread. *ring*: a body of mass 1 meets a",
           "free body of mass 1 to 1000 at 1 to 20 points, μ 0.1, 0.5 and 0.9, sticking and slipping (24 problems a line);",
           "*stack*: 1 to 50 unit cubes at rest, and with the upper half sliding. The certificate is that of the law each",
           "solver was asked for: only *exact* and *ecos_exact* mean Coulomb's.", "",
           "![Time against contacts, and iterations of one conic solve](solvers.svg)", ""]
    out += table(["solver", "what it is"], [[name, MEANING[name]] for name in SOLVERS])
    out += ["## Rings", "", *summary(rows, "ring"), "## Stacks", "", *summary(rows, "stack")]
    out += ["## Ratios of times, in this run", "",
            "Median, smallest and largest over the problems of a line. The first two compare at equal accuracy: one conic solve",
            "is good to about 1e-4 and solves the convex model; the last sets one conic solve against 1e-8 and the exact law.", "", *speed_ups(rows)]
    out += ["## Iterations of one conic solve of ECOS", "", "Sticking / slipping.", "",
            *iteration_table(rows),
            f"At most 15 iterations: {within15} of {total}; at most 30: {within30} of {total}.", ""]
    (TARGET / "solvers.md").write_text("\n".join(out))
    (TARGET / "solvers.svg").write_text(picture(rows))
    print(f"{TARGET / 'solvers.md'} written")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
