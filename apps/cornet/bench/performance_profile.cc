#include "bench/performance_profile.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "bench/ranking.h"

namespace cornet::app {
namespace {

// Layout [px].
constexpr double kLeft = 72.0;
constexpr double kTop = 64.0;
constexpr double kPlotWidth = 600.0;
constexpr double kPlotHeight = 440.0;
constexpr double kBottom = 64.0;
constexpr double kLegendLeft = kLeft + kPlotWidth + 28.0;
constexpr double kLegendWidth = 232.0;
constexpr double kRowHeight = 16.0;

// A solver slower than the last of these is off the picture.
constexpr std::array kPowers = {"1", "10", "100", "1000", "10⁴", "10⁵"};
constexpr int kMaxDecades = static_cast<int>(kPowers.size()) - 1;

// The palette of Okabe and Ito, told apart by colour-blind readers too: strong colours for us, the
// others by family. Within a family the dashes differ.
constexpr std::array kOwnColours = {"#d55e00", "#000000", "#0072b2"};
constexpr std::array kFamilyColours = {"#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
                                       "#777777"};
constexpr std::array kDashes = {"", "7 3", "2 2", "8 3 2 3", "12 4", "1 3"};

struct Style {
  const char* colour;
  const char* dashes;
  double width;
};

struct Curve {
  int solver = 0;
  Style style{};
  std::vector<double> ratios;  // of the problems solved, ascending
};

Style ownStyle(int index) { return {kOwnColours[index % kOwnColours.size()], "", 3.5}; }

Style peerStyle(int family, int index_in_family) {
  return {kFamilyColours[family % kFamilyColours.size()], kDashes[index_in_family % kDashes.size()],
          1.4};
}

std::vector<double> calcRatios(const BenchResults& results, int solver) {
  std::vector<double> ratios;
  for (const BenchProblem& problem : results.problems) {
    if (!problem.runs[solver].solved) continue;
    const BenchRun& best = problem.runs[findFastest(results, problem)];
    const double ratio = problem.runs[solver].seconds / best.seconds;
    ratios.push_back(std::isfinite(ratio) ? ratio : 1.0);  // both below the resolution of the clock
  }
  std::ranges::sort(ratios);
  return ratios;
}

std::vector<Curve> makeCurves(const BenchResults& results) {
  std::vector<Curve> curves;
  std::vector<std::string> families;
  std::vector<int> members;
  for (int s = 0; s < results.solverCount(); ++s) {
    const BenchSolver& solver = results.solvers[s];
    if (!solver.peer) {
      curves.push_back({s, ownStyle(s), calcRatios(results, s)});
      continue;
    }
    const auto found = std::ranges::find(families, solver.family);
    const auto family = static_cast<std::size_t>(found - families.begin());
    if (found == families.end()) {
      families.push_back(solver.family);
      members.push_back(0);
    }
    curves.push_back({s, peerStyle(static_cast<int>(family), members[family]++),
                      calcRatios(results, s)});
  }
  return curves;
}

int countDecades(const std::vector<Curve>& curves) {
  double largest = 1.0;
  for (const Curve& curve : curves) {
    if (!curve.ratios.empty()) largest = std::max(largest, curve.ratios.back());
  }
  return std::clamp(static_cast<int>(std::ceil(std::log10(largest))), 1, kMaxDecades);
}

double xOf(double ratio, int decades) { return kLeft + kPlotWidth * std::log10(ratio) / decades; }
double yOf(double share) { return kTop + kPlotHeight * (1.0 - share); }

// Solver names and families are XML text.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return result;
}

std::string drawLine(double x1, double y1, double x2, double y2, const char* colour) {
  return fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2, y2,
                     colour);
}

std::string drawText(double x, double y, const char* anchor, const std::string& text,
                     const std::string& more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                     anchor, more, escaped(text));
}

std::string drawAxes(int decades) {
  constexpr const char* kGrid = "#e4e4e4";
  constexpr const char* kFineGrid = "#f4f4f4";
  std::string svg;
  for (int decade = 0; decade < decades; ++decade) {
    for (int k = 2; k < 10; ++k) {
      const double x = xOf(k * std::pow(10.0, decade), decades);
      svg += drawLine(x, yOf(0.0), x, yOf(1.0), kFineGrid);
    }
  }
  for (int decade = 0; decade <= decades; ++decade) {
    const double x = xOf(std::pow(10.0, decade), decades);
    svg += drawLine(x, yOf(0.0), x, yOf(1.0), kGrid);
    svg += drawText(x, yOf(0.0) + 20.0, "middle", kPowers[decade]);
  }
  for (int percent = 0; percent <= 100; percent += 20) {
    const double y = yOf(percent / 100.0);
    svg += drawLine(kLeft, y, kLeft + kPlotWidth, y, kGrid);
    svg += drawText(kLeft - 10.0, y + 4.0, "end", fmt::format("{} %", percent));
  }
  svg += fmt::format("<path d=\"M{0:.1f} {1:.1f}V{2:.1f}H{3:.1f}\" stroke=\"#555555\"/>\n", kLeft,
                     yOf(1.0), yOf(0.0), kLeft + kPlotWidth);
  svg += drawText(kLeft + 0.5 * kPlotWidth, yOf(0.0) + 46.0, "middle",
                  "time / time of the fastest solver on that problem");
  const double middle = yOf(0.5);
  svg += drawText(18.0, middle, "middle", "problems solved",
                  fmt::format(" transform=\"rotate(-90 18 {:.1f})\"", middle));
  return svg;
}

std::string strokeOf(const Style& style) {
  const std::string dashes =
      *style.dashes == '\0' ? "" : fmt::format(" stroke-dasharray=\"{}\"", style.dashes);
  return fmt::format("stroke=\"{}\" stroke-width=\"{}\"{}", style.colour, style.width, dashes);
}

// A staircase: one step up at each ratio, then level to the right edge. Bold ones have a white rim.
std::string drawCurve(const Curve& curve, std::size_t problems, int decades) {
  if (curve.ratios.empty()) return "";
  const auto total = static_cast<double>(problems);
  const auto fastest = std::ranges::upper_bound(curve.ratios, 1.0) - curve.ratios.begin();
  std::string path =
      fmt::format("M{:.1f} {:.1f}", kLeft, yOf(static_cast<double>(fastest) / total));
  for (std::size_t k = fastest; k < curve.ratios.size(); ++k) {
    const double x = xOf(curve.ratios[k], decades);
    if (x > kLeft + kPlotWidth) break;
    path += fmt::format("H{:.1f}V{:.1f}", x, yOf(static_cast<double>(k + 1) / total));
  }
  path += fmt::format("H{:.1f}", kLeft + kPlotWidth);
  const bool bold = curve.style.width > 2.0;
  const std::string rim =
      bold ? fmt::format("<path d=\"{}\" stroke=\"#ffffff\" stroke-width=\"6.5\"/>\n", path) : "";
  return rim + fmt::format("<path d=\"{}\" {}/>\n", path, strokeOf(curve.style));
}

// Rows of the legend from the top; leaves in `y` where the last one stands.
std::string drawLegend(const BenchResults& results, const std::vector<Curve>& curves, double& y) {
  const auto heading = [&](const std::string& text) {
    y += 1.5 * kRowHeight;
    return drawText(kLegendLeft, y, "start", text, " class=\"h\"");
  };
  std::string peer = results.peer;
  if (!peer.empty()) peer[0] = static_cast<char>(std::toupper(peer[0]));
  y = kTop - 1.5 * kRowHeight;
  std::string svg = heading("Cornet");
  std::string group;
  for (const Curve& curve : curves) {
    const BenchSolver& solver = results.solvers[curve.solver];
    if (solver.peer && solver.family != group) {
      svg += heading(fmt::format("{}: {}", peer, solver.family));
      group = solver.family;
    }
    y += kRowHeight;
    svg += fmt::format("<path d=\"M{:.1f} {:.1f}h34\" {}/>\n", kLegendLeft, y - 4.0,
                       strokeOf(curve.style));
    svg += drawText(kLegendLeft + 44.0, y, "start", solver.name, solver.peer ? "" : " class=\"h\"");
    svg += drawText(kLegendLeft + kLegendWidth - 8.0, y, "end",
                    fmt::format("{}", curve.ratios.size()));
  }
  return svg;
}

}  // namespace

std::string drawPerformanceProfile(const BenchResults& results) {
  const std::vector<Curve> curves = makeCurves(results);
  const int decades = countDecades(curves);
  std::string body = drawAxes(decades);
  // Ours last, the judged one on top.
  for (auto curve = curves.rbegin(); curve != curves.rend(); ++curve) {
    body += drawCurve(*curve, results.problems.size(), decades);
  }
  double legend_end = 0.0;
  body += drawLegend(results, curves, legend_end);
  body += drawText(kLegendLeft + kLegendWidth - 8.0, kTop, "end", "solved");
  body += drawText(kLeft, 32.0, "start",
                   fmt::format("Performance profile: {} problems, tolerance {:g}",
                               results.problems.size(), results.tolerance), " class=\"t\"");
  const double width = kLegendLeft + kLegendWidth + 8.0;
  const double height = std::max(kTop + kPlotHeight + kBottom, legend_end + 24.0);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\">\n"
      "<style>text{{font:12px sans-serif;fill:#222222}}.h{{font-weight:bold}}"
      ".t{{font-size:16px;font-weight:bold}}path{{fill:none;stroke-linejoin:round}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{2}</svg>\n",
      width, height, body);
}

}  // namespace cornet::app
