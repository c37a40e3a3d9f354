#include "siconos_problem.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/NumericsSparseMatrix.h>
#include <siconos/numerics/SparseBlockMatrix.h>

namespace cornet::siconos {
namespace {

DelassusProblem condense(const ProblemFile& file) {
  if (const auto* problem = std::get_if<DelassusProblem>(&file.problem)) return *problem;
  return makeDelassusProblem(std::get<ContactProblem>(file.problem));
}

// Siconos releases its vectors with free().
double* copyForC(const double* values, std::size_t count) {
  auto* copy = static_cast<double*>(std::malloc(count * sizeof(double)));
  if (copy == nullptr) throw std::bad_alloc();
  std::copy_n(values, count, copy);
  return copy;
}

// Calls visit(row, column, value) for every entry that is not zero.
template <class Visitor>
void visitEntries(const BlockSparseMatrix& W, Visitor&& visit) {
  for (int i = 0; i < W.rowBlockCount(); ++i) {
    for (int k = W.begin(i); k < W.end(i); ++k) {
      const auto block = W.block(i, k);
      for (int c = 0; c < block.cols(); ++c) {
        for (int r = 0; r < block.rows(); ++r) {
          if (block(r, c) == 0.0) continue;
          visit(W.rowOffset(i) + r, W.columnOffset(W.column(k)) + c, block(r, c));
        }
      }
    }
  }
}

}  // namespace

bool PeerProblem::supports(const ConstraintRows& rows) {
  const auto finite = [](double mu) { return std::isfinite(mu); };
  return rows.blockCount() > 0 &&
         std::ranges::count(rows.kind, LawKind::cone) == rows.blockCount() &&
         std::ranges::all_of(rows.mu, finite);
}

PeerProblem::PeerProblem(const ProblemFile& file) {
  if (!supports(file.rows())) {
    throw std::invalid_argument("Siconos solves contacts with finite friction only");
  }
  DelassusProblem problem = condense(file);
  double trace = 0.0;
  for (int i = 0; i < problem.W.rowBlockCount(); ++i) {
    auto block = problem.W.block(i, problem.W.findBlock(i, i));
    for (int r = 0; r < 3; ++r) block(r, r) += problem.rows.compliance[3 * i + r];
    trace += block.trace();
  }
  const double d = trace > 0.0 ? trace / problem.W.rows() : 1.0;
  for (int i = 0; i < problem.W.rowBlockCount(); ++i) {
    for (int k = problem.W.begin(i); k < problem.W.end(i); ++k) problem.W.block(i, k) /= d;
  }
  W_ = std::move(problem.W);
  q_ = problem.q / d;
  mu_ = problem.rows.mu;
}

PeerProblem::Handle PeerProblem::make(Storage storage) const {
  Handle problem(frictionContactProblem_new());
  problem->dimension = 3;
  problem->numberOfContacts = contactCount();
  problem->M = makeMatrix(storage);
  problem->q = copyForC(q_.data(), q_.size());
  problem->mu = copyForC(mu_.data(), mu_.size());
  return problem;
}

NumericsMatrix* PeerProblem::makeMatrix(Storage storage) const {
  const int size = W_.rows();
  if (storage == Storage::dense) {
    NumericsMatrix* matrix = NM_create(NM_DENSE, size, size);
    std::fill_n(matrix->matrix0, static_cast<std::size_t>(size) * size, 0.0);
    visitEntries(W_, [&](int row, int column, double value) {
      matrix->matrix0[row + static_cast<std::size_t>(column) * size] = value;
    });
    return matrix;
  }
  NumericsMatrix* sparse = NM_create(NM_SPARSE, size, size);
  NM_triplet_alloc(sparse, static_cast<CS_INT>(W_.values().size()));
  sparse->matrix2->origin = NSM_TRIPLET;
  visitEntries(W_, [&](int row, int column, double value) {
    NM_entry(sparse, row, column, value);
  });
  if (storage == Storage::sparse) return sparse;

  NumericsMatrix* blocks = NM_create(NM_SPARSE_BLOCK, size, size);
  const int failed = SBM_from_csparse(3, NM_csc(sparse), blocks->matrix1);
  NM_clear(sparse);
  std::free(sparse);
  if (failed != 0) throw std::runtime_error("Siconos refused the blocks of W");
  return blocks;
}

void PeerProblem::Free::operator()(FrictionContactProblem* problem) const {
  frictionContactProblem_free(problem);
}

}  // namespace cornet::siconos
