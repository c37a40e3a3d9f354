#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "cornet/io/fclib.h"
#include "cornet/io/fclib_layout.h"
#include "cornet/io/format_error.h"
#include "cornet/io/hdf5_file.h"

namespace cornet {
namespace {

bool looksLikeHdf5(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  char signature[4] = {};
  stream.read(signature, sizeof signature);
  return stream && std::string_view(signature, 4) == "\x89HDF";
}

VectorXd toVector(const std::filesystem::path& file, const std::string& object,
                  const std::vector<double>& values, int expected) {
  if (values.size() != static_cast<std::size_t>(expected)) {
    throw FormatError(file, object, fmt::format("{} impulses", values.size()),
                      fmt::format("{}, one per row of the problem", expected));
  }
  return Eigen::Map<const VectorXd>(values.data(), expected);
}

// Cone rows from r, equality rows from l; other laws are unknown to fclib.
VectorXd readFclibSolution(const Hdf5Reader& reader, const ConstraintRows& rows) {
  const FclibRows map(rows);
  const std::string group = "/solution";
  if (map.cone_count + map.equality_count != rows.rowCount()) {
    throw FormatError(reader.file(), group, "r and l only",
                      "/cornet/impulse, because the problem has rows that fclib does not know");
  }
  const VectorXd r =
      toVector(reader.file(), group + "/r", reader.readFinite(group + "/r"), map.cone_count);
  VectorXd l;
  if (map.equality_count > 0) {
    l = toVector(reader.file(), group + "/l", reader.readFinite(group + "/l"), map.equality_count);
  }
  VectorXd lambda(rows.rowCount());
  for (int row = 0; row < rows.rowCount(); ++row) {
    lambda[row] = map.cone[row] >= 0 ? r[map.cone[row]] : l[map.equality[row]];
  }
  return lambda;
}

std::vector<double> readNumbers(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) throw FileError(file, "no such file");
  if (!std::filesystem::is_regular_file(file, error)) throw FileError(file, "not a regular file");
  std::ifstream stream(file);
  if (!stream.is_open()) throw FileError(file, "cannot be read (permissions?)");
  std::vector<double> values;
  std::string word;
  while (stream >> word) {
    std::size_t used = 0;
    double value = NAN;
    try {
      value = std::stod(word, &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used != word.size() || !std::isfinite(value)) {
      throw FormatError(file, fmt::format("word {}", values.size() + 1),
                        "\"" + word.substr(0, 40) + "\"", "a finite number");
    }
    values.push_back(value);
  }
  return values;
}

}  // namespace

void writeSolution(const std::filesystem::path& file, const ConstraintRows& rows,
                   const Solution& solution) {
  const FclibRows map(rows);
  Hdf5Writer writer(file);
  if (solution.v.size() > 0) writer.write("/solution/v", asSpan(solution.v));
  writer.write("/solution/u", pick(solution.u, map.cone, map.cone_count));
  writer.write("/solution/r", pick(solution.lambda, map.cone, map.cone_count));
  if (map.equality_count > 0) {
    writer.write("/solution/l", pick(solution.lambda, map.equality, map.equality_count));
  }
  writer.write("/cornet/impulse", asSpan(solution.lambda));
  writer.write("/cornet/velocity", asSpan(solution.u));
  writer.writeString("/cornet/status", std::string(toString(solution.status)));
  writer.write("/cornet/certificate/relative", solution.certificate.relative);
  writer.write("/cornet/certificate/absolute_velocity", solution.certificate.absolute_velocity);
  writer.write("/cornet/certificate/absolute_impulse", solution.certificate.absolute_impulse);
  writer.commit();
}

VectorXd readImpulses(const std::filesystem::path& file, const ConstraintRows& rows) {
  if (!looksLikeHdf5(file)) {
    return toVector(file, "impulses", readNumbers(file), rows.rowCount());
  }
  const Hdf5Reader reader(file);
  const std::string own = "/cornet/impulse";
  if (reader.exists(own)) {
    return toVector(file, own, reader.readFinite(own), rows.rowCount());
  }
  return readFclibSolution(reader, rows);
}

}  // namespace cornet
