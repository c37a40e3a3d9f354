// Rows that a model brings along: limits, dry friction, loops and couplings of joints.
#include <Eigen/Geometry>
#include <fmt/format.h>

#include "cornet/body/mujoco/model_shapes.h"
#include "cornet/body/mujoco/mujoco_tree.h"
#include "cornet/math/rotation.h"

namespace cornet {
namespace {

using Kind = TreeRow::Kind;

Vector3d vectorAt(const mjtNum* x) { return {x[0], x[1], x[2]}; }
Quaterniond quaternionAt(const mjtNum* x) { return {x[0], x[1], x[2], x[3]}; }

// A polynomial of order four and its derivative.
double calcPolynomial(const mjtNum* c, double x) { return c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4]))); }
double calcSlope(const mjtNum* c, double x) { return c[1] + x * (2.0 * c[2] + x * (3.0 * c[3] + x * 4.0 * c[4])); }

}  // namespace

void MujocoTree::collectRows(TreeCache& base, std::vector<TreeRow>& rows) const {
  const mjData& d = *static_cast<MujocoCache&>(base).data;
  for (const int joint : joints_) addJointRows(d, joint, rows);
  for (const int tendon : tendons_) addTendonRows(d, tendon, rows);
  for (const int equality : equalities_) addLoopRows(d, equality, rows);
}

void MujocoTree::nameRows() {
  const auto cache = makeCache();
  evaluate(Eigen::Map<const VectorXd>(model().qpos0, model().nq)(tree_.q), TreeLevel::poses, *cache);
  const mjData& d = *static_cast<MujocoCache&>(*cache).data;
  std::vector<TreeRow> rows;
  const auto name = [&](const char* kind, int object, int number) {
    row_names_.resize(rows.size(), fmt::format("{} '{}'", kind, nameOf(model(), object, number)));
  };
  for (const int joint : joints_) {
    addJointRows(d, joint, rows);
    name("joint", mjOBJ_JOINT, joint);
  }
  for (const int tendon : tendons_) {
    addTendonRows(d, tendon, rows);
    name("tendon", mjOBJ_TENDON, tendon);
  }
  for (const int equality : equalities_) {
    addLoopRows(d, equality, rows);
    name("equality", mjOBJ_EQUALITY, equality);
  }
}

// Of a ball the angle from its reference, whose rate is the velocity along the axis it is turned about.
void MujocoTree::addJointRows(const mjData& d, int joint, std::vector<TreeRow>& rows) const {
  const mjModel& m = model();
  const int type = m.jnt_type[joint], first = m.jnt_dofadr[joint];
  const int count = type == mjJNT_FREE ? 6 : type == mjJNT_BALL ? 3 : 1;
  const mjtNum* range = m.jnt_range + 2 * joint;
  const mjtNum* q = d.qpos + m.jnt_qposadr[joint];
  if (m.jnt_limited[joint] && !isDisabled(mjDSBL_LIMIT)) {
    if (type == mjJNT_BALL) {
      const Vector3d turn = logMap(quaternionAt(q));
      const double angle = turn.norm();
      VectorXd g = VectorXd::Zero(velocityCount());
      if (angle > 0.0) g.segment<3>(placeOf(first)) = -turn / angle;
      rows.push_back({Kind::limit, g, std::max(range[0], range[1]) - angle});
    } else if (type != mjJNT_FREE) {
      rows.push_back({Kind::limit, unit(first), q[0] - range[0], type == mjJNT_HINGE});
      rows.push_back({Kind::limit, -unit(first), range[1] - q[0], type == mjJNT_HINGE});
    }
  }
  if (isDisabled(mjDSBL_FRICTIONLOSS)) return;
  for (int dof = first; dof < first + count; ++dof) {
    const bool turns = type != mjJNT_SLIDE && !(type == mjJNT_FREE && dof < first + 3);
    if (m.dof_frictionloss[dof] > 0.0) rows.push_back({Kind::friction, unit(dof), 0.0, turns, m.dof_frictionloss[dof]});
  }
}

void MujocoTree::addTendonRows(const mjData& d, int tendon, std::vector<TreeRow>& rows) const {
  const mjModel& m = model();
  const VectorXd g = calcTendonRow(d, tendon);
  if (m.tendon_limited[tendon] && !isDisabled(mjDSBL_LIMIT)) {
    rows.push_back({Kind::limit, g, d.ten_length[tendon] - m.tendon_range[2 * tendon], false});
    rows.push_back({Kind::limit, -g, m.tendon_range[2 * tendon + 1] - d.ten_length[tendon], false});
  }
  if (m.tendon_frictionloss[tendon] > 0.0 && !isDisabled(mjDSBL_FRICTIONLOSS)) {
    rows.push_back({Kind::friction, g, 0.0, false, m.tendon_frictionloss[tendon]});
  }
}

void MujocoTree::addLoopRows(const mjData& d, int equality, std::vector<TreeRow>& rows) const {
  const int type = model().eq_type[equality];
  if (type == mjEQ_CONNECT || type == mjEQ_WELD) {
    addPointRows(d, equality, rows);
  } else {
    addCoupling(d, equality, rows);
  }
}

// Points of two bodies, or sites of theirs, that stay together; of a weld the orientations too.
void MujocoTree::addPointRows(const mjData& d, int equality, std::vector<TreeRow>& rows) const {
  const mjModel& m = model();
  const bool is_weld = m.eq_type[equality] == mjEQ_WELD, by_sites = m.eq_objtype[equality] == mjOBJ_SITE;
  const int object[2] = {m.eq_obj1id[equality], m.eq_obj2id[equality]};
  const mjtNum* data = m.eq_data + mjNEQDATA * equality;
  int body[2];
  Vector3d point[2];
  Quaterniond turn[2];
  for (int k = 0; k < 2; ++k) {
    body[k] = by_sites ? m.site_bodyid[object[k]] : object[k];
    if (by_sites) {
      point[k] = vectorAt(d.site_xpos + 3 * object[k]);
      turn[k] = quaternionAt(d.site_xquat + 4 * object[k]);
      continue;
    }
    turn[k] = quaternionAt(d.xquat + 4 * body[k]);
    const Vector3d anchor = vectorAt(data + 3 * (is_weld ? 1 - k : k));
    point[k] = vectorAt(d.xpos + 3 * body[k]) + turn[k] * anchor;
  }
  const LinkJacobian J = calcJacobian(d, body[0], point[0]) - calcJacobian(d, body[1], point[1]);
  const Vector3d apart = point[0] - point[1];
  for (int k = 0; k < 3; ++k) rows.push_back({Kind::equality, J.row(k).transpose(), apart[k], false});
  if (!is_weld) return;
  const Quaterniond wanted = by_sites ? Quaterniond::Identity() : quaternionAt(data + 6);
  const Vector3d off = logMap((turn[0] * wanted * turn[1].conjugate()).normalized());
  for (int k = 0; k < 3; ++k) rows.push_back({Kind::equality, J.row(3 + k).transpose(), off[k], true});
}

// A joint or tendon that follows another one by a polynomial, or stays where it is.
void MujocoTree::addCoupling(const mjData& d, int equality, std::vector<TreeRow>& rows) const {
  const mjModel& m = model();
  const mjtNum* polynomial = m.eq_data + mjNEQDATA * equality;
  const bool is_joint = m.eq_type[equality] == mjEQ_JOINT;
  const auto rowOf = [&](int object) -> VectorXd { return is_joint ? unit(m.jnt_dofadr[object]) : calcTendonRow(d, object); };
  const auto wayOf = [&](int object) {
    return is_joint ? d.qpos[m.jnt_qposadr[object]] - m.qpos0[m.jnt_qposadr[object]] : d.ten_length[object] - m.tendon_length0[object];
  };
  const int first = m.eq_obj1id[equality], second = m.eq_obj2id[equality];
  TreeRow row{Kind::equality, rowOf(first), wayOf(first) - polynomial[0], is_joint && m.jnt_type[first] == mjJNT_HINGE};
  if (second >= 0) {
    const double way = wayOf(second);
    row.C = wayOf(first) - calcPolynomial(polynomial, way);
    row.g -= calcSlope(polynomial, way) * rowOf(second);
  }
  rows.push_back(std::move(row));
}

}  // namespace cornet
