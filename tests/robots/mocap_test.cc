// Mocap bodies: surroundings that move as a scene says, or where inputs of a step guide them, and take along what touches them.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "cornet/io/state_file.h"
#include "cornet/run/scene_run.h"
#include "robots/model_files.h"

namespace cornet {
namespace {

using test::ModelFolder;

// A plate that carries a box, and a wall beside it that belongs to it.
constexpr const char* kPlate = R"(<mujoco><default><geom friction="0.5"/></default><worldbody>
  <body name="plate" mocap="true" pos="0 0 0.5"><geom type="box" size="0.5 0.5 0.05" pos="0 0 -0.05"/>
    <body pos="0.4 0 0"><geom type="box" size="0.01 0.3 0.1" pos="0 0 0.1"/></body></body>
  <body name="box" pos="0.1 0.05 0.6"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body></worldbody></mujoco>)";

Scene readPlate(const ModelFolder& folder, const std::string& more, const std::string& dt = "0.004") {
  const auto file = folder.write("plate.xml", kPlate);
  return readScene(SourceText("scene.toml", "version = 1\nduration = 1\ndt = " + dt + "\n[[robot]]\nfile = '" + file.string() + "'\n" + more));
}

// The same as surroundings of a scene.
Scene readSurroundings(const std::string& motion, const std::string& dt = "0.004") {
  return readScene(SourceText("scene.toml", "version = 1\nduration = 1\ndt = " + dt + "\n[[material]]\nname = 'default'\nfriction = 0.5\n" +
                                                "[[environment]]\nname = 'plate'\nposition = [0, 0, 0.5]\nmotion = " + motion + "\n" +
                                                "[[environment.shape]]\ntype = 'box'\nhalf_extents = [0.5, 0.5, 0.05]\nposition = [0, 0, -0.05]\n" +
                                                "[[environment.shape]]\ntype = 'box'\nhalf_extents = [0.01, 0.3, 0.1]\nposition = [0.4, 0, 0.1]\n" +
                                                "[[body]]\nname = 'box'\nmass = 1\nposition = [0.1, 0.05, 0.6]\nshape = { type = 'box', half_extents = [0.1, 0.1, 0.1] }\n"));
}

TEST(Mocap, MovesAsSurroundingsOfASceneDo) {
  const ModelFolder folder;
  for (const std::string motion : {"{ type = 'oscillation', amplitude = [0.05, 0, 0], frequency = 1.0 }", "{ type = 'oscillation', amplitude = [0.3, 0, 0.02], frequency = 1.5 }",
                                   "{ type = 'steady', velocity = [0.1, 0, 0], omega = [0, 0, 0.8] }", "{ type = 'path', times = [0, 0.5, 1], displacements = [[0, 0, 0], [0.1, 0.2, 0], [0, 0, 0.1]] }"}) {
    const Scene mocap = readPlate(folder, "[[robot.mocap]]\nbody = 'plate'\nmotion = " + motion + "\n"), scene = readSurroundings(motion);
    SceneRun run(mocap), other(scene);
    double way = 0.0;
    while (!run.isDone()) {
      run.step();
      other.step();
      way = std::max(way, (run.state().q.head<3>() - Vector3d(0.1, 0.05, 0.6)).norm());
    }
    EXPECT_LT((run.state().q - other.state().q).norm(), 1e-10) << motion;
    EXPECT_EQ(run.totals().inaccurate_steps, other.totals().inaccurate_steps) << motion;
    EXPECT_GT(way, 0.05) << motion;
  }
}

// What sticks to a plate goes where it goes, whichever way it is told to.
TEST(Mocap, CarriesWhatSticksToIt) {
  const ModelFolder folder;
  const Scene scene = readPlate(folder, "");
  const int plate = scene.world.find("plate"), box = scene.world.find("box");
  Simulator simulator(scene.world);
  State state = scene.world.makeState();
  StepMemory memory;
  StepInputs inputs;
  const double h = 0.01;
  for (int k = 1; k <= 100; ++k) {
    const double t = k * h, s = 0.15 * (1.0 - std::cos(2.0 * t));  // at most 0.6 m/s²
    inputs.guides = {{plate, Vector3d(s, 0.0, 0.5 + 0.5 * s), Quaterniond::Identity()}};
    const StepReport report = simulator.step(h, inputs, state, memory);
    ASSERT_TRUE(report.isAccurate()) << k;
    const InertialState at = scene.world.calcBodyState(plate, state), on = scene.world.calcBodyState(box, state);
    ASSERT_LT((at.position - inputs.guides[0].position).norm(), 1e-15);
    ASSERT_LT((on.position - at.position - Vector3d(0.1, 0.05, 0.1)).norm(), 2e-4) << k;  // Σ Δv²/2μg: each step begins with a velocity of its own
    ASSERT_LT(logMap(on.orientation).norm(), 1e-9) << k;
  }
  const Vector3d place = scene.world.calcBodyState(plate, state).position;
  simulator.step(h, state, memory);
  EXPECT_EQ(scene.world.calcBodyState(plate, state).position, place);  // it stands where nothing says where it goes
}

// Inputs that follow a motion, in steps and in parts of steps: the wall hits the box.
TEST(Mocap, InputsThatFollowAMotionAreThatMotion) {
  const ModelFolder folder;
  for (const auto& [path, dt] : {std::pair<std::string, std::string>{"{ type = 'steady', velocity = [-0.4, 0, 0] }", "0.004"}, {"{ type = 'steady', velocity = [-0.4, 0, 0] }", "0.02"},
                                 {"{ type = 'steady', velocity = [-3, 0.5, 0], omega = [0, 0, -1] }", "0.01"}, {"{ type = 'steady', velocity = [0.1, 0, 0], omega = [0, 0, 0.8] }", "0.01"}}) {
    const Scene guided = readPlate(folder, "", dt), scene = readPlate(folder, "[[robot.mocap]]\nbody = 'plate'\nmotion = " + path + "\n", dt);
    const int plate = guided.world.find("plate");
    SceneRun run(guided), other(scene);
    run.setController([&](double time, const State&, StepInputs& inputs) {
      BodyStates none;
      none.time = time + guided.dt;
      const InertialState there = scene.world.calcSurroundings(plate - 1, none, none.time);
      inputs.guides.push_back({plate, there.position, there.orientation});
    });
    while (!run.isDone()) {
      run.step();
      other.step();
      ASSERT_LT((run.state().q - other.state().q).norm(), 1e-7) << path << dt << " at " << run.state().time;  // within the tolerance of solves
    }
    EXPECT_EQ(run.totals().corrections.refined, other.totals().corrections.refined);
    EXPECT_EQ(run.totals().inaccurate_steps, 0);
    EXPECT_GT((run.state().q.head<3>() - Vector3d(0.1, 0.05, 0.6)).norm(), 0.05);
  }
}

TEST(Mocap, IsSavedHashedAndForked) {
  const ModelFolder folder;
  const Scene scene = readPlate(folder, "[[robot.mocap]]\nbody = 'plate'\nposition = [0, 0, 0.5]\nrpy_deg = [0, 0, 30]\n");
  const int plate = scene.world.find("plate");
  Simulator simulator(scene.world), other(scene.world);
  State state = scene.world.makeState();
  StepMemory memory;
  const auto step = [&](Simulator& by, State& at, StepMemory& kept, int k) {
    StepInputs inputs;
    inputs.guides = {{plate, Vector3d(0.002 * k, 0, 0.5), Quaterniond(1, 0, 0, 0.3)}};
    by.step(0.004, inputs, at, kept);
  };
  for (int k = 0; k < 50; ++k) step(simulator, state, memory, k);
  const auto file = folder.write("moment.h5", "");
  saveMoment(file, state, memory);
  SavedMoment loaded = loadMoment(file);
  EXPECT_EQ(hashOf(loaded.state), hashOf(state));
  for (int k = 50; k < 100; ++k) {
    step(simulator, state, memory, k);
    step(other, loaded.state, loaded.memory, k);
    ASSERT_EQ(hashOf(loaded.state), hashOf(state));
  }
  State moved = state;
  moved.guided[0] += 1e-9;
  EXPECT_NE(hashOf(moved), hashOf(state));
  moved.guided.resize(0);
  EXPECT_THROW(simulator.step(0.004, moved, memory), std::invalid_argument);
}

TEST(Mocap, RefusesPosesThatAreNone) {
  const ModelFolder folder;
  const Scene scene = readPlate(folder, "[[environment]]\nname = 'floor'\nshape = { type = 'half_space' }\n");
  Simulator simulator(scene.world);
  State state = scene.world.makeState();
  const std::uint64_t before = hashOf(state);
  StepMemory memory;
  const auto fault = [&](const GuideInput& guide) -> std::string {
    StepInputs inputs;
    inputs.guides = {guide};
    try {
      simulator.step(0.004, inputs, state, memory);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  const int plate = scene.world.find("plate");
  EXPECT_NE(fault({plate, Vector3d(0, std::numeric_limits<double>::quiet_NaN(), 0)}).find("guide for 'plate'"), std::string::npos);
  EXPECT_NE(fault({plate, Vector3d::Zero(), Quaterniond(0, 0, 0, 0)}).find("guide for 'plate'"), std::string::npos);
  EXPECT_NE(fault({scene.world.find("floor"), Vector3d::Zero()}).find("'floor': it is not Guided"), std::string::npos);
  EXPECT_NE(fault({0, Vector3d::Zero()}).find("surroundings, 1 to 2"), std::string::npos);
  EXPECT_EQ(hashOf(state), before);
  EXPECT_THROW(readPlate(folder, "[[robot.mocap]]\nbody = 'plat'\n"), FindingsError);
}

// One that holds something of its model stands, and says so.
TEST(Mocap, StandsWhereItHoldsSomething) {
  const ModelFolder folder;
  const auto file = folder.write("held.xml", R"(<mujoco><worldbody><body name="m" mocap="true" pos="0 0 1"/>
    <body name="d" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.1 0.02" mass="0.5"/></body></worldbody><equality><weld name="w" body1="m" body2="d"/></equality></mujoco>)");
  const auto read = [&](const std::string& more) { return readScene(SourceText("scene.toml", "version = 1\n[[robot]]\nfile = '" + file.string() + "'\n" + more)); };
  const Scene scene = read("");
  Simulator simulator(scene.world);
  State state = scene.world.makeState();
  StepMemory memory;
  StepInputs inputs;
  inputs.guides = {{scene.world.find("m"), Vector3d(0, 0, 2)}};
  EXPECT_THROW(simulator.step(0.002, inputs, state, memory), std::invalid_argument);
  try {
    read("[[robot.mocap]]\nbody = 'm'\nmotion = { type = 'steady', velocity = [1, 0, 0] }\n");
    FAIL() << "no error";
  } catch (const FindingsError& error) {
    EXPECT_NE(std::string(error.what()).find("mocap body 'm' holds equality 'w'"), std::string::npos) << error.what();
  }
}

// A keyframe says where a mocap body begins; its model may be turned.
TEST(Mocap, BeginsWhereKeyframesAndScenesSay) {
  const ModelFolder folder;
  const auto file = folder.write("key.xml", R"(<mujoco><worldbody><body name="m" mocap="true" pos="1 0 0"><geom size="0.1"/></body></worldbody>
    <keyframe><key name="k" mpos="0 2 0" mquat="0 0 0 1"/></keyframe></mujoco>)");
  const auto poseOf = [&](const std::string& more) {
    const Scene scene = readScene(SourceText("scene.toml", "version = 1\n[[robot]]\nfile = '" + file.string() + "'\nrpy_deg = [0, 0, 90]\n" + more));
    return scene.world.calcBodyState(scene.world.find("m"), scene.world.makeState());
  };
  EXPECT_LT((poseOf("").position - Vector3d(0, 1, 0)).norm(), 1e-15);
  EXPECT_LT((poseOf("keyframe = 'k'\n").position - Vector3d(-2, 0, 0)).norm(), 1e-15);
  EXPECT_LT(logMap(poseOf("keyframe = 'k'\n").orientation * Quaterniond(Eigen::AngleAxisd(0.5 * M_PI, Vector3d::UnitZ()))).norm(), 1e-15);
  EXPECT_LT((poseOf("[[robot.mocap]]\nbody = 'm'\nposition = [0, 0, 3]\n").position - Vector3d(0, 0, 3)).norm(), 1e-15);
  const InertialState start = [&] {
    const Scene scene = readScene(SourceText("scene.toml", "version = 1\n[[robot]]\nfile = '" + file.string() + "'\nrpy_deg = [0, 0, 90]\n[[robot.mocap]]\nbody = 'm'\nmotion = { type = 'steady', velocity = [1, 0, 0] }\n"));
    return scene.world.calcBodyState(scene.world.find("m"), scene.world.makeState());
  }();
  EXPECT_LT((start.velocity - Vector3d(0, 1, 0)).norm(), 1e-15);
}

}  // namespace
}  // namespace cornet
