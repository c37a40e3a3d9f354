// The example of docs/howto/run_a_robot.md, and its table.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "cornet/body/mujoco/supported_elements.h"
#include "cornet/run/scene_run.h"
#include "robots/model_files.h"

namespace cornet {
namespace {

TEST(HowtoRobot, Runs) {
  const std::filesystem::path model = test::robotFile("gripper.xml");
  // howto-begin
  Scene scene = readScene(model);
  SceneRun run(scene);
  const TreePart lift = scene.world.findActuator("lift");
  run.setController([lift](double time, const State&, StepInputs& inputs) {
    inputs.controls.push_back({lift.tree, lift.index, 0.02 * time});
  });
  while (!run.isDone()) run.step();
  // howto-end
  EXPECT_EQ(run.totals().inaccurate_steps, 0);
}

TEST(HowtoRobot, ShowsTheTableOfTheCode) {
  std::ostringstream page;
  page << std::ifstream(std::string(CORNET_ROBOTS) + "/../../docs/howto/run_a_robot.md").rdbuf();
  for (const SupportedElement& row : supportedElements()) {
    EXPECT_NE(page.str().find(fmt::format("| {} | {} |", row.element, row.becomes)), std::string::npos) << row.element;
  }
}

}  // namespace
}  // namespace cornet
