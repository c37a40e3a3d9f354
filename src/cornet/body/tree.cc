#include "cornet/body/tree.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/LU>

#include "cornet/math/rotation.h"

namespace cornet {
namespace {

using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix6d = Eigen::Matrix<double, 6, 6>;

constexpr double kConverged = 1e-13;  // of the velocities
constexpr int kIterations = 20;

Vector3d calcCentre(const Tree& tree, const TreeCache& cache, double& mass) {
  Vector3d sum = Vector3d::Zero();
  mass = 0.0;
  for (int k = 0; k < tree.linkCount(); ++k) {
    mass += tree.mass(k).mass;
    sum += tree.mass(k).mass * cache.links[k].position;
  }
  return sum / mass;
}

Matrix3d calcInertia(const Tree& tree, const TreeCache& cache, int k) {
  const Matrix3d R = cache.links[k].orientation.toRotationMatrix();
  return R * tree.mass(k).inertia * R.transpose();
}

// The columns of the base of A(q): momenta of the whole tree from velocities of its base.
Matrix6d calcBaseMomenta(const Tree& tree, const TreeCache& cache, const Vector3d& centre) {
  Matrix6d A = Matrix6d::Zero();
  for (int k = 0; k < tree.linkCount(); ++k) {
    const auto J = cache.jacobians[k].leftCols<6>();
    const double m = tree.mass(k).mass;
    const Vector3d arm = cache.links[k].position - centre;
    A.topRows<3>() += m * J.topRows<3>();
    A.bottomRows<3>() += calcInertia(tree, cache, k) * J.bottomRows<3>();
    for (int c = 0; c < 6; ++c) A.col(c).tail<3>() += m * arm.cross(Vector3d(J.col(c).head<3>()));
  }
  return A;
}

// Velocities of the base that give link 0 this twist.
Vector6d calcBaseVelocities(const TreeCache& cache, const Vector6d& twist) {
  return Matrix6d(cache.jacobians[0].leftCols<6>()).partialPivLu().solve(twist);
}

// v <- v + A_b⁻¹(what is missing of the momenta).
void keepMomenta(const Tree& tree, const TreeCache& cache, const TreeMomentum& wanted, Tree::Output v) {
  const TreeMomentum now = calcMomentum(tree, cache, v);
  Vector6d missing;
  missing << wanted.linear - now.linear, wanted.angular - now.angular;
  v.head<6>() += calcBaseMomenta(tree, cache, now.centre).partialPivLu().solve(missing);
}

// Turns the tree about its centre of mass by the smallest rotation that takes L' to L, and moves the centre to where it belongs.
void keepCentre(const Tree& tree, const TreeMomentum& wanted, TreeCache& cache, Tree::Output q, Tree::Output v) {
  const TreeMomentum now = calcMomentum(tree, cache, v);
  Quaterniond turn = Quaterniond::Identity();
  // What the links have of their own against each other says nothing about how the whole is turned.
  constexpr double kSpins = 0.1;      // of the sum over the links
  constexpr double kRounding = 1e-6;  // of the same sum with all of their velocities: less is what solves leave of nothing
  if (std::min(now.angular.norm(), wanted.angular.norm()) > std::max(kSpins * now.angular_sum, kRounding * now.moment_sum)) {
    turn = Quaterniond::FromTwoVectors(now.angular, wanted.angular);
  }
  const Vector3d angle = logMap(turn);
  const InertialState base = tree.calcLinkState(cache, v, 0);
  const Vector3d arm = base.position - now.centre;
  Vector6d way, twist;
  way << wanted.centre - now.centre + (turn * arm - arm), angle;
  twist << now.linear / now.mass + turn * (base.velocity - now.linear / now.mass), turn * base.omega;
  VectorXd move = VectorXd::Zero(tree.velocityCount());
  move.head<6>() = calcBaseVelocities(cache, way);
  const VectorXd others = v.tail(v.size() - 6);
  tree.advance(move, 1.0, q);
  tree.evaluate(q, TreeLevel::dynamics, cache);
  v.head<6>() = calcBaseVelocities(cache, twist);
  v.tail(v.size() - 6) = others;
}

// v' = v - t M⁻¹c(q, (v + v')/2), by fixed point.
void applyCoriolis(const Tree& tree, double t, TreeCache& cache, Tree::Output v) {
  if (v.isZero(0.0)) return;
  const VectorXd before = v;
  const Eigen::LDLT<MatrixXd> M(cache.M);
  VectorXd c(v.size());
  for (int k = 0; k < kIterations; ++k) {
    tree.calcCoriolis(0.5 * (before + v), cache, c);
    const VectorXd next = before - t * M.solve(c);
    const double change = (next - v).lpNorm<Eigen::Infinity>();
    v = next;
    if (!(change > kConverged * std::max(1.0, v.lpNorm<Eigen::Infinity>()))) break;
  }
}

}  // namespace

double Tree::calcRotorEnergy(const Vector&) const { return 0.0; }
std::string Tree::nameOfRow(int) const { return "a joint"; }
void Tree::activate(const Vector&, double, Output, Output) const {}
void Tree::addOwnForce(const Vector&, TreeCache&, Output) const {}
void Tree::addActuatorForces(const Vector&, TreeCache&, Output) const {}
void Tree::collectStiffTerms(const Vector&, TreeCache&, std::vector<StiffTerm>&) const {}
void Tree::collectRows(TreeCache&, std::vector<TreeRow>&) const {}

InertialState Tree::calcLinkState(const TreeCache& cache, const Vector& v, int link) const {
  const Vector6d twist = cache.jacobians[link] * v;
  return {cache.links[link].position, cache.links[link].orientation, twist.head<3>(), twist.tail<3>()};
}

TreeMomentum calcMomentum(const Tree& tree, const TreeCache& cache, const Tree::Vector& v) {
  TreeMomentum sum;
  sum.centre = calcCentre(tree, cache, sum.mass);
  for (int k = 0; k < tree.linkCount(); ++k) {
    const InertialState link = tree.calcLinkState(cache, v, k);
    const Vector3d P = tree.mass(k).mass * link.velocity;
    sum.linear += P;
    sum.angular += calcInertia(tree, cache, k) * link.omega + (link.position - sum.centre).cross(P);
  }
  for (int k = 0; k < tree.linkCount(); ++k) {
    const InertialState link = tree.calcLinkState(cache, v, k);
    const Vector3d against = link.velocity - sum.linear / sum.mass;
    sum.angular_sum += (calcInertia(tree, cache, k) * link.omega).norm() +
                       tree.mass(k).mass * (link.position - sum.centre).norm() * against.norm();
    sum.moment_sum += tree.mass(k).mass * (link.position - sum.centre).norm() * link.velocity.norm();
  }
  return sum;
}

// Drifts in which links turn further than this are cut up.
int Tree::countPieces(double t, const TreeCache& cache, const Vector& v) const {
  constexpr double kTurn = 0.025;  // [rad]
  constexpr int kMost = 64;
  double fastest = 0.0;
  for (int k = 0; k < linkCount(); ++k) fastest = std::max(fastest, (cache.jacobians[k].bottomRows<3>() * v).norm());
  return std::isfinite(fastest) ? std::clamp(static_cast<int>(std::ceil(t * fastest / kTurn)), 1, kMost) : 1;
}

// Moves by (1 - late) t, changes v, moves by the rest.
void Tree::driftPiece(double t, double late, TreeCache& cache, Output q, Output v) const {
  TreeMomentum wanted;
  if (floats()) {
    wanted = calcMomentum(*this, cache, v);
    wanted.centre += t / wanted.mass * wanted.linear;
  }
  if (late < 1.0) {
    advance(v, (1.0 - late) * t, q);
    evaluate(q, TreeLevel::dynamics, cache);
  }
  applyCoriolis(*this, t, cache, v);
  if (late > 0.0) {
    advance(v, late * t, q);
    evaluate(q, TreeLevel::dynamics, cache);
  }
  if (!floats()) return;
  keepCentre(*this, wanted, cache, q, v);
  keepMomenta(*this, cache, wanted, v);
}

void Tree::driftToKick(double t, TreeCache& cache, Output q, Output v) const {
  const int pieces = countPieces(t, cache, v);
  if (pieces == 1) return driftPiece(t, 0.0, cache, q, v);
  for (int k = 0; k < pieces; ++k) driftPiece(t / pieces, 0.5, cache, q, v);
}

void Tree::driftFromKick(double t, TreeCache& cache, Output q, Output v) const {
  const int pieces = countPieces(t, cache, v);
  if (pieces == 1) return driftPiece(t, 1.0, cache, q, v);
  for (int k = 0; k < pieces; ++k) driftPiece(t / pieces, 0.5, cache, q, v);
}

void Tree::displace(const Vector& d, TreeCache& cache, Output q, Output v) const {
  TreeMomentum wanted;
  if (floats()) wanted = calcMomentum(*this, cache, v);
  advance(d, 1.0, q);
  evaluate(q, TreeLevel::dynamics, cache);
  if (floats()) keepMomenta(*this, cache, wanted, v);
}

}  // namespace cornet
