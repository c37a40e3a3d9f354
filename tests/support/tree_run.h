#pragma once

#include <initializer_list>

#include "support/joint_tree.h"
#include "support/stepped_world.h"

namespace cornet::test {

inline AssetInertial makeLink(const std::string& name, const MassProperties& mass, std::vector<AssetShape> shapes = {}) {
  return AssetInertial(name, mass, std::move(shapes));
}

/// A world of trees, and what steps have made of it.
struct TreeRun : SteppedWorld {
  void addTree(const JointTree& tree, std::vector<AssetInertial> links, const VectorXd& q, const VectorXd& v) {
    const int number = world.addTree(std::make_shared<JointTree>(tree), std::move(links), q, v);
    first = world.tree(number).first;
  }
  const StepReport& step(double dt) {
    SteppedWorld::step(dt);
    flagged += !last.isAccurate();
    return last;
  }
  void run(double duration, double dt) {
    const auto steps = std::lround(duration / dt);
    for (int k = 0; k < steps; ++k) step(dt);
  }
  InertialState link(int k) const { return simulator->bodies().bodies[static_cast<std::size_t>(first + k)]; }
  int first = 0, flagged = 0;
};

inline VectorXd vectorOf(std::initializer_list<double> values) {
  VectorXd x(static_cast<Eigen::Index>(values.size()));
  std::ranges::copy(values, x.begin());
  return x;
}

}  // namespace cornet::test
