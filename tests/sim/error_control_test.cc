// Steps of varying size: what they deliver, how sizes are chosen, what is remembered, what is refused.
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cornet/io/state_file.h"
#include "support/controlled_scenes.h"
#include "support/gravity.h"
#include "support/joint_tree.h"
#include "support/stepped_world.h"
#include "support/temporary_folder.h"

namespace cornet {
namespace {

using test::kG;
using test::part;

SimulatorOptions withAccuracy(double accuracy) {
  SimulatorOptions options;
  options.control.accuracy = accuracy;
  return options;
}

AssetInertial makeBall(const Vector3d& at, const Vector3d& v = {0, 0, 0}, const std::string& name = "ball") {
  AssetInertial ball = AssetInertial::fromMass(name, {part(Sphere{0.1})}, 1.0);
  ball.place(at).setVelocity(v);
  return ball;
}

// A world with what error control needs of it.
struct Controlled {
  explicit Controlled(WorldModel the_world, const SimulatorOptions& options, ErrorScales scales = {})
      : world(std::move(the_world)), integrator(Simulator(world, options), std::move(scales)), state(world.makeState()) {}
  WorldModel world;
  ErrorControlledIntegrator integrator;
  State state;
  StepMemory memory;
};

WorldModel makeBallWorld(double height, double restitution, const Vector3d& v = {0, 0, 0}) {
  WorldModel world;
  world.materials.add({"default", 0.5, restitution});
  world.addEnvironment({"ground", {part(HalfSpace{})}});
  world.addBody(makeBall({0, 0, 0.1 + height}, v));
  return world;
}

// ---- what runs deliver

std::vector<std::string> namesOf(bool is_promised) {
  std::vector<std::string> names;
  for (const test::ControlledScene& scene : test::controlledScenes()) {
    if (scene.is_promised == is_promised) names.push_back(scene.name);
  }
  return names;
}

class Promised : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Scenes, Promised, testing::ValuesIn(namesOf(true)), [](const auto& named) { return named.param; });

TEST_P(Promised, DeliversAtMostTwiceTheErrorThatIsAskedFor) {
  const test::ControlledScene& scene = test::controlledScene(GetParam());
  const BodyStates reference = scene.error ? BodyStates{} : test::calcReference(scene);
  for (const double accuracy : scene.accuracies) {
    const test::ControlledRun run = test::runControlled(scene, withAccuracy(accuracy), &reference);
    RecordProperty(fmt::format("delivered_at_{:g}", accuracy), fmt::format("{:.2e}", run.delivered));
    EXPECT_LE(run.delivered, 2.0 * accuracy) << accuracy;
    EXPECT_EQ(run.inaccurate, 0) << accuracy;
  }
}

TEST(ExactMotion, TakesTheLargestStepsWithoutARejection) {
  for (const char* name : {"a1_sliding_block", "a5_ball_that_begins_to_roll"}) {
    const test::ControlledRun run = test::runControlled(test::controlledScene(name), withAccuracy(1e-6));
    EXPECT_LE(run.delivered, 1e-13) << name;
    EXPECT_EQ(run.rejections, 0) << name;
    EXPECT_LE(run.steps, 8) << name;
  }
}

TEST(UndampedBall, KeepsItsEnergy) {
  Controlled c(makeBallWorld(1.0, 1.0), withAccuracy(1e-3));
  const double start = c.world.calcKinetic(c.state) + c.world.calcPotential(c.state);
  double worst = 0.0;
  c.integrator.advance(10.0, {}, c.state, c.memory, [&](const StepReport& report) {
    worst = std::max(worst, std::abs(report.energy().kinetic + report.energy().potential - start));
  });
  EXPECT_LE(worst, 1e-9 * start);
}

// ---- users' states and forces

// ω = 5/s over 2 s. What is said at the start and held is of order one, in the middle of order two.
double runSpring(double accuracy, InputTime when, int& steps) {
  WorldModel world;
  world.addBody(makeBall({0, 0, 0}));
  world.gravity.setZero();
  Controlled c(std::move(world), withAccuracy(accuracy), {{}, Eigen::Vector2d(1.0, 0.1)});
  c.integrator.setInputTime(when);
  c.state.user = Eigen::Vector2d(1.0, 0.0);
  const Controller spring = [](double, const State& state, StepInputs& inputs) {
    inputs.user_rate << state.user[1], -25.0 * state.user[0];
  };
  c.integrator.advance(2.0, spring, c.state, c.memory, [&](const StepReport&) { ++steps; });
  return std::abs(c.state.user[0] - std::cos(10.0));
}

class InputTimes : public testing::TestWithParam<InputTime> {};
INSTANTIATE_TEST_SUITE_P(InputTimes, InputTimes, testing::Values(InputTime::start, InputTime::middle),
                         [](const auto& named) { return named.param == InputTime::start ? "start" : "middle"; });

// Errors of runs go with accuracy^½ and accuracy^⅔: by 0.32 and 0.22 for each power of ten.
TEST_P(InputTimes, ASpringAndAMassConvergeWithTheAccuracy) {
  const double ratio = GetParam() == InputTime::start ? 0.316 : 0.215;
  double last = 0.0;
  for (const double accuracy : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7}) {
    int steps = 0;
    const double error = runSpring(accuracy, GetParam(), steps);
    RecordProperty(fmt::format("error_at_{:g}", accuracy), fmt::format("{:.2e} in {} steps", error, steps));
    if (last > 0.0) {
      EXPECT_NEAR(error / last, ratio, 0.1) << accuracy;
    }
    last = error;
  }
}

TEST(UsersStates, CountInTheErrorByTheirScales) {
  const auto countSteps = [](double scale) {
    WorldModel world;
    world.addBody(makeBall({0, 0, 0}));
    world.gravity.setZero();
    Controlled c(std::move(world), withAccuracy(1e-4), {{}, VectorXd::Constant(1, scale)});
    c.state.user = VectorXd::Constant(1, 1.0);
    int steps = 0;
    const Controller decay = [](double, const State& state, StepInputs& inputs) { inputs.user_rate = -5.0 * state.user; };
    c.integrator.advance(1.0, decay, c.state, c.memory, [&](const StepReport&) { ++steps; });
    return steps;
  };
  const int unscaled = countSteps(1.0);
  EXPECT_NEAR(countSteps(100.0) / static_cast<double>(unscaled), 10.0, 3.0);  // h ~ accuracy^½
  EXPECT_LE(countSteps(0.0), 14);  // left out: as large as allowed
}

// Seven stars in a plane, G = 1; places at t = 3 from Hairer, Norsett, Wanner, Solving ODEs I, II.10.
const double kStars[7][4] = {{3, 3, 0, 0}, {3, -3, 0, 0}, {-1, 2, 0, 0}, {-3, 0, 0, -1.25}, {2, 0, 0, 1}, {-2, -4, 1.75, 0}, {2, 4, -1.5, 0}};
const double kStarsEnd[7][2] = {{0.3706139143970502, -3.943437585517392}, {3.237284092057233, -3.271380973972550},
                                {-3.222559032418324, 5.225081843456543}, {0.6597091455775310, -2.590612434977470},
                                {0.3425581707156584, 1.198213693392275}, {1.562172101400631, -0.2429682344935824},
                                {-0.7003092922212495, 1.091449240428980}};

double runPleiades(double accuracy, InputTime when, int& steps) {
  WorldModel world;
  world.gravity.setZero();
  for (int i = 0; i < 7; ++i) {
    AssetInertial star("star" + std::to_string(i), MassProperties{1.0 + i, 0.4e-4 * (1.0 + i) * Matrix3d::Identity()});
    star.place({kStars[i][0], kStars[i][1], 0}).setVelocity({kStars[i][2], kStars[i][3], 0});
    world.addBody(std::move(star));
  }
  Controlled c(std::move(world), withAccuracy(accuracy));
  c.integrator.setInputTime(when);
  const Controller pull = [](double, const State& state, StepInputs& inputs) {
    for (int i = 0; i < 7; ++i) {
      Vector3d force = Vector3d::Zero();
      for (int j = 0; j < 7; ++j) {
        if (j == i) continue;
        const Vector3d way = state.body(j).position - state.body(i).position;
        force += (1.0 + i) * (1.0 + j) / std::pow(way.norm(), 3) * way;
      }
      inputs.bodies.push_back({i, force});
    }
  };
  c.integrator.advance(3.0, pull, c.state, c.memory, [&](const StepReport&) { ++steps; });
  double error = 0.0;
  for (int i = 0; i < 7; ++i) {
    error = std::max(error, (c.state.body(i).position - Vector3d(kStarsEnd[i][0], kStarsEnd[i][1], 0)).norm());
  }
  return error;
}

TEST_P(InputTimes, ThePleiadesConvergeToTheKnownOrbit) {
  double last = std::numeric_limits<double>::infinity();
  for (const double accuracy : {1e-4, 1e-5, 1e-6}) {
    int steps = 0;
    const double error = runPleiades(accuracy, GetParam(), steps);
    RecordProperty(fmt::format("error_at_{:g}", accuracy), fmt::format("{:.2e} in {} steps", error, steps));
    EXPECT_LT(error, last) << accuracy;
    last = error;
  }
  EXPECT_LT(last, GetParam() == InputTime::start ? 0.2 : 1e-3);
}

// ---- articulated trees, by their links

BodyStates swingTree(double accuracy, int& steps) {
  WorldModel world;
  const test::JointTree tree = test::makeDoublePendulum({0, 0, 2}, 0.5, 1.0, -10.0, 10.0);
  std::vector<AssetInertial> links;
  for (const char* name : {"upper", "lower"}) links.emplace_back(name, tree.mass(static_cast<int>(links.size())));
  world.addTree(std::make_shared<test::JointTree>(tree), std::move(links), Eigen::Vector2d(1.0, 0.5), Eigen::Vector2d::Zero());
  Controlled c(std::move(world), withAccuracy(accuracy));
  c.integrator.advance(1.0, {}, c.state, c.memory, [&](const StepReport&) { ++steps; });
  return c.integrator.simulator().bodies();
}

TEST(ErrorControl, FollowsTheLinksOfTrees) {
  int steps = 0, last_steps = 0;
  const BodyStates exact = swingTree(1e-8, steps);
  double last = 1.0;
  for (const double accuracy : {1e-3, 1e-4, 1e-5}) {
    steps = 0;
    const BodyStates end = swingTree(accuracy, steps);
    double error = 0.0;
    for (std::size_t i = 0; i < end.bodies.size(); ++i) {
      error = std::max(error, (end.bodies[i].position - exact.bodies[i].position).norm());
    }
    RecordProperty(fmt::format("error_at_{:g}", accuracy), fmt::format("{:.2e} in {} steps", error, steps));
    EXPECT_LT(error, 0.5 * last) << accuracy;
    EXPECT_GT(steps, last_steps) << accuracy;
    last = error;
    last_steps = steps;
  }
}

// ---- how steps are chosen

TEST(StepChoice, LeavesNoSlivers) {
  ErrorControl control;
  control.accuracy = 1e-3;
  EXPECT_EQ(chooseStep(control, 0.010005, 0.01).h, 0.010005);  // stretched onto the end
  EXPECT_TRUE(chooseStep(control, 0.010005, 0.01).lands);
  EXPECT_FALSE(chooseStep(control, 0.010005, 0.01).is_cut);
  EXPECT_EQ(chooseStep(control, 0.012, 0.01).h, 0.006);  // two alike, none of 2 ms
  EXPECT_TRUE(chooseStep(control, 0.012, 0.01).is_cut);
  EXPECT_EQ(chooseStep(control, 0.05, 0.01).h, 0.01);
  EXPECT_EQ(chooseStep(control, 0.05, 0.01).is_cut, false);
  EXPECT_EQ(chooseStep(control, 5.0, 3.0).h, control.max_step);
  EXPECT_EQ(chooseStep(control, 5.0, 0.0).h, control.min_step);
}

TEST(StepChoice, FollowsThePiController) {
  ErrorControl control;
  control.accuracy = 1e-3;
  StepControlMemory memory{0.01, 1.0, false};
  learnAccepted(control, {0.01, false, false}, 1e-3, memory);
  EXPECT_NEAR(memory.wanted, 0.0097, 1e-15);
  EXPECT_EQ(memory.error, 1.0);
  learnAccepted(control, {0.009, false, false}, 1e-4, memory);
  EXPECT_NEAR(memory.wanted, 0.009 * 0.97 * std::pow(10.0, 0.35), 1e-15);
  learnAccepted(control, {0.01, false, false}, 1e-4, memory);
  EXPECT_NEAR(memory.wanted, 0.01 * 0.97 * std::pow(10.0, 0.35 - 0.2), 1e-15);
  EXPECT_NEAR(shrink(control, 0.01, 4e-3), 0.0045, 1e-15);
  EXPECT_EQ(shrink(control, 0.01, 1.01e-3), 0.01 * 0.9 * std::sqrt(1.0 / 1.01));
  EXPECT_EQ(shrink(control, 0.01, std::numeric_limits<double>::quiet_NaN()), 0.001);
  EXPECT_EQ(shrink(control, 2e-6, 1.0), control.min_step);
}

TEST(StepChoice, IsNotShrunkByManyShortAdvances) {
  Controlled c(makeBallWorld(1e3, 0.0), withAccuracy(1e-4));
  c.integrator.advance(1.0, {}, c.state, c.memory);
  const double wanted = c.memory.control.wanted;
  for (int k = 1; k <= 1000; ++k) c.integrator.advance(1.0 + 1e-4 * k, {}, c.state, c.memory);
  EXPECT_GE(c.memory.control.wanted, wanted);
  EXPECT_NEAR(c.integrator.step(10.0, c.state, c.memory).control.dt, wanted, 1e-12);
}

TEST(ErrorControl, EndsExactlyWhereItIsToldTo) {
  Controlled c(makeBallWorld(0.5, 0.8, {1, 0, 0}), withAccuracy(1e-4));
  for (int k = 1; k <= 30; ++k) {
    c.integrator.advance(k / 30.0, {}, c.state, c.memory);
    EXPECT_EQ(c.state.time, k / 30.0);
  }
}

TEST(ErrorControl, AsksTheControllerAtTheStartOfEachHalf) {
  Controlled c(makeBallWorld(1.0, 0.0), withAccuracy(1e-3));
  std::vector<double> times;
  const Controller law = [&](double time, const State&, StepInputs&) { times.push_back(time); };
  const StepReport report = c.integrator.step(1.0, law, c.state, c.memory);
  ASSERT_EQ(report.control.rejections, 0);
  EXPECT_EQ(times, (std::vector<double>{0.0, 0.0, 0.5 * report.control.dt}));  // F, and both halves
}

// What a controller throws ends the step at once, of whatever kind it is.
TEST(ErrorControl, PassesOnWhatAControllerThrows) {
  Controlled c(makeBallWorld(1.0, 0.0), withAccuracy(1e-3));
  const Controller law = [](double time, const State&, StepInputs&) {
    if (time > 0.0) throw std::runtime_error("no radio contact");
  };
  const std::uint64_t state = hashOf(c.state);
  EXPECT_THROW(c.integrator.step(1.0, law, c.state, c.memory), std::runtime_error);
  EXPECT_EQ(hashOf(c.state), state);
}

// A step that no size above the smallest makes accurate is taken, and told.
TEST(ErrorControl, ForcesStepsOfTheSmallestSizeAndCountsThem) {
  SimulatorOptions options = withAccuracy(1e-6);
  options.control.min_step = 5e-3;
  const test::ControlledRun run = test::runControlled(test::controlledScene("tall_box_slides_and_tips"), options);
  EXPECT_GT(run.forced, 10);
  EXPECT_GT(run.worst_error, 1e-6);
  EXPECT_GE(run.smallest, 0.5 * 5e-3);
}

TEST(ErrorControl, TellsImpactsAtSeveralTimesApart) {
  const test::ControlledRun run = test::runControlled(test::controlledScene("bouncing_rod"), withAccuracy(1e-4));
  EXPECT_GT(run.early, 0);
  EXPECT_LE(run.delivered, 1e-9);
}

TEST(ErrorControl, TellsContactsOfBothHalves) {
  Controlled c(makeBallWorld(0.0, 0.0, {3, 0, 0}), withAccuracy(1e-3));
  const StepReport report = c.integrator.step(1.0, c.state, c.memory);
  Vector3d impulse = Vector3d::Zero();
  for (const ContactOutcome& contact : c.integrator.contacts()) impulse += contact.impulse;
  EXPECT_NEAR(impulse.z(), kG * report.control.dt, 1e-12);
  EXPECT_NEAR(impulse.x(), -0.5 * kG * report.control.dt, 1e-12);
  ASSERT_EQ(c.integrator.waypoints().size(), 1U);
  EXPECT_EQ(c.integrator.waypoints()[0].time, 0.5 * report.control.dt);
}

// One detection serves the full step and its first half, and changes no bit of what they do here.
TEST(SharedStart, ChangesNothing) {
  const WorldModel world = makeBallWorld(0.05, 0.5, {1, 0, -1});
  SharedStart start;
  Simulator shared(world), alone(world);
  State a = world.makeState(), b = a, full = a;
  StepMemory memory_a, memory_b, memory_full;
  shared.step(0.02, {}, StepTry{&start}, full, memory_full);
  shared.step(0.01, {}, StepTry{&start}, a, memory_a);
  alone.step(0.01, b, memory_b);
  EXPECT_EQ(hashOf(a), hashOf(b));
}

// ---- between the ends of a step

TEST(DenseStep, FollowsFlightAndSpinExactly) {
  WorldModel world;
  AssetInertial ball = makeBall({1, 2, 3}, {1, -2, 4});
  ball.setVelocity({1, -2, 4}, {2, 5, -3});
  world.addBody(std::move(ball));
  Controlled c(std::move(world), withAccuracy(1e-3));
  const StepReport report = c.integrator.step(0.2, c.state, c.memory);
  BodyStates at;
  for (const double share : {0.0, 0.2, 0.5, 0.77, 1.0}) {
    const double t = share * report.control.dt;
    c.integrator.dense().calcBodies(t, at);
    const Vector3d g(0, 0, -kG);
    EXPECT_LE((at.bodies[0].position - Vector3d(Vector3d(1, 2, 3) + t * Vector3d(1, -2, 4) + 0.5 * t * t * g)).norm(), 1e-14);
    EXPECT_LE((at.bodies[0].velocity - Vector3d(Vector3d(1, -2, 4) + t * g)).norm(), 1e-12);
    EXPECT_LE(at.bodies[0].orientation.angularDistance(expMap(t * Vector3d(2, 5, -3))), 1e-13);
    EXPECT_LE((at.bodies[0].omega - Vector3d(2, 5, -3)).norm(), 1e-11);
  }
  EXPECT_THROW(c.integrator.dense().calcBodies(report.control.dt + 1e-9, at), std::invalid_argument);
}

// The rates of the curves of rotations are those of the ends, and what lies between turns as fast as it moves.
TEST(DenseStep, RotationsHaveTheRatesOfTheirEnds) {
  DenseStep step;
  InertialState from, to;
  from.orientation = expMap({0.3, -0.2, 0.5});
  from.omega = {1.0, 2.0, -1.0};
  to.orientation = expMap({0.5, 0.4, -0.1}) * from.orientation;
  to.omega = {-0.5, 3.0, 2.0};
  step.begin = {0.0, {from}};
  step.middle = {0.5, {to}};
  step.end = {1.0, {to}};
  BodyStates at, before, after;
  step.calcBodies(0.0, at);
  EXPECT_LE((at.bodies[0].omega - from.omega).norm(), 1e-12);
  step.calcBodies(0.5 - 1e-12, at);
  EXPECT_LE((at.bodies[0].omega - to.omega).norm(), 1e-9);
  constexpr double kStep = 1e-6;
  for (const double t : {0.1, 0.25, 0.4}) {
    step.calcBodies(t - kStep, before);
    step.calcBodies(t, at);
    step.calcBodies(t + kStep, after);
    const Vector3d rate = logMap(after.bodies[0].orientation * before.bodies[0].orientation.conjugate()) / (2.0 * kStep);
    EXPECT_LE((at.bodies[0].omega - rate).norm(), 1e-7) << t;
  }
}

// ---- the same bits

TEST(ErrorControl, ContinuesFromAFileToTheBit) {
  const test::TemporaryFolder folder;
  const test::ControlledScene& scene = test::controlledScene("tumbling_cube");
  const WorldModel world = scene.make();
  ErrorControlledIntegrator one(Simulator(world, withAccuracy(1e-4)));
  State state = world.makeState();
  StepMemory memory;
  for (int k = 0; k < 25; ++k) one.step(0.5, state, memory);
  saveMoment(folder / "moment.h5", state, memory);
  SavedMoment saved = loadMoment(folder / "moment.h5");
  EXPECT_EQ(hashOf(saved.memory), hashOf(memory));
  EXPECT_EQ(saved.memory.control, memory.control);
  ErrorControlledIntegrator other(Simulator(world, withAccuracy(1e-4)));
  one.advance(0.5, {}, state, memory);
  other.advance(0.5, {}, saved.state, saved.memory);
  EXPECT_EQ(hashOf(state), hashOf(saved.state));
  EXPECT_EQ(hashOf(memory), hashOf(saved.memory));
}

TEST(ErrorControl, GivesTheSameBitsOnAnyNumberOfThreads) {
  test::ControlledScene scene = test::controlledScene("clutter_of_20_balls");
  scene.duration = 0.15;
  const auto hashWith = [&](int threads) {
    SimulatorOptions options = withAccuracy(1e-3);
    options.threads = threads;
    return test::runControlled(scene, options).hash;
  };
  EXPECT_EQ(hashWith(1), hashWith(4));
}

TEST(ErrorControl, IsPartOfTheHashOfWhatIsRemembered) {
  StepMemory memory;
  const std::uint64_t without = hashOf(memory);
  memory.control.wanted = 0.01;
  EXPECT_NE(hashOf(memory), without);
}

// ---- what is refused

TEST(ErrorControl, RefusesAccuraciesThatAreNone) {
  const WorldModel world = makeBallWorld(1.0, 0.0);
  for (const double accuracy : {0.0, -1e-3, 1e-14, std::numeric_limits<double>::quiet_NaN()}) {
    try {
      const Simulator simulator(world, withAccuracy(accuracy));
      FAIL() << accuracy;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("accuracy"), std::string::npos) << error.what();
    }
  }
  SimulatorOptions options = withAccuracy(1e-3);
  options.control.max_step = 1e-7;
  EXPECT_THROW(Simulator(world, options), std::invalid_argument);
}

TEST(ErrorControl, RefusesWhatItCannotStep) {
  Controlled c(makeBallWorld(1.0, 0.0), withAccuracy(1e-3));
  EXPECT_THROW(c.integrator.step(0.0, c.state, c.memory), std::invalid_argument);
  Controlled fixed(makeBallWorld(1.0, 0.0), {});
  EXPECT_THROW(fixed.integrator.step(1.0, fixed.state, fixed.memory), std::invalid_argument);
  EXPECT_THROW(Controlled(makeBallWorld(1.0, 0.0), withAccuracy(1e-3), {{1.0, 1.0}, {}}), std::invalid_argument);
  EXPECT_THROW(Controlled(makeBallWorld(1.0, 0.0), withAccuracy(1e-3), {{-1.0}, {}}), std::invalid_argument);
}

TEST(ErrorControl, RefusesNumbersOfAControllerThatAreNoneAndKeepsTheState) {
  for (const double from : {0.0, 0.3}) {  // at once, and in the middle of a step
    Controlled c(makeBallWorld(1.0, 0.0), withAccuracy(1e-3));
    const Controller law = [from](double time, const State&, StepInputs& inputs) {
      const double force = time >= from ? std::numeric_limits<double>::quiet_NaN() : 0.0;
      inputs.bodies.push_back({0, Vector3d(force, 0, 0)});
    };
    std::uint64_t state = hashOf(c.state), memory = hashOf(c.memory);
    try {
      c.integrator.advance(1.0, law, c.state, c.memory, [&](const StepReport&) {
        state = hashOf(c.state);
        memory = hashOf(c.memory);
      });
      FAIL();
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("'ball'"), std::string::npos) << error.what();
    }
    EXPECT_EQ(hashOf(c.state), state);
    EXPECT_EQ(hashOf(c.memory), memory);
  }
}

// Where bodies go beyond all numbers, the smallest step says so, and nothing has changed.
TEST(ErrorControl, KeepsTheStateWhenABodyLeavesTheFiniteRange) {
  WorldModel world;
  world.addBody(makeBall({0, 0, 0}));
  world.setForces([](double, const State&, std::span<BodyForce> forces) { forces[0].force.x() = 1e120; });
  Controlled c(std::move(world), withAccuracy(1e-3));
  const std::uint64_t state = hashOf(c.state);
  EXPECT_THROW(c.integrator.step(1.0, c.state, c.memory), std::runtime_error);
  EXPECT_EQ(hashOf(c.state), state);
}

}  // namespace
}  // namespace cornet
