#pragma once

#include "cornet/constraints/constraint.h"
#include "cornet/constraints/joints/joint_frame.h"

/// Joints between two bodies (a fixed body stands for the world). Each is made at the current poses
/// from a world anchor and axis, and holds what it held then.
///
///   joint         rows   what is left                     made of
///   BallJoint     3      three turns                      (JNT-1)
///   HingeJoint    5      one turn about the axis          (JNT-1), two of (JNT-4)
///   SliderJoint   5      one slide along the axis         two of (JNT-2), (JNT-3)
///   UniversalJoint 4     one turn about an axis on each   (JNT-1), one of (JNT-4)
///   FixedJoint    6      nothing                          (JNT-1), (JNT-3)
namespace cornet {

class BallJoint final : public InPlaceConstraint {
 public:
  BallJoint(std::size_t bodyAIndex, std::size_t bodyBIndex, const InertialState& stateA,
            const InertialState& stateB, const Vector3d& anchor);
  int dimension() const override { return 3; }
  void evaluateInto(MemberStates states, double time, VectorXd& C) const override;
  void jacobianInto(MemberStates states, double time, MatrixXd& J) const override;
  LambdaBounds lambdaBounds() const override { return LambdaBounds::bilateral(); }
  JointReading reading(const InertialState& stateA, const InertialState& stateB) const override;
  std::string typeName() const override { return "BallJoint"; }

 private:
  JointFrame frame_;
};

class HingeJoint final : public InPlaceConstraint {
 public:
  HingeJoint(std::size_t bodyAIndex, std::size_t bodyBIndex, const InertialState& stateA,
             const InertialState& stateB, const Vector3d& anchor, const Vector3d& axis);
  int dimension() const override { return 5; }
  void evaluateInto(MemberStates states, double time, VectorXd& C) const override;
  void jacobianInto(MemberStates states, double time, MatrixXd& J) const override;
  LambdaBounds lambdaBounds() const override { return LambdaBounds::bilateral(); }
  /// Tilts (JNT-4) vanish for opposite axes too.
  bool isTurnedOver(const InertialState& stateA, const InertialState& stateB) const override;
  JointReading reading(const InertialState& stateA, const InertialState& stateB) const override;
  std::string typeName() const override { return "HingeJoint"; }
  const JointFrame& frame() const { return frame_; }

 private:
  JointFrame frame_;
};

class SliderJoint final : public InPlaceConstraint {
 public:
  SliderJoint(std::size_t bodyAIndex, std::size_t bodyBIndex, const InertialState& stateA,
              const InertialState& stateB, const Vector3d& anchor, const Vector3d& axis);
  int dimension() const override { return 5; }
  void evaluateInto(MemberStates states, double time, VectorXd& C) const override;
  void jacobianInto(MemberStates states, double time, MatrixXd& J) const override;
  LambdaBounds lambdaBounds() const override { return LambdaBounds::bilateral(); }
  JointReading reading(const InertialState& stateA, const InertialState& stateB) const override;
  std::string typeName() const override { return "SliderJoint"; }
  const JointFrame& frame() const { return frame_; }

 private:
  JointFrame frame_;
};

/// Cardan's joint: the axes a on A and b on B stay at right angles, a·b = 0.
class UniversalJoint final : public InPlaceConstraint {
 public:
  /// Throws std::invalid_argument when an axis has no length or the two are not at right angles, to 1e-6.
  UniversalJoint(std::size_t bodyAIndex, std::size_t bodyBIndex, const InertialState& stateA,
                 const InertialState& stateB, const Vector3d& anchor, const Vector3d& axis_a, const Vector3d& axis_b);
  int dimension() const override { return 4; }
  void evaluateInto(MemberStates states, double time, VectorXd& C) const override;
  void jacobianInto(MemberStates states, double time, MatrixXd& J) const override;
  LambdaBounds lambdaBounds() const override { return LambdaBounds::bilateral(); }
  JointReading reading(const InertialState& stateA, const InertialState& stateB) const override;
  std::string typeName() const override { return "UniversalJoint"; }

 private:
  JointFrame frame_;  // axis_A and axis_B are those of the two bodies
};

class FixedJoint final : public InPlaceConstraint {
 public:
  FixedJoint(std::size_t bodyAIndex, std::size_t bodyBIndex, const InertialState& stateA,
             const InertialState& stateB, const Vector3d& anchor);
  int dimension() const override { return 6; }
  void evaluateInto(MemberStates states, double time, VectorXd& C) const override;
  void jacobianInto(MemberStates states, double time, MatrixXd& J) const override;
  LambdaBounds lambdaBounds() const override { return LambdaBounds::bilateral(); }
  JointReading reading(const InertialState& stateA, const InertialState& stateB) const override;
  std::string typeName() const override { return "FixedJoint"; }

 private:
  JointFrame frame_;
};

}  // namespace cornet
