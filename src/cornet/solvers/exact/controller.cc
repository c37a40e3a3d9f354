#include "cornet/solvers/exact/controller.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cornet/solvers/warm_start.h"

namespace cornet {
namespace {

using exact::InteriorPointOptions;
using exact::PolishOptions;

// The first sweeps are always worth their time.
constexpr int kFirstSweeps = 20;
constexpr int kSweepsInAttempt = 20;
constexpr int kSweepsAfterAttempt = 60;

// Warm start, sticking, sweeps, polish, three attempts of seven stages, polish.
constexpr std::size_t kMostStages = 26;

// Predicted times [ns], measured on one machine; only their ratios matter.
constexpr double kIterationPerBlock = 700.0;
constexpr double kTimePerFlop = 0.25;
constexpr double kFirstIterations = 4.0;
constexpr double kIterationsPerDigit = 3.0;

// The interior point hands over to the polish here; at a fold, already there.
constexpr double kFirstTolerance = 1e-6;
constexpr double kHandOver = 1e-4;
constexpr double kLastTolerance = 1e-8;
// Errors from which the polish converges; from the smaller one it comes before the interior point.
constexpr double kPolishable = 1e-3;
constexpr double kNearlySolved = 1e-5;
constexpr int kPolishFactorizations = 150;
constexpr int kFirstPolishFactorizations = 3;
constexpr int kFairPolishFactorizations = 40;

// Starts: an iterate with an error below kUsableStart is worth more than none, unless the masses
// differ so much that sweeps cannot have seen it.
constexpr int kStepsFromIterate = 30;  // then the polish goes further with less
constexpr double kStickingStiffness = 1e6;
constexpr double kUsableStart = 0.1;
constexpr double kLargeMassSpread = 1e3;

// Accuracy is not asked for above this tolerance, so small islands are not polished to the floor.
constexpr double kLoosestPolishedTolerance = 1e-6;
constexpr int kFloorFactorizations = 6;

// Infeasibility: only motions this many times larger than the data ask for could satisfy the laws.
constexpr double kOutOfReach = 1e5;
constexpr double kWorkAboveRounding = 1e-8;

// Largest over smallest inertia of the trees, by their largest diagonal entries.
double massSpread(const ContactProblem& problem) {
  double smallest = kInfinity;
  double largest = 0.0;
  for (int i = 0; i < problem.M.blockCount(); ++i) {
    const double mass = problem.M.block(i).diagonal().maxCoeff();
    smallest = std::min(smallest, mass);
    largest = std::max(largest, mass);
  }
  return largest > 0.0 ? largest / smallest : 1.0;
}

double massSpread(const DelassusProblem& /*problem*/) { return 1.0; }

// One block that a single local solution settles.
bool hasClosedForm(const ConstraintRows& rows) {
  if (rows.blockCount() != 1) return false;
  const bool bounded = rows.kind[0] == LawKind::unilateral || rows.kind[0] == LawKind::box;
  return !bounded || rows.size(0) == 1;
}

}  // namespace

double ExactSolver::Controller::calcError(const VectorXd& r) {
  scaled_.toImpulses(r, lambda_);
  return judge_.judge(lambda_);
}

void ExactSolver::Controller::note(SolveStage::Kind kind, int sweeps, int factorizations) {
  sweep_count_ += sweeps;
  factorizations_ += factorizations;
  stages_.push_back({kind, sweeps, factorizations, judge_.best().relative});
}

void ExactSolver::Controller::takeStart(const VectorXd& lambda) {
  prepared_ = attempted_ = false;
  sweep_count_ = factorizations_ = 0;
  stages_.clear();
  stages_.reserve(kMostStages);
  warm_ = !lambda.isZero(0.0);
  judge_.judge(lambda);
  note(SolveStage::Kind::warm_start, 0, 0);
}

template <class Problem>
SolveStatus ExactSolver::Controller::solve(const Problem& problem, bool supported,
                                           Solution& solution) {
  takeWarmStart(problem.rows.rowCount(), solution.lambda);
  judge_.reset(problem);
  blocks_ = problem.rows.blockCount();
  closed_form_ = hasClosedForm(problem.rows);
  takeStart(solution.lambda);
  const bool polished = blocks_ <= options_.polish_blocks &&
                        options_.tolerance <= kLoosestPolishedTolerance;
  if (supported && !(reached() && (!polished || best().error == 0.0)) && !mustEnd()) {
    if (!reached() && budget() > 0 && mayStick(problem.rows)) {
      sweeps_.reserve(problem);
      trySticking(problem);
    }
    if (!reached()) sweepFirst(problem);
    if (!reached() && !mustEnd() && blocks_ > 0) {
      prepare(problem);
      runAttempts();
    }
    if (reached() && polished && best().error > 0.0 && !mustEnd() && !closed_form_) {
      prepare(problem);
      runPolish({0.0, std::min(kFloorFactorizations, budget()), true});
    }
  }
  finish(solution);
  if (!supported) solution.status = SolveStatus::unsupported;
  return solution.status;
}

// Whether the free velocities let one hope that every contact closes and sticks: bodies at rest.
bool ExactSolver::Controller::mayStick(const ConstraintRows& rows) const {
  if (closed_form_ || blocks_ == 0) return false;
  const VectorXd& q = judge_.certifier().q();
  const double rounding = kWorkAboveRounding * q.lpNorm<Eigen::Infinity>();
  for (int i = 0; i < blocks_; ++i) {
    if (rows.kind[i] == LawKind::box) return false;
    if (rows.kind[i] == LawKind::equality) continue;
    const int row = rows.offset(i);
    const double radius = rows.kind[i] == LawKind::cone ? q.segment<2>(row + 1).norm() : 0.0;
    if (q[row] > rounding || radius > rows.mu[i] * -q[row] + rounding) return false;
  }
  return true;
}

// One factorization tells: with everything at rest the impulses obey their laws, or they do not.
template <class Problem>
void ExactSolver::Controller::trySticking(const Problem& problem) {
  prepare(problem);
  scaled_.toScaled(best().lambda, r_);
  interior_point_.solveSticking(kStickingStiffness, *kkt_, r_);
  calcError(r_);
  int factorizations = 1;
  if (best().error > 0.0 && blocks_ <= options_.polish_blocks && budget() > 1) {
    interior_point_.shareFriction(kStickingStiffness, *kkt_, r_);
    calcError(r_);
    ++factorizations;
  }
  note(SolveStage::Kind::sticking, 0, factorizations);
  if (!reached()) judge_.judge(best().lambda);  // what follows begins there
}

// Some sweeps in any case, more as long as they promise to be cheaper than the interior point.
template <class Problem>
void ExactSolver::Controller::sweepFirst(const Problem& problem) {
  sweeps_.reset(problem, closed_form_);
  sweeps_.begin(best().lambda);
  if (sweeps_.sweepPlainly(kFirstSweeps)) {
    prepare(problem);
    sweeps_.sweepWhileItPays(interiorPointCost(sweeps_.lastChange()), factorizationCost());
  }
  note(SolveStage::Kind::sweeps, sweeps_.end(), 0);
}

// Predicted time of an interior point that starts from this error.
double ExactSolver::Controller::interiorPointCost(double error) const {
  const double digits = std::max(0.0, std::log10(error / options_.tolerance));
  const double iterations = kFirstIterations + kIterationsPerDigit * digits;
  return iterations * factorizationCost();
}

// Predicted time of one factorization and what goes with it [ns].
double ExactSolver::Controller::factorizationCost() const {
  return kIterationPerBlock * blocks_ + kTimePerFlop * kkt_->flops();
}

bool ExactSolver::Controller::sweepsAreCheap() const { return sweeps_.areCheap(factorizationCost()); }

// `count` sweeps from where the attempt is; where they are cheap, more of them, as long as a long polish would take.
void ExactSolver::Controller::sweepInAttempt(int count) {
  sweeps_.resume(sweepsAreCheap());
  const bool may_help = !mustEnd() && sweeps_.sweepPlainly(count);
  if (may_help && budget() > 0 && sweepsAreCheap()) {
    sweeps_.sweepWhileItPays(kPolishFactorizations * factorizationCost(), factorizationCost());
  }
  note(SolveStage::Kind::sweeps, sweeps_.end(), 0);
}

template <class Problem>
void ExactSolver::Controller::prepare(const Problem& problem) {
  if (prepared_) return;
  prepared_ = true;
  scaled_.reset(problem, options_.friction_model);
  mass_spread_ = massSpread(problem);
  chooseSystem();
  interior_point_.reset(scaled_.rows(), options_.friction_model);
  polish_.reset(scaled_.rows(), options_.friction_model);
  r_.resize(scaled_.rows().rowCount());
  lambda_.resize(problem.rows.rowCount());
}

// The form with fewer predicted operations, among those the problem has.
void ExactSolver::Controller::chooseSystem() {
  kkt_ = &delassus_kkt_;
  if (!scaled_.hasVelocityForm()) {
    kkt_->reset();
    return;
  }
  const SystemForm form = options_.system_form;
  if (form == SystemForm::delassus) {
    scaled_.formDelassus();
    kkt_->reset();
    return;
  }
  kkt_ = &velocity_kkt_;
  kkt_->reset();
  if (form == SystemForm::velocity) return;
  // A is formed only where it is sparse and small enough to have a chance.
  const bool small = scaled_.rows().rowCount() <= scaled_.B().cols() &&
                     scaled_.delassusBlockCount() <= 8.0 * scaled_.B().blockCount();
  if (!small) return;
  scaled_.formDelassus();
  delassus_kkt_.reset();
  if (delassus_kkt_.flops() < velocity_kkt_.flops()) kkt_ = &delassus_kkt_;
}

ExactSolver::Controller::Recipe ExactSolver::Controller::firstRecipe() const {
  if (best().error < kUsableStart && mass_spread_ < kLargeMassSpread) {
    return {0.0, warm_ ? 0.03 : 0.1, 1e-6, kStepsFromIterate};
  }
  return {1e6, 0.0, 1e-6, 60};
}

// Start and interior point, left early for a short polish; if that does not succeed, the interior
// point goes on from where it was, and the polish gets all it wants.
void ExactSolver::Controller::runAttempt(const Recipe& recipe) {
  attempted_ = true;
  int spent = 0;
  if (recipe.kappa > 0.0) {
    interior_point_.startSticking(recipe.kappa, *kkt_);
    spent = 1;
  } else {
    scaled_.toScaled(best().lambda, r_);
    interior_point_.startFrom(r_, recipe.share, *kkt_);
  }
  InteriorPointOptions run;
  run.target = std::max(options_.tolerance, kFirstTolerance);
  run.hand_over = kHandOver;
  run.min_sigma = recipe.min_sigma;
  run.max_factorizations = std::min(recipe.max_factorizations, budget()) - spent;
  spent += runInteriorPoint(run, spent);
  const bool arrived = judge_.own().error <= run.target;
  const int fair = sweepsAreCheap() ? kFairPolishFactorizations : kPolishFactorizations;
  polishWithin(kPolishable, arrived ? kFirstPolishFactorizations : fair);
  if (reached() || mustEnd()) return;
  sweepInAttempt(kSweepsInAttempt);
  if (!arrived && sweepsAreCheap()) polishWithin(kPolishable, kPolishFactorizations);
  if (reached() || mustEnd()) return;
  run.target = std::max(options_.tolerance, kLastTolerance);
  run.hand_over = 0.0;
  run.max_factorizations = std::min(recipe.max_factorizations - spent, budget());
  if (run.max_factorizations <= 0) return;
  runInteriorPoint(run, 0);
  polishWithin(kPolishable, kPolishFactorizations);
}

// Runs on from the current point; `spent` factorizations of the start are noted with it.
int ExactSolver::Controller::runInteriorPoint(const InteriorPointOptions& run, int spent) {
  const int factorizations = interior_point_.run(run, *kkt_, *this);
  note(SolveStage::Kind::interior_point, 0, spent + factorizations);
  return factorizations;
}

void ExactSolver::Controller::runPolish(const PolishOptions& options) {
  scaled_.toScaled(judge_.own().lambda, r_);
  const int factorizations = polish_.run(options, *kkt_, *this, r_, judge_.own().error);
  note(SolveStage::Kind::polish, 0, factorizations);
}

void ExactSolver::Controller::polishWithin(double error, int factorizations) {
  if (reached() || !(judge_.own().error < error) || budget() <= 0) return;
  runPolish({options_.tolerance, std::min(factorizations, budget()), false});
}

void ExactSolver::Controller::runAttempts() {
  const double second_kappa = mass_spread_ > kLargeMassSpread ? 100.0 : 10.0;
  const std::array recipes = {firstRecipe(), Recipe{second_kappa, 0.0, 0.3, 60},
                              Recipe{0.0, 0.03, 0.1, 30}};
  polishWithin(kNearlySolved, kFirstPolishFactorizations);
  for (const Recipe& recipe : recipes) {
    if (reached() || budget() <= 0 || mustEnd()) return;
    runAttempt(recipe);
    if (!reached() && !mustEnd()) sweepInAttempt(kSweepsAfterAttempt);
    judge_.forgetOwn();  // where this one ended, the next would end again
  }
}

// Impulses r that no lawful velocity can do negative work on: in Coulomb's model normal ones, for
// u_n ≥ 0 is all the law asks of a sliding contact; in the convex model all of the cone. A velocity y
// that satisfies the laws has r·(B y + c) ≥ 0, so ‖y‖ ≥ -c·r / ‖Bᵀr‖, ‖Bᵀr‖² = rᵀA r.        (EXACT-16)
bool ExactSolver::Controller::isInfeasible() {
  if (!attempted_) return false;
  const exact::ScaledRows& rows = scaled_.rows();
  r_ = interior_point_.r();
  if (!r_.allFinite()) return false;
  double speed = 0.0;  // of the data, in the units of y
  for (int i = 0; i < rows.blockCount(); ++i) {
    for (int row = rows.offset[i]; row < rows.offset[i + 1]; ++row) {
      const bool tangential = rows.is_cone[i] && row > rows.offset[i];
      const bool bounded = r_[row] > 0.0 ? std::isfinite(rows.upper[row])
                                         : std::isfinite(rows.lower[row]);
      const bool coulomb = options_.friction_model == FrictionModel::coulomb;
      if (rows.is_cone[i] ? tangential && coulomb : bounded) r_[row] = 0.0;
      if (rows.diagonal[row] > 0.0) {
        speed = std::max(speed, std::abs(rows.c[row]) / std::sqrt(rows.diagonal[row]));
      }
    }
  }
  const double norm = r_.norm();
  if (!(norm > 0.0)) return false;
  r_ /= norm;
  kkt_->multiply(r_, lambda_);
  const double motion = std::sqrt(std::max(0.0, r_.dot(lambda_)));
  const double work = -rows.c.dot(r_);
  // Heavy bodies on light ones ask for motions of the size of √(mass ratio) in these units.
  const auto [lightest, heaviest] = std::ranges::minmax(judge_.certifier().effectiveMass());
  const double reach = kOutOfReach * std::sqrt(std::max(mass_spread_, heaviest / lightest));
  return work > reach * motion * speed && work > kWorkAboveRounding * rows.c.norm();
}

SolveStatus ExactSolver::Controller::finish(Solution& solution) {
  judge_.writeBest(solution);
  solution.iterations = sweep_count_;
  solution.factorizations = factorizations_;
  solution.stages.reserve(kMostStages);
  solution.stages = stages_;
  if (solution.certificate.solved(options_.tolerance)) {
    solution.status = SolveStatus::solved;
  } else if (!std::isfinite(solution.certificate.relative)) {
    solution.status = SolveStatus::numerical_error;
  } else if (mustEnd()) {
    solution.status = SolveStatus::max_iterations;
  } else if (isInfeasible()) {
    solution.status = SolveStatus::infeasible;
  } else if (budget() <= 0) {
    solution.status = SolveStatus::max_iterations;
  } else {
    solution.status = SolveStatus::inaccurate;
  }
  solution.seconds = judge_.seconds();
  return solution.status;
}

template SolveStatus ExactSolver::Controller::solve(const ContactProblem&, bool, Solution&);
template SolveStatus ExactSolver::Controller::solve(const DelassusProblem&, bool, Solution&);

}  // namespace cornet
