#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cornet/body/mass_properties.h"
#include "cornet/body/tree.h"
#include "cornet/collision/shape.h"

/// A robot model in MJCF or URDF, compiled by MuJoCo, which also supplies its smooth dynamics, so that every model means here what it means
/// there. Contact, friction, limits, loops and integration are Cornet's.
///
///   tree t:  M(q) v̇ + c(q, v) = f,   q_i, v_i the numbers q[i], v[i] of the library's vectors               (BODY-2)
///
/// Kinematic trees of the library that loops, tendons or actuators join are one tree here. Bodies without joints are part of the body they
/// are fixed to: one link for each body with joints. A tree of one link that nothing but gravity and contacts acts on is a free body.
/// A model is constant; its trees may be used by many threads, each with caches of its own.
namespace cornet {

struct ModelBody {
  std::string name;
  int carrier = 0;  // the body with joints that it is fixed to, itself included; the first one of what stands
  int parent = 0;
  int tree = -1;    // of MujocoModel::trees; -1: it stands
  Pose X_MB;        // at the reference pose; M are the axes of the model
  int mocap = -1;   // of what a mocap body carries, itself included: its number among these
  std::string holds = {};  // of a mocap body: what of the model moves and hangs on it; empty: nothing
};

/// A geom. Without a shape where Cornet has none for it.
struct ModelShape {
  std::string name;
  int body = 0;
  std::optional<Shape> shape;
  Pose X_BS;             // in the frame of its body's carrier; of what stands for ever in that of the model
  double friction = 0.0;  // sliding
  bool is_smooth = false; // it asks for contacts without friction (condim 1)
  int priority = 0;
  std::uint32_t type = 1, affinity = 1;
};

struct ModelLink {
  int body = 0;
  MassProperties mass;               // of all that is fixed to it, about the centre of mass, in axes of the body
  Vector3d centre = Vector3d::Zero();  // in the frame of the body
};

struct ModelTree {
  std::vector<ModelLink> links;
  std::vector<int> q, v;  // places of its coordinates in the vectors of the model
  std::vector<int> actuators;    // that act on it, as far as they are used,
  std::vector<int> activations;  //   and places of those that these have
  bool is_free_body = false;
};

struct ModelJoint {
  std::string name;
  int tree = 0;
  int q = 0, size = 1;  // its place in the positions
  bool turns = true;    // a hinge; a slide does not
};

struct ModelActuator {
  std::string name;
  double lower = 0.0, upper = 0.0;  // of its control
  int control = 0;                   // its place among the controls
  int activation = -1;               // its place among the activations; -1: it has none
  std::string not_used;              // why it is left out: "muscle"; empty: it is not
  int joint = -1;                    // of a servo of one hinge or slide, force = gain · control + bias + slope · gear · position; -1: it is none
  double gain = 0.0, bias = 0.0, slope = 0.0, gear = 1.0;

  /// The control with which a servo rests where its joint is at this position; none where it holds no positions.
  std::optional<double> controlFor(double position) const;
};

struct ModelKey {
  std::string name;
  VectorXd q, v, control, activation;
  std::vector<Pose> mocaps = {};  // of mocap bodies, by number
};

/// Two geoms that meet whatever their types, with a friction of their own.
struct ModelPair {
  int shape_a = 0, shape_b = 0;
  double friction = 0.0;
};

/// What a model says that has no meaning here: "solref on 12 geoms".
struct NotUsed {
  std::string what;
  int count = 0;
  std::string on;
};
std::string toString(const NotUsed& item);

/// How a file is read.
struct ModelOptions {
  std::vector<std::filesystem::path> packages = {};  // folders with ROS packages, before those of the environment (URDF)
};

/// A joint that follows another one: position - reference = polynomial of (leader's position - its reference).
struct ModelFollower {
  int joint = 0, leader = -1;  // -1: none, it is to stay
  std::array<double, 5> polynomial{};
};

/// How a tree of a model is set up.
struct ModelTreeOptions {
  Pose X_WM;                            // where the model stands
  Vector3d gravity = Vector3d::Zero();  // in world axes, for what compensates it
  VectorXd control;                     // of all actuators of the model; none: zeros
  std::string prefix = {};              // comes before names of joints and actuators: "left."
};

struct CompiledModel;

class MujocoModel {
 public:
  /// Reads and compiles a file. Throws ModelError, also when the library was not built in.
  explicit MujocoModel(const std::filesystem::path& file, const ModelOptions& options = {});
  ~MujocoModel();

  std::vector<ModelBody> bodies;  // 0 is the world
  std::vector<ModelShape> shapes;
  std::vector<ModelTree> trees;
  std::vector<ModelJoint> joints;
  std::vector<ModelFollower> followers;
  std::vector<ModelActuator> actuators;
  int control_count = 0;
  std::vector<ModelKey> keys;
  std::vector<ModelPair> pairs;
  std::vector<std::pair<int, int>> excluded;  // bodies
  bool parents_meet_children = false;         // links and those they hang on
  VectorXd reference;                         // positions
  VectorXd q, v, activation;                  // where it begins unless told otherwise: there, at rest; of URDF with joints where `mimic` has them
  double dt = 0.002;                          // [s]
  Vector3d gravity = Vector3d(0.0, 0.0, -9.81);
  std::vector<NotUsed> not_used;
  std::vector<std::string> warnings;          // of the library

  /// Positions of joints that follow others, but of those that are `kept`.
  void follow(const std::vector<int>& kept, VectorXd& positions) const;

  std::shared_ptr<const Tree> makeTree(int tree, const ModelTreeOptions& options) const;

 private:
  std::shared_ptr<const CompiledModel> compiled_;
};

/// The version of the library, empty when it was not built in.
std::string mujocoVersion();

}  // namespace cornet
