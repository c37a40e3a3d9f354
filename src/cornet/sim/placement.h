#pragma once

#include <span>
#include <vector>

#include "cornet/sim/step_data.h"

/// Where bodies stand at the start of a step, and how far around each contacts are looked for.
///
///   margin   ½ 1e-4 m + 2 h (|v + h M⁻¹f| + r|ω + h I⁻¹τ|)                                       (STEP-1)
namespace cornet {

struct Placement {
  std::vector<Pose> poses;      // of all bodies, surroundings after those that move
  std::vector<double> margins;  // [m]

  /// Bit by bit.
  bool isSameAs(const Placement& other) const;
};

/// Surroundings k over a step from `at`: where they are, and their mean velocity.
void placeSurroundings(const WorldModel& world, int k, const BodyStates& at, double dt, StepBody& body);

class Placer {
 public:
  /// The world must outlive the placer; `margin` [m] is that of bodies at rest.
  Placer(const WorldModel& world, double margin);

  /// Radius of surroundings [m]; 0 for planes and the like, which have none.
  double radiusOfSurroundings(int k) const { return surroundings_radius_[k]; }
  void calc(const BodyStates& at, std::span<const BodyForce> forces, double dt, Placement& placement) const;

 private:
  void widenForTurningPlane(const StepBody& plane, const BodyStates& at, double dt, Placement& placement) const;

  const WorldModel& world_;
  double margin_;
  std::vector<double> surroundings_radius_;
  struct Standing {
    bool stands;
    Pose pose;
    double surface_speed;  // of a belt [m/s]
  };
  std::vector<Standing> standing_;  // surroundings
};

}  // namespace cornet
