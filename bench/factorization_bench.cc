// One factorization of M + κ JᵀJ, the matrix of an exact solve: ours, symmetric and general, beside
// Eigen's SimplicialLDLT. All in one run: compare within it.
#include <vector>

#include <Eigen/Sparse>
#include <Eigen/SparseCholesky>
#include <benchmark/benchmark.h>

#include "cornet/math/block_ldu.h"
#include "support/rigid_scene.h"

namespace cornet {
namespace {

enum Family { kStack, kWall, kPile };

// The matrix of a scene of free bodies, as blocks and as scalars.
struct System {
  BlockGraph graph;
  std::vector<MatrixXd> diagonal, below, above;
  Eigen::SparseMatrix<double> scalar;
};

ContactProblem makeProblem(int family, int size) {
  switch (family) {
    case kStack: return test::assemble(test::boxStack(std::vector<double>(size, 1.0)));
    case kWall: return test::assemble(test::brickWall(size, size));
    default: return test::assemble(test::spherePile(size, 1));
  }
}

System makeSystem(const ContactProblem& problem) {
  constexpr double kStiffness = 100.0;
  const BlockSparseMatrix& J = problem.J;
  std::vector<int> sizes;
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < problem.M.blockCount(); ++i) sizes.push_back(problem.M.size(i));
  for (int i = 0; i < J.rowBlockCount(); ++i) {
    for (int k = J.begin(i); k < J.end(i); ++k) pairs.emplace_back(J.column(J.begin(i)), J.column(k));
  }
  System system{BlockGraph(sizes, pairs), {}, {}, {}, {}};
  for (int i = 0; i < problem.M.blockCount(); ++i) system.diagonal.push_back(problem.M.block(i));
  system.below.assign(system.graph.entryCount(), MatrixXd::Zero(6, 6));
  for (int i = 0; i < J.rowBlockCount(); ++i) {
    for (int a = J.begin(i); a < J.end(i); ++a) {
      for (int b = J.begin(i); b <= a; ++b) {
        const MatrixXd block = kStiffness * J.block(i, a).transpose() * J.block(i, b);
        if (a == b) {
          system.diagonal[J.column(a)] += block;
        } else {
          system.below[system.graph.findEntry(J.column(a), J.column(b))] += block;
        }
      }
    }
  }
  std::vector<Eigen::Triplet<double>> triplets;
  const auto list = [&](int row, int column, const MatrixXd& block) {
    for (int r = 0; r < 6; ++r) {
      for (int c = 0; c < 6; ++c) triplets.emplace_back(6 * row + r, 6 * column + c, block(r, c));
    }
  };
  for (int i = 0; i < problem.M.blockCount(); ++i) list(i, i, system.diagonal[i]);
  for (int e = 0; e < system.graph.entryCount(); ++e) {
    system.above.push_back(system.below[e].transpose());
    list(system.graph.first(e), system.graph.second(e), system.below[e]);
    list(system.graph.second(e), system.graph.first(e), system.above[e]);
  }
  system.scalar.resize(problem.dofCount(), problem.dofCount());
  system.scalar.setFromTriplets(triplets.begin(), triplets.end());
  return system;
}

// Both start from a matrix that is ready, which each copies to where it factors it.
void BM_BlockLdu(benchmark::State& state) {
  const System system =
      makeSystem(makeProblem(static_cast<int>(state.range(0)), static_cast<int>(state.range(1))));
  const bool symmetric = state.range(2) != 0;
  const LduStructure structure(system.graph);
  BlockLdu ldu(structure);
  ldu.setZero();
  for (int i = 0; i < system.graph.blockCount(); ++i) ldu.addDiagonal(i, system.diagonal[i]);
  for (int e = 0; e < system.graph.entryCount(); ++e) {
    if (symmetric) {
      ldu.addSymmetricEntry(e, system.below[e]);
    } else {
      ldu.addEntry(e, system.below[e], system.above[e]);
    }
  }
  ldu.keepBase();
  for (auto _ : state) {
    ldu.restoreBase();
    benchmark::DoNotOptimize(symmetric ? ldu.factorSymmetric() : ldu.factorGeneral());
  }
}

void BM_EigenSimplicialLdlt(benchmark::State& state) {
  const System system =
      makeSystem(makeProblem(static_cast<int>(state.range(0)), static_cast<int>(state.range(1))));
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> ldlt;
  ldlt.analyzePattern(system.scalar);
  for (auto _ : state) {
    ldlt.factorize(system.scalar);
    benchmark::DoNotOptimize(ldlt.info());
  }
}

// family 0 = stack of n, 1 = wall of n x n, 2 = pile of n spheres.
const std::vector<std::pair<int, int>> kScenes = {{kStack, 10}, {kStack, 50}, {kStack, 200},
                                                  {kWall, 6},   {kWall, 12},  {kWall, 25},
                                                  {kPile, 50},  {kPile, 200}};

void blockArguments(benchmark::internal::Benchmark* bench) {
  for (const auto& [family, size] : kScenes) {
    for (const int symmetric : {1, 0}) bench->Args({family, size, symmetric});
  }
}

void eigenArguments(benchmark::internal::Benchmark* bench) {
  for (const auto& [family, size] : kScenes) bench->Args({family, size});
}

BENCHMARK(BM_BlockLdu)
    ->ArgNames({"family", "n", "symmetric"})
    ->Apply(blockArguments)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_EigenSimplicialLdlt)
    ->ArgNames({"family", "n"})
    ->Apply(eigenArguments)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace cornet
