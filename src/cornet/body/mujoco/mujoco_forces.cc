// Forces that a model brings along: springs, dampers, actuators, what compensates gravity.
#include <algorithm>
#include <limits>

#include "cornet/body/mujoco/mujoco_tree.h"

namespace cornet {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

}  // namespace

VectorXd MujocoTree::calcMoment(const mjData& d, int actuator) const {
  VectorXd g = VectorXd::Zero(velocityCount());
  const int out = model().actuator_outadr[actuator];
  for (int k = d.moment_rowadr[out]; k < d.moment_rowadr[out] + d.moment_rownnz[out]; ++k) {
    const int column = placeOf(d.moment_colind[k]);
    if (column >= 0) g[column] = d.actuator_moment[k];
  }
  return g;
}

VectorXd MujocoTree::calcTendonRow(const mjData& d, int tendon) const {
  const mjModel& m = model();
  VectorXd g = VectorXd::Zero(velocityCount());
  for (int k = m.ten_J_rowadr[tendon]; k < m.ten_J_rowadr[tendon] + m.ten_J_rownnz[tendon]; ++k) {
    const int column = placeOf(m.ten_J_colind[k]);
    if (column >= 0) g[column] = d.ten_J[k];
  }
  return g;
}

// Within its range.
double MujocoTree::limitControl(int own, double control) const {
  const mjModel& m = model();
  const int input = m.actuator_ctrladr[actuators_[static_cast<std::size_t>(own)]];
  if (!m.actuator_ctrllimited[input] || isDisabled(mjDSBL_CLAMPCTRL)) return control;
  return std::clamp(control, m.actuator_ctrlrange[2 * input], m.actuator_ctrlrange[2 * input + 1]);
}

ActivationLaw MujocoTree::activationLawOf(int own) const {
  const mjModel& m = model();
  const int actuator = actuators_[static_cast<std::size_t>(own)];
  ActivationLaw law{m.actuator_dyntype[actuator] == mjDYN_INTEGRATOR, std::max(0.0, m.actuator_dynprm[mjNDYN * actuator])};
  if (m.actuator_actlimited[actuator]) {
    law.lower = m.actuator_actrange[2 * actuator];
    law.upper = m.actuator_actrange[2 * actuator + 1];
  }
  return law;
}

// (TREE-11)
void MujocoTree::activate(const Vector& control, double t, Output activation, Output mean) const {
  for (std::size_t k = 0; k < named_actuators_.size(); ++k) {
    const int place = named_actuators_[k].activation, own = static_cast<int>(k);
    if (place < 0) continue;
    const ActivationWay way = calcActivation(activationLawOf(own), activation[place], limitControl(own, control[own]), t);
    activation[place] = way.end;
    mean[place] = way.mean;
  }
}

// gain · u + bias, both affine in length and velocity; u the activation, or without one the control within its range.
MujocoTree::ActuatorLaw MujocoTree::lawOf(int own, const TreeCache& cache) const {
  const mjModel& m = model();
  const int actuator = actuators_[static_cast<std::size_t>(own)];
  const int activation = named_actuators_[static_cast<std::size_t>(own)].activation;
  const double control = activation < 0 ? limitControl(own, cache.control[own]) : cache.activation[activation];
  const mjtNum* gain = m.actuator_gainprm + mjNGAIN * actuator;
  const mjtNum* bias = m.actuator_biasprm + mjNBIAS * actuator;
  const bool gain_varies = m.actuator_gaintype[actuator] == mjGAIN_AFFINE, has_bias = m.actuator_biastype[actuator] == mjBIAS_AFFINE;
  ActuatorLaw law;
  law.constant = gain[0] * control + (has_bias ? bias[0] : 0.0);
  law.stiffness = -(gain_varies ? gain[1] * control : 0.0) - (has_bias ? bias[1] : 0.0);
  law.damping = -(gain_varies ? gain[2] * control : 0.0) - (has_bias ? bias[2] : 0.0);
  law.lower = m.actuator_forcelimited[actuator] ? m.actuator_forcerange[2 * actuator] : -kUnlimited;
  law.upper = m.actuator_forcelimited[actuator] ? m.actuator_forcerange[2 * actuator + 1] : kUnlimited;
  if (m.actuator_trntype[actuator] != mjTRN_JOINT) return law;
  // A joint that limits the force of its one actuator.
  const int joint = m.actuator_trnid[2 * actuator];
  const double gear = m.actuator_gear[6 * m.actuator_outadr[actuator]];
  if (!m.jnt_actfrclimited[joint] || gear == 0.0) return law;
  const double a = m.jnt_actfrcrange[2 * joint] / gear, b = m.jnt_actfrcrange[2 * joint + 1] / gear;
  law.lower = std::max(law.lower, std::min(a, b));
  law.upper = std::min(law.upper, std::max(a, b));
  return law;
}

void MujocoTree::addOwnForce(const Vector& v, TreeCache& base, Output f) const {
  const mjData& d = *static_cast<MujocoCache&>(base).data;
  for (int own = 0; own < static_cast<int>(actuators_.size()); ++own) {
    const ActuatorLaw law = lawOf(own, base);
    if (law.isStiff()) continue;
    const VectorXd g = calcMoment(d, actuators_[static_cast<std::size_t>(own)]);
    f += calcDirectForce(law, own, g, v, d) * g;
  }
  for (const int body : heavy_) {
    const Vector3d centre(d.xipos[3 * body], d.xipos[3 * body + 1], d.xipos[3 * body + 2]);
    const Vector3d lift = -model().body_gravcomp[body] * model().body_mass[body] * gravity_M_;
    f += calcJacobian(d, body, centre).topRows<3>().transpose() * lift;
  }
}

double MujocoTree::calcDirectForce(const ActuatorLaw& law, int own, const VectorXd& g, const Vector& v, const mjData& d) const {
  const double length = d.actuator_length[model().actuator_outadr[actuators_[static_cast<std::size_t>(own)]]];
  return std::clamp(law.constant - law.stiffness * length - law.damping * g.dot(v), law.lower, law.upper);
}

void MujocoTree::addActuatorForces(const Vector& v, TreeCache& base, Output forces) const {
  const mjData& d = *static_cast<MujocoCache&>(base).data;
  for (int own = 0; own < static_cast<int>(actuators_.size()); ++own) {
    const ActuatorLaw law = lawOf(own, base);
    if (!law.isStiff()) forces[own] += calcDirectForce(law, own, calcMoment(d, actuators_[static_cast<std::size_t>(own)]), v, d);
  }
}

void MujocoTree::collectStiffTerms(const Vector&, TreeCache& base, std::vector<StiffTerm>& terms) const {
  const mjData& d = *static_cast<MujocoCache&>(base).data;
  addJointTerms(d, terms);
  addTendonTerms(d, terms);
  for (int own = 0; own < static_cast<int>(actuators_.size()); ++own) {
    const int actuator = actuators_[static_cast<std::size_t>(own)];
    const ActuatorLaw law = lawOf(own, base);
    if (!law.isStiff()) continue;
    StiffTerm term{calcMoment(d, actuator), law.stiffness, law.damping};
    if (law.stiffness > 0.0) {
      term.stretch = d.actuator_length[model().actuator_outadr[actuator]] - law.constant / law.stiffness;
    } else {
      term.rate = law.constant / law.damping;
    }
    term.lower = law.lower;
    term.upper = law.upper;
    term.actuator = own;
    terms.push_back(std::move(term));
  }
}

void MujocoTree::addJointTerms(const mjData& d, std::vector<StiffTerm>& terms) const {
  const mjModel& m = model();
  for (const int joint : joints_) {
    const int type = m.jnt_type[joint], first = m.jnt_dofadr[joint], at = m.jnt_qposadr[joint];
    const int count = type == mjJNT_FREE ? 6 : type == mjJNT_BALL ? 3 : 1;
    const double stiffness = isDisabled(mjDSBL_SPRING) ? 0.0 : m.jnt_stiffness[joint];
    double stretch[6] = {};
    if (stiffness > 0.0) {
      const int straight = type == mjJNT_FREE ? 3 : type == mjJNT_BALL ? 0 : 1;
      for (int k = 0; k < straight; ++k) stretch[k] = d.qpos[at + k] - m.qpos_spring[at + k];
      if (count > straight) mju_subQuat(stretch + straight, d.qpos + at + straight, m.qpos_spring + at + straight);
    }
    for (int k = 0; k < count; ++k) {
      const double damping = isDisabled(mjDSBL_DAMPER) ? 0.0 : compiled_->damping[static_cast<std::size_t>(first + k)];
      if (stiffness > 0.0 || damping > 0.0) terms.push_back({unit(first + k), stiffness, damping, stretch[k]});
    }
  }
}

// A spring of a tendon is slack between its two lengths.
void MujocoTree::addTendonTerms(const mjData& d, std::vector<StiffTerm>& terms) const {
  const mjModel& m = model();
  for (const int tendon : tendons_) {
    const double length = d.ten_length[tendon], low = m.tendon_lengthspring[2 * tendon], high = m.tendon_lengthspring[2 * tendon + 1];
    const double stretch = length > high ? length - high : length < low ? length - low : 0.0;
    const bool pulls = stretch != 0.0 || low == high;
    const double stiffness = pulls && !isDisabled(mjDSBL_SPRING) ? m.tendon_stiffness[tendon] : 0.0;
    const double damping = isDisabled(mjDSBL_DAMPER) ? 0.0 : m.tendon_damping[tendon];
    if (stiffness > 0.0 || damping > 0.0) terms.push_back({calcTendonRow(d, tendon), stiffness, damping, stretch});
  }
}

}  // namespace cornet
