#include "cornet/sim/icf/icf_step.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "cornet/base/stopwatch.h"
#include "cornet/sim/take_inputs.h"

namespace cornet {
namespace {

// Bodies move with velocities that follow from the impulses; what stands beside stiff contacts sees their error, and a Newton step
// more is cheap.
constexpr double kPolish = 1e-3;  // of the tolerance of a step: that of the solver

constexpr double kLost = 1e-3;  // of the momenta: what impulses of a solve that failed may miss

IcfOptions makeIcfOptions(const SimulatorOptions& options) {
  IcfOptions result;
  result.tolerance = kPolish * options.tolerance;
  if (options.budget > 0) result.max_iterations = options.budget;
  return result;
}

// Sums of squares are finite.
bool isInRange(const InertialState& state) {
  constexpr double kFar = 1e100;  // [m], [m/s]
  const auto isNear = [](const auto& x) { return x.allFinite() && x.cwiseAbs().maxCoeff() < kFar; };
  return isNear(state.position) && isNear(state.velocity) && isNear(state.omega) && state.orientation.coeffs().allFinite();
}

}  // namespace

IcfStep::IcfStep(const WorldModel& world, const SimulatorOptions& options)
    : world_(world),
      options_(options),
      detector_(world.makeDetector()),
      placer_(world, options.margin),
      certifier_(world),
      joint_reader_(world),
      crew_(options.threads),
      solver_(makeIcfOptions(options)),
      trees_(static_cast<std::size_t>(world.treeCount())),
      rows_(makeStepConstraints(world)),
      caches_(world.makeCaches()) {
  detector_.setMaxPoints(options.max_contact_points);
  if (options.threads > 1) solver_.setLoop([this](int count, const std::function<void(int)>& body) { crew_.run(count, body); });
  for (int k = 0; k < world.treeCount(); ++k) {
    trees_[static_cast<std::size_t>(k)].tree = world.tree(k).tree.get();
    trees_[static_cast<std::size_t>(k)].first = world.tree(k).first;
    trees_[static_cast<std::size_t>(k)].cache = world.tree(k).tree->makeCache();
  }
}

StepReport IcfStep::run(double dt, const StepInputs& inputs, const Controller& controller, State& state, StepMemory& memory) {
  const Stopwatch clock;
  StepReport report;
  begin(dt, inputs, controller, state);
  detect(dt);
  report.times.detect = clock.seconds();
  solve(dt, state, report);
  const double solved = clock.seconds();
  advance(dt, state);
  makeContacts();
  makeConstraints();
  makeTrees(dt);
  const double displaced = clock.seconds();
  report.times.displace = displaced - solved;
  judge(dt, report);
  finish(inputs, dt, state, memory);
  report.times.certify = clock.seconds() - displaced;
  report.state_hash = hashOf(state);
  report.times.total = clock.seconds();
  return report;
}

// What users' functions and the controller push with, linearised if that is asked for.
void IcfStep::calcForces(double dt, const StepInputs& inputs, const Controller& controller, const State& state) {
  forces_.resize(static_cast<std::size_t>(world_.bodyCount()));
  world_.calcOwnForces(before, dt, forces_);
  damping_.resize(0);
  takeInputs(world_, inputs, forces_, rows_);
  if (!world_.hasForces() && !(controller && !inputs.bodies.empty())) return;
  if (controller && options_.linearize_forces) {  // its forces are among those that are linearised
    world_.calcOwnForces(before, dt, forces_);
  }
  const auto external = [&](const State& at, std::span<BodyForce> forces) {
    world_.addUserForces(at, forces);
    if (!controller || !options_.linearize_forces) return;
    asked_.clear(at.user.size());
    controller(at.time, at, asked_);
    for (const BodyInput& input : asked_.bodies) {
      if (input.body < 0 || input.body >= world_.bodyCount()) {
        throw std::invalid_argument(fmt::format("input for body {}: expected the number of one of the {} bodies that move", input.body, world_.bodyCount()));
      }
      forces[static_cast<std::size_t>(input.body)].force += input.force;
      forces[static_cast<std::size_t>(input.body)].torque += input.torque;
    }
  };
  linearizer_.linearize(world_, state, dt, external, options_.linearize_forces, forces_, damping_);
}

// Everything where the step begins.
void IcfStep::begin(double dt, const StepInputs& inputs, const Controller& controller, const State& state) {
  world_.calcBodies(state, caches_, before);
  takeGuides(world_, inputs, dt, before);
  calcForces(dt, inputs, controller, state);
  bodies_.resize(static_cast<std::size_t>(world_.totalCount()));
  for (int i = 0; i < world_.totalCount(); ++i) {
    StepBody& body = bodies_[static_cast<std::size_t>(i)];
    if (i >= world_.bodyCount()) {
      placeSurroundings(world_, i - world_.bodyCount(), before, dt, body);
      body.radius = placer_.radiusOfSurroundings(i - world_.bodyCount());
      continue;
    }
    body = {};
    body.start = body.now = before.bodies[static_cast<std::size_t>(i)];
    body.asset = &world_.body(i);
    body.force = forces_[static_cast<std::size_t>(i)];
    body.radius = body.asset->radius();
    if (!body.force.force.allFinite() || !body.force.torque.allFinite()) {
      throw std::invalid_argument(fmt::format("force or torque on body '{}' is not finite", body.asset->name()));
    }
  }
  takeControls(world_, inputs, dt, state, trees_);
  for (int k = 0; k < world_.treeCount(); ++k) {
    StepTree& tree = trees_[static_cast<std::size_t>(k)];
    tree.q = tree.q_start = state.q.segment(world_.tree(k).q_begin, world_.tree(k).q.size());
    tree.v = tree.v_start = state.v.segment(world_.tree(k).v_begin, world_.tree(k).v.size());
    tree.tree->evaluate(tree.q, TreeLevel::dynamics, *tree.cache);
  }
  for (StepConstraint& constraint : rows_) beginConstraint(state.time, bodies_, true, constraint);
  efforts_.clear();
  if (controller && options_.linearize_forces) effort_linearizer_.linearize(world_, state, dt, controller, rows_, efforts_);
}

// What the step before saw at its end serves, if it looked for the same.
void IcfStep::detect(double dt) {
  placer_.calc(before, forces_, dt, placement_);
  if (placement_.isSameAs(next_placement_)) {
    std::swap(found_, next_found_);
  } else {
    detector_.detect(placement_.poses, placement_.margins, found_);
  }
  next_placement_.poses.clear();
  reach_.reset(bodies_);
  if (reach_.spread(found_, dt, options_.margin, placement_.margins)) detector_.detect(placement_.poses, placement_.margins, found_);
}

void IcfStep::lookAhead(double dt) {
  next_forces_.resize(after.bodies.size());
  world_.calcOwnForces(after, dt, next_forces_);
  placer_.calc(after, next_forces_, dt, next_placement_);
  detector_.detect(next_placement_.poses, next_placement_.margins, next_found_);
}

void IcfStep::solve(double dt, const State& state, StepReport& report) {
  const Stopwatch clock;
  builder_.build({world_, options_, dt, state, bodies_, trees_, found_, rows_, damping_, efforts_}, model_);
  report.times.assemble = clock.seconds();
  data_.reset(model_);
  const SolveStatus status = solver_.solve(model_, data_);
  addUp(report);
  report.status = report.unsolved_islands == 0 ? SolveStatus::solved : status;
  // A law that couples both impulses may defeat the solver: the step is then unsolved, and made by the one that does not.
  if (report.status != SolveStatus::solved && options_.friction_law != IcfFriction::lagged) {
    IcfContactOptions lagged = model_.patches.options();
    lagged.friction = IcfFriction::lagged;
    model_.patches.setOptions(lagged);
    builder_.forget();
    model_.prepare(dt);
    data_.reset(model_);
    solver_.solve(model_, data_);
  }
  takeImpulses(report.status == SolveStatus::solved);
  if (report.status == SolveStatus::solved && !meetsLaw()) report.status = SolveStatus::inaccurate;
  report.times.solve = clock.seconds() - report.times.assemble;
}

// Effort and certificates of all islands.
void IcfStep::addUp(StepReport& report) const {
  const IcfReport& solve = solver_.report();
  report.islands = solve.islands;
  report.iterations = solve.iterations;
  report.factorizations = solve.factorizations;
  for (int k = 0; k < solve.islands; ++k) {
    const IcfCertificate& island = solver_.certificate(k);
    report.unsolved_islands += !island.meets(options_.tolerance);
    // Below the floor nothing is told from rounding.
    const bool is_rounding = island.residual <= island.floor;
    const double relative = is_rounding ? 0.0 : island.residual / std::max(island.scale, std::numeric_limits<double>::min());
    report.relative = std::max(report.relative, relative);
  }
}

// v once more, from the impulses: A v = r + Jᵀγ. Impulses that miss the balance by much move nothing: of stiff contacts they are
// any size, and velocities of the best iterate are not.
void IcfStep::takeImpulses(bool is_solved) {
  calcGradient(model_, all_.reset(model_), data_);
  v_ = data_.v();
  error_.resize(v_.size());
  for (int t = 0; t < model_.trees.count(); ++t) {
    const int start = model_.trees.start(t), n = model_.trees.size(t);
    auto step = error_.segment(start, n);
    step = data_.gradient.segment(start, n);
    const auto D = model_.trees.scale(t);
    const double size = D.cwiseProduct(model_.trees.r(t)).norm() + data_.v().segment(start, n).cwiseQuotient(D).norm();
    const bool is_lost = !is_solved && !(D.cwiseProduct(step).norm() <= kLost * size);
    if (model_.trees.damping(t).isZero(0.0)) {
      model_.trees.solveLower(t, step);
      model_.trees.solveUpper(t, step);
    } else {
      step = model_.trees.A(t).ldlt().solve(step).eval();
    }
    if (!is_lost) v_.segment(start, n) -= step;
  }
}

// Whether the impulses that are reported leave no more of the balance than the judge of the law found with its own.
bool IcfStep::meetsLaw() const {
  constexpr double kSame = 2.0;
  double left = 0.0, allowed = 0.0;
  for (int t = 0; t < model_.trees.count(); ++t) {
    left += data_.gradient.segment(model_.trees.start(t), model_.trees.size(t)).cwiseProduct(model_.trees.scale(t)).squaredNorm();
  }
  for (int k = 0; k < solver_.report().islands; ++k) {
    const IcfCertificate& island = solver_.certificate(k);
    const double most = std::max(options_.tolerance * island.scale, island.floor);
    allowed += most * most;
  }
  return std::sqrt(left) <= kSame * std::sqrt(allowed);
}

// The drift.                                                                                     (ICF-30)
void IcfStep::advance(double dt, const State& state) {
  for (int i = 0; i < world_.freeCount(); ++i) {
    StepBody& body = bodies_[static_cast<std::size_t>(i)];
    body.now.velocity = v_.segment<3>(6 * i);
    body.now.omega = v_.segment<3>(6 * i + 3);
    body.now.position += dt * body.now.velocity;
    body.asset->inertia().turnFreely(dt, body.now.orientation, body.now.omega);
  }
  for (std::size_t k = 0; k < trees_.size(); ++k) {
    StepTree& tree = trees_[k];
    tree.v = v_.segment(model_.trees.start(world_.freeCount() + static_cast<int>(k)), tree.v.size());
    tree.tree->driftFromKick(dt, *tree.cache, tree.q, tree.v);
    for (int link = 0; link < tree.tree->linkCount(); ++link) {
      bodies_[static_cast<std::size_t>(tree.first + link)].now = tree.tree->calcLinkState(*tree.cache, tree.v, link);
    }
  }
  after.time = state.time + dt;
  moveGuided(before, dt, after);
  after.bodies.resize(before.bodies.size());
  for (std::size_t i = 0; i < after.bodies.size(); ++i) {
    after.bodies[i] = bodies_[i].now;
    if (isInRange(after.bodies[i])) continue;
    throw std::runtime_error(fmt::format("body '{}' left the finite range in the step from t = {} s", world_.body(static_cast<int>(i)).name(), state.time));
  }
}

// Back into the state, all bodies or none.
void IcfStep::finish(const StepInputs& inputs, double dt, State& state, StepMemory& memory) const {
  state.time = after.time;
  for (int i = 0; i < world_.guidedCount(); ++i) state.setGuided(i, after.guided[static_cast<std::size_t>(i)]);
  for (int i = 0; i < world_.freeCount(); ++i) state.setBody(i, after.bodies[static_cast<std::size_t>(i)]);
  for (int k = 0; k < world_.treeCount(); ++k) {
    const StepTree& tree = trees_[static_cast<std::size_t>(k)];
    state.q.segment(world_.tree(k).q_begin, tree.q.size()) = tree.q;
    state.v.segment(world_.tree(k).v_begin, tree.v.size()) = tree.v;
    state.activation.segment(world_.tree(k).activation_begin, tree.activation.size()) = tree.activation;
  }
  if (inputs.user_rate.size() > 0) state.user += dt * inputs.user_rate;
  memory.dt = dt;
  memory.contacts.clear();
  memory.constraint_impulses.clear();
  memory.rest.clear();
  memory.refused.clear();
}

}  // namespace cornet
