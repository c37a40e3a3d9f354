#pragma once

#include "cornet/base/stopwatch.h"
#include "cornet/problem/certificate.h"
#include "cornet/solvers/exact.h"

namespace cornet::exact {

/// Certifies the impulses that the stages of a solve come up with, keeps the best, and says when to end.
class ImpulseJudge {
 public:
  /// The best impulses of a solve, or of an attempt.
  struct Incumbent {
    bool known = false;
    double error = 0.0;
    double relative = 0.0;
    VectorXd lambda;

    void forget();
    /// Whether they are better than what was known.
    bool take(double new_error, double new_relative, const VectorXd& new_lambda);
  };

  /// The options must outlive the judge.
  explicit ImpulseJudge(const ExactOptions& options) : options_(options) {}

  /// Turns to another problem: nothing is known, the clock starts.
  template <class Problem>
  void reset(const Problem& problem) {
    certifier_.reset(problem, options_.friction_model);
    clock_ = Stopwatch();
    best_.forget();
    own_.forget();
  }

  /// Error of impulses, to be compared with the tolerance; the best are kept.
  double judge(const VectorXd& lambda);

  /// What is known of the solve, and of the attempt, which goes its own way.
  const Incumbent& best() const { return best_; }
  const Incumbent& own() const { return own_; }
  void forgetOwn() { own_.forget(); }

  bool reached() const { return best_.error <= options_.tolerance; }
  /// Out of time, or interrupted.
  bool mustEnd() const;
  double seconds() const { return clock_.seconds(); }

  /// Of the problem, and of the impulses judged last.
  const Certifier& certifier() const { return certifier_; }
  const Certificate& certificate() const { return certificate_; }

  /// Writes the best impulses with velocities and certificate.
  void writeBest(Solution& solution);

 private:
  const ExactOptions& options_;
  Stopwatch clock_;
  Certifier certifier_;
  Certificate certificate_;
  bool best_is_last_ = false;  // of what was judged
  Incumbent best_, own_;
};

}  // namespace cornet::exact
