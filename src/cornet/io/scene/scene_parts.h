#pragma once

#include <functional>

#include "cornet/io/scene/scene.h"
#include "cornet/io/toml/table_reader.h"

/// Readers for the parts of a scene file; each takes what it knows from one table.
namespace cornet {

/// What a part is read into, and where the files it names are looked for.
struct SceneContext {
  Scene& scene;
  const std::filesystem::path& folder;
};

/// Runs `make`; std::invalid_argument becomes a finding at the key, or at the table.
void guard(TableReader& table, std::string_view key, const std::string& help,
           const std::function<void()>& make);

/// The number of the body that the key names, or -1.
int readBodyName(TableReader& table, std::string_view key, const WorldModel& world);
/// The number of the joint of this name, or -1 and a finding at the key.
int findJointName(TableReader& table, std::string_view key, const std::string& name, const WorldModel& world);
/// The index of the material that the key names; `otherwise` when it is not there.
int readMaterialName(TableReader& table, const MaterialTable& materials, int otherwise);

// Of the main file.
void readSettings(TableReader& root, Scene& scene);
void readSimulator(TableReader& root, SimulatorOptions& options);

// Of every file, in this order.
void readMaterials(TableReader& root, MaterialTable& materials);
void readMaterialPairs(TableReader& root, MaterialTable& materials);
void readBodies(TableReader& root, const SceneContext& context);
void readRepetitions(TableReader& root, const SceneContext& context);
void readEnvironments(TableReader& root, const SceneContext& context);
void readRobots(TableReader& root, const SceneContext& context, class RobotAdder& adder);
void readForces(TableReader& root, WorldModel& world);
void readConstraints(TableReader& root, WorldModel& world);
void readJoints(TableReader& root, WorldModel& world);
void readCouplings(TableReader& root, WorldModel& world);
void readExclusions(TableReader& root, WorldModel& world);
void readProbes(TableReader& root, Scene& scene);
void readChecks(TableReader& root, Scene& scene);

/// The key `motion`.
Motion readMotion(TableReader& owner);

/// [owner.shape] or [[owner.shape]], each with its own pose and material. `least` how many there must be.
std::vector<AssetShape> readShapes(TableReader& owner, const SceneContext& context, int least);

/// A body without a name and place: what [[body]] and every repetition share.
struct BodyTemplate {
  std::vector<AssetShape> shapes;
  std::optional<double> density, mass;
  std::optional<Matrix3d> inertia;
  Vector3d centre = Vector3d::Zero();
  Vector3d velocity = Vector3d::Zero();
  Vector3d omega = Vector3d::Zero();
  double linear_drag = 0.0, angular_drag = 0.0;
  bool good = false;  // nothing was wrong with it
};
BodyTemplate readBodyTemplate(TableReader& table, const SceneContext& context);
/// A body of arch wedges and the like brings its own shape.
BodyTemplate readBodyTemplate(TableReader& table, const SceneContext& context,
                              std::vector<AssetShape> shapes);
/// Adds one body at this pose; `mass` wins over that of the template.
void addBody(TableReader& table, const BodyTemplate& item, const std::string& name, const Pose& X_WO,
             WorldModel& world, std::optional<double> mass = {});

}  // namespace cornet
