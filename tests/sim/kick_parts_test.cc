// Impacts among contacts that carry already: friction and support act over time, an impact acts at once.
#include <cmath>

#include <gtest/gtest.h>

#include "support/gravity.h"
#include "support/stepped_world.h"

namespace cornet {
namespace {

using test::kG;
using test::part;
using test::SteppedWorld;

class KickInParts : public testing::TestWithParam<double> {
 protected:
  double dt() const { return GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(Steps, KickInParts, testing::Values(1e-3, 5e-3, 1e-2));

// Elastic bodies on a ground that swallows what hits it.
struct Table : SteppedWorld {
  explicit Table(double ground_friction, double friction = 0.0) {
    world.materials.add({"default", friction, 1.0});
    const int ground = world.materials.add({"ground", 0.0, 0.0});
    world.materials.setPair(0, ground, {ground_friction, 0.0});
    world.addEnvironment({"ground", {{HalfSpace{}, Pose(), ground, {}}}});
  }
};

// A ball on a table with friction μ after a time t: it slips until it rolls.
struct Roll {
  Vector3d position, velocity;
};
Roll rollFrom(const Vector3d& x, const Vector3d& v, const Vector3d& slip, double mu, double t) {
  const double slipping = std::min(t, 2.0 * slip.norm() / (7.0 * mu * kG));
  const Vector3d brake = slip.isZero() ? Vector3d(Vector3d::Zero()) : Vector3d(-mu * kG * slip.normalized());
  const Vector3d v_end = v + slipping * brake;
  return {x + slipping * v + 0.5 * slipping * slipping * brake + (t - slipping) * v_end, v_end};
}

TEST_P(KickInParts, ARollingCueBallLeavesTheOtherAsTheoryHasIt) {
  const double R = 0.03, v0 = 1.0, mu = 0.2, T = 0.6;
  for (const double cut : {0.0, 0.3, 0.9}) {
    for (const double distance : {0.1234, 0.2}) {
      Table table(mu);
      const Vector3d n(std::cos(cut), std::sin(cut), 0.0);
      const Vector3d x0(-distance, 0, R), x_object = 2.0 * R * n + Vector3d(0, 0, R);
      table.addSphere(R, x0, {v0, 0, 0}, {0, v0 / R, 0}, 0.17);
      table.addSphere(R, x_object, {0, 0, 0}, {0, 0, 0}, 0.17);
      table.run(T, dt());
      // They exchange what they have along n; the cue ball keeps its spin.
      const double t = distance / v0;
      const Vector3d v_object = v0 * n.x() * n;
      const Vector3d v_cue = Vector3d(v0, 0, 0) - v_object;
      const Roll cue = rollFrom({0, 0, R}, v_cue, v_cue - Vector3d(v0, 0, 0), mu, T - t);
      const Roll object = rollFrom(x_object, v_object, v_object, mu, T - t);
      EXPECT_LT((table.body(0).velocity - cue.velocity).norm(), 1e-11) << cut;
      EXPECT_LT((table.body(0).position - cue.position).norm(), 1e-11) << cut;
      EXPECT_LT((table.body(1).velocity - object.velocity).norm(), 1e-11) << cut;
      EXPECT_LT((table.body(1).position - object.position).norm(), 1e-11) << cut;
      EXPECT_LT(table.worst, 1e-8);
      EXPECT_EQ(table.unsolved, 0);
    }
  }
}

// A ball comes down on a box that rests, and meets it after this share of the step.
struct Landing : Table {
  Landing(double share, double dt) : Table(0.3, 0.3) {
    addBox({0.2, 0.2, 0.1}, {0, 0, 0.1}, {0, 0, 0}, {0, 0, 0}, 2.0);
    addSphere(0.05, {0, 0, 0.25 + share * dt * kSpeed}, {0, 0, -kSpeed});
  }
  static constexpr double kSpeed = 2.0;
};

TEST_P(KickInParts, ABallThatJumpsOnARestingBoxKeepsItsEnergy) {
  for (const double share : {0.01, 0.3, 0.95}) {
    Landing landing(share, dt());
    landing.begin();
    const double energy = landing.energy();
    landing.step(dt());
    EXPECT_GT(landing.body(1).velocity.z(), 0.5 * Landing::kSpeed);
    EXPECT_NEAR(landing.energy() / energy, 1.0, 1e-13) << share;
    EXPECT_EQ(landing.last.corrections.capped, 0);
    EXPECT_LT((landing.body(0).position - Vector3d(0, 0, 0.1)).norm(), 1e-15);
    EXPECT_LT(landing.body(0).velocity.norm(), 1e-13);
  }
}

TEST_P(KickInParts, ImpulsesOfAllPartsAreReported) {
  // The ground carries the box and turns the ball.
  Landing table(0.3, dt());
  table.step(dt());
  double ground = 0.0, ball = 0.0;
  for (const ContactOutcome& contact : table.simulator->contacts()) {
    const bool on_box = contact.a < 2 && contact.b < 2;
    (on_box ? ball : ground) += contact.normalImpulse();
  }
  EXPECT_NEAR(ball, table.body(1).velocity.z() + Landing::kSpeed + kG * dt(), 1e-12);
  EXPECT_NEAR(ground, ball + 2.0 * kG * dt(), 1e-12);
  EXPECT_EQ(table.last.impacts, 1);
}

TEST_P(KickInParts, RecordsHaveTheWorstPart) {
  Table table(0.2);
  const double R = 0.03;
  table.addSphere(R, {0, 0, R}, {1, 0, 0});
  table.addSphere(R, {2.0 * R + 0.4 * dt(), 0, R});
  table.options.max_parts = 1;
  table.begin();
  int kicks = 0;
  double worst = -1.0;
  const auto observe = [&](const KickRecord& record) {
    ++kicks;
    EXPECT_EQ(certify(record.problem, record.solution.lambda).relative, record.solution.certificate.relative);
    EXPECT_EQ(record.start.size(), record.problem.rows.rowCount());
    worst = std::max(worst, record.solution.certificate.relativeAboveFloor());
  };
  table.simulator->setKickObserver(observe, KeptKicks::all);
  table.step(dt());
  EXPECT_EQ(kicks, 1);
  EXPECT_EQ(worst, table.last.relative);
}

}  // namespace
}  // namespace cornet
