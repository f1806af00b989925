// SPDX-License-Identifier: Apache-2.0
// Feeds fuzz targets their seeds and fixed mutations of them, for machines without libFuzzer. All
// in one process: the search for leaks at its end takes seconds on ARM.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/files.h"
#include "fuzz/fuzzers.h"

namespace {

constexpr int kRounds = 3000;
constexpr auto kBudget = std::chrono::milliseconds(1200);

/// SplitMix64: the same mutations on every machine.
struct Random {
  std::uint64_t state = 1;
  std::uint64_t next() {
    std::uint64_t z = state += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : next() % bound; }
};

void feed(const Fuzzer& fuzzer, const std::string& input) {
  fuzzer.run(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::string mutated(std::string text, const std::vector<std::string>& seeds, Random& random) {
  const std::size_t changes = 1 + random.below(4);
  for (std::size_t i = 0; i < changes; ++i) {
    const std::size_t at = random.below(text.size() + 1);
    const std::size_t length = random.below(std::min<std::size_t>(text.size() - at, 64) + 1);
    switch (random.below(5)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(at, length));
        break;
      case 2:
        text.insert(at, 1, static_cast<char>(random.below(256)));
        break;
      case 3:
        if (at < text.size()) text[at] = static_cast<char>(random.below(256));
        break;
      default: {
        const auto& other = seeds[random.below(seeds.size())];
        const std::size_t from = random.below(other.size());
        text.insert(at, other.substr(from, random.below(256)));
      }
    }
  }
  return text;
}

std::vector<std::string> seeds_in(const char* folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code none;  // a target without seeds starts from nothing
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> seeds;
  for (const auto& path : paths) seeds.push_back(warpwright::read_file(path).value());
  seeds.emplace_back();
  return seeds;
}

void run_one(const Fuzzer& fuzzer, const char* folder) {
  // Before the first input: what crashes is then known by the last line.
  std::printf("%s: ", fuzzer.name);
  std::fflush(stdout);
  const std::vector<std::string> seeds = seeds_in(folder);
  for (const auto& seed : seeds) feed(fuzzer, seed);
  Random random;
  long long runs = 0;
  // The order is fixed; a slow machine only stops earlier in it.
  const auto end = std::chrono::steady_clock::now() + kBudget;
  for (int round = 0; round < kRounds; ++round) {
    for (const auto& seed : seeds) {
      if (std::chrono::steady_clock::now() >= end) break;
      feed(fuzzer, mutated(seed, seeds, random));
      ++runs;
    }
  }
  std::printf("%zu seeds and %lld mutations: no finding\n", seeds.size() - 1, runs);
}

}  // namespace

int main(int argc, char** argv) {
  const auto& fuzzers = all_fuzzers();
  for (int i = 1; i < argc; i += 2) {
    const auto fuzzer = std::find_if(fuzzers.begin(), fuzzers.end(), [&](const Fuzzer& f) {
      return i + 1 < argc && std::string(f.name) == argv[i];
    });
    if (fuzzer == fuzzers.end()) {
      std::fprintf(stderr, "usage: %s [FUZZER CORPUS_DIRECTORY]...\n", argv[0]);
      return 2;
    }
    run_one(*fuzzer, argv[i + 1]);
  }
  return argc > 1 ? 0 : 2;
}
