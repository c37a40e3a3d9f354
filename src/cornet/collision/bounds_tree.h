#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "cornet/collision/shape.h"

/// A dynamic tree of bounding boxes. Leaves are kept larger than what they bound, so that small motions
/// change nothing, and longer ones only the boxes above them. Insertion descends to the sibling with the
/// least growth of surface; rotations on the way up keep the tree shallow. [catto2019]         (COL-5)
namespace cornet {

class BoundsTree {
 public:
  /// Adds an item and returns its leaf.
  int insert(const Bounds& bounds, double slack, int item);
  void remove(int leaf);
  /// Takes new bounds; the tree changes only when they leave the leaf's box. Returns whether it did.
  bool update(int leaf, const Bounds& bounds, double slack);

  int item(int leaf) const { return nodes_[leaf].item; }
  const Bounds& box(int leaf) const { return nodes_[leaf].box; }
  int height() const { return root_ < 0 ? 0 : nodes_[root_].height; }

  /// Appends the items whose leaf boxes overlap, as (smaller, larger), in no particular order.
  void findPairs(std::vector<std::pair<int, int>>& pairs);
  /// Appends the items whose leaf boxes overlap the given one, in no particular order.
  void findOverlaps(const Bounds& bounds, std::vector<int>& items);

 private:
  struct Node {
    Bounds box;
    int parent = -1;
    int child[2] = {-1, -1};  // -1: a leaf
    int height = 0;
    int item = -1;
    bool isLeaf() const { return child[0] < 0; }
  };

  int takeNode();
  void insertLeaf(int leaf);
  void removeLeaf(int leaf);
  int chooseSibling(const Bounds& box) const;
  void refit(int node);
  void refitAll();
  void rotate(int node);
  void replaceChild(int parent, int old_child, int new_child);

  std::vector<Node> nodes_;
  std::vector<int> free_;
  int root_ = -1;
  std::vector<std::pair<int, int>> stack_;
  std::vector<int> order_;
  bool stale_ = false;  // leaves have moved, inner boxes have not
};

}  // namespace cornet
