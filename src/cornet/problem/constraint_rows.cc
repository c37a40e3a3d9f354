#include "cornet/problem/constraint_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {
namespace {

[[noreturn]] void refuse(const ConstraintRows& rows, int block, const std::string& what) {
  throw std::invalid_argument(fmt::format("block {} ({}, {}): {}", block,
                                          toString(rows.kind[block]),
                                          toString(rows.origin[block]), what));
}

}  // namespace

std::string_view toString(LawKind kind) {
  switch (kind) {
    case LawKind::equality: return "equality";
    case LawKind::unilateral: return "unilateral";
    case LawKind::box: return "box";
    case LawKind::cone: return "cone";
  }
  return "unknown";
}

std::string_view toString(Origin::Kind kind) {
  switch (kind) {
    case Origin::Kind::unknown: return "unknown";
    case Origin::Kind::contact: return "contact";
    case Origin::Kind::joint: return "joint";
    case Origin::Kind::limit: return "limit";
    case Origin::Kind::motor: return "motor";
    case Origin::Kind::constraint: return "constraint";
  }
  return "unknown";
}

std::string toString(const Origin& origin) {
  if (origin.kind == Origin::Kind::unknown) return "no origin";
  return fmt::format("{} {}", toString(origin.kind), origin.index);
}

int ConstraintRows::addBlock(LawKind law, int rows, double friction, Origin from) {
  if (rows < 1 || rows > kMaxBlockRows) {
    throw std::invalid_argument(
        fmt::format("a block has 1 to {} rows, {} were asked for", kMaxBlockRows, rows));
  }
  offset_.push_back(offset_.back() + rows);
  kind.push_back(law);
  mu.push_back(friction);
  origin.push_back(from);
  key.push_back(0);
  const auto count = static_cast<std::size_t>(rowCount());
  lower.resize(count, law == LawKind::unilateral ? 0.0 : -kInfinity);
  upper.resize(count, kInfinity);
  compliance.resize(count, 0.0);
  lever.resize(count, 1.0);
  return blockCount() - 1;
}

int ConstraintRows::addEquality(int rows, Origin from) {
  return addBlock(LawKind::equality, rows, 0.0, from);
}

int ConstraintRows::addUnilateral(int rows, Origin from) {
  return addBlock(LawKind::unilateral, rows, 0.0, from);
}

int ConstraintRows::addBox(std::span<const double> lo, std::span<const double> hi, Origin from) {
  if (lo.size() != hi.size()) {
    throw std::invalid_argument(
        fmt::format("a box needs as many lower bounds ({}) as upper ({})", lo.size(), hi.size()));
  }
  const int block = addBlock(LawKind::box, static_cast<int>(lo.size()), 0.0, from);
  std::ranges::copy(lo, lower.begin() + offset(block));
  std::ranges::copy(hi, upper.begin() + offset(block));
  return block;
}

int ConstraintRows::addCone(double friction, Origin from) {
  return addBlock(LawKind::cone, 3, friction, from);
}

int ConstraintRows::addCopy(const ConstraintRows& other, int i) {
  const int block = addBlock(other.kind[i], other.size(i), other.mu[i], other.origin[i]);
  key[block] = other.key[i];
  for (int r = 0; r < other.size(i); ++r) {
    const int row = offset(block) + r;
    const int source = other.offset(i) + r;
    lower[row] = other.lower[source];
    upper[row] = other.upper[source];
    compliance[row] = other.compliance[source];
    lever[row] = other.lever[source];
  }
  return block;
}

void ConstraintRows::clear() {
  offset_.assign(1, 0);
  kind.clear();
  mu.clear();
  origin.clear();
  key.clear();
  lower.clear();
  upper.clear();
  compliance.clear();
  lever.clear();
}

void ConstraintRows::validate() const {
  const auto requireSize = [](const char* name, std::size_t found, int expected) {
    if (found != static_cast<std::size_t>(expected)) {
      throw std::invalid_argument(
          fmt::format("rows.{} has {} entries where {} were expected", name, found, expected));
    }
  };
  const int blocks = static_cast<int>(offset_.size()) - 1;
  requireSize("kind", kind.size(), blocks);
  requireSize("mu", mu.size(), blocks);
  requireSize("origin", origin.size(), blocks);
  requireSize("key", key.size(), blocks);
  requireSize("lower", lower.size(), rowCount());
  requireSize("upper", upper.size(), rowCount());
  requireSize("compliance", compliance.size(), rowCount());
  requireSize("lever", lever.size(), rowCount());
  for (int i = 0; i < blockCount(); ++i) {
    if (!(mu[i] >= 0.0)) {
      refuse(*this, i, fmt::format("friction coefficient {} is not a number ≥ 0", mu[i]));
    }
    if (kind[i] == LawKind::cone && size(i) != 3) {
      refuse(*this, i, fmt::format("a cone has 3 rows (n, t1, t2), this one {}", size(i)));
    }
    for (int row = offset(i); row < offset(i) + size(i); ++row) {
      const bool bounded = kind[i] == LawKind::box;
      if (bounded && !(lower[row] <= upper[row] && lower[row] < kInfinity &&
                       upper[row] > -kInfinity)) {
        refuse(*this, i, fmt::format("bounds [{}, {}] hold no impulse", lower[row], upper[row]));
      }
      if (!(compliance[row] >= 0.0 && compliance[row] < kInfinity)) {
        refuse(*this, i, fmt::format("compliance {} is not a finite number ≥ 0", compliance[row]));
      }
      if (!(lever[row] > 0.0 && lever[row] < kInfinity)) {
        refuse(*this, i, fmt::format("lever {} is not a finite number > 0", lever[row]));
      }
      if (kind[i] == LawKind::cone && lever[row] != 1.0) {
        refuse(*this, i, fmt::format("lever {}: the rows of a cone are in m/s", lever[row]));
      }
    }
  }
}

}  // namespace cornet
