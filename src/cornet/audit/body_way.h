#pragma once

#include "cornet/body/free_rotation.h"
#include "cornet/world/world_model.h"

/// Where a body was within a step, as far as the states before and after it tell, and those between its parts.
///
///   way of a centre    x⁻ -> k -> x⁺,   k the mean of x⁻ + t v⁻ and x⁺ - (h - t) v⁺,
///   t = argmin |Δx - t v⁻ - (h - t) v⁺|  in [0, h]                                             (WAY-1)
///
/// up to k it turns freely from q⁻ with ω⁻, from there on freely to q⁺ with ω⁺; links of trees evenly. A step in parts has such a way for each.
namespace cornet {

struct StepEvidence;

struct WayLeg {
  double begin, end;          // [s] after the start of the step
  Vector3d from, velocity;    // of the centre, at its beginning
  double known;               // time at which orientation and velocity are known: one of its ends
  Quaterniond turned;
  Vector3d omega;
  const PrincipalInertia* inertia = nullptr;  // of what turns freely; null: evenly
};

struct BodyWay {
  std::vector<WayLeg> legs;   // one after the other, from 0 to the length of the step
  std::vector<double> knees;  // [s] k of each part
  double radius = 0.0;        // 0 of surroundings
  double length = 0.0;        // [m] of the furthest point, at most
  bool is_known = false;      // judged here, or standing still

  /// The leg of time t; where two meet, the earlier or the later one.
  const WayLeg& legAt(double t, bool is_later) const;
};

Vector3d placeAt(const WayLeg& leg, double t);
Quaterniond turnAt(const WayLeg& leg, double t);

/// Of a body, or of surroundings. Memory is kept.
void calcBodyWay(const WorldModel& world, const StepEvidence& step, int body, BodyWay& way);

/// Times at which one of two ways has a corner, in order: both ends are among them.
void collectCorners(const BodyWay& a, const BodyWay& b, std::vector<double>& times);

/// Shapes of a body or of surroundings, and its size: infinite of surroundings.
const std::vector<AssetShape>& shapesOf(const WorldModel& world, int body);
double sizeOf(const WorldModel& world, int body);
/// Centre of mass in the frame of the shapes.
Vector3d centreOf(const WorldModel& world, int body);

/// Whether shapes with these filters may touch.
bool mayTouch(const CollisionFilter& a, const CollisionFilter& b);

}  // namespace cornet
