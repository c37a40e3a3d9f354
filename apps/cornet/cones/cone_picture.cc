#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "cones/cone_export.h"

namespace cornet::app {
namespace {

// Layout [px].
constexpr double kRadius = 120.0;  // of the exact law
constexpr double kPanel = 420.0;
constexpr double kPanelTop = 56.0;
constexpr double kHeight = kPanelTop + kPanel + 84.0;

// The palette of Okabe and Ito, told apart by colour-blind readers too; dashes differ as well.
struct CurveStyle {
  const char* colour;
  const char* dashes;
  double width;
};
constexpr std::array<CurveStyle, 5> kStyles = {CurveStyle{"#000000", "", 3.0}, CurveStyle{"#0072b2", "9 3", 2.0},
                                          CurveStyle{"#d55e00", "", 2.0}, CurveStyle{"#009e73", "3 3", 2.0},
                                          CurveStyle{"#cc79a7", "", 2.0}};

std::string drawCurve(const ConeModelStudy& model, double ConeHeading::*field, double x, double y,
                      const CurveStyle& style) {
  std::string path;
  for (const ConeHeading& heading : model.headings) {
    const double angle = heading.heading * std::numbers::pi / 180.0;
    const double r = kRadius * heading.*field;
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x + r * std::cos(angle),
                        y - r * std::sin(angle));
  }
  return fmt::format("<path d=\"{}Z\" stroke=\"{}\" stroke-width=\"{}\" stroke-dasharray=\"{}\"/>\n",
                     path, style.colour, style.width, style.dashes);
}

std::string drawGrid(double x, double y) {
  std::string svg;
  for (const double ratio : {0.5, 1.0, 1.5}) {
    svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" stroke=\"#dddddd\"/>\n", x, y,
                       ratio * kRadius);
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"s\">{}</text>\n",
                       x + 4.0, y - ratio * kRadius - 3.0, ratio);
  }
  for (int k = 0; k < 4; ++k) {
    const double c = 1.6 * kRadius * std::cos(k * std::numbers::pi / 4.0);
    const double s = 1.6 * kRadius * std::sin(k * std::numbers::pi / 4.0);
    svg += fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"#eeeeee\"/>\n", x - c, y + s,
                       x + c, y - s);
  }
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"s\">t1</text>\n", x + 1.63 * kRadius,
                     y + 4.0);
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"s\">t2</text>\n", x - 5.0,
                     y - 1.65 * kRadius);
  return svg;
}

}  // namespace

std::string conesSvg(const std::vector<ConeModelStudy>& models, const ConeStudyOptions& options) {
  const double y = kPanelTop + 0.5 * kPanel;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" fill=\"none\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n<style>text{{fill:#222222}}"
      ".s{{font-size:11px;fill:#777777}}.h{{font-weight:bold;font-size:15px}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
      2.0 * kPanel, kHeight);
  const std::array fields = {&ConeHeading::hold, &ConeHeading::power};
  const std::array titles = {"largest push without slip, by direction",
                             "power friction takes, by direction of slip"};
  for (std::size_t panel = 0; panel < fields.size(); ++panel) {
    const double x = (static_cast<double>(panel) + 0.5) * kPanel;
    svg += fmt::format("<text x=\"{:.1f}\" y=\"30\" text-anchor=\"middle\" class=\"h\">{}</text>\n", x,
                       titles[panel]);
    svg += drawGrid(x, y);
    // The convex model is left out: it takes off.
    for (std::size_t k = models.size() < kStyles.size() ? models.size() : kStyles.size(); k-- > 0;) {
      svg += drawCurve(models[k], fields[panel], x, y, kStyles[k]);
    }
  }
  for (std::size_t k = 0; k < kStyles.size() && k < models.size(); ++k) {
    const double x = 40.0 + 160.0 * static_cast<double>(k);
    const std::string name =
        models[k].name == "polygon" ? fmt::format("polygon, {} corners", options.faces) : models[k].name;
    svg += fmt::format("<path d=\"M{:.1f} {:.1f}h28\" stroke=\"{}\" stroke-width=\"{}\" "
                       "stroke-dasharray=\"{}\"/>\n<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                       x, kHeight - 52.0, kStyles[k].colour, kStyles[k].width, kStyles[k].dashes,
                       x + 34.0, kHeight - 48.0, name);
  }
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" class=\"s\">relative to "
                     "Coulomb's law, μ = {}; made by cornet cones</text>\n</svg>\n",
                     kPanel, kHeight - 18.0, options.mu);
  return svg;
}

}  // namespace cornet::app
