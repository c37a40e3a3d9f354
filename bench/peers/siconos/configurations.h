#pragma once

#include <span>
#include <string_view>

#include <siconos/numerics/NumericsFwd.h>

/// The solver configurations of Siconos that are timed: 21 ways to solve the friction-contact
/// problem in Delassus form, each of which is the fastest one somewhere or close to it.
namespace cornet::siconos {

/// How W is handed over: Siconos chooses its linear algebra by it.
enum class Storage { blocks, sparse, dense };

struct Configuration {
  std::string_view name;
  std::string_view family;  // groups the curves of a picture
  int solver;               // Siconos' number
  Storage storage;
  int max_iterations;              // far beyond where a solve is worth waiting for
  void (*refine)(SolverOptions*);  // what differs from Siconos' defaults; may be null

  /// Dense storage does not pay, and then does not fit, beyond this.
  static constexpr int kMaxDenseContacts = 60;
  bool takes(int contacts) const {
    return storage != Storage::dense || contacts <= kMaxDenseContacts;
  }
};

std::span<const Configuration> configurations();

/// Siconos' options for a configuration; end with solver_options_delete().
SolverOptions* makeOptions(const Configuration& configuration, double tolerance);

}  // namespace cornet::siconos
