// Contact problems of a step, kept for an observer.
#include <gtest/gtest.h>

#include "cornet/sim/simulator.h"

namespace cornet {
namespace {

void addBox(WorldModel& world, const Vector3d& position, double mass, const Vector3d& velocity = {0, 0, 0}) {
  AssetInertial body = AssetInertial::fromMass("box " + std::to_string(world.bodyCount()),
                                               {{Box({0.1, 0.1, 0.1}), Pose()}}, mass);
  body.place(position).setVelocity(velocity);
  world.addBody(std::move(body));
}

// Boxes that slide apart: an island each.
WorldModel makeSlides(int count) {
  WorldModel world;
  world.addEnvironment({"floor", {{HalfSpace{}, Pose()}}});
  for (int k = 0; k < count; ++k) addBox(world, {0.0, 1.0 * k, 0.1}, 1.0 + k, {1.0, 0.2, 0.0});
  return world;
}

std::vector<KickRecord> stepAndKeep(const WorldModel& world, const SimulatorOptions& options, KeptKicks kept) {
  Simulator simulator(world, options);
  State state = world.makeState();
  StepMemory memory;
  std::vector<KickRecord> records;
  simulator.setKickObserver([&](const KickRecord& record) { records.push_back(record); }, kept);
  for (int k = 0; k < 3; ++k) simulator.step(1e-3, state, memory);
  return records;
}

TEST(KickRecord, NothingIsKeptWhereNothingWasMissed) {
  EXPECT_TRUE(stepAndKeep(makeSlides(2), {}, KeptKicks::missed).empty());
}

TEST(KickRecord, MissedProblemsCarryTheCertificateOfTheirImpulses) {
  WorldModel world;
  world.addEnvironment({"floor", {{HalfSpace{}, Pose()}}});
  addBox(world, {0, 0, 0.1}, 1.0);
  addBox(world, {0, 0, 0.3}, 1e6);  // too heavy for sweeps
  SimulatorOptions options;
  options.solver = SolverKind::gauss_seidel;
  const std::vector<KickRecord> records = stepAndKeep(world, options, KeptKicks::missed);
  ASSERT_FALSE(records.empty());
  for (const KickRecord& record : records) {
    EXPECT_NE(record.solution.status, SolveStatus::solved);
    EXPECT_GT(record.solution.certificate.relative, options.tolerance);
    EXPECT_EQ(certify(record.problem, record.solution.lambda).relative, record.solution.certificate.relative);
    EXPECT_EQ(record.start.size(), record.problem.rows.rowCount());
  }
}

TEST(KickRecord, AllProblemsComeInOrderForAnyNumberOfThreads) {
  SimulatorOptions options;
  const std::vector<KickRecord> one = stepAndKeep(makeSlides(5), options, KeptKicks::all);
  options.threads = 2;
  const std::vector<KickRecord> two = stepAndKeep(makeSlides(5), options, KeptKicks::all);
  ASSERT_EQ(one.size(), 15u);
  ASSERT_EQ(two.size(), one.size());
  for (std::size_t k = 0; k < one.size(); ++k) {
    EXPECT_EQ(one[k].island, static_cast<int>(k % 5));
    EXPECT_DOUBLE_EQ(one[k].time, 1e-3 * static_cast<double>(k / 5));
    EXPECT_TRUE(identical(one[k].problem, two[k].problem));
    EXPECT_EQ(one[k].solution.lambda, two[k].solution.lambda);
    EXPECT_TRUE(certify(one[k].problem, one[k].solution.lambda).solved(options.tolerance));
  }
}

}  // namespace
}  // namespace cornet
