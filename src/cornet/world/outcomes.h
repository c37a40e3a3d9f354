#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cornet/world/constraint_error.h"
#include "cornet/world/contact_state.h"
#include "cornet/world/world_model.h"

/// What contacts and joints did in a step: small values for users, recordings and whoever judges the step. Bodies are
/// numbers of the world; impulses are sums over the step, in world axes, and act on B; on A acts the opposite.
namespace cornet {

struct ContactOutcome {
  int a = -1, b = -1;
  std::uint64_t key = 0;                  // names the features, the same from step to step
  Vector3d point = Vector3d::Zero();      // where the impulse acted, between the two surfaces [m]
  Vector3d arm_a = Vector3d::Zero();      // the same from the centres of mass, when it acted, to each surface [m]
  Vector3d arm_b = Vector3d::Zero();
  Vector3d normal = Vector3d::UnitZ();    // from A into B
  double gap = 0.0;                       // at the start of the step, < 0 overlaps [m]
  double mu = 0.0;
  Vector3d impulse = Vector3d::Zero();    // [N s]
  Vector3d slip = Vector3d::Zero();       // tangential velocity of B against A after the step [m/s]
  ContactState state = ContactState::open;
  bool is_impact = false;
  bool is_late = false;                   // the step itself brought the bodies together
  double stiffness = 0.0;                 // of a compliant contact; 0: rigid [N/m]
  double residual = 0.0;                  // error of its law in the solution [m/s]

  double normalImpulse() const { return impulse.dot(normal); }
  Vector3d tangentImpulse() const { return impulse - normalImpulse() * normal; }
};

/// What is to be added to the moments of contact impulses about centres of mass, for a part of them acted at other arms.
struct ContactMoment {
  int a = -1, b = -1;
  Vector3d on_a = Vector3d::Zero(), on_b = Vector3d::Zero();  // [N m s]
};

/// What a constraint did to one of its bodies.
struct BodyImpulse {
  Vector3d linear = Vector3d::Zero();               // [N s]
  Vector3d angular = Vector3d::Zero();              // about the centre of mass [N m s]
};

/// What a constraint did.
struct ConstraintOutcome {
  bool is_active = false;
  VectorXd impulse;                                 // of its rows [N s, N m s]
  std::vector<BodyImpulse> bodies;                  // in the order of its bodies
  Vector3d arm = Vector3d::Zero();                  // from the centre of B, or of its only body, to the joint's point at the kick [m]
  Vector3d lag = Vector3d::Zero();                  // what its moment on B about that point is not: of other arms at other poses, of what
                                                    //   only holds B back in a step too long for how it swings (STEP-22) [N m s]
};

/// A tree after a step: where it ended, and what its own forces did to it, springs, drives and dry friction, over its velocities.
struct TreeOutcome {
  VectorXd q, v_before, v_after;
  VectorXd impulse;                       // [N m s] or [N s]
  double work = 0.0;                      // of these forces, at the mean of the velocities between impacts [J]
  VectorXd activation = {};               // at the end,
  VectorXd control = {};                  // what actuators were asked for,
  VectorXd actuator_impulse = {};         //   and what each of them gave [N s] or [N m s]
};

/// Where a body was between two parts of a step that was taken in parts.
struct Waypoint {
  int body = -1;
  double time = 0.0;  // after the start of the step [s]
  InertialState state;
};

/// A joint after a step. Position and rate are those of the free direction, 0 where it has none or several.
struct JointOutcome {
  double position = 0.0;                  // [rad] or [m]
  double rate = 0.0;                      // [rad/s] or [m/s]
  double error = 0.0;                     // of its rows and limits at the end [m]
  Vector3d force = Vector3d::Zero();      // mean reaction on B over the step, drives left out [N]
  Vector3d torque = Vector3d::Zero();     // about the joint's point on B [N m]
  double effort = 0.0;                    // of its drives together, mean [N m] or [N]
  double power = 0.0;                     // effort times the mean of the rates before and after [W]
};

/// Tells what joints did in a step. Memory is kept between steps.
class JointReader {
 public:
  /// The world must outlive it.
  explicit JointReader(const WorldModel& world);

  /// One entry for each joint of the world.
  void calcOutcomes(const BodyStates& before, const BodyStates& after, double dt,
                    std::span<const ConstraintOutcome> constraints, std::vector<JointOutcome>& joints);

 private:
  void addConstraint(int index, const ConstraintOutcome& done, const BodyStates& before, double dt, const Vector3d& arm, JointOutcome& outcome);

  const WorldModel& world_;
  std::vector<ConstraintView> before_, after_;
};

}  // namespace cornet
