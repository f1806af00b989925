// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "device/cuda_device.h"
#include "device/cuda_driver.h"
#include "device/device.h"
#include "device/nvml.h"
#include "device/simt_device.h"

namespace warpwright::device {

namespace {

/// The ordinal of "cuda" or "cuda:N"; absent for other texts.
std::optional<int> cuda_ordinal(std::string_view device) {
  if (device == "cuda") return 0;
  if (!device.starts_with("cuda:")) return std::nullopt;
  const std::string_view digits = device.substr(5);
  int ordinal = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  if (error != std::errc{} || end != digits.data() + digits.size() || ordinal < 0) {
    return std::nullopt;
  }
  return ordinal;
}

Result<DeviceFacts> described(std::string_view target) {
  const auto facts = known_device(target);
  if (facts) return *facts;
  std::string names;
  for (const DeviceFacts& known : known_devices()) {
    names += (names.empty() ? "" : ", ") + known.key;
  }
  return Error{"unknown target GPU \"" + std::string(target) + "\"; known are " + names};
}

}  // namespace

bool cuda_available() { return CudaDriver::open().ok(); }

Result<ResolvedDevice> resolve_device(const DeviceChoice& choice) {
  ResolvedDevice resolved{.choice = choice};
  if (choice.device == "auto") resolved.choice.device = cuda_available() ? "cuda" : "simt";
  if (resolved.choice.device == "simt") {
    WW_TRY(resolved.facts, described(choice.target));
    return resolved;
  }
  const auto ordinal = cuda_ordinal(resolved.choice.device);
  if (!ordinal) {
    return Error{"unknown device \"" + choice.device + "\"; use auto, simt, cuda or cuda:N"};
  }
  resolved.is_cuda = true;
  WW_TRY(resolved.facts, cuda_facts(*ordinal));
  return resolved;
}

Result<std::unique_ptr<Device>> open_device(const ResolvedDevice& resolved, double wait_s) {
  if (!resolved.is_cuda)
    return SimtDevice::open(resolved.facts, resolved.choice.checks, resolved.choice.engine);
  return CudaDevice::open(*cuda_ordinal(resolved.choice.device), wait_s, resolved.choice.bare);
}

Result<std::unique_ptr<GpuMonitor>> open_monitor(const ResolvedDevice& resolved) {
  const auto ordinal = cuda_ordinal(resolved.choice.device);
  if (!ordinal) return Error{"the device " + resolved.choice.device + " is no GPU"};
  return open_nvml(*ordinal);
}

}  // namespace warpwright::device
