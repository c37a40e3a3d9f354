"""`cornet bench fclib` from the outside: table, CSV, picture, JSON, exit codes, and peers.

    python bench_test.py PROGRAM

The peer of most tests is a script with known times; Siconos is run where its adapter was built.
"""
import csv
import json
import math
import pathlib
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
SHIPPED = ROOT / "scenes" / "problems"
COLUMNS = ["problem", "contacts", "solver", "status", "seconds", "certificate", "field",
           "iterations", "factorizations"]
PROGRAM = None
SICONOS = None

# Solves everything but what is named after it; `slow` takes twice as long as `quick`.
ADAPTER = """#!/usr/bin/env python3
import sys
SECONDS = {"quick": 1e-3, "slow": 2e-3, "lost": 1e-9}
for solver, seconds in SECONDS.items():
    line = '"solver": "%s", "family": "of <two> & more"' % solver
    if "--list" not in sys.argv:
        solved = solver != "lost" and not (solver == "quick" and "no_contact" in sys.argv[1])
        line += ', "status": "%s", "seconds": %g' % ("solved" if solved else "failed", seconds)
        line += ', "repetitions": 3, "iterations": 7, "certificate": 1e-9, "field": null'
    print("{" + line + "}", flush=True)
"""


def run(*words):
    return subprocess.run([PROGRAM, "bench", *map(str, words)], capture_output=True, text=True,
                          timeout=300)


def run_json(*words):
    result = run(*words, "--json")
    answer = json.loads(result.stdout)
    assert answer["schema"] == "cornet.bench/1"
    return result.returncode, answer


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def script(self, text):
        file = self.folder / "adapter"
        file.write_text(text)
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
        return file


class Bench(Folder):
    def test_table_has_a_line_per_problem_and_the_solved_count(self):
        result = run("fclib", DATA / "sliding_cube.hdf5", DATA / "every_law.hdf5")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"(?m)^sliding_cube +4 +[\d.]+ us +\d\.\de-\d\d")
        self.assertRegex(result.stdout, r"(?m)^every_law +2 ")
        self.assertIn("2 problems, tolerance 1e-08", result.stdout)
        self.assertRegex(result.stdout, r"(?m)^gauss_seidel +2/2 ")
        self.assertEqual(result.stderr, "")

    def test_csv_and_picture_hold_every_solver_on_every_problem(self):
        out = self.folder / "new" / "out"
        self.assertEqual(run("fclib", DATA, "--output", out, "--peer", "siconos", "--peer-program",
                             self.script(ADAPTER), "--solver", "gauss_seidel").returncode, 0)
        with open(out / "fclib.csv", newline="") as file:
            lines = list(csv.DictReader(file))
        problems = {f.stem for f in DATA.glob("*.hdf5")}
        self.assertEqual(list(lines[0]), COLUMNS)
        self.assertEqual(len(lines), 4 * len(problems))
        self.assertEqual({line["problem"] for line in lines}, problems)
        for line in lines:
            if line["solver"] == "gauss_seidel":
                self.assertEqual(line["status"], "solved")
                self.assertLessEqual(float(line["certificate"]), 1e-8)
                self.assertLessEqual(float(line["field"]), 1e-8)
            else:
                self.assertEqual(line["field"], "")  # null
        texts = [e.text for e in xml.parse(out / "performance_profile.svg").iter() if e.text]
        self.assertIn(f"Performance profile: {len(problems)} problems, tolerance 1e-08", texts)
        for solver in ("gauss_seidel", "quick", "slow", "lost"):
            self.assertIn(solver, texts)

    def test_what_the_judged_solver_does_not_solve_is_named_and_exit_code_4(self):
        result = run("fclib", SHIPPED / "own_stack_10.hdf5", DATA / "sliding_cube.hdf5",
                     "--max-seconds", "0.005", "--solver", "gauss_seidel")
        self.assertEqual(result.returncode, 4)
        self.assertIn("gauss_seidel did not solve: own_stack_10\n", result.stdout)
        self.assertRegex(result.stdout, r"own_stack_10 +40 +not solved")

    def test_a_bad_file_is_named_and_the_others_are_measured(self):
        shutil.copy(DATA / "sliding_cube.hdf5", self.folder / "a.hdf5")
        (self.folder / "b.hdf5").write_bytes((DATA / "every_law.hdf5").read_bytes()[:900])
        code, answer = run_json("fclib", self.folder)
        self.assertEqual((code, answer["ok"]), (3, False))
        self.assertEqual({r["problem"] for r in answer["runs"]}, {"a"})
        self.assertIn("b.hdf5", answer["messages"][0]["text"])

    def test_files_that_are_not_there_and_folders_that_cannot_be_written(self):
        (self.folder / "file").write_text("")
        for words in (["fclib", self.folder / "missing"], ["fclib", self.folder],
                      ["fclib", DATA, "--output", self.folder / "file"]):
            code, answer = run_json(*words)
            self.assertEqual((code, answer["ok"], answer["runs"]), (5, False, []), words)
            self.assertTrue(answer["messages"][0]["text"])

    def test_usage_errors_are_exit_code_2_with_an_answer_in_json(self):
        for words in ([], ["fclib"], ["other", DATA], ["fclib", DATA, "--solver", "magic"],
                      ["fclib", DATA, "--tolerance", "-1"], ["fclib", DATA, "--tolerance", "nan"],
                      ["fclib", DATA, "--max-seconds", "nan"], ["fclib", DATA, "--repeat", "0"],
                      ["fclib", DATA, "--peer", "nobody"],
                      ["fclib", DATA, "--solver", "gauss_seidel", "gauss_seidel"]):
            code, answer = run_json(*words)
            self.assertEqual((code, answer["ok"]), (2, False), words)
            self.assertTrue(answer["messages"][0]["text"])

    def test_problems_of_one_name_are_told_apart_by_their_folder(self):
        for name in ("one", "two"):
            (self.folder / name).mkdir()
            shutil.copy(DATA / "sliding_cube.hdf5", self.folder / name)
        _, answer = run_json("fclib", self.folder)
        self.assertEqual({r["problem"] for r in answer["runs"]},
                         {"one/sliding_cube", "two/sliding_cube"})


class Peer(Folder):
    def bench(self, *words):
        return run_json("fclib", *words, "--peer", "siconos", "--peer-program",
                        self.script(ADAPTER), "--solver", "gauss_seidel")

    def test_ratios_are_geometric_means_over_what_both_solved(self):
        code, answer = self.bench(DATA)
        self.assertEqual(code, 0)
        ours, quick, slow, lost = answer["solvers"]
        self.assertEqual([s["peer"] for s in answer["solvers"]], [False, True, True, True])
        runs = {(r["problem"], r["solver"]): r for r in answer["runs"]}
        problems = sorted({r["problem"] for r in answer["runs"]})
        # `quick` is the virtual best but for no_contact, which only `slow` solves; `lost` never is.
        best = [2e-3 if p == "no_contact" else 1e-3 for p in problems]
        times = [max(runs[p, "gauss_seidel"]["seconds"], 1e-9) for p in problems]
        self.assertEqual(ours["ratio"]["problems"], len(problems))
        self.assertAlmostEqual(ours["ratio"]["mean"],
                               geometric_mean([t / b for t, b in zip(times, best)]), places=12)
        self.assertAlmostEqual(quick["ratio"]["mean"], 1.0)
        self.assertAlmostEqual(slow["ratio"]["mean"], 2.0 ** ((len(problems) - 1) / len(problems)))
        self.assertEqual((lost["solved"], lost["ratio"]), (0, {"mean": None, "problems": 0}))
        self.assertEqual(ours["ratio_from_9"], {"mean": None, "problems": 0})
        self.assertEqual(ours["ratio_to_5"], ours["ratio"])

    def test_table_names_the_fastest_and_every_solver_of_the_peer(self):
        result = run("fclib", DATA / "sliding_cube.hdf5", DATA / "no_contact.hdf5", "--peer",
                     "siconos", "--peer-program", self.script(ADAPTER))
        self.assertIn("siconos, fastest of 3", result.stdout)
        self.assertRegex(result.stdout, r"(?m)^sliding_cube .* 1.0 ms  quick ")
        self.assertRegex(result.stdout, r"(?m)^no_contact .* 2.0 ms  slow ")
        self.assertRegex(result.stdout, r"(?m)^siconos, fastest +2/2 ")
        self.assertRegex(result.stdout, r"(?m)^quick +1/2 ")
        self.assertRegex(result.stdout, r"(?m)^lost +0/2( +-)+$")

    def test_a_missing_adapter_is_exit_code_5_and_says_how_to_get_it(self):
        alone = self.folder / "cornet"
        shutil.copy(PROGRAM, alone)
        result = subprocess.run([alone, "bench", "fclib", DATA, "--peer", "siconos"],
                                capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 5)
        self.assertIn("libsiconos-numerics-dev", result.stderr)
        code, answer = run_json("fclib", DATA, "--peer", "siconos", "--peer-program", "nowhere")
        self.assertEqual(code, 5)
        self.assertIn("nowhere", answer["messages"][0]["text"])

    def test_an_adapter_that_fails_is_named(self):
        for text, reason in (("#!/bin/sh\nexit 3\n", "exit code 3"),
                             ("#!/bin/sh\necho not JSON\n", "not JSON"),
                             ("#!/bin/sh\nkill -9 $$\n", "exit code 137"),
                             ("#!/bin/sh\n", "lists no solvers"), ("junk", "cannot be run")):
            code, answer = run_json("fclib", DATA, "--peer", "siconos", "--peer-program",
                                    self.script(text))
            self.assertEqual(code, 5, text)
            self.assertIn(reason, answer["messages"][0]["text"])

    def test_interrupt_ends_the_adapter_and_keeps_the_results_so_far(self):
        slow = ADAPTER.replace("import sys\n", "import sys, time\n"
                               "if 'every_law' in sys.argv[1]: time.sleep(60)\n")
        process = subprocess.Popen(
            [PROGRAM, "bench", "fclib", DATA / "sliding_cube.hdf5", DATA / "every_law.hdf5",
             "--peer", "siconos", "--peer-program", self.script(slow), "--json"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        time.sleep(2.0)
        process.send_signal(signal.SIGINT)
        stdout, _ = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130)
        answer = json.loads(stdout)
        self.assertEqual({r["problem"] for r in answer["runs"]}, {"sliding_cube"})
        self.assertIn("interrupted", answer["messages"][-1]["text"])


class Siconos(Folder):
    def setUp(self):
        super().setUp()
        if not SICONOS.exists():
            self.skipTest("the adapter to Siconos was not built")

    def adapter(self, *words):
        result = subprocess.run([SICONOS, *map(str, words)], capture_output=True, text=True,
                                timeout=120)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return [json.loads(line) for line in result.stdout.splitlines()]

    def test_both_forms_of_one_problem_are_solved(self):
        code, answer = run_json("fclib", DATA / "sliding_cube.hdf5",
                                DATA / "sliding_cube_delassus.hdf5", "--peer", "siconos",
                                "--max-seconds", "0.2", "--repeat", "1")
        self.assertEqual(code, 0)
        peers = [s for s in answer["solvers"] if s["peer"]]
        self.assertEqual(len(peers), 21)
        self.assertGreaterEqual(sum(s["solved"] == 2 for s in peers), 15)
        for r in answer["runs"]:
            if r["status"] == "solved":
                self.assertLessEqual(r["field"], 1e-8)
                self.assertGreater(r["seconds"], 0)

    def test_one_configuration_at_a_time(self):
        lines = self.adapter(DATA / "sliding_cube_delassus.hdf5", "--solver", "NSGS-GP", "NSN-AC")
        self.assertEqual([(line["solver"], line["status"]) for line in lines],
                         [("NSGS-GP", "solved"), ("NSN-AC", "solved")])
        self.assertGreaterEqual(lines[0]["repetitions"], 3)

    def test_laws_it_has_not_and_sizes_that_do_not_pay_are_told(self):
        lines = self.adapter(DATA / "every_law.hdf5")
        self.assertEqual({line["status"] for line in lines}, {"unsupported"})
        lines = self.adapter(SHIPPED / "Capsules-i100-1090.hdf5", "--solver", "NSN-AC-DN")
        self.assertEqual(lines[0]["status"], "skipped")

    def test_the_time_limit_ends_a_solve(self):
        lines = self.adapter(SHIPPED / "Capsules-i100-1090.hdf5", "--solver", "ADMM", "--tolerance",
                             "1e-12", "--max-seconds", "0.2")
        self.assertEqual((lines[0]["status"], lines[0]["seconds"]), ("timeout", None))

    def test_a_bad_file_is_refused(self):
        result = subprocess.run([SICONOS, self.folder / "missing.hdf5"], capture_output=True,
                                text=True, timeout=60)
        self.assertEqual(result.returncode, 1)
        self.assertIn("no such file", result.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    SICONOS = pathlib.Path(PROGRAM).parent / "cornet_siconos"
    unittest.main(verbosity=2)
