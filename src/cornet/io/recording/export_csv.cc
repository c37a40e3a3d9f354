#include "cornet/io/recording/export_csv.h"

#include <fstream>

#include <fmt/format.h>

#include "cornet/io/file_replacement.h"
#include "cornet/io/format_error.h"

namespace cornet {
namespace {

// A file of lines; a write that fails is an error. It replaces an older one in the end.
class TableFile {
 public:
  TableFile(const std::filesystem::path& file, const std::string& header)
      : file_(file), replacement_(file), stream_(replacement_.file(), std::ios::binary) {
    stream_ << header << '\n';
    require();
  }
  void add(const std::string& text) { stream_ << text; }
  void close() {
    stream_.close();
    require();
  }
  void replace() { replacement_.finish(); }

 private:
  void require() const {
    if (!stream_) throw FileError(file_, "cannot be written (disk full?)");
  }
  std::filesystem::path file_;
  FileReplacement replacement_;
  std::ofstream stream_;
};

std::string quoteCsv(std::string text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  for (auto at = text.find('"'); at != text.npos; at = text.find('"', at + 2)) text.insert(at, 1, '"');
  return '"' + text + '"';
}

// Columns of frames that are no series: the time, which lines begin with, and ends of other tables.
bool isPlace(const std::string& name) { return name == "time" || name.ends_with("_end"); }

template <class Numbers>
std::string cells(const Numbers& numbers) {
  std::string text;
  for (const auto x : numbers) text += fmt::format(",{}", x);
  return text;
}

}  // namespace

int exportCsv(const RecordingReader& reader, int every, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw FileError(folder, "is no folder and cannot be made one");
  std::string columns = "frame,time";
  const FrameNumbers none;
  visitNumbers(none, [&columns](const std::string& name, const auto&) {
    if (!isPlace(name)) columns += "," + name;
  });
  TableFile series(folder / "series.csv", columns);
  TableFile bodies(folder / "bodies.csv", "frame,time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz");
  TableFile contacts(folder / "contacts.csv",
                     "frame,time,a,b,x,y,z,nx,ny,nz,mu,impulse_x,impulse_y,impulse_z,slip_x,slip_y,slip_z,state,residual");
  TableFile joints(folder / "joints.csv",
                   "frame,time,joint,position,rate,error,force_x,force_y,force_z,torque_x,torque_y,torque_z,effort,power");
  constexpr std::array kStates = {"open", "stick", "slip"};
  std::vector<std::string> names;
  for (const RecordedBody& body : reader.header().bodies) names.push_back(quoteCsv(body.name));
  RecordedFrame frame;
  int damaged = 0;
  for (int k = 0; k < reader.frameCount(); k += every) {
    try {
      reader.readFrame(k, frame);
    } catch (const FormatError&) {
      ++damaged;
      continue;
    }
    const std::string moment = fmt::format("{},{}", k, frame.numbers.time);
    std::string text = moment;
    visitNumbers(frame.numbers, [&text](const std::string& name, const auto& value) {
      if (isPlace(name)) return;
      text += name == "state_hash" ? fmt::format(",{:016x}", static_cast<std::uint64_t>(value)) : fmt::format(",{}", value);
    });
    series.add(text + '\n');
    text.clear();
    for (std::size_t i = 0; i < frame.tracks.size(); ++i) {
      text += moment + ',' + names[i] + cells(frame.tracks[i].pose) + cells(frame.tracks[i].velocity) + '\n';
    }
    bodies.add(text);
    text.clear();
    for (const RecordedContact& c : frame.contacts) {
      text += fmt::format("{},{},{}{}{},{}{}{},{},{}\n", moment, names[static_cast<std::size_t>(c.bodies[0])],
                          names[static_cast<std::size_t>(c.bodies[1])], cells(c.point), cells(c.normal), c.mu,
                          cells(c.impulse), cells(c.slip), kStates[c.state], c.residual);
    }
    contacts.add(text);
    text.clear();
    for (std::size_t j = 0; j < frame.joints.size(); ++j) {
      const RecordedJointState& joint = frame.joints[j];
      text += fmt::format("{},{},{},{},{}{}{},{},{}\n", moment, quoteCsv(reader.header().joints[j].name), joint.position,
                          joint.rate, joint.error, cells(joint.force), cells(joint.torque), joint.effort, joint.power);
    }
    joints.add(text);
  }
  for (TableFile* table : {&series, &bodies, &contacts, &joints}) table->close();
  for (TableFile* table : {&series, &bodies, &contacts, &joints}) table->replace();
  return damaged;
}

}  // namespace cornet
