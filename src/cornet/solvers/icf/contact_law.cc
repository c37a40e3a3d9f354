#include "cornet/solvers/icf/contact_law.h"

#include <algorithm>
#include <cmath>

namespace cornet {
namespace {

// Length of the tangential velocity along a line, softened, with its derivatives.
struct SoftLength {
  double s, first, second;
  double slip;  // s - ε
};

SoftLength softLength(const ContactLine& line, double alpha, double epsilon) {
  const double square = line.vv + alpha * (2.0 * line.vu + alpha * line.uu);
  const double s = std::sqrt(std::max(square, 0.0) + epsilon * epsilon);
  const double m = line.vu + alpha * line.uu;
  return {s, m / s, (line.uu - (m / s) * (m / s)) / s, std::max(square, 0.0) / (s + epsilon)};
}

// Which part of (ICF-7) holds, of a = v̂ - v_n and the length r of v_t.
enum class SapRegion { stick, slide, open };

SapRegion sapRegion(const ContactLaw& law, double a, double r) {
  if (r * law.R_n <= law.mu * a * law.R_t) return SapRegion::stick;
  return a + law.mu * r > 0.0 ? SapRegion::slide : SapRegion::open;
}

double slideWeight(const ContactLaw& law) { return 1.0 / (law.R_n + law.mu * law.mu * law.R_t); }

ContactTerms calcSap(const ContactLaw& law, const Vector3d& n, double v_n, const Vector3d& v_t) {
  ContactTerms terms;
  const double a = law.v_hat - v_n;
  const double r = v_t.norm();
  const Matrix3d tangent = Matrix3d::Identity() - n * n.transpose();
  switch (sapRegion(law, a, r)) {
    case SapRegion::stick:
      terms.cost = 0.5 * (a * a / law.R_n + (law.mu > 0.0 ? r * r / law.R_t : 0.0));
      terms.impulse = (a / law.R_n) * n;
      terms.hessian = n * n.transpose() / law.R_n;
      if (law.mu > 0.0) {
        terms.impulse -= v_t / law.R_t;
        terms.hessian += tangent / law.R_t;
      }
      break;
    case SapRegion::slide: {
      const double c = slideWeight(law);
      const double e = a + law.mu * r;
      const Vector3d t = r > 0.0 ? Vector3d(v_t / r) : Vector3d(Vector3d::Zero());
      const Vector3d u = n - law.mu * t;
      terms.cost = 0.5 * c * e * e;
      terms.impulse = c * e * u;
      terms.hessian = c * u * u.transpose();
      if (r > 0.0) terms.hessian += (c * e * law.mu / r) * (tangent - t * t.transpose());
      break;
    }
    case SapRegion::open: break;
  }
  return terms;
}

LineTerms sapAlong(const ContactLaw& law, const ContactLine& line, double alpha) {
  const double a = law.v_hat - line.v_n - alpha * line.u_n;
  const SoftLength soft = softLength(line, alpha, 0.0);
  const double r = soft.s, r1 = soft.first, r2 = soft.second;
  switch (sapRegion(law, a, r)) {
    case SapRegion::stick: {
      LineTerms terms{0.5 * a * a / law.R_n, -a * line.u_n / law.R_n, line.u_n * line.u_n / law.R_n};
      if (law.mu > 0.0) {
        terms += {0.5 * r * r / law.R_t, (line.vu + alpha * line.uu) / law.R_t, line.uu / law.R_t};
      }
      return terms;
    }
    case SapRegion::slide: {
      const double c = slideWeight(law);
      const double e = a + law.mu * r;
      const double first = law.mu > 0.0 && r > 0.0 ? law.mu * r1 - line.u_n : -line.u_n;
      const double second = law.mu > 0.0 && r > 0.0 ? law.mu * r2 : 0.0;
      return {0.5 * c * e * e, c * e * first, c * (first * first + e * second)};
    }
    case SapRegion::open: break;
  }
  return {};
}

}  // namespace

NormalTerms calcNormal(const ContactLaw& law, double v) {
  const double x = law.h * law.stiffness;
  const double force = law.elastic_force - x * v;
  const double factor = 1.0 - law.dissipation * v;
  if (force <= 0.0 || factor <= 0.0) return {};
  NormalTerms terms;
  terms.impulse = law.h * force * factor;
  terms.slope = -law.h * (x * factor + law.dissipation * force);
  const double elastic = x > 0.0 ? law.elastic_force / x : kInfinity;
  const double damped = law.dissipation > 0.0 ? 1.0 / law.dissipation : kInfinity;
  if (elastic == kInfinity && damped == kInfinity) {
    terms.potential = -law.h * law.elastic_force * v;  // a constant force
  } else if (elastic <= damped) {
    const double delta = elastic - v;
    const double c = 1.0 - law.dissipation * elastic;
    terms.potential = law.h * x * delta * delta * (c / 2.0 + law.dissipation * delta / 3.0);
  } else {
    const double delta = damped - v;
    const double e = law.elastic_force - x * damped;
    terms.potential = law.h * law.dissipation * delta * delta * (e / 2.0 + x * delta / 3.0);
  }
  return terms;
}

ContactTerms calcContact(const ContactLaw& law, const Vector3d& n, const Vector3d& v_c) {
  const double v_n = n.dot(v_c);
  const Vector3d v_t = v_c - v_n * n;
  if (law.friction == IcfFriction::sap) return calcSap(law, n, v_n, v_t);
  const double s = std::sqrt(v_t.squaredNorm() + law.epsilon * law.epsilon);
  const Vector3d t = v_t / s;
  const Matrix3d across = Matrix3d::Identity() - n * n.transpose() - t * t.transpose();
  // s - ε without cancellation.
  const double slip = v_t.squaredNorm() / (s + law.epsilon);
  ContactTerms terms;
  if (law.friction == IcfFriction::lagged) {
    const NormalTerms normal = calcNormal(law, v_n);
    const double limit = law.mu * law.lagged_impulse;
    terms.cost = limit * slip + normal.potential;
    terms.impulse = normal.impulse * n - limit * t;
    terms.hessian = (limit / s) * across - normal.slope * n * n.transpose();
  } else {
    const NormalTerms normal = calcNormal(law, v_n - law.mu * slip);
    const Vector3d u = n - law.mu * t;
    terms.cost = normal.potential;
    terms.impulse = normal.impulse * u;
    terms.hessian = (law.mu * normal.impulse / s) * across - normal.slope * u * u.transpose();
  }
  return terms;
}

ContactLine makeContactLine(const Vector3d& n, const Vector3d& v_c, const Vector3d& u_c) {
  const double v_n = n.dot(v_c);
  const double u_n = n.dot(u_c);
  const Vector3d v_t = v_c - v_n * n;
  const Vector3d u_t = u_c - u_n * n;
  return {v_t.squaredNorm(), v_t.dot(u_t), u_t.squaredNorm(), v_n, u_n};
}

LineTerms calcContactAlong(const ContactLaw& law, const ContactLine& line, double alpha) {
  if (law.friction == IcfFriction::sap) return sapAlong(law, line, alpha);
  const auto [s, s1, s2, slip] = softLength(line, alpha, law.epsilon);
  const double v_n = line.v_n + alpha * line.u_n;
  if (law.friction == IcfFriction::lagged) {
    const NormalTerms normal = calcNormal(law, v_n);
    const double limit = law.mu * law.lagged_impulse;
    return {limit * slip + normal.potential, limit * s1 - normal.impulse * line.u_n,
            limit * s2 - normal.slope * line.u_n * line.u_n};
  }
  const NormalTerms normal = calcNormal(law, v_n - law.mu * slip);
  const double z1 = line.u_n - law.mu * s1;
  const double z2 = -law.mu * s2;
  return {normal.potential, -normal.impulse * z1, -normal.slope * z1 * z1 - normal.impulse * z2};
}

FrictionBlend blendFriction(double mu_static, double mu_dynamic, double x) {
  constexpr double kMiddle = 10.0;  // in units of v_s
  const double y = x - kMiddle;
  const double length = std::sqrt(1.0 + y * y);
  const double at_rest = 1.0 + kMiddle / std::sqrt(1.0 + kMiddle * kMiddle);
  // 1 - y/√(1+y²) without cancellation for large y.
  const double rest = y > 0.0 ? 1.0 / (length * (length + y)) : 1.0 - y / length;
  const double difference = mu_static - mu_dynamic;
  return {mu_dynamic + difference * rest / at_rest, -difference / (at_rest * length * length * length)};
}

}  // namespace cornet
