// SPDX-License-Identifier: Apache-2.0
#include "device/nvml.h"

#include <dlfcn.h>

#include <array>

#include "base/text.h"
#include "device/nvml_library.h"

namespace warpwright::device {

namespace {

// The part of the management library's binary interface that we use.
constexpr int kSmClock = 1;
constexpr int kMemoryClock = 2;
constexpr int kGpuTemperature = 0;

// Any of them may be missing or refused: the figure is then not known.
struct Functions {
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*clock)(NvmlDevice, int, unsigned*) = nullptr;
  int (*max_clock)(NvmlDevice, int, unsigned*) = nullptr;
  int (*temperature)(NvmlDevice, int, unsigned*) = nullptr;
  int (*power)(NvmlDevice, unsigned*) = nullptr;
  int (*reasons)(NvmlDevice, unsigned long long*) = nullptr;
};

Functions find_functions(void* library) {
  Functions f;
  find_symbol(library, f.driver_version, {"nvmlSystemGetDriverVersion"});
  find_symbol(library, f.clock, {"nvmlDeviceGetClockInfo"});
  find_symbol(library, f.max_clock, {"nvmlDeviceGetMaxClockInfo"});
  find_symbol(library, f.temperature, {"nvmlDeviceGetTemperature"});
  find_symbol(library, f.power, {"nvmlDeviceGetPowerUsage"});
  find_symbol(
      library, f.reasons,
      {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  return f;
}

class Nvml final : public GpuMonitor {
 public:
  explicit Nvml(NvmlLibrary library)
      : library_(std::move(library)),
        f_(find_functions(library_.handle())),
        device_(library_.device()) {
    std::array<char, 96> text{};
    if (f_.driver_version != nullptr && f_.driver_version(text.data(), text.size() - 1) == 0) {
      driver_version_ = clean_utf8(text.data());
    }
    // Asked once: it never changes, and takes a millisecond where the others take a third of a
    // microsecond (H200, driver 580).
    max_sm_mhz_ = number(f_.max_clock, kSmClock);
  }

  GpuState read() override {
    GpuState state;
    state.sm_mhz = number(f_.clock, kSmClock);
    state.max_sm_mhz = max_sm_mhz_;
    state.memory_mhz = number(f_.clock, kMemoryClock);
    state.temperature_c = number(f_.temperature, kGpuTemperature);
    unsigned milliwatts = 0;
    if (f_.power != nullptr && f_.power(device_, &milliwatts) == 0) {
      state.power_w = milliwatts * 1e-3;
    }
    unsigned long long reasons = 0;
    if (f_.reasons != nullptr && f_.reasons(device_, &reasons) == 0) state.reasons = reasons;
    return state;
  }
  [[nodiscard]] std::string driver_version() const override { return driver_version_; }

 private:
  int number(int (*ask)(NvmlDevice, int, unsigned*), int what) const {
    unsigned value = 0;
    return ask != nullptr && ask(device_, what, &value) == 0 ? static_cast<int>(value) : 0;
  }

  NvmlLibrary library_;
  Functions f_;
  NvmlDevice device_;
  std::string driver_version_;
  int max_sm_mhz_ = 0;
};

struct ReasonRow {
  std::uint64_t bit;
  const char* words;
};

constexpr std::array<ReasonRow, 5> kReasons = {{
    {kGpuPowerCapped, "power cap"},
    {kGpuHardwareSlowdown, "hardware slowdown"},
    {kGpuThermalSlowdown, "thermal slowdown"},
    {kGpuHardwareThermalSlowdown, "hardware thermal slowdown"},
    {kGpuPowerBrake, "power brake"},
}};

}  // namespace

std::string describe_reasons(std::uint64_t reasons) {
  std::string text;
  for (const ReasonRow& row : kReasons) {
    if ((reasons & row.bit) == 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(row.words);
  }
  return text;
}

Result<std::unique_ptr<GpuMonitor>> open_nvml(int cuda_ordinal) {
  WW_TRY(auto library, NvmlLibrary::open(cuda_ordinal));
  return std::unique_ptr<GpuMonitor>(std::make_unique<Nvml>(std::move(library)));
}

}  // namespace warpwright::device
