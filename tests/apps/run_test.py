"""`cornet run`, `check`, `new`, `demo NAME` and `explain` from the outside: tables, JSON, exit codes, files.

    python run_test.py PROGRAM
"""
import csv
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import unittest

import h5py
import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from coulomb_law import law_error  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENES = ROOT / "scenes"
FORMATS = ROOT / "docs" / "formats"
RUN_SCHEMA = json.loads((FORMATS / "cornet.run-1.schema.json").read_text())
CHECK_SCHEMA = json.loads((FORMATS / "cornet.check-1.schema.json").read_text())
SCENE_SCHEMA = json.loads((FORMATS / "scene.schema.json").read_text())
PROGRAM = None

SLIDE = """version = 1
title = "slide"
duration = 1
dt = 0.01
[[parameter]]
name = "mu"
default = 0.5
min = 0
[[material]]
name = "default"
friction = "$mu"
[[environment]]
name = "floor"
shape = { type = "half_space" }
[[body]]
name = "block"
mass = 1
shape = { type = "box", half_extents = [0.1, 0.1, 0.05] }
position = [0, 0, 0.05]
velocity = [2, 0, 0]
[[probe]]
name = "distance"
what = "displacement"
body = "block"
component = "x"
[[check]]
name = "stops"
probe = "distance"
expected = "2^2/(2*mu*9.81)"
tolerance = 1e-12
"""


def run(*words, cwd=None):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, errors="replace",
                          timeout=120, cwd=cwd)


def run_json(*words, schema=RUN_SCHEMA):
    result = run(*words, "--json")
    answer = json.loads(result.stdout)
    jsonschema.validate(answer, schema)
    return result.returncode, answer


class Scenes(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.slide = self.write(SLIDE)

    def write(self, text, name="scene.toml"):
        file = self.folder / name
        file.write_text(text)
        return file

    def test_the_report_has_summary_probes_and_checks(self):
        result = run("run", self.slide)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("slide\n  bodies        1 moving, 1 fixed or prescribed, at most 4 contacts", result.stdout)
        self.assertIn("every step solved", result.stdout)
        self.assertRegex(result.stdout, r"energy        2\.4905 J \+ 0 J work - 2 J lost = 0\.4905 J")
        resting = self.write(SLIDE.replace("velocity = [2, 0, 0]", "") .replace('"2^2/(2*mu*9.81)"', "0"), "rest.toml")
        self.assertIn("0.4905 J + 0 J work - 0 J lost = 0.4905 J", run("run", resting).stdout)
        self.assertRegex(result.stdout, r"\ndistance +0\.407747197 +m\n")
        self.assertRegex(result.stdout, r"\nstops +final +0\.407747197 +0\.407747197 .* pass\n")

    def test_json_follows_its_schema_and_repeats_to_the_bit(self):
        code, answer = run_json("run", self.slide)
        self.assertEqual((code, answer["ok"], answer["steps"], answer["unsolved_steps"]), (0, True, 100, 0))
        self.assertAlmostEqual(answer["checks"][0]["value"], 4 / 9.81, delta=1e-12)
        self.assertEqual(answer["parameters"], {"mu": 0.5})
        self.assertEqual(run_json("run", self.slide)[1]["state_hash"], answer["state_hash"])

    def test_parameters_and_options_can_be_set(self):
        code, answer = run_json("run", self.slide, "--set", "mu=0.25", "--set", "body.block.mass=3", "--dt", "0.005",
                                "--duration", "2", "--tolerance", "1e-9")
        self.assertEqual((code, answer["steps"], answer["parameters"]["mu"]), (0, 400, 0.25))
        self.assertAlmostEqual(answer["probes"][0]["value"], 8 / 9.81, delta=1e-11)

    def test_solver_and_friction_model_can_be_chosen(self):
        distance = 4 / 9.81
        for words in (["--solver", "gauss_seidel"], ["--solver", "active_set", "--friction-model", "pyramid"]):
            _, answer = run_json("run", self.slide, *words)  # along an axis of the pyramid
            self.assertAlmostEqual(answer["probes"][0]["value"], distance, delta=1e-3 * distance, msg=words)
        _, answer = run_json("run", self.slide, "--solver", "active_set", "--friction-model", "polygon", "--faces", "16")
        self.assertAlmostEqual(answer["probes"][0]["value"], distance, delta=0.02 * distance)
        for words in (["--friction-model", "pyramid"], ["--solver", "active_set"],
                      ["--solver", "active_set", "--friction-model", "polygon", "--faces", "5"]):
            code, answer = run_json("run", self.slide, *words)
            self.assertEqual(code, 3, words)
            self.assertIn("option ", answer["messages"][0]["text"])
        result = run("run", self.slide, "--solver", "ecos", "--tolerance", "1e-5")
        if "with ECOS" in run("--version").stdout:
            self.assertRegex(result.stdout, r"\ndistance +0\.4077")
        else:
            self.assertEqual(result.returncode, 3)
            self.assertIn("ECOS", result.stderr)

    def test_compliant_contact_tells_what_is_proved_and_what_the_model_is(self):
        answer = run_json("run", self.slide, "--integrator", "icf", "--strict")[1]
        self.assertEqual((answer["unsolved_steps"], answer["inaccurate_steps"]), (0, 0))
        self.assertGreater(answer["model_distance"]["overlap"], 0.0)
        self.assertIsNone(answer["whole_step"]["new_overlap"]["bound"])
        self.assertIn("the model", run("run", self.slide, "--integrator", "icf").stdout)
        self.assertIsNone(run_json("run", self.slide)[1]["model_distance"])
        soft = ("--set", "material.default.stiffness=-1")
        self.assertEqual(run("run", self.slide, "--integrator", "icf", *soft).returncode, 3)

    def test_a_check_that_fails_is_exit_code_6(self):
        file = self.write(SLIDE.replace('"2^2/(2*mu*9.81)"', "1"))
        result = run("run", file)
        self.assertEqual(result.returncode, 6)
        self.assertIn("FAIL", result.stdout)
        code, answer = run_json("run", file)
        self.assertEqual((code, answer["ok"], answer["checks"][0]["passed"]), (6, False, False))

    def test_strict_is_exit_code_4_when_a_step_misses_its_tolerance(self):
        words = ["run", SCENES / "closed_forms" / "a28_column_ratio_1e6.toml", "--tolerance", "1e-14", "--max-parts", "1"]
        self.assertNotEqual(run_json(*words)[1]["unsolved_steps"], 0)
        self.assertEqual(run(*words, "--strict").returncode, 4)

    def test_an_accuracy_makes_steps_of_varying_size(self):
        scene = SCENES / "demos" / "tumbling_cube.toml"
        record = self.folder / "run.h5"
        code, answer = run_json("run", scene, "--accuracy", "1e-5", "--record", record)
        self.assertEqual(code, 0)
        control = answer["error_control"]
        self.assertEqual(control["accuracy"], 1e-5)
        self.assertLessEqual(control["worst_error"], 1e-5)
        self.assertGreater(control["rejections"], 0)
        self.assertLess(control["smallest_step"], control["largest_step"])
        with h5py.File(record) as data:
            frames = data["frames"]
            self.assertEqual(len(frames["time"]), answer["steps"] + 1)
            self.assertEqual(sum(frames["rejections"]), control["rejections"])
            self.assertEqual(max(frames["error"]), max(control["worst_error"], control["worst_forced_error"]))
            self.assertEqual(sum(frames["forced"]), control["forced_steps"])
            self.assertAlmostEqual(sum(frames["step_size"]), answer["time"], delta=1e-9)
        text = run("run", scene, "--accuracy", "1e-5").stdout
        self.assertRegex(text, r"accuracy +1e-05 m asked of a step, estimated error at most [0-9.e-]+ m, [0-9]+ tries rejected")
        self.assertIsNone(run_json("run", self.slide)[1]["error_control"])

    def test_an_accuracy_that_is_not_reached_is_told_and_ends_a_strict_run(self):
        scene = SCENES / "demos" / "tumbling_cube.toml"
        words = ("run", scene, "--accuracy", "1e-6", "--min-step", "2e-3")
        result = run(*words)
        self.assertIn("NOT REACHED", result.stdout)
        code, answer = run_json(*words, "--strict")
        self.assertEqual(code, 4)
        self.assertLess(answer["time"], answer["duration"])
        self.assertEqual(answer["error_control"]["forced_steps"], 1)
        self.assertIn("accuracy 1e-06 m is not reached", answer["messages"][-1]["text"])

    def test_accuracies_that_are_none_are_refused_by_name(self):
        for accuracy in ("0", "-1e-3", "1e-15", "nan"):
            result = run("run", self.slide, "--accuracy", accuracy)
            self.assertEqual(result.returncode, 3, accuracy)
            self.assertIn("accuracy", result.stderr)
        scene = self.write(SLIDE + "[simulator]\naccuracy = 0\n", "zero.toml")
        result = run("run", scene)
        self.assertEqual(result.returncode, 3)
        self.assertIn("option accuracy = 0", result.stderr)

    def test_problems_that_miss_the_tolerance_are_kept(self):
        folder = self.folder / "kept"
        words = ["run", SCENES / "closed_forms" / "a28_column_ratio_1e6.toml", "--tolerance", "1e-14", "--max-parts", "1"]
        _, answer = run_json(*words, "--dump-problems", folder)
        problems = [file for file in sorted(folder.glob("step_*.hdf5")) if ".solution" not in file.name]
        self.assertEqual(len(problems), min(answer["unsolved_steps"], 100))
        self.assertRegex(problems[0].name, r"^step_\d{6}_island_0\.hdf5$")
        self.assertIn(f"{len(problems)} that missed the tolerance written to {folder}", answer["messages"][0]["text"])
        self.assertEqual(run("solve", *problems).returncode, 0)
        solution = problems[0].with_suffix(".solution.hdf5")
        result = run("solve", "--certify", solution, problems[0], "--tolerance", "1e-14")
        self.assertEqual(result.returncode, 4, result.stdout)

    def test_nothing_is_kept_where_nothing_was_missed(self):
        result = run("run", self.slide, "--dump-problems", self.folder / "kept")
        self.assertEqual((result.returncode, list((self.folder / "kept").iterdir())), (0, []))
        self.assertIn("problems      0 that missed the tolerance written to", result.stdout)
        self.assertEqual(run("run", self.slide, "--dump-problems-all").returncode, 2)
        self.assertEqual(run("run", self.slide, "--dump-problems", self.slide / "x").returncode, 5)

    def test_what_is_called_solved_obeys_the_law(self):
        # By the definition of Coulomb's law and numpy, with what the certificate allows: 1e-8 of the speeds, and
        # 1e-13 m/s. The four parts of the error are at most this many times its residual, for μ below one.
        times = 4
        scenes = [self.slide, SCENES / "closed_forms" / "a12_oblique_impact_slips.toml", SCENES / "closed_forms" / "a03_box_tips.toml",
                  SCENES / "closed_forms" / "a28_column_ratio_1e6.toml", SCENES / "closed_forms" / "a22_table.toml",
                  SCENES / "templates" / "pile.toml"]
        total = 0
        for scene in scenes:
            folder = self.folder / scene.stem
            run("run", scene, "--dump-problems", folder, "--dump-problems-all")
            for solution in sorted(folder.glob("*.solution.hdf5")):
                problem = solution.with_name(solution.name.replace(".solution", ""))
                with h5py.File(solution) as file:
                    if file["cornet/status"].asstr()[()] != "solved":
                        continue
                error, speed = law_error(problem, solution)
                self.assertLessEqual(error, times * (1e-8 * speed + 1e-13 * max(1, speed)), problem)
                total += 1
        self.assertGreater(total, 300)

    def test_probes_of_every_step_go_into_a_file(self):
        output = self.folder / "probes.csv"
        self.assertEqual(run("run", self.slide, "--output", output).returncode, 0)
        rows = list(csv.DictReader(output.read_text().splitlines()))
        self.assertEqual(len(rows), 101)
        self.assertEqual((rows[0]["time"], rows[0]["distance"]), ("0", "0"))
        self.assertAlmostEqual(float(rows[-1]["distance"]), 4 / 9.81, delta=1e-12)
        code, answer = run_json("run", self.slide, "--output", self.folder / "none" / "x.csv")
        self.assertEqual(code, 5)
        self.assertIn("cannot be written", answer["messages"][0]["text"])

    def test_mistakes_are_told_in_one_go(self):
        file = self.write(SLIDE + '[[force]]\nbody = "blok"\n[[probe]]\nname = "x"\nwhat = "enrgy"\n')
        result = run("run", file)
        self.assertEqual((result.returncode, result.stdout), (3, ""))
        self.assertIn('help: did you mean "block"?', result.stderr)
        code, answer = run_json("run", file, "--set", "my=1")
        self.assertEqual((code, len(answer["messages"])), (3, 3))
        self.assertIn("--set my", answer["messages"][0]["text"])
        self.assertEqual(answer["messages"][1]["file"], str(file))

    def test_constraints_by_name_are_stepped(self):
        file = self.write(SLIDE + '[[constraint]]\ntype = "fixed"\na = "floor"\nb = "block"\nanchor = [0, 0, 0]\n')
        self.assertEqual(run("check", file).returncode, 0)
        code, answer = run_json("run", file)
        self.assertEqual((code, answer["unsolved_steps"]), (6, 0))  # it does not slide
        self.assertLess(abs(answer["probes"][0]["value"]), 1e-12)

    def test_usage_and_missing_files(self):
        self.assertEqual(run_json("run", self.folder / "none.toml")[0], 5)
        self.assertEqual(run_json("run")[0], 2)
        self.assertEqual(run_json("run", self.slide, "--set", "mu")[0], 2)
        self.assertEqual(run_json("run", self.slide, "--solver", "magic")[0], 2)
        self.assertEqual(run_json("check", schema=CHECK_SCHEMA)[0], 2)

    def test_an_interrupt_ends_with_the_results_so_far(self):
        process = subprocess.Popen([PROGRAM, "run", self.slide, "--duration", "1e5", "--json"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        answer = json.loads(out)
        jsonschema.validate(answer, RUN_SCHEMA)
        self.assertEqual((process.returncode, answer["ok"]), (130, False))
        self.assertGreater(answer["steps"], 0)
        self.assertEqual(answer["messages"][0]["text"], "interrupted; results so far")
        self.assertRegex(err, r"%  t = [\d.]+ s  [\d.]+ x real time  \d+ contacts, \d+ sticking  certificate")

    def test_constraints_that_contradict_each_other_are_told_and_never_called_right(self):
        rods = "".join(f'[[constraint]]\ntype = "distance"\na = "a"\nb = "b"\nlength = {length}\n' for length in (1.0, 1.5))
        balls = "".join(f'[[body]]\nname = "{name}"\nshape = {{ type = "sphere", radius = 0.1 }}\nposition = [{x}, 0, 0]\n'
                        for name, x in (("a", 0), ("b", 1)))
        scene = self.write("version = 1\nduration = 0.01\ngravity = [0, 0, 0]\n" + balls + rods, "rods.toml")
        result = run("run", scene)
        self.assertEqual(result.returncode, 0)
        self.assertIn("10 of 10 INACCURATE", result.stdout)
        self.assertIn("joint 'distance a-b' contradicts others: wherever bodies are, 0.25 m of error are left", result.stdout)
        code, answer = run_json("run", scene)
        self.assertEqual((code, answer["ok"], answer["inaccurate_steps"], answer["unsolved_steps"]), (0, False, 10, 0))
        closure = answer["whole_step"]["closure"]
        self.assertEqual((closure["steps"], closure["joint"]), (10, "distance a-b"))
        self.assertEqual(run_json("run", scene, "--strict")[0], 4)
        self.assertEqual(run_json("run", scene, "--start", "refuse")[0], 3)
        self.assertEqual(run_json("run", scene, "--start", "repair")[0], 3)
        answer = run_json("check", scene, schema=CHECK_SCHEMA)[1]
        self.assertEqual([fault["kind"] for fault in answer["scenes"][0]["joint_faults"]],
                         ["contradiction", "contradiction", "open_joint"])

    def test_a_start_that_is_wrong_is_repaired_on_request(self):
        deep = self.write(SLIDE.replace("[0, 0, 0.05]", "[0, 0, 0.04]"), "deep.toml")
        code, answer = run_json("run", deep, "--start", "repair", "--strict")
        self.assertEqual((code, answer["ok"]), (0, True))
        self.assertIn("the start was repaired: nothing moved by more than 0.01 m", answer["messages"][1]["text"])
        self.assertLess(answer["max_penetration"], 1e-12)

    def test_check_says_what_is_there_and_what_overlaps(self):
        result = run("check", self.slide)
        self.assertEqual(result.returncode, 0)
        self.assertIn("1 bodies of 1 kg together, 1 environments, 0 constraints, 0 forces", result.stdout)
        deep = self.write(SLIDE.replace("[0, 0, 0.05]", "[0, 0, 0.04]"), "deep.toml")
        bad = self.write("version = 2\n", "bad.toml")
        code, answer = run_json("check", self.slide, deep, bad, self.folder / "none.toml", schema=CHECK_SCHEMA)
        self.assertEqual((code, [scene["ok"] for scene in answer["scenes"]]), (3, [True, True, False, False]))
        self.assertEqual(answer["scenes"][0]["overlaps"], [])
        self.assertAlmostEqual(answer["scenes"][1]["overlaps"][0]["depth"], 0.01, delta=1e-12)

    def test_bodies_that_overlap_at_the_start_are_named_or_refused(self):
        deep = self.write(SLIDE.replace("[0, 0, 0.05]", "[0, 0, 0.04]"), "deep.toml")
        result = run("run", deep)
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"\n  note +\w+ and \w+ overlap by 0\.01 m at the start\n")
        code, answer = run_json("run", deep)
        self.assertEqual((code, answer["messages"][0]["level"]), (0, "note"))
        self.assertIn("overlap by 0.01 m", answer["messages"][0]["text"])
        self.assertEqual(run_json("run", self.slide)[1]["messages"], [])
        code, answer = run_json("run", deep, "--overlap", "refuse")
        self.assertEqual((code, answer["messages"][0]["level"]), (3, "error"))
        self.assertIn("overlap by 0.01 m", answer["messages"][0]["text"])
        refusing = self.write('overlap = "refuse"\n' + deep.read_text(), "refusing.toml")
        self.assertEqual(run_json("run", refusing)[0], 3)
        self.assertEqual(run_json("run", refusing, "--overlap", "report")[0], 0)
        code, answer = run_json("check", refusing, schema=CHECK_SCHEMA)
        self.assertEqual((code, answer["scenes"][0]["ok"]), (3, False))
        self.assertEqual(run("run", self.slide, "--overlap", "refuse").returncode, 0)

    @unittest.skipUnless((ROOT / ".deps" / "mujoco" / "installed-deps").exists(), "built without MuJoCo")
    def test_robot_models_run_without_a_scene(self):
        model = str(SCENES / "robots" / "gripper.xml")
        done = run("run", model, "--keyframe", "hold", "--ctrl", "lift=0.1", "--duration", "0.5", "--strict")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("lift, left, right", run("info", model).stdout)
        self.assertEqual(json.loads(run("info", model, "--json").stdout)["keyframes"], ["hold", "open"])
        done = run("run", model, "--keyframe", "closed")
        self.assertEqual(done.returncode, 3)
        self.assertIn("it has hold, open", done.stderr)
        soft = self.write('<mujoco>\n<worldbody><body><joint name="j"/>\n<geom size="0.1" solref="0.01 1"/></body></worldbody></mujoco>',
                          "soft.xml")
        self.assertIn("not used: solref on 1 geom", run("run", soft, "--duration", "0.01").stdout)
        self.assertEqual(run("run", soft, "--duration", "0.01", "--strict").returncode, 3)
        wrong = self.write('<mujoco>\n<worldbody><body>\n<joint range="1 -1"/><geom size="0.1"/></body></worldbody></mujoco>', "wrong.xml")
        done = run("run", wrong)
        self.assertEqual(done.returncode, 3)
        self.assertIn("wrong.xml:3:1: error: <joint>: range 1 to -1 is reversed", done.stderr)
        urdf = self.write('<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
                          '<collision><geometry>\n<mesh filename="package://tips/tip.stl"/></geometry></collision></link></robot>', "tip.urdf")
        folder = pathlib.Path(urdf).parent / "ros"
        for verb in ("run", "info"):
            done = run(verb, urdf, "--package-path", str(folder))
            self.assertEqual(done.returncode, 3)
            self.assertIn(f"package 'tips' of package://tips/tip.stl is not found in {folder}", done.stderr)
            self.assertIn("tip.urdf:2", done.stderr)

    def test_new_scenes_run(self):
        for template in ("ramp", "slide", "stack", "pile"):
            self.assertEqual(run("new", template, "--template", template, cwd=self.folder).returncode, 0)
            self.assertEqual(run("run", self.folder / f"{template}.toml").returncode, 0, template)
        again = run("new", "ramp", cwd=self.folder)
        self.assertEqual(again.returncode, 5)
        self.assertIn("exists already", again.stderr)
        self.assertEqual(run("new", "x", "--template", "none", cwd=self.folder).returncode, 2)

    def test_demos_are_listed_and_run(self):
        names = [line.split()[0] for line in run("demo", "--list").stdout.splitlines()]
        for name in ("arch", "card_house", "dominoes", "newtons_cradle", "rattleback", "spinning_coin"):
            self.assertIn(name, names)
        self.assertEqual(run("demo", "newtons_cradle", cwd=self.folder).returncode, 0)
        self.assertEqual(run("demo", "nothing").returncode, 2)

    def test_explain(self):
        self.assertIn("check failed", run("explain", "6").stdout)
        self.assertIn("numerical_error", run("explain").stdout)
        self.assertEqual(run("explain", "7").returncode, 2)


class SceneSchema(unittest.TestCase):
    def test_shipped_scenes_follow_the_schema_for_editors(self):
        files = [file for file in SCENES.rglob("*.toml")]
        self.assertGreater(len(files), 50)
        validator = jsonschema.Draft202012Validator(SCENE_SCHEMA)
        for file in files:
            errors = [error.message for error in validator.iter_errors(tomllib.loads(file.read_text()))]
            self.assertEqual(errors, [], file)

    def test_the_schema_has_the_keys_that_the_reader_knows(self):
        shape = 'shape = { type = "sphere", radius = 1, zzzzzzzz = 1 }\n'
        base = f'[[body]]\nname = "b"\nmass = 1\n{shape}zzzzzzzz = 1\n'
        extra = {
            "grid": "count = [1, 1, 1]\npitch = [1, 1, 1]\n" + shape, "pile": "count = [1, 1, 1]\npitch = [1, 1, 1]\n" + shape,
            "stack": shape, "wall": "rows = 1\ncolumns = 1\n" + shape, "line": "count = 1\nstep = [1, 0, 0]\n" + shape,
            "ring": "count = 9\ninner_radius = 1\nouter_radius = 2\ndepth = 1\n", "material": "", "environment": shape,
            "force": 'body = "b"\n', "probe": 'what = "position"\nbody = "b"\n', "parameter": "default = 1\n",
            "check": 'what = "position"\nbody = "b"\nexpected = 1\n', "exclude": 'a = "b"\nb = "b"\n',
        }
        text = "version = 1\nzzzzzzzz = 1\n[simulator]\nzzzzzzzz = 1\n" + base
        for table, keys in extra.items():
            name = "" if table in ("force", "exclude") else 'name = "p"\n' if table != "grid" else 'name = "g"\n'
            name = name.replace('"p"', f'"{table}"')
            text += f"[[{table}]]\n{name}{keys}zzzzzzzz = 1\n"
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        (folder / "s.toml").write_text(text)
        answer = json.loads(run("check", folder / "s.toml", "--json").stdout)
        seen = set()
        for message in answer["scenes"][0]["messages"]:
            match = re.match(r'unknown key "zzzzzzzz" in (?:\[([a-z_]+)(?: \d+)?(\.shape)?\]|(the file))', message["text"])
            self.assertIsNotNone(match, message)
            known = message["help"].removeprefix("known here: ").split(", ")
            if match[3]:
                properties = SCENE_SCHEMA["properties"]
            elif match[1] == "simulator":
                properties = SCENE_SCHEMA["properties"]["simulator"]["properties"]
            else:
                properties = SCENE_SCHEMA["$defs"]["shape" if match[2] else match[1]]["properties"]
            self.assertEqual([key for key in known if key not in properties], [], message["text"])
            seen.add(match[1])
        self.assertTrue(set(extra) <= seen, set(extra) - seen)


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
