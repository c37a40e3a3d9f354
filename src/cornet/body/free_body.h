#pragma once

#include "cornet/body/free_rotation.h"
#include "cornet/body/tree.h"

/// A body that moves freely, the tree of one link: q = (x, q_w, q_x, q_y, q_z), v = (v_WB, ω_WB), both in world axes, J = I.
///
///   M = diag(m I, R I_B Rᵀ),      c = (0, ω × R I_B Rᵀ ω)                                        (BODY-3)
///
/// Its drift is free rotation, exact (BODY-4).
namespace cornet {

class FreeBody final : public Tree {
 public:
  /// Throws std::invalid_argument when the mass properties are impossible.
  explicit FreeBody(const MassProperties& mass);

  static constexpr int kPositions = 7;
  static constexpr int kVelocities = 6;

  int linkCount() const override { return 1; }
  int positionCount() const override { return kPositions; }
  int velocityCount() const override { return kVelocities; }
  const MassProperties& mass(int) const override { return mass_; }
  bool floats() const override { return true; }
  std::unique_ptr<TreeCache> makeCache() const override;
  void evaluate(const Vector& q, TreeLevel level, TreeCache& cache) const override;
  void calcCoriolis(const Vector& v, TreeCache& cache, Output c) const override;
  void advance(const Vector& v, double t, Output q) const override;
  void driftToKick(double t, TreeCache& cache, Output q, Output v) const override;
  void driftFromKick(double t, TreeCache& cache, Output q, Output v) const override;
  void displace(const Vector& d, TreeCache& cache, Output q, Output v) const override;

  const MassProperties& mass() const { return mass_; }

  /// The same for a state that is not in vectors: M, and forces with the velocity terms, f - c.
  Eigen::Matrix<double, 6, 6> calcMassMatrix(const Quaterniond& q_WB) const;
  Eigen::Matrix<double, 6, 1> calcSmoothForce(const InertialState& state, const Vector3d& gravity,
                                              const BodyForce& external) const;

 private:
  MassProperties mass_;
  PrincipalInertia inertia_;
};

}  // namespace cornet
