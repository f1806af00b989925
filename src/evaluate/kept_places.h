// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace warpwright::evaluate {

/// Which timed calls are kept, to be compared on the host when all are over. Calls on other
/// distributions than the declared one are few: half of the places are theirs, or a single place in
/// half of all judgements. Of each kind every call has the same chance.
class KeptPlaces {
 public:
  /// Numbers that the candidate cannot know.
  using Secret = std::function<std::uint64_t()>;

  explicit KeptPlaces(std::size_t most = 0) : most_(most) {}
  [[nodiscard]] std::size_t most() const { return most_; }

  /// The place of a call that is over, new or taken from another one; nothing: it is not kept.
  std::optional<std::size_t> place_for(bool other_distribution, const Secret& secret);

 private:
  [[nodiscard]] std::vector<std::size_t> places_of(bool other) const;
  std::size_t give(std::size_t place, bool other);

  std::size_t most_;
  std::vector<bool> other_;                 ///< by place
  std::array<std::uint64_t, 2> seen_ = {};  ///< calls on declared inputs, and on others
};

}  // namespace warpwright::evaluate
