#!/usr/bin/env python3
"""Fails when a file includes what its layer may not see.

    base - math -+- problem - solvers -+
                 |                     +- constraints - world - audit - sim - io - run - { apps, bench, tests }
                 +- collision - body --+

A module includes itself and what it reaches leftwards; a foreign header stays where FOREIGN puts
it. Run from anywhere: python3 tools/check_layers.py
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Direct neighbours to the left.
LEFT = {
    "base": [],
    "math": ["base"],
    "problem": ["math"],
    "solvers": ["problem"],
    "collision": ["math"],
    "body": ["collision"],
    "constraints": ["solvers", "body"],
    "world": ["constraints"],
    "audit": ["world"],
    "sim": ["audit"],
    "io": ["sim"],
    "run": ["io"],
}

# Prefix of a foreign header -> prefixes of the files that may include it.
FOREIGN = {
    "Eigen/": ["src/", "apps/", "bench/"],
    "fmt/": ["src/", "apps/", "bench/"],
    "hdf5.h": ["src/cornet/io/hdf5_"],
    "toml++/": ["src/cornet/io/toml/toml_value.cc"],
    "amd.h": ["src/cornet/math/block_graph.cc"],
    "metis.h": ["src/cornet/math/block_graph.cc"],
    "ecos.h": ["src/cornet/solvers/ecos/ecos_data.cc"],
    "coal/": ["src/cornet/collision/coal/coal_distance.cc", "bench/coal_"],
    "mujoco/": ["src/cornet/body/mujoco/library.h"],
    "libqhull_r/": ["src/cornet/collision/hull.cc"],
    "oneapi/tbb/": ["src/cornet/solvers/island_solver.cc", "src/cornet/sim/icf/icf_crew.cc", "src/cornet/sim/island_crew.cc"],
    "CLI/": ["apps/", "bench/peers/", "bench/steps/"],
    "nlohmann/": ["apps/"],
    "boost/": ["apps/cornet/view/web_server.cc"],
    "zlib.h": ["apps/cornet/view/deflate.cc"],
    "benchmark/": ["bench/"],
    "siconos/": ["bench/peers/siconos/"],
    "unistd.h": ["src/cornet/io/hdf5_file.cc", "apps/", "bench/peers/"],
    "poll.h": ["apps/cornet/bench/"],
    "spawn.h": ["apps/cornet/bench/", "apps/cornet/view/live_view.cc"],
    "fcntl.h": ["apps/cornet/bench/", "bench/peers/"],
    "sys/": ["apps/cornet/bench/", "bench/peers/"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
STANDARD = re.compile(r"^[a-z_0-9]+$")  # <vector>, <cmath>: no folder, no extension


def reachable(module):
    """The module and everything to its left."""
    seen = {module}
    for neighbour in LEFT[module]:
        seen |= reachable(neighbour)
    return seen


def own_module(path):
    """Module of src/cornet/<module>/..., or None for a file outside the library."""
    parts = path.split("/")
    return parts[2] if parts[:2] == ["src", "cornet"] and len(parts) > 3 else None


def fault(path, quote, header):
    """What is wrong with this include, or None."""
    module = own_module(path)
    if header.startswith("cornet/"):
        target = header.split("/")[1]
        if target not in LEFT:
            return f"{target} is not a module of the library"
        if module is not None and target not in reachable(module):
            return f"{module} may not include {target}"
        return None if (ROOT / "src" / header).exists() else "no such header"
    if quote == '"':
        return "in the library write cornet/<module>/<file>" if module is not None else None
    for prefix, places in FOREIGN.items():
        if header.startswith(prefix):
            allowed = any(path.startswith(place) for place in places)
            return None if allowed else f"allowed only in {', '.join(places)}"
    return None if STANDARD.match(header) else "a foreign header that FOREIGN does not list"


def main():
    faults = []
    for top in ("src", "apps", "bench"):
        for file in sorted((ROOT / top).rglob("*")):
            if file.suffix not in (".h", ".cc"):
                continue
            path = file.relative_to(ROOT).as_posix()
            if top == "src" and own_module(path) not in LEFT:
                faults.append(f"{path}:1: this folder is not a module")
                continue
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                reason = fault(path, *match.groups()) if match else None
                if reason:
                    faults.append(f"{path}:{number}: {match.group(2)}: {reason}")
    print("\n".join(faults) if faults else "layers: all includes point to the left")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
