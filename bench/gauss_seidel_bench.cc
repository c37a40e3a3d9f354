// What a Gauss-Seidel sweep costs per contact: sticking and slipping apart, by blocks of W per row.
#include <cmath>
#include <random>

#include <benchmark/benchmark.h>

#include "cornet/math/coulomb_contact.h"
#include "cornet/math/friction_cone.h"
#include "cornet/solvers/gauss_seidel.h"
#include "support/rigid_scene.h"

namespace cornet {
namespace {

// Contacts coupled in a band: W_ii = diag, `blocks` blocks per row, weak enough to stay where they are.
DelassusProblem bandProblem(int contacts, int blocks, bool slipping) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  DelassusProblem problem;
  for (int i = 0; i < contacts; ++i) problem.rows.addCone(0.5);
  problem.W = BlockSparseMatrix(problem.rows.offsets());
  for (int i = 0; i < contacts; ++i) {
    problem.W.appendRow(3);
    const int half = blocks / 2;
    for (int j = std::max(0, i - half); j < std::min(contacts, i - half + blocks); ++j) {
      const int k = problem.W.appendBlock(j);
      auto block = problem.W.block(i, k);
      block = Matrix3d::NullaryExpr([&] { return 0.01 / blocks * normal(random); });
      if (i == j) block += Vector3d(1.0, 0.8, 1.2).asDiagonal().toDenseMatrix();
    }
  }
  problem.q.resize(3 * contacts);
  const double slide = slipping ? 3.0 : 0.05;
  for (int i = 0; i < contacts; ++i) {
    problem.q.segment<3>(3 * i) << -1.0, slide * normal(random), slide * normal(random);
  }
  problem.bias = VectorXd::Zero(3 * contacts);
  return problem;
}

// Sweeps only: a tolerance that is never met and checks that hardly ever come.
void runSweeps(benchmark::State& state, const auto& problem) {
  constexpr int kSweeps = 2000;
  GaussSeidelOptions few;
  few.tolerance = 0.0;
  few.check_every = 1'000'000;
  few.max_iterations = kSweeps;
  const GaussSeidel solver(few);
  for (auto _ : state) {
    Solution solution;
    solver.solve(problem, solution);
    benchmark::DoNotOptimize(solution.lambda.data());
  }
  // Processor seconds per contact and sweep: a busy machine does not change them much.
  const double visits = static_cast<double>(state.iterations()) * kSweeps * problem.rows.blockCount();
  state.counters["per_contact_and_sweep"] =
      benchmark::Counter(visits, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void BM_SweepDelassus(benchmark::State& state) {
  runSweeps(state, bandProblem(300, static_cast<int>(state.range(0)), state.range(1) != 0));
}
BENCHMARK(BM_SweepDelassus)
    ->ArgNames({"blocks", "slipping"})
    ->ArgsProduct({{1, 8, 32}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

void BM_SweepVelocityStack(benchmark::State& state) {
  runSweeps(state, test::assemble(test::boxStack(std::vector<double>(50, 1.0))));
}
BENCHMARK(BM_SweepVelocityStack)->Unit(benchmark::kMillisecond);

void BM_SweepVelocityPile(benchmark::State& state) {
  runSweeps(state, test::assemble(test::spherePile(100, 1)));
}
BENCHMARK(BM_SweepVelocityPile)->Unit(benchmark::kMillisecond);

// The closed form alone.
void BM_OneContact(benchmark::State& state) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  const Matrix3d G = Matrix3d::NullaryExpr([&] { return 0.3 * normal(random); });
  const CoulombContact contact(G * G.transpose() + Matrix3d::Identity(), 0.4);
  const bool slipping = state.range(0) != 0;
  std::vector<Vector3d> data;
  for (int k = 0; k < 256; ++k) {
    const double slide = slipping ? 4.0 : 0.02;
    data.emplace_back(-1.0, slide * normal(random), slide * normal(random));
  }
  std::size_t k = 0;
  Vector3d lambda;
  for (auto _ : state) {
    contact.solve(data[k++ % data.size()], lambda);
    benchmark::DoNotOptimize(lambda.data());
  }
}
BENCHMARK(BM_OneContact)->ArgName("slipping")->Arg(0)->Arg(1);

void BM_ProjectFrictionCone(benchmark::State& state) {
  Vector3d x(1.0, 2.0, 3.0);
  for (auto _ : state) benchmark::DoNotOptimize(projectFrictionCone(x, 0.5));
}
BENCHMARK(BM_ProjectFrictionCone);

}  // namespace
}  // namespace cornet
