#pragma once

#include "cornet/collision/contact_set.h"
#include "cornet/sim/placement.h"

/// What those need who take a step more than once from one state, or in shares: error control.
namespace cornet {

/// Contacts that a step saw at its start. Others from the same state, which look less far, need not look again.
class SharedStart {
 public:
  /// To be called at every new start: what a step sees must depend on its state alone.
  void forget() { placement_.poses.clear(); }
  /// Whether all bodies stand as they did, and none looks further.
  bool serves(const Placement& placement) const;
  void keep(const Placement& placement, const ContactSet& found) {
    placement_ = placement;
    found_ = found;
  }
  const ContactSet& found() const { return found_; }

 private:
  Placement placement_;
  ContactSet found_;
};

/// A step that is one of several tries, or a share of one.
struct StepTry {
  SharedStart* start = nullptr;  // of tries from the same state; null: it is the only one
  double share = 1.0;            // of a step: overlaps are lifted in all shares together as they are in one step
};

/// Something that hit in a step: as flight from its start foresaw it, or thrown by such an impact at something that it then reached by
/// the end of the step, which counts as its time.
struct ImpactTime {
  int island = -1;
  double time = 0.0;   // after the start of the step [s]
  double speed = 0.0;  // of approach [m/s]
  bool is_stop = false;  // a limit, met on the way: the step closes it by its end, no sooner
  double gap = 0.0;      // of a stop, at the start of the step [m] or [rad]
};

}  // namespace cornet
