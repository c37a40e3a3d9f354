// Scene files that are wrong: every kind of finding with its exact text.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "cornet/io/scene/scene.h"

namespace cornet {
namespace {

// The findings as "line:column: what / help", a line each.
std::string findingsOf(const std::string& text, const std::vector<SceneOverride>& overrides = {}) {
  std::string result;
  try {
    readScene(SourceText("s.toml", "version = 1\n" + text), overrides);
  } catch (const FindingsError& error) {
    for (const Finding& finding : error.findings()) {
      result += std::to_string(finding.place.line) + ":" + std::to_string(finding.place.column) + ": " +
                finding.what + " / " + finding.help + "\n";
    }
  }
  return result;
}

const std::string kBareBall = "[[body]]\nname = \"ball\"\nmass = 1\nshape = { type = \"sphere\", radius = 1 }\n";

TEST(SceneFindings, AllAreToldAtOnceWithTheirPlaces) {
  try {
    readScene(SourceText("s.toml", "version = 1\ndurration = 2\n" + kBareBall + "material = \"ice\"\n"));
    FAIL();
  } catch (const FindingsError& error) {
    EXPECT_STREQ(error.what(), R"(s.toml:2:1: error: unknown key "durration" in the file
  2 | durration = 2
    | ^
help: did you mean "duration"?
s.toml:7:12: error: there is no material "ice"
  7 | material = "ice"
    |            ^
help: add a [[material]] with name = "ice")");
  }
}

TEST(SceneFindings, NamesThatDoNotExist) {
  EXPECT_EQ(findingsOf(kBareBall + "[[force]]\nbody = \"bal\"\n"),
            "7:8: there is no body \"bal\" / did you mean \"ball\"?\n");
  EXPECT_EQ(findingsOf(kBareBall + "[[exclude]]\na = \"ball\"\nb = \"x\"\n"),
            "8:5: there is no body \"x\" / expected the name of a body or environment\n");
  EXPECT_EQ(findingsOf("[[material_pair]]\na = \"default\"\nb = \"x\"\n"),
            "4:5: there is no material \"x\" / add a [[material]] with name = \"x\"\n");
  EXPECT_EQ(findingsOf(kBareBall + "[[check]]\nname = \"c\"\nprobe = \"p\"\nat_most = 1\n"),
            "8:9: there is no probe \"p\" / expected the name of a [[probe]]\n");
}

TEST(SceneFindings, CouplingsOfJointsThatCannotBeCoupled) {
  const std::string post = "[[environment]]\nname = \"post\"\nshape = { type = \"sphere\", radius = 1 }\n";
  const auto joint = [](const std::string& name, const std::string& type) {
    return "[[joint]]\nname = \"" + name + "\"\ntype = \"" + type + "\"\na = \"post\"\nb = \"ball\"\nanchor = [0, 0, 0]\n" +
           (type == "ball" ? "" : "axis = [0, 0, 1]\n");
  };
  const std::string base = kBareBall + post + joint("sun", "hinge") + joint("rail", "slider") + joint("knee", "ball");
  const auto findings = [&](const std::string& rest) { return findingsOf(base + "[[coupling]]\nname = \"teeth\"\n" + rest); };
  EXPECT_EQ(findings("joints = [\"sun\", \"rail\"]\nratios = [0.1, -1]\n"), "");
  EXPECT_EQ(findings("joints = [\"sn\", \"rail\"]\nratios = [1, 2]\n"), "31:10: there is no joint \"sn\" / did you mean \"sun\"?\n");
  EXPECT_EQ(findings("joints = [\"sun\", \"rail\"]\nratios = [1, 2, 3]\n"), "32:10: ratios has 3 entries / expected 2 numbers\n");
  EXPECT_EQ(findings("joints = [\"sun\", \"rail\"]\nratio = [1, 2]\n"),
            "32:1: unknown key \"ratio\" in [coupling 1] / did you mean \"ratios\"?\n");
  EXPECT_EQ(findings("joints = [\"sun\", \"knee\"]\nratios = [1, 2]\n"),
            "29:1: coupling 'teeth': joint 'knee' is a BallJoint: expected a hinge or a slider / see docs/formats/scene.md\n");
  EXPECT_EQ(findings("joints = [\"sun\"]\nratios = [1]\n"),
            "29:1: coupling 'teeth': it couples 1 joints: expected at least 2 / see docs/formats/scene.md\n");
}

TEST(SceneFindings, NamesThatExistTwice) {
  EXPECT_EQ(findingsOf(kBareBall + kBareBall), "6:1: body 'ball' exists twice / see docs/formats/scene.md\n");
  EXPECT_EQ(findingsOf("[[parameter]]\nname = \"a\"\ndefault = 1\n[[parameter]]\nname = \"a\"\ndefault = 1\n"),
            "6:8: parameter \"a\" exists twice / names are unique\n");
  EXPECT_EQ(findingsOf("[[probe]]\nname = \"a\"\nwhat = \"energy\"\n[[probe]]\nname = \"a\"\nwhat = \"energy\"\n"),
            "6:8: probe \"a\" exists twice / names are unique\n");
}

TEST(SceneFindings, MassAndShape) {
  EXPECT_EQ(findingsOf(kBareBall + "density = 1\n"), "6:11: mass and density are both given / keep one of them\n");
  EXPECT_EQ(findingsOf("[[body]]\nname = \"a\"\ninertia = [1, 1, 1]\n"),
            "2:1: an inertia needs a mass / add mass, in kg\n");
  EXPECT_EQ(findingsOf(kBareBall + "centre = [0, 0, 0]\n"),
            "6:10: a centre needs an inertia / without one both follow from the shapes\n");
  EXPECT_EQ(findingsOf("[[body]]\nname = \"a\"\nmass = 1\n"),
            "2:1: [body 1] has no \"shape\" / add shape: a table, [body 1.shape]\n");
  EXPECT_EQ(findingsOf("[[body]]\nname = \"a\"\nshape = { type = \"half_space\" }\n"),
            "2:1: body 'a': a half-space cannot move; put it into the environment / see docs/formats/scene.md\n");
  EXPECT_EQ(findingsOf("[[body]]\nname = \"a\"\nshape = { type = \"sphere\", file = \"x.obj\", radius = 1 }\n")
                .substr(0, 44),
            "4:18: type = \"sphere\" is not known / expecte");
  EXPECT_EQ(findingsOf("[[body]]\nname = \"a\"\nshape = { type = \"convex_hull\", file = \"x.obj\" }\n"),
            "4:40: x.obj: no such file / names are relative to the scene file\n");
  EXPECT_EQ(findingsOf(kBareBall + "groups = [1.5]\n"),
            "6:10: group 1.5 is no whole number / groups are numbered from 1 to 32\n");
}

TEST(SceneFindings, Formulas) {
  EXPECT_EQ(findingsOf("duration = \"=2*(1+x)\"\n"),
            "2:19: there is no parameter \"x\" / add a [[parameter]] with name = \"x\"\n");
  EXPECT_EQ(findingsOf("duration = \"=1/0\"\n"), "2:12: \"=1/0\" is inf / expected a finite number\n");
  EXPECT_EQ(findingsOf("duration = \"=1+\"\n"),
            "2:16: the formula ends too early / expected a number, a name or \"(\"\n");
  EXPECT_EQ(findingsOf("[[parameter]]\nname = \"t\"\ndefault = 1\n"),
            "3:8: \"t\" cannot stand in a formula / expected letters, digits and _, other than t, pi, deg\n");
  EXPECT_EQ(findingsOf("[[parameter]]\nname = \"a\"\ndefault = 3\nmax = 2\nmin = 0\n"),
            "4:11: default = 3 is out of range / expected a number from 0 to 2, such as default = 0.5\n");
  EXPECT_EQ(findingsOf(kBareBall + "[[check]]\nname = \"c\"\nwhat = \"energy\"\nexpected = \"2*wobble\"\n"),
            "9:12: expected = \"2*wobble\": there is no parameter \"wobble\" / add a [[parameter]] with name = "
            "\"wobble\"\n");
}

TEST(SceneFindings, Overrides) {
  const std::string text = "[[parameter]]\nname = \"mu\"\ndefault = 1\nmin = 0\n";
  EXPECT_EQ(findingsOf(text, {{"muu", "1"}}),
            "0:1: --set muu: there is no parameter or key of this name / did you mean \"mu\"?\n");
  EXPECT_EQ(findingsOf(text, {{"body.x.mass", "1"}}),
            "0:1: --set body.x.mass: there is no \"body\" / expected the name of a parameter, a key such as "
            "simulator.tolerance, or a key of a named entry such as body.NAME.mass\n");
  EXPECT_EQ(findingsOf(text, {{"mu", "-1"}}),
            "0:1: default = -1 is out of range / expected a number >= 0, such as default = 0.5\n");
  EXPECT_EQ(findingsOf(text, {{"duration", "long"}}),
            "0:1: duration is a string / expected a number > 0, such as duration = 0.5\n");
}

TEST(SceneFindings, ProbesAndChecks) {
  EXPECT_EQ(findingsOf("[[check]]\nname = \"c\"\nwhat = \"energy\"\n"),
            "2:1: [check 1] claims nothing / add expected with a tolerance, at_most or at_least\n");
  EXPECT_EQ(findingsOf("[[check]]\nname = \"c\"\nwhat = \"energy\"\nexpected = 1\nat_most = 2\n"),
            "5:12: a value and a bound are both given / keep one of them\n");
  EXPECT_EQ(findingsOf("[[probe]]\nname = \"p\"\nwhat = \"energi\"\n"),
            "4:8: what = \"energi\" is not known / did you mean \"energy\"?\n");
  EXPECT_EQ(findingsOf(kBareBall + "[[probe]]\nname = \"p\"\nwhat = \"velocity\"\nbody = \"ball\"\nalong = [0, 0, 0]\n"),
            "10:9: along = [0, 0, 0] has no direction / along x: along = [1.0, 0.0, 0.0]\n");
  EXPECT_EQ(findingsOf(kBareBall + "[[probe]]\nname = \"p\"\nwhat = \"velocity\"\nbody = \"ball\"\nalong = [1, 0, 0]\n"
                               "component = \"x\"\n"),
            "10:9: component and along are both given / keep one of them\n");
}

TEST(SceneFindings, RepetitionsAndMotions) {
  const std::string shape = "mass = 1\nshape = { type = \"sphere\", radius = 1 }\n";
  EXPECT_EQ(findingsOf("[[grid]]\nname = \"g\"\n" + shape + "count = [1, 2]\npitch = [1, 1, 1]\n"),
            "6:9: count has 2 entries / expected 3 integers >= 1\n");
  EXPECT_EQ(findingsOf("[[grid]]\nname = \"g\"\n" + shape + "count = [1, 2, 1.5]\npitch = [1, 1, 1]\n"),
            "6:16: entry 3 of count is a number / expected 3 integers >= 1\n");
  EXPECT_EQ(findingsOf("[[grid]]\nname = \"g\"\n" + shape + "count = [1000, 1000, 1000]\npitch = [1, 1, 1]\n"),
            "6:9: these are 1e+09 bodies / expected at most 20000\n");
  EXPECT_EQ(findingsOf("[[ring]]\nname = \"r\"\ncount = 4\ninner_radius = 2\nouter_radius = 1\ndepth = 1\n"),
            "2:1: these wedges are no ring / expected inner_radius < outer_radius, begin < end, and wedges of "
            "less than 57 degrees\n");
  EXPECT_EQ(findingsOf("[[environment]]\nname = \"e\"\nshape = { type = \"half_space\" }\n"
                       "motion = { type = \"path\", times = [0, 1], displacements = [[0,0,0],[1,0,0],[2,0,0]] }\n"),
            "5:59: there are 3 displacements for 2 times / expected one for each time\n");
  EXPECT_EQ(findingsOf("dt = 1e-12\n"), "2:6: duration / dt = 1e+12 steps / expected at most 1e+09\n");
  EXPECT_EQ(findingsOf("[simulator]\nthreads = 0\n"),
            "2:1: option threads = 0: expected at least 1 / see docs/formats/scene.md\n");
}

TEST(SceneFindings, IncludedFiles) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "cornet_scene_findings_test";
  fs::create_directories(folder);
  std::ofstream(folder / "a.toml") << "version = 1\ninclude = [\"b.toml\", \"none.toml\"]\n";
  std::ofstream(folder / "b.toml") << "version = 1\ninclude = [\"a.toml\"]\nduration = 1\n";
  const std::string at = folder.string() + "/";
  try {
    readScene(folder / "a.toml");
    FAIL();
  } catch (const FindingsError& error) {
    EXPECT_EQ(error.what(), at + R"(b.toml:2:11: error: files include each other: a.toml -> b.toml -> a.toml
  2 | include = ["a.toml"]
    |           ^
help: take one of them out
)" + at + R"(b.toml:3:1: error: unknown key "duration" in the file
  3 | duration = 1
    | ^
help: known here: version, include, parameter, material, material_rules, material_pair, body, grid, pile, stack, wall, line, ring, environment, robot, force, constraint, joint, exclude, coupling, probe, check
)" + at + "a.toml:2:11: error: " + at + R"(none.toml: no such file
  2 | include = ["b.toml", "none.toml"]
    |           ^
help: names are relative to the file that includes)");
    EXPECT_EQ(error.findings().front().file, at + "b.toml");
  }
  fs::remove_all(folder);
}

TEST(SceneFindings, Joints) {
  const std::string bodies = kBareBall + "[[environment]]\nname = \"wall\"\nshape = { type = \"half_space\" }\n";
  const auto joint = [&](const std::string& keys) {
    return findingsOf(bodies + "[[joint]]\na = \"wall\"\nb = \"ball\"\n" + keys);
  };
  const std::string hinge = "type = \"hinge\"\nanchor = [0, 0, 0]\naxis = [0, 0, 1]\n";
  const std::string slider = "type = \"slider\"\nanchor = [0, 0, 0]\naxis = [0, 0, 1]\n";
  EXPECT_EQ(joint(hinge), "");
  EXPECT_EQ(joint("type = \"hing\"\n"),
            "12:8: type = \"hing\" is not known / did you mean \"hinge\"?\n");
  EXPECT_EQ(joint(hinge + "dampng = 1\n"), "15:1: unknown key \"dampng\" in [joint 1] / did you mean \"damping\"?\n");
  EXPECT_EQ(joint(hinge + "limits = {}\n"), "15:10: limits without a bound / expected lower_deg, upper_deg or both\n");
  EXPECT_EQ(joint(slider + "limits = {}\n"), "15:10: limits without a bound / expected lower, upper or both\n");
  EXPECT_EQ(joint(slider + "servo = { target = 1 }\n"), "15:9: a servo without gains / expected kp, kd or both\n");
  EXPECT_EQ(joint(slider + "limits = { lower = 1, upper = 0 }\n"),
            "9:1: joint 'slider wall-ball': limits from 1 to 0: expected lower ≤ upper / see docs/formats/scene.md\n");
  EXPECT_EQ(joint("type = \"universal\"\nanchor = [0, 0, 0]\naxis_a = [0, 0, 1]\naxis_b = [0, 0, 1]\n"),
            "9:1: joint 'universal wall-ball': UniversalJoint: axis_a (0, 0, 1) and axis_b (0, 0, 1) make an angle of 0 degrees: "
            "expected 90 / see docs/formats/scene.md\n");
}

}  // namespace
}  // namespace cornet
