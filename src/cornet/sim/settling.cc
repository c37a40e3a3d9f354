#include "cornet/sim/settling.h"

#include <algorithm>

#include <Eigen/Geometry>

#include "cornet/math/rotation.h"
#include "cornet/sim/drift.h"
#include "cornet/sim/energy_change.h"

namespace cornet {
namespace {

constexpr double kProximal = 1e-3;  // of W_nn, as for (STEP-11)
constexpr double kDeep = 0.01;      // of the radius of a body
constexpr double kSlidesOn = 100.0;  // times the lift: sliding that dissipates more goes on for some steps
constexpr int kShares = 4;          // until a share is paid for

ExactOptions settlingOptions() {
  ExactOptions options;
  options.tolerance = 1e-6;
  return options;
}

Pose poseOf(const InertialState& state) { return Pose(state.orientation, state.position); }

bool isDeep(const StepView& step, const ShapePair& pair) {
  const auto within = [&](int i) {
    return !step.bodies[i].moves() || pair.least < -kDeep * step.bodies[i].asset->radius();
  };
  return within(pair.body_a) && within(pair.body_b);
}

// What sliding dissipates in a step.
double calcSlipWork(const StepView& step, const Island& island) {
  double work = 0.0;
  for (const int index : island.contacts) {
    const StepContact& contact = step.contacts[index];
    if (contact.carries()) work -= 0.5 * contact.tangentImpulse().dot(contact.u_turned + contact.u_after);
  }
  return work;
}

// What it takes at most to lift two bodies apart.
double calcLift(const StepView& step, const ShapePair& pair) {
  return -pair.least * (step.bodies[pair.body_a].force.force.norm() + step.bodies[pair.body_b].force.force.norm());
}

// Angular momentum stays as it is.
void move(const Vector6d& d, StepBody& body) {
  const PrincipalInertia& inertia = body.asset->inertia();
  const Vector3d momentum = inertia.calcMomentum(body.now.orientation, body.now.omega);
  body.now.position += d.head<3>();
  body.now.orientation = (expMap(Vector3d(d.tail<3>())) * body.now.orientation).normalized();
  body.now.omega = inertia.calcOmega(body.now.orientation, momentum);
}

}  // namespace

Settling::Settling() : solver_(settlingOptions()) {}

// No motion yet, masses of the end poses.
void Settling::begin(const StepView& step, const Island& island) {
  problem_.M.clear();
  for (const int i : island.bodies) {
    const StepBody& body = step.bodies[i];
    const int k = body.block;
    problem_.M.appendBlock(6);
    problem_.M.block(k).diagonal().head<3>().setConstant(body.asset->mass().mass);
    problem_.M.block(k).bottomRightCorner<3, 3>() = body.asset->inertia().calcMatrix(body.now.orientation);
  }
  problem_.rows.clear();
  problem_.J.reset(problem_.M.offsets());
  problem_.v_free.setZero(problem_.M.dimension());
  targets_.clear();
}

void Settling::addRow(const StepView& step, int a, int b, const Vector3d& normal, const Vector3d& arm_a,
                      const Vector3d& arm_b, double target) {
  const int row = problem_.J.rowBlockCount();
  problem_.rows.addUnilateral(1, {Origin::Kind::contact, row});
  problem_.J.appendRow(1);
  double inverse_mass = 0.0;
  const auto add = [&](const StepBody& body, const Vector3d& arm, double sign) {
    if (!body.moves()) return;
    const int entry = problem_.J.appendBlock(body.block);
    problem_.J.block(row, entry) << sign * normal.transpose(), sign * arm.cross(normal).transpose();
    inverse_mass += body.calcInverseMass(arm, normal);
  };
  const StepBody& first = step.bodies[a];
  const StepBody& second = step.bodies[b];
  if (first.moves() && second.moves() && second.block < first.block) {
    add(second, arm_b, 1.0);
    add(first, arm_a, -1.0);
  } else {
    add(first, arm_a, -1.0);
    add(second, arm_b, 1.0);
  }
  problem_.rows.compliance.back() = kProximal * inverse_mass;
  targets_.push_back(-target);
}

void Settling::settle(StepView& step, const Island& island, double dissipated) {
  problem_.bias = Eigen::Map<const VectorXd>(targets_.data(), static_cast<Eigen::Index>(targets_.size()));
  solution_.lambda.resize(0);
  solver_.solve(problem_, solution_);
  const VectorXd& d = solution_.v;
  if (!d.allFinite()) return;
  ends_.clear();
  for (const int i : island.bodies) ends_.push_back(step.bodies[i].now);
  // What is lifted is nearly linear in the share.
  double share = 1.0;
  for (int k = 0; k < kShares; ++k) {
    for (std::size_t i = 0; i < island.bodies.size(); ++i) {
      StepBody& body = step.bodies[island.bodies[i]];
      body.now = ends_[i];
      move(share * d.segment<6>(6 * body.block), body);
    }
    const double gain = calcEnergyChange(step, island).gain;
    if (!(gain > 0.0)) return;
    share *= dissipated / (dissipated + gain);
  }
  for (std::size_t i = 0; i < island.bodies.size(); ++i) step.bodies[island.bodies[i]].now = ends_[i];
}

// Rows of the pairs that overlap at the end, and of all that carry besides.
void Settling::collectRows(const Search& search, std::span<const ShapePair> overlaps, const StepView& step,
                           const Island& island, std::span<const std::pair<int, int>> own) {
  begin(step, island);
  for (const auto& [number, k] : own) {
    const ShapePair& pair = overlaps[k];
    const InertialState a = calcEndState(step.bodies[pair.body_a], step.h);
    const InertialState b = calcEndState(step.bodies[pair.body_b], step.h);
    search.detector.collideAt(pair.shape_a, pair.shape_b, poseOf(a), poseOf(b), 0.0, manifold_);
    for (const ManifoldPoint& point : manifold_) {
      addRow(step, pair.body_a, pair.body_b, point.normal, point.point_a - a.position, point.point_b - b.position,
             -point.gap);
    }
  }
  for (const int index : island.contacts) {
    const StepContact& contact = step.contacts[index];
    const bool overlaps_now = std::ranges::any_of(own, [&](const auto& entry) {
      const ShapePair& pair = overlaps[entry.second];
      return pair.body_a == contact.a && pair.body_b == contact.b;
    });
    if (!contact.isActive() || overlaps_now) continue;
    addRow(step, contact.a, contact.b, contact.kick_normal, contact.kick_arm_a, contact.kick_arm_b, 0.0);
  }
}

void Settling::run(const Search& search, std::span<const ShapePair> overlaps, StepView step,
                   std::span<const Island> islands) {
  order_.clear();
  for (std::size_t k = 0; k < overlaps.size(); ++k) {
    const StepBody& a = step.bodies[overlaps[k].body_a];
    const StepBody& b = step.bodies[overlaps[k].body_b];
    if (a.moves() && b.moves() && a.island != b.island) continue;
    order_.emplace_back(a.moves() ? a.island : b.island, static_cast<int>(k));
  }
  std::ranges::sort(order_);
  for (std::size_t i = 0, first = 0; first < order_.size(); first = i) {
    while (i < order_.size() && order_[i].first == order_[first].first) ++i;
    const std::span own = std::span(order_).subspan(first, i - first);
    const Island& island = islands[order_[first].first];
    if (!island.has_impact && !anyTurns(step, island)) continue;
    double lift = 0.0;
    bool is_deep = false;
    for (const auto& [number, k] : own) {
      lift += calcLift(step, overlaps[k]);
      is_deep |= isDeep(step, overlaps[k]);
    }
    // What slides on pays for it in the next steps too, a share each.
    if (calcSlipWork(step, island) > (is_deep ? 1.0 : kSlidesOn) * lift) continue;
    const double dissipated = -calcEnergyChange(step, island).gain;
    if (!(dissipated > 0.0)) continue;
    collectRows(search, overlaps, step, island, own);
    settle(step, island, dissipated);
  }
}

}  // namespace cornet
