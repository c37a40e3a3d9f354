#include "recording/recording_overview.h"

#include <algorithm>

#include <fmt/format.h>

#include "scene/scene_messages.h"

namespace cornet::app {
namespace {

// "numbers that are not finite in frame 17 (t = 0.17 s) and 4 more"
std::string faultText(const RecordingReader& reader, const char* fault,
                      const std::vector<int>& frames) {
  if (frames.empty()) return "";
  const double time = reader.numbers()[static_cast<std::size_t>(frames.front())].time;
  std::string text = fmt::format("{} in frame {} (t = {} s)", fault, frames.front(), time);
  if (frames.size() > 1) text += fmt::format(" and {} more", frames.size() - 1);
  return text;
}

std::vector<std::string> faultTexts(const RecordingReader& reader, const FrameFaults& faults) {
  return {faultText(reader, "numbers that are not finite", faults.not_finite),
          faultText(reader, "data that cannot be read", faults.unreadable)};
}

std::size_t shapeCount(const RecordingHeader& header) {
  std::size_t count = 0;
  for (const RecordedBody& body : header.bodies) count += body.shapes.size();
  return count;
}

// "every one accurate: closure 1.0e-14 (at t = 0.5 s), ...".
std::string wholeStepText(const RecordingSummary& summary) {
  std::string text = summary.inaccurate_steps == 0 ? std::string("every one accurate")
                                                   : fmt::format("{} INACCURATE", summary.inaccurate_steps);
  for (const StepMeasure measure : kStepMeasures) {
    const auto& [value, time] = summary.whole[static_cast<std::size_t>(measure)];
    text += fmt::format("{} {} {:.1e}", measure == kStepMeasures.front() ? ":" : ",", nameOf(measure), value);
    if (value > 0.0) text += fmt::format(" (t = {:g} s)", time);
  }
  return text;
}

Json wholeStepJson(const RecordingSummary& summary) {
  constexpr std::array kKeys = {"closure", "new_overlap", "unexplained_motion", "momentum", "energy_gain"};
  Json object = Json::object();
  for (std::size_t k = 0; k < kKeys.size(); ++k) {
    object[kKeys[k]] = {{"worst", numberJson(summary.whole[k].value)}, {"time", numberJson(summary.whole[k].time)}};
  }
  return object;
}

}  // namespace

std::string overviewText(const std::string& file, const RecordingReader& reader) {
  const RecordingHeader& header = reader.header();
  const RecordingSummary s = summarize(reader);
  const auto bodies = static_cast<int>(header.bodies.size());
  std::string text = header.title.empty() ? file : header.title;
  text += fmt::format("\n  recording     version {}, {}, {:.3g} MB", header.version, header.program, 1e-6 * static_cast<double>(reader.fileSize()));
  text += fmt::format("\n  command       {}", header.command);
  text += fmt::format("\n  scene         {}, hash {:016x}", header.scene_file, header.scene_hash);
  text += fmt::format("\n  bodies        {} moving, {} prescribed, {} fixed, {} shapes, {} meshes", header.movingCount(),
                      header.trackCount() - header.movingCount(), bodies - header.trackCount(), shapeCount(header),
                      header.meshes.size());
  text += fmt::format("\n  frames        {}, t = {:g} to {:g} s, every {} of {:g} s", s.frames, s.begin, s.end,
                      header.record_every == 1 ? "step" : fmt::format("{} steps", header.record_every), header.dt);
  text += fmt::format("\n  contacts      {} in all, at most {} in a frame", reader.contactCount(), s.max_contacts);
  if (s.frames > 0) {
    text += fmt::format("\n  size          {:.0f} bytes a frame", static_cast<double>(reader.fileSize()) / s.frames);
    text += fmt::format("\n  certificate   worst {:.1e} at t = {:g} s, {}", s.worst_certificate, s.worst_time,
                        s.unsolved_steps == 0 ? std::string("every step solved")
                                              : fmt::format("{} steps not solved", s.unsolved_steps));
    text += "\n  whole steps   " + wholeStepText(s);
    if (s.worst_error > 0.0) {
      text += fmt::format("\n  error control estimated error of a step at most {:.1e} m, {} tries rejected, {} steps do not reach the accuracy",
                          s.worst_error, s.rejections, s.forced_steps);
    }
    text += fmt::format("\n  energy        {:.6g} J + {:.6g} J work - {:.6g} J lost = {:.6g} J, to {:.1e} J",
                        s.start_energy, s.work, s.dissipated, s.end_energy, s.balance_error);
    text += fmt::format("\n  last state    hash {:016x}", s.state_hash);
  }
  if (const std::string problem = reader.problem(); !problem.empty()) text += "\n  incomplete    " + problem;
  for (const std::string& fault : faultTexts(reader, reader.findFaults())) {
    if (!fault.empty()) text += "\n  damaged       " + fault;
  }
  return text;
}

std::string overviewJson(const std::string& file, const RecordingReader& reader) {
  const RecordingHeader& header = reader.header();
  const RecordingSummary s = summarize(reader);
  Json options = Json::object(), parameters = Json::object(), messages = Json::array();
  for (const auto& [name, value] : header.options) options[name] = value;
  for (const auto& [name, value] : header.parameters) parameters[name] = value;
  const FrameFaults faults = reader.findFaults();
  std::vector<std::string> texts = faultTexts(reader, faults);
  texts.insert(texts.begin(), reader.problem());
  for (const std::string& text : texts) {
    if (!text.empty()) messages.push_back(messageJson("warning", text));
  }
  return dumpJson({{"schema", "cornet.info/1"},
                   {"ok", true},
                   {"file", file},
                   {"version", header.version},
                   {"complete", reader.isComplete()},
                   {"program", header.program},
                   {"command", header.command},
                   {"options", options},
                   {"title", header.title},
                   {"scene", header.scene_file},
                   {"scene_hash", fmt::format("{:016x}", header.scene_hash)},
                   {"parameters", parameters},
                   {"seed", header.seed},
                   {"dt", header.dt},
                   {"duration", header.duration},
                   {"record_every", header.record_every},
                   {"bytes", reader.fileSize()},
                   {"bodies", header.bodies.size()},
                   {"moving", header.movingCount()},
                   {"frames", s.frames},
                   {"begin", numberJson(s.begin)},
                   {"end", numberJson(s.end)},
                   {"contacts", reader.contactCount()},
                   {"max_contacts", s.max_contacts},
                   {"unsolved_steps", s.unsolved_steps},
                   {"worst_certificate", numberJson(s.worst_certificate)},
                   {"worst_time", numberJson(s.worst_time)},
                   {"inaccurate_steps", s.inaccurate_steps},
                   {"rejections", s.rejections},
                   {"forced_steps", s.forced_steps},
                   {"worst_error", numberJson(s.worst_error)},
                   {"whole_step", wholeStepJson(s)},
                   {"energy",
                    {{"start", numberJson(s.start_energy)},
                     {"end", numberJson(s.end_energy)},
                     {"work", numberJson(s.work)},
                     {"dissipated", numberJson(s.dissipated)},
                     {"balance_error", numberJson(s.balance_error)}}},
                   {"state_hash", fmt::format("{:016x}", s.state_hash)},
                   {"bad_frames", faults.not_finite},
                   {"unreadable_frames", faults.unreadable},
                   {"messages", messages}});
}

}  // namespace cornet::app
