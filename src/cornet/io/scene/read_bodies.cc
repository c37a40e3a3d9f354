#include <fmt/format.h>

#include "cornet/io/scene/scene_parts.h"
#include "cornet/io/toml/read_geometry.h"

namespace cornet {
namespace {

std::optional<Matrix3d> readInertia(TableReader& table) {
  if (table.has("inertia_matrix")) {
    const std::vector<Vector3d> rows = table.points("inertia_matrix", 3);
    if (rows.size() < 3) return {};
    Matrix3d inertia;
    for (int k = 0; k < 3; ++k) inertia.row(k) = rows[k].transpose();
    return inertia;
  }
  if (!table.has("inertia")) return {};
  return Matrix3d(table.vector3("inertia", Limits::positive()).asDiagonal());
}

void readMass(TableReader& table, BodyTemplate& item) {
  const bool has_density = table.has("density");
  if (table.has("mass")) item.mass = table.number("mass", Limits::positive());
  if (has_density) item.density = table.number("density", Limits::positive());
  item.inertia = readInertia(table);
  item.centre = table.vector3("centre", {}, Vector3d(Vector3d::Zero()));
  if (item.mass && item.density) {
    table.refuse("density", "mass and density are both given", "keep one of them");
  } else if (item.inertia && !item.mass) {
    table.refuse("", "an inertia needs a mass", "add mass, in kg");
  } else if (!item.inertia && table.has("centre")) {
    table.refuse("centre", "a centre needs an inertia", "without one both follow from the shapes");
  }
}

AssetInertial makeBody(const BodyTemplate& item, const std::string& name, std::optional<double> mass) {
  if (!mass) mass = item.mass;
  if (item.inertia) return {name, {*mass, *item.inertia}, item.shapes, item.centre};
  if (mass) return AssetInertial::fromMass(name, item.shapes, *mass);
  constexpr double kWater = 1000.0;  // [kg/m³] when nothing is said
  return AssetInertial::fromDensity(name, item.shapes, item.density.value_or(kWater));
}

}  // namespace

BodyTemplate readBodyTemplate(TableReader& table, const SceneContext& context) {
  const bool may_be_bare = table.has("inertia") || table.has("inertia_matrix");
  return readBodyTemplate(table, context, readShapes(table, context, may_be_bare ? 0 : 1));
}

BodyTemplate readBodyTemplate(TableReader& table, const SceneContext&, std::vector<AssetShape> shapes) {
  const int before = table.faults();
  BodyTemplate item;
  item.shapes = std::move(shapes);
  readMass(table, item);
  const Vector3d zero = Vector3d::Zero();
  item.velocity = table.vector3("velocity", {}, zero);
  item.omega = table.vector3("omega", {}, zero);
  item.linear_drag = table.number("linear_drag", Limits::atLeast(0.0), 0.0);
  item.angular_drag = table.number("angular_drag", Limits::atLeast(0.0), 0.0);
  item.good = table.faults() == before;
  return item;
}

void addBody(TableReader& table, const BodyTemplate& item, const std::string& name, const Pose& X_WO,
             WorldModel& world, std::optional<double> mass) {
  if (!item.good) {
    // A stand-in, so that what names the body finds one.
    if (world.find(name) < 0 && !name.empty()) world.addBody({name, MassProperties{}});
    return;
  }
  guard(table, "", "see docs/formats/scene.md", [&] {
    AssetInertial body = makeBody(item, name, mass);
    body.place(X_WO.p, Quaterniond(X_WO.R)).setVelocity(item.velocity, item.omega);
    body.setDrag(item.linear_drag, item.angular_drag);
    world.addBody(std::move(body));
  });
}

void readBodies(TableReader& root, const SceneContext& context) {
  for (TableReader& table : root.tables("body")) {
    const int before = table.faults();
    const std::string name = table.string("name");
    const Pose pose = readPose(table);
    BodyTemplate item = readBodyTemplate(table, context);
    item.good = table.faults() == before;
    addBody(table, item, name, pose, context.scene.world);
  }
}

}  // namespace cornet
