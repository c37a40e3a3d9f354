#include "cornet/collision/bounds_tree.h"

#include <algorithm>
#include <limits>

namespace cornet {
namespace {

// Half the surface of a box: the chance that something meets it.
double surface(const Bounds& box) {
  const Vector3d d = box.upper - box.lower;
  return d.x() * d.y() + d.y() * d.z() + d.z() * d.x();
}

}  // namespace

int BoundsTree::takeNode() {
  if (free_.empty()) {
    nodes_.emplace_back();
    return static_cast<int>(nodes_.size()) - 1;
  }
  const int node = free_.back();
  free_.pop_back();
  nodes_[node] = {};
  return node;
}

int BoundsTree::insert(const Bounds& bounds, double slack, int item) {
  refitAll();
  const int leaf = takeNode();
  nodes_[leaf].box = bounds.inflated(slack);
  nodes_[leaf].item = item;
  insertLeaf(leaf);
  return leaf;
}

void BoundsTree::remove(int leaf) {
  refitAll();
  removeLeaf(leaf);
  free_.push_back(leaf);
}

bool BoundsTree::update(int leaf, const Bounds& bounds, double slack) {
  if (nodes_[leaf].box.contains(bounds)) return false;
  // A short way: the leaf keeps its place, and boxes above it follow when the tree is asked.
  if (nodes_[leaf].box.overlaps(bounds)) {
    nodes_[leaf].box = bounds.inflated(slack);
    stale_ = true;
    return true;
  }
  refitAll();
  removeLeaf(leaf);
  nodes_[leaf].box = bounds.inflated(slack);
  insertLeaf(leaf);
  return true;
}

// All inner boxes from below; rotations keep the tree good while its leaves wander.
void BoundsTree::refitAll() {
  if (!stale_) return;
  stale_ = false;
  order_.clear();
  order_.push_back(root_);
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const Node& node = nodes_[order_[k]];
    for (const int child : node.child) {
      if (child >= 0 && !nodes_[child].isLeaf()) order_.push_back(child);
    }
  }
  for (std::size_t k = order_.size(); k-- > 0;) {
    if (nodes_[order_[k]].isLeaf()) continue;
    refit(order_[k]);
    rotate(order_[k]);
  }
}

// Down the branch that grows least, until stopping here costs less.
int BoundsTree::chooseSibling(const Bounds& box) const {
  int node = root_;
  while (!nodes_[node].isLeaf()) {
    const double joined = surface(nodes_[node].box.united(box));
    const double inherited = joined - surface(nodes_[node].box);
    double least = joined;  // a new parent here
    int next = -1;
    for (const int child : nodes_[node].child) {
      const double grown = surface(nodes_[child].box.united(box));
      const double cost =
          inherited + (nodes_[child].isLeaf() ? grown : grown - surface(nodes_[child].box));
      if (cost < least) {
        least = cost;
        next = child;
      }
    }
    if (next < 0) break;
    node = next;
  }
  return node;
}

void BoundsTree::replaceChild(int parent, int old_child, int new_child) {
  if (parent < 0) {
    root_ = new_child;
  } else {
    int* children = nodes_[parent].child;
    children[children[0] == old_child ? 0 : 1] = new_child;
  }
  if (new_child >= 0) nodes_[new_child].parent = parent;
}

void BoundsTree::insertLeaf(int leaf) {
  if (root_ < 0) {
    root_ = leaf;
    nodes_[leaf].parent = -1;
    return;
  }
  const int sibling = chooseSibling(nodes_[leaf].box);
  const int parent = takeNode();
  replaceChild(nodes_[sibling].parent, sibling, parent);
  nodes_[parent].child[0] = sibling;
  nodes_[parent].child[1] = leaf;
  nodes_[sibling].parent = nodes_[leaf].parent = parent;
  for (int node = parent; node >= 0; node = nodes_[node].parent) {
    refit(node);
    rotate(node);
  }
}

void BoundsTree::removeLeaf(int leaf) {
  if (leaf == root_) {
    root_ = -1;
    return;
  }
  const int parent = nodes_[leaf].parent;
  const int* children = nodes_[parent].child;
  const int sibling = children[0] == leaf ? children[1] : children[0];
  const int above = nodes_[parent].parent;
  replaceChild(above, parent, sibling);
  free_.push_back(parent);
  for (int node = above; node >= 0; node = nodes_[node].parent) {
    refit(node);
    rotate(node);
  }
}

void BoundsTree::refit(int node) {
  Node& n = nodes_[node];
  const Node& a = nodes_[n.child[0]];
  const Node& b = nodes_[n.child[1]];
  n.box = a.box.united(b.box);
  n.height = 1 + std::max(a.height, b.height);
}

// Exchanges a child with a grandchild on the other side where that shrinks the box between them.
void BoundsTree::rotate(int node) {
  if (nodes_[node].height < 2) return;
  double gain = 0.0;
  int lower_side = -1, grandchild = -1;
  for (int side = 0; side < 2; ++side) {
    const Node& inner = nodes_[nodes_[node].child[side]];
    const Node& outer = nodes_[nodes_[node].child[1 - side]];
    if (inner.isLeaf()) continue;
    for (int k = 0; k < 2; ++k) {
      // The outer child takes the place of grandchild k.
      const Bounds& kept = nodes_[inner.child[1 - k]].box;
      const double change = surface(inner.box) - surface(kept.united(outer.box));
      if (change > gain) {
        gain = change;
        lower_side = side;
        grandchild = k;
      }
    }
  }
  if (lower_side < 0) return;
  const int inner = nodes_[node].child[lower_side];
  const int outer = nodes_[node].child[1 - lower_side];
  const int raised = nodes_[inner].child[grandchild];
  nodes_[inner].child[grandchild] = outer;
  nodes_[outer].parent = inner;
  nodes_[node].child[1 - lower_side] = raised;
  nodes_[raised].parent = node;
  refit(inner);
  refit(node);
}

// Pairs of nodes whose boxes overlap, the larger one opened; a node with itself means its inside.
void BoundsTree::findPairs(std::vector<std::pair<int, int>>& pairs) {
  if (root_ < 0) return;
  refitAll();
  stack_.clear();
  stack_.emplace_back(root_, root_);
  while (!stack_.empty()) {
    const auto [a, b] = stack_.back();
    stack_.pop_back();
    if (a == b) {
      if (nodes_[a].isLeaf()) continue;
      const int left = nodes_[a].child[0];
      const int right = nodes_[a].child[1];
      stack_.emplace_back(left, left);
      stack_.emplace_back(right, right);
      stack_.emplace_back(left, right);
      continue;
    }
    if (!nodes_[a].box.overlaps(nodes_[b].box)) continue;
    if (nodes_[a].isLeaf() && nodes_[b].isLeaf()) {
      pairs.push_back(std::minmax(nodes_[a].item, nodes_[b].item));
    } else if (nodes_[b].isLeaf() ||
               (!nodes_[a].isLeaf() && surface(nodes_[a].box) >= surface(nodes_[b].box))) {
      stack_.emplace_back(nodes_[a].child[0], b);
      stack_.emplace_back(nodes_[a].child[1], b);
    } else {
      stack_.emplace_back(a, nodes_[b].child[0]);
      stack_.emplace_back(a, nodes_[b].child[1]);
    }
  }
}

void BoundsTree::findOverlaps(const Bounds& bounds, std::vector<int>& items) {
  if (root_ < 0) return;
  refitAll();
  stack_.clear();
  stack_.emplace_back(root_, 0);
  while (!stack_.empty()) {
    const Node& node = nodes_[stack_.back().first];
    stack_.pop_back();
    if (!node.box.overlaps(bounds)) continue;
    if (node.isLeaf()) {
      items.push_back(node.item);
    } else {
      for (const int child : node.child) stack_.emplace_back(child, 0);
    }
  }
}

double BoundsTree::enter(int node, const Vector3d& origin, const Vector3d& direction) const {
  // Rounding of the differences below must not lose a box.
  const double slack = 8.0 * std::numeric_limits<double>::epsilon() * origin.cwiseAbs().maxCoeff();
  const Bounds box = nodes_[node].box.inflated(slack);
  double in = 0.0, out = kInfinity;
  for (int k = 0; k < 3; ++k) {
    if (direction[k] == 0.0) {
      if (origin[k] < box.lower[k] || origin[k] > box.upper[k]) return kInfinity;
      continue;
    }
    const double t0 = (box.lower[k] - origin[k]) / direction[k];
    const double t1 = (box.upper[k] - origin[k]) / direction[k];
    in = std::max(in, std::min(t0, t1));
    out = std::min(out, std::max(t0, t1));
  }
  return in <= out ? in : kInfinity;
}

}  // namespace cornet
