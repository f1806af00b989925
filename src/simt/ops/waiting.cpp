// SPDX-License-Identifier: Apache-2.0
// Whose turn it is: slices of instructions, what asks again and again, fences, and clocks.
#include <fmt/format.h>

#include <utility>

#include "simt/checks/order.h"
#include "simt/ops/handlers.h"
#include "simt/state/worker.h"

namespace warpwright::simt {
namespace {

constexpr std::int64_t kSlice = 20'000;           ///< warp instructions before others get a turn
constexpr std::uint32_t kSumsPerInstruction = 2;  ///< take as long as a warp instruction, about
constexpr std::int64_t kSpinning = 4 * kSlice;    ///< of asking again before it counts as waiting
constexpr std::uint32_t kPolls = 64;              ///< questions before others get a turn

}  // namespace

std::int64_t next_turn(Warp& w) {
  Turns& turns = w.worker->turns;
  return turns.shorts() ? turns.short_turn() : kSlice;
}

bool is_spinning(const Warp& w) { return w.block->spinning[w.index].spun >= kSpinning; }

const Ins* run_tally(Warp& w, const Ins* i) {
  w.worker->tally[i->target] += static_cast<std::uint32_t>(std::popcount(w.mask & ~w.lanes(i)));
  return i + 1;
}

const Ins* run_wait_turn(Warp& w, const Ins* i) {
  const std::uint64_t now = w.executed + static_cast<std::uint64_t>(w.slice - w.fuel);
  const bool again = w.waits.loop == i->target + 1;
  // A loop of exchanges could carry a state of its own in memory: others wait with it, but its
  // turns stay in the counts.
  if (again && w.kernel->wait_loops[i->target].writes) return i + 1;
  if (again) {
    WaitCount& count = w.worker->waited[i->target];
    count.turns += 1;
    count.lanes += lanes_in(w.mask);
    w.waits.instructions += now - w.waits.since;
    w.waits.times += w.waits.first ? 1 : 0;
    w.waits.first = false;
  } else {
    w.waits.loop = i->target + 1;
    w.waits.first = true;
  }
  w.waits.since = now;
  return i + 1;
}

const Ins* run_wait_over(Warp& w, const Ins* i) {
  w.waits.loop = 0;
  return i + 1;
}

const Ins* run_yield(Warp& w, const Ins* i) {
  Split& s = w.splits[static_cast<std::size_t>(w.current)];
  s.ip = i + 1;
  w.yielded = true;
  return nullptr;
}

void note_poll(Warp& w) {
  Spinning& spin = w.block->spinning[w.index];
  spin.asked = true;
  w.block->asked |= std::uint64_t{1} << w.index;
  if (w.worker->turns.ends_here()) end_turn(w);
  // Who asks that often waits for others.
  if (++spin.polls == kPolls) end_turn(w);
}

void note_atomic(Warp& w) {
  Spinning& spin = w.block->spinning[w.index];
  spin.asked = true;
  w.block->asked |= std::uint64_t{1} << w.index;
  if (w.waits.loop != 0 && ++spin.polls == kPolls) end_turn(w);
}

void end_turn(Warp& w) {
  if (w.fuel <= 0) return;
  w.slice -= w.fuel;
  w.fuel = 0;
}

void note_sums(Warp& w, std::uint32_t sums) {
  LaunchState& launch = *w.worker->launch;
  const std::int64_t work = sums / kSumsPerInstruction;
  w.worker->sums += static_cast<std::uint64_t>(work);
  if (!launch.launch->options.exact_work) return;
  // What is too much is found at the end of the turn.
  if (launch.budget.fetch_sub(work, std::memory_order_relaxed) < work) end_turn(w);
}

void note_fence(Warp& w, bool beyond_block) {
  w.block->fenced = true;
  w.block->released |= std::uint64_t{1} << w.index;
  fence_in_order(w, beyond_block);
  LaunchState& launch = *w.worker->launch;
  if (!beyond_block || launch.fenced.empty()) return;
  launch.fenced[w.block->rank].store(1, std::memory_order_relaxed);
  launch.any_fenced.store(true, std::memory_order_relaxed);
}

const Ins* run_await_launch(Warp& w, const Ins* i) {
  if (w.lanes(i) != 0) w.block->awaited |= u32{1} << w.index;
  return i + 1;
}

const Ins* run_fence(Warp& w, const Ins* i) {
  if (w.lanes(i) != 0) note_fence(w, i->aux != 0);
  return i + 1;
}

namespace {

template <class T, unsigned kShift>
const Ins* read_clock(Warp& w, const Ins* i) {
  const std::uint32_t m = w.lanes(i);
  if (m == 0) return i + 1;
  // Time advances with every instruction of this worker: always forward, never the host's.
  w.worker->clock += static_cast<std::uint64_t>(w.slice - w.fuel) / 2 + 1;
  T* d = w.slot<T>(i->d);
  for (std::uint32_t l = 0; l < kLanes; ++l)
    if ((m >> l & 1) != 0) d[l] = static_cast<T>(w.worker->clock >> kShift);
  return i + 1;
}

}  // namespace

const Ins* run_clock32(Warp& w, const Ins* i) { return read_clock<std::uint32_t, 0>(w, i); }
const Ins* run_clock_high(Warp& w, const Ins* i) { return read_clock<std::uint32_t, 32>(w, i); }
const Ins* run_clock64(Warp& w, const Ins* i) { return read_clock<std::uint64_t, 0>(w, i); }

namespace {

/// What there is to say of a block that asks again and again while others have not started.
std::string waiting_for_the_rest(const LaunchState& launch) {
  const std::uint64_t units = launch.block_count / (launch.clustered ? launch.cluster.count() : 1);
  const std::uint64_t begun = launch.next_block.load(std::memory_order_relaxed);
  if (launch.cooperative || begun >= units) return {};
  return fmt::format(
      "; it asks again and again while {} of {} blocks have not started: a block must not wait for "
      "one that is not sure to run (unless the launch is cooperative)",
      units - begun, units);
}

/// What is left of the budget once this is taken from it, with what the worker has not yet taken.
std::int64_t take_from_budget(Worker& worker, std::int64_t used) {
  const std::int64_t spent = used + std::exchange(worker.spent, 0);
  return worker.launch->budget.fetch_sub(spent, std::memory_order_relaxed) - spent;
}

std::string too_much_work(const LaunchState& launch) {
  return fmt::format("still running after {} warp instructions; this is where it was",
                     launch.launch->options.max_warp_instructions);
}

constexpr std::int64_t kSpentAtOnce = 1 << 14;  // threads share the budget

}  // namespace

void note_end(Warp& w) {
  LaunchState& launch = *w.worker->launch;
  if (!launch.launch->options.exact_work || w.worker->spent < kSpentAtOnce) return;
  if (take_from_budget(*w.worker, 0) >= 0 || launch.stop.exchange(true)) return;
  report(w, &w.kernel->code.front(), FaultKind::timeout, 0, 0, "", too_much_work(launch));
}

const Ins* out_of_fuel(Warp& w, const Ins* next) {
  LaunchState& launch = *w.worker->launch;
  const std::int64_t used = w.slice - w.fuel;
  w.executed += static_cast<std::uint64_t>(used);
  w.worker->clock += static_cast<std::uint64_t>(used);
  w.fuel = w.slice = next_turn(w);
  Spinning& spin = w.block->spinning[w.index];
  spin.spun = spin.asked ? spin.spun + used : 0;
  spin.asked = false;
  spin.polls = 0;
  const std::int64_t left = take_from_budget(*w.worker, used);
  Split& s = w.splits[static_cast<std::size_t>(w.current)];
  s.ip = next;
  w.yielded = true;
  // What was to come may never: a copy that failed does not arrive.
  if (is_spinning(w) && launch.broken.load(std::memory_order_relaxed))
    launch.stop.store(true, std::memory_order_relaxed);
  const bool late = launch.deadline != std::chrono::steady_clock::time_point{} &&
                    std::chrono::steady_clock::now() > launch.deadline;
  if ((left < 0 || late) && !launch.stop.exchange(true)) {
    const LaunchOptions& options = launch.launch->options;
    report(w, next, FaultKind::timeout, static_cast<std::uint32_t>(std::countr_zero(w.mask)), 0, "",
           (left < 0 ? too_much_work(launch)
                     : fmt::format("still running after {} s; this is where it was",
                                   options.max_wall_s)) +
               (spin.spun > 0 ? waiting_for_the_rest(launch) : ""));
  }
  return nullptr;
}

}  // namespace warpwright::simt
