#pragma once

namespace cornet {

/// Version of the group /cornet beside an fclib problem, docs/formats/fclib.md.
inline constexpr int kExtensionVersion = 1;

}  // namespace cornet
