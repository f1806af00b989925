// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>

#include "device/device.h"
#include "simt/machine.h"

namespace warpwright::device {

/// The SIMT machine as a device: exact about errors, and its times are estimates for `target`.
class SimtDevice final : public Device {
 public:
  static Result<std::unique_ptr<Device>> open(const DeviceFacts& target, std::string_view checks,
                                              std::string_view engine = "auto");

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  Result<Loaded> load(const Code& code) override;
  Result<BufferId> allocate(std::uint64_t bytes, std::string_view name) override;
  void release(BufferId buffer) override;
  Status upload(BufferId to, std::span<const std::byte> bytes) override;
  Status download(std::span<std::byte> to, BufferId from) override;
  Result<std::uint64_t> digest(BufferId of, std::uint64_t key) override;
  Status copy(BufferId to, BufferId from) override;
  [[nodiscard]] std::uint64_t address(BufferId buffer) const override {
    return buffers_.at(buffer).address;
  }
  Status clear(BufferId buffer) override;
  Status launch(const OwnLaunch& launch) override;
  Result<std::unique_ptr<Replay>> prepare(ModuleId module, const LaunchPlan& plan,
                                          std::span<const Binding> bindings) override;

 private:
  friend class SimtReplay;
  struct Loading {
    simt::Module module;
    std::string source_file;
  };
  struct Buffer {
    simt::Address address = 0;
    std::uint64_t bytes = 0;
    std::string name;
  };
  SimtDevice() = default;

  simt::Machine machine_;
  simt::Checks checks_ = simt::Checks::full;
  simt::Engine engine_ = simt::Engine::automatic;
  DeviceInfo info_;
  std::vector<Loading> modules_;
  std::map<BufferId, Buffer> buffers_;
  BufferId next_buffer_ = 0;
};

}  // namespace warpwright::device
