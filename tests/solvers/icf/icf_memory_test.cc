// A solve with the structure of the last one takes no memory, factorization and certificate included. A program of its
// own, because it replaces the allocator.
#include <gtest/gtest.h>

#include "cornet/solvers/icf/icf_solver.h"
#include "random_icf.h"
#include "support/allocation_counter.h"

namespace cornet {
namespace {

// A column of bodies that are held to each other now and then, with contacts between all of them; a mechanism beside it.
IcfModel makeColumn(int bodies, double speed, IcfFriction friction) {
  test::RandomIcf random(1);
  IcfModel model;
  IcfContactOptions options;
  options.friction = friction;
  model.patches.setOptions(options);
  model.bodies.addAnchored(Vector3d::Zero());
  for (int t = 0; t < bodies; ++t) {
    const MatrixXd M = random.freeMass(1.0 + t % 3);
    model.trees.add(M, speed * random.vector(6), M * (9.81 * VectorXd::Unit(6, 2)));
    model.bodies.addFree(t, Vector3d(0.0, 0.0, 1.0 + t));
    for (int c = 0; c < 4; ++c) {
      IcfContact contact = makePointContact(t, t + 1, {0.3 * (c % 2), 0.3 * (c / 2), 0.5 + t}, Vector3d::UnitZ(), 1e-4, 1e5);
      contact.dissipation = 2.0;
      contact.mu_static = contact.mu_dynamic = 0.5;
      model.patches.add(contact);
    }
    if (t % 4 == 3) model.holonomics.add(makeHinge({t, random.pose()}, {t + 1, random.pose()}));
  }
  const int arm = model.trees.add(MatrixXd::Identity(4, 4), speed * random.vector(4), VectorXd::Ones(4));
  for (int dof = 0; dof < 4; ++dof) {
    const int row = model.rows.addVelocity(model.trees, arm, dof);
    model.limits.add(row, {0.0, -0.01 * speed, 0.01 * speed, {}});
    model.gains.add(row, {1.0, 2.0, 5.0, 0.0});
  }
  model.couplers.add(model.rows.addSum(model.trees, 0, 1.0, 2, -0.5), {0.0, {}});
  const int turn = model.rows.addTwist(model.trees, model.bodies, {1, 2, Vector3d::UnitZ()}, Vector6d::Unit(5));
  model.limits.add(turn, {0.0, -0.1, 0.1, {}});
  model.prepare(0.01);
  return model;
}

TEST(IcfMemory, AWarmSolveTakesNone) {
  for (const IcfFriction friction : {IcfFriction::lagged, IcfFriction::similar, IcfFriction::sap}) {
    for (const int bodies : {2, 12, 60}) {
      IcfSolver solver;
      IcfData data;
      const IcfModel first = makeColumn(bodies, 1.0, friction);
      data.reset(first);
      ASSERT_EQ(solver.solve(first, data), SolveStatus::solved);
      for (const double speed : {1.2, 0.3, 2.0}) {
        const IcfModel model = makeColumn(bodies, speed, friction);
        int factorizations = 0;
        EXPECT_EQ(test::countAllocations([&] {
                    data.reset(model);
                    solver.solve(model, data);
                    factorizations = solver.report().factorizations;
                  }),
                  0);
        EXPECT_EQ(solver.report().status, SolveStatus::solved);
        EXPECT_GT(factorizations, 1);
      }
    }
  }
}

TEST(IcfMemory, PoolsThatWereReservedTakeNoneWhileTheyAreFilled) {
  IcfModel model;
  model.reserve({.trees = 10, .velocities_each = 6, .bodies = 11, .contacts = 40, .holonomics = 10, .rows = 10, .limits = 10, .couplers = 10, .gains = 10});
  const MatrixXd M = MatrixXd::Identity(6, 6);
  const VectorXd zero = VectorXd::Zero(6);
  const Matrix6Xd J = Matrix6Xd::Identity(6, 6);
  const IcfContact contact = makePointContact(0, 1, Vector3d::Zero(), Vector3d::UnitZ(), 1e-3, 1e4);
  const auto fill = [&] {
    model.bodies.addAnchored(Vector3d::Zero());
    for (int t = 0; t < 10; ++t) {
      model.trees.add(M, zero, zero, zero);
      if (t % 2 == 0) model.bodies.addFree(t, Vector3d::Zero()); else model.bodies.add(t, Vector3d::Zero(), J);
      for (int c = 0; c < 4; ++c) model.patches.add(contact);
      model.holonomics.add(makeBall({t, {}}, {t + 1, {}}));
      model.limits.add(model.rows.addVelocity(model.trees, t, 0), {0.0, -1.0, 1.0, {}});
    }
  };
  EXPECT_EQ(test::countAllocations(fill), 0);
  model.prepare(0.01);
  // The next step: the same shapes, filled and prepared again.
  EXPECT_EQ(test::countAllocations([&] {
              model.clear();
              fill();
              model.prepare(0.01);
            }),
            0);
}

}  // namespace
}  // namespace cornet
