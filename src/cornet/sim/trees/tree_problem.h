#pragma once

#include <optional>

#include "cornet/constraints/assembly.h"
#include "cornet/sim/trees/contact_at.h"
#include "cornet/sim/trees/island_trees.h"

/// Contact problems over the velocities of an island's trees, with rows at the pose where they are: of contacts, of constraints
/// between bodies, and of the trees' own.
namespace cornet {

class TreeProblem {
 public:
  /// Begins a problem at the present pose: M and v_free are those of the trees, to be changed as it pleases. Surroundings
  /// have the velocity they have `t` after the start of the step, belts apart; without one they stand.
  void begin(const WorldModel& world, const StepView& step, const Island& island, const IslandTrees& trees,
             std::optional<double> t);

  /// Each returns the block. Bias comes on top of what surroundings do.
  int addContact(const StepContact& contact, const ContactAt& at, const Vector3d& bias, double mu);
  /// One direction of a contact: an equality, or held from below.
  int addRow(const StepContact& contact, const ContactAt& at, const Vector3d& direction, double bias, LawKind kind);
  /// A row over the velocities of tree k.
  int addRow(int k, const VectorXd& g, double bias, LawKind kind, const LambdaBounds& bounds = LambdaBounds::bilateral(),
             double compliance = 0.0, double share = 1.0);
  /// Rows of a constraint between bodies, whose J and bias are known; `row_of` says where each went, -1: it constrains nothing.
  void addConstraint(const StepConstraint& constraint, const MatrixXd& J, const VectorXd& bias, LawKind kind, double h,
                     std::vector<int>& row_of);
  void finish() { assembler_.finish(); }

  ContactProblem problem;

 private:
  int placeOf(int body) const { return place_[static_cast<std::size_t>(body)]; }
  void append(const StepView& step, int body, std::optional<double> t);

  Assembler assembler_;
  std::vector<BodyInProblem> bodies_;
  std::vector<int> place_;  // of all bodies of the world
  std::vector<int> members_;  // places of the bodies of a constraint
};

}  // namespace cornet
