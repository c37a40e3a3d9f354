#pragma once

#include <vector>

#include "cornet/problem/delassus_problem.h"
#include "cornet/solvers/active_set.h"

/// Friction cones replaced by polygons, so that rows with bounds are all that is left.
///
/// A centrally symmetric polygon is a sum of segments, and the force of maximal dissipation over a sum
/// is found segment by segment:
///
///   λ_t = Σ_j a_j e_j,   |a_j| ≤ w μ λ_n,   u_j = e_j·u_t:  each a_j obeys a box law             (POLY-1)
///
///   model        polygon in the unit circle's terms              segments e_j          w
///   pyramid      square with its corners on the axes             (1, ±1)/√2            1/√2
///   box          square around the circle                        the axes              1
///   scaled_box   square inside the circle                        the axes              1/√2
///   polygon      regular, N corners on the circle, N even        its N/2 edges         sin(π/N)
///
/// The bounds w μ λ_n belong to the normal impulse of the solve before: the outer loop repeats the
/// solve until they agree. For one contact the map has the factor μ|A_nt|/A_nn, so it may diverge. (POLY-2)
namespace cornet::active_set {

struct FrictionPolygon {
  std::vector<Vector2d> segment;  // unit vectors e_j
  double half_width = 1.0;        // w
};

/// Throws std::invalid_argument when `faces` is odd, below 4 or above 1000.
FrictionPolygon makeFrictionPolygon(ConeApproximation model, int faces);

/// A problem with cones written in segments.
class PolygonProblem {
 public:
  PolygonProblem(const DelassusProblem& problem, const FrictionPolygon& polygon);

  /// Its rows are unilateral, equality and box ones only.
  const DelassusProblem& expanded() const { return expanded_; }

  /// Sets the bounds of the segments for the given normal impulses, one per cone.
  void setNormals(const VectorXd& normals);
  /// Normal impulses of the cones in impulses of the expanded problem.
  VectorXd normalsOf(const VectorXd& expanded) const;

  /// Impulses of the problem <-> those of the expanded one.
  VectorXd expand(const VectorXd& lambda) const;
  VectorXd collapse(const VectorXd& expanded) const;

  /// A certificate of the expanded problem as one of the problem's blocks.
  void collapse(Certificate& certificate) const;

 private:
  struct Cone {
    int row;       // normal row in the problem
    int first;     // normal row in the expanded problem; the segments follow
    double mu;
  };

  void addRows(const DelassusProblem& problem);
  void addMatrix(const DelassusProblem& problem);
  MatrixXd expansionOf(int block) const;

  FrictionPolygon polygon_;
  DelassusProblem expanded_;
  std::vector<Cone> cones_;
  std::vector<int> cone_of_block_;   // block of the problem -> cone, -1 if none
  std::vector<int> first_block_;     // block of the problem -> its first block in the expanded one
  std::vector<int> row_, expanded_row_;  // rows that are the same in both
  int rows_ = 0;
};

}  // namespace cornet::active_set
