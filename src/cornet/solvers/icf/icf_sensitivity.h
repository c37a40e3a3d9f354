#pragma once

#include "cornet/solvers/icf/icf_model.h"

/// ∂g/∂θ of an ICF problem at v, applied to directions and, transposed, to adjoints. What θ changes in the constants of a
/// law is followed through: lagged forces and friction coefficients of v0, softening and near-rigid stiffness of M.
namespace cornet {

/// Parameters of a step, a direction in their space, or the gradient with respect to them.
struct IcfParameters {
  VectorXd q0;            // displacement of the start along velocities; normals and points frozen
  VectorXd v0;            // k0 held
  VectorXd force;         // added to -k0 [N, N m]
  VectorXd mass;          // all blocks of M, tree by tree, column-major; k0 held
  VectorXd elastic_force, stiffness, dissipation, mu_static, mu_dynamic;  // of contacts
  VectorXd gain_bias;     // b of gains: controls

  /// Zeros for a model.
  void setZero(const IcfModel& model);
  /// Throws std::invalid_argument when a list has another size than those of zeros.
  void check(const IcfModel& model) const;
};

class IcfSensitivity {
 public:
  /// dg = ∂g/∂θ dθ; the data are those of calcGradient at v.
  void apply(const IcfModel& model, const IcfData& data, const IcfParameters& direction, VectorXd& dg);
  /// bar = (∂g/∂θ)ᵀ x.
  void applyTransposed(const IcfModel& model, const IcfData& data, const VectorXd& x, IcfParameters& bar);

 private:
  AllItems all_;
  IcfMotion motion_, start_;
};

}  // namespace cornet
