// SPDX-License-Identifier: Apache-2.0
#include "simt/state/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

#include "base/mix.h"

namespace warpwright::simt {
namespace {

constexpr std::uint64_t kShortest = 24, kLongest = 1500;  ///< warp instructions of a short turn

template <class T>
bool read_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

template <class Next>
void shuffle(std::span<std::uint32_t> all, Next next) {
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[next() % i]);
}

}  // namespace

Result<Schedule> schedule_named(std::string_view text) {
  const Error unknown{fmt::format(
      "the schedule is forward, backward, shuffled[:SEED] or few[:RESIDENT[:SEED]], not \"{}\"",
      text)};
  Schedule s;
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view name = text.substr(0, colon);
  std::string_view rest = text.substr(std::min(colon + 1, text.size()));
  if (name == "forward" && rest.empty()) return s;
  if (name == "backward" && rest.empty()) {
    s.kind = Schedule::Kind::backward;
    return s;
  }
  if (name == "few") {
    s.kind = Schedule::Kind::few;
    const std::size_t next = std::min(rest.find(':'), rest.size());
    if (next > 0 && (!read_number(rest.substr(0, next), s.resident) || s.resident == 0))
      return unknown;
    rest = rest.substr(std::min(next + 1, rest.size()));
  } else if (name == "shuffled") {
    s.kind = Schedule::Kind::shuffled;
  } else {
    return unknown;
  }
  if (!rest.empty() && !read_number(rest, s.seed)) return unknown;
  return s;
}

std::string name_of(const Schedule& s) {
  switch (s.kind) {
    case Schedule::Kind::backward:
      return "backward";
    case Schedule::Kind::shuffled:
      return fmt::format("shuffled:{}", s.seed);
    case Schedule::Kind::few:
      return fmt::format("few:{}:{}", s.resident, s.seed);
    default:
      return "forward";
  }
}

Turns::Turns(const Schedule& schedule)
    : usual_(schedule.kind == Schedule::Kind::forward),
      swapped_(schedule.kind == Schedule::Kind::backward),
      shorts_(schedule.in_short_turns()),
      parts_(schedule.kind == Schedule::Kind::shuffled),
      state_(mixed_bits(schedule.seed)) {}

std::uint64_t Turns::next() { return mixed_bits(state_ += kMixStep); }

std::int64_t Turns::short_turn() {
  return static_cast<std::int64_t>(kShortest + next() % (kLongest - kShortest));
}

std::uint32_t Turns::lanes() {
  if (usual_) return 0;
  return swapped_ ? 31 : static_cast<std::uint32_t>(next() % 32);
}

std::span<const std::uint32_t> Turns::order(std::size_t count) {
  if (order_.size() != count) {
    order_.resize(count);
    std::iota(order_.begin(), order_.end(), 0);
    if (swapped_) std::reverse(order_.begin(), order_.end());
  }
  if (shorts_) shuffle(order_, [&] { return next(); });
  return order_;
}

StartOrder::StartOrder(const Schedule& schedule, std::uint64_t count, std::uint64_t window) {
  using Kind = Schedule::Kind;
  if (schedule.kind == Kind::forward || schedule.kind == Kind::few || count > UINT32_MAX) return;
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), 0);
  std::uint64_t state = mixed_bits(schedule.seed ^ count);
  window = std::max<std::uint64_t>(window, 1);
  for (std::uint64_t first = 0; first < count; first += window) {
    const std::span<std::uint32_t> some(order_.data() + first, std::min(window, count - first));
    if (schedule.kind == Kind::backward)
      std::reverse(some.begin(), some.end());
    else
      shuffle(some, [&] { return mixed_bits(state += kMixStep); });
  }
}

}  // namespace warpwright::simt
