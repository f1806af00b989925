// SPDX-License-Identifier: Apache-2.0
#include "flops/targets.h"

#include <charconv>

namespace warpwright::flop {

namespace {

/// Programs ask a device for its size and launch accordingly: for this architecture the one whose
/// counters are published for many programs.
DeviceFacts ampere_game_card() {
  DeviceFacts facts;
  facts.key = "rtx3080";
  facts.name = "NVIDIA GeForce RTX 3080";
  facts.architecture = "Ampere";
  facts.compute_major = 8;
  facts.compute_minor = 6;
  facts.sm_count = 68;
  facts.max_threads_per_sm = 1536;
  facts.max_blocks_per_sm = 16;
  facts.shared_per_block_optin_bytes = 101376;
  facts.shared_per_sm_bytes = 102400;
  facts.l2_bytes = 5LL << 20;
  facts.memory_bytes = 10LL << 30;
  facts.memory_gb_per_s = 760;
  facts.fp32_tflops = 29.8;
  facts.fp64_tflops = 0.465;
  facts.half_tensor_tflops = 59.5;
  facts.boost_clock_ghz = 1.71;
  return facts;
}

}  // namespace

Result<DeviceFacts> target_named(std::string_view name) {
  constexpr std::string_view kPrefix = "sm_";
  if (const auto known = known_device(name)) return *known;
  int number = 0;
  if (name.starts_with(kPrefix)) {
    const std::string_view digits = name.substr(kPrefix.size());
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
  }
  if (const DeviceFacts card = ampere_game_card(); number == 86 || name == card.key) return card;
  std::string there = "sm_86";
  for (const DeviceFacts& facts : known_devices()) {
    const int each = facts.compute_major * 10 + facts.compute_minor;
    if (each == number && facts.amd.empty()) return facts;
    const std::string text = "sm_" + std::to_string(each);
    if (there.find(text) == std::string::npos) there += ", " + text;
  }
  return Error{"the architecture \"" + std::string(name) + "\" is not known; there are " + there};
}

}  // namespace warpwright::flop
