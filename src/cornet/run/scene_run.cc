#include "cornet/run/scene_run.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cornet {
namespace {

// A duration that is a whole number of steps to within rounding is taken as such.
int countSteps(double duration, double dt) {
  const double steps = duration / dt;
  const double whole = std::round(steps);
  return static_cast<int>(std::abs(steps - whole) < 1e-6 ? whole : std::ceil(steps));
}

}  // namespace

SceneRun::SceneRun(const Scene& scene) : SceneRun(scene, makeStart(scene)) {}

SceneRun::SceneRun(const Scene& scene, const SceneStart& start)
    : scene_(scene),
      steps_(countSteps(scene.duration, scene.dt)),
      integrator_(Simulator(scene.world, scene.options)),
      state_(start.state),
      bodies_(scene.world.calcBodies(start.state)),
      values_(scene.probes.size(), std::numeric_limits<double>::quiet_NaN()) {
  for (const Probe& probe : scene.probes) probes_.emplace_back(probe);
  for (const Check& check : scene.checks) checks_.emplace_back(check, scene.variables(), scene.dt / scene.own_dt);
  totals_.start_energy = scene.world.calcKinetic(state_) + scene.world.calcPotential(state_);
  totals_.end_energy = totals_.start_energy;
  measure();
}

Moment SceneRun::moment() const {
  Moment moment{scene_.world, bodies_};
  moment.dt = last_step_size_ > 0.0 ? last_step_size_ : scene_.dt;
  moment.bounds = boundsOf(scene_.options);
  moment.unsolved_steps = totals_.unsolved_steps;
  moment.inaccurate_steps = totals_.inaccurate_steps;
  moment.work = totals_.work;
  moment.dissipated = totals_.dissipated;
  moment.coordinates = &state_;
  if (totals_.steps == 0) return moment;
  moment.last = &report_;
  moment.contacts = isControlled() ? integrator_.contacts() : simulator().contacts();
  moment.joints = isControlled() ? integrator_.joints() : simulator().joints();
  moment.trees = isControlled() ? integrator_.trees() : simulator().trees();
  moment.waypoints = isControlled() ? integrator_.waypoints() : simulator().waypoints();
  return moment;
}

void SceneRun::measure() {
  const Moment now = moment();
  for (std::size_t k = 0; k < probes_.size(); ++k) values_[k] = probes_[k].measure(now);
  for (std::size_t k = 0; k < checks_.size(); ++k) {
    checks_[k].add(state_.time, values_[scene_.checks[k].probe]);
  }
}

void SceneRun::addUp() {
  totals_.unsolved_steps += report_.unsolved_islands > 0;
  totals_.inaccurate_steps += !report_.isAccurate();
  for (const StepMeasure measure : kStepMeasures) {
    WorstStep& total = totals_.whole[static_cast<std::size_t>(measure)];
    const WorstOf& now = report_.certificate[measure];
    total.exceeding += report_.certificate.exceeds(boundsOf(scene_.options), measure);
    if (now.value <= total.worst.value || std::isnan(total.worst.value)) continue;
    total.worst = now;
    total.step = totals_.steps;
    total.time = state_.time;
  }
  StepCorrections corrections = report_.corrections;
  for (int* count : {&corrections.capped, &corrections.lifted, &corrections.projected, &corrections.retaken,
                     &corrections.refined}) {
    *count = *count > 0;
  }
  totals_.corrections.add(corrections);
  totals_.distance.add(report_.distance);
  totals_.worst_certificate = std::max(totals_.worst_certificate, report_.relative);
  totals_.worst_velocity_error = std::max(totals_.worst_velocity_error, report_.velocity_error);
  totals_.max_penetration = std::max(totals_.max_penetration, report_.penetration);
  totals_.max_contacts = std::max(totals_.max_contacts, report_.contacts);
  totals_.iterations += report_.iterations;
  totals_.factorizations += report_.factorizations;
  totals_.seconds += report_.times.total;
  totals_.end_energy = report_.energy().kinetic + report_.energy().potential;
  totals_.work += report_.energy().work_in;
  totals_.dissipated += report_.energy().dissipated;
  totals_.max_energy_gain = std::max(totals_.max_energy_gain, report_.energy().gained);
}

// What of error control counts over a run.
void SceneRun::addControl() {
  const ControlReport& control = report_.control;
  totals_.rejections += control.rejections;
  totals_.early += control.early;
  totals_.forced_steps += control.is_forced;
  double& worst = control.is_forced ? totals_.worst_forced_error : totals_.worst_error;
  worst = std::max(worst, control.error);
  totals_.largest_step = std::max(totals_.largest_step, control.dt);
  totals_.smallest_step = totals_.steps == 1 ? control.dt : std::min(totals_.smallest_step, control.dt);
}

double SceneRun::stepFixed() {
  // The last step ends where the scene does.
  const bool is_last = totals_.steps + 1 == steps_;
  const double rest = scene_.duration - totals_.steps * scene_.dt;
  const double dt = is_last && rest < (1.0 - 1e-6) * scene_.dt ? rest : scene_.dt;
  Simulator& simulator = integrator_.simulator();
  report_ = controller_ ? simulator.step(dt, controller_, state_, memory_) : simulator.step(dt, state_, memory_);
  // Sums of steps drift; products do not.
  state_.time = is_last ? scene_.duration : (totals_.steps + 1) * scene_.dt;
  return dt;
}

// To the next time that is published, or less far.
double SceneRun::stepControlled() {
  const double publish = scene_.options.control.publish;
  double limit = scene_.duration;
  if (publish > 0.0) {
    const double next = std::floor(state_.time / publish * (1.0 + 1e-12)) + 1.0;
    if (next * publish < (1.0 - 1e-9) * scene_.duration) limit = next * publish;
  }
  report_ = integrator_.step(limit, controller_, state_, memory_);
  return report_.control.dt;
}

const StepReport& SceneRun::step() {
  last_step_size_ = isControlled() ? stepControlled() : stepFixed();
  ++totals_.steps;
  bodies_.bodies = simulator().bodies().bodies;
  bodies_.guided = simulator().bodies().guided;
  bodies_.time = state_.time;
  addUp();
  if (isControlled()) addControl();
  measure();
  return report_;
}

std::vector<CheckResult> SceneRun::calcChecks() const {
  std::vector<CheckResult> results;
  for (const CheckMeter& check : checks_) results.push_back(check.calcResult());
  return results;
}

}  // namespace cornet
