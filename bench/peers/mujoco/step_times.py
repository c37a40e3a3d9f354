#!/usr/bin/env python3
"""Times the steps of MuJoCo on a file that cornet_steps wrote. Prints one JSON object.

    python3 step_times.py SCENE.xml --setting default --settle 1 --steps 100

Needs the package mujoco; tools/make_step_results.py leaves MuJoCo out where it is not there. Settings: default, as it comes (pyramids
for cones); elliptic, round cones made as hard as its manual advises, with its own pass against slip; cg, the default with conjugate
gradients, for large piles.
"""
import argparse
import json
import time

import mujoco

SETTINGS = {
    "default": {},
    "elliptic": {"cone": mujoco.mjtCone.mjCONE_ELLIPTIC, "impratio": 100, "noslip_iterations": 20, "noslip_tolerance": 1e-10,
                 "tolerance": 1e-10},
    "cg": {"solver": mujoco.mjtSolver.mjSOL_CG},
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--setting", choices=SETTINGS, default="default")
    parser.add_argument("--settle", type=float, default=0.0)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--max-seconds", type=float, default=60.0)
    asked = parser.parse_args()
    model = mujoco.MjModel.from_xml_path(asked.file)
    for name, value in SETTINGS[asked.setting].items():
        setattr(model.opt, name, value)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, round(asked.settle / model.opt.timestep))
    # Blocks of steps, so that the calls from Python cost nothing.
    block = max(1, min(10, asked.steps))
    steps, seconds, contacts = 0, 0.0, 0.0
    begin = time.monotonic()
    while steps < asked.steps and (steps == 0 or time.monotonic() - begin < asked.max_seconds):
        start = time.process_time()
        mujoco.mj_step(model, data, block)
        seconds += time.process_time() - start
        contacts += block * data.ncon
        steps += block
    deepest = max([0.0] + [-float(distance) for distance in data.contact.dist])
    print(json.dumps({"version": mujoco.__version__, "seconds": seconds / steps, "steps": steps, "contacts": contacts / steps,
                      "penetration": deepest}))


if __name__ == "__main__":
    main()
