// What scenes claim holds at steps that are shorter and longer than their own.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cornet/run/scene_run.h"

namespace cornet {
namespace {

// Steps that divide neither durations nor the times of checks.
constexpr double kShorter = 0.4;
constexpr double kLonger = 2.3;

void expectAllClaims(const std::string& name, double step_ratio) {
  Scene scene = readScene(std::filesystem::path(CORNET_SCENES) / name);
  scene.dt *= step_ratio;
  SceneRun run(scene);
  while (!run.isDone()) run.step();
  const std::vector<CheckResult> results = run.calcChecks();
  for (std::size_t k = 0; k < results.size(); ++k) {
    const CheckResult& result = results[k];
    EXPECT_TRUE(result.passed) << fmt::format("{}: {} instead of {}, off by {:.3g}, at most {:.3g}", scene.checks[k].name, result.value,
                                              result.expected, result.error, result.tolerance);
  }
}

class ShorterSteps : public testing::TestWithParam<std::string> {};
class LongerSteps : public testing::TestWithParam<std::string> {};

const std::vector<std::string> kScenesInShorterSteps = {CORNET_SCENES_IN_SHORTER_STEPS};
const std::vector<std::string> kScenesInLongerSteps = {CORNET_SCENES_IN_LONGER_STEPS};

std::string nameOf(const testing::TestParamInfo<std::string>& of) {
  std::string name = std::filesystem::path(of.param).stem();
  std::ranges::replace(name, '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Scene, ShorterSteps, testing::ValuesIn(kScenesInShorterSteps), nameOf);
INSTANTIATE_TEST_SUITE_P(Scene, LongerSteps, testing::ValuesIn(kScenesInLongerSteps), nameOf);

TEST_P(ShorterSteps, KeepWhatTheSceneClaims) { expectAllClaims(GetParam(), kShorter); }
TEST_P(LongerSteps, KeepWhatTheSceneClaims) { expectAllClaims(GetParam(), kLonger); }

}  // namespace
}  // namespace cornet
