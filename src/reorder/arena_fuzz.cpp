// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include <fmt/format.h>

#include "reorder/arena.h"

namespace warpwright::reorder {

namespace {

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void add_word(std::string& list, std::string_view word) {
  list += (list.empty() ? "" : ", ") + std::string(word);
}

}  // namespace

Result<Behaviour> Arena::fuzz_all(Candidate& candidate, std::uint64_t sets, double end_s,
                                  bool& whole) {
  Behaviour all;
  whole = false;
  // The set first: uploads are slow.
  for (std::uint64_t set = 0; set < sets; ++set)
    for (std::size_t c = 0; c < places_.size(); ++c)
      for (const Disturbance& disturbance : disturbances()) {
        if (!possible(disturbance)) continue;
        if (now_s() > end_s) return all;
        const std::uint64_t before = all.outputs;
        WW_TRY(all, compare_at(candidate, c, set, disturbance));
        all.outputs += before;
        if (all.kind != Behaviour::Kind::same) return all;
      }
  whole = true;
  return all;
}

Result<Behaviour> Arena::fuzz(const std::string& cubin, std::uint64_t sets, double limit_s) {
  WW_TRY(Candidate candidate, load(cubin, places_.size()));
  const double start = now_s();
  std::string met, missed;
  for (const Disturbance& each : disturbances()) add_word(possible(each) ? met : missed, each.name);
  Behaviour all;
  std::size_t number = 0;
  for (const double share : clock_shares()) {
    ++number;
    const std::string name =
        share > 0 ? fmt::format("clock at {:.0f} %", 100 * share) : std::string("clock as it is");
    if (share > 0 && (surroundings_.clocks == nullptr || !surroundings_.clocks->hold(share).ok())) {
      add_word(missed, name);
      continue;
    }
    bool whole = false;
    const std::uint64_t before = all.outputs;
    const auto part = static_cast<double>(number) / static_cast<double>(clock_shares().size());
    auto found = fuzz_all(candidate, sets, start + part * limit_s, whole);
    if (share > 0) surroundings_.clocks->let_go();
    if (!found.ok()) return found.error();
    all = std::move(*found);
    all.outputs += before;
    if (all.kind != Behaviour::Kind::same) break;
    add_word(met, whole ? name : name + " as far as the time went");
  }
  if (all.kind != Behaviour::Kind::fault) drop(candidate);
  if (all.kind != Behaviour::Kind::same) return all;
  all.why = met + (missed.empty() ? "" : "; not possible: " + missed);
  return all;
}

}  // namespace warpwright::reorder
