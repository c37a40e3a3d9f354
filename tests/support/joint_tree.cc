#include "support/joint_tree.h"

#include <Eigen/Geometry>

#include "cornet/math/rotation.h"

namespace cornet::test {
namespace {

using Joint = TreeLink::Joint;

struct JointCache final : TreeCache {
  VectorXd q;
  std::vector<Vector3d> axis, anchor;  // in the world
};

Matrix3d cross(const Vector3d& a) {
  Matrix3d X;
  X << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return X;
}

Quaterniond readQuaternion(const Tree::Vector& q, int i) { return {q[i], q[i + 1], q[i + 2], q[i + 3]}; }

// Turns it by t ω, ω in the axes it turns in.
void turn(const Vector3d& omega, double t, Tree::Output q, int i) {
  const Quaterniond after = (expMap(Vector3d(t * omega)) * readQuaternion(q, i)).normalized();
  q.segment<4>(i) << after.w(), after.vec();
}

Matrix3d inertiaOf(const MassProperties& mass, const Quaterniond& q) {
  const Matrix3d R = q.toRotationMatrix();
  return R * mass.inertia * R.transpose();
}

}  // namespace

JointTree::JointTree(std::vector<TreeLink> links, std::vector<TreeLoop> loops)
    : links_(std::move(links)), loops_(std::move(loops)) {
  for (const TreeLink& link : links_) {
    q_begin_.push_back(positions_);
    v_begin_.push_back(velocities_);
    positions_ += link.joint == Joint::free ? 7 : link.joint == Joint::ball ? 4 : 1;
    velocities_ += link.joint == Joint::free ? 6 : link.joint == Joint::ball ? 3 : 1;
  }
}

std::unique_ptr<TreeCache> JointTree::makeCache() const {
  auto cache = std::make_unique<JointCache>();
  cache->links.resize(links_.size());
  cache->jacobians.assign(links_.size(), LinkJacobian::Zero(6, velocities_));
  cache->axis.resize(links_.size());
  cache->anchor.resize(links_.size());
  cache->M.setZero(velocities_, velocities_);
  return cache;
}

void JointTree::evaluate(const Vector& q, TreeLevel level, TreeCache& base) const {
  auto& cache = static_cast<JointCache&>(base);
  cache.q = q;
  for (int k = 0; k < linkCount(); ++k) {
    const TreeLink& link = links_[k];
    LinkPose& pose = cache.links[k];
    LinkJacobian& J = cache.jacobians[k];
    J.setZero();
    if (link.joint == Joint::free) {
      pose.position = q.segment<3>(q_of(k));
      pose.orientation = readQuaternion(q, q_of(k) + 3);
      J.middleCols<6>(v_of(k)).setIdentity();
      continue;
    }
    const LinkPose parent = link.parent < 0 ? LinkPose{} : cache.links[link.parent];
    const double x = q[q_of(k)];
    cache.axis[k] = parent.orientation * link.axis;
    cache.anchor[k] = parent.position + parent.orientation * link.anchor;
    pose.orientation = parent.orientation;
    if (link.joint == Joint::hinge) pose.orientation = (parent.orientation * expMap(Vector3d(x * link.axis))).normalized();
    if (link.joint == Joint::ball) pose.orientation = (parent.orientation * readQuaternion(q, q_of(k))).normalized();
    if (link.joint == Joint::slider) cache.anchor[k] += x * cache.axis[k];
    pose.position = cache.anchor[k] + pose.orientation * link.centre;
    if (link.parent >= 0) {
      J = cache.jacobians[link.parent];
      J.topRows<3>() -= cross(pose.position - parent.position) * cache.jacobians[link.parent].bottomRows<3>();
    }
    if (link.joint == Joint::hinge) {
      J.col(v_of(k)).head<3>() += cache.axis[k].cross(pose.position - cache.anchor[k]);
      J.col(v_of(k)).tail<3>() += cache.axis[k];
    } else if (link.joint == Joint::ball) {
      const Matrix3d axes = parent.orientation.toRotationMatrix();
      J.middleCols<3>(v_of(k)).topRows<3>() -= cross(pose.position - cache.anchor[k]) * axes;
      J.middleCols<3>(v_of(k)).bottomRows<3>() += axes;
    } else {
      J.col(v_of(k)).head<3>() += cache.axis[k];
    }
  }
  if (level == TreeLevel::poses) return;
  cache.M.setZero();
  for (int k = 0; k < linkCount(); ++k) {
    const auto& J = cache.jacobians[k];
    cache.M += links_[k].mass.mass * J.topRows<3>().transpose() * J.topRows<3>() +
               J.bottomRows<3>().transpose() * inertiaOf(links_[k].mass, cache.links[k].orientation) * J.bottomRows<3>();
  }
}

// Accelerations of the links for v̇ = 0, from link to link.
void JointTree::calcCoriolis(const Vector& v, TreeCache& base, Output c) const {
  auto& cache = static_cast<JointCache&>(base);
  std::vector<Vector3d> a(links_.size(), Vector3d::Zero()), alpha(links_.size(), Vector3d::Zero());
  c.setZero();
  for (int k = 0; k < linkCount(); ++k) {
    const TreeLink& link = links_[k];
    const Vector3d omega = cache.jacobians[k].bottomRows<3>() * v;
    if (link.joint != Joint::free) {
      const bool on_ground = link.parent < 0;
      const Vector3d omega_p = on_ground ? Vector3d(Vector3d::Zero()) : Vector3d(cache.jacobians[link.parent].bottomRows<3>() * v);
      const Vector3d a_p = on_ground ? Vector3d(Vector3d::Zero()) : a[link.parent];
      const Vector3d alpha_p = on_ground ? Vector3d(Vector3d::Zero()) : alpha[link.parent];
      const Vector3d x_p = on_ground ? Vector3d(Vector3d::Zero()) : cache.links[link.parent].position;
      const Vector3d to_anchor = cache.anchor[k] - x_p, to_centre = cache.links[k].position - cache.anchor[k];
      const double rate = v[v_of(k)];
      alpha[k] = alpha_p;
      a[k] = a_p + alpha_p.cross(to_anchor) + omega_p.cross(omega_p.cross(to_anchor));
      if (link.joint == Joint::hinge) alpha[k] += omega_p.cross(cache.axis[k]) * rate;
      if (link.joint == Joint::ball) alpha[k] += omega_p.cross(Vector3d(omega - omega_p));
      if (link.joint == Joint::slider) a[k] += 2.0 * rate * omega_p.cross(cache.axis[k]);
      a[k] += alpha[k].cross(to_centre) + omega.cross(omega.cross(to_centre));
    }
    const Matrix3d I = inertiaOf(link.mass, cache.links[k].orientation);
    c += cache.jacobians[k].topRows<3>().transpose() * (link.mass.mass * a[k]) +
         cache.jacobians[k].bottomRows<3>().transpose() * (I * alpha[k] + omega.cross(I * omega));
  }
}

void JointTree::collectStiffTerms(const Vector&, TreeCache& base, std::vector<StiffTerm>& terms) const {
  auto& cache = static_cast<JointCache&>(base);
  for (int k = 0; k < linkCount(); ++k) {
    const TreeLink& link = links_[k];
    if (link.stiffness == 0.0 && link.damping == 0.0) continue;
    terms.push_back({VectorXd::Unit(velocities_, v_of(k)), link.stiffness, link.damping, cache.q[q_of(k)] - link.target, 0.0,
                     -link.most, link.most});
  }
}

void JointTree::collectRows(TreeCache& base, std::vector<TreeRow>& rows) const {
  auto& cache = static_cast<JointCache&>(base);
  for (int k = 0; k < linkCount(); ++k) {
    const TreeLink& link = links_[k];
    const bool turns = link.joint == Joint::hinge;
    const VectorXd g = VectorXd::Unit(velocities_, v_of(k));
    if (std::isfinite(link.lower)) rows.push_back({TreeRow::Kind::limit, g, cache.q[q_of(k)] - link.lower, turns});
    if (std::isfinite(link.upper)) rows.push_back({TreeRow::Kind::limit, -g, link.upper - cache.q[q_of(k)], turns});
    if (link.friction > 0.0) rows.push_back({TreeRow::Kind::friction, g, 0.0, turns, link.friction});
  }
  for (const TreeLoop& loop : loops_) {
    const Vector3d r_a = cache.links[loop.a].orientation * loop.on_a, r_b = cache.links[loop.b].orientation * loop.on_b;
    const Vector3d apart = cache.links[loop.b].position + r_b - cache.links[loop.a].position - r_a;
    const MatrixXd J = cache.jacobians[loop.b].topRows<3>() - cross(r_b) * cache.jacobians[loop.b].bottomRows<3>() -
                       cache.jacobians[loop.a].topRows<3>() + cross(r_a) * cache.jacobians[loop.a].bottomRows<3>();
    for (int d = 0; d < 3; ++d) rows.push_back({TreeRow::Kind::equality, J.row(d).transpose(), apart[d], false});
  }
}

void JointTree::advance(const Vector& v, double t, Output q) const {
  for (int k = 0; k < linkCount(); ++k) {
    const Joint joint = links_[k].joint;
    if (joint == Joint::ball) {
      turn(v.segment<3>(v_of(k)), t, q, q_of(k));
    } else if (joint == Joint::free) {
      q.segment<3>(q_of(k)) += t * v.segment<3>(v_of(k));
      turn(v.segment<3>(v_of(k) + 3), t, q, q_of(k) + 3);
    } else {
      q[q_of(k)] += t * v[v_of(k)];
    }
  }
}

JointTree makeDoublePendulum(const Vector3d& top, double length, double mass, double lower, double upper) {
  const MassProperties rod = MassProperties::solidBox(mass, {0.05, 0.05, length});
  TreeLink upper_link, lower_link;
  upper_link.anchor = top;
  upper_link.centre = {0, 0, -0.5 * length};
  upper_link.mass = rod;
  lower_link.parent = 0;
  lower_link.anchor = {0, 0, -0.5 * length};
  lower_link.centre = {0, 0, -0.5 * length};
  lower_link.mass = rod;
  lower_link.lower = lower;
  lower_link.upper = upper;
  return JointTree({upper_link, lower_link});
}

JointTree makeTwoLinks() {
  TreeLink base, arm;
  base.joint = Joint::free;
  base.mass = MassProperties::solidBox(2.0, {0.4, 0.3, 0.2});
  arm.parent = 0;
  arm.anchor = {0.2, 0, 0};
  arm.centre = {0.2, 0, 0};
  arm.mass = MassProperties::solidBox(0.5, {0.4, 0.1, 0.1});
  return JointTree({base, arm});
}

}  // namespace cornet::test
