#include <algorithm>
#include <numeric>

#include "cornet/math/block_ldu.h"

namespace cornet {
namespace {

// Parents and column structures of the elimination, at the level of blocks in elimination order.
struct Elimination {
  std::vector<int> order;                    // order[k] = block eliminated k-th
  std::vector<int> parent;                   // -1 at a root
  std::vector<std::vector<int>> structure;   // rows below the diagonal of column k, ascending
};

std::vector<std::vector<int>> laterNeighbours(const BlockGraph& graph, const std::vector<int>& order) {
  std::vector<int> rank(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) rank[order[k]] = static_cast<int>(k);
  std::vector<std::vector<int>> later(order.size());
  for (int e = 0; e < graph.entryCount(); ++e) {
    const auto [low, high] = std::minmax(rank[graph.first(e)], rank[graph.second(e)]);
    later[low].push_back(high);
  }
  return later;
}

Elimination eliminate(const BlockGraph& graph, std::vector<int> order) {
  Elimination result;
  const int n = graph.blockCount();
  result.structure = laterNeighbours(graph, order);
  result.order = std::move(order);
  result.parent.assign(n, -1);
  std::vector<std::vector<int>> children(n);
  std::vector<int> mark(n, -1);
  for (int k = 0; k < n; ++k) {
    std::vector<int>& rows = result.structure[k];
    mark[k] = k;
    for (const int row : rows) mark[row] = k;
    for (const int child : children[k]) {
      for (const int row : result.structure[child]) {
        if (mark[row] == k) continue;
        mark[row] = k;
        rows.push_back(row);
      }
    }
    std::ranges::sort(rows);
    if (!rows.empty()) {
      result.parent[k] = rows.front();
      children[rows.front()].push_back(k);
    }
  }
  return result;
}

// Children before parents, subtrees in one piece, so that supernodes are consecutive.
std::vector<int> postorder(const Elimination& elimination) {
  const int n = static_cast<int>(elimination.parent.size());
  std::vector<std::vector<int>> children(n + 1);
  for (int k = n - 1; k >= 0; --k) {
    const int parent = elimination.parent[k];
    children[parent < 0 ? n : parent].push_back(k);
  }
  std::vector<int> order;
  std::vector<int> stack(children[n]);
  std::vector<bool> opened(n, false);
  while (!stack.empty()) {
    const int k = stack.back();
    if (opened[k] || children[k].empty()) {
      stack.pop_back();
      order.push_back(elimination.order[k]);
      continue;
    }
    opened[k] = true;
    stack.insert(stack.end(), children[k].begin(), children[k].end());
  }
  return order;
}

// First columns of the supernodes. A column joins its predecessor when that is its child and the
// zeros this stores are few.
std::vector<int> findSupernodes(const BlockGraph& graph, const Elimination& elimination) {
  constexpr double kStoredZeros = 0.1;
  const int n = graph.blockCount();
  std::vector<int> height(n, 0);  // scalars below the diagonal block
  for (int k = 0; k < n; ++k) {
    for (const int row : elimination.structure[k]) height[k] += graph.size(elimination.order[row]);
  }
  std::vector<int> first;
  double true_entries = 0.0;
  double width = 0.0;
  for (int k = 0; k < n; ++k) {
    const double size = graph.size(elimination.order[k]);
    const double column_entries = size * (size + height[k]);
    bool joins = k > 0 && elimination.parent[k - 1] == k;
    if (joins) {
      const double stored = (width + size) * (width + size + height[k]);
      const double square_upper = width * size;  // counted in `stored`, never zero to be stored
      joins = stored - square_upper <= (1.0 + kStoredZeros) * (true_entries + column_entries);
    }
    if (!joins) {
      first.push_back(k);
      true_entries = 0.0;
      width = 0.0;
    }
    // Entries of the part on and below the block diagonal.
    true_entries += column_entries;
    width += size;
  }
  first.push_back(n);
  return first;
}

}  // namespace

LduStructure::LduStructure(const BlockGraph& graph) : graph_(graph) {
  const int n = graph.blockCount();
  Elimination elimination = eliminate(graph, makeFillReducingOrder(graph));
  elimination = eliminate(graph, postorder(elimination));
  const std::vector<int>& order = elimination.order;
  const std::vector<int> first = findSupernodes(graph, elimination);

  // Places of the blocks in the caller's vectors and in elimination order.
  offset_.assign(n + 1, 0);
  for (int i = 0; i < n; ++i) offset_[i + 1] = offset_[i] + graph.size(i);
  dimension_ = offset_[n];
  std::vector<int> scalar(n + 1, 0);
  std::vector<int> rank(n);
  position_.resize(n);
  for (int k = 0; k < n; ++k) {
    scalar[k + 1] = scalar[k] + graph.size(order[k]);
    rank[order[k]] = k;
    position_[order[k]] = scalar[k];
  }

  // Panels.
  std::vector<int> node_of(n);
  for (std::size_t s = 0; s + 1 < first.size(); ++s) {
    Node node{};
    const int begin = first[s];
    const int end = first[s + 1];
    for (int k = begin; k < end; ++k) node_of[k] = static_cast<int>(s);
    node.first = scalar[begin];
    node.width = scalar[end] - scalar[begin];
    node.rows_begin = static_cast<int>(rows_.size());
    for (const int row : elimination.structure[end - 1]) {
      rows_.push_back({scalar[row], scalar[row + 1] - scalar[row]});
      node.height += scalar[row + 1] - scalar[row];
    }
    node.rows_end = static_cast<int>(rows_.size());
    node.lower = lower_size_;
    node.upper = upper_size_;
    lower_size_ += Eigen::Index{node.width + node.height} * node.width;
    upper_size_ += Eigen::Index{node.height} * node.width;
    nodes_.push_back(node);
    const double w = node.width;
    const double m = node.height;
    flops_ += 2.0 / 3.0 * w * w * w + 2.0 * w * w * m + 2.0 * w * m * m;
  }

  // Row of a panel that holds a scalar of elimination order.
  const auto panelRow = [&](const Node& node, int position) {
    if (position < node.first + node.width) return position - node.first;
    int row = node.width;
    for (int r = node.rows_begin; r < node.rows_end; ++r) {
      if (rows_[r].position == position) return row;
      row += rows_[r].count;
    }
    return -1;
  };

  // Which rows of a panel update which rows of its ancestors.
  const auto node_at = [&](int position) {
    const auto it = std::ranges::upper_bound(scalar, position);
    return node_of[static_cast<int>(it - scalar.begin()) - 1];
  };
  for (Node& node : nodes_) {
    node.updates_begin = static_cast<int>(updates_.size());
    int source = 0;
    for (int c = node.rows_begin; c < node.rows_end; ++c) {
      Update update{};
      update.node = node_at(rows_[c].position);
      const Node& target = nodes_[update.node];
      update.source = source;
      update.width = rows_[c].count;
      update.column = rows_[c].position - target.first;
      update.runs_begin = static_cast<int>(runs_.size());
      int row = source;
      int cursor = target.rows_begin;
      int cursor_row = target.width;
      for (int r = c; r < node.rows_end; ++r) {
        int place = 0;
        if (rows_[r].position < target.first + target.width) {
          place = rows_[r].position - target.first;
        } else {
          while (rows_[cursor].position != rows_[r].position) cursor_row += rows_[cursor++].count;
          place = cursor_row;
        }
        // The first block stands alone: it is on the diagonal of the ancestor.
        const bool continues = r > c + 1 && runs_.back().target + runs_.back().count == place &&
                               (place != target.width);
        if (continues) {
          runs_.back().count += rows_[r].count;
        } else {
          runs_.push_back({row, place, rows_[r].count});
        }
        row += rows_[r].count;
      }
      update.runs_end = static_cast<int>(runs_.size());
      updates_.push_back(update);
      source += rows_[c].count;
    }
    node.updates_end = static_cast<int>(updates_.size());
  }

  // Where the blocks of the matrix go.
  for (int i = 0; i < n; ++i) {
    const Node& node = nodes_[node_of[rank[i]]];
    const int stride = node.width + node.height;
    const int at = position_[i] - node.first;
    const Eigen::Index start = node.lower + at + Eigen::Index{at} * stride;
    diagonal_.push_back({start, start, stride, stride, false, true});
  }
  for (int e = 0; e < graph.entryCount(); ++e) {
    const int i = graph.first(e);
    const int j = graph.second(e);
    const bool flipped = rank[i] < rank[j];
    const int early = flipped ? i : j;
    const int late = flipped ? j : i;
    const Node& node = nodes_[node_of[rank[early]]];
    const int stride = node.width + node.height;
    const int column = position_[early] - node.first;
    const int row = panelRow(node, position_[late]);
    Place place{};
    place.lower = node.lower + row + Eigen::Index{column} * stride;
    place.lower_stride = stride;
    place.flipped = flipped;
    place.in_square = row < node.width;
    if (place.in_square) {
      place.upper = node.lower + column + Eigen::Index{row} * stride;
      place.upper_stride = stride;
    } else {
      place.upper = node.upper + (row - node.width) + Eigen::Index{column} * node.height;
      place.upper_stride = node.height;
    }
    entry_.push_back(place);
  }
}

}  // namespace cornet
