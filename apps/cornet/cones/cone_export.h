#pragma once

#include "cones/cone_study.h"

/// The study as a table for people, as CSV, JSON and picture (docs/formats/cones.md).
namespace cornet::app {

std::string conesTable(const std::vector<ConeModelStudy>& models, const ConeStudyOptions& options);
std::string conesCsv(const std::vector<ConeModelStudy>& models);
std::string conesJson(const std::vector<ConeModelStudy>& models, const ConeStudyOptions& options);
/// The object for a run that could not even start.
std::string conesFailureJson(const std::string& text);
/// Two polar plots: the largest push that holds, and the power that friction takes.
std::string conesSvg(const std::vector<ConeModelStudy>& models, const ConeStudyOptions& options);

}  // namespace cornet::app
