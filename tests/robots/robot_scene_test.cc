// Robots in scenes: how they are read, what they touch, and that a grasp holds.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include <mujoco/mujoco.h>

#include "cornet/io/robot/add_robots.h"
#include "cornet/run/scene_run.h"
#include "robots/model_files.h"

namespace cornet {
namespace {

using test::ModelFolder;
using test::robotFile;

Scene readText(const std::string& text) { return readScene(SourceText("scene.toml", "version = 1\n" + text)); }

std::string robotTable(const std::filesystem::path& file, const std::string& more = "") {
  return "[[robot]]\nfile = '" + file.string() + "'\n" + more;
}

struct Contact {
  std::string a, b;
  double mu;
  bool operator<(const Contact& other) const { return std::tie(a, b, mu) < std::tie(other.a, other.b, other.mu); }
  bool operator==(const Contact&) const = default;
};

Contact makeContact(std::string a, std::string b, double mu) {
  if (b < a) std::swap(a, b);
  return {a, b, mu};
}

// Which bodies meet with which friction, by the library and here.
std::set<Contact> findTheirContacts(const std::filesystem::path& file) {
  char error[1000] = "";
  mjModel* model = mj_loadXML(file.c_str(), nullptr, error, sizeof error);
  EXPECT_NE(model, nullptr) << error;
  mjData* data = mj_makeData(model);
  mj_forward(model, data);
  std::set<Contact> contacts;
  for (int k = 0; k < data->ncon; ++k) {
    const mjContact& contact = data->contact[k];
    const auto nameOf = [&](int geom) { return std::string(mj_id2name(model, mjOBJ_BODY, model->geom_bodyid[geom])); };
    contacts.insert(makeContact(nameOf(contact.geom[0]), nameOf(contact.geom[1]), contact.dim == 1 ? 0.0 : contact.friction[0]));
  }
  mj_deleteData(data);
  mj_deleteModel(model);
  return contacts;
}

std::set<Contact> findOurContacts(const std::filesystem::path& file) {
  const Scene scene = readScene(file);
  const WorldModel& world = scene.world;
  const State state = world.makeState();
  std::vector<Pose> poses;
  for (int k = 0; k < world.totalCount(); ++k) poses.push_back(world.calcBodyState(k, state).pose());
  Detector detector = world.makeDetector();
  ContactSet found;
  detector.detect(poses, std::vector<double>(poses.size(), 0.0), found);
  std::set<Contact> contacts;
  for (int k = 0; k < found.size(); ++k) {
    const auto materialOf = [&](int shape) {
      int count = 0;
      for (int body = 0; body < world.totalCount(); ++body) {
        const auto& shapes = body < world.bodyCount() ? world.body(body).shapes() : world.environment(body - world.bodyCount()).shapes();
        for (const AssetShape& part : shapes) {
          if (count++ == shape) return part.material;
        }
      }
      return -1;
    };
    const double mu = world.materials.pair(materialOf(found.shape_a[k]), materialOf(found.shape_b[k])).mu;
    contacts.insert(makeContact(world.nameOf(found.body_a[k]), world.nameOf(found.body_b[k]), mu));
  }
  return contacts;
}

// Types, affinities, priorities, smooth geoms, parents, exclusions and pairs, all near one point.
TEST(RobotContacts, AreThoseOfTheLibrary) {
  const ModelFolder folder;
  const auto file = folder.write("touch.xml", R"(<mujoco>
  <default><geom type="sphere" size="0.2"/></default>
  <worldbody>
    <geom type="plane" size="1 1 1" pos="0 0 -0.1" friction="0.3"/>
    <body name="a"><freejoint/><geom friction="0.9"/></body>
    <body name="b" pos="0.05 0 0"><freejoint/><geom contype="2" conaffinity="1" friction="0.4"/></body>
    <body name="c" pos="0 0.05 0"><freejoint/><geom contype="4" conaffinity="2" priority="1" friction="0.1"/></body>
    <body name="d" pos="0 0 0.05"><freejoint/><geom contype="0" conaffinity="0"/></body>
    <body name="e" pos="0.05 0.05 0"><joint type="hinge"/><geom condim="1"/>
      <body name="f" pos="0.02 0 0"><joint type="hinge" axis="1 0 0"/><geom condim="1" friction="0.7"/>
        <body name="g" pos="0.02 0 0"><joint type="hinge" axis="0 1 0"/><geom condim="1"/></body></body></body>
    <body name="m" mocap="true" pos="0 -0.05 0"><geom name="m" priority="2" friction="0.25"/></body>
    <body name="h" pos="0.05 0 0.05"><freejoint/><geom name="h"/>
      <body name="i" pos="0 0 0.1"><geom name="i"/></body></body>
  </worldbody>
  <contact><exclude body1="a" body2="b"/><exclude body1="i" body2="c"/><pair geom1="m" geom2="h" friction="0.55 0.55 0 0 0"/></contact>
</mujoco>)");
  std::set<Contact> theirs;
  for (Contact contact : findTheirContacts(file)) {
    if (contact.a == "i") contact.a = "h";  // which is fixed to it
    if (contact.b == "i") contact.b = "h";
    theirs.insert(makeContact(contact.a, contact.b, contact.mu));
  }
  const std::set<Contact> ours = findOurContacts(file);
  for (const Contact& contact : theirs) EXPECT_TRUE(ours.contains(contact)) << contact.a << " " << contact.b << " " << contact.mu;
  for (const Contact& contact : ours) EXPECT_TRUE(theirs.contains(contact)) << "only here: " << contact.a << " " << contact.b << " " << contact.mu;
}

// The servo asks for 100 N and has 12: friction holds the capsule as long as one looks.
TEST(RobotScene, TheGripperHoldsItsCapsule) {
  for (const char* dt : {"0.002", "0.005"}) {
    const Scene scene = readText("duration = 3\ndt = " + std::string(dt) + "\n" + robotTable(robotFile("gripper.xml"), "keyframe = 'hold'\n"));
    SceneRun run(scene);
    const int capsule = scene.world.find("capsule"), finger = scene.world.find("left");
    const auto apart = [&] {
      return Vector3d(scene.world.calcBodyState(capsule, run.state()).position - scene.world.calcBodyState(finger, run.state()).position);
    };
    const Vector3d before = apart();
    while (!run.isDone()) run.step();
    EXPECT_LT((apart() - before).norm(), 1e-9) << dt;
    EXPECT_EQ(run.totals().inaccurate_steps, 0) << dt;
    EXPECT_NEAR(scene.world.calcBodyState(capsule, run.state()).position.z(), 0.14, 1e-9) << dt;
  }
}

// The same grasp by the other ways to step: with steps of varying size, which it lets grow, and in compliant contact, which creeps as its
// stiction_speed of 1e-4 m/s says.
TEST(RobotScene, TheGripperHoldsUnderErrorControlAndInCompliantContact) {
  const auto hold = [](const std::string& simulator, double& slip) {
    const Scene scene = readText("duration = 1\ndt = 0.002\n[simulator]\n" + simulator + robotTable(robotFile("gripper.xml"), "keyframe = 'hold'\n") +
                                 "[[probe]]\nname = 'slip'\nwhat = 'displacement'\nbody = 'capsule'\nother = 'left'\n[[probe]]\nname = 'force'\nwhat = 'actuator_force'\nactuator = 'left'\n");
    SceneRun run(scene);
    while (!run.isDone()) run.step();
    slip = run.values()[0];
    EXPECT_NEAR(run.values()[1], 12.0, 1e-9) << simulator;
    EXPECT_EQ(run.totals().inaccurate_steps, 0) << simulator;
    return run.totals();
  };
  double slip = 1.0;
  const RunTotals controlled = hold("accuracy = 1e-4\n", slip);
  EXPECT_LT(slip, 1e-12);
  EXPECT_LT(controlled.steps, 100);
  EXPECT_EQ(controlled.forced_steps, 0);
  hold("integrator = 'icf'\n", slip);
  EXPECT_LT(slip, 1e-4);
  EXPECT_EQ(hold("integrator = 'icf'\naccuracy = 1e-4\n", slip).forced_steps, 0);
  EXPECT_LT(slip, 1e-4);
}

// Activations, schedules and probes under error control: the velocity of a motor that acts late is exact all the same.
TEST(RobotScene, ActivationsUnderErrorControlAndInCompliantContact) {
  const ModelFolder folder;
  const auto file = folder.write("cart.xml", R"(<mujoco><option gravity="0 0 0"/><worldbody><body name="cart"><joint name="rail" type="slide" axis="1 0 0"/><geom size="0.1" mass="2"/></body></worldbody>
  <actuator><general name="a" joint="rail" dyntype="filter" dynprm="0.03"/></actuator></mujoco>)");
  for (const std::string simulator : {"accuracy = 1e-5\n", "integrator = 'icf'\n", "integrator = 'icf'\naccuracy = 1e-4\n"}) {
    const Scene scene = readText("duration = 0.24\ndt = 0.004\ngravity = [0, 0, 0]\n[simulator]\n" + simulator + robotTable(file, "[[robot.control]]\nname = 'a'\nvalue = 2\n"));
    SceneRun run(scene);
    while (!run.isDone()) run.step();
    EXPECT_NEAR(run.state().activation[0], -2.0 * std::expm1(-8.0), 1e-13) << simulator;
    EXPECT_NEAR(run.state().v[0], 0.24 + 0.03 * std::expm1(-8.0), 1e-9) << simulator;
    EXPECT_EQ(run.totals().inaccurate_steps, 0) << simulator;
  }
}

TEST(RobotScene, TheQuadrupedComesToStand) {
  const Scene scene = readText("duration = 4\ndt = 0.005\n" + robotTable(robotFile("quadruped.xml")));
  SceneRun run(scene);
  VectorXd settled;
  while (!run.isDone()) {
    run.step();
    if (run.state().time > 3.0 && settled.size() == 0) settled = run.state().q;
  }
  EXPECT_EQ(run.totals().inaccurate_steps, 0);
  EXPECT_LT((run.state().q - settled).lpNorm<Eigen::Infinity>(), 1e-10);
  EXPECT_LT(run.state().v.lpNorm<Eigen::Infinity>(), 1e-9);
}

// Legs that servos drive against each other, far from everything: P and L stay.
TEST(RobotScene, AFloatingRobotKeepsItsMomenta) {
  Scene scene = readText("duration = 1\ndt = 0.002\ngravity = [0, 0, 0]\n" + robotTable(robotFile("quadruped.xml"), "position = [0, 0, 5]\n"));
  SceneRun run(scene);
  const Tree& tree = *scene.world.tree(0).tree;
  const auto cache = tree.makeCache();
  const auto momentum = [&](const State& state) {
    tree.evaluate(state.q, TreeLevel::poses, *cache);
    return calcMomentum(tree, *cache, state.v);
  };
  EXPECT_NEAR(momentum(run.state()).linear.norm(), 0.0, 1e-15);
  while (!run.isDone()) run.step();
  EXPECT_LT(momentum(run.state()).linear.norm(), 1e-11);
  EXPECT_LT(momentum(run.state()).angular.norm(), 1e-11);
}

// Thrust at a site, and a weld to what stands, come from outside: momenta are not kept, and nobody asks for it.
TEST(RobotScene, RobotsInTheAirMayBePushedAndHeld) {
  const ModelFolder folder;
  const auto drone = folder.write("drone.xml", R"(<mujoco><worldbody><body name="d" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.1 0.02" mass="0.5"/><site name="s"/>
    <body pos="0.2 0 0"><joint axis="1 0 0" damping="0.1"/><geom size="0.02" mass="0.01" pos="0 0.05 0"/></body></body></worldbody>
    <actuator><motor name="m" site="s" gear="0 0 1 0 0 0"/></actuator></mujoco>)");
  const Scene scene = readScene(drone, {{"control.m", "6"}, {"duration", "0.5"}});
  SceneRun flight(scene);
  while (!flight.isDone()) flight.step();
  EXPECT_EQ(flight.totals().inaccurate_steps, 0);
  EXPECT_GT(flight.state().q[2], 1.05);

  const auto held = folder.write("held.xml", R"(<mujoco><worldbody><body name="m" mocap="true" pos="0 0 1"/>
    <body name="d" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.1 0.02" mass="0.5"/></body></worldbody>
    <equality><weld body1="m" body2="d"/></equality></mujoco>)");
  const Scene other = readScene(held, {{"duration", "0.5"}});
  SceneRun run(other);
  while (!run.isDone()) run.step();
  EXPECT_EQ(run.totals().inaccurate_steps, 0);
  EXPECT_LT((run.state().q.head<3>() - Vector3d(0, 0, 1)).norm(), 1e-13);
}

// Against the library's own integrator of fourth order in steps of 10 µs.
TEST(RobotScene, ADoublePendulumIsOfSecondOrder) {
  const ModelFolder folder;
  const auto file = folder.write("double.xml", R"(<mujoco><option timestep="1e-5" integrator="RK4"/><default><joint axis="0 1 0"/><geom type="capsule" size="0.03" contype="0" conaffinity="0"/></default>
  <worldbody><body pos="0 0 3"><joint/><geom fromto="0 0 0 0 0 -1" mass="1"/><body pos="0 0 -1"><joint/><geom fromto="0 0 0 0 0 -1" mass="1"/></body></body></worldbody>
  <keyframe><key name="up" qpos="1.5 0.8"/></keyframe></mujoco>)");
  mjModel* model = mj_loadXML(file.c_str(), nullptr, nullptr, 0);
  mjData* data = mj_makeData(model);
  mj_resetDataKeyframe(model, data, 0);
  for (int k = 0; k < 100000; ++k) mj_step(model, data);
  const Eigen::Vector2d exact(data->qpos[0], data->qpos[1]);
  mj_deleteData(data);
  mj_deleteModel(model);
  double errors[2];
  for (int k = 0; k < 2; ++k) {
    const Scene scene = readText(std::string("duration = 1\ndt = ") + (k == 0 ? "0.002" : "0.001") + "\n" + robotTable(file, "keyframe = 'up'\n"));
    SceneRun run(scene);
    while (!run.isDone()) run.step();
    errors[k] = (run.state().q - exact).norm();
    EXPECT_EQ(run.totals().inaccurate_steps, 0);
  }
  EXPECT_GT(errors[0] / errors[1], 3.6);
  EXPECT_LT(errors[0] / errors[1], 4.4);
}

// A loop of two trees that a motor turns.
TEST(RobotScene, TheFourBarStaysClosed) {
  const Scene scene = readText("duration = 2\ndt = 0.002\n" +
                               robotTable(robotFile("four_bar.xml"), "[[robot.control]]\nname = 'crank'\nvalue = 1.0\n"));
  SceneRun run(scene);
  const Tree& tree = *scene.world.tree(0).tree;
  const auto cache = tree.makeCache();
  double worst = 0.0;
  while (!run.isDone()) {
    run.step();
    std::vector<TreeRow> rows;
    tree.evaluate(run.state().q, TreeLevel::poses, *cache);
    tree.collectRows(*cache, rows);
    for (const TreeRow& row : rows) worst = std::max(worst, std::abs(row.C));
  }
  EXPECT_LT(worst, 1e-9);
  EXPECT_GT(std::abs(run.state().q[0]), 0.1);
  EXPECT_EQ(run.totals().inaccurate_steps, 0);
}

// Dry friction of 2 N m holds a little less for ever, and gives way to a little more as one over it.
TEST(RobotScene, DryFrictionOfAJointHoldsExactly) {
  const ModelFolder folder;
  const auto file = folder.write("brake.xml", R"(<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="j" frictionloss="2"/><inertial pos="0 0 0" mass="1" diaginertia="0.5 0.5 0.5"/></body></worldbody>
  <actuator><motor name="m" joint="j"/></actuator></mujoco>)");
  for (const double push : {1.999999, 2.000001}) {
    const Scene scene = readText("duration = 2\ndt = 0.01\n" + robotTable(file, "[[robot.control]]\nname = 'm'\nvalue = " + std::to_string(push) + "\n"));
    SceneRun run(scene);
    while (!run.isDone()) run.step();
    const double expected = 0.5 * std::max(0.0, push - 2.0) / 0.5 * 4.0;
    EXPECT_NEAR(run.state().q[0], expected, 1e-14) << push;
  }
}

// A hinge runs into its stop, and a servo presses it there: it passes it by nothing.
TEST(RobotScene, LimitsHoldExactly) {
  const ModelFolder folder;
  const auto file = folder.write("stop.xml", R"(<mujoco><worldbody><body><joint name="j" axis="0 1 0" range="-30 40"/><geom type="capsule" size="0.02" fromto="0 0 0 0 0 -1" mass="1"/></body></worldbody>
  <actuator><position name="p" joint="j" kp="50" kv="2"/></actuator></mujoco>)");
  const Scene scene = readText("duration = 2\ndt = 0.01\n" + robotTable(file, "[[robot.control]]\nname = 'p'\nvalue = 1.5\n"));
  SceneRun run(scene);
  double furthest = 0.0;
  while (!run.isDone()) {
    run.step();
    furthest = std::max(furthest, run.state().q[0]);
  }
  EXPECT_NEAR(run.state().q[0], 40.0 * M_PI / 180.0, 1e-14);
  EXPECT_LT(furthest, 40.0 * M_PI / 180.0 + 1e-12);
  EXPECT_EQ(run.totals().inaccurate_steps, 0);
}

// Rotors that turn with a joint take up energy, which no link has: falling masses with and without are judged alike.
TEST(RobotScene, RotorsAreInTheBalanceOfEnergy) {
  const ModelFolder folder;
  const auto file = folder.write("rotor.xml", R"(<mujoco><worldbody><body><joint axis="0 1 0" armature="0.4"/><geom type="capsule" size="0.02" fromto="0 0 0 1 0 0" mass="1"/></body></worldbody></mujoco>)");
  const Scene scene = readText("duration = 1\ndt = 0.002\n" + robotTable(file));
  SceneRun run(scene);
  while (!run.isDone()) run.step();
  EXPECT_EQ(run.totals().inaccurate_steps, 0);
}

TEST(RobotScene, TwoCopiesStandWhereTheyArePut) {
  const std::string robot = robotTable(robotFile("arm.xml"), "keyframe = 'ready'\nname = '");
  const Scene scene = readText(robot + "left'\nposition = [0, 1, 0]\n" + robot + "right'\nposition = [0, -1, 0]\nrpy_deg = [0, 0, 90]\n");
  const State state = scene.world.makeState();
  const auto placeOf = [&](const char* name) { return scene.world.calcBodyState(scene.world.find(name), state).position; };
  const Vector3d left = placeOf("left/flange") - Vector3d(0, 1, 0), right = placeOf("right/flange") - Vector3d(0, -1, 0);
  EXPECT_LT((right - Vector3d(-left.y(), left.x(), left.z())).norm(), 1e-14);
  EXPECT_GE(scene.world.find("left/world"), 0);
}

TEST(RobotScene, JointsBeginWhereTheSceneSays) {
  const Scene scene = readText(robotTable(robotFile("gripper.xml"), "[[robot.joint]]\nname = 'lift'\nposition = 0.1\n[[robot.control]]\nname = 'left'\nvalue = 0.02\n"));
  EXPECT_EQ(scene.world.tree(0).q[0], 0.1);
  EXPECT_THROW(readText(robotTable(robotFile("gripper.xml"), "[[robot.joint]]\nname = 'lft'\nposition = 0.1\n")), FindingsError);
  EXPECT_THROW(readText(robotTable(robotFile("gripper.xml"), "[[robot.control]]\nname = 'left'\nvalue = 0.2\n")), FindingsError);
  EXPECT_THROW(readText(robotTable(robotFile("gripper.xml"), "keyframe = 'closed'\n")), FindingsError);
}

TEST(RobotScene, ModelsRunWithoutASceneFile) {
  const Scene scene = readScene(robotFile("gripper.xml"), {{"keyframe", "hold"}, {"control.lift", "0.1"}, {"duration", "0.5"}});
  EXPECT_EQ(scene.dt, 0.002);
  EXPECT_EQ(scene.duration, 0.5);
  EXPECT_EQ(scene.world.tree(0).q[1], 0.03);
  EXPECT_EQ(scene.world.gravity.z(), -9.81);
}

TEST(RobotScene, SaysWhatIsWrongWithTheStart) {
  const ModelFolder folder;
  const auto file = folder.write("start.xml", R"(<mujoco><worldbody>
    <body name="a"><joint name="knee" range="30 70"/><geom size="0.1" pos="0.2 0 0"/></body>
    <body name="b" pos="0 0 1"><joint name="slide" type="slide"/><geom size="0.1"/></body></worldbody>
  <equality><connect name="rod" body1="b" anchor="0 0 0"/><joint name="pair" joint1="slide" polycoef="0.01 0 0 0 0"/></equality></mujoco>)");
  const std::vector<StartFault> faults = findStartFaults(readScene(file).world);
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].a, "joint 'knee'");
  EXPECT_EQ(faults[0].kind, StartFault::Kind::passed_limit);
  EXPECT_EQ(toString(faults[1]), "equality 'pair' of the tree of b is open by 0.01 m at the start");
}

TEST(RobotScene, SaysWhatIsNotUsed) {
  const ModelFolder folder;
  const auto file = folder.write("soft.xml", R"(<mujoco><worldbody><body><joint name="j"/><geom size="0.1" solref="0.01 1"/><geom size="0.1" solref="0.01 1" condim="4"/></body></worldbody>
  <actuator><muscle joint="j" lengthrange="0 1"/></actuator></mujoco>)");
  const Scene scene = readScene(file);
  ASSERT_EQ(scene.notes.size(), 1u);
  EXPECT_EQ(scene.notes[0], "not used: 1 muscle; solref on 2 geoms; torsional or rolling friction on 1 geom");
}

struct BadModel {
  const char* name;
  const char* text;
  const char* place;  // of the message
  const char* says;
};
void PrintTo(const BadModel& bad, std::ostream* out) { *out << bad.name; }

class BadModels : public testing::TestWithParam<BadModel> {};
INSTANTIATE_TEST_SUITE_P(All, BadModels, testing::Values(
  BadModel{"reversed", "<mujoco>\n<worldbody>\n<body>\n<joint name='j' range='30 -30'/><geom size='0.1'/></body></worldbody></mujoco>", "model.xml:4", "reversed"},
  BadModel{"friction", "<mujoco>\n<worldbody>\n<body><freejoint/>\n<geom size='0.1' friction='-1 0 0'/></body></worldbody></mujoco>", "model.xml:4", "negative"},
  BadModel{"nan", "<mujoco>\n<worldbody>\n\n<body pos='0 nan 0'><freejoint/><geom size='0.1'/></body></worldbody></mujoco>", "model.xml:4", "not a number"},
  BadModel{"mesh", "<mujoco>\n<asset>\n<mesh name='m' file='nowhere.stl'/></asset>\n<worldbody><body><freejoint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>", "model.xml:3", "nowhere.stl"},
  BadModel{"include", "<mujoco>\n\n<include file='nowhere.xml'/></mujoco>", "model.xml:3", "nowhere.xml"},
  BadModel{"massless", "<mujoco>\n<worldbody>\n<body name='b'><freejoint/></body></worldbody></mujoco>", "model.xml:3", "mass"},
  BadModel{"unknown", "<mujoco>\n<worldbody>\n<boddy/></worldbody></mujoco>", "model.xml:3", "boddy"},
  BadModel{"twice", "<mujoco>\n<worldbody>\n<body name='b'><freejoint/><geom size='1'/></body>\n<body name='b'><freejoint/><geom size='1'/></body></worldbody></mujoco>", "model.xml:4", "'b'"},
  BadModel{"no_xml", "hello", "model.xml", "no element"}),
  [](const auto& bad) { return std::string(bad.param.name); });

TEST_P(BadModels, AreRefusedWithTheirPlace) {
  const ModelFolder folder;
  const auto file = folder.write("model.xml", GetParam().text);
  try {
    readScene(file);
    FAIL() << "no error";
  } catch (const FindingsError& error) {
    EXPECT_NE(std::string(error.what()).find(GetParam().place), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(GetParam().says), std::string::npos) << error.what();
  }
}

TEST(BadModels, AreFoundThroughIncludes) {
  const ModelFolder folder;
  folder.write("part.xml", "<mujoco>\n<worldbody>\n<body><joint range='1 -1'/><geom size='1'/></body></worldbody></mujoco>");
  const auto file = folder.write("model.xml", "<mujoco>\n<include file='part.xml'/></mujoco>");
  try {
    readScene(file);
    FAIL() << "no error";
  } catch (const FindingsError& error) {
    EXPECT_NE(std::string(error.what()).find("part.xml:3"), std::string::npos) << error.what();
  }
}

TEST(BadModels, AFileThatIsNotThereIsSaid) { EXPECT_ANY_THROW(readScene("nowhere.xml")); }

// URDF by the same compiler.
TEST(RobotScene, ReadsUrdf) {
  const ModelFolder folder;
  const char* const text = R"(<robot name="r"><link name="base"/>
  <link name="arm"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/><inertia ixx="0.2" iyy="0.2" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="swing" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/><limit lower="%" upper="1" effort="9" velocity="1"/><dynamics damping="0.1" friction="0.2"/></joint></robot>)";
  std::string good = text, bad = text;
  good.replace(good.find('%'), 1, "-1");
  bad.replace(bad.find('%'), 1, "2");
  const Scene scene = readScene(folder.write("arm.urdf", good));
  ASSERT_EQ(scene.world.treeCount(), 1);
  EXPECT_EQ(scene.world.body(0).mass().mass, 2.0);
  std::vector<TreeRow> rows;
  const auto cache = scene.world.tree(0).tree->makeCache();
  scene.world.tree(0).tree->evaluate(scene.world.tree(0).q, TreeLevel::poses, *cache);
  scene.world.tree(0).tree->collectRows(*cache, rows);
  EXPECT_EQ(rows.size(), 3u);  // two limits and dry friction
  EXPECT_THROW(readScene(folder.write("bad.urdf", bad)), FindingsError);
}

// A fault inside the library comes back as an error, and the process goes on.
TEST(RobotScene, AFaultOfTheLibraryIsAnError) {
  const ModelFolder folder;
  EXPECT_THROW(readScene(folder.write("model.xml", "<mujoco><worldbody><body><joint/><geom type='mesh'/></body></worldbody></mujoco>")), FindingsError);
  EXPECT_NO_THROW(readScene(robotFile("top.xml")));
}

}  // namespace
}  // namespace cornet
