#pragma once

#include <vector>

#include "cornet/math/block_graph.h"
#include "cornet/math/panel_factor.h"
#include "cornet/math/types.h"

/// Sparse factorization of a block matrix with symmetric pattern, values symmetric or not:
///
///   P A Pᵀ = L D Lᵀ   (symmetric)     or     P A Pᵀ = L U   (general), no pivoting            (LDU-1)
///
/// Columns with the same structure form supernodes; a supernode is a dense panel
///
///   [ A_ss  U_s ]        A_ss = L_ss U_ss,   L_s <- L_s U_ss⁻¹,   U_s <- L_ss⁻¹ U_s,
///   [ L_s       ]        every pair of its rows (i, j) updates A_ij -= L_s(i) U_s(j)            (LDU-2)
///
/// straight into the panels of its ancestors, over runs of consecutive rows found beforehand. Pivots
/// below 1e-13 times the largest entry of their square are replaced by that, keeping their sign, and
/// counted: the caller then has to refine. Sums run in a fixed order.
///
/// Small systems are one dense panel. The symbolic part depends on the graph alone and is shared
/// between factorizations.
namespace cornet {

/// Order, supernodes and the places of everything: what the graph determines.
class LduStructure {
 public:
  explicit LduStructure(const BlockGraph& graph);

  const BlockGraph& graph() const { return graph_; }
  int dimension() const { return dimension_; }
  /// Floating-point operations of one general factorization; a symmetric one takes half.
  double flops() const { return flops_; }
  int supernodeCount() const { return static_cast<int>(nodes_.size()); }

 private:
  friend class BlockLdu;

  // Rows [source, source + count) of a panel update rows from `target` on of another panel.
  struct Run {
    int source;
    int target;
    int count;
  };
  // One block row of a panel seen as a column of an ancestor.
  struct Update {
    int node;           // the ancestor
    int source;         // first row in this panel, below the square
    int width;          // its columns
    int column;         // first column in the ancestor
    int runs_begin, runs_end;  // rows from this block on
  };
  struct Node {
    int width;          // columns
    int height;         // rows below the square
    int first;          // first eliminated scalar
    Eigen::Index lower; // start of (width + height) x width values: square, then L
    Eigen::Index upper; // start of height x width values: Uᵀ
    int rows_begin, rows_end;        // block rows below: (scalar in elimination order, count)
    int updates_begin, updates_end;
  };
  struct RowBlock {
    int position;  // scalar position in elimination order
    int count;
    int row;       // first row in the part of the panel below the square
  };
  // Where a block of the matrix is stored.
  struct Place {
    Eigen::Index lower;  // start in the lower values
    Eigen::Index upper;  // start in the upper values (transposed), or in the square
    int lower_stride;
    int upper_stride;
    bool flipped;        // the entry's first block is eliminated before its second
    bool in_square;      // both blocks belong to one supernode: the upper part is in the square
  };

  struct Elimination;
  static Elimination eliminate(const BlockGraph& graph, std::vector<int> order);
  static Elimination eliminateDensely(const BlockGraph& graph);
  static std::vector<int> postorder(const Elimination& elimination);
  static std::vector<int> findSupernodes(const BlockGraph& graph, const Elimination& elimination);
  void placeBlocks(const std::vector<int>& order);
  void layOutPanels(const Elimination& elimination, const std::vector<int>& first);
  void listUpdates(Node& node);
  int panelRow(const Node& node, int position) const;
  void placeEntries();

  BlockGraph graph_;
  int dimension_ = 0;
  double flops_ = 0.0;
  Eigen::Index lower_size_ = 0;
  Eigen::Index upper_size_ = 0;
  std::vector<int> position_;  // block -> first scalar in elimination order
  std::vector<int> offset_;    // block -> first scalar in the caller's order
  std::vector<int> node_at_;   // scalar in elimination order -> its supernode
  std::vector<Node> nodes_;
  std::vector<RowBlock> rows_;
  std::vector<Update> updates_;
  std::vector<Run> runs_;
  std::vector<Place> diagonal_, entry_;
};

/// Values of one matrix and its factors. All buffers are kept between factorizations.
class BlockLdu {
 public:
  using Block = Eigen::Ref<const MatrixXd, 0, Eigen::OuterStride<>>;

  BlockLdu() = default;
  /// The structure may be shared by many factorizations; it must outlive this one.
  explicit BlockLdu(const LduStructure& structure) { reset(structure); }
  /// Turns to another structure; memory is kept.
  void reset(const LduStructure& structure);

  /// Starts a new matrix: all blocks zero.
  void setZero();
  /// Adds to the diagonal block i.
  void addDiagonal(int i, const Block& A_ii);
  /// Adds to the blocks of entry e of the graph, (i, j) = (first(e), second(e)): both of a general
  /// matrix, the one below the diagonal of a symmetric one.
  void addEntry(int e, const Block& A_ij, const Block& A_ji);
  void addSymmetricEntry(int e, const Block& A_ij);

  /// A block in place, to add to: column-major with this stride.
  struct Place {
    double* values;
    int stride;
  };
  Place diagonal(int i);
  /// Of an entry, the block below the diagonal (row block lowerRow(e)) and the one above it, which is
  /// stored transposed unless aboveIsPlain(e).
  Place below(int e);
  Place above(int e);
  int lowerRow(int e) const;
  bool aboveIsPlain(int e) const;

  /// Remembers what was added so far, and goes back to it.
  void keepBase();
  void restoreBase();

  /// Factors what was added. The symmetric form reads the lower part only. Returns how many pivots
  /// had to be replaced; 0 for a safe factorization.
  int factorSymmetric();
  int factorGeneral();

  /// x <- A⁻¹ x with the last factors.
  void solveInPlace(VectorXd& x) const;
  /// Product of the signs of all pivots: the sign of the determinant.
  int determinantSign() const { return sign_; }

 private:
  template <bool kSymmetric>
  int factor();
  template <bool kSymmetric>
  void updateAncestors(int s);

  const LduStructure* structure_ = nullptr;
  std::vector<double> lower_, upper_;
  std::vector<double> base_lower_, base_upper_;
  PanelFactor panel_factor_;
  mutable std::vector<double> work_, below_;
  int sign_ = 1;
};

}  // namespace cornet
