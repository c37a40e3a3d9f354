#pragma once

#include "cornet/sim/dense_step.h"
#include "cornet/sim/error_norm.h"
#include "cornet/sim/simulator.h"
#include "cornet/sim/step_size.h"

/// Steps of varying size whose error is at most what was asked for: step doubling around whatever integrator a simulator has.
///
///   F = one step of h from (q, v),   H = two steps of h/2 from there                          (ERR-1)
///   error = the norm of F - H (ERR-2);  H stands if error ≤ accuracy, or h = min_step: then it is forced, and counted
///
/// Of a scheme of order p the error of F is 2^p times that of H to leading order, so that F - H is 2^p - 1 times the error of H:
/// for p ≥ 1 it is no estimate from below. Doubling is blind to what F and H get wrong alike, which is two impacts of one island at
/// different times within one step, for an island has one kick. So that t₁ of the first and t_l of later ones are told apart,
///
///   u_l (t_l - t₁) > accuracy/10, u_l the speed of approach, for a later one:   h ← (t₁ + t_l)/2 (ERR-3)
///
/// is tried instead. A limit that is met on the way, with a gap g at the start, is closed by the end of the step and no sooner, with
/// the rest g/h of its speed: where τ g/h > accuracy, h ← the time at which it is met.
///
/// What the certificate does not accept is tried again four times, a quarter as long each time; then it stands, whatever its error,
/// and so do those after it as long as they are not accepted either, for errors of what is not solved do not fall with the step. Sizes
/// of steps are chosen by (ERR-4) to (ERR-6) and remembered in StepMemory::control.
///
/// Accuracy bounds the error of a step. What a run delivers is measured in docs/results/error_control.md.
namespace cornet {

/// When a controller is asked what is held over a step, F or a half: at its start, as a device is that samples, or in its middle, where a
/// step over half of it with what was said at the start leads. Then what it says may be a law of nature, and errors are of second order;
/// each step is taken with a trial of half its length before.                                   (ERR-8)
enum class InputTime : std::uint8_t { start, middle };

class ErrorControlledIntegrator {
 public:
  /// Takes over the simulator, whose options say how steps are controlled. Throws std::invalid_argument as ErrorNorm does.
  explicit ErrorControlledIntegrator(Simulator simulator, ErrorScales scales = {});

  void setInputTime(InputTime time) { input_time_ = time; }

  /// Takes one step, which ends at `limit` [s] at the latest, and exactly there if it gets near. The controller is asked by each step that
  /// is taken, F and both halves, at its start; an empty one gives no inputs. Throws std::invalid_argument unless
  /// an accuracy was asked for and limit lies ahead, and what Simulator::step throws, a body that leaves the finite range only at the
  /// smallest step: state and memory are then those before the step.
  StepReport step(double limit, const Controller& controller, State& state, StepMemory& memory);
  StepReport step(double limit, State& state, StepMemory& memory) { return step(limit, Controller(), state, memory); }
  /// Takes steps until `time`; calls `observer` after each, which may be empty.
  void advance(double time, const Controller& controller, State& state, StepMemory& memory,
               const std::function<void(const StepReport&)>& observer = {});

  /// What contacts and joints did in the step that stands: contacts of both halves, of the first those that pushed; forces of joints are
  /// means over both, impulses of trees sums.
  const std::vector<ContactOutcome>& contacts() const { return contacts_; }
  const std::vector<JointOutcome>& joints() const { return joints_; }
  const std::vector<TreeOutcome>& trees() const { return trees_; }
  /// Where bodies were in the middle of it, and between parts in which a half was taken.
  const std::vector<Waypoint>& waypoints() const { return waypoints_; }
  /// The step itself, at any time within.
  const DenseStep& dense() const { return dense_; }

  Simulator& simulator() { return simulator_; }
  const Simulator& simulator() const { return simulator_; }

 private:
  struct Verdict;
  StepReport take(double h, const Controller& controller, const StepTry& a_try, State& state, StepMemory& memory);
  void compare(double h, bool may_shrink, const Controller& controller, const State& state, const StepMemory& memory, Verdict& verdict);
  Verdict attempt(double h, bool may_shrink, const Controller& controller, const State& state, const StepMemory& memory);
  StepChoice findStep(double limit, const Controller& controller, const State& state, const StepMemory& memory,
                      StepControlMemory& next, ControlReport& done);
  double findSeparation(double h);
  void keepFirstHalf(double h);
  void keepSecondHalf(double h);

  Simulator simulator_;
  ErrorNorm norm_;
  SharedStart start_;
  InputTime input_time_ = InputTime::start;
  std::vector<std::unique_ptr<TreeCache>> caches_;
  StepInputs middle_inputs_;
  State full_, halves_, trial_;
  StepMemory full_memory_, halves_memory_, trial_memory_;
  BodyStates full_bodies_;
  StepReport effort_;       // of all tries
  StepReport report_;       // of both halves
  std::vector<ImpactTime> impacts_;
  DenseStep dense_;
  std::vector<ContactOutcome> contacts_;
  std::vector<JointOutcome> joints_;
  std::vector<TreeOutcome> trees_;
  std::vector<Waypoint> waypoints_;
};

}  // namespace cornet
