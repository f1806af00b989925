// SPDX-License-Identifier: Apache-2.0
#include "reorder/improve.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include "core/json_reader.h"

namespace warpwright::reorder {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson variant_json(const VariantOutcome& outcome) {
  OrderedJson json = {{"name", outcome.name}, {"flags", outcome.flags}};
  if (outcome.ratio) json["quick_ratio"] = *outcome.ratio;
  if (outcome.proof) json["proof"] = proof_json(*outcome.proof);
  if (!outcome.why_not.empty()) json["why_not"] = outcome.why_not;
  return json;
}

OrderedJson moves_json(const sass::SearchResult& search) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [name, count] : search.moves)
    json[name] = {{"proposed", count.proposed},
                  {"illegal", count.illegal},
                  {"refused", count.refused},
                  {"better", count.better},
                  {"reward", count.reward}};
  return json;
}

OrderedJson schedule_json(const Tuned& tuned, const TuneOptions& options) {
  OrderedJson json = {{"strategy", options.strategy}, {"accepted", tuned.accepted}};
  if (!tuned.accepted) json["why_not"] = tuned.why_not;
  json["finer_scoreboards"] = {{"blocks", tuned.finer_blocks}, {"ratio", tuned.finer_ratio}};
  json["original_us"] = tuned.search.original_us;
  json["searched_s"] = tuned.searched_s;
  json["tried"] = tuned.search.tried;
  json["tried_per_s"] = tuned.searched_s > 0 ? tuned.search.tried / tuned.searched_s : 0;
  json["refused"] = tuned.search.refused;
  json["proof"] = proof_json(tuned.proof);
  json["moves"] = moves_json(tuned.search);
  return json;
}

/// Where schedules are searched: on the accepted variant, or on the kernel as it was built.
struct Ground {
  const sass::Program* program = nullptr;
  std::optional<sass::Program> variant;
};

Status tune_on(const Ground& ground, const Improvable& kernel, Canary& canary,
               const TuneOptions& options, Improvement& improvement) {
  WW_TRY(const auto* function, function_named(*ground.program, improvement.kernel));
  const std::string rival = ground.variant ? ground.program->cubin().bytes() : "";
  WW_TRY(improvement.schedule,
         tune(*ground.program, *function, kernel.table, canary, options, rival));
  Tuned& tuned = improvement.schedule;
  if (!tuned.accepted) return {};
  PairedFigures whole = tuned.proof.figures;
  if (ground.variant) {
    WW_TRY(const auto again, canary.paired(tuned.cubin, options.proof.pair_s));
    tuned.accepted = again && again->gains();
    if (!tuned.accepted) {
      tuned.why_not = "held against the kernel as it was built, no gain was certain";
      return {};
    }
    whole = *again;
  }
  improvement.cubin = tuned.cubin;
  improvement.whole = whole;
  return {};
}

/// A variant that stays without a schedule on top of it: the rest of its proof, or it goes.
Status finish_variant(const Improvable& kernel, Canary& canary, const TuneOptions& options,
                      Improvement& improvement) {
  if (improvement.variant.empty() || improvement.schedule.accepted) return {};
  for (std::size_t i = 0; i < improvement.variants.size(); ++i) {
    VariantOutcome& outcome = improvement.variants[i];
    if (!outcome.accepted()) continue;
    WW_CHECK(finish_proof(kernel.variants[i].cubin, canary, options.proof, *outcome.proof));
    if (outcome.accepted()) return {};
    improvement.variant.clear();
    improvement.whole = {};
    improvement.cubin = kernel.program.cubin().bytes();
  }
  return {};
}

}  // namespace

const Proof* Improvement::proof() const {
  if (schedule.accepted) return &schedule.proof;
  for (const VariantOutcome& each : variants)
    if (each.accepted()) return &*each.proof;
  return nullptr;
}

std::uint64_t Improvement::outputs() const {
  const Proof* own = proof();
  return own == nullptr ? 0 : own->outputs;
}

std::string Improvement::sentence() const {
  if (!accepted()) return "kept as it was built: " + schedule.why_not;
  const auto percent = [](double ratio) { return 100 * (1 / ratio - 1); };
  std::string how = schedule.accepted ? "by its schedule" : "";
  if (!variant.empty()) how = "ptxas " + variant + (how.empty() ? "" : " and " + how);
  const Proof* own = proof();
  const std::string limit = own == nullptr || own->is_whole()
                                ? ""
                                : fmt::format(", as many as {:g} s allowed", own->limit_s);
  return fmt::format("{:.2f} % faster (95 %: {:.2f} to {:.2f}; {}), {} outputs compared{}",
                     percent(whole.ratio), percent(whole.high), percent(whole.low), how, outputs(),
                     limit);
}

Result<const sass::Function*> function_named(const sass::Program& program,
                                             const std::string& name) {
  const sass::Function* largest = nullptr;
  for (const sass::Function& function : program.functions()) {
    if (!name.empty() && function.name != name) continue;
    if (largest == nullptr || function.code.size() > largest->code.size()) largest = &function;
  }
  if (largest == nullptr)
    return Error{name.empty() ? "the cubin has no code" : "the cubin has no function " + name};
  return largest;
}

Result<Improvement> improve(const Improvable& kernel, Canary& canary, const TuneOptions& options) {
  Improvement improvement;
  WW_TRY(const auto* function, function_named(kernel.program, kernel.kernel));
  improvement.kernel = function->name;
  improvement.cubin = kernel.program.cubin().bytes();
  const auto start = std::chrono::steady_clock::now();
  const auto late = [&] {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    return spent.count() > options.variants_s || options.is_over();
  };
  WW_TRY(improvement.variants, try_variants(kernel.variants, canary, options.proof, late));
  Ground ground{.program = &kernel.program, .variant = std::nullopt};
  for (std::size_t i = 0; i < improvement.variants.size(); ++i) {
    const VariantOutcome& outcome = improvement.variants[i];
    if (!outcome.accepted()) continue;
    improvement.variant = outcome.flags;
    improvement.whole = outcome.proof->figures;
    improvement.cubin = kernel.variants[i].cubin;
    auto read = kernel.read(improvement.cubin);
    if (!read.ok()) {
      improvement.note = "the variant could not be disassembled: " + read.error().message;
      improvement.schedule.why_not = improvement.note;
      WW_CHECK(finish_variant(kernel, canary, options, improvement));
      return improvement;
    }
    ground.variant = std::move(*read);
    ground.program = &*ground.variant;
    break;
  }
  WW_CHECK(tune_on(ground, kernel, canary, options, improvement));
  WW_CHECK(finish_variant(kernel, canary, options, improvement));
  return improvement;
}

std::string improvement_json(const Improvement& improvement, const TuneOptions& options) {
  OrderedJson json = {{"kernel", improvement.kernel},
                      {"accepted", improvement.accepted()},
                      {"speedup", improvement.accepted() ? 1 / improvement.whole.ratio : 1.0},
                      {"ratio", figures_json(improvement.whole)},
                      {"input_sets", options.proof.input_sets},
                      {"outputs_compared", improvement.outputs()},
                      {"summary", improvement.sentence()},
                      {"children_replaced", improvement.schedule.replaced}};
  if (!improvement.accepted()) json["input_sets"] = 0;
  json["variants"] = {{"accepted", improvement.variant}, {"tried", OrderedJson::array()}};
  for (const VariantOutcome& outcome : improvement.variants)
    json["variants"]["tried"].push_back(variant_json(outcome));
  json["schedule"] = schedule_json(improvement.schedule, options);
  if (!improvement.note.empty()) json["schedule"]["note"] = improvement.note;
  return dump_json(json, 2) + "\n";
}

}  // namespace warpwright::reorder
