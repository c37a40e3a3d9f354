#pragma once

#include <vector>

#include "cornet/world/world_model.h"

/// Bodies that went through others: before and after the step they are apart, and no overlap tells.
///
///   way of a centre    x⁻ -> k -> x⁺,   k the mean of x⁻ + t v⁻ and x⁺ - (h - t) v⁺,
///   t = argmin |Δx - t v⁻ - (h - t) v⁺|  in [0, h]
///   passage            the way of the centre of the smaller body, seen from the larger one, meets a solid of it      (AUDIT-7)
///
/// A centre is nowhere near the surface of another body in any motion that is right, so there is no tolerance. Looked at are bodies that
/// move by more than half the size of the smaller of both in the step against each other; where the larger one turns
/// by more than half a radian nothing is said.
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
  struct Way {
    Vector3d from, knee, to;
    Quaterniond turned_from, turned_to;
    double knee_time, length;
    bool is_known;  // judged here, or standing still
  };
  bool isAnyFast(const StepEvidence& step) const;
  Way calcWay(const StepEvidence& step, int body) const;
  static Vector3d placeAt(const Way& way, double t, double h);
  double sizeOf(int body) const;
  bool areExcluded(int a, int b) const;
  bool goesThrough(int small, int large, double h) const;
  bool meets(int small, int large, const Vector3d& from, const Vector3d& to) const;

  const WorldModel& world_;
  std::vector<std::pair<int, int>> excluded_;  // sorted
  double smallest_;                            // size of a body
  bool surroundings_move_ = false;
  std::vector<Way> ways_;
  std::vector<Passage> found_;
};

}  // namespace cornet
