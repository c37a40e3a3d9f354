#include "random_ground.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace cornet::fuzz {
namespace {

// How far bodies reach along a direction, seen from the origin.
double calcReach(const std::vector<RandomBody>& bodies, const Vector3d& direction) {
  double reach = -std::numeric_limits<double>::max();
  for (const RandomBody& body : bodies) {
    reach = std::max(reach, direction.dot(body.position) + body.extent(direction));
  }
  return reach;
}

// Solid below a plane that all bodies are above, with a gap.
void addPlane(const Vector3d& normal, double gap, const std::string& name, const std::string& looks,
              const std::vector<RandomBody>& bodies, Ground& ground) {
  const Quaterniond q = Quaterniond::FromTwoVectors(Vector3d::UnitZ(), normal).normalized();
  ground.text += fmt::format(
      "[[environment]]\nname = \"{}\"\nshape = {{ type = \"half_space\" }}\nposition = {}\nquat_wxyz = {}\n{}\n", name,
      write(-(calcReach(bodies, -normal) + gap) * normal), writeQuaternion(q), looks);
  ground.names.push_back(name);
}

void addWalls(double gap, const std::string& looks, const std::vector<RandomBody>& bodies, Ground& ground) {
  for (int k = 0; k < 6; ++k) {
    Vector3d normal = Vector3d::Zero();
    normal[k / 2] = k % 2 == 0 ? 1.0 : -1.0;
    addPlane(normal, gap, fmt::format("wall_{}", k), looks, bodies, ground);
  }
}

void addBowl(double gap, const std::string& looks, const std::vector<RandomBody>& bodies, Ground& ground) {
  double radius = 0.0;
  for (const RandomBody& body : bodies) radius = std::max(radius, body.position.norm() + body.radius);
  ground.text += fmt::format("[[environment]]\nname = \"bowl\"\nshape = {{ type = \"bowl\", radius = {:.6g} }}\n{}\n",
                             radius + gap, looks);
  ground.names.emplace_back("bowl");
}

// A solid box below all bodies, wide enough for most, with edges to fall from.
void addPlatform(double gap, const std::string& looks, const std::vector<RandomBody>& bodies, Ground& ground) {
  const double x = std::max(calcReach(bodies, Vector3d::UnitX()), calcReach(bodies, -Vector3d::UnitX()));
  const double y = std::max(calcReach(bodies, Vector3d::UnitY()), calcReach(bodies, -Vector3d::UnitY()));
  const double top = -calcReach(bodies, -Vector3d::UnitZ()) - gap;
  const Vector3d half(x, 0.7 * y, 0.3 * std::max(x, y));
  ground.text += fmt::format(
      "[[environment]]\nname = \"platform\"\nshape = {{ type = \"box\", half_extents = {} }}\nposition = {}\n{}\n",
      write(half), write(Vector3d(0.0, 0.0, top - half.z())), looks);
  ground.names.emplace_back("platform");
}

}  // namespace

std::string drawMotion(Random& random, double reach, double duration, bool may_turn) {
  const double speed = std::min(3.0, random.uniform(0.1, 2.0) * reach / duration);
  switch (random.index(may_turn ? 4 : 3)) {
    case 0:
      return fmt::format("motion = {{ type = \"steady\", velocity = {} }}\n", write(speed * random.direction()));
    case 1: {
      const double frequency = random.logUniform(0.5, 20.0);
      const double amplitude = std::min(0.3 * reach, speed / (6.3 * frequency));
      const double phase = random.uniform(0.0, 360.0);
      return fmt::format(
          "motion = {{ type = \"oscillation\", amplitude = {}, frequency = {:.6g}, phase_deg = {:.6g} }}\n",
          write(amplitude * random.direction()), frequency, phase);
    }
    case 2:
      return fmt::format("surface_velocity = {}\n", write(speed * random.direction().cwiseProduct(Vector3d(1, 1, 0))));
    default: {
      const Vector3d axis = random.chance(0.5) ? Vector3d(Vector3d::UnitZ()) : random.direction();
      return fmt::format("motion = {{ type = \"steady\", omega = {} }}\n", write(random.logUniform(0.1, 10.0) * axis));
    }
  }
}

Ground drawGround(Random& random, GroundKind kind, const std::vector<RandomBody>& bodies, double gap, int materials,
                  double duration) {
  Ground ground;
  const int number = random.index(materials);
  const std::string material = number == 0 ? "default" : fmt::format("material_{}", number);
  const bool moves = random.chance(0.35);
  const double reach = calcReach(bodies, Vector3d::UnitX()) + calcReach(bodies, -Vector3d::UnitX());
  const std::string looks = fmt::format("material = \"{}\"\n{}", material,
                                        moves ? drawMotion(random, reach, duration, kind != GroundKind::box) : "");
  switch (kind) {
    case GroundKind::none: break;
    case GroundKind::floor: addPlane(Vector3d::UnitZ(), gap, "floor", looks, bodies, ground); break;
    case GroundKind::slope: {
      const Vector3d normal = (Vector3d::UnitZ() + random.vector(0.1, 0.9)).normalized();
      addPlane(normal, gap, "slope", looks, bodies, ground);
      if (random.chance(0.3)) {
        addPlane(Vector3d::UnitZ(), gap, "floor", fmt::format("material = \"{}\"\n", material), bodies, ground);
      }
      break;
    }
    case GroundKind::box: addWalls(gap, looks, bodies, ground); break;
    case GroundKind::bowl: addBowl(gap, looks, bodies, ground); break;
    case GroundKind::platform: addPlatform(gap, looks, bodies, ground); break;
  }
  return ground;
}

}  // namespace cornet::fuzz
