#include "cornet/solvers/ecos/sweeps.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "cornet/base/stopwatch.h"
#include "cornet/math/friction_cone.h"
#include "cornet/solvers/ecos/anderson.h"
#include "cornet/solvers/ecos/build_problem.h"
#include "cornet/solvers/ecos/conic_form.h"
#include "cornet/solvers/ecos/outcome.h"
#include "cornet/solvers/warm_start.h"

namespace cornet {
namespace {

constexpr int kDepth = 5;          // of the acceleration; more follows the noise of conic solves
constexpr double kProgress = 0.9;  // of the best certificate, to be reached within
constexpr int kPatience = 24;      // so many sweeps,
constexpr int kRefinements = 4;    // or so many solves of the convex model

// k of (ECOS-6), in turn: which one ECOS gets furthest with differs from problem to problem.
constexpr double kWidths[] = {1e-2, 1e-6, 1e-4};

// A solve that does not halve the error is followed by one with a tighter tolerance, down to what
// rounding leaves of a gap.
constexpr double kHalf = 0.5, kTighter = 0.1, kTightest = 1e-13;

// Infeasibility: only motions this many times larger than the data ask for could satisfy the laws.
constexpr double kOutOfReach = 1e5;

// A stored W may be unsymmetric or indefinite in its last digits, which the program cannot be.
constexpr bool isExactlyModelled(const ContactProblem&) { return true; }
constexpr bool isExactlyModelled(const DelassusProblem&) { return false; }

template <class Problem>
class Sweeps {
 public:
  Sweeps(const Problem& problem, const EcosOptions& options, EcosReport& report)
      : problem_(problem),
        rows_(problem.rows),
        options_(options),
        coulomb_(options.friction_model == FrictionModel::coulomb),
        report_(report),
        certifier_(problem, options.friction_model),
        data_(buildECOSProblem(problem)),
        abs_tol_(options.abs_tol),
        rel_tol_(options.rel_tol) {
    for (int i = 0; i < rows_.blockCount(); ++i) {
      if (coulomb_ && rows_.kind[i] == LawKind::cone && rows_.mu[i] > 0.0) sliding_.push_back(i);
    }
  }

  void run(const VectorXd& start) {
    consider(start);
    if (met_) return;
    const bool given = (start.array() != 0.0).any();
    VectorXd w = given ? calcSlip() : VectorXd(VectorXd::Zero(slipCount()));
    origin_.setZero(data_.num_velocities);
    conicSolve(w, 1.0);
    // The fixed point may be feasible where w = 0 is not.
    if (coulomb_ && report_.exit_flag % 10 == 1) conicSolve(w = calcFreeSlip(), 1.0);
    repeat(w);
  }

  const VectorXd& best() const { return best_; }
  int iterations() const { return iterations_; }
  double seconds() const { return stopwatch_.seconds(); }
  bool outOfBudget() const { return out_of_budget_; }
  Certifier& certifier() { return certifier_; }

  // Whether the duals of the last solve prove that no velocity satisfies the laws: impulses that
  // such a velocity cannot do negative work on need ‖y‖ ≥ -q·λ / √(λᵀA λ); compare (EXACT-16).
  bool provesInfeasibility() {
    VectorXd ray = data_.impulses();
    double speed = 0.0;  // of the data, in the units of y
    for (int i = 0; i < rows_.blockCount(); ++i) {
      for (int row = rows_.offset(i); row < rows_.offset(i) + rows_.size(i); ++row) {
        if (!mayGrow(i, row, ray[row])) ray[row] = 0.0;
        const double root = std::sqrt(certifier_.effectiveMass()[i]);
        speed = std::max(speed, root * std::abs(certifier_.q()[row]));
      }
    }
    certifier_.calcVelocities(ray);
    const double motion = std::sqrt(std::max(0.0, ray.dot(certifier_.u() - certifier_.q())));
    // Heavy bodies on light ones ask for motions of the size of √(mass ratio) in these units.
    const auto [lightest, heaviest] = std::ranges::minmax(certifier_.effectiveMass());
    const double reach = kOutOfReach * std::sqrt(heaviest / lightest);
    return ray.allFinite() && -certifier_.q().dot(ray) > reach * motion * speed;
  }

 private:
  int slipCount() const { return static_cast<int>(sliding_.size()); }

  // Conic solves after the first, which had the given w.
  void repeat(VectorXd w) {
    Anderson anderson(kDepth);
    VectorXd plain = calcSlip();  // the plain step from the best sweep
    double lowest = error_;       // of the sweeps; the start does not count
    double milestone = error_;
    int waited = 0;
    bool stepped_back = false;
    const int patience = coulomb_ ? kPatience : kRefinements;
    while (!met_ && mayGoOn() && !mustEnd() && waited < patience) {
      // Acceleration also amplifies the noise of the conic solves; a plain step does not.
      stepped_back = error_ > lowest && !stepped_back;
      if (error_ > lowest) anderson.restart();
      w = stepped_back ? plain : anderson.next(w, calcSlip());
      conicSolve(w, kWidths[(report_.conic_solves - 1) % std::size(kWidths)]);
      if (error_ > kHalf * lowest) tighten();
      if (error_ < lowest) {
        lowest = error_;
        plain = calcSlip();
      }
      ++waited;
      if (lowest < kProgress * milestone) {
        milestone = lowest;
        waited = 0;
      }
    }
  }

  void tighten() {
    for (double* tol : {&abs_tol_, &rel_tol_}) {
      *tol = std::min(*tol, std::max(kTightest, kTighter * *tol));
    }
  }

  // One conic solve with raised normal velocities, about the result of the last one.
  void conicSolve(const VectorXd& w, double width) {
    raised_.setZero(rows_.rowCount());
    for (int k = 0; k < slipCount(); ++k) raised_[rows_.offset(sliding_[k])] = w[k];
    velocities_ = raised_;
    if (defect_.size() > 0) velocities_ += defect_;
    assembleValues(data_, velocities_, origin_, width, values_);
    data_.update(values_);
    data_.solve(abs_tol_, rel_tol_, options_.max_iterations);
    ++report_.conic_solves;
    report_.exit_flag = data_.exit_flag;
    report_.primal_residual = data_.primal_residual;
    report_.dual_residual = data_.dual_residual;
    report_.gap = data_.gap;
    report_.last_iterations = data_.iterations;
    iterations_ += data_.iterations;
    VectorXd lambda = data_.impulses();
    certifier_.calcVelocities(lambda);
    if (!isExactlyModelled(problem_)) calcDefect();
    snapToBounds(lambda);
    consider(lambda);
    const Eigen::Map<const VectorXd> d(data_.x.data(), data_.num_velocities);
    if (mayGoOn() && d.allFinite()) origin_ += d;
  }

  // An interior point leaves small impulses at contacts that open, and a little room at bounds.
  // Where the law with w, seen from here, asks for none, there is none: that of a contact alone in
  // its island would be all there is to measure against. The velocities are those of lambda.
  void snapToBounds(VectorXd& lambda) {
    const VectorXd target = lambda - weighted(certifier_.u() + raised_);
    for (int i = 0; i < rows_.blockCount(); ++i) {
      const int begin = rows_.offset(i);
      if (rows_.kind[i] == LawKind::cone) {
        const bool open = projectFrictionCone(target.segment<3>(begin), rows_.mu[i]).isZero(0.0);
        if (open) lambda.segment<3>(begin).setZero();
      } else if (rows_.kind[i] != LawKind::equality) {
        for (int row = begin; row < begin + rows_.size(i); ++row) {
          if (target[row] <= rows_.lower[row]) lambda[row] = rows_.lower[row];
          if (target[row] >= rows_.upper[row]) lambda[row] = rows_.upper[row];
        }
      }
    }
  }

  // Velocities of rows times the effective masses of their blocks.
  VectorXd weighted(VectorXd u) const {
    for (int i = 0; i < rows_.blockCount(); ++i) {
      u.segment(rows_.offset(i), rows_.size(i)) *= certifier_.effectiveMass()[i];
    }
    return u;
  }

  // What the program's velocities lack under the last impulses.
  void calcDefect() {
    defect_ = certifier_.u() - calcModelVelocities(data_);
    for (std::size_t r = 0; r < data_.rows.size(); ++r) {
      if (data_.rows[r].part == ConicRow::Part::none) defect_[static_cast<Eigen::Index>(r)] = 0.0;
    }
  }

  // Scores impulses and keeps the best.
  void consider(const VectorXd& lambda) {
    lambda_ = lambda;
    if (!lambda_.allFinite()) lambda_.setZero();
    certifier_.measure(lambda_, certificate_);
    error_ = certificate_.relative;
    if (best_.size() > 0 && !(error_ < best_error_)) return;
    best_error_ = error_;
    best_ = lambda_;
    met_ = certificate_.solved(options_.tolerance);
  }

  // Optimal, to reduced accuracy, or stopped early at what may still be good.
  bool mayGoOn() const {
    const int flag = report_.exit_flag;
    return flag == 0 || flag == 10 || flag == -2 || flag == -3;
  }

  bool mustEnd() {
    out_of_budget_ = report_.conic_solves >= options_.max_sweeps ||
                     stopwatch_.seconds() > options_.max_seconds ||
                     (options_.interrupt != nullptr && *options_.interrupt);
    return out_of_budget_;
  }

  // In Coulomb's model only normal impulses: u_n ≥ 0 is all the law asks of a sliding contact.
  bool mayGrow(int i, int row, double impulse) const {
    if (rows_.kind[i] == LawKind::cone) return !coulomb_ || row == rows_.offset(i);
    if (rows_.kind[i] != LawKind::box) return true;
    return !std::isfinite(impulse > 0.0 ? rows_.upper[row] : rows_.lower[row]);
  }

  // μ‖u_t‖ of the last impulses scored, and of none.
  VectorXd calcSlip() const {
    VectorXd slip(slipCount());
    for (int k = 0; k < slipCount(); ++k) {
      const int i = sliding_[k];
      slip[k] = rows_.mu[i] * certifier_.u().segment(rows_.offset(i) + 1, 2).norm();
    }
    return slip;
  }
  VectorXd calcFreeSlip() {
    certifier_.calcVelocities(VectorXd::Zero(rows_.rowCount()));
    return calcSlip();
  }

  const Stopwatch stopwatch_;
  const Problem& problem_;
  const ConstraintRows& rows_;
  const EcosOptions& options_;
  const bool coulomb_;
  EcosReport& report_;
  Certifier certifier_;
  ECOSData data_;
  std::vector<int> sliding_;  // cones with friction, none in the convex model
  VectorXd raised_, defect_, velocities_, origin_, lambda_, best_;
  ECOSValues values_;
  Certificate certificate_;
  double error_ = 0.0, best_error_ = std::numeric_limits<double>::infinity();
  double abs_tol_, rel_tol_;  // of the next conic solve
  bool met_ = false;
  bool out_of_budget_ = false;
  int iterations_ = 0;
};

// Status and sentence of a solve whose certificate is not met.
template <class Problem>
SolveStatus explainFailure(const EcosOptions& options, Sweeps<Problem>& sweeps,
                           const ConstraintRows& rows, double error, EcosReport& report) {
  const int flag = report.exit_flag;
  report.certificate_disagrees = flag == 0;
  report.message = fmt::format("{} after {} conic solves; the certificate of the best iterate is "
                               "{:.1e}, the tolerance {:.1e}",
                               describeExit(flag, rows), report.conic_solves, error,
                               options.tolerance);
  const bool optimal = flag == 0 || flag == 10;
  const bool coulomb = options.friction_model == FrictionModel::coulomb;
  if (coulomb && optimal && sweeps.outOfBudget()) return SolveStatus::max_iterations;
  const SolveStatus status = statusOfExit(flag);
  if (status != SolveStatus::infeasible || sweeps.provesInfeasibility()) return status;
  report.message += "; its multipliers prove no infeasibility";
  return SolveStatus::numerical_error;
}

}  // namespace

template <class Problem>
SolveStatus solveBySweeps(const Problem& problem, const EcosOptions& options, Solution& solution,
                          EcosReport& report) {
  takeWarmStart(problem.rows.rowCount(), solution.lambda);
  Sweeps<Problem> sweeps(problem, options, report);
  sweeps.run(solution.lambda);
  solution.lambda = sweeps.best();
  sweeps.certifier().certify(solution.lambda, solution.certificate);
  solution.v = sweeps.certifier().v();
  solution.u = sweeps.certifier().u();
  solution.iterations = sweeps.iterations();
  solution.factorizations = sweeps.iterations() + report.conic_solves;  // each begins with one
  solution.stages.clear();
  solution.status = solution.certificate.solved(options.tolerance)
                        ? SolveStatus::solved
                        : explainFailure(options, sweeps, problem.rows,
                                         solution.certificate.relative, report);
  solution.seconds = sweeps.seconds();
  return solution.status;
}

template SolveStatus solveBySweeps(const ContactProblem&, const EcosOptions&, Solution&,
                                   EcosReport&);
template SolveStatus solveBySweeps(const DelassusProblem&, const EcosOptions&, Solution&,
                                   EcosReport&);

}  // namespace cornet
