#pragma once

#include <functional>
#include <vector>

#include "cornet/audit/body_way.h"
#include "cornet/collision/narrow_phase.h"

/// Contacts that acted although their bodies were apart all through the step: a push from afar is none.
///
///   far    the least distance of A and B at the ends and corners of their ways (WAY-1), both poses where two legs meet    (AUDIT-8)
///
/// Between corners bodies fly, so that what touches does it at one of them, but for edges that turn to and fro within
/// the step. Looked at are impacts, late contacts, and pairs whose gap at the start is above a ten-thousandth of the smaller body's size.
namespace cornet {

class FarImpulses {
 public:
  /// The world must outlive it.
  explicit FarImpulses(const WorldModel& world);

  struct FarImpulse {
    int a, b;
    double gap;  // [m] of their shapes, when they were nearest
  };
  /// Of contacts whose impulse matters to one of its bodies; those of a pair follow each other.
  const std::vector<FarImpulse>& find(const StepEvidence& step, const std::function<bool(int body, double impulse)>& matters);

 private:
  double nearOf(int a, int b) const;
  double calcNearest(int a, int b, const StepEvidence& step);
  double calcDistance(int a, const Pose& X_WA, int b, const Pose& X_WB);

  const WorldModel& world_;
  NarrowPhase narrow_phase_;
  BodyWay way_a_, way_b_;
  std::vector<double> times_;
  std::vector<FarImpulse> found_;
};

}  // namespace cornet
