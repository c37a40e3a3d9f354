#pragma once

#include <span>

#include "cornet/sim/island_problem.h"

/// Optional sleep: islands whose bodies have all been slow for a while, under the same forces and in touch with
/// the same bodies, stay where they are and are not solved.
///
///   slow     |v| + r |ω| < 10⁻⁴ m/s, r the radius of the body
///   same     bits of its force and torque, who it touches, surroundings among them at rest; its joints, bits of what their
///            drives aim at and may give, springs, servos and dampers slower than 10⁻⁹ m/s or rad/s
///   asleep   all bodies of the island slow and the same for sleep_time, and in this step too      (STEP-15)
///
/// Who touches an island is part of it, and a neighbour that comes or goes changes what a body touches: being
/// hit, losing a support, a load that begins and a drive that is told otherwise wake an island before anything else happens in
/// the step. Islands with articulated trees, box rows of users' own or joints that run by themselves do not sleep. What
/// a body has been like is part of StepMemory.
namespace cornet {

class SleepWatch {
 public:
  explicit SleepWatch(double sleep_time) : sleep_time_(sleep_time) {}
  bool isOn() const { return sleep_time_ > 0.0; }

  /// Marks the islands that sleep in this step: their bodies stop, their contacts and joints keep the impulses of the
  /// step before.
  void begin(const StepView& step, const StepMemory& memory, std::span<Island> islands);
  /// Remembers what the bodies were like, `step` being at its end.
  void finish(const StepView& step, StepMemory& memory) const;

 private:
  void calcSignatures(const StepView& step);
  void addJoint(const StepView& step, StepConstraint& constraint);
  static void putToSleep(const StepView& step, const StepMemory& memory, const Island& island);

  double sleep_time_;
  std::vector<std::uint64_t> signature_;  // of moving bodies: what acts on them; 0 where surroundings move
};

}  // namespace cornet
