#pragma once

#include "cornet/io/scene/probe.h"
#include "cornet/sim/moment.h"

/// Numbers that a scene watches, of a world at a moment of its run.
namespace cornet {

/// Measures one probe along a run.
class ProbeMeter {
 public:
  explicit ProbeMeter(const Probe& probe) : probe_(probe) {}
  /// NaN where there is none: of a step that has not been taken.
  double measure(const Moment& moment);

 private:
  void rememberStart(const Moment& moment);
  Vector3d calcVector(const Moment& moment) const;
  double calcScalar(const Moment& moment) const;

  Probe probe_;
  bool started_ = false;
  Vector3d start_position_ = Vector3d::Zero();
  Quaterniond start_orientation_ = Quaterniond::Identity();
  double start_energy_ = 0.0;  // without the work so far
};

}  // namespace cornet
