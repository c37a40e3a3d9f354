"""`cornet collide` from the outside: table, JSON, exit codes, messages.

    python collide_test.py PROGRAM
"""
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAIRS = ROOT / "tests" / "data" / "pairs"
SCHEMA = json.loads((ROOT / "docs/formats/cornet.collide-1.schema.json").read_text())
PROGRAM = None


def run(*words):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, errors="replace",
                          timeout=60)


def run_json(*words):
    result = run(*words, "--json")
    answer = json.loads(result.stdout)
    jsonschema.validate(answer, SCHEMA)
    return result.returncode, answer


class Collide(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, text):
        file = self.folder / "pair.toml"
        file.write_text(text)
        return file

    def test_table(self):
        result = run("collide", PAIRS / "spheres_apart.toml")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, "a: sphere at (1, 0, 0)\n"
                                        "b: sphere at (1, 0, 1.25)\n"
                                        "distance: 0.5 m\n"
                                        "overlap: no\n"
                                        "closest points: a (1, 0, 0.5), b (1, 0, 1), normal (0, 0, 1)\n"
                                        "contacts with a gap up to 0 m: 0\n")
        lines = run("collide", PAIRS / "box_on_box.toml").stdout.splitlines()
        self.assertIn("overlap: yes", lines)
        self.assertEqual(lines[5], "contacts with a gap up to 0.01 m: 4")
        self.assertEqual(len(lines), 11)

    def test_all_digits_on_request(self):
        text = run("collide", PAIRS / "box_on_box.toml", "--digits", "17").stdout
        gap = float(text.split("distance: ")[1].split()[0])
        _, answer = run_json("collide", PAIRS / "box_on_box.toml")
        self.assertEqual(gap, answer["closest"]["gap"])

    def test_json_has_the_corners_of_the_upper_box(self):
        code, answer = run_json("collide", PAIRS / "box_on_box.toml")
        self.assertEqual((code, answer["ok"], answer["overlap"]), (0, True, True))
        self.assertAlmostEqual(answer["closest"]["gap"], -0.001, delta=1e-15)
        c, s = math.cos(math.pi / 6), math.sin(math.pi / 6)
        corners = {(round(0.2 + c * x - s * y, 9), round(0.1 + s * x + c * y, 9))
                   for x in (-0.3, 0.3) for y in (-0.2, 0.2)}
        found = {(round(p["point_b"][0], 9), round(p["point_b"][1], 9)) for p in answer["contacts"]}
        self.assertEqual(found, corners)
        for contact in answer["contacts"]:
            self.assertEqual(contact["normal"], [0, 0, 1])
            self.assertAlmostEqual(contact["gap"], -0.001, delta=1e-15)
        self.assertEqual(len({contact["key"] for contact in answer["contacts"]}), 4)

    def test_mistakes_are_told_in_one_go(self):
        result = run("collide", PAIRS / "mistakes.toml")
        self.assertEqual((result.returncode, result.stdout), (3, ""))
        heads = [line.split("mistakes.toml:")[1] for line in result.stderr.splitlines()
                 if ": error: " in line]
        self.assertEqual(heads, [
            '3:1: error: unknown key "margn" in the file',
            "6:40: error: half_extents has 2 entries",
            '9:18: error: type = "spher" is not known',
            "10:23: error: entry 3 of position = nan is not finite",
            "11:13: error: quat_wxyz has length 1.4142135623730951; a rotation has 1"])
        self.assertIn("""  3 | margn = 0.01
    | ^
help: did you mean "margin"?
""", result.stderr)
        code, answer = run_json("collide", PAIRS / "mistakes.toml")
        self.assertEqual((code, answer["ok"], len(answer["messages"])), (3, False, 5))
        self.assertEqual((answer["messages"][0]["line"], answer["messages"][0]["column"]), (3, 1))
        self.assertEqual(answer["messages"][0]["help"], 'did you mean "margin"?')

    def test_text_that_is_no_toml_or_no_text(self):
        code, answer = run_json("collide", self.write("version = \n"))
        self.assertEqual((code, answer["messages"][0]["line"]), (3, 1))
        file = self.write("")
        file.write_bytes(b"version = \xff\xfe\n")
        self.assertEqual(run_json("collide", file)[0], 3)

    def test_pairs_without_a_routine_are_exit_code_3(self):
        half = 'shape = { type = "half_space" }\n'
        code, answer = run_json("collide", self.write(f"version = 1\n[a]\n{half}[b]\n{half}"))
        self.assertEqual(code, 3)
        self.assertIn("half-space with a half-space", answer["messages"][0]["text"])

    def test_missing_files_are_exit_code_5_and_usage_is_2(self):
        code, answer = run_json("collide", self.folder / "missing.toml")
        self.assertEqual(code, 5)
        self.assertIn("no such file", answer["messages"][0]["text"])
        self.assertEqual(run_json("collide", self.folder)[0], 5)
        for words in (["collide"], ["collide", PAIRS / "box_on_box.toml", "--digits", "18"]):
            self.assertEqual(run_json(*words)[0], 2)

    def test_help(self):
        self.assertEqual(run("collide", "--help").returncode, 0)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
