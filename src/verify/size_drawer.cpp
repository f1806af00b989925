// SPDX-License-Identifier: Apache-2.0
#include "verify/size_drawer.h"

#include <algorithm>
#include <cmath>

#include "core/task_domains.h"

namespace warpwright::verify {

namespace {

constexpr int kTries = 12;
constexpr int kHalvings = 24;
constexpr double kWide = 512;

bool is_prime(std::uint64_t n) {
  for (std::uint64_t d = 2; d * d <= n; ++d) {
    if (n % d == 0) return false;
  }
  return n >= 2;
}

double flavoured(double v, Flavour flavour, double detail) {
  if (v < 4) return v;
  const double power = std::exp2(std::floor(std::log2(v)));
  switch (flavour) {
    case Flavour::plain:
      return v;
    case Flavour::near_power:
      return detail < 0.4 ? power - 1 : detail < 0.7 || power + 1 > v ? power : power + 1;
    case Flavour::odd:
      return std::fmod(v, 2) == 1 ? v : v - 1;
    case Flavour::prime: {
      auto n = static_cast<std::uint64_t>(v);
      while (!is_prime(n)) --n;
      return static_cast<double>(n);
    }
    case Flavour::multiple: {
      const double step = detail < 0.5 ? 32 : 4;
      return v < step ? v : std::floor(v / step) * step;
    }
  }
  return v;
}

Flavour flavour_at(double share) {
  return share < 0.3    ? Flavour::plain
         : share < 0.55 ? Flavour::near_power
         : share < 0.7  ? Flavour::odd
         : share < 0.85 ? Flavour::prime
                        : Flavour::multiple;
}

/// Whole numbers of large ranges by ratio, so that all magnitudes are met.
double by_ratio(double low, double high, double share) {
  constexpr double kFew = 64;
  if (low < 0 || high - low < kFew)
    return std::min(high, std::floor(low + (high - low + 1) * share));
  // One is added so that a range may begin with 0.
  return std::floor((low + 1) * std::pow((high + 1) / (low + 1), share) - 1 + 1e-9);
}

/// Six digits are as good as sixteen, and people can read them.
double readable(const DomainRange& range, double value) {
  const double digits = std::pow(10, 5 - std::floor(std::log10(std::fabs(value))));
  if (value == 0 || !std::isfinite(digits)) return value;
  const double round = std::round(value * digits) / digits;
  return range.contains(round) ? round : value;
}

double thrown(const DomainRange& range, const Throw& t, double share) {
  if (!range.choices.empty()) {
    const auto at = static_cast<std::size_t>(t.share * static_cast<double>(range.choices.size()));
    return range.choices[std::min(at, range.choices.size() - 1)];
  }
  if (range.step == 0) {
    // The ends and round numbers are members like others.
    if (t.detail < 0.05) return range.low;
    if (t.detail > 0.95) return range.high;
    return readable(range, range.by_ratio ? range.low * std::pow(range.high / range.low, t.share)
                                          : range.low + (range.high - range.low) * t.share);
  }
  return range.at_most(flavoured(by_ratio(range.low, range.high, share), t.flavour, t.detail));
}

}  // namespace

bool is_wide(const DomainRange& range) {
  return range.step != 0 && range.choices.empty() && range.high + 1 > kWide * (range.low + 1);
}

std::optional<TaskSize> SizeDrawer::draw(const Wanted& wanted) {
  std::optional<TaskSize> best;
  std::size_t fewest = ~std::size_t{0};
  for (int i = 0; i < kTries && fewest > 0; ++i) {
    auto size = attempt(wanted);
    if (!size || is_listed(*size) || is_drawn(*size)) continue;
    const std::size_t missed = misses(wanted, *size);
    if (missed >= fewest) continue;
    fewest = missed;
    best = std::move(size);
  }
  return best;
}

bool SizeDrawer::can_fit(const Wanted& wanted) const {
  const std::vector<Throw> lowest(domains_.size());
  return fits(composed(wanted, lowest, {.wide = 0, .narrow = 0, .moving = 0}),
              {wanted.max_bytes, wanted.max_work});
}

std::optional<double> SizeDrawer::largest_value(const Wanted& wanted, const std::string& name,
                                                double low, double high) const {
  const auto can_be = [&](double value) {
    Wanted one = wanted;
    one.windows[name] = {value, value};
    return can_fit(one);
  };
  if (!can_be(low)) return std::nullopt;
  if (can_be(high)) return high;
  for (int i = 0; i < 2 * kHalvings && high - low > 1; ++i) {
    const double middle = std::floor((low + high) / 2);
    (can_be(middle) ? low : high) = middle;
  }
  return low;
}

std::optional<TaskSize> SizeDrawer::composed(const Wanted& wanted, const std::vector<Throw>& throws,
                                             const Shares& shares) const {
  TaskSize size;
  for (std::size_t i = 0; i < domains_.size(); ++i) {
    const auto& [name, domain] = domains_[i];
    auto range = domain.at(size.values);
    if (!range.ok()) return std::nullopt;
    const auto window = wanted.windows.find(name);
    if (window == wanted.windows.end()) {
      const double share = is_wide(*range) ? shares.wide : shares.narrow;
      size.values[name] = free_value(wanted, name, *range, throws[i], share);
      continue;
    }
    DomainRange both = *range;
    both.low = std::max(range->low, window->second.first);
    both.high = std::min(range->high, window->second.second);
    // What other values leave no room for comes as near as it can.
    const bool meets = both.low <= both.high && both.contains(both.largest());
    size.values[name] = meets ? thrown(both, throws[i], throws[i].share * shares.moving)
                              : range->at_most(window->second.first);
  }
  size.label = label_of(task_, size.values);
  return size;
}

double SizeDrawer::free_value(const Wanted& wanted, const std::string& name,
                              const DomainRange& range, const Throw& t, double free) const {
  if (wanted.like == nullptr || range.step == 0) return thrown(range, t, t.share * free);
  const auto values = values_at(task_, *wanted.like);
  const auto listed = values.ok() ? values->find(name) : Values::const_iterator{};
  if (!values.ok() || listed == values->end()) return thrown(range, t, t.share * free);
  const double top = range.at_most(listed->second);
  return range.choices.empty() ? range.at_most(by_ratio(range.low, top, free)) : top;
}

bool SizeDrawer::fits(const std::optional<TaskSize>& size, const Caps& caps) const {
  if (!size) return false;
  const auto values = values_at(task_, *size);
  if (!values.ok()) return false;
  double bytes = 0;
  for (const auto& argument : task_.arguments) {
    if (!is_buffer(argument)) {
      if (!scalar_value(argument, *values).ok()) return false;
      continue;
    }
    const auto count = element_count(argument, *values);
    if (!count.ok() || *count > most_elements_) return false;
    bytes += static_cast<double>(*count * bytes_of(argument.type));
  }
  const auto amount = work(task_, *size);
  return bytes <= caps.bytes && amount.ok() && *amount <= caps.work;
}

std::optional<TaskSize> SizeDrawer::largest_fitting(
    const Caps& caps, const std::function<std::optional<TaskSize>(double)>& at, double part) const {
  auto best = at(1);
  if (fits(best, caps)) return best;
  best = at(0);
  if (!fits(best, caps)) return std::nullopt;
  double low = 0, high = 1;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    auto size = at(middle);
    if (fits(size, caps)) {
      best = std::move(size);
      low = middle;
    } else {
      high = middle;
    }
  }
  if (part == 1) return best;
  auto size = at(part * low);
  return fits(size, caps) ? size : best;
}

std::vector<Throw> SizeDrawer::throw_all(const Wanted& wanted) {
  std::vector<Throw> throws;
  for (std::size_t i = 0; i < domains_.size(); ++i)
    throws.push_back({draws_.unit(), flavour_at(draws_.unit()), draws_.unit()});
  for (std::size_t i = 0; wanted.odd && i < domains_.size(); ++i)
    if (wanted.windows.contains(domains_[i].name)) throws[i].flavour = Flavour::odd;
  if (wanted.size_class == SizeClass::slanted && !throws.empty()) {
    for (Throw& t : throws) t.share *= 0.15;
    throws[draws_.below(throws.size())].share = 1;
  }
  return throws;
}

std::optional<TaskSize> SizeDrawer::attempt(const Wanted& wanted) {
  const auto throws = throw_all(wanted);
  const Caps most{wanted.max_bytes, wanted.max_work};
  const double least = std::min(most.bytes, std::max(wanted.least_bytes, 64.0));
  // Below the limits, so that sizes do not all lie at them.
  const Caps drawn{least * std::pow(most.bytes / least, std::sqrt(draws_.unit())),
                   most.work * std::pow(wanted.least_work, draws_.unit())};
  for (const Caps& caps : {drawn, most}) {
    auto size = shrunk(wanted, throws, caps);
    if (size) return size;
  }
  return std::nullopt;
}

std::optional<TaskSize> SizeDrawer::shrunk(const Wanted& wanted, const std::vector<Throw>& throws,
                                           const Caps& caps) const {
  auto size = largest_fitting(
      caps, [&](double share) { return composed(wanted, throws, {.wide = share}); });
  if (size) return size;
  size = largest_fitting(
      caps, [&](double share) { return composed(wanted, throws, {.wide = 0, .narrow = share}); });
  if (size || wanted.windows.empty()) return size;
  // Not at the limit: that is known.
  return largest_fitting(
      caps,
      [&](double share) {
        return composed(wanted, throws, {.wide = 0, .narrow = 0, .moving = share});
      },
      throws.front().detail);
}

std::size_t SizeDrawer::misses(const Wanted& wanted, const TaskSize& size) const {
  const auto bytes = footprint_bytes(task_, size);
  std::size_t missed = bytes.ok() && static_cast<double>(*bytes) >= wanted.asked_bytes ? 0 : 1;
  if (!wanted.in_windows) return missed;
  // A window is worth more than bytes. All values of a small one may be listed: then the size that
  // meets the others is taken.
  constexpr std::size_t kWindow = 2;
  for (const auto& [name, window] : wanted.windows) {
    const auto value = size.values.find(name);
    if (value == size.values.end()) continue;
    const bool outside = value->second < window.first || value->second > window.second;
    const bool listed = window.first < window.second && is_listed_value(name, value->second);
    if (outside || listed) missed += kWindow;
  }
  return missed;
}

bool SizeDrawer::is_listed_value(const std::string& name, double value) const {
  for (const auto* sizes : {&task_.sizes, &task_.edge_sizes}) {
    for (const TaskSize& size : *sizes) {
      const auto listed = size.values.find(name);
      if (listed != size.values.end() && listed->second == value) return true;
    }
  }
  return false;
}

bool SizeDrawer::is_drawn(const TaskSize& size) const {
  return std::find(drawn_.begin(), drawn_.end(), size.values) != drawn_.end();
}

bool SizeDrawer::is_listed(const TaskSize& drawn) const {
  for (const auto* sizes : {&task_.sizes, &task_.scale_sizes, &task_.edge_sizes}) {
    for (const TaskSize& size : *sizes) {
      if (size.values == drawn.values) return true;
    }
  }
  return false;
}

}  // namespace warpwright::verify
