#pragma once

#include <memory>
#include <vector>

#include "cornet/solvers/exact/scaled_problem.h"

/// The linear systems of the exact solver. Linearized laws tie impulse and velocity of each block by
/// a small matrix G_i; with the dynamics u = A r + c the step solves
///
///   (I + G A) dr = a - G g,     A = scaled J M⁻¹Jᵀ + R,   G block-diagonal                    (EXACT-4)
///
/// Velocity form:  (I + Bᵀ G' B) dy = Bᵀ(a' - G' g),  dr = a' - G'(g + B dy)                   (EXACT-5)
///                 with G' = (I + G R)⁻¹ G, a' = (I + G R)⁻¹ a; size: velocities of the trees
/// Delassus form:  (A + G⁻¹) dr = G⁻¹a - g; size: rows                                          (EXACT-6)
///
/// Neither needs A to be regular. The first reads G and a, the second G⁻¹ and h = G⁻¹a, each of
/// which the caller forms without cancellation.
namespace cornet::exact {

/// G or its inverse, a dense block per block of rows, column-major.
class BlockWeights {
 public:
  void reset(const ScaledRows& rows);
  double* block(int i) { return values_.data() + start_[i]; }
  const double* block(int i) const { return values_.data() + start_[i]; }

 private:
  std::vector<int> start_;
  std::vector<double> values_;
};

class KktSystem {
 public:
  virtual ~KktSystem() = default;

  /// Which of G and G⁻¹ `factor` and `solve` are to be given.
  virtual bool readsInverse() const = 0;
  /// Predicted floating-point operations of one factorization.
  virtual double flops() const = 0;

  /// Turns to the problem as it now is; what depends on its pattern alone is kept.
  virtual void reset() = 0;
  /// u = A r.
  virtual void multiply(const VectorXd& r, VectorXd& u) = 0;
  /// Factors for these weights; `symmetric` when all of them are.
  virtual void factor(const BlockWeights& weights, bool symmetric) = 0;
  /// Solves with the last factors: `target` is a, or h when the inverse is read. Writes dr and A dr.
  virtual void solve(const VectorXd& target, const VectorXd& g, VectorXd& dr, VectorXd& A_dr) = 0;
  /// Sign of the determinant of the factored matrix.
  virtual int determinantSign() const = 0;
};

}  // namespace cornet::exact
