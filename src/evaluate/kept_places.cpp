// SPDX-License-Identifier: Apache-2.0
#include "evaluate/kept_places.h"

namespace warpwright::evaluate {

std::vector<std::size_t> KeptPlaces::places_of(bool other) const {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < other_.size(); ++i)
    if (other_[i] == other) places.push_back(i);
  return places;
}

std::size_t KeptPlaces::give(std::size_t place, bool other) {
  if (place == other_.size()) other_.push_back(other);
  other_[place] = other;
  return place;
}

std::optional<std::size_t> KeptPlaces::place_for(bool other, const Secret& secret) {
  const std::uint64_t seen = ++seen_[other ? 1 : 0];
  const auto own = places_of(other);
  if (other_.size() < most_ && (!other || own.size() < most_ / 2 || other_.empty()))
    return give(other_.size(), other);
  // Calls on declared inputs may have filled all of them: any of those makes room.
  const auto theirs = places_of(!other);
  if (other && own.size() < most_ / 2) return give(theirs[secret() % theirs.size()], other);
  if (other && most_ == 1 && seen == 1 && !theirs.empty() && secret() % 2 == 0)
    return give(0, other);
  const std::uint64_t drawn = secret() % seen;
  if (drawn >= own.size()) return std::nullopt;
  return own[drawn];
}

}  // namespace warpwright::evaluate
