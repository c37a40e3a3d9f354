// Scenes without a promise: a smaller accuracy delivers no larger error.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/controlled_scenes.h"

namespace cornet {
namespace {

class Unpromised : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Scenes, Unpromised, testing::Values("double_pendulum_with_limits", "rolling_coin", "clutter_of_20_balls"),
                         [](const auto& named) { return std::string(named.param); });

TEST_P(Unpromised, DeliversLessErrorTheLessIsAskedFor) {
  const test::ControlledScene& scene = test::controlledScene(GetParam());
  const BodyStates reference = test::calcReference(scene);
  double last = std::numeric_limits<double>::infinity();
  for (const double accuracy : scene.accuracies) {
    SimulatorOptions options;
    options.control.accuracy = accuracy;
    const test::ControlledRun run = test::runControlled(scene, options, &reference);
    RecordProperty(fmt::format("delivered_at_{:g}", accuracy), fmt::format("{:.2e}", run.delivered));
    EXPECT_LE(run.delivered, last) << accuracy;
    last = run.delivered;
  }
}

}  // namespace
}  // namespace cornet
