#include "steps/mjcf.h"

#include <stdexcept>

#include <Eigen/Geometry>
#include <fmt/format.h>

namespace cornet::bench {
namespace {

std::string text(const Vector3d& x) { return fmt::format("{} {} {}", x[0], x[1], x[2]); }
std::string text(const Quaterniond& q) { return fmt::format("{} {} {} {}", q.w(), q.x(), q.y(), q.z()); }

std::string typeOf(const Shape& shape) {
  if (const auto* box = std::get_if<Box>(&shape)) return fmt::format("type=\"box\" size=\"{}\"", text(box->half()));
  if (const auto* ball = std::get_if<Sphere>(&shape)) return fmt::format("type=\"sphere\" size=\"{}\"", ball->radius);
  if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    return fmt::format("type=\"capsule\" size=\"{} {}\"", capsule->radius, capsule->half_length);
  }
  if (std::holds_alternative<HalfSpace>(shape)) return "type=\"plane\" size=\"0 0 1\"";
  throw std::invalid_argument("a shape that is not written as MJCF");
}

// Shapes in the frame whose origin is p_OB of the asset's. The friction of a pair is the larger one there: equal
// to ours for one material.
std::string geomsOf(const WorldModel& world, const std::vector<AssetShape>& shapes, const Vector3d& p_OB) {
  std::string geoms;
  for (const AssetShape& shape : shapes) {
    geoms += fmt::format("<geom {} pos=\"{}\" quat=\"{}\" friction=\"{} 0.005 0.0001\"/>", typeOf(shape.shape),
                         text(Vector3d(shape.X_BS.p - p_OB)), text(Quaterniond(shape.X_BS.R)),
                         world.materials[shape.material].friction);
  }
  return geoms;
}

std::string bodyOf(const WorldModel& world, const AssetInertial& body) {
  const InertialState& state = body.initial();
  const Matrix3d& I = body.mass().inertia;
  return fmt::format(
      "<body pos=\"{}\" quat=\"{}\"><freejoint/>"
      "<inertial pos=\"0 0 0\" mass=\"{}\" fullinertia=\"{} {} {} {} {} {}\"/>{}</body>\n",
      text(state.position), text(state.orientation), body.mass().mass, I(0, 0), I(1, 1), I(2, 2), I(0, 1),
      I(0, 2), I(1, 2), geomsOf(world, body.shapes(), body.centre()));
}

}  // namespace

std::string toMjcf(const Scene& scene) {
  const WorldModel& world = scene.world;
  std::string bodies;
  for (int k = 0; k < world.environmentCount(); ++k) {
    const InertialState state = world.environment(k).calcState(0.0);
    bodies += fmt::format("<body pos=\"{}\" quat=\"{}\">{}</body>\n", text(state.position), text(state.orientation),
                          geomsOf(world, world.environment(k).shapes(), Vector3d::Zero()));
  }
  for (int i = 0; i < world.bodyCount(); ++i) bodies += bodyOf(world, world.body(i));
  return fmt::format(
      "<mujoco><option timestep=\"{}\" gravity=\"{}\"/><size memory=\"1G\"/>"
      "<worldbody>\n{}</worldbody></mujoco>\n",
      scene.dt, text(world.gravity), bodies);
}

}  // namespace cornet::bench
