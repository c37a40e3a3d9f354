#pragma once

#include <cstdint>
#include <vector>

#include "cornet/solvers/exact/impulse_judge.h"
#include "cornet/solvers/gauss_seidel_blocks.h"

/// The sweeps of the exact solver: a few in any case, more while they promise to be cheaper than something else. The largest
/// change in a sweep stands for the error; the judge is asked when it promises success.
///
/// In large problems a factorization costs as much as many sweeps: there sweeps have momentum (GS-3) and get the time of an
/// interior point, whatever they promise. In small ones the interior point starts better from plain sweeps.
namespace cornet::exact {

class SweepStage {
 public:
  /// Options and judge must outlive the stage.
  SweepStage(const ExactOptions& options, ImpulseJudge& judge) : options_(options), judge_(judge) {}

  /// Takes memory that a solve of the same structure may need.
  void reserve(const DelassusProblem& problem) { reserveFor(delassus_, problem); }
  void reserve(const ContactProblem& problem) { reserveFor(velocity_, problem); }

  /// Turns to another problem, of one block with a closed form if so.
  void reset(const DelassusProblem& problem, bool closed_form);
  void reset(const ContactProblem& problem, bool closed_form);

  /// Begins at impulses, which were judged last.
  void begin(const VectorXd& lambda);
  /// Begins where the attempt is. Where sweeps are cheap they go far, past points that are better than the last one: they go
  /// on from the last, if that is nearly as good, and nothing better was found since.
  void resume(bool cheap);

  /// Plain sweeps; whether more may help.
  bool sweepPlainly(int most);
  /// Sweeps while they reach the tolerance sooner than what takes `rival` nanoseconds, given the time of a factorization.
  void sweepWhileItPays(double rival, double factorization);
  /// Ends a stage; returns the number of its sweeps.
  int end();

  /// Whether a factorization costs as much as many sweeps.
  bool areCheap(double factorization) const;
  /// The largest change, in units of the relative error, in the sweep looked at last; with momentum the least so far.
  double lastChange() const { return changes_.back(); }

 private:
  enum class Kind : std::uint8_t { plain, with_momentum };

  template <class Sweeper, class Problem>
  void reserveFor(Sweeper& sweeper, const Problem& problem);
  template <class Function>
  auto withSweeper(const Function& function) {
    return is_delassus_ ? function(delassus_) : function(velocity_);
  }
  int batch() const;
  double target() const;
  double predict() const;
  bool sweepOn(Kind kind);
  void goBack();
  void restart();

  const ExactOptions& options_;
  ImpulseJudge& judge_;
  gauss_seidel::Sweeper<gauss_seidel::DelassusRows> delassus_;
  gauss_seidel::Sweeper<gauss_seidel::VelocityRows> velocity_;
  bool is_delassus_ = false;
  bool closed_form_ = false;
  double cost_ = 0.0;  // of a sweep, predicted [ns]
  int reserved_rows_ = 0;
  int count_ = 0;      // sweeps of this stage
  VectorXd lambda_;
  std::vector<double> weight_, changes_;
  double change_ = 0.0;       // of the sweep looked at last
  double swept_error_ = 0.0;  // the best known when the last sweeps ended; infinite when they ended far from it
};

}  // namespace cornet::exact
