#include "cornet/body/mujoco/urdf.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "cornet/body/mujoco/package_files.h"

namespace cornet {
namespace {

using Elements = std::vector<const ModelElement*>;

// In order, of this tag.
Elements childrenOf(const ModelSource& source, const ModelElement& parent, std::string_view tag = {}) {
  const auto number = static_cast<int>(&parent - source.elements().data());
  Elements children;
  for (const ModelElement& element : source.elements()) {
    if (element.parent == number && (tag.empty() || element.tag == tag)) children.push_back(&element);
  }
  return children;
}

double readFriction(const ModelSource& source, const ModelElement& element) {
  const std::string* value = element.find("value");
  const std::string& text = value != nullptr ? *value : element.text;
  char* end = nullptr;
  const double friction = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !std::isfinite(friction) || friction < 0.0) {
    source.refuseAt(element, fmt::format("friction \"{}\" is no number ≥ 0", text), "write a number ≥ 0");
  }
  return friction;
}

class UrdfFriction {
 public:
  UrdfFriction(const ModelSource& source, mjSpec& spec) : source_(source), spec_(spec) {}

  void adapt() {
    for (const ModelElement& element : source_.elements()) {
      const std::string* reference = element.find("reference");
      if (element.tag == "gazebo" && reference != nullptr) readGazebo(element, *reference);
    }
    for (const ModelElement& element : source_.elements()) {
      if (element.tag == "link" && element.find("name") != nullptr) adaptLink(element);
    }
  }
  std::vector<NotUsed> notUsed() const {
    std::vector<NotUsed> list;
    for (const auto& [key, count] : counts_) list.push_back({key.first, count, key.second});
    return list;
  }

 private:
  void count(const std::string& what, const char* on) { ++counts_[{what, on}]; }

  void readGazebo(const ModelElement& block, const std::string& link) {
    std::optional<double> second;
    for (const ModelElement* tag : childrenOf(source_, block)) {
      if (tag->tag == "mu1") {
        of_link_[link] = readFriction(source_, *tag);
      } else if (tag->tag == "mu2") {
        second = readFriction(source_, *tag);
      } else {
        count("gazebo " + tag->tag, "link");
      }
    }
    if (second && !of_link_.contains(link)) of_link_[link] = *second;
    if (second && *second != of_link_[link]) count("gazebo mu2", "link");
  }

  std::optional<double> readDrake(const ModelElement& collision) {
    std::optional<double> at_rest, sliding;
    for (const ModelElement* block : childrenOf(source_, collision, "drake:proximity_properties")) {
      for (const ModelElement* tag : childrenOf(source_, *block)) {
        if (tag->tag == "drake:mu_static") {
          at_rest = readFriction(source_, *tag);
        } else if (tag->tag == "drake:mu_dynamic") {
          sliding = readFriction(source_, *tag);
        } else {
          count(tag->tag, "collision");
        }
      }
    }
    if (at_rest && sliding && *at_rest != *sliding) count("drake:mu_dynamic", "collision");
    return at_rest ? at_rest : sliding;
  }

  // Shapes of the parser come in the order of the collisions.
  void adaptLink(const ModelElement& link) {
    const std::string& name = *link.find("name");
    const auto common = of_link_.find(name);
    std::vector<std::optional<double>> friction;
    for (const ModelElement* collision : childrenOf(source_, link, "collision")) {
      friction.push_back(readDrake(*collision));
      if (!friction.back() && common != of_link_.end()) friction.back() = common->second;
    }
    mjsBody* body = mjs_findBody(&spec_, name.c_str());
    std::vector<mjsGeom*> geoms;
    for (mjsElement* geom = body == nullptr ? nullptr : mjs_firstChild(body, mjOBJ_GEOM, 0); geom != nullptr; geom = mjs_nextChild(body, geom, 0)) {
      if (mjs_asGeom(geom)->contype != 0 || mjs_asGeom(geom)->conaffinity != 0) geoms.push_back(mjs_asGeom(geom));
    }
    for (std::size_t k = 0; k < friction.size(); ++k) {
      if (!friction[k]) continue;
      if (geoms.size() == friction.size()) {
        geoms[k]->friction[0] = *friction[k];
      } else {
        count("friction", "collision");
      }
    }
  }

  const ModelSource& source_;
  mjSpec& spec_;
  std::map<std::string, double> of_link_;
  std::map<std::pair<std::string, std::string>, int> counts_;
};

// By absolute names, where they were by those of packages.
void adaptMeshes(const ModelSource& source, const PackageFiles& packages, mjSpec& spec) {
  for (mjsElement* element = mjs_firstElement(&spec, mjOBJ_MESH); element != nullptr; element = mjs_nextElement(&spec, element)) {
    mjsMesh* mesh = mjs_asMesh(element);
    const std::string name = mjs_getString(mesh->file);
    if (!PackageFiles::isUri(name)) continue;
    const auto isOf = [&name](const ModelElement& other) {
      const std::string* file = other.find("filename");
      return other.tag == "mesh" && file != nullptr && *file == name;
    };
    const auto place = std::ranges::find_if(source.elements(), isOf);
    const ModelElement& said = place != source.elements().end() ? *place : source.elements().front();
    const std::optional<std::filesystem::path> file = packages.find(name);
    if (!file) {
      source.refuseAt(said, fmt::format("package '{}' of {} is not found in {}", PackageFiles::packageOf(name), name, packages.listFolders()),
                      "name the folder that has the package in it: --package-path, packages in [[robot]], or ROS_PACKAGE_PATH");
    }
    if (!std::filesystem::exists(*file)) source.refuseAt(said, fmt::format("file {} does not exist", file->string()), "it was looked for in the package it names");
    mjs_setString(mesh->file, std::filesystem::absolute(*file).lexically_normal().string().c_str());
  }
}

}  // namespace

bool isUrdf(const ModelSource& source) { return source.elements().front().tag == "robot"; }

void adaptUrdf(const ModelSource& source, const std::vector<std::filesystem::path>& packages, mjSpec& spec, std::vector<NotUsed>& not_used) {
  adaptMeshes(source, PackageFiles(source.files().front(), packages), spec);
  UrdfFriction friction(source, spec);
  friction.adapt();
  const std::vector<NotUsed> others = friction.notUsed();
  not_used.insert(not_used.end(), others.begin(), others.end());
}

}  // namespace cornet
