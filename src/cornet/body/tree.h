#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cornet/body/inertial_state.h"
#include "cornet/body/mass_properties.h"

/// Bodies, here called links, whose velocities are coupled by one mass matrix: a free body, or a mechanism in coordinates of its
/// joints. Positions q (nq) and velocities v (nv) are segments of the caller's vectors.
///
///   M(q) v̇ + c(q, v) = f,      (v_WB, ω_WB) of link k = J_k(q) v,  at its centre of mass             (BODY-2)
///
/// f is Σ J_kᵀ(force, torque) of the links and what the tree does by itself. A tree is constant. What it needs to evaluate
/// a pose is in a cache, which it makes and its user keeps: one for each thread.
///
/// Half a drift without forces, to a kick at the pose q' and from it, with Coriolis' forces frozen there:
///
///   to     q' = q ⊕ t v,    v' = v - t M⁻¹c(q', (v + v')/2)
///   from   v⁺ = v - t M⁻¹c(q', (v + v⁺)/2),    q⁺ = q' ⊕ t v⁺                                      (TREE-1)
///
/// Together of second order, and each the other one backwards. Where links turn by more than 0.025 rad in it a half is cut into pieces
/// of less, each with c of its own middle.  A tree that floats keeps its momenta: P and L about the centre of
/// mass are put right by moving and turning its base, which costs no energy to third order,
///
///   turn by the smallest rotation L' -> L, the base's twist along with it, where |L| > 0.1 Σ|L_k|;  centre := centre + t P/m;
///   v_base += A_b⁻¹(P - P', L - L'),    (P, L) = A(q) v,  A_b its columns of the base                    (TREE-2)
namespace cornet {

/// Gravity and what pushes a body from outside.
struct BodyForce {
  Vector3d force = Vector3d::Zero();   // at the centre of mass [N]
  Vector3d torque = Vector3d::Zero();  // about the centre of mass [N m], world axes
};

/// Where a link is: its centre of mass and its axes.
struct LinkPose {
  Vector3d position = Vector3d::Zero();               // p_WB [m]
  Quaterniond orientation = Quaterniond::Identity();  // q_WB
};

using LinkJacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;

/// A force of the tree's own along a row g that steps take implicitly,  F = -k x - d (g·v - w), within limits.
struct StiffTerm {
  VectorXd g;
  double stiffness = 0.0, damping = 0.0;  // k, d ≥ 0
  double stretch = 0.0;                   // x
  double rate = 0.0;                      // w
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  int actuator = -1;                      // of the tree, whose force it is
};

/// A row of the tree's own, over its velocities.
struct TreeRow {
  enum class Kind : std::uint8_t {
    equality,  // C = 0: a loop
    limit,     // C ≥ 0
    friction,  // dry: a force that holds g·v = 0 within ±`most`
  };
  Kind kind = Kind::limit;
  VectorXd g;
  double C = 0.0;     // [m] or [rad]
  bool turns = true;  // C is an angle
  double most = 0.0;  // [N] or [N m]
};

/// A joint that has a name: where its coordinates are among those of the tree.
struct TreeJoint {
  std::string name;
  int q = 0, v = 0;                   // the first of its positions and of its velocities,
  int positions = 1, velocities = 1;  //   and how many there are
};

/// A motor, a servo: what follows a control. It may do so late: then its force follows an activation, a state.
struct TreeActuator {
  std::string name;
  int activation = -1;  // its place among the tree's; -1: it has none
};

/// What evaluates one pose at a time. Holds the poses and Jacobians of the links and, at the level of dynamics, M; and what actuators
/// are asked for, which its user sets.
class TreeCache {
 public:
  virtual ~TreeCache() = default;

  std::vector<LinkPose> links;
  std::vector<LinkJacobian> jacobians;
  MatrixXd M;
  VectorXd control;     // of each actuator, held
  VectorXd activation;  // the mean over what is stepped
};

enum class TreeLevel : std::uint8_t { poses, dynamics };

class Tree {
 public:
  using Vector = Eigen::Ref<const VectorXd>;
  using Output = Eigen::Ref<VectorXd>;

  virtual ~Tree() = default;

  virtual int linkCount() const = 0;
  virtual int positionCount() const = 0;  // nq
  virtual int velocityCount() const = 0;  // nv
  virtual const MassProperties& mass(int link) const = 0;
  /// Whether its first six velocities move link 0, and with it the whole tree, any way they like.
  virtual bool floats() const = 0;
  virtual std::unique_ptr<TreeCache> makeCache() const = 0;
  /// Those that have names.
  virtual std::span<const TreeJoint> joints() const { return {}; }
  virtual std::span<const TreeActuator> actuators() const { return {}; }
  /// Of its actuators where nobody says anything else: caches begin with them, and with activations 0.
  virtual VectorXd controls() const { return {}; }
  virtual int activationCount() const { return 0; }
  /// Activations after t [s] of controls that are held, and their mean until then.                  (TREE-11)
  virtual void activate(const Vector& control, double t, Output activation, Output mean) const;

  /// Poses and Jacobians of the links at q, and M at the level of dynamics.
  virtual void evaluate(const Vector& q, TreeLevel level, TreeCache& cache) const = 0;
  /// c(q, v) of the pose that was evaluated last; gravity is not in it.
  virtual void calcCoriolis(const Vector& v, TreeCache& cache, Output c) const = 0;
  /// Adds forces of the tree's own that are not stiff.
  virtual void addOwnForce(const Vector& v, TreeCache& cache, Output f) const;
  /// What of them each actuator gives, added [N] or [N m].
  virtual void addActuatorForces(const Vector& v, TreeCache& cache, Output forces) const;
  virtual void collectStiffTerms(const Vector& v, TreeCache& cache, std::vector<StiffTerm>& terms) const;
  /// Its rows at the pose that was evaluated last; the same ones in the same order at every pose.
  virtual void collectRows(TreeCache& cache, std::vector<TreeRow>& rows) const;
  /// q <- q ⊕ t v.
  virtual void advance(const Vector& v, double t, Output q) const = 0;

  /// (TREE-1), (TREE-2). The cache is to be that of the pose they begin at, with dynamics, and is that of the pose they reach.
  virtual void driftToKick(double t, TreeCache& cache, Output q, Output v) const;
  virtual void driftFromKick(double t, TreeCache& cache, Output q, Output v) const;
  /// Moves the tree by q ⊕ d without time passing: momenta of trees that float stay as they are. The cache as above.
  virtual void displace(const Vector& d, TreeCache& cache, Output q, Output v) const;
  /// Kinetic energy of what is in M but in no link: rotors of motors, that turn with joints.
  virtual double calcRotorEnergy(const Vector& v) const;
  /// Of one of its rows, in their order: "joint 'knee'".
  virtual std::string nameOfRow(int row) const;

  /// Pose and velocity of a link, at the pose that was evaluated last.
  InertialState calcLinkState(const TreeCache& cache, const Vector& v, int link) const;

 private:
  int countPieces(double t, const TreeCache& cache, const Vector& v) const;
  void driftPiece(double t, double late, TreeCache& cache, Output q, Output v) const;
};

/// Momentum and angular momentum about the centre of mass of the whole tree, at the pose that was evaluated last.
struct TreeMomentum {
  double mass = 0.0;
  Vector3d centre = Vector3d::Zero();
  Vector3d linear = Vector3d::Zero(), angular = Vector3d::Zero();
  double angular_sum = 0.0;  // of the sizes of what the links contribute to the angular one,
  double moment_sum = 0.0;   //   and would without the motion of the centre taken off
};
TreeMomentum calcMomentum(const Tree& tree, const TreeCache& cache, const Tree::Vector& v);

}  // namespace cornet
