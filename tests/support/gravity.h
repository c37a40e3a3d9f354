#pragma once

namespace cornet::test {

inline constexpr double kG = 9.81;  // of most scenes [m/s²]

}  // namespace cornet::test
