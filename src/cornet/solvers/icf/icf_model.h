#pragma once

#include <array>

#include "cornet/solvers/icf/holonomic_pool.h"
#include "cornet/solvers/icf/patch_pool.h"
#include "cornet/solvers/icf/scalar_pools.h"

/// One step of bodies in compliant contact as a convex problem without constraints (irrotational contact fields):
///
///   v = argmin ℓ(v),   ℓ(v) = ½ vᵀA v - rᵀv + Σ_c ℓ_c(J_c v),   A = M + h K,  r = A v0 - h k0      (ICF-1)
///   A (v - v0) + h k0 = Jᵀ γ(v),   γ_c = -∂ℓ_c/∂v_c    (its optimality, the balance of momentum)
///
/// A is positive definite and every ℓ_c convex with a continuous gradient, so there is one solution for any h > 0.
/// Configurations then advance by q = q0 + h N(q0) v, rotations by the exponential map (`advancePose`).
namespace cornet {

/// How much memory to take at the start; too much is harmless, too little only costs time.
struct IcfSizes {
  int trees = 0, velocities_each = 6, bodies = 0, contacts = 0, holonomics = 0, rows = 0, limits = 0, couplers = 0, gains = 0;
};

/// All of the problem that does not depend on v. Fill it, then prepare it for a step; it knows nothing of worlds.
/// Rows are added after their trees and bodies.
struct IcfModel {
  IcfTrees trees;
  IcfBodies bodies;
  ScalarRows rows;
  PatchConstraintsPool patches;
  HolonomicConstraintsPool holonomics;
  LimitConstraintsPool limits;
  CouplerConstraintsPool couplers;
  GainConstraintsPool gains;

  /// No trees, no constraints; memory and options are kept.
  void clear();
  void reserve(const IcfSizes& sizes);

  /// Works out what the start determines: M factored, patches, inverse masses, lagged forces; then setTimeStep. Throws
  /// std::invalid_argument when something refers to what does not exist, when M is not positive definite or h ≤ 0.
  void prepare(double h);
  /// Works out what the time step determines: A, r, R, v̂.
  void setTimeStep(double h);

  double h() const { return h_; }
  /// Whether nothing was added and no option set since it was prepared.
  bool isPrepared() const;
  IcfFrame frame() const { return {trees, bodies, rows}; }

 private:
  /// How many of everything there are.
  std::array<int, 8> counts() const;

  double h_ = 0.0;
  std::array<int, 8> prepared_counts_{};
  IcfContactOptions prepared_options_;
};

/// All that changes with v. `motion.v` is the guess before a solve and the solution after it.
struct IcfData {
  IcfMotion motion;
  VectorXd gradient;
  PatchConstraintsDataPool patches;
  HolonomicConstraintsDataPool holonomics;
  LimitConstraintsDataPool limits;
  CouplerConstraintsDataPool couplers;
  GainConstraintsDataPool gains;

  VectorXd& v() { return motion.v; }
  const VectorXd& v() const { return motion.v; }
  /// Room for a model; v becomes v0. Memory is kept.
  void reset(const IcfModel& model);
  /// Room for a model; v is kept.
  void resize(const IcfModel& model);
};

/// Those of an island, or of the whole model, by index.
struct IcfItems {
  std::span<const int> trees, bodies, patches, holonomics, limits, couplers, gains;
};

/// Calls visit(pool, data of the pool, indices) for every pool: the one list of them.
template <class Data, class Visitor>
void visitPools(const IcfModel& model, const IcfItems& items, Data& data, Visitor&& visit) {
  visit(model.patches, data.patches, items.patches);
  visit(model.holonomics, data.holonomics, items.holonomics);
  visit(model.limits, data.limits, items.limits);
  visit(model.couplers, data.couplers, items.couplers);
  visit(model.gains, data.gains, items.gains);
}

/// Twists of bodies for the velocities of their trees.
void calcTwists(const IcfModel& model, std::span<const int> bodies, IcfMotion& motion);
/// Impulses, Hessian parts and gradient at data.v(); returns the cost. Touches entries of the items alone.
double calcGradient(const IcfModel& model, const IcfItems& items, IcfData& data);
/// H at the v of the last calcGradient.
void calcHessian(const IcfModel& model, const IcfItems& items, const IcfData& data, IcfHessian& H);
/// Makes all scalars that the cost along v + α w needs; the twists of w are there.
LineQuadratic startLine(const IcfModel& model, const IcfItems& items, double cost, const IcfMotion& w, IcfData& data);
/// ℓ(v + α w) and its derivatives, from those scalars alone: no work for bodies or patches.      (ICF-18)
LineTerms calcAlong(const IcfModel& model, const IcfItems& items, const IcfData& data, const LineQuadratic& quadratic, double alpha);

/// Which trees share a patch, a holonomic pair or a row, in the order of the pools; some of them more than once.
void listCoupledTrees(const IcfModel& model, const IcfItems& items, std::vector<std::pair<int, int>>& pairs);

/// The items of the whole model, with the memory for their indices.
class AllItems {
 public:
  const IcfItems& reset(const IcfModel& model);

 private:
  std::vector<int> index_;
  IcfItems items_;
};

}  // namespace cornet
