#pragma once

#include <string>

#include "cornet/problem/constraint_rows.h"
#include "cornet/base/status.h"

namespace cornet {

/// What an exit flag of ECOS means for a solve whose certificate is not met.
SolveStatus statusOfExit(int exit_flag);

/// The flag in words, with the size of the problem and its friction: a sentence to log.
std::string describeExit(int exit_flag, const ConstraintRows& rows);

}  // namespace cornet
