#include "cornet/solvers/icf/icf_solver.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {
namespace {

// The solver aims at half of what the certifier asks for: both round differently.
constexpr double kAim = 0.5;
// Of ‖D r‖: a guess that misses by more is not at the floor.
constexpr double kNear = 1e-3;
// A step that lessens the residual by less than this may be at the floor of rounding.
constexpr double kStalled = 0.5;
// Steps in a row that do so until the floor is asked for: one more step may still gain much.
constexpr int kStalls = 4;

int severityOf(SolveStatus status) {
  switch (status) {
    case SolveStatus::solved: return 0;
    case SolveStatus::inaccurate: return 1;
    case SolveStatus::max_iterations: return 2;
    default: return 3;
  }
}

// How far from its stopping test: at most 1 when it is met.
double distanceFrom(const IcfCertificate& certificate, double tolerance) {
  if (certificate.residual == 0.0) return 0.0;
  const double distance = certificate.residual / std::max(tolerance * certificate.scale, certificate.floor);
  return std::isnan(distance) ? kInfinity : distance;
}

}  // namespace

IcfSolver::IcfSolver(const IcfOptions& options) : options_(options) {
  const auto require = [](bool holds, std::string_view name, double value, std::string_view fix) {
    if (!holds) throw std::invalid_argument(fmt::format("ICF options: {} is {}; give {}", name, value, fix));
  };
  require(options.tolerance > 0.0 && options.tolerance < 1.0, "tolerance", options.tolerance, "a number between 0 and 1");
  require(options.max_iterations >= 1, "max_iterations", options.max_iterations, "at least 1");
  require(options.max_length > 0.0 && options.max_length <= 2.0, "max_length", options.max_length, "a number up to 2");
  require(options.line_tolerance > 0.0 && options.line_tolerance < 1.0, "line_tolerance", options.line_tolerance,
          "a number between 0 and 1");
  require(options.max_line_iterations >= 1, "max_line_iterations", options.max_line_iterations, "at least 1");
  require(options.target_iterations >= 1, "target_iterations", options.target_iterations, "at least 1");
}

void IcfSolver::forEachIsland(const std::function<void(int)>& body) {
  if (loop_) {
    loop_(islands_.count(), body);
  } else {
    for (int island = 0; island < islands_.count(); ++island) body(island);
  }
}

// Islands and their plans, in order: what they share is ready before any of them is solved.
void IcfSolver::split(const IcfModel& model) {
  islands_.split(model);
  const auto count = static_cast<std::size_t>(islands_.count());
  if (work_.size() < count) work_.resize(count);
  for (int island = 0; island < islands_.count(); ++island) {
    const IcfItems items = islands_.items(island);
    Work& work = work_[island];
    listCoupledTrees(model, items, work.pairs);
    work.H.reset(model.trees, items.trees, islands_.placeOfTree(), work.pairs, plans_);
    work.direction.resize(work.H.dimension());
    work.best.resize(work.H.dimension());
  }
  search_.v.resize(model.trees.velocityCount());
  search_.twists.resize(model.bodies.count());
  certifier_.reset(model);
}

SolveStatus IcfSolver::solve(const IcfModel& model, IcfData& data) {
  if (!model.isPrepared()) throw std::invalid_argument("ICF model: it was not prepared since it was changed; call prepare(h) first");
  if (data.v().size() != model.trees.velocityCount()) {
    throw std::invalid_argument(fmt::format("ICF guess: it has {} velocities; give the {} of the model, or reset the data",
                                            data.v().size(), model.trees.velocityCount()));
  }
  if (!data.v().allFinite()) {
    throw std::invalid_argument("ICF guess: a velocity is not finite; give finite numbers, or reset the data");
  }
  model_ = &model;
  data_ = &data;
  data.resize(model);
  split(model);
  results_.assign(static_cast<std::size_t>(islands_.count()), {});
  forEachIsland([this](int island) { solveIsland(island); });
  finish();
  return report_.status;
}

double IcfSolver::residual(const IcfItems& items) const {
  double sum = 0.0;
  for (const int t : items.trees) {
    sum += data_->gradient.segment(model_->trees.start(t), model_->trees.size(t)).cwiseProduct(model_->trees.scale(t)).squaredNorm();
  }
  return std::sqrt(sum);
}

void IcfSolver::keepBest(const IcfItems& items, Work& work) const {
  int k = 0;
  for (const int t : items.trees) {
    work.best.segment(k, model_->trees.size(t)) = data_->v().segment(model_->trees.start(t), model_->trees.size(t));
    k += model_->trees.size(t);
  }
}

void IcfSolver::restoreBest(const IcfItems& items, const Work& work) {
  int k = 0;
  for (const int t : items.trees) {
    data_->v().segment(model_->trees.start(t), model_->trees.size(t)) = work.best.segment(k, model_->trees.size(t));
    k += model_->trees.size(t);
  }
}

// w into the search motion; false when it does not descend.
bool IcfSolver::findDirection(const IcfItems& items, bool steepest, Work& work, Result& result) {
  int k = 0;
  for (const int t : items.trees) {
    const int n = model_->trees.size(t);
    auto part = work.direction.segment(k, n);
    part = -data_->gradient.segment(model_->trees.start(t), n);
    if (steepest) part.array() *= model_->trees.scale(t).array().square();
    k += n;
  }
  if (!steepest) work.H.solveInPlace(work.direction);
  k = 0;
  double slope = 0.0;
  for (const int t : items.trees) {
    const int n = model_->trees.size(t);
    search_.v.segment(model_->trees.start(t), n) = work.direction.segment(k, n);
    slope += work.direction.segment(k, n).dot(data_->gradient.segment(model_->trees.start(t), n));
    k += n;
  }
  result.steepest_steps += steepest;
  return slope < 0.0 && std::isfinite(slope);
}

// The length at which the slope along the line is zero, by Newton's method in a bracket.
double IcfSolver::searchLine(const IcfItems& items, const LineQuadratic& quadratic, double slope, Result& result) const {
  // Shorter brackets than this part of the length are not resolved.
  constexpr double kResolved = 4.0 * kEpsilon;
  double low = 0.0, high = options_.max_length;
  double alpha = high, last = 0.0;
  for (int trial = 0; trial < options_.max_line_iterations; ++trial) {
    const LineTerms terms = calcAlong(*model_, items, *data_, quadratic, alpha);
    ++result.line_trials;
    if (std::abs(terms.slope) <= options_.line_tolerance * std::abs(slope)) return alpha;
    if (!(terms.slope > 0.0) && alpha == options_.max_length) return alpha;  // descends all the way
    (terms.slope > 0.0 ? high : low) = alpha;
    if (high - low <= kResolved * high) break;
    // Bisect where Newton leaves the bracket or does not halve the step before.
    const double newton = alpha - terms.slope / terms.curvature;
    const bool good = newton > low && newton < high && std::abs(newton - alpha) <= 0.5 * std::abs(alpha - last) + kResolved;
    last = alpha;
    alpha = good ? newton : 0.5 * (low + high);
  }
  return low > 0.0 ? low : high;
}

void IcfSolver::step(const IcfItems& items, double alpha) {
  for (const int t : items.trees) {
    const int n = model_->trees.size(t);
    data_->v().segment(model_->trees.start(t), n) += alpha * search_.v.segment(model_->trees.start(t), n);
  }
}

double IcfSolver::stiffestContact(const IcfItems& items) const {
  double stiffest = 0.0;
  const PatchConstraintsPool& pool = model_->patches;
  if (pool.options().friction != IcfFriction::similar) return stiffest;
  for (const int patch : items.patches) {
    for (int k = pool.begin(patch); k < pool.end(patch); ++k) {
      stiffest = std::max(stiffest, relativeStiffness(pool.item(k).law, pool.item(k).w_n));
    }
  }
  return stiffest;
}

void IcfSolver::limitStiffness(const IcfItems& items, double stiffest) {
  for (const int patch : items.patches) data_->patches.stiffest[patch] = stiffest;
}

bool IcfSolver::iterate(int island, double target, int steps, bool judged) {
  const IcfModel& model = *model_;
  IcfData& data = *data_;
  const IcfItems items = islands_.items(island);
  Work& work = work_[island];
  Result& result = results_[island];
  double cost = calcGradient(model, items, data);
  double error = residual(items);
  double last = kInfinity;
  bool fresh = false, tried_blind = false;
  int stalls = 0;
  for (int made = 0; std::isfinite(cost) && std::isfinite(error); ++made) {
    if (judged && error < result.best) {
      result.best = error;
      keepBest(items, work);
    }
    if (error <= target) return true;
    // At a start that is near a solution, and where steps gain little, the certifier tells whether this is the floor.
    stalls = error > kStalled * last ? stalls + 1 : 0;
    const double tolerance = kAim * options_.tolerance;
    const bool is_near = error * tolerance <= kNear * target || target == 0.0;
    if (judged && ((made == 0 && is_near) || stalls >= kStalls)) {
      if (certifier_.judge(model, items, data.v(), tolerance).meets(tolerance)) return true;
    }
    fresh &= stalls == 0;
    result.out_of_steps = made == steps || result.iterations == options_.max_iterations;
    if (result.out_of_steps) return false;
    last = error;

    if (!fresh) {
      calcHessian(model, items, data, work.H);
      result.lost_pivots += !work.H.factor();
      ++result.factorizations;
    }
    bool descends = findDirection(items, false, work, result);
    // Rounding may hide the descent of a good direction: its full step is tried once, then the way of steepest descent.
    const bool blind = !descends && !tried_blind && judged && work.direction.allFinite();
    if (!descends && !blind) descends = findDirection(items, true, work, result);
    if (!descends && !blind) return false;
    tried_blind = blind;
    calcTwists(model, items.bodies, search_);
    double alpha = 1.0;
    if (blind) {
      ++result.full_steps;
    } else {
      const LineQuadratic quadratic = startLine(model, items, cost, search_, data);
      alpha = searchLine(items, quadratic, calcAlong(model, items, data, quadratic, 0.0).slope, result);
    }
    step(items, alpha);
    ++result.iterations;
    cost = calcGradient(model, items, data);
    error = residual(items);
    if (blind && !(error < result.best)) {
      restoreBest(items, work);
      cost = calcGradient(model, items, data);
      error = residual(items);
    }

    // A factor is kept while the rate of its last step reaches the target soon enough.
    const int left = std::max(options_.target_iterations - result.iterations, 1);
    fresh = options_.reuse_hessian && std::pow(error / last, left) * error <= target;
  }
  return false;
}

void IcfSolver::solveIsland(int island) {
  // Steps until bent valleys are suspected, those of a stage, and how far a stage is followed.
  constexpr int kPlainSteps = 25, kStageSteps = 30;
  constexpr double kStageTolerance = 1e-3;
  const IcfModel& model = *model_;
  IcfData& data = *data_;
  const IcfItems items = islands_.items(island);
  Result& result = results_[island];
  double scale = 0.0;
  for (const int t : items.trees) scale += model.trees.r(t).cwiseProduct(model.trees.scale(t)).squaredNorm();
  scale = std::sqrt(scale);
  const double target = kAim * options_.tolerance * scale;

  const double cost = calcGradient(model, items, data);
  if (!std::isfinite(cost) || !std::isfinite(residual(items))) {
    // The guess is out of range: the start of the step is not.
    for (const int t : items.trees) data.v().segment(model.trees.start(t), model.trees.size(t)) = model.trees.v0(t);
  }
  const double stiffest = stiffestContact(items);
  bool solved = iterate(island, target, stiffest > 1.0 ? kPlainSteps : options_.max_iterations, true);
  if (!solved && stiffest > 1.0 && result.out_of_steps && result.iterations < options_.max_iterations) {
    for (double limit = 1.0; limit < stiffest; limit *= 10.0, ++result.stages) {
      limitStiffness(items, limit);
      iterate(island, kStageTolerance * scale, kStageSteps, false);
    }
    limitStiffness(items, kInfinity);
    solved = iterate(island, target, options_.max_iterations, true);
  }
  result.cost = calcGradient(model, items, data);
  const double error = residual(items);
  if (!solved && result.best < kInfinity && !(error <= result.best)) {
    restoreBest(items, work_[island]);
    result.cost = calcGradient(model, items, data);
  }
  result.certificate = certifier_.judge(model, items, data.v(), options_.tolerance);
  result.status = !std::isfinite(result.cost)                       ? SolveStatus::numerical_error
                  : result.certificate.meets(options_.tolerance)    ? SolveStatus::solved
                  : result.out_of_steps                             ? SolveStatus::max_iterations
                                                                    : SolveStatus::inaccurate;
}

void IcfSolver::finish() {
  report_ = {};
  report_.islands = islands_.count();
  double worst = -1.0;
  for (int island = 0; island < islands_.count(); ++island) {
    const Result& result = results_[island];
    if (severityOf(result.status) > severityOf(report_.status)) report_.status = result.status;
    report_.iterations = std::max(report_.iterations, result.iterations);
    report_.factorizations += result.factorizations;
    report_.line_trials += result.line_trials;
    report_.steepest_steps += result.steepest_steps;
    report_.full_steps += result.full_steps;
    report_.lost_pivots += result.lost_pivots;
    report_.stages += result.stages;
    report_.cost += result.cost;
    if (const double distance = distanceFrom(result.certificate, options_.tolerance); distance > worst) {
      worst = distance;
      report_.certificate = result.certificate;
      report_.worst_island = island;
    }
  }
}

void IcfSolver::factorAtSolution(const IcfModel& model, const IcfData& data) {
  if (!model.isPrepared() || data.v().size() != model.trees.velocityCount()) {
    throw std::invalid_argument("ICF derivatives: the data are not those of a model that was prepared; solve first");
  }
  model_ = &model;
  split(model);
  linearized_.reset(model);
  linearized_.v() = data.v();
  for (int island = 0; island < islands_.count(); ++island) {
    const IcfItems items = islands_.items(island);
    calcGradient(model, items, linearized_);
    calcHessian(model, items, linearized_, work_[island].H);
    work_[island].H.factor();
  }
}

// x <- H⁻¹ x, island by island.
void IcfSolver::solveHessian(VectorXd& x) {
  for (int island = 0; island < islands_.count(); ++island) {
    Work& work = work_[island];
    const auto trees = islands_.items(island).trees;
    int k = 0;
    for (const int t : trees) {
      work.direction.segment(k, model_->trees.size(t)) = x.segment(model_->trees.start(t), model_->trees.size(t));
      k += model_->trees.size(t);
    }
    work.H.solveInPlace(work.direction);
    k = 0;
    for (const int t : trees) {
      x.segment(model_->trees.start(t), model_->trees.size(t)) = work.direction.segment(k, model_->trees.size(t));
      k += model_->trees.size(t);
    }
  }
}

void IcfSolver::jvp(const IcfModel& model, const IcfData& data, const IcfParameters& direction, VectorXd& dv) {
  factorAtSolution(model, data);
  sensitivity_.apply(model, linearized_, direction, dv);
  dv = -dv;
  solveHessian(dv);
}

void IcfSolver::vjp(const IcfModel& model, const IcfData& data, const VectorXd& v_bar, IcfParameters& theta_bar) {
  if (v_bar.size() != model.trees.velocityCount()) {
    throw std::invalid_argument(fmt::format("ICF adjoint: it has {} entries; give {}", v_bar.size(), model.trees.velocityCount()));
  }
  factorAtSolution(model, data);
  VectorXd x = -v_bar;
  solveHessian(x);
  sensitivity_.applyTransposed(model, linearized_, x, theta_bar);
}

}  // namespace cornet
