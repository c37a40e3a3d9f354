"""`cornet solve` and `cornet demo` from the outside: exit codes, JSON, files, messages.

    python solve_test.py PROGRAM
"""
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import h5py
import jsonschema
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from field_measure import field_measure  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
SHIPPED = ROOT / "scenes" / "problems"
SCHEMA = json.loads((ROOT / "docs/formats/cornet.solve-1.schema.json").read_text())
PROGRAM = None


def run(*words):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=300)


def run_json(*words):
    result = run(*words, "--json")
    answer = json.loads(result.stdout)
    jsonschema.validate(answer, SCHEMA)
    return result.returncode, answer


class Ecos(unittest.TestCase):
    def test_solves_or_says_how_to_get_it(self):
        words = ["solve", DATA / "sliding_cube.hdf5", "--solver", "ecos", "--tolerance", "1e-6"]
        result = run(*words)
        if "with ECOS (GPL-3)" in run("--version").stdout:
            self.assertEqual(result.returncode, 0)
            answer = run_json(*words)[1]
            self.assertEqual(answer["problems"][0]["solver"], "ecos")
        else:
            self.assertEqual(result.returncode, 2)
            self.assertIn("./do build", result.stderr)
            self.assertEqual(run("bench", "fclib", DATA, "--solver", "ecos").returncode, 2)

    def test_says_why_it_did_not_get_there(self):
        if "with ECOS" not in run("--version").stdout:
            self.skipTest("built without ECOS")
        code, answer = run_json("solve", DATA / "sliding_cube.hdf5", "--solver", "ecos",
                                "--max-iterations", "2")
        self.assertEqual((code, answer["problems"][0]["status"]), (4, "max_iterations"))
        self.assertIn("ran out of iterations", answer["messages"][0]["text"])


class Solve(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def test_table_has_a_line_per_file_and_a_summary(self):
        result = run("solve", DATA / "sliding_cube.hdf5", DATA / "every_law.hdf5")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), 4)
        self.assertRegex(lines[1], r"sliding_cube\s+4\s+0.5\s+solved")
        self.assertEqual(lines[3], "2 problems: 2 solved")
        self.assertEqual(result.stderr, "")

    def test_json_follows_its_schema(self):
        code, answer = run_json("solve", DATA)
        self.assertEqual(code, 0)
        self.assertTrue(answer["ok"])
        self.assertEqual(len(answer["problems"]), len(list(DATA.glob("*.hdf5"))))
        for problem in answer["problems"]:
            self.assertEqual(problem["status"], "solved", problem["file"])
            self.assertLessEqual(problem["certificate"]["relative"], 1e-8)

    def test_both_forms_of_one_problem_agree(self):
        _, answer = run_json("solve", DATA / "sliding_cube.hdf5", DATA / "sliding_cube_delassus.hdf5")
        forms = [problem["form"] for problem in answer["problems"]]
        self.assertEqual(forms, ["velocity", "delassus"])

    def test_field_measure_equals_an_independent_computation(self):
        local = [f for f in sorted(SHIPPED.glob("*.hdf5")) if "fclib_local" in h5py.File(f)]
        self.assertGreaterEqual(len(local), 3)
        _, answer = run_json("solve", *local, "--tolerance", "1e-4", "--output", self.folder)
        for file, problem in zip(local, answer["problems"]):
            raw, equilibrated = field_measure(file, self.folder / f"{file.stem}.solution.hdf5")
            certificate = problem["certificate"]
            self.assertAlmostEqual(certificate["field_raw"], raw, delta=1e-14 + 1e-8 * raw)
            self.assertAlmostEqual(certificate["field_equilibrated"], equilibrated,
                                   delta=1e-14 + 1e-8 * equilibrated)

    def test_certify_scores_solutions_made_elsewhere(self):
        problem = DATA / "sliding_cube_delassus.hdf5"
        run("solve", problem, "--output", self.folder)
        solution = self.folder / "sliding_cube_delassus.solution.hdf5"
        code, answer = run_json("solve", "--certify", solution, problem)
        self.assertEqual((code, answer["problems"][0]["solver"]), (0, "certify"))
        impulses = h5py.File(solution)["solution/r"][()]
        np.savetxt(self.folder / "exact.txt", impulses, fmt="%.17g")
        self.assertEqual(run("solve", "--certify", self.folder / "exact.txt", problem).returncode, 0)
        np.savetxt(self.folder / "off.txt", 1.1 * impulses)
        code, answer = run_json("solve", "--certify", self.folder / "off.txt", problem)
        self.assertEqual((code, answer["problems"][0]["status"]), (4, "inaccurate"))
        np.savetxt(self.folder / "short.txt", impulses[:-1])
        code, answer = run_json("solve", "--certify", self.folder / "short.txt", problem)
        self.assertEqual(code, 3)
        self.assertIn("found 11 impulses; expected 12", answer["messages"][0]["text"])

    def test_accuracy_not_reached_is_exit_code_4(self):
        code, answer = run_json("solve", SHIPPED / "own_brick_wall_6x6.hdf5",
                                "--max-factorizations", "3")
        self.assertEqual((code, answer["ok"]), (4, False))
        self.assertEqual(answer["problems"][0]["status"], "max_iterations")

    def test_a_bad_file_is_named_and_the_others_are_solved(self):
        shutil.copy(DATA / "sliding_cube.hdf5", self.folder / "a.hdf5")
        (self.folder / "b.hdf5").write_bytes((DATA / "every_law.hdf5").read_bytes()[:900])
        shutil.copy(DATA / "every_law.hdf5", self.folder / "c.hdf5")
        with h5py.File(self.folder / "c.hdf5", "a") as file:
            file["fclib_global/vectors/f"][2] = np.nan
        shutil.copy(DATA / "no_contact.hdf5", self.folder / "d.hdf5")
        code, answer = run_json("solve", self.folder)
        self.assertEqual((code, answer["ok"]), (3, False))
        self.assertEqual([p["status"] for p in answer["problems"]], ["solved", "solved"])
        self.assertEqual(len(answer["messages"]), 2)
        self.assertIn("c.hdf5: /fclib_global/vectors/f: found nan at entry 2",
                      answer["messages"][1]["text"])

    def test_storage_of_other_tools(self):
        def rewrite(name, libver="earliest", **storage):
            with h5py.File(DATA / "foreign_rows.hdf5") as old, \
                 h5py.File(self.folder / name, "w", libver=libver) as new:
                def copy(path, item):
                    if isinstance(item, h5py.Dataset):
                        plain = item.shape == ()
                        new.create_dataset(path, data=item[()], **({} if plain else storage))
                old.visititems(copy)
        rewrite("chunks.hdf5", chunks=True)
        rewrite("newer.hdf5", libver=("v110", "v110"))
        code, answer = run_json("solve", self.folder)
        self.assertEqual((code, len(answer["problems"])), (0, 2))
        for libver in ("earliest", ("v110", "v110")):
            rewrite("compressed.hdf5", libver=libver, compression="gzip")
            code, answer = run_json("solve", self.folder / "compressed.hdf5")
            self.assertEqual(code, 3)
            self.assertIn("h5repack", answer["messages"][0]["text"])

    def test_what_else_is_in_a_file_does_not_matter(self):
        file = self.folder / "more.hdf5"
        shutil.copy(DATA / "foreign_rows.hdf5", file)
        with h5py.File(file, "a") as more:
            more["notes"] = "strings of any length"
            more["flags"] = np.array([True, False])
            more["again"] = more["fclib_local"]
            del more["fclib_local/info/title"]
            more["fclib_local/info/title"] = "as h5py writes it"
        self.assertEqual(run("solve", file).returncode, 0)

    def test_data_elsewhere_are_not_followed(self):
        file = self.folder / "linked.hdf5"
        shutil.copy(DATA / "foreign_rows.hdf5", file)
        with h5py.File(file, "a") as linked:
            del linked["fclib_local/vectors/q"]
            linked["fclib_local/vectors/q"] = h5py.ExternalLink(
                str(DATA / "foreign_rows.hdf5"), "/fclib_local/vectors/q")
        self.assertEqual(run("solve", file).returncode, 3)

    def test_nothing_to_do_is_valid(self):
        code, answer = run_json("solve", DATA / "no_contact.hdf5")
        self.assertEqual(code, 0)
        problem = answer["problems"][0]
        self.assertEqual((problem["contacts"], problem["iterations"]), (0, 0))
        self.assertEqual(problem["certificate"]["relative"], 0)

    def test_missing_files_and_empty_folders_are_exit_code_5(self):
        code, answer = run_json("solve", self.folder / "missing.hdf5")
        self.assertEqual((code, answer["ok"]), (5, False))
        self.assertIn("no such file", answer["messages"][0]["text"])
        code, answer = run_json("solve", self.folder)
        self.assertEqual(code, 5)
        self.assertIn("holds no .hdf5", answer["messages"][0]["text"])

    def test_usage_errors_are_exit_code_2_with_an_answer_in_json(self):
        for words in (["solve"], ["solve", DATA, "--solver", "magic"], ["fly"],
                      ["solve", DATA, "--tolerance", "-1"],
                      ["solve", DATA, "--tolerance", "nan"],
                      ["solve", DATA, "--check-every", "0", "--solver", "gauss_seidel"],
                      ["solve", DATA, "--check-every", "5"],
                      ["solve", DATA, "--polish-blocks=-1"], ["solve", DATA, "--threads", "0"],
                      ["solve", DATA, "--friction-model", "sticky"],
                      ["solve", DATA, "--certify", "x"], ["solve", DATA, "--tolerance=-1"],
                      ["solve", "x", "--certify", "y", "--output", "z"], []):
            code, answer = run_json(*words)
            self.assertEqual((code, answer["ok"]), (2, False), words)
            self.assertTrue(answer["messages"][0]["text"])

    def test_output_that_does_not_arrive_is_exit_code_5(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([PROGRAM, "solve", str(DATA / "every_law.hdf5")], stdout=full,
                                    stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(result.returncode, 5)

    def test_solutions_beside_problems_are_not_problems(self):
        shutil.copy(DATA / "every_law.hdf5", self.folder)
        for _ in range(2):
            code, answer = run_json("solve", self.folder, "--output", self.folder)
            self.assertEqual((code, len(answer["problems"])), (0, 1))

    def test_interrupt_ends_soon_with_the_results_so_far(self):
        # A tolerance that rounding does not allow.
        process = subprocess.Popen([PROGRAM, "solve", str(SHIPPED / "Capsules-i100-1090.hdf5"),
                                    "--solver", "gauss_seidel", "--friction-model", "convex",
                                    "--tolerance", "1e-300",
                                    "--max-seconds", "60", "--json"], stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        stdout, _ = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130)
        answer = json.loads(stdout)
        jsonschema.validate(answer, SCHEMA)
        self.assertEqual(len(answer["problems"]), 1)

    def test_options_are_spelled_with_hyphens_or_underscores(self):
        for flag in ("--max-seconds", "--max_seconds"):
            self.assertEqual(run("solve", DATA / "every_law.hdf5", flag, "5").returncode, 0)

    def test_output_refuses_two_problems_of_one_name(self):
        other = self.folder / "other"
        other.mkdir()
        shutil.copy(DATA / "sliding_cube.hdf5", other)
        result = run("solve", DATA / "sliding_cube.hdf5", other, "--output", self.folder / "out")
        self.assertEqual(result.returncode, 2)
        self.assertIn("sliding_cube", result.stderr)

    def test_same_input_same_bits(self):
        for name in ("one", "two"):
            run("solve", SHIPPED / "own_arch_15.hdf5", "--tolerance", "1e-4", "--output",
                self.folder / name)
        a, b = (h5py.File(self.folder / n / "own_arch_15.solution.hdf5")["cornet/impulse"][()]
                for n in ("one", "two"))
        self.assertEqual(a.tobytes(), b.tobytes())

    def test_convex_model_differs_where_something_slides(self):
        problem = DATA / "sliding_cube.hdf5"
        code, answer = run_json("solve", problem, "--friction-model", "convex", "--output",
                                self.folder)
        self.assertEqual(code, 0)
        # The convex answer is refused by the Coulomb certificate.
        code, answer = run_json("solve", "--certify",
                                self.folder / "sliding_cube.solution.hdf5", problem)
        self.assertEqual(code, 4)
        self.assertGreater(answer["problems"][0]["certificate"]["relative"], 0.01)


class Demo(unittest.TestCase):
    def test_demo_solves_what_is_shipped_and_says_what_to_try_next(self):
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        result = run("demo", "--report", folder / "demo.html")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        shipped = len(list(SHIPPED.glob("*.hdf5")))
        self.assertIn(f"{shipped} problems: {shipped} solved", result.stdout)
        self.assertTrue((folder / "demo.html").exists() or "There is no page" in result.stdout)
        # Coulomb's law meets the closed forms; each of the others is wrong somewhere by more than a person overlooks.
        rows = {line[:38].strip(): line[38:].split() for line in result.stdout.splitlines() if line.startswith(("box on", "sliding"))}
        self.assertEqual(len(rows), 4)
        for name, words in rows.items():
            self.assertEqual(words[0], "0", name)
            self.assertLess(float(words[1]), 1e-9, name)
        self.assertRegex(rows["sliding cube: lift off the floor"][4], r"m")
        commands = result.stdout.split("Try next\n")[1].splitlines()
        self.assertGreaterEqual(len(commands), 2)
        for command in commands:
            self.assertEqual(command.split()[0], PROGRAM)
        for command in commands[:2] + commands[-1:]:  # they work as printed
            words = command.split()[1:]
            if words[:2] == ["demo", "arch"]:
                words += ["--report", folder / "arch.html"]
            self.assertEqual(run(*words).returncode, 0, command)
        for command in commands[2:4]:  # other laws fail the checks of the scene
            self.assertEqual(run(*command.split()[1:]).returncode, 6, command)


class Help(unittest.TestCase):
    def test_every_verb_explains_itself(self):
        for words in (["--help"], ["solve", "--help"], ["demo", "--help"], ["--version"]):
            result = run(*words)
            self.assertEqual(result.returncode, 0)
            self.assertTrue(result.stdout)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
