#include "collide_report.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "json.h"

namespace cornet::app {
namespace {

std::string numberText(double x, int digits) {
  return fmt::format("{:.{}g}", x == 0.0 ? 0.0 : x, digits);  // no -0
}

std::string vectorText(const Vector3d& x, int digits) {
  return fmt::format("({}, {}, {})", numberText(x.x(), digits), numberText(x.y(), digits),
                     numberText(x.z(), digits));
}

// Columns as wide as their widest entry.
std::string align(const std::vector<std::array<std::string, 5>>& rows) {
  std::array<std::size_t, 5> width{};
  for (const auto& row : rows) {
    for (std::size_t k = 0; k < width.size(); ++k) width[k] = std::max(width[k], row[k].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t k = 0; k < width.size(); ++k) line += fmt::format("{:<{}}  ", row[k], width[k]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += '\n' + line;
  }
  return text;
}

Json toJson(const Vector3d& x) { return Json::array({x.x(), x.y(), x.z()}); }

Json toJson(const ManifoldPoint& point) {
  return {{"point_a", toJson(point.point_a)},
          {"point_b", toJson(point.point_b)},
          {"normal", toJson(point.normal)},
          {"gap", point.gap}};
}

// Text of a broken file may be no UTF-8.
std::string dump(const Json& json) {
  return json.dump();
}

}  // namespace

std::string collideTable(const CollideReport& report, int digits) {
  const ManifoldPoint& closest = report.closest;
  std::string text = fmt::format(
      "a: {} at {}\nb: {} at {}\n"
      "distance: {} m\noverlap: {}\n"
      "closest points: a {}, b {}, normal {}\n",
      nameOf(report.pair.a), vectorText(report.pair.X_WA.p, digits), nameOf(report.pair.b),
      vectorText(report.pair.X_WB.p, digits), numberText(closest.gap, digits),
      report.overlap() ? "yes" : "no", vectorText(closest.point_a, digits),
      vectorText(closest.point_b, digits), vectorText(closest.normal, digits));
  text += fmt::format("contacts with a gap up to {} m: {}", numberText(report.pair.options.margin, digits),
                      report.contacts.size());
  if (report.contacts.empty()) return text;
  std::vector<std::array<std::string, 5>> rows = {{"point on a", "point on b", "normal", "gap", "key"}};
  for (const ManifoldPoint& contact : report.contacts) {
    rows.push_back({vectorText(contact.point_a, digits), vectorText(contact.point_b, digits),
                    vectorText(contact.normal, digits), numberText(contact.gap, digits),
                    fmt::format("{:016x}", contact.key)});
  }
  return text + align(rows);
}

std::string collideJson(const CollideReport& report) {
  Json contacts = Json::array();
  for (const ManifoldPoint& contact : report.contacts) {
    Json entry = toJson(contact);
    entry["key"] = fmt::format("{:016x}", contact.key);
    contacts.push_back(entry);
  }
  return dump({{"schema", "cornet.collide/1"},
               {"ok", true},
               {"file", report.file},
               {"shapes", {nameOf(report.pair.a), nameOf(report.pair.b)}},
               {"overlap", report.overlap()},
               {"closest", toJson(report.closest)},
               {"contacts", contacts},
               {"messages", Json::array()}});
}

std::string collideFailureJson(const std::string& file, const std::string& text,
                               const std::vector<Finding>& findings) {
  Json messages = Json::array();
  for (const Finding& finding : findings) {
    messages.push_back({{"level", "error"},
                        {"text", finding.what},
                        {"line", finding.place.line},
                        {"column", finding.place.column},
                        {"help", finding.help}});
  }
  if (findings.empty()) messages.push_back({{"level", "error"}, {"text", text}});
  return dump({{"schema", "cornet.collide/1"}, {"ok", false}, {"file", file}, {"messages", messages}});
}

}  // namespace cornet::app
