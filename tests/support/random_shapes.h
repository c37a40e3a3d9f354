#pragma once

#include <random>
#include <string>

#include "cornet/collision/shape.h"

/// Random shapes and poses with fixed seeds, and what is known of shapes without any algorithm.
namespace cornet::test {

using Random = std::mt19937;

double uniform(Random& random, double low, double high);
Vector3d randomDirection(Random& random);
Matrix3d randomRotation(Random& random);

/// "sphere", "capsule", "box", "cylinder", "cone", "ellipsoid"; else a hull of 12 points. 0.1 to 2 m.
Shape makeShape(const std::string& kind, Random& random);

/// Smallest n·x over B less the largest over A: how far apart they are seen along n.
double separationAlong(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                       const Vector3d& n);

/// Zero on the surface, negative inside, near the surface about the distance from it.
double level(const Shape& shape, const Pose& X_WS, const Vector3d& x_W);

/// The same shape, all lengths times `factor`.
Shape scaled(const Shape& shape, double factor);

}  // namespace cornet::test
