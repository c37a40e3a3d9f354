// Mutates small problem files for a number of seconds: every damaged file is read to the end or
// refused by an exception of ours. Anything else (signal, sanitizer report, foreign exception, a
// file that takes longer than seconds) is a failure, and the file is kept.
//
//   fclib_fuzz SECONDS FOLDER [SEED]
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cornet/base/stopwatch.h"
#include "cornet/io/fclib.h"
#include "cornet/io/format_error.h"
#include "cornet/solvers/gauss_seidel.h"
#include "support/temporary_folder.h"

namespace {

using Random = std::mt19937_64;
using Bytes = std::vector<char>;

Bytes readBytes(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Numbers that sizes, offsets and indices are bad at.
std::int64_t awkwardInteger(Random& random) {
  const std::vector<std::int64_t> choices = {0,  1,   2,   -1,         -2,         3,
                                             4,  8,   255, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
                                             -8, 4096, std::int64_t{1} << 40, INT64_MAX};
  return choices[random() % choices.size()];
}

void mutate(Bytes& bytes, Random& random) {
  const auto at = [&](std::size_t width) { return random() % (bytes.size() - width); };
  const int count = 1 + static_cast<int>(random() % 6);
  for (int k = 0; k < count && bytes.size() > 64; ++k) {
    switch (random() % 7) {
      case 0: bytes[at(1)] = static_cast<char>(random()); break;
      case 1: bytes[at(1)] ^= static_cast<char>(1 << (random() % 8)); break;
      case 2:
      case 3: {
        const std::int64_t value = awkwardInteger(random);
        const std::size_t width = std::size_t{1} << (1 + random() % 3);
        std::memcpy(bytes.data() + at(8), &value, width);
        break;
      }
      case 4: {  // a number that is none
        const double value = random() % 2 ? std::numeric_limits<double>::quiet_NaN() : -1e308;
        std::memcpy(bytes.data() + (at(8) & ~std::size_t{7}), &value, 8);
        break;
      }
      case 5: {  // one part of the file over another
        const std::size_t width = 1 + random() % 64;
        if (bytes.size() > 2 * width) std::memmove(bytes.data() + at(width), bytes.data() + at(width), width);
        break;
      }
      default:
        if (random() % 4 == 0) bytes.resize(64 + random() % (bytes.size() - 64));
    }
  }
}

struct Outcome {
  long read = 0;
  long refused = 0;
};

// Reads one damaged file; what still reads is a valid problem and must solve without trouble.
void tryFile(const std::filesystem::path& file, Outcome& outcome) {
  try {
    const cornet::ProblemFile content = cornet::readProblem(file);
    cornet::GaussSeidelOptions options;
    options.max_iterations = 5;
    cornet::Solution solution;
    std::visit([&](const auto& p) { cornet::GaussSeidel(options).solve(p, solution); },
               content.problem);
    ++outcome.read;
  } catch (const cornet::FormatError&) {
    ++outcome.refused;
  } catch (const cornet::FileError&) {
    ++outcome.refused;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const double seconds = std::atof(argv[1]);
  Random random(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 20240101);
  std::vector<Bytes> corpus;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[2])) {
    if (entry.path().extension() == ".hdf5") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const auto& file : files) corpus.push_back(readBytes(file));
  if (corpus.empty()) {
    fmt::print(stderr, "no .hdf5 file in {}\n", argv[2]);
    return 2;
  }

  const cornet::test::TemporaryFolder folder;
  const std::filesystem::path file = folder / "damaged.hdf5";
  const std::filesystem::path kept = "fclib_fuzz_failure.hdf5";
  const std::filesystem::path slowest_file = "fclib_fuzz_slowest.hdf5";
  constexpr unsigned kHang = 20;  // [s] one file may take under the sanitizers
  Outcome outcome;
  double slowest = 0.0;
  const cornet::Stopwatch clock;
  while (clock.seconds() < seconds) {
    Bytes bytes = corpus[random() % corpus.size()];
    mutate(bytes, random);
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
    std::filesystem::copy_file(file, kept, std::filesystem::copy_options::overwrite_existing);
    ::alarm(kHang);
    const cornet::Stopwatch one;
    tryFile(file, outcome);
    if (one.seconds() > slowest) {
      slowest = one.seconds();
      std::filesystem::copy_file(file, slowest_file, std::filesystem::copy_options::overwrite_existing);
    }
  }
  ::alarm(0);
  std::filesystem::remove(kept);
  fmt::print("{} files read, {} refused, slowest {:.3f} s\n", outcome.read, outcome.refused, slowest);
  return outcome.read > 0 && outcome.refused > 0 ? 0 : 1;
}
