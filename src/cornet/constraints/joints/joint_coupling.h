#pragma once

#include <vector>

#include "cornet/constraints/constraint.h"
#include "cornet/constraints/joints/joint_drives.h"

/// Couples the positions of joints, all of whose bodies may move: gears, racks, differentials.
///
///   C = (Σ r_i x_i - offset)/max|r_i|  to the nearest whole number of periods,   J = Σ r_i J_i/max|r_i|     (CPL-1)
///
/// x_i is the angle of a hinge [rad] or the way of a slider [m], J_i its row, (JNT-5) or (JNT-2). Angles are known from poses but
/// for whole turns. Ratios of hinges in proportion to whole numbers k_i without a common divisor, r_i = g k_i, as numbers
/// of teeth are, leave Σ r_i x_i known but for whole teeth:
///
///   period   P = 2π |g|                                                                                       (CPL-2)
///
/// so that C is a function of poses alone, continuous over any number of turns and as accurate after a million of them as in the
/// first. What turns say of the way between two poses is the rates' to tell: over a step from q to q' of length h,
///
///   Δx = h(u + u')/2 + the rest, in (-π, π],   C' := C + Σ r_i Δx_i/max|r_i|                                  (CPL-3)
///
/// which shows whether teeth were skipped.
namespace cornet {

/// A joint and its share.
struct CouplingTerm {
  std::size_t bodyAIndex = 0, bodyBIndex = 0;
  JointFrame frame;
  JointAxis axis = JointAxis::angle;
  double ratio = 1.0;
};

class JointCoupling final : public InPlaceConstraint {
 public:
  /// Numbers of teeth that a ratio may need.
  static constexpr int kMostTeeth = 10000;

  /// Its bodies are A and B of the first term, then those of the others that are not among them. Throws std::invalid_argument
  /// when there are fewer than two terms, a ratio is zero, a number is not finite, or ratios of hinges are not in proportion to
  /// whole numbers up to kMostTeeth.
  explicit JointCoupling(std::span<const CouplingTerm> terms, double offset = 0.0);

  int dimension() const override { return 1; }
  void evaluateInto(MemberStates states, double time, VectorXd& C) const override;
  void jacobianInto(MemberStates states, double time, MatrixXd& J) const override;
  void evaluateOverInto(MemberStates before, MemberStates after, double dt, double time, VectorXd& C) const override;
  LambdaBounds lambdaBounds() const override { return LambdaBounds::bilateral(); }
  /// Those of the first joint.
  JointReading readingAt(MemberStates states) const override;
  std::string typeName() const override { return "JointCoupling"; }

  /// Of Σ r_i x_i: 0 without hinges.                                                                      (CPL-2)
  double period() const { return period_; }

 private:
  struct Term {
    std::size_t a, b;  // among the bodies
    JointFrame frame;
    JointAxis axis;
    double share;      // r_i/max|r_i|
  };
  double calcError(MemberStates states) const;
  double calcPosition(const Term& term, MemberStates states) const;
  double calcJointRate(const Term& term, MemberStates states) const;
  JointRow calcRow(const Term& term, MemberStates states) const;

  std::vector<Term> terms_;
  double largest_ = 1.0;  // ratio
  double offset_ = 0.0;
  double period_ = 0.0;
};

}  // namespace cornet
