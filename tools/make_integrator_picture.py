#!/usr/bin/env python3
"""Draws docs/pictures/integrators.svg from runs made on the spot: the same two scenes under exact and under compliant contact.

Left: way of a block on a slope below the angle of friction, over time. Right: how far a ball sinks into a floor, over stiffness.

    .venv/bin/python tools/make_integrator_picture.py [PROGRAM]      (default: build/cornet)
"""
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np

from make_readme_picture import CONVEX, EXACT, INK, ROOT, SOFT, Svg, small

PICTURE = ROOT / "docs/pictures/integrators.svg"
SCENES = ROOT / "scenes/compliant"
LEAST = 1e-17  # [m] what is drawn at the bottom: rounding and less


def run(program, scene, *arguments):
    """Times and places (F, 3) of the only body."""
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/run.h5"
        subprocess.run([program, "run", SCENES / scene, "--record", file, *arguments], stdout=subprocess.DEVNULL, check=False)
        with h5py.File(file) as data:
            return data["frames/time"][1:], data["frames/pose"][1:, 0, :3]


class Axes:
    """A panel with logarithmic axes."""

    def __init__(self, svg, left, right, top, bottom, across, up):
        self.svg, self.box, self.across, self.up = svg, (left, right, top, bottom), across, up
        for exponent in range(up[0], up[1] + 1, 2):
            svg.line(left, self.y(10.0**exponent), right, self.y(10.0**exponent))
            svg.text(left - 8, self.y(10.0**exponent) + 4, small(exponent), 11, SOFT, "end")
        for exponent in range(across[0], across[1] + 1):
            svg.line(self.x(10.0**exponent), bottom, self.x(10.0**exponent), bottom + 5, SOFT)
            svg.text(self.x(10.0**exponent), bottom + 19, small(exponent), 11, SOFT, "middle")

    def x(self, value):
        left, right = self.box[:2]
        return left + (right - left) * (np.log10(value) - self.across[0]) / (self.across[1] - self.across[0])

    def y(self, value):
        top, bottom = self.box[2:]
        return bottom - (bottom - top) * (np.log10(max(value, LEAST)) - self.up[0]) / (self.up[1] - self.up[0])

    def curve(self, across, up, colour, dots=False):
        points = [(self.x(a), self.y(b)) for a, b in zip(across, up)]
        if dots:
            return self.svg.dots(points, colour)
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self.svg.parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')


def settled(time, place):
    """Way from where it is after 0.5 s, from 0.1 s after that on."""
    rest = np.searchsorted(time, 0.5)
    return time[rest + 10:] - time[rest], np.abs(place[rest + 10:, 0] - place[rest, 0])


def draw_slope(svg, program):
    axes = Axes(svg, 84, 402, 112, 376, (-1, 1), (-17, -1))
    svg.text(38, 66, "A block on a slope", 16, INK, weight="bold")
    svg.text(38, 86, "15°, friction 0.5: it should stay where it is", 13, SOFT)
    long = ("--duration", "10.5")
    for epsilon, aside in (("1e-3", -30), ("1e-4", 24)):
        time, way = settled(*run(program, "creeps_on_a_slope.toml", *long, "--set", f"epsilon={epsilon}"))
        axes.curve(time, way, CONVEX)
        svg.text(axes.x(0.12), axes.y(way[0]) + aside, f"compliant, stiction_speed = {epsilon} m/s", 12, CONVEX)
    time, way = settled(*run(program, "creeps_on_a_slope.toml", *long, "--integrator", "drift_kick_drift"))
    axes.curve(time, way, EXACT)
    svg.text(axes.x(0.13), axes.y(max(way)) - 12, "exact", 12, EXACT, weight="bold")
    svg.text(243, 414, "time since it came to rest [s]", 13, INK, "middle")
    svg.text(34, 244, "way down the slope [m]", 13, INK, "middle", turn=-90)


def draw_floor(svg, program):
    axes = Axes(svg, 528, 846, 112, 376, (3, 9), (-17, -1))
    svg.text(482, 66, "A ball of 0.5 kg on a floor", 16, INK, weight="bold")
    svg.text(482, 86, "sinks in by m g/k, or not at all", 13, SOFT)
    stiffness = [10.0**k for k in range(3, 10)]
    sunk = [0.1 - run(program, "rests_on_its_stiffness.toml", "--set", f"k={k}")[1][-1, 2] for k in stiffness]
    axes.curve(stiffness, [0.5 * 9.81 / k for k in stiffness], CONVEX)
    axes.curve(stiffness, np.abs(sunk), CONVEX, dots=True)
    svg.text(axes.x(3e5), axes.y(2e-4), "compliant", 12, CONVEX)
    rigid = abs(0.1 - run(program, "rests_on_its_stiffness.toml", "--integrator", "drift_kick_drift")[1][-1, 2])
    axes.curve([1e3, 1e9], [rigid, rigid], EXACT)
    svg.text(axes.x(1.4e3), axes.y(rigid) - 12, "exact", 12, EXACT, weight="bold")
    svg.text(687, 414, "stiffness of the contact [N/m]", 13, INK, "middle")
    svg.text(478, 244, "depth at rest [m]", 13, INK, "middle", turn=-90)


def main():
    program = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/cornet").resolve()
    svg = Svg(880, 436, "What compliant contact gives away, beside exact contact: creep on a slope and depth at rest")
    draw_slope(svg, program)
    draw_floor(svg, program)
    svg.write(PICTURE)


if __name__ == "__main__":
    main()
