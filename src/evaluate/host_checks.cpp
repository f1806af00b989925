// SPDX-License-Identifier: Apache-2.0
#include "evaluate/host_checks.h"

#include "evaluate/limits.h"
#include "evaluate/memory_room.h"

namespace warpwright::evaluate {

namespace {

// What a call's buffers take beside their size: what is expected is in doubles, and lies in a file,
// too.
constexpr std::uint64_t kHostTimes = 6;

Result<std::optional<Wrong>> find_wrong_call(Session& session, const HostCheck& check,
                                             verify::DeviceTurn* turn) {
  const verify::Case& item = check.item;
  if (session.reference == nullptr) {  // the baseline runs on the device
    WW_TRY(const auto loaded, load_case(session, item, check.seed));
    WW_TRY(const auto expected, expected_values(session, loaded));
    return find_wrong(loaded.instance, loaded.inputs, expected, check.fetched);
  }
  WW_TRY(const auto instance,
         verify::make_instance(session.task(), *item.size, item.variant, check.seed));
  WW_TRY(const auto inputs, inputs_of(session, instance, item));
  WW_TRY(const bool needed, verify::needs_expected(instance));
  std::vector<verify::Expected> expected(inputs.size());
  if (needed) {
    const PartTimer timer(session.context, "reference");
    WW_TRY(expected, session.reference->run(instance, inputs, turn));
  }
  std::string remark;
  WW_TRY(auto wrong,
         find_wrong(session.reference, instance, inputs, expected, check.fetched, remark));
  if (!remark.empty()) note(session.context, remark);
  return wrong;
}

}  // namespace

Status LeasedTurn::take() {
  Context& context = session_.context;
  const PartTimer timer(context, "wait");
  WW_TRY(lease_, context.station.lease(session_.prepared.target, kLongestWaitS));
  context.deadline.postpone(lease_.waited_s());
  since_ = std::chrono::steady_clock::now();
  return {};
}

void LeasedTurn::give_back() {
  lease_ = {};
  const std::chrono::duration<double> held = std::chrono::steady_clock::now() - since_;
  session_.context.notes.device_s += held.count();
}

Outcome<> conclude_on_host(Session& session, std::vector<HostCheck> checks,
                           verify::DeviceTurn* turn) {
  const PartTimer timer(session.context, "checks");
  for (HostCheck& check : checks) {
    WW_TRY(const std::uint64_t bytes, footprint_bytes(session.task(), *check.item.size));
    std::optional<MemoryShares::Share> share;
    if (turn != nullptr) share.emplace(session.context.station.memory_shares(), kHostTimes * bytes);
    if (session.context.stop.requested()) return Error{"stopped"};
    WW_TRY(const auto wrong, find_wrong_call(session, check, turn));
    if (wrong) return mismatched(session.prepared, check.item, *wrong, {}, session.context.notes);
    check.fetched = {};
  }
  return {};
}

}  // namespace warpwright::evaluate
