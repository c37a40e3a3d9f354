#include <fmt/format.h>

#include "cornet/io/format_error.h"
#include "cornet/io/scene/mesh_file.h"
#include "cornet/io/scene/scene_parts.h"
#include "cornet/io/toml/read_geometry.h"

namespace cornet {
namespace {

// 1 is group 1.
std::uint32_t readGroups(TableReader& table, std::string_view key, std::uint32_t otherwise) {
  if (!table.has(key)) return otherwise;
  std::uint32_t bits = 0;
  for (const double group : table.numberList(key, 0, Limits::between(1.0, 32.0))) {
    if (group != static_cast<int>(group)) {
      table.refuse(key, fmt::format("group {} is no whole number", group), "groups are numbered from 1 to 32");
      return otherwise;
    }
    bits |= std::uint32_t{1} << (static_cast<int>(group) - 1);
  }
  return bits;
}

Shape makeShape(TableReader& table, const std::string& type, const std::filesystem::path& file) {
  if (type == "height_field") {
    const double dx = table.number("dx", Limits::positive());
    const double dy = table.number("dy", Limits::positive(), dx);
    const HeightData data = readHeights(file);
    return HeightField(data.nx, data.ny, dx > 0.0 ? dx : 1.0, dy > 0.0 ? dy : 1.0, data.heights);
  }
  const double scale = table.number("scale", Limits::positive(), 1.0);
  MeshData mesh = readMesh(file);
  for (Vector3d& x : mesh.vertices) x *= scale;
  if (type == "convex_hull") return ConvexHull(mesh.vertices);
  return TriangleMesh(std::move(mesh.vertices), std::move(mesh.triangles));
}

Shape readShapeFromFile(TableReader& table, const std::filesystem::path& folder) {
  const int before = table.faults();
  const std::string type = table.word("type", {"triangle_mesh", "convex_hull", "height_field"});
  const std::string name = table.string("file");
  if (table.faults() > before) {
    table.ignoreRest();
    return Sphere{};
  }
  const std::string help = "names are relative to the scene file";
  try {
    return makeShape(table, type, folder / name);
  } catch (const FileError& error) {
    table.refuse("file", error.what(), help);
  } catch (const FormatError& error) {
    table.refuse("file", error.what(), "see docs/formats/scene.md");
  } catch (const std::invalid_argument& error) {
    table.refuse("file", error.what(), "see docs/formats/scene.md");
  }
  return Sphere{};
}

}  // namespace

std::vector<AssetShape> readShapes(TableReader& owner, const SceneContext& context, int least) {
  const MaterialTable& materials = context.scene.world.materials;
  const int material = readMaterialName(owner, materials, 0);
  CollisionFilter filter;
  filter.group = readGroups(owner, "groups", filter.group);
  filter.mask = readGroups(owner, "collides_with", filter.mask);
  std::vector<AssetShape> shapes;
  std::vector<TableReader> tables = owner.oneOrMoreTables("shape");
  for (TableReader& table : tables) {
    AssetShape part;
    part.shape = table.has("file") ? readShapeFromFile(table, context.folder) : readShape(table);
    part.X_BS = readPose(table);
    part.material = readMaterialName(table, materials, material);
    part.filter = filter;
    shapes.push_back(std::move(part));
  }
  if (tables.empty() && least > 0) owner.table("shape");  // which tells what is missing
  return shapes;
}

}  // namespace cornet
