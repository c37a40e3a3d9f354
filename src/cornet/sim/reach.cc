#include "cornet/sim/reach.h"

#include <algorithm>
#include <cmath>

namespace cornet {
namespace {

constexpr int kFollowRounds = 4;    // how far a hit is followed from body to body
constexpr double kUnbounded = 1e6;  // [m] what is larger has no end
constexpr double kSpare = 0.5;      // of a margin that outgrew the last one by less is let pass

}  // namespace

double calcRadius(const AssetEnvironment& asset) {
  double radius = 0.0;
  for (const AssetShape& part : asset.shapes()) {
    const Bounds bounds = calcBounds(part.shape, part.X_BS);
    radius = std::max(radius, bounds.lower.cwiseAbs().cwiseMax(bounds.upper.cwiseAbs()).norm());
  }
  return std::isfinite(radius) && radius < kUnbounded ? radius : 0.0;
}

void Reach::reset(const std::vector<StepBody>& bodies) {
  speed_.resize(bodies.size());
  moves_.resize(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const StepBody& body = bodies[i];
    moves_[i] = body.moves();
    speed_[i] = std::max(body.start.velocity.norm(), body.displacement.norm()) + body.surface.norm() +
                body.radius * std::max(body.start.omega.norm(), body.turning.norm());
  }
}

bool Reach::spread(const ContactSet& found, double h, double margin, std::vector<double>& margins) {
  bool changed = true;
  for (int round = 0; changed && round < kFollowRounds; ++round) {
    changed = false;
    for (int k = 0; k < found.size(); ++k) {
      double& a = speed_[found.body_a[k]];
      double& b = speed_[found.body_b[k]];
      if (a == b || !(found.gap[k] < margin + h * (a + b))) continue;
      const double fastest = std::max(a, b);
      changed |= moves_[found.body_a[k]] && a < fastest;
      changed |= moves_[found.body_b[k]] && b < fastest;
      if (moves_[found.body_a[k]]) a = fastest;
      if (moves_[found.body_b[k]]) b = fastest;
    }
  }
  bool outgrew = false;
  for (std::size_t i = 0; i < margins.size(); ++i) {
    const double wanted = 0.5 * margin + h * speed(static_cast<int>(i));
    if (!(wanted > (1.0 + kSpare) * margins[i])) continue;
    margins[i] = wanted;
    outgrew = true;
  }
  return outgrew;
}

}  // namespace cornet
