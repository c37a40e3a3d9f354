#include "cornet/sim/start.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "cornet/math/rotation.h"
#include "cornet/sim/penetration_pass.h"
#include "cornet/world/constraint_error.h"

namespace cornet {
namespace {

constexpr double kOverlap = 1e-12;       // [m] shallower ones are rounding
constexpr double kOpenJoint = 1e-9;      // of the size of the smaller body
constexpr double kMendProximal = 1e-3;   // compliance: a round leaves this much of what it mends
constexpr int kMendRounds = 40;
constexpr double kLargestTurn = 0.5;     // [rad] and sizes: further than that rows say little
constexpr double kMendedMotion = 1e-14;  // of the size: a round that moves less is the last

class PositionProblem {
 public:
  PositionProblem(const WorldModel& world, bool with_contacts)
      : world_(world), with_contacts_(with_contacts), detector_(world.makeDetector()), pass_(kMendProximal) {}

  /// Moves the free bodies of `state` to where the faults are least; trees stay where they are.
  void solve(State& state) {
    for (int round = 0; round < kMendRounds; ++round) {
      collectRows(state);
      if (rows_.empty()) return;
      move_.setZero(6 * world_.freeCount());
      pass_.run(M_, rows_, move_);
      if (!move_.allFinite() || !advance(state)) return;
    }
  }

 private:
  void collectRows(const State& state);
  void addConstraintRows(ConstraintView view);
  void addContactRows(const State& state);
  void addRow(const HeldRow& row);
  bool advance(State& state) const;

  const WorldModel& world_;
  bool with_contacts_;
  Detector detector_;
  PenetrationPass pass_;
  BlockDiagonalMatrix M_;
  std::vector<HeldRow> rows_;
  VectorXd move_;
};

void PositionProblem::addRow(const HeldRow& row) {
  double length = 0.0;
  for (const HeldPart& part : row.parts) length += part.g.squaredNorm();
  if (length > 0.0) rows_.push_back(row);
}

void PositionProblem::addConstraintRows(ConstraintView view) {
  const LawKind kind = view.constraint().law().kind;
  if (kind == LawKind::box || !view.isActive()) return;
  const VectorXd& C = view.evaluate();
  const MatrixXd& J = view.calcJacobian();
  for (Eigen::Index k = 0; k < C.size(); ++k) {
    HeldRow row;
    row.target = -C[k];
    row.one_sided = kind == LawKind::unilateral;
    for (int i = 0; i < view.constraint().bodyCount(); ++i) {
      const auto body = static_cast<int>(view.constraint().bodyIndex(i));
      if (body < world_.freeCount()) row.add(body, J.row(k).segment<6>(6 * i).transpose());
    }
    addRow(row);
  }
}

// Gaps may close, and overlaps end.
void PositionProblem::addContactRows(const State& state) {
  std::vector<Pose> poses;
  std::vector<double> margins;
  for (int i = 0; i < world_.totalCount(); ++i) {
    const InertialState body = world_.calcBodyState(i, state);
    poses.emplace_back(body.orientation, body.position);
    margins.push_back(i < world_.bodyCount() ? 0.1 * world_.body(i).size() : 0.0);
  }
  ContactSet found;
  detector_.detect(poses, margins, found);
  for (int k = 0; k < found.size(); ++k) {
    const int a = found.body_a[k], b = found.body_b[k];
    const Vector3d& n = found.normal[k];
    Vector6d on_a, on_b;
    on_a << -n, -(found.point_a[k] - poses[a].p).cross(n);
    on_b << n, (found.point_b[k] - poses[b].p).cross(n);
    HeldRow row;
    row.target = -found.gap[k];
    row.one_sided = true;
    if (a < world_.freeCount()) row.add(a, on_a);
    if (b < world_.freeCount()) row.add(b, on_b);
    addRow(row);
  }
}

void PositionProblem::collectRows(const State& state) {
  rows_.clear();
  M_.clear();
  for (int i = 0; i < world_.freeCount(); ++i) {
    M_.appendBlock(6);
    M_.block(i).diagonal().head<3>().setConstant(world_.body(i).mass().mass);
    M_.block(i).bottomRightCorner<3, 3>() = world_.body(i).inertia().calcMatrix(state.body(i).orientation);
  }
  for (int k = 0; k < static_cast<int>(world_.constraints().size()); ++k) {
    addConstraintRows(ConstraintView(world_, k, state));
  }
  if (with_contacts_) addContactRows(state);
}

// Bodies move along, all by the same share of their way where one would go too far. Whether any moved.
bool PositionProblem::advance(State& state) const {
  double furthest = 0.0;
  for (int i = 0; i < world_.freeCount(); ++i) {
    furthest = std::max({furthest, move_.segment<3>(6 * i).norm() / world_.body(i).size(), move_.segment<3>(6 * i + 3).norm()});
  }
  const double share = furthest > kLargestTurn ? kLargestTurn / furthest : 1.0;
  for (int i = 0; i < world_.freeCount(); ++i) {
    InertialState body = state.body(i);
    body.position += share * move_.segment<3>(6 * i);
    body.orientation = (expMap(Vector3d(share * move_.segment<3>(6 * i + 3))) * body.orientation).normalized();
    state.setBody(i, body);
  }
  return furthest > kMendedMotion;
}

// Joints that are open and limits that are passed, as `kind` or, when that is a contradiction, as such.
std::vector<StartFault> findJointFaults(const WorldModel& world, const State& state, bool contradict) {
  std::vector<StartFault> faults;
  for (const WorldJoint& joint : world.joints()) {
    StartFault fault{StartFault::Kind::open_joint, joint.name, "", 0.0};
    for (int k = joint.first; k < joint.first + joint.count; ++k) {
      const ConstraintView view(world, k, state);
      if (!view.isActive()) continue;
      const ConstraintError error = calcConstraintError(world, view);
      if (!(error.relative > kOpenJoint) || !(error.metres > fault.size)) continue;
      fault.size = error.metres;
      fault.kind = contradict                                                ? StartFault::Kind::contradiction
                   : view.constraint().law().kind == LawKind::equality ? StartFault::Kind::open_joint
                                                                     : StartFault::Kind::passed_limit;
    }
    if (fault.size > 0.0) faults.push_back(fault);
  }
  return faults;
}

// The same of rows that trees have of their own; angles count at the size of the smallest link.
std::vector<StartFault> findTreeFaults(const WorldModel& world, const State& state) {
  std::vector<StartFault> faults;
  for (int k = 0; k < world.treeCount(); ++k) {
    const WorldTree& own = world.tree(k);
    const auto cache = own.tree->makeCache();
    own.tree->evaluate(state.q.segment(own.q_begin, own.tree->positionCount()), TreeLevel::poses, *cache);
    std::vector<TreeRow> rows;
    own.tree->collectRows(*cache, rows);
    double size = world.body(own.first).size();
    for (int link = 1; link < own.tree->linkCount(); ++link) size = std::min(size, world.body(own.first + link).size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (rows[row].kind == TreeRow::Kind::friction) continue;
      const bool is_loop = rows[row].kind == TreeRow::Kind::equality;
      const double off = (is_loop ? std::abs(rows[row].C) : std::max(0.0, -rows[row].C)) * (rows[row].turns ? size : 1.0);
      if (!(off > kOpenJoint * size)) continue;
      const auto kind = is_loop ? StartFault::Kind::open_joint : StartFault::Kind::passed_limit;
      faults.push_back({kind, own.tree->nameOfRow(static_cast<int>(row)), world.nameOf(own.first), off});
    }
  }
  return faults;
}

std::vector<StartFault> findOverlapFaults(const WorldModel& world, const State& state) {
  std::vector<Pose> poses;
  for (int i = 0; i < world.totalCount(); ++i) {
    const InertialState body = world.calcBodyState(i, state);
    poses.emplace_back(body.orientation, body.position);
  }
  Detector detector = world.makeDetector();
  ContactSet contacts;
  detector.detect(poses, std::vector<double>(poses.size(), 0.0), contacts);
  std::map<std::pair<int, int>, double> deepest;
  for (int k = 0; k < contacts.size(); ++k) {
    double& depth = deepest[{contacts.body_a[k], contacts.body_b[k]}];
    depth = std::max(depth, -contacts.gap[k]);
  }
  std::vector<StartFault> faults;
  for (const auto& [pair, depth] : deepest) {
    if (!(depth > kOverlap)) continue;
    faults.push_back({StartFault::Kind::overlap, world.nameOf(pair.first), world.nameOf(pair.second), depth});
  }
  return faults;
}

void append(std::vector<StartFault>& all, std::vector<StartFault> more) {
  std::ranges::stable_sort(more, std::ranges::greater{}, &StartFault::size);
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

std::string toString(const StartFault& fault) {
  if (fault.kind == StartFault::Kind::passed_limit && !fault.b.empty()) {
    return fmt::format("{} of the tree of {} begins {:.3g} m beyond its limit", fault.a, fault.b, fault.size);
  }
  if (fault.kind == StartFault::Kind::open_joint && !fault.b.empty()) {
    return fmt::format("{} of the tree of {} is open by {:.3g} m at the start", fault.a, fault.b, fault.size);
  }
  switch (fault.kind) {
    case StartFault::Kind::overlap:
      return fmt::format("{} and {} overlap by {:.3g} m at the start", fault.a, fault.b, fault.size);
    case StartFault::Kind::open_joint:
      return fmt::format("joint '{}' is open by {:.3g} m at the start", fault.a, fault.size);
    case StartFault::Kind::passed_limit:
      return fmt::format("joint '{}' begins {:.3g} m beyond its limit", fault.a, fault.size);
    case StartFault::Kind::contradiction: break;
  }
  return fmt::format("joint '{}' contradicts others: wherever bodies are, {:.3g} m of error are left", fault.a, fault.size);
}

std::vector<StartFault> findStartFaults(const WorldModel& world) {
  State state = world.makeState();
  const std::vector<StartFault> joints = findJointFaults(world, state, false);
  std::vector<StartFault> faults;
  if (!joints.empty()) {
    State mended = state;
    PositionProblem(world, false).solve(mended);
    append(faults, findJointFaults(world, mended, true));
  }
  append(faults, joints);
  append(faults, findTreeFaults(world, state));
  append(faults, findOverlapFaults(world, state));
  return faults;
}

StartRepair repairStart(const WorldModel& world) { return repairState(world, world.makeState()); }

StartRepair repairState(const WorldModel& world, const State& start) {
  StartRepair repair;
  repair.state = start;
  PositionProblem(world, true).solve(repair.state);
  for (int i = 0; i < world.freeCount(); ++i) {
    const Vector3d turn = logMap(repair.state.body(i).orientation * start.body(i).orientation.conjugate());
    const double way = (repair.state.body(i).position - start.body(i).position).norm() + world.body(i).size() * turn.norm();
    if (way <= repair.largest_way) continue;
    repair.largest_way = way;
    repair.body = world.body(i).name();
  }
  append(repair.left, findJointFaults(world, repair.state, true));
  append(repair.left, findTreeFaults(world, repair.state));
  append(repair.left, findOverlapFaults(world, repair.state));
  return repair;
}

}  // namespace cornet
