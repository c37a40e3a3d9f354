#pragma once

#include "cornet/sim/held_rows.h"
#include "cornet/sim/island.h"

/// Free motion of bodies that joints hold together, without forces. Bodies drift on their own (BODY-4); impulses of the joints at the
/// pose they leave keep C over the drift, others at the pose they reach make velocities agree with the joints there:
///
///   v₀ = v + M(q)⁻¹J(q)ᵀν,    q' = q drifted by t with v₀,    C(q') = C(q)
///   v' = v₀' + M(q')⁻¹J(q')ᵀν',   J(q')v' = w_t                                                   (STEP-30)
///
/// the scheme SHAKE and RATTLE, of second order and reversible, w_t the target rate. With J v = w_t = 0 at the start the first impulses
/// put in energy, of second order, that the second ones take out but for a difference of third order. Rows are evaluated where joints
/// are closed, so that those of loops repeat each other exactly and contradict each other nowhere. Velocities against the joints, as users may set them, end at
/// the start of a step, which takes energy and never adds any. All these impulses are part of what joints report.
namespace cornet {

/// Where rows are evaluated.
enum class StepPose : std::uint8_t { start, kick, end };

/// Buffers are kept between calls. Not for use by two threads at once.
class JointDrift {
 public:

  /// Velocities at the start of a step that joints allow: all constraints together; does nothing where rates are right.
  /// Returns the largest change of a point's velocity [m/s].
  double settleStart(const StepView& step);

  /// From the start to the kick, θh on: `now` of the bodies, whose drift velocities are kept.
  void toKick(const StepView& step, const Island& island);
  /// From the kick on: makes of the velocities v of the island's bodies those that keep C to the end of the step.
  void fromKick(const StepView& step, const Island& island, VectorXd& v);
  /// Velocities at the end that joints allow.
  void settleEnd(const StepView& step, const Island& island);

 private:
  InertialState stateAt(const StepView& step, int body, StepPose pose, double theta) const;
  void collectRows(const StepView& step, std::span<const int> constraints, StepPose pose, double theta);
  bool aimAtRates(const StepView& step, StepPose pose, double theta, double nothing);
  void collectMasses(const StepView& step, std::span<const int> bodies, StepPose pose);
  double pull();
  bool solve(VectorXd& change);
  double settle(const StepView& step, std::span<const int> bodies, StepPose pose, JointStage stage);
  void keepClosed(const StepView& step, const Island& island, StepPose from, double t, const VectorXd& v);
  double calcMiss(const StepView& step, const Island& island, StepPose to, double t);
  void report(const StepView& step, JointStage stage, std::span<const double> impulses) const;
  void forget(const StepView& step, const Island& island, JointStage stage) const;

  struct Row {
    int constraint, row;
    double C;   // at the pose of the rows
    int first;  // of its bodies in full_
    Vector3d arm;  // of its joint there
  };
  std::vector<int> bodies_, constraints_;
  HeldRowList rows_;
  std::vector<Row> meaning_;
  std::vector<Vector6d> full_;          // rows of all bodies, surroundings too
  std::vector<double> multipliers_, part_multipliers_, sum_, last_sum_;
  std::vector<InertialState> drifted_;  // of the island's bodies
  BlockDiagonalMatrix M_;
  HeldRows held_rows_;
  VectorXd v_, v_start_, part_, change_, total_, last_total_;
};

}  // namespace cornet
