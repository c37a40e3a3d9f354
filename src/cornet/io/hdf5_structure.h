#pragma once

#include <filesystem>

namespace cornet {

/// Checks the skeleton of an HDF5 file before the library is given it: the library trusts the
/// addresses, sizes and counts of classic files, which carry no checksums, and crashes on damaged
/// ones. Walks every group and dataset from the root: signatures, versions, addresses within the
/// file, counts within their nodes, names within their heaps, no object met twice on the way, sizes
/// of types, spaces and storage that agree.
///
/// Throws FormatError for what is damaged, and for features that problem files do not use
/// (compression, shared messages, layouts of other ages). Only the groups of a problem or solution
/// are entered. Files with the newer superblock are left to
/// the library: their structures carry checksums, which it verifies.
void checkHdf5Structure(const std::filesystem::path& file);

}  // namespace cornet
