#include "cornet/sim/island.h"

#include <algorithm>
#include <utility>

#include "cornet/base/hash.h"

namespace cornet {
namespace {

// The first body of a constraint that moves, -1: none does.
int findMoving(const StepConstraint& constraint, const std::vector<StepBody>& bodies) {
  const auto found = std::ranges::find_if(constraint.bodies, [&](int body) { return bodies[body].moves(); });
  return found == constraint.bodies.end() ? -1 : *found;
}

// Bodies by their places in the island.
std::uint64_t calcShape(const StepView& step, const Island& island) {
  constexpr std::size_t kSmall = 64;  // memory that is kept for every shape is not to grow with the world
  if (island.has_trees || island.bodies.size() + island.contacts.size() + island.constraints.size() > kSmall) return 0;
  for (std::size_t k = 0; k < island.bodies.size(); ++k) step.bodies[island.bodies[k]].block = static_cast<int>(k);
  Hash hash;
  hash.add(island.bodies.size());
  const auto add = [&](int number) {
    const StepBody& body = step.bodies[number];
    hash.add(body.moves() ? static_cast<std::uint64_t>(body.block) : island.bodies.size());
  };
  for (const int index : island.contacts) {
    const StepContact& contact = step.contacts[index];
    add(contact.a);
    add(contact.b);
    hash.add(contact.mu > 0.0);
  }
  for (const int index : island.constraints) {
    const StepConstraint& constraint = step.constraints[index];
    for (const int body : constraint.bodies) add(body);
    hash.add(static_cast<std::uint64_t>(constraint.kind)).add(static_cast<std::uint64_t>(constraint.law.constraint().dimension()));
  }
  return hash.value();
}

}  // namespace

void IslandReport::addEffort(const IslandReport& earlier) {
  iterations += earlier.iterations;
  factorizations += earlier.factorizations;
  assemble_seconds += earlier.assemble_seconds;
  solve_seconds += earlier.solve_seconds;
  displace_seconds += earlier.displace_seconds;
}

void StepCorrections::add(const StepCorrections& other) {
  capped += other.capped;
  cap = std::max(cap, other.cap);
  lifted += other.lifted;
  lift = std::max(lift, other.lift);
  projected += other.projected;
  projection = std::max(projection, other.projection);
  retaken += other.retaken;
  retake = std::max(retake, other.retake);
  refined += other.refined;
  parts = std::max(parts, other.parts);
}

void StepReport::takeOver(const StepReport& other) {
  if (other.status != SolveStatus::solved) status = other.status;
  unsolved_islands += other.unsolved_islands;
  relative = std::max(relative, other.relative);
  velocity_error = std::max(velocity_error, other.velocity_error);
  impulse_error = std::max(impulse_error, other.impulse_error);
  iterations += other.iterations;
  factorizations += other.factorizations;
  corrections.add(other.corrections);
  contacts += other.contacts;
  closed += other.closed;
  sticking += other.sticking;
  impacts += other.impacts;
  penetration = std::max(penetration, other.penetration);
  times.assemble += other.times.assemble;
  times.solve += other.times.solve;
  times.displace += other.times.displace;
}

std::uint64_t countRefusals(const Island& island, const StepMemory& memory) {
  std::uint64_t most = 0;
  for (const int body : island.bodies) {
    if (!memory.refused.empty()) most = std::max(most, memory.refused[static_cast<std::size_t>(body)]);
  }
  return most;
}

bool isTriedAgain(std::uint64_t refusals) {
  constexpr std::uint64_t kFirst = 2, kEvery = 8;
  return refusals < kFirst || refusals % kEvery == 0;
}

double calcLargestMove(const StepView& step, const Island& island, const VectorXd& moves) {
  double largest = 0.0;
  for (std::size_t k = 0; k < island.bodies.size(); ++k) {
    const auto place = static_cast<Eigen::Index>(6 * k);
    const double radius = step.bodies[island.bodies[k]].radius;
    largest = std::max(largest, moves.segment<3>(place).norm() + radius * moves.segment<3>(place + 3).norm());
  }
  return largest;
}

Island& StepIslands::islandOf(int body, std::vector<StepBody>& bodies) {
  StepBody& first = bodies[sets_.find(body)];
  if (first.island < 0) {
    first.island = count_++;
    if (static_cast<int>(islands_.size()) < count_) islands_.emplace_back();
    Island& island = islands_[first.island];
    island.bodies.clear();
    island.contacts.clear();
    island.constraints.clear();
    island.theta = 0.5;
    island.has_trees = island.has_impact = island.is_done = island.asleep = island.is_retaken = false;
    island.retake_change = 0.0;
    island.report = {};
  }
  return islands_[first.island];
}

void StepIslands::split(bool fresh, const StepView& step) {
  std::vector<StepBody>& bodies = step.bodies;
  std::vector<StepContact>& contacts = step.contacts;
  const auto moves = [&](int body) { return body >= 0 && bodies[body].moves(); };
  std::swap(islands_, former_);
  const int former_count = std::exchange(count_, 0);
  former_island_.clear();
  for (StepBody& body : bodies) {
    former_island_.push_back(body.island);
    body.island = -1;
  }
  sets_.reset(static_cast<int>(bodies.size()));
  for (const StepContact& contact : contacts) {
    if (moves(contact.a) && moves(contact.b)) sets_.unite(contact.a, contact.b);
  }
  for (const StepConstraint& constraint : step.constraints) {
    if (!constraint.is_active) continue;
    const int first = findMoving(constraint, bodies);
    for (const int body : constraint.bodies) {
      if (body != first && moves(body)) sets_.unite(first, body);
    }
  }
  for (const StepTree& tree : step.trees) {
    for (int link = 1; link < tree.tree->linkCount(); ++link) sets_.unite(tree.first, tree.first + link);
  }
  for (const StepTree& tree : step.trees) {
    if (moves(tree.first)) islandOf(tree.first, bodies).has_trees = true;
  }
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    StepContact& contact = contacts[k];
    Island& island = islandOf(moves(contact.a) ? contact.a : contact.b, bodies);
    contact.island = static_cast<int>(&island - islands_.data());
    island.contacts.push_back(static_cast<int>(k));
  }
  for (StepConstraint& constraint : step.constraints) {
    constraint.island = -1;
    const int first = findMoving(constraint, bodies);
    if (!constraint.is_active || first < 0) continue;
    Island& island = islandOf(first, bodies);
    constraint.island = static_cast<int>(&island - islands_.data());
    island.constraints.push_back(constraint.index);
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!moves(static_cast<int>(i))) continue;
    const int island = bodies[sets_.find(static_cast<int>(i))].island;
    if (island < 0) continue;
    bodies[i].island = island;
    islands_[island].bodies.push_back(static_cast<int>(i));
  }
  for (Island& island : all()) island.shape = calcShape(step, island);
  if (fresh) return;
  for (Island& island : all()) {
    const int former = former_island_[island.bodies.front()];
    if (former < 0 || former_[former].contacts.size() != island.contacts.size()) continue;
    island.is_done = true;
    island.asleep = former_[former].asleep;
    island.theta = former_[former].theta;
    island.has_impact = former_[former].has_impact;
    island.report = std::move(former_[former].report);
  }
  // What is solved again has cost something already.
  for (int k = 0; k < former_count; ++k) {
    Island& island = islands_[bodies[former_[k].bodies.front()].island];
    if (!island.is_done) island.report.addEffort(former_[k].report);
  }
}

}  // namespace cornet
