// SPDX-License-Identifier: Apache-2.0
#include "device/nvml_library.h"

#include <array>
#include <string>

namespace warpwright::device {

namespace {

/// The two libraries number GPUs differently; the bus is what they agree on.
Result<std::string> bus_id(int cuda_ordinal) {
  void* cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (cuda == nullptr) return Error{"no NVIDIA driver: libcuda.so.1 could not be opened"};
  int (*init)(unsigned) = nullptr;
  int (*get_bus_id)(char*, int, int) = nullptr;
  find_symbol(cuda, init, {"cuInit"});
  find_symbol(cuda, get_bus_id, {"cuDeviceGetPCIBusId"});
  std::array<char, 32> text{};
  if (init == nullptr || get_bus_id == nullptr || init(0) != 0 ||
      get_bus_id(text.data(), static_cast<int>(text.size()) - 1, cuda_ordinal) != 0) {
    return Error{"the driver does not say where GPU " + std::to_string(cuda_ordinal) + " sits"};
  }
  return std::string(text.data());
}

}  // namespace

Result<NvmlLibrary> NvmlLibrary::open(int cuda_ordinal) {
  void* handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Error{"libnvidia-ml.so.1 could not be opened"};
  int (*init)() = nullptr;
  int (*by_bus_id)(const char*, NvmlDevice*) = nullptr;
  find_symbol(handle, init, {"nvmlInit_v2", "nvmlInit"});
  find_symbol(handle, by_bus_id,
              {"nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetHandleByPciBusId"});
  if (init == nullptr || by_bus_id == nullptr) {
    return Error{"libnvidia-ml.so.1 lacks functions that every version has"};
  }
  WW_TRY(const std::string bus, bus_id(cuda_ordinal));
  if (init() != 0) return Error{"libnvidia-ml.so.1 could not be initialised"};
  NvmlLibrary library(handle);
  if (by_bus_id(bus.c_str(), &library.device_) != 0) {
    return Error{"libnvidia-ml.so.1 does not know the GPU at " + bus};
  }
  return library;
}

NvmlLibrary::~NvmlLibrary() {
  if (handle_ == nullptr) return;
  int (*shutdown)() = nullptr;
  find_symbol(handle_, shutdown, {"nvmlShutdown"});
  if (shutdown != nullptr) shutdown();
}

}  // namespace warpwright::device
