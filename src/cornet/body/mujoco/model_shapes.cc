#include "cornet/body/mujoco/model_shapes.h"

#include <array>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {
namespace {

Vector3d vectorAt(const mjtNum* x) { return {x[0], x[1], x[2]}; }
Quaterniond quaternionAt(const mjtNum* x) { return {x[0], x[1], x[2], x[3]}; }

ConvexHull makeHull(const mjModel& m, int mesh) {
  std::vector<Vector3d> points;
  const float* x = m.mesh_vert + 3 * m.mesh_vertadr[mesh];
  for (int k = 0; k < m.mesh_vertnum[mesh]; ++k, x += 3) points.emplace_back(x[0], x[1], x[2]);
  return ConvexHull(points);
}

HeightField makeHeights(const mjModel& m, int field) {
  const int nx = m.hfield_ncol[field], ny = m.hfield_nrow[field];
  const mjtNum* size = m.hfield_size + 4 * field;
  std::vector<double> heights;
  for (int k = 0; k < nx * ny; ++k) heights.push_back(size[2] * static_cast<double>(m.hfield_data[m.hfield_adr[field] + k]));
  return HeightField(nx, ny, 2.0 * size[0] / (nx - 1), 2.0 * size[1] / (ny - 1), heights);
}

std::optional<Shape> makeShape(const mjModel& m, int geom) {
  const Vector3d size = vectorAt(m.geom_size + 3 * geom);
  switch (m.geom_type[geom]) {
    case mjGEOM_PLANE: return HalfSpace{};
    case mjGEOM_SPHERE: return Sphere{size[0]};
    case mjGEOM_CAPSULE: return Capsule{size[0], size[1]};
    case mjGEOM_ELLIPSOID: return Ellipsoid{size};
    case mjGEOM_CYLINDER: return Cylinder{size[0], size[1]};
    case mjGEOM_BOX: return Box(size);
    case mjGEOM_MESH: return makeHull(m, m.geom_dataid[geom]);
    case mjGEOM_HFIELD: return makeHeights(m, m.geom_dataid[geom]);
    default: return {};
  }
}

}  // namespace

std::string nameOf(const mjModel& m, int kind, int number) {
  const char* name = mj_id2name(&m, kind, number);
  if (name != nullptr && *name != '\0') return name;
  return fmt::format("{} {}", mju_type2Str(kind), number);
}

std::vector<ModelShape> readShapes(const mjModel& m, const mjData& d) {
  std::vector<ModelShape> shapes;
  for (int geom = 0; geom < m.ngeom; ++geom) {
    ModelShape shape;
    shape.name = nameOf(m, mjOBJ_GEOM, geom);
    shape.body = m.geom_bodyid[geom];
    try {
      shape.shape = makeShape(m, geom);
    } catch (const std::invalid_argument&) {
      // a mesh without volume, a height field of one row: listed as not used
    }
    const int carrier = m.body_weldid[shape.body];
    const Pose X_MS(quaternionAt(d.geom_xquat + 4 * geom), vectorAt(d.geom_xpos + 3 * geom));
    const bool moves = m.body_treeid[shape.body] >= 0 || m.body_mocapid[carrier] >= 0;
    const Pose X_MB = moves ? Pose(quaternionAt(d.xquat + 4 * carrier), vectorAt(d.xpos + 3 * carrier)) : Pose();
    shape.X_BS = X_MB.inverse() * X_MS;
    shape.friction = m.geom_friction[3 * geom];
    shape.is_smooth = m.geom_condim[geom] == 1;
    shape.priority = m.geom_priority[geom];
    shape.type = static_cast<std::uint32_t>(m.geom_contype[geom]);
    shape.affinity = static_cast<std::uint32_t>(m.geom_conaffinity[geom]);
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace cornet
