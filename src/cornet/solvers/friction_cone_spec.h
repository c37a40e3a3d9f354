#pragma once

#include <vector>

#include "cornet/problem/delassus_problem.h"

namespace cornet {

/// Which rows of a system A λ - b are contacts with friction, and how much of it: contact i has the
/// rows normalIndices[i] + (0, 1, 2) = (n, t1, t2) and the coefficient frictionCoefficients[i].
struct FrictionConeSpec {
  FrictionConeSpec() = default;
  /// Throws std::invalid_argument when the number is negative.
  explicit FrictionConeSpec(int numContacts);

  /// Throws std::invalid_argument when the contact does not exist, mu is not ≥ 0 or the index is
  /// negative.
  void setFriction(int contactIndex, double mu, int normalConstraintIndex);

  /// Size of each second-order cone: three.
  std::vector<long> getConeSizes() const;

  int numContacts = 0;
  std::vector<double> frictionCoefficients;
  std::vector<int> normalIndices;
};

/// Contacts u = A λ - b as a problem, in the order of the specification: its block i is contact i. Throws
/// std::invalid_argument when sizes disagree, rows are missing or shared, or a number is not finite.
DelassusProblem makeDelassusProblem(const MatrixXd& A, const VectorXd& b,
                                    const FrictionConeSpec& spec, int numContacts);

}  // namespace cornet
