#pragma once

#include <vector>

#include "cornet/solvers/ecos/sparse_matrix.h"

struct pwork;  // ECOS's workspace

/// A conic program in the form of ECOS, with its workspace:
///
///   min c·x   subject to   G x + s = h,  A x = b,                                         (ECOS-2)
///     s in R₊^num_positive x Q^cone_sizes[0] x Q^cone_sizes[1] x ...
///
/// with the duals z of the first rows and y of the second: c + Gᵀz + Aᵀy = 0. Q^n is the cone of
/// vectors whose first entry is at least the norm of the others.
///
/// ECOS scales the arrays it is given in place and scales them back, with rounding, when its
/// workspace dies. It therefore gets copies; the fields here keep their values, and the workspace
/// dies first.
namespace cornet {

/// The numbers of a conic program in the order in which it stores them.
struct ECOSValues {
  std::vector<double> G, A, c, h, b;
};

/// Which row of the contact problem a row of the conic program came from:
/// λ = impulse + to_impulse · dual, and an additional velocity w [m/s] of that row adds
/// to_right_side · w to its right side.
struct ConicRow {
  enum class Part { none, cone, equality };  // none: the impulse is known
  Part part = Part::none;
  int index = -1;              // in (h, z) or in (b, y)
  double impulse = 0.0;        // [N s]
  double to_impulse = 0.0;
  double to_right_side = 0.0;
};

class ECOSData {
 public:
  ECOSData() = default;
  ~ECOSData();
  ECOSData(const ECOSData&) = delete;
  ECOSData& operator=(const ECOSData&) = delete;
  ECOSData(ECOSData&& other) noexcept;
  ECOSData& operator=(ECOSData&& other) noexcept;

  /// Makes the workspace, in place of an old one. Throws std::invalid_argument when sizes disagree.
  void setup();
  /// Frees the workspace; allowed at any time.
  void cleanup();
  bool isSetUp() const { return workspace_ != nullptr; }

  /// Solves, after a set-up if there is none yet, fills x .. gap and returns ECOS's exit flag.
  /// Whatever the flag, the iterate is the best that ECOS had; zero if it had none.
  int solve(double abs_tol, double rel_tol, int max_iterations);

  /// The numbers of the fields below.
  ECOSValues values() const { return {G.data, A.data, c, h, b}; }
  /// Other numbers at the same places, until the next set-up. The next solve is the one a fresh
  /// set-up with these numbers would give.
  void update(const ECOSValues& values);
  /// The same for the right side of the cones alone.
  void updateH(const std::vector<double>& new_h);

  /// Impulses of the contact problem, from the duals of the last solve [N s].
  VectorXd impulses() const;

  ECOSSparseMatrix G, A;  // A may be empty
  std::vector<double> h, b, c;
  std::vector<long> cone_sizes;
  long num_positive = 0;
  std::vector<ConicRow> rows;  // per row of the contact problem
  long num_velocities = 0;     // the first variables, y of (ECOS-3); the last cone is theirs

  std::vector<double> x, y, z, s;  // of the last solve
  int exit_flag = 0;
  int iterations = 0;
  double primal_residual = 0.0, dual_residual = 0.0, gap = 0.0;

 private:
  void requireConsistent() const;
  void readIterate();
  void takeFields(ECOSData& other) noexcept;

  pwork* workspace_ = nullptr;
  ECOSValues own_;  // what ECOS scales
};

}  // namespace cornet
