// SPDX-License-Identifier: Apache-2.0
#include "device/nvml.h"

#include <dlfcn.h>

#include <array>

#include "base/text.h"

namespace warpwright::device {

namespace {

// The part of the management library's binary interface that we use.
using NvmlDevice = struct NvmlDeviceOpaque*;
constexpr int kSmClock = 1;
constexpr int kMemoryClock = 2;
constexpr int kGpuTemperature = 0;

struct Functions {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*by_bus_id)(const char*, NvmlDevice*) = nullptr;
  // These may be missing or refused: the figure is then not known.
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*clock)(NvmlDevice, int, unsigned*) = nullptr;
  int (*max_clock)(NvmlDevice, int, unsigned*) = nullptr;
  int (*temperature)(NvmlDevice, int, unsigned*) = nullptr;
  int (*power)(NvmlDevice, unsigned*) = nullptr;
  int (*reasons)(NvmlDevice, unsigned long long*) = nullptr;
};

template <class Function>
void find(void* library, Function& function, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (function == nullptr) function = reinterpret_cast<Function>(dlsym(library, name));
  }
}

Functions find_functions(void* library) {
  Functions f;
  find(library, f.init, {"nvmlInit_v2", "nvmlInit"});
  find(library, f.shutdown, {"nvmlShutdown"});
  find(library, f.by_bus_id, {"nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetHandleByPciBusId"});
  find(library, f.driver_version, {"nvmlSystemGetDriverVersion"});
  find(library, f.clock, {"nvmlDeviceGetClockInfo"});
  find(library, f.max_clock, {"nvmlDeviceGetMaxClockInfo"});
  find(library, f.temperature, {"nvmlDeviceGetTemperature"});
  find(library, f.power, {"nvmlDeviceGetPowerUsage"});
  find(library, f.reasons,
       {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  return f;
}

class Nvml final : public GpuMonitor {
 public:
  Nvml(const Functions& functions, NvmlDevice device) : f_(functions), device_(device) {
    std::array<char, 96> text{};
    if (f_.driver_version != nullptr && f_.driver_version(text.data(), text.size() - 1) == 0) {
      driver_version_ = clean_utf8(text.data());
    }
    // Asked once: it never changes, and takes a millisecond where the others take a third of a
    // microsecond (H200, driver 580).
    max_sm_mhz_ = number(f_.max_clock, kSmClock);
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml() override {
    if (f_.shutdown != nullptr) f_.shutdown();
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

  Functions f_;
  NvmlDevice device_;
  std::string driver_version_;
  int max_sm_mhz_ = 0;
};

/// The two libraries number GPUs differently; the bus is what they agree on.
Result<std::string> bus_id(int cuda_ordinal) {
  void* cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (cuda == nullptr) return Error{"no NVIDIA driver: libcuda.so.1 could not be opened"};
  int (*init)(unsigned) = nullptr;
  int (*get_bus_id)(char*, int, int) = nullptr;
  find(cuda, init, {"cuInit"});
  find(cuda, get_bus_id, {"cuDeviceGetPCIBusId"});
  std::array<char, 32> text{};
  if (init == nullptr || get_bus_id == nullptr || init(0) != 0 ||
      get_bus_id(text.data(), static_cast<int>(text.size()) - 1, cuda_ordinal) != 0) {
    return Error{"the driver does not say where GPU " + std::to_string(cuda_ordinal) + " sits"};
  }
  return std::string(text.data());
}

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
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Error{"libnvidia-ml.so.1 could not be opened"};
  const Functions functions = find_functions(library);
  if (functions.init == nullptr || functions.by_bus_id == nullptr) {
    return Error{"libnvidia-ml.so.1 lacks functions that every version has"};
  }
  WW_TRY(const std::string bus, bus_id(cuda_ordinal));
  if (functions.init() != 0) return Error{"libnvidia-ml.so.1 could not be initialised"};
  NvmlDevice device = nullptr;
  if (functions.by_bus_id(bus.c_str(), &device) != 0) {
    if (functions.shutdown != nullptr) functions.shutdown();
    return Error{"libnvidia-ml.so.1 does not know the GPU at " + bus};
  }
  return std::unique_ptr<GpuMonitor>(std::make_unique<Nvml>(functions, device));
}

}  // namespace warpwright::device
