#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cornet/math/types.h"

namespace cornet {

struct Bounds;

/// A fixed tree of bounding boxes over triangles, built once by halving at the median. Boxes are kept in
/// single precision, rounded outwards: 24 bytes a node, four triangles a leaf.
class MeshTree {
 public:
  MeshTree() = default;
  MeshTree(const std::vector<Vector3d>& vertices, const std::vector<int>& triangles);

  /// Replaces `found` by the triangles whose boxes overlap the given one, in ascending order.
  void findOverlaps(const Bounds& bounds, std::vector<int>& found) const;

  /// Visits the triangles whose boxes a ray may hit before `limit`, which the visitor may shorten:
  /// visit(triangle, limit).
  template <class Visitor>
  void visitRay(const Vector3d& origin, const Vector3d& direction, double limit, Visitor visit) const;

  /// Box around everything.
  Bounds bounds() const;

 private:
  struct Node {
    float lower[3], upper[3];
    std::int32_t first = 0;  // of its triangles in order_; of an inner node its second child
    std::int32_t count = 0;  // 0: an inner node; its first child is the next node
  };
  int build(int begin, int end, const std::vector<float>& boxes);
  static bool meets(const Node& node, const Vector3d& origin, const Vector3d& inverse, double limit);

  std::vector<Node> nodes_;
  std::vector<int> order_;
};

// The stack is deep enough for any tree over 2³¹ triangles halved at the median.
template <class Visitor>
void MeshTree::visitRay(const Vector3d& origin, const Vector3d& direction, double limit,
                        Visitor visit) const {
  if (nodes_.empty()) return;
  const Vector3d inverse = direction.cwiseInverse();
  int stack[64];
  int size = 0;
  stack[size++] = 0;
  while (size > 0) {
    const int index = stack[--size];
    const Node& node = nodes_[index];
    if (!meets(node, origin, inverse, limit)) continue;
    for (int k = 0; k < node.count; ++k) visit(order_[node.first + k], limit);
    if (node.count > 0) continue;
    stack[size++] = node.first;
    stack[size++] = index + 1;
  }
}

}  // namespace cornet
