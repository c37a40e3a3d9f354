#pragma once

#include "cornet/solvers/exact/judge.h"
#include "cornet/solvers/exact/kkt_system.h"

/// Augmented-Lagrangian semismooth Newton: takes impulses that are nearly right to full accuracy.
///
///   outer:  r <- g,        g = Π(r - κ(A g + c))                                             (EXACT-13)
///   inner:  F(g) = g - Π(x), x = r - κ(A g + c);   (I + κ DΠ A) dg = -F, halving on |F|      (EXACT-14)
///
/// Π is the cascaded Coulomb map, whose fixed points obey Coulomb's law exactly for any κ (in the
/// convex model the projection onto the cone), and the clamp to the bounds of other rows. κ grows
/// while the inner iteration is quick and shrinks when the error grows. The Delassus form needs the
/// inverse of κ DΠ, which is singular for open and sliding contacts: 1e-9 is added to it.  (EXACT-15)
///
/// The path of the outer iteration may fold: from some κ on the inner one finds nothing near. After three such
/// failures its last point is taken as it is, whatever its error, and the iteration begins anew with a small κ,
/// on another branch.
///
/// From a 1e-9 iterate one factorization gives 1e-13; from 1e-2 it may take dozens or fail.
namespace cornet::exact {

struct PolishOptions {
  double target = 1e-8;         // error to reach
  int max_factorizations = 12;
  bool to_floor = false;        // stop soon when a step does not halve the error
};

class Polish {
 public:
  void reset(const ScaledRows& rows, FrictionModel model);

  /// Improves r, whose error is `error`; r becomes the best iterate. Returns the factorizations.
  int run(const PolishOptions& options, KktSystem& kkt, Judge& judge, VectorXd& r, double error);

 private:
  int solveInner(double kappa, double accuracy, int max_factorizations, KktSystem& kkt, const Judge& judge);
  void evaluate();
  void calcWeights(double kappa, bool inverse);
  void setTarget(bool inverse);

  const ScaledRows* rows_ = nullptr;
  FrictionModel model_ = FrictionModel::coulomb;
  double kappa_ = 0.0;
  BlockWeights weights_;
  VectorXd r_, g_, Ag_, x_, F_, dg_, A_dg_, target_, zero_, trial_, trial_A_;
};

}  // namespace cornet::exact
