#pragma once

#include <vector>

#include "cornet/solvers/icf/icf_pool.h"
#include "cornet/solvers/icf/scalar_laws.h"

namespace cornet {

/// What changes with v: rates and impulses, and rates along a line.
struct ScalarConstraintsDataPool {
  std::vector<double> rate, impulse, curvature, line_rate;
};

/// Constraints with a potential of one rate each: limits, couplers or gains.
template <class Law>
class ScalarConstraintsPool {
 public:
  using Data = ScalarConstraintsDataPool;

  void clear() {
    row_.clear();
    law_.clear();
  }
  void reserve(int count) {
    row_.reserve(static_cast<std::size_t>(count));
    law_.reserve(static_cast<std::size_t>(count));
  }
  /// On a row of the model. Throws std::invalid_argument when the numbers are impossible; whether the row exists is
  /// seen when the model is prepared.
  int add(int row, const Law& law) {
    law.check(count());
    row_.push_back(row);
    law_.push_back(law);
    return count() - 1;
  }
  void setTimeStep(double h, const ScalarRows& rows) {
    for (int c = 0; c < count(); ++c) law_[c].setTimeStep(h, rows.inverseMass(row_[c]));
  }

  int count() const { return static_cast<int>(row_.size()); }
  int row(int c) const { return row_[c]; }
  const Law& law(int c) const { return law_[c]; }

  void resizeData(Data& data) const {
    for (auto* values : {&data.rate, &data.impulse, &data.curvature, &data.line_rate}) values->resize(row_.size());
  }
  double calcData(const IcfFrame& frame, std::span<const int> items, const IcfMotion& motion, Data& data) const {
    double cost = 0.0;
    for (const int c : items) {
      data.rate[c] = frame.rows.rate(frame.trees, row_[c], motion.v);
      const ScalarTerms terms = law_[c].at(data.rate[c]);
      data.impulse[c] = terms.impulse;
      data.curvature[c] = terms.curvature;
      cost += terms.cost;
    }
    return cost;
  }
  void addGradient(const IcfFrame& frame, std::span<const int> items, const Data& data, VectorXd& g) const {
    for (const int c : items) frame.rows.addForce(frame.trees, row_[c], -data.impulse[c], g);
  }
  void addHessian(const IcfFrame& frame, std::span<const int> items, const Data& data, IcfHessian& H) const {
    for (const int c : items) {
      if (data.curvature[c] > 0.0) H.addRow(frame.rows, row_[c], data.curvature[c]);
    }
  }
  void startLine(const IcfFrame& frame, std::span<const int> items, const IcfMotion& w, Data& data, LineQuadratic&) const {
    for (const int c : items) data.line_rate[c] = frame.rows.rate(frame.trees, row_[c], w.v);
  }
  LineTerms calcAlong(std::span<const int> items, const Data& data, double alpha) const {
    LineTerms sum;
    for (const int c : items) {
      const double u = data.line_rate[c];
      const ScalarTerms terms = law_[c].at(data.rate[c] + alpha * u);
      sum += {terms.cost, -terms.impulse * u, terms.curvature * u * u};
    }
    return sum;
  }

 private:
  std::vector<int> row_;
  std::vector<Law> law_;
};

using LimitConstraintsPool = ScalarConstraintsPool<LimitLaw>;
using CouplerConstraintsPool = ScalarConstraintsPool<CouplerLaw>;
using GainConstraintsPool = ScalarConstraintsPool<GainLaw>;
using LimitConstraintsDataPool = LimitConstraintsPool::Data;
using CouplerConstraintsDataPool = CouplerConstraintsPool::Data;
using GainConstraintsDataPool = GainConstraintsPool::Data;

}  // namespace cornet
