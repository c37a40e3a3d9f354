#pragma once

#include <cmath>
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
  /// Calls limit = visit(item, limit) for the items whose leaf boxes the ray meets at a distance of at most
  /// the limit so far, nearer branches first. `direction` is a unit vector.
  template <class Visit>
  void castRay(const Vector3d& origin, const Vector3d& direction, double limit, const Visit& visit);

 private:
  struct Node {
    Bounds box;
    int parent = -1;
    int child[2] = {-1, -1};  // -1: a leaf
    int height = 0;
    int item = -1;
    bool isLeaf() const { return child[0] < 0; }
  };

  // Distance at which the ray enters the node's box, from below; infinite when it misses it.
  double enter(int node, const Vector3d& origin, const Vector3d& direction) const;
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

template <class Visit>
void BoundsTree::castRay(const Vector3d& origin, const Vector3d& direction, double limit,
                         const Visit& visit) {
  if (root_ < 0) return;
  stack_.clear();
  stack_.emplace_back(root_, 0);
  while (!stack_.empty()) {
    const int index = stack_.back().first;
    stack_.pop_back();
    // Again, because the limit may have come down since.
    const double distance = enter(index, origin, direction);
    if (!(distance <= limit) || std::isinf(distance)) continue;
    const Node& node = nodes_[index];
    if (node.isLeaf()) {
      limit = visit(node.item, limit);
      continue;
    }
    const bool swapped = enter(node.child[1], origin, direction) < enter(node.child[0], origin, direction);
    stack_.emplace_back(node.child[swapped ? 0 : 1], 0);
    stack_.emplace_back(node.child[swapped ? 1 : 0], 0);
  }
}

}  // namespace cornet
