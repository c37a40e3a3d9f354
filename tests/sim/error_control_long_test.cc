// Scenes without a promise: the error falls with the accuracy, but for luck at large ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/controlled_scenes.h"

namespace cornet {
namespace {

class Unpromised : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Scenes, Unpromised, testing::Values("stick_slip", "double_pendulum_with_limits", "rolling_coin", "clutter_of_20_balls"),
                         [](const auto& named) { return std::string(named.param); });

TEST_P(Unpromised, DeliversLessErrorTheLessIsAskedFor) {
  const test::ControlledScene& scene = test::controlledScene(GetParam());
  const BodyStates reference = test::calcReference(scene);
  double first = 0.0, worst = std::numeric_limits<double>::infinity();  // of all larger accuracies
  for (const double accuracy : scene.accuracies) {
    SimulatorOptions options;
    options.control.accuracy = accuracy;
    const test::ControlledRun run = test::runControlled(scene, options, &reference);
    RecordProperty(fmt::format("delivered_at_{:g}", accuracy), fmt::format("{:.2e}", run.delivered));
    EXPECT_LE(run.delivered, worst) << accuracy;
    worst = first == 0.0 ? run.delivered : std::max(worst, run.delivered);
    if (first == 0.0) first = run.delivered;
    if (accuracy == scene.accuracies.back()) {
      EXPECT_LE(run.delivered, 0.05 * first);
    }
  }
}

}  // namespace
}  // namespace cornet
