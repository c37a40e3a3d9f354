#pragma once

#include <cstdint>
#include <vector>

#include "cornet/body/tree.h"
#include "cornet/world/world_model.h"

/// What a step works on: bodies and contacts on their way from the start of the step to its end. Symbols
/// as in docs/math/stepping.md. Velocities u of a contact are those of B relative to A, in world axes.
namespace cornet {

/// A body through the step. Surroundings have no mass; they follow their motion.
struct StepBody {
  const AssetInertial* asset = nullptr;   // null: surroundings
  bool is_link = false;                   // of an articulated tree
  Vector3d link_acceleration = Vector3d::Zero(), link_alpha = Vector3d::Zero();  // without contacts, joints of its tree in them
  InertialState start;                    // at t
  InertialState now;                      // moved along to the kick, then to t + h
  BodyForce force;                        // everything but contacts and constraints
  double joint_acceleration = 0.0;        // ω²r of the bodies that its constraints couple, added up: what joints change in free motion
  Matrix3d inverse_inertia = Matrix3d::Zero();  // where it drifted to; of surroundings 0
  Vector3d drift_velocity = Vector3d::Zero();  // with which it drifted to the kick
  Vector3d drift_omega = Vector3d::Zero();     // at the end of that drift
  int island = -1;                        // -1: touches nothing
  int block = -1;                         // of the island's problem
  Vector3d displacement = Vector3d::Zero();  // w: mean velocity over the step
  Vector3d turning = Vector3d::Zero();
  Vector3d surface = Vector3d::Zero();       // surroundings: velocity of a belt that runs while they stay,
  Vector3d end_velocity = Vector3d::Zero();  // surroundings: velocity at the end of the step, which contacts
  Vector3d end_omega = Vector3d::Zero();     // that stick then have
  Vector3d end_surface = Vector3d::Zero();   // and of the belt
  double radius = 0.0;                       // of its furthest point [m]; 0 where there is none

  bool is_taut = false;                      // joints pull at it so hard that they turn with it in the kick  (STEP-22)
  Matrix3d stiffness = Matrix3d::Zero();     // S, which they add to the inertia
  Matrix3d damping = Matrix3d::Zero();       // D, by which they take of the spin
  int taut_joint = -1;                       // the constraint that pulls hardest,
  double taut_pull = 0.0;                    //   with a torque of so much [N m]

  bool moves() const { return asset != nullptr; }
  Vector3d acceleration() const {
    if (is_link) return link_acceleration;
    return moves() ? Vector3d(force.force / asset->mass().mass) : Vector3d(Vector3d::Zero());
  }
  /// I⁻¹ τ at its present orientation.
  Vector3d calcAngularAcceleration() const;
  /// How fast the point at `arm` moves along n after a unit impulse along n there, at the kick; 0 for surroundings.
  double calcInverseMass(const Vector3d& arm, const Vector3d& n) const;
};

/// A contact through the step.
struct StepContact {
  int source = -1;            // in the ContactSet
  int a = -1, b = -1;         // bodies
  int island = -1;
  std::uint64_t key = 0;
  double mu = 0.0;
  double restitution = 0.0;

  // At the start; of an impact: at its time.
  double gap = 0.0;                           // g
  Vector3d normal = Vector3d::UnitZ();        // n, from A into B
  Vector3d arm_a = Vector3d::Zero();          // from the centre to the point, world axes
  Vector3d arm_b = Vector3d::Zero();
  Vector3d u_before = Vector3d::Zero();       // u⁻
  double pull = 0.0;                          // a_n, normal acceleration without contacts

  bool is_joined = false;                     // of a patch: both bodies feel it at one point     (STEP-18)
  bool is_impact = false;
  double time = 0.0;                          // t₁ of an impact
  double wanted = 0.0;                        // b, normal velocity wanted at the end

  // At the kick.
  Vector3d point = Vector3d::Zero();          // between the two surfaces, in the world; of impacts at their time, of what sleeps at the start
  Vector3d kick_normal = Vector3d::UnitZ();
  Vector3d kick_arm_a = Vector3d::Zero();
  Vector3d kick_arm_b = Vector3d::Zero();
  Vector3d u_turned = Vector3d::Zero();       // u⁻ turned along with the normal
  Vector3d turning = Vector3d::Zero();        // κ
  double inverse_mass = 0.0;                  // W_nn

  Vector3d steady_impulse = Vector3d::Zero(); // λ_s of the last step, for one of this length
  double given = 0.0;                         // δ, overlap it was found with, less what was lifted  (PLACE-4)

  Vector3d moved = Vector3d::Zero();          // d, of the points at the kick                 (STEP-25)
  Vector3d moment_a = Vector3d::Zero();       // what to add to the moments of λ about the centres: parts of it acted at other arms
  Vector3d moment_b = Vector3d::Zero();

  // Afterwards.
  Vector3d impulse = Vector3d::Zero();        // λ on B
  Vector3d next_impulse = Vector3d::Zero();   // to begin the next step's solve with
  Vector3d u_after = Vector3d::Zero();        // u⁺ = J v⁺ + κ
  double wanted_after = 0.0;                  // b that was used
  bool slips = false;                         // faster than the errors of the solution
  double residual = 0.0;                      // error of its law in the solution [m/s]           (CERT-3)

  // The last part of the kick: all of it, or what follows an impact                            (STEP-23)
  Vector3d rest_impulse = Vector3d::Zero();   // λ₂
  Vector3d rest_slip = Vector3d::Zero();      // u it begins with
  Vector3d way_before = Vector3d::Zero();     // what part of J w lies before it

  /// g⁺: gaps that differ from zero by rounding are closed.
  double openGap() const { return gap > kClosed ? gap : 0.0; }
  static constexpr double kClosed = 1e-13;  // [m]
  static constexpr double kInside = 1e-9;   // of the cone: impulses further inside stick
  static constexpr double kTouching = 1e-9; // [m] gaps below are closed where impacts are looked for
  static constexpr double kSlip = 1e-10;    // [m/s] and ten times the error of the solution: what moves faster slips
  double normalImpulse() const { return impulse.dot(kick_normal); }
  Vector3d tangentImpulse() const { return impulse - normalImpulse() * kick_normal; }
  /// Strictly inside the cone, by this share of its radius, and not slipping all the same: at the edge of a
  /// polygon, or in a loose solution.
  bool sticks(double share) const {
    return !slips && tangentImpulse().norm() < mu * normalImpulse() * (1.0 - share);
  }
  /// The same for the end of the step.
  bool endsSticking(double share) const {
    const double along = rest_impulse.dot(kick_normal);
    return !slips && (rest_impulse - along * kick_normal).norm() < mu * along * (1.0 - share);
  }
  /// Closed, and pushes.
  bool carries() const { return isActive() && normalImpulse() > 0.0; }
  /// λ_n W_nn > u_n⁺ - b: the contact is closed, not merely touched by rounding.
  bool isActive() const {
    return normalImpulse() * inverse_mass > u_after.dot(kick_normal) - wanted_after;
  }
  bool endsActive() const {
    return rest_impulse.dot(kick_normal) * inverse_mass > u_after.dot(kick_normal) - wanted_after;
  }
};

/// Contacts of a patch act halfway between their points, so that its rows agree with each other: bodies that turn
/// together slip nowhere, however deep they overlap. A single contact acts on both surfaces.        (STEP-18)
void joinPoints(Vector3d& point_a, Vector3d& point_b);

/// What belts add to the velocity of B's surface relative to A's, at the start of the step and at its end: a belt runs along
/// the contact, across n, whatever way it is said to run.                                        (STEP-33)
Vector3d calcBelt(const StepBody& a, const StepBody& b, const Vector3d& n);
Vector3d calcEndBelt(const StepBody& a, const StepBody& b, const Vector3d& n);

/// x turned by the smallest rotation that takes the unit vector n to m.
Vector3d transport(const Vector3d& x, const Vector3d& n, const Vector3d& m);

/// Velocity of B's point relative to A's, belts apart.
Vector3d calcRelativeVelocity(const InertialState& a, const Vector3d& arm_a, const InertialState& b,
                              const Vector3d& arm_b);

}  // namespace cornet
