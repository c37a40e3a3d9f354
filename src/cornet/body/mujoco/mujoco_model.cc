#include "cornet/body/mujoco/mujoco_model.h"

#include <algorithm>
#include <limits>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "cornet/body/mujoco/model_error.h"
#include "cornet/body/mujoco/model_shapes.h"
#include "cornet/body/mujoco/model_source.h"
#include "cornet/body/mujoco/mujoco_tree.h"
#include "cornet/body/mujoco/not_used.h"
#include "cornet/body/mujoco/urdf.h"
#include "cornet/math/union_find.h"

namespace cornet {
namespace {

constexpr int kPositions[] = {7, 4, 1, 1}, kVelocities[] = {6, 3, 1, 1};  // of a joint, by its type

Vector3d vectorAt(const mjtNum* x) { return {x[0], x[1], x[2]}; }
Quaterniond quaternionAt(const mjtNum* x) { return {x[0], x[1], x[2], x[3]}; }
VectorXd vectorAt(const mjtNum* x, Eigen::Index size) { return Eigen::Map<const VectorXd>(x, size); }

struct SpecDeleter {
  void operator()(mjSpec* spec) const { mj_deleteSpec(spec); }
};

// URDF in two steps, for what comes between them.
mjModel* compileUrdf(const std::string& path, const ModelSource& source, const ModelOptions& options, std::string& said, std::vector<NotUsed>& not_used) {
  char error[1024] = "";
  mjSpec* parsed = nullptr;
  const char* name = path.c_str();
  char* text = error;
  said = guarded([&parsed, name, text] { parsed = mj_parseXML(name, nullptr, text, 1024); });
  if (parsed == nullptr) source.refuse(error);
  const std::unique_ptr<mjSpec, SpecDeleter> spec(parsed);
  adaptUrdf(source, options.packages, *spec, not_used);
  mjModel* model = nullptr;
  said += guarded([&model, parsed] { model = mj_compile(parsed, nullptr); });
  if (model == nullptr) source.refuse(mjs_getError(parsed));
  return model;
}

ModelHandle compile(const std::filesystem::path& file, const ModelSource& source, const ModelOptions& options,
                    std::vector<std::string>& warnings, std::vector<NotUsed>& not_used) {
  const std::string path = std::filesystem::absolute(file).string();
  char error[1024] = "";
  mjModel* model = nullptr;
  std::string said;
  try {
    const char* name = path.c_str();
    char* text = error;
    if (isUrdf(source)) {
      model = compileUrdf(path, source, options, said, not_used);
    } else {
      said = guarded([&model, name, text] { model = mj_loadXML(name, nullptr, text, 1024); });
    }
  } catch (const LibraryFault& fault) {
    source.refuse(fault.what());
  }
  if (model == nullptr) source.refuse(error);
  if (*error != '\0') said += error;
  for (std::size_t begin = 0; begin < said.size();) {
    const std::size_t end = std::min(said.find('\n', begin), said.size());
    if (end > begin) warnings.push_back(said.substr(begin, end - begin));
    begin = end + 1;
  }
  return ModelHandle(model);
}

// Kinematic trees of the library that a tendon, actuator or equality acts on.
using TreeList = std::vector<int>;

TreeList treesOfTendon(const mjModel& m, int tendon) {
  TreeList trees;
  for (int k = m.tendon_adr[tendon]; k < m.tendon_adr[tendon] + m.tendon_num[tendon]; ++k) {
    const int object = m.wrap_objid[k], type = m.wrap_type[k];
    if (type == mjWRAP_JOINT) trees.push_back(m.body_treeid[m.jnt_bodyid[object]]);
    if (type == mjWRAP_SITE) trees.push_back(m.body_treeid[m.site_bodyid[object]]);
    if (type == mjWRAP_SPHERE || type == mjWRAP_CYLINDER) trees.push_back(m.body_treeid[m.geom_bodyid[object]]);
  }
  return trees;
}

TreeList treesOfActuator(const mjModel& m, int actuator) {
  const int* id = m.actuator_trnid + 2 * actuator;
  if ((m.opt.disableflags & mjDSBL_ACTUATION) != 0 || reasonNotUsed(m, actuator) != nullptr) return {};
  switch (m.actuator_trntype[actuator]) {
    case mjTRN_JOINT:
    case mjTRN_JOINTINPARENT: return {m.body_treeid[m.jnt_bodyid[id[0]]]};
    case mjTRN_TENDON: return treesOfTendon(m, id[0]);
    default: break;
  }
  TreeList trees{m.body_treeid[m.site_bodyid[id[0]]]};
  if (id[1] >= 0) trees.push_back(m.body_treeid[m.site_bodyid[id[1]]]);
  return trees;
}

TreeList treesOfEquality(const mjModel& m, int equality) {
  TreeList trees;
  if (!m.eq_active0[equality] || (m.opt.disableflags & mjDSBL_EQUALITY) != 0) return trees;
  for (const int object : {m.eq_obj1id[equality], m.eq_obj2id[equality]}) {
    if (object < 0) continue;
    const int type = m.eq_type[equality];
    if (type == mjEQ_CONNECT || type == mjEQ_WELD) {
      trees.push_back(m.body_treeid[m.eq_objtype[equality] == mjOBJ_SITE ? m.site_bodyid[object] : object]);
    } else if (type == mjEQ_JOINT) {
      trees.push_back(m.body_treeid[m.jnt_bodyid[object]]);
    } else if (type == mjEQ_TENDON) {
      for (const int tree : treesOfTendon(m, object)) trees.push_back(tree);
    }
  }
  return trees;
}

// What acts on several trees makes one of them.
void joinTrees(CompiledModel& compiled) {
  const mjModel& m = *compiled;
  std::vector<TreeList> tendons, actuators, equalities;
  for (int k = 0; k < m.ntendon; ++k) tendons.push_back(treesOfTendon(m, k));
  for (int k = 0; k < m.nactuator; ++k) actuators.push_back(treesOfActuator(m, k));
  for (int k = 0; k < m.neq; ++k) equalities.push_back(treesOfEquality(m, k));
  UnionFind groups(static_cast<int>(m.ntree));
  for (const std::vector<TreeList>* lists : {&tendons, &actuators, &equalities}) {
    for (const TreeList& list : *lists) {
      int first = -1;
      for (const int tree : list) {
        if (tree < 0) continue;
        if (first >= 0) groups.unite(first, tree);
        first = tree;
      }
    }
  }
  compiled.tree_of = groups.labels();
  const auto ownersOf = [&](const std::vector<TreeList>& lists) {
    std::vector<int> owners;
    for (const TreeList& list : lists) {
      const int tree = list.empty() ? -1 : *std::ranges::max_element(list);
      owners.push_back(tree < 0 ? -1 : compiled.tree_of[static_cast<std::size_t>(tree)]);
    }
    return owners;
  };
  compiled.tree_of_tendon = ownersOf(tendons);
  compiled.tree_of_actuator = ownersOf(actuators);
  compiled.tree_of_equality = ownersOf(equalities);
}

// What velocities have of rotors and dampers, those of actuators included.
void readDofs(CompiledModel& compiled) {
  const mjModel& m = *compiled;
  for (int dof = 0; dof < m.nv; ++dof) {
    double armature = m.dof_armature[dof], damping = m.dof_damping[dof];
    const int actuator = m.jnt_actuatorid[m.dof_jntid[dof]];
    if (actuator >= 0) {
      const double gear = m.actuator_gear[6 * m.actuator_outadr[actuator]];
      armature += gear * gear * m.actuator_armature[actuator];
      damping += gear * gear * m.actuator_damping[actuator];
    }
    compiled.armature.push_back(armature);
    compiled.damping.push_back(damping);
  }
}

// Mass, centre and inertia of all that is fixed to a body.
ModelLink makeLink(const mjModel& m, const mjData& d, int carrier) {
  ModelLink link;
  link.body = carrier;
  const Quaterniond q_MB = quaternionAt(d.xquat + 4 * carrier);
  const Vector3d origin = vectorAt(d.xpos + 3 * carrier);
  double mass = 0.0;
  Vector3d moment = Vector3d::Zero();
  const auto forEachPart = [&](const auto& add) {
    for (int body = carrier; body < m.nbody; ++body) {
      if (m.body_weldid[body] == carrier) add(body, Vector3d(q_MB.conjugate() * (vectorAt(d.xipos + 3 * body) - origin)));
    }
  };
  forEachPart([&](int body, const Vector3d& centre) {
    mass += m.body_mass[body];
    moment += m.body_mass[body] * centre;
  });
  link.centre = moment / mass;
  Matrix3d inertia = Matrix3d::Zero();
  forEachPart([&](int body, const Vector3d& centre) {
    const Quaterniond q_MI = quaternionAt(d.xquat + 4 * body) * quaternionAt(m.body_iquat + 4 * body);
    const Matrix3d R = (q_MB.conjugate() * q_MI).normalized().toRotationMatrix();
    const Vector3d arm = centre - link.centre;
    inertia += R * vectorAt(m.body_inertia + 3 * body).asDiagonal() * R.transpose();
    inertia += m.body_mass[body] * (arm.squaredNorm() * Matrix3d::Identity() - arm * arm.transpose());
  });
  link.mass = {mass, 0.5 * (inertia + inertia.transpose())};
  return link;
}

// Whether a tree is one body that nothing of the model acts on.
bool isFreeBody(const CompiledModel& compiled, const ModelTree& tree, int number) {
  const mjModel& m = *compiled;
  const int dof = tree.v.front(), joint = m.dof_jntid[dof];
  if (tree.v.size() != 6 || m.jnt_type[joint] != mjJNT_FREE || m.jnt_stiffness[joint] != 0.0) return false;
  for (int k = dof; k < dof + 6; ++k) {
    const auto place = static_cast<std::size_t>(k);
    if (m.dof_frictionloss[k] != 0.0 || compiled.armature[place] != 0.0 || compiled.damping[place] != 0.0) return false;
  }
  const auto owns = [number](const std::vector<int>& owners) { return std::ranges::find(owners, number) != owners.end(); };
  if (owns(compiled.tree_of_actuator) || owns(compiled.tree_of_tendon) || owns(compiled.tree_of_equality)) return false;
  for (int body = 0; body < m.nbody; ++body) {
    if (compiled.treeOfBody(body) == number && m.body_gravcomp[body] != 0.0) return false;
  }
  return true;
}

std::vector<ModelBody> readBodies(const CompiledModel& compiled, const mjData& d) {
  const mjModel& m = *compiled;
  std::vector<ModelBody> bodies;
  for (int body = 0; body < m.nbody; ++body) {
    bodies.push_back({nameOf(m, mjOBJ_BODY, body), m.body_weldid[body], m.body_weldid[m.body_parentid[m.body_weldid[body]]],
                      compiled.treeOfBody(body), Pose(quaternionAt(d.xquat + 4 * body), vectorAt(d.xpos + 3 * body)),
                      m.body_mocapid[m.body_weldid[body]], {}});
  }
  const auto hold = [&](int body, const std::string& what) {
    if (bodies[static_cast<std::size_t>(body)].mocap >= 0) bodies[static_cast<std::size_t>(m.body_weldid[body])].holds = what;
  };
  for (int body = 1; body < m.nbody; ++body) {
    if (compiled.treeOfBody(body) >= 0) hold(m.body_parentid[body], fmt::format("body '{}'", nameOf(m, mjOBJ_BODY, body)));
  }
  for (int equality = 0; equality < m.neq; ++equality) {
    if (compiled.tree_of_equality[static_cast<std::size_t>(equality)] < 0 || m.eq_type[equality] > mjEQ_WELD) continue;
    for (const int object : {m.eq_obj1id[equality], m.eq_obj2id[equality]}) {
      hold(m.eq_objtype[equality] == mjOBJ_SITE ? m.site_bodyid[object] : object, fmt::format("equality '{}'", nameOf(m, mjOBJ_EQUALITY, equality)));
    }
  }
  return bodies;
}

std::vector<ModelTree> readTrees(const CompiledModel& compiled, const mjData& d) {
  const mjModel& m = *compiled;
  int count = 0;
  for (const int tree : compiled.tree_of) count = std::max(count, tree + 1);
  std::vector<ModelTree> trees(static_cast<std::size_t>(count));
  for (int body = 0; body < m.nbody; ++body) {
    const int tree = compiled.treeOfBody(body);
    if (tree >= 0 && m.body_weldid[body] == body) trees[static_cast<std::size_t>(tree)].links.push_back(makeLink(m, d, body));
  }
  for (int joint = 0; joint < m.njnt; ++joint) {
    ModelTree& own = trees[static_cast<std::size_t>(compiled.treeOfBody(m.jnt_bodyid[joint]))];
    const int type = m.jnt_type[joint];
    for (int k = 0; k < kPositions[type]; ++k) own.q.push_back(m.jnt_qposadr[joint] + k);
    for (int k = 0; k < kVelocities[type]; ++k) own.v.push_back(m.jnt_dofadr[joint] + k);
  }
  for (int actuator = 0; actuator < m.nactuator; ++actuator) {
    const int tree = compiled.tree_of_actuator[static_cast<std::size_t>(actuator)];
    if (tree < 0) continue;
    trees[static_cast<std::size_t>(tree)].actuators.push_back(actuator);
    if (m.actuator_actnum[actuator] > 0) trees[static_cast<std::size_t>(tree)].activations.push_back(m.actuator_actadr[actuator]);
  }
  for (int tree = 0; tree < count; ++tree) {
    ModelTree& own = trees[static_cast<std::size_t>(tree)];
    own.is_free_body = isFreeBody(compiled, own, tree);
  }
  return trees;
}

// What a servo of a joint asks for.
void readServo(const mjModel& m, int actuator, ModelActuator& own) {
  if (m.actuator_actnum[actuator] > 0) own.activation = m.actuator_actadr[actuator];
  if (m.actuator_trntype[actuator] != mjTRN_JOINT || m.actuator_biastype[actuator] != mjBIAS_AFFINE) return;
  if (m.actuator_gaintype[actuator] != mjGAIN_FIXED || m.actuator_dyntype[actuator] == mjDYN_INTEGRATOR) return;
  const int type = m.jnt_type[m.actuator_trnid[2 * actuator]];
  if (type != mjJNT_HINGE && type != mjJNT_SLIDE) return;
  own.joint = m.actuator_trnid[2 * actuator];
  own.gain = m.actuator_gainprm[mjNGAIN * actuator];
  own.bias = m.actuator_biasprm[mjNBIAS * actuator];
  own.slope = m.actuator_biasprm[mjNBIAS * actuator + 1];
  own.gear = m.actuator_gear[6 * m.actuator_outadr[actuator]];
}

void readNames(const CompiledModel& compiled, MujocoModel& model) {
  const mjModel& m = *compiled;
  constexpr double kUnlimited = std::numeric_limits<double>::infinity();
  model.control_count = static_cast<int>(m.nu);
  for (int joint = 0; joint < m.njnt; ++joint) {
    const int type = m.jnt_type[joint];
    model.joints.push_back({nameOf(m, mjOBJ_JOINT, joint), compiled.treeOfBody(m.jnt_bodyid[joint]), m.jnt_qposadr[joint],
                            kPositions[type], type != mjJNT_SLIDE});
  }
  for (int k = 0; k < m.nactuator; ++k) {
    const int input = m.actuator_ctrladr[k];
    const bool is_limited = m.actuator_ctrlnum[k] > 0 && m.actuator_ctrllimited[input];
    ModelActuator& own = model.actuators.emplace_back();
    own.name = nameOf(m, mjOBJ_ACTUATOR, k);
    own.lower = is_limited ? m.actuator_ctrlrange[2 * input] : -kUnlimited;
    own.upper = is_limited ? m.actuator_ctrlrange[2 * input + 1] : kUnlimited;
    own.control = input;
    const char* reason = reasonNotUsed(m, k);
    if (reason != nullptr) own.not_used = reason;
    if (compiled.tree_of_actuator[static_cast<std::size_t>(k)] < 0 && reason == nullptr) own.not_used = "nothing that moves";
    if (own.not_used.empty()) readServo(m, k, own);
  }
  for (int k = 0; k < m.nkey; ++k) {
    model.keys.push_back({nameOf(m, mjOBJ_KEY, k), vectorAt(m.key_qpos + m.nq * k, m.nq), vectorAt(m.key_qvel + m.nv * k, m.nv),
                          vectorAt(m.key_ctrl + m.nu * k, m.nu), vectorAt(m.key_act + m.na * k, m.na)});
    for (int i = static_cast<int>(m.nmocap) * k; i < m.nmocap * (k + 1); ++i) {
      model.keys.back().mocaps.emplace_back(quaternionAt(m.key_mquat + 4 * i).normalized(), vectorAt(m.key_mpos + 3 * i));
    }
  }
}

void readFollowers(const CompiledModel& compiled, MujocoModel& model) {
  const mjModel& m = *compiled;
  for (int equality = 0; equality < m.neq; ++equality) {
    if (m.eq_type[equality] != mjEQ_JOINT || compiled.tree_of_equality[static_cast<std::size_t>(equality)] < 0) continue;
    ModelFollower& follower = model.followers.emplace_back();
    follower.joint = m.eq_obj1id[equality];
    follower.leader = m.eq_obj2id[equality];
    std::copy_n(m.eq_data + mjNEQDATA * equality, 5, follower.polynomial.begin());
  }
}

void readPairs(const mjModel& m, MujocoModel& model) {
  for (int k = 0; k < m.npair; ++k) {
    const double friction = m.pair_dim[k] == 1 ? 0.0 : m.pair_friction[5 * k];
    model.pairs.push_back({m.pair_geom1[k], m.pair_geom2[k], friction});
  }
  for (int k = 0; k < m.nexclude; ++k) model.excluded.emplace_back(m.exclude_signature[k] >> 16, m.exclude_signature[k] & 0xffff);
  model.parents_meet_children = (m.opt.disableflags & mjDSBL_FILTERPARENT) != 0;
}

}  // namespace

std::string toString(const NotUsed& item) {
  std::string on = item.on;
  if (item.count != 1) {
    if (on.ends_with("y")) on = on.substr(0, on.size() - 1) + "ie";
    on += on.ends_with("x") ? "es" : "s";
  }
  return item.what.empty() ? fmt::format("{} {}", item.count, on) : fmt::format("{} on {} {}", item.what, item.count, on);
}

std::optional<double> ModelActuator::controlFor(double position) const {
  if (joint < 0 || gain == 0.0 || !(slope < 0.0) || gear == 0.0) return {};
  return -(bias + slope * gear * position) / gain;
}

std::string mujocoVersion() { return mj_versionString(); }

MujocoModel::MujocoModel(const std::filesystem::path& file, const ModelOptions& options) {
  const ModelSource source(file);
  source.check();
  auto compiled = std::make_shared<CompiledModel>();
  compiled->model = compile(file, source, options, warnings, not_used);
  mjModel& m = *compiled->model;
  gravity = m.opt.disableflags & mjDSBL_GRAVITY ? Vector3d(Vector3d::Zero()) : vectorAt(m.opt.gravity);
  dt = m.opt.timestep;
  std::fill_n(m.opt.gravity, 3, 0.0);
  // Data of a model take megabytes for the library's own contacts, which are not asked for here.
  m.narena = (1 << 16) + 512 * static_cast<mjtSize>(sizeof(mjtNum)) * (m.nbody + m.nv + m.nq + m.nwrap + 1);
  joinTrees(*compiled);
  readDofs(*compiled);
  const DataHandle data = makeData(m);
  guarded([&m, d = data.get()] { mj_kinematics(&m, d); });
  bodies = readBodies(*compiled, *data);
  shapes = readShapes(m, *data);
  trees = readTrees(*compiled, *data);
  readNames(*compiled, *this);
  readPairs(m, *this);
  q = reference = vectorAt(m.qpos0, m.nq);
  v = VectorXd::Zero(m.nv);
  activation = VectorXd::Zero(m.na);
  readFollowers(*compiled, *this);
  if (isUrdf(source)) follow({}, q);
  for (NotUsed& item : listNotUsed(*compiled, shapes)) not_used.push_back(std::move(item));
  // Inertia of tendons would be in M, but not in the forces it causes.
  for (int tendon = 0; tendon < m.ntendon; ++tendon) {
    m.tendon_armature[tendon] = 0.0;
    m.tendon_actuatorid[tendon] = -1;
  }
  compiled_ = std::move(compiled);
}

// As often as a joint may follow one that follows another.
void MujocoModel::follow(const std::vector<int>& kept, VectorXd& positions) const {
  const auto placeOf = [this](int joint) { return joints[static_cast<std::size_t>(joint)].q; };
  for (std::size_t round = 0; round < followers.size(); ++round) {
    for (const ModelFollower& follower : followers) {
      if (std::ranges::find(kept, follower.joint) != kept.end()) continue;
      const int leader = follower.leader < 0 ? -1 : placeOf(follower.leader);
      const double way = leader < 0 ? 0.0 : positions[leader] - reference[leader];
      const auto& c = follower.polynomial;
      positions[placeOf(follower.joint)] = reference[placeOf(follower.joint)] + c[0] + way * (c[1] + way * (c[2] + way * (c[3] + way * c[4])));
    }
  }
}

MujocoModel::~MujocoModel() = default;

std::shared_ptr<const Tree> MujocoModel::makeTree(int tree, const ModelTreeOptions& options) const {
  return std::make_shared<MujocoTree>(compiled_, trees.at(static_cast<std::size_t>(tree)), tree, options);
}

}  // namespace cornet
