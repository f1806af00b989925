// SPDX-License-Identifier: Apache-2.0
#include "core/described_device.h"
#include "device/cuda_device.h"
#include "device/cuda_driver.h"
#include "device/device.h"
#include "device/nvml.h"
#include "device/simt_device.h"

namespace warpwright::device {

namespace {

Result<DeviceFacts> described(std::string_view target) {
  auto facts = described_device(target);
  if (!facts.ok()) return Error{"target GPU: " + facts.error().message};
  return facts;
}

}  // namespace

bool cuda_available() { return CudaDriver::open().ok(); }

Result<ResolvedDevice> resolve_device(const DeviceChoice& choice) {
  ResolvedDevice resolved{.choice = choice};
  const auto wanted = described_device(choice.target);
  const bool amd = wanted.ok() && !wanted->amd.empty();
  if (choice.device.kind() == DeviceName::Kind::automatic) {
    resolved.choice.device = cuda_available() && !amd ? DeviceName("cuda") : DeviceName("simt");
  }
  resolved.is_cuda = resolved.choice.device.kind() == DeviceName::Kind::cuda;
  if (resolved.is_cuda && amd)
    return Error{"target GPU: " + wanted->name + " is judged on the SIMT machine: --device simt"};
  if (resolved.is_cuda) {
    WW_TRY(resolved.facts, cuda_facts(resolved.choice.device.ordinal()));
  } else {
    WW_TRY(resolved.facts, described(choice.target));
  }
  return resolved;
}

Result<std::unique_ptr<Device>> open_device(const ResolvedDevice& resolved, double wait_s) {
  const DeviceChoice& choice = resolved.choice;
  if (resolved.is_cuda) return CudaDevice::open(choice.device.ordinal(), wait_s, choice.bare);
  return SimtDevice::open(resolved.facts, std::string(choice.checks.name()),
                          std::string(choice.engine.name()));
}

Result<std::unique_ptr<GpuMonitor>> open_monitor(const ResolvedDevice& resolved) {
  const DeviceName& device = resolved.choice.device;
  if (!resolved.is_cuda) return Error{"the device " + device.text() + " is no GPU"};
  return open_nvml(device.ordinal());
}

}  // namespace warpwright::device
