// SPDX-License-Identifier: Apache-2.0
#include "reorder/proof.h"

#include <nlohmann/json.hpp>

namespace warpwright::reorder {

Result<Proof> begin_proof(const std::string& cubin, const std::string& rival, Canary& canary,
                          const ProofOptions& options) {
  Proof proof;
  const auto refused = [&](std::string why) {
    proof.why_not = std::move(why);
    return proof;
  };
  WW_TRY(const auto pair, canary.paired(cubin, options.pair_s, rival));
  if (!pair) return refused("a fault while it was timed");
  proof.figures = *pair;
  if (pair->low >= 1) return refused("timed in pairs, it was slower");
  if (!pair->gains()) return refused("the interval of the gain holds zero");
  WW_TRY(const Behaviour sets, canary.check(cubin, 0, options.input_sets));
  proof.outputs += sets.outputs;
  if (sets.kind != Behaviour::Kind::same) return refused("input sets: " + sets.why);
  proof.input_sets = options.input_sets;
  WW_TRY(const Behaviour fuzzed, canary.fuzz(cubin, options.fuzz_sets, options.fuzz_s));
  proof.outputs += fuzzed.outputs;
  if (fuzzed.kind != Behaviour::Kind::same) return refused("disturbed timing: " + fuzzed.why);
  proof.met = fuzzed.why;
  return proof;
}

Status finish_proof(const std::string& cubin, Canary& canary, const ProofOptions& options,
                    Proof& proof) {
  proof.wanted = options.outputs;
  proof.limit_s = options.proof_s;
  if (proof.is_whole()) return {};
  WW_TRY(const Behaviour many,
         canary.check_many(cubin, proof.wanted - proof.outputs, options.proof_s));
  proof.outputs += many.outputs;
  if (many.kind != Behaviour::Kind::same) proof.why_not = "many outputs: " + many.why;
  return {};
}

Result<Proof> prove(const std::string& cubin, const std::string& rival, Canary& canary,
                    const ProofOptions& options) {
  WW_TRY(Proof proof, begin_proof(cubin, rival, canary, options));
  if (proof.passed()) WW_CHECK(finish_proof(cubin, canary, options, proof));
  return proof;
}

nlohmann::ordered_json figures_json(const PairedFigures& figures) {
  return {{"value", figures.ratio}, {"low", figures.low},       {"high", figures.high},
          {"pairs", figures.pairs}, {"own_us", figures.own_us}, {"rival_us", figures.original_us}};
}

nlohmann::ordered_json proof_json(const Proof& proof) {
  nlohmann::ordered_json json = {{"accepted", proof.passed()}};
  if (!proof.passed()) json["why_not"] = proof.why_not;
  json["ratio"] = figures_json(proof.figures);
  json["input_sets"] = proof.input_sets;
  json["outputs_compared"] = proof.outputs;
  if (proof.wanted > 0) {
    json["outputs_wanted"] = proof.wanted;
    json["limit_s"] = proof.limit_s;
    json["ended_by"] = !proof.passed() ? "difference" : proof.is_whole() ? "outputs" : "time";
  }
  json["met"] = proof.met;
  return json;
}

}  // namespace warpwright::reorder
