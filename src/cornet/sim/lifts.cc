#include "cornet/sim/lifts.h"

#include <algorithm>
#include <cmath>

namespace cornet {
namespace {

constexpr double kMostLift = 0.5;           // of the bound on unexplained motion
constexpr double kMayWait = 0.005;          // of the smaller body's radius: overlaps that wait for energy
constexpr double kGentle = 5e-2;            // of the fall in a step, twice: what steps left of shallower overlaps is lifted gently,
constexpr double kGentleLift = 2e-5;        // by this much of it at most
constexpr double kRestShare = 1e-2;         // of what a step of falling gives: what is slower rests
constexpr double kLiftGain = 1.0 / 256.0;   // of the energy bound: what a part of a step may gain by lifting; 64 of them a quarter

double calcSmallerRadius(const StepView& step, const StepContact& contact) {
  const StepBody& a = step.bodies[contact.a];
  const StepBody& b = step.bodies[contact.b];
  if (!a.moves() || !b.moves()) return a.moves() ? a.radius : b.radius;
  return std::min(a.radius, b.radius);
}

// What the pair's bodies could fall in a step, twice.
double calcFall(const StepView& step, const StepContact& contact) {
  double acceleration = 0.0;
  for (const int index : {contact.a, contact.b}) {
    const StepBody& body = step.bodies[index];
    if (body.moves()) acceleration = std::max(acceleration, body.acceleration().norm());
  }
  return step.h * step.h * acceleration;
}

}  // namespace

Lifts::Lifts(const SimulatorOptions& options)
    : recovery_(options.recovery), most_(kMostLift * options.bounds.motion), gain_(kLiftGain * options.bounds.energy) {}

void Lifts::begin(const StepView& step, const Island& island, const VectorXd& v_plus) {
  resting_.clear();
  for (const int index : island.bodies) {
    const StepBody& body = step.bodies[index];
    const auto isSlow = [&](const Vector3d& velocity, const Vector3d& omega) {
      return velocity.norm() + body.radius * omega.norm() < kRestShare * step.h * body.acceleration().norm();
    };
    const auto place = static_cast<Eigen::Index>(6 * body.block);
    resting_.push_back(isSlow(body.start.velocity, body.start.omega) ||
                       isSlow(v_plus.segment<3>(place), v_plus.segment<3>(place + 3)));
  }
}

bool Lifts::rests(const StepView& step, int body) const {
  return !step.bodies[body].moves() || resting_[step.bodies[body].block];
}

double Lifts::calcRate(const StepView& step, const Island& island, const StepContact& contact, double share) const {
  if (contact.gap > 0.0) return -contact.gap / step.h;
  const double radius = calcSmallerRadius(step, contact);
  const bool may_wait = contact.gap > -kMayWait * radius;
  if (may_wait && island.is_retaken) return 0.0;  // (STEP-26)
  if (!may_wait) share = 1.0;
  const double recovery = calcRecovery(recovery_, step.part);
  const double most = most_ * radius * step.part;
  const double lift = std::min(-recovery * contact.gap, most);
  if (!rests(step, contact.a) || !rests(step, contact.b)) return share * lift / step.h;
  const double fall = calcFall(step, contact);
  const double given = std::min(recovery * contact.given, most);
  const bool is_gentle = contact.gap >= -kGentle * fall;
  return std::max(given, is_gentle ? std::min(lift, kGentleLift * fall) : share * lift) / step.h;
}

double Lifts::calcExpense(const StepView& step, const Island& island, const IslandProblem& problem, const VectorXd& move,
                          std::span<const double> losses) const {
  double worst = 0.0, all_costs = 0.0, all_stakes = 0.0, all_lost = 0.0;
  const auto spend = [&](double cost, double stake, double lost) {
    if (cost > 0.0) worst = std::max(worst, cost / (lost + gain_ * stake));
  };
  for (const int index : island.bodies) {
    const StepBody& body = step.bodies[index];
    const auto place = static_cast<Eigen::Index>(6 * body.block);
    const Vector6d way = step.h * move.segment<6>(place);
    const double cost = -body.force.force.dot(way.head<3>()) - body.force.torque.dot(way.tail<3>());
    const Vector6d v = problem.velocity().segment<6>(place);
    const double stake = 0.5 * v.dot(problem.problem().M.block(body.block).lazyProduct(v)) + body.force.force.norm() * body.radius;
    const double lost = losses[static_cast<std::size_t>(body.block)];
    spend(cost, stake, lost);
    all_costs += cost;
    all_stakes += stake;
    all_lost = std::max(all_lost, lost);
  }
  spend(all_costs, all_stakes, all_lost);
  return worst;
}

}  // namespace cornet
