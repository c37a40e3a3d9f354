#include "random_body.h"

#include <algorithm>
#include <numbers>

#include <fmt/format.h>

namespace cornet::fuzz {
namespace {

// A shape in the frame of its own: keys of its table, and a ball and a volume for it.
struct DrawnShape {
  std::vector<std::string> keys;
  double radius = 0.0;
  double half_height = 0.0;
  double volume = 0.0;
};

// Half lengths along three axes: mostly stout, now and then flat or long.
Vector3d drawHalves(Random& random, double size) {
  const double least = random.chance(0.1) ? 0.1 : 0.4;
  const double x = size * random.uniform(least, 1.0);
  const double y = size * random.uniform(least, 1.0);
  return {x, y, size * random.uniform(least, 1.0)};
}

DrawnShape drawRound(Random& random, const std::string& type, double size) {
  const Vector3d half = drawHalves(random, size);
  const double radius = half.x(), length = half.z();
  DrawnShape shape;
  shape.keys = {fmt::format("type = \"{}\"", type), fmt::format("radius = {:.6g}", radius),
                fmt::format("half_length = {:.6g}", length)};
  const double disc = std::numbers::pi * radius * radius;
  if (type == "capsule") {
    shape.radius = radius + length;
    shape.volume = disc * (2.0 * length + 4.0 / 3.0 * radius);
  } else {
    shape.radius = std::hypot(radius, length);
    shape.half_height = length;
    shape.volume = 2.0 * disc * length / (type == "cone" ? 3.0 : 1.0);
  }
  return shape;
}

// Points in all eight octants, so that the frame's origin is inside.
DrawnShape drawHull(Random& random, double size) {
  DrawnShape shape;
  std::string list;
  const int more = random.index(5);
  for (int k = 0; k < 8 + more; ++k) {
    Vector3d x = random.inBox(Vector3d::Constant(size)).cwiseAbs() + Vector3d::Constant(0.2 * size);
    if (k < 8) x = x.cwiseProduct(Vector3d(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1));
    shape.radius = std::max(shape.radius, x.norm());
    list += fmt::format("{}{}", k == 0 ? "" : ", ", write(x));
  }
  shape.keys = {"type = \"convex_hull\"", fmt::format("points = [{}]", list)};
  shape.volume = 2.0 * size * size * size;
  return shape;
}

DrawnShape drawShape(Random& random, const std::string& type, double size) {
  if (type == "convex_hull") return drawHull(random, size);
  DrawnShape shape;
  if (type == "sphere") {
    const double radius = size * random.uniform(0.4, 1.0);
    shape.keys = {"type = \"sphere\"", fmt::format("radius = {:.6g}", radius)};
    shape.radius = radius;
    shape.volume = 4.2 * std::pow(radius, 3);
  } else if (type == "box") {
    const Vector3d half = drawHalves(random, size);
    shape.keys = {"type = \"box\"", fmt::format("half_extents = {}", write(half))};
    shape.radius = half.norm();
    shape.half_height = half.z();
    shape.volume = 8.0 * half.prod();
  } else if (type == "ellipsoid") {
    const Vector3d radii = drawHalves(random, size);
    shape.keys = {"type = \"ellipsoid\"", fmt::format("radii = {}", write(radii))};
    shape.radius = radii.maxCoeff();
    shape.volume = 4.2 * radii.prod();
  } else {
    shape = drawRound(random, type, size);
  }
  return shape;
}

// Two or three shapes that hang together.
void drawCompound(Random& random, const BodyStyle& style, double size, RandomBody& body) {
  const int count = 2 + random.index(2);
  for (int k = 0; k < count; ++k) {
    const DrawnShape shape = drawShape(random, random.pick(style.shapes), 0.6 * size);
    const Vector3d offset = 0.6 * size * random.direction();
    body.shape_text += fmt::format("[[body.shape]]\n{}\nposition = {}\nquat_wxyz = {}\n", fmt::join(shape.keys, "\n"),
                                   write(offset), writeQuaternion(random.rotation()));
    body.radius = std::max(body.radius, offset.norm() + shape.radius);
    body.mass += body.density * shape.volume;
  }
}

}  // namespace

const std::vector<std::string>& bodyShapes() {
  static const std::vector<std::string> types = {"sphere", "box",       "capsule",    "cylinder",
                                                 "cone",   "ellipsoid", "convex_hull"};
  return types;
}

std::string write(const Vector3d& x) { return fmt::format("[{:.6g}, {:.6g}, {:.6g}]", x.x(), x.y(), x.z()); }

std::string writeQuaternion(const Quaterniond& q) {
  return fmt::format("[{}, {}, {}, {}]", q.w(), q.x(), q.y(), q.z());
}

RandomBody drawBody(Random& random, const BodyStyle& style, const std::string& name) {
  RandomBody body;
  body.name = name;
  body.density = style.density * random.logUniform(1.0 / style.density_spread, style.density_spread);
  const int material = random.index(style.materials);
  body.material = material == 0 ? "default" : fmt::format("material_{}", material);
  body.orientation = random.rotation();
  const double size = style.size * random.logUniform(1.0 / style.size_spread, style.size_spread);
  if (style.has_compounds && random.chance(0.3)) {
    drawCompound(random, style, size, body);
    return body;
  }
  const std::string type = random.pick(style.shapes);
  const DrawnShape shape = drawShape(random, type, size);
  body.shape_text = fmt::format("shape = {{ {} }}\n", fmt::join(shape.keys, ", "));
  body.radius = shape.radius;
  body.half_height = shape.half_height;
  body.mass = body.density * shape.volume;
  return body;
}

std::string write(const RandomBody& body) {
  std::string text = fmt::format("[[body]]\nname = \"{}\"\ndensity = {:.6g}\nposition = {}\nquat_wxyz = {}\n",
                                 body.name, body.density, write(body.position), writeQuaternion(body.orientation));
  if (!body.velocity.isZero(0.0)) text += fmt::format("velocity = {}\n", write(body.velocity));
  if (!body.omega.isZero(0.0)) text += fmt::format("omega = {}\n", write(body.omega));
  text += fmt::format("material = \"{}\"\n{}\n", body.material, body.shape_text);
  return text;
}

}  // namespace cornet::fuzz
