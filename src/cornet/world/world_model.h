#pragma once

#include <functional>
#include <memory>
#include <span>

#include "cornet/body/free_body.h"
#include "cornet/constraints/constraint.h"
#include "cornet/world/asset.h"
#include "cornet/world/control_schedule.h"
#include "cornet/world/joint_options.h"
#include "cornet/world/material.h"
#include "cornet/world/state.h"

/// Everything that stays the same while a world is stepped: bodies, surroundings, materials, constraints,
/// gravity, loads.
///
/// Bodies are numbered in one list: first the free ones as they were added, then the links of trees, then the surroundings. A
/// constraint or an excluded pair names bodies by these numbers, so it comes after all bodies.
namespace cornet {

/// What users call a joint: constraints [first, first + count) of the world, the joint itself before its limits and motor.
struct WorldJoint {
  std::string name;
  std::string type;
  int first = 0;
  int count = 1;
};

/// A mechanism in coordinates of its joints: links [first, first + count) of the world's bodies, and where its coordinates begin
/// in the vectors of a State.
struct WorldTree {
  std::shared_ptr<const Tree> tree;
  int first = 0;
  int q_begin = 0, v_begin = 0, activation_begin = 0;
  VectorXd q, v, activation;  // at time 0
  std::vector<std::pair<int, ControlSchedule>> schedules = {};  // of actuators
};

/// A joint or an actuator of a tree, by numbers.
struct TreePart {
  int tree = -1;   // -1: there is none
  int index = -1;  // of Tree::joints() or Tree::actuators()
  bool exists() const { return tree >= 0; }
};

class WorldModel {
 public:
  WorldModel() = default;
  WorldModel(WorldModel&&) = default;
  WorldModel& operator=(WorldModel&&) = default;

  Vector3d gravity = Vector3d(0.0, 0.0, -9.81);  // [m/s²]
  MaterialTable materials;

  /// Add a body and return its number. Throw std::invalid_argument when a name is taken, a material
  /// does not exist, or a constraint has been added before.
  int addBody(AssetInertial body);
  /// Adds a tree at the position q with the velocity v, with activations where they are not 0, and its links: shapes about their centres of mass, mass properties as the
  /// tree has them. Returns its number; tree(number).first is the number of its first link. Throws std::invalid_argument as
  /// above, and when links, q, v or activations do not fit the tree. Free bodies are added before. Links of a tree touch each other
  /// unless `excludeBodies()` says that they do not.
  int addTree(std::shared_ptr<const Tree> tree, std::vector<AssetInertial> links, const VectorXd& q, const VectorXd& v,
              const VectorXd& activation = {});
  /// What an actuator of a tree is asked for over time, instead of what its tree says. Throws std::invalid_argument when there is no such
  /// actuator or a number is impossible.
  void setControl(const TreePart& actuator, ControlSchedule schedule);
  /// Returns its place among the surroundings; environmentBody() is its number.
  int addEnvironment(AssetEnvironment environment);

  /// A joint or any other constraint between bodies, by number. Throws std::invalid_argument when a body
  /// does not exist.
  int addConstraint(std::unique_ptr<Constraint> constraint);
  /// Constraints that belong together, under a name of their own: a hinge with its limits and its motor. Returns the number
  /// of the joint. A constraint added alone is a joint too, named after its type and number. Throws
  /// std::invalid_argument as above, and when the list is empty or the name is taken.
  int addJoint(std::string name, std::vector<std::unique_ptr<Constraint>> constraints);
  /// Joints between two bodies by number, of which surroundings may be one. Each returns the number of the joint. They throw
  /// std::invalid_argument naming the joint, the value and what was expected.
  int addHinge(int body_a, int body_b, const HingeOptions& options);
  int addSlider(int body_a, int body_b, const SliderOptions& options);
  int addBall(int body_a, int body_b, const BallOptions& options);
  int addFixed(int body_a, int body_b, const FixedOptions& options);
  int addUniversal(int body_a, int body_b, const UniversalOptions& options);
  int addDistance(int body_a, int body_b, const DistanceOptions& options = {});
  /// Couples the positions of hinges and sliders: gears, racks, differentials. All of their bodies may move. Returns the number of
  /// the coupling, which is a joint too.                                                                (CPL-1)
  ///
  ///   world.addCoupling({{sun, 20.0}, {planet, 40.0}}, {.name = "teeth"});
  int addCoupling(const std::vector<CoupledJoint>& joints, const CouplingOptions& options = {});
  /// What drives of a joint aim at from the next step on; to be called between steps. They throw std::invalid_argument when the
  /// joint has no such drive.
  void setMotorSpeed(int joint, double speed);
  void setServoTarget(int joint, double target, double rate = 0.0);
  void setEffort(int joint, double effort);
  void addLoad(const Load& load);
  /// Bodies that never touch each other.
  void excludeBodies(int body_a, int body_b);
  /// Forces by a function of time and state, called once a step; adds to the forces of each moving body. It
  /// must depend on nothing else, or runs cannot be repeated.
  void setForces(std::function<void(double, const State&, std::span<BodyForce>)> forces) {
    forces_ = std::move(forces);
  }
  /// What those forces lose by each velocity alone, for compliant steps, which take it implicitly: K_i = max(0, -dτ_i/dv_i) of the
  /// forces τ over the velocities of a State, places moving along with h dv_i. Without it differences are taken.
  using ForceDerivative = std::function<void(double time, const State& state, double h, VectorXd& K)>;
  void setForceDerivative(ForceDerivative derivative) { force_derivative_ = std::move(derivative); }
  bool hasForceDerivative() const { return force_derivative_ != nullptr; }
  void calcForceDerivative(const State& state, double h, VectorXd& K) const {
    K.setZero(state.v.size());
    force_derivative_(state.time, state, h, K);
  }
  bool hasForces() const { return forces_ != nullptr; }
  /// Those of the user's function alone, added; `state` may be any.
  void addUserForces(const State& state, std::span<BodyForce> forces) const {
    if (forces_) forces_(state.time, state, forces);
  }

  /// Of all that move, links of trees included; and of those alone that are free.
  int bodyCount() const { return static_cast<int>(bodies_.size()); }
  int freeCount() const { return free_count_; }
  int environmentCount() const { return static_cast<int>(environments_.size()); }
  int totalCount() const { return bodyCount() + environmentCount(); }
  int environmentBody(int k) const { return bodyCount() + k; }
  const AssetInertial& body(int i) const { return bodies_[i]; }
  const AssetEnvironment& environment(int k) const { return environments_[k]; }
  const std::string& nameOf(int number) const;
  /// Number of a name, or -1.
  int find(std::string_view name) const;
  const std::vector<std::unique_ptr<Constraint>>& constraints() const { return constraints_; }
  const std::vector<WorldJoint>& joints() const { return joints_; }
  /// Number of the joint of this name, or -1.
  int findJoint(std::string_view name) const;
  /// "hinge door-frame"; the second of its kind gets a number.
  std::string makeJointName(std::string_view type, int body_a, int body_b) const;
  const std::vector<Load>& loads() const { return loads_; }
  const std::vector<std::pair<int, int>>& excluded() const { return excluded_; }

  /// A free body as the tree that it is.
  const FreeBody& freeBody(int i) const { return free_trees_[i]; }
  /// Surroundings that inputs guide: how many there are, and the number among them of surroundings k, -1: it is none.
  int guidedCount() const { return guided_count_; }
  int guidedOf(int k) const { return guided_[k]; }
  /// Of mechanisms, free bodies left out.
  int treeCount() const { return static_cast<int>(trees_.size()); }
  const WorldTree& tree(int k) const { return trees_[k]; }
  /// Of all trees; "left.elbow" where a robot has the name "left".
  TreePart findTreeJoint(std::string_view name) const;
  TreePart findActuator(std::string_view name) const;
  /// What the actuators of a tree are asked for from t to t + dt.
  void calcControls(int tree, double t, double dt, VectorXd& control) const;
  /// Number of the tree that a body is a link of, or -1.
  int treeOf(int body) const { return body >= free_count_ && body < bodyCount() ? tree_of_[body - free_count_] : -1; }

  /// Where a body is, by number; surroundings where their motion has brought them.
  InertialState calcBodyState(int number, const BodyStates& at) const {
    return number < bodyCount() ? at.bodies[number] : calcSurroundings(number - bodyCount(), at, at.time);
  }
  /// Surroundings at a time in the step that begins or ends at `at`.
  InertialState calcSurroundings(int k, const BodyStates& at, double time) const {
    const int guided = guided_[k];
    return guided < 0 ? environments_[k].calcState(time) : moveSteadily(at.guided[guided], time - at.time);
  }
  InertialState calcBodyState(int number, const State& state) const;

  /// The state at time 0.
  State makeState() const;
  /// Where all moving bodies are in a state. `caches` has one for each tree; without them they are made for this call.
  void calcBodies(const State& state, std::span<const std::unique_ptr<TreeCache>> caches, BodyStates& at) const;
  BodyStates calcBodies(const State& state) const;
  std::vector<std::unique_ptr<TreeCache>> makeCaches() const;
  /// A detector with all shapes; body numbers are the world's.
  Detector makeDetector() const;
  /// Force and torque on every moving body over the step from t to t + dt: gravity, drag, loads with the share
  /// of the step they act in, and the user's function. One entry per moving body.
  void calcForces(const State& state, const BodyStates& at, double dt, std::span<BodyForce> forces) const;
  /// The same without the user's function.
  void calcOwnForces(const BodyStates& at, double dt, std::span<BodyForce> forces) const;
  /// Potential energy of gravity [J].
  double calcPotential(const BodyStates& at) const;
  double calcKinetic(const BodyStates& at) const;
  double calcPotential(const State& state) const { return calcPotential(calcBodies(state)); }
  double calcKinetic(const State& state) const { return calcKinetic(calcBodies(state)); }

 private:
  void requireName(const std::string& name) const;
  void requireMaterials(const std::string& name, const std::vector<AssetShape>& shapes) const;
  void requireBodies(const Constraint* constraint) const;
  void requireTree(const Tree* tree, const std::vector<AssetInertial>& links, const VectorXd& q, const VectorXd& v,
                   const VectorXd& activation) const;
  template <class Part>
  Part& partOf(int joint, const char* kind);

  std::vector<AssetInertial> bodies_;
  int free_count_ = 0;
  std::vector<FreeBody> free_trees_;
  std::vector<WorldTree> trees_;
  std::vector<int> tree_of_;  // of the links
  std::vector<AssetEnvironment> environments_;
  std::vector<int> guided_;  // of the surroundings
  int guided_count_ = 0;
  std::vector<std::unique_ptr<Constraint>> constraints_;
  std::vector<WorldJoint> joints_;
  std::vector<Load> loads_;
  std::vector<std::pair<int, int>> excluded_;
  std::function<void(double, const State&, std::span<BodyForce>)> forces_;
  ForceDerivative force_derivative_;
};

}  // namespace cornet
