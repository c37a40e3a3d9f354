#include "cornet/problem/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "cornet/problem/certificate.h"
#include "cornet/problem/island_part.h"

namespace cornet {
namespace {

// Share of the largest eigenvalue, of a matrix with unit diagonal, that counts as zero: what rounding
// leaves of it.
double zeroShare(Eigen::Index rows) { return 2e-15 * static_cast<double>(rows + 10); }

// A x for either form, without forming A.
class Operator {
 public:
  explicit Operator(const DelassusProblem& problem) : problem_(problem) {}
  void multiply(const VectorXd& x, VectorXd& y) const {
    problem_.W.multiply(x, y);
    for (Eigen::Index k = 0; k < x.size(); ++k) y[k] += problem_.rows.compliance[k] * x[k];
  }

 private:
  const DelassusProblem& problem_;
};

MatrixXd formDense(const DelassusProblem& problem) {
  const int n = problem.rows.rowCount();
  MatrixXd A(n, n);
  VectorXd column;
  for (int k = 0; k < n; ++k) {
    Operator(problem).multiply(VectorXd::Unit(n, k), column);
    A.col(k) = column;
  }
  return 0.5 * (A + A.transpose());
}

VectorXd eigenvalues(const MatrixXd& A) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

// Largest and smallest nonzero eigenvalue, and how many are not zero.
struct Spectrum {
  double largest = 0.0;
  double smallest = std::numeric_limits<double>::infinity();
  int rank = 0;
};

// (DIAG-1) of one island, from all eigenvalues.
Spectrum analyseExactly(const DelassusProblem& island) {
  const MatrixXd A = formDense(island);
  const auto n = static_cast<int>(A.rows());
  VectorXd scale(n);
  for (int k = 0; k < n; ++k) scale[k] = A(k, k) > 0.0 ? 1.0 / std::sqrt(A(k, k)) : 0.0;
  const VectorXd scaled = eigenvalues(scale.asDiagonal() * A * scale.asDiagonal());
  Spectrum spectrum;
  spectrum.rank = static_cast<int>((scaled.array() > zeroShare(n) * scaled[n - 1]).count());
  if (spectrum.rank == 0) return spectrum;
  const VectorXd raw = eigenvalues(A);
  spectrum.largest = raw[n - 1];
  spectrum.smallest = raw[n - spectrum.rank];
  return spectrum;
}

// The same of a large island: extreme eigenvalues on what a fixed start reaches in some Lanczos steps,
// all vectors kept orthogonal. The smallest is from above, so the condition is from below.
Spectrum estimate(const DelassusProblem& island, int dofs) {
  constexpr int kSteps = 80;
  const int n = island.rows.rowCount();
  MatrixXd basis = MatrixXd::Zero(n, kSteps);
  MatrixXd images = MatrixXd::Zero(n, kSteps);
  VectorXd start(n), v;
  for (int k = 0; k < n; ++k) start[k] = 1.0 + 0.5 * std::sin(12.9898 * k);  // touches all modes
  Operator(island).multiply(start, v);  // begins in the range of A
  const double size = v.norm();
  int steps = 0;
  while (steps < kSteps && v.norm() > zeroShare(n) * size) {
    basis.col(steps) = v.normalized();
    Operator(island).multiply(basis.col(steps), v);
    images.col(steps++) = v;
    for (int pass = 0; pass < 2; ++pass) {
      v -= basis.leftCols(steps) * (basis.leftCols(steps).transpose() * v);
    }
  }
  Spectrum spectrum;
  spectrum.rank = dofs > 0 ? std::min(n, dofs) : n;
  if (steps == 0) return spectrum;
  const MatrixXd projected = basis.leftCols(steps).transpose() * images.leftCols(steps);
  const VectorXd ritz = eigenvalues(0.5 * (projected + projected.transpose()));
  spectrum.largest = spectrum.smallest = ritz[steps - 1];
  for (int k = steps - 1; k >= 0 && ritz[k] > zeroShare(n) * spectrum.largest; --k) {
    spectrum.smallest = ritz[k];
  }
  return spectrum;
}

// Squares of singular values: rows that are dependent to six digits count as such.
constexpr double kDependent = 1e-12;

int rankOf(const MatrixXd& columns) {
  if (columns.rows() == 0) return 0;
  VectorXd scale = columns.colwise().norm();
  for (double& s : scale) s = s > 0.0 ? 1.0 / s : 0.0;
  const MatrixXd normal = (columns * scale.asDiagonal()).transpose() * (columns * scale.asDiagonal());
  const VectorXd values = eigenvalues(normal);
  return static_cast<int>((values.array() > kDependent * values[values.size() - 1]).count());
}

// (DIAG-2) and the masses.
void analyseTrees(const ContactProblem& problem, Diagnosis& diagnosis) {
  const BlockSparseMatrix& J = problem.J;
  std::vector<std::vector<std::pair<int, int>>> touching(J.columnBlockCount());
  for (int i = 0; i < J.rowBlockCount(); ++i) {
    for (int k = J.begin(i); k < J.end(i); ++k) touching[J.column(k)].emplace_back(i, k);
  }
  double lightest = std::numeric_limits<double>::infinity();
  double heaviest = 0.0;
  for (int j = 0; j < J.columnBlockCount(); ++j) {
    TreeDiagnosis tree;
    tree.dofs = problem.M.size(j);
    tree.mass = problem.M.block(j).diagonal().head(std::min(3, tree.dofs)).mean();
    for (const auto& [i, k] : touching[j]) tree.rows += J.rowSize(i);
    MatrixXd columns(tree.rows, tree.dofs);
    int row = 0;
    for (const auto& [i, k] : touching[j]) {
      columns.middleRows(row, J.rowSize(i)) = J.block(i, k);
      row += J.rowSize(i);
    }
    tree.redundancy = tree.rows - rankOf(columns);
    if (tree.rows > 0) {
      lightest = std::min(lightest, tree.mass);
      heaviest = std::max(heaviest, tree.mass);
    }
    diagnosis.trees.push_back(tree);
  }
  if (heaviest > 0.0) diagnosis.mass_ratio = heaviest / lightest;
}

std::string makeAdvice(const Diagnosis& diagnosis) {
  if (diagnosis.rows == 0) return "No rows: nothing is constrained and there is nothing to solve.";
  std::string advice;
  if (diagnosis.exact && diagnosis.redundancy() > 0) {
    advice = fmt::format("Hyperstatic: {} of {} rows are redundant, so impulses are not unique; compare "
                         "velocities.",
                         diagnosis.redundancy(), diagnosis.rows);
  } else if (!diagnosis.exact && diagnosis.rank < diagnosis.rows) {
    advice = fmt::format("Hyperstatic: at least {} of {} rows are redundant; compare velocities, not "
                         "impulses.",
                         diagnosis.redundancy(), diagnosis.rows);
  }
  const auto add = [&advice](const std::string& sentence) {
    advice += (advice.empty() ? "" : " ") + sentence;
  };
  constexpr double kHard = 1e3;  // sweeps crawl from here on
  if (diagnosis.mass_ratio > kHard) {
    add(fmt::format("Masses span {:.0e}: sweeps of gauss_seidel will crawl if the heavy bodies lie on "
                    "the light ones; use exact.",
                    diagnosis.mass_ratio));
  } else if (diagnosis.condition > 1e4) {
    add(fmt::format("Condition {:.0e}: use exact, sweeps of gauss_seidel will crawl.",
                    diagnosis.condition));
  }
  if (advice.empty()) advice = "Well conditioned: any solver that honours the laws will do.";
  return advice;
}

int dofsOf(const ContactProblem& part) { return part.dofCount(); }
int dofsOf(const DelassusProblem&) { return 0; }
DelassusProblem reduce(const ContactProblem& part) { return makeDelassusProblem(part); }
const DelassusProblem& reduce(const DelassusProblem& part) { return part; }

// Islands one by one.
template <class Problem>
void analyseIslands(const Problem& problem, Diagnosis& diagnosis) {
  Islands islands;
  islands.split(islandPattern(problem));
  diagnosis.islands = islands.count();
  Spectrum whole;
  Problem part;
  for (int k = 0; k < islands.count(); ++k) {
    extractIsland(problem, islands, k, part);
    const bool small = part.rows.rowCount() <= Diagnosis::kExactRows;
    const Spectrum spectrum =
        small ? analyseExactly(reduce(part)) : estimate(reduce(part), dofsOf(part));
    diagnosis.exact &= small;
    diagnosis.largest_island = std::max(diagnosis.largest_island, part.rows.blockCount());
    whole.rank += spectrum.rank;
    whole.largest = std::max(whole.largest, spectrum.largest);
    whole.smallest = std::min(whole.smallest, spectrum.smallest);
  }
  diagnosis.rank = whole.rank;
  if (whole.rank > 0) diagnosis.condition = whole.largest / whole.smallest;
}

template <class Problem>
Diagnosis analyse(const Problem& problem) {
  Diagnosis diagnosis;
  diagnosis.blocks = problem.rows.blockCount();
  diagnosis.contacts = static_cast<int>(std::ranges::count(problem.rows.kind, LawKind::cone));
  diagnosis.rows = problem.rows.rowCount();
  diagnosis.dofs = dofsOf(problem);
  if (diagnosis.rows == 0) return diagnosis;
  const Certifier certifier(problem);
  const auto [least, most] = std::ranges::minmax(certifier.effectiveMass());
  diagnosis.effective_mass_min = least;
  diagnosis.effective_mass_max = most;
  analyseIslands(problem, diagnosis);
  return diagnosis;
}

}  // namespace

Diagnosis diagnose(const ContactProblem& problem) {
  Diagnosis diagnosis = analyse(problem);
  analyseTrees(problem, diagnosis);
  diagnosis.advice = makeAdvice(diagnosis);
  return diagnosis;
}

Diagnosis diagnose(const DelassusProblem& problem) {
  Diagnosis diagnosis = analyse(problem);
  diagnosis.advice = makeAdvice(diagnosis);
  return diagnosis;
}

}  // namespace cornet
