#include "cornet/io/recording/header_file.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cornet/io/format_error.h"

namespace cornet {
namespace {

std::vector<std::string> firsts(const std::vector<NamedText>& list) {
  std::vector<std::string> texts;
  for (const NamedText& item : list) texts.push_back(item.first);
  return texts;
}

std::vector<std::string> seconds(const std::vector<NamedText>& list) {
  std::vector<std::string> texts;
  for (const NamedText& item : list) texts.push_back(item.second);
  return texts;
}

void writeRun(const RecordingHeader& header, Hdf5TableWriter& file) {
  file.writeText("/run/program", header.program);
  file.writeText("/run/command", header.command);
  file.writeTexts("/run/option_names", firsts(header.options));
  file.writeTexts("/run/option_values", seconds(header.options));
  file.write("/run/dt", std::array{header.dt});
  file.write("/run/duration", std::array{header.duration});
  file.write("/run/seed", std::array{std::int32_t{header.seed}});
  file.write("/run/record_every", std::array{std::int32_t{header.record_every}});
}

void writeScene(const RecordingHeader& header, Hdf5TableWriter& file) {
  file.writeText("/scene/title", header.title);
  file.writeText("/scene/file", header.scene_file);
  file.writeText("/scene/text", header.scene_text);
  file.writeTexts("/scene/included_files", firsts(header.included));
  file.writeTexts("/scene/included_texts", seconds(header.included));
  file.write("/scene/hash", std::array{header.scene_hash});
  file.write("/scene/gravity", header.gravity);
  std::vector<std::string> names;
  std::vector<double> values;
  for (const auto& [name, value] : header.parameters) {
    names.push_back(name);
    values.push_back(value);
  }
  file.writeTexts("/scene/parameter_names", names);
  file.write("/scene/parameter_values", values);
}

void writeBodies(const RecordingHeader& header, Hdf5TableWriter& file) {
  std::vector<std::string> names;
  std::vector<std::int32_t> motion, shape_body, shape_type, shape_mesh;
  std::vector<double> mass, pose, inertia, size, shape_pose, shape_size;
  for (std::size_t i = 0; i < header.bodies.size(); ++i) {
    const RecordedBody& body = header.bodies[i];
    names.push_back(body.name);
    motion.push_back(static_cast<std::int32_t>(body.motion));
    mass.push_back(body.mass);
    pose.insert(pose.end(), body.pose.begin(), body.pose.end());
    inertia.insert(inertia.end(), body.inertia.begin(), body.inertia.end());
    size.push_back(body.size);
    for (const RecordedShape& shape : body.shapes) {
      shape_body.push_back(static_cast<std::int32_t>(i));
      shape_type.push_back(static_cast<std::int32_t>(shape.type));
      shape_mesh.push_back(shape.mesh);
      shape_pose.insert(shape_pose.end(), shape.pose.begin(), shape.pose.end());
      shape_size.insert(shape_size.end(), shape.size.begin(), shape.size.end());
    }
  }
  file.writeTexts("/bodies/name", names);
  file.write("/bodies/motion", motion);
  file.write("/bodies/mass", mass);
  file.write("/bodies/pose", pose, 7);
  file.write("/bodies/inertia", inertia, 6);
  file.write("/bodies/size", size);
  file.write("/shapes/body", shape_body);
  file.write("/shapes/type", shape_type);
  file.write("/shapes/pose", shape_pose, 7);
  file.write("/shapes/size", shape_size, 3);
  file.write("/shapes/mesh", shape_mesh);
}

void writeMeshes(const RecordingHeader& header, Hdf5TableWriter& file) {
  std::vector<double> vertices;
  std::vector<std::int32_t> triangles, vertex_end, triangle_end;
  for (const RecordedMesh& mesh : header.meshes) {
    vertices.insert(vertices.end(), mesh.vertices.begin(), mesh.vertices.end());
    triangles.insert(triangles.end(), mesh.triangles.begin(), mesh.triangles.end());
    vertex_end.push_back(static_cast<std::int32_t>(vertices.size() / 3));
    triangle_end.push_back(static_cast<std::int32_t>(triangles.size() / 3));
  }
  file.write("/meshes/vertices", vertices, 3);
  file.write("/meshes/triangles", triangles, 3);
  file.write("/meshes/vertex_end", vertex_end);
  file.write("/meshes/triangle_end", triangle_end);
}

void writeJoints(const RecordingHeader& header, Hdf5TableWriter& file) {
  std::vector<std::string> names, types;
  std::vector<std::int32_t> bodies;
  for (const RecordedJoint& joint : header.joints) {
    names.push_back(joint.name);
    types.push_back(joint.type);
    bodies.insert(bodies.end(), joint.bodies.begin(), joint.bodies.end());
  }
  file.writeTexts("/joints/name", names);
  file.writeTexts("/joints/type", types);
  file.write("/joints/bodies", bodies, 2);
}

// Reads datasets and compares them with each other.
class HeaderReader {
 public:
  explicit HeaderReader(const Hdf5TableReader& file) : file_(file) {}

  void require(bool fine, const std::string& path, const std::string& found, const std::string& expected) const {
    if (!fine) throw FormatError(file_.file(), path, found, expected);
  }
  std::vector<double> numbers(const std::string& path, std::size_t count) const {
    std::vector<double> values = file_.readDoubles(path);
    requireCount(path, values.size(), count);
    const auto bad = std::ranges::find_if(values, [](double x) { return !std::isfinite(x); });
    require(bad == values.end(), path, "a number that is not finite", "finite numbers");
    return values;
  }
  std::vector<std::int32_t> integers(const std::string& path, std::size_t count, int lowest, int highest) const {
    std::vector<std::int32_t> values = file_.readInts(path);
    requireCount(path, values.size(), count);
    for (const std::int32_t value : values) {
      require(value >= lowest && value <= highest, path, fmt::format("{}", value),
              fmt::format("integers from {} to {}", lowest, highest));
    }
    return values;
  }
  std::vector<NamedText> pairs(const std::string& names, const std::string& texts) const {
    const std::vector<std::string> first = file_.readTexts(names), second = file_.readTexts(texts);
    requireCount(texts, second.size(), first.size());
    std::vector<NamedText> list;
    for (std::size_t k = 0; k < first.size(); ++k) list.emplace_back(first[k], second[k]);
    return list;
  }
  void requireCount(const std::string& path, std::size_t found, std::size_t expected) const {
    require(found == expected, path, fmt::format("{} entries", found), fmt::format("{}", expected));
  }

  int readKind() const;
  void readRun(RecordingHeader& header) const;
  void readScene(RecordingHeader& header) const;
  void readMeshes(RecordingHeader& header) const;
  void readBodies(RecordingHeader& header) const;
  void readShapes(RecordingHeader& header) const;
  void readJoints(RecordingHeader& header) const;

 private:
  const Hdf5TableReader& file_;
};

int HeaderReader::readKind() const {
  require(file_.exists("/format") && file_.readText("/format") == kRecordingFormat, "/format",
          "an HDF5 file of another kind", "a recording (cornet run --record)");
  const std::vector<std::int32_t> version = file_.readInts("/version");
  requireCount("/version", version.size(), 1);
  require(version[0] >= 1 && version[0] <= kRecordingVersion, "/version", fmt::format("version {}", version[0]),
          fmt::format("at most {}; a newer cornet reads it", kRecordingVersion));
  return version[0];
}

void HeaderReader::readRun(RecordingHeader& header) const {
  constexpr int kMost = std::numeric_limits<int>::max();
  header.program = file_.readText("/run/program");
  header.command = file_.readText("/run/command");
  header.options = pairs("/run/option_names", "/run/option_values");
  header.dt = numbers("/run/dt", 1)[0];
  header.duration = numbers("/run/duration", 1)[0];
  header.seed = integers("/run/seed", 1, std::numeric_limits<int>::min(), kMost)[0];
  header.record_every = integers("/run/record_every", 1, 1, kMost)[0];
}

void HeaderReader::readScene(RecordingHeader& header) const {
  header.title = file_.readText("/scene/title");
  header.scene_file = file_.readText("/scene/file");
  header.scene_text = file_.readText("/scene/text");
  header.included = pairs("/scene/included_files", "/scene/included_texts");
  header.scene_hash = file_.readKey("/scene/hash");
  std::ranges::copy(numbers("/scene/gravity", 3), header.gravity.begin());
  const std::vector<std::string> names = file_.readTexts("/scene/parameter_names");
  const std::vector<double> values = numbers("/scene/parameter_values", names.size());
  for (std::size_t k = 0; k < names.size(); ++k) header.parameters.emplace_back(names[k], values[k]);
}

void HeaderReader::readMeshes(RecordingHeader& header) const {
  const std::vector<double> vertices = file_.readDoubles("/meshes/vertices");
  const std::vector<std::int32_t> triangles = file_.readInts("/meshes/triangles");
  const auto points = static_cast<int>(vertices.size() / 3), faces = static_cast<int>(triangles.size() / 3);
  requireCount("/meshes/vertices", vertices.size(), 3 * static_cast<std::size_t>(points));
  requireCount("/meshes/triangles", triangles.size(), 3 * static_cast<std::size_t>(faces));
  const std::vector<std::int32_t> vertex_end = file_.readInts("/meshes/vertex_end");
  const std::vector<std::int32_t> triangle_end = integers("/meshes/triangle_end", vertex_end.size(), 0, faces);
  int vertex = 0, triangle = 0;
  for (std::size_t k = 0; k < vertex_end.size(); ++k) {
    require(vertex_end[k] >= vertex && vertex_end[k] <= points && triangle_end[k] >= triangle, "/meshes/vertex_end",
            fmt::format("mesh {} that ends before it begins", k), "ascending ends");
    RecordedMesh mesh{{vertices.begin() + 3 * vertex, vertices.begin() + 3 * vertex_end[k]},
                      {triangles.begin() + 3 * triangle, triangles.begin() + 3 * triangle_end[k]}};
    for (const std::int32_t corner : mesh.triangles) {
      require(corner >= 0 && corner < vertex_end[k] - vertex, "/meshes/triangles",
              fmt::format("vertex {} in mesh {}", corner, k), fmt::format("less than {}", vertex_end[k] - vertex));
    }
    header.meshes.push_back(std::move(mesh));
    vertex = vertex_end[k];
    triangle = triangle_end[k];
  }
}

void HeaderReader::readBodies(RecordingHeader& header) const {
  const std::vector<std::string> names = file_.readTexts("/bodies/name");
  const std::vector<std::int32_t> motion = integers("/bodies/motion", names.size(), 0, 2);
  const std::vector<double> mass = numbers("/bodies/mass", names.size());
  const std::vector<double> pose = numbers("/bodies/pose", 7 * names.size());
  require(std::ranges::is_sorted(motion), "/bodies/motion", "a fixed body before one that moves",
          "those that move first");
  for (std::size_t i = 0; i < names.size(); ++i) {
    RecordedBody body;
    body.name = names[i];
    body.motion = static_cast<RecordedMotion>(motion[i]);
    body.mass = mass[i];
    std::copy_n(pose.begin() + static_cast<std::ptrdiff_t>(7 * i), 7, body.pose.begin());
    header.bodies.push_back(std::move(body));
  }
  if (!file_.exists("/bodies/inertia")) return;  // version 1
  const std::vector<double> inertia = numbers("/bodies/inertia", 6 * names.size());
  const std::vector<double> size = numbers("/bodies/size", names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::copy_n(inertia.begin() + static_cast<std::ptrdiff_t>(6 * i), 6, header.bodies[i].inertia.begin());
    header.bodies[i].size = size[i];
  }
}

void HeaderReader::readJoints(RecordingHeader& header) const {
  if (!file_.exists("/joints/name")) return;  // version 1
  const std::vector<std::string> names = file_.readTexts("/joints/name"), types = file_.readTexts("/joints/type");
  requireCount("/joints/type", types.size(), names.size());
  const std::vector<std::int32_t> bodies =
      integers("/joints/bodies", 2 * names.size(), 0, static_cast<int>(header.bodies.size()) - 1);
  for (std::size_t j = 0; j < names.size(); ++j) {
    header.joints.push_back({names[j], types[j], {bodies[2 * j], bodies[2 * j + 1]}});
  }
}

void HeaderReader::readShapes(RecordingHeader& header) const {
  const auto bodies = static_cast<int>(header.bodies.size());
  const std::size_t count = file_.readInts("/shapes/body").size();
  const std::vector<std::int32_t> body = integers("/shapes/body", count, 0, bodies - 1);
  const std::vector<std::int32_t> type = integers("/shapes/type", count, 0, static_cast<int>(RecordedShapeType::mesh));
  const std::vector<std::int32_t> mesh =
      integers("/shapes/mesh", count, -1, static_cast<int>(header.meshes.size()) - 1);
  const std::vector<double> pose = numbers("/shapes/pose", 7 * count);
  const std::vector<double> size = numbers("/shapes/size", 3 * count);
  for (std::size_t k = 0; k < count; ++k) {
    RecordedShape shape;
    shape.type = static_cast<RecordedShapeType>(type[k]);
    shape.mesh = mesh[k];
    require((shape.type == RecordedShapeType::mesh) == (mesh[k] >= 0), "/shapes/mesh",
            fmt::format("{} for shape {}, a {}", mesh[k], k, nameOf(shape.type)), "a mesh for shapes that are one");
    std::copy_n(pose.begin() + static_cast<std::ptrdiff_t>(7 * k), 7, shape.pose.begin());
    std::copy_n(size.begin() + static_cast<std::ptrdiff_t>(3 * k), 3, shape.size.begin());
    header.bodies[static_cast<std::size_t>(body[k])].shapes.push_back(shape);
  }
}

}  // namespace

void writeHeader(const RecordingHeader& header, Hdf5TableWriter& file) {
  file.writeText("/format", kRecordingFormat);
  file.write("/version", std::array{std::int32_t{kRecordingVersion}});
  writeRun(header, file);
  writeScene(header, file);
  writeBodies(header, file);
  writeMeshes(header, file);
  writeJoints(header, file);
}

RecordingHeader readHeader(const Hdf5TableReader& file) {
  const HeaderReader reader(file);
  RecordingHeader header;
  header.version = reader.readKind();
  reader.readRun(header);
  reader.readScene(header);
  reader.readBodies(header);
  reader.readMeshes(header);
  reader.readShapes(header);
  reader.readJoints(header);
  return header;
}

}  // namespace cornet
