// Takes the place of coal_distance.cc in builds without coal.
#include "cornet/collision/coal/coal_distance.h"

namespace cornet {

struct CoalDistance::Work {};

bool CoalDistance::available() { return false; }
CoalDistance::CoalDistance() = default;
CoalDistance::~CoalDistance() = default;
int CoalDistance::addHull(const double*, int, const int*, int) { return 0; }
bool CoalDistance::calc(const CoalShape&, const CoalShape&, double, CoalWitness&) { return false; }

}  // namespace cornet
