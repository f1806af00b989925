// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace warpwright::evaluate {

/// Which of a size's data sets each timed call takes, in turns, and how the calls are made to
/// differ.
///
/// A plan of three launches took 12.7 or 13.7 us on an H200, by whether its first launch was an
/// even or an odd one of the process; with an even number of launches per call, all samples of a
/// size were of one kind (bench/launch_parity). So each turn through the sets begins with one
/// launch more, and a set counts as two places: half of the samples are of either kind, by design.
struct Turns {
  std::size_t sets = 1;

  [[nodiscard]] std::size_t set_of(std::uint64_t call) const { return call % sets; }
  /// Whether an empty launch comes before this call. With an odd number of sets the kinds of a
  /// set alternate by themselves where a call has an odd number of launches, and a shift would undo
  /// that: those are few and large, and are left alone.
  [[nodiscard]] bool shifted(std::uint64_t call) const { return two_kinds() && set_of(call) == 0; }
  /// Calls with the same rest modulo this are alike.
  [[nodiscard]] std::size_t places() const { return two_kinds() ? 2 * sets : sets; }
  /// Samples in each of several rounds: whole turns, because other sizes in between move what is an
  /// even launch.
  [[nodiscard]] int round_samples(int most, int rounds) const {
    const int turn = static_cast<int>(places());
    return std::max(most / rounds / turn, 1) * turn;
  }

 private:
  [[nodiscard]] bool two_kinds() const { return sets % 2 == 0; }
};

}  // namespace warpwright::evaluate
