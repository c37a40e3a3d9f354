#pragma once

#include <vector>

#include "cornet/problem/constraint_rows.h"

/// What our reader and writer of fclib files agree on.
namespace cornet {

/// Version of the group /cornet beside an fclib problem, docs/formats/fclib.md.
inline constexpr int kExtensionVersion = 1;

/// The rows fclib knows: cones with finite μ (its r, u) and equalities (its l). For every row of a
/// problem its place among them, or -1.
struct FclibRows {
  explicit FclibRows(const ConstraintRows& rows);

  /// Whether the cones are the whole problem, so that fclib's matrices say all of it.
  bool complete() const { return cone_count == static_cast<int>(cone.size()); }

  std::vector<int> cone;
  std::vector<int> equality;
  int cone_count = 0;
  int equality_count = 0;
  std::vector<double> mu;  // per cone block
};

/// The entries of x that have a place in the map, in its order.
std::vector<double> pick(const VectorXd& x, const std::vector<int>& map, int count);

}  // namespace cornet
