// A 2 kg point mass that slides at 1 m/s over the floor for one step of 10 ms.
#include <cmath>
#include <cstdio>
#include <vector>

#include "cornet/collision/narrow_phase.h"
#include "cornet/io/fclib.h"
#include "cornet/solvers/gauss_seidel.h"
#ifdef WITH_ECOS
#include "cornet/solvers/ecos.h"
#include "cornet/solvers/ecos/use_ecos.h"
#endif

int main() {
  cornet::ContactProblem problem;
  problem.M = cornet::BlockDiagonalMatrix(std::vector<int>{3});
  problem.M.block(0) = 2.0 * cornet::Matrix3d::Identity();
  problem.v_free = cornet::Vector3d(1.0, 0.0, -9.81 * 0.01);
  problem.rows.addCone(0.3);
  problem.bias = cornet::VectorXd::Zero(3);
  problem.J = cornet::BlockSparseMatrix(problem.M.offsets());
  problem.J.appendRow(3);
  problem.J.block(0, problem.J.appendBlock(0)) << 0, 0, 1, 1, 0, 0, 0, 1, 0;  // n = z, t = x, y
  problem.validate();

  cornet::Solution solution;
  cornet::GaussSeidel().solve(problem, solution);
  std::printf("v_x = %.6f m/s, certificate %.1e\n", solution.v[0], solution.certificate.relative);

#ifdef WITH_ECOS
  cornet::useEcos();
  cornet::Solution conic;
  cornet::EcosSolver().solve(problem, conic);
  std::printf("v_x = %.6f m/s by ECOS, certificate %.1e\n", conic.v[0], conic.certificate.relative);
  if (std::abs(conic.v[0] - solution.v[0]) > 1e-6) return 1;
#endif

  // A cylinder 1 mm over a box, where the package was built with coal.
  const cornet::Shape box = cornet::Box({0.5, 0.5, 0.5});
  const cornet::Shape cylinder = cornet::Cylinder{0.2, 0.3};
  if (cornet::NarrowPhase::supports(box, cylinder)) {
    const cornet::Pose above(cornet::Matrix3d::Identity(), {0.0, 0.0, 0.801});
    const double gap = cornet::NarrowPhase().calcDistance(box, cornet::Pose(), cylinder, above).gap;
    std::printf("gap = %.6f m\n", gap);
    if (std::abs(gap - 1e-3) > 1e-12) return 1;
  }

  cornet::ProblemFile file;
  file.problem = problem;
  cornet::writeProblem("point_mass.hdf5", file);
  const bool same = identical(
      problem, std::get<cornet::ContactProblem>(cornet::readProblem("point_mass.hdf5").problem));
  return same && std::abs(solution.v[0] - (1.0 - 0.3 * 9.81 * 0.01)) < 1e-14 ? 0 : 1;
}
