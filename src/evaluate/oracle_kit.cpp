// SPDX-License-Identifier: Apache-2.0
#include "evaluate/oracle_kit.h"

#include <algorithm>

#include "base/sha256.h"
#include "core/task_json.h"

namespace warpwright::evaluate {

namespace {

/// Calls of the reference, by the keys of the candidate's.
using Wanted = std::map<std::string, Values>;

Status want(const Task& task, const verify::Case& item, Wanted& wanted) {
  WW_TRY(const auto call, call_of(task, *item.size, item.variant));
  WW_TRY(auto values, values_at(task, *item.size, item.variant));
  wanted.emplace(call_key(call), std::move(values));
  return {};
}

/// Whether other judgements of the task have this size, too.
bool is_listed(const Prepared& prepared, const TaskSize* size) {
  return std::none_of(prepared.drawn.begin(), prepared.drawn.end(),
                      [&](const auto& own) { return own.get() == size; });
}

Result<Wanted> wanted_of(const Prepared& prepared, bool listed) {
  Wanted wanted;
  for (const TaskSize* size : prepared.timed)
    WW_CHECK(want(prepared.task(), {size, nullptr}, wanted));
  for (const verify::Case& item : prepared.cases) {
    if (!listed || is_listed(prepared, item.size)) WW_CHECK(want(prepared.task(), item, wanted));
  }
  return wanted;
}

/// Adds the plans that are missing.
Status add_plans(const Prepared& prepared, const build::Builder& builder, Wanted wanted,
                 OracleKit& kit, Context& context) {
  std::vector<std::string> keys;
  std::vector<Values> values;
  for (auto& [key, at] : wanted) {
    if (kit.plans.contains(key)) continue;
    keys.push_back(key);
    values.push_back(std::move(at));
  }
  WW_TRY(auto plans, record_reference(builder, *kit.built, prepared.task(), values,
                                      prepared.target.facts, &context.stop));
  for (std::size_t i = 0; i < plans.size(); ++i) kit.plans[keys[i]] = std::move(plans[i]);
  return {};
}

Result<OracleKit> listed_kit(const Prepared& prepared, const build::Builder& builder,
                             Context& context) {
  OracleKit kit;
  WW_TRY(auto built, build_oracle(builder, prepared.task(), prepared.target.facts,
                                  prepared.candidate.code.front_end, &context.stop));
  kit.built = std::make_shared<const BuiltOracle>(std::move(built));
  WW_TRY(auto wanted, wanted_of(prepared, true));
  WW_CHECK(add_plans(prepared, builder, std::move(wanted), kit, context));
  return kit;
}

}  // namespace

const LaunchPlan* OracleKit::plan_of(const build::SolveCall& call) const {
  const auto found = plans.find(call_key(call));
  return found == plans.end() ? nullptr : &found->second;
}

Result<std::shared_ptr<const OracleKit>> oracle_kit(const Prepared& prepared, Context& context) {
  const PartTimer timer(context, "oracle");
  const JobRequest& request = prepared.request();
  WW_TRY(const auto builder, context.station.builder(cache_of(request, context), request.unsafe));
  const std::string key = sha256_hex(task_to_json(prepared.task()) + prepared.target.facts.name);
  auto listed = context.station.kept_kit(key);
  if (listed == nullptr) {
    WW_TRY(auto made, listed_kit(prepared, builder, context));
    listed = std::make_shared<const OracleKit>(std::move(made));
    context.station.keep_kit(key, listed);
  }
  OracleKit own = *listed;
  WW_TRY(auto wanted, wanted_of(prepared, false));
  WW_CHECK(add_plans(prepared, builder, std::move(wanted), own, context));
  return std::make_shared<const OracleKit>(std::move(own));
}

Result<const verify::Oracle*> oracle_of(Session& session) {
  ASSERT(session.kit != nullptr, "checks on the device need the judge's own code");
  if (!session.oracle) {
    WW_TRY(auto oracle, verify::Oracle::make(session.device, session.kit->built->code));
    session.oracle.emplace(oracle);
  }
  return &*session.oracle;
}

}  // namespace warpwright::evaluate
