// SPDX-License-Identifier: Apache-2.0
#include "evaluate/check_queue.h"

#include <algorithm>
#include <chrono>

#include "base/background.h"
#include "evaluate/blame.h"
#include "evaluate/memory_room.h"

namespace warpwright::evaluate {

namespace {

constexpr std::size_t kMostPending = 24;

std::uint64_t size_of(const std::vector<verify::Bytes>& buffers) {
  std::uint64_t bytes = 0;
  for (const verify::Bytes& buffer : buffers) bytes += buffer.size();
  return bytes;
}

}  // namespace

CheckQueue::~CheckQueue() {
  for (Pending& pending : pending_) pending.found.wait();
}

Outcome<> CheckQueue::add(LoadedCase& loaded, std::vector<verify::Expected> expected,
                          Results results) {
  std::uint64_t bytes = 4 * size_of(loaded.inputs);
  for (const Fetched& run : results.runs) bytes += 3 * size_of(run.outputs);
  auto check = [reference = session_.reference, instance = loaded.instance,
                inputs = std::move(loaded.inputs), expected = std::move(expected),
                runs = std::move(results.runs)]() -> Result<Found> {
    work_in_background();
    std::string remark;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      WW_TRY(auto wrong, find_wrong(reference, instance, inputs, expected, runs[i], remark));
      if (wrong) return Found{std::move(wrong), i};
    }
    return Found{.remark = std::move(remark)};
  };
  return push({loaded.item, loaded.instance.seed, Stage::validate, bytes,
               std::move(results.findings), std::async(std::launch::async, std::move(check)),
               std::move(results.under)});
}

Outcome<> CheckQueue::add_timed(LoadedCase& loaded, std::vector<Fetched> runs) {
  std::vector<verify::Expected> known;
  WW_TRY(const bool needed, verify::needs_expected(loaded.instance));
  const verify::ExpectedSource* reference = needed ? session_.reference : nullptr;
  if (reference == nullptr) {
    WW_TRY(known, expected_values(session_, loaded));
  }
  std::uint64_t bytes = 2 * size_of(loaded.inputs);
  for (const Fetched& run : runs) bytes += 3 * size_of(run.outputs);
  auto check = [reference, instance = loaded.instance, inputs = std::move(loaded.inputs),
                expected = std::move(known), runs = std::move(runs)]() mutable -> Result<Found> {
    work_in_background();
    if (reference != nullptr) {
      WW_TRY(expected, reference->run(instance, inputs));
    }
    for (const Fetched& run : runs) {
      WW_TRY(auto wrong, find_wrong(instance, inputs, expected, run));
      if (wrong) return Found{.wrong = std::move(wrong)};
    }
    return Found{};
  };
  return push({loaded.item,
               loaded.instance.seed,
               Stage::measure,
               bytes,
               {},
               std::async(std::launch::async, std::move(check))});
}

Outcome<> CheckQueue::push(Pending pending) {
  pending_.push_back(std::move(pending));
  const auto too_much = [&] {
    std::uint64_t bytes = 0;
    for (const Pending& held : pending_) bytes += held.bytes;
    return pending_.size() > kMostPending || bytes > memory_room();
  };
  while (pending_.size() > 1 && too_much()) WW_CHECK(conclude_first());
  return {};
}

Outcome<> CheckQueue::conclude_ready() {
  while (!pending_.empty() &&
         pending_.front().found.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    WW_CHECK(conclude_first());
  }
  return {};
}

Outcome<> CheckQueue::conclude_validation() {
  const auto of_validation = [](const Pending& p) { return p.stage == Stage::validate; };
  while (std::any_of(pending_.begin(), pending_.end(), of_validation)) WW_CHECK(conclude_first());
  return {};
}

Outcome<> CheckQueue::conclude_all() {
  while (!pending_.empty()) WW_CHECK(conclude_first());
  return {};
}

Outcome<> CheckQueue::conclude_first() {
  Pending first = std::move(pending_.front());
  pending_.pop_front();
  Result<Found> found = Found{};
  {
    const PartTimer timer(session_.context, "check");
    found = first.found.get();
  }
  if (!found.ok()) return found.error();
  if (!found->remark.empty()) note(session_.context, found->remark);
  if (!found->wrong) return {};
  return ended_by(first, *found);
}

Outcome<> CheckQueue::ended_by(const Pending& pending, const Found& found) {
  const bool other_schedule =
      found.run < pending.under.size() && !pending.under[found.run].schedule.empty();
  if (pending.stage == Stage::validate && !other_schedule) {
    return ended_by_wrong(session_, pending.item, pending.seed, *found.wrong, pending.findings,
                          found.run);
  }
  Ended ended = mismatched(session_.prepared, pending.item, *found.wrong, pending.findings,
                           session_.context.notes);
  ended.stage = pending.stage;
  if (pending.stage == Stage::measure) {
    ended.feedback += "This was found in a timed call; untimed calls were right.\n";
    return ended;
  }
  const auto& [schedule, memory] = pending.under[found.run];
  if (!memory.empty()) {
    ended.reason += " (under the schedule " + schedule + memory + ")";
    ended.feedback +=
        "The same call was right with blocks and warps in order and other bytes in its outputs: "
        "the result depends on what the memory held before the call, or on the order of blocks, "
        "warps or threads.\n";
    return ended;
  }
  if (ended.verdict == Verdict::mismatch) ended.verdict = Verdict::race;
  ended.reason += " (under the schedule " + schedule + "; right in order)";
  ended.feedback +=
      "The same call was right with blocks and warps in order, and wrong under the schedule \"" +
      schedule +
      "\" of the SIMT machine, which a GPU may follow as well: the result depends on "
      "the order in which blocks, warps or threads run.\n";
  return ended;
}

}  // namespace warpwright::evaluate
