// From constraints through the assembly and ECOS back to body forces: the whole way of a friction
// problem, in ECOS's exact mode, against closed forms and the exact solver.
#include <cmath>
#include <memory>
#include <numbers>
#include <thread>

#include "support/gravity.h"
#include "support/states.h"
#include "cornet/base/warning.h"
#include "cornet/constraints/constraint_solver.h"
#include "cornet/constraints/contact_constraint.h"
#include "cornet/solvers/ecos/use_ecos.h"

namespace cornet {
namespace {

using test::ground;
using test::heavyBody;
using test::kG;

constexpr double kDt = 0.01;

// Conic solves leave about this much of a velocity [m/s] or relative force.
constexpr double kConic = 1e-6;

struct Scene {
  void addContact(std::size_t a, std::size_t b, const Vector3d& point, double mu) {
    const ContactGeometry geometry =
        makeContactGeometry(bodies[a].state, bodies[b].state, point, point, Vector3d::UnitZ());
    owned.push_back(std::make_unique<ContactConstraint>(a, b, geometry));
    owned.push_back(std::make_unique<FrictionConstraint>(a, b, geometry, mu));
  }
  MultiBodySolveResult solve(FrictionSolver solver) const {
    useEcos();
    ConstraintSolver front;
    front.setFrictionSolver(solver);
    front.setTolerance(solver == FrictionSolver::ecos ? 1e-7 : 1e-8);
    std::vector<const Constraint*> list;
    for (const auto& constraint : owned) list.push_back(constraint.get());
    return front.solveWithContacts(list, bodies, kDt);
  }
  std::vector<RigidBody> bodies;
  std::vector<std::unique_ptr<Constraint>> owned;
};

// A point mass pushed sideways.
Scene pushedMass(double mass, double mu, double push) {
  Scene scene;
  scene.bodies = {ground(), heavyBody({mass, Matrix3d::Identity()}, Vector3d::Zero())};
  scene.bodies[1].external.force.x() += push;
  scene.addContact(0, 1, Vector3d::Zero(), mu);
  return scene;
}

TEST(EcosIntegration, DispatchGoesToEcosWithFrictionAndToTheActiveSetWithout) {
  EXPECT_EQ(pushedMass(1.0, 0.5, 1.0).solve(FrictionSolver::ecos).solver_type, "ECOS");
  EXPECT_EQ(pushedMass(1.0, 0.0, 1.0).solve(FrictionSolver::ecos).solver_type, "ASM");
}

// As the push grows, friction follows it into the corner of the cone and stays there.
TEST(EcosIntegration, StickTurnsToSlipAtTheFrictionLimit) {
  const double limit = 0.3 * 8.0 * kG;
  for (const double share : {0.0, 0.3, 0.9, 0.99, 1.01, 1.1, 2.0, 5.0}) {
    const MultiBodySolveResult result = pushedMass(8.0, 0.3, share * limit).solve(FrictionSolver::ecos);
    ASSERT_TRUE(result.converged) << share << ": " << result.message;
    const BodyForces& force = result.body_forces[1];
    EXPECT_NEAR(force.linear_force.z(), 8.0 * kG, kConic * limit);
    EXPECT_NEAR(-force.linear_force.x(), std::min(share, 1.0) * limit, kConic * limit);
    EXPECT_NEAR(result.velocities[1][0], std::max(0.0, share - 1.0) * limit / 8.0 * kDt, kConic);
    EXPECT_LT(std::abs(result.velocities[1][2]), kConic);  // nothing is thrown up
  }
}

// Two masses side by side, pushed alike: each has the friction of its own coefficient.
TEST(EcosIntegration, ContactsKeepTheirOwnCoefficients) {
  Scene scene;
  scene.bodies = {ground(), heavyBody({1.0, Matrix3d::Identity()}, {0, 0, 0}),
                  heavyBody({1.0, Matrix3d::Identity()}, {5, 0, 0})};
  for (int k : {1, 2}) scene.bodies[k].external.force.x() = 6.0;
  scene.addContact(0, 1, {0, 0, 0}, 0.2);
  scene.addContact(0, 2, {5, 0, 0}, 0.9);
  const MultiBodySolveResult result = scene.solve(FrictionSolver::ecos);
  ASSERT_TRUE(result.converged) << result.message;
  EXPECT_NEAR(result.velocities[1][0], (6.0 - 0.2 * kG) * kDt, kConic);
  EXPECT_NEAR(result.velocities[2][0], 0.0, kConic);
  EXPECT_NEAR(-result.body_forces[1].linear_force.x(), 0.2 * kG, 1e-4);
  EXPECT_NEAR(-result.body_forces[2].linear_force.x(), 6.0, 1e-4);
}

TEST(EcosIntegration, MassRatioOfAThousandConverges) {
  for (const bool heavy_on_top : {false, true}) {
    Scene scene;
    const double below = heavy_on_top ? 1.0 : 1000.0;
    const double above = heavy_on_top ? 1000.0 : 1.0;
    scene.bodies = {ground(), heavyBody({below, below * Matrix3d::Identity()}, {0, 0, 0}),
                    heavyBody({above, above * Matrix3d::Identity()}, {0, 0, 0})};
    scene.addContact(0, 1, Vector3d::Zero(), 0.5);
    scene.addContact(1, 2, Vector3d::Zero(), 0.5);
    const MultiBodySolveResult result = scene.solve(FrictionSolver::ecos);
    ASSERT_TRUE(result.converged) << result.message;
    EXPECT_NEAR(result.lambdas[0] / ((below + above) * kG * kDt), 1.0, kConic);
    EXPECT_NEAR(result.lambdas[3] / (above * kG * kDt), 1.0, kConic);
  }
}

// Examples 1, 2 and 6 of the hand-computed ones, through ECOS.
TEST(EcosIntegration, HandComputedExamples) {
  const auto onSlope = [](double degrees, double mu) {
    Scene scene = pushedMass(10.0, mu, 0.0);
    const double slope = degrees * std::numbers::pi / 180.0;
    scene.bodies[1].external.force = 10.0 * kG * Vector3d(std::sin(slope), 0, -std::cos(slope));
    return scene.solve(FrictionSolver::ecos);
  };
  const MultiBodySolveResult sticks = onSlope(20.0, 0.6);
  ASSERT_TRUE(sticks.converged);
  EXPECT_NEAR(sticks.body_forces[1].linear_force.z(), 92.1838, 2e-4);
  EXPECT_NEAR(-sticks.body_forces[1].linear_force.x(), 33.5522, 2e-4);
  const MultiBodySolveResult slides = onSlope(45.0, 0.3);
  ASSERT_TRUE(slides.converged);
  EXPECT_NEAR(slides.body_forces[1].linear_force.z(), 69.3672, 2e-4);
  EXPECT_NEAR(slides.velocities[1][0] / kDt, 4.85570, 2e-4);
  Scene stacked;
  stacked.bodies = {ground(), heavyBody({5.0, Matrix3d::Identity()}, {0, 0, 0}),
                    heavyBody({3.0, Matrix3d::Identity()}, {0, 0, 0})};
  stacked.bodies[2].external.force.x() = 10.0;
  stacked.addContact(0, 1, Vector3d::Zero(), 0.0);
  stacked.addContact(1, 2, Vector3d::Zero(), 0.5);
  const MultiBodySolveResult together = stacked.solve(FrictionSolver::ecos);
  ASSERT_TRUE(together.converged) << together.message;
  EXPECT_NEAR(together.velocities[1][0] / kDt, 1.25, 2e-4);
  EXPECT_NEAR(together.velocities[2][0] / kDt, 1.25, 2e-4);
}

// On the diagonal ECOS has the round cone, box friction is 41 % too strong.
TEST(EcosIntegration, RoundConeAgainstBoxFriction) {
  Scene scene = pushedMass(1.0, 0.5, 0.0);
  scene.bodies[1].state.velocity = Vector3d(1.0, 1.0, 0.0);
  const auto friction = [](const MultiBodySolveResult& result) {
    EXPECT_TRUE(result.converged) << result.message;
    return result.body_forces[1].linear_force.head<2>().norm();
  };
  const double full = 0.5 * kG;
  EXPECT_NEAR(friction(scene.solve(FrictionSolver::ecos)) / full, 1.0, 1e-4);
  EXPECT_NEAR(friction(scene.solve(FrictionSolver::exact)) / full, 1.0, 1e-9);
  ConstraintSolver box;
  box.setFrictionSolver(FrictionSolver::active_set);
  box.setConeApproximation(ConeApproximation::box);
  const Constraint* list[] = {scene.owned[0].get(), scene.owned[1].get()};
  EXPECT_NEAR(friction(box.solveWithContacts(list, scene.bodies, kDt)) / full, std::sqrt(2.0), 1e-9);
}

// The table of the matrix A = 0.1 I: what Coulomb's law gives, and what the convex program gives.
TEST(EcosIntegration, SolveWithEcosGivenAMatrix) {
  useEcos();
  struct Row {
    Vector3d b;
    double mu;
    Vector3d coulomb, convex;
  };
  const Row rows[] = {
      {{1.5, -0.2, 0.0}, 0.5, {15, -2, 0}, {15, -2, 0}},
      {{1.5, -3.0, -4.0}, 0.3, {15, -2.7, -3.6}, {27.523, -4.954, -6.606}},
      {{1.5, -5.0, 0.0}, 0.5, {15, -7.5, 0}, {32, -16, 0}},
      {{0.2013, 0.2013, 0.0}, 0.5, {2.013, 1.0065, 0}, {2.4156, 1.2078, 0}}};
  for (const Row& row : rows) {
    FrictionConeSpec spec(1);
    spec.setFriction(0, row.mu, 0);
    ConstraintSolver solver;
    solver.setTolerance(1e-7);
    const MatrixXd A = 0.1 * Matrix3d::Identity();
    const ActiveSetResult coulomb = solver.solveWithECOS(A, row.b, spec, 1);
    ASSERT_TRUE(coulomb.converged) << coulomb.message;
    EXPECT_EQ(coulomb.solver_type, "ECOS");
    EXPECT_LT((coulomb.lambda - row.coulomb).norm(), 1e-4);
    EXPECT_TRUE(std::isfinite(coulomb.primal_residual));
    solver.setFrictionModel(FrictionModel::convex);
    const ActiveSetResult convex = solver.solveWithECOS(A, row.b, spec, 1);
    EXPECT_LT((convex.lambda - row.convex).norm(), 2e-3);
  }
}

TEST(EcosIntegration, FailureKeepsTheIterateAndSaysSo) {
  useEcos();
  const WarningHandler before = setWarningHandler(nullptr);
  FrictionConeSpec spec(1);
  spec.setFriction(0, 0.5, 0);
  ConstraintSolver solver;
  solver.setECOSMaxIterations(2);
  const MatrixXd A = 0.1 * Matrix3d::Identity();
  const ActiveSetResult result = solver.solveWithECOS(A, Vector3d(1.5, -5.0, 0.0), spec, 1);
  EXPECT_FALSE(result.converged);
  EXPECT_TRUE(result.lambda.allFinite());
  EXPECT_FALSE(result.message.empty());
  solver.setThrowOnFailure(true);
  EXPECT_THROW(solver.solveWithECOS(A, Vector3d(1.5, -5.0, 0.0), spec, 1), std::runtime_error);
  EXPECT_THROW(solver.solveWithECOS(A, Vector3d(1.5, -5.0, 0.0), spec, 2), std::invalid_argument);
  setWarningHandler(before);
}

TEST(EcosIntegration, TwoSolversInTwoThreads) {
  const Scene scene = pushedMass(2.0, 0.4, 9.0);
  const VectorXd expected = scene.solve(FrictionSolver::ecos).lambdas;
  int equal[2] = {0, 0};
  std::vector<std::thread> threads;
  for (int& count : equal) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k) count += scene.solve(FrictionSolver::ecos).lambdas == expected;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(equal[0] + equal[1], 40);
}

}  // namespace
}  // namespace cornet
