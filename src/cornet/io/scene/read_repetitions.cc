#include <cmath>
#include <cstdint>
#include <numbers>

#include <fmt/format.h>

#include "cornet/io/scene/scene_parts.h"
#include "cornet/io/toml/read_geometry.h"

/// Many bodies from one table. Names carry indices from 0: brick[3,4].
namespace cornet {
namespace {

// The generator s = (1664525 s + 1013904223) mod 2³², which anybody can repeat.
class Random {
 public:
  explicit Random(std::uint32_t seed) : state_(seed) {}
  double unit() {
    state_ = 1664525u * state_ + 1013904223u;
    return state_ / 4294967296.0;
  }
  double symmetric() { return 2.0 * unit() - 1.0; }
  // Uniform over all orientations.
  Quaterniond orientation() {
    const double u1 = unit(), u2 = unit(), u3 = unit();
    const double a = std::sqrt(1.0 - u1), b = std::sqrt(u1), turn = 2.0 * std::numbers::pi;
    return {a * std::sin(turn * u2), a * std::cos(turn * u2), b * std::sin(turn * u3), b * std::cos(turn * u3)};
  }

 private:
  std::uint32_t state_;
};

// What every repetition has: a name, a template, a place.
struct Repeated {
  std::string name;
  Pose pose;
  BodyTemplate item;
};

Repeated readRepeated(TableReader& table, const SceneContext& context) {
  const int before = table.faults();
  Repeated repeated;
  repeated.name = table.string("name");
  repeated.pose = readPose(table);
  repeated.item = readBodyTemplate(table, context);
  repeated.item.good = table.faults() == before;
  return repeated;
}

// Edge lengths of the box around all shapes of the template, turned as they will stand.
Vector3d sizeOf(const Repeated& repeated) {
  Vector3d lower = Vector3d::Zero(), upper = Vector3d::Zero();
  if (!repeated.item.good) return Vector3d::Ones();
  for (std::size_t k = 0; k < repeated.item.shapes.size(); ++k) {
    const AssetShape& part = repeated.item.shapes[k];
    if (isStatic(part.shape)) return Vector3d::Ones();  // refused when the body is made
    const Bounds bounds = calcBounds(part.shape, Pose(repeated.pose.R, Vector3d::Zero()) * part.X_BS);
    lower = k == 0 ? bounds.lower : Vector3d(lower.cwiseMin(bounds.lower));
    upper = k == 0 ? bounds.upper : Vector3d(upper.cwiseMax(bounds.upper));
  }
  return upper - lower;
}

// More bodies than that are a slip of the pen.
constexpr int kMostBodies = 20000;

bool allowCount(TableReader& table, double count) {
  if (count <= kMostBodies) return true;
  table.refuse("count", fmt::format("these are {:.3g} bodies", count), fmt::format("expected at most {}", kMostBodies));
  return false;
}

// Rows of items, `position` in the middle of the lowest layer; jittered and turned on request.
void readGrid(TableReader& table, const SceneContext& context, bool is_pile) {
  Repeated grid = readRepeated(table, context);
  const int before = table.faults();
  const std::vector<int> count = table.integers("count", 3, 1);
  const Vector3d pitch = table.vector3("pitch", Limits::positive());
  const double jitter = is_pile ? table.number("jitter", Limits::atLeast(0.0), 0.0) : 0.0;
  const bool turned = is_pile && table.boolean("random_orientation", false);
  const int seed = is_pile ? table.integer("seed", Limits::atLeast(0), context.scene.seed) : 0;
  grid.item.good = grid.item.good && table.faults() == before;
  if (!allowCount(table, double(count[0]) * count[1] * count[2])) return;
  Random random(static_cast<std::uint32_t>(seed));
  for (int k = 0; k < count[2]; ++k) {
    for (int j = 0; j < count[1]; ++j) {
      for (int i = 0; i < count[0]; ++i) {
        Pose pose = grid.pose;
        Vector3d offset((i - (count[0] - 1) / 2.0) * pitch.x(), (j - (count[1] - 1) / 2.0) * pitch.y(),
                        k * pitch.z());
        if (is_pile) {
          offset.x() += jitter * random.symmetric();
          offset.y() += jitter * random.symmetric();
        }
        if (turned) pose.R = random.orientation().toRotationMatrix();
        pose.p += offset;
        addBody(table, grid.item, fmt::format("{}[{},{},{}]", grid.name, i, j, k), pose, context.scene.world);
      }
    }
  }
}

// One upon the other; `position` is where the lowest stands.
void readStack(TableReader& table, const SceneContext& context) {
  const bool has_masses = table.has("masses");
  const std::vector<double> masses =
      has_masses ? table.numberList("masses", 1, Limits::positive()) : std::vector<double>();
  Repeated stack = readRepeated(table, context);
  const int count = has_masses ? static_cast<int>(masses.size())
                               : table.integer("count", Limits::between(1, kMostBodies), 1);
  const double height = table.number("pitch", Limits::positive(), sizeOf(stack).z());
  for (int k = 0; k < count; ++k) {
    Pose pose = stack.pose;
    pose.p.z() += 0.5 * height * (2 * k + 1);
    addBody(table, stack.item, fmt::format("{}[{}]", stack.name, k), pose, context.scene.world,
            has_masses ? std::optional(masses[k]) : std::nullopt);
  }
}

// Bricks in rows along x, every other row shifted; `position` is where the first one stands.
void readWall(TableReader& table, const SceneContext& context) {
  const Repeated wall = readRepeated(table, context);
  const int rows = table.integer("rows", Limits::between(1, 1000));
  const int columns = table.integer("columns", Limits::between(1, 1000));
  const double gap = table.number("gap", Limits::atLeast(0.0), 0.0);
  const Vector3d size = sizeOf(wall);
  const double shift = table.number("shift", {}, 0.5 * (size.x() + gap));
  for (int k = 0; k < rows; ++k) {
    for (int i = 0; i < columns; ++i) {
      Pose pose = wall.pose;
      pose.p += Vector3d(i * (size.x() + gap) + (k % 2) * shift, 0.0, 0.5 * size.z() * (2 * k + 1));
      addBody(table, wall.item, fmt::format("{}[{},{}]", wall.name, k, i), pose, context.scene.world);
    }
  }
}

// Items at equal steps; `position` is that of the first.
void readLine(TableReader& table, const SceneContext& context) {
  const Repeated line = readRepeated(table, context);
  const int count = table.integer("count", Limits::between(1, kMostBodies));
  const Vector3d step = table.vector3("step");
  for (int k = 0; k < count; ++k) {
    Pose pose = line.pose;
    pose.p += k * step;
    addBody(table, line.item, fmt::format("{}[{}]", line.name, k), pose, context.scene.world);
  }
}

// Corners of a wedge whose middle lies on x, in the frame of the ring's centre.
std::vector<Vector3d> makeWedge(double r_in, double r_out, double depth, double half_angle) {
  std::vector<Vector3d> corners;
  for (const double y : {-0.5 * depth, 0.5 * depth}) {
    for (const double r : {r_in, r_out}) {
      for (const double sign : {-1.0, 1.0}) {
        corners.emplace_back(r * std::cos(half_angle), y, sign * r * std::sin(half_angle));
      }
    }
  }
  return corners;
}

// Equal wedges around `position` in the plane xz, from angle `begin` to `end` counted from x towards z.
void readRing(TableReader& table, const SceneContext& context) {
  const int before = table.faults();
  const std::string name = table.string("name");
  const Pose pose = readPose(table);
  const int count = table.integer("count", Limits::between(2, 10000));
  const double r_in = table.number("inner_radius", Limits::positive());
  const double r_out = table.number("outer_radius", Limits::positive());
  const double depth = table.number("depth", Limits::positive());
  const double begin = table.angle("begin", 0.0);
  const double end = table.angle("end", std::numbers::pi);
  AssetShape part;
  part.material = readMaterialName(table, context.scene.world.materials, 0);
  if (table.faults() > before) return table.ignoreRest();
  const double half = 0.5 * (end - begin) / count;
  if (!(r_out > r_in && half > 0.0 && half < 0.5)) {
    table.refuse("", "these wedges are no ring",
                 "expected inner_radius < outer_radius, begin < end, and wedges of less than 57 degrees");
    return table.ignoreRest();
  }
  part.shape = ConvexHull(makeWedge(r_in, r_out, depth, half));
  BodyTemplate item = readBodyTemplate(table, context, {part});
  for (int k = 0; k < count; ++k) {
    // Turned about -y, which leads from x to z.
    const Pose turned(expMap(-(begin + (2 * k + 1) * half) * Vector3d::UnitY()), Vector3d::Zero());
    addBody(table, item, fmt::format("{}[{}]", name, k), pose * turned, context.scene.world);
  }
}

}  // namespace

void readRepetitions(TableReader& root, const SceneContext& context) {
  for (TableReader& table : root.tables("grid")) readGrid(table, context, false);
  for (TableReader& table : root.tables("pile")) readGrid(table, context, true);
  for (TableReader& table : root.tables("stack")) readStack(table, context);
  for (TableReader& table : root.tables("wall")) readWall(table, context);
  for (TableReader& table : root.tables("line")) readLine(table, context);
  for (TableReader& table : root.tables("ring")) readRing(table, context);
}

}  // namespace cornet
