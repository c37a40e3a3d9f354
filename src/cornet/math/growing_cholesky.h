#pragma once

#include "cornet/math/types.h"

namespace cornet {

/// A = L Lᵀ of a positive definite matrix whose rows and columns come and go one by one, each change
/// in O(n²): appended at the end, removed anywhere (Givens rotations restore the triangle).
class GrowingCholesky {
 public:
  /// Back to the empty matrix, with room for this many rows.
  void reset(int capacity);
  int size() const { return size_; }

  /// w = L⁻¹ a for the column a of a candidate; the pivot it would get is A_jj - w·w.
  void solveLower(const VectorXd& a, VectorXd& w) const;
  /// x <- L⁻ᵀ x.
  void solveUpper(VectorXd& x) const;

  /// Appends a row with this w and a positive pivot.
  void append(const VectorXd& w, double pivot);
  void remove(int k);

 private:
  MatrixXd L_;
  int size_ = 0;
};

}  // namespace cornet
