#pragma once

#include "cornet/math/types.h"

namespace cornet {

/// Makes `lambda` a start for a problem of so many rows: empty becomes zero. Throws
/// std::invalid_argument when it has another size or an entry that is not finite.
void takeWarmStart(int rows, VectorXd& lambda);

}  // namespace cornet
