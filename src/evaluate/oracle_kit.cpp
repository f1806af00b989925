// SPDX-License-Identifier: Apache-2.0
#include "evaluate/oracle_kit.h"

#include "base/sha256.h"
#include "core/task_json.h"

namespace warpwright::evaluate {

namespace {

Result<OracleKit> make_kit(const Prepared& prepared, Context& context) {
  const JobRequest& request = prepared.request();
  const auto& facts = prepared.target.facts;
  WW_TRY(const auto builder, context.station.builder(cache_of(request, context), request.unsafe));
  OracleKit kit;
  WW_TRY(kit.built, build_oracle(builder, prepared.task(), facts, prepared.candidate.code.front_end,
                                 &context.stop));
  std::vector<Values> values;
  std::vector<std::string> keys;
  for (const TaskSize* size : prepared.timed) {
    WW_TRY(auto at, values_at(prepared.task(), *size));
    WW_TRY(const auto call, call_of(prepared.task(), *size, nullptr));
    values.push_back(std::move(at));
    keys.push_back(call_key(call));
  }
  WW_TRY(auto plans,
         record_reference(builder, kit.built, prepared.task(), values, facts, &context.stop));
  for (std::size_t i = 0; i < plans.size(); ++i) kit.plans[keys[i]] = std::move(plans[i]);
  return kit;
}

}  // namespace

const LaunchPlan* OracleKit::plan_of(const build::SolveCall& call) const {
  const auto found = plans.find(call_key(call));
  return found == plans.end() ? nullptr : &found->second;
}

Result<std::shared_ptr<const OracleKit>> oracle_kit(const Prepared& prepared, Context& context) {
  std::string key = task_to_json(prepared.task()) + prepared.target.facts.name;
  for (const TaskSize* size : prepared.timed) key += "\n" + size->label;
  key = sha256_hex(key);
  if (auto kept = context.station.kept_kit(key)) return kept;
  const PartTimer timer(context, "oracle");
  WW_TRY(auto kit, make_kit(prepared, context));
  auto shared = std::make_shared<const OracleKit>(std::move(kit));
  context.station.keep_kit(key, shared);
  return std::shared_ptr<const OracleKit>(std::move(shared));
}

}  // namespace warpwright::evaluate
