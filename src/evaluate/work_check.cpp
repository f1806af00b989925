// SPDX-License-Identifier: Apache-2.0
#include "evaluate/work_check.h"

#include <algorithm>

#include "evaluate/feedback.h"
#include "evaluate/session.h"
#include "verify/work_rule.h"

namespace warpwright::evaluate {

namespace {

// In warp instructions: of one launch, and of all sizes together.
constexpr std::uint64_t kLaunchWork = 50'000'000;
constexpr std::uint64_t kAllWork = 200'000'000;

Ended too_little(const verify::WorkRule& rule, const verify::Case& item, std::uint64_t least,
                 std::uint64_t executed) {
  const std::string reason = rule.accusation(least, executed);
  return {Verdict::forbidden,
          describe_case(item) + ": " + reason + " (rule " + std::string(rule.name) + ")",
          "At " + describe_case(item) + ": " + reason + ". " + std::string(rule.demand) + "\n"};
}

/// One call with its first steps only: an eighth of a plan that has many. An honest method does
/// enough in those, and need not be simulated to its end.
Result<std::uint64_t> first_instructions(Session& session, const LoadedCase& loaded,
                                         std::uint64_t& work) {
  constexpr std::size_t kManySteps = 64;
  LaunchPlan part = session.prepared.candidate.plans.at(call_key(loaded.call));
  if (part.steps.size() < kManySteps) return std::uint64_t{0};
  part.steps.resize(part.steps.size() / 8);
  WW_TRY(auto replay, session.device.prepare(session.module, part, loaded.buffers.bindings()));
  const std::uint64_t seed = session.prepared.seed;
  WW_TRY(const auto report, replay->run({.poison_seed = seed, .work = kLaunchWork}));
  work += report.warp_instructions;
  return report.lane_instructions;
}

/// The error says why this size could not be judged.
Outcome<> check_size(Session& session, const verify::WorkRule& rule, const TaskSize& size,
                     std::uint64_t& work) {
  const Prepared& prepared = session.prepared;
  const verify::Case item{&size, nullptr};
  WW_TRY(auto loaded, load_case(session, item, prepared.seed));
  const std::uint64_t least = rule.least_instructions(prepared.task(), loaded.inputs);
  if (least == 0) return {};
  WW_TRY(const std::uint64_t first, first_instructions(session, loaded, work));
  if (first >= least) return {};
  WW_TRY(const auto report,
         loaded.replay->run({.poison_seed = prepared.seed, .work = kLaunchWork}));
  work += report.warp_instructions;
  // What did that much before it was stopped need not be seen to its end.
  if (report.lane_instructions >= least) return {};
  if (!report.faults.empty()) return Error{report.faults.front().message};
  WW_TRY(const auto expected, expected_values(session, loaded));
  WW_TRY(const Fetched fetched, fetch_results(loaded));
  WW_TRY(const auto wrong, find_wrong(loaded.instance, loaded.inputs, expected, fetched));
  // The rule is about right results; wrong ones have a verdict of their own.
  if (!wrong) return too_little(rule, item, least, report.lane_instructions);
  // Of a GPU's candidate the GPU's results decide, and it runs this size too.
  if (prepared.target.is_cuda) return {};
  return mismatched(prepared, item, *wrong, report.findings, session.context.notes);
}

/// What matters most first.
std::vector<const TaskSize*> sizes_to_check(const Prepared& prepared) {
  std::vector<const TaskSize*> sizes = {prepared.work_size};
  sizes.insert(sizes.end(), prepared.timed.rbegin(), prepared.timed.rend());
  for (auto item = prepared.cases.rbegin(); item != prepared.cases.rend(); ++item) {
    const bool known = std::find(sizes.begin(), sizes.end(), item->size) != sizes.end();
    if (item->variant == nullptr && !known) sizes.push_back(item->size);
  }
  return sizes;
}

}  // namespace

Outcome<> check_work(const Prepared& prepared, const verify::ExpectedSource* reference,
                     Context& context) {
  const verify::WorkRule* rule = verify::work_rule_of(prepared.task());
  if (rule == nullptr || prepared.work_size == nullptr) return {};
  const PartTimer timer(context, "work");
  const auto unjudged = [&](const std::string& sizes, const std::string& why) {
    context.notes.unchecked.push_back("the rule " + std::string(rule->name) + " at " + sizes +
                                      ": " + why);
  };
  auto opinion = second_opinion(prepared, context, "off");
  if (!opinion.ok()) {
    unjudged("any size", "the SIMT machine cannot run it: " + opinion.error().message);
    return {};
  }
  opinion->session.reference = reference;
  std::uint64_t work = 0;
  for (const TaskSize* size : sizes_to_check(prepared)) {
    const std::string where = describe_case({size, nullptr});
    WW_CHECK(may_go_on(context));
    // The drawn size and the timed ones must be judged; the others as far as the work allows.
    const auto timed = std::find(prepared.timed.begin(), prepared.timed.end(), size);
    const bool needed = size == prepared.work_size || timed != prepared.timed.end();
    if (work > kAllWork && !needed) return {};
    if (work > kAllWork) {
      unjudged(where + " and others", "the calls before it did too much work");
      return {};
    }
    const auto checked = check_size(opinion->session, *rule, *size, work);
    if (checked.ok()) continue;
    const Halt halt = checked.error();
    if (const auto* ended = std::get_if<Ended>(&halt)) return *ended;
    unjudged(where, std::get<Error>(halt).message);
  }
  return {};
}

}  // namespace warpwright::evaluate
