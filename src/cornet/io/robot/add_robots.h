#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cornet/body/mujoco/mujoco_model.h"
#include "cornet/world/world_model.h"

/// Robots in a world: free bodies, trees, surroundings, materials and which of their shapes meet.
///
///   shapes meet:  (type_a & affinity_b) | (type_b & affinity_a), of bodies that are not excluded, or as a pair of the model
///   friction:     of the higher priority, otherwise the larger one; of a pair of the model its own
///
/// which is the model's rule, for all robots of a world as if they stood in one model. With what else is in the world, the rules of
/// its materials hold. Classes of shapes take groups from 32 downwards, at most 24 of them.
namespace cornet {

/// Where a mocap body begins and how it moves; in axes of the model.
struct MocapOptions {
  std::string body;
  std::optional<Pose> X_MB = {};  // none: where the keyframe or the model has it
  Motion motion = Guided{};
};

struct RobotOptions {
  std::string name = {};      // comes before the names of its bodies: "left/palm"; empty: nothing does
  Pose X_WM;                  // where the model stands
  std::string keyframe = {};  // where it begins; empty: at the reference pose, with no controls
  std::vector<std::pair<std::string, std::vector<double>>> joints = {};  // positions, instead
  std::vector<std::pair<std::string, double>> controls = {};             // of actuators, constant
  std::vector<std::pair<std::string, double>> targets = {};              // positions of joints, for the servos that hold them
  std::vector<std::pair<std::string, double>> activations = {};          // of actuators that act late: where they begin
  std::vector<MocapOptions> mocaps = {};                                 // the others are guided
  std::vector<std::pair<std::string, ControlSchedule>> schedules = {};         // controls over time,
  std::vector<std::pair<std::string, ControlSchedule>> target_schedules = {};  //   and positions of joints
};

class RobotAdder {
 public:
  explicit RobotAdder(WorldModel& world) : world_(world) {}

  /// Throws std::invalid_argument when the model has no such keyframe, joint, actuator or servo, or a number does not fit.
  void plan(std::shared_ptr<const MujocoModel> model, const RobotOptions& options);
  /// Adds all robots; after the free bodies and before constraints, trees and excluded pairs of others. Throws std::invalid_argument as
  /// the world does, and when there are too many classes of shapes.
  void addAll();
  /// "robot 'left': not used: solref on 12 geoms", one for each robot of which something is not used.
  std::vector<std::string> notes() const;

 private:
  struct Robot {
    std::shared_ptr<const MujocoModel> model;
    RobotOptions options;
    VectorXd q, v, control, activation;
    std::vector<std::pair<Pose, Motion>> mocaps;  // where they begin, and how they move
    std::vector<std::pair<int, ControlSchedule>> schedules;  // of actuators of the model
    std::vector<int> moving, standing;  // of the model's bodies: numbers of bodies and surroundings of the world, or -1
  };
  /// Shapes that meet the same ones.
  struct ShapeClass {
    std::uint32_t type = 0, affinity = 0;
    int robot = -1, body = -1, shape = -1;  // -1: any
    bool operator==(const ShapeClass&) const = default;
  };
  /// Surfaces that slide alike.
  struct Surface {
    double friction = 0.0;
    bool is_smooth = false;
    int priority = 0;
    int robot = -1, shape = -1;  // of a pair of the model; -1: any
    bool operator==(const Surface&) const = default;
  };

  static void planControls(Robot& robot);
  static void planMocaps(Robot& robot);
  void setControls(const Robot& robot, int tree, int added);
  std::string nameOf(const Robot& robot, int body) const;
  void readClasses(int number);
  ShapeClass classOf(int robot, int shape) const;
  bool meet(const ShapeClass& a, const ShapeClass& b) const;
  CollisionFilter filterOf(int robot, int shape) const;
  int materialOf(int robot, int shape);
  void setPairs();
  std::vector<AssetShape> makeShapes(int robot, int body, const Vector3d& centre);
  void addBodies(int number);
  void addTrees(int number);
  void addSurroundings(int number);
  void exclude(const Robot& robot);
  void excludeBodies(const Robot& robot, int a, int b);
  bool isWholeLink(const Robot& robot, int body) const;

  WorldModel& world_;
  std::vector<Robot> robots_;
  std::vector<ShapeClass> classes_;
  std::vector<std::pair<Surface, int>> surfaces_;  // and their materials
};

/// Whether a file name is that of a model: .xml, .mjcf, .urdf.
bool isModelFile(const std::filesystem::path& file);
/// Reads a model. Throws FindingsError with the place of what is wrong, and FileError.
std::shared_ptr<const MujocoModel> readModel(const std::filesystem::path& file, const ModelOptions& options = {});

}  // namespace cornet
