#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cornet/audit/step_certificate.h"
#include "cornet/world/contact_state.h"

/// What a recording holds (docs/formats/recording.md): the scene it came from, the bodies as they are drawn, and a
/// frame after every step. SI units; poses are (x, y, z, qw, qx, qy, qz) of centres of mass in the world.
namespace cornet {

using PoseNumbers = std::array<double, 7>;
using Numbers3 = std::array<float, 3>;

enum class RecordedShapeType : std::uint8_t { sphere, box, capsule, cylinder, cone, ellipsoid, half_space, bowl, mesh };
/// "sphere", "box", ...
const char* nameOf(RecordedShapeType type);

/// A shape on a body. Sizes: radius; half extents; radius, half length; semi-axes; none of a half-space or mesh.
struct RecordedShape {
  RecordedShapeType type = RecordedShapeType::sphere;
  PoseNumbers pose = {0, 0, 0, 1, 0, 0, 0};  // in the frame of the body
  std::array<double, 3> size = {0, 0, 0};    // [m]
  int mesh = -1;                             // of type mesh: its place among the meshes
};

/// Hulls, meshes and height fields; triangles counterclockwise seen from outside.
struct RecordedMesh {
  std::vector<double> vertices;          // x, y, z each
  std::vector<std::int32_t> triangles;   // three vertices each
};

enum class RecordedMotion : std::uint8_t { moves, prescribed, fixed };

struct RecordedBody {
  std::string name;
  RecordedMotion motion = RecordedMotion::moves;
  double mass = 0.0;                         // [kg]; 0 of surroundings
  PoseNumbers pose = {0, 0, 0, 1, 0, 0, 0};  // at time 0
  std::vector<RecordedShape> shapes;
  std::array<double, 6> inertia = {0, 0, 0, 0, 0, 0};  // xx, yy, zz, xy, xz, yz about the centre of mass, body axes [kg m²]
  double size = 0.0;                         // [m] what errors of its motion are measured by; 0 of surroundings
};

/// A hinge with its limits and motor, or any other constraint.
struct RecordedJoint {
  std::string name;
  std::string type;
  std::array<std::int32_t, 2> bodies = {0, 0};  // A, B: places in the list of bodies; of one body alone: twice the same
};

using NamedText = std::pair<std::string, std::string>;

/// Everything that stays the same. Nothing in it depends on the machine or the day.
struct RecordingHeader {
  int version = 2;                     // of the format it was read from
  std::string program;                 // "cornet 0.1.0"
  std::string command;                 // as it was called, file names without their folders
  std::vector<NamedText> options;      // of the simulator, as words
  std::vector<std::pair<std::string, double>> parameters;  // of the scene
  std::string title;
  std::string scene_file;              // its name without folders
  std::string scene_text;
  std::vector<NamedText> included;     // files the scene includes: name, text
  std::uint64_t scene_hash = 0;        // of all these texts
  int seed = 1;
  int record_every = 1;                // steps
  double dt = 0.0;                     // [s]
  double duration = 0.0;               // [s]
  std::array<double, 3> gravity = {0, 0, 0};
  std::vector<RecordedBody> bodies;    // those that move, surroundings with prescribed motion, fixed ones
  std::vector<RecordedMesh> meshes;
  std::vector<RecordedJoint> joints;

  /// Bodies that move by forces, and those with a pose in every frame; they come first.
  int movingCount() const;
  int trackCount() const;
};

/// Numbers of a frame, for plots. Of steps that were left out, certificates are the worst, the counts from
/// `rejections` on but `contacts` and `sticking` are sums.
struct FrameNumbers {
  double time = 0.0;
  double kinetic = 0.0;      // [J]
  double potential = 0.0;
  double dissipated = 0.0;   // since the start
  double work = 0.0;         // of loads and surroundings, since the start
  double certificate = 0.0;  // relative
  double velocity_error = 0.0;  // [m/s]
  double step_size = 0.0;    // [s] of the last step, 0 at the start
  double closure = 0.0;      // certificate of the whole step: StepMeasure
  double new_overlap = 0.0;
  double unexplained = 0.0;
  double momentum = 0.0;
  double energy_gain = 0.0;
  double error = 0.0;        // estimate of that of the step, under error control [m]
  std::int32_t rejections = 0;
  std::int32_t contacts = 0;
  std::int32_t sticking = 0;
  std::int32_t iterations = 0;
  std::int32_t unsolved = 0;  // steps
  std::int32_t inaccurate = 0;     // steps, unsolved ones among them
  std::int32_t forced = 0;         // steps that do not reach the accuracy
  std::int32_t parts = 1;          // of the step: 1, or the most in which islands were taken
  std::int32_t worst_measure = -1; // of the whole step, the one nearest to its bound or furthest beyond; -1: none
  std::int32_t worst_body = -1;    // it is of: place in the list of bodies; -1: none
  std::uint64_t state_hash = 0;
  std::uint64_t contact_end = 0;  // rows of the contact table up to this frame
  std::uint64_t waypoint_end = 0; // the same of waypoints
  bool operator==(const FrameNumbers&) const = default;
};

/// Gathers numbers of frames that are left out: certificates at their worst, sums of counts. What of a frame is of one moment
/// is that of `frame`. Counts stay in range, whatever a file says.
void gather(const FrameNumbers& frame, const StepBounds& bounds, FrameNumbers& since);

struct RecordedTrack {
  PoseNumbers pose = {0, 0, 0, 1, 0, 0, 0};
  std::array<double, 6> velocity = {0, 0, 0, 0, 0, 0};  // v [m/s], ω [rad/s], world axes
  bool operator==(const RecordedTrack&) const = default;
};

/// A contact of the step that led to the frame; single precision, world axes.
struct RecordedContact {
  std::array<std::int32_t, 2> bodies = {0, 0};  // A, B: places in the list of bodies
  Numbers3 point = {0, 0, 0};                   // [m]
  Numbers3 normal = {0, 0, 1};                  // from A into B
  float mu = 0.0f;
  Numbers3 impulse = {0, 0, 0};                 // on B over the step [N s]
  Numbers3 slip = {0, 0, 0};                    // tangential velocity of B against A at the end [m/s]
  std::uint8_t state = 0;                       // a ContactState
  float residual = 0.0f;                        // error of its law [m/s]
  bool operator==(const RecordedContact&) const = default;
};

/// Where a body was between two parts of the step that led to the frame.
struct RecordedWaypoint {
  std::int32_t body = 0;                        // place in the list of bodies
  double time = 0.0;                            // after the start of the step [s]
  RecordedTrack track;
  bool operator==(const RecordedWaypoint&) const = default;
};

/// A joint after the step that led to the frame.
struct RecordedJointState {
  double position = 0.0, rate = 0.0;            // of the free direction [rad, rad/s] or [m, m/s]
  double error = 0.0;                           // [m]
  std::array<double, 3> force = {0, 0, 0};      // on B [N]
  std::array<double, 3> torque = {0, 0, 0};     // on B, about the joint's point [N m]
  double effort = 0.0, power = 0.0;             // of the motor [N m] or [N], [W]
  bool operator==(const RecordedJointState&) const = default;
};

struct RecordedFrame {
  FrameNumbers numbers;
  std::vector<RecordedTrack> tracks;
  std::vector<RecordedJointState> joints;
  std::vector<RecordedContact> contacts;
  std::vector<RecordedWaypoint> waypoints;
  bool operator==(const RecordedFrame&) const = default;
};

/// Visit the columns of the tables, in the order of the file: visit(name, field). The time comes last: a
/// frame that has one is complete.
template <class Row, class Visitor>
void visitNumbers(Row& row, Visitor&& visit) {
  visit("kinetic", row.kinetic);
  visit("potential", row.potential);
  visit("dissipated", row.dissipated);
  visit("work", row.work);
  visit("certificate", row.certificate);
  visit("velocity_error", row.velocity_error);
  visit("step_size", row.step_size);
  visit("closure", row.closure);
  visit("new_overlap", row.new_overlap);
  visit("unexplained", row.unexplained);
  visit("momentum", row.momentum);
  visit("energy_gain", row.energy_gain);
  visit("error", row.error);
  visit("rejections", row.rejections);
  visit("contacts", row.contacts);
  visit("sticking", row.sticking);
  visit("iterations", row.iterations);
  visit("unsolved", row.unsolved);
  visit("inaccurate", row.inaccurate);
  visit("forced", row.forced);
  visit("parts", row.parts);
  visit("worst_measure", row.worst_measure);
  visit("worst_body", row.worst_body);
  visit("state_hash", row.state_hash);
  visit("contact_end", row.contact_end);
  visit("waypoint_end", row.waypoint_end);
  visit("time", row.time);
}

template <class Row, class Visitor>
void visitTrack(Row& row, Visitor&& visit) {
  visit("pose", row.pose);
  visit("velocity", row.velocity);
}

template <class Row, class Visitor>
void visitJoint(Row& row, Visitor&& visit) {
  visit("joint_position", row.position);
  visit("joint_rate", row.rate);
  visit("joint_error", row.error);
  visit("joint_force", row.force);
  visit("joint_torque", row.torque);
  visit("motor_effort", row.effort);
  visit("motor_power", row.power);
}

template <class Row, class Visitor>
void visitContact(Row& row, Visitor&& visit) {
  visit("bodies", row.bodies);
  visit("point", row.point);
  visit("normal", row.normal);
  visit("mu", row.mu);
  visit("impulse", row.impulse);
  visit("slip", row.slip);
  visit("state", row.state);
  visit("residual", row.residual);
}

template <class Row, class Visitor>
void visitWaypoint(Row& row, Visitor&& visit) {
  visit("body", row.body);
  visit("time", row.time);
  visitTrack(row.track, visit);
}

/// Hash of the state that the tracks of moving bodies are: that of State, if every bit is the same.
std::uint64_t calcStateHash(const RecordedFrame& frame, int moving_count);

/// What is wrong with the numbers of a frame: names the first that is not finite; empty if all are.
std::string findProblem(const RecordingHeader& header, const RecordedFrame& frame);

}  // namespace cornet
