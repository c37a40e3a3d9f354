"""`cornet cones` from the outside: table, CSV, picture, JSON, exit codes.

    python cones_test.py PROGRAM
"""
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

PROGRAM = None


def run(*words):
    return subprocess.run([PROGRAM, "cones", *map(str, words)], capture_output=True, text=True,
                          timeout=300)


def models(*words):
    result = run(*words, "--json")
    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    assert answer["schema"] == "cornet.cones/1" and answer["ok"]
    return {entry["model"]: entry for entry in answer["models"]}


class Cones(unittest.TestCase):
    def check(self, range_, low, high, places=3):
        self.assertAlmostEqual(range_[0], low, places)
        self.assertAlmostEqual(range_[1], high, places)

    def test_errors_are_those_of_the_geometry(self):
        r = 1 - 1 / math.sqrt(2)
        for mu in (0.1, 0.5, 2.0):
            headings = 360 if mu == 0.5 else 72
            found = models("--mu", mu, "--headings", headings)
            self.check(found["exact"]["hold_error"], 0, 0, 6)
            self.check(found["exact"]["power_error"], 0, 0, 6)
            self.check(found["pyramid"]["hold_error"], -r, 0)
            self.check(found["pyramid"]["power_error"], -r, 0)
            self.check(found["box"]["hold_error"], 0, math.sqrt(2) - 1)
            self.check(found["box"]["power_error"], 0, math.sqrt(2) - 1)
            self.check(found["scaled_box"]["hold_error"], -r, 0)
            self.check(found["polygon"]["hold_error"], math.cos(math.pi / 8) - 1, 0,
                       4 if headings == 360 else 2)
            self.assertLess(found["exact"]["direction_error_deg"], 1e-6)
            if headings == 360:
                for name in ("pyramid", "box", "scaled_box"):
                    self.assertAlmostEqual(found[name]["direction_error_deg"], 44, 3)
                self.assertAlmostEqual(found["polygon"]["direction_error_deg"], 22, 3)

    def test_exact_law_neither_drifts_nor_lifts_and_the_convex_one_lifts(self):
        found = models("--headings", 8)
        self.assertLess(found["exact"]["drift"], 1e-9)
        self.assertLess(abs(found["exact"]["lift_speed"]), 1e-12)
        # u_n = mu (v - mu g dt) / (1 + mu²) for the convex model
        self.assertAlmostEqual(found["convex"]["lift_speed"], 0.5 * (1 - 0.5 * 9.81e-3) / 1.25, 9)
        self.assertIsNone(found["convex"]["drift"])

    def test_more_corners_come_closer(self):
        for faces in (4, 6, 16, 36):
            found = models("--faces", faces, "--headings", 72)["polygon"]
            self.assertLessEqual(found["hold_error"][0], 1e-9)
            self.assertAlmostEqual(found["hold_error"][0], math.cos(math.pi / faces) - 1, 3)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            target = pathlib.Path(folder) / "new"
            result = run("--headings", 36, "--output", target)
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(target / "cones.csv", newline="") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(len(rows), 6 * 36)
            self.assertEqual({row["model"] for row in rows},
                             {"exact", "pyramid", "box", "scaled_box", "polygon", "convex"})
            xml.parse(target / "cones.svg")
            self.assertIn("cones.svg", result.stdout)

    def test_table_names_every_model(self):
        result = run("--headings", 8)
        for name in ("exact", "pyramid", "box", "scaled_box", "polygon", "convex"):
            self.assertIn(f"\n{name} ", result.stdout)

    def test_bad_input(self):
        for words, part in ((("--mu", 0), "mu"), (("--mu", -1), "mu"), (("--mu", "nan"), "mu"),
                            (("--faces", 5), "even"), (("--faces", 2), "even"),
                            (("--headings", 0), "headings"), (("--what",), "--what")):
            result = run(*words)
            self.assertEqual(result.returncode, 2, words)
            self.assertIn(part, result.stderr)
            self.assertEqual(result.stdout, "")
            failed = run(*words, "--json")
            self.assertFalse(json.loads(failed.stdout)["ok"])
        result = run("--headings", 4, "--output", "/proc/no/such")
        self.assertEqual(result.returncode, 5)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
