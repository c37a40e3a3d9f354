#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cornet/base/kept_list.h"
#include "cornet/base/short_list.h"
#include "cornet/math/block_diagonal.h"
#include "cornet/math/block_ldu.h"

/// Rows over the velocities of bodies that are to hold, Σ g_i·w_i = target, and the factors of
///
///   K = M + Gᵀ(ε diag(G M⁻¹Gᵀ))⁻¹G
///
/// with which corrections of w are found: rows may contradict or repeat each other, ε keeps them from amplifying.
namespace cornet {

using Vector6d = Eigen::Matrix<double, 6, 1>;

/// What a row is to one body that moves.
struct HeldPart {
  int block;  // of M
  Vector6d g;

  bool operator==(const HeldPart& other) const { return block == other.block && g == other.g; }
};

struct HeldRow {
  ShortList<HeldPart, 2> parts;  // of different bodies
  double target = 0.0;
  bool one_sided = false;  // w need only be at least the target
  double give = 1.0;       // times as soft as joints
  static constexpr double kContactGive = 1e3;
  bool holds = true;       // otherwise it is there for the structure alone

  /// A row of no bodies, in the memory of the old one.
  HeldRow& reset(double the_target = 0.0) {
    parts.clear();
    target = the_target;
    one_sided = false;
    give = 1.0;
    holds = true;
    return *this;
  }
  void add(int block, const Vector6d& g) { parts.push_back({block, g}); }
  /// w += pull g.
  void pull(double pull, VectorXd& w) const {
    for (const HeldPart& part : parts) w.segment<6>(6 * part.block) += pull * part.g;
  }
  /// By how much w falls short of the target.
  double calcMiss(const VectorXd& w) const;
  /// Whether both act on the same bodies in the same way, whatever they aim at.
  bool actsAs(const HeldRow& other) const;
};

using HeldRowList = KeptList<HeldRow>;

class HeldFactor {
 public:
  /// ε of the diagonal.
  explicit HeldFactor(double proximal) : proximal_(proximal) {}

  /// Blocks of M are 6 x 6, a mass and a matrix that turning meets; the structure is kept while the same bodies are coupled.
  void factor(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows);
  /// x <- K⁻¹x.
  void solveInPlace(VectorXd& x) { ldu_.solveInPlace(x); }
  /// 1/(ε g M⁻¹g) of the rows.
  std::span<const double> weights() const { return weights_; }

 private:
  void calcWeights(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows);

  double proximal_;
  std::vector<Matrix3d> inverse_inertia_;  // of the blocks
  std::vector<double> weights_;
  std::unique_ptr<LduStructure> structure_;
  std::vector<std::pair<int, int>> couplings_, known_couplings_;
  BlockLdu ldu_;
};

}  // namespace cornet
