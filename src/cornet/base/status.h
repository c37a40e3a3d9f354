#pragma once

#include <string_view>

namespace cornet {

/// How a solve ended. A numerical outcome is a status, never an exception; the best iterate by
/// certificate is returned with every one of them.
enum class SolveStatus {
  solved,           ///< the certificate meets the tolerance
  inaccurate,       ///< the method stopped making progress above the tolerance
  max_iterations,   ///< the iteration or time budget ran out above the tolerance
  infeasible,       ///< the data admit no solution
  numerical_error,  ///< the iteration left the finite range
  unsupported,      ///< the solver does not honour a law of this problem
};

/// The word used in tables, JSON and files: "solved", "max_iterations", ...
std::string_view toString(SolveStatus status);

}  // namespace cornet
