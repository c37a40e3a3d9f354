#include "cornet/sim/kick_parts.h"

#include <algorithm>
#include <cmath>

namespace cornet {
namespace {

constexpr double kShortRest = 0.01;  // of the step: what contacts do in less is no measure of the next step

bool mayRebound(const StepContact& contact) { return contact.is_impact && contact.restitution > 0.0; }

bool carriesAlready(const StepContact& contact) {
  return !contact.is_impact && (contact.openGap() == 0.0 || !contact.steady_impulse.isZero(0.0));
}

}  // namespace

bool KickParts::areNeeded(const StepView& step, const Island& island) {
  if (!island.has_impact || !island.constraints.empty()) return false;
  const auto contactOf = [&](int index) -> const StepContact& { return step.contacts[index]; };
  return std::ranges::any_of(island.contacts, mayRebound, contactOf) &&
         std::ranges::any_of(island.contacts, carriesAlready, contactOf);
}

void KickParts::solve(const StepView& step, Part part, const IslandProblem& problem, KickSolver& solver) {
  KickRecord& record = parts_[part];
  if (step.kept != KeptKicks::none) {
    record.time = step.time;
    record.problem = problem.problem();
    record.start = record.solution.lambda;
  }
  solver.solve(problem.problem(), record.solution);
}

const Solution& KickParts::begin(StepView& step, const Island& island, const VectorXd& warm,
                                 IslandProblem& problem, KickSolver& solver) {
  const double theta = island.theta;
  warm_ = warm;
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    StepContact& contact = step.contacts[island.contacts[k]];
    contact.wanted_after = contact.wanted;
    if (!contact.is_impact) continue;
    // Not there yet: free to come closer much faster than it does.
    contact.wanted_after = -10.0 * (contact.u_before.norm() + step.h * std::abs(contact.pull));
    const auto block = static_cast<int>(k);
    warm_.segment(problem.rows().offset(block), problem.rows().size(block)).setZero();
  }
  problem.setPart(step, island, problem.velocity(), theta * step.h, false);
  Solution& before = parts_[kBefore].solution;
  before.lambda = theta * warm_;
  parts_[kImpact].solution.lambda.setZero(warm_.size());
  parts_[kRest].solution.lambda = (1.0 - theta) * warm_;
  if (theta > 0.0) {
    solve(step, kBefore, problem, solver);
    return before;
  }
  before = {};
  before.status = SolveStatus::solved;
  before.lambda.setZero(warm_.size());
  before.v = problem.velocity();
  return before;
}

// Impacts rebound from the velocity they have at their own time; all other contacts keep what they want.
void KickParts::setImpactTargets(StepView& step, const Island& island, double scale,
                                 const IslandProblem& problem) const {
  for (const int index : island.contacts) {
    StepContact& contact = step.contacts[index];
    if (!contact.is_impact) {
      contact.wanted_after = contact.wanted;
      continue;
    }
    const double now = contact.kick_normal.dot(problem.calcRate(step, contact, velocityBefore()));
    const double to_come = contact.pull * (contact.time - island.theta * step.h);
    const double meeting = now + to_come;
    contact.wanted_after = meeting < 0.0 ? -scale * contact.restitution * meeting - to_come : std::min(now, 0.0);
  }
}

void KickParts::strike(StepView& step, const Island& island, double scale, IslandProblem& problem,
                       KickSolver& solver, Solution& solution) {
  setImpactTargets(step, island, scale, problem);
  problem.setPart(step, island, velocityBefore(), 0.0, false);
  solve(step, kImpact, problem, solver);
  for (const int index : island.contacts) {
    StepContact& contact = step.contacts[index];
    contact.wanted_after = std::min(contact.wanted, 0.0);
  }
  problem.setPart(step, island, velocityAfter(), (1.0 - island.theta) * step.h, true);
  solve(step, kRest, problem, solver);
  sumUp(solution);
}

void KickParts::sumUp(Solution& solution) {
  solution = parts_[kRest].solution;
  worst_ = kRest;
  for (const Part part : {kImpact, kBefore}) {
    const Solution& other = parts_[part].solution;
    solution.lambda += other.lambda;
    const Solution& worst = parts_[worst_].solution;
    const bool missed = other.status != SolveStatus::solved && worst.status == SolveStatus::solved;
    const bool met = other.status == SolveStatus::solved && worst.status != SolveStatus::solved;
    const bool larger = other.certificate.relativeAboveFloor() > worst.certificate.relativeAboveFloor();
    if (missed || (larger && !met)) worst_ = part;
  }
  solution.iterations += parts_[kImpact].solution.iterations;
  solution.factorizations += parts_[kImpact].solution.factorizations;
  solution.status = parts_[worst_].solution.status;
  solution.certificate = parts_[worst_].solution.certificate;
}

void KickParts::finish(StepView& step, const Island& island, double scale, const IslandProblem& problem) const {
  const double rest = 1.0 - island.theta;
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    StepContact& contact = step.contacts[island.contacts[k]];
    const auto block = static_cast<int>(k);
    const auto impulseOf = [&](Part part) { return problem.calcImpulse(block, parts_[part].solution.lambda); };
    const Vector3d met = problem.calcRate(step, contact, velocityBefore());
    contact.rest_impulse = impulseOf(kRest);
    contact.rest_slip = problem.calcRate(step, contact, velocityAfter());
    contact.way_before = 0.5 * island.theta * (contact.u_turned + met);
    contact.next_impulse = rest > kShortRest ? Vector3d(contact.rest_impulse / rest)
                                             : Vector3d(impulseOf(kBefore) / island.theta);
    if (contact.is_impact) contact.wanted_after = scale * contact.wanted;
  }
}

}  // namespace cornet
