// Other solvers and other friction models in a step: what each does to a sliding box, by its own closed form.
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "cornet/sim/simulator.h"
#include "support/gravity.h"

namespace cornet {
namespace {

using test::kG;

constexpr double kSlideMu = 0.5;
constexpr double kSpeed = 2.0;
constexpr double kSlideStep = 1e-3;

struct Slide {
  Vector3d way = Vector3d::Zero();
  double lift = 0.0;
  int unsolved = 0;
};

WorldModel makeWorld(double heading, double mu = kSlideMu) {
  WorldModel world;
  world.materials.add({"default", mu, 0.0});
  world.addEnvironment({"floor", {{HalfSpace{}, Pose()}}});
  AssetInertial box = AssetInertial::fromMass("box", {{Box({0.2, 0.2, 0.02}), Pose()}}, 1.0);
  box.place({0, 0, 0.02}).setVelocity({kSpeed * std::cos(heading), kSpeed * std::sin(heading), 0.0});
  world.addBody(std::move(box));
  return world;
}

Slide slide(SolverKind solver, StepFriction model, double heading) {
  const WorldModel world = makeWorld(heading);
  SimulatorOptions options;
  options.solver = solver;
  options.friction_model = model;
  Simulator simulator(world, options);
  State state = world.makeState();
  StepMemory memory;
  Slide result;
  for (int k = 0; k < 1000; ++k) {
    result.unsolved += simulator.step(kSlideStep, state, memory).unsolved_islands;
    result.lift = std::max(result.lift, state.body(0).position.z() - 0.02);
  }
  result.way = state.body(0).position - world.body(0).initial().position;
  return result;
}

// Where a box stops that friction brakes with μ_eff.
double wayFor(double mu_eff) { return kSpeed * kSpeed / (2.0 * mu_eff * kG); }

constexpr double kDiagonal = std::numbers::pi / 4;
constexpr double kStopping = 1e-5;  // [m] half a step at the speed of the last one

TEST(FrictionModels, PyramidBrakesFullyAlongAxesAndLessOnDiagonals) {
  const Slide along = slide(SolverKind::active_set, StepFriction::pyramid, 0.0);
  EXPECT_NEAR(along.way.x(), wayFor(kSlideMu), kStopping);
  const Slide across = slide(SolverKind::active_set, StepFriction::pyramid, kDiagonal);
  EXPECT_NEAR(across.way.norm(), wayFor(kSlideMu / std::numbers::sqrt2), kStopping);
  EXPECT_EQ(along.unsolved + across.unsolved, 0);
}

TEST(FrictionModels, BoxBrakesTooMuchOnDiagonals) {
  const Slide across = slide(SolverKind::active_set, StepFriction::box, kDiagonal);
  EXPECT_NEAR(across.way.norm(), wayFor(kSlideMu * std::numbers::sqrt2), kStopping);
  const Slide scaled = slide(SolverKind::active_set, StepFriction::scaled_box, kDiagonal);
  EXPECT_NEAR(scaled.way.norm(), wayFor(kSlideMu), kStopping);
}

TEST(FrictionModels, OctagonStaysBetweenItsCornersAndItsEdges) {
  for (const double heading : {0.0, 0.2, 0.6, kDiagonal}) {
    const Slide result = slide(SolverKind::active_set, StepFriction::polygon, heading);
    EXPECT_GE(result.way.norm(), wayFor(kSlideMu) - kStopping) << heading;
    EXPECT_LE(result.way.norm(), wayFor(kSlideMu * std::cos(std::numbers::pi / 8)) + kStopping) << heading;
  }
}

TEST(FrictionModels, PyramidTurnsTheWayAside) {
  const double heading = 0.3;
  const auto turned = [&](const Slide& result) { return std::atan2(result.way.y(), result.way.x()) - heading; };
  EXPECT_LT(std::abs(turned(slide(SolverKind::exact, StepFriction::coulomb, heading))), 1e-12);
  EXPECT_GT(std::abs(turned(slide(SolverKind::active_set, StepFriction::pyramid, heading))), 0.05);
}

TEST(FrictionModels, ConvexModelLiftsWhatSlides) {
  // u_n = μ|u_t| until the gap is what a step at that speed opens.
  EXPECT_GT(slide(SolverKind::exact, StepFriction::convex, 0.0).lift, 0.5 * kSlideMu * kSpeed * kSlideStep);
  EXPECT_LT(slide(SolverKind::exact, StepFriction::coulomb, 0.0).lift, 1e-12);
}

TEST(FrictionModels, WhatDoesNotGoTogetherIsRefused) {
  const WorldModel world = makeWorld(0.0);
  const auto make = [&](SolverKind solver, StepFriction model) {
    SimulatorOptions options;
    options.solver = solver;
    options.friction_model = model;
    return Simulator(world, options);
  };
  EXPECT_THROW(make(SolverKind::exact, StepFriction::pyramid), std::invalid_argument);
  EXPECT_THROW(make(SolverKind::gauss_seidel, StepFriction::polygon), std::invalid_argument);
  EXPECT_THROW(make(SolverKind::active_set, StepFriction::coulomb), std::invalid_argument);
  EXPECT_THROW(make(SolverKind::ecos, StepFriction::coulomb), std::invalid_argument);  // not in this program
  SimulatorOptions odd;
  odd.faces = 7;
  EXPECT_THROW(Simulator(world, odd), std::invalid_argument);
  const WorldModel sticky = makeWorld(0.0, std::numeric_limits<double>::infinity());
  SimulatorOptions convex;
  convex.friction_model = StepFriction::convex;
  EXPECT_THROW(Simulator(sticky, convex), std::invalid_argument);
  EXPECT_NO_THROW(Simulator(sticky, SimulatorOptions{}));
}

}  // namespace
}  // namespace cornet
