#pragma once

#include <vector>

#include "cornet/collision/contact_set.h"
#include "cornet/sim/step_data.h"
#include "cornet/world/asset.h"

/// How far bodies may get in a step. What moves freely goes where its velocity says; what is hit may leave with the
/// speed of what hits it, and so may what it hits in turn:
///
///   s_i = |v_i| + r_i |ω_i|,   s_i, s_j := max(s_i, s_j) for pairs with g < 1e-4 m + h (s_i + s_j)     (STEP-16)
///
/// Detection looks that far, so that late contacts (STEP-17) are among the pairs it finds.
namespace cornet {

/// Distance of the furthest point of surroundings from their origin [m]; 0 for planes and the like, which have none.
double calcRadius(const AssetEnvironment& asset);

class Reach {
 public:
  /// Own speeds of all bodies.
  void reset(const std::vector<StepBody>& bodies);

  /// Spreads speeds over the pairs that detection found. Returns whether a body's reach outgrew what detection looked
  /// at, its margin [m]; margins are then larger and detection is to be repeated.
  bool spread(const ContactSet& found, double h, double margin, std::vector<double>& margins);

  /// What a body may get to [m/s]; 0 for surroundings.
  double speed(int body) const { return moves_[body] ? speed_[body] : 0.0; }

 private:
  std::vector<double> speed_;
  std::vector<char> moves_;
};

}  // namespace cornet
