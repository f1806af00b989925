// SPDX-License-Identifier: Apache-2.0
#include "verify/drawn_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/one_way.h"
#include "core/task_domains.h"
#include "verify/secret_draws.h"
#include "verify/size_drawer.h"

namespace warpwright::verify {

namespace {

constexpr double kTinyBytes = 4096;
constexpr double kSlantedBytes = 256 << 10;

Result<double> bytes_at(const Task& task, const TaskSize& size) {
  WW_TRY(const auto bytes, footprint_bytes(task, size));
  return static_cast<double>(bytes);
}

/// Timed sizes from small to large.
Result<std::vector<const TaskSize*>> by_bytes(const Task& task) {
  std::vector<std::pair<double, const TaskSize*>> sized;
  for (const TaskSize& size : task.sizes) {
    WW_TRY(const double bytes, bytes_at(task, size));
    sized.emplace_back(bytes, &size);
  }
  std::stable_sort(sized.begin(), sized.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const TaskSize*> sizes;
  for (const auto& [bytes, size] : sized) sizes.push_back(size);
  return sizes;
}

/// The values in which two sizes differ, strictly between them.
std::map<std::string, std::pair<double, double>> gap(const TaskSize& a, const TaskSize& b) {
  std::map<std::string, std::pair<double, double>> windows;
  for (const auto& [name, value] : a.values) {
    const auto other = b.values.find(name);
    if (other == b.values.end() || other->second == value) continue;
    const double low = std::min(value, other->second), high = std::max(value, other->second);
    windows[name] = high - low > 1 ? std::pair(low + 1, high - 1) : std::pair(low, high);
  }
  return windows;
}

/// The values that grow over the timed sizes, above the largest of each.
std::map<std::string, std::pair<double, double>> beyond(const Task& task) {
  std::map<std::string, std::pair<double, double>> windows;
  for (const auto& [name, first] : task.sizes.front().values) {
    double low = first, high = first;
    for (const TaskSize& size : task.sizes) {
      const auto value = size.values.find(name);
      if (value == size.values.end()) continue;
      low = std::min(low, value->second);
      high = std::max(high, value->second);
    }
    if (low < high || task.sizes.size() == 1) windows[name] = {high + 1, 1e300};
  }
  return windows;
}

/// What sizes beside a listed one may take: `times` of what that one takes, or the usual limits.
Result<Caps> caps_beside(const Task& task, const SizeLimits& limits, const TaskSize& listed,
                         double times) {
  Caps caps{static_cast<double>(limits.max_bytes), limits.max_work};
  if (limits.beyond_listed <= 0) return caps;
  WW_TRY(const double bytes, bytes_at(task, listed));
  WW_TRY(const double amount, work(task, listed));
  caps.bytes = std::clamp(times * bytes, caps.bytes,
                          std::max(caps.bytes, static_cast<double>(limits.most_bytes)));
  caps.work = std::max(caps.work, times * amount);
  return caps;
}

void add_without_window(std::vector<Wanted>& classes, SizeClass kind, std::string label,
                        double least, const Caps& caps) {
  classes.push_back({.size_class = kind,
                     .label = std::move(label),
                     .windows = {},
                     .max_bytes = caps.bytes,
                     .max_work = caps.work,
                     .least_bytes = least});
}

/// Every class of the task. Each that has windows is asked for twice: with values all over the
/// domain beside the ones in the window, and with those of the listed size.
Result<std::vector<Wanted>> classes_of(const Task& task, const SizeLimits& limits) {
  WW_TRY(const auto timed, by_bytes(task));
  WW_TRY(const double smallest, bytes_at(task, *timed.front()));
  const auto at_most = [&](double bytes) {
    return Caps{std::min(bytes, static_cast<double>(limits.max_bytes)), limits.max_work};
  };
  std::vector<Wanted> classes;
  add_without_window(classes, SizeClass::tiny, "tiny", 64, at_most(kTinyBytes));
  add_without_window(classes, SizeClass::slanted, "slanted", kTinyBytes,
                     at_most(std::max(kSlantedBytes, smallest)));
  add_without_window(classes, SizeClass::small, "small", kTinyBytes,
                     at_most(std::max(2 * kTinyBytes, smallest)));
  classes.back().asked_bytes = kTinyBytes;
  for (std::size_t i = 0; i + 1 < timed.size(); ++i) {
    auto windows = gap(*timed[i], *timed[i + 1]);
    if (windows.empty()) continue;
    WW_TRY(const Caps caps, caps_beside(task, limits, *timed[i + 1], 1));
    classes.push_back(
        {.size_class = SizeClass::between,
         .label = fmt::format("between {} and {}", timed[i]->label, timed[i + 1]->label),
         .windows = std::move(windows),
         .like = timed[i],
         .max_bytes = caps.bytes,
         .max_work = caps.work,
         .least_bytes = caps.bytes / 16});
  }
  WW_TRY(const Caps caps, caps_beside(task, limits, *timed.back(), limits.beyond_listed));
  classes.push_back({.size_class = SizeClass::above,
                     .label = "above the largest timed size",
                     .windows = beyond(task),
                     .like = timed.back(),
                     .max_bytes = caps.bytes,
                     .max_work = caps.work,
                     .least_bytes = caps.bytes / 4});
  return classes;
}

/// The largest of all listed values of this name; nothing where it is not listed.
std::optional<double> largest_listed(const Task& task, const std::string& name) {
  std::optional<double> largest;
  for (const auto* sizes : {&task.sizes, &task.scale_sizes, &task.edge_sizes}) {
    for (const TaskSize& size : *sizes) {
      const auto value = size.values.find(name);
      if (value == size.values.end()) continue;
      largest = std::max(largest.value_or(value->second), value->second);
    }
  }
  return largest;
}

/// One value, drawn, above all that are listed for it. The others are what the limits allow.
Result<std::optional<Wanted>> beyond_all(const Task& task, const std::vector<NamedDomain>& domains,
                                         const SizeLimits& limits, std::uint64_t seed) {
  std::vector<std::pair<std::string, double>> names;
  for (const auto& [name, domain] : domains) {
    const auto listed = largest_listed(task, name);
    const auto range = domain.at({});
    // Those whose domain depends on other values are reached through these.
    if (!listed || !range.ok() || range->step == 0 || !range->choices.empty()) continue;
    if (range->high > *listed) names.emplace_back(name, *listed);
  }
  if (names.empty()) return std::optional<Wanted>{};
  SecretDraws draws(seed, "beyond all listed sizes");
  const auto& [name, listed] = names[draws.below(names.size())];
  Caps caps{static_cast<double>(limits.max_bytes), limits.max_work};
  for (const auto* sizes : {&task.sizes, &task.scale_sizes}) {
    for (const TaskSize& size : *sizes) {
      WW_TRY(const Caps here, caps_beside(task, limits, size, limits.beyond_listed));
      caps.bytes = std::max(caps.bytes, here.bytes);
      caps.work = std::max(caps.work, here.work);
    }
  }
  Wanted wanted{.size_class = SizeClass::above,
                .label = fmt::format("{} above {:.15g}", name, listed),
                .windows = {{name, {listed + 1, 1e300}}},
                .max_bytes = caps.bytes,
                .max_work = caps.work,
                .least_bytes = static_cast<double>(limits.max_bytes) / 4};
  return std::optional(std::move(wanted));
}

/// A value that can lie above those of all timed and edge sizes.
struct Growing {
  std::string name;
  double listed = 0;  ///< the largest of these
  double high = 0;    ///< of its domain
};

std::vector<Growing> growing_values(const Task& task, const std::vector<NamedDomain>& domains) {
  std::vector<Growing> all;
  for (const auto& [name, domain] : domains) {
    std::optional<double> listed;
    for (const auto* sizes : {&task.sizes, &task.edge_sizes}) {
      for (const TaskSize& size : *sizes) {
        const auto value = size.values.find(name);
        if (value != size.values.end())
          listed = std::max(listed.value_or(value->second), value->second);
      }
    }
    const auto range = domain.at({});
    if (!listed || !range.ok() || range->step == 0 || !range->choices.empty()) continue;
    if (range->high > *listed) all.push_back({name, *listed, range->high});
  }
  return all;
}

/// One value above those of all timed and edge sizes: what is judged otherwise ends there. What it
/// can be is cut into parts by ratio, so that code that is wrong from somewhere on is met in the
/// last of them, if anywhere.
std::vector<Wanted> above_judged(const Task& task, const std::vector<NamedDomain>& domains,
                                 const SizeLimits& limits, const SizeDrawer& drawer,
                                 std::uint64_t seed) {
  const auto values = growing_values(task, domains);
  if (values.empty()) return {};
  SecretDraws draws(seed, "above all judged sizes");
  const auto& [name, listed, high] = values[draws.below(values.size())];
  Wanted plain{.size_class = SizeClass::above,
               .label = fmt::format("{} above {:.15g}, judged", name, listed),
               .windows = {{name, {listed + 1, 1e300}}},
               .max_bytes = static_cast<double>(limits.above_bytes),
               .max_work = limits.above_work,
               .least_bytes = static_cast<double>(limits.above_bytes)};
  const auto largest = drawer.largest_value(plain, name, listed + 1, high);
  if (!largest || limits.above_parts < 2) return {plain};
  const double ratio =
      std::pow(*largest / (listed + 1), 1 / static_cast<double>(limits.above_parts));
  std::vector<Wanted> all;
  double low = listed + 1;
  for (std::size_t i = 0; i < limits.above_parts; ++i) {
    Wanted part = plain;
    part.windows[name] = {std::ceil(low), std::max(std::ceil(low), std::floor(low * ratio))};
    part.odd = i == 0;
    low *= ratio;
    all.push_back(std::move(part));
  }
  return all;
}

/// The magnitudes of one value, [2^k, 2^(k + 1)) each.
struct Axis {
  std::string name;
  std::vector<std::pair<double, double>> magnitudes;
  bool wide = false;
};

std::vector<std::pair<double, double>> magnitudes_of(const DomainRange& range) {
  std::vector<std::pair<double, double>> all;
  for (double low = std::max(range.low, 0.0); low <= range.high;) {
    const double next = low < 1 ? 1 : std::exp2(std::floor(std::log2(low)) + 1);
    all.emplace_back(low, std::min(range.high, next - 1));
    low = next;
  }
  // A domain that ends with a power of two has one number of its last magnitude.
  if (all.size() > 1 && all.back().first == all.back().second) {
    all.pop_back();
    all.back().second = range.high;
  }
  return all;
}

template <class Items>
void shuffle(Items& items, SecretDraws& draws) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[draws.below(i)]);
}

/// Values whose domain depends on others are reached through these.
std::vector<Axis> axes_of(const std::vector<NamedDomain>& domains, const Wanted& plain,
                          const SizeDrawer& drawer, SecretDraws& draws) {
  std::vector<Axis> axes;
  for (const auto& [name, domain] : domains) {
    const auto range = domain.at({});
    if (!range.ok() || range->step == 0 || !range->choices.empty()) continue;
    Axis axis{name, magnitudes_of(*range), is_wide(*range)};
    const auto too_large = [&](const std::pair<double, double>& window) {
      Wanted one = plain;
      one.windows = {{axis.name, window}};
      return !drawer.can_fit(one);
    };
    while (!axis.magnitudes.empty() && too_large(axis.magnitudes.back()))
      axis.magnitudes.pop_back();
    if (axis.magnitudes.empty()) continue;
    if (!axis.wide) shuffle(axis.magnitudes, draws);
    axes.push_back(std::move(axis));
  }
  shuffle(axes, draws);
  return axes;
}

/// Number `turn` of `turns` of a wide axis: its magnitudes from small to large, one in each part.
/// The last one is the largest: what is wrong from somewhere on is wrong there.
std::pair<double, double> in_turn(const Axis& axis, std::size_t turn, std::size_t turns,
                                  SecretDraws& draws) {
  const std::size_t count = axis.magnitudes.size();
  if (turn + 1 == turns) return axis.magnitudes.back();
  const std::size_t first = turn * count / turns;
  const std::size_t last = std::max((turn + 1) * count / turns, first + 1);
  return axis.magnitudes[std::min(first + draws.below(last - first), count - 1)];
}

/// Sizes in which every narrow value has each of its magnitudes once, and one wide value at a time
/// has one of its own.
std::vector<Wanted> spread_of(const std::vector<NamedDomain>& domains, const SizeLimits& limits,
                              const SizeDrawer& drawer, std::uint64_t seed) {
  SecretDraws draws(seed, "spread sizes");
  const Wanted plain{.size_class = SizeClass::small,
                     .label = "spread",
                     .max_bytes = static_cast<double>(limits.max_bytes) / 2,
                     .max_work = limits.max_work,
                     .asked_bytes = kTinyBytes,
                     .in_windows = true};
  const auto axes = axes_of(domains, plain, drawer, draws);
  std::vector<const Axis*> wide;
  for (const Axis& axis : axes)
    if (axis.wide) wide.push_back(&axis);
  std::vector<Wanted> all;
  for (std::size_t k = 0; k < limits.spread && !axes.empty(); ++k) {
    Wanted one = plain;
    const auto add = [&](const std::string& name, const std::pair<double, double>& window) {
      one.windows[name] = window;
      if (!drawer.can_fit(one)) one.windows.erase(name);
    };
    for (const Axis& axis : axes)
      if (!axis.wide) add(axis.name, axis.magnitudes[k % axis.magnitudes.size()]);
    if (!wide.empty()) {
      const std::size_t turns = (limits.spread + wide.size() - 1) / wide.size();
      const Axis& axis = *wide[k % wide.size()];
      add(axis.name, in_turn(axis, k / wide.size(), turns, draws));
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

Result<DrawnSizes> draw_sizes(const Task& task, const SizeLimits& limits, std::uint64_t seed) {
  DrawnSizes drawn;
  if (task.domain.empty()) return drawn;
  WW_TRY(auto domains, domains_of(task));
  WW_TRY(const std::uint64_t elements, most_elements(task));
  WW_TRY(auto classes, classes_of(task, limits));
  if (limits.beyond_listed > 0) {
    WW_TRY(auto beyond, beyond_all(task, domains, limits, seed));
    if (beyond) classes.push_back(std::move(*beyond));
  }
  SizeDrawer drawer(task, domains, elements, seed);
  if (limits.above_bytes > 0) {
    for (Wanted& above : above_judged(task, domains, limits, drawer, seed))
      classes.push_back(std::move(above));
  }
  const std::uint64_t turn = one_way(seed, "like listed sizes");
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const Wanted& wanted = classes[c];
    std::size_t found = 0;
    for (std::size_t k = 0; k < limits.per_class; ++k) {
      // In turns: beside the listed size, and anywhere.
      Wanted once = wanted;
      if ((k + c + turn) % 2 == 0) once.like = nullptr;
      auto size = drawer.draw(once);
      if (!size && once.like != wanted.like) size = drawer.draw(wanted);
      if (!size) continue;
      ++found;
      drawer.keep(*size);
      drawn.sizes.push_back({std::move(*size), wanted.size_class});
    }
    if (found == 0) drawn.left_out.push_back(wanted.label);
  }
  for (const Wanted& wanted : spread_of(domains, limits, drawer, seed)) {
    auto size = drawer.draw(wanted);
    if (!size) continue;
    drawer.keep(*size);
    drawn.sizes.push_back({std::move(*size), wanted.size_class});
  }
  return drawn;
}

}  // namespace warpwright::verify
