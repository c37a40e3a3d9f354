#pragma once

#include <vector>

#include "cornet/solvers/icf/icf_pool.h"
#include "cornet/solvers/icf/near_rigid.h"

/// Pairs of bodies held by rows of their relative twist V = (v; ω) at a point M. Row i has the direction s_i, the gap g_i
/// and the inverse mass w_i = s_iᵀ W s_i of its own, so that what turns is weighed by inertia and what shifts by mass:
///
///   y_i = s_i·V,  v̂_i = -g_i/(h + τ),  γ_i = R_i⁻¹ (v̂_i - y_i),  ℓ = ½ Σ R_i⁻¹ (v̂_i - y_i)²,  G = Σ R_i⁻¹ s_i s_iᵀ  (ICF-17)
///
/// with R and τ of (ICF-10), or softer ones of a spring k and damper c: R⁻¹ = h (h + c/k) k, τ = c/k.
/// Impulses act on both bodies at M, midway between the anchors, so that angular momentum is kept while gaps are open.
namespace cornet {

/// Rows of a pair. The pool keeps a copy.
struct IcfHolonomic {
  static constexpr int kMaxRows = 6;
  BodyPair pair;
  int rows = 0;
  Matrix6d directions = Matrix6d::Zero();  // s_i in column i
  Vector6d gaps = Vector6d::Zero();
  double stiffness = kInfinity;            // k [N/m], near-rigid by default
  double damping = 0.0;                    // c [N s/m]

  void addRow(const Vector3d& linear, const Vector3d& angular, double gap);
};

/// Anchor of a joint on one of its bodies: frame P on A, frame Q on B.
struct IcfAnchor {
  int body = -1;
  Pose X_WP;
};

IcfHolonomic makeWeld(const IcfAnchor& P, const IcfAnchor& Q);
IcfHolonomic makeBall(const IcfAnchor& P, const IcfAnchor& Q);
/// ‖p_PQ‖ = length. Where the points coincide the direction is that of x.
IcfHolonomic makeDistance(const IcfAnchor& P, const IcfAnchor& Q, double length, double stiffness = kInfinity, double damping = 0.0);
/// Turns about the z axes of the anchors, which coincide.
IcfHolonomic makeHinge(const IcfAnchor& P, const IcfAnchor& Q);
/// Shifts along the z axis of P without turning.
IcfHolonomic makeSlider(const IcfAnchor& P, const IcfAnchor& Q);
/// Turns about the z axis of P and the x axis of Q, which stay perpendicular.
IcfHolonomic makeUniversal(const IcfAnchor& P, const IcfAnchor& Q);

struct HolonomicConstraintsDataPool {
  EigenPool<Vector6d> force;  // Γ at M
};

class HolonomicConstraintsPool {
 public:
  using Data = HolonomicConstraintsDataPool;

  void clear();
  void reserve(int count);
  /// Throws std::invalid_argument when numbers are not finite, or the stiffness not positive or the damping negative.
  int add(const IcfHolonomic& constraint);

  void prepare(const IcfTrees& trees, const IcfBodies& bodies);
  void setTimeStep(double h);

  int count() const { return static_cast<int>(constraint_.size()); }
  const IcfHolonomic& constraint(int c) const { return constraint_[c]; }
  const BodyPair& pair(int c) const { return constraint_[c].pair; }
  double inverseMass(int c, int row) const { return inverse_mass_[c](row); }
  const Matrix6d& pairInverseMass(int c) const { return pair_inverse_mass_[c]; }
  /// R_i⁻¹, h + τ and ∂R_i⁻¹/∂w of a row.
  const NearRigid& law(int c, int row) const { return law_[static_cast<std::size_t>(6 * c + row)]; }
  const Matrix6d& hessian(int c) const { return hessian_[c]; }
  /// γ_i of a row.
  double impulse(int c, int row, const Vector6d& V) const;

  void resizeData(Data& data) const { data.force.resize(count()); }
  double calcData(const IcfFrame& frame, std::span<const int> items, const IcfMotion& motion, Data& data) const;
  void addGradient(const IcfFrame& frame, std::span<const int> items, const Data& data, VectorXd& g) const;
  void addHessian(const IcfFrame& frame, std::span<const int> items, const Data& data, IcfHessian& H) const;
  void startLine(const IcfFrame& frame, std::span<const int> items, const IcfMotion& w, Data& data, LineQuadratic& quadratic) const;
  LineTerms calcAlong(std::span<const int>, const Data&, double) const { return {}; }  // all of it is quadratic

 private:
  std::vector<IcfHolonomic> constraint_;
  EigenPool<Vector6d> inverse_mass_;
  EigenPool<Matrix6d> pair_inverse_mass_, hessian_;
  std::vector<NearRigid> law_;
  std::vector<double> scratch_;
};

}  // namespace cornet
