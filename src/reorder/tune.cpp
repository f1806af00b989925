// SPDX-License-Identifier: Apache-2.0
#include "reorder/tune.h"

#include <algorithm>
#include <chrono>

#include "sass/scoreboards.h"

namespace warpwright::reorder {

namespace {

using SteadyClock = std::chrono::steady_clock;

// Uploads take longer than runs, so sets change slowly.
constexpr std::uint64_t kSetsInSearch = 16, kTrialsPerSet = 64;
constexpr double kNoise = 0.002;

// Of the ratio to the code as assembled: more than noise.
constexpr double kNoSlower = 1.002;
constexpr int kGroundTrials = 5;

/// The median of some trials; nothing where one went wrong.
Result<std::optional<double>> ground_ratio(const std::string& cubin, Canary& canary) {
  std::vector<double> ratios;
  for (int i = 0; i < kGroundTrials; ++i) {
    WW_TRY(const auto ratio, canary.trial(cubin, 0));
    if (!ratio) return std::optional<double>();
    ratios.push_back(*ratio);
  }
  std::sort(ratios.begin(), ratios.end());
  return std::optional<double>(ratios[kGroundTrials / 2]);
}

/// The function whose orders are searched, and how its code as assembled compares with the kernel
/// as it was built.
struct SearchGround {
  sass::Function function;
  double assembled = 1;
};

Result<SearchGround> search_ground(const sass::Program& program, const sass::Function& function,
                                   Canary& canary, Tuned& tuned) {
  SearchGround ground{.function = function};
  int blocks = 0;
  sass::Function finer = sass::with_finer_scoreboards(function, &blocks);
  if (blocks == 0) return ground;
  WW_TRY(const auto assembled, ground_ratio(program.cubin().bytes(), canary));
  WW_TRY(const auto own, ground_ratio(program.bytes_with(finer), canary));
  if (!assembled || !own || *assembled <= 0) return ground;
  ground.assembled = *assembled;
  tuned.finer_ratio = *own / *assembled;
  if (tuned.finer_ratio > kNoSlower) return ground;
  tuned.finer_blocks = blocks;
  ground.function = std::move(finer);
  return ground;
}

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

Result<Tuned> tune(const sass::Program& program, const sass::Function& function,
                   const sass::LatencyTable& table, Canary& canary, const TuneOptions& options,
                   const std::string& rival) {
  const sass::Searcher* searcher = sass::searcher_named(options.strategy);
  if (searcher == nullptr)
    return Error{"there is no strategy \"" + options.strategy + "\"; choose anneal or policy"};
  WW_TRY(const double original_us, canary.original_us());
  Tuned tuned;
  tuned.cubin = program.cubin().bytes();
  WW_TRY(const SearchGround ground, search_ground(program, function, canary, tuned));
  const sass::Kernel kernel(ground.function, table);
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
  WW_TRY(tuned.search, searcher->search(kernel, time, search));
  tuned.searched_s = searched_since(start);
  tuned.why_not = "no schedule was faster";
  // Finer scoreboards alone may be what is faster.
  const double to_beat = tuned.finer_blocks > 0
                             ? std::max(tuned.search.original_us, ground.assembled * original_us)
                             : tuned.search.original_us;
  for (const auto& [us, schedule] : tuned.search.finalists) {
    if (us >= to_beat || options.is_over()) break;
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
