#include "cornet/io/hdf5_structure.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cornet/io/format_error.h"

namespace cornet {
namespace {

// Names and numbers of the HDF5 file format specification, version 1.0 structures.
constexpr std::string_view kFileSignature = "\x89HDF\r\n\x1a\n";
constexpr std::uint64_t kUndefined = ~std::uint64_t{0};
constexpr int kMaxDimensions = 32;
constexpr int kMaxTreeDepth = 16;  // groups in groups, nodes in nodes
constexpr const char* kSupported = "plain datasets, as fclib writes them (h5repack may help)";

enum MessageType : unsigned {
  kNil = 0x0, kDataspace = 0x1, kDatatype = 0x3, kFillOld = 0x4, kFill = 0x5, kLayout = 0x8,
  kFilters = 0xB, kAttribute = 0xC, kComment = 0xD, kTimeOld = 0xE, kContinuation = 0x10,
  kSymbolTable = 0x11, kTime = 0x12, kBtreeK = 0x13, kAttributeInfo = 0x15, kReferences = 0x16,
};

// A stretch of the file with a reading position; reading past its end is damage.
class Cursor {
 public:
  Cursor(const std::filesystem::path& file, std::string_view bytes, std::string where)
      : file_(file), bytes_(bytes), where_(std::move(where)) {}

  [[noreturn]] void refuse(const std::string& found,
                           const std::string& expected = "an undamaged HDF5 structure") const {
    throw FormatError(file_, where_, found, expected);
  }
  void require(bool condition, const char* found) const {
    if (!condition) refuse(found);
  }

  std::uint64_t number(int width) {
    require(bytes_.size() - at_ >= static_cast<std::size_t>(width), "an end in the middle");
    std::uint64_t value = 0;
    std::memcpy(&value, bytes_.data() + at_, static_cast<std::size_t>(width));
    at_ += static_cast<std::size_t>(width);
    return value;
  }
  void expect(std::string_view text, const char* found) {
    require(bytes_.substr(at_).starts_with(text), found);
    at_ += text.size();
  }
  void skip(std::size_t count) {
    require(bytes_.size() - at_ >= count, "an end in the middle");
    at_ += count;
  }
  std::string_view take(std::size_t count) {
    const std::size_t from = at_;
    skip(count);
    return bytes_.substr(from, count);
  }
  std::size_t left() const { return bytes_.size() - at_; }
  Cursor nested(std::string_view bytes) const { return {file_, bytes, where_}; }

 private:
  const std::filesystem::path& file_;
  std::string_view bytes_;
  std::string where_;
  std::size_t at_ = 0;
};

// What the messages of a dataset say about its size.
struct DatasetSize {
  bool has_space = false, has_type = false, has_layout = false;
  std::uint64_t points = 0;
  std::uint64_t type_size = 0;
  std::uint64_t stored = kUndefined;  // bytes of contiguous or compact storage
  int chunk_rank = 0;
  std::uint64_t chunk_element = 0;
  int rank = 0;
};

class StructureCheck {
 public:
  explicit StructureCheck(const std::filesystem::path& file) : file_(file) {
    std::ifstream stream(file, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(stream), {});
  }

  void run() {
    Cursor block = at(0, bytes_.size(), "superblock");
    block.expect(kFileSignature, "no HDF5 signature at its beginning");
    const std::uint64_t version = block.number(1);
    if (version == 2 || version == 3) return;  // checksummed
    block.require(version <= 1, "an unknown version");
    for (int k = 0; k < 4; ++k) block.require(block.number(1) == 0, "an unknown version");
    block.require(block.number(1) == 8 && block.number(1) == 8, "addresses not of 8 bytes");
    block.skip(1);
    leaf_k_ = block.number(2);
    internal_k_ = block.number(2);
    block.require(leaf_k_ > 0 && internal_k_ > 0, "an empty tree node");
    block.skip(4);
    if (version == 1) {
      chunk_k_ = block.number(2);
      block.require(chunk_k_ > 0, "an empty tree node");
      block.skip(2);
    }
    block.require(block.number(8) == 0, "a base address");
    block.require(block.number(8) == kUndefined, "free space information");
    block.require(block.number(8) == bytes_.size(), "a file of another length (truncated?)");
    block.require(block.number(8) == kUndefined, "driver information");
    checkSymbol(block, {}, "/", 0);
  }

 private:
  Cursor at(std::uint64_t address, std::uint64_t size, const std::string& where) const {
    const Cursor whole(file_, bytes_, where);
    const bool inside = address <= bytes_.size() && size <= bytes_.size() - address;
    whole.require(inside, "an address outside of the file");
    return {file_, std::string_view(bytes_).substr(address, size), where};
  }

  // Every structure but an object with two names is entered once: cycles and overlaps are damage.
  void enter(std::uint64_t address, const Cursor& cursor) {
    cursor.require(visited_.insert(address).second, "a structure that is reached twice");
  }

  // A symbol table entry: name in the heap, object header, cached addresses of a group.
  void checkSymbol(Cursor& entry, std::string_view names, const std::string& path, int depth) {
    const std::uint64_t name_offset = entry.number(8);
    const std::uint64_t header = entry.number(8);
    const std::uint64_t cache = entry.number(4);
    entry.skip(4);
    const std::uint64_t cached_tree = entry.number(8);
    const std::uint64_t cached_heap = entry.number(8);
    entry.require(cache <= 2, "a symbol of another kind");
    if (cache == 2) return;  // a symbolic link: refused when it is asked for
    std::string child = path;
    if (!names.empty()) {
      entry.require(name_offset < names.size(), "a name outside of its heap");
      const std::string_view rest = names.substr(name_offset);
      const std::size_t length = rest.find('\0');
      entry.require(length != std::string_view::npos && length > 0, "a name without an end");
      const std::string_view name = rest.substr(0, length);
      // Beside the groups of a problem a file may hold what it likes; it is not looked at.
      if (path == "/" && !name.starts_with("fclib_") && name != "cornet" && name != "solution") return;
      child = fmt::format("{}{}{}", path, path == "/" ? "" : "/", name);
    }
    checkObject(header, child, depth, cache == 1, cached_tree, cached_heap);
  }

  // An object header of version 1 and its continuation blocks.
  void checkObject(std::uint64_t address, const std::string& path, int depth, bool cached,
                   std::uint64_t cached_tree, std::uint64_t cached_heap) {
    Cursor prefix = at(address, 16, path);
    prefix.require(depth < kMaxTreeDepth, "groups nested too deeply");
    if (objects_.contains(address)) return;  // a second name for one object
    objects_.insert(address);
    enter(address, prefix);
    if (prefix.number(1) != 1) prefix.refuse("an object header of another age", kSupported);
    prefix.skip(1);
    std::uint64_t messages = prefix.number(2);
    prefix.skip(4);
    const std::uint64_t header_size = prefix.number(4);
    std::vector<Cursor> blocks = {at(address + 16, header_size, path)};
    DatasetSize dataset;
    bool group = false;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      while (blocks[b].left() >= 8) {
        Cursor& block = blocks[b];
        const auto type = static_cast<unsigned>(block.number(2));
        const std::uint64_t size = block.number(2);
        const std::uint64_t flags = block.number(1);
        block.skip(3);
        block.require(messages-- > 0, "more messages than were announced");
        block.require(size % 8 == 0, "a message of odd size");
        Cursor message = block.nested(block.take(size));
        if ((flags & 2) != 0) message.refuse("a shared message", kSupported);
        if (type == kContinuation) {
          const std::uint64_t next = message.number(8);
          const std::uint64_t length = message.number(8);
          message.require(length >= 8, "an empty continuation");
          Cursor continuation = at(next, length, path);
          enter(next, continuation);
          blocks.push_back(continuation);
        } else if (type == kSymbolTable) {
          message.require(!group, "two symbol tables");
          group = true;
          const std::uint64_t tree = message.number(8);
          const std::uint64_t heap = message.number(8);
          message.require(!cached || (tree == cached_tree && heap == cached_heap),
                          "a group whose cache disagrees");
          checkGroup(tree, heap, path, depth);
        } else {
          checkDatasetMessage(type, message, dataset);
        }
      }
    }
    const Cursor whole = at(address, 16, path);
    whole.require(messages == 0, "fewer messages than were announced");
    if (group) {
      whole.require(!dataset.has_layout, "a group that is a dataset too");
    } else {
      whole.require(!cached, "a group without a symbol table");
      checkDataset(dataset, whole);
    }
  }

  void checkGroup(std::uint64_t tree, std::uint64_t heap, const std::string& path, int depth) {
    Cursor header = at(heap, 32, path);
    enter(heap, header);
    header.expect("HEAP", "no heap");
    header.require(header.number(4) == 0, "a heap of another version");
    const std::uint64_t size = header.number(8);
    std::uint64_t free_block = header.number(8);
    const std::uint64_t data = header.number(8);
    at(data, size, path);
    // The free list runs through the heap; 1 ends it.
    for (std::uint64_t steps = 0; free_block != 1; ++steps) {
      header.require(size >= 16 && free_block <= size - 16 && steps < size / 16,
                     "a damaged free list");
      Cursor block = at(data + free_block, 16, path);
      const std::uint64_t next = block.number(8);
      block.require(block.number(8) <= size - free_block, "a damaged free list");
      free_block = next;
    }
    checkGroupNode(tree, std::string_view(bytes_).substr(data, size), path, depth, -1);
  }

  // A node of the tree that sorts the names of a group; `level` is that expected, -1 at the root.
  void checkGroupNode(std::uint64_t address, std::string_view names, const std::string& path,
                      int depth, int level) {
    Cursor node = at(address, 24 + (4 * internal_k_ + 1) * 8, path);
    enter(address, node);
    const int found = checkTreeHead(node, 0, 2 * internal_k_);
    node.require(level < 0 || found == level, "a tree of uneven depth");
    const std::uint64_t used = entries_used_;
    node.require(node.number(8) < std::max<std::size_t>(names.size(), 1), "a key outside of its heap");
    for (std::uint64_t k = 0; k < used; ++k) {
      const std::uint64_t child = node.number(8);
      node.require(node.number(8) < names.size(), "a key outside of its heap");
      if (found > 0) {
        checkGroupNode(child, names, path, depth, found - 1);
        continue;
      }
      Cursor symbols = at(child, 8 + 2 * leaf_k_ * 40, path);
      enter(child, symbols);
      symbols.expect(std::string_view("SNOD\x01\x00", 6), "no symbol node");
      const std::uint64_t count = symbols.number(2);
      symbols.require(count <= 2 * leaf_k_, "more symbols than fit");
      for (std::uint64_t s = 0; s < count; ++s) checkSymbol(symbols, names, path, depth + 1);
    }
  }

  // Signature, kind, level and fill of a tree node; returns the level, sets entries_used_.
  int checkTreeHead(Cursor& node, unsigned kind, std::uint64_t capacity) {
    node.expect("TREE", "no tree node");
    node.require(node.number(1) == kind, "a tree of another kind");
    const auto level = static_cast<int>(node.number(1));
    node.require(level < kMaxTreeDepth, "a tree too deep");
    entries_used_ = node.number(2);
    node.require(entries_used_ <= capacity, "more entries than fit");
    for (int side = 0; side < 2; ++side) {
      const std::uint64_t sibling = node.number(8);
      node.require(sibling == kUndefined || sibling < bytes_.size(), "a sibling outside of the file");
    }
    return level;
  }

  void checkDatasetMessage(unsigned type, Cursor& message, DatasetSize& dataset) {
    switch (type) {
      case kDataspace:
        message.require(!dataset.has_space, "two dataspaces");
        dataset.has_space = true;
        return checkDataspace(message, dataset);
      case kDatatype:
        message.require(!dataset.has_type, "two datatypes");
        dataset.has_type = true;
        return checkDatatype(message, dataset);
      case kLayout:
        message.require(!dataset.has_layout, "two layouts");
        dataset.has_layout = true;
        return checkLayout(message, dataset);
      case kFillOld: {
        const std::uint64_t size = message.number(4);
        return message.require(size <= message.left(), "a fill value that is too long");
      }
      case kFill: return checkFill(message);
      case kFilters:
        // The library does not compare what comes out of a filter with the size of the chunk.
        message.refuse("compressed data", "plain storage (h5repack -f NONE takes compression out)");
      case kNil:
      case kAttribute:
      case kComment:
      case kTimeOld:
      case kTime:
      case kBtreeK:
      case kAttributeInfo:
      case kReferences: return;
      default: message.refuse(fmt::format("a message of type {:#x}", type), kSupported);
    }
  }

  void checkDataspace(Cursor& message, DatasetSize& dataset) const {
    const std::uint64_t version = message.number(1);
    message.require(version == 1 || version == 2, "a dataspace of another version");
    dataset.rank = static_cast<int>(message.number(1));
    const std::uint64_t flags = message.number(1);
    const std::uint64_t kind = message.number(1);
    message.require(dataset.rank <= kMaxDimensions && flags <= 1, "a damaged dataspace");
    message.require(version == 1 || kind <= 1, "a dataspace of another kind");
    if (version == 1) message.skip(4);
    dataset.points = 1;
    constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
    for (int d = 0; d < dataset.rank; ++d) {
      const std::uint64_t length = message.number(8);
      message.require(length <= kMost && dataset.points * std::max<std::uint64_t>(length, 1) <= kMost,
                      "a size beyond all bounds");
      dataset.points *= length;
    }
    if (flags & 1) message.skip(8 * static_cast<std::size_t>(dataset.rank));
  }

  // Plain integers, floats and strings; nothing that contains other types.
  void checkDatatype(Cursor& message, DatasetSize& dataset) const {
    const std::uint64_t kind = message.number(1);
    const std::uint64_t version = kind >> 4;
    message.require(version >= 1 && version <= 3, "a datatype of another version");
    message.skip(3);
    dataset.type_size = message.number(4);
    switch (kind & 0xF) {
      case 0:    // integer
      case 1: {  // float
        const std::uint64_t size = dataset.type_size;
        message.require(size == 1 || size == 2 || size == 4 || size == 8, "numbers of odd size");
        const std::uint64_t offset = message.number(2);
        const std::uint64_t precision = message.number(2);
        message.require(precision > 0 && offset + precision <= 8 * size, "a damaged number type");
        if ((kind & 0xF) == 1) message.skip(8);
        return;
      }
      case 3:  // string
        return message.require(dataset.type_size > 0 && dataset.type_size <= bytes_.size(),
                               "strings of impossible length");
      case 9:  // strings of variable length, as h5py writes titles; never read
        return message.require(dataset.type_size == 16, "a damaged string type");
      default: message.refuse("data that are neither numbers nor strings", kSupported);
    }
  }

  void checkFill(Cursor& message) const {
    const std::uint64_t version = message.number(1);
    message.require(version >= 1 && version <= 3, "a fill value of another version");
    if (version == 3) {
      const std::uint64_t flags = message.number(1);
      if ((flags & 0x20) == 0) return;
    } else {
      message.skip(2);
      if (message.number(1) == 0 && version == 2) return;
    }
    const std::uint64_t size = message.number(4);
    message.require(size <= message.left() || size == 0xFFFFFFFF, "a fill value that is too long");
  }

  void checkLayout(Cursor& message, DatasetSize& dataset) {
    if (message.number(1) != 3) message.refuse("a storage layout of another age", kSupported);
    const std::uint64_t kind = message.number(1);
    if (kind == 0) {  // compact: the data stand in the message
      dataset.stored = message.number(2);
      message.require(dataset.stored <= message.left(), "compact data that are too long");
    } else if (kind == 1) {  // contiguous
      const std::uint64_t address = message.number(8);
      dataset.stored = message.number(8);
      if (address != kUndefined) at(address, dataset.stored, "contiguous data");
    } else {
      message.require(kind == 2, "a storage layout of another kind");
      dataset.chunk_rank = static_cast<int>(message.number(1));
      message.require(dataset.chunk_rank >= 2 && dataset.chunk_rank <= kMaxDimensions + 1,
                      "chunks of impossible rank");
      const std::uint64_t tree = message.number(8);
      std::uint64_t chunk = 1;
      for (int d = 0; d < dataset.chunk_rank; ++d) {
        const std::uint64_t length = message.number(4);
        message.require(length > 0 && chunk * length <= (std::uint64_t{1} << 32),
                        "chunks of impossible size");
        chunk *= length;
        dataset.chunk_element = length;  // the last one is the size of an element
      }
      if (tree != kUndefined) checkChunkNode(tree, dataset.chunk_rank, chunk, -1);
    }
  }

  // A node of the tree of chunks: keys are size, filter mask and offsets; children are data.
  void checkChunkNode(std::uint64_t address, int rank, std::uint64_t chunk, int level) {
    const std::uint64_t key = 8 + 8 * static_cast<std::uint64_t>(rank);
    Cursor node = at(address, 24 + 2 * chunk_k_ * (key + 8) + key, "chunks");
    enter(address, node);
    const int found = checkTreeHead(node, 1, 2 * chunk_k_);
    node.require(level < 0 || found == level, "a tree of uneven depth");
    const std::uint64_t used = entries_used_;
    for (std::uint64_t k = 0; k < used; ++k) {
      const std::uint64_t size = node.number(4);
      node.skip(key - 4);
      const std::uint64_t child = node.number(8);
      if (found > 0) {
        checkChunkNode(child, rank, chunk, found - 1);
      } else {
        node.require(size == chunk, "a chunk of another size");
        at(child, size, "chunks");
      }
    }
  }

  void checkDataset(const DatasetSize& dataset, const Cursor& whole) const {
    whole.require(dataset.has_space && dataset.has_type && dataset.has_layout,
                  "an object that is neither a group nor a dataset");
    if (dataset.chunk_rank > 0) {
      whole.require(dataset.chunk_rank == dataset.rank + 1, "chunks of another rank");
      whole.require(dataset.chunk_element == dataset.type_size, "chunks of another type");
    } else {
      whole.require(dataset.stored == dataset.points * dataset.type_size,
                    "data of another size than type and space say");
    }
  }

  const std::filesystem::path& file_;
  std::string bytes_;
  std::set<std::uint64_t> visited_;
  std::set<std::uint64_t> objects_;
  std::uint64_t leaf_k_ = 4;
  std::uint64_t internal_k_ = 16;
  std::uint64_t chunk_k_ = 32;
  std::uint64_t entries_used_ = 0;
};

}  // namespace

void checkHdf5Structure(const std::filesystem::path& file) { StructureCheck(file).run(); }

}  // namespace cornet
