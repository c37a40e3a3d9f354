#include "cornet/io/recording/page_data.h"

#include <bit>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "cornet/io/recording/json_text.h"

namespace cornet {
namespace {

static_assert(std::endian::native == std::endian::little, "the page reads little-endian numbers");

constexpr std::size_t kColumns = 20;

std::array<double, kColumns> listColumns(const FrameNumbers& n) {
  return {n.time, n.kinetic, n.potential, n.dissipated, n.work, n.certificate, n.step_size,
          static_cast<double>(n.rejections), static_cast<double>(n.contacts), static_cast<double>(n.sticking),
          static_cast<double>(n.iterations), static_cast<double>(n.unsolved), static_cast<double>(n.inaccurate),
          n.closure, n.new_overlap, n.unexplained, n.momentum, n.energy_gain, static_cast<double>(n.worst_measure),
          static_cast<double>(n.worst_body)};
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
  return fmt::format(R"({{"name": {}, "moves": {}, "mass": {}, "size": {}, "pose": {}, "shapes": [{}]}})", quoteJson(body.name),
                     body.motion != RecordedMotion::fixed, toJson(body.mass), toJson(body.size), toJson(body.pose), shapes);
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

// A number among the simulator's options, as `"key": number, `; nothing where there is none.
std::string optionJson(const RecordingHeader& header, std::string_view key) {
  for (const auto& [name, value] : header.options) {
    double number = 0.0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (name != key || error != std::errc() || !std::isfinite(number)) continue;
    return fmt::format(R"("{}": {}, )", key, toJson(number));
  }
  return "";
}

// Tolerance and bounds of certificates; the page has its own where there are none.
std::string boundsJson(const RecordingHeader& header) {
  // Overlap and open joints of compliant steps have no bound.
  const auto integrator = std::ranges::find(header.options, "integrator", [](const auto& option) { return option.first; });
  const bool is_compliant = integrator != header.options.end() && integrator->second == "icf";
  std::string json;
  for (const std::string_view key : {"tolerance", "closure_bound", "overlap_bound", "motion_bound", "momentum_bound", "energy_bound"}) {
    const bool has_none = is_compliant && (key == "closure_bound" || key == "overlap_bound");
    json += has_none ? fmt::format(R"("{}": 1e300, )", key) : optionJson(header, key);
  }
  return json;
}

std::string jointJson(const RecordedJoint& joint) {
  return fmt::format(R"({{"name": {}, "type": {}, "bodies": {}}})", quoteJson(joint.name), quoteJson(joint.type),
                     integersJson(joint.bodies));
}

}  // namespace

std::string makePageHeader(const RecordingHeader& header, const PageStatus& status) {
  std::string bodies;
  for (const RecordedBody& body : header.bodies) bodies += (bodies.empty() ? "\n  " : ",\n  ") + bodyJson(body, header.meshes);
  std::string joints;
  for (const RecordedJoint& joint : header.joints) joints += (joints.empty() ? "\n  " : ",\n  ") + jointJson(joint);
  const std::string scene = fmt::format(R"({{"file": {}, "text": {}, "hash": "{:016x}"}})", quoteJson(header.scene_file),
                                        quoteJson(header.scene_text), header.scene_hash);
  return fmt::format(
      R"({{"version": {}, "title": {}, "program": {}, "scene": {},
"command": {}, "options": {}, "gravity": {}, "live": {}, "run": {}, "dt": {}, {}"frame_count": {},
"problem": {}, "note": {}, "summary": {},
"bodies": [{}],
"joints": [{}],
"parameters": {}}})",
      kPageVersion, quoteJson(header.title), quoteJson(header.program), scene, quoteJson(header.command),
      textsJson(header.options), toJson(header.gravity), status.live, status.run, toJson(header.dt), boundsJson(header),
      status.frame_count, quoteJson(status.problem), quoteJson(status.note), textsJson(status.summary), bodies, joints,
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
  add(bytes, static_cast<std::uint32_t>((frame.numbers.unsolved == 0 ? 1 : 0) + (frame.numbers.inaccurate == 0 ? 2 : 0)));
  add(bytes, static_cast<std::uint32_t>(frame.joints.size()));
  for (const double x : listColumns(frame.numbers)) add(bytes, x);
  for (const RecordedTrack& track : frame.tracks) {
    addFloats(bytes, track.pose);
    addFloats(bytes, track.velocity);
  }
  for (const RecordedJointState& joint : frame.joints) {
    addFloats(bytes, std::array{joint.position, joint.rate, joint.error});
    addFloats(bytes, joint.force);
    addFloats(bytes, joint.torque);
    addFloats(bytes, std::array{joint.effort, joint.power});
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
