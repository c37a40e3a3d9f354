#include "cornet/io/recording/make_header.h"

#include <cstring>
#include <map>

#include <fmt/format.h>

#include "cornet/base/hash.h"

namespace cornet {
namespace {

PoseNumbers toNumbers(const Vector3d& p, const Quaterniond& q) {
  return {p.x(), p.y(), p.z(), q.w(), q.x(), q.y(), q.z()};
}

// Meshes that several shapes share stand in the header once.
class MeshList {
 public:
  explicit MeshList(std::vector<RecordedMesh>& meshes) : meshes_(meshes) {}

  int add(const TriangleMesh& mesh) {
    const auto [place, is_new] = by_address_.try_emplace(mesh.vertices().data(), count());
    if (is_new) meshes_.push_back({flatten(mesh.vertices()), {mesh.triangles().begin(), mesh.triangles().end()}});
    return place->second;
  }

  int add(const Polyhedron& hull) {
    const auto [place, is_new] = by_id_.try_emplace(hull.id(), count());
    if (!is_new) return place->second;
    RecordedMesh mesh{flatten(hull.vertices()), {}};
    for (int f = 0; f < static_cast<int>(hull.faces().size()); ++f) {
      const std::span<const int> loop = hull.loop(f);
      for (std::size_t k = 2; k < loop.size(); ++k) {
        mesh.triangles.insert(mesh.triangles.end(), {loop[0], loop[k - 1], loop[k]});
      }
    }
    meshes_.push_back(std::move(mesh));
    return place->second;
  }

 private:
  int count() const { return static_cast<int>(meshes_.size()); }
  static std::vector<double> flatten(const std::vector<Vector3d>& points) {
    std::vector<double> flat;
    for (const Vector3d& x : points) flat.insert(flat.end(), {x.x(), x.y(), x.z()});
    return flat;
  }
  std::vector<RecordedMesh>& meshes_;
  std::map<const void*, int> by_address_;
  std::map<std::uint64_t, int> by_id_;
};

struct DescribeShape {
  MeshList& meshes;
  using Type = RecordedShapeType;
  RecordedShape operator()(const Sphere& s) const { return {Type::sphere, {}, {s.radius, 0, 0}}; }
  RecordedShape operator()(const Box& s) const { return {Type::box, {}, {s.half().x(), s.half().y(), s.half().z()}}; }
  RecordedShape operator()(const Capsule& s) const { return {Type::capsule, {}, {s.radius, s.half_length, 0}}; }
  RecordedShape operator()(const Cylinder& s) const { return {Type::cylinder, {}, {s.radius, s.half_length, 0}}; }
  RecordedShape operator()(const Cone& s) const { return {Type::cone, {}, {s.radius, s.half_length, 0}}; }
  RecordedShape operator()(const Ellipsoid& s) const {
    return {Type::ellipsoid, {}, {s.radii.x(), s.radii.y(), s.radii.z()}};
  }
  RecordedShape operator()(const ConvexHull& s) const { return {Type::mesh, {}, {}, meshes.add(s.polyhedron())}; }
  RecordedShape operator()(const HalfSpace&) const { return {Type::half_space, {}, {}}; }
  RecordedShape operator()(const TriangleMesh& s) const { return {Type::mesh, {}, {}, meshes.add(s)}; }
  RecordedShape operator()(const HeightField& s) const { return {Type::mesh, {}, {}, meshes.add(s.surface())}; }
  RecordedShape operator()(const Bowl& s) const { return {Type::bowl, {}, {s.radius, 0, 0}}; }
};

// Shapes are placed in the frame of the asset; the recording has the centre of mass for origin.
void addShapes(const std::vector<AssetShape>& shapes, const Vector3d& centre, MeshList& meshes, RecordedBody& body) {
  for (const AssetShape& shape : shapes) {
    body.shapes.push_back(std::visit(DescribeShape{meshes}, shape.shape));
    body.shapes.back().pose = toNumbers(shape.X_BS.p - centre, Quaterniond(shape.X_BS.R));
  }
}

std::string baseName(const std::string& file) { return std::filesystem::path(file).filename().string(); }

void addText(Hash& hash, const std::string& text) {
  hash.add(text.size());
  for (std::size_t at = 0; at < text.size(); at += 8) {
    std::uint64_t word = 0;
    for (std::size_t k = at; k < std::min(at + 8, text.size()); ++k) {
      word |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[k])) << 8 * (k - at);
    }
    hash.add(word);
  }
}

std::vector<NamedText> listOptions(SimulatorOptions options) {
  std::vector<NamedText> list;
  visitOptions(options, [&list](const std::string& name, const auto& field, const std::string&) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_enum_v<Field>) {
      list.emplace_back(name, wordsOf(Field{}).at(static_cast<std::size_t>(field)));
    } else {
      list.emplace_back(name, fmt::format("{}", field));
    }
  });
  return list;
}

}  // namespace

std::vector<int> calcRecordedPlaces(const WorldModel& world) {
  std::vector<int> places(static_cast<std::size_t>(world.totalCount()));
  int next = 0;
  for (; next < world.bodyCount(); ++next) places[static_cast<std::size_t>(next)] = next;
  for (const bool rests : {false, true}) {
    for (int k = 0; k < world.environmentCount(); ++k) {
      if (isAtRest(world.environment(k).motion()) == rests) {
        places[static_cast<std::size_t>(world.environmentBody(k))] = next++;
      }
    }
  }
  return places;
}

RecordingHeader makeRecordingHeader(const WorldModel& world, const SimulatorOptions& options, double dt,
                                    const std::string& title, int record_every) {
  RecordingHeader header;
  header.options = listOptions(options);
  header.title = title;
  header.dt = dt;
  header.record_every = record_every;
  header.gravity = {world.gravity.x(), world.gravity.y(), world.gravity.z()};
  const std::vector<int> places = calcRecordedPlaces(world);
  MeshList meshes(header.meshes);
  header.bodies.resize(places.size());
  for (int i = 0; i < world.bodyCount(); ++i) {
    const AssetInertial& asset = world.body(i);
    const InertialState& start = asset.initial();
    const Matrix3d& I = asset.mass().inertia;
    RecordedBody& body = header.bodies[static_cast<std::size_t>(i)];
    body.name = asset.name();
    body.mass = asset.mass().mass;
    body.pose = toNumbers(start.position, start.orientation);
    body.inertia = {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)};
    body.size = asset.size();
    addShapes(asset.shapes(), asset.centre(), meshes, body);
  }
  for (int k = 0; k < world.environmentCount(); ++k) {
    const AssetEnvironment& asset = world.environment(k);
    const InertialState start = asset.calcState(0.0);
    RecordedBody& body =
        header.bodies[static_cast<std::size_t>(places[static_cast<std::size_t>(world.environmentBody(k))])];
    body.name = asset.name();
    body.motion = isAtRest(asset.motion()) ? RecordedMotion::fixed : RecordedMotion::prescribed;
    body.pose = toNumbers(start.position, start.orientation);
    addShapes(asset.shapes(), Vector3d::Zero(), meshes, body);
  }
  for (const WorldJoint& joint : world.joints()) {
    const Constraint& first = *world.constraints()[static_cast<std::size_t>(joint.first)];
    header.joints.push_back({joint.name, joint.type, {places[first.bodyAIndex()], places[first.bodyBIndex()]}});
  }
  return header;
}

RecordingHeader makeRecordingHeader(const Scene& scene, const std::string& program, const std::string& command,
                                    int record_every) {
  RecordingHeader header = makeRecordingHeader(scene.world, scene.options, scene.dt, scene.title, record_every);
  header.program = program;
  header.command = command;
  for (const SceneParameter& parameter : scene.parameters) header.parameters.emplace_back(parameter.name, parameter.value);
  Hash hash;
  for (const SourceText& source : scene.sources) {
    addText(hash, source.text());
    header.included.emplace_back(baseName(source.name()), source.text());
  }
  header.scene_hash = hash.value();
  if (!header.included.empty()) {  // the last is the scene itself
    std::tie(header.scene_file, header.scene_text) = header.included.back();
    header.included.pop_back();
  }
  header.seed = scene.seed;
  header.duration = scene.duration;
  return header;
}

}  // namespace cornet
