#include "random_mechanism.h"

#include <algorithm>
#include <numbers>

#include <fmt/format.h>

#include "random_ground.h"

namespace cornet::fuzz {
namespace {

constexpr double kExcluded = 0.85;  // share of joined pairs that never touch

// One joint to be: which bodies, and whether they may touch.
struct Link {
  int a = 0, b = 0;
  bool is_excluded = true;
};

class Joiner {
 public:
  Joiner(Random& random, double duration, const MechanismFaults& faults, std::vector<RandomBody>& bodies)
      : random_(random), duration_(duration), faults_(faults), bodies_(bodies) {}

  void placeTree(const Vector3d& origin, bool is_chain);
  void placeLoop(const Vector3d& origin);
  void join();
  void hang(int body, const std::string& hook, bool moves);
  void setVelocities();
  Mechanism result;

 private:
  Link link(int a, int b) { return {a, b, random_.chance(kExcluded)}; }
  double distanceOf(const Link& link);
  bool isFree(int body, const Vector3d& position, int neighbour) const;
  Vector3d drawAnchor(const Vector3d& from, double radius_a, const Vector3d& to, double radius_b);
  void writeJoint(const std::string& a, const std::string& b, const Vector3d& anchor, const Vector3d& p_a,
                  const Vector3d& p_b, double size, double mass);
  std::string writeDrives(bool is_angle, double size, double mass);
  std::string writeLimits(bool is_angle, double size);
  void exclude(const std::string& a, const std::string& b) {
    result.joints += fmt::format("[[exclude]]\na = \"{}\"\nb = \"{}\"\n\n", a, b);
  }

  Random& random_;
  double duration_;
  MechanismFaults faults_;
  std::vector<RandomBody>& bodies_;
  std::vector<Link> links_;
  Vector3d common_axis_ = Vector3d::UnitY();
  bool has_common_axis_ = false;
  bool hangs_ = false;
};

// Balls of bodies that may touch are apart; others may be inside each other.
double Joiner::distanceOf(const Link& link) {
  const double apart = bodies_[link.a].radius + bodies_[link.b].radius;
  return apart * (link.is_excluded && random_.chance(0.4) ? random_.uniform(0.6, 1.0) : random_.uniform(1.01, 1.2));
}

bool Joiner::isFree(int body, const Vector3d& position, int neighbour) const {
  for (int k = 0; k < body; ++k) {
    if (k == neighbour) continue;
    if ((bodies_[k].position - position).norm() < 1.01 * (bodies_[k].radius + bodies_[body].radius)) return false;
  }
  return true;
}

void Joiner::placeTree(const Vector3d& origin, bool is_chain) {
  const Vector3d main = random_.direction();
  bodies_[0].position = origin;
  for (int k = 1; k < static_cast<int>(bodies_.size()); ++k) {
    const Link next = link(is_chain ? k - 1 : random_.index(k), k);
    const double wild = random_.chance(0.5) ? 0.2 : 1.5;
    double distance = distanceOf(next);
    do {
      const Vector3d direction = (main + wild * random_.direction()).normalized();
      bodies_[k].position = bodies_[next.a].position + distance * direction;
      distance *= 1.05;  // until there is room
    } while (!isFree(k, bodies_[k].position, next.a));
    links_.push_back(next);
  }
}

// Around a circle in the plane xz or xy, with hinges that may share an axis.
void Joiner::placeLoop(const Vector3d& origin) {
  const int count = static_cast<int>(bodies_.size());
  double apart = 0.0;
  for (int k = 0; k < count; ++k) {
    apart = std::max(apart, bodies_[k].radius + bodies_[(k + 1) % count].radius);
  }
  const double circle = 0.51 * apart / std::sin(std::numbers::pi / count);
  const bool is_upright = random_.chance(0.5);
  common_axis_ = is_upright ? Vector3d::UnitY() : Vector3d::UnitZ();
  has_common_axis_ = random_.chance(0.6);
  for (int k = 0; k < count; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / count;
    const Vector3d across = is_upright ? Vector3d::UnitZ() : Vector3d::UnitY();
    bodies_[k].position = origin + circle * (std::cos(angle) * Vector3d::UnitX() + std::sin(angle) * across);
    links_.push_back(link(k, (k + 1) % count));
  }
}

// Between the two balls, a little aside.
Vector3d Joiner::drawAnchor(const Vector3d& from, double radius_a, const Vector3d& to, double radius_b) {
  const double share = radius_a / (radius_a + radius_b);
  return from + share * (to - from) + 0.2 * std::min(radius_a, radius_b) * random_.vector(0.0, 1.0);
}

std::string Joiner::writeLimits(bool is_angle, double size) {
  const double span = is_angle ? random_.logUniform(0.01, 3.0) : size * random_.logUniform(0.01, 2.0);
  double lower = -span * random_.uniform(0.0, 1.0);
  double upper = span * random_.uniform(0.0, 1.0);
  if (faults_.limits) {
    lower += 1.5 * span * (is_angle ? 0.5 : 1.0);
    upper = lower + 0.5 * span;
  }
  constexpr double kMostAngle = 3.1;  // what scenes take
  if (is_angle) upper = std::min(upper, kMostAngle);
  const char* unit = is_angle ? "_rad" : "";
  return fmt::format("lower{} = {:.6g}\nupper{} = {:.6g}\n", unit, lower, unit, upper);
}

// Limits and motors; efforts from a tenth to a hundred times what weight asks for.
std::string Joiner::writeDrives(bool is_angle, double size, double mass) {
  std::string text;
  if (random_.chance(0.45)) text += writeLimits(is_angle, size);
  if (random_.chance(0.35)) {
    const double turns = std::min(50.0, random_.logUniform(0.1, 10.0) / duration_);
    const double speed = random_.sign() * turns * (is_angle ? 1.0 : size);
    const double effort = random_.logUniform(0.1, 100.0) * mass * 10.0 * (is_angle ? size : 1.0);
    text += fmt::format("motor_speed = {:.6g}\nmax_effort = {:.6g}\n", speed, effort);
  }
  return text;
}

void Joiner::writeJoint(const std::string& a, const std::string& b, const Vector3d& anchor, const Vector3d& p_a,
                        const Vector3d& p_b, double size, double mass) {
  static const std::vector<std::string> types = {"ball",   "hinge", "hinge", "hinge",
                                                 "slider", "fixed", "distance"};
  const std::string type = has_common_axis_ && random_.chance(0.8) ? "hinge" : random_.pick(types);
  std::string text = fmt::format("[[constraint]]\ntype = \"{}\"\na = \"{}\"\nb = \"{}\"\n", type, a, b);
  if (type == "distance") {
    text += fmt::format("anchor_a = {}\nanchor_b = {}\n", write(p_a), write(p_b));
    if (faults_.distances) text += fmt::format("length = {:.6g}\n", (p_b - p_a).norm() * random_.uniform(0.7, 1.4));
  } else {
    text += fmt::format("anchor = {}\n", write(anchor));
  }
  if (type == "hinge" || type == "slider") {
    const Vector3d axis = has_common_axis_ ? common_axis_ : random_.direction();
    text += fmt::format("axis = {}\n{}", write(axis), writeDrives(type == "hinge", size, mass));
  }
  result.joints += text + "\n";
  // A second length between the same points contradicts the first.
  if (type != "distance" && faults_.distances && random_.chance(0.5)) {
    result.joints += fmt::format("[[constraint]]\ntype = \"distance\"\na = \"{}\"\nb = \"{}\"\n", a, b);
    result.joints += fmt::format("anchor_a = {}\nanchor_b = {}\nlength = {:.6g}\n\n", write(p_a), write(p_b),
                                 (p_b - p_a).norm() * random_.uniform(0.7, 1.4));
  }
}

void Joiner::join() {
  for (const Link& link : links_) {
    const RandomBody& a = bodies_[link.a];
    const RandomBody& b = bodies_[link.b];
    const Vector3d anchor = drawAnchor(a.position, a.radius, b.position, b.radius);
    const Vector3d p_a = a.position + 0.4 * a.radius * random_.direction();
    const Vector3d p_b = b.position + 0.4 * b.radius * random_.direction();
    writeJoint(a.name, b.name, anchor, p_a, p_b, std::max(a.radius, b.radius), std::max(a.mass, b.mass));
    if (link.is_excluded) exclude(a.name, b.name);
  }
}

// From a small ball that stands or moves as prescribed.
void Joiner::hang(int body, const std::string& hook, bool moves) {
  const RandomBody& b = bodies_[body];
  const Vector3d point = b.position + b.radius * random_.vector(0.5, 1.5);
  result.surroundings += fmt::format(
      "[[environment]]\nname = \"{}\"\nshape = {{ type = \"sphere\", radius = {:.6g} }}\nposition = {}\n{}\n", hook,
      0.05 * b.radius, write(point), moves ? drawMotion(random_, b.radius, duration_, true) : "");
  writeJoint(hook, b.name, point, point, b.position + 0.4 * b.radius * random_.direction(), b.radius, b.mass);
  result.hooks.push_back(hook);
  hangs_ = true;
}

// One rigid motion for what is free, which joints allow; now and then velocities that they do not.
void Joiner::setVelocities() {
  const double size = bodies_[0].radius;
  const double speed = std::min(5.0, random_.uniform(0.0, 3.0) * size / duration_);
  const Vector3d velocity = speed * random_.direction();
  Vector3d omega = Vector3d::Zero();
  if (random_.chance(0.3)) omega = random_.logVector(0.1, 30.0);
  const bool is_wild = random_.chance(0.08);
  if ((hangs_ || random_.chance(0.4)) && !is_wild) return;
  const Vector3d centre = bodies_[0].position;
  for (RandomBody& body : bodies_) {
    body.velocity = is_wild ? Vector3d(speed * random_.direction())
                            : Vector3d(velocity + omega.cross(body.position - centre));
    body.omega = omega;
  }
}

}  // namespace

Mechanism joinBodies(Random& random, const Vector3d& origin, double duration, const MechanismFaults& faults,
                     const std::string& prefix, std::vector<RandomBody>& bodies) {
  Joiner joiner(random, duration, faults, bodies);
  const int count = static_cast<int>(bodies.size());
  const double form = random.uniform(0.0, 1.0);
  if (form < 0.35 && count >= 3) {
    joiner.placeLoop(origin);
  } else {
    joiner.placeTree(origin, form < 0.75);
  }
  joiner.join();
  const bool moves = random.chance(0.15);
  if (random.chance(0.55) || count == 1) joiner.hang(0, prefix + "_0", moves);
  if (count > 1 && random.chance(0.2)) joiner.hang(count - 1, prefix + "_1", moves && random.chance(0.5));
  joiner.setVelocities();
  return joiner.result;
}

}  // namespace cornet::fuzz
