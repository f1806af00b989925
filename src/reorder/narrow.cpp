// SPDX-License-Identifier: Apache-2.0
#include "reorder/narrow.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpwright::reorder {

namespace {

constexpr std::size_t kMostPairs = 24;

class Narrowing {
 public:
  Narrowing(const sass::Kernel& kernel, sass::Schedule wrong, int most_tried,
            const GoesWrong& goes_wrong)
      : kernel_(kernel), most_tried_(most_tried), goes_wrong_(goes_wrong) {
    narrowed_.schedule = std::move(wrong);
  }

  Result<Narrowed> run() {
    narrowed_.finished = true;
    std::size_t left = inversions(narrowed_.schedule);
    for (bool forward = true;; forward = !forward) {
      WW_TRY(const bool all, put_back_along(forward));
      const std::size_t now = inversions(narrowed_.schedule);
      if (!all || (now == left && !forward)) break;
      left = now;
    }
    for (bool smaller = true; smaller && narrowed_.finished;) {
      smaller = false;
      for (const sass::Region& region : kernel_.regions())
        for (std::size_t width = region.size() / 2; width >= 2; width = (width + 1) / 2) {
          WW_TRY(const bool any, put_back_runs(region, width));
          smaller = smaller || any;
          if (width == 2) break;
        }
    }
    find_swapped();
    return std::move(narrowed_);
  }

 private:
  using Pair = std::pair<std::size_t, std::size_t>;

  [[nodiscard]] std::size_t inversions(const sass::Schedule& schedule) const {
    std::size_t count = 0;
    for (const sass::Region& region : kernel_.regions()) {
      const sass::Order& order = schedule.orders[region.block];
      for (std::size_t b = region.begin; b < region.end; ++b)
        for (std::size_t a = region.begin; a < b; ++a) count += order[a] > order[b] ? 1U : 0U;
    }
    return count;
  }

  /// The schedule with some of its pairs put back, one swap of neighbours after the other: from the
  /// first region on or from the last one on. `last` is the pair of the last swap.
  [[nodiscard]] sass::Schedule nearer(std::size_t swaps, bool forward, Pair& last) const {
    sass::Schedule schedule = narrowed_.schedule;
    const auto& regions = kernel_.regions();
    for (std::size_t n = 0; n < regions.size() && swaps > 0; ++n) {
      const sass::Region& region = regions[forward ? n : regions.size() - 1 - n];
      sass::Order& order = schedule.orders[region.block];
      const std::size_t base = kernel_.graphs()[region.block].first;
      for (std::size_t i = 1; i < region.size() && swaps > 0; ++i) {
        std::size_t at = forward ? region.begin + i - 1 : region.end - 1 - i;
        for (; swaps > 0 && order[at] > order[at + 1]; --swaps) {
          last = {base + order[at + 1], base + order[at]};
          std::swap(order[at], order[at + 1]);
          if (forward ? at == region.begin : at + 2 == region.end) {
            --swaps;
            break;
          }
          at = forward ? at - 1 : at + 1;
        }
      }
    }
    return schedule;
  }

  /// Bisects the way from the schedule to the order as it was built. Each step is one swap of
  /// neighbours and legal, so few runs find the one that decides. Whether there were runs enough.
  Result<bool> put_back_along(bool forward) {
    std::size_t wrong = 0, right = inversions(narrowed_.schedule);
    Pair pair;
    while (wrong + 1 < right) {
      const std::size_t middle = wrong + (right - wrong) / 2;
      const auto scheduled = kernel_.apply(nearer(middle, forward, pair));
      if (scheduled && narrowed_.tried >= most_tried_) {
        narrowed_.finished = false;
        break;
      }
      bool goes_wrong = false;
      if (scheduled) {
        ++narrowed_.tried;
        WW_TRY(goes_wrong, goes_wrong_(*scheduled));
      }
      (goes_wrong ? wrong : right) = middle;
    }
    const bool enough = wrong + 1 >= right;
    if (enough && right > 0) {
      static_cast<void>(nearer(right, forward, pair));
      narrowed_.decides = pair;
    }
    narrowed_.schedule = nearer(wrong, forward, pair);
    return enough;
  }

  Result<bool> put_back_runs(const sass::Region& region, std::size_t width) {
    bool any = false;
    const std::size_t step = std::max<std::size_t>(1, width / 2);
    for (std::size_t at = region.begin; at + 2 <= region.end; at += step) {
      WW_TRY(const bool done, put_back(region, at, std::min(at + width, region.end)));
      any = any || done;
    }
    return any;
  }

  /// Sorts the instructions at some places as they were built. Whether that was kept.
  Result<bool> put_back(const sass::Region& region, std::size_t begin, std::size_t end) {
    sass::Schedule less = narrowed_.schedule;
    sass::Order& order = less.orders[region.block];
    const auto first = order.begin() + static_cast<std::ptrdiff_t>(begin),
               last = order.begin() + static_cast<std::ptrdiff_t>(end);
    if (std::is_sorted(first, last)) return false;
    std::sort(first, last);
    const auto scheduled = kernel_.apply(less);
    if (!scheduled) return false;
    if (narrowed_.tried >= most_tried_) {
      narrowed_.finished = false;
      return false;
    }
    ++narrowed_.tried;
    WW_TRY(const bool wrong, goes_wrong_(*scheduled));
    if (wrong) narrowed_.schedule = std::move(less);
    return wrong;
  }

  void find_swapped() {
    for (const sass::Region& region : kernel_.regions()) {
      const sass::Order& order = narrowed_.schedule.orders[region.block];
      const std::size_t base = kernel_.graphs()[region.block].first;
      for (std::size_t b = region.begin; b < region.end; ++b)
        for (std::size_t a = region.begin; a < b; ++a)
          if (order[a] > order[b]) narrowed_.swapped.emplace_back(base + order[b], base + order[a]);
    }
  }

  const sass::Kernel& kernel_;
  const int most_tried_;
  const GoesWrong& goes_wrong_;
  Narrowed narrowed_;
};

std::string line_of(const sass::Instruction& instruction) {
  const sass::Control control = instruction.control();
  const auto barrier = [](int number) {
    return number < sass::kBarriers ? std::to_string(number) : std::string("-");
  };
  std::string waits;
  for (int b = 0; b < sass::kBarriers; ++b)
    waits += (control.wait_mask >> b & 1) != 0 ? static_cast<char>('0' + b) : '-';
  return fmt::format("    {:05x} {:>2}{} W{} R{} {}  {}\n", instruction.offset, control.stall,
                     control.yields ? 'Y' : ' ', barrier(control.write_barrier),
                     barrier(control.read_barrier), waits, instruction.text());
}

}  // namespace

Result<Narrowed> narrow(const sass::Kernel& kernel, sass::Schedule wrong, int most_tried,
                        const GoesWrong& goes_wrong) {
  return Narrowing(kernel, std::move(wrong), most_tried, goes_wrong).run();
}

std::string narrowed_text(const sass::Kernel& kernel, const Narrowed& narrowed) {
  std::string text =
      fmt::format("  narrowed with {} runs to {} pair{} that changed places{}\n", narrowed.tried,
                  narrowed.swapped.size(), narrowed.swapped.size() == 1 ? "" : "s",
                  narrowed.finished ? "" : "; runs were used up");
  if (narrowed.decides)
    text += "  it goes right when these two neighbours change places:\n" +
            line_of(kernel.function().code[narrowed.decides->second]) +
            line_of(kernel.function().code[narrowed.decides->first]);
  for (std::size_t i = 0; i < std::min(kMostPairs, narrowed.swapped.size()); ++i)
    text += line_of(kernel.function().code[narrowed.swapped[i].first]) + "      was before\n" +
            line_of(kernel.function().code[narrowed.swapped[i].second]);
  const auto scheduled = kernel.apply(narrowed.schedule);
  if (!scheduled || narrowed.swapped.empty()) return text;
  std::size_t begin = kernel.function().code.size(), end = 0;
  for (std::size_t i = 0; i < scheduled->code.size(); ++i)
    if (scheduled->code[i].words != kernel.function().code[i].words) {
      begin = std::min(begin, i);
      end = i + 1;
    }
  for (const sass::Function* each : {&kernel.function(), &*scheduled}) {
    text += each == &kernel.function() ? "  as it was built:\n" : "  as it goes wrong:\n";
    for (std::size_t i = begin; i < end; ++i) text += line_of(each->code[i]);
  }
  return text;
}

}  // namespace warpwright::reorder
