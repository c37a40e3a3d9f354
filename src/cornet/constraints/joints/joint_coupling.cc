#include "cornet/constraints/joints/joint_coupling.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;
constexpr double kSame = 1e-12;  // of a ratio: what quotients of decimal numbers are off by is less

// To the nearest whole number of periods.
double wrap(double x, double period) { return x - period * std::round(x / period); }

struct Fraction {
  long long over = 0, under = 1;
};

// The fraction nearest to x ≥ 0 among those of its continued fraction with numbers up to `most`; the first that is x but for kSame.
Fraction findFraction(double x, long long most) {
  Fraction before{1, 0}, best{static_cast<long long>(std::min(std::floor(x), 2.0 * static_cast<double>(most))), 1};
  double rest = x - std::floor(x);
  while (std::abs(x - static_cast<double>(best.over) / static_cast<double>(best.under)) > kSame * x && rest > 0.0) {
    const double inverse = 1.0 / rest;
    if (inverse > static_cast<double>(most)) break;
    const auto digit = static_cast<long long>(inverse);
    const Fraction next{digit * best.over + before.over, digit * best.under + before.under};
    if (next.over > most || next.under > most) break;
    before = best;
    best = next;
    rest = inverse - std::floor(inverse);
  }
  return best;
}

[[noreturn]] void refuseRatios(double first, double other) {
  constexpr long long kHandy = 1000;
  const Fraction near = findFraction(std::abs(other / first), kHandy);
  throw std::invalid_argument(fmt::format(
      "ratios {} and {} of hinges: expected numbers in proportion to whole ones up to {}, as numbers of teeth are, for angles "
      "are known but for whole turns; near to them are {} and {}",
      first, other, JointCoupling::kMostTeeth, std::copysign(static_cast<double>(near.under), first),
      std::copysign(static_cast<double>(near.over), other)));
}

// (CPL-2)
double calcPeriod(std::span<const CouplingTerm> terms) {
  constexpr long long kMost = JointCoupling::kMostTeeth;
  double first = 0.0;
  long long teeth = 1;  // of the first hinge
  std::vector<Fraction> others;
  for (const CouplingTerm& term : terms) {
    if (term.axis != JointAxis::angle) continue;
    if (first == 0.0) {
      first = term.ratio;
      continue;
    }
    const double quotient = std::abs(term.ratio / first);
    const Fraction fraction = findFraction(quotient, kMost);
    const bool fits = fraction.over > 0 && std::abs(static_cast<double>(fraction.over) - quotient * static_cast<double>(fraction.under)) <=
                                               kSame * static_cast<double>(fraction.over);
    teeth = std::lcm(teeth, fraction.under);
    others.push_back(fraction);
    if (!fits || teeth > kMost || fraction.over > kMost) refuseRatios(first, term.ratio);
  }
  for (const Fraction& fraction : others) {
    const long long own = teeth / fraction.under * fraction.over;
    if (own > kMost) refuseRatios(first, first * static_cast<double>(fraction.over) / static_cast<double>(fraction.under));
  }
  return kTurn * std::abs(first) / static_cast<double>(teeth);
}

void requireTerms(std::span<const CouplingTerm> terms, double offset) {
  if (terms.size() < 2) {
    throw std::invalid_argument(fmt::format("a coupling of {} joints: expected at least 2", terms.size()));
  }
  for (const CouplingTerm& term : terms) {
    if (std::isfinite(term.ratio) && term.ratio != 0.0) continue;
    throw std::invalid_argument(fmt::format("ratio {}: expected a finite number that is not 0", term.ratio));
  }
  if (!std::isfinite(offset)) throw std::invalid_argument(fmt::format("offset {}: expected a finite number", offset));
}

// Bodies of all terms, each once.
std::vector<std::size_t> collectMembers(std::span<const CouplingTerm> terms) {
  std::vector<std::size_t> members;
  for (const CouplingTerm& term : terms) {
    for (const std::size_t body : {term.bodyAIndex, term.bodyBIndex}) {
      if (std::ranges::find(members, body) == members.end()) members.push_back(body);
    }
  }
  if (members.empty()) throw std::invalid_argument("a coupling of 0 joints: expected at least 2");
  return members;
}

}  // namespace

JointCoupling::JointCoupling(std::span<const CouplingTerm> terms, double offset)
    : InPlaceConstraint(collectMembers(terms)), offset_(offset) {
  requireTerms(terms, offset);
  const std::vector<std::size_t> members = collectMembers(terms);
  const auto placeOf = [&](std::size_t body) {
    return static_cast<std::size_t>(std::ranges::find(members, body) - members.begin());
  };
  largest_ = 0.0;
  for (const CouplingTerm& term : terms) largest_ = std::max(largest_, std::abs(term.ratio));
  for (const CouplingTerm& term : terms) {
    terms_.push_back({placeOf(term.bodyAIndex), placeOf(term.bodyBIndex), term.frame, term.axis, term.ratio / largest_});
  }
  period_ = calcPeriod(terms);
}

double JointCoupling::calcPosition(const Term& term, MemberStates states) const {
  return term.axis == JointAxis::angle ? calcAngle(term.frame, states[term.a], states[term.b])
                                       : calcSlide(term.frame, states[term.a], states[term.b], term.frame.axis_A);
}

JointRow JointCoupling::calcRow(const Term& term, MemberStates states) const {
  return term.axis == JointAxis::angle ? calcAngleRow(term.frame, states[term.a], states[term.b])
                                       : calcSlideRow(term.frame, states[term.a], states[term.b], term.frame.axis_A);
}

double JointCoupling::calcJointRate(const Term& term, MemberStates states) const {
  return calcRowRate(calcRow(term, states), states[term.a], states[term.b]);
}

double JointCoupling::calcError(MemberStates states) const {
  double sum = -offset_ / largest_;
  for (const Term& term : terms_) sum += term.share * calcPosition(term, states);
  return period_ > 0.0 ? wrap(sum, period_ / largest_) : sum;
}

void JointCoupling::evaluateInto(MemberStates states, double, VectorXd& C) const { C.setConstant(1, calcError(states)); }

void JointCoupling::jacobianInto(MemberStates states, double, MatrixXd& J) const {
  J.setZero(1, static_cast<Eigen::Index>(6 * states.size()));
  for (const Term& term : terms_) {
    const JointRow row = term.share * calcRow(term, states);
    J.middleCols<6>(static_cast<Eigen::Index>(6 * term.a)) += row.head<6>();
    J.middleCols<6>(static_cast<Eigen::Index>(6 * term.b)) += row.tail<6>();
  }
}

// (CPL-3), taken to C at the end: the way tells periods apart, and no more.
void JointCoupling::evaluateOverInto(MemberStates before, MemberStates after, double dt, double, VectorXd& C) const {
  C.setConstant(1, calcError(after));
  if (!(period_ > 0.0)) return;
  double way = 0.0;
  for (const Term& term : terms_) {
    double change = calcPosition(term, after) - calcPosition(term, before);
    if (term.axis == JointAxis::angle) {
      const double expected = 0.5 * dt * (calcJointRate(term, before) + calcJointRate(term, after));
      change = expected + wrap(change - expected, kTurn);
    }
    way += term.share * change;
  }
  const double period = period_ / largest_;
  const double skipped = (calcError(before) + way - C[0]) / period;
  C[0] += period * std::round(skipped);
}

JointReading JointCoupling::readingAt(MemberStates states) const {
  const Term& first = terms_.front();
  return {states[first.b].pointToWorld(first.frame.p_BJ_B), calcPosition(first, states), calcJointRate(first, states)};
}

}  // namespace cornet
