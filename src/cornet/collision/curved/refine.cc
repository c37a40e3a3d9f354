#include "cornet/collision/curved/refine.h"

#include <cmath>

#include <Eigen/LU>

#include "cornet/math/tangent_basis.h"

namespace cornet {
namespace {

constexpr int kMaxSteps = 12;
constexpr int kMaxPasses = 6;
// Radians, about: how far pieces may be from a direction that is good, and from one that is not.
constexpr double kNear = 0.3;
constexpr double kFar = 2.0;
// Of the size: a step this short ends the iteration.
constexpr double kConverged = 1e-15;
// Of the size: what rounding makes of distances that are equal.
constexpr double kDistanceRounding = 4e-14;
// Of the size: where a piece may end with flat pieces side by side, whose points may slide.
constexpr double kSlide = 1e-6;

using Matrix6 = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
using Vector6 = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;

// A pair of pieces, the direction between them, and how far the iteration got.
struct Solution {
  Piece a, b;
  Vector3d n;
  double distance = 0.0;  // of the cores
  bool slides = false;    // points are not unique

  double gap() const { return distance - a.radius - b.radius; }
};

// One step of Newton's method for (COL-15), lengths in units of `size`. Unknown: a turn of n, and moves of
// both points.
double step(double size, Solution& x) {
  Eigen::Matrix<double, 3, 2> JA, JB;
  Eigen::Matrix2d HA, HB;
  const int ka = x.a.expand(x.n, JA, HA);
  const int kb = x.b.expand(x.n, JB, HB);
  const Eigen::Matrix<double, 3, 2> T = makeContactAxes(x.n).rightCols<2>();
  const Vector3d w = (x.b.point() - x.a.point()) / size;
  const int size_all = 2 + ka + kb;
  Matrix6 K = Matrix6::Zero(size_all, size_all);
  Vector6 r(size_all);
  K.topLeftCorner<2, 2>().diagonal().setConstant(-w.dot(x.n));
  K.block(0, 2, 2, ka) = -T.transpose() * JA.leftCols(ka);
  K.block(0, 2 + ka, 2, kb) = T.transpose() * JB.leftCols(kb);
  K.block(2, 0, ka, 2) = K.block(0, 2, 2, ka).transpose();
  K.block(2 + ka, 0, kb, 2) = K.block(0, 2 + ka, 2, kb).transpose();
  K.block(2, 2, ka, ka) = -size * HA.topLeftCorner(ka, ka);
  K.block(2 + ka, 2 + ka, kb, kb) = size * HB.topLeftCorner(kb, kb);
  r.head<2>() = -T.transpose() * w;
  r.segment(2, ka) = JA.leftCols(ka).transpose() * x.n;
  r.segment(2 + ka, kb) = -JB.leftCols(kb).transpose() * x.n;
  Eigen::FullPivLU<Matrix6> lu(K);
  lu.setThreshold(1e-12);
  x.slides = lu.rank() < size_all;
  const Vector6 delta = lu.solve(r);
  Eigen::Vector2d turn = delta.head<2>();
  turn *= std::min(1.0, 0.5 / std::max(turn.norm(), 1e-300));
  Eigen::Vector2d move_a = Eigen::Vector2d::Zero(), move_b = Eigen::Vector2d::Zero();
  move_a.head(ka) = size * delta.segment(2, ka);
  move_b.head(kb) = size * delta.segment(2 + ka, kb);
  x.a.move(move_a);
  x.b.move(move_b);
  x.n = (x.n + T * turn).normalized();
  return delta.cwiseAbs().maxCoeff();
}

void solve(double size, Solution& x) {
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kMaxSteps; ++k) {
    const double length = step(size, x);
    if (!std::isfinite(length) || length < kConverged || (length < 1e-11 && length >= last)) break;
    last = length;
  }
  // A plane's own normal has no error at all.
  if (x.a.kind == Piece::Kind::plane) x.n = x.a.axes.col(2);
  if (x.b.kind == Piece::Kind::plane && x.a.kind != Piece::Kind::plane) x.n = -x.b.axes.col(2);
  x.distance = x.n.dot(x.b.point() - x.a.point());
}

// Whether the points are where they should be: on their pieces, and furthest along n.
bool isProved(const PlacedConvex& a, const PlacedConvex& b, double size, double g,
              const Solution& x) {
  const double slack = (x.slides ? kSlide : kDistanceRounding) * size;
  const auto lies = [slack](const PlacedConvex& shape, const Piece& piece) {
    return piece.isWithin(slack) &&
           (piece.kind != Piece::Kind::plane || shape.isInFace(piece, slack));
  };
  const Vector3d across = x.b.point() - x.a.point() - x.distance * x.n;
  return std::abs(g - x.gap()) <= kDistanceRounding * size && across.norm() <= 10.0 * kDistanceRounding * size &&
         lies(a, x.a) && lies(b, x.b);
}

Element elementOf(const Piece& piece) {
  const Vector3d x = piece.point();
  if (piece.kind == Piece::Kind::line) return {Element::Kind::line, x, piece.axes.col(0)};
  if (piece.kind == Piece::Kind::plane) return {Element::Kind::plane, x, piece.axes.col(2)};
  return {Element::Kind::point, x, Vector3d::Zero()};
}

// What the normal comes from, as far as a feature of points, lines and planes can say it.
ContactFeature featureOf(const Solution& x) {
  using From = ContactFeature::NormalFrom;
  ContactFeature feature;
  feature.a = elementOf(x.a);
  feature.b = elementOf(x.b);
  feature.radius_a = x.a.radius;
  feature.radius_b = x.b.radius;
  const bool is_round = x.a.kind > Piece::Kind::plane || x.b.kind > Piece::Kind::plane;
  if (is_round) {
    feature.normal_from = From::support;
  } else if (x.a.kind == Piece::Kind::plane) {
    feature.normal_from = From::plane_a;
    feature.from_a = feature.a.along;
    feature.b = {Element::Kind::point, x.b.point(), Vector3d::Zero()};
  } else if (x.b.kind == Piece::Kind::plane) {
    feature.normal_from = From::plane_b;
    feature.from_b = feature.b.along;
    feature.a = {Element::Kind::point, x.a.point(), Vector3d::Zero()};
  } else if (x.a.kind == Piece::Kind::line && x.b.kind == Piece::Kind::line) {
    feature.normal_from = From::lines;
    feature.from_a = feature.a.along;
    feature.from_b = feature.b.along;
  }
  return feature;
}

void store(const Solution& x, double g, Separation& result) {
  result.normal = x.n;
  result.distance = g;
  result.feature = featureOf(x);
  result.point_a = x.a.point() + x.a.radius * x.n;
  result.point_b = x.b.point() - x.b.radius * x.n;
}

// Where the direction is far off, so is the place on a rim: other places are offered too.
void addTurned(std::vector<Piece>& pieces) {
  const std::size_t count = pieces.size();
  for (std::size_t k = 0; k < count; ++k) {
    if (pieces[k].kind != Piece::Kind::circle && pieces[k].kind != Piece::Kind::cone) continue;
    for (const double turn : {0.8, -0.8, 1.6, -1.6}) {
      Piece piece = pieces[k];
      piece.t += turn;
      pieces.push_back(piece);
    }
  }
}

}  // namespace

double separationAlong(const PlacedConvex& a, const PlacedConvex& b, const Vector3d& n) {
  return -b.reach(-n) - a.reach(n);
}

// Tries pairs of pieces, likely ones first; near by the first proof will do.
bool Refiner::improve(const PlacedConvex& a, const PlacedConvex& b, Search search,
                      Separation& result) {
  const double size = a.size() + b.size();
  const double miss = search == Search::near ? kNear : kFar;
  const Vector3d n = result.normal;
  bool proved = false;
  pieces_a_.clear();
  pieces_b_.clear();
  a.findPieces(n, result.point_a, miss, pieces_a_);
  b.findPieces(-n, result.point_b, miss, pieces_b_);
  if (search == Search::far) {
    addTurned(pieces_a_);
    addTurned(pieces_b_);
  }
  const auto count_a = static_cast<int>(pieces_a_.size());
  const auto count_b = static_cast<int>(pieces_b_.size());
  for (int rank = 0; rank < count_a + count_b - 1; ++rank) {
    for (int i = std::max(0, rank - count_b + 1); i <= std::min(rank, count_a - 1); ++i) {
      Solution x{pieces_a_[i], pieces_b_[rank - i], n};
      solve(size, x);
      if (!x.n.allFinite() || !std::isfinite(x.distance) || x.n.dot(n) < 1.0 - miss) continue;
      const double g = separationAlong(a, b, x.n);
      if (g >= result.distance - kDistanceRounding * size && isProved(a, b, size, g, x)) {
        store(x, g, result);
        proved = true;
        if (search == Search::near) return true;
      } else if (g > result.distance + (proved ? kDistanceRounding * size : 0.0)) {
        store(x, g, result);
        proved = false;
      }
    }
  }
  return proved;
}

bool Refiner::refine(const PlacedConvex& a, const PlacedConvex& b, Search search,
                     Separation& result) {
  const double size = a.size() + b.size();
  result.distance = separationAlong(a, b, result.normal);
  for (int k = 0; k < kMaxPasses; ++k) {
    const double before = result.distance;
    if (improve(a, b, search, result)) return true;
    // Again from the best direction so far, whose furthest points are other pieces perhaps.
    result.point_a = a.support(result.normal);
    result.point_b = b.support(-result.normal);
    if (!(result.distance > before + kDistanceRounding * size)) break;
  }
  return false;
}

}  // namespace cornet
