#pragma once

#include <string>
#include <string_view>

namespace cornet::app {

/// Deflated without zlib's head and checksum, as browsers unpack it ("deflate-raw").
std::string deflateRaw(std::string_view bytes);

std::string toBase64(std::string_view bytes);

}  // namespace cornet::app
