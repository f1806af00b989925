// SPDX-License-Identifier: Apache-2.0
#include "core/device_facts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "core/closest.h"
#include "core/described_device.h"

namespace warpwright {

namespace {

// A row per device reads better packed.
// clang-format off
// Limits per SM and block: CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability". Sizes, bandwidth, peaks and clocks: NVIDIA's datasheets and architecture white
// papers; where one gives no fp64 figure, it is the architecture's fixed fraction of fp32
// (1/64 for 8.6, 8.9 and 12.0, 1/32 for 7.5). Tensor cores: without sparsity, sums in f32. Measured
// ceilings live with their measurements.
const std::array<DeviceFacts, 11> kDevices = {{
    {.key = "h200", .name = "NVIDIA H200", .architecture = "Hopper", .compute_major = 9,
     .compute_minor = 0, .sm_count = 132, .max_threads_per_sm = 2048, .max_blocks_per_sm = 32,
     .shared_per_block_optin_bytes = 232448, .shared_per_sm_bytes = 233472,
     .l2_bytes = 60LL << 20, .memory_bytes = 141LL << 30, .memory_gb_per_s = 4800,
     .fp32_tflops = 67, .fp64_tflops = 34, .half_tensor_tflops = 989,
     .boost_clock_ghz = 1.98},
    {.key = "b200", .name = "NVIDIA B200", .architecture = "Blackwell", .compute_major = 10,
     .compute_minor = 0, .sm_count = 148, .max_threads_per_sm = 2048, .max_blocks_per_sm = 32,
     .shared_per_block_optin_bytes = 232448, .shared_per_sm_bytes = 233472,
     .l2_bytes = 126LL << 20, .memory_bytes = 180LL << 30, .memory_gb_per_s = 7700,
     .fp32_tflops = 74.5, .fp64_tflops = 37, .half_tensor_tflops = 2250,
     .boost_clock_ghz = 1.965},
    {.key = "h100", .name = "NVIDIA H100 SXM", .architecture = "Hopper", .compute_major = 9,
     .compute_minor = 0, .sm_count = 132, .max_threads_per_sm = 2048, .max_blocks_per_sm = 32,
     .shared_per_block_optin_bytes = 232448, .shared_per_sm_bytes = 233472,
     .l2_bytes = 50LL << 20, .memory_bytes = 80LL << 30, .memory_gb_per_s = 3350,
     .fp32_tflops = 67, .fp64_tflops = 34, .half_tensor_tflops = 989,
     .boost_clock_ghz = 1.98},
    {.key = "a100", .name = "NVIDIA A100 SXM 80 GB", .architecture = "Ampere", .compute_major = 8,
     .compute_minor = 0, .sm_count = 108, .max_threads_per_sm = 2048, .max_blocks_per_sm = 32,
     .shared_per_block_optin_bytes = 166912, .shared_per_sm_bytes = 167936,
     .l2_bytes = 40LL << 20, .memory_bytes = 80LL << 30, .memory_gb_per_s = 2039,
     .fp32_tflops = 19.5, .fp64_tflops = 9.7, .half_tensor_tflops = 312,
     .boost_clock_ghz = 1.41},
    {.key = "l40s", .name = "NVIDIA L40S", .architecture = "Ada Lovelace", .compute_major = 8,
     .compute_minor = 9, .sm_count = 142, .max_threads_per_sm = 1536, .max_blocks_per_sm = 24,
     .shared_per_block_optin_bytes = 101376, .shared_per_sm_bytes = 102400,
     .l2_bytes = 96LL << 20, .memory_bytes = 48LL << 30, .memory_gb_per_s = 864,
     .fp32_tflops = 91.6, .fp64_tflops = 1.43, .half_tensor_tflops = 362,
     .boost_clock_ghz = 2.52},
    {.key = "rtx5090", .name = "NVIDIA GeForce RTX 5090", .architecture = "Blackwell",
     .compute_major = 12, .compute_minor = 0, .sm_count = 170, .max_threads_per_sm = 1536,
     .max_blocks_per_sm = 24, .shared_per_block_optin_bytes = 101376,
     .shared_per_sm_bytes = 102400, .l2_bytes = 96LL << 20, .memory_bytes = 32LL << 30,
     .memory_gb_per_s = 1792, .fp32_tflops = 104.8, .fp64_tflops = 1.64, .half_tensor_tflops = 209.5,
     .boost_clock_ghz = 2.407},
    {.key = "rtx4090", .name = "NVIDIA GeForce RTX 4090", .architecture = "Ada Lovelace",
     .compute_major = 8, .compute_minor = 9, .sm_count = 128, .max_threads_per_sm = 1536,
     .max_blocks_per_sm = 24, .shared_per_block_optin_bytes = 101376,
     .shared_per_sm_bytes = 102400, .l2_bytes = 72LL << 20, .memory_bytes = 24LL << 30,
     .memory_gb_per_s = 1008, .fp32_tflops = 82.6, .fp64_tflops = 1.29, .half_tensor_tflops = 165,
     .boost_clock_ghz = 2.52},
    {.key = "rtx3090ti", .name = "NVIDIA GeForce RTX 3090 Ti", .architecture = "Ampere",
     .compute_major = 8, .compute_minor = 6, .sm_count = 84, .max_threads_per_sm = 1536,
     .max_blocks_per_sm = 16, .shared_per_block_optin_bytes = 101376,
     .shared_per_sm_bytes = 102400, .l2_bytes = 6LL << 20, .memory_bytes = 24LL << 30,
     .memory_gb_per_s = 1008, .fp32_tflops = 40, .fp64_tflops = 0.625, .half_tensor_tflops = 80,
     .boost_clock_ghz = 1.86},
    {.key = "gtx1660s", .name = "NVIDIA GeForce GTX 1660 SUPER", .architecture = "Turing",
     .compute_major = 7, .compute_minor = 5, .sm_count = 22, .max_threads_per_sm = 1024,
     .max_blocks_per_sm = 16, .shared_per_block_optin_bytes = 65536,
     .shared_per_sm_bytes = 65536, .l2_bytes = 1536LL << 10, .memory_bytes = 6LL << 30,
     .memory_gb_per_s = 336, .fp32_tflops = 5.03, .fp64_tflops = 0.157,
     .boost_clock_ghz = 1.785},
    // AMD's data sheets of the MI300X and the RX 7900 XTX, and the instruction set guides of CDNA 3
    // and RDNA 3. An SM is a compute unit, shared memory its local data share, the L2 cache that of
    // all dies together without the Infinity Cache.
    {.key = "mi300x", .name = "AMD Instinct MI300X", .architecture = "CDNA 3", .amd = "gfx942",
     .compute_major = 8, .compute_minor = 0, .sm_count = 304, .warp_size = 64,
     .max_threads_per_sm = 2048, .max_blocks_per_sm = 32, .registers_per_sm = 131072,
     .max_registers_per_thread = 512, .shared_per_block_bytes = 65536,
     .shared_per_block_optin_bytes = 65536, .shared_per_sm_bytes = 65536,
     .l2_bytes = 32LL << 20, .memory_bytes = 192LL << 30, .memory_gb_per_s = 5300,
     .fp32_tflops = 163.4, .fp64_tflops = 81.7, .half_tensor_tflops = 1307.4,
     .boost_clock_ghz = 2.1},
    {.key = "rx7900", .name = "AMD Radeon RX 7900 XTX", .architecture = "RDNA 3", .amd = "gfx1100",
     .compute_major = 8, .compute_minor = 0, .sm_count = 96, .max_threads_per_sm = 1024,
     .max_blocks_per_sm = 16, .registers_per_sm = 98304, .max_registers_per_thread = 256,
     .shared_per_block_bytes = 65536, .shared_per_block_optin_bytes = 65536,
     .shared_per_sm_bytes = 65536, .l2_bytes = 6LL << 20, .memory_bytes = 24LL << 30,
     .memory_gb_per_s = 960, .fp32_tflops = 61.4, .fp64_tflops = 1.92, .half_tensor_tflops = 122.8,
     .boost_clock_ghz = 2.5},
}};

// clang-format on

/// A figure that a user's description may replace.
struct Field {
  std::string_view name;
  int DeviceFacts::*whole = nullptr;
  long long DeviceFacts::*bytes = nullptr;
  double DeviceFacts::*real = nullptr;
};

constexpr auto kFields = std::to_array<Field>({
    {"compute_major", &DeviceFacts::compute_major},
    {"compute_minor", &DeviceFacts::compute_minor},
    {"sm_count", &DeviceFacts::sm_count},
    {"max_threads_per_sm", &DeviceFacts::max_threads_per_sm},
    {"max_blocks_per_sm", &DeviceFacts::max_blocks_per_sm},
    {"registers_per_sm", &DeviceFacts::registers_per_sm},
    {"shared_per_block_optin_bytes", &DeviceFacts::shared_per_block_optin_bytes},
    {"shared_per_sm_bytes", &DeviceFacts::shared_per_sm_bytes},
    {"l2_bytes", nullptr, &DeviceFacts::l2_bytes},
    {"memory_bytes", nullptr, &DeviceFacts::memory_bytes},
    {"memory_gb_per_s", nullptr, nullptr, &DeviceFacts::memory_gb_per_s},
    {"fp32_tflops", nullptr, nullptr, &DeviceFacts::fp32_tflops},
    {"fp64_tflops", nullptr, nullptr, &DeviceFacts::fp64_tflops},
    {"half_tensor_tflops", nullptr, nullptr, &DeviceFacts::half_tensor_tflops},
    {"boost_clock_ghz", nullptr, nullptr, &DeviceFacts::boost_clock_ghz},
});

const DeviceFacts* row_of(std::string_view key) {
  for (const auto& device : kDevices) {
    if (device.key == key) return &device;
  }
  return nullptr;
}

template <class Number>
bool take_number(std::string_view text, Number least, Number& into) {
  Number value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || !(value >= least)) return false;
  if (!std::isfinite(static_cast<double>(value))) return false;
  into = value;
  return true;
}

Status set_figure(DeviceFacts& facts, std::string_view name, std::string_view value) {
  if (name == "name") {
    facts.name = value;
    return {};
  }
  std::vector<std::string_view> known = {"name"};
  for (const Field& field : kFields) {
    known.push_back(field.name);
    if (field.name != name) continue;
    const int least = name == "compute_minor" ? 0 : 1;
    const bool good = field.whole != nullptr   ? take_number(value, least, facts.*field.whole)
                      : field.bytes != nullptr ? take_number(value, 1LL, facts.*field.bytes)
                                               : take_number(value, 0.0, facts.*field.real);
    if (good) return {};
    return Error{"'" + std::string(value) + "' is no value for " + std::string(name)};
  }
  std::string list;
  for (const auto each : known) list += (list.empty() ? "" : ", ") + std::string(each);
  return Error{"a device has no '" + std::string(name) + "'" + did_you_mean(name, known) +
               "; there are: " + list};
}

}  // namespace

std::string instruction_set(const DeviceFacts& device) {
  if (!device.amd.empty()) return device.amd;
  return "compute capability " + std::to_string(device.compute_major) + "." +
         std::to_string(device.compute_minor);
}

std::span<const DeviceFacts> known_devices() { return kDevices; }

Result<DeviceFacts> described_device(std::string_view text) {
  const auto colon = text.find(':');
  const DeviceFacts* row = row_of(text.substr(0, colon));
  if (row == nullptr) {
    std::vector<std::string_view> keys;
    std::string list;
    for (const auto& device : kDevices) {
      keys.push_back(device.key);
      list += (list.empty() ? "" : ", ") + device.key;
    }
    const std::string_view key = text.substr(0, colon);
    return Error{"unknown device '" + std::string(key) + "'" + did_you_mean(key, keys) +
                 "; there are: " + list + ", and KEY:sm_count=N,... for one that is like KEY"};
  }
  DeviceFacts facts = *row;
  if (colon == std::string_view::npos) return facts;
  facts.key = text;
  facts.name += " (as described)";
  for (std::string_view rest = text.substr(colon + 1); !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) {
      return Error{"'" + std::string(part) + "' of the device '" + std::string(text) +
                   "' is not of the form sm_count=64"};
    }
    if (const auto set = set_figure(facts, part.substr(0, equals), part.substr(equals + 1));
        !set.ok()) {
      return Error{"device '" + std::string(text) + "': " + set.error().message};
    }
  }
  return facts;
}

std::optional<DeviceFacts> known_device(std::string_view text) {
  auto facts = described_device(text);
  if (!facts.ok()) return std::nullopt;
  return *std::move(facts);
}

}  // namespace warpwright
