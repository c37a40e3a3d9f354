#include "cornet/solvers/exact/impulse_judge.h"

#include <algorithm>
#include <limits>

namespace cornet::exact {

void ImpulseJudge::Incumbent::forget() {
  known = false;
  error = relative = std::numeric_limits<double>::infinity();
}

bool ImpulseJudge::Incumbent::take(double new_error, double new_relative, const VectorXd& new_lambda) {
  const bool closer = new_error == error && new_relative < relative;
  if (known && !(new_error < error) && !closer) return false;
  known = true;
  error = new_error;
  relative = new_relative;
  lambda = new_lambda;
  return true;
}

double ImpulseJudge::judge(const VectorXd& lambda) {
  certifier_.measure(lambda, certificate_);
  const bool at_floor = certificate_.solved(0.0);
  const double error =
      at_floor ? 0.0 : std::max(certificate_.relative, certificate_.field_equilibrated);
  best_is_last_ = best_.take(error, certificate_.relative, lambda);
  own_.take(error, certificate_.relative, lambda);
  return error;
}

bool ImpulseJudge::mustEnd() const {
  return clock_.seconds() >= options_.max_seconds ||
         (options_.interrupt != nullptr && options_.interrupt->load(std::memory_order_relaxed));
}

void ImpulseJudge::writeBest(Solution& solution) {
  solution.lambda = best_.lambda;
  if (!best_is_last_) certifier_.measure(best_.lambda, certificate_);
  certifier_.complete(best_.lambda, certificate_);
  solution.certificate = certificate_;
  solution.v = certifier_.v();
  solution.u = certifier_.u();
}

}  // namespace cornet::exact
