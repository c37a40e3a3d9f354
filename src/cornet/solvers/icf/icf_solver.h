#pragma once

#include <functional>
#include <vector>

#include "cornet/base/status.h"
#include "cornet/solvers/icf/icf_certifier.h"
#include "cornet/solvers/icf/icf_islands.h"
#include "cornet/solvers/icf/icf_sensitivity.h"

/// Newton's method with exact line search for v = argmin ℓ(v) (ICF-1), island by island:
///
///   H w = -g,   α = argmin ℓ(v + α w) over (0, α_max],   v <- v + α w                           (ICF-21)
///
/// Stopping test: (ICF-19), ‖D g‖ ≤ max(tolerance ‖D r‖, floor), of every island, for the guess already and for the last
/// iterate too; `solved` is said by the certifier only, of what is returned. ℓ is strictly convex with a Lipschitz
/// gradient that is smooth in pieces, so the method converges from every guess, and inside one active set quadratically;
/// any positive definite H descends, which is what lets a factor be used again. Where a direction does not descend,
/// that of steepest descent -D²g is taken; where rounding hides the descent, the full step, if it lessens ‖D g‖; the best
/// iterate by ‖D g‖ is returned. Stiff contacts with similar friction make valleys that bend: where Newton's method is slow in
/// them, contacts are softened and stiffened again by decades (ICF-23). Nothing numerical throws.
///
/// Cost of an iteration: a 3x3 block per contact, a 6x6 product per patch, one sparse factorization; of a trial of the line
/// search: a few operations per contact. With the structure of the last solve no memory is taken.
namespace cornet {

struct IcfOptions {
  double tolerance = 1e-8;          // of ‖D g‖, relative to ‖D r‖
  int max_iterations = 500;
  double max_length = 1.0;          // α_max
  double line_tolerance = 1e-8;     // of the slope along a line, relative to that at its start
  int max_line_iterations = 100;
  bool reuse_hessian = false;       // keep a factor while it converges fast enough
  int target_iterations = 10;       // that a kept factor is to reach convergence in
};

/// Calls visit(name, field, help) for every option: the one place where their names are spelled.
template <class Visitor>
void visitOptions(IcfOptions& options, Visitor&& visit) {
  visit("tolerance", options.tolerance, "scaled residual to reach, relative to the momentum");
  visit("max_iterations", options.max_iterations, "Newton steps at most");
  visit("max_length", options.max_length, "largest length of a step");
  visit("line_tolerance", options.line_tolerance, "relative slope at which a line search ends");
  visit("max_line_iterations", options.max_line_iterations, "trials of a line search at most");
  visit("reuse_hessian", options.reuse_hessian, "keep factors while they converge fast enough");
  visit("target_iterations", options.target_iterations, "iterations that a kept factor is to converge in");
}

/// What a solve did, over all islands.
struct IcfReport {
  SolveStatus status = SolveStatus::solved;
  int islands = 0;
  int iterations = 0;        // of the island that took most
  int factorizations = 0;
  int line_trials = 0;
  int steepest_steps = 0;    // where Newton's direction did not descend
  int full_steps = 0;        // where the line search had no slope to go by
  int stages = 0;            // of softened contacts that were gone through
  int lost_pivots = 0;       // factorizations with pivots lost to rounding
  double cost = 0.0;
  IcfCertificate certificate;  // of the island farthest from its stopping test
  int worst_island = -1;
};

class IcfSolver {
 public:
  /// Throws std::invalid_argument when an option is out of range.
  explicit IcfSolver(const IcfOptions& options = {});

  /// Runs body(0) ... body(count - 1), in any order or side by side: the result has the same bits.
  using Loop = std::function<void(int count, const std::function<void(int)>& body)>;
  void setLoop(Loop loop) { loop_ = std::move(loop); }

  /// Solves from the guess data.v(), v0 after a reset. A model that is not prepared since it was changed, a guess of another size
  /// or one that is not finite throws std::invalid_argument. data.v() is the solution, or the best iterate.
  SolveStatus solve(const IcfModel& model, IcfData& data);
  const IcfReport& report() const { return report_; }
  const IcfCertificate& certificate(int island) const { return results_[island].certificate; }

  /// Derivatives of the solution in data.v(), from the factor of H there:
  ///   H dv = -∂g/∂θ dθ  (jvp),   θ̄ = -(∂g/∂θ)ᵀ H⁻¹ v̄  (vjp)                                      (ICF-22)
  /// Exact inside an active set; at its borders, which are met with probability zero, that of one side.
  void jvp(const IcfModel& model, const IcfData& data, const IcfParameters& direction, VectorXd& dv);
  void vjp(const IcfModel& model, const IcfData& data, const VectorXd& v_bar, IcfParameters& theta_bar);

 private:
  struct Result {
    SolveStatus status = SolveStatus::solved;
    int iterations = 0, factorizations = 0, line_trials = 0, steepest_steps = 0, full_steps = 0, lost_pivots = 0;
    int stages = 0;
    double cost = 0.0, best = kInfinity;  // best: least ‖D g‖ so far
    bool out_of_steps = false;
    IcfCertificate certificate;
  };
  /// What an island keeps between iterations and solves.
  struct Work {
    IcfHessian H;
    VectorXd direction;  // of its velocities, tree by tree
    VectorXd best;
    std::vector<std::pair<int, int>> pairs;
  };

  void split(const IcfModel& model);
  void forEachIsland(const std::function<void(int)>& body);
  void solveIsland(int island);
  /// Newton's method until ‖D g‖ ≤ target, or `steps` are made; false when it ended before. `best` is updated on the way.
  bool iterate(int island, double target, int steps, bool judged);
  /// Largest κ of (ICF-23) of contacts with similar friction.
  double stiffestContact(const IcfItems& items) const;
  void limitStiffness(const IcfItems& items, double stiffest);
  double residual(const IcfItems& items) const;
  bool findDirection(const IcfItems& items, bool steepest, Work& work, Result& result);
  double searchLine(const IcfItems& items, const LineQuadratic& quadratic, double slope, Result& result) const;
  void step(const IcfItems& items, double alpha);
  void keepBest(const IcfItems& items, Work& work) const;
  void restoreBest(const IcfItems& items, const Work& work);
  void finish();
  void factorAtSolution(const IcfModel& model, const IcfData& data);
  void solveHessian(VectorXd& x);

  IcfOptions options_;
  Loop loop_;
  IcfReport report_;
  IcfIslands islands_;
  IcfCertifier certifier_;
  LduPlanCache plans_;
  std::vector<Work> work_;
  std::vector<Result> results_;
  IcfMotion search_;  // w and its twists
  const IcfModel* model_ = nullptr;
  IcfData* data_ = nullptr;
  IcfSensitivity sensitivity_;
  IcfData linearized_;
};

}  // namespace cornet
