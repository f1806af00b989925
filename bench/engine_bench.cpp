// SPDX-License-Identifier: Apache-2.0
// Overhead of engine and archive per candidate: a search of many candidates whose model and judge
// answer at once, every commit synced. Exits with 1 above the limit.
//   build/release/bench/engine_bench [--limit-ms 2] [--candidates 2000]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "search/fakes.h"

namespace {

using namespace warpwright::search;

/// A candidate as large as real ones are, so that hashing and storing cost what they cost.
std::string candidate(const std::string& id) {
  return "time=" + std::to_string(1000 - std::hash<std::string>()(id) % 997) + " // " + id + "\n" +
         std::string(6000, 'x');
}

double milliseconds_per_candidate(int candidates) {
  World world([](const warpwright::llm::Request& request) { return says(candidate(request.id)); });
  world.strategy_options = {.candidates = 10, .depth = candidates / 10};
  world.model.slots = 10;
  const auto start = std::chrono::steady_clock::now();
  world.run();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  return took.count() / candidates;
}

}  // namespace

int main(int argc, char** argv) {
  double limit_ms = 0;
  int candidates = 2000;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--limit-ms") limit_ms = std::atof(argv[i + 1]);
    if (std::string(argv[i]) == "--candidates") candidates = std::max(10, std::atoi(argv[i + 1]));
  }
  // The median of five: other work on the machine is not our overhead.
  double runs[5];
  for (double& run : runs) run = milliseconds_per_candidate(candidates);
  std::sort(std::begin(runs), std::end(runs));
  std::printf(
      "engine and archive: %.3f ms per candidate (median of 5 searches of %d; %.3f .. %.3f)\n",
      runs[2], candidates, runs[0], runs[4]);
  return limit_ms > 0 && runs[2] > limit_ms ? 1 : 0;
}
