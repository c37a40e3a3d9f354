#include "support/controlled_scenes.h"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "cornet/base/stopwatch.h"
#include "support/gravity.h"
#include "support/stepped_world.h"

namespace cornet::test {
namespace {

using test::kG;

const std::vector<double> kAll = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
const std::vector<double> kCoarse = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5};

WorldModel makeGround(double mu, double restitution) {
  WorldModel world;
  world.materials.add({"default", mu, restitution});
  world.addEnvironment({"ground", {part(HalfSpace{})}});
  return world;
}

AssetInertial makeBody(const Shape& shape, const Vector3d& at, const Vector3d& v = {0, 0, 0}, const Vector3d& omega = {0, 0, 0},
                       const Quaterniond& q = Quaterniond::Identity(), const std::string& name = "body") {
  AssetInertial body = AssetInertial::fromMass(name, {part(shape)}, 1.0);
  body.place(at, q).setVelocity(v, omega);
  return body;
}

WorldModel makeOne(AssetInertial body, double mu, double restitution) {
  WorldModel world = makeGround(mu, restitution);
  world.addBody(std::move(body));
  return world;
}

// A thin rod along x of 1 kg and 1 m.
WorldModel makeRod() {
  constexpr double kHalf = 0.5, kAcross = 1.0 / 12.0, kWaist = 1e-3 * kHalf;
  const MassProperties properties{1.0, Vector3d(1e-4 * kAcross, kAcross, kAcross).asDiagonal()};
  const std::vector<Vector3d> points = {{-kHalf, 0, 0}, {kHalf, 0, 0}, {0, -kWaist, 0}, {0, kWaist, 0}, {0, 0, -kWaist}, {0, 0, kWaist}};
  AssetInertial rod("rod", properties, {part(ConvexHull(points))});
  rod.place({0.0, 0.0, 0.8}, expMap(Vector3d(0.0, -std::numbers::pi / 4.0, 0.0))).setVelocity({0.5, 0.0, 0.0});
  return makeOne(std::move(rod), 0.3, 0.5);
}

double heightOfBall(double drop, double e, double time) {
  double t = std::sqrt(2.0 * drop / kG), v = std::sqrt(2.0 * kG * drop);
  if (time < t) return drop - 0.5 * kG * time * time;
  for (;;) {
    v *= e;
    const double flight = 2.0 * v / kG;
    if (t + flight > time) return v * (time - t) - 0.5 * kG * (time - t) * (time - t);
    t += flight;
  }
}

double calcA13Duration(double e) {
  return std::sqrt(2.0 / kG) * (1.0 + 2.0 * (e + e * e + std::pow(e, 3) + std::pow(e, 4) + 0.5 * std::pow(e, 5)));
}

WorldModel makeTumblingCube() {
  const Quaterniond q = expMap({0.5, 0.0, 0.0}) * expMap({0.0, 0.3, 0.0});
  return makeOne(makeBody(Box(Vector3d::Constant(0.05)), {0, 0, 0.3}, {0.5, 0, 0}, {1, 2, 0}, q), 0.4, 0.3);
}

// Two rods on hinges, the second between stops.
WorldModel makeDoublePendulum() {
  WorldModel world;
  world.materials.add({"default", 0.5, 0.0});
  world.addEnvironment({"frame", {part(Sphere{0.01})}});
  const Box rod(Vector3d(0.25, 0.02, 0.02));
  world.addBody(makeBody(rod, {0.25, 0, 0}, {0, 0, 0}, {0, 0, 0}, Quaterniond::Identity(), "upper"));
  world.addBody(makeBody(rod, {0.75, 0, 0}, {0, 0, 0}, {0, 0, 0}, Quaterniond::Identity(), "lower"));
  world.addHinge(2, 0, {.name = "shoulder", .anchor = {0, 0, 0}, .axis = {0, 1, 0}, .collide = false});
  world.addHinge(0, 1, {.name = "elbow", .anchor = {0.5, 0, 0}, .axis = {0, 1, 0},
                        .limits = {.lower = -0.4, .upper = 0.6}, .collide = false});
  return world;
}

WorldModel makeRollingCoin() {
  const double tilt = 0.3, radius = 0.1, half = 0.005;
  // The axis, local z, lies along y but for the tilt; the rim touches the ground.
  const Quaterniond q = expMap({0.5 * std::numbers::pi - tilt, 0.0, 0.0});
  const double height = radius * std::cos(tilt) + half * std::sin(tilt);
  const Vector3d axis = q * Vector3d::UnitZ();
  return makeOne(makeBody(Cylinder{radius, half}, {0, 0, height}, {1.0, 0, 0}, -10.0 * axis * (axis.y() > 0 ? -1.0 : 1.0), q), 0.5, 0.0);
}

// A block on a belt, held by a spring: it is carried along, breaks loose, and comes to stick again.
WorldModel makeStickSlip() {
  WorldModel world;
  world.materials.add({"default", 0.3, 0.0});
  world.addEnvironment(AssetEnvironment("belt", {part(HalfSpace{})}).setSurfaceVelocity({0.5, 0, 0}));
  world.addBody(makeBody(Box({0.05, 0.05, 0.05}), {0, 0, 0.05}));
  world.setForces([](double, const State& state, std::span<BodyForce> forces) { forces[0].force.x() -= 50.0 * state.q[0]; });
  return world;
}

WorldModel makeClutter() {
  WorldModel world = makeGround(0.5, 0.0);
  for (int k = 0; k < 4; ++k) {
    const Quaterniond q = Quaterniond(Eigen::AngleAxisd(0.5 * std::numbers::pi * k, Vector3d::UnitZ())) * expMap({0.0, 0.5 * std::numbers::pi, 0.0});
    world.addEnvironment({"wall" + std::to_string(k), {part(HalfSpace{})}, -0.25 * (q * Vector3d::UnitZ()), q});
  }
  for (int k = 0; k < 20; ++k) {
    const double x = 0.003 * ((7 * k) % 5 - 2), y = 0.003 * ((3 * k) % 7 - 3);
    const int column = k % 4;
    const Vector3d at(x + 0.12 * (column % 2) - 0.06, y + 0.12 * (column / 2) - 0.06, 0.08 + 0.12 * (k / 4));
    world.addBody(makeBody(Sphere{0.05}, at, {0, 0, 0}, {0, 0, 0}, Quaterniond::Identity(), "ball" + std::to_string(k)));
  }
  return world;
}

std::vector<ControlledScene> makeScenes() {
  const auto errorOfX = [](double x) { return [x](const BodyStates& end, double) { return std::abs(end.bodies[0].position.x() - x); }; };
  std::vector<ControlledScene> list;
  list.push_back({"a1_sliding_block", 0.6, [] { return makeOne(makeBody(Box(Vector3d::Constant(0.05)), {0, 0, 0.05}, {2, 0, 0}), 0.5, 0.0); },
                  kAll, errorOfX(4.0 / kG)});
  list.push_back({"a5_ball_that_begins_to_roll", 0.6, [] { return makeOne(makeBody(Sphere{0.1}, {0, 0, 0.1}, {3, 0, 0}), 0.2, 0.0); }, kAll,
                  errorOfX(12.0 * 9.0 / (49.0 * 0.2 * kG) + 15.0 / 7.0 * (0.6 - 6.0 / (7.0 * 0.2 * kG)))});
  list.push_back({"a13_bouncing_ball", calcA13Duration(0.8), [] { return makeOne(makeBody(Sphere{0.1}, {0, 0, 1.1}), 0.5, 0.8); }, kAll,
                  [](const BodyStates& end, double time) { return std::abs(end.bodies[0].position.z() - 0.1 - heightOfBall(1.0, 0.8, time)); }});
  list.push_back({"bouncing_rod", 0.9, makeRod, kAll});
  list.push_back({"tall_box_slides_and_tips", 0.35, [] { return makeOne(makeBody(Box({0.05, 0.05, 0.15}), {0, 0, 0.15}, {2, 0, 0}), 0.6, 0.0); },
                  {1e-2, 1e-3, 1e-4, 1e-5}});
  list.push_back({"tumbling_cube", 0.5, makeTumblingCube, kAll});
  list.push_back({"zeno", 2.0, [] { return makeOne(makeBody(Sphere{0.1}, {0, 0, 0.11}), 0.5, 0.9); }, kAll,
                  [](const BodyStates& end, double) { return std::abs(end.bodies[0].position.z() - 0.1); }});
  list.push_back({"stick_slip", 1.0, makeStickSlip, kCoarse, {}, false});
  list.push_back({"double_pendulum_with_limits", 1.0, makeDoublePendulum, kCoarse, {}, false});
  list.push_back({"rolling_coin", 1.0, makeRollingCoin, kCoarse, {}, false});
  list.push_back({"clutter_of_20_balls", 0.2, makeClutter, kCoarse, {}, false});
  return list;
}

}  // namespace

const std::vector<ControlledScene>& controlledScenes() {
  static const std::vector<ControlledScene> scenes = makeScenes();
  return scenes;
}

const ControlledScene& controlledScene(const std::string& name) {
  for (const ControlledScene& scene : controlledScenes()) {
    if (scene.name == name) return scene;
  }
  throw std::invalid_argument("no scene " + name);
}

double calcDistance(const WorldModel& world, const BodyStates& a, const BodyStates& b) {
  return ErrorNorm(world, 0.0, {}).calc(a, {}, b, {});
}

BodyStates calcReference(const ControlledScene& scene) {
  if (!scene.is_promised) {
    SimulatorOptions options;
    options.control.accuracy = 1e-7;
    return runControlled(scene, options).end;
  }
  const WorldModel world = scene.make();
  Simulator simulator(world);
  State state = world.makeState();
  StepMemory memory;
  const auto steps = std::lround(scene.duration / 2e-5);
  for (long k = 0; k < steps; ++k) simulator.step(scene.duration / static_cast<double>(steps), state, memory);
  return simulator.bodies();
}

ControlledRun runControlled(const ControlledScene& scene, const SimulatorOptions& options, const BodyStates* reference) {
  const WorldModel world = scene.make();
  ErrorControlledIntegrator integrator(Simulator(world, options));
  State state = world.makeState();
  StepMemory memory;
  ControlledRun run;
  const Stopwatch clock;
  const auto count = [&](const StepReport& report) {
    ++run.steps;
    run.rejections += report.control.rejections;
    run.early += report.control.early;
    run.forced += report.control.is_forced;
    run.inaccurate += !report.isAccurate();
    run.smallest = run.steps == 1 ? report.control.dt : std::min(run.smallest, report.control.dt);
    run.largest = std::max(run.largest, report.control.dt);
    run.worst_error = std::max(run.worst_error, report.control.error);
    run.worst_energy_gain = std::max(run.worst_energy_gain, report.energy().gained);
  };
  if (options.control.isOn()) {
    integrator.advance(scene.duration, {}, state, memory, count);
  } else {
    run.steps = static_cast<int>(std::lround(scene.duration / options.control.max_step));
    for (int k = 0; k < run.steps; ++k) integrator.simulator().step(scene.duration / run.steps, state, memory);
  }
  run.seconds = clock.seconds();
  run.end = integrator.simulator().bodies();
  run.hash = hashOf(state) ^ (hashOf(memory) << 1);
  if (scene.error) {
    run.delivered = scene.error(run.end, scene.duration);
  } else if (reference != nullptr) {
    run.delivered = calcDistance(world, run.end, *reference);
  }
  return run;
}

}  // namespace cornet::test
