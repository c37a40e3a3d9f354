#pragma once

#include "cornet/math/types.h"

namespace cornet {

/// Contact axes R_WC with columns (n, t1, t2), right-handed and orthonormal to round-off, for a
/// unit normal n. Continuous everywhere except at n_z = 0 with a change of sign, where no basis
/// can be continuous on the whole sphere. The formula has no small divisor. [duff2017]      (BASIS-1)
Matrix3d makeContactAxes(const Vector3d& n);

/// What of x is perpendicular to the unit vector n.
inline Vector3d tangential(const Vector3d& x, const Vector3d& n) { return x - n.dot(x) * n; }

}  // namespace cornet
