#pragma once

#include <limits>
#include <vector>

#include "cornet/body/tree.h"

/// A tree of hinges, sliders and balls, on the ground or floating, written down as plainly as possible: velocities and accelerations of
/// the links from link to link, M and c as sums over them.
namespace cornet::test {

struct TreeLink {
  enum class Joint : std::uint8_t { hinge, slider, ball, free };
  int parent = -1;                               // -1: the ground
  Joint joint = Joint::hinge;
  Vector3d axis = Vector3d::UnitY();             // in axes of the parent
  Vector3d anchor = Vector3d::Zero();            // from the parent's centre, or in the world
  Vector3d centre = Vector3d::Zero();            // from the anchor to the link's centre, its own axes
  MassProperties mass;
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  double friction = 0.0;                         // dry, of the joint
  double stiffness = 0.0, damping = 0.0, target = 0.0;  // of a servo
  double most = std::numeric_limits<double>::infinity();  // effort of it
};

/// Two points that stay together.
struct TreeLoop {
  int a = -1, b = -1;
  Vector3d on_a = Vector3d::Zero(), on_b = Vector3d::Zero();  // from their centres, own axes
};

class JointTree final : public Tree {
 public:
  explicit JointTree(std::vector<TreeLink> links, std::vector<TreeLoop> loops = {});

  int linkCount() const override { return static_cast<int>(links_.size()); }
  int positionCount() const override { return positions_; }
  int velocityCount() const override { return velocities_; }
  const MassProperties& mass(int link) const override { return links_[static_cast<std::size_t>(link)].mass; }
  bool floats() const override { return links_.front().joint == TreeLink::Joint::free; }
  std::unique_ptr<TreeCache> makeCache() const override;
  void evaluate(const Vector& q, TreeLevel level, TreeCache& cache) const override;
  void calcCoriolis(const Vector& v, TreeCache& cache, Output c) const override;
  void collectStiffTerms(const Vector& v, TreeCache& cache, std::vector<StiffTerm>& terms) const override;
  void collectRows(TreeCache& cache, std::vector<TreeRow>& rows) const override;
  void advance(const Vector& v, double t, Output q) const override;

 private:
  int q_of(int link) const { return q_begin_[static_cast<std::size_t>(link)]; }
  int v_of(int link) const { return v_begin_[static_cast<std::size_t>(link)]; }

  std::vector<TreeLink> links_;
  std::vector<TreeLoop> loops_;
  std::vector<int> q_begin_, v_begin_;
  int positions_ = 0, velocities_ = 0;
};

/// Rods of one length and mass one below the other, about y: upright at (0, ..), hanging from `top`; the second has limits.
JointTree makeDoublePendulum(const Vector3d& top, double length, double mass, double lower, double upper);
/// A box with an arm hinged to it, about y.
JointTree makeTwoLinks();

}  // namespace cornet::test
