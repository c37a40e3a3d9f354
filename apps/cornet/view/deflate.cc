#include "view/deflate.h"

#include <algorithm>
#include <stdexcept>

#include <zlib.h>

namespace cornet::app {
namespace {

constexpr int kWindow = -15;  // the largest; negative: no head
constexpr int kMemory = 9;    // the most, for speed

}  // namespace

std::string deflateRaw(std::string_view bytes) {
  z_stream stream = {};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kWindow, kMemory, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::runtime_error("no memory to compress with");
  }
  std::string packed(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::logic_error("deflate did not finish");
  return packed;
}

std::string toBase64(std::string_view bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - k);
    unsigned word = 0;
    for (std::size_t j = 0; j < 3; ++j)
      word = word << 8 | (j < count ? static_cast<unsigned char>(bytes[k + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j)
      text += j <= count ? kDigits[word >> (18 - 6 * j) & 63u] : '=';
  }
  return text;
}

}  // namespace cornet::app
