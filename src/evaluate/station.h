// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "build/compiler.h"
#include "device/device.h"
#include "device/nvml.h"
#include "evaluate/memory_room.h"
#include "sandbox/sandbox.h"

namespace warpwright::torch {
class ModuleReference;
}

namespace warpwright::evaluate {

struct OracleKit;

/// A reference that later judgements can ask, too.
using SharedReference = std::shared_ptr<torch::ModuleReference>;

/// A device that belongs to one judgement. Gives it back with itself.
class DeviceLease {
 public:
  DeviceLease() = default;
  DeviceLease(DeviceLease&&) = default;
  DeviceLease& operator=(DeviceLease&& other) noexcept;
  ~DeviceLease();

  [[nodiscard]] device::Device* device() const { return device_; }
  [[nodiscard]] double waited_s() const { return waited_s_; }

 private:
  friend class Station;
  void give_back();
  std::unique_lock<std::mutex> turn_;    ///< of a shared device
  std::unique_ptr<device::Device> own_;  ///< of a device for this judgement alone
  device::Device* device_ = nullptr;
  double waited_s_ = 0;
};

/// What the judgements of one process share, so that only the first pays for it: the sandbox and
/// the compilers that were found, and the GPU's context. Safe to use from several threads.
class Station {
 public:
  Station() = default;
  Station(const Station&) = delete;
  Station& operator=(const Station&) = delete;
  /// A GPU context that hangs must not be waited for; leave with std::_Exit when worn().
  ~Station() = default;

  Result<build::Builder> builder(const std::filesystem::path& cache, bool unsafe);

  /// Called with true before a judgement waits for other processes, and with false behind that; no
  /// judgement of this process is on the device then.
  void on_wait(std::function<void(bool)> tell) { tell_wait_ = std::move(tell); }

  /// Waits for its turn, however long other judgements of this process take, and up to wait_s for
  /// other processes. An error when a candidate has worn out the device.
  Result<DeviceLease> lease(const device::ResolvedDevice& resolved, double wait_s);

  /// Watches a GPU's clocks; opened once, because that takes longer than many judgements' times.
  /// The error says why nobody watches.
  Result<device::GpuMonitor*> monitor(const device::ResolvedDevice& resolved);

  /// The judge's own code for a task, by what it was made from; null at the first time.
  std::shared_ptr<const OracleKit> kept_kit(const std::string& key);
  void keep_kit(const std::string& key, std::shared_ptr<const OracleKit> kit);

  /// The process of a task's PyTorch module, by what it follows from: loading torch takes seconds.
  /// Opened where there is none, or it has ended; judgements that come together share it. The last
  /// few are kept.
  Result<SharedReference> reference(const std::string& key,
                                    const std::function<Result<SharedReference>()>& open);

  /// A share of the memory that judgements of this process may use for large work on the host.
  MemoryShares& memory_shares() { return memory_shares_; }

  /// A device cannot serve another candidate in this process.
  [[nodiscard]] bool worn();

 private:
  struct Shared {
    std::mutex turn;
    std::unique_ptr<device::Device> device;
  };
  Result<DeviceLease> lease_shared(Shared& shared, const device::ResolvedDevice& resolved,
                                   double wait_s);

  Status open_or_attach(Shared& shared, const device::ResolvedDevice& resolved, double wait_s);

  std::function<void(bool)> tell_wait_;
  MemoryShares memory_shares_;
  std::mutex opening_;  ///< of references
  std::mutex mutex_;
  std::map<std::string, Shared> devices_;
  std::map<std::string, Result<std::unique_ptr<device::GpuMonitor>>> monitors_;  ///< by device
  std::map<std::string, std::shared_ptr<const OracleKit>> kits_;
  std::deque<std::pair<std::string, SharedReference>> references_;  ///< the newest in front
  std::optional<build::Toolchain> tools_;
  std::map<bool, sandbox::Sandbox> sandboxes_;  ///< by whether none is allowed
};

}  // namespace warpwright::evaluate
