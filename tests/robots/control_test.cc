// Controls of actuators: as inputs of a step, over time, by names of joints; activations that follow them late.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include "cornet/body/activation.h"
#include "cornet/io/state_file.h"
#include "cornet/io/robot/add_robots.h"
#include "cornet/run/scene_run.h"
#include "robots/model_files.h"

namespace cornet {
namespace {

using test::ModelFolder;
using test::robotFile;

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// By the midpoint rule in many steps.
ActivationWay integrate(const ActivationLaw& law, double a, double u, double t) {
  constexpr int kSteps = 200000;
  ActivationWay way{a, 0.0};
  const double h = t / kSteps;
  const auto rate = [&](double x) { return law.integrates ? u : (u - x) / law.time_constant; };
  for (int k = 0; k < kSteps; ++k) {
    const double middle = std::clamp(way.end + 0.5 * h * rate(way.end), law.lower, law.upper);
    way.end = std::clamp(way.end + h * rate(middle), law.lower, law.upper);
    way.mean += middle / kSteps;
  }
  return way;
}

TEST(Activation, IsTheExactSolutionWithAndWithoutLimits) {
  for (const bool integrates : {false, true}) {
    for (const double limit : {10.0, 0.6}) {
      const ActivationLaw law{integrates, 0.3, -limit, limit};
      for (const double u : {1.5, -2.0, 0.1}) {
        for (const double a : {0.0, 0.5, -0.6}) {
          const ActivationWay exact = calcActivation(law, a, u, 0.7), tried = integrate(law, a, u, 0.7);
          EXPECT_NEAR(exact.end, tried.end, 1e-8) << integrates << " " << limit << " " << u << " " << a;
          EXPECT_NEAR(exact.mean, tried.mean, 1e-5) << integrates << " " << limit << " " << u << " " << a;
          const ActivationWay first = calcActivation(law, a, u, 0.2), second = calcActivation(law, first.end, u, 0.5);
          EXPECT_NEAR(second.end, exact.end, 1e-15);
          EXPECT_NEAR((0.2 * first.mean + 0.5 * second.mean) / 0.7, exact.mean, 1e-14);
        }
      }
    }
  }
}

TEST(Activation, StaysWhereItsControlIsAndFollowsAtOnceWithoutATimeConstant) {
  EXPECT_EQ(calcActivation({false, 0.1}, 0.3, 0.3, 0.01).end, 0.3);
  EXPECT_EQ(calcActivation({false, 0.0}, 0.3, 0.8, 0.01).end, 0.8);
  EXPECT_EQ(calcActivation({false, 0.0}, 0.3, 0.8, 0.01).mean, 0.8);
  EXPECT_EQ(calcActivation({true, 0.0, -1.0, 1.0}, 3.0, 0.0, 0.01).mean, 1.0);
}

TEST(ControlSchedule, GivesTheMeanOverAStep) {
  const ControlSchedule lines{{0.0, 1.0, 2.0}, {1.0, 3.0, 2.0}, false}, steps{{0.0, 1.0, 2.0}, {1.0, 3.0, 2.0}, true};
  EXPECT_NEAR(calcMean(lines, 0.2, 0.2), 1.6, 1e-15);
  EXPECT_NEAR(calcMean(lines, 0.5, 1.0), 0.5 * 2.5 + 0.5 * 2.75, 1e-15);
  EXPECT_NEAR(calcMean(steps, 0.5, 1.0), 0.5 * 1.0 + 0.5 * 3.0, 1e-15);
  EXPECT_EQ(calcMean(lines, -2.0, 1.0), 1.0);
  EXPECT_EQ(calcMean(lines, 1.5, 2.0), 0.25 * 2.25 + 0.75 * 2.0);
  EXPECT_EQ(calcMean({{0.0, 1.0, 2.0}, {0.1, 0.1, 0.1}, false}, 0.3, 1.7), 0.1);  // to the bit
}

// A slide of 2 kg without gravity, which a motor of gear 3 pushes, at once or late.
std::string makeCart(const std::string& actuator) {
  return R"(<mujoco><option gravity="0 0 0"/><worldbody><body name="cart"><joint name="rail" type="slide" axis="1 0 0"/><geom size="0.1" mass="2"/></body></worldbody>
  <actuator>)" + actuator + "</actuator></mujoco>";
}

Scene readCart(const ModelFolder& folder, const std::string& actuator, const std::string& more = "") {
  const auto file = folder.write("cart.xml", makeCart(actuator));
  return readScene(SourceText("scene.toml", "version = 1\nduration = 1\ndt = 0.01\ngravity = [0, 0, 0]\n[[robot]]\nname = 'r'\nfile = '" + file.string() + "'\n" + more));
}

constexpr const char* kMotor = "<motor name='m' joint='rail' gear='3' ctrlrange='-5 5'/>";

TEST(Control, ActsForItsStepAlone) {
  const ModelFolder folder;
  const Scene scene = readCart(folder, kMotor);
  const TreePart motor = scene.world.findActuator("r.m");
  ASSERT_TRUE(motor.exists());
  EXPECT_FALSE(scene.world.findActuator("r.n").exists());
  Simulator simulator(scene.world);
  State state = scene.world.makeState();
  StepMemory memory;
  StepInputs inputs;
  inputs.controls.push_back({motor.tree, motor.index, 2.0});
  EXPECT_TRUE(simulator.step(0.01, inputs, state, memory).isAccurate());
  EXPECT_NEAR(state.v[0], 0.01 * 6.0 / 2.0, 1e-16);
  EXPECT_EQ(simulator.trees()[0].control[0], 2.0);
  EXPECT_NEAR(simulator.trees()[0].actuator_impulse[0], 0.02, 1e-16);
  simulator.step(0.01, state, memory);
  EXPECT_NEAR(state.v[0], 0.03, 1e-16);
  inputs.controls[0].value = 80.0;  // beyond its range
  simulator.step(0.01, inputs, state, memory);
  EXPECT_NEAR(state.v[0], 0.03 + 0.01 * 15.0 / 2.0, 1e-15);
}

TEST(Control, IsRefusedByNameWhereItIsNone) {
  const ModelFolder folder;
  const Scene scene = readCart(folder, kMotor);
  Simulator simulator(scene.world), other(scene.world);
  State state = scene.world.makeState(), untouched = state;
  StepMemory memory, kept;
  StepInputs inputs;
  const auto fault = [&](ControlInput input) -> std::string {
    inputs.controls = {input};
    try {
      simulator.step(0.01, inputs, state, memory);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(fault({0, 0, kNoNumber}), "control for actuator 'r.m': nan: expected a finite number");
  EXPECT_NE(fault({1, 0, 0.0}).find("one of 1 trees"), std::string::npos);
  EXPECT_NE(fault({0, 3, 0.0}).find("one of its 1 actuators"), std::string::npos);
  EXPECT_EQ(hashOf(state), hashOf(untouched));
  simulator.step(0.01, state, memory);
  other.step(0.01, untouched, kept);
  EXPECT_EQ(hashOf(state), hashOf(untouched));
}

// A controller as slow as a step is one that gives the same inputs.
TEST(Control, ComesFromAController) {
  const Scene scene = readScene(robotFile("gripper.xml"), {{"keyframe", "hold"}, {"duration", "0.4"}});
  const TreePart lift = scene.world.findActuator("lift");
  SceneRun run(scene);
  run.setController([&](double time, const State&, StepInputs& inputs) { inputs.controls.push_back({lift.tree, lift.index, 0.2 * time}); });
  Simulator simulator(scene.world, scene.options);
  State state = scene.world.makeState();
  StepMemory memory;
  StepInputs inputs;
  while (!run.isDone()) {
    inputs.controls = {{lift.tree, lift.index, 0.2 * run.state().time}};
    const double time = run.state().time;
    run.step();
    state.time = time;
    simulator.step(scene.dt, inputs, state, memory);
    ASSERT_EQ((state.q - run.state().q).norm(), 0.0);
  }
  EXPECT_GT(run.state().q[7], 0.03);
  EXPECT_EQ(run.totals().inaccurate_steps, 0);
}

// Motors whose force follows late: the velocity is that of the exact force, at any step.
TEST(Control, OfActuatorsThatActLateIsExact) {
  const ModelFolder folder;
  const double tau = 0.03, u = 2.0;
  const auto velocity = [&](const char* actuator, double dt, double& activation) {
    const Scene scene = readCart(folder, actuator, "[[robot.control]]\nname = 'a'\nvalue = 2.0\n");
    Simulator simulator(scene.world);
    State state = scene.world.makeState();
    StepMemory memory;
    for (int k = 0; k < std::lround(0.24 / dt); ++k) EXPECT_TRUE(simulator.step(dt, state, memory).isAccurate());
    activation = state.activation[0];
    return state.v[0];
  };
  for (const double dt : {0.004, 0.04}) {
    double activation = 0.0;
    const char* const filters[] = {"<general name='a' joint='rail' gear='3' dyntype='filter' dynprm='0.03'/>", "<general name='a' joint='rail' gear='3' dyntype='filterexact' dynprm='0.03'/>"};
    for (const char* filter : filters) {
      EXPECT_NEAR(velocity(filter, dt, activation), 3.0 / 2.0 * u * (0.24 + tau * std::expm1(-0.24 / tau)), 1e-14);
      EXPECT_NEAR(activation, -u * std::expm1(-0.24 / tau), 1e-14);
    }
    EXPECT_NEAR(velocity("<general name='a' joint='rail' gear='3' dyntype='integrator'/>", dt, activation), 3.0 / 2.0 * u * 0.5 * 0.24 * 0.24, 1e-14);
    EXPECT_NEAR(activation, u * 0.24, 1e-14);
    // It stays at its limit from 0.15 s on.
    EXPECT_NEAR(velocity("<general name='a' joint='rail' gear='3' dyntype='integrator' actlimited='true' actrange='-0.3 0.3'/>", dt, activation),
                3.0 / 2.0 * (u * 0.5 * 0.15 * 0.15 + 0.3 * 0.09), 1e-14);
    EXPECT_EQ(activation, 0.3);
  }
}

// The library's own activations, of dynamics that it integrates exactly too; its force lags behind by a step.
TEST(Control, MovesActivationsAsTheLibraryDoes) {
  const ModelFolder folder;
  const char* const actuators = R"(<general name='a' joint='rail' dyntype='filterexact' dynprm='0.05' ctrlrange='-1 1'/><intvelocity name='b' joint='rail' kp='50' actrange='-0.2 0.1'/>
    <cylinder name='c' joint='rail' timeconst='0.2' area='0.3'/>)";
  const Scene scene = readCart(folder, actuators, "[[robot.control]]\nname = 'a'\nvalue = 0.7\n[[robot.control]]\nname = 'b'\nvalue = 1.5\n[[robot.control]]\nname = 'c'\nvalue = -2\nactivation = 0.5\n");
  EXPECT_TRUE(scene.notes.empty());
  mjModel* model = mj_loadXML(folder.write("cart.xml", makeCart(actuators)).c_str(), nullptr, nullptr, 0);
  model->opt.timestep = 0.01;
  mjData* data = mj_makeData(model);
  const double controls[] = {0.7, 1.5, -2.0};
  std::copy_n(controls, 3, data->ctrl);
  data->act[2] = 0.5;
  Simulator simulator(scene.world);
  State state = scene.world.makeState();
  EXPECT_EQ(state.activation, Eigen::Vector3d(0.0, 0.0, 0.5));
  StepMemory memory;
  for (int k = 0; k < 30; ++k) {
    mj_step(model, data);
    simulator.step(0.01, state, memory);
    EXPECT_NEAR(state.activation[0], data->act[0], 1e-14);
    EXPECT_NEAR(state.activation[1], data->act[1], 1e-14);
    EXPECT_NEAR(state.activation[2], data->act[2], 0.025);  // by Euler's method there, which is off by h/2τ · t/τ e^{-t/τ} |u - a|
  }
  EXPECT_EQ(state.activation[1], 0.1);
  mj_deleteData(data);
  mj_deleteModel(model);
}

// Servos whose targets arrive late, in contact: saved, loaded and forked runs go on with the same bits.
TEST(Control, ActivationsAreSavedAndHashed) {
  const ModelFolder folder;
  const auto file = folder.write("late.xml", R"(<mujoco><default><geom friction="0.6"/></default><worldbody><geom type="plane" size="2 2 1"/>
    <body name="arm" pos="0 0 0.3"><joint name="j" axis="0 1 0" damping="0.1"/><geom type="capsule" size="0.05" fromto="0 0 0 0.5 0 0" mass="1"/></body>
    <body name="box" pos="0.4 0 0.05"><freejoint/><geom type="box" size="0.05 0.05 0.05" mass="0.2"/></body></worldbody>
    <actuator><general name="late" joint="j" dyntype="filter" dynprm="0.1" gainprm="80" biastype="affine" biasprm="0 -80 -4" forcerange="-30 30"/></actuator></mujoco>)");
  const Scene scene = readScene(file, {{"control.late", "0.5"}});
  Simulator simulator(scene.world), other(scene.world);
  State state = scene.world.makeState();
  StepMemory memory;
  for (int k = 0; k < 60; ++k) simulator.step(2e-3, state, memory);
  EXPECT_GT(state.activation[0], 0.1);
  const auto moment = folder.write("moment.h5", "");
  saveMoment(moment, state, memory);
  SavedMoment loaded = loadMoment(moment);
  State fork = state;
  EXPECT_EQ(hashOf(loaded.state), hashOf(state));
  fork.activation[0] = std::nextafter(fork.activation[0], 1.0);
  EXPECT_NE(hashOf(fork), hashOf(state));
  for (int k = 0; k < 200; ++k) {
    simulator.step(2e-3, state, memory);
    other.step(2e-3, loaded.state, loaded.memory);
    ASSERT_EQ(hashOf(loaded.state), hashOf(state));
    ASSERT_EQ(hashOf(loaded.memory), hashOf(memory));
  }
  State wrong = state;
  wrong.activation.resize(0);
  EXPECT_THROW(simulator.step(2e-3, wrong, memory), std::invalid_argument);
}

// Steps that are taken in parts, and those that are cut where something hits, end with the activation of the whole.
TEST(Control, ActivationsOfStepsInPartsAreThoseOfTheWhole) {
  const ModelFolder folder;
  const auto file = folder.write("whip.xml", R"(<mujoco><default><geom friction="0.6"/></default><worldbody><geom type="plane" size="2 2 1"/>
    <body name="arm" pos="0 0 0.4"><joint name="j" axis="0 1 0"/><geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0" mass="0.3"/>
      <body pos="0.3 0 0"><joint name="k" axis="0 1 0"/><geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0" mass="0.2"/></body></body>
    <body name="box" pos="0.45 0 0.05"><freejoint/><geom type="box" size="0.05 0.05 0.05" mass="0.2"/></body></worldbody>
    <actuator><general name="late" joint="j" dyntype="filter" dynprm="0.1" gainprm="8"/></actuator></mujoco>)");
  const Scene scene = readScene(file, {{"control.late", "0.5"}});
  Simulator simulator(scene.world);
  State state = scene.world.makeState();
  StepMemory memory;
  int in_parts = 0;
  for (int k = 0; k < 40; ++k) {
    in_parts += simulator.step(0.02, state, memory).corrections.refined;
    ASSERT_NEAR(state.activation[0], -0.5 * std::expm1(-state.time / 0.1), 1e-14) << k;
  }
  EXPECT_GT(in_parts, 0);
}

constexpr const char* kServo = "<position name='s' joint='rail' kp='400' kv='40' gear='2'/>";

TEST(ControlledScene, HoldsTargetsOfJoints) {
  const ModelFolder folder;
  const Scene scene = readCart(folder, kServo, "[[robot.target]]\njoint = 'rail'\nposition = 0.3\n");
  SceneRun run(scene);
  while (!run.isDone()) run.step();
  EXPECT_NEAR(run.state().q[0], 0.3, 1e-5);  // e^{-11.7} of the way is left
  EXPECT_THROW(readCart(folder, kMotor, "[[robot.target]]\njoint = 'rail'\nposition = 0.3\n"), FindingsError);
  EXPECT_THROW(readCart(folder, kServo, "[[robot.target]]\njoint = 'road'\nposition = 0.3\n"), FindingsError);
  EXPECT_THROW(readCart(folder, kServo, "[[robot.target]]\njoint = 'rail'\nposition = 0.3\n[[robot.control]]\nname = 's'\nvalue = 1\n"), FindingsError);
}

// m x'' = 3 u(t) with u in straight lines: its velocity is exact, whatever the step; and so with values that are held.
TEST(ControlledScene, FollowsASchedule) {
  const ModelFolder folder;
  for (const std::string between : {"linear", "held"}) {
    for (const bool in_file : {true, false}) {
      const std::string rest = in_file ? "file = '" + folder.write("push.csv", "# of the motor\ntime, m\n0.105, 0\n0.305, 2  # most\n\n0.505, -1\n").string() + "'\n"
                                       : "times = [0.105, 0.305, 0.505]\ncontrols = { m = [0, 2, -1] }\n";
      const Scene scene = readCart(folder, kMotor, "[robot.schedule]\nbetween = '" + between + "'\n" + rest + "[[probe]]\nname = 'u'\nwhat = 'actuator_control'\nactuator = 'r.m'\n");
      SceneRun run(scene);
      while (!run.isDone()) run.step();
      const double impulse = between == "linear" ? 0.2 * 1.0 + 0.2 * 0.5 - 0.495 : 0.2 * 0.0 + 0.2 * 2.0 - 0.495;
      EXPECT_NEAR(run.state().v[0], 1.5 * impulse, 1e-14) << between << in_file;
      EXPECT_EQ(run.values()[0], -1.0);
      EXPECT_EQ(run.totals().inaccurate_steps, 0);
    }
  }
}

TEST(ControlledScene, FollowsJointsOverTime) {
  const ModelFolder folder;
  const auto file = folder.write("arm.xml", R"(<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="hip" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0 0 1" mass="0.1"/></body></worldbody>
    <actuator><position name="p" joint="hip" kp="500" kv="20" ctrllimited="true" ctrlrange="-1 1"/></actuator></mujoco>)");
  const auto read = [&](const std::string& schedule) {
    return readScene(SourceText("scene.toml", "version = 1\nduration = 1\ndt = 0.005\ngravity = [0, 0, 0]\n[[robot]]\nfile = '" + file.string() + "'\n[robot.schedule]\n" + schedule));
  };
  const Scene scene = read("times = [0, 0.5]\ntargets_deg = { hip = [0, 45] }\n");
  SceneRun run(scene);
  while (!run.isDone()) run.step();
  EXPECT_NEAR(run.state().q[0], M_PI / 4.0, 1e-4);
  const auto says = [&](const std::string& schedule) -> std::string {
    try {
      read(schedule);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  const auto expectSaid = [&](const std::string& schedule, const char* what) {
    EXPECT_NE(says(schedule).find(what), std::string::npos) << schedule << ": " << says(schedule);
  };
  expectSaid("times = [0, 0.5]\ntargets_deg = { hip = [0, 90] }\n", "control 1.57");
  expectSaid("times = [0, 0.5]\ncontrols = { p = [0] }\n", "1 values for 2 times");
  expectSaid("times = [0, 0.5]\ncontrols = { q = [0, 1] }\n", "unknown key \"q\"");
  expectSaid("times = [0.5, 0.5]\ncontrols = { p = [0, 1] }\n", "time 2 is 0.5 s");
  expectSaid("times = [0, 0.5]\n", "names no actuator");
  expectSaid("between = 'smooth'\ntimes = [0, 0.5]\ncontrols = { p = [0, 1] }\n", "between");
  expectSaid("file = 'nowhere.csv'\n", "nowhere.csv");
  expectSaid("file = '" + folder.write("a.csv", "time, p\n0, 0\n0, 1\n").string() + "'\n", "line 3, time");
  expectSaid("file = '" + folder.write("b.csv", "time, p\n0, nan\n").string() + "'\n", "line 2, p");
  expectSaid("file = '" + folder.write("c.csv", "time, p\n0, 0, 1\n").string() + "'\n", "3 numbers");
  expectSaid("file = '" + folder.write("d.csv", "p, q\n0, 0\n").string() + "'\n", "line 1");
  expectSaid("file = '" + folder.write("e.csv", "time, knee\n0, 0\n").string() + "'\n", "no actuator 'knee'");
  expectSaid("file = '" + folder.write("f.csv", "").string() + "'\n", "no times");
}

TEST(ControlledScene, ProbesJointsAndActuators) {
  const ModelFolder folder;
  const auto probe = [](const char* name, const char* what, const char* of) {
    return std::string("[[probe]]\nname = '") + name + "'\nwhat = '" + what + "'\n" + of + "\n";
  };
  const std::string control = "[[robot.control]]\nname = 'a'\nvalue = 2.0\n";
  const char* const motor = "<general name='a' joint='rail' gear='3' dyntype='filter' dynprm='0.03'/>";
  const Scene scene = readCart(folder, motor, control + probe("x", "joint_position", "joint = 'r.rail'") + probe("u", "joint_rate", "joint = 'r.rail'") + probe("f", "motor_effort", "joint = 'r.rail'") +
                                                  probe("p", "motor_power", "joint = 'r.rail'") + probe("g", "actuator_force", "actuator = 'r.a'") + probe("c", "actuator_control", "actuator = 'r.a'") +
                                                  probe("s", "activation", "actuator = 'r.a'"));
  SceneRun run(scene);
  EXPECT_EQ(run.values()[0], 0.0);
  EXPECT_TRUE(std::isnan(run.values()[2]));
  run.step();
  const std::vector<double>& values = run.values();
  EXPECT_EQ(values[0], run.state().q[0]);
  EXPECT_EQ(values[1], run.state().v[0]);
  EXPECT_NEAR(values[2], 2.0 * values[1] / 0.01, 1e-13);
  EXPECT_NEAR(values[3], 0.5 * values[1] * values[2], 1e-15);
  EXPECT_NEAR(values[4], values[2] / 3.0, 1e-13);
  EXPECT_EQ(values[5], 2.0);
  EXPECT_EQ(values[6], run.state().activation[0]);
  const auto says = [&](const std::string& text) -> std::string {
    try {
      readCart(folder, kMotor, text);
    } catch (const FindingsError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(says(probe("x", "joint_position", "joint = 'r.rial'")).find("did you mean \"r.rail\""), std::string::npos);
  EXPECT_NE(says(probe("x", "joint_force", "joint = 'r.rail'")).find("joint_force is not known of joints of robots"), std::string::npos);
  EXPECT_NE(says(probe("x", "actuator_force", "actuator = 'm'")).find("no actuator \"m\""), std::string::npos);
  EXPECT_NE(says(probe("x", "activation", "actuator = 'r.m'")).find("has no activation"), std::string::npos);
}

// The force of a servo at its limit, and of one that is not, is the one that its row or its law gave.
TEST(ControlledScene, KnowsForcesOfServos) {
  const Scene scene = readScene(SourceText("scene.toml", "version = 1\nduration = 1\ndt = 0.005\n[[robot]]\nfile = '" + robotFile("gripper.xml").string() + "'\nkeyframe = 'hold'\n" +
                                                             "[[check]]\nname = 'f'\nwhat = 'actuator_force'\nactuator = 'left'\nfrom = 0.1\nof = 'every'\nexpected = 12\ntolerance = 1e-9\n" +
                                                             "[[check]]\nname = 'e'\nwhat = 'motor_effort'\njoint = 'lift'\nfrom = 0.8\nof = 'every'\nexpected = '(0.5+0.2+0.045)*9.81'\ntolerance = 1e-6\n"));
  SceneRun run(scene);
  while (!run.isDone()) run.step();
  for (const CheckResult& check : run.calcChecks()) EXPECT_TRUE(check.passed) << check.value;
}

}  // namespace
}  // namespace cornet
