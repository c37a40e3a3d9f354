#pragma once

#include "cornet/math/ldu_plan.h"
#include "cornet/solvers/exact/kkt_system.h"

namespace cornet::exact {

/// The velocity form (EXACT-5) of the linear systems, for problems that come with J and M.
class VelocityKkt final : public KktSystem {
 public:
  /// The problem must outlive this object.
  explicit VelocityKkt(const ScaledProblem& problem) : problem_(problem) {}

  bool readsInverse() const override { return false; }
  double flops() const override { return plan_->structure.flops(); }
  void reset() override;
  void multiply(const VectorXd& r, VectorXd& u) override;
  void factor(const BlockWeights& weights, bool symmetric) override;
  void solve(const VectorXd& target, const VectorXd& g, VectorXd& dr, VectorXd& A_dr) override;
  int determinantSign() const override { return ldu_.determinantSign(); }

 private:
  void makePlan();
  void setWeights(const BlockWeights& weights);
  void assemble(bool symmetric);
  void applyCompliance(VectorXd& x) const;
  void calcImpulses(const VectorXd& target, const VectorXd& g, VectorXd& dr);

  const ScaledProblem& problem_;
  LduPlanCache cache_;
  const LduPlan* plan_ = nullptr;
  std::vector<int> pattern_;
  BlockLdu ldu_;
  bool has_compliance_ = false;
  BlockWeights G_;                 // G'
  BlockWeights solve_compliance_;  // (I + G R)⁻¹
  std::vector<double> GB_;         // G'B, in the order of B
  VectorXd target_, dy_, momentum_, B_dy_;
};

}  // namespace cornet::exact
