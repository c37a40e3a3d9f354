#pragma once

#include "cornet/audit/body_way.h"
#include "cornet/collision/narrow_phase.h"
#include "cornet/world/outcomes.h"

/// Contacts that acted although their bodies were apart then: a push from afar is none.
///
///   far    distance of A and B at the knees of their ways (WAY-1), the nearer pose of the two legs, less h²|f|/2m of both    (AUDIT-8)
///
/// Looked at are impacts, late contacts, and pairs whose gap at the start is above a ten-thousandth of the smaller body's size.
namespace cornet {

class FarImpulses {
 public:
  /// The world must outlive it.
  explicit FarImpulses(const WorldModel& world);

  /// Whether the gap at the start of the step does not show that the bodies touched: that of impacts and late contacts is
  /// extrapolated from their motion.
  bool isOpen(const ContactOutcome& contact) const { return contact.is_impact || contact.is_late || contact.gap > least_; }
  /// How far apart two bodies were when they pushed each other, beyond what may be [m]; 0 where they touched.
  double calcDistance(int a, int b, const StepEvidence& step);

 private:
  double nearOf(int a, int b, const StepEvidence& step) const;
  double calcGap(int a, const Pose& X_WA, int b, const Pose& X_WB);

  const WorldModel& world_;
  double least_;  // [m] of gaps that are looked at
  NarrowPhase narrow_phase_;
  BodyWay way_a_, way_b_;
};

}  // namespace cornet
