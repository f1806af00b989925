// SPDX-License-Identifier: Apache-2.0
#include "build/resources.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "ptx/limits.h"

namespace warpwright::build {

namespace {

/// The number that stands before `words`, e.g. 32 in "Used 32 registers".
int number_before(std::string_view line, std::string_view words) {
  const auto at = line.find(words);
  if (at == std::string_view::npos || at == 0) return 0;
  std::size_t start = at;
  while (start > 0 && line[start - 1] >= '0' && line[start - 1] <= '9') --start;
  int value = 0;
  std::from_chars(line.data() + start, line.data() + at, value);
  return value;
}

}  // namespace

std::vector<KernelResources> parse_resources(std::string_view output) {
  std::vector<KernelResources> result;
  for (const auto line : lines_of(output)) {
    constexpr std::string_view kEntry = "Compiling entry function '";
    if (const auto at = line.find(kEntry); at != std::string_view::npos) {
      const auto name = line.substr(at + kEntry.size());
      KernelResources resources;
      resources.kernel = name.substr(0, name.find('\''));
      result.push_back(resources);
    }
    if (result.empty()) continue;
    KernelResources& current = result.back();
    if (line.find(" bytes stack frame") != std::string_view::npos) {
      current.stack_bytes = number_before(line, " bytes stack frame");
      current.spill_store_bytes = number_before(line, " bytes spill stores");
      current.spill_load_bytes = number_before(line, " bytes spill loads");
    }
    if (line.find("Used ") != std::string_view::npos) {
      current.registers = number_before(line, " registers");
      current.shared_bytes = number_before(line, " bytes smem");
    }
  }
  return result;
}

double occupancy(const DeviceFacts& device, int registers, int shared_bytes, int threads) {
  constexpr int kReservedShared = ptx::kLimits.reserved_shared_bytes;
  constexpr int kUnit = ptx::kLimits.register_unit;
  if (threads <= 0 || threads > device.max_threads_per_block || device.max_threads_per_sm <= 0) {
    return 0;
  }
  const int warps = (threads + 31) / 32;
  int blocks = std::min(device.max_blocks_per_sm, device.max_threads_per_sm / (warps * 32));
  const int per_warp = (registers * 32 + kUnit - 1) / kUnit * kUnit;
  if (per_warp > 0) blocks = std::min(blocks, device.registers_per_sm / per_warp / warps);
  const int shared = (shared_bytes + kReservedShared + 127) / 128 * 128;
  blocks = std::min(blocks, device.shared_per_sm_bytes / shared);
  return static_cast<double>(blocks * warps * 32) / device.max_threads_per_sm;
}

std::vector<KernelResources> with_launches(std::vector<KernelResources> resources,
                                           const std::vector<LaunchPlan>& plans,
                                           const DeviceFacts& device) {
  for (auto& kernel : resources) {
    const int static_bytes = kernel.shared_bytes;
    bool seen = false;
    for (const auto& plan : plans) {
      for (const auto& step : plan.steps) {
        const auto* launch = std::get_if<KernelLaunch>(&step);
        if (launch == nullptr || launch->kernel != kernel.kernel) continue;
        const int shared = static_bytes + static_cast<int>(launch->shared_bytes);
        const int threads = static_cast<int>(launch->block.x * launch->block.y * launch->block.z);
        const double share = occupancy(device, kernel.registers, shared, threads);
        kernel.shared_bytes = std::max(kernel.shared_bytes, shared);
        kernel.occupancy = seen ? std::min(kernel.occupancy, share) : share;
        seen = true;
      }
    }
  }
  return resources;
}

}  // namespace warpwright::build
