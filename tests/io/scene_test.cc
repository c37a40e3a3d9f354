// Scene files that are right: what is made of them.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include <gtest/gtest.h>

#include "cornet/io/scene/scene.h"

namespace cornet {
namespace {

Scene read(const std::string& text, const std::vector<SceneOverride>& overrides = {}) {
  return readScene(SourceText("scene.toml", "version = 1\n" + text), overrides);
}

constexpr const char* kBall = R"(
[[body]]
name = "ball"
mass = 2
shape = { type = "sphere", radius = 0.5 }
position = [1, 2, 3]
velocity = [4, 0, 0]
omega = [0, 5, 0]
)";

TEST(SceneFile, AnEmptyOneHasDefaults) {
  const Scene scene = read("");
  EXPECT_EQ(scene.world.totalCount(), 0);
  EXPECT_EQ(scene.duration, 1.0);
  EXPECT_EQ(scene.dt, 1e-3);
  EXPECT_EQ(scene.world.gravity, Vector3d(0, 0, -9.81));
}

TEST(SceneFile, ReadsSettingsOptionsAndMaterials) {
  const Scene scene = read(R"(
title = "t"
duration = 2
dt = 0.01
long = true
gravity = [0, 0, -1]
[simulator]
solver = "gauss_seidel"
tolerance = 1e-6
budget = 70
energy_cap = false
max_contact_points = 4
[[material]]
name = "ice"
friction = 0.04
[[material]]
name = "rubber"
friction = 1
restitution = 0.5
[material_rules]
friction = "minimum"
[[material_pair]]
a = "rubber"
b = "rubber"
friction = 2
)");
  EXPECT_TRUE(scene.is_long);
  EXPECT_EQ(scene.options.solver, SolverKind::gauss_seidel);
  EXPECT_EQ(scene.options.tolerance, 1e-6);
  EXPECT_EQ(makeSolverOptions(scene.options).gauss_seidel.max_iterations, 70);
  EXPECT_FALSE(scene.options.energy_cap);
  EXPECT_EQ(scene.options.max_contact_points, 4);
  const MaterialTable& materials = scene.world.materials;
  const int ice = materials.find("ice"), rubber = materials.find("rubber");
  EXPECT_EQ(materials.pair(ice, rubber).mu, 0.04);
  EXPECT_EQ(materials.pair(ice, rubber).restitution, 0.5);
  EXPECT_EQ(materials.pair(rubber, rubber).mu, 2.0);
  EXPECT_EQ(materials.pair(rubber, rubber).restitution, 0.5);
}

TEST(SceneFile, ReadsABodyWithItsState) {
  const Scene scene = read(kBall);
  const AssetInertial& ball = scene.world.body(0);
  EXPECT_EQ(ball.mass().mass, 2.0);
  EXPECT_DOUBLE_EQ(ball.mass().inertia(0, 0), 0.4 * 2.0 * 0.25);
  EXPECT_EQ(ball.initial().position, Vector3d(1, 2, 3));
  EXPECT_EQ(ball.initial().velocity, Vector3d(4, 0, 0));
  EXPECT_EQ(ball.initial().omega, Vector3d(0, 5, 0));
}

TEST(SceneFile, ACompoundHasTheCentreOfItsParts) {
  const Scene scene = read(R"(
[[body]]
name = "dumbbell"
density = 1000
[[body.shape]]
type = "sphere"
radius = 0.1
[[body.shape]]
type = "sphere"
radius = 0.1
position = [1, 0, 0]
)");
  EXPECT_LT((scene.world.body(0).centre() - Vector3d(0.5, 0, 0)).norm(), 1e-15);
  EXPECT_EQ(scene.world.body(0).shapes().size(), 2u);
}

TEST(SceneFile, FormulasTakeParametersAndOverrides) {
  const std::string text = R"(
[[parameter]]
name = "n"
default = 2
[[parameter]]
name = "mass"
default = "=3*n"
[[stack]]
name = "box"
count = "$n"
mass = "$mass"
shape = { type = "box", half_extents = [0.1, 0.1, "=0.1*n"] }
)";
  const Scene scene = read(text);
  EXPECT_EQ(scene.world.bodyCount(), 2);
  EXPECT_EQ(scene.world.body(1).mass().mass, 6.0);
  EXPECT_DOUBLE_EQ(scene.world.body(1).initial().position.z(), 0.6);
  EXPECT_EQ(scene.variables().at("mass"), 6.0);
  EXPECT_EQ(read(text, {{"n", "5"}}).world.bodyCount(), 5);
  EXPECT_EQ(read(text, {{"duration", "7"}}).duration, 7.0);
  EXPECT_EQ(read(text, {{"dt", ".001"}}).dt, 0.001);
  EXPECT_EQ(read(text, {{"dt", "5.e-3"}}).dt, 0.005);
  EXPECT_EQ(read(text, {{"stack.box.mass", "1"}}).world.body(0).mass().mass, 1.0);
  EXPECT_EQ(read(text, {{"simulator.tolerance", "1e-5"}}).options.tolerance, 1e-5);
}

TEST(SceneFile, RepetitionsNameAndPlaceTheirBodies) {
  const Scene scene = read(R"(
[[grid]]
name = "g"
mass = 1
shape = { type = "sphere", radius = 0.1 }
count = [3, 2, 2]
pitch = [1, 2, 3]
position = [10, 0, 1]
[[wall]]
name = "w"
mass = 1
shape = { type = "box", half_extents = [0.2, 0.1, 0.05] }
rows = 2
columns = 2
gap = 0.01
position = [0, 50, 0]
[[line]]
name = "l"
mass = 1
shape = { type = "sphere", radius = 0.1 }
count = 3
step = [0, 0, 2]
[[stack]]
name = "s"
masses = [1, 10]
shape = { type = "box", half_extents = [0.1, 0.1, 0.1] }
)");
  const auto at = [&](const char* name) { return scene.world.body(scene.world.find(name)).initial().position; };
  EXPECT_EQ(at("g[0,0,0]"), Vector3d(9, -1, 1));
  EXPECT_EQ(at("g[2,1,1]"), Vector3d(11, 1, 4));
  EXPECT_LT((at("w[1,1]") - Vector3d(0.41 + 0.205, 50, 0.15)).norm(), 1e-15);
  EXPECT_EQ(at("l[2]"), Vector3d(0, 0, 4));
  EXPECT_EQ(scene.world.body(scene.world.find("s[1]")).mass().mass, 10.0);
  EXPECT_LT((at("s[1]") - Vector3d(0, 0, 0.3)).norm(), 1e-15);
}

TEST(SceneFile, APileFollowsTheGeneratorThatAnybodyCanRepeat) {
  const Scene scene = read(R"(
[[pile]]
name = "p"
mass = 1
shape = { type = "sphere", radius = 0.1 }
count = [1, 1, 1]
pitch = [1, 1, 1]
jitter = 0.5
seed = 1
)");
  const double s1 = 1664525.0 + 1013904223.0;
  const double s2 = std::fmod(1664525.0 * s1 + 1013904223.0, 4294967296.0);
  EXPECT_DOUBLE_EQ(scene.world.body(0).initial().position.x(), 0.5 * (2.0 * s1 / 4294967296.0 - 1.0));
  EXPECT_DOUBLE_EQ(scene.world.body(0).initial().position.y(), 0.5 * (2.0 * s2 / 4294967296.0 - 1.0));
}

TEST(SceneFile, WedgesOfARingTouchAndFillIt) {
  const Scene scene = read(R"(
[[ring]]
name = "w"
count = 15
inner_radius = 0.9
outer_radius = 1.1
depth = 0.3
density = 2000
)");
  ASSERT_EQ(scene.world.bodyCount(), 15);
  const double half = std::numbers::pi / 30.0;
  const double area = std::sin(half) * std::cos(half) * (1.21 - 0.81);
  EXPECT_NEAR(scene.world.body(7).mass().mass, 2000 * 0.3 * area, 1e-10);
  EXPECT_LT(std::abs(scene.world.body(7).initial().position.x()), 1e-15);
  EXPECT_GT(scene.world.body(7).initial().position.z(), 0.9);
  EXPECT_GT(scene.world.body(0).initial().position.x(), 0.9);
}

TEST(SceneFile, ReadsSurroundingsForcesConstraintsAndExclusions) {
  const Scene scene = read(std::string(kBall) + R"(
[[environment]]
name = "belt"
position = [0, 0, -1]
shape = { type = "half_space" }
surface_velocity = [1, 0, 0]
[[environment]]
name = "lift"
shape = { type = "box", half_extents = [1, 1, 1] }
motion = { type = "path", times = [0, 2], displacements = [[0, 0, 0], [0, 0, 4]] }
[[environment]]
name = "shaker"
shape = { type = "box", half_extents = [1, 1, 1] }
motion = { type = "oscillation", amplitude = [1, 0, 0], frequency = 0.25 }
[[force]]
body = "ball"
force = [1, 0, 0]
begin = 1
end = 2
[[constraint]]
type = "hinge"
a = "lift"
b = "ball"
anchor = [0, 0, 3]
axis = [0, 1, 0]
upper_deg = 30
motor_speed = 1
max_effort = 2
[[constraint]]
type = "distance"
a = "lift"
b = "ball"
[[exclude]]
a = "ball"
b = "belt"
)");
  EXPECT_EQ(scene.world.environment(0).surfaceVelocity(), Vector3d(1, 0, 0));
  EXPECT_EQ(scene.world.environment(1).calcState(1.0).position, Vector3d(0, 0, 2));
  EXPECT_NEAR(scene.world.environment(2).calcState(1.0).position.x(), 1.0, 1e-15);
  EXPECT_EQ(scene.world.loads().front().end, 2.0);
  EXPECT_EQ(scene.world.constraints().size(), 4u);  // hinge, limit, motor, distance
  EXPECT_EQ(scene.world.excluded().size(), 1u);
}

TEST(SceneFile, IncludedFilesAndMeshesAreFoundBesideTheFile) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "cornet_scene_include_test";
  fs::create_directories(folder / "parts");
  std::ofstream(folder / "parts/materials.toml") << "version = 1\ninclude = [\"more.toml\"]\n"
                                                     "[[material]]\nname = \"ice\"\nfriction = 0.1\n";
  std::ofstream(folder / "parts/more.toml") << "version = 1\n[[parameter]]\nname = \"mu\"\ndefault = 0.7\n";
  std::ofstream(folder / "tetra.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  std::ofstream(folder / "h.csv") << "0 0\n0 1\n";
  std::ofstream(folder / "scene.toml") << R"(version = 1
include = ["parts/materials.toml", "parts/more.toml"]
[[body]]
name = "tetra"
density = 6
material = "ice"
shape = { type = "convex_hull", file = "tetra.obj", scale = 2 }
[[environment]]
name = "ground"
[[environment.shape]]
type = "height_field"
file = "h.csv"
dx = 1
[[environment.shape]]
type = "triangle_mesh"
file = "tetra.obj"
position = [5, 0, 0]
)";
  const Scene scene = readScene(folder / "scene.toml");
  EXPECT_NEAR(scene.world.body(0).mass().mass, 8.0, 1e-12);
  EXPECT_EQ(scene.world.environment(0).shapes().size(), 2u);
  EXPECT_EQ(scene.parameters.size(), 1u);
  fs::remove_all(folder);
}

TEST(Scene, JointsHaveTheWordsOfTheirOptions) {
  const Scene scene = read(R"(gravity = [0, 0, 0]
[[environment]]
name = "wall"
shape = { type = "sphere", radius = 0.1 }
[[body]]
name = "cart"
mass = 1
position = [1, 0, 0]
shape = { type = "sphere", radius = 0.1 }
[[body]]
name = "door"
mass = 1
position = [0, 1, 0]
shape = { type = "sphere", radius = 0.1 }
[[joint]]
name = "rail"
type = "slider"
a = "wall"
b = "cart"
anchor = [1, 0, 0]
axis = [1, 0, 0]
limits = { upper = 0.5, restitution = 0.5 }
motor = { speed = 0.2, max_effort = 10 }
friction = 0.1
[[joint]]
type = "hinge"
a = "wall"
b = "door"
anchor = [0, 0, 0]
axis = [0, 0, 1]
collide = false
limits = { lower_deg = -90, upper_rad = 1 }
servo = { kp = 300, kd = 30, target_deg = 30 }
spring = { stiffness = 2, rest_deg = 30 }
damping = 0.5
[[joint]]
type = "distance"
a = "cart"
b = "door"
[[probe]]
name = "angle"
what = "joint_position"
joint = "hinge wall-door"
)");
  std::vector<std::string> types;
  for (const auto& constraint : scene.world.constraints()) types.push_back(constraint->typeName());
  EXPECT_EQ(types, (std::vector<std::string>{"SliderJoint", "JointLimit", "JointMotor", "JointFriction", "HingeJoint",
                                             "JointLimit", "JointLimit", "JointServo", "JointSpring", "JointDamper",
                                             "DistanceConstraint"}));
  EXPECT_EQ(scene.world.findJoint("rail"), 0);
  EXPECT_EQ(scene.world.findJoint("hinge wall-door"), 1);
  EXPECT_EQ(scene.world.excluded().size(), 1u);
}

}  // namespace
}  // namespace cornet
