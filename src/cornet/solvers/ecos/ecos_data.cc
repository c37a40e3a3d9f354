#include "cornet/solvers/ecos/ecos_data.h"

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

extern "C" {
#include <ecos.h>
}

namespace cornet {
namespace {

void requireEqual(const char* what, long found, long expected) {
  if (found == expected) return;
  throw std::invalid_argument(
      fmt::format("ECOSData: {} is {} where {} was expected", what, found, expected));
}

long sizeOf(const std::vector<double>& values) { return static_cast<long>(values.size()); }

double* dataOrNull(std::vector<double>& values) { return values.empty() ? nullptr : values.data(); }

}  // namespace

ECOSData::~ECOSData() { cleanup(); }

ECOSData::ECOSData(ECOSData&& other) noexcept { takeFields(other); }

ECOSData& ECOSData::operator=(ECOSData&& other) noexcept {
  if (this == &other) return *this;
  cleanup();  // before the arrays it points to are replaced
  takeFields(other);
  return *this;
}

// Vectors keep their addresses when moved, so the workspace goes on pointing to the right ones.
void ECOSData::takeFields(ECOSData& other) noexcept {
  G = std::move(other.G);
  A = std::move(other.A);
  h = std::move(other.h);
  b = std::move(other.b);
  c = std::move(other.c);
  cone_sizes = std::move(other.cone_sizes);
  num_positive = other.num_positive;
  rows = std::move(other.rows);
  num_velocities = other.num_velocities;
  x = std::move(other.x);
  y = std::move(other.y);
  z = std::move(other.z);
  s = std::move(other.s);
  exit_flag = other.exit_flag;
  iterations = other.iterations;
  primal_residual = other.primal_residual;
  dual_residual = other.dual_residual;
  gap = other.gap;
  own_ = std::move(other.own_);
  workspace_ = std::exchange(other.workspace_, nullptr);
}

void ECOSData::requireConsistent() const {
  requireEqual("the number of columns of G", G.ncols, sizeOf(c));
  requireEqual("the number of rows of G", G.nrows, sizeOf(h));
  requireEqual("the number of rows in cones",
               num_positive + std::accumulate(cone_sizes.begin(), cone_sizes.end(), 0L), sizeOf(h));
  requireEqual("the number of rows of A", A.nrows, sizeOf(b));
  if (!b.empty()) requireEqual("the number of columns of A", A.ncols, sizeOf(c));
}

void ECOSData::setup() {
  cleanup();
  requireConsistent();
  own_ = values();
  const bool equalities = !b.empty();
  const long cones = static_cast<long>(cone_sizes.size());
  workspace_ = ECOS_setup(G.ncols, G.nrows, A.nrows, num_positive, cones, cone_sizes.data(),
                          0, dataOrNull(own_.G), G.col_ptrs.data(),
                          G.row_indices.data(), equalities ? dataOrNull(own_.A) : nullptr,
                          equalities ? A.col_ptrs.data() : nullptr,
                          equalities ? A.row_indices.data() : nullptr, own_.c.data(), own_.h.data(),
                          dataOrNull(own_.b));
  if (workspace_ == nullptr) throw std::runtime_error("ECOS_setup refused the problem");
  workspace_->stgs->verbose = 0;
}

void ECOSData::cleanup() {
  if (workspace_ != nullptr) ECOS_cleanup(std::exchange(workspace_, nullptr), 0);
}

// ECOS compares addresses, so that the same arrays with fresh numbers mean: all data are new. All
// of them are written, because a solve that fails leaves c scaled.
void ECOSData::update(const ECOSValues& values) {
  requireEqual("the number of entries of G", sizeOf(values.G), G.nnz);
  requireEqual("the number of entries of A", sizeOf(values.A), A.nnz);
  requireEqual("the size of c", sizeOf(values.c), sizeOf(c));
  requireEqual("the size of h", sizeOf(values.h), sizeOf(h));
  requireEqual("the size of b", sizeOf(values.b), sizeOf(b));
  if (!isSetUp()) setup();
  own_ = values;  // same sizes: the addresses stay
  ECOS_updateData(workspace_, dataOrNull(own_.G), dataOrNull(own_.A), own_.c.data(), own_.h.data(),
                  dataOrNull(own_.b));
}

void ECOSData::updateH(const std::vector<double>& new_h) {
  ECOSValues changed = values();
  changed.h = new_h;
  update(changed);
}

int ECOSData::solve(double abs_tol, double rel_tol, int max_iterations) {
  if (!isSetUp()) setup();
  settings& stgs = *workspace_->stgs;
  stgs.feastol = stgs.abstol = abs_tol;
  stgs.reltol = rel_tol;
  stgs.maxit = max_iterations;
  exit_flag = static_cast<int>(ECOS_solve(workspace_));
  readIterate();
  const stats& info = *workspace_->info;
  iterations = static_cast<int>(info.iter);
  primal_residual = info.pres;
  dual_residual = info.dres;
  gap = info.gap;
  return exit_flag;
}

// Two exits return before the iterate is scaled back; after ECOS_FATAL there may be none.
void ECOSData::readIterate() {
  const pwork& w = *workspace_;
  x.assign(w.x, w.x + w.n);
  y.assign(w.y, w.y + w.p);
  z.assign(w.z, w.z + w.m);
  s.assign(w.s, w.s + w.m);
  if (exit_flag == ECOS_FATAL) {
    for (std::vector<double>* part : {&x, &y, &z, &s}) part->assign(part->size(), 0.0);
  } else if (exit_flag == ECOS_OUTCONE) {
    for (idxint i = 0; i < w.n; ++i) x[i] /= w.xequil[i] * w.tau;
    for (idxint i = 0; i < w.p; ++i) y[i] /= w.Aequil[i] * w.tau;
    for (idxint i = 0; i < w.m; ++i) z[i] /= w.Gequil[i] * w.tau;
    for (idxint i = 0; i < w.m; ++i) s[i] *= w.Gequil[i] / w.tau;
  }
}

VectorXd ECOSData::impulses() const {
  VectorXd lambda(static_cast<long>(rows.size()));
  for (long r = 0; r < lambda.size(); ++r) {
    const ConicRow& row = rows[static_cast<std::size_t>(r)];
    lambda[r] = row.impulse;
    if (row.part == ConicRow::Part::none) continue;
    lambda[r] += row.to_impulse * (row.part == ConicRow::Part::cone ? z : y).at(row.index);
  }
  return lambda;
}

}  // namespace cornet
