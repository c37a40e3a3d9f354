#pragma once

#include <vector>

#include "cornet/audit/far_impulses.h"
#include "cornet/audit/passages.h"
#include "cornet/audit/prescribed_motions.h"
#include "cornet/audit/step_certificate.h"
#include "cornet/constraints/joints/joint_drives.h"
#include "cornet/math/union_find.h"
#include "cornet/world/constraint_error.h"
#include "cornet/world/outcomes.h"

/// Judges a step by the states before and after it and by the outcomes it reports, with nothing of the code that made them.
///
///   closure    C(q⁺) of equalities, min(C(q⁺), 0) of limits, as lengths                          (AUDIT-1)
///   overlap    max(0, -g⁺) - max(0, -g⁻) of a pair of shapes, g its smallest gap                  (AUDIT-2)
///   motion     |Δx - h(v⁻ + v⁺)/2| - h|v⁺ - v⁻|/2 - h²|f|/2m: way outside the ball whose diameter runs from h v⁻
///              to h v⁺; of turns alike, between turning freely with the state before and with that after. Of a step in
///              parts the sum of that of its parts; a whole size where a body went through another one (AUDIT-7), and how far apart
///              bodies stay that push each other (AUDIT-8)                                        (AUDIT-3)
///   momentum   m Δv - h f - Σλ and ΔL - h τ - Σ r × λ of a body, over the sum of their terms, in sums of absolute entries;
///              at 10⁻¹³ m/s and less they are rounding                                            (AUDIT-4)
///   energy     ΔT - f·Δx - τ·Δφ - W of bodies that impulses connect, over max(T⁻, T⁺) + Σ|f| size + |W|,
///              W = Σ λ·(way of surroundings)/h + Σ λ·w_t of rows that run by themselves
///              + Σ λ·(rates before + after)/2 of drives, or λ times the way of the joint over h,
///              + Σ ½k(x⁻² - x⁺²) of springs; losses count like gains where joints and springs alone act; gains of less than
///              10⁻¹² m/s Σ|λ|, and of 10⁻⁴ of the energies at stake, are the rounding of velocities  (AUDIT-5)
///
/// Links of a tree pull at each other: the momentum of a tree that floats is judged as a whole, the energy of every tree too, with
/// the work of its own forces as it reports it; limits and loops count in its closure.
///
/// Of a compliant step the way is that of its last velocity, springs of contacts give back what they hold, and joints do the work of their
/// impulses; w is the velocity of the kick, v of the momentum at the end and the pose at the start:
///
///   energy     ΔT - h Σ(f·v + τ·ω) - W - Σ over contacts  λ_n w_n closing, min(λ_n w_n, ½k(δ⁻² - δ⁺²)) opening,  δ⁺ = δ⁻ - h w_n
///                - Σ over constraints  λ·w                                                         (AUDIT-6)
///
/// f and τ are forces and torques from outside, gravity included. Cost: one kinetic energy and one rotation vector a body: momenta and
/// energies before a step are those after the last one, where the state is the same to the bit.
namespace cornet {

struct StepEvidence {
  const BodyStates& before;
  const BodyStates& after;
  double dt;
  std::span<const BodyForce> forces;               // on moving bodies, as used
  std::span<const ContactOutcome> contacts;
  std::span<const ContactMoment> moments;          // that go with them
  std::span<const ConstraintOutcome> constraints;
  const ContactSet& found_before;                  // contacts at the poses before and after, by the same detector
  const ContactSet& found_after;
  std::span<const char> only = {};                 // moving bodies that are judged, overlap apart; empty: all
  std::span<const TreeOutcome> trees = {};         // one for each tree of the world
  bool is_compliant = false;                       // a kick at the start, and a drift
  std::span<const Waypoint> waypoints = {};        // of bodies whose step was taken in parts, which are looked at for passages too

  bool concerns(int body) const { return only.empty() || only[static_cast<std::size_t>(body)] != 0; }
};

class StepCertifier {
 public:
  /// The world must outlive the certifier.
  explicit StepCertifier(const WorldModel& world);

  /// From here on what is judged are parts of one step: `judgeSum()` has gain and unexplained motion of all together.
  void beginSum();
  /// Energies of bodies that impulses connect in any of the parts: what they gained in one and lost in another is no gain.
  /// Unexplained ways of a body add up.
  void judgeSum(StepCertificate& certificate);

  /// Memory is kept between calls.
  void judge(const StepEvidence& step, StepCertificate& certificate);

 private:
  /// How a body moves in one state, and what follows: that after a step is that before the next one.
  struct BodyMotion {
    Quaterniond orientation;
    Vector3d velocity, omega;
    Vector3d momentum;                       // angular
    double velocity_length, momentum_length; // sums of absolute entries
    double kinetic;

    /// The same numbers, so that all else is the same too.
    bool isThatOf(const InertialState& state) const {
      return velocity == state.velocity && omega == state.omega && orientation.coeffs() == state.orientation.coeffs();
    }
  };
  struct BodyBalance {
    double mass, size;                       // stay the same from step to step,
    double unequal;                          //   as do the largest principal moment over the smallest, less one,
    double linear_drag;                      //   and this
    Vector3d linear, angular;                // what is missing from the balance of momenta
    double linear_size, angular_size;        // sums of the lengths of its terms
    double passed;                           // sum of the lengths of its impulses [N s]
    double energy, reference;                // gain, and the energies at stake; of the group at its first body
    double kinetic_before, kinetic_after;
    bool may_lose;                           // something that takes energy acts on it: contacts, limits, drives
    Vector3d kick_velocity, kick_omega;      // of compliant steps
    bool has_links;                          // of the group at its first body
  };

  bool moves(int body) const { return body < count_; }
  void calcMotion(int i, const InertialState& state, BodyMotion& motion) const;
  void beginBodies(const StepEvidence& step, EnergyReport& energy);
  void addContacts(std::span<const ContactOutcome> contacts);
  void addMoment(const ContactMoment& moment);
  void addConstraint(const StepEvidence& step, int index, StepCertificate& certificate);
  void addTree(const StepEvidence& step, int k, StepCertificate& certificate);
  void judgeTreeMomentum(int k, WorstOf& worst) const;
  void addImpulse(int body, const Vector3d& linear, const Vector3d& angular, double length);
  bool counts(int body, double length) const;
  bool matters(int body, double length) const;
  void join(int a, int b);
  int groupOf(int body) { return joined_ ? groups_.find(body) : body; }
  void addWork(int body, double work);
  void addDriveWork(const StepEvidence& step, int index, int moving);
  Vector3d calcKickVelocity(int body, const Vector3d& arm) const;
  void releaseContact(const ContactOutcome& contact);
  void addCompliantWork(const StepEvidence& step, int index, int moving);
  void giveBack(int body, double energy);
  void judgeMotion(const StepEvidence& step, WorstOf& worst);
  void judgeMomentum(const BodyBalance& body, int i, WorstOf& worst) const;
  void gatherGroups();
  void addToSum(const StepEvidence& step);
  void judgeBalances(const StepEvidence& step, StepCertificate& certificate);

  const WorldModel& world_;
  int count_ = 0;              // of bodies that move
  std::vector<BodyBalance> bodies_;
  std::vector<BodyMotion> begin_, end_;  // of the step; the end of one is the beginning of the next
  PrescribedMotions surroundings_;
  std::vector<int> joint_of_;  // of constraints
  std::vector<ConstraintView> before_, after_;  // constraints where the step begins and ends
  std::vector<const JointDrive*> drives_;  // of constraints; null: none
  std::vector<std::unique_ptr<TreeCache>> caches_;  // of trees
  std::vector<TreeRow> rows_;
  UnionFind groups_{0};        // of bodies that impulses connect
  struct PartsSum {
    double energy, reference, passed;
    double way, turn;  // unexplained
    bool may_lose;
  };
  bool is_summing_ = false;
  std::vector<PartsSum> sums_;  // of bodies
  UnionFind sum_groups_{0};
  Passages passages_;
  FarImpulses far_impulses_;
  struct OpenPair {
    int a, b;
    double length;  // of what they pushed each other with
  };
  std::vector<OpenPair> open_pairs_;  // that need not have touched
  bool joined_ = false;        // whether they connect any: if not, every body is a group
  double work_ = 0.0;          // of motors and surroundings
  bool is_compliant_ = false;  // the step that is judged, of length
  double dt_ = 0.0;
};

}  // namespace cornet
