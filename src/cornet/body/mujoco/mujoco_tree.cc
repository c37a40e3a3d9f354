#include "cornet/body/mujoco/mujoco_tree.h"

#include <algorithm>

#include <Eigen/Geometry>

#include "cornet/body/mujoco/model_shapes.h"

namespace cornet {
namespace {

Vector3d vectorAt(const mjtNum* x) { return {x[0], x[1], x[2]}; }
Quaterniond quaternionAt(const mjtNum* x) { return {x[0], x[1], x[2], x[3]}; }

// Numbers k with owner[k] = tree.
std::vector<int> ownOf(const std::vector<int>& owner, int tree) {
  std::vector<int> own;
  for (std::size_t k = 0; k < owner.size(); ++k) {
    if (owner[k] == tree) own.push_back(static_cast<int>(k));
  }
  return own;
}

}  // namespace

MujocoTree::MujocoTree(std::shared_ptr<const CompiledModel> compiled, const ModelTree& tree, int number,
                       const ModelTreeOptions& options)
    : compiled_(std::move(compiled)),
      tree_(tree),
      number_(number),
      X_WM_(options.X_WM),
      gravity_M_(options.X_WM.R.transpose() * options.gravity) {
  const mjModel& m = model();
  v_place_.assign(static_cast<std::size_t>(m.nv), -1);
  q_place_.assign(static_cast<std::size_t>(m.nq), -1);
  for (std::size_t k = 0; k < tree_.v.size(); ++k) v_place_[static_cast<std::size_t>(tree_.v[k])] = static_cast<int>(k);
  for (std::size_t k = 0; k < tree_.q.size(); ++k) q_place_[static_cast<std::size_t>(tree_.q[k])] = static_cast<int>(k);
  for (int joint = 0; joint < m.njnt; ++joint) {
    if (owns(m.jnt_bodyid[joint])) joints_.push_back(joint);
  }
  actuators_ = tree_.actuators;
  control_.setZero(static_cast<Eigen::Index>(actuators_.size()));
  for (std::size_t k = 0; k < actuators_.size() && options.control.size() > 0; ++k) {
    control_[static_cast<Eigen::Index>(k)] = options.control[m.actuator_ctrladr[actuators_[k]]];
  }
  tendons_ = ownOf(compiled_->tree_of_tendon, number);
  equalities_ = ownOf(compiled_->tree_of_equality, number);
  has_tendons_ = !actuators_.empty() || !tendons_.empty() || !equalities_.empty();
  for (int body = 0; body < m.nbody; ++body) {
    if (owns(body) && m.body_gravcomp[body] != 0.0) heavy_.push_back(body);
  }
  nameRows();
  nameParts(options.prefix);
  const bool is_one = std::ranges::count(compiled_->tree_of, number) == 1;
  floats_ = is_one && m.jnt_type[joints_.front()] == mjJNT_FREE && !isPushedFromOutside();
}

bool MujocoTree::isTiedToOutside(int tendon) const {
  const mjModel& m = model();
  for (int k = m.tendon_adr[tendon]; k < m.tendon_adr[tendon] + m.tendon_num[tendon]; ++k) {
    const int type = m.wrap_type[k], object = m.wrap_objid[k];
    if (type == mjWRAP_JOINT && object == joints_.front()) return true;
    if (type == mjWRAP_SITE && !owns(m.site_bodyid[object])) return true;
    if ((type == mjWRAP_SPHERE || type == mjWRAP_CYLINDER) && !owns(m.geom_bodyid[object])) return true;
  }
  return false;
}

bool MujocoTree::isPushedFromOutside() const {
  const mjModel& m = model();
  const int base = joints_.front(), first = m.jnt_dofadr[base];
  bool is_pushed = !heavy_.empty() || m.jnt_stiffness[base] != 0.0;
  for (int dof = first; dof < first + 6; ++dof) {
    const auto place = static_cast<std::size_t>(dof);
    is_pushed |= m.dof_frictionloss[dof] != 0.0 || compiled_->damping[place] != 0.0 || compiled_->armature[place] != 0.0;
  }
  for (const int actuator : actuators_) {
    const int type = m.actuator_trntype[actuator], object = m.actuator_trnid[2 * actuator];
    if (type == mjTRN_JOINT || type == mjTRN_JOINTINPARENT) {
      is_pushed |= object == base;
    } else {
      is_pushed |= type != mjTRN_TENDON || isTiedToOutside(object);
    }
  }
  for (const int tendon : tendons_) is_pushed |= isTiedToOutside(tendon);
  for (const int equality : equalities_) {
    if (m.eq_type[equality] > mjEQ_WELD) continue;
    for (const int object : {m.eq_obj1id[equality], m.eq_obj2id[equality]}) {
      is_pushed |= !owns(m.eq_objtype[equality] == mjOBJ_SITE ? m.site_bodyid[object] : object);
    }
  }
  return is_pushed;
}

std::unique_ptr<TreeCache> MujocoTree::makeCache() const {
  auto cache = std::make_unique<MujocoCache>();
  cache->data = makeData(model());
  cache->bias.setZero(model().nv);
  cache->links.resize(tree_.links.size());
  cache->jacobians.assign(tree_.links.size(), LinkJacobian::Zero(6, velocityCount()));
  cache->M.setZero(velocityCount(), velocityCount());
  cache->control = control_;
  cache->activation.setZero(activationCount());
  return cache;
}

void MujocoTree::nameParts(const std::string& prefix) {
  const mjModel& m = model();
  constexpr int kPositions[] = {7, 4, 1, 1}, kVelocities[] = {6, 3, 1, 1};
  for (const int joint : joints_) {
    const int type = m.jnt_type[joint];
    named_joints_.push_back({prefix + nameOf(m, mjOBJ_JOINT, joint), placeOfPosition(m.jnt_qposadr[joint]), placeOf(m.jnt_dofadr[joint]),
                             kPositions[type], kVelocities[type]});
  }
  int activation = 0;
  for (const int actuator : actuators_) {
    named_actuators_.push_back({prefix + nameOf(m, mjOBJ_ACTUATOR, actuator), m.actuator_actnum[actuator] > 0 ? activation++ : -1});
  }
}

void MujocoTree::evaluate(const Vector& q, TreeLevel level, TreeCache& base) const {
  auto& cache = static_cast<MujocoCache&>(base);
  const mjModel* m = &model();
  mjData* d = cache.data.get();
  for (std::size_t k = 0; k < tree_.q.size(); ++k) d->qpos[tree_.q[k]] = q[static_cast<Eigen::Index>(k)];
  const bool with_mass = level == TreeLevel::dynamics, with_tendons = has_tendons_;
  guarded([m, d, with_mass, with_tendons] {
    mj_kinematics(m, d);
    mj_comPos(m, d);
    if (with_tendons) {
      mj_tendon(m, d);
      mj_transmission(m, d);
    }
    if (with_mass) mj_makeM(m, d);
  });
  for (std::size_t k = 0; k < tree_.links.size(); ++k) {
    const ModelLink& link = tree_.links[k];
    const Quaterniond q_MB = quaternionAt(d->xquat + 4 * link.body);
    const Vector3d centre = vectorAt(d->xpos + 3 * link.body) + q_MB * link.centre;
    cache.links[k].position = X_WM_ * centre;
    cache.links[k].orientation = (Quaterniond(X_WM_.R) * q_MB).normalized();
    const LinkJacobian J = calcJacobian(*d, link.body, centre);
    cache.jacobians[k].topRows<3>() = X_WM_.R * J.topRows<3>();
    cache.jacobians[k].bottomRows<3>() = X_WM_.R * J.bottomRows<3>();
  }
  if (with_mass) readMass(cache);
}

// (ROBOT-1)
LinkJacobian MujocoTree::calcJacobian(const mjData& d, int body, const Vector3d& point) const {
  const mjModel& m = model();
  LinkJacobian J = LinkJacobian::Zero(6, velocityCount());
  if (!owns(body)) return J;
  const Vector3d arm = point - vectorAt(d.subtree_com + 3 * m.body_rootid[body]);
  const int carrier = m.body_weldid[body];
  for (int dof = m.body_dofadr[carrier] + m.body_dofnum[carrier] - 1; dof >= 0; dof = m.dof_parentid[dof]) {
    const Vector3d angular = vectorAt(d.cdof + 6 * dof);
    J.col(placeOf(dof)) << vectorAt(d.cdof + 6 * dof + 3) + angular.cross(arm), angular;
  }
  return J;
}

// Rows of the lower triangle, which the library keeps sparse.
void MujocoTree::readMass(MujocoCache& cache) const {
  const mjModel& m = model();
  cache.M.setZero();
  for (int i = 0; i < velocityCount(); ++i) {
    const int row = tree_.v[static_cast<std::size_t>(i)];
    for (int k = m.M_rowadr[row]; k < m.M_rowadr[row] + m.M_rownnz[row]; ++k) {
      const int j = placeOf(m.M_colind[k]);
      cache.M(i, j) = cache.M(j, i) = cache.data->M[k];
    }
  }
}

// (ROBOT-2)
void MujocoTree::calcCoriolis(const Vector& v, TreeCache& base, Output c) const {
  auto& cache = static_cast<MujocoCache&>(base);
  const mjModel* m = &model();
  mjData* d = cache.data.get();
  for (std::size_t k = 0; k < tree_.v.size(); ++k) d->qvel[tree_.v[k]] = v[static_cast<Eigen::Index>(k)];
  mjtNum* bias = cache.bias.data();
  guarded([m, d, bias] {
    mj_comVel(m, d);
    mj_rne(m, d, 0, bias);
  });
  c = cache.bias(tree_.v);
}

double MujocoTree::calcRotorEnergy(const Vector& v) const {
  double energy = 0.0;
  for (int i = 0; i < velocityCount(); ++i) energy += 0.5 * compiled_->armature[static_cast<std::size_t>(tree_.v[static_cast<std::size_t>(i)])] * v[i] * v[i];
  return energy;
}

// As mj_integratePos does, for the joints of this tree.
void MujocoTree::advance(const Vector& v, double t, Output q) const {
  const mjModel& m = model();
  for (const int joint : joints_) {
    double* x = q.data() + placeOfPosition(m.jnt_qposadr[joint]);
    const double* u = v.data() + placeOf(m.jnt_dofadr[joint]);
    if (m.jnt_type[joint] == mjJNT_FREE) {
      for (int k = 0; k < 3; ++k) x[k] += t * u[k];
      mju_quatIntegrate(x + 3, u + 3, t);
      mju_normalize4(x + 3);
    } else if (m.jnt_type[joint] == mjJNT_BALL) {
      mju_quatIntegrate(x, u, t);
      mju_normalize4(x);
    } else {
      x[0] += t * u[0];
    }
  }
}

}  // namespace cornet
