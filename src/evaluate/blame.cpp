// SPDX-License-Identifier: Apache-2.0
#include "evaluate/blame.h"

#include "evaluate/limits.h"

namespace warpwright::evaluate {

namespace {

// The host makes the inputs once more, while the candidate holds the device.
constexpr std::uint64_t kMostBlamedBytes = std::uint64_t{64} << 20;

/// What to tell of a wrong result that changes with the poison; else nothing.
Result<std::string> blame_old_content(Session& session, const verify::Case& item,
                                      std::uint64_t seed) {
  WW_TRY(const std::uint64_t bytes, footprint_bytes(session.task(), *item.size));
  if (bytes > kMostBlamedBytes) return std::string();
  WW_TRY(auto loaded, load_case(session, item, seed));
  std::vector<std::vector<verify::Bytes>> outputs;
  for (const std::uint64_t poison_seed : {seed, derived_seed(seed, 2)}) {
    WW_TRY(const auto report, loaded.replay->run(run_options(session.prepared, item, poison_seed)));
    if (!report.faults.empty()) return std::string();
    WW_TRY(auto now, loaded.buffers.outputs());
    outputs.push_back(std::move(now));
  }
  if (outputs[0] == outputs[1]) return std::string();
  return std::string(
      "The wrong values change with what the memory held before the call: something is read or "
      "added to before it is written, or not written at all.\n");
}

}  // namespace

Outcome<> ended_by_wrong(Session& session, const verify::Case& item, std::uint64_t seed,
                         const Wrong& wrong, const std::vector<Finding>& findings,
                         std::size_t run) {
  Ended ended = mismatched(session.prepared, item, wrong, findings, session.context.notes);
  ended.stage = Stage::validate;
  if (run > 0) {
    ended.feedback +=
        "The same call was right the first time: the result depends on what memory held before, "
        "or on the order in which threads ran.\n";
  } else if (ended.verdict == Verdict::mismatch && session.device.usable().ok()) {
    WW_TRY(const std::string blame, blame_old_content(session, item, seed));
    ended.feedback += blame;
  }
  return ended;
}

}  // namespace warpwright::evaluate
