#include <algorithm>
#include <numeric>

#include "cornet/math/block_ldu.h"

namespace cornet {

// Parents and column structures of the elimination, at the level of blocks in elimination order.
struct LduStructure::Elimination {
  std::vector<int> order;                   // order[k] = block eliminated k-th
  std::vector<int> parent;                  // -1 at a root
  std::vector<std::vector<int>> structure;  // rows below the diagonal of column k, ascending
};

namespace {

// Up to here the search for sparsity costs more than the zeros it finds.
constexpr int kDenseDimension = 24;

std::vector<std::vector<int>> laterNeighbours(const BlockGraph& graph,
                                              const std::vector<int>& order) {
  std::vector<int> rank(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) rank[order[k]] = static_cast<int>(k);
  std::vector<std::vector<int>> later(order.size());
  for (int e = 0; e < graph.entryCount(); ++e) {
    const auto [low, high] = std::minmax(rank[graph.first(e)], rank[graph.second(e)]);
    later[low].push_back(high);
  }
  return later;
}

}  // namespace

LduStructure::Elimination LduStructure::eliminate(const BlockGraph& graph, std::vector<int> order) {
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
std::vector<int> LduStructure::postorder(const Elimination& elimination) {
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
std::vector<int> LduStructure::findSupernodes(const BlockGraph& graph,
                                              const Elimination& elimination) {
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

// Everything coupled to everything: one dense panel, in the caller's order.
LduStructure::Elimination LduStructure::eliminateDensely(const BlockGraph& graph) {
  const int n = graph.blockCount();
  Elimination result;
  result.order.resize(n);
  std::iota(result.order.begin(), result.order.end(), 0);
  result.parent.resize(n);
  result.structure.resize(n);
  for (int k = 0; k < n; ++k) {
    result.parent[k] = k + 1 < n ? k + 1 : -1;
    for (int row = k + 1; row < n; ++row) result.structure[k].push_back(row);
  }
  return result;
}

LduStructure::LduStructure(const BlockGraph& graph) : graph_(graph) {
  const int dimension = std::accumulate(graph.sizes().begin(), graph.sizes().end(), 0);
  Elimination elimination;
  if (dimension <= kDenseDimension) {
    elimination = eliminateDensely(graph);
  } else {
    elimination = eliminate(graph, makeFillReducingOrder(graph));
    elimination = eliminate(graph, postorder(elimination));
  }
  placeBlocks(elimination.order);
  layOutPanels(elimination, findSupernodes(graph, elimination));
  for (Node& node : nodes_) listUpdates(node);
  placeEntries();
}

// Places of the blocks in the caller's vectors and in elimination order.
void LduStructure::placeBlocks(const std::vector<int>& order) {
  const int n = graph_.blockCount();
  offset_.assign(n + 1, 0);
  position_.resize(n);
  for (int i = 0; i < n; ++i) offset_[i + 1] = offset_[i] + graph_.size(i);
  dimension_ = offset_[n];
  int next = 0;
  for (const int block : order) {
    position_[block] = next;
    next += graph_.size(block);
  }
}

// Size, rows and storage of every panel; `first` are the first columns of the supernodes.
void LduStructure::layOutPanels(const Elimination& elimination, const std::vector<int>& first) {
  const auto scalar = [&](int k) { return position_[elimination.order[k]]; };
  const auto size = [&](int k) { return graph_.size(elimination.order[k]); };
  node_at_.resize(dimension_);
  for (std::size_t s = 0; s + 1 < first.size(); ++s) {
    Node node{};
    const int last = first[s + 1] - 1;
    node.first = scalar(first[s]);
    node.width = scalar(last) + size(last) - node.first;
    std::fill_n(node_at_.begin() + node.first, node.width, static_cast<int>(s));
    node.rows_begin = static_cast<int>(rows_.size());
    for (const int row : elimination.structure[last]) {
      rows_.push_back({scalar(row), size(row), node.height});
      node.height += size(row);
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
}

// Which rows of a panel update which rows of its ancestors, in runs of consecutive rows.
void LduStructure::listUpdates(Node& node) {
  node.updates_begin = static_cast<int>(updates_.size());
  int source = 0;
  for (int c = node.rows_begin; c < node.rows_end; ++c) {
    Update update{};
    update.node = node_at_[rows_[c].position];
    const Node& target = nodes_[update.node];
    update.source = source;
    update.width = rows_[c].count;
    update.column = rows_[c].position - target.first;
    update.runs_begin = static_cast<int>(runs_.size());
    int row = source;
    for (int r = c; r < node.rows_end; ++r) {
      const int place = panelRow(target, rows_[r].position);
      // The first block stands alone, on the diagonal of the ancestor; a run stays in the square or
      // below it.
      const bool continues = r > c + 1 && place != target.width &&
                             runs_.back().target + runs_.back().count == place;
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

// Row of a panel that holds the first scalar of a block, given in elimination order.
int LduStructure::panelRow(const Node& node, int position) const {
  if (position < node.first + node.width) return position - node.first;
  const auto begin = rows_.begin() + node.rows_begin;
  const auto end = rows_.begin() + node.rows_end;
  const auto it = std::ranges::lower_bound(begin, end, position, {}, &RowBlock::position);
  return node.width + it->row;
}

// Where the blocks of the matrix go.
void LduStructure::placeEntries() {
  for (int i = 0; i < graph_.blockCount(); ++i) {
    const Node& node = nodes_[node_at_[position_[i]]];
    const int stride = node.width + node.height;
    const int at = position_[i] - node.first;
    const Eigen::Index start = node.lower + at + Eigen::Index{at} * stride;
    diagonal_.push_back({start, start, stride, stride, false, true});
  }
  for (int e = 0; e < graph_.entryCount(); ++e) {
    const int i = position_[graph_.first(e)];
    const int j = position_[graph_.second(e)];
    const auto [early, late] = std::minmax(i, j);
    const Node& node = nodes_[node_at_[early]];
    const int stride = node.width + node.height;
    const int column = early - node.first;
    const int row = panelRow(node, late);
    Place place{};
    place.lower = node.lower + row + Eigen::Index{column} * stride;
    place.lower_stride = stride;
    place.flipped = i < j;
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
