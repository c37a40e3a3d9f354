#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "cornet/io/fclib.h"
#include "cornet/io/fclib_layout.h"
#include "cornet/io/fclib_trees.h"
#include "cornet/io/format_error.h"
#include "cornet/io/hdf5_file.h"
#include "cornet/io/sparse_entries.h"
#include "cornet/math/block_cholesky.h"

namespace cornet {
namespace {

// A file being read: the helpers that turn a mismatch into an error with a name.
class Source {
 public:
  explicit Source(const std::filesystem::path& file) : reader(file) {}

  [[noreturn]] void refuse(const std::string& object, const std::string& found,
                           const std::string& expected) const {
    throw FormatError(reader.file(), object, found, expected);
  }

  void requireSize(const std::string& object, std::size_t found, std::size_t expected) const {
    if (found != expected) {
      refuse(object, fmt::format("{} entries", found), fmt::format("{}", expected));
    }
  }

  void requireShape(const std::string& object, const SparseEntries& matrix, std::size_t rows,
                    std::size_t cols) const {
    const auto m = static_cast<std::size_t>(matrix.rows);
    const auto n = static_cast<std::size_t>(matrix.cols);
    if (m != rows || n != cols) {
      refuse(object, fmt::format("a {} x {} matrix", m, n), fmt::format("{} x {}", rows, cols));
    }
  }

  VectorXd vector(const std::string& path) const {
    const std::vector<double> values = reader.readFinite(path);
    return Eigen::Map<const VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  }

  // A vector whose length is known beforehand.
  VectorXd vector(const std::string& path, std::size_t size) const {
    VectorXd values = vector(path);
    requireSize(path, static_cast<std::size_t>(values.size()), size);
    return values;
  }

  // Friction coefficients: one per contact, in [0, inf).
  std::vector<double> friction(const std::string& path, std::size_t contacts) const {
    std::vector<double> mu = reader.readFinite(path);
    requireSize(path, mu.size(), contacts);
    for (std::size_t i = 0; i < mu.size(); ++i) {
      if (mu[i] < 0.0) {
        refuse(path, fmt::format("{} at entry {}", mu[i], i), "friction coefficients ≥ 0");
      }
    }
    return mu;
  }

  // An optional matrix; one that is not there is zero, of the size given.
  SparseEntries matrixOrZero(const std::string& group, int rows, int cols) const {
    return reader.exists(group) ? readMatrix(reader, group) : SparseEntries{rows, cols, {}};
  }

  Hdf5Reader reader;
};

std::size_t contactCount(const Source& source, const std::string& path, Eigen::Index rows) {
  if (rows % 3 != 0) source.refuse(path, fmt::format("{} entries", rows), "a multiple of 3");
  return static_cast<std::size_t>(rows / 3);
}

// Rows of a plain fclib file: cones, then one-row equalities.
ConstraintRows plainRows(const std::vector<double>& mu, int equalities) {
  ConstraintRows rows;
  const auto origin = [&] { return Origin{Origin::Kind::contact, rows.blockCount()}; };
  for (const double friction : mu) rows.addCone(friction, origin());
  for (int k = 0; k < equalities; ++k) {
    rows.addEquality(1, Origin{Origin::Kind::constraint, k});
  }
  return rows;
}

template <class T>
void copyChecked(const Source& source, const std::string& path, const std::vector<T>& from,
                 std::vector<T>& to) {
  source.requireSize(path, from.size(), to.size());
  to = from;
}

// Rows of a file with our extension: kinds and sizes first, then everything per block and row.
ConstraintRows extendedRows(const Source& source) {
  const std::string group = "/cornet/rows/";
  const std::vector<int> kind = source.reader.readInts(group + "kind");
  const std::vector<int> size = source.reader.readInts(group + "size");
  const std::vector<double> mu = source.reader.readDoubles(group + "mu");
  source.requireSize(group + "size", size.size(), kind.size());
  source.requireSize(group + "mu", mu.size(), kind.size());
  ConstraintRows rows;
  for (std::size_t i = 0; i < kind.size(); ++i) {
    if (kind[i] < 0 || kind[i] > static_cast<int>(LawKind::cone)) {
      source.refuse(group + "kind", fmt::format("{} at entry {}", kind[i], i), "0 to 3");
    }
    if (size[i] < 1 || size[i] > ConstraintRows::kMaxBlockRows) {
      source.refuse(group + "size", fmt::format("{} at entry {}", size[i], i),
                    fmt::format("1 to {}", ConstraintRows::kMaxBlockRows));
    }
    const auto law = static_cast<LawKind>(kind[i]);
    const std::vector<double> open(static_cast<std::size_t>(size[i]), 0.0);
    if (law == LawKind::cone && size[i] != 3) {
      source.refuse(group + "size", fmt::format("{} at entry {}", size[i], i), "3 rows for a cone");
    }
    switch (law) {
      case LawKind::equality: rows.addEquality(size[i]); break;
      case LawKind::unilateral: rows.addUnilateral(size[i]); break;
      case LawKind::box: rows.addBox(open, open); break;
      case LawKind::cone: rows.addCone(mu[i]); break;
    }
  }
  const Hdf5Reader& reader = source.reader;
  copyChecked(source, group + "lower", reader.readDoubles(group + "lower"), rows.lower);
  copyChecked(source, group + "upper", reader.readDoubles(group + "upper"), rows.upper);
  copyChecked(source, group + "compliance", reader.readFinite(group + "compliance"),
              rows.compliance);
  copyChecked(source, group + "lever", reader.readFinite(group + "lever"), rows.lever);
  copyChecked(source, group + "key", reader.readKeys(group + "key"), rows.key);
  const std::vector<int> origin_kind = reader.readInts(group + "origin_kind");
  const std::vector<int> origin_index = reader.readInts(group + "origin_index");
  source.requireSize(group + "origin_kind", origin_kind.size(), kind.size());
  source.requireSize(group + "origin_index", origin_index.size(), kind.size());
  for (std::size_t i = 0; i < kind.size(); ++i) {
    if (origin_kind[i] < 0 || origin_kind[i] > static_cast<int>(Origin::Kind::constraint)) {
      source.refuse(group + "origin_kind", fmt::format("{} at entry {}", origin_kind[i], i),
                    "0 to 5");
    }
    rows.origin[i] = {static_cast<Origin::Kind>(origin_kind[i]), origin_index[i]};
  }
  return rows;
}

bool isExtended(const Source& source) {
  if (!source.reader.exists("/cornet/version")) return false;
  const int version = source.reader.readInt("/cornet/version");
  if (version != kExtensionVersion) {
    source.refuse("/cornet/version", fmt::format("{}", version),
                  fmt::format("{} (a newer program wrote this file?)", kExtensionVersion));
  }
  return true;
}

double readStep(const Source& source) {
  const VectorXd dt = source.vector("/cornet/dt", 1);
  return dt[0];
}

DelassusProblem readLocal(const Source& source) {
  const std::string group = "/fclib_local";
  DelassusProblem problem;
  SparseEntries W;
  if (isExtended(source)) {
    problem.rows = extendedRows(source);
    const auto count = static_cast<std::size_t>(problem.rows.rowCount());
    const bool own = source.reader.exists("/cornet/W");
    W = readMatrix(source.reader, own ? "/cornet/W" : group + "/W");
    problem.q = source.vector(own ? "/cornet/q" : group + "/vectors/q", count);
    problem.bias = source.vector("/cornet/bias", count);
    problem.dt = readStep(source);
    source.requireShape(own ? "/cornet/W" : group + "/W", W, count, count);
  } else {
    problem.q = source.vector(group + "/vectors/q");
    const std::size_t contacts = contactCount(source, group + "/vectors/q", problem.q.size());
    const std::vector<double> mu = source.friction(group + "/vectors/mu", contacts);
    W = readMatrix(source.reader, group + "/W");
    source.requireShape(group + "/W", W, 3 * contacts, 3 * contacts);
    SparseEntries R = source.matrixOrZero(group + "/R", 0, 0);
    const SparseEntries V = source.matrixOrZero(group + "/V", W.rows, R.rows);
    const int equalities = V.cols;
    if (equalities > 0) {
      // [W V; Vᵀ R] as one matrix, the equality rows after the contacts.
      const VectorXd s = source.vector(group + "/vectors/s", static_cast<std::size_t>(equalities));
      if (R.rows == 0) R.rows = R.cols = equalities;  // not in the file
      source.requireShape(group + "/V", V, 3 * contacts, static_cast<std::size_t>(equalities));
      source.requireShape(group + "/R", R, static_cast<std::size_t>(equalities),
                          static_cast<std::size_t>(equalities));
      const int first = W.rows;
      for (const auto& e : V.entries) {
        W.entries.push_back({e.row, first + e.column, e.value});
        W.entries.push_back({first + e.column, e.row, e.value});
      }
      for (const auto& e : R.entries) W.entries.push_back({first + e.row, first + e.column, e.value});
      W.rows = W.cols = first + equalities;
      W.sort();
      VectorXd q(problem.q.size() + s.size());
      q << problem.q, s;
      problem.q = q;
    }
    problem.rows = plainRows(mu, equalities);
    problem.bias.setZero(problem.q.size());
  }
  problem.W = makeBlocks(W, problem.rows.offsets(), problem.rows.offsets(), true);
  return problem;
}

// Some files store one triangle of the symmetric M: the other is filled in.
void mirrorTriangle(SparseEntries& M) {
  const auto below = [](const SparseEntries::Entry& e) { return e.row > e.column && e.value != 0.0; };
  const auto above = [](const SparseEntries::Entry& e) { return e.row < e.column && e.value != 0.0; };
  const bool has_lower = std::ranges::any_of(M.entries, below);
  const bool has_upper = std::ranges::any_of(M.entries, above);
  if (has_lower == has_upper) return;
  const std::size_t stored = M.entries.size();
  for (std::size_t k = 0; k < stored; ++k) {
    const SparseEntries::Entry e = M.entries[k];
    if (e.row != e.column) M.entries.push_back({e.column, e.row, e.value});
  }
  M.sort();
}

BlockDiagonalMatrix makeMass(const SparseEntries& M, const std::vector<int>& sizes) {
  BlockDiagonalMatrix mass(sizes);
  int tree = 0;
  for (const SparseEntries::Entry& entry : M.entries) {
    while (entry.row >= mass.offset(tree) + mass.size(tree)) ++tree;
    mass.block(tree)(entry.row - mass.offset(tree), entry.column - mass.offset(tree)) = entry.value;
  }
  return mass;
}

// Tree sizes written by us: they must cover M without cutting through it.
std::vector<int> readTrees(const Source& source, const SparseEntries& M) {
  const std::vector<int> sizes = source.reader.readInts("/cornet/tree_sizes");
  std::vector<int> tree_of;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const auto used = static_cast<long>(tree_of.size());
    if (sizes[k] < 1 || sizes[k] > M.rows - used) {
      source.refuse("/cornet/tree_sizes", fmt::format("{} at entry {}", sizes[k], k),
                    fmt::format("sizes ≥ 1 that add up to {}", M.rows));
    }
    tree_of.insert(tree_of.end(), static_cast<std::size_t>(sizes[k]), static_cast<int>(k));
  }
  source.requireSize("/cornet/tree_sizes (sum)", tree_of.size(), static_cast<std::size_t>(M.rows));
  for (const SparseEntries::Entry& entry : M.entries) {
    if (tree_of[entry.row] != tree_of[entry.column]) {
      source.refuse("/fclib_global/M", fmt::format("an entry at ({}, {}) outside the trees",
                                                   entry.row, entry.column),
                    "a matrix that is block-diagonal by /cornet/tree_sizes");
    }
  }
  return sizes;
}

// Velocities without impulses from the momenta of the file: M v_free = f.
VectorXd freeVelocity(const Source& source, const BlockDiagonalMatrix& M, VectorXd f) {
  BlockCholesky cholesky;
  if (const int bad = cholesky.factor(M); bad >= 0) {
    source.refuse("/fclib_global/M",
                  fmt::format("a block that is not positive definite (rows {} to {})",
                              M.offset(bad), M.offset(bad) + M.size(bad) - 1),
                  "a symmetric positive definite matrix");
  }
  cholesky.solveInPlace(f);
  return f;
}

ContactProblem readGlobal(const Source& source) {
  const std::string group = "/fclib_global";
  ContactProblem problem;
  SparseEntries J;
  const VectorXd f = source.vector(group + "/vectors/f");
  const auto dofs = static_cast<std::size_t>(f.size());
  SparseEntries M = readMatrix(source.reader, group + "/M");
  source.requireShape(group + "/M", M, dofs, dofs);
  std::vector<int> trees;
  if (isExtended(source)) {
    problem.rows = extendedRows(source);
    const auto count = static_cast<std::size_t>(problem.rows.rowCount());
    const bool own = source.reader.exists("/cornet/J");
    const std::string J_path = own ? "/cornet/J" : group + "/H";
    J = readMatrix(source.reader, J_path);
    if (!own) J = J.transposed();
    source.requireShape(J_path, J, count, dofs);
    problem.bias = source.vector(own ? "/cornet/bias" : group + "/vectors/w", count);
    problem.dt = readStep(source);
    trees = readTrees(source, M);
    problem.M = makeMass(M, trees);
    problem.v_free = source.vector("/cornet/v_free", dofs);
  } else {
    mirrorTriangle(M);
    problem.bias = source.vector(group + "/vectors/w");
    const std::size_t contacts = contactCount(source, group + "/vectors/w", problem.bias.size());
    const std::vector<double> mu = source.friction(group + "/vectors/mu", contacts);
    const SparseEntries H = readMatrix(source.reader, group + "/H");
    source.requireShape(group + "/H", H, dofs, 3 * contacts);
    J = H.transposed();
    const SparseEntries G = source.matrixOrZero(group + "/G", static_cast<int>(dofs), 0);
    const int equalities = G.cols;
    if (equalities > 0) {
      const VectorXd b = source.vector(group + "/vectors/b", static_cast<std::size_t>(equalities));
      source.requireShape(group + "/G", G, dofs, static_cast<std::size_t>(equalities));
      for (const auto& e : G.transposed().entries) {
        J.entries.push_back({J.rows + e.row, e.column, e.value});
      }
      J.rows += equalities;
      VectorXd bias(problem.bias.size() + b.size());
      bias << problem.bias, b;
      problem.bias = bias;
    }
    problem.rows = plainRows(mu, equalities);
    trees = findTrees(M, J);
    problem.M = makeMass(M, trees);
    problem.v_free = freeVelocity(source, problem.M, f);
  }
  problem.J = makeBlocks(J, problem.rows.offsets(), problem.M.offsets(), false);
  return problem;
}

}  // namespace

const ConstraintRows& ProblemFile::rows() const {
  return std::visit([](const auto& form) -> const ConstraintRows& { return form.rows; }, problem);
}

const char* ProblemFile::form() const {
  return std::holds_alternative<ContactProblem>(problem) ? "velocity" : "delassus";
}

int ProblemFile::dofCount() const {
  if (const auto* velocity_form = std::get_if<ContactProblem>(&problem)) {
    return velocity_form->dofCount();
  }
  return rows().rowCount();
}

ProblemFile readProblem(const std::filesystem::path& file) {
  const Source source(file);
  const bool local = source.reader.exists("/fclib_local");
  const std::string group = local ? "/fclib_local" : "/fclib_global";
  if (!source.reader.exists(group)) {
    source.refuse("/", "no group fclib_local or fclib_global", "an fclib problem");
  }
  if (const int dimension = source.reader.readInt(group + "/spacedim"); dimension != 3) {
    source.refuse(group + "/spacedim", fmt::format("{}", dimension),
                  "3 (embed a planar problem with a second tangent that is decoupled)");
  }
  ProblemFile content;
  if (local) {
    content.problem = readLocal(source);
  } else {
    content.problem = readGlobal(source);
  }
  if (source.reader.exists("/cornet/warm_impulse")) {
    content.warm_impulse = source.vector("/cornet/warm_impulse",
                                         static_cast<std::size_t>(content.rows().rowCount()));
  }
  content.title = source.reader.readStringOrEmpty(group + "/info/title");
  content.description = source.reader.readStringOrEmpty(group + "/info/description");
  content.math_info = source.reader.readStringOrEmpty(group + "/info/math_info");
  try {
    std::visit([](const auto& problem) { problem.validate(); }, content.problem);
  } catch (const std::invalid_argument& error) {
    source.refuse(group, error.what(), "a valid contact problem");
  }
  return content;
}

}  // namespace cornet
