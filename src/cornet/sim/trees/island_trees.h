#pragma once

#include <deque>
#include <span>

#include "cornet/math/block_diagonal.h"
#include "cornet/sim/island.h"
#include "cornet/sim/trees/step_tree.h"

/// The trees of an island, free bodies among them, as one vector of velocities: block k is tree k.
namespace cornet {

class IslandTrees {
 public:
  /// Trees of the island at the start of the step, in the order of its bodies. They are evaluated with their dynamics, and `block`
  /// of bodies is that of their tree.
  void reset(const WorldModel& world, const StepView& step, const Island& island);

  int count() const { return static_cast<int>(trees_.size()); }
  int dimension() const { return offset_.back(); }
  StepTree& operator[](int k) { return *trees_[k]; }
  const StepTree& operator[](int k) const { return *trees_[k]; }
  int offset(int k) const { return offset_[k]; }

  /// Link of its tree that a body is.
  int linkOf(const StepView& step, int body) const { return body - trees_[step.bodies[body].block]->first; }
  /// (v, ω) of a body of the island from the velocities of its tree.
  const LinkJacobian* jacobianOf(const StepView& step, int body) const;

  VectorXd velocities() const;
  void setVelocities(const VectorXd& v);
  void driftToKick(double t);
  void driftFromKick(double t);
  /// Moves all by d, no time passing; momenta stay.
  void displace(const VectorXd& d);
  /// Poses along q ⊕ (t v + ½t² a), for a look: the trees stay where they are, but their caches do not until `comeBack()`.
  void lookAlong(double t, const VectorXd& a);
  void comeBack(TreeLevel level);
  /// `now` of the island's bodies, as the caches have it.
  void placeBodies(const StepView& step, const Island& island) const;
  void collectMasses(BlockDiagonalMatrix& M) const;
  /// Remembers where the trees are, and takes them back there.
  void keep();
  void goBack();

 private:
  void append(StepTree& tree);

  std::vector<StepTree*> trees_;
  std::vector<int> offset_{0};
  std::deque<StepTree> free_;  // of free bodies, kept from island to island
  VectorXd move_, seen_;
  std::vector<std::pair<VectorXd, VectorXd>> kept_;
};

}  // namespace cornet
