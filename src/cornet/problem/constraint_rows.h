#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cornet/math/types.h"

namespace cornet {

/// What a block of rows demands of its velocity u [m/s] and impulse λ [N s].                  (LAW-1)
enum class LawKind : std::uint8_t {
  equality,    ///< u = 0, λ free
  unilateral,  ///< row by row 0 ≤ u ⊥ λ ≥ 0
  box,         ///< row by row lower ≤ λ ≤ upper; u = 0 inside, u ≥ 0 at lower, u ≤ 0 at upper
  cone,        ///< Coulomb, rows (n, t1, t2): λ in K_μ, u + μ‖u_t‖e_n in K_μ*, orthogonal
};

std::string_view toString(LawKind kind);

/// Which friction a cone block means. `convex` drops the De Saxcé term: it is a different model,
/// kept for comparison, and never the default.
enum class FrictionModel : std::uint8_t { coulomb, convex };

/// Where a block comes from, so that an impulse traces back to its geometry: "contact 7".
struct Origin {
  enum class Kind : std::uint8_t { unknown, contact, joint, limit, motor, constraint };
  Kind kind = Kind::unknown;
  std::int32_t index = -1;
  bool operator==(const Origin&) const = default;
};

std::string_view toString(Origin::Kind kind);
std::string toString(const Origin& origin);

/// The rows of a contact problem: what its velocity form and its Delassus form have in common.
/// Block i is made of the rows offset(i) .. offset(i) + size(i). All per-row arrays have rowCount()
/// entries, all per-block arrays blockCount().
class ConstraintRows {
 public:
  /// Each appends a block and returns its index. A cone has three rows (n, t1, t2), others 1 to 6.
  int addEquality(int rows, Origin origin = {});
  int addUnilateral(int rows, Origin origin = {});
  int addBox(std::span<const double> lower, std::span<const double> upper, Origin origin = {});
  int addCone(double mu, Origin origin = {});
  /// Appends a copy of block i of other rows.
  int addCopy(const ConstraintRows& other, int i);
  /// Back to no rows; memory is kept.
  void clear();

  int blockCount() const { return static_cast<int>(offset_.size()) - 1; }
  int rowCount() const { return offset_.back(); }
  int offset(int i) const { return offset_[i]; }
  int size(int i) const { return offset_[i + 1] - offset_[i]; }
  std::span<const int> offsets() const { return offset_; }

  /// Throws std::invalid_argument naming block, value and limit when an entry is out of range.
  void validate() const;

  bool operator==(const ConstraintRows&) const = default;

  static constexpr int kMaxBlockRows = 6;

  std::vector<LawKind> kind;        // per block
  std::vector<double> mu;           // per block; 0 unless a cone
  std::vector<Origin> origin;       // per block
  std::vector<std::uint64_t> key;   // per block; stable name for warm starts, 0 = none
  std::vector<double> lower;        // per row [N s]; of box rows, 0 and ∞ for unilateral ones
  std::vector<double> upper;        // per row [N s]
  std::vector<double> compliance;   // per row [1/kg]: u = J v + b + R λ, R ≥ 0
  std::vector<double> lever;        // per row [m]: turns a row's velocity into m/s; 1 if it is one

 private:
  int addBlock(LawKind law, int rows, double friction, Origin from);
  std::vector<int> offset_{0};
};

}  // namespace cornet
