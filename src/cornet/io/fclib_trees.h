#pragma once

#include <vector>

#include "cornet/io/sparse_entries.h"

namespace cornet {

/// Cuts the degrees of freedom of a file, which does not say which belong together, into trees:
/// consecutive ranges that M does not couple with each other. Neighbouring ranges that the same
/// contacts touch are joined up to the size of a rigid body. Returns the sizes.
std::vector<int> findTrees(const SparseEntries& M, const SparseEntries& J);

}  // namespace cornet
