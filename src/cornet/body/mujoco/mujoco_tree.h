#pragma once

#include "cornet/body/activation.h"
#include "cornet/body/mujoco/library.h"
#include "cornet/body/mujoco/mujoco_model.h"

/// Kinematic trees of a compiled model that belong together. Their part of the library's vectors changes, others stay where they are.
///
///   J_k = R_WM [lin_i + ang_i × (p_k - o);  ang_i]  over the chain of link k,  (ang, lin)_i the axes of velocity i about o     (ROBOT-1)
///   c(q, v) = rne(q, v),  the library's own model having no gravity                                                   (ROBOT-2)
///   rows of joints, tendons and loops, forces of springs, dampers and actuators: mujoco_rows.cc, mujoco_forces.cc
namespace cornet {

/// A model as the library has it, without gravity; and what of it the trees use.
struct CompiledModel {
  ModelHandle model;
  std::vector<int> tree_of;           // of the library's trees: number of ours
  std::vector<int> tree_of_actuator;  // ours; -1: not used
  std::vector<int> tree_of_tendon;
  std::vector<int> tree_of_equality;
  std::vector<double> armature, damping;  // of velocities, with what actuators add

  const mjModel& operator*() const { return *model; }
  int treeOfBody(int body) const { return model->body_treeid[body] < 0 ? -1 : tree_of[static_cast<std::size_t>(model->body_treeid[body])]; }
};

struct MujocoCache final : TreeCache {
  DataHandle data;
  VectorXd bias;  // of all trees
};

class MujocoTree final : public Tree {
 public:
  MujocoTree(std::shared_ptr<const CompiledModel> model, const ModelTree& tree, int number, const ModelTreeOptions& options);

  int linkCount() const override { return static_cast<int>(tree_.links.size()); }
  int positionCount() const override { return static_cast<int>(tree_.q.size()); }
  int velocityCount() const override { return static_cast<int>(tree_.v.size()); }
  const MassProperties& mass(int link) const override { return tree_.links[static_cast<std::size_t>(link)].mass; }
  bool floats() const override { return floats_; }
  std::unique_ptr<TreeCache> makeCache() const override;
  void evaluate(const Vector& q, TreeLevel level, TreeCache& cache) const override;
  void calcCoriolis(const Vector& v, TreeCache& cache, Output c) const override;
  double calcRotorEnergy(const Vector& v) const override;
  std::string nameOfRow(int row) const override { return row_names_.at(static_cast<std::size_t>(row)); }
  std::span<const TreeJoint> joints() const override { return named_joints_; }
  std::span<const TreeActuator> actuators() const override { return named_actuators_; }
  VectorXd controls() const override { return control_; }
  int activationCount() const override { return static_cast<int>(tree_.activations.size()); }
  void activate(const Vector& control, double t, Output activation, Output mean) const override;
  void addOwnForce(const Vector& v, TreeCache& cache, Output f) const override;
  void addActuatorForces(const Vector& v, TreeCache& cache, Output forces) const override;
  void collectStiffTerms(const Vector& v, TreeCache& cache, std::vector<StiffTerm>& terms) const override;
  void collectRows(TreeCache& cache, std::vector<TreeRow>& rows) const override;
  void advance(const Vector& v, double t, Output q) const override;

 private:
  /// F = constant - k l - d l̇ along g, between bounds.                                                 (ROBOT-3)
  struct ActuatorLaw {
    double constant = 0.0, stiffness = 0.0, damping = 0.0;
    double lower, upper;
    bool isStiff() const { return stiffness >= 0.0 && damping >= 0.0 && stiffness + damping > 0.0; }
  };

  const mjModel& model() const { return **compiled_; }
  void readMass(MujocoCache& cache) const;
  /// Columns of a point of a body in axes of the model: 3 of position, 3 of rotation.
  LinkJacobian calcJacobian(const mjData& data, int body, const Vector3d& point) const;
  ActuatorLaw lawOf(int own, const TreeCache& cache) const;
  double limitControl(int own, double control) const;
  ActivationLaw activationLawOf(int own) const;
  double calcDirectForce(const ActuatorLaw& law, int own, const VectorXd& g, const Vector& v, const mjData& data) const;
  VectorXd calcMoment(const mjData& data, int actuator) const;
  VectorXd calcTendonRow(const mjData& data, int tendon) const;
  void addJointTerms(const mjData& data, std::vector<StiffTerm>& terms) const;
  void addTendonTerms(const mjData& data, std::vector<StiffTerm>& terms) const;
  void addJointRows(const mjData& data, int joint, std::vector<TreeRow>& rows) const;
  void addTendonRows(const mjData& data, int tendon, std::vector<TreeRow>& rows) const;
  void addLoopRows(const mjData& data, int equality, std::vector<TreeRow>& rows) const;
  void nameRows();
  void nameParts(const std::string& prefix);
  /// Whether something of the model acts on it from outside: then its momenta are not its own.
  bool isPushedFromOutside() const;
  bool isTiedToOutside(int tendon) const;
  void addPointRows(const mjData& data, int equality, std::vector<TreeRow>& rows) const;
  void addCoupling(const mjData& data, int equality, std::vector<TreeRow>& rows) const;
  VectorXd unit(int dof) const { return VectorXd::Unit(velocityCount(), placeOf(dof)); }
  /// Of a velocity or position of the model among those of this tree; -1: another one's.
  int placeOf(int dof) const { return v_place_[static_cast<std::size_t>(dof)]; }
  int placeOfPosition(int k) const { return q_place_[static_cast<std::size_t>(k)]; }
  bool owns(int body) const { return compiled_->treeOfBody(body) == number_; }
  bool isDisabled(int flag) const { return (model().opt.disableflags & flag) != 0; }

  std::shared_ptr<const CompiledModel> compiled_;
  ModelTree tree_;
  int number_;
  Pose X_WM_;
  Vector3d gravity_M_;
  VectorXd control_;  // of its actuators
  std::vector<TreeJoint> named_joints_;
  std::vector<TreeActuator> named_actuators_;
  std::vector<int> joints_, actuators_, tendons_, equalities_, heavy_;  // those of this tree; bodies whose gravity is compensated
  std::vector<int> q_place_, v_place_;
  std::vector<std::string> row_names_;
  bool floats_ = false;
  bool has_tendons_ = false;
};

}  // namespace cornet
