#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "cornet/problem/contact_problem.h"
#include "cornet/problem/delassus_problem.h"
#include "cornet/problem/solution.h"

/// Contact problems in fclib files [fclib], the field's exchange format (HDF5):
///
///   /fclib_local    u = W r + V l + q,  Vᵀr + R l + s = 0           read as DelassusProblem
///   /fclib_global   M v = H r + G l + f,  u = Hᵀv + w,  Gᵀv + b = 0  read as ContactProblem
///
/// r obeys Coulomb's law contact by contact, l belongs to equality rows. What fclib has no place
/// for stands beside it in the group /cornet: docs/formats/fclib.md. Any problem written here comes
/// back bit-equal; other tools read the fclib part.
namespace cornet {

struct ProblemFile {
  std::variant<ContactProblem, DelassusProblem> problem;
  VectorXd warm_impulse;  // one per row, or empty [N s]
  std::string title;
  std::string description;
  std::string math_info;

  const ConstraintRows& rows() const;
  /// "velocity" or "delassus".
  const char* form() const;
  /// Degrees of freedom of the velocity form, rows of the Delassus form.
  int dofCount() const;
};

/// Throws FileError or FormatError; the problem returned is valid.
ProblemFile readProblem(const std::filesystem::path& file);

/// Throws std::invalid_argument for a problem that is not valid, FileError when writing fails.
void writeProblem(const std::filesystem::path& file, const ProblemFile& content);

/// Writes v, u, r (cones of finite μ) and l (equality rows) as fclib does, and beside them, in
/// /cornet, the impulses and velocities of all rows in order, status and certificate.
void writeSolution(const std::filesystem::path& file, const ConstraintRows& rows,
                   const Solution& solution);

/// Impulses in row order from a solution file: ours, any tool's fclib solution, or plain text with
/// numbers separated by white space. Throws FileError or FormatError, also for a wrong number.
VectorXd readImpulses(const std::filesystem::path& file, const ConstraintRows& rows);

}  // namespace cornet
