#pragma once

#include <vector>

#include "cornet/audit/body_way.h"

/// Bodies that went through others: before and after the step they are apart, and no overlap tells.
///
///   the way of the centre of the smaller body, seen from the larger one, meets a solid of it               (AUDIT-7)
///
/// A centre is nowhere near the surface of another body in any motion that is right, so there is no tolerance. Looked at are bodies that
/// move by more than half the size of the smaller of both in the step against each other.
namespace cornet {

struct StepEvidence;

class Passages {
 public:
  /// The world must outlive it.
  explicit Passages(const WorldModel& world);

  /// A body, and what it went through.
  struct Passage {
    int body, other;
  };
  const std::vector<Passage>& find(const StepEvidence& step);

 private:
  bool isAnyFast(const StepEvidence& step) const;
  bool areExcluded(int a, int b) const;
  void traceWay(const BodyWay& own, const BodyWay& other);
  bool goesThrough(int small, int large);
  bool meets(int small, int large, const Vector3d& from, const Vector3d& to) const;

  const WorldModel& world_;
  std::vector<std::pair<int, int>> excluded_;  // sorted
  double smallest_;                            // size of a body
  bool surroundings_move_ = false;
  std::vector<BodyWay> ways_;
  std::vector<double> times_;
  std::vector<Vector3d> seen_;  // places of the smaller body in the frame of the larger one
  std::vector<Passage> found_;
};

}  // namespace cornet
