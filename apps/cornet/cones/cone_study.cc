#include "cones/cone_study.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/solvers/active_set.h"
#include "cornet/solvers/gauss_seidel.h"

namespace cornet::app {
namespace {

constexpr double kGravity = 9.81;   // [m/s²]
constexpr double kStep = 1e-3;      // [s]
constexpr double kSpeed = 1.0;      // [m/s]
constexpr int kSlideSteps = 50;     // until rest, exact law

// One step of a point mass of 1 kg on the floor; rows and velocities in the order (n, t1, t2).
class PointMass {
 public:
  using Solve = std::function<SolveStatus(const ContactProblem&, Solution&)>;

  PointMass(double mu, Solve solve) : solve_(std::move(solve)) {
    const int dofs[] = {3};
    problem_.rows.addCone(mu);
    problem_.M = BlockDiagonalMatrix(dofs);
    problem_.M.block(0).setIdentity();
    problem_.J = BlockSparseMatrix(problem_.M.offsets());
    problem_.J.appendRow(3);
    problem_.J.block(0, problem_.J.appendBlock(0)).setIdentity();
    problem_.bias = Vector3d::Zero();
  }

  // From a tangential velocity and push over dt; the result is the velocity, `impulse` is kept.
  Vector3d step(const Vector2d& velocity, double dt) {
    problem_.v_free = Vector3d(-kGravity * dt, velocity.x(), velocity.y());
    solution_.lambda.resize(0);
    if (solve_(problem_, solution_) != SolveStatus::solved) {
      throw std::runtime_error("a cone model did not solve one contact");
    }
    return solution_.v;
  }
  Vector3d impulse() const { return solution_.lambda; }

 private:
  Solve solve_;
  ContactProblem problem_;
  Solution solution_;
};

void measureSlip(PointMass& mass, double mu, const Vector2d& d, ConeHeading& result) {
  const Vector3d after = mass.step(kSpeed * d, kStep);
  const Vector2d friction = mass.impulse().tail<2>() / (mu * kGravity * kStep);
  const double cross = d.x() * -friction.y() + d.y() * friction.x();
  result.force = friction.norm();
  result.power = -friction.dot(d);
  result.direction = std::abs(std::atan2(cross, -friction.dot(d))) * 180.0 / std::numbers::pi;
  result.lift = after[0];
}

void measureHold(PointMass& mass, double mu, const Vector2d& d, ConeHeading& result) {
  constexpr double kSlip = 1e-12;  // [m/s]; far below the speeds pushed for, far above rounding
  double holds = 0.0;
  double slips = 2.0;
  for (int k = 0; k < 30; ++k) {
    const double push = 0.5 * (holds + slips);
    const Vector3d after = mass.step(push * mu * kGravity * kStep * d, kStep);
    (after.tail<2>().norm() > kSlip ? slips : holds) = push;
  }
  result.hold = 0.5 * (holds + slips);
}

void measureDrift(PointMass& mass, double mu, const Vector2d& d, ConeHeading& result) {
  const double dt = kSpeed / (mu * kGravity) / kSlideSteps;
  const double distance = 0.5 * kSpeed * kSpeed / (mu * kGravity);
  Vector2d v = kSpeed * d;
  Vector2d x = Vector2d::Zero();
  for (int k = 0; k < 4 * kSlideSteps && v.norm() > 1e-9; ++k) {
    const Vector2d after = mass.step(v, dt).tail<2>();
    x += 0.5 * dt * (v + after);
    v = after;
  }
  result.drift = std::abs(d.x() * x.y() - d.y() * x.x()) / distance;
}

ConeModelStudy study(const std::string& name, bool slides_to_rest, const ConeStudyOptions& options,
                     PointMass::Solve solve) {
  PointMass mass(options.mu, std::move(solve));
  ConeModelStudy result{name, slides_to_rest, {}};
  for (int k = 0; k < options.headings; ++k) {
    ConeHeading heading;
    heading.heading = 360.0 * k / options.headings;
    const double angle = heading.heading * std::numbers::pi / 180.0;
    const Vector2d d(std::cos(angle), std::sin(angle));
    measureSlip(mass, options.mu, d, heading);
    measureHold(mass, options.mu, d, heading);
    if (slides_to_rest) measureDrift(mass, options.mu, d, heading);
    result.headings.push_back(heading);
  }
  return result;
}

PointMass::Solve activeSet(ConeApproximation model, int faces) {
  ActiveSetOptions options;
  options.cone_approximation = model;
  options.faces = faces;
  return [solver = ActiveSet(options)](const ContactProblem& problem, Solution& solution) {
    return solver.solve(problem, solution);
  };
}

PointMass::Solve gaussSeidel(FrictionModel model) {
  GaussSeidelOptions options;
  options.friction_model = model;
  return [solver = GaussSeidel(options)](const ContactProblem& problem, Solution& solution) {
    return solver.solve(problem, solution);
  };
}

}  // namespace

ConeModelStudy::Range ConeModelStudy::range(double ConeHeading::*field, double reference) const {
  Range result{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const ConeHeading& heading : headings) {
    result.low = std::min(result.low, heading.*field - reference);
    result.high = std::max(result.high, heading.*field - reference);
  }
  return result;
}

std::vector<ConeModelStudy> studyCones(const ConeStudyOptions& options) {
  // Above, 1 m/s stops within the step and nothing slides; below, friction drowns in rounding.
  if (!(options.mu >= 1e-6 && options.mu <= 50.0)) {
    throw std::invalid_argument(
        fmt::format("mu = {}: expected a number from 1e-6 to 50", options.mu));
  }
  if (options.headings < 1) {
    throw std::invalid_argument(fmt::format("headings = {}: expected ≥ 1", options.headings));
  }
  using enum ConeApproximation;
  return {study("exact", true, options, gaussSeidel(FrictionModel::coulomb)),
          study("pyramid", true, options, activeSet(pyramid, options.faces)),
          study("box", true, options, activeSet(box, options.faces)),
          study("scaled_box", true, options, activeSet(scaled_box, options.faces)),
          study("polygon", true, options, activeSet(polygon, options.faces)),
          study("convex", false, options, gaussSeidel(FrictionModel::convex))};
}

}  // namespace cornet::app
