// SPDX-License-Identifier: Apache-2.0
#include "reorder/tune.h"

#include <chrono>
#include <nlohmann/json.hpp>

namespace warpwright::reorder {

namespace {

using SteadyClock = std::chrono::steady_clock;

// Uploads take longer than runs, so sets change slowly.
constexpr std::uint64_t kSetsInSearch = 16, kTrialsPerSet = 64;
constexpr double kNoise = 0.002;

double searched_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

/// Everything that a schedule must pass; the reason why it did not, or nothing.
Result<std::string> prove(const std::string& cubin, Canary& canary, const TuneOptions& options,
                          Tuned& tuned) {
  WW_TRY(const auto pair, canary.paired(cubin, options.pair_s));
  if (!pair) return std::string("a fault while it was timed");
  tuned.figures = *pair;
  if (pair->low >= 1) return std::string("timed in pairs, the best schedule was slower");
  if (!pair->gains()) return std::string("the interval of the gain holds zero");
  WW_TRY(const Behaviour sets, canary.check(cubin, 0, options.input_sets));
  if (sets.kind != Behaviour::Kind::same) return "input sets: " + sets.why;
  WW_TRY(const Behaviour many, canary.check_many(cubin, options.outputs, options.proof_s));
  if (many.kind != Behaviour::Kind::same) return "many outputs: " + many.why;
  tuned.input_sets = options.input_sets;
  tuned.outputs = sets.outputs + many.outputs;
  return std::string();
}

}  // namespace

Result<Tuned> tune(const sass::Program& program, const sass::Kernel& kernel, Canary& canary,
                   const TuneOptions& options) {
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
  search.is_over = [&] { return searched_since(start) > options.search_s; };
  Tuned tuned;
  tuned.cubin = program.cubin().bytes();
  WW_TRY(tuned.search, searcher->search(kernel, time, search));
  tuned.searched_s = searched_since(start);
  tuned.why_not = "no schedule was faster";
  for (const auto& [us, schedule] : tuned.search.finalists) {
    if (us >= tuned.search.original_us) break;
    const auto scheduled = kernel.apply(schedule);
    if (!scheduled) continue;
    const std::string cubin = program.bytes_with(*scheduled);
    WW_TRY(tuned.why_not, prove(cubin, canary, options, tuned));
    if (!tuned.why_not.empty()) continue;
    tuned.accepted = true;
    tuned.cubin = cubin;
    break;
  }
  tuned.replaced = canary.replaced();
  return tuned;
}

std::string tuned_json(const Tuned& tuned, const TuneOptions& options, const sass::Kernel& kernel) {
  nlohmann::ordered_json json;
  json["kernel"] = kernel.function().name;
  json["strategy"] = options.strategy;
  json["accepted"] = tuned.accepted;
  if (!tuned.accepted) json["why_not"] = tuned.why_not;
  json["original_us"] = tuned.search.original_us;
  json["searched_s"] = tuned.searched_s;
  json["tried"] = tuned.search.tried;
  json["tried_per_s"] = tuned.searched_s > 0 ? tuned.search.tried / tuned.searched_s : 0;
  json["refused"] = tuned.search.refused;
  json["children_replaced"] = tuned.replaced;
  json["ratio"] = {{"value", tuned.figures.ratio},
                   {"low", tuned.figures.low},
                   {"high", tuned.figures.high},
                   {"pairs", tuned.figures.pairs}};
  json["speedup"] = tuned.accepted ? 1 / tuned.figures.ratio : 1.0;
  json["input_sets"] = tuned.input_sets;
  json["outputs_compared"] = tuned.outputs;
  for (const auto& [name, count] : tuned.search.moves)
    json["moves"][name] = {{"proposed", count.proposed},
                           {"illegal", count.illegal},
                           {"refused", count.refused},
                           {"better", count.better},
                           {"reward", count.reward}};
  return json.dump(2) + "\n";
}

}  // namespace warpwright::reorder
