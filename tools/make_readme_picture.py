#!/usr/bin/env python3
"""Draws docs/pictures/coulomb_law.svg from a shipped problem that the program solves on the spot.

Left: every contact that carries an impulse under the exact Coulomb law, friction used against slip
speed. Right: the same problem under the convex model, slip speed against separation speed.

    .venv/bin/python tools/make_readme_picture.py [PROGRAM]      (default: build/cornet)
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROBLEM = ROOT / "scenes/problems/Capsules-i100-1090.hdf5"
PICTURE = ROOT / "docs/pictures/coulomb_law.svg"

EXACT, CONVEX, INK, SOFT, RULE = "#1f5fa8", "#d1641c", "#1d2733", "#5b6773", "#d5dade"
PAPER = "#fdfdfc"  # behind everything, so that the picture reads on a dark page too
CARRIES = 1e-9   # part of the largest impulse below which a contact counts as open
SLIDES = 1e-9    # [m/s] slip speed above which a contact slides; nothing lies near it


def solve(program, model, tolerance):
    """Per closed contact: friction used, slip speed, separation speed; and the JSON of the run."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([program, "solve", PROBLEM, "--tolerance", tolerance, "--max-seconds",
                              "60", "--friction-model", model, "--output", folder, "--json"],
                             stdout=subprocess.PIPE, check=True)
        with h5py.File(f"{folder}/{PROBLEM.stem}.solution.hdf5") as file:
            u, r = (file[f"solution/{name}"][:].reshape(-1, 3) for name in "ur")
    with h5py.File(PROBLEM) as file:
        mu = file["fclib_local/vectors/mu"][:]
    closed = r[:, 0] > CARRIES * r[:, 0].max()
    used = np.hypot(r[closed, 1], r[closed, 2]) / (mu[closed] * r[closed, 0])
    slip = np.hypot(u[closed, 1], u[closed, 2])
    return used, slip, u[closed, 0], mu, json.loads(run.stdout)["problems"][0]


class Svg:
    def __init__(self, width, height, label):
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
                      f'width="{width}" height="{height}" font-family="Helvetica, Arial, '
                      f'DejaVu Sans, sans-serif" role="img" aria-label="{label}">',
                      f'<rect x="1" y="1" width="{width - 2}" height="{height - 2}" rx="10" '
                      f'fill="{PAPER}" stroke="{RULE}"/>']

    def text(self, x, y, words, size=13, fill=INK, anchor="start", weight="normal", turn=None):
        turned = f' transform="rotate({turn} {x} {y})"' if turn else ""
        self.parts.append(f'<text x="{x}" y="{y}" font-size="{size}" fill="{fill}" text-anchor='
                          f'"{anchor}" font-weight="{weight}" stroke="{PAPER}" stroke-width="4" '
                          f'paint-order="stroke" stroke-linejoin="round"{turned}>{words}</text>')

    def line(self, x1, y1, x2, y2, stroke=RULE, width=1.0, extra=""):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
                          f'stroke="{stroke}" stroke-width="{width}" {extra}/>')

    def dots(self, points, fill):
        circles = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.6"/>' for x, y in points)
        self.parts.append(f'<g fill="{fill}" fill-opacity="0.55" stroke="#ffffff" '
                          f'stroke-width="0.6">{circles}</g>')

    def write(self, file):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join([*self.parts, "</svg>"]) + "\n", encoding="utf-8")


def small(exponent):
    """10 to a power, as SVG text with a raised exponent."""
    raised = f"{exponent}".replace("-", "−")
    return f'10<tspan dy="-5" font-size="9">{raised}</tspan>'


def sub(letter, index, then):
    """A letter with a lowered index; what follows stands on the line again."""
    gap = 4 * (len(then) - len(then.lstrip()))  # renderers drop a space after a change of line
    return (f'{letter}<tspan dy="3" font-size="10">{index}</tspan>'
            f'<tspan dx="{gap}" dy="-3">{then.lstrip()}</tspan>')


def draw_law(svg, used, slip):
    """Left panel: below the break the rounding noise of sticking, above it sliding, both log."""
    left, right, top, brk, low, bottom = 84, 402, 112, 316, 326, 376
    x = lambda f: left + (right - left) * f / 1.15
    y_slide = lambda s: brk - 8 - (brk - 8 - top) * (np.log10(s) + 4) / 5      # 1e-4 .. 10
    y_stick = lambda s: bottom - 4 - (bottom - low - 4) * (np.log10(max(s, 1e-20)) + 20) / 8
    sliding = slip > SLIDES

    svg.text(left - 46, 66, "Exact law: it holds", 16, EXACT, weight="bold")
    svg.text(left - 46, 86, "A contact sticks, or slides with all its friction.", 13, SOFT)
    for exponent in range(-4, 2):
        svg.line(left, y_slide(10.0**exponent), right, y_slide(10.0**exponent))
        svg.text(left - 8, y_slide(10.0**exponent) + 4, small(exponent), 11, SOFT, "end")
    outline = f"M{left} {low}H{x(1) - 7:.1f}V{top}H{x(1) + 7:.1f}V{bottom}H{left}Z"
    svg.parts.append(f'<path d="{outline}" fill="{EXACT}" fill-opacity="0.12"/>')
    svg.text(left - 8, (low + bottom) / 2 + 4, f"&lt; {small(-12)}", 11, SOFT, "end")
    for f in (0, 0.25, 0.5, 0.75, 1):
        svg.line(x(f), bottom, x(f), bottom + 5, SOFT)
        svg.text(x(f), bottom + 18, f"{100 * f:.0f} %", 11, SOFT, "middle")
    svg.text((left + x(1)) / 2, bottom + 38,
             "friction used  |" + sub("λ", "t", "| / (μ") + sub("λ", "n", ")"), 13, INK,
             "middle")
    svg.text(left - 50, (top + bottom) / 2, "slip speed  |" + sub("u", "t", "|  [m/s]"), 13, INK,
             "middle", turn=-90)
    svg.dots([(x(f), y_stick(s)) for f, s in zip(used[~sliding], slip[~sliding])], EXACT)
    svg.dots([(x(f), y_slide(s)) for f, s in zip(used[sliding], slip[sliding])], EXACT)
    svg.text(x(0.92), y_slide(0.35), f"{sliding.sum()} slide:", 13, EXACT, "end", "bold")
    svg.text(x(0.92), y_slide(0.35) + 17, "exactly at the limit", 13, INK, "end")
    svg.text(left + 10, brk - 50, f"{(~sliding).sum()} stick:", 13, EXACT, weight="bold")
    svg.text(left + 10, brk - 33, "no speed but rounding noise", 13, INK)


def draw_separation(svg, exact, convex, mu):
    """Right panel: separation against slip speed of both models."""
    left, right, top, bottom = 508, 846, 112, 376
    x = lambda s: left + (right - left) * s / 3.8
    y = lambda n: bottom - 18 - (bottom - 18 - top) * n / 2.6
    svg.text(left - 46, 66, "Convex model: it breaks", 16, CONVEX, weight="bold")
    svg.text(left - 46, 86, "The same step: what slides is thrown upwards.", 13, SOFT)
    for n in (0, 0.5, 1, 1.5, 2, 2.5):
        svg.line(left, y(n), right, y(n))
        svg.text(left - 8, y(n) + 4, f"{n:g}", 11, SOFT, "end")
    for s in (0, 1, 2, 3):
        svg.line(x(s), bottom, x(s), bottom + 5, SOFT)
        svg.text(x(s), bottom + 18, f"{s}", 11, SOFT, "middle")
    svg.text((left + right) / 2, bottom + 38, "slip speed  |" + sub("u", "t", "|  [m/s]"), 13, INK,
             "middle")
    svg.text(left - 38, (top + bottom) / 2, "separation speed  " + sub("u", "n", "  [m/s]"), 13,
             INK, "middle", turn=-90)
    svg.line(x(0), y(0), x(2.6 / mu), y(2.6), CONVEX, 14, 'stroke-opacity="0.13"')
    svg.line(x(0), y(0), right, y(0), EXACT, 14, 'stroke-opacity="0.13"')
    svg.dots([(x(s), y(n)) for s, n in zip(*convex)], CONVEX)
    svg.dots([(x(s), y(n)) for s, n in zip(*exact)], EXACT)
    svg.text(x(1.62), y(1.9), "convex model:", 13, CONVEX, "end", "bold")
    svg.text(x(1.62), y(1.9) + 17, sub("u", "n", " = μ |") + sub("u", "t", "|"), 13, INK, "end")
    svg.text(x(2.3), y(0.55), "exact law:", 13, EXACT, weight="bold")
    svg.text(x(2.3), y(0.55) + 17, sub("u", "n", " = 0"), 13, INK)


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/cornet"
    used, slip, separation, mu, report = solve(program, "coulomb", "1e-8")
    _, convex_slip, convex_separation, _, _ = solve(program, "convex", "1e-4")
    assert mu.min() == mu.max(), "the line of the right panel needs one friction coefficient"
    svg = Svg(880, 440, "Coulomb's law, contact by contact: exact and convex model")
    svg.text(38, 36, f"One time step, {report['contacts']} contacts, μ = {mu[0]:g}. Each dot is "
             "a contact that carries an impulse.", 14, INK)
    draw_law(svg, used, slip)
    svg.line(440, 56, 440, 414)
    draw_separation(svg, (slip, separation), (convex_slip, convex_separation), mu[0])
    svg.write(PICTURE)
    print(f"{PICTURE.relative_to(ROOT)}: {report['status']}, "
          f"certificate {report['certificate']['relative']:.1e}")


if __name__ == "__main__":
    main()
