#include "cornet/body/activation.h"

#include <algorithm>
#include <cmath>

namespace cornet {
namespace {

// Without limits.
ActivationWay calcFreeWay(const ActivationLaw& law, double a, double u, double t) {
  if (law.integrates) return {a + t * u, a + 0.5 * t * u};
  const double x = t / law.time_constant;  // infinite where it follows at once
  return {u + (a - u) * std::exp(-x), u - (a - u) * std::expm1(-x) / x};
}

// When it meets a limit, which it does.
double findMeeting(const ActivationLaw& law, double a, double u, double limit) {
  return law.integrates ? (limit - a) / u : law.time_constant * std::log((a - u) / (limit - u));
}

}  // namespace

ActivationWay calcActivation(const ActivationLaw& law, double a, double u, double t) {
  const double begin = std::clamp(a, law.lower, law.upper);
  if (!(t > 0.0) || (law.integrates ? u == 0.0 : begin == u)) return {begin, begin};
  const ActivationWay way = calcFreeWay(law, begin, u, t);
  const double limit = std::clamp(way.end, law.lower, law.upper);
  if (limit == way.end) return way;
  const double met = std::clamp(findMeeting(law, begin, u, limit), 0.0, t);
  const double before = met > 0.0 ? calcFreeWay(law, begin, u, met).mean : limit;
  return {limit, (met * before + (t - met) * limit) / t};
}

}  // namespace cornet
