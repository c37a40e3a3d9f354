#pragma once

#include <concepts>
#include <span>

#include "cornet/solvers/icf/contact_law.h"
#include "cornet/solvers/icf/icf_hessian.h"

/// What the solver asks of a pool of constraints. A pool is plain arrays that are constant in v, with one data pool
/// of what changes with v. No function is virtual and none is called for a single constraint: each takes the indices
/// of those that belong to an island.
namespace cornet {

/// Velocities of all trees with the twists of all bodies they make.
struct IcfMotion {
  VectorXd v;
  EigenPool<Vector6d> twists;
};

/// What does not depend on v: trees, bodies and rows.
struct IcfFrame {
  const IcfTrees& trees;
  const IcfBodies& bodies;
  const ScalarRows& rows;
};

/// Relative twist of B, at the point of the pair.
inline Vector6d relativeTwist(const IcfBodies& bodies, const BodyPair& pair, const IcfMotion& motion) {
  Vector6d V = Vector6d::Zero();
  if (bodies.tree(pair.B) >= 0) V += shiftTwist(motion.twists[pair.B], pair.p_W - bodies.origin(pair.B));
  if (bodies.tree(pair.A) >= 0) V -= shiftTwist(motion.twists[pair.A], pair.p_W - bodies.origin(pair.A));
  return V;
}

/// out += J_pairᵀ F for a force F on B at the point of the pair; A gets the opposite one.
inline void addPairForce(const IcfFrame& frame, const BodyPair& pair, const Vector6d& F, VectorXd& out) {
  for (const auto& [b, sign] : {std::pair{pair.B, 1.0}, std::pair{pair.A, -1.0}}) {
    const int t = frame.bodies.tree(b);
    if (t < 0) continue;
    frame.bodies.addForce(b, shiftForce(sign * F, pair.p_W - frame.bodies.origin(b)),
                          out.segment(frame.trees.start(t), frame.trees.size(t)));
  }
}

/// The quadratic part of the cost along a line.
struct LineQuadratic {
  double a = 0.0, b = 0.0, c = 0.0;  // a α²/2 + b α + c
  LineTerms at(double alpha) const { return {(0.5 * a * alpha + b) * alpha + c, a * alpha + b, a}; }
};

template <class Pool>
concept IcfPool = requires(const Pool& pool, typename Pool::Data& data, const typename Pool::Data& read, const IcfFrame& frame,
                           std::span<const int> items, const IcfMotion& motion, VectorXd& g, IcfHessian& H,
                           LineQuadratic& quadratic, double alpha) {
  { pool.count() } -> std::same_as<int>;
  /// Room for what changes with v.
  pool.resizeData(data);
  /// Impulses and Hessian parts at v; returns the cost.
  { pool.calcData(frame, items, motion, data) } -> std::same_as<double>;
  pool.addGradient(frame, items, read, g);
  pool.addHessian(frame, items, read, H);
  /// Scalars along v + α w, from those of v and the motion of w.
  pool.startLine(frame, items, motion, data, quadratic);
  { pool.calcAlong(items, read, alpha) } -> std::same_as<LineTerms>;
};

}  // namespace cornet
