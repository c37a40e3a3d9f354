// What recording every step with its contacts costs: the same run without and with it, turn by turn. Prints one JSON
// object. The simulation's own thread copies; a second thread compresses and writes.
//
//   cornet_record_cost scenes/comparison/speed_boxes.toml 200 3      steps, turns
#include <ctime>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "cornet/base/stopwatch.h"
#include "cornet/io/recording/make_header.h"
#include "cornet/io/recording/recorder.h"
#include "cornet/run/scene_run.h"
#include "support/temporary_folder.h"

namespace cornet::bench {
namespace {

struct Cost {
  double wall = 0.0;       // [s] of the run, file closed
  double processor = 0.0;  // [s] of all threads
  double steps = 0.0;      // [s] in steps alone
  RecorderCosts recorder;
  double bytes = 0.0;
  int contacts = 0;
};

double processorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

Cost measure(const Scene& scene, int steps, const std::filesystem::path& file) {
  SceneRun run(scene);
  const double begin = processorSeconds();
  const Stopwatch clock;
  std::unique_ptr<Recorder> recorder;
  if (!file.empty()) {
    recorder = std::make_unique<Recorder>(file, makeRecordingHeader(scene, "cornet", "benchmark"), scene.world);
    recorder->add(run.moment());
  }
  for (int k = 0; k < steps && !run.isDone(); ++k) {
    run.step();
    if (recorder) recorder->add(run.moment());
  }
  Cost cost;
  if (recorder) {
    recorder->finish();
    cost.recorder = recorder->costs();
    cost.bytes = static_cast<double>(std::filesystem::file_size(file));
  }
  cost.wall = clock.seconds();
  cost.processor = processorSeconds() - begin;
  cost.steps = run.totals().seconds;
  cost.contacts = run.totals().max_contacts;
  return cost;
}

void add(const Cost& one, Cost& sum) {
  sum.wall += one.wall;
  sum.processor += one.processor;
  sum.steps += one.steps;
  sum.recorder.frames += one.recorder.frames;
  sum.recorder.copy_seconds += one.recorder.copy_seconds;
  sum.recorder.waits += one.recorder.waits;
  sum.recorder.wait_seconds += one.recorder.wait_seconds;
  sum.bytes += one.bytes;
  sum.contacts = std::max(sum.contacts, one.contacts);
}

void compare(const std::string& name, int steps, int turns) {
  const Scene scene = readScene(name);
  const test::TemporaryFolder folder;
  Cost plain, recorded;
  for (int k = 0; k < turns; ++k) {
    add(measure(scene, steps, {}), plain);
    add(measure(scene, steps, folder / "run.h5"), recorded);
  }
  const auto frames = static_cast<double>(recorded.recorder.frames);
  fmt::print("{{\"scene\": \"{}\", \"frames\": {}, \"max_contacts\": {}, \"copy_share\": {:.5f}, \"copy_microseconds\": {:.1f}, "
             "\"wall_ratio\": {:.4f}, \"processor_ratio\": {:.4f}, \"waits\": {}, \"wait_seconds\": {:.4f}, "
             "\"bytes_per_frame\": {:.0f}, \"step_milliseconds\": {:.3f}}}\n",
             std::filesystem::path(name).filename().string(), recorded.recorder.frames, recorded.contacts,
             recorded.recorder.copy_seconds / recorded.steps, 1e6 * recorded.recorder.copy_seconds / frames,
             recorded.wall / plain.wall, recorded.processor / plain.processor, recorded.recorder.waits,
             recorded.recorder.wait_seconds, recorded.bytes / frames, 1e3 * plain.steps / frames);
}

}  // namespace
}  // namespace cornet::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: cornet_record_cost SCENE.toml [STEPS] [TURNS]\n");
    return 2;
  }
  try {
    cornet::bench::compare(argv[1], argc > 2 ? std::stoi(argv[2]) : 200, argc > 3 ? std::stoi(argv[3]) : 1);
  } catch (const std::exception& error) {
    fmt::print(stderr, "cornet_record_cost: {}\n", error.what());
    return 1;
  }
}
