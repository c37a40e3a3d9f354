// What a compliant step promises besides its physics: the same bits, refusals that keep the state, an honest status.
#include "sim/icf/icf_world.h"

namespace cornet {
namespace {

using test::CompliantWorld;
using test::kG;

void build(CompliantWorld& heap) {
  heap.setMaterial(1e5, 10.0, 0.5);
  heap.addFloor();
  for (int k = 0; k < 12; ++k) {
    const Vector3d place(0.25 * (k % 3), 0.02 * k, 0.2 + 0.25 * (k / 3));
    if (k % 2 == 0) heap.addBox({0.1, 0.08, 0.06}, place, {0.3, 0, -1}, {1, 0, 2}); else heap.addSphere(0.1, place, {-0.2, 0.1, 0});
  }
  heap.world.addBall(0, 1, {.anchor = {0.12, 0.01, 0.2}});
}

std::uint64_t hashAfter(int steps, int threads) {
  CompliantWorld heap;
  heap.options.threads = threads;
  build(heap);
  heap.begin();
  for (int k = 0; k < steps; ++k) heap.step(5e-3);
  EXPECT_EQ(heap.inaccurate, 0) << heap.describe();
  return hashOf(heap.state);
}

TEST(IcfStep, ThreadsDoNotChangeABit) { EXPECT_EQ(hashAfter(150, 1), hashAfter(150, 4)); }

TEST(IcfStep, GoesOnFromASavedStateToTheBit) {
  CompliantWorld heap;
  build(heap);
  heap.begin();
  for (int k = 0; k < 60; ++k) heap.step(5e-3);
  State state = heap.state;
  StepMemory memory = heap.memory;
  Simulator other(heap.world, heap.options);
  for (int k = 0; k < 60; ++k) {
    heap.step(5e-3);
    other.step(5e-3, state, memory);
    ASSERT_EQ(hashOf(heap.state), hashOf(state)) << k;
  }
}

// From one state with another step, as error control takes it; what was done before does not show.
TEST(IcfStep, AStepTakenAgainWithAnotherLengthIsThatOfAFreshSimulator) {
  CompliantWorld heap;
  build(heap);
  heap.begin();
  for (int k = 0; k < 40; ++k) {
    const State start = heap.state;
    for (const double dt : {5e-3, 2.5e-3, 5e-3, 1e-4}) {
      State tried = start, fresh = start;
      StepMemory memory = heap.memory, none;
      heap.simulator->step(dt, tried, memory);
      Simulator(heap.world, heap.options).step(dt, fresh, none);
      ASSERT_EQ(hashOf(tried), hashOf(fresh)) << k << " " << dt;
    }
    heap.step(5e-3);
  }
}

// Where only h differs the model is kept: not where the state differs, even if the time is the same.
TEST(IcfStep, ModelsAreKeptByTheirStateAndNotByTheirTime) {
  CompliantWorld floor;
  floor.setMaterial(1e5, 10.0);
  floor.addFloor();
  floor.addBox({0.1, 0.1, 0.1}, {0, 0, 0.1}, {0.1, 0, 0});
  floor.world.addBall(0, floor.world.environmentBody(0), {.anchor = {0.1, 0.1, 0.0}});
  floor.run(0.1, 5e-3);
  const State start = floor.state;
  State other = start;
  other.v[0] += 0.01;
  for (const State& from : {start, start, other, start}) {
    for (const double dt : {5e-3, 2.5e-3, 1e-3}) {
      State tried = from, fresh = from;
      StepMemory memory = floor.memory, none;
      floor.simulator->step(dt, tried, memory);
      Simulator(floor.world, floor.options).step(dt, fresh, none);
      ASSERT_EQ(hashOf(tried), hashOf(fresh)) << dt;
    }
  }
}

template <class Call>
std::string refusalOf(const Call& call) {
  try {
    call();
  } catch (const std::invalid_argument& fault) {
    return fault.what();
  }
  return "";
}

TEST(IcfStep, RefusesImpossibleNumbersByName) {
  MaterialTable table;
  const auto refuse = [&](auto change) {
    Material material{"rubber"};
    change(material);
    return refusalOf([&] { table.add(material); });
  };
  EXPECT_NE(refuse([](Material& m) { m.stiffness = 0.0; }).find("material 'rubber': stiffness = 0"), std::string::npos);
  EXPECT_NE(refuse([](Material& m) { m.stiffness = -1.0; }).find("stiffness"), std::string::npos);
  EXPECT_NE(refuse([](Material& m) { m.dissipation = -1.0; }).find("dissipation = -1"), std::string::npos);
  EXPECT_NE(refuse([](Material& m) { m.dynamic_friction = -0.1; }).find("dynamic_friction"), std::string::npos);
  EXPECT_NE(refuse([](Material& m) { m.relaxation_time = -0.1; }).find("relaxation_time"), std::string::npos);
  EXPECT_NE(refuse([](Material& m) { m.stiffness = std::nan(""); }).find("not a number"), std::string::npos);
  CompliantWorld world;
  world.options.stiction_speed = 0.0;
  EXPECT_NE(refusalOf([&] { world.begin(); }).find("stiction_speed = 0"), std::string::npos);
}

TEST(IcfStep, RefusalsKeepStateAndMemory) {
  CompliantWorld floor;
  floor.setMaterial(1e5, 5.0);
  floor.addFloor();
  floor.addBox({0.1, 0.1, 0.1}, {0, 0, 0.1});
  bool is_bad = false;
  floor.world.setForces([&](double, const State&, std::span<BodyForce> forces) {
    if (is_bad) forces[0].force.x() = std::nan("");
  });
  floor.run(0.05, 5e-3);
  const std::uint64_t state = hashOf(floor.state), memory = hashOf(floor.memory);
  for (const double dt : {0.0, -0.01, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_NE(refusalOf([&] { floor.step(dt); }).find("time step dt"), std::string::npos);
  }
  is_bad = true;
  EXPECT_NE(refusalOf([&] { floor.step(5e-3); }).find("'box0' is not finite"), std::string::npos);
  EXPECT_EQ(hashOf(floor.state), state);
  EXPECT_EQ(hashOf(floor.memory), memory);
  is_bad = false;
  EXPECT_TRUE(floor.step(5e-3).isAccurate());
}

TEST(IcfStep, RefusesTwoRigidMaterialsThatMeet) {
  CompliantWorld floor;
  floor.setMaterial(std::numeric_limits<double>::infinity(), 5.0);
  floor.addFloor();
  floor.addSphere(0.1, {0, 0, 0.1});
  EXPECT_NE(refusalOf([&] { floor.step(0.01); }).find("are both rigid"), std::string::npos);
}

TEST(IcfStep, DerivativesOfUsersAreRefusedWhereTheyAreNotOnes) {
  CompliantWorld space;
  space.addSphere(0.1, {0, 0, 0});
  space.world.setForces([](double, const State&, std::span<BodyForce>) {});
  space.world.setForceDerivative([](double, const State&, double, VectorXd& K) { K[1] = -1.0; });
  EXPECT_NE(refusalOf([&] { space.step(0.01); }).find("entry 1 is -1"), std::string::npos);
}

TEST(IcfStep, WhatIsNotSolvedIsNotCalledSolved) {
  CompliantWorld floor;
  floor.options.budget = 1;  // Newton steps
  floor.setMaterial(1e8, 20.0);
  floor.addFloor();
  floor.addBox({0.1, 0.1, 0.1}, {0, 0, 0.1005}, {1, 0, -3}, {4, 1, 0});
  floor.step(0.01);
  EXPECT_EQ(floor.last.status, SolveStatus::max_iterations);
  EXPECT_EQ(floor.last.unsolved_islands, 1);
  EXPECT_GT(floor.last.relative, floor.options.tolerance);
  EXPECT_GT(floor.last.velocity_error, 0.0);
}

// Stored energy comes back, and no more: a ball that was pressed in leaves with the energy of its spring at most.
TEST(IcfStep, SpringsOfContactsGiveBackWhatTheyHold) {
  CompliantWorld floor;
  floor.setMaterial(1e4, 0.0);
  floor.addFloor();
  floor.world.gravity.setZero();
  floor.addSphere(0.1, {0, 0, 0.09}, {0, 0, 0}, {0, 0, 0}, 1.0);
  floor.run(0.2, 1e-4);
  const double held = 0.5 * 1e4 * 0.01 * 0.01;
  EXPECT_LE(floor.energy(), held);
  EXPECT_GT(floor.energy(), 0.95 * held);
  EXPECT_EQ(floor.last.certificate[StepMeasure::energy].value, 0.0);
}

TEST(IcfStep, ReportsContactsThatCarryAndHowFarTheModelIsFromRigid) {
  CompliantWorld floor;
  floor.setMaterial(1e5, 5.0);
  floor.addFloor();
  floor.addSphere(0.1, {0, 0, 0.1}, {0, 0, 0}, {0, 0, 0}, 1.0);
  floor.run(2.0, 0.01);
  EXPECT_EQ(floor.last.closed, 1);
  EXPECT_NEAR(floor.last.distance.overlap, kG / 1e5, 1e-9);
  EXPECT_LT(floor.last.distance.creep, 1e-10);
  EXPECT_TRUE(floor.last.isAccurate());
}

}  // namespace
}  // namespace cornet
