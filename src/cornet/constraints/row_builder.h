#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cornet/body/inertial_state.h"
#include "cornet/constraints/lambda_bounds.h"
#include "cornet/problem/contact_problem.h"

/// Puts rows written in body velocities into a contact problem written in those of trees. The columns
/// of a fixed or kinematic body are gone, its velocity enters the bias; its acceleration is zero.
///                                                                                           (ASM-5)
namespace cornet {

/// What velocities and impulses of the problem stand for: those of a step, or accelerations and forces.
enum class AssemblyLevel : std::uint8_t { velocity, acceleration };

using BodyJacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;

/// A body as the assembly sees it.
struct BodyInProblem {
  InertialState state;
  int tree = -1;         // block of M and block column of J; -1: fixed or kinematic
  double radius = 1.0;   // [m] turns angular errors into m/s
  const BodyJacobian* jacobian = nullptr;  // (v_WB, ω_WB) from the tree's velocities; null: identity
};

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Rows of one block in the velocities of bodies, 6 columns for each: a view, whoever makes it has the numbers.
struct BodyRows {
  static constexpr int kMax = ConstraintRows::kMaxBlockRows;

  int count() const { return static_cast<int>(J.rows()); }

  std::span<const int> bodies;  // each once
  Eigen::Ref<const RowMatrix, 0, Eigen::OuterStride<>> J;
  Eigen::Ref<const VectorXd> bias;
};

/// Rows between bodies A and B with the numbers inside, so that filling them takes no memory.
template <int Rows>
struct PairRows {
  std::array<int, 2> bodies = {-1, -1};
  Eigen::Matrix<double, Rows, 12, Eigen::RowMajor> J;
  Eigen::Matrix<double, Rows, 1> bias;

  operator BodyRows() const { return {bodies, J, bias}; }
};

/// A row in the velocities of one tree: of its own joints.
struct TreeRows {
  int tree = -1;  // block of M
  VectorXd g;
  double bias = 0.0;
  LawKind kind = LawKind::equality;                  // equality, unilateral or box
  LambdaBounds impulse = LambdaBounds::bilateral();  // of a box row [N s]
  double compliance = 0.0;
  double share = 1.0;                                // of its velocity that counts in the certificate
};

class RowBuilder {
 public:
  /// Begins the rows of `problem`, whose M is that of the trees. Both must outlive the calls up to
  /// `finish`.
  void reset(std::span<const BodyInProblem> bodies, AssemblyLevel level, ContactProblem& problem);

  std::span<const BodyInProblem> bodies() const { return bodies_; }

  /// Whether a row moves anything: its part on bodies that move is more than rounding of a row of
  /// this size.
  bool constrains(const BodyRows& rows, int row, double size) const;

  /// Append a block and return its first row in the problem.
  int addEquality(const BodyRows& rows, Origin origin);
  int addUnilateral(const BodyRows& rows, Origin origin);
  /// Rows with a compliance R count in the certificate with this share of their velocity, of which R λ is a part that nothing
  /// moves with.
  int addBox(const BodyRows& rows, const LambdaBounds& impulse_bounds, Origin origin, double compliance = 0.0,
             double share = 1.0);
  /// Three rows (n, t1, t2); without friction only the first is kept, as unilateral.
  int addCone(const BodyRows& rows, double mu, Origin origin, std::uint64_t key = 0);

  int addTreeRow(const TreeRows& row, Origin origin);

  int blockCount() const { return problem_->rows.blockCount(); }
  /// Completes the problem.
  void finish();

 private:
  int addRows(const BodyRows& rows, int block);
  void addJacobian(const BodyRows& rows, int block, int member);
  double calcLever(const BodyRows& rows, int row) const;

  std::span<const BodyInProblem> bodies_;
  AssemblyLevel level_ = AssemblyLevel::velocity;
  ContactProblem* problem_ = nullptr;
  std::vector<double> bias_;
  std::vector<int> trees_;
};

}  // namespace cornet
