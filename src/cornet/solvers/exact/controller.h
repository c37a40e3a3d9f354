#pragma once

#include <vector>

#include "cornet/solvers/exact.h"
#include "cornet/solvers/exact/delassus_kkt.h"
#include "cornet/solvers/exact/impulse_judge.h"
#include "cornet/solvers/exact/interior_point.h"
#include "cornet/solvers/exact/polish.h"
#include "cornet/solvers/exact/sweep_stage.h"
#include "cornet/solvers/exact/velocity_kkt.h"

/// Which method runs when. Every stage hands its iterates, sweeps those that promise something, to the judge, who keeps the
/// best: a stage can only improve the result.
///
///   warm start      already good: done, nothing factored
///   sticking        bodies at rest: one factorization, all contacts closed and without slip
///   sweeps          as long as they promise to be cheaper than the interior point
///   attempts        interior point, polish, sweeps; three recipes with ever more careful steps
///   polish          small islands to the rounding floor
///
/// A follower of the central path around its folds would be one more attempt at the end.
namespace cornet {

class ExactSolver::Controller final : public exact::Judge {
 public:
  explicit Controller(const ExactOptions& options) : options_(options) {}
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  const ExactOptions& options() const { return options_; }
  void setTimeLimit(double max_seconds) { options_.max_seconds = max_seconds; }
  void setBudget(int max_factorizations) { options_.max_factorizations = max_factorizations; }

  template <class Problem>
  SolveStatus solve(const Problem& problem, bool supported, Solution& solution);

  double calcError(const VectorXd& r) override;
  bool mustEnd() const override { return judge_.mustEnd(); }

 private:
  // One way to run the interior point.
  struct Recipe {
    double kappa;           // stiffness of the sticking start; 0: start from the best iterate
    double share;           // how far that is moved inside
    double min_sigma;
    int max_factorizations;
  };

  const exact::ImpulseJudge::Incumbent& best() const { return judge_.best(); }
  bool reached() const { return judge_.reached(); }
  int budget() const { return options_.max_factorizations - factorizations_; }
  void note(SolveStage::Kind kind, int sweeps, int factorizations);

  void takeStart(const VectorXd& lambda);
  bool mayStick(const ConstraintRows& rows) const;
  template <class Problem>
  void trySticking(const Problem& problem);
  template <class Problem>
  void sweepFirst(const Problem& problem);
  void sweepInAttempt(int count);
  template <class Problem>
  void prepare(const Problem& problem);
  void chooseSystem();
  double interiorPointCost(double error) const;
  double factorizationCost() const;
  bool sweepsAreCheap() const;
  Recipe firstRecipe() const;
  void runAttempt(const Recipe& recipe);
  int runInteriorPoint(const exact::InteriorPointOptions& run, int spent);
  void polishWithin(double error, int factorizations);
  void runPolish(const exact::PolishOptions& options);
  void runAttempts();
  bool isInfeasible();
  SolveStatus finish(Solution& solution);

  ExactOptions options_;
  exact::ImpulseJudge judge_{options_};
  exact::SweepStage sweeps_{options_, judge_};
  exact::ScaledProblem scaled_;
  exact::VelocityKkt velocity_kkt_{scaled_};
  exact::DelassusKkt delassus_kkt_{scaled_};
  exact::KktSystem* kkt_ = nullptr;
  exact::InteriorPoint interior_point_;
  exact::Polish polish_;

  bool prepared_ = false;   // scaled problem and systems are those of this solve
  bool attempted_ = false;  // the interior point has run in this solve
  bool warm_ = false;
  bool closed_form_ = false;
  double mass_spread_ = 1.0;
  int blocks_ = 0;
  int sweep_count_ = 0;
  int factorizations_ = 0;
  VectorXd lambda_, r_;
  std::vector<SolveStage> stages_;
};

}  // namespace cornet
