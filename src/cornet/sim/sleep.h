#pragma once

#include <span>

#include "cornet/sim/island_problem.h"

/// Optional sleep: islands whose bodies have all been slow for a while, under the same forces and in touch with
/// the same bodies, stay where they are and are not solved.
///
///   slow     |v| + r |ω| < 10⁻⁴ m/s, r the radius of the body
///   same     bits of its force and torque, who it touches, surroundings among them at rest
///   asleep   all bodies of the island slow and the same for sleep_time, and in this step too      (STEP-15)
///
/// Who touches an island is part of it, and a neighbour that comes or goes changes what a body touches: being
/// hit, losing a support and a load that begins wake an island before anything else happens in the step. What
/// a body has been like is part of StepMemory.
namespace cornet {

class SleepWatch {
 public:
  explicit SleepWatch(double sleep_time) : sleep_time_(sleep_time) {}
  bool isOn() const { return sleep_time_ > 0.0; }

  /// Marks the islands that sleep in this step: their bodies stop, their contacts keep the impulses of the
  /// step before.
  void begin(const StepView& step, const StepMemory& memory, std::span<Island> islands);
  /// Remembers what the bodies were like, `step` being at its end.
  void finish(const StepView& step, StepMemory& memory) const;

 private:
  void calcSignatures(const StepView& step);
  static void putToSleep(const StepView& step, const StepMemory& memory, const Island& island);

  double sleep_time_;
  std::vector<std::uint64_t> signature_;  // of moving bodies: what acts on them; 0 where surroundings move
};

}  // namespace cornet
