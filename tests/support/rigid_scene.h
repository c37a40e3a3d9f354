#pragma once

#include <vector>

#include "cornet/problem/contact_problem.h"

/// Small scenes of free rigid bodies, turned into contact problems for tests and benchmarks.
namespace cornet::test {

struct Body {
  double mass = 1.0;                     // [kg]
  Matrix3d inertia = Matrix3d::Identity();  // about the centre, world axes [kg m²]
  Vector3d position = Vector3d::Zero();
  Vector3d velocity = Vector3d::Zero();
  Vector3d omega = Vector3d::Zero();
};

struct Contact {
  int a = -1;  // body index, -1 = the world
  int b = 0;
  Vector3d point = Vector3d::Zero();
  Vector3d normal = Vector3d::UnitZ();  // from A into B
  double mu = 0.5;
  double gap = 0.0;  // [m]
};

inline constexpr double kDt = 0.01;  // [s]

struct Scene {
  std::vector<Body> bodies;
  std::vector<Contact> contacts;
  Vector3d gravity = Vector3d(0.0, 0.0, -9.81);
  double dt = kDt;
};

/// One step of the scene: v_free after gravity, bias gap/dt. World velocities (v, ω) per body.
ContactProblem assemble(const Scene& scene);

/// A solid box with half extents h.
Matrix3d boxInertia(double mass, const Vector3d& h);

/// One unit cube on four floor contacts.
Scene boxOnFloor(double mu, double mass = 1.0);

/// Unit cubes on top of each other, the lowest first, four contacts per joint.
Scene boxStack(const std::vector<double>& masses, double mu = 0.5);

/// Running-bond brick wall with head joints.
Scene brickWall(int rows, int columns, double mu = 0.5);

/// Semicircular arch of n voussoirs, both ends on the ground.
Scene arch(int n, double mu = 0.6);

/// Spheres on a jittered close packing in an open box, thrown with random velocities.
Scene spherePile(int n, unsigned seed, double mu = 0.5);

}  // namespace cornet::test
