// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "device/device.h"

namespace warpwright::device {

/// Why a GPU runs below its usual clock; bits of the management library's interface.
inline constexpr std::uint64_t kGpuIdle = 0x1;
inline constexpr std::uint64_t kGpuPowerCapped = 0x4;
inline constexpr std::uint64_t kGpuHardwareSlowdown = 0x8;
inline constexpr std::uint64_t kGpuThermalSlowdown = 0x20;
inline constexpr std::uint64_t kGpuHardwareThermalSlowdown = 0x40;
inline constexpr std::uint64_t kGpuPowerBrake = 0x80;

/// A GPU at one instant. Zero = the management library does not say.
struct GpuState {
  int sm_mhz = 0;
  int max_sm_mhz = 0;
  int memory_mhz = 0;
  int temperature_c = 0;
  double power_w = 0;
  std::uint64_t reasons = 0;  ///< kGpu... bits
};

/// "power cap, thermal slowdown"; empty without a reason that matters.
std::string describe_reasons(std::uint64_t reasons);

/// Watches clocks, temperature and power of one GPU; changes nothing.
class GpuMonitor {
 public:
  virtual ~GpuMonitor() = default;
  /// Takes some microseconds. What cannot be read stays zero.
  virtual GpuState read() = 0;
  [[nodiscard]] virtual std::string driver_version() const = 0;  ///< "580.159.04", or empty
};

/// libnvidia-ml.so.1, opened at run time. The error says what is missing; times can be taken
/// without it, but then nobody sees throttling.
Result<std::unique_ptr<GpuMonitor>> open_nvml(int cuda_ordinal);

/// The monitor of a resolved device; an error where it is no GPU.
Result<std::unique_ptr<GpuMonitor>> open_monitor(const ResolvedDevice& resolved);

}  // namespace warpwright::device
