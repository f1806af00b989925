// SPDX-License-Identifier: Apache-2.0
#include "device/gpu_clocks.h"

#include "device/nvml_library.h"

namespace warpwright::device {

namespace {

constexpr int kGraphicsClock = 0;

struct LockFunctions {
  int (*max_clock)(NvmlDevice, int, unsigned*) = nullptr;
  int (*lock)(NvmlDevice, unsigned, unsigned) = nullptr;
  int (*unlock)(NvmlDevice) = nullptr;
};

class NvmlClocks final : public GpuClocks {
 public:
  NvmlClocks(NvmlLibrary library, const LockFunctions& functions, unsigned highest)
      : library_(std::move(library)), f_(functions), highest_(highest) {}
  NvmlClocks(const NvmlClocks&) = delete;
  NvmlClocks& operator=(const NvmlClocks&) = delete;
  ~NvmlClocks() override { let_go(); }

  Status hold(double share) override {
    const auto mhz = static_cast<unsigned>(share * highest_);
    if (f_.lock(library_.device(), mhz, mhz) != 0)
      return Error{"the driver does not let this user set the GPU's clocks"};
    held_ = true;
    return {};
  }

  void let_go() override {
    if (held_) f_.unlock(library_.device());
    held_ = false;
  }

 private:
  NvmlLibrary library_;
  LockFunctions f_;
  unsigned highest_;
  bool held_ = false;
};

}  // namespace

Result<std::unique_ptr<GpuClocks>> open_clocks(const ResolvedDevice& resolved) {
  if (!resolved.is_cuda) return Error{"clocks can be set on a GPU only"};
  WW_TRY(auto library, NvmlLibrary::open(resolved.choice.device.ordinal()));
  LockFunctions functions;
  find_symbol(library.handle(), functions.max_clock, {"nvmlDeviceGetMaxClockInfo"});
  find_symbol(library.handle(), functions.lock, {"nvmlDeviceSetGpuLockedClocks"});
  find_symbol(library.handle(), functions.unlock, {"nvmlDeviceResetGpuLockedClocks"});
  unsigned highest = 0;
  if (functions.max_clock == nullptr || functions.lock == nullptr || functions.unlock == nullptr ||
      functions.max_clock(library.device(), kGraphicsClock, &highest) != 0 || highest == 0) {
    return Error{"libnvidia-ml.so.1 cannot set this GPU's clocks"};
  }
  return std::unique_ptr<GpuClocks>(
      std::make_unique<NvmlClocks>(std::move(library), functions, highest));
}

}  // namespace warpwright::device
