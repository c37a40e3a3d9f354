#include "cornet/io/recording/page_data.h"

#include <bit>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "cornet/io/recording/json_text.h"

namespace cornet {
namespace {

static_assert(std::endian::native == std::endian::little, "the page reads little-endian numbers");

constexpr std::size_t kColumns = 12;

std::array<double, kColumns> listColumns(const FrameNumbers& n) {
  return {n.time, n.kinetic, n.potential, n.dissipated, n.work, n.certificate, n.step_size,
          static_cast<double>(n.rejections), static_cast<double>(n.contacts), static_cast<double>(n.sticking),
          static_cast<double>(n.iterations), static_cast<double>(n.unsolved)};
}

template <class T>
void add(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

template <std::size_t N>
void addFloats(std::string& bytes, const std::array<double, N>& values) {
  for (const double x : values) add(bytes, static_cast<float>(x));
}

std::string integersJson(std::span<const std::int32_t> values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

std::string shapeJson(const RecordedShape& shape, const std::vector<RecordedMesh>& meshes) {
  const auto& [a, b, c] = shape.size;
  std::string sizes;
  switch (shape.type) {
    case RecordedShapeType::sphere:
    case RecordedShapeType::bowl: sizes = fmt::format(R"("radius": {}, )", toJson(a)); break;
    case RecordedShapeType::box: sizes = fmt::format(R"("half_extents": {}, )", toJson(shape.size)); break;
    case RecordedShapeType::capsule:
    case RecordedShapeType::cylinder:
    case RecordedShapeType::cone:
      sizes = fmt::format(R"("radius": {}, "half_length": {}, )", toJson(a), toJson(b));
      break;
    case RecordedShapeType::ellipsoid: sizes = fmt::format(R"("half_axes": {}, )", toJson(shape.size)); break;
    case RecordedShapeType::half_space: break;
    case RecordedShapeType::mesh: {
      const RecordedMesh& mesh = meshes[static_cast<std::size_t>(shape.mesh)];
      sizes = fmt::format(R"("vertices": {}, "triangles": {}, )", toJson(mesh.vertices), integersJson(mesh.triangles));
    }
  }
  return fmt::format(R"({{"type": "{}", {}"pose": {}}})", nameOf(shape.type), sizes, toJson(shape.pose));
}

std::string bodyJson(const RecordedBody& body, const std::vector<RecordedMesh>& meshes) {
  std::string shapes;
  for (const RecordedShape& shape : body.shapes) shapes += (shapes.empty() ? "" : ", ") + shapeJson(shape, meshes);
  return fmt::format(R"({{"name": {}, "moves": {}, "mass": {}, "pose": {}, "shapes": [{}]}})", quoteJson(body.name),
                     body.motion != RecordedMotion::fixed, toJson(body.mass), toJson(body.pose), shapes);
}

// {"name": "text", ...}
std::string textsJson(const std::vector<NamedText>& texts) {
  std::string json;
  for (const auto& [name, value] : texts) {
    json += fmt::format("{}{}: {}", json.empty() ? "" : ", ", quoteJson(name), quoteJson(value));
  }
  return "{" + json + "}";
}

// With sliders those, else the parameters as they were.
std::string parametersJson(const RecordingHeader& header, const std::vector<PageSlider>& sliders) {
  std::string json;
  for (const auto& [name, value] : header.parameters) {
    std::string range;
    for (const PageSlider& slider : sliders) {
      if (slider.name != name) continue;
      range = fmt::format(R"(, "title": {}, "min": {}, "max": {})", quoteJson(slider.title), toJson(slider.min), toJson(slider.max));
    }
    json += fmt::format(R"({}{{"name": {}, "value": {}{}}})", json.empty() ? "" : ", ", quoteJson(name), toJson(value), range);
  }
  return "[" + json + "]";
}

// The simulator's; the page has its own where there is none.
std::string toleranceJson(const RecordingHeader& header) {
  for (const auto& [name, value] : header.options) {
    double tolerance = 0.0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), tolerance);
    if (name != "tolerance" || error != std::errc() || !std::isfinite(tolerance)) continue;
    return fmt::format(R"("tolerance": {}, )", toJson(tolerance));
  }
  return "";
}

}  // namespace

std::string makePageHeader(const RecordingHeader& header, const PageStatus& status) {
  std::string bodies;
  for (const RecordedBody& body : header.bodies) bodies += (bodies.empty() ? "\n  " : ",\n  ") + bodyJson(body, header.meshes);
  const std::string scene = fmt::format(R"({{"file": {}, "text": {}, "hash": "{:016x}"}})", quoteJson(header.scene_file),
                                        quoteJson(header.scene_text), header.scene_hash);
  return fmt::format(
      R"({{"version": {}, "title": {}, "program": {}, "scene": {},
"command": {}, "options": {}, "gravity": {}, "live": {}, "run": {}, "dt": {}, {}"frame_count": {},
"problem": {}, "note": {}, "summary": {},
"bodies": [{}],
"parameters": {}}})",
      kPageVersion, quoteJson(header.title), quoteJson(header.program), scene, quoteJson(header.command),
      textsJson(header.options), toJson(header.gravity), status.live, status.run, toJson(header.dt), toleranceJson(header),
      status.frame_count, quoteJson(status.problem), quoteJson(status.note), textsJson(status.summary), bodies,
      parametersJson(header, status.sliders));
}

std::string makePageHeader(const RecordingReader& reader) {
  return makePageHeader(reader.header(), {.frame_count = reader.frameCount(), .problem = reader.problem()});
}

std::string makePageSeries(std::span<const FrameNumbers> frames) {
  std::string bytes = "CSER";
  add(bytes, kPageVersion);
  add(bytes, static_cast<std::uint32_t>(frames.size()));
  add(bytes, static_cast<std::uint32_t>(kColumns));
  for (std::size_t column = 0; column < kColumns; ++column) {
    for (const FrameNumbers& frame : frames) add(bytes, listColumns(frame)[column]);
  }
  return bytes;
}

std::string makePageFrame(int index, const RecordedFrame& frame) {
  std::string bytes = "CFRM";
  add(bytes, kPageVersion);
  add(bytes, static_cast<std::uint32_t>(index));
  add(bytes, static_cast<std::uint32_t>(frame.tracks.size()));
  add(bytes, static_cast<std::uint32_t>(frame.contacts.size()));
  add(bytes, static_cast<std::uint32_t>(frame.numbers.unsolved == 0));
  for (const double x : listColumns(frame.numbers)) add(bytes, x);
  for (const RecordedTrack& track : frame.tracks) {
    addFloats(bytes, track.pose);
    addFloats(bytes, track.velocity);
  }
  for (const RecordedContact& contact : frame.contacts) {
    add(bytes, contact.bodies);
    add(bytes, contact.point);
    add(bytes, contact.normal);
    add(bytes, contact.mu);
    add(bytes, contact.impulse);
    add(bytes, contact.slip);
    add(bytes, static_cast<std::uint32_t>(contact.state));
    add(bytes, contact.residual);
  }
  return bytes;
}

void addSizedFrame(const std::string& frame, std::string& bytes) {
  add(bytes, static_cast<std::uint32_t>(frame.size()));
  bytes += frame;
}

}  // namespace cornet
