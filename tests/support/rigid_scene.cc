#include "support/rigid_scene.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "cornet/math/rotation.h"
#include "cornet/math/tangent_basis.h"

namespace cornet::test {
namespace {

void addFourContacts(int a, int b, double z, const Vector2d& lo, const Vector2d& hi, double mu,
                     Scene& scene) {
  for (const double x : {lo.x(), hi.x()}) {
    for (const double y : {lo.y(), hi.y()}) {
      scene.contacts.push_back({a, b, {x, y, z}, Vector3d::UnitZ(), mu, 0.0});
    }
  }
}

}  // namespace

ContactProblem assemble(const Scene& scene) {
  ContactProblem problem;
  const std::vector<int> sizes(scene.bodies.size(), 6);
  problem.M = BlockDiagonalMatrix(sizes);
  problem.v_free.resize(problem.dofCount());
  for (int i = 0; i < static_cast<int>(scene.bodies.size()); ++i) {
    const Body& body = scene.bodies[i];
    problem.M.block(i).topLeftCorner<3, 3>() = body.mass * Matrix3d::Identity();
    problem.M.block(i).bottomRightCorner<3, 3>() = body.inertia;
    problem.v_free.segment<3>(6 * i) = body.velocity + scene.dt * scene.gravity;
    problem.v_free.segment<3>(6 * i + 3) = body.omega;
  }
  problem.J = BlockSparseMatrix(problem.M.offsets());
  problem.bias.setZero(3 * static_cast<Eigen::Index>(scene.contacts.size()));
  problem.dt = scene.dt;
  for (const Contact& contact : scene.contacts) {
    const int i = problem.rows.addCone(
        contact.mu, {Origin::Kind::contact, problem.rows.blockCount()});
    const Matrix3d axes = makeContactAxes(contact.normal);
    problem.bias[3 * i] = contact.gap / scene.dt;
    problem.J.appendRow(3);
    std::vector<std::pair<int, double>> sides;
    if (contact.a >= 0) sides.emplace_back(contact.a, -1.0);
    if (contact.b >= 0) sides.emplace_back(contact.b, 1.0);
    std::ranges::sort(sides);
    for (const auto& [body, sign] : sides) {
      auto block = problem.J.block(i, problem.J.appendBlock(body));
      const Vector3d arm = contact.point - scene.bodies[body].position;
      block.leftCols<3>() = sign * axes.transpose();
      block.rightCols<3>() = -sign * axes.transpose() * skew(arm);
    }
  }
  return problem;
}

Matrix3d boxInertia(double mass, const Vector3d& h) {
  const Vector3d squares = h.cwiseAbs2();
  return (mass / 3.0 * (Vector3d::Constant(squares.sum()) - squares)).asDiagonal();
}

Scene boxOnFloor(double mu, double mass) { return boxStack({mass}, mu); }

Scene boxStack(const std::vector<double>& masses, double mu) {
  Scene scene;
  const Vector3d half = Vector3d::Constant(0.5);
  for (int i = 0; i < static_cast<int>(masses.size()); ++i) {
    scene.bodies.push_back({masses[i], boxInertia(masses[i], half), {0.0, 0.0, 0.5 + i}, {0, 0, 0},
                            {0, 0, 0}});
    addFourContacts(i - 1, i, i, Vector2d(-0.5, -0.5), Vector2d(0.5, 0.5), mu, scene);
  }
  return scene;
}

Scene brickWall(int rows, int columns, double mu) {
  Scene scene;
  const Vector3d half(1.0, 0.5, 0.5);
  const auto index = [columns](int r, int c) { return r * columns + c; };
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      scene.bodies.push_back({1.0, boxInertia(1.0, half), {2.0 * c + r % 2, 0.0, 0.5 + r}, {0, 0, 0},
                              {0, 0, 0}});
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      const int i = index(r, c);
      const double x = scene.bodies[i].position.x();
      if (r == 0) addFourContacts(-1, i, 0.0, {x - 1, -0.5}, {x + 1, 0.5}, mu, scene);
      for (int below = 0; r > 0 && below < columns; ++below) {
        const int j = index(r - 1, below);
        const double other = scene.bodies[j].position.x();
        const double lo = std::max(x, other) - 1.0;
        const double hi = std::min(x, other) + 1.0;
        if (hi - lo > 0.1) addFourContacts(j, i, r, {lo, -0.5}, {hi, 0.5}, mu, scene);
      }
      if (c + 1 == columns) continue;
      for (const double y : {-0.5, 0.5}) {
        for (const double z : {-0.5, 0.5}) {
          scene.contacts.push_back(
              {i, index(r, c + 1), {x + 1.0, y, 0.5 + r + z}, Vector3d::UnitX(), mu, 0.0});
        }
      }
    }
  }
  return scene;
}

Scene arch(int n, double mu) {
  constexpr double kInner = 4.0;
  constexpr double kOuter = 5.0;
  constexpr double kHalfDepth = 0.5;
  const double pi = std::numbers::pi;
  Scene scene;
  const double mass = 0.5 * (kOuter * kOuter - kInner * kInner) * (pi / n) * 2.0 * kHalfDepth;
  for (int k = 0; k < n; ++k) {
    const double t = pi * (1.0 - (k + 0.5) / n);
    Matrix3d turn;
    turn << std::cos(t), 0, -std::sin(t), 0, 1, 0, std::sin(t), 0, std::cos(t);
    const Vector3d half(0.5, kHalfDepth, 4.5 * pi / n / 2.0);
    scene.bodies.push_back({mass, turn * boxInertia(mass, half) * turn.transpose(),
                            4.5 * Vector3d(std::cos(t), 0.0, std::sin(t)), {0, 0, 0}, {0, 0, 0}});
  }
  for (int k = 0; k <= n; ++k) {
    const double t = pi * (1.0 - static_cast<double>(k) / n);
    const bool last = k == n;
    Vector3d normal(std::sin(t), 0.0, -std::cos(t));  // clockwise: from block k-1 into block k
    if (last) normal = -normal;
    for (const double r : {kInner, kOuter}) {
      for (const double y : {-kHalfDepth, kHalfDepth}) {
        scene.contacts.push_back({last ? -1 : k - 1, last ? k - 1 : k,
                                  {r * std::cos(t), y, r * std::sin(t)}, normal, mu, 0.0});
      }
    }
  }
  return scene;
}

Scene spherePile(int n, unsigned seed, double mu) {
  constexpr double kRadius = 0.5;
  constexpr double kSpacing = 2.0 * kRadius * 0.999;
  constexpr double kReach = 0.02;  // contacts up to this gap over the diameter
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const int side = std::max(2, static_cast<int>(std::lround(std::cbrt(n / 1.6))));
  const double width = side * kSpacing + kRadius;
  Scene scene;
  for (int k = 0; static_cast<int>(scene.bodies.size()) < n; ++k) {
    const double shift = (k % 2) * kRadius;
    for (int cell = 0; cell < side * side && static_cast<int>(scene.bodies.size()) < n; ++cell) {
      Body body;
      body.inertia = 0.4 * kRadius * kRadius * Matrix3d::Identity();
      body.position = Vector3d(kRadius + (cell / side) * kSpacing + shift,
                               kRadius + (cell % side) * kSpacing + shift,
                               kRadius + k * kSpacing * std::sqrt(0.5));
      for (int c = 0; c < 3; ++c) {
        body.position[c] += 0.004 * kRadius * unit(random);
        body.velocity[c] = 0.3 * unit(random);
        body.omega[c] = 0.3 * unit(random);
      }
      scene.bodies.push_back(body);
    }
  }
  for (int i = 0; i < n; ++i) {
    const Vector3d& p = scene.bodies[i].position;
    for (int j = i + 1; j < n; ++j) {
      const Vector3d apart = scene.bodies[j].position - p;
      const double gap = apart.norm() - 2.0 * kRadius;
      if (gap > 2.0 * kRadius * kReach) continue;
      scene.contacts.push_back({i, j, p + 0.5 * apart, apart.normalized(), mu, std::max(gap, 0.0)});
    }
    const auto wall = [&](const Vector3d& normal, double distance) {
      const double gap = distance - kRadius;
      if (gap > 2.0 * kRadius * kReach) return;
      scene.contacts.push_back({-1, i, p - kRadius * normal, normal, mu, std::max(gap, 0.0)});
    };
    wall(Vector3d::UnitZ(), p.z());
    for (int c = 0; c < 2; ++c) {
      wall(Vector3d::Unit(c), p[c]);
      wall(-Vector3d::Unit(c), width - p[c]);
    }
  }
  return scene;
}

}  // namespace cornet::test
