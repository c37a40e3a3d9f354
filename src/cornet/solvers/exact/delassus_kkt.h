#pragma once

#include "cornet/math/ldu_plan.h"
#include "cornet/solvers/exact/kkt_system.h"

namespace cornet::exact {

/// The Delassus form (EXACT-6) of the linear systems: for problems that come with W, and for those
/// with fewer rows than velocities. A may be unsymmetric; it is used as it is.
class DelassusKkt final : public KktSystem {
 public:
  /// The problem must outlive this object.
  explicit DelassusKkt(const ScaledProblem& problem) : problem_(problem) {}

  bool readsInverse() const override { return true; }
  double flops() const override { return plan_->structure.flops(); }
  void reset() override;
  void multiply(const VectorXd& r, VectorXd& u) override;
  void factor(const BlockWeights& weights, bool symmetric) override;
  void solve(const VectorXd& target, const VectorXd& g, VectorXd& dr, VectorXd& A_dr) override;
  int determinantSign() const override { return ldu_.determinantSign(); }

 private:
  void makePlan();
  void assembleBase();

  const ScaledProblem& problem_;
  LduPlanCache cache_;
  const LduPlan* plan_ = nullptr;
  std::vector<int> pattern_;
  BlockLdu ldu_;
  BlockWeights weights_;  // G⁻¹
  VectorXd b_, residual_;
};

}  // namespace cornet::exact
