#include "cornet/sim/island_problem.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>

#include "cornet/math/tangent_basis.h"
#include "cornet/sim/drift.h"

namespace cornet {
namespace {

struct Twist {
  Vector3d linear, angular;
  Vector3d at(const Vector3d& arm) const { return linear + angular.cross(arm); }
};

Twist velocityOf(const StepBody& body, const VectorXd& v) {
  return {v.segment<3>(6 * body.block), v.segment<3>(6 * body.block + 3)};
}

}  // namespace

void IslandProblem::reset(const WorldModel& world, const StepView& step, const Island& island) {
  world_ = &world;
  kick_time_ = island.theta * step.h;
  const auto count = static_cast<int>(island.bodies.size());
  problem_.M.clear();
  problem_.v_free.resize(6 * count);
  v_.resize(6 * count);
  v_drift_.resize(6 * count);
  acceleration_.resize(6 * count);
  bodies_.clear();
  surroundings_.clear();
  taut_.clear();
  for (int k = 0; k < count; ++k) {
    StepBody& body = step.bodies[island.bodies[k]];
    body.block = k;
    problem_.M.appendBlock(6);
    auto M = problem_.M.block(k);
    M.diagonal().head<3>().setConstant(body.asset->mass().mass);
    M.bottomRightCorner<3, 3>() = body.asset->inertia().calcMatrix(body.now.orientation);
    v_.segment<6>(6 * k) << body.now.velocity, body.now.omega;
    v_drift_.segment<6>(6 * k) << body.drift_velocity, body.drift_omega;
    acceleration_.segment<6>(6 * k) << body.acceleration(), body.calcAngularAcceleration();
    bodies_.push_back({body.now, k, body.asset->mass().gyrationRadius()});
  }
  problem_.v_free = v_ + step.h * acceleration_;
  for (int k = 0; k < count; ++k) {
    const StepBody& body = step.bodies[island.bodies[k]];
    if (!body.is_taut) continue;
    auto I = problem_.M.block(k).bottomRightCorner<3, 3>();
    const Vector3d omega = v_.segment<3>(6 * k + 3);
    const Vector3d push = I * (step.h * acceleration_.segment<3>(6 * k + 3)) - body.damping * omega;
    I += body.stiffness;
    taut_.emplace_back(k, body.stiffness);
    problem_.v_free.segment<3>(6 * k + 3) = omega + Matrix3d(I).ldlt().solve(push);
  }
}

// Surroundings are appended as contacts name them.
int IslandProblem::placeOf(const WorldModel& world, const StepView& step, int body) {
  if (body < world.bodyCount()) return step.bodies[body].block;
  for (const auto& [number, place] : surroundings_) {
    if (number == body) return place;
  }
  InertialState state = calcKickState(step.bodies[body], kick_time_);
  state.velocity = step.bodies[body].end_velocity;
  state.omega = step.bodies[body].end_omega;
  bodies_.push_back({state});
  surroundings_.emplace_back(body, static_cast<int>(bodies_.size()) - 1);
  return surroundings_.back().second;
}

void IslandProblem::addConstraint(const StepView& step, StepConstraint& constraint) {
  places_.clear();
  for (const int body : constraint.bodies) places_.push_back(placeOf(*world_, step, body));
  const ReadyRows rows{.bodies = places_,
                       .kind = constraint.kind,
                       .impulse = {constraint.bounds.lower * step.h, constraint.bounds.upper * step.h},
                       .compliance = constraint.compliance,
                       .share = constraint.share,
                       .J = constraint.J,
                       .bias = constraint.bias,
                       .origin = constraint.index};
  assembler_.add(rows, constraint.row_of);
}

// Where joints hold already but for the rounding of velocities there is nothing to solve: no impulses could do better, and
// relative errors would say that none is good enough.
void IslandProblem::dropRounding() {
  constexpr double kRounding = 1e-13;  // as for certificates, of 1 m/s and of what moves faster
  const double floor = kRounding * std::max(1.0, problem_.v_free.lpNorm<Eigen::Infinity>());
  problem_.J.multiply(problem_.v_free, rates_);
  for (int k = 0; k < problem_.rows.blockCount(); ++k) {
    if (problem_.rows.kind[k] != LawKind::equality) continue;
    for (int row = problem_.rows.offset(k); row < problem_.rows.offset(k) + problem_.rows.size(k); ++row) {
      const double rate = problem_.rows.lever[row] * (rates_[row] + problem_.bias[row]);
      if (std::abs(rate) <= floor) problem_.bias[row] = -rates_[row];
    }
  }
}

void IslandProblem::assembleKick(const StepView& step, const Island& island) {
  points_.clear();
  axes_.clear();
  for (const int index : island.contacts) {
    const StepContact& contact = step.contacts[index];
    const Matrix3d axes = makeContactAxes(contact.kick_normal);
    axes_.push_back(axes);
    ContactPoint point;
    point.body_a = placeOf(*world_, step, contact.a);
    point.body_b = placeOf(*world_, step, contact.b);
    point.p_AC_W = contact.kick_arm_a;
    point.p_BC_W = contact.kick_arm_b;
    point.normal = contact.kick_normal;
    const Vector3d belt = calcEndBelt(step.bodies[contact.a], step.bodies[contact.b], contact.kick_normal);
    point.bias = axes.transpose() * (contact.turning + belt);
    point.mu = contact.mu;
    point.key = contact.key;
    points_.push_back(point);
  }
  for (const int index : island.constraints) {  // surroundings are all in their places before rows are made
    for (const int body : step.constraints[index].bodies) placeOf(*world_, step, body);
  }
  assembler_.reset(bodies_, step.h, step.time, AssemblyLevel::velocity, problem_);
  assembler_.add(points_);
  drives_.set(step, island, problem_.M);
  for (const int index : island.constraints) addConstraint(step, step.constraints[index]);
  assembler_.finish();
  if (!island.constraints.empty()) dropRounding();
  base_bias_ = problem_.bias;
}

void IslandProblem::setWanted(StepView& step, const Island& island, double scale) {
  problem_.bias = base_bias_;
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    StepContact& contact = step.contacts[island.contacts[k]];
    const int row = problem_.rows.offset(static_cast<int>(k));
    contact.wanted_after = contact.is_impact ? scale * contact.wanted : contact.wanted;
    problem_.bias[row] = base_bias_[row] - contact.wanted_after;
  }
}

void IslandProblem::setTurning(StepView& step, const Island& island, const VectorXd& change) {
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    StepContact& contact = step.contacts[island.contacts[k]];
    const StepBody& a = step.bodies[contact.a];
    const StepBody& b = step.bodies[contact.b];
    Vector3d turning = Vector3d::Zero();
    if (b.moves()) turning += velocityOf(b, change).at(contact.kick_arm_b);
    if (a.moves()) turning -= velocityOf(a, change).at(contact.kick_arm_a);
    const int size = problem_.rows.size(static_cast<int>(k));
    base_bias_.segment(problem_.rows.offset(static_cast<int>(k)), size) += axes_[k].leftCols(size).transpose() * (turning - contact.turning);
    contact.turning = turning;
  }
  for (const int index : island.constraints) {
    StepConstraint& constraint = step.constraints[index];
    if (constraint.kind != LawKind::unilateral) continue;
    for (Eigen::Index k = 0; k < constraint.turning.size(); ++k) {
      const int row = constraint.row_of[static_cast<std::size_t>(k)];
      if (row < 0) continue;
      double turning = 0.0;
      for (std::size_t i = 0; i < constraint.bodies.size(); ++i) {
        const StepBody& body = step.bodies[constraint.bodies[i]];
        if (body.moves()) turning += constraint.J.row(k).segment<6>(static_cast<Eigen::Index>(6 * i)).dot(change.segment<6>(6 * body.block));
      }
      base_bias_[row] += turning - constraint.turning[k];
      constraint.turning[k] = turning;
    }
  }
}

void IslandProblem::setPart(const StepView& step, const Island& island, const VectorXd& v, double duration,
                            bool turned) {
  problem_.v_free = v + duration * acceleration_;
  problem_.bias = base_bias_;
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    const StepContact& contact = step.contacts[island.contacts[k]];
    const int row = problem_.rows.offset(static_cast<int>(k));
    const int size = problem_.rows.size(static_cast<int>(k));
    if (!turned) problem_.bias.segment(row, size) -= axes_[k].leftCols(size).transpose() * contact.turning;
    problem_.bias[row] -= contact.wanted_after;
  }
}

double IslandProblem::calcKinetic(const VectorXd& v) const {
  double energy = 0.0;
  for (int k = 0; k < problem_.M.blockCount(); ++k) {
    const Eigen::Matrix<double, 6, 1> own = v.segment<6>(6 * k);
    energy += 0.5 * own.dot(problem_.M.block(k).lazyProduct(own));
  }
  for (const auto& [k, stiffness] : taut_) {
    const Vector3d omega = v.segment<3>(6 * k + 3);
    energy -= 0.5 * omega.dot(stiffness * omega);
  }
  return energy;
}

Vector3d IslandProblem::calcImpulse(int k, const VectorXd& lambda) const {
  const int size = problem_.rows.size(k);
  return axes_[k].leftCols(size) * lambda.segment(problem_.rows.offset(k), size);
}

Vector3d IslandProblem::calcRate(const StepView& step, const StepContact& contact, const VectorXd& v) const {
  const auto of = [&](int number) {
    const StepBody& body = step.bodies[number];
    return body.moves() ? velocityOf(body, v) : Twist{body.end_velocity, body.end_omega};
  };
  return of(contact.b).at(contact.kick_arm_b) - of(contact.a).at(contact.kick_arm_a) +
         calcEndBelt(step.bodies[contact.a], step.bodies[contact.b], contact.kick_normal);
}

Vector3d IslandProblem::calcDisplacementRate(const StepView& step, const StepContact& contact,
                                             const VectorXd& w) const {
  const auto of = [&](int number) {
    const StepBody& body = step.bodies[number];
    return body.moves() ? velocityOf(body, w) : Twist{body.displacement, body.turning};
  };
  return of(contact.b).at(contact.kick_arm_b) - of(contact.a).at(contact.kick_arm_a) +
         calcBelt(step.bodies[contact.a], step.bodies[contact.b], contact.kick_normal);
}

}  // namespace cornet
