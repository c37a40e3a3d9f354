#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "cornet/body/free_rotation.h"
#include "cornet/body/mass_properties.h"
#include "cornet/collision/detector.h"
#include "cornet/constraints/constraint.h"
#include "cornet/world/motion.h"

/// What a world is made of: bodies that move, and the surroundings, which do not or move as prescribed.
namespace cornet {

/// A shape on a body.
struct AssetShape {
  Shape shape;
  Pose X_BS;         // in the frame of the asset
  int material = 0;
  CollisionFilter filter = {};
};

/// A body that moves. Its frame O may be anywhere; mass and inertia are about the centre of mass B, with
/// axes parallel to O's.
class AssetInertial {
 public:
  /// Mass properties given; the centre of mass is at p_OB of the frame. Throws std::invalid_argument
  /// naming the body when they are impossible.
  AssetInertial(std::string name, const MassProperties& mass, std::vector<AssetShape> shapes = {},
                const Vector3d& p_OB = Vector3d::Zero());
  /// Mass properties of its shapes, all of one density [kg/m³]; shapes that overlap count twice.
  static AssetInertial fromDensity(std::string name, std::vector<AssetShape> shapes, double density);
  /// The same, scaled to a mass [kg].
  static AssetInertial fromMass(std::string name, std::vector<AssetShape> shapes, double mass);

  const std::string& name() const { return name_; }
  const MassProperties& mass() const { return mass_; }
  const PrincipalInertia& inertia() const { return inertia_; }
  const std::vector<AssetShape>& shapes() const { return shapes_; }
  const Vector3d& centre() const { return p_OB_; }
  /// Of a ball around the centre of mass that holds the boxes around its shapes [m]; 0 without shapes.
  double radius() const { return radius_; }
  /// What errors of its motion are measured by [m]: distance of its furthest point from the centre of mass, without
  /// shapes the radius of gyration.
  double size() const { return size_; }

  /// Where its frame stands and how it moves at the start: velocity of the centre of mass, ω in world
  /// axes.
  AssetInertial& place(const Vector3d& p_WO, const Quaterniond& q_WO = Quaterniond::Identity());
  AssetInertial& setVelocity(const Vector3d& velocity, const Vector3d& omega = Vector3d::Zero());
  /// Forces -linear v and torques -angular ω.
  AssetInertial& setDrag(double linear, double angular);

  const InertialState& initial() const { return initial_; }
  double linearDrag() const { return linear_drag_; }
  double angularDrag() const { return angular_drag_; }

  /// Constraints that are its own wherever it goes: in a world, the one that keeps its quaternion a rotation. It costs the
  /// step nothing, for rotations stay rotations; solvers that work on coordinates need it.
  const std::vector<std::shared_ptr<const Constraint>>& constraints() const { return constraints_; }
  void own(std::shared_ptr<const Constraint> constraint) { constraints_.push_back(std::move(constraint)); }

  /// Position of its frame for a state of its centre of mass.
  Vector3d calcOrigin(const InertialState& state) const {
    return state.position - state.orientation * p_OB_;
  }

 private:
  std::string name_;
  MassProperties mass_;
  PrincipalInertia inertia_;
  std::vector<AssetShape> shapes_;
  Vector3d p_OB_;
  double radius_ = 0.0;
  double size_ = 0.0;
  InertialState initial_;
  double linear_drag_ = 0.0;
  double angular_drag_ = 0.0;
  std::vector<std::shared_ptr<const Constraint>> constraints_;
};

/// Surroundings: fixed, or moved as prescribed (nothing can push them).
class AssetEnvironment {
 public:
  /// Throws std::invalid_argument naming the body when the motion is impossible.
  AssetEnvironment(std::string name, std::vector<AssetShape> shapes, const Vector3d& p_WB = Vector3d::Zero(),
                   const Quaterniond& q_WB = Quaterniond::Identity(), Motion motion = Rest{});

  const std::string& name() const { return name_; }
  const std::vector<AssetShape>& shapes() const { return shapes_; }
  const Motion& motion() const { return motion_; }

  /// Velocity of its surface relative to itself, in its own axes: a conveyor belt that stays where it is.
  AssetEnvironment& setSurfaceVelocity(const Vector3d& velocity_B);
  const Vector3d& surfaceVelocity() const { return surface_velocity_; }

  /// Pose and velocity at time t; the surface velocity is not in it.
  InertialState calcState(double t) const {
    return calcMotion(motion_, p_WB_, q_WB_, t);
  }

 private:
  std::string name_;
  std::vector<AssetShape> shapes_;
  Vector3d p_WB_;
  Quaterniond q_WB_;
  Motion motion_;
  Vector3d surface_velocity_ = Vector3d::Zero();
};

/// A force and torque on a body while begin ≤ t < end, constant or with a sine in time.
struct Load {
  int body = -1;
  Vector3d force = Vector3d::Zero();   // [N]
  Vector3d torque = Vector3d::Zero();  // [N m]
  Vector3d point = Vector3d::Zero();   // where the force acts, from the centre of mass, body axes [m]
  bool in_body_axes = false;
  double begin = 0.0;                                      // [s]
  double end = std::numeric_limits<double>::infinity();    // [s]
  double frequency = 0.0;                                  // [Hz]; 0: constant
  double phase = 0.0;                                      // [rad]
};

}  // namespace cornet
