#include "cornet/collision/mesh/mesh_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cornet/collision/bounds.h"

namespace cornet {
namespace {

constexpr int kLeafSize = 4;
constexpr double kRayRounding = 1e-14;

float roundDown(double x) {
  const auto f = static_cast<float>(x);
  return f <= x ? f : std::nextafter(f, -std::numeric_limits<float>::infinity());
}
float roundUp(double x) {
  const auto f = static_cast<float>(x);
  return f >= x ? f : std::nextafter(f, std::numeric_limits<float>::infinity());
}

}  // namespace

MeshTree::MeshTree(const std::vector<Vector3d>& vertices, const std::vector<int>& triangles) {
  const auto count = static_cast<int>(triangles.size() / 3);
  std::vector<float> boxes(6 * static_cast<std::size_t>(count));
  for (int t = 0; t < count; ++t) {
    const Vector3d& a = vertices[triangles[3 * t]];
    const Vector3d& b = vertices[triangles[3 * t + 1]];
    const Vector3d& c = vertices[triangles[3 * t + 2]];
    const Vector3d lower = a.cwiseMin(b).cwiseMin(c);
    const Vector3d upper = a.cwiseMax(b).cwiseMax(c);
    for (int k = 0; k < 3; ++k) {
      boxes[6 * static_cast<std::size_t>(t) + k] = roundDown(lower[k]);
      boxes[6 * static_cast<std::size_t>(t) + 3 + k] = roundUp(upper[k]);
    }
  }
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), 0);
  nodes_.reserve(2 * static_cast<std::size_t>(count) / kLeafSize + 1);
  if (count > 0) build(0, count, boxes);
}

// Splits where half of the centres lie on either side, along the longest side of the box.
int MeshTree::build(int begin, int end, const std::vector<float>& boxes) {
  const auto index = static_cast<int>(nodes_.size());
  Node node;
  std::fill_n(node.lower, 3, std::numeric_limits<float>::infinity());
  std::fill_n(node.upper, 3, -std::numeric_limits<float>::infinity());
  for (int i = begin; i < end; ++i) {
    const float* box = &boxes[6 * static_cast<std::size_t>(order_[i])];
    for (int k = 0; k < 3; ++k) {
      node.lower[k] = std::min(node.lower[k], box[k]);
      node.upper[k] = std::max(node.upper[k], box[3 + k]);
    }
  }
  if (end - begin <= kLeafSize) {
    node.first = begin;
    node.count = end - begin;
    std::sort(order_.begin() + begin, order_.begin() + end);
    nodes_.push_back(node);
    return index;
  }
  nodes_.push_back(node);
  int axis = 0;
  for (int k = 1; k < 3; ++k) {
    if (node.upper[k] - node.lower[k] > node.upper[axis] - node.lower[axis]) axis = k;
  }
  const int middle = begin + (end - begin) / 2;
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                   [&](int s, int t) {
                     const float* p = &boxes[6 * static_cast<std::size_t>(s) + axis];
                     const float* q = &boxes[6 * static_cast<std::size_t>(t) + axis];
                     return std::pair(p[0] + p[3], s) < std::pair(q[0] + q[3], t);
                   });
  build(begin, middle, boxes);
  const int second = build(middle, end, boxes);
  nodes_[index].first = second;
  return index;
}

void MeshTree::findOverlaps(const Bounds& bounds, std::vector<int>& found) const {
  found.clear();
  if (nodes_.empty()) return;
  const auto overlaps = [&bounds](const Node& node) {
    for (int k = 0; k < 3; ++k) {
      if (!(node.lower[k] <= bounds.upper[k] && bounds.lower[k] <= node.upper[k])) return false;
    }
    return true;
  };
  int stack[64];
  int size = 0;
  stack[size++] = 0;
  while (size > 0) {
    const int index = stack[--size];
    const Node& node = nodes_[index];
    if (!overlaps(node)) continue;
    found.insert(found.end(), order_.begin() + node.first, order_.begin() + node.first + node.count);
    if (node.count > 0) continue;
    stack[size++] = node.first;
    stack[size++] = index + 1;
  }
  std::ranges::sort(found);
}

bool MeshTree::meets(const Node& node, const Vector3d& origin, const Vector3d& inverse, double limit) {
  double enter = 0.0;
  double leave = limit;
  for (int k = 0; k < 3; ++k) {
    if (std::isinf(inverse[k])) {
      if (!(node.lower[k] <= origin[k] && origin[k] <= node.upper[k])) return false;
      continue;
    }
    const double s = (node.lower[k] - origin[k]) * inverse[k];
    const double t = (node.upper[k] - origin[k]) * inverse[k];
    if (std::min(s, t) > enter) enter = std::min(s, t);
    if (std::max(s, t) < leave) leave = std::max(s, t);
  }
  // A few units of rounding, so that a ray through an edge is not lost between two boxes.
  return enter <= leave + kRayRounding * (std::abs(leave) + origin.lpNorm<Eigen::Infinity>());
}

Bounds MeshTree::bounds() const {
  Bounds result;
  if (nodes_.empty()) return result;
  for (int k = 0; k < 3; ++k) {
    result.lower[k] = nodes_[0].lower[k];
    result.upper[k] = nodes_[0].upper[k];
  }
  return result;
}

}  // namespace cornet
