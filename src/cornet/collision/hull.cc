// Convex hulls through Qhull; the only file that knows it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <string>

#include <fmt/format.h>
#include <libqhull_r/qhull_ra.h>

#include "cornet/collision/polyhedron.h"

namespace cornet {
namespace {

// One run of Qhull, freed whatever happens.
class QhullRun {
 public:
  explicit QhullRun(std::span<const Vector3d> points) {
    for (const Vector3d& point : points) {
      for (int k = 0; k < 3; ++k) coordinates_.push_back(point[k]);
    }
    std::FILE* messages = open_memstream(&text_, &text_size_);
    qh_zero(&qh_, messages);
    char command[] = "qhull Pp";
    code_ = qh_new_qhull(&qh_, 3, static_cast<int>(points.size()), coordinates_.data(), False,
                         command, nullptr, messages);
    std::fclose(messages);
  }
  ~QhullRun() {
    qh_freeqhull(&qh_, !qh_ALL);
    int memory = 0, blocks = 0;
    qh_memfreeshort(&qh_, &memory, &blocks);
    std::free(text_);
  }
  QhullRun(const QhullRun&) = delete;
  QhullRun& operator=(const QhullRun&) = delete;

  bool ok() const { return code_ == 0; }
  // The vertices of every facet, counterclockwise seen from outside.
  std::vector<std::vector<int>> facets() {
    std::vector<std::vector<int>> result;
    for (facetT* facet = qh_.facet_list; facet != nullptr && facet->next != nullptr;
         facet = facet->next) {
      setT* corners = qh_facet3vertex(&qh_, facet);
      std::vector<int> loop;
      for (int k = 0; k < qh_setsize(&qh_, corners); ++k) {
        auto* vertex = static_cast<vertexT*>(corners->e[k].p);
        loop.push_back(qh_pointid(&qh_, vertex->point));
      }
      qh_settempfree(&qh_, &corners);
      std::ranges::reverse(loop);  // Qhull runs clockwise
      result.push_back(std::move(loop));
    }
    return result;
  }

 private:
  qhT qh_{};
  std::vector<coordT> coordinates_;
  char* text_ = nullptr;
  std::size_t text_size_ = 0;
  int code_ = 0;
};

// Same facets and loops for the same points: loops begin with their smallest vertex, facets ascend.
void makeCanonical(std::vector<std::vector<int>>& facets) {
  for (std::vector<int>& loop : facets) {
    std::ranges::rotate(loop, std::ranges::min_element(loop));
  }
  std::ranges::sort(facets);
}

}  // namespace

Polyhedron Polyhedron::makeHull(std::span<const Vector3d> points, std::string_view name) {
  if (points.size() < 4) {
    throw std::invalid_argument(
        fmt::format("{}: a convex hull of {} points: expected at least 4", name, points.size()));
  }
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (points[k].allFinite()) continue;
    throw std::invalid_argument(fmt::format("{}: point {} is not finite", name, k));
  }
  QhullRun run(points);
  if (!run.ok()) {
    throw std::invalid_argument(fmt::format(
        "{}: the {} points of the convex hull lie in one plane, or nearly so", name, points.size()));
  }
  std::vector<std::vector<int>> facets = run.facets();
  makeCanonical(facets);
  // Vertices that are corners, in the order of the points.
  std::set<int> used;
  for (const std::vector<int>& loop : facets) used.insert(loop.begin(), loop.end());
  std::vector<int> place(points.size(), -1);
  Polyhedron hull;
  for (const int v : used) {
    place[v] = static_cast<int>(hull.vertices_.size());
    hull.vertices_.push_back(points[v]);
  }
  for (std::vector<int>& loop : facets) {
    for (int& v : loop) v = place[v];
    hull.addFace(loop);
  }
  hull.findEdges();
  hull.id_ = makeId();
  return hull;
}

}  // namespace cornet
