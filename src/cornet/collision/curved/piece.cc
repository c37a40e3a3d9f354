#include "cornet/collision/curved/piece.h"

#include <algorithm>
#include <cmath>

#include "cornet/collision/closest.h"
#include "cornet/math/tangent_basis.h"

namespace cornet {
namespace {

constexpr double kLongest = 0.5;  // radians of one move: further away the expansion means nothing

// A tangent as a unit vector; zero stays zero.
double scaleOf(const Vector3d& tangent) {
  const double length = tangent.norm();
  return length > 0.0 ? 1.0 / length : 0.0;
}

Vector3d radial(const Piece& piece) {
  return std::cos(piece.t) * piece.axes.col(0) + std::sin(piece.t) * piece.axes.col(1);
}

Vector3d around(const Piece& piece) {
  return -std::sin(piece.t) * piece.axes.col(0) + std::cos(piece.t) * piece.axes.col(1);
}

}  // namespace

int Piece::freedom() const {
  if (kind == Kind::point) return 0;
  return kind == Kind::line || kind == Kind::circle ? 1 : 2;
}

Vector3d Piece::point() const {
  switch (kind) {
    case Kind::point: return origin;
    case Kind::line: return origin + s * axes.col(0);
    case Kind::plane: return origin + s * axes.col(0) + t * axes.col(1);
    case Kind::circle: return origin + radial(*this);
    case Kind::cone: return origin + s * (axes.col(2) + radial(*this));
    default: return origin + axes * y;
  }
}

int Piece::expand(const Vector3d& n, Eigen::Matrix<double, 3, 2>& J, Eigen::Matrix2d& H) const {
  J.setZero();
  H.setZero();
  double scale0 = 1.0, scale1 = 1.0;
  if (kind == Kind::line) {
    J.col(0) = axes.col(0);
  } else if (kind == Kind::plane) {
    J = axes.leftCols<2>();
  } else if (kind == Kind::circle) {
    J.col(0) = around(*this);
    H(0, 0) = -n.dot(radial(*this));
  } else if (kind == Kind::cone) {
    J.col(0) = axes.col(2) + radial(*this);
    J.col(1) = s * around(*this);
    H(0, 1) = H(1, 0) = n.dot(around(*this));
    H(1, 1) = -s * n.dot(radial(*this));
  } else if (kind == Kind::ellipsoid) {
    J = axes * makeContactAxes(y).rightCols<2>();
    H(0, 0) = H(1, 1) = -n.dot(axes * y);
  }
  scale0 = scaleOf(J.col(0));
  scale1 = scaleOf(J.col(1));
  J.col(0) *= scale0;
  J.col(1) *= scale1;
  H(0, 0) *= scale0 * scale0;
  H(0, 1) *= scale0 * scale1;
  H(1, 0) = H(0, 1);
  H(1, 1) *= scale1 * scale1;
  return freedom();
}

void Piece::move(const Eigen::Vector2d& step) {
  const auto turn = [](double angle) { return std::clamp(angle, -kLongest, kLongest); };
  if (kind == Kind::line) {
    s += step[0] * scaleOf(axes.col(0));
  } else if (kind == Kind::plane) {
    s += step[0];
    t += step[1];
  } else if (kind == Kind::circle) {
    t += turn(step[0] * scaleOf(axes.col(0)));
  } else if (kind == Kind::cone) {
    const double ds = step[0] * scaleOf(axes.col(2) + radial(*this));
    const double dt = turn(step[1] * scaleOf(s * around(*this)));
    s += ds;
    t += dt;
  } else if (kind == Kind::ellipsoid) {
    const Eigen::Matrix<double, 3, 2> E = makeContactAxes(y).rightCols<2>();
    const Vector3d change = E * Eigen::Vector2d(step[0] * scaleOf(axes * E.col(0)),
                                                step[1] * scaleOf(axes * E.col(1)));
    y = (y + change * std::min(1.0, kLongest / std::max(change.norm(), 1e-300))).normalized();
  }
}

bool Piece::isWithin(double slack) const {
  if (kind == Kind::line) return std::abs(s) <= 1.0 + slack * scaleOf(axes.col(0));
  if (kind != Kind::cone) return true;
  const double ends = slack * scaleOf(axes.col(2));
  return s >= -ends && s <= 1.0 + ends;
}

Piece makePoint(const Vector3d& x, double radius, int id) {
  Piece piece;
  piece.origin = x;
  piece.radius = radius;
  piece.id = id;
  return piece;
}

Piece makeLine(const Vector3d& a, const Vector3d& b, double radius, const Vector3d& near, int id) {
  Piece piece;
  piece.kind = Piece::Kind::line;
  piece.origin = 0.5 * (a + b);
  piece.axes.col(0) = 0.5 * (b - a);
  piece.radius = radius;
  piece.id = id;
  piece.s = 2.0 * closestOnSegment(near, a, b) - 1.0;
  return piece;
}

Piece makePlane(const Vector3d& o, const Vector3d& normal, const Vector3d& near, int id) {
  Piece piece;
  piece.kind = Piece::Kind::plane;
  piece.origin = o;
  const Matrix3d frame = makeContactAxes(normal);
  piece.axes << frame.col(1), frame.col(2), normal;
  piece.id = id;
  piece.s = frame.col(1).dot(near - o);
  piece.t = frame.col(2).dot(near - o);
  return piece;
}

}  // namespace cornet
