// SPDX-License-Identifier: Apache-2.0
#include "verify/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warpwright::verify {

namespace {

struct Sized {
  const TaskSize* size;
  std::uint64_t bytes;
};

Result<std::vector<Sized>> fitting(const Task& task, const std::vector<TaskSize>& sizes,
                                   const CaseLimits& limits) {
  std::vector<Sized> result;
  for (const auto& size : sizes) {
    WW_TRY(const auto bytes, footprint_bytes(task, size));
    WW_TRY(const double work, flops(task, size));
    if (bytes <= limits.max_bytes && work <= limits.max_flops) result.push_back({&size, bytes});
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Sized& a, const Sized& b) { return a.bytes < b.bytes; });
  return result;
}

}  // namespace

Result<std::vector<Case>> cases_of(const Task& task, const CaseLimits& limits) {
  WW_TRY(const auto edges, fitting(task, task.edge_sizes, limits));
  WW_TRY(const auto timed, fitting(task, task.sizes, limits));
  std::vector<Case> cases;
  for (const auto& edge : edges) cases.push_back({edge.size, nullptr});
  // A task without edge sizes still gets its variants, at its timed sizes.
  const auto& pool = edges.empty() ? timed : edges;
  std::size_t turn = 0;
  for (const auto& variant : task.variants) {
    std::vector<const TaskSize*> usable;
    for (const auto& item : pool) {
      WW_TRY(const bool yes, applies(task, variant, *item.size));
      if (yes) usable.push_back(item.size);
    }
    const std::size_t count = std::min(limits.sizes_per_variant, usable.size());
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t rest = usable.size() - 1;
      const std::size_t at = k == 0 ? rest : (turn++) % rest;
      const bool seen = std::any_of(cases.begin(), cases.end(), [&](const Case& c) {
        return c.size == usable[at] && c.variant == &variant;
      });
      if (!seen) cases.push_back({usable[at], &variant});
    }
  }
  if (limits.timed_sizes) {
    for (const auto& size : timed) cases.push_back({size.size, nullptr, SizeClass::timed});
  }
  return cases;
}

std::string_view name_of(SizeClass size_class) {
  constexpr std::array<std::string_view, 7> kNames = {"edge",    "tiny",  "slanted", "small",
                                                      "between", "above", "timed"};
  const auto index = static_cast<std::size_t>(size_class);
  ASSERT(index < kNames.size(), "unknown size class");
  return kNames[index];
}

std::string describe(const Case& item) {
  return item.variant == nullptr
             ? fmt::format("size {}", item.size->label)
             : fmt::format("size {}, inputs '{}'", item.size->label, item.variant->name);
}

}  // namespace warpwright::verify
