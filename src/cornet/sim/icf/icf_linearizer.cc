#include "cornet/sim/icf/icf_linearizer.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {
namespace {

constexpr double kDifference = 1e-7;  // of velocities, or of 1 m/s: half the digits

void requireFinite(const WorldModel& world, std::span<const BodyForce> forces) {
  for (std::size_t i = 0; i < forces.size(); ++i) {
    if (forces[i].force.allFinite() && forces[i].torque.allFinite()) continue;
    throw std::invalid_argument(fmt::format("users' force or torque on body '{}' is not finite", world.body(static_cast<int>(i)).name()));
  }
}

void requireDerivative(const VectorXd& K, Eigen::Index velocities) {
  if (K.size() != velocities) {
    throw std::invalid_argument(fmt::format("users' derivative of forces has {} entries: expected {}, one for each velocity", K.size(), velocities));
  }
  for (Eigen::Index i = 0; i < K.size(); ++i) {
    if (K[i] >= 0.0 && std::isfinite(K[i])) continue;
    throw std::invalid_argument(fmt::format("users' derivative of forces: entry {} is {}: expected a finite number ≥ 0", i, K[i]));
  }
}

}  // namespace

void advanceState(const WorldModel& world, const VectorXd& v, double t, State& state) {
  for (int i = 0; i < world.freeCount(); ++i) world.freeBody(i).advance(v.segment<6>(6 * i), t, state.q.segment<7>(7 * i));
  for (int k = 0; k < world.treeCount(); ++k) {
    const WorldTree& tree = world.tree(k);
    tree.tree->advance(v.segment(tree.v_begin, tree.v.size()), t, state.q.segment(tree.q_begin, tree.q.size()));
  }
}

// Forces on bodies, and what they are to the velocities of trees.
void IcfExternalSystemsLinearizer::evaluate(const WorldModel& world, const State& at, const Forces& external,
                                            std::vector<BodyForce>& forces, VectorXd& tau) {
  forces.assign(static_cast<std::size_t>(world.bodyCount()), {});
  external(at, forces);
  requireFinite(world, forces);
  tau.setZero(at.v.size());
  for (int i = 0; i < world.freeCount(); ++i) tau.segment<6>(6 * i) << forces[i].force, forces[i].torque;
  for (int k = 0; k < world.treeCount(); ++k) {
    const WorldTree& own = world.tree(k);
    own.tree->evaluate(at.q.segment(own.q_begin, own.q.size()), TreeLevel::poses, *caches_[static_cast<std::size_t>(k)]);
    for (int link = 0; link < own.tree->linkCount(); ++link) {
      Eigen::Matrix<double, 6, 1> wrench;
      wrench << forces[own.first + link].force, forces[own.first + link].torque;
      tau.segment(own.v_begin, own.v.size()) += caches_[static_cast<std::size_t>(k)]->jacobians[static_cast<std::size_t>(link)].transpose() * wrench;
    }
  }
}

void IcfExternalSystemsLinearizer::differ(const WorldModel& world, double h, const Forces& external, VectorXd& K) {
  K.setZero(ahead_.v.size());
  VectorXd push = VectorXd::Zero(ahead_.v.size());
  for (Eigen::Index i = 0; i < K.size(); ++i) {
    const double dv = kDifference * std::max(1.0, std::abs(ahead_.v[i]));
    moved_ = ahead_;
    moved_.v[i] += dv;
    push[i] = dv;
    advanceState(world, push, h, moved_);
    push[i] = 0.0;
    evaluate(world, moved_, external, other_, tau_other_);
    K[i] = std::max(0.0, -(tau_other_[i] - tau_[i]) / dv);
  }
}

void IcfExternalSystemsLinearizer::linearize(const WorldModel& world, const State& state, double h, const Forces& external,
                                             bool with_differences, std::span<BodyForce> forces, VectorXd& K) {
  if (caches_.empty()) caches_ = world.makeCaches();
  evaluate(world, state, external, now_, tau_now_);
  K.resize(0);
  if (with_differences || world.hasForceDerivative()) {
    ahead_ = state;
    advanceState(world, state.v, h, ahead_);
    evaluate(world, ahead_, external, then_, tau_);
    if (world.hasForceDerivative()) {
      world.calcForceDerivative(state, h, K);
      requireDerivative(K, state.v.size());
    } else {
      differ(world, h, external, K);
    }
    for (int k = 0; k < world.treeCount(); ++k) {
      if (world.tree(k).tree->floats()) K.segment(world.tree(k).v_begin, world.tree(k).v.size()).setZero();
    }
  }
  for (int i = 0; i < world.bodyCount(); ++i) {
    const int tree = world.treeOf(i);
    for (int c = 0; c < 3; ++c) {
      const auto implies = [&](int offset) {
        if (K.size() == 0) return false;
        if (tree < 0) return K[6 * i + offset + c] > 0.0;
        return K.segment(world.tree(tree).v_begin, world.tree(tree).v.size()).maxCoeff() > 0.0;
      };
      forces[i].force[c] += (implies(0) ? then_ : now_)[i].force[c];
      forces[i].torque[c] += (implies(3) ? then_ : now_)[i].torque[c];
    }
  }
}

}  // namespace cornet
