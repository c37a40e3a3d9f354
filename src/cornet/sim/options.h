#pragma once

#include <string>

#include "cornet/audit/step_certificate.h"
#include "cornet/sim/error_control.h"
#include "cornet/solvers/icf/contact_law.h"
#include "cornet/solvers/solver.h"

namespace cornet {

class MaterialTable;

enum class IntegratorKind : std::uint8_t { drift_kick_drift, semi_implicit_euler, icf };
std::vector<std::string> wordsOf(IntegratorKind);
std::vector<std::string> wordsOf(IcfFriction);

/// How a simulator steps. The defaults are meant for every scene.
struct SimulatorOptions {
  IntegratorKind integrator = IntegratorKind::drift_kick_drift;
  SolverKind solver = SolverKind::exact;
  double tolerance = 1e-8;       // relative certificate of every step
  StepFriction friction_model = StepFriction::coulomb;
  int faces = 8;                 // corners of the polygon that friction_model = polygon means, even
  int budget = 0;                // of a solve: factorizations, sweeps, pivots or iterations at most; 0: the solver's own
  double margin = 1e-4;          // [m] gaps below are contacts even when nothing moves
  double impact_speed = 1e-3;    // [m/s] slower approaches do not bounce
  double recovery = 0.2;         // share of a penetration taken back each step
  bool energy_cap = true;        // impacts never gain energy
  int max_contact_points = 8;    // of two shapes
  double sleep_time = 0.0;       // [s] at rest after which an island is left alone; 0: never
  int threads = 1;
  int max_parts = 64;            // of a step that its certificate does not accept: 4, 16, .. up to this; 1: never taken again
  StepBounds bounds;             // of the certificate of a whole step
  ErrorControl control;          // of steps of varying size (ErrorControlledIntegrator); a single step does not look at it

  // Of compliant steps, integrator = icf.
  IcfFriction friction_law = IcfFriction::lagged;
  double stiction_speed = 1e-4;  // [m/s] v_s: what sticks creeps about so fast
  double softening = 1e-3;       // σ > 0 of the softening that impacts add to it
  bool linearize_forces = true;  // users' forces and controllers are taken implicitly, by differences
};

/// Calls visit(name, field, help) for every option: the one place where their names are spelled.
template <class Visitor>
void visitOptions(SimulatorOptions& options, Visitor&& visit) {
  visit("integrator", options.integrator, "drift_kick_drift, semi_implicit_euler, or icf (compliant contact)");
  visit("solver", options.solver, "exact, gauss_seidel, active_set (for polygons) or ecos");
  visit("tolerance", options.tolerance, "relative certificate of every step");
  visit("friction_model", options.friction_model,
        "coulomb (exact), or for comparison convex, pyramid, box, scaled_box or polygon");
  visit("faces", options.faces, "corners of the friction polygon, even");
  visit("budget", options.budget,
        "factorizations (exact), sweeps (gauss_seidel), pivots (active_set) or iterations (ecos) of a solve at most; 0: the solver's own");
  visit("margin", options.margin, "gaps below are contacts even when nothing moves [m]");
  visit("impact_speed", options.impact_speed, "slower approaches do not bounce [m/s]");
  visit("recovery", options.recovery, "share of a penetration taken back each step");
  visit("energy_cap", options.energy_cap, "impacts never gain energy");
  visit("max_contact_points", options.max_contact_points, "contacts of two shapes at most");
  visit("sleep_time", options.sleep_time, "islands at rest that long are left alone [s]; 0: none");
  visit("threads", options.threads, "threads for islands");
  visit("max_parts", options.max_parts, "parts at most in which a step is taken again that its certificate does not accept; 1: none");
  visit("closure_bound", options.bounds.closure, "error of joints and limits of an accurate step, in sizes of the body");
  visit("overlap_bound", options.bounds.overlap, "overlap that an accurate step may add, in sizes of the smaller body");
  visit("motion_bound", options.bounds.motion, "motion of a body in an accurate step that its velocities do not explain, in sizes");
  visit("momentum_bound", options.bounds.momentum, "momentum that an accurate step may lose, relative");
  visit("energy_bound", options.bounds.energy, "energy that an accurate step may gain, of the energies at stake");
  visit("friction_law", options.friction_law, "of compliant contact: lagged, similar or sap");
  visit("stiction_speed", options.stiction_speed, "of compliant contact: what sticks creeps about so fast [m/s]");
  visit("softening", options.softening, "of compliant contact: what impacts add to that, relative to the inverse mass");
  visit("linearize_forces", options.linearize_forces, "icf takes users' forces implicitly, by differences");
  visit("accuracy", options.control.accuracy, "error that a step may make at most [m], by steps of varying size; inf: steps of one size, dt");
  visit("max_step", options.control.max_step, "largest step under error control [s]");
  visit("min_step", options.control.min_step, "smallest one [s]: what does not reach the accuracy with it is accepted and counted");
  visit("velocity_time", options.control.velocity_time, "errors of velocities count as the way of so many seconds [s]");
  visit("publish", options.control.publish, "steps under error control end at multiples of this time [s]; 0: at the end only");
}

/// What steps are held to: overlap and open joints of compliant ones have no bound, for they are what the model is.
StepBounds boundsOf(const SimulatorOptions& options);

/// What the solver of a kick is made with; its problems are single islands.
SolverOptions makeSolverOptions(const SimulatorOptions& options);

/// Throws std::invalid_argument naming the option that is out of range, or that does not go with another.
void validate(const SimulatorOptions& options);
/// The same for materials that the solver and friction model do not know.
void requireMaterials(const SimulatorOptions& options, const MaterialTable& materials);

}  // namespace cornet
