#pragma once

#include "cornet/io/toml/findings.h"

namespace cornet {

/// Throws FindingsError for text that toml++ 3.3 cannot take safely:
///   - keys of more than 32 parts: each is a table in the one before, read and freed by recursion;
///   - characters beyond ASCII outside quotes and comments, which TOML does not know either, and after a
///     backslash in a multi-line string: its tables of white space leave some of them undefined.
void guardToml(const SourceText& source);

}  // namespace cornet
