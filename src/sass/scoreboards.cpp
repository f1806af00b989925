// SPDX-License-Identifier: Apache-2.0
#include "sass/scoreboards.h"

#include <algorithm>
#include <array>
#include <optional>

#include "sass/forecast.h"
#include "sass/pending.h"
#include "sass/replay.h"

namespace warpwright::sass {

namespace {

constexpr int kSetterCycles = 2;  // between a setter and who waits for it
// A hit in L1, one in L2.
constexpr std::array<double, 2> kForecastLoads = {33, 270};

unsigned mask_of(int barrier) { return 1U << barrier; }

void set_control(Instruction& instruction, const Control& control) {
  instruction.words = with_control(instruction.words, control, instruction.shows_reuse);
}

/// A fence for more than its own registers: an exchange between lanes stays where it is, but orders
/// nothing.
bool orders_others(const Function& function, std::size_t at) {
  return function.is_fence(at) && function.code[at].base_opcode() != "SHFL";
}

/// Scoreboards that fences set, or count: they keep those to themselves.
unsigned barriers_of_fences(const Function& function) {
  unsigned mask = 0;
  for (std::size_t i = 0; i < function.code.size(); ++i) {
    const Control control = function.code[i].control();
    if (function.code[i].base_opcode() == "DEPBAR") mask |= waits_of(function.code[i]);
    if (!orders_others(function, i)) continue;
    if (control.write_barrier < kBarriers) mask |= mask_of(control.write_barrier);
    if (control.read_barrier < kBarriers) mask |= mask_of(control.read_barrier);
  }
  return mask;
}

/// What must not grow while a block's scoreboards change.
struct Openness {
  std::vector<RegisterSet> early;  ///< used by each instruction before a wait said so
  RegisterSet results, sources;    ///< pending behind the block
  bool too_close = false;          ///< a waiter in the cycle behind a setter

  [[nodiscard]] bool within(const Openness& other) const {
    for (std::size_t i = 0; i < early.size(); ++i)
      if ((early[i] & ~other.early[i]).any()) return false;
    return !(too_close && !other.too_close) && (results & ~other.results).none() &&
           (sources & ~other.sources).none();
  }
};

Openness openness_of(const Function& function, const Block& block, Pending state) {
  Openness found;
  std::array<int, kBarriers> since;
  since.fill(kSetterCycles);
  for (std::size_t i = block.first; i < block.end; ++i) {
    const Instruction& me = function.code[i];
    const unsigned waits = waits_of(me);
    for (std::size_t b = 0; b < kBarriers; ++b)
      if ((waits >> b & 1) != 0 && since[b] < kSetterCycles) found.too_close = true;
    state.wait(waits);
    found.early.push_back(state.unwritten(me) | state.unread(me));
    state.issue(me);
    const Control control = me.control();
    for (int& cycles : since) cycles = std::min(kSetterCycles, cycles + control.stall);
    for (const int barrier : {control.write_barrier, control.read_barrier})
      if (barrier < kBarriers)
        since[static_cast<std::size_t>(barrier)] = std::min(kSetterCycles, control.stall);
  }
  constexpr unsigned kAll = (1U << kBarriers) - 1;
  found.results = state.results_of(kAll);
  found.sources = state.sources_of(kAll);
  return found;
}

class BlockRefiner {
 public:
  BlockRefiner(Function& function, std::size_t block, const Pending& entry, unsigned taken)
      : function_(function),
        block_(function.blocks[block]),
        number_{block},
        entry_(entry),
        taken_(taken) {
    const auto& next = block_.successors;
    loops_ = std::find(next.begin(), next.end(), block) != next.end();
    limit_ = openness_of(function_, block_, entry_);
    cycles_ = cycles();
  }

  /// Whether anything became shorter.
  bool run() {
    bool any = false;
    for (int round = 0; round < 2; ++round) {
      bool better = false;
      for (std::size_t i = block_.first; i < block_.end; ++i) {
        better = split(i) || better;
        better = defer(i) || better;
      }
      if (!better) break;
      any = true;
    }
    return any;
  }

 private:
  /// Relative, so that both kinds of loads count alike.
  [[nodiscard]] double cycles() const {
    double sum = 0;
    for (std::size_t k = 0; k < kForecastLoads.size(); ++k) {
      const double now = forecast_cycles(function_, number_, loops_, kForecastLoads[k]);
      if (first_[k] == 0) first_[k] = std::max(1.0, now);
      sum += now / first_[k];
    }
    return sum;
  }

  [[nodiscard]] std::vector<Words> words() const {
    std::vector<Words> words;
    for (std::size_t i = block_.first; i < block_.end; ++i)
      words.push_back(function_.code[i].words);
    return words;
  }
  void restore(const std::vector<Words>& words) {
    for (std::size_t i = 0; i < words.size(); ++i)
      function_.code[block_.first + i].words = words[i];
  }

  /// Keeps what was changed where it is sound and, if it `must`, shorter.
  bool keep(const std::vector<Words>& before, bool must) {
    const double now = cycles();
    const bool sound = now <= cycles_ && (!must || now < cycles_) &&
                       openness_of(function_, block_, entry_).within(limit_);
    if (!sound) {
      restore(before);
      return false;
    }
    const bool shorter = now < cycles_;
    cycles_ = now;
    return shorter;
  }

  /// The first behind `from` that touches any of these; nothing where a fence comes before it.
  [[nodiscard]] std::optional<std::size_t> user_of(const RegisterSet& results,
                                                   const RegisterSet& sources, std::size_t from,
                                                   std::size_t fences_from) const {
    for (std::size_t i = from; i < block_.end; ++i) {
      const Instruction& me = function_.code[i];
      if (((me.uses | me.defs) & results).any() || (me.defs & sources).any()) return i;
      if (i >= fences_from && orders_others(function_, i)) return std::nullopt;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::size_t> waiter_of(int barrier, std::size_t from) const {
    for (std::size_t i = from; i < block_.end; ++i)
      if ((waits_of(function_.code[i]) & mask_of(barrier)) != 0) return i;
    return std::nullopt;
  }

  void add_wait(std::size_t at, unsigned mask) {
    Control control = function_.code[at].control();
    control.wait_mask |= mask;
    set_control(function_.code[at], control);
  }

  /// Another scoreboard for the result of `at`, and whatever waits become needless put off.
  bool split(std::size_t at) {
    const Control own = function_.code[at].control();
    if (own.write_barrier >= kBarriers || own.write_barrier == own.read_barrier ||
        (taken_ & mask_of(own.write_barrier)) != 0)
      return false;
    const auto waiter = waiter_of(own.write_barrier, at + 1);
    if (!waiter) return false;
    const auto user = user_of(function_.code[at].defs, {}, at + 1, *waiter);
    if (!user) return false;
    const auto before = words();
    for (int other = 0; other < kBarriers; ++other) {
      if (other == own.write_barrier || (taken_ & mask_of(other)) != 0) continue;
      Control control = own;
      control.write_barrier = other;
      set_control(function_.code[at], control);
      add_wait(*user, mask_of(other));
      if (*waiter < *user) put_off(*waiter, own.write_barrier);
      if (keep(before, true)) return true;
    }
    return false;
  }

  /// Moves the wait of `at` down to whoever needs it first.
  bool defer(std::size_t at) {
    bool any = false;
    for (int barrier = 0; barrier < kBarriers; ++barrier) {
      if ((function_.code[at].control().wait_mask & mask_of(barrier)) == 0) continue;
      if ((taken_ & mask_of(barrier)) != 0) continue;
      const auto before = words();
      if (put_off(at, barrier)) any = keep(before, true) || any;
    }
    return any;
  }

  bool put_off(std::size_t at, int barrier) {
    if (orders_others(function_, at)) return false;
    Pending state = entry_;
    for (std::size_t i = block_.first; i < at; ++i) {
      state.wait(waits_of(function_.code[i]));
      state.issue(function_.code[i]);
    }
    const unsigned mask = mask_of(barrier);
    const auto user = user_of(state.results_of(mask), state.sources_of(mask), at, at);
    if (!user || *user == at) return false;
    Control control = function_.code[at].control();
    control.wait_mask &= ~mask;
    set_control(function_.code[at], control);
    add_wait(*user, mask);
    return true;
  }

  Function& function_;
  const Block& block_;
  std::array<std::size_t, 1> number_;
  Pending entry_;
  unsigned taken_;
  bool loops_ = false;
  Openness limit_;
  double cycles_ = 0;
  mutable std::array<double, kForecastLoads.size()> first_ = {};
};

/// The word without its scoreboards.
Words without_scoreboards(const Instruction& instruction) {
  Control control = instruction.control();
  control.write_barrier = control.read_barrier = kNoBarrier;
  control.wait_mask = 0;
  return with_control(instruction.words, control, instruction.shows_reuse);
}

}  // namespace

Function with_finer_scoreboards(const Function& function, int* changed) {
  Function finer = function;
  const auto entry = pending_at_entry(function);
  const unsigned taken = barriers_of_fences(function);
  int blocks = 0;
  for (std::size_t b = 0; b < function.blocks.size(); ++b) {
    if (!BlockRefiner(finer, b, entry[b], taken).run()) continue;
    if (check_scoreboards_against(function, finer).empty()) {
      ++blocks;
      continue;
    }
    const Block& block = function.blocks[b];
    std::copy(function.code.begin() + static_cast<std::ptrdiff_t>(block.first),
              function.code.begin() + static_cast<std::ptrdiff_t>(block.end),
              finer.code.begin() + static_cast<std::ptrdiff_t>(block.first));
  }
  if (changed != nullptr) *changed = blocks;
  return finer;
}

std::vector<Hazard> check_scoreboards_against(const Function& original, const Function& changed) {
  const auto at = [&](std::size_t i, std::string message) {
    return Hazard{HazardKind::scoreboard, original.name, i * kWordBytes,
                  changed.code[i].text() + ": " + std::move(message)};
  };
  if (changed.code.size() != original.code.size())
    return {{HazardKind::form, original.name, 0, "the function has another length"}};
  std::vector<Hazard> hazards;
  const unsigned taken = barriers_of_fences(original);
  for (std::size_t i = 0; i < original.code.size(); ++i) {
    const Instruction &mine = changed.code[i], &own = original.code[i];
    if (without_scoreboards(mine) != without_scoreboards(own))
      hazards.push_back(at(i, "more than its scoreboards was changed"));
    const Control now = mine.control(), was = own.control();
    if ((now.write_barrier < kBarriers) != (was.write_barrier < kBarriers) ||
        now.read_barrier != was.read_barrier)
      hazards.push_back(at(i, "sets no scoreboard any more, or another one for its sources"));
    if (now.write_barrier != was.write_barrier &&
        ((taken & mask_of(now.write_barrier)) != 0 || (taken & mask_of(was.write_barrier)) != 0))
      hazards.push_back(at(i, "sets a scoreboard that belongs to a fence"));
    if ((was.wait_mask & ~now.wait_mask & taken) != 0 ||
        (orders_others(original, i) && (was.wait_mask & ~now.wait_mask) != 0))
      hazards.push_back(at(i, "no longer waits for a scoreboard that it must wait for"));
  }
  auto replayed = replay_against(original, changed);
  hazards.insert(hazards.end(), std::make_move_iterator(replayed.begin()),
                 std::make_move_iterator(replayed.end()));
  return hazards;
}

}  // namespace warpwright::sass
