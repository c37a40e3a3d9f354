#!/usr/bin/env python3
"""Runs random scenes of the families bodies and mechanisms, half each, with a tenth as many of impacts, and judges them; ends in one line, "N scenes: ...".

    run_fuzz.py --program PATH/cornet_fuzz --count N --seed S [--first K] [--jobs 2] [--keep FOLDER]
                [--time-limit SECONDS] [--family bodies|mechanisms|impacts] [--shortest-step SECONDS] [--longest-step SECONDS]
                [--accuracy METRES]
    run_fuzz.py --program PATH/cornet_fuzz --scene FILE...

Scenes go through a temporary folder in batches, which is removed with them. --keep FOLDER keeps the scene files of
offenders as FAMILY_scene_000123.toml, --keep-flagged those of scenes with flagged steps too. Ends with 1 when something was wrong, as check_recordings.py does.
"""
import argparse
import concurrent.futures
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from check_recordings import check_folder  # noqa: E402
from checker.report import Tally  # noqa: E402

BATCH = 50  # scenes, about 10 MB of recordings
SHARES = {"bodies": 0.5, "mechanisms": 0.5, "impacts": 0.1}  # of the scenes that were asked for


def run_batch(program, arguments, prefix, keep, keep_flagged):
    """Tally of one call of the program; scenes are named with the prefix."""
    with tempfile.TemporaryDirectory(prefix="cornet-fuzz-") as name:
        folder = pathlib.Path(name)
        subprocess.run([program, *arguments, "--output", name], check=True, stdout=subprocess.DEVNULL)
        tally = check_folder(folder, prefix)
        if keep:
            keep.mkdir(parents=True, exist_ok=True)
            for scene in {*tally.offenders, *(tally.flagged if keep_flagged else ())}:
                shutil.copy(folder / (scene.removeprefix(prefix) + ".toml"), keep / (scene + ".toml"))
        return tally


def batches(arguments):
    """Arguments of the program and prefix of names for every batch."""
    limit = ["--time-limit", str(arguments.time_limit), "--shortest-step", str(arguments.shortest_step),
             "--longest-step", str(arguments.longest_step)]
    if arguments.accuracy:
        limit += ["--accuracy", str(arguments.accuracy)]
    if arguments.scene:
        yield ["--scene", *map(str, arguments.scene), *limit], ""
        return
    calls = []
    for family, share in SHARES.items():
        count = math.ceil(share * arguments.count)
        if arguments.family:
            count = arguments.count if family == arguments.family else 0
        for first in range(0, count, BATCH):
            call = ["--family", family, "--seed", str(arguments.seed), "--first", str(arguments.first + first),
                    "--count", str(min(BATCH, count - first)), *limit]
            calls.append(((first + 1) / count, call, family + "_"))
    for _, call, prefix in sorted(calls, key=lambda entry: entry[0]):  # the families side by side
        yield call, prefix


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)  # scene of each family, to go on where another run ended
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--time-limit", type=int, default=30)
    parser.add_argument("--family", choices=SHARES)
    parser.add_argument("--shortest-step", type=float, default=0.0)
    parser.add_argument("--longest-step", type=float, default=1.0)
    parser.add_argument("--accuracy", type=float)  # steps of varying size
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--keep-flagged", action="store_true")
    parser.add_argument("--scene", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    tally = Tally()
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        tasks = [pool.submit(run_batch, arguments.program, call, prefix, arguments.keep, arguments.keep_flagged)
                 for call, prefix in batches(arguments)]
        for done, task in enumerate(tasks, start=1):
            tally.merge(task.result())
            print(f"\r{done} of {len(tasks)} batches: {tally.summary()}", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
    print(tally.table())
    print(tally.summary())
    return 0 if tally.is_clean() else 1


if __name__ == "__main__":
    sys.exit(main())
