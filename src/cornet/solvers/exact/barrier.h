#pragma once

#include <cmath>
#include <vector>

#include "cornet/solvers/exact/cone_scaling.h"
#include "cornet/solvers/exact/kkt_system.h"
#include "cornet/solvers/exact/scaled_problem.h"

/// The laws of a scaled problem as an interior-point method sees them: each one's complementarity is
/// relaxed to a barrier parameter ν and linearized.
///
///   cone:     r∘z = ν e,  z = A r + c + |z_t| e_n      (convex model: without the last term)
///             dr + W² dz = t,   N⁻¹(dz - δ dr) = A dr + g,   N = I + θ e_n (0, z_t/|z_t|)ᵀ     (EXACT-7)
///             G = D N, D = (W⁻² + δ)⁻¹,   a = T t, T = (I + δW²)⁻¹,   h = N⁻¹W⁻² t
///   bounds:   (r - lower) z = ν,  (upper - r) y = ν,  z - y = A r + c                           (EXACT-8)
///             G⁻¹ = z/(r - lower) + y/(upper - r) + δ;  an equality has neither z nor y
///   g is the residual of the velocity equation, δ dr a proximal term centred at the current r: it
///   bounds D by 1/δ and leaves the solution as it is.
///
/// θ = 1 is the exact derivative of the De Saxcé shift; smaller θ damps it where the path folds.
namespace cornet::exact {

/// A point: z belongs to cones and lower bounds, y to upper bounds.
struct InteriorPointIterate {
  VectorXd r, z, y;
};

class Barrier {
 public:
  void reset(const ScaledRows& rows, FrictionModel model);

  /// Scalings at a point; false when it is not interior.
  bool linearize(const InteriorPointIterate& x);

  /// ν of a point: complementarity per law; 0 when no law has any.
  double calcGap(const InteriorPointIterate& x) const;
  /// ν after the step a d.
  double calcGap(const InteriorPointIterate& x, const InteriorPointIterate& d, double a) const;

  /// g for the velocities u = A r + c.
  void calcResidual(const InteriorPointIterate& x, const VectorXd& u, VectorXd& g) const;

  /// G, or G⁻¹, at the last linearization; θ holds for targets and directions too.
  void calcWeights(double theta, bool inverse, BlockWeights& weights);

  /// a, or h, that aims at complementarity ν, with the second-order term of a predictor if given.
  void calcTarget(double nu, const InteriorPointIterate* predictor, bool inverse,
                  const InteriorPointIterate& x, VectorXd& target);

  /// Completes a direction from dr = d.r and A dr.
  void calcDirection(const InteriorPointIterate& x, const VectorXd& g, const VectorXd& A_dr,
                     InteriorPointIterate& d) const;

  /// Largest step that stays inside.
  double maxStep(const InteriorPointIterate& x, const InteriorPointIterate& d) const;

  /// Makes x interior: r at least `r_depth`, z and y at least `z_depth` inside, from impulses x.r
  /// and velocities u. Added to what is inside already when `always` is set.
  void moveInside(const VectorXd& u, double r_depth, double z_depth, bool always,
                  InteriorPointIterate& x) const;

  /// Root of the mean square of a vector over the laws with complementarity.
  double rootMeanSquare(const VectorXd& x) const;

 private:
  struct Cone {
    int block;
    int row;
    ConeScaling scaling = {};
    Vector3d root = Vector3d::Ones();     // √ω
    Vector3d scaled = Vector3d::UnitX();  // W z
    Vector2d n = Vector2d::Zero();        // z_t/|z_t|
  };
  struct Bounded {
    int block, row;
    double lower, upper;
    double below = 0.0, above = 0.0;  // distances to the bounds
    double target_z = 0.0, target_y = 0.0;
    bool hasLower() const { return std::isfinite(lower); }
    bool hasUpper() const { return std::isfinite(upper); }
  };

  const ScaledRows* rows_ = nullptr;
  FrictionModel model_ = FrictionModel::coulomb;
  double theta_ = 0.0;
  int degree_ = 0;  // complementarity products
  std::vector<Cone> cones_;
  std::vector<Bounded> bounded_;
  std::vector<double> stiffness_;  // G⁻¹ of the bounded rows
};

}  // namespace cornet::exact
