// The same bits after 10,000 steps, whatever the number of threads, the past of the broad phase or a file
// between.
#include <gtest/gtest.h>

#include "cornet/io/state_file.h"
#include "cornet/sim/simulator.h"
#include "support/temporary_folder.h"

namespace cornet {
namespace {

constexpr double kStep = 2e-3;  // [s]
constexpr int kSteps = 10000;

AssetShape part(const Shape& shape) { return {shape, Pose(), 0, {}}; }

// Bodies of four shapes in a bowl that shakes, so that contacts never stop coming and going.
WorldModel makeShaker() {
  WorldModel world;
  world.materials.add({"default", 0.4, 0.3});
  world.addEnvironment(AssetEnvironment("bowl", {part(Bowl{0.5})}, {0.0, 0.0, 0.5}, Quaterniond::Identity(),
                                        Oscillation{{0.02, 0.01, 0.03}, 3.0, 0.0}));
  const std::vector<Vector3d> corners = {
      {0.05, 0, -0.03}, {-0.03, 0.04, -0.03}, {-0.03, -0.04, -0.03}, {0, 0, 0.06}};
  const std::vector<Shape> shapes = {Sphere{0.04}, Box({0.05, 0.04, 0.03}), Capsule{0.03, 0.04},
                                     ConvexHull(corners)};
  for (int k = 0; k < 8; ++k) {
    AssetInertial body =
        AssetInertial::fromDensity("body" + std::to_string(k), {part(shapes[k % 4])}, 1000.0);
    body.place({0.14 * (k % 3 - 1), 0.14 * (k / 3 - 1), 0.3 + 0.02 * k});
    body.setVelocity({0.3, -0.1 * k, 0.0}, {1.0 * k, 2.0, -3.0});
    world.addBody(std::move(body));
  }
  return world;
}

struct Shaker {
  explicit Shaker(int threads)
      : world(makeShaker()), simulator(world, optionsFor(threads)), state(world.makeState()) {}
  static SimulatorOptions optionsFor(int threads) {
    SimulatorOptions options;
    options.threads = threads;
    return options;
  }
  std::uint64_t go(int steps) {
    for (int k = 0; k < steps; ++k) simulator.step(kStep, state, memory);
    return hashOf(state);
  }
  WorldModel world;
  Simulator simulator;
  State state;
  StepMemory memory;
};

std::uint64_t expectedHash() {
  static const std::uint64_t hash = Shaker(1).go(kSteps);
  return hash;
}

TEST(Determinism, TenThousandStepsGiveTheSameBitsAgain) { EXPECT_EQ(Shaker(1).go(kSteps), expectedHash()); }

TEST(Determinism, TenThousandStepsGiveTheSameBitsWithTwoThreads) {
  for (int again = 0; again < 2; ++again) EXPECT_EQ(Shaker(2).go(kSteps), expectedHash());
}

TEST(Determinism, ARunContinuedFromAFileGivesTheSameBits) {
  const test::TemporaryFolder folder;
  const auto file = folder / "moment.hdf5";
  {
    Shaker first(1);
    first.go(kSteps / 2);
    saveMoment(file, first.state, first.memory);
  }
  Shaker second(2);
  const SavedMoment moment = loadMoment(file);
  second.state = moment.state;
  second.memory = moment.memory;
  EXPECT_EQ(second.go(kSteps - kSteps / 2), expectedHash());
}

// A simulator that stepped other states before has another tree, and finds its pairs in another order.
TEST(Determinism, ThePastOfTheBroadPhaseDoesNotShow) {
  Shaker run(1);
  for (int round = 0; round < 5; ++round) {
    const int count = run.state.free_count;
    for (int k = 0; k < count; ++k) {
      const int place = (k * 5 + 3 * round) % count;
      run.state.q.segment<3>(7 * k) = Vector3d(0.3 * (place % 3) - 0.3, 0.25 * (place / 3) - 0.25, 0.5);
    }
    run.go(3);
  }
  run.state = run.world.makeState();
  run.memory = {};
  EXPECT_EQ(run.go(kSteps), expectedHash());
}

}  // namespace
}  // namespace cornet
