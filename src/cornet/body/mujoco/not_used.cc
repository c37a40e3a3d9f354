#include "cornet/body/mujoco/not_used.h"

#include <algorithm>
#include <array>
#include <map>

namespace cornet {
namespace {

constexpr std::array<mjtNum, mjNREF> kSolref{0.02, 1.0};
constexpr std::array<mjtNum, mjNIMP> kSolimp{0.9, 0.95, 0.001, 0.5, 2.0};
constexpr int kHonoured = mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS | mjDSBL_SPRING | mjDSBL_DAMPER | mjDSBL_GRAVITY | mjDSBL_CLAMPCTRL |
                          mjDSBL_FILTERPARENT | mjDSBL_ACTUATION | mjDSBL_EQUALITY;
constexpr int kWithoutMeaning = mjDSBL_WARMSTART | mjDSBL_REFSAFE | mjDSBL_SENSOR | mjDSBL_MIDPHASE | mjDSBL_EULERDAMP |
                                mjDSBL_AUTORESET | mjDSBL_NATIVECCD | mjDSBL_ISLAND | mjDSBL_MULTICCD;

struct Counter {
  std::map<std::pair<std::string, std::string>, int> counts;
  void add(const char* what, const char* on, bool is_there) {
    if (is_there) ++counts[{what, on}];
  }
  void addSoftness(const char* on, const mjtNum* solref, const mjtNum* solimp) {
    add("solref", on, !std::equal(kSolref.begin(), kSolref.end(), solref));
    add("solimp", on, !std::equal(kSolimp.begin(), kSolimp.end(), solimp));
  }
};

bool anyNotZero(const mjtNum* x, int count) {
  return std::any_of(x, x + count, [](mjtNum value) { return value != 0.0; });
}

void countGeoms(const mjModel& m, const std::vector<ModelShape>& shapes, Counter& counter) {
  for (int geom = 0; geom < m.ngeom; ++geom) {
    const bool meets = m.geom_contype[geom] != 0 || m.geom_conaffinity[geom] != 0;
    counter.add("shape", "geom", !shapes[static_cast<std::size_t>(geom)].shape.has_value());
    counter.add("height field that moves", "geom", m.geom_type[geom] == mjGEOM_HFIELD && m.body_treeid[m.geom_bodyid[geom]] >= 0);
    if (!meets) continue;
    counter.addSoftness("geom", m.geom_solref + mjNREF * geom, m.geom_solimp + mjNIMP * geom);
    counter.add("torsional or rolling friction", "geom", m.geom_condim[geom] > 3);
    counter.add("margin or gap", "geom", m.geom_margin[geom] != 0.0 || m.geom_gap[geom] != 0.0);
    counter.add("surface velocity", "geom", anyNotZero(m.geom_surfacevel + 6 * geom, 6));
    counter.add("adhesion", "geom", m.geom_adhesion[geom] != 0.0);
  }
  for (int pair = 0; pair < m.npair; ++pair) {
    counter.addSoftness("contact pair", m.pair_solref + mjNREF * pair, m.pair_solimp + mjNIMP * pair);
    counter.add("torsional or rolling friction", "contact pair", m.pair_dim[pair] > 3);
    counter.add("second friction coefficient", "contact pair", m.pair_friction[5 * pair] != m.pair_friction[5 * pair + 1]);
    counter.add("margin or gap", "contact pair", m.pair_margin[pair] != 0.0 || m.pair_gap[pair] != 0.0);
    counter.add("adhesion", "contact pair", m.pair_adhesion[pair] != 0.0);
    const int a = m.body_weldid[m.geom_bodyid[m.pair_geom1[pair]]], b = m.body_weldid[m.geom_bodyid[m.pair_geom2[pair]]];
    const bool is_hung = m.body_weldid[m.body_parentid[a]] == b || m.body_weldid[m.body_parentid[b]] == a;
    counter.add("contact of a link with the one it hangs on", "contact pair", a != 0 && b != 0 && is_hung && !(m.opt.disableflags & mjDSBL_FILTERPARENT));
  }
}

void countJoints(const mjModel& m, Counter& counter) {
  for (int joint = 0; joint < m.njnt; ++joint) {
    if (m.jnt_limited[joint]) counter.addSoftness("joint limit", m.jnt_solref + mjNREF * joint, m.jnt_solimp + mjNIMP * joint);
    counter.add("margin", "joint", m.jnt_margin[joint] != 0.0);
    counter.add("stiffness beyond the linear one", "joint", anyNotZero(m.jnt_stiffnesspoly + mjNPOLY * joint, mjNPOLY));
    counter.add("damping beyond the linear one", "joint", anyNotZero(m.dof_dampingpoly + mjNPOLY * m.jnt_dofadr[joint], mjNPOLY));
    counter.add("springyield", "joint", m.jnt_plasticadr[joint] >= 0);
    const auto drives = [&](int actuator) { return m.actuator_trntype[actuator] == mjTRN_JOINT && m.actuator_trnid[2 * actuator] == joint; };
    int count = 0;
    for (int actuator = 0; actuator < m.nactuator; ++actuator) count += drives(actuator);
    counter.add("sum of the limits of several actuators", "joint", m.jnt_actfrclimited[joint] && count > 1);
  }
  for (int dof = 0; dof < m.nv; ++dof) {
    if (m.dof_frictionloss[dof] > 0.0) counter.addSoftness("dry friction", m.dof_solref + mjNREF * dof, m.dof_solimp + mjNIMP * dof);
  }
}

void countTendons(const mjModel& m, Counter& counter) {
  for (int tendon = 0; tendon < m.ntendon; ++tendon) {
    counter.add("armature", "tendon", m.tendon_armature[tendon] != 0.0 || m.tendon_actuatorid[tendon] >= 0);
    if (m.tendon_limited[tendon]) {
      counter.addSoftness("tendon limit", m.tendon_solref_lim + mjNREF * tendon, m.tendon_solimp_lim + mjNIMP * tendon);
    }
    counter.add("margin", "tendon", m.tendon_margin[tendon] != 0.0);
    counter.add("force limit", "tendon", m.tendon_actfrclimited[tendon]);
    counter.add("springyield", "tendon", m.tendon_plasticadr[tendon] >= 0);
  }
}

void countRest(const mjModel& m, Counter& counter) {
  for (int actuator = 0; actuator < m.nactuator; ++actuator) {
    const char* reason = reasonNotUsed(m, actuator);
    const bool is_muscle = reason != nullptr && std::string_view(reason) == "muscle";
    if (reason != nullptr) counter.add(is_muscle ? "" : reason, is_muscle ? reason : "actuator", true);
  }
  for (int equality = 0; equality < m.neq; ++equality) {
    if (!m.eq_active0[equality]) continue;
    if (m.eq_type[equality] > mjEQ_TENDON) {
      counter.add("", "flex equality", true);
    } else {
      counter.addSoftness("equality", m.eq_solref + mjNREF * equality, m.eq_solimp + mjNIMP * equality);
    }
  }
  for (int flex = 0; flex < m.nflex; ++flex) counter.add("", "flex", true);
  for (int plugin = 0; plugin < m.nplugin; ++plugin) counter.add("", "plugin", true);
  for (int sensor = 0; sensor < m.nsensor; ++sensor) counter.add("", "sensor", true);
}

void countOptions(const mjOption& option, Counter& counter) {
  counter.add("density of air", "option", option.density != 0.0);
  counter.add("viscosity of air", "option", option.viscosity != 0.0);
  counter.add("impratio", "option", option.impratio != 1.0);
  counter.add("noslip", "option", option.noslip_iterations != 0);
  counter.add("parameters of all contacts", "option", (option.enableflags & mjENBL_OVERRIDE) != 0);
  counter.add("disabled feature", "option", (option.disableflags & ~(kHonoured | kWithoutMeaning)) != 0);
}

}  // namespace

const char* reasonNotUsed(const mjModel& m, int actuator) {
  const int gain = m.actuator_gaintype[actuator], bias = m.actuator_biastype[actuator];
  if (gain == mjGAIN_MUSCLE || m.actuator_dyntype[actuator] == mjDYN_MUSCLE) return "muscle";
  const int dynamics = m.actuator_dyntype[actuator];
  const bool is_of_first_order = dynamics == mjDYN_INTEGRATOR || dynamics == mjDYN_FILTER || dynamics == mjDYN_FILTEREXACT;
  if (dynamics != mjDYN_NONE && !is_of_first_order) return "activation dynamics";
  if (m.actuator_actnum[actuator] != (is_of_first_order ? 1 : 0)) return "activation dynamics";
  if (m.actuator_trntype[actuator] == mjTRN_BODY) return "adhesion";
  if (m.actuator_plugin[actuator] >= 0 || m.actuator_outnum[actuator] != 1 || m.actuator_ctrlnum[actuator] != 1) return "its kind";
  if (gain > mjGAIN_AFFINE || bias > mjBIAS_AFFINE) return "its kind";
  if (m.actuator_delay[actuator] > 0.0) return "delay";
  const int group = m.actuator_group[actuator];
  if (group >= 0 && group < 31 && (m.opt.disableactuator & (1 << group)) != 0) return "disabled group";
  return nullptr;
}

std::vector<NotUsed> listNotUsed(const CompiledModel& compiled, const std::vector<ModelShape>& shapes) {
  Counter counter;
  countGeoms(*compiled, shapes, counter);
  countJoints(*compiled, counter);
  countTendons(*compiled, counter);
  countRest(*compiled, counter);
  countOptions((*compiled).opt, counter);
  std::vector<NotUsed> list;
  for (const auto& [key, count] : counter.counts) list.push_back({key.first, count, key.second});
  return list;
}

}  // namespace cornet
