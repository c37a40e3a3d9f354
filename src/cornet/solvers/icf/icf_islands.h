#pragma once

#include <array>
#include <vector>

#include "cornet/math/islands.h"
#include "cornet/solvers/icf/icf_model.h"

namespace cornet {

/// The parts of a model that do not influence each other: trees tied by patches, holonomic pairs and rows. Every tree
/// belongs to one; islands are numbered by their first tree. Buffers are kept between calls.
class IcfIslands {
 public:
  void split(const IcfModel& model);

  int count() const { return islands_.count(); }
  IcfItems items(int island) const;
  /// Position of every tree in its island.
  std::span<const int> placeOfTree() const { return place_; }

 private:
  enum Kind { kTrees, kPatches, kHolonomics, kLimits, kCouplers, kGains, kBodies, kKinds };
  void appendRow(std::span<int> trees);

  Islands islands_;
  BlockSparseMatrix pattern_;
  std::array<std::vector<int>, kKinds> list_, begin_;
  std::vector<int> place_, trees_;
};

}  // namespace cornet
