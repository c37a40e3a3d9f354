#include "cornet/solvers/ecos.h"

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <thread>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "cornet/solvers/ecos/build_problem.h"
#include "cornet/solvers/ecos/use_ecos.h"
#include "cornet/solvers/exact.h"
#include "support/random_problem.h"
#include "support/rigid_scene.h"

namespace cornet {
namespace {

class Ecos : public testing::Test {
 protected:
  void SetUp() override { useEcos(); }
};

// What ECOS reaches on sliding contacts, whatever the last bits of a machine: its conic solves are
// exact to about the root of the rounding unit.
constexpr double kReach = 1e-7;

EcosOptions makeOptions(FrictionModel model = FrictionModel::coulomb) {
  EcosOptions options;
  options.tolerance = kReach;
  options.friction_model = model;
  return options;
}
EcosOptions convexModel() { return makeOptions(FrictionModel::convex); }

// One contact with W = a I.
DelassusProblem makeContact(double a, const Vector3d& b, double mu) {
  DelassusProblem problem;
  problem.rows.addCone(mu);
  problem.W = BlockSparseMatrix(problem.rows.offsets());
  problem.W.appendRow(3);
  problem.W.block(0, problem.W.appendBlock(0)) = a * Matrix3d::Identity();
  problem.q = -b;
  problem.bias = Vector3d::Zero();
  return problem;
}

test::Scene slidingCube(double mu) {
  test::Scene scene = test::boxOnFloor(mu);
  scene.dt = 0.016;
  scene.bodies[0].velocity = {2.0, 0.0, 0.0};
  return scene;
}

test::Scene stack(int boxes) { return test::boxStack(std::vector<double>(boxes, 1.0)); }

// One point mass of 1 kg in velocity form, rows to be added.
struct PointMass {
  ContactProblem problem;

  explicit PointMass(const Vector3d& v_free) {
    const int dofs[] = {3};
    problem.M = BlockDiagonalMatrix(dofs);
    problem.M.block(0) = Matrix3d::Identity();
    problem.J = BlockSparseMatrix(problem.M.offsets());
    problem.v_free = v_free;
  }
  void appendRows(const MatrixXd& J) {
    problem.J.appendRow(static_cast<int>(J.rows()));
    problem.J.block(problem.J.rowBlockCount() - 1, problem.J.appendBlock(0)) = J;
    problem.bias = VectorXd::Zero(problem.rows.rowCount());
  }
};

struct OneContact {
  Vector3d b;
  double mu;
};
const OneContact kOneContact[] = {{{1.5, -0.2, 0.0}, 0.5},
                                  {{1.5, -3.0, -4.0}, 0.3},
                                  {{1.5, -5.0, 0.0}, 0.5},
                                  {{0.001, -5.0, 0.0}, 0.5},
                                  {{0.2013, 0.2013, 0.0}, 0.5}};

// With W = a I: λ = b/a sticks if it lies in the cone. Otherwise Coulomb has λ_n = b_n/a, the
// convex model λ_n = (b_n + μ‖b_t‖)/(a (1 + μ²)); both slide with λ_t = μ λ_n b_t/‖b_t‖.
TEST_F(Ecos, SolvesOneContactAsTheClosedFormsSay) {
  const double a = 0.1;
  for (const FrictionModel model : {FrictionModel::coulomb, FrictionModel::convex}) {
    for (const auto& [b, mu] : kOneContact) {
      Solution solution;
      ASSERT_EQ(EcosSolver(makeOptions(model)).solve(makeContact(a, b, mu), solution),
                SolveStatus::solved);
      const double slip = b.tail<2>().norm();
      Vector3d expected = b / a;
      if (slip > mu * b[0]) {
        expected[0] = model == FrictionModel::coulomb ? b[0] / a
                                                      : (b[0] + mu * slip) / (a * (1.0 + mu * mu));
        expected.tail<2>() = mu * expected[0] * b.tail<2>() / slip;
      }
      EXPECT_LT((solution.lambda - expected).norm(), 20.0 * kReach / a) << b.transpose();
    }
  }
}

// The printed digits of the table these cases come from.
TEST_F(Ecos, AgreesWithTheTableOfTheConvexModel) {
  Solution solution;
  EcosSolver(convexModel()).solve(makeContact(0.1, {1.5, -3.0, -4.0}, 0.3), solution);
  EXPECT_LT((solution.lambda - Vector3d(27.523, -4.954, -6.606)).cwiseAbs().maxCoeff(), 6e-4);
  EXPECT_LT((solution.u - Vector3d(1.252, 2.505, 3.339)).cwiseAbs().maxCoeff(), 6e-4);
}

// The rows of the seed's own table, straight from A and b.
TEST_F(Ecos, SolvesTheProgramBuiltFromAMatrix) {
  FrictionConeSpec spec(1);
  spec.setFriction(0, 0.5, 0);
  ECOSData stick = buildECOSProblem(0.1 * Matrix3d::Identity(), Vector3d(1.5, -0.2, 0.0), spec, 1);
  stick.solve(1e-10, 1e-10, 100);
  EXPECT_LT((stick.impulses() - Vector3d(15.0, -2.0, 0.0)).norm(), 1e-5);
  ECOSData slip = buildECOSProblem(0.1 * Matrix3d::Identity(), Vector3d(1.5, -5.0, 0.0), spec, 1);
  slip.solve(1e-10, 1e-10, 100);
  EXPECT_LT((slip.impulses() - Vector3d(32.0, -16.0, 0.0)).norm(), 1e-4);
}

// Coulomb: v_x loses μ g dt. Convex: also v_z = μ v_x, so the normal impulse is
// (μ v_x + g dt)/(1 + μ²).
TEST_F(Ecos, SlidesACubeWithoutLiftingItOnlyInCoulombsModel) {
  const ContactProblem problem = test::assemble(slidingCube(0.5));
  Solution solution;
  ASSERT_EQ(EcosSolver(makeOptions()).solve(problem, solution), SolveStatus::solved);
  const VectorXd coulomb = (VectorXd(6) << 1.92152, 0, 0, 0, 0, 0).finished();
  EXPECT_LT((solution.v - coulomb).norm(), 1e-6);
  const double normal = (0.5 * 2.0 + 9.81 * 0.016) / 1.25;
  const VectorXd convex =
      (VectorXd(6) << 2.0 - 0.5 * normal, 0, normal - 9.81 * 0.016, 0, 0, 0).finished();
  ASSERT_EQ(EcosSolver(convexModel()).solve(problem, solution), SolveStatus::solved);
  EXPECT_LT((solution.v - convex).norm(), 1e-6);
  EXPECT_NEAR(solution.v[0], 1.537, 5e-4);
  EXPECT_NEAR(solution.v[2], 0.769, 5e-4);
}

// Above μ = 1 the cube tips: v = (1.05824, 0, .47088), ω_y = .94176.
TEST_F(Ecos, TipsTheCubeOnASteepCone) {
  Solution solution;
  ASSERT_EQ(EcosSolver(makeOptions()).solve(test::assemble(slidingCube(1.5)), solution),
            SolveStatus::solved);
  const VectorXd v = (VectorXd(6) << 1.05824, 0, 0.47088, 0, 0.94176, 0).finished();
  EXPECT_LT((solution.v - v).cwiseAbs().maxCoeff(), 2e-6);
}

// Point masses on the floor do not see each other: each contact is its own closed form.
TEST_F(Ecos, SolvesManyContactsAtOnce) {
  for (const int contacts : {2, 5, 10}) {
    const MatrixXd A = 0.1 * MatrixXd::Identity(3 * contacts, 3 * contacts);
    VectorXd b(3 * contacts), expected(3 * contacts);
    FrictionConeSpec spec(contacts);
    for (int i = 0; i < contacts; ++i) {
      const double slip = 0.3 * i;
      b.segment<3>(3 * i) = Vector3d(1.0, slip, 0.0);
      spec.setFriction(i, 0.5, 3 * i);
      const double normal = slip <= 0.5 ? 10.0 : 10.0 * (1.0 + 0.5 * slip) / 1.25;
      expected.segment<3>(3 * i) = Vector3d(normal, slip <= 0.5 ? 10.0 * slip : 0.5 * normal, 0.0);
    }
    ECOSData data = buildECOSProblem(A, b, spec, contacts);
    ASSERT_EQ(data.solve(1e-10, 1e-10, 100), 0);
    EXPECT_LT((data.impulses() - expected).cwiseAbs().maxCoeff(), 1e-3) << contacts;
  }
}

// A stack at rest stays at rest, whatever its masses.
TEST_F(Ecos, HoldsStacksAtRest) {
  for (const int boxes : {1, 2, 5, 10}) {
    Solution solution;
    ASSERT_EQ(EcosSolver().solve(test::assemble(stack(boxes)), solution), SolveStatus::solved);
    EXPECT_LT(solution.v.cwiseAbs().maxCoeff(), 1e-8) << boxes;
  }
}

TEST_F(Ecos, HoldsAMassRatioOfAThousand) {
  for (const std::vector<double>& masses :
       {std::vector<double>{1.0, 1000.0}, {1000.0, 1.0}, {1.0, 1.0, 1.0, 1000.0}}) {
    Solution solution;
    ASSERT_EQ(EcosSolver().solve(test::assemble(test::boxStack(masses)), solution),
              SolveStatus::solved);
    EXPECT_LT(solution.v.cwiseAbs().maxCoeff(), 1e-8);
  }
}

TEST_F(Ecos, CarriesNoFrictionWhereThereIsNone) {
  test::Scene scene = slidingCube(0.0);
  Solution solution;
  ASSERT_EQ(EcosSolver().solve(test::assemble(scene), solution), SolveStatus::solved);
  const VectorXd v = (VectorXd(6) << 2.0, 0, 0, 0, 0, 0).finished();
  EXPECT_LT((solution.v - v).norm(), 1e-7);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(solution.lambda.segment<2>(3 * i + 1).norm(), 0.0);
}

// Two bodies of which one has ice under it.
TEST_F(Ecos, MixesContactsWithAndWithoutFriction) {
  test::Scene scene = slidingCube(0.5);
  test::Scene ice = slidingCube(0.0);
  scene.bodies.push_back(ice.bodies[0]);
  for (test::Contact contact : ice.contacts) {
    contact.b = 1;
    scene.contacts.push_back(contact);
  }
  Solution solution;
  ASSERT_EQ(EcosSolver(makeOptions()).solve(test::assemble(scene), solution), SolveStatus::solved);
  EXPECT_NEAR(solution.v[0], 1.92152, 1e-6);
  EXPECT_NEAR(solution.v[6], 2.0, 1e-6);
}

TEST_F(Ecos, ReturnsZeroImpulseForSeparatingContacts) {
  test::Scene scene = test::boxOnFloor(0.5);
  scene.bodies[0].velocity.z() = 1.0;
  Solution solution;
  EcosReport report;
  ASSERT_EQ(EcosSolver().solve(test::assemble(scene), solution, &report), SolveStatus::solved);
  EXPECT_EQ(solution.lambda.norm(), 0.0);
  EXPECT_EQ(report.message, "");
}

TEST_F(Ecos, KeepsTheLastIterateWhenIterationsRunOut) {
  EcosOptions options;
  options.max_iterations = 2;
  Solution solution;
  EcosReport report;
  EXPECT_EQ(EcosSolver(options).solve(test::assemble(slidingCube(0.5)), solution, &report),
            SolveStatus::max_iterations);
  EXPECT_EQ(report.exit_flag, -1);
  EXPECT_EQ(report.conic_solves, 1);
  EXPECT_TRUE(solution.lambda.allFinite());
  EXPECT_GT(solution.lambda.norm(), 0.0);
  for (const char* part : {"ran out of iterations", "exit code -1", "4 of them contacts", "0.5"}) {
    EXPECT_NE(report.message.find(part), std::string::npos) << report.message;
  }
  options.throw_on_failure = true;
  EXPECT_THROW(EcosSolver(options).solve(test::assemble(slidingCube(0.5)), solution),
               std::runtime_error);
}

TEST_F(Ecos, SaysSoWhenSweepsRunOut) {
  EcosOptions options;
  options.max_sweeps = 2;
  Solution solution;
  EcosReport report;
  EXPECT_EQ(EcosSolver(options).solve(test::assemble(slidingCube(0.5)), solution, &report),
            SolveStatus::max_iterations);
  EXPECT_EQ(report.conic_solves, 2);
  EXPECT_NE(report.message, "");
}

// A loose conic solve calls optimal what the certificate does not.
TEST_F(Ecos, BelievesTheCertificateRatherThanEcos) {
  EcosOptions options = convexModel();
  options.abs_tol = options.rel_tol = 1e-3;
  options.max_sweeps = 1;
  Solution solution;
  EcosReport report;
  EXPECT_EQ(EcosSolver(options).solve(test::assemble(slidingCube(0.5)), solution, &report),
            SolveStatus::inaccurate);
  EXPECT_EQ(report.exit_flag, 0);
  EXPECT_TRUE(report.certificate_disagrees);
  EXPECT_GT(solution.certificate.relative, options.tolerance);
}

// A ball between walls that approach it.
TEST_F(Ecos, NamesAnInfeasibleProblem) {
  test::Scene scene;
  scene.bodies.push_back({});
  scene.contacts.push_back({-1, 0, {-0.5, 0, 0}, Vector3d::UnitX(), 0.5, -0.01});
  scene.contacts.push_back({-1, 0, {0.5, 0, 0}, -Vector3d::UnitX(), 0.5, -0.01});
  for (const FrictionModel model : {FrictionModel::coulomb, FrictionModel::convex}) {
    Solution solution;
    EXPECT_EQ(EcosSolver(makeOptions(model)).solve(test::assemble(scene), solution),
              SolveStatus::infeasible);
    EXPECT_TRUE(solution.v.allFinite());
  }
}

// A mass of 1000 t on nine of 1 kg: ECOS calls that infeasible, which it is not.
TEST_F(Ecos, DoesNotBelieveAnInfeasibilityThatIsNotProved) {
  std::vector<double> masses(10, 1.0);
  masses.back() = 1e6;
  Solution solution;
  EcosReport report;
  const SolveStatus status =
      EcosSolver().solve(test::assemble(test::boxStack(masses)), solution, &report);
  EXPECT_NE(status, SolveStatus::infeasible);
  EXPECT_TRUE(status == SolveStatus::solved || !report.message.empty());
}

// v = 0 on every axis that a joint holds, however often it is given.
TEST_F(Ecos, TakesJointsGivenTwice) {
  PointMass mass({1.0, 2.0, -3.0});
  mass.problem.rows.addEquality(2);
  mass.appendRows((MatrixXd(2, 3) << 1, 0, 0, 2, 0, 0).finished());
  mass.problem.rows.addEquality(2);
  mass.appendRows((MatrixXd(2, 3) << 1, 1, 0, 1, -1, 0).finished());
  mass.problem.rows.addUnilateral(1);
  mass.appendRows((MatrixXd(1, 3) << 0, 0, 1).finished());
  Solution solution;
  ASSERT_EQ(EcosSolver().solve(mass.problem, solution), SolveStatus::solved);
  EXPECT_LT(solution.v.norm(), 1e-7);
}

// A brake of at most 0.5 N s, one that need not give all it has, and one that pushes at least 1.
TEST_F(Ecos, KeepsImpulsesWithinTheirBounds) {
  PointMass mass({1.0, 0.2, 0.3});
  const double lower[] = {-0.5, -0.5, 1.0}, upper[] = {0.5, 0.5, kInfinity};
  mass.problem.rows.addBox(lower, upper);
  mass.appendRows(MatrixXd::Identity(3, 3));
  Solution solution;
  ASSERT_EQ(EcosSolver().solve(mass.problem, solution), SolveStatus::solved);
  EXPECT_LT((solution.v - Vector3d(0.5, 0.0, 1.3)).norm(), 1e-8);
  EXPECT_LT((solution.lambda - Vector3d(-0.5, -0.2, 1.0)).norm(), 1e-8);
}

// A spring under the mass: λ = -v_free/(1 + R).
TEST_F(Ecos, KnowsCompliance) {
  PointMass mass({0.0, 0.0, -1.0});
  mass.problem.rows.addUnilateral(1);
  mass.appendRows((MatrixXd(1, 3) << 0, 0, 1).finished());
  mass.problem.rows.compliance[0] = 3.0;
  Solution solution;
  ASSERT_EQ(EcosSolver().solve(mass.problem, solution), SolveStatus::solved);
  EXPECT_NEAR(solution.lambda[0], 0.25, 1e-8);
  ASSERT_EQ(EcosSolver().solve(makeDelassusProblem(mass.problem), solution), SolveStatus::solved);
  EXPECT_NEAR(solution.lambda[0], 0.25, 1e-8);
}

// In the convex model the velocity is unique, so all solvers must find the same one, for all laws.
TEST_F(Ecos, AgreesWithTheExactSolverOnRandomProblemsOfAllLaws) {
  std::mt19937_64 random(17);
  test::RandomProblemOptions choice;
  choice.max_mu = 2.0;
  choice.max_mass_ratio = 100.0;
  choice.infinite_friction = false;
  ExactOptions exact_options;
  exact_options.friction_model = FrictionModel::convex;
  exact_options.tolerance = 1e-11;
  int solved = 0, compared = 0;
  for (int k = 0; k < 200; ++k) {
    const ContactProblem problem = test::makeRandomProblem(random, choice);
    Solution exact, conic;
    if (ExactSolver(exact_options).solve(problem, exact) != SolveStatus::solved) continue;
    ++compared;
    if (EcosSolver(convexModel()).solve(problem, conic) != SolveStatus::solved) continue;
    ++solved;
    const double size = 1.0 + exact.v.cwiseAbs().maxCoeff();
    EXPECT_LT((conic.v - exact.v).cwiseAbs().maxCoeff(), 1e-6 * size) << "problem " << k;
  }
  EXPECT_GE(compared, 190);
  EXPECT_GE(solved, 9 * compared / 10);
}

// Scenes whose velocity is unique. Where ECOS does not get there, it says so.
TEST_F(Ecos, AgreesWithTheExactSolverInBothForms) {
  test::Scene pushed = test::brickWall(3, 3);
  pushed.bodies.back().velocity.x() = 1.0;
  int solved = 0;
  const std::vector<test::Scene> scenes = {
      test::boxOnFloor(0.5), slidingCube(0.3),       slidingCube(0.8),       stack(2), stack(5),
      stack(10),             test::brickWall(2, 2), test::brickWall(3, 3), pushed};
  for (const test::Scene& scene : scenes) {
    const ContactProblem problem = test::assemble(scene);
    const DelassusProblem delassus = makeDelassusProblem(problem);
    Solution exact, conic;
    ASSERT_EQ(ExactSolver().solve(problem, exact), SolveStatus::solved);
    if (EcosSolver(makeOptions()).solve(problem, conic) == SolveStatus::solved) {
      ++solved;
      EXPECT_LT((conic.v - exact.v).cwiseAbs().maxCoeff(), 1e-6);
    }
    conic = {};
    if (problem.rows.blockCount() <= 20 &&
        EcosSolver(makeOptions()).solve(delassus, conic) == SolveStatus::solved) {
      EXPECT_LT((conic.u - exact.u).cwiseAbs().maxCoeff(), 1e-6);
    }
  }
  EXPECT_GE(solved, 8);
}

// W is slightly unsymmetric, as files have it; the certificate sees W as stored.
TEST_F(Ecos, CorrectsForAnUnsymmetricW) {
  DelassusProblem problem = makeDelassusProblem(test::assemble(slidingCube(0.5)));
  for (int i = 0; i < problem.W.rowBlockCount(); ++i) {
    for (int k = problem.W.begin(i); k < problem.W.end(i); ++k) {
      if (problem.W.column(k) > i) problem.W.block(i, k) *= 1.0 + 1e-4;
    }
  }
  Solution solution;
  EXPECT_EQ(EcosSolver(makeOptions()).solve(problem, solution), SolveStatus::solved);
  EXPECT_LE(certify(problem, solution.lambda).relative, kReach);
}

TEST_F(Ecos, StartsFromTheSlipOfGivenImpulses) {
  const ContactProblem problem = test::assemble(slidingCube(0.5));
  Solution start, solution;
  EcosReport cold, warm;
  ASSERT_EQ(EcosSolver(makeOptions()).solve(problem, start, &cold), SolveStatus::solved);
  solution.lambda = start.lambda;
  ASSERT_EQ(EcosSolver(makeOptions()).solve(problem, solution, &warm), SolveStatus::solved);
  EXPECT_EQ(warm.conic_solves, 0);  // it was a solution already
  solution.lambda = 1.01 * start.lambda;
  ASSERT_EQ(EcosSolver(makeOptions()).solve(problem, solution, &warm), SolveStatus::solved);
  EXPECT_LE(warm.conic_solves, cold.conic_solves);
}

TEST_F(Ecos, GivesTheSameBitsOnTwoThreads) {
  const ContactProblem problem = test::assemble(slidingCube(0.5));
  Solution alone;
  EcosSolver().solve(problem, alone);
  Solution results[2];
  {
    std::jthread first([&] { EcosSolver().solve(problem, results[0]); });
    std::jthread second([&] { EcosSolver().solve(problem, results[1]); });
  }
  EXPECT_EQ(results[0].lambda, alone.lambda);
  EXPECT_EQ(results[1].lambda, alone.lambda);
}

TEST_F(Ecos, RefusesInfiniteFriction) {
  Solution solution;
  EcosReport report;
  EXPECT_EQ(EcosSolver().solve(makeContact(0.1, {1.0, 0.0, 0.0}, kInfinity), solution, &report),
            SolveStatus::unsupported);
  EXPECT_NE(report.message, "");
}

TEST_F(Ecos, SolvesAProblemWithoutRows) {
  PointMass mass({1.0, 2.0, 3.0});
  mass.problem.bias.resize(0);
  Solution solution;
  EXPECT_EQ(EcosSolver().solve(mass.problem, solution), SolveStatus::solved);
  EXPECT_EQ(solution.v, mass.problem.v_free);
}

}  // namespace
}  // namespace cornet
