#pragma once

#include <cstdint>

#include "cornet/base/stopwatch.h"
#include "cornet/solvers/exact.h"
#include "cornet/solvers/exact/delassus_kkt.h"
#include "cornet/solvers/exact/interior_point.h"
#include "cornet/solvers/exact/polish.h"
#include "cornet/solvers/exact/velocity_kkt.h"
#include "cornet/solvers/gauss_seidel_blocks.h"

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

  template <class Problem>
  SolveStatus solve(const Problem& problem, bool supported, Solution& solution);

  double calcError(const VectorXd& r) override;
  bool mustEnd() const override;

 private:
  // One way to run the interior point.
  struct Recipe {
    double kappa;           // stiffness of the sticking start; 0: start from the best iterate
    double share;           // how far that is moved inside
    double min_sigma;
    int max_factorizations;
  };

  // The best impulses of a solve, or of an attempt.
  struct Incumbent {
    bool known = false;
    double error = 0.0;
    double relative = 0.0;
    VectorXd lambda;

    void forget();
    bool take(double new_error, double new_relative, const VectorXd& new_lambda);
  };

  enum class SweepKind : std::uint8_t { plain, with_momentum };

  double judge(const VectorXd& lambda);
  bool reached() const { return best_.error <= options_.tolerance; }
  int batch() const;
  int budget() const { return options_.max_factorizations - factorizations_; }
  void note(SolveStage::Kind kind, int sweeps, int factorizations);

  void takeStart(const VectorXd& lambda);
  bool mayStick(const ConstraintRows& rows) const;
  template <class Problem>
  void trySticking(const Problem& problem);
  template <class Sweeper, class Problem>
  void reserveSweeps(Sweeper& sweeper, const Problem& problem);
  template <class Sweeper>
  void beginSweeps(Sweeper& sweeper);
  template <class Sweeper>
  bool sweepOn(Sweeper& sweeper, SweepKind kind);
  template <class Sweeper>
  int sweepWhileItPays(Sweeper& sweeper, double rival);
  template <class Sweeper>
  void goBack(Sweeper& sweeper);
  void endSweeps(int count);
  template <class Sweeper, class Problem>
  void sweepFirst(Sweeper& sweeper, const Problem& problem);
  template <class Sweeper>
  void sweepInAttempt(Sweeper& sweeper, int count);
  template <class Problem>
  void prepare(const Problem& problem);
  void chooseSystem();
  double predictSweeps() const;
  double interiorPointCost(double error) const;
  double factorizationCost() const;
  bool sweepsAreCheap() const;
  double sweepTarget() const;
  Recipe firstRecipe() const;
  template <class Sweeper>
  void runAttempt(const Recipe& recipe, Sweeper& sweeper);
  int runInteriorPoint(const exact::InteriorPointOptions& run, int spent);
  void polishWithin(double error, int factorizations);
  void runPolish(const exact::PolishOptions& options);
  template <class Sweeper>
  void runAttempts(Sweeper& sweeper);
  bool isInfeasible();
  SolveStatus finish(Solution& solution);

  gauss_seidel::Sweeper<gauss_seidel::DelassusRows>& sweeperOf(const DelassusProblem&) {
    return delassus_sweeper_;
  }
  gauss_seidel::Sweeper<gauss_seidel::VelocityRows>& sweeperOf(const ContactProblem&) {
    return velocity_sweeper_;
  }

  ExactOptions options_;
  Stopwatch clock_;
  Certifier certifier_;
  Certificate certificate_;
  gauss_seidel::Sweeper<gauss_seidel::DelassusRows> delassus_sweeper_;
  gauss_seidel::Sweeper<gauss_seidel::VelocityRows> velocity_sweeper_;
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
  double sweep_cost_ = 0.0;  // predicted [ns]
  int reserved_rows_ = 0;
  int sweeps_ = 0;
  int factorizations_ = 0;
  double change_ = 0.0;        // of the sweep looked at last
  double swept_error_ = 0.0;   // the best known when the last sweeps ended; infinite when they ended far from it
  bool best_is_last_ = false;  // of what was judged
  Incumbent best_, own_;       // of the solve, and of the attempt, which goes its own way
  VectorXd lambda_, sweep_lambda_, r_;
  std::vector<double> weight_, changes_;
  std::vector<SolveStage> stages_;
};

}  // namespace cornet
