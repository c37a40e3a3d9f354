#pragma once

#include <memory>

#include <siconos/numerics/FrictionContactProblem.h>

#include "configurations.h"
#include "cornet/io/fclib.h"

/// Our problems in the form Siconos solves: u = W r + q, all contacts, finite friction.
namespace cornet::siconos {

/// The problem Siconos is given, equilibrated: W/d and q/d with d = mean diag W, which leaves the
/// impulses as they are. Its error measure then does not depend on units. A problem in velocity
/// form is condensed first, and compliance stands on the diagonal of W.
class PeerProblem {
 public:
  /// Throws std::invalid_argument when `supports` is false.
  explicit PeerProblem(const ProblemFile& file);

  /// Contacts only, at least one, with finite friction.
  static bool supports(const ConstraintRows& rows);

  int contactCount() const { return static_cast<int>(mu_.size()); }

  /// A fresh copy for one solve: Siconos caches what it derives inside.
  struct Free {
    void operator()(FrictionContactProblem* problem) const;
  };
  using Handle = std::unique_ptr<FrictionContactProblem, Free>;
  Handle make(Storage storage) const;

 private:
  NumericsMatrix* makeMatrix(Storage storage) const;

  BlockSparseMatrix W_;  // equilibrated
  VectorXd q_;
  std::vector<double> mu_;
};

}  // namespace cornet::siconos
