// Scenes that run: what their probes and checks say.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "cornet/run/scene_run.h"

namespace cornet {
namespace {

Scene read(const std::string& text, const std::vector<SceneOverride>& overrides = {}) {
  return readScene(SourceText("scene.toml", "version = 1\n" + text), overrides);
}

constexpr const char* kBall = R"(
[[body]]
name = "ball"
mass = 2
shape = { type = "sphere", radius = 0.5 }
position = [1, 2, 3]
velocity = [4, 0, 0]
omega = [0, 5, 0]
)";

// A belt that ran into what lies on it; a warm start that a solver could not leave; joints that hold but for rounding.
TEST(SceneRun, FindsThatWereFlaggedOnceAreAccurate) {
  const std::filesystem::path finds = std::filesystem::path(CORNET_TEST_DATA).parent_path() / "fuzz/finds";
  for (const char* name : {"belt_in_a_bowl", "limits_on_both_sides", "joints_that_hold_already"}) {
    const Scene scene = readScene(finds / (std::string(name) + ".toml"));
    SceneRun run(scene);
    while (!run.isDone()) run.step();
    EXPECT_EQ(run.totals().inaccurate_steps, 0) << name;
  }
}

// Walls of a box that moves press bodies against what a hook holds: no step can be right, and none takes them out of the box.
TEST(SceneRun, WhatIsCrushedIsNotThrown) {
  const std::filesystem::path finds = std::filesystem::path(CORNET_TEST_DATA).parent_path() / "fuzz/finds";
  const Scene scene = readScene(finds / "crushed_on_a_hook.toml");
  SceneRun run(scene);
  constexpr double kBox = 0.2;  // [m] its diagonal
  while (!run.isDone()) {
    run.step();
    const Vector3d centre = Vector3d(0.194284, 0.198302, -0.517546) * run.state().time;
    for (int i = 0; i < run.state().free_count; ++i) {
      ASSERT_LT((run.state().body(i).position - centre).norm(), 2.0 * kBox) << "at " << run.state().time << " s";
    }
  }
  EXPECT_GT(run.totals().inaccurate_steps, 0);
}

TEST(SceneRun, ProbesAndChecksFollowAFreeFall) {
  const Scene scene = read(std::string("duration = 1\ndt = 0.3\n") + kBall + R"(
[[probe]]
name = "height"
what = "position"
body = "ball"
component = "z"
[[probe]]
name = "rim"
what = "velocity"
body = "ball"
point = [0, 0, 0.5]
along = [2, 0, 0]
[[check]]
name = "fall"
probe = "height"
of = "every"
expected = "3 - 9.81*t^2/2"
tolerance = 1e-12
[[check]]
name = "lowest"
probe = "height"
of = "min"
at_most = -1.9
at_least = -1.91
[[check]]
name = "wrong"
probe = "height"
expected = 3
tolerance = 1
[[check]]
name = "mean square"
what = "velocity"
body = "ball"
component = "x"
of = "mean_square"
expected = 2
tolerance = 0
[[check]]
name = "never"
what = "certificate"
from = 5
at_most = 1
)");
  SceneRun run(scene);
  EXPECT_EQ(run.values()[0], 3.0);
  EXPECT_DOUBLE_EQ(run.values()[1], 6.5);  // 4 + 5 x 0.5
  int steps = 0;
  for (; !run.isDone(); ++steps) run.step();
  EXPECT_EQ(steps, 4);  // the last one is shorter
  EXPECT_EQ(run.state().time, 1.0);
  const std::vector<CheckResult> checks = run.calcChecks();
  EXPECT_TRUE(checks[0].passed);
  EXPECT_TRUE(checks[1].passed);
  EXPECT_FALSE(checks[2].passed);
  EXPECT_NEAR(checks[2].error, 9.81 / 2.0, 1e-12);
  EXPECT_DOUBLE_EQ(checks[3].value, 4.0);
  EXPECT_FALSE(checks[3].passed);
  EXPECT_TRUE(std::isnan(checks[4].value));
  EXPECT_FALSE(checks[4].passed);
}

TEST(SceneRun, TolerancesOfAnOrderGoWithItsPowerOfTheStep) {
  const std::string text = std::string("duration = 0.1\ndt = 0.01\n") + kBall + R"(
[[check]]
name = "second order"
what = "energy"
expected = 0
tolerance = 3
order = 2
[[check]]
name = "exact"
what = "energy"
expected = 0
tolerance = 3
)";
  const auto toleranceAt = [&text](const std::vector<SceneOverride>& overrides) {
    const Scene scene = read(text, overrides);
    EXPECT_EQ(scene.own_dt, 0.01);
    const std::vector<CheckResult> checks = SceneRun(scene).calcChecks();
    EXPECT_EQ(checks[1].tolerance, 3.0);
    return checks[0].tolerance;
  };
  EXPECT_EQ(toleranceAt({}), 3.0);
  EXPECT_DOUBLE_EQ(toleranceAt({{"dt", "0.02"}}), 12.0);
  EXPECT_DOUBLE_EQ(toleranceAt({{"dt", "0.005"}}), 0.75);
}

TEST(SceneRun, ContactProbesSumOverABodyOrAPair) {
  const Scene scene = read(R"(
duration = 0.1
dt = 0.01
[[environment]]
name = "floor"
shape = { type = "half_space" }
[[stack]]
name = "box"
masses = [1, 2]
shape = { type = "box", half_extents = [0.1, 0.1, 0.1] }
[[force]]
body = "box[1]"
force = [1, 0, 0]
[[probe]]
name = "floor"
what = "normal_force"
body = "box[0]"
other = "floor"
[[probe]]
name = "between"
what = "normal_force"
body = "box[1]"
[[probe]]
name = "friction"
what = "friction_force"
body = "floor"
[[probe]]
name = "on the lower"
what = "contact_force"
body = "box[0]"
component = "z"
[[probe]]
name = "ratio"
what = "friction_ratio"
body = "box[1]"
other = "box[0]"
)");
  SceneRun run(scene);
  EXPECT_TRUE(std::isnan(run.values()[0]));
  while (!run.isDone()) run.step();
  EXPECT_NEAR(run.values()[0], 3 * 9.81, 1e-9);
  EXPECT_NEAR(run.values()[1], 2 * 9.81, 1e-9);
  EXPECT_NEAR(run.values()[2], 1.0, 1e-9);
  EXPECT_NEAR(run.values()[3], 9.81, 1e-9);
  EXPECT_NEAR(run.values()[4], 1.0 / (2 * 9.81), 1e-9);
  EXPECT_EQ(run.totals().unsolved_steps, 0);
}

// A force that grows by 1 N/s, held over each step: v = Σ h (k h)/m.
TEST(SceneRun, AsksItsController) {
  const Scene scene = read(std::string("duration = 1\ndt = 0.125\ngravity = [0, 0, 0]\n") + kBall);
  SceneRun run(scene);
  run.setController([](double time, const State&, StepInputs& inputs) {
    inputs.bodies.push_back({.body = 0, .force = {0.0, time, 0.0}});
  });
  while (!run.isDone()) run.step();
  EXPECT_NEAR(run.state().body(0).velocity.y(), 0.125 * 0.125 * 28.0 / 2.0, 1e-15);  // Σ k = 28 for k < 8
  EXPECT_NEAR(run.totals().work, run.totals().end_energy - run.totals().start_energy, 1e-12);

  SceneRun refused(scene);
  refused.step();
  const auto before = hashOf(refused.state());
  refused.setController([](double, const State&, StepInputs& inputs) {
    inputs.bodies.push_back({.body = 0, .force = {std::nan(""), 0.0, 0.0}});
  });
  EXPECT_THROW(refused.step(), std::invalid_argument);
  EXPECT_EQ(hashOf(refused.state()), before);
  EXPECT_EQ(refused.totals().steps, 1);
  refused.setController(nullptr);
  refused.step();
  EXPECT_EQ(refused.state().body(0).velocity.y(), 0.0);
}

constexpr const char* kTippingBox = R"(
duration = 0.35
dt = 0.01
[[material]]
name = "default"
friction = 0.6
[[environment]]
name = "ground"
shape = { type = "half_space" }
[[body]]
name = "box"
mass = 1
shape = { type = "box", half_extents = [0.05, 0.05, 0.15] }
position = [0, 0, 0.15]
velocity = [2, 0, 0]
)";

// Steps of varying size meet every multiple of `publish`, and the end of the scene.
TEST(SceneRun, UnderErrorControlStepsEndWhereTheyArePublished) {
  const Scene scene = read(std::string(kTippingBox) + "[simulator]\naccuracy = 1e-4\npublish = 0.06\nmax_step = 0.05\n");
  SceneRun run(scene);
  std::vector<double> times;
  double error = 0.0;
  while (!run.isDone()) {
    error = std::max(error, run.step().control.error);
    times.push_back(run.state().time);
    EXPECT_EQ(run.lastStepSize(), run.report().control.dt);
    EXPECT_EQ(run.moment().dt, run.lastStepSize());
  }
  for (const double published : {0.06, 2 * 0.06, 3 * 0.06, 4 * 0.06, 5 * 0.06, 0.35}) {
    EXPECT_EQ(std::ranges::count(times, published), 1) << published;
  }
  const RunTotals& totals = run.totals();
  EXPECT_EQ(totals.steps, static_cast<int>(times.size()));
  EXPECT_EQ(totals.worst_error, error);
  EXPECT_LE(totals.worst_error, 1e-4);
  EXPECT_EQ(totals.forced_steps, 0);
  EXPECT_GT(totals.rejections, 0);
  EXPECT_LT(totals.smallest_step, totals.largest_step);
  EXPECT_LE(totals.largest_step, 0.05);
  EXPECT_EQ(totals.inaccurate_steps, 0);
}

// What contacts did in both halves of a step explains its change of momentum.
TEST(SceneRun, UnderErrorControlMomentsHaveTheImpulsesOfTheWholeStep) {
  const Scene scene = read(std::string(kTippingBox) + "[simulator]\naccuracy = 1e-3\n");
  SceneRun run(scene);
  Vector3d before = run.state().body(0).velocity;
  while (!run.isDone()) {
    run.step();
    Vector3d impulse = run.lastStepSize() * Vector3d(0, 0, -9.81);
    for (const ContactOutcome& contact : run.moment().contacts) impulse += contact.impulse;
    EXPECT_LE((run.state().body(0).velocity - before - impulse).norm(), 1e-12);
    before = run.state().body(0).velocity;
  }
}

TEST(SceneRun, CountsStepsThatDoNotReachTheirAccuracy) {
  const Scene scene = read(std::string(kTippingBox) + "[simulator]\naccuracy = 1e-6\nmin_step = 0.005\n");
  SceneRun run(scene);
  while (!run.isDone()) run.step();
  EXPECT_GT(run.totals().forced_steps, 0);
  EXPECT_GT(run.totals().worst_forced_error, 1e-6);
  EXPECT_LE(run.totals().worst_error, 1e-6);
}

}  // namespace
}  // namespace cornet
