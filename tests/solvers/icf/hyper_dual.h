#pragma once

#include <cmath>

/// A number with two directions: f(x + a ε₁ + b ε₂), ε₁² = ε₂² = 0, so that `ab` is aᵀ ∇²f b without truncation.
namespace cornet::test {

struct HyperDual {
  double f = 0.0, a = 0.0, b = 0.0, ab = 0.0;
  HyperDual() = default;
  HyperDual(double value) : f(value) {}
  HyperDual(double value, double first, double second, double mixed) : f(value), a(first), b(second), ab(mixed) {}
};

inline HyperDual operator+(const HyperDual& x, const HyperDual& y) { return {x.f + y.f, x.a + y.a, x.b + y.b, x.ab + y.ab}; }
inline HyperDual operator-(const HyperDual& x, const HyperDual& y) { return {x.f - y.f, x.a - y.a, x.b - y.b, x.ab - y.ab}; }
inline HyperDual operator*(const HyperDual& x, const HyperDual& y) {
  return {x.f * y.f, x.a * y.f + x.f * y.a, x.b * y.f + x.f * y.b, x.ab * y.f + x.a * y.b + x.b * y.a + x.f * y.ab};
}
inline HyperDual& operator+=(HyperDual& x, const HyperDual& y) { return x = x + y; }
inline HyperDual sqrt(const HyperDual& x) {
  const double s = std::sqrt(x.f);
  const double first = 0.5 / s;
  return {s, first * x.a, first * x.b, first * x.ab - 0.25 / (s * x.f) * x.a * x.b};
}

}  // namespace cornet::test
