#include "cornet/io/recording/export_gltf.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/io/file_replacement.h"
#include "cornet/io/format_error.h"
#include "cornet/io/recording/draw_mesh.h"
#include "cornet/io/recording/json_text.h"

namespace cornet {
namespace {

static_assert(std::endian::native == std::endian::little, "glTF is little-endian");

constexpr int kFloat = 5126, kUnsigned = 5125;               // component types
constexpr int kVertices = 34962, kIndices = 34963;           // targets of buffer views
constexpr std::size_t kMostBytes = 4'000'000'000u;           // lengths in a .glb have 32 bits

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",\n  ") + part;
  return text;
}

std::string poseJson(const PoseNumbers& pose) {
  const std::array<float, 3> p = {static_cast<float>(pose[0]), static_cast<float>(pose[1]), static_cast<float>(pose[2])};
  const double norm = std::sqrt(pose[3] * pose[3] + pose[4] * pose[4] + pose[5] * pose[5] + pose[6] * pose[6]);
  std::array<float, 4> q = {0, 0, 0, 1};
  for (std::size_t k = 0; k < 4 && norm > 0.0; ++k) q[k] = static_cast<float>(pose[k == 3 ? 3 : k + 4] / norm);
  return fmt::format(R"("translation": {}, "rotation": {})", toJson(p), toJson(q));
}

// Collects the binary part, and the JSON that points into it.
class GlbBuilder {
 public:
  std::vector<std::string> nodes, meshes, samplers, channels;

  // Returns the number of the accessor.
  int addFloats(std::span<const float> values, int width, bool with_bounds, int target = 0) {
    const char* type = width == 1 ? "SCALAR" : width == 3 ? "VEC3" : "VEC4";
    std::string bounds;
    if (with_bounds) {
      std::vector<float> low(values.begin(), values.begin() + width), high = low;
      for (std::size_t k = 0; k < values.size(); ++k) {
        const std::size_t d = k % static_cast<std::size_t>(width);
        low[d] = std::min(low[d], values[k]);
        high[d] = std::max(high[d], values[k]);
      }
      bounds = fmt::format(R"(, "min": {}, "max": {})", toJson(low), toJson(high));
    }
    return addAccessor(values.data(), values.size_bytes(), values.size() / static_cast<std::size_t>(width), kFloat,
                       type + std::string("\"") + bounds, target);
  }
  int addIndices(std::span<const std::uint32_t> values) {
    return addAccessor(values.data(), values.size_bytes(), values.size(), kUnsigned, "SCALAR\"", kIndices);
  }

  std::string finish(const std::string& rest) const;

 private:
  int addAccessor(const void* data, std::size_t bytes, std::size_t count, int component, const std::string& type,
                  int target) {
    views_.push_back(fmt::format(R"({{"buffer": 0, "byteOffset": {}, "byteLength": {}{}}})", binary_.size(), bytes,
                                 target == 0 ? "" : fmt::format(R"(, "target": {})", target)));
    accessors_.push_back(fmt::format(R"({{"bufferView": {}, "componentType": {}, "count": {}, "type": "{}}})",
                                     views_.size() - 1, component, count, type));
    binary_.append(static_cast<const char*>(data), bytes);  // a multiple of four
    if (binary_.size() > kMostBytes) {
      throw std::runtime_error("the animation is larger than the 4 GB of a .glb: leave frames out with --every N");
    }
    return static_cast<int>(accessors_.size()) - 1;
  }
  std::vector<std::string> views_, accessors_;
  std::string binary_;
};

void addWord(std::string& bytes, std::size_t value) {
  const auto word = static_cast<std::uint32_t>(value);
  bytes.append(reinterpret_cast<const char*>(&word), 4);
}

// Header, JSON chunk, binary chunk.
std::string GlbBuilder::finish(const std::string& rest) const {
  std::string json = "{" + rest;
  const auto add = [&json](const char* name, const std::vector<std::string>& parts) {
    if (!parts.empty()) json += fmt::format(",\n\"{}\": [\n  {}]", name, joined(parts));
  };
  add("nodes", nodes);
  add("meshes", meshes);
  if (!channels.empty()) {
    json += fmt::format(",\n\"animations\": [{{\"name\": \"recording\", \"channels\": [\n  {}],\n \"samplers\": [\n  {}]}}]",
                        joined(channels), joined(samplers));
  }
  add("accessors", accessors_);
  add("bufferViews", views_);
  if (!binary_.empty()) json += fmt::format(",\n\"buffers\": [{{\"byteLength\": {}}}]", binary_.size());
  json += "}";
  json.append((4 - json.size() % 4) % 4, ' ');
  std::string bytes = "glTF";
  addWord(bytes, 2);
  addWord(bytes, 12 + 8 + json.size() + (binary_.empty() ? 0 : 8 + binary_.size()));
  addWord(bytes, json.size());
  bytes += "JSON" + json;
  if (binary_.empty()) return bytes;
  addWord(bytes, binary_.size());
  bytes += std::string("BIN\0", 4) + binary_;
  return bytes;
}

// Draw meshes, each once for all shapes that are alike.
class MeshNodes {
 public:
  MeshNodes(const RecordingHeader& header, GlbBuilder& glb) : header_(header), glb_(glb) {
    for (const RecordedBody& body : header.bodies) {
      for (int d = 0; d < 3; ++d) reach_ = std::max(reach_, 3.0 * std::abs(body.pose[static_cast<std::size_t>(d)]));
    }
  }

  // Number of the mesh; -1 when there is nothing to draw.
  int add(const RecordedShape& shape, bool moves) {
    const Key key{shape.type, shape.size, shape.mesh, moves};
    const auto [place, is_new] = known_.try_emplace(key, -1);
    if (!is_new) return place->second;
    const RecordedMesh mesh = makeDrawMesh(shape, header_.meshes, reach_);
    if (mesh.triangles.empty()) return -1;
    const std::vector<float> vertices(mesh.vertices.begin(), mesh.vertices.end());
    const std::vector<std::uint32_t> indices(mesh.triangles.begin(), mesh.triangles.end());
    const int positions = glb_.addFloats(vertices, 3, true, kVertices);
    const int triangles = glb_.addIndices(indices);
    glb_.meshes.push_back(fmt::format(
        R"({{"name": "{}", "primitives": [{{"attributes": {{"POSITION": {}}}, "indices": {}, "material": {}}}]}})",
        nameOf(shape.type), positions, triangles, moves ? 0 : 1));
    return place->second = static_cast<int>(glb_.meshes.size()) - 1;
  }

 private:
  using Key = std::tuple<RecordedShapeType, std::array<double, 3>, int, bool>;
  const RecordingHeader& header_;
  GlbBuilder& glb_;
  double reach_ = 5.0;  // [m] half side of planes
  std::map<Key, int> known_;
};

struct Tracks {
  std::vector<float> times;
  std::vector<std::vector<float>> positions, rotations;  // by body
};

// Frames in single precision. Times must ascend, and rotations take the short way.
Tracks readTracks(const RecordingReader& reader, int every) {
  const auto count = static_cast<std::size_t>(reader.header().trackCount());
  Tracks tracks;
  tracks.positions.resize(count);
  tracks.rotations.resize(count);
  RecordedFrame frame;
  for (int k = 0; k < reader.frameCount(); k = std::min(k + every, std::max(k + 1, reader.frameCount() - 1))) {
    reader.readFrame(k, frame);
    if (const std::string problem = findProblem(reader.header(), frame); !problem.empty()) {
      throw std::runtime_error(fmt::format("frame {} (t = {} s): {}; glTF has no such number", k, frame.numbers.time, problem));
    }
    const auto time = static_cast<float>(frame.numbers.time);
    if (!tracks.times.empty() && time <= tracks.times.back()) continue;
    tracks.times.push_back(time);
    for (std::size_t i = 0; i < count; ++i) {
      const PoseNumbers& pose = frame.tracks[i].pose;
      std::vector<float>& q = tracks.rotations[i];
      for (std::size_t d = 0; d < 3; ++d) tracks.positions[i].push_back(static_cast<float>(pose[d]));
      const double norm = std::sqrt(pose[3] * pose[3] + pose[4] * pose[4] + pose[5] * pose[5] + pose[6] * pose[6]);
      double along = 0.0;
      if (q.size() >= 4) {
        const float* last = &q[q.size() - 4];
        along = pose[4] * last[0] + pose[5] * last[1] + pose[6] * last[2] + pose[3] * last[3];
      }
      const double scale = norm > 0.0 ? (along < 0.0 ? -1.0 : 1.0) / norm : 0.0;
      for (const std::size_t d : {4, 5, 6, 3}) q.push_back(static_cast<float>(scale * pose[d]));
      if (norm == 0.0) q.back() = 1.0f;
    }
  }
  return tracks;
}

}  // namespace

std::string makeGlb(const RecordingReader& reader, int every) {
  const RecordingHeader& header = reader.header();
  if (reader.frameCount() == 0) throw std::invalid_argument("the recording has no frame");
  if (every < 1) throw std::invalid_argument(fmt::format("every {} frames: expected at least 1", every));
  const Tracks tracks = readTracks(reader, every);
  GlbBuilder glb;
  MeshNodes meshes(header, glb);

  // Node 0 turns the world; bodies 1 .. n hang on it, shapes on them.
  std::vector<std::string> shape_nodes;
  std::string roots;
  const std::size_t body_count = header.bodies.size();
  glb.nodes.resize(1 + body_count);
  for (std::size_t i = 0; i < body_count; ++i) {
    const RecordedBody& body = header.bodies[i];
    std::string children;
    for (const RecordedShape& shape : body.shapes) {
      const int mesh = meshes.add(shape, body.motion == RecordedMotion::moves);
      if (mesh < 0) continue;
      children += fmt::format("{}{}", children.empty() ? "" : ", ", 1 + body_count + shape_nodes.size());
      shape_nodes.push_back(fmt::format(R"({{"mesh": {}, {}}})", mesh, poseJson(shape.pose)));
    }
    glb.nodes[1 + i] = fmt::format(R"({{"name": {}, {}{}}})", quoteJson(body.name), poseJson(body.pose),
                                   children.empty() ? "" : fmt::format(R"(, "children": [{}])", children));
    roots += fmt::format("{}{}", i == 0 ? "" : ", ", 1 + i);
  }
  glb.nodes[0] = fmt::format(R"({{"name": "world", "rotation": [-0.70710677, 0, 0, 0.70710677]{}}})",
                             roots.empty() ? "" : fmt::format(R"(, "children": [{}])", roots));
  glb.nodes.insert(glb.nodes.end(), shape_nodes.begin(), shape_nodes.end());

  if (tracks.times.size() > 1 && !tracks.positions.empty()) {
    const int times = glb.addFloats(tracks.times, 1, true);
    for (std::size_t i = 0; i < tracks.positions.size(); ++i) {
      const int positions = glb.addFloats(tracks.positions[i], 3, false);
      const int rotations = glb.addFloats(tracks.rotations[i], 4, false);
      for (const auto& [output, path] : {std::pair(positions, "translation"), std::pair(rotations, "rotation")}) {
        glb.channels.push_back(fmt::format(R"({{"sampler": {}, "target": {{"node": {}, "path": "{}"}}}})",
                                           glb.samplers.size(), 1 + i, path));
        glb.samplers.push_back(fmt::format(R"({{"input": {}, "output": {}, "interpolation": "LINEAR"}})", times, output));
      }
    }
  }
  const auto material = [](const char* name, const char* colour) {
    return fmt::format(R"({{"name": "{}", "doubleSided": true, "pbrMetallicRoughness": {{"baseColorFactor": {}, "metallicFactor": 0, "roughnessFactor": 0.8}}}})",
                       name, colour);
  };
  return glb.finish(fmt::format(
      "\"asset\": {{\"version\": \"2.0\", \"generator\": {}}},\n\"scene\": 0,\n\"scenes\": [{{\"nodes\": [0]}}]{}",
      quoteJson(header.program),
      glb.meshes.empty() ? "" : ",\n\"materials\": [" + material("bodies", "[0.85, 0.55, 0.25, 1]") + ",\n  " +
                                    material("surroundings", "[0.6, 0.62, 0.65, 1]") + "]"));
}

void exportGltf(const RecordingReader& reader, int every, const std::filesystem::path& file) {
  replaceFile(file, makeGlb(reader, every));
}

}  // namespace cornet
