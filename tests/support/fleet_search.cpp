// SPDX-License-Identifier: Apache-2.0
// fleet_search SPOOL QUEUE COUNT AT_ONCE [slurm OPTIONS PILOT_FLAGS]: has COUNT made-up sources
// judged by a fleet, as a search would, and says how many and how fast. May be killed and started
// again.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "fleet/fleet_evaluator.h"
#include "fleet/slurm.h"
#include "suite/load.h"

namespace {

using namespace warpwright;

int fail(const Error& error) {
  std::fprintf(stderr, "fleet_search: %s\n", error.message.c_str());
  return 2;
}

Status add_slurm(fleet::FleetOptions& options, const char* text, const char* pilot_flags) {
  fleet::SlurmOptions slurm;
  std::istringstream words(pilot_flags);
  for (std::string word; words >> word;) slurm.pilot_flags.push_back(word);
  WW_TRY(slurm, fleet::slurm_options(text, slurm));
  WW_TRY(options.launcher, fleet::SlurmLauncher::create(options.spool, slurm));
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5 && argc != 8) return 2;
  auto spool = fleet::Spool::create(argv[1], {});
  if (!spool.ok()) return fail(spool.error());
  const int count = std::stoi(argv[3]), at_once = std::stoi(argv[4]);
  fleet::FleetOptions options{.spool = *spool, .queue = argv[2], .keep_queue = true};
  options.pattern.task = suite::load_embedded_task("copy").value();
  options.parallelism = at_once;
  if (argc == 8) {
    if (const Status added = add_slurm(options, argv[6], argv[7]); !added.ok()) {
      return fail(added.error());
    }
  }
  fleet::FleetEvaluator evaluator(std::move(options));
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  const auto began = std::chrono::steady_clock::now();
  std::atomic<int> next = 0, judged = 0, failed = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < at_once; ++t) {
      threads.emplace_back([&] {
        for (int i = next++; i < count; i = next++) {
          const std::string id = "c" + std::to_string(i);
          const auto result = evaluator.evaluate({id, "// " + id, false}, stop);
          const bool good = result.ok() && result->verdict != Verdict::harness_error;
          if (!good) {
            std::fprintf(stderr, "%s: %s\n", id.c_str(),
                         result.ok() ? result->reason.c_str() : result.error().message.c_str());
          }
          ++(good ? judged : failed);
        }
      });
    }
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  std::printf("%d judged, %d failed, %.3f s\n", judged.load(), failed.load(), seconds);
  return failed == 0 ? 0 : 1;
}
