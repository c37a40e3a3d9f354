#include "cornet/sim/error_controlled_integrator.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {
namespace {

constexpr double kSmallest = 1.0001;     // of the smallest step: what is no longer counts as it
constexpr double kFirstStep = 0.1;       // of the largest step: where control begins
constexpr double kAlmost = 0.999;        // of a step: impacts that are told apart only beyond do not shorten it
constexpr double kTogether = 0.1;        // of the accuracy: impacts nearer to each other are one
constexpr int kInaccurateTries = 4;      // of one step, each so much shorter; then it stands, and the next may be longer again
constexpr double kInaccurateFactor = 0.25;
constexpr double kInaccurateGrowth = 2.0;

void addTimes(const StepTimes& other, StepTimes& times) {
  times.detect += other.detect;
  times.drift += other.drift;
  times.assemble += other.assemble;
  times.solve += other.solve;
  times.displace += other.displace;
  times.certify += other.certify;
  times.total += other.total;
}

void addEffort(const StepReport& other, StepReport& effort) {
  effort.iterations += other.iterations;
  effort.factorizations += other.factorizations;
  addTimes(other.times, effort.times);
}

// The certificate of both halves as one step: what adds up from half to half is added up.
StepCertificate addUp(const StepCertificate& first, const StepCertificate& second) {
  StepCertificate both = first;
  both.addPart(second);
  for (const StepMeasure measure : {StepMeasure::overlap, StepMeasure::motion, StepMeasure::energy}) {
    both[measure].value = first[measure].value + second[measure].value;
  }
  return both;
}

// What comes after: contacts of the end, the worse of solves, sums of what happened.
void addSecond(const StepReport& second, const StepBounds& bounds, StepReport& report) {
  StepReport both = second;
  if (report.status != SolveStatus::solved) both.status = report.status;
  both.relative = std::max(report.relative, second.relative);
  both.velocity_error = std::max(report.velocity_error, second.velocity_error);
  both.impulse_error = std::max(report.impulse_error, second.impulse_error);
  both.impacts += report.impacts;
  both.unsolved_islands = std::max(report.unsolved_islands, second.unsolved_islands);
  both.distance.add(report.distance);
  both.certificate = addUp(report.certificate, second.certificate);
  if (both.status == SolveStatus::solved && !both.certificate.meets(bounds)) both.status = SolveStatus::inaccurate;
  both.corrections = report.corrections;
  both.corrections.add(second.corrections);
  both.penetration = std::max(report.penetration, second.penetration);
  report = both;
}

}  // namespace

/// What came of a try.
struct ErrorControlledIntegrator::Verdict {
  double error = std::numeric_limits<double>::quiet_NaN();
  double separation = std::numeric_limits<double>::infinity();  // h of (ERR-3), before anything was compared
  bool failed = false;                                          // a body left the finite range
};

ErrorControlledIntegrator::ErrorControlledIntegrator(Simulator simulator, ErrorScales scales)
    : simulator_(std::move(simulator)),
      norm_(simulator_.world(), simulator_.options().control.velocity_time, std::move(scales)),
      caches_(simulator_.world().makeCaches()) {}

// A step whose controller is asked at its start, or in its middle.                            (ERR-8)
StepReport ErrorControlledIntegrator::take(double h, const Controller& controller, const StepTry& a_try, State& state,
                                           StepMemory& memory) {
  if (!controller) return simulator_.step(h, StepInputs(), a_try, state, memory);
  if (input_time_ == InputTime::start) return simulator_.step(h, controller, a_try, state, memory);
  trial_ = state;
  trial_memory_ = memory;
  addEffort(simulator_.step(0.5 * h, controller, StepTry{a_try.start, 0.5 * a_try.share}, trial_, trial_memory_), effort_);
  middle_inputs_.clear(trial_.user.size());
  controller(trial_.time, trial_, middle_inputs_);
  return simulator_.step(h, middle_inputs_, a_try, state, memory);
}

// The h of (ERR-3): impacts of one island that one kick should not have to serve, and stops that are met on the way.
double ErrorControlledIntegrator::findSeparation(double h) {
  const ErrorControl& control = simulator_.options().control;
  double least = std::numeric_limits<double>::infinity();
  impacts_.clear();
  for (const ImpactTime& impact : simulator_.impacts()) {
    if (!impact.is_stop) {
      impacts_.push_back(impact);
    } else if (control.velocity_time * impact.gap > control.accuracy * h) {
      least = std::min(least, impact.time);
    }
  }
  std::ranges::sort(impacts_, {}, [](const ImpactTime& impact) { return std::pair(impact.island, impact.time); });
  for (std::size_t first = 0, k = 0; k < impacts_.size(); ++k) {
    if (impacts_[k].island != impacts_[first].island) first = k;
    const double apart = impacts_[k].time - impacts_[first].time;
    if (impacts_[k].speed * apart > kTogether * control.accuracy) least = std::min(least, 0.5 * (impacts_[first].time + impacts_[k].time));
  }
  return least < kAlmost * h ? least : std::numeric_limits<double>::infinity();
}

// Outcomes of the first half, before the second replaces them.
void ErrorControlledIntegrator::keepFirstHalf(double h) {
  dense_.middle = simulator_.bodies();
  contacts_.clear();
  for (const ContactOutcome& contact : simulator_.contacts()) {
    if (!contact.impulse.isZero(0.0)) contacts_.push_back(contact);
  }
  joints_ = simulator_.joints();
  trees_ = simulator_.trees();
  waypoints_ = simulator_.waypoints();
  for (std::size_t i = 0; i < dense_.middle.bodies.size(); ++i) {
    waypoints_.push_back({static_cast<int>(i), 0.5 * h, dense_.middle.bodies[i]});
  }
}

void ErrorControlledIntegrator::keepSecondHalf(double h) {
  dense_.end = simulator_.bodies();
  contacts_.insert(contacts_.end(), simulator_.contacts().begin(), simulator_.contacts().end());
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    JointOutcome& joint = joints_[j];
    const JointOutcome first = std::exchange(joint, simulator_.joints()[j]);
    joint.force = 0.5 * (first.force + joint.force);
    joint.torque = 0.5 * (first.torque + joint.torque);
    joint.effort = 0.5 * (first.effort + joint.effort);
    joint.power = 0.5 * (first.power + joint.power);
  }
  for (std::size_t k = 0; k < trees_.size(); ++k) {
    TreeOutcome& tree = trees_[k];
    const TreeOutcome first = std::exchange(tree, simulator_.trees()[k]);
    tree.v_before = first.v_before;
    tree.impulse += first.impulse;
    tree.work += first.work;
    tree.control = 0.5 * (first.control + tree.control);
    tree.actuator_impulse += first.actuator_impulse;
  }
  for (Waypoint waypoint : simulator_.waypoints()) {
    waypoint.time += 0.5 * h;
    waypoints_.push_back(waypoint);
  }
}

// F and H from the start, as long as it takes to see that they differ.                         (ERR-1)
void ErrorControlledIntegrator::compare(double h, bool may_shrink, const Controller& controller, const State& state,
                                        const StepMemory& memory, Verdict& verdict) {
  const auto isTooLong = [&](double separation) {
    verdict.separation = separation;
    return may_shrink && std::isfinite(separation);
  };
  full_ = halves_ = state;
  full_memory_ = halves_memory_ = memory;
  addEffort(take(h, controller, StepTry{&start_}, full_, full_memory_), effort_);
  full_bodies_ = simulator_.bodies();
  if (isTooLong(findSeparation(h))) return;
  report_ = take(0.5 * h, controller, StepTry{&start_, 0.5}, halves_, halves_memory_);
  addEffort(report_, effort_);
  if (isTooLong(findSeparation(0.5 * h))) return;
  keepFirstHalf(h);
  const StepReport second = take(0.5 * h, controller, StepTry{nullptr, 0.5}, halves_, halves_memory_);
  addEffort(second, effort_);
  if (isTooLong(0.5 * h + findSeparation(0.5 * h))) return;
  addSecond(second, boundsOf(simulator_.options()), report_);
  keepSecondHalf(h);
  verdict.error = norm_.calc(full_bodies_, full_.user, dense_.end, halves_.user);
}

// The same; a body that leaves the finite range is no end, what a controller throws is.
ErrorControlledIntegrator::Verdict ErrorControlledIntegrator::attempt(double h, bool may_shrink, const Controller& controller,
                                                                      const State& state, const StepMemory& memory) {
  Verdict verdict;
  std::exception_ptr thrown;
  const Controller guarded = [&](double time, const State& at, StepInputs& inputs) {
    try {
      controller(time, at, inputs);
    } catch (...) {
      thrown = std::current_exception();
      throw;
    }
  };
  try {
    compare(h, may_shrink, controller ? guarded : controller, state, memory, verdict);
  } catch (const std::runtime_error&) {
    if (thrown || !may_shrink) throw;
    verdict.failed = true;
  }
  return verdict;
}

// Tries steps from the start until one stands; then it is in halves_ and report_.
StepChoice ErrorControlledIntegrator::findStep(double limit, const Controller& controller, const State& state,
                                               const StepMemory& memory, StepControlMemory& next, ControlReport& done) {
  const ErrorControl& control = simulator_.options().control;
  int inaccurate = 0;
  for (;; ++done.rejections) {
    const StepChoice choice = chooseStep(control, limit - state.time, next.wanted);
    const bool may_shrink = choice.h > kSmallest * control.min_step;
    const Verdict verdict = attempt(choice.h, may_shrink, controller, state, memory);
    done.dt = choice.h;
    done.error = verdict.error;
    if (may_shrink && std::isfinite(verdict.separation)) {  // (ERR-3)
      next.wanted = std::max(verdict.separation, control.min_step);
      ++done.early;
      continue;
    }
    const bool is_reached = verdict.error <= control.accuracy;
    const bool is_inaccurate = !verdict.failed && !report_.isAccurate();
    const bool is_hopeless = is_inaccurate && (next.is_inaccurate || inaccurate == kInaccurateTries);
    done.is_forced = !is_reached;
    if (!may_shrink || is_hopeless || (is_reached && !is_inaccurate)) return choice;
    next.wanted = is_reached ? control.max_step : shrink(control, choice.h, verdict.error);  // (ERR-5)
    if (is_inaccurate) next.wanted = std::max(std::min(next.wanted, kInaccurateFactor * choice.h), control.min_step);
    inaccurate += is_inaccurate;
  }
}

StepReport ErrorControlledIntegrator::step(double limit, const Controller& controller, State& state, StepMemory& memory) {
  const ErrorControl& control = simulator_.options().control;
  if (!control.isOn()) throw std::invalid_argument("a step under error control: option accuracy is not set");
  if (!(limit > state.time && std::isfinite(limit))) {
    throw std::invalid_argument(fmt::format("limit {} s of a step from {} s: expected a later time", limit, state.time));
  }
  StepControlMemory next = memory.control;
  if (!(next.wanted > 0.0)) next = {kFirstStep * control.max_step, 1.0, false};
  ControlReport done;
  effort_ = {};
  start_.forget();
  simulator_.world().calcBodies(state, caches_, dense_.begin);
  const StepChoice choice = findStep(limit, controller, state, memory, next, done);
  next.is_inaccurate = !report_.isAccurate();
  if (next.is_inaccurate) {
    next.wanted = std::max(next.wanted, std::min(kInaccurateGrowth * choice.h, kFirstStep * control.max_step));
  } else {
    learnAccepted(control, choice, done.error, next);  // (ERR-4)
  }
  if (choice.lands) halves_.time = dense_.end.time = limit;
  halves_memory_.control = next;
  report_.control = done;
  report_.iterations = effort_.iterations;
  report_.factorizations = effort_.factorizations;
  report_.times = effort_.times;
  report_.state_hash = hashOf(halves_);
  std::swap(state, halves_);
  std::swap(memory, halves_memory_);
  return report_;
}

void ErrorControlledIntegrator::advance(double time, const Controller& controller, State& state, StepMemory& memory,
                                        const std::function<void(const StepReport&)>& observer) {
  while (state.time < time) {
    const StepReport report = step(time, controller, state, memory);
    if (observer) observer(report);
  }
}

}  // namespace cornet
