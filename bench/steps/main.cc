// What a step costs: processor time and heap allocations of the steps of a scene after it has run for a while.
// Prints one JSON object. tools/make_step_results.py runs it on all scenes and beside MuJoCo.
//
//   cornet_steps scenes/comparison/speed_wall.toml --settle 1 --steps 100
#include <algorithm>
#include <ctime>
#include <fstream>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include "cornet/base/stopwatch.h"
#include "cornet/io/scene/scene.h"
#include "cornet/sim/simulator.h"
#include "steps/mjcf.h"
#include "support/allocation_counter.h"

namespace cornet::bench {
namespace {

struct Arguments {
  std::string scene;
  std::vector<std::string> settings;
  double settle = 0.0;     // [s] simulated before anything is timed
  int steps = 100;
  double max_seconds = 60.0;
  std::string mjcf;
};

struct Totals {
  int steps = 0;
  double seconds = 0.0;  // of this process, not of the clock on the wall
  double longest = 0.0;
  std::vector<StepTimes> times;
  double contacts = 0.0;
  double worst_certificate = 0.0;
  int unsolved = 0;
  int factorizations = 0;
};

double processorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void add(const StepReport& report, double seconds, Totals& totals) {
  ++totals.steps;
  totals.seconds += seconds;
  totals.longest = std::max(totals.longest, seconds);
  totals.times.push_back(report.times);
  totals.contacts += report.contacts;
  totals.worst_certificate = std::max(totals.worst_certificate, report.relative);
  totals.unsolved += report.unsolved_islands > 0;
  totals.factorizations += report.factorizations;
}

// The median over steps of the share that a stage has in its step: steps that other programs interrupt do not count.
double calcShare(const Totals& totals, double StepTimes::* stage) {
  std::vector<double> shares;
  for (const StepTimes& times : totals.times) shares.push_back(times.*stage / times.total);
  const auto middle = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2);
  std::ranges::nth_element(shares, middle);
  return *middle;
}

Scene readAsked(const Arguments& arguments) {
  std::vector<SceneOverride> overrides;
  for (const std::string& setting : arguments.settings) {
    const auto at = setting.find('=');
    overrides.push_back({setting.substr(0, at), setting.substr(at + 1)});
  }
  return readScene(arguments.scene, overrides);
}

void run(const Arguments& arguments) {
  const Scene scene = readAsked(arguments);
  if (!arguments.mjcf.empty()) std::ofstream(arguments.mjcf) << toMjcf(scene);
  Simulator simulator(scene.world, scene.options);
  State state = scene.world.makeState();
  StepMemory memory;
  while (state.time < arguments.settle - 0.5 * scene.dt) simulator.step(scene.dt, state, memory);
  Totals totals;
  totals.times.reserve(static_cast<std::size_t>(arguments.steps));
  const Stopwatch clock;
  const long allocations = test::countAllocations([&] {
    while (totals.steps < arguments.steps && (totals.steps == 0 || clock.seconds() < arguments.max_seconds)) {
      const double begin = processorSeconds();
      const StepReport report = simulator.step(scene.dt, state, memory);
      add(report, processorSeconds() - begin, totals);
    }
  });
  const double n = totals.steps;
  const auto share = [&](double StepTimes::* stage) { return calcShare(totals, stage); };
  fmt::print(
      "{{\"bodies\": {}, \"contacts\": {:.1f}, \"dt\": {}, \"steps\": {}, \"seconds\": {:.4g}, \"longest\": {:.4g}, "
      "\"detect\": {:.4f}, \"drift\": {:.4f}, \"assemble\": {:.4f}, \"solve\": {:.4f}, \"displace\": {:.4f}, \"certify\": {:.4f}, "
      "\"allocations\": {:.4g}, \"factorizations\": {:.4g}, \"certificate\": {:.3g}, \"unsolved\": {}}}\n",
      scene.world.bodyCount(), totals.contacts / n, scene.dt, totals.steps, totals.seconds / n, totals.longest,
      share(&StepTimes::detect), share(&StepTimes::drift), share(&StepTimes::assemble), share(&StepTimes::solve),
      share(&StepTimes::displace), share(&StepTimes::certify), static_cast<double>(allocations) / n, totals.factorizations / n,
      totals.worst_certificate, totals.unsolved);
}

}  // namespace
}  // namespace cornet::bench

int main(int argc, char** argv) {
  cornet::bench::Arguments arguments;
  CLI::App program("Times the steps of a scene");
  program.add_option("scene", arguments.scene, "scene file")->required();
  program.add_option("--set", arguments.settings, "key=value, as in cornet run")->allow_extra_args(false);
  program.add_option("--settle", arguments.settle, "seconds to simulate before anything is timed");
  program.add_option("--steps", arguments.steps, "steps to time");
  program.add_option("--max-seconds", arguments.max_seconds, "wall time of the timed steps after which none begins");
  program.add_option("--mjcf", arguments.mjcf, "also write the scene for MuJoCo into this file");
  CLI11_PARSE(program, argc, argv);
  try {
    cornet::bench::run(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "cornet_steps: {}\n", error.what());
    return 1;
  }
  return 0;
}
