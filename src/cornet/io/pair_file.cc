#include "cornet/io/pair_file.h"

#include "cornet/io/toml/read_geometry.h"

namespace cornet {
namespace {

void readPlaced(TableReader root, std::string_view key, Shape& shape, Pose& pose) {
  TableReader table = root.table(key);
  TableReader inner = table.table("shape");
  shape = readShape(inner);
  pose = readPose(table);
}

}  // namespace

ShapePair readShapePair(const std::filesystem::path& file) {
  return readShapePair(SourceText::read(file));
}

ShapePair readShapePair(SourceText source) {
  TomlFile content(std::move(source));
  TableReader root = content.root();
  root.requireVersion(1);
  ShapePair pair;
  pair.options.margin = root.number("margin", Limits::atLeast(0.0), 0.0);
  pair.options.max_points = root.integer("max_points", Limits::between(4, 64), 8);
  readPlaced(root, "a", pair.a, pair.X_WA);
  readPlaced(root, "b", pair.b, pair.X_WB);
  content.check();
  return pair;
}

}  // namespace cornet
