// The potentials of one contact against quadrature and their definitions.
#include <gtest/gtest.h>

#include "cornet/solvers/icf/patch_pool.h"
#include "random_icf.h"

namespace cornet {
namespace {

ContactLaw makeLaw(double k, double d, double f, double h = 0.01) {
  ContactLaw law;
  law.h = h;
  law.stiffness = k;
  law.dissipation = d;
  law.elastic_force = f;
  return law;
}

TEST(ContactLaw, PotentialIsTheIntegralOfTheImpulse) {
  for (const auto& [k, d, f] : {std::tuple{1e4, 2.0, 5.0}, {1e4, 50.0, 5.0}, {1e4, 0.0, 5.0}, {0.0, 2.0, 5.0}, {1e4, 2.0, -5.0}}) {
    const ContactLaw law = makeLaw(k, d, f);
    for (const double a : {-1.3, -0.2, -0.06}) {
      const double b = a + 0.37;
      // The impulse is a polynomial of degree two up to where it ends: pieces between are exact by Simpson's rule.
      double integral = 0.0;
      const double ends[] = {a, std::clamp(k > 0.0 ? f / (0.01 * k) : b, a, b), std::clamp(d > 0.0 ? 1.0 / d : b, a, b), b};
      double last = a;
      for (const double end : {std::min(ends[1], ends[2]), b}) {
        const double middle = 0.5 * (last + end);
        integral += (end - last) / 6.0 * (calcNormal(law, last).impulse + 4.0 * calcNormal(law, middle).impulse + calcNormal(law, end).impulse);
        last = end;
      }
      EXPECT_NEAR(calcNormal(law, a).potential - calcNormal(law, b).potential, integral, 1e-14 + 1e-13 * integral);
    }
  }
}

TEST(ContactLaw, NothingActsWhereBodiesSeparate) {
  for (const double v : {0.051, 0.6}) {
    const NormalTerms terms = calcNormal(makeLaw(1e4, 2.0, 5.0), v);
    EXPECT_EQ(terms.potential, 0.0);
    EXPECT_EQ(terms.impulse, 0.0);
  }
  EXPECT_EQ(calcNormal(makeLaw(0.0, 2.0, 0.0), -1.0).potential, 0.0);
  EXPECT_EQ(calcNormal(makeLaw(0.0, 0.0, -1.0), -1.0).potential, 0.0);
  // The potential ends without a step.
  const double end = 5.0 / (0.01 * 1e4);
  EXPECT_NEAR(calcNormal(makeLaw(1e4, 2.0, 5.0), end - 1e-9).potential, 0.0, 1e-14);
}

TEST(ContactLaw, ASpeculativePairActsOnlyWhereTheStepClosesIt) {
  const double gap = 1e-3;
  const ContactLaw law = makeLaw(1e4, 0.0, -1e4 * gap);
  EXPECT_EQ(calcNormal(law, -0.99 * gap / law.h).impulse, 0.0);
  // Its force is that of the depth at the end of the step.
  EXPECT_NEAR(calcNormal(law, -2.0 * gap / law.h).impulse, law.h * 1e4 * gap, 1e-15);
}

TEST(ContactLaw, ABounceIsNotFasterThanTheInverseOfTheDissipation) {
  EXPECT_EQ(calcNormal(makeLaw(1e6, 50.0, 1e5), 1.0 / 50.0).impulse, 0.0);
}

TEST(ContactLaw, BlendGoesFromStaticToDynamicWithoutUndershoot) {
  EXPECT_DOUBLE_EQ(blendFriction(0.8, 0.5, 0.0).mu, 0.8);
  EXPECT_NEAR(blendFriction(0.8, 0.5, 1e9).mu, 0.5, 1e-15);
  double last = 0.8;
  for (double x = 0.1; x < 1e6; x *= 1.1) {
    const FrictionBlend blend = blendFriction(0.8, 0.5, x);
    EXPECT_LT(blend.mu, last);
    EXPECT_GE(blend.mu, 0.5);
    const double step = 1e-5 * x;
    EXPECT_NEAR(blend.slope, (blendFriction(0.8, 0.5, x + step).mu - blendFriction(0.8, 0.5, x - step).mu) / (2.0 * step), 1e-8);
    last = blend.mu;
  }
  // Half of the difference is gone near ten stiction speeds.
  EXPECT_NEAR(blendFriction(0.8, 0.5, 10.0).mu, 0.65, 1e-3);
}

// Brute force over the cone: the impulse of (ICF-7) is the nearest point in the norm of R.
TEST(ContactLaw, SapImpulseIsTheProjectionOntoTheCone) {
  test::RandomIcf random(1);
  for (int k = 0; k < 300; ++k) {
    ContactLaw law;
    law.friction = IcfFriction::sap;
    law.mu = random.uniform(0.05, 1.5);
    law.R_n = random.decade(-2.0, 1.0);
    law.R_t = random.decade(-2.0, 1.0);
    law.v_hat = random.normal();
    const Vector3d v = random.vector(3);
    const Vector3d gamma = calcContact(law, Vector3d::UnitZ(), v).impulse;
    const Vector3d y(-v.x() / law.R_t, -v.y() / law.R_t, (law.v_hat - v.z()) / law.R_n);
    const auto distance = [&](const Vector3d& x) {
      const Vector3d e = x - y;
      return law.R_t * e.head<2>().squaredNorm() + law.R_n * e.z() * e.z();
    };
    EXPECT_LE(gamma.head<2>().norm(), law.mu * gamma.z() * (1.0 + 1e-12) + 1e-300);
    const double best = distance(gamma);
    const double size = 1.0 + gamma.norm();
    for (int trial = 0; trial < 300; ++trial) {
      Vector3d x = gamma + size * random.decade(-6.0, 0.0) * Vector3d(random.vector(3));
      x.z() = std::max(x.z(), 0.0);
      const double limit = law.mu * x.z();
      if (x.head<2>().norm() > limit) x.head<2>() *= limit / x.head<2>().norm();
      EXPECT_GE(distance(x), best * (1.0 - 1e-12));
    }
  }
}

TEST(ContactLaw, FrictionOpposesSlipWithinItsCone) {
  test::RandomIcf random(2);
  for (const IcfFriction friction : {IcfFriction::lagged, IcfFriction::similar}) {
    for (int k = 0; k < 200; ++k) {
      ContactLaw law = makeLaw(random.decade(2, 5), random.decade(-1, 1), random.decade(-1, 2));
      law.friction = friction;
      law.mu = random.uniform(0.0, 1.5);
      law.epsilon = random.decade(-4, -1);
      law.lagged_impulse = random.decade(-3, 0);
      const Vector3d n = random.direction();
      const Vector3d v = random.vector(3);
      const Vector3d gamma = calcContact(law, n, v).impulse;
      const double normal = gamma.dot(n);
      const Vector3d tangential = gamma - normal * n;
      const Vector3d slip = v - v.dot(n) * n;
      EXPECT_LE(tangential.dot(slip), 0.0);
      EXPECT_GE(normal, -1e-15 * gamma.norm());
      const double limit = friction == IcfFriction::lagged ? law.mu * law.lagged_impulse : law.mu * normal;
      EXPECT_LE(tangential.norm(), limit * (1.0 + 1e-12) + 1e-15);
    }
  }
}

TEST(ContactLaw, FaceHasTheStiffnessOfBothFieldsInSeries) {
  const IcfContact face = makeFaceContact(0, 1, Vector3d::Zero(), Vector3d::UnitZ(), 2e-4, 3e4, 1e7, 3e7);
  EXPECT_DOUBLE_EQ(face.elastic_force, 6.0);
  EXPECT_DOUBLE_EQ(face.stiffness, 2e-4 * 0.75e7);
  EXPECT_DOUBLE_EQ(makeFaceContact(0, 1, Vector3d::Zero(), Vector3d::UnitZ(), 2e-4, 3e4, kInfinity, 3e7).stiffness, 6e3);
}

// Rim faces of a field that is inflated push only once the step closes them: f < 0.
TEST(ContactLaw, FacesOfNegativePressureAreSpeculative) {
  const IcfContact face = makeFaceContact(0, 1, Vector3d::Zero(), Vector3d::UnitZ(), 1e-3, -1e3, 1e7, kInfinity);
  EXPECT_EQ(calcNormal(makeLaw(face.stiffness, 0.0, face.elastic_force), 0.0).impulse, 0.0);
  EXPECT_GT(calcNormal(makeLaw(face.stiffness, 0.0, face.elastic_force), -1.0).impulse, 0.0);
}

TEST(ContactLaw, RefusesWhatNoContactHas) {
  const Vector3d o = Vector3d::Zero(), z = Vector3d::UnitZ();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(makePointContact(0, 1, o, z, 1e-3, 0.0), std::invalid_argument);
  EXPECT_THROW(makePointContact(0, 1, o, z, 1e-3, -1.0), std::invalid_argument);
  EXPECT_THROW(makeFaceContact(0, 1, o, z, 0.0, 1.0, 1.0, 1.0), std::invalid_argument);
  EXPECT_THROW(makeFaceContact(0, 1, o, z, 1.0, nan, 1.0, 1.0), std::invalid_argument);
  EXPECT_THROW(makeFaceContact(0, 1, o, z, 1.0, 1.0, kInfinity, kInfinity), std::invalid_argument);
  PatchConstraintsPool pool;
  const auto refused = [&](auto&& change) {
    IcfContact contact = makePointContact(0, 1, o, z, 1e-3, 1e3);
    change(contact);
    EXPECT_THROW(pool.add(contact), std::invalid_argument);
  };
  refused([&](IcfContact& c) { c.dissipation = -1.0; });
  refused([&](IcfContact& c) { c.stiffness = nan; });
  refused([&](IcfContact& c) { c.elastic_force = kInfinity; });
  refused([&](IcfContact& c) { c.normal = 2.0 * z; });
  refused([&](IcfContact& c) { c.p_WC.x() = nan; });
  refused([&](IcfContact& c) { c.mu_dynamic = -0.1; });
  refused([&](IcfContact& c) { c.mu_static = -0.1; });
  refused([&](IcfContact& c) { c.surface_velocity.y() = kInfinity; });
  refused([&](IcfContact& c) { c.B = 0; });
  EXPECT_EQ(pool.contactCount(), 0);
  IcfContactOptions options;
  options.stiction_speed = 0.0;
  EXPECT_THROW(pool.setOptions(options), std::invalid_argument);
}

}  // namespace
}  // namespace cornet
