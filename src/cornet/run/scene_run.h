#pragma once

#include <array>
#include <memory>

#include "cornet/io/scene/scene.h"
#include "cornet/run/check_meter.h"
#include "cornet/run/probe_meter.h"
#include "cornet/sim/error_controlled_integrator.h"

/// Steps a scene to its end while its probes and checks look on: by steps of its dt, or, where it asks for an accuracy, by steps
/// of varying size that end at multiples of `publish` and at the scene's end.
namespace cornet {

/// A measure of the certificate over the steps of a run.
struct WorstStep {
  int exceeding = 0;   // steps beyond its bound
  WorstOf worst;       // of all steps,
  int step = 0;        //   which counts from 1; 0: none,
  double time = 0.0;   //   and ended then [s]
};

/// What a run was like, step by step taken together.
struct RunTotals {
  int steps = 0;
  int unsolved_steps = 0;
  int inaccurate_steps = 0;           // unsolved ones, and those whose certificate of the whole step exceeds a bound
  std::array<WorstStep, kStepMeasureCount> whole;  // by StepMeasure
  StepCorrections corrections;        // counts are of steps
  ModelDistance distance;             // of compliant steps
  double worst_certificate = 0.0;
  double worst_velocity_error = 0.0;  // [m/s]
  double max_penetration = 0.0;       // [m]
  double start_energy = 0.0;          // [J]
  double end_energy = 0.0;
  double work = 0.0;                  // of loads, motors and moving surroundings
  double dissipated = 0.0;            // by contacts, constraints and drag
  double max_energy_gain = 0.0;       // of one step, work taken off
  int max_contacts = 0;
  long iterations = 0;
  long factorizations = 0;
  double seconds = 0.0;               // spent in steps
  // Under error control
  int rejections = 0;                 // tries that do not stand,
  int early = 0;                      //   of these because of impacts at several times
  int forced_steps = 0;               // that do not reach the accuracy
  double smallest_step = 0.0;         // [s] of those that nothing cut,
  double largest_step = 0.0;
  double worst_error = 0.0;           // [m] estimate, forced steps apart
  double worst_forced_error = 0.0;
};

class SceneRun {
 public:
  /// The scene must outlive the run. Throws std::invalid_argument when the simulator refuses an
  /// option, or the scene a start that it does not take (makeStart).
  explicit SceneRun(const Scene& scene);
  /// The same from a start that is known already.
  SceneRun(const Scene& scene, const SceneStart& start);

  /// As Simulator::setKickObserver; totals().steps is then the number of steps before.
  void setKickObserver(KickObserver observer, KeptKicks kept = KeptKicks::missed) {
    integrator_.simulator().setKickObserver(std::move(observer), kept);
  }

  /// Steps get their inputs from here, from the next one on; an empty one: no inputs.
  void setController(Controller controller) { controller_ = std::move(controller); }

  bool isDone() const { return isControlled() ? state_.time >= scene_.duration : totals_.steps >= steps_; }
  /// Whether steps are of varying size.
  bool isControlled() const { return scene_.options.control.isOn(); }
  /// Throws as Simulator::step; the run is then where it was before.
  const StepReport& step();

  /// Steps of fixed size to the end.
  int stepCount() const { return steps_; }
  /// The last step and its length [s]; 0 before the first.
  const StepReport& report() const { return report_; }
  double lastStepSize() const { return last_step_size_; }
  const State& state() const { return state_; }
  const StepMemory& memory() const { return memory_; }
  const Simulator& simulator() const { return integrator_.simulator(); }
  const RunTotals& totals() const { return totals_; }
  /// What probes and recordings look at.
  Moment moment() const;
  /// Present values of the scene's probes; NaN where there is none yet.
  const std::vector<double>& values() const { return values_; }
  /// One for each check of the scene.
  std::vector<CheckResult> calcChecks() const;

 private:
  double stepFixed();
  double stepControlled();
  void addUp();
  void addControl();
  void measure();

  const Scene& scene_;
  int steps_ = 0;
  ErrorControlledIntegrator integrator_;
  Controller controller_;
  State state_;
  BodyStates bodies_;  // the same, of all bodies
  StepMemory memory_;
  StepReport report_;
  double last_step_size_ = 0.0;
  RunTotals totals_;
  std::vector<ProbeMeter> probes_;
  std::vector<CheckMeter> checks_;
  std::vector<double> values_;
};

}  // namespace cornet
