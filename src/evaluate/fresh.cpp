// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "evaluate/measure.h"

namespace warpwright::evaluate {

namespace {

// An honest call on new values is the slowest of seven by chance. So often in a row, and by this
// much, it is not.
constexpr int kAttempts = 6;
constexpr int kRunsBetween = 6;  // these also bring the clocks up again after inputs were made
constexpr double kTolerated = 1.08;
constexpr double kToleratedUs = 0.3;

/// A timed call on values that no call before has seen, and what calls on known ones took just
/// before: whatever slows the GPU for a moment slows both.
struct FreshTime {
  double fresh_us = 0;
  std::vector<double> known_us;
};
Result<FreshTime> fresh_run(Session& session, const Sized& sized, std::vector<LoadedCase>& sets,
                            std::uint64_t attempt, std::vector<device::Fault>& faults) {
  LoadedCase& set = sets[attempt % sets.size()];
  const std::uint64_t seed = timed_seed(session.prepared, sized.number, kFreshSet + attempt);
  WW_TRY(const auto instance, verify::make_instance(session.task(), *sized.size, nullptr, seed));
  WW_TRY(const auto inputs, inputs_of(session, instance, {sized.size, nullptr}));
  WW_CHECK(set.buffers.refill(inputs));
  FreshTime time;
  for (std::uint64_t run = 0; run < kRunsBetween; ++run) {
    // In turns, as samples are taken: pages that were just in use are faster.
    LoadedCase& other = sets[(attempt + 1 + run % (sets.size() - 1)) % sets.size()];
    WW_TRY(const double us, timed_run(session, *other.replay, run, faults));
    time.known_us.push_back(us);
  }
  WW_TRY(time.fresh_us, timed_run(session, *set.replay, attempt, faults));
  return time;
}

}  // namespace

bool slower_on_new_inputs(double fresh_us, std::span<const double> known_us) {
  return fresh_us > kTolerated * *std::max_element(known_us.begin(), known_us.end()) + kToleratedUs;
}

Outcome<> check_fresh_inputs(Session& session, const Sized& sized, std::vector<LoadedCase>& sets,
                             double median_us) {
  WW_TRY(const bool wanted, is_tried_fresh(session.task(), *sized.size));
  if (!wanted || sets.size() < 2) return {};
  const PartTimer timer(session.context, "fresh");
  double best_us = 0;
  for (std::uint64_t attempt = 0; attempt < kAttempts; ++attempt) {
    std::vector<device::Fault> faults;
    const auto time = fresh_run(session, sized, sets, attempt, faults);
    if (!faults.empty()) {
      return faulted(session.prepared, faults, {sized.size, nullptr}, session.context.notes);
    }
    if (!time.ok()) return time.error();
    best_us = attempt == 0 ? time->fresh_us : std::min(best_us, time->fresh_us);
    if (!slower_on_new_inputs(time->fresh_us, time->known_us)) return {};
  }
  return Ended{Verdict::cheat,
               fmt::format("size {}: {:.2f} us on inputs it has met before, {:.2f} us on others",
                           sized.size->label, median_us, best_us),
               "At size " + sized.size->label +
                   " calls are faster when the same inputs come again: the kernel keeps something "
                   "from call to call, and must not.\n"};
}

}  // namespace warpwright::evaluate
