// SPDX-License-Identifier: Apache-2.0
#include "evaluate/careful_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "device/simt_schedules.h"
#include "evaluate/session.h"

namespace warpwright::evaluate {

namespace {

constexpr std::size_t kMostSizes = 4;
constexpr std::size_t kMostVariants = 2;
// Warp instructions; sums of matrix instructions are weighed, because to emulate them takes longer.
constexpr std::uint64_t kSimulatedWork = 25'000'000;
constexpr std::uint64_t kLeastWork = 1'000'000;
// Under other schedules, all cases together: who waits asks fifty times as often there.
constexpr std::uint64_t kAllScheduledWork = 25'000'000;
constexpr std::uint64_t kLeastBytes = 256;
// A launcher may do something else for large inputs, and only there go wrong.
constexpr std::uint64_t kLargerBytes = 2 << 20;
// Of a task without a case of kSmallBytes, those of up to twice the smallest one's size are small.
constexpr std::uint64_t kSmallFactor = 2;
constexpr std::uint64_t kLargerWork = 10'000'000;
constexpr std::size_t kLargerSteps = 16;  // each has its own limit

std::uint64_t bytes_of_case(const Prepared& prepared, const verify::Case& item) {
  const auto bytes = footprint_bytes(prepared.task(), *item.size);
  return bytes.ok() ? *bytes : ~std::uint64_t{0};
}

struct ByteRange {
  std::uint64_t min = 0;
  std::uint64_t max = 0;
};
enum class From : std::uint8_t { the_largest, the_smallest };

/// Cases of such sizes with usual inputs, in order of size, then some with special ones.
std::vector<verify::Case> picked_cases(const Prepared& prepared, ByteRange range, From from,
                                       std::size_t most_sizes) {
  std::vector<verify::Case> plain, special;
  for (const verify::Case& item : prepared.cases) {
    const std::uint64_t bytes = bytes_of_case(prepared, item);
    if (bytes < range.min || bytes > range.max) continue;
    (item.variant == nullptr ? plain : special).push_back(item);
  }
  const auto before = [&](const verify::Case& a, const verify::Case& b) {
    const std::uint64_t of_a = bytes_of_case(prepared, a), of_b = bytes_of_case(prepared, b);
    return from == From::the_largest ? of_a > of_b : of_a < of_b;
  };
  std::stable_sort(plain.begin(), plain.end(), before);
  std::stable_sort(special.begin(), special.end(), before);
  plain.resize(std::min(plain.size(), most_sizes));
  special.resize(std::min(special.size(), kMostVariants));
  plain.insert(plain.end(), special.begin(), special.end());
  return plain;
}

bool is_decisive(const device::Fault& fault) {
  return fault.verdict == Verdict::memory_fault || fault.verdict == Verdict::race;
}

/// Of one run: warp instructions, and steps.
struct RunLimits {
  std::uint64_t work = 0;
  std::size_t steps = std::numeric_limits<std::size_t>::max();
  std::uint64_t scheduled_work = 0;  ///< calls of at most so much are run under several schedules
};

/// What cases took so far.
struct Spent {
  std::uint64_t in_order = 0;   ///< those of one turn
  std::uint64_t otherwise = 0;  ///< all, under other schedules
};

/// The same under other schedules. That a call ends in order and not under one of them is the
/// kernel's doing: it waits for blocks that are not sure to run.
Status run_under_schedules(LoadedCase& loaded, const verify::Case& item, std::uint64_t forward,
                           Spent& spent, CarefulRun& careful) {
  const std::uint64_t seed = loaded.instance.seed;
  for (const simt::Schedule& schedule : device::other_schedules(seed)) {
    WW_TRY(auto report, loaded.replay->run({.poison_seed = seed,
                                            .schedule = schedule,
                                            .work = device::work_under_other_schedules(forward),
                                            .exact_work = true}));
    spent.otherwise += report.work;
    for (device::Fault& fault : report.faults) {
      fault.message += " (under the schedule " + simt::name_of(schedule) + ")";
      careful.faults.push_back(std::move(fault));
    }
    if (careful.faults.empty()) continue;
    careful.item = item;
    return {};
  }
  return {};
}

enum class Ran : std::uint8_t { to_its_end, out_of_work, not_at_all };

/// Runs one case, as far as the limits allow.
Result<Ran> run_one(Session& session, const verify::Case& item, const RunLimits& limits,
                    Spent& spent, CarefulRun& careful) {
  const std::uint64_t seed = session.prepared.seed;
  WW_TRY(auto loaded, load_case(session, item, seed));
  const LaunchPlan& plan = session.prepared.candidate.plans.at(call_key(loaded.call));
  if (plan.steps.size() > limits.steps) return Ran::not_at_all;
  WW_TRY(auto report,
         loaded.replay->run({.poison_seed = seed, .work = limits.work, .exact_work = true}));
  spent.in_order += report.work;
  for (device::Fault& fault : report.faults) {
    if (is_decisive(fault)) careful.faults.push_back(std::move(fault));
  }
  if (!careful.faults.empty()) careful.item = item;
  // A time-out or a trap that the GPU did not see says more of the machine than of the kernel.
  if (careful.faults.empty() && !report.faults.empty()) {
    careful.why_not = report.faults.front().kind.name();
    return report.faults.front().kind == "timeout" ? Ran::out_of_work : Ran::not_at_all;
  }
  if (!careful.faults.empty() || report.work > limits.scheduled_work) return Ran::to_its_end;
  if (spent.otherwise > kAllScheduledWork) return Ran::to_its_end;
  WW_CHECK(run_under_schedules(loaded, item, report.work, spent, careful));
  return Ran::to_its_end;
}

/// How far the work allowed to go through some cases.
struct Progress {
  bool stopped = false;  ///< because of the work
  bool possible = true;  ///< false: the machine cannot run one of them
};
Result<Progress> run_cases(Session& session, std::span<const verify::Case> cases, Spent& spent,
                           CarefulRun& careful) {
  spent.in_order = 0;
  Progress progress;
  for (const verify::Case& item : cases) {
    if (session.context.stop.requested()) return Error{"stopped"};
    progress.stopped = spent.in_order > kSimulatedWork;
    if (progress.stopped) return progress;
    const std::uint64_t left = kSimulatedWork - spent.in_order;
    WW_TRY(const Ran ran,
           run_one(session, item,
                   {.work = std::max(left, kLeastWork), .scheduled_work = kScheduledWork}, spent,
                   careful));
    progress.stopped = ran == Ran::out_of_work;
    if (progress.stopped) {
      careful.why_not.clear();
      return progress;
    }
    progress.possible = ran == Ran::to_its_end;
    if (!progress.possible || !careful.faults.empty()) return progress;
  }
  return progress;
}

/// What comes after cases of so many bytes that did too much work: those of at most half of it,
/// else the smallest ones there are.
std::uint64_t next_smaller(const Prepared& prepared, std::uint64_t bytes) {
  if (!small_cases(prepared, bytes / 2).empty()) return bytes / 2;
  const auto less = picked_cases(prepared, {.max = bytes - 1}, From::the_smallest, 1);
  return less.empty() ? 0 : bytes_of_case(prepared, less.front());
}

/// Every small case, to its end; whether the machine could. Of a call whose work grows with the
/// square of its size the largest cases take all of the work: then those of at most half of the
/// largest one's size have their turn, so that of every doubling the largest case is run.
Result<bool> run_small(Session& session, CarefulRun& careful) {
  const std::uint64_t most = small_bytes(session.prepared);
  std::uint64_t bytes = most;
  Spent spent;
  while (bytes >= kLeastBytes) {
    const auto cases = small_cases(session.prepared, bytes);
    if (cases.empty() && bytes < most) break;
    WW_TRY(const Progress progress, run_cases(session, cases, spent, careful));
    if (!progress.stopped) {
      if (bytes < most)
        careful.remark =
            "memory accesses and races were not checked in every small case: the larger ones do "
            "too much work for the SIMT machine";
      return progress.possible;
    }
    bytes = next_smaller(session.prepared, bytes_of_case(session.prepared, cases.front()));
  }
  return Error{"it does too much work for the SIMT machine"};
}

/// Larger cases, the smallest first, as far as the work allows: that one does too much there says
/// nothing of the kernel, nor of what the small ones have shown.
void run_larger(Session& session, CarefulRun& careful) {
  Spent spent;
  for (const verify::Case& item :
       larger_cases(session.prepared, small_bytes(session.prepared), kLargerBytes)) {
    if (spent.in_order >= kLargerWork || session.context.stop.requested()) return;
    CarefulRun one;
    const RunLimits limits{.work = kLargerWork - spent.in_order, .steps = kLargerSteps};
    const auto ran = run_one(session, item, limits, spent, one);
    if (!ran.ok() || *ran != Ran::to_its_end) return;
    if (!one.faults.empty()) {
      careful.faults = std::move(one.faults);
      careful.item = one.item;
      return;
    }
  }
}

Result<bool> run_all(const Prepared& prepared, Context& context, CarefulRun& careful) {
  WW_TRY(auto opinion, second_opinion(prepared, context, "full"));
  const auto ran = run_small(opinion.session, careful);
  // A kernel may do more work for small inputs than for larger ones.
  const bool possible = !ran.ok() || *ran;
  if (possible && careful.faults.empty()) run_larger(opinion.session, careful);
  // What the larger ones show is worth telling; that nothing was found in them is no proof.
  if (small_cases(prepared, small_bytes(prepared)).empty() && careful.faults.empty()) {
    return Error{"no size of the task is small enough"};
  }
  return ran;
}

}  // namespace

std::uint64_t small_bytes(const Prepared& prepared) {
  const auto smallest = picked_cases(prepared, {.max = kLargerBytes}, From::the_smallest, 1);
  const std::uint64_t least = smallest.empty() ? 0 : bytes_of_case(prepared, smallest.front());
  return least <= kSmallBytes ? kSmallBytes : std::min(kLargerBytes, kSmallFactor * least);
}

std::vector<verify::Case> small_cases(const Prepared& prepared, std::uint64_t max_bytes) {
  return picked_cases(prepared, {.max = max_bytes}, From::the_largest, kMostSizes);
}

std::vector<verify::Case> larger_cases(const Prepared& prepared, std::uint64_t beyond_bytes,
                                       std::uint64_t max_bytes) {
  return picked_cases(prepared, {.min = beyond_bytes + 1, .max = max_bytes}, From::the_smallest,
                      prepared.cases.size());
}

CarefulRun run_carefully(const Prepared& prepared, Context& context) {
  const PartTimer timer(context, "simt");
  CarefulRun careful;
  const auto ran = run_all(prepared, context, careful);
  careful.complete = ran.ok() && *ran;
  if (!ran.ok()) careful.why_not = ran.error().message;
  return careful;
}

}  // namespace warpwright::evaluate
