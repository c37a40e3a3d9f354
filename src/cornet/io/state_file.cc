#include "cornet/io/state_file.h"

#include <algorithm>

#include <fmt/format.h>

#include "cornet/io/format_error.h"
#include "cornet/io/hdf5_file.h"

namespace cornet {
namespace {

constexpr int kVersion = 3;
constexpr int kNumbersPerBody = 13;  // x, q (w, x, y, z), v, ω

std::vector<double> flatten(const State& state) {
  std::vector<double> values;
  for (int i = 0; i < state.free_count; ++i) {
    const InertialState body = state.body(i);
    const Quaterniond& q = body.orientation;
    for (int k = 0; k < 3; ++k) values.push_back(body.position[k]);
    values.insert(values.end(), {q.w(), q.x(), q.y(), q.z()});
    for (int k = 0; k < 3; ++k) values.push_back(body.velocity[k]);
    for (int k = 0; k < 3; ++k) values.push_back(body.omega[k]);
  }
  return values;
}

std::vector<InertialState> unflatten(const std::vector<double>& values) {
  std::vector<InertialState> bodies;
  for (std::size_t i = 0; i + kNumbersPerBody <= values.size(); i += kNumbersPerBody) {
    const double* x = values.data() + i;
    InertialState body;
    body.position = Vector3d(x[0], x[1], x[2]);
    body.orientation = Quaterniond(x[3], x[4], x[5], x[6]);
    body.velocity = Vector3d(x[7], x[8], x[9]);
    body.omega = Vector3d(x[10], x[11], x[12]);
    bodies.push_back(body);
  }
  return bodies;
}

std::vector<double> toVector(const VectorXd& x) { return {x.begin(), x.end()}; }

void append(const std::vector<double>& values, VectorXd& x) {
  const Eigen::Index before = x.size();
  x.conservativeResize(before + static_cast<Eigen::Index>(values.size()));
  std::ranges::copy(values, x.begin() + before);
}

void require(bool good, const Hdf5Reader& reader, const char* path, const std::string& found,
             const std::string& expected) {
  if (!good) throw FormatError(reader.file(), path, found, expected);
}

void requireCount(const Hdf5Reader& reader, const char* path, std::size_t count, std::size_t expected) {
  require(count == expected, reader, path, fmt::format("{} entries", count), fmt::to_string(expected));
}

void writeRest(Hdf5Writer& writer, const std::vector<BodyRest>& list) {
  std::vector<double> seconds;
  std::vector<std::uint64_t> signatures;
  for (const BodyRest& rest : list) {
    seconds.push_back(rest.seconds);
    signatures.push_back(rest.signature);
  }
  writer.write("/memory/rest_seconds", seconds);
  writer.write("/memory/rest_signatures", signatures);
}

std::vector<BodyRest> readRest(const Hdf5Reader& reader) {
  const std::vector<double> seconds = reader.readFinite("/memory/rest_seconds");
  const std::vector<std::uint64_t> signatures = reader.readKeys("/memory/rest_signatures");
  requireCount(reader, "/memory/rest_signatures", signatures.size(), seconds.size());
  std::vector<BodyRest> list;
  for (std::size_t k = 0; k < seconds.size(); ++k) list.push_back({seconds[k], signatures[k]});
  return list;
}

}  // namespace

void saveMoment(const std::filesystem::path& file, const State& state, const StepMemory& memory) {
  Hdf5Writer writer(file);
  writer.write("/cornet/moment", kVersion);
  writer.write("/state/time", state.time);
  writer.write("/state/bodies", flatten(state));
  writer.write("/state/tree_q", toVector(state.q.tail(state.q.size() - 7 * state.free_count)));
  writer.write("/state/tree_v", toVector(state.v.tail(state.v.size() - 6 * state.free_count)));
  if (state.activation.size() > 0) writer.write("/state/activation", toVector(state.activation));
  if (state.guided.size() > 0) writer.write("/state/guided", toVector(state.guided));
  writer.write("/state/user", toVector(state.user));
  std::vector<std::uint64_t> keys;
  std::vector<double> impulses, given;
  for (const ContactMemory& contact : memory.contacts) {
    keys.push_back(contact.key);
    for (int k = 0; k < 3; ++k) impulses.push_back(contact.impulse[k]);
    given.push_back(contact.given);
  }
  writer.write("/memory/dt", memory.dt);
  writer.write("/memory/keys", keys);
  writer.write("/memory/impulses", impulses);
  writer.write("/memory/given", given);
  writer.write("/memory/constraint_impulses", memory.constraint_impulses);
  if (!memory.rest.empty()) writeRest(writer, memory.rest);
  if (!memory.refused.empty()) writer.write("/memory/refused", memory.refused);
  if (memory.control != StepControlMemory{}) {
    const StepControlMemory& control = memory.control;
    writer.write("/memory/control", std::vector<double>{control.wanted, control.error, control.is_inaccurate ? 1.0 : 0.0});
  }
  writer.commit();
}

SavedMoment loadMoment(const std::filesystem::path& file) {
  const Hdf5Reader reader(file);
  require(reader.exists("/cornet/moment"), reader, "/cornet/moment", "nothing",
          "a saved moment of a simulation");
  const int version = reader.readInt("/cornet/moment");
  require(version == kVersion, reader, "/cornet/moment", fmt::format("version {}", version),
          fmt::format("version {}", kVersion));
  SavedMoment moment;
  const std::vector<double> time = reader.readFinite("/state/time");
  const std::vector<double> bodies = reader.readFinite("/state/bodies");
  const std::vector<double> dt = reader.readFinite("/memory/dt");
  const std::vector<std::uint64_t> keys = reader.readKeys("/memory/keys");
  const std::vector<double> impulses = reader.readFinite("/memory/impulses");
  const std::vector<double> given = reader.readFinite("/memory/given");
  requireCount(reader, "/state/time", time.size(), 1);
  requireCount(reader, "/memory/dt", dt.size(), 1);
  requireCount(reader, "/memory/impulses", impulses.size(), 3 * keys.size());
  requireCount(reader, "/memory/given", given.size(), keys.size());
  require(bodies.size() % kNumbersPerBody == 0, reader, "/state/bodies",
          fmt::format("{} entries", bodies.size()), fmt::format("{} for each body", kNumbersPerBody));
  moment.state = State(time[0], unflatten(bodies));
  append(reader.readFinite("/state/tree_q"), moment.state.q);
  append(reader.readFinite("/state/tree_v"), moment.state.v);
  if (reader.exists("/state/activation")) append(reader.readFinite("/state/activation"), moment.state.activation);
  if (reader.exists("/state/guided")) append(reader.readFinite("/state/guided"), moment.state.guided);
  append(reader.readFinite("/state/user"), moment.state.user);
  moment.memory.dt = dt[0];
  moment.memory.constraint_impulses = reader.readFinite("/memory/constraint_impulses");
  for (std::size_t k = 0; k < keys.size(); ++k) {
    moment.memory.contacts.push_back(
        {keys[k], Vector3d(impulses[3 * k], impulses[3 * k + 1], impulses[3 * k + 2]), given[k]});
  }
  if (reader.exists("/memory/rest_seconds")) moment.memory.rest = readRest(reader);
  if (reader.exists("/memory/refused")) moment.memory.refused = reader.readKeys("/memory/refused");
  if (reader.exists("/memory/control")) {
    const std::vector<double> control = reader.readFinite("/memory/control");
    requireCount(reader, "/memory/control", control.size(), 3);
    moment.memory.control = {control[0], control[1], control[2] != 0.0};
  }
  return moment;
}

}  // namespace cornet
