#include "cornet/io/state_file.h"

#include <fstream>

#include <gtest/gtest.h>

#include "cornet/io/format_error.h"
#include "cornet/sim/simulator.h"
#include "support/temporary_folder.h"

namespace cornet {
namespace {

WorldModel makeWorld() {
  WorldModel world;
  world.addEnvironment({"floor", {{HalfSpace{}, Pose()}}});
  for (int k = 0; k < 3; ++k) {
    AssetInertial body = AssetInertial::fromMass("box " + std::to_string(k),
                                                 {{Box({0.1, 0.1, 0.1}), Pose()}}, 1.0);
    body.place({0.05 * k, 0.0, 0.15 + 0.25 * k}).setVelocity({0.3, 0.1, 0.0}, {0.0, 1.0, 2.0});
    world.addBody(std::move(body));
  }
  return world;
}

TEST(SavedMoment, ContinuesWithTheSameBits) {
  const test::TemporaryFolder folder;
  const auto file = folder / "moment.h5";
  const WorldModel world = makeWorld();
  Simulator simulator(world);
  State state = world.makeState();
  StepMemory memory;
  for (int k = 0; k < 100; ++k) simulator.step(2e-3, state, memory);
  memory.contacts.front().given = 1e-6;
  saveMoment(file, state, memory);
  SavedMoment loaded = loadMoment(file);
  EXPECT_EQ(hashOf(loaded.state), hashOf(state));
  EXPECT_EQ(hashOf(loaded.memory), hashOf(memory));
  Simulator other(world);
  for (int k = 0; k < 100; ++k) {
    simulator.step(2e-3, state, memory);
    other.step(2e-3, loaded.state, loaded.memory);
  }
  EXPECT_EQ(hashOf(loaded.state), hashOf(state));
}

TEST(SavedMoment, SleepsOn) {
  const test::TemporaryFolder folder;
  const WorldModel world = makeWorld();
  SimulatorOptions options;
  options.sleep_time = 0.05;
  Simulator simulator(world, options);
  State state = world.makeState();
  StepMemory memory;
  for (int k = 0; k < 20; ++k) simulator.step(2e-3, state, memory);
  saveMoment(folder / "moment.h5", state, memory);
  SavedMoment loaded = loadMoment(folder / "moment.h5");
  EXPECT_EQ(loaded.memory.rest, memory.rest);
  EXPECT_EQ(loaded.memory.rest.size(), 3u);
  EXPECT_EQ(hashOf(loaded.memory), hashOf(memory));
}

TEST(SavedMoment, OtherFilesAreRefused) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(loadMoment(folder / "none.h5"), FileError);
  std::ofstream(folder / "text.h5") << "not a moment";
  EXPECT_THROW(loadMoment(folder / "text.h5"), FormatError);
  saveMoment(folder / "empty.h5", {}, {});
  EXPECT_EQ(loadMoment(folder / "empty.h5").state.free_count, 0);
}

}  // namespace
}  // namespace cornet
