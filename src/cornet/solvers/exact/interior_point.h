#pragma once

#include "cornet/solvers/exact/barrier.h"
#include "cornet/solvers/exact/judge.h"

/// Primal-dual interior point for the scaled problem with the exact De Saxcé Jacobian:
///
///   repeat: predictor (aim ν = 0), corrector (aim σν, second order), step to 0.99 of the boundary
///   σ = max(σ_min, (ν after the predictor / ν)³)                                             (EXACT-9)
///
/// Coulomb's law is not monotone: the central path may fold, and there the exact Newton step gets
/// short. Then the same point is tried with a damped derivative, θ = 0.9, 0.7, 0.4, 0, and the next
/// iteration goes back up by one.                                                           (EXACT-10)
///
/// The method stops when the judge is content, when neither the judge, ν nor the residual improve
/// any more, or at its budget. Cost per iteration: a factorization and two or three solves.
namespace cornet::exact {

struct InteriorPointOptions {
  double target = 1e-8;         // error to reach
  double hand_over = 0.0;       // error from which a short step ends the run
  int max_factorizations = 45;
  double min_sigma = 1e-6;
};

class InteriorPoint {
 public:
  void reset(const ScaledRows& rows, FrictionModel model);

  /// Start where everything sticks, the contacts being springs of stiffness κ; then moved into the
  /// cones by the root mean square of impulses and velocities. One factorization.        (EXACT-11)
  void startSticking(double kappa, KktSystem& kkt);
  /// The impulses with which everything sticks, whatever cones and bounds say; those nearest to r, which
  /// they replace, when there are several. One factorization.                                              (EXACT-17)
  void solveSticking(double kappa, KktSystem& kkt, VectorXd& r);
  /// The same with friction shared as the normal impulses of r are: a body that only just holds does so at all of its
  /// contacts at once. One factorization.                                                                  (EXACT-18)
  void shareFriction(double kappa, KktSystem& kkt, VectorXd& r);
  /// Start from impulses, moved inside by a share of their root mean square.             (EXACT-12)
  void startFrom(const VectorXd& r, double share, KktSystem& kkt);

  /// Iterates from the start; returns the number of factorizations.
  int run(const InteriorPointOptions& options, KktSystem& kkt, Judge& judge);

  /// Where the last run ended.
  const VectorXd& r() const { return x_.r; }

 private:
  void setStiffness(double kappa);
  void factorSticking(KktSystem& kkt);
  void stickNear(KktSystem& kkt, VectorXd& r);
  double step(double theta, double min_sigma, KktSystem& kkt, InteriorPointIterate& direction);
  void solve(double nu, const InteriorPointIterate* predictor, KktSystem& kkt,
             InteriorPointIterate& direction);

  const ScaledRows* rows_ = nullptr;
  FrictionModel model_ = FrictionModel::coulomb;
  Barrier barrier_;
  BlockWeights weights_;
  InteriorPointIterate x_, predictor_, corrector_, centring_, chosen_;
  double nu_ = 0.0;
  VectorXd u_, g_, target_, residual_, correction_, A_dr_, stiffness_;
};

}  // namespace cornet::exact
