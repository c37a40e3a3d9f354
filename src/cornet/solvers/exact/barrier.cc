#include "cornet/solvers/exact/barrier.h"

#include <algorithm>
#include <limits>

#include "cornet/math/friction_cone.h"

namespace cornet::exact {
namespace {

// δ: small against the unit diagonal of A, large against rounding.
constexpr double kProximal = 1e-9;

Vector3d cone3(const VectorXd& x, int row) { return x.segment<3>(row); }

// Distance to a bound; rounding of r cannot make it vanish.
double slack(double distance, double bound) {
  return std::max(distance, std::numeric_limits<double>::epsilon() * std::abs(bound));
}

// Largest a with x + a dx ≥ 0.
double rayStep(double x, double dx) { return dx < 0.0 ? -x / dx : kInfinity; }

double inside(double x, double depth, bool always) {
  return always ? std::max(x, 0.0) + depth : std::max(x, depth);
}

}  // namespace

void Barrier::reset(const ScaledRows& rows, FrictionModel model) {
  rows_ = &rows;
  model_ = model;
  cones_.clear();
  bounded_.clear();
  degree_ = 0;
  for (int i = 0; i < rows.blockCount(); ++i) {
    if (rows.is_cone[i]) {
      cones_.push_back({i, rows.offset[i]});
      ++degree_;
      continue;
    }
    for (int row = rows.offset[i]; row < rows.offset[i + 1]; ++row) {
      bounded_.push_back({i, row, rows.lower[row], rows.upper[row]});
      degree_ += bounded_.back().hasLower() + bounded_.back().hasUpper();
    }
  }
  stiffness_.resize(bounded_.size());
}

bool Barrier::linearize(const InteriorPointIterate& x) {
  bool interior = true;
  for (Cone& cone : cones_) {
    const Vector3d z = cone3(x.z, cone.row);
    cone.scaling = makeConeScaling(cone3(x.r, cone.row), z);
    cone.root = cone.scaling.omega.cwiseSqrt();
    cone.scaled = applySpectral(cone.scaling, cone.root, z);
    const double slip = tangentialNorm(z);
    cone.n = slip > 0.0 ? Vector2d(z.tail<2>() / slip) : Vector2d::Zero();
    interior &= cone.scaling.omega.allFinite() && cone.scaling.omega.minCoeff() > 0.0;
  }
  for (std::size_t k = 0; k < bounded_.size(); ++k) {
    Bounded& row = bounded_[k];
    double stiffness = kProximal;
    if (row.hasLower()) {
      row.below = slack(x.r[row.row] - row.lower, row.lower);
      stiffness += x.z[row.row] / row.below;
    }
    if (row.hasUpper()) {
      row.above = slack(row.upper - x.r[row.row], row.upper);
      stiffness += x.y[row.row] / row.above;
    }
    stiffness_[k] = stiffness;
    interior &= std::isfinite(stiffness) && stiffness > 0.0;
  }
  return interior;
}

double Barrier::calcGap(const InteriorPointIterate& x) const {
  if (degree_ == 0) return 0.0;
  double sum = 0.0;
  for (const Cone& cone : cones_) sum += cone3(x.r, cone.row).dot(cone3(x.z, cone.row));
  for (const Bounded& row : bounded_) {
    if (row.hasLower()) sum += (x.r[row.row] - row.lower) * x.z[row.row];
    if (row.hasUpper()) sum += (row.upper - x.r[row.row]) * x.y[row.row];
  }
  return sum / degree_;
}

double Barrier::calcGap(const InteriorPointIterate& x, const InteriorPointIterate& d,
                        double a) const {
  if (degree_ == 0) return 0.0;
  double sum = 0.0;
  for (const Cone& cone : cones_) {
    sum += (cone3(x.r, cone.row) + a * cone3(d.r, cone.row))
               .dot(cone3(x.z, cone.row) + a * cone3(d.z, cone.row));
  }
  for (const Bounded& row : bounded_) {
    const double r = x.r[row.row] + a * d.r[row.row];
    if (row.hasLower()) sum += (r - row.lower) * (x.z[row.row] + a * d.z[row.row]);
    if (row.hasUpper()) sum += (row.upper - r) * (x.y[row.row] + a * d.y[row.row]);
  }
  return sum / degree_;
}

void Barrier::calcResidual(const InteriorPointIterate& x, const VectorXd& u, VectorXd& g) const {
  g = u - x.z;
  for (const Bounded& row : bounded_) g[row.row] += x.y[row.row];
  if (model_ == FrictionModel::convex) return;
  for (const Cone& cone : cones_) g[cone.row] += tangentialNorm(cone3(x.z, cone.row));
}

void Barrier::calcWeights(double theta, bool inverse, BlockWeights& weights) {
  theta_ = theta;
  for (const Cone& cone : cones_) {
    Eigen::Map<Matrix3d> G(weights.block(cone.block));
    const Vector3d& omega = cone.scaling.omega;
    if (inverse) {  // N⁻¹(W⁻² + δ): the normal row loses θ n·(the tangential rows)
      G = makeSpectral(cone.scaling, omega.cwiseInverse() + Vector3d::Constant(kProximal));
      G.row(0) -= theta * (cone.n[0] * G.row(1) + cone.n[1] * G.row(2)).eval();
    } else {  // D N: the tangential columns gain θ n times the normal column
      G = makeSpectral(cone.scaling, omega.cwiseQuotient(Vector3d::Ones() + kProximal * omega));
      const Vector3d normal = theta * G.col(0);
      G.col(1) += cone.n[0] * normal;
      G.col(2) += cone.n[1] * normal;
    }
  }
  for (std::size_t k = 0; k < bounded_.size(); ++k) {
    const Bounded& row = bounded_[k];
    const int n = rows_->size(row.block);
    const int place = row.row - rows_->offset[row.block];
    double* G = weights.block(row.block) + place * n;
    std::fill_n(G, n, 0.0);
    G[place] = inverse ? stiffness_[k] : 1.0 / stiffness_[k];
  }
}

void Barrier::calcTarget(double nu, const InteriorPointIterate* predictor, bool inverse,
                         const InteriorPointIterate& x, VectorXd& target) {
  target.resize(rows_->rowCount());
  for (Cone& cone : cones_) {
    const Vector3d root_inverse = cone.root.cwiseInverse();
    Vector3d aim(nu, 0.0, 0.0);
    if (predictor != nullptr) {
      aim -= jordanProduct(applySpectral(cone.scaling, root_inverse, cone3(predictor->r, cone.row)),
                           applySpectral(cone.scaling, cone.root, cone3(predictor->z, cone.row)));
    }
    const bool centred = nu == 0.0 && predictor == nullptr;
    if (!centred) aim = jordanDivide(cone.scaled, aim);
    if (inverse) {
      Vector3d h = -cone3(x.z, cone.row);
      if (!centred) h += applySpectral(cone.scaling, root_inverse, aim);
      h[0] -= theta_ * (cone.n[0] * h[1] + cone.n[1] * h[2]);
      target.segment<3>(cone.row) = h;
    } else {
      Vector3d t = -cone3(x.r, cone.row);
      if (!centred) t += applySpectral(cone.scaling, cone.root, aim);
      const Vector3d T = (Vector3d::Ones() + kProximal * cone.scaling.omega).cwiseInverse();
      target.segment<3>(cone.row) = applySpectral(cone.scaling, T, t);
    }
  }
  for (std::size_t k = 0; k < bounded_.size(); ++k) {
    Bounded& row = bounded_[k];
    const double dr = predictor != nullptr ? predictor->r[row.row] : 0.0;
    double h = 0.0;
    if (row.hasLower()) {
      const double dz = predictor != nullptr ? predictor->z[row.row] : 0.0;
      row.target_z = (nu - dr * dz) / row.below - x.z[row.row];
      h += row.target_z;
    }
    if (row.hasUpper()) {
      const double dy = predictor != nullptr ? predictor->y[row.row] : 0.0;
      row.target_y = (nu + dr * dy) / row.above - x.y[row.row];
      h -= row.target_y;
    }
    target[row.row] = inverse ? h : h / stiffness_[k];
  }
}

void Barrier::calcDirection(const InteriorPointIterate& x, const VectorXd& g, const VectorXd& A_dr,
                            InteriorPointIterate& d) const {
  d.z.resize(d.r.size());
  d.y.resize(d.r.size());
  for (const Cone& cone : cones_) {
    Vector3d change = cone3(A_dr, cone.row) + cone3(g, cone.row);
    change[0] += theta_ * (cone.n[0] * change[1] + cone.n[1] * change[2]);
    d.z.segment<3>(cone.row) = change + kProximal * cone3(d.r, cone.row);
    d.y.segment<3>(cone.row).setZero();
  }
  for (const Bounded& row : bounded_) {
    const double dr = d.r[row.row];
    d.z[row.row] = row.hasLower() ? row.target_z - x.z[row.row] / row.below * dr : 0.0;
    d.y[row.row] = row.hasUpper() ? row.target_y + x.y[row.row] / row.above * dr : 0.0;
  }
}

double Barrier::maxStep(const InteriorPointIterate& x, const InteriorPointIterate& d) const {
  double step = kInfinity;
  for (const Cone& cone : cones_) {
    step = std::min(step, maxConeStep(cone3(x.r, cone.row), cone3(d.r, cone.row)));
    step = std::min(step, maxConeStep(cone3(x.z, cone.row), cone3(d.z, cone.row)));
  }
  for (const Bounded& row : bounded_) {
    const double dr = d.r[row.row];
    if (row.hasLower()) {
      step = std::min({step, rayStep(row.below, dr), rayStep(x.z[row.row], d.z[row.row])});
    }
    if (row.hasUpper()) {
      step = std::min({step, rayStep(row.above, -dr), rayStep(x.y[row.row], d.y[row.row])});
    }
  }
  return step;
}

void Barrier::moveInside(const VectorXd& u, double r_depth, double z_depth, bool always,
                         InteriorPointIterate& x) const {
  x.z = u;
  x.y.setZero(u.size());
  for (const Cone& cone : cones_) {
    const bool shifted = model_ == FrictionModel::coulomb && !always;
    if (shifted) x.z[cone.row] += tangentialNorm(cone3(x.z, cone.row));
    const double r_inside = coneDepth(cone3(x.r, cone.row));
    const double z_inside = coneDepth(cone3(x.z, cone.row));
    x.r[cone.row] += inside(r_inside, r_depth, always) - r_inside;
    x.z[cone.row] += inside(z_inside, z_depth, always) - z_inside;
  }
  for (const Bounded& row : bounded_) {
    double& r = x.r[row.row];
    if (row.hasLower() && row.hasUpper()) {
      // A box may be narrower than the depth: its velocities are then raised, so that the products
      // are no smaller than those of the other laws.
      const double middle = 0.5 * row.lower + 0.5 * row.upper;
      const double lowest = std::min(row.lower + r_depth, middle);
      r = std::clamp(r, lowest, std::max(row.upper - r_depth, middle));
      const double nu = r_depth * z_depth;
      x.z[row.row] = std::max(u[row.row], nu / slack(r - row.lower, row.lower));
      x.y[row.row] = std::max(-u[row.row], nu / slack(row.upper - r, row.upper));
      continue;
    }
    if (row.hasLower()) {
      r = row.lower + inside(r - row.lower, r_depth, always);
    } else if (row.hasUpper()) {
      r = row.upper - inside(row.upper - r, r_depth, always);
    }
    x.z[row.row] = row.hasLower() ? inside(u[row.row], z_depth, always) : 0.0;
    x.y[row.row] = row.hasUpper() ? inside(-u[row.row], z_depth, always) : 0.0;
  }
}

double Barrier::rootMeanSquare(const VectorXd& x) const {
  double sum = 0.0;
  int count = static_cast<int>(cones_.size());
  for (const Cone& cone : cones_) sum += cone3(x, cone.row).squaredNorm();
  for (const Bounded& row : bounded_) {
    if (!row.hasLower() && !row.hasUpper()) continue;
    sum += x[row.row] * x[row.row];
    ++count;
  }
  return count > 0 ? std::sqrt(sum / count) : 0.0;
}

}  // namespace cornet::exact
