#include "cornet/io/fclib_trees.h"

#include <algorithm>

namespace cornet {
namespace {

constexpr int kRigidBodyDofs = 6;
constexpr int kRowsPerContact = 3;

// End (exclusive) of the range each degree of freedom is coupled up to, running maximum.
std::vector<int> coupledRangeSizes(const SparseEntries& M) {
  std::vector<int> reach(static_cast<std::size_t>(M.rows));
  for (int k = 0; k < M.rows; ++k) reach[k] = k;
  for (const SparseEntries::Entry& entry : M.entries) {
    const auto [low, high] = std::minmax(entry.row, entry.column);
    reach[low] = std::max(reach[low], high);
  }
  std::vector<int> sizes;
  int start = 0;
  int furthest = 0;
  for (int k = 0; k < M.rows; ++k) {
    furthest = std::max(furthest, reach[k]);
    if (furthest == k) {
      sizes.push_back(k + 1 - start);
      start = k + 1;
    }
  }
  return sizes;
}

}  // namespace

std::vector<int> findTrees(const SparseEntries& M, const SparseEntries& J) {
  const std::vector<int> ranges = coupledRangeSizes(M);
  std::vector<int> range_of(static_cast<std::size_t>(M.rows));
  int dof = 0;
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    for (int end = dof + ranges[k]; dof < end; ++dof) range_of[dof] = static_cast<int>(k);
  }
  std::vector<std::vector<int>> contacts(ranges.size());
  for (const SparseEntries::Entry& entry : J.entries) {
    std::vector<int>& list = contacts[range_of[entry.column]];
    const int contact = entry.row / kRowsPerContact;
    if (list.empty() || list.back() != contact) list.push_back(contact);
  }
  std::vector<int> sizes;
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    const bool joins = k > 0 && !contacts[k].empty() && contacts[k] == contacts[k - 1] &&
                       sizes.back() + ranges[k] <= kRigidBodyDofs;
    if (joins) {
      sizes.back() += ranges[k];
    } else {
      sizes.push_back(ranges[k]);
    }
  }
  return sizes;
}

}  // namespace cornet
