#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cornet/sim/error_controlled_integrator.h"

/// Scenes on which the error that a run delivers is measured, shared by tests and benchmark.
namespace cornet::test {

struct ControlledScene {
  std::string name;
  double duration = 1.0;  // [s]
  std::function<WorldModel()> make;
  std::vector<double> accuracies;  // [m] that are asked for
  /// Error of where bodies end, by theory; empty: by calcReference().
  std::function<double(const BodyStates&, double time)> error = {};
  /// Whether twice the accuracy is promised, and not only that a smaller one delivers no larger error.
  bool is_promised = true;
};

const std::vector<ControlledScene>& controlledScenes();
const ControlledScene& controlledScene(const std::string& name);

struct ControlledRun {
  BodyStates end;
  double delivered = 0.0;  // [m], places and turns as in (ERR-2)
  int steps = 0, rejections = 0, early = 0, forced = 0, inaccurate = 0;
  double smallest = 0.0, largest = 0.0, worst_error = 0.0, worst_energy_gain = 0.0;
  std::uint64_t hash = 0;
  double seconds = 0.0;
};

/// Where steps of 20 µs end; without a promise, where an accuracy of 1e-7 does: steps of 20 µs still take impacts of a heap
/// that follow each other for one.
BodyStates calcReference(const ControlledScene& scene);
/// Under error control, or with an accuracy that is infinite in steps of max_step.
ControlledRun runControlled(const ControlledScene& scene, const SimulatorOptions& options, const BodyStates* reference = nullptr);
double calcDistance(const WorldModel& world, const BodyStates& a, const BodyStates& b);

}  // namespace cornet::test
