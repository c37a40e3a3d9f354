// The error that runs deliver beside the accuracy that was asked for, as lines of CSV:
//
//   cornet_error_control [SCENE...]
//
// scene,accuracy,delivered,steps,rejections,early,forced,inaccurate,smallest,largest,worst_error,seconds; lines with accuracy
// "fixed 0.01" are of steps of one size.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "support/controlled_scenes.h"

using namespace cornet;

namespace {

void print(const std::string& scene, const std::string& accuracy, const test::ControlledRun& run) {
  fmt::print("{},{},{:.3g},{},{},{},{},{},{:.3g},{:.3g},{:.3g},{:.3g}\n", scene, accuracy, run.delivered, run.steps, run.rejections,
             run.early, run.forced, run.inaccurate, run.smallest, run.largest, run.worst_error, run.seconds);
  std::fflush(stdout);
}

void measure(const test::ControlledScene& scene) {
  const BodyStates reference = scene.error ? BodyStates{} : test::calcReference(scene);
  for (const double dt : {1e-2, 1e-3}) {
    SimulatorOptions options;
    options.control.max_step = dt;
    print(scene.name, fmt::format("fixed {:g}", dt), test::runControlled(scene, options, &reference));
  }
  for (const double accuracy : scene.accuracies) {
    SimulatorOptions options;
    options.control.accuracy = accuracy;
    print(scene.name, fmt::format("{:g}", accuracy), test::runControlled(scene, options, &reference));
  }
}

}  // namespace

int main(int argc, char** argv) {
  fmt::print("scene,accuracy,delivered,steps,rejections,early,forced,inaccurate,smallest,largest,worst_error,seconds\n");
  const std::vector<std::string> names(argv + 1, argv + argc);
  for (const test::ControlledScene& scene : test::controlledScenes()) {
    if (!names.empty() && std::find(names.begin(), names.end(), scene.name) == names.end()) continue;
    measure(scene);
  }
  return 0;
}
