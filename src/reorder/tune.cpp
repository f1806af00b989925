// SPDX-License-Identifier: Apache-2.0
#include "reorder/tune.h"

#include <algorithm>
#include <chrono>

namespace warpwright::reorder {

namespace {

using SteadyClock = std::chrono::steady_clock;

// Uploads take longer than runs, so sets change slowly.
constexpr std::uint64_t kSetsInSearch = 16, kTrialsPerSet = 64;
constexpr double kNoise = 0.002;

double searched_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

}  // namespace

TuneOptions tune_within(double total_s) {
  TuneOptions options;
  options.variants_s = 0.25 * total_s;
  options.search_s = 0.4 * total_s;
  options.proof.pair_s = std::min(3.0, 0.01 * total_s);
  options.proof.fuzz_s = 0.06 * total_s;
  options.proof.proof_s = 0.1 * total_s;
  const auto start = SteadyClock::now();
  options.is_over = [start, total_s] { return searched_since(start) > total_s; };
  return options;
}

Result<Tuned> tune(const sass::Program& program, const sass::Kernel& kernel, Canary& canary,
                   const TuneOptions& options, const std::string& rival) {
  const sass::Searcher* searcher = sass::searcher_named(options.strategy);
  if (searcher == nullptr)
    return Error{"there is no strategy \"" + options.strategy + "\"; choose anneal or policy"};
  WW_TRY(const double original_us, canary.original_us());
  const auto start = SteadyClock::now();
  std::uint64_t trials = 0;
  const auto time = [&](const sass::Function& scheduled) -> Result<std::optional<double>> {
    const std::string cubin = program.bytes_with(scheduled);
    WW_TRY(const auto ratio, canary.trial(cubin, trials++ / kTrialsPerSet % kSetsInSearch));
    if (!ratio) return std::optional<double>();
    return std::optional<double>(*ratio * original_us);
  };
  sass::SearchOptions search{.seed = options.seed, .most_tried = 1'000'000, .noise = kNoise};
  search.is_over = [&] { return searched_since(start) > options.search_s || options.is_over(); };
  Tuned tuned;
  tuned.cubin = program.cubin().bytes();
  WW_TRY(tuned.search, searcher->search(kernel, time, search));
  tuned.searched_s = searched_since(start);
  tuned.why_not = "no schedule was faster";
  for (const auto& [us, schedule] : tuned.search.finalists) {
    if (us >= tuned.search.original_us || options.is_over()) break;
    const auto scheduled = kernel.apply(schedule);
    if (!scheduled) continue;
    const std::string cubin = program.bytes_with(*scheduled);
    WW_TRY(tuned.proof, prove(cubin, rival, canary, options.proof));
    tuned.why_not = tuned.proof.why_not;
    if (!tuned.proof.passed()) continue;
    tuned.accepted = true;
    tuned.cubin = cubin;
    break;
  }
  tuned.replaced = canary.replaced();
  return tuned;
}

}  // namespace warpwright::reorder
