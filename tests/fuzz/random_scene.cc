#include "random_scene.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "random_body.h"
#include "random_ground.h"
#include "random_mechanism.h"

namespace cornet::fuzz {
namespace {

constexpr double kFaulty = 0.03;  // share of scenes with each kind of a bad start

class SceneMaker {
 public:
  SceneMaker(Family family, std::uint32_t seed, std::uint32_t index)
      : random_({static_cast<std::uint32_t>(family), seed, index}), family_(family), index_(index) {}
  std::string make();
  void drawTime();
  double step() const { return dt_; }

 private:
  void drawStyle();
  void placeCloud(std::vector<RandomBody>& bodies);
  void placeUpright(std::vector<RandomBody>& bodies);
  void placeMechanisms(std::vector<RandomBody>& bodies);
  void addLooseBodies(int count);
  void drawImpacts();
  void addPlate(const Vector3d& direction, double along, bool is_thin, const std::string& name);
  void throwBodies(std::vector<RandomBody>& bodies);
  void overlapTwo();
  double drawFriction();
  double drawRestitution();
  std::string writeMaterials();
  std::string write() const;

  Random random_;
  Family family_;
  std::uint32_t index_;
  int count_ = 2;
  int steps_ = 100;
  double dt_ = 1e-3;
  double duration_ = 0.1;
  Vector3d gravity_ = Vector3d(0.0, 0.0, -9.81);
  GroundKind ground_kind_ = GroundKind::floor;
  BodyStyle style_;
  std::vector<RandomBody> bodies_;
  std::vector<Mechanism> mechanisms_;
  Ground ground_;
  std::string materials_;
};

// Few bodies mostly, and fewer steps where there are many.
void SceneMaker::drawTime() {
  const double most = random_.chance(0.15) ? 31.0 : 9.0;
  count_ = std::min(30, static_cast<int>(random_.logUniform(2.0, most)));
  if (family_ == Family::mechanisms && random_.chance(0.15)) count_ = 1;
  steps_ = static_cast<int>(random_.uniform(60.0, 150.0) / std::max(1.0, count_ / 7.0));
  dt_ = random_.logUniform(5e-4, 1e-2);
  if (family_ == Family::impacts) {
    count_ = 2 + random_.index(6);
    steps_ = 20 + random_.index(40);
  }
  duration_ = steps_ * dt_;
  if (random_.chance(0.12)) {
    gravity_.setZero();
  } else if (random_.chance(0.05)) {
    gravity_ = random_.vector(1.0, 20.0);
  }
}

void SceneMaker::drawStyle() {
  const double choice = random_.uniform(0.0, 1.0);
  ground_kind_ = choice < 0.4    ? GroundKind::floor
                 : choice < 0.55 ? GroundKind::slope
                 : choice < 0.75 ? GroundKind::box
                 : choice < 0.83 ? GroundKind::bowl
                 : choice < 0.95 ? GroundKind::platform
                                 : GroundKind::none;
  style_.materials = 1 + random_.index(3);
  style_.size = random_.logUniform(0.02, 0.5);
  style_.size_spread = random_.chance(0.15) ? random_.uniform(2.0, 6.0) : random_.uniform(1.0, 1.6);
  style_.size_spread = std::max(1.0, std::min({style_.size_spread, style_.size / 0.01, 1.0 / style_.size}));
  const bool is_mixed = random_.chance(0.5);
  style_.density = is_mixed ? 100.0 : random_.logUniform(0.1, 1e5);
  style_.density_spread = is_mixed ? random_.logUniform(1.0, 1e3) : 1.0;
  style_.has_compounds = random_.chance(0.15);
  style_.shapes = bodyShapes();
  if (ground_kind_ == GroundKind::bowl) style_.shapes = {"sphere", "capsule", "box", "convex_hull"};
  if (random_.chance(0.3)) style_.shapes = {random_.pick(style_.shapes)};
}

// Apart by their balls, in a heap that is as narrow as chance makes it.
void SceneMaker::placeCloud(std::vector<RandomBody>& bodies) {
  const Vector3d form = random_.chance(0.3) ? Vector3d(0.3, 0.3, 1.0) : Vector3d(1.0, 1.0, 1.0);
  double reach = 0.0;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    RandomBody& body = bodies[k];
    reach = std::max(reach, 1.5 * body.radius);
    const auto is_free = [&] {
      return std::ranges::all_of(bodies_, [&](const RandomBody& other) {
        return (other.position - body.position).norm() > 1.001 * (other.radius + body.radius);
      });
    };
    do {
      body.position = random_.inBox(reach * form);
      reach *= 1.02;
    } while (!is_free());
    bodies_.push_back(body);
  }
}

// Each on its end on the ground, or on top of another: what can stand does.
void SceneMaker::placeUpright(std::vector<RandomBody>& bodies) {
  const bool is_stack = random_.chance(0.5);
  const double gap = random_.chance(0.5) ? 1e-6 : 1e-3;  // of their size
  double top = 0.0, along = 0.0;
  for (RandomBody& body : bodies) {
    body.stands = body.half_height > 0.0;
    if (body.stands) body.orientation = expMap(random_.uniform(0.0, 3.0) * Vector3d::UnitZ());
    const double reach = body.extent(Vector3d::UnitZ());
    if (is_stack) {
      const double aside = 0.3 * body.radius;
      body.position = {random_.uniform(-aside, aside), random_.uniform(-aside, aside), top + reach};
      top += (2.0 + gap) * reach;
    } else {
      along += body.radius;
      body.position = {along, 0.0, (1.0 + gap) * reach};
      along += (1.0 + gap) * body.radius;
    }
    bodies_.push_back(body);
  }
}

// One mechanism or two, so far from each other that they cannot begin inside each other.
void SceneMaker::placeMechanisms(std::vector<RandomBody>& bodies) {
  const MechanismFaults faults{random_.chance(kFaulty), random_.chance(kFaulty)};
  const std::size_t groups = bodies.size() >= 6 && random_.chance(0.3) ? 2 : 1;
  double along = 0.0;
  for (std::size_t g = 0; g < groups; ++g) {
    const auto from = static_cast<long>(g * bodies.size() / groups);
    const auto to = static_cast<long>((g + 1) * bodies.size() / groups);
    std::vector<RandomBody> part(bodies.begin() + from, bodies.begin() + to);
    const double largest = std::ranges::max(part, {}, &RandomBody::radius).radius;
    const double reach = 2.5 * largest * static_cast<double>(part.size());
    const Vector3d origin((g == 0 ? 0.0 : along + reach), 0.0, 0.0);
    mechanisms_.push_back(joinBodies(random_, origin, duration_, faults, fmt::format("hook_{}", g), part));
    along = reach;
    bodies_.insert(bodies_.end(), part.begin(), part.end());
  }
}

// Velocities that bring bodies together within the scene, and spins.
void SceneMaker::throwBodies(std::vector<RandomBody>& bodies) {
  if (random_.chance(0.25)) return;
  const double speed = random_.uniform(0.2, 4.0);
  const bool spins = random_.chance(0.5);
  const bool falls = random_.chance(0.5);
  for (RandomBody& body : bodies) {
    const double most = std::min(20.0, speed * body.radius / duration_ * 3.0);
    const Vector3d direction = falls ? Vector3d(random_.direction() - Vector3d::UnitZ()) : random_.direction();
    body.velocity = random_.uniform(0.0, most) * direction;
    if (spins) body.omega = random_.logVector(0.1, 100.0);
  }
}

// One body well into another.
void SceneMaker::overlapTwo() {
  if (bodies_.size() < 2) return;
  RandomBody& moved = bodies_.back();
  const RandomBody& other = bodies_[bodies_.size() - 2];
  const Vector3d way = other.position - moved.position;
  const double depth = random_.uniform(0.1, 0.5) * std::min(moved.radius, other.radius);
  moved.position += (way.norm() - moved.radius - other.radius + depth) * way.normalized();
}

double SceneMaker::drawFriction() {
  if (random_.chance(0.15)) return 0.0;
  return random_.chance(0.75) ? random_.uniform(0.0, 1.2) : random_.uniform(1.0, 5.0);
}

double SceneMaker::drawRestitution() {
  if (random_.chance(0.45)) return 0.0;
  return random_.chance(0.15) ? 1.0 : random_.uniform(0.0, 1.0);
}

std::string SceneMaker::writeMaterials() {
  std::string text;
  for (int k = 0; k < style_.materials; ++k) {
    const double mu = drawFriction();
    const double e = drawRestitution();
    text += fmt::format("[[material]]\nname = \"{}\"\nfriction = {:.6g}\nrestitution = {:.6g}\n\n",
                        k == 0 ? std::string("default") : fmt::format("material_{}", k), mu, e);
  }
  return text;
}

// Beside a mechanism, or in the air above it.
void SceneMaker::addLooseBodies(int count) {
  std::vector<RandomBody> loose;
  for (int k = 0; k < count; ++k) loose.push_back(drawBody(random_, style_, fmt::format("loose_{}", k)));
  throwBodies(loose);
  placeCloud(loose);
}

// Across the row of bodies: a plane, or a plate that bodies may be faster than thick.
void SceneMaker::addPlate(const Vector3d& direction, double along, bool is_thin, const std::string& name) {
  const Quaterniond q = Quaterniond::FromTwoVectors(Vector3d::UnitZ(), -direction).normalized();
  double half = 0.0;
  std::string shape = "type = \"half_space\"";
  if (is_thin) {
    half = style_.size * random_.logUniform(0.02, 0.5);
    shape = fmt::format("type = \"box\", half_extents = {}", fuzz::write(Vector3d(40.0 * style_.size, 40.0 * style_.size, half)));
  }
  ground_.text += fmt::format("[[environment]]\nname = \"{}\"\nshape = {{ {} }}\nposition = {}\nquat_wxyz = {}\n\n", name, shape,
                              fuzz::write((along + half) * direction), writeQuaternion(q));
  ground_.names.push_back(name);
}

// The first of a row is thrown at the others, by up to ten times its size in a step.
void SceneMaker::drawImpacts() {
  style_.materials = 1 + random_.index(2);
  style_.size = random_.logUniform(0.002, 0.05);
  style_.size_spread = random_.uniform(1.0, 3.0);
  style_.density = random_.logUniform(100.0, 1e4);
  style_.density_spread = random_.chance(0.3) ? random_.logUniform(1.0, 30.0) : 1.0;
  style_.shapes = bodyShapes();
  if (random_.chance(0.6)) style_.shapes = {"sphere"};
  if (random_.chance(0.6)) gravity_.setZero();
  const Vector3d direction = random_.direction();
  const double aside = random_.chance(0.5) ? 0.0 : random_.uniform(0.0, 0.7);
  double along = 0.0;
  for (int k = 0; k < count_; ++k) {
    RandomBody body = drawBody(random_, style_, fmt::format("body_{}", k));
    along += body.radius;
    body.position = along * direction + aside * body.radius * random_.direction().cross(direction);
    along += body.radius + style_.size * random_.logUniform(1e-3, 3.0);
    if (k == 0) body.velocity = std::min(50.0, style_.size / dt_ * random_.logUniform(0.05, 10.0)) * direction;
    if (k > 0 && random_.chance(0.2)) body.velocity = style_.size / dt_ * random_.vector(0.0, 0.3);
    if (random_.chance(0.2)) body.omega = random_.logVector(0.1, 100.0);
    bodies_.push_back(body);
  }
  if (random_.chance(0.85)) addPlate(direction, along, random_.chance(0.5), "wall");
  if (random_.chance(0.3)) addPlate(-direction, style_.size * random_.logUniform(1e-3, 3.0), random_.chance(0.5), "back");
  materials_ = writeMaterials();
}

std::string SceneMaker::make() {
  drawTime();
  if (family_ == Family::impacts) {
    drawImpacts();
    return write();
  }
  drawStyle();
  std::vector<RandomBody> bodies;
  for (int k = 0; k < count_; ++k) bodies.push_back(drawBody(random_, style_, fmt::format("body_{}", k)));
  if (family_ == Family::mechanisms) {
    placeMechanisms(bodies);
    if (random_.chance(0.3) || count_ == 1) addLooseBodies(1 + random_.index(3));
  } else if (random_.chance(0.3)) {
    placeUpright(bodies);
    if (random_.chance(0.3)) throwBodies(bodies_);
  } else {
    throwBodies(bodies);
    placeCloud(bodies);
  }
  const double gap = style_.size * random_.logUniform(1e-5, 0.5);
  ground_ = drawGround(random_, ground_kind_, bodies_, gap, style_.materials, duration_);
  if (family_ == Family::bodies && random_.chance(kFaulty)) overlapTwo();
  materials_ = writeMaterials();
  return write();
}

std::string SceneMaker::write() const {
  std::string text = fmt::format("version = 1\ntitle = \"{} {}\"\nduration = {:.10g}\ndt = {:.10g}\ngravity = {}\n\n",
                                 nameOf(family_), index_, duration_, dt_,
                                 fuzz::write(gravity_));
  text += materials_;
  for (const RandomBody& body : bodies_) text += fuzz::write(body);
  text += ground_.text;
  for (const Mechanism& mechanism : mechanisms_) text += mechanism.surroundings;
  for (const Mechanism& mechanism : mechanisms_) {
    text += mechanism.joints;
    for (const std::string& hook : mechanism.hooks) {
      for (const RandomBody& body : bodies_) {
        text += fmt::format("[[exclude]]\na = \"{}\"\nb = \"{}\"\n\n", hook, body.name);
      }
    }
  }
  return text;
}

}  // namespace

std::string_view nameOf(Family family) {
  switch (family) {
    case Family::bodies: return "bodies";
    case Family::mechanisms: return "mechanisms";
    case Family::impacts: return "impacts";
  }
  return "";
}

std::string makeRandomScene(Family family, std::uint32_t seed, std::uint32_t index) {
  return SceneMaker(family, seed, index).make();
}

double drawStep(Family family, std::uint32_t seed, std::uint32_t index) {
  SceneMaker maker(family, seed, index);
  maker.drawTime();
  return maker.step();
}

}  // namespace cornet::fuzz
