#include "cornet/sim/trees/island_trees.h"

#include <tuple>

namespace cornet {

void IslandTrees::append(StepTree& tree) {
  trees_.push_back(&tree);
  offset_.push_back(offset_.back() + tree.tree->velocityCount());
}

void IslandTrees::reset(const WorldModel& world, const StepView& step, const Island& island) {
  trees_.clear();
  offset_.assign(1, 0);
  std::size_t used = 0;
  for (const int body : island.bodies) {
    const int tree = world.treeOf(body);
    if (tree >= 0) {
      StepTree& own = step.trees[static_cast<std::size_t>(tree)];
      if (own.first == body) append(own);
      step.bodies[body].block = count() - 1;  // links follow each other
      continue;
    }
    if (used == free_.size()) free_.emplace_back();
    StepTree& own = free_[used++];
    own.tree = &world.freeBody(body);
    own.first = body;
    if (!own.cache) own.cache = own.tree->makeCache();
    const InertialState& start = step.bodies[body].start;
    own.q_start.resize(7);
    own.q_start << start.position, start.orientation.w(), start.orientation.vec();
    own.v_start.resize(6);
    own.v_start << start.velocity, start.omega;
    step.bodies[body].block = count();
    append(own);
  }
  for (StepTree* tree : trees_) {
    tree->q = tree->q_start;
    tree->v = tree->v_start;
    tree->own_impulse.setZero(tree->v.size());
    tree->interval_impulse.setZero(tree->v.size());
    tree->actuator_impulse.setZero(static_cast<Eigen::Index>(tree->tree->actuators().size()));
    tree->own_work = 0.0;
  }
  comeBack(TreeLevel::dynamics);
}

const LinkJacobian* IslandTrees::jacobianOf(const StepView& step, int body) const {
  const StepTree& tree = *trees_[step.bodies[body].block];
  return &tree.cache->jacobians[static_cast<std::size_t>(linkOf(step, body))];
}

VectorXd IslandTrees::velocities() const {
  VectorXd v(dimension());
  for (int k = 0; k < count(); ++k) v.segment(offset(k), trees_[k]->v.size()) = trees_[k]->v;
  return v;
}

void IslandTrees::setVelocities(const VectorXd& v) {
  for (int k = 0; k < count(); ++k) trees_[k]->v = v.segment(offset(k), trees_[k]->v.size());
}

void IslandTrees::driftToKick(double t) {
  for (StepTree* tree : trees_) tree->tree->driftToKick(t, *tree->cache, tree->q, tree->v);
}

void IslandTrees::driftFromKick(double t) {
  for (StepTree* tree : trees_) tree->tree->driftFromKick(t, *tree->cache, tree->q, tree->v);
}

void IslandTrees::displace(const VectorXd& d) {
  for (int k = 0; k < count(); ++k) {
    StepTree& tree = *trees_[k];
    const auto move = d.segment(offset(k), tree.v.size());
    if (!move.isZero(0.0)) tree.tree->displace(move, *tree.cache, tree.q, tree.v);
  }
}

void IslandTrees::lookAlong(double t, const VectorXd& a) {
  for (int k = 0; k < count(); ++k) {
    StepTree& tree = *trees_[k];
    seen_ = tree.q;
    move_ = t * tree.v + 0.5 * t * t * a.segment(offset(k), tree.v.size());
    tree.tree->advance(move_, 1.0, seen_);
    tree.tree->evaluate(seen_, TreeLevel::poses, *tree.cache);
  }
}

void IslandTrees::comeBack(TreeLevel level) {
  for (StepTree* tree : trees_) tree->tree->evaluate(tree->q, level, *tree->cache);
}

void IslandTrees::placeBodies(const StepView& step, const Island& island) const {
  for (const int body : island.bodies) {
    const StepTree& tree = *trees_[step.bodies[body].block];
    step.bodies[body].now = tree.tree->calcLinkState(*tree.cache, tree.v, body - tree.first);
  }
}

void IslandTrees::keep() {
  kept_.clear();
  for (const StepTree* tree : trees_) kept_.emplace_back(tree->q, tree->v);
}

void IslandTrees::goBack() {
  for (int k = 0; k < count(); ++k) std::tie(trees_[k]->q, trees_[k]->v) = kept_[static_cast<std::size_t>(k)];
  comeBack(TreeLevel::dynamics);
}

void IslandTrees::collectMasses(BlockDiagonalMatrix& M) const {
  M.clear();
  for (int k = 0; k < count(); ++k) {
    M.appendBlock(static_cast<int>(trees_[k]->v.size()));
    M.block(k) = trees_[k]->cache->M;
  }
}

}  // namespace cornet
