#pragma once

#include <memory>
#include <span>

#include "cornet/sim/island_step.h"

namespace cornet {

/// Runs the islands of a step, on several threads if asked to. Islands share no moving body and no contact, and
/// what they compute depends on nothing else, so the bits are the same for any number of threads.
class IslandCrew {
 public:
  explicit IslandCrew(const SimulatorOptions& options);
  ~IslandCrew();
  IslandCrew(IslandCrew&&) noexcept;

  /// Takes the bodies of all islands that are not done to the end of the step.
  void run(const WorldModel& world, const StepView& step, const StepMemory& memory,
           std::span<Island> islands);

 private:
  struct Threads;
  std::unique_ptr<Threads> threads_;
};

}  // namespace cornet
