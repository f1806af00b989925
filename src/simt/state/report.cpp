// SPDX-License-Identifier: Apache-2.0
#include "simt/state/report.h"

#include <fmt/format.h>

namespace warpwright::simt {

std::string_view name_of(FaultKind kind) {
  constexpr std::string_view kNames[] = {"out of bounds",
                                         "misaligned access",
                                         "use after free",
                                         "uninitialised read",
                                         "shared race",
                                         "global race",
                                         "conflicting stores",
                                         "divergent barrier",
                                         "deadlock",
                                         "wrong sync mask",
                                         "trap",
                                         "assertion failed",
                                         "timeout",
                                         "warp race",
                                         "barrier mismatch",
                                         "wrong barrier count",
                                         "scope too narrow",
                                         "benign race"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view id_of(FaultKind kind) {
  constexpr std::string_view kIds[] = {"out_of_bounds",
                                       "misaligned",
                                       "use_after_free",
                                       "uninitialised_read",
                                       "shared_race",
                                       "global_race",
                                       "conflicting_stores",
                                       "divergent_barrier",
                                       "deadlock",
                                       "sync_mask",
                                       "trap",
                                       "assertion",
                                       "timeout",
                                       "warp_race",
                                       "barrier_mismatch",
                                       "barrier_count",
                                       "narrow_scope",
                                       "benign_race"};
  return kIds[static_cast<std::size_t>(kind)];
}

std::string_view name_of(OpClass c) {
  constexpr std::string_view kNames[kOpClasses] = {
      "integer",     "move",         "convert",    "fp32",        "fp64",
      "fp16",        "special",      "math",       "load_global", "store_global",
      "load_shared", "store_shared", "load_local", "store_local", "load_const",
      "atomic",      "control",      "barrier",    "warp",        "tensor"};
  return kNames[static_cast<std::size_t>(c)];
}

std::string Fault::describe() const {
  std::string place =
      line != 0 ? fmt::format("{}:{}", file, line) : fmt::format("PTX {}", ptx_line);
  std::string text = fmt::format("{} in {} at {}", name_of(kind), kernel, place);
  if (line != 0) text += fmt::format(" (PTX {})", ptx_line);
  text += fmt::format(", block ({},{},{}) thread ({},{},{})", block.x, block.y, block.z, thread.x,
                      thread.y, thread.z);
  if (!space.empty() && space != "register")
    text += fmt::format(", {} address {:#x}", space, address);
  if (!detail.empty()) text += ": " + detail;
  if (occurrences > 1) text += fmt::format(" [{} times]", occurrences);
  return text;
}

std::uint64_t Counts::warp_instructions() const {
  std::uint64_t sum = 0;
  for (const ClassCount& c : by_class) sum += c.warps;
  return sum;
}

std::uint64_t Counts::lane_instructions() const {
  std::uint64_t sum = 0;
  for (const ClassCount& c : by_class) sum += c.lanes;
  return sum;
}

}  // namespace warpwright::simt
