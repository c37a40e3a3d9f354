#!/usr/bin/env python3
"""Judges the recordings of a folder that cornet_fuzz wrote, by means of its own.

    check_recordings.py DIR [--keep FOLDER] [--json FILE]

A step is wrong when a measure exceeds its bound and the run calls the step accurate. Ends with 1 when there is any,
or a crash, a hang or a NaN. --keep copies the scenes of offenders.
"""
import argparse
import json
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from checker.checks import check  # noqa: E402
from checker.recording import Recording  # noqa: E402
from checker.report import Tally  # noqa: E402


def check_folder(folder, prefix=""):
    """The tally of all runs of a folder; names of scenes get the prefix."""
    tally = Tally()
    for line in (folder / "runs.jsonl").read_text().splitlines():
        run = json.loads(line)
        file = folder / (run["scene"] + ".h5")
        run["scene"] = prefix + run["scene"]
        tally.add_run(run)
        if run["status"] or run["signal"] or not file.exists():
            tally.scenes += 1
            continue
        recording = Recording(file)
        tally.add_flags(prefix.rstrip("_") or "scenes", run, recording)
        tally.add_scene(run["scene"], recording, check(recording))
    return tally


def keep(tally, folder, target):
    target.mkdir(parents=True, exist_ok=True)
    for name in tally.offenders:
        shutil.copy(folder / (name + ".toml"), target)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    tally = check_folder(arguments.folder)
    if arguments.keep:
        keep(tally, arguments.folder, arguments.keep)
    if arguments.json:
        arguments.json.write_text(json.dumps(vars(tally), indent=1))
    print(tally.table())
    print(tally.summary())
    return 0 if tally.is_clean() else 1


if __name__ == "__main__":
    sys.exit(main())
