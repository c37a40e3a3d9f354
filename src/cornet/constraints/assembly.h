#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cornet/constraints/constraint.h"
#include "cornet/constraints/row_builder.h"

/// The assembly: the one place where bodies and constraints become rows of a contact problem.
///
/// Velocity level, for a step dt; v is the velocity before it, C, J, J̇v, w as in constraint.h:
///
///   bilateral    b = -J v + dt (J̇ v - ẇ + α C + β (J v - w))                                    (ASM-1)
///   unilateral   b = C/dt - w while C > 0,  otherwise dt α C - w;
///                b = -w - rebound if C + dt (J v - w) ≤ 0 and a rebound is asked for            (ASM-2)
///   box          b = dt α C - w, bounds times dt                                                (ASM-3)
///                with a force law (DRV-1): b = R dt (k x - d w),  R = 1/(dt d + dt² k)          (ASM-6)
///   cone         normal as (ASM-2), tangents as (ASM-3)
///
/// Acceleration level, bilateral rows only (v_free and b hold accelerations, impulses are forces):
///
///   b = J̇ v - ẇ + α C + β (J v - w)                                                             (ASM-4)
///
/// Rows that constrain nothing (unit quaternions, rows between fixed bodies) are dropped. A friction
/// coefficient of zero leaves a unilateral row.
namespace cornet {

/// A contact of two bodies as a value, for callers with many: no allocation per contact.
struct ContactPoint {
  int body_a = -1;                       // indices of bodies
  int body_b = -1;
  Vector3d p_AC_W = Vector3d::Zero();    // from the centre of A to its witness point, world axes
  Vector3d p_BC_W = Vector3d::Zero();
  Vector3d normal = Vector3d::UnitZ();   // unit, from A into B
  Vector3d bias = Vector3d::Zero();      // added to (u_n, u_t1, u_t2) [m/s]: gap/dt, less a rebound
  double mu = 0.0;
  std::uint64_t key = 0;                 // stable name for warm starts
};

/// Rows of one constraint whose Jacobian and bias are known, in the velocities of its bodies: a view, whoever makes it has the numbers.
struct ReadyRows {
  std::span<const int> bodies;           // indices
  LawKind kind = LawKind::equality;      // equality, unilateral or box
  LambdaBounds impulse = LambdaBounds::bilateral();  // of box rows [N s]
  double compliance = 0.0;               // R of box rows: u = J v + b + R λ
  double share = 1.0;                    // of u that counts in the certificate
  const MatrixXd& J;                     // 6 columns for each body
  const VectorXd& bias;
  int origin = -1;                       // number of the constraint
};

/// Buffers are kept between problems.
class Assembler {
 public:
  /// Begins the rows of `problem`, whose M and v_free are those of the trees. The bodies must outlive
  /// the calls up to `finish`. Throws std::invalid_argument unless dt > 0.
  void reset(std::span<const BodyInProblem> bodies, double dt, double time, AssemblyLevel level,
             ContactProblem& problem);

  /// Adds a list of constraints; may be called once. Throws std::invalid_argument naming the
  /// constraint by index and type when a body does not exist, a Jacobian has the wrong shape, a number
  /// is not finite, or a law is impossible; the problem is then incomplete.
  void add(std::span<const Constraint* const> constraints);
  /// Adds contacts, three rows each (one without friction). They must be valid.
  void add(std::span<const ContactPoint> contacts);

  /// Adds rows and says where each went, -1 if it constrains nothing. They must be valid.
  void add(const ReadyRows& rows, std::vector<int>& row_of);
  /// Add a block, equalities or unilateral rows between bodies, or a row of a tree, and return its number. They must be valid.
  int add(const BodyRows& rows, LawKind kind);
  int add(const TreeRows& row);

  /// Completes the problem.
  void finish() { builder_.finish(); }

  /// For every row of every constraint added, in order: its row in the problem, -1 if dropped.
  const std::vector<int>& rowOf() const { return row_of_; }

 private:
  // What is known of a constraint before its rows are.
  struct Item {
    const Constraint* constraint;
    ConstraintLaw law;
    int index;
    std::string label;
    std::vector<int> bodies;
    std::vector<InertialState> states;
    int first_row;     // in row_of_
    int friction = -1; // of a normal: the item of its friction
    bool is_friction = false;
    bool active = true;
  };
  // Values of a constraint, checked.
  struct Values {
    MatrixXd J;
    VectorXd bias;
    double compliance = 0.0;
  };

  Item makeItem(const Constraint* constraint, int index, int first_row) const;
  void pairFriction(std::vector<Item>& items) const;
  Values calcValues(const Item& item, LawKind kind) const;
  VectorXd calcBias(const Item& item, const VectorXd& rate, LawKind kind) const;
  void followForceLaw(const Item& item, Values& values) const;
  VectorXd calcBilateralBias(const Item& item, const VectorXd& rate, const VectorXd& C,
                             const VectorXd& w) const;
  double calcUnilateralBias(double C, double rate, double w, double rebound, double alpha) const;
  void addRows(const Item& item);
  void addBlocks(const ReadyRows& rows, int* row_of);
  void addCone(const Item& normal, const Item& friction);
  void addOwnCone(const Item& item);
  void placeCone(const Item& normal, const BodyRows& rows, double mu, int tangent_row);

  RowBuilder builder_;
  RowMatrix block_J_;  // of the block that is being made, the largest so far
  VectorXd block_bias_;
  double dt_ = 0.0;
  double time_ = 0.0;
  AssemblyLevel level_ = AssemblyLevel::velocity;
  std::vector<int> row_of_;
};

}  // namespace cornet
