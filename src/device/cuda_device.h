// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>

#include "base/files.h"
#include "device/cuda_digest.h"
#include "device/cuda_driver.h"
#include "device/cuda_fill.h"
#include "device/cuda_garbage.h"
#include "device/cuda_l1_split.h"
#include "device/cuda_memory.h"
#include "device/cuda_module.h"
#include "device/cuda_staging.h"
#include "device/device.h"

namespace warpwright::device {

/// A GPU through the driver's interface: the primary context of one device, one stream.
class CudaDevice final : public Device {
 public:
  /// Waits up to wait_s for other judges to leave the GPU: it is used by one at a time.
  static Result<std::unique_ptr<Device>> open(int ordinal, double wait_s, bool bare = false);
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;
  ~CudaDevice() override;

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  Result<Loaded> load(const Code& code) override;
  void unload(ModuleId module) override;
  Result<Loaded> load_own(const Code& code) override;
  Result<BufferId> allocate(std::uint64_t bytes, std::string_view name) override;
  void release(BufferId buffer) override;
  void allocate_for(BufferUse use) override { pool_.allocate_for(use); }
  Status upload(BufferId to, std::span<const std::byte> bytes) override;
  Status download(std::span<std::byte> to, BufferId from) override;
  Result<std::uint64_t> digest(BufferId of, std::uint64_t key) override;
  Status copy(BufferId to, BufferId from) override;
  [[nodiscard]] std::uint64_t address(BufferId buffer) const override {
    return buffers_.at(buffer).memory->address();
  }
  Status clear(BufferId buffer) override;
  Status launch(const OwnLaunch& launch) override;
  Result<std::unique_ptr<Replay>> prepare(ModuleId module, const LaunchPlan& plan,
                                          std::span<const Binding> bindings) override;
  Result<std::unique_ptr<Replay>> prepare_beside(const Replay& sibling, ModuleId module,
                                                 const LaunchPlan& plan,
                                                 std::span<const Binding> bindings) override;
  Status attach(double wait_s) override;
  void detach() override;
  [[nodiscard]] Status usable() const override;
  [[nodiscard]] bool worn() const override { return lost_ || altered_; }

 private:
  friend class CudaReplay;
  struct Buffer {
    std::unique_ptr<CudaMemory> memory;
    std::string name;
  };
  CudaDevice(const CudaDriver& driver, int ordinal, FileLock lock)
      : driver_(driver), ordinal_(ordinal), lock_(std::move(lock)) {}
  Status start();
  Status refresh_free_bytes();
  Status measure_overhead();
  /// The median of a few timed spans around what `issue` puts into the stream.
  Result<double> span_us(const std::function<CuResult()>& issue);
  Status measure_empty_kernel();
  void abandon();
  void recycle(std::unique_ptr<CudaMemory> memory);
  /// Writes over the whole L2 cache, twice, with the SMs as they were at the last time.
  Status flush_cache();
  /// Polls; the fault when the kernel failed or the time is up.
  Result<std::optional<Fault>> wait(CuEvent event, double limit_s);
  [[nodiscard]] int attribute(CuAttribute which) const;

  CudaDriver driver_;
  int ordinal_;
  std::optional<FileLock> lock_;  ///< held from attach() to detach()
  CuContext context_ = nullptr;
  CuDevice device_ = 0;
  CuStream stream_ = nullptr;
  CuEvent begin_ = nullptr, end_ = nullptr;
  DeviceInfo info_;
  bool maps_pages_ = false;
  bool retained_ = false;
  bool bare_ = false;  ///< buffers without guards and poison
  bool lost_ = false;  ///< after a fault that the context does not survive
  std::chrono::steady_clock::time_point detached_;
  bool altered_ = false;  ///< a candidate changed limits or used the context's own heap
  CudaMemoryPool pool_;
  std::map<BufferId, Buffer> buffers_;
  BufferId next_buffer_ = 0;
  std::vector<std::shared_ptr<CudaModule>> modules_;
  std::deque<std::shared_ptr<CudaModule>> own_modules_;  ///< stay between candidates
  std::unique_ptr<CudaMemory> flush_;
  std::unique_ptr<CudaStaging> staging_;
  std::unique_ptr<CudaDigest> digest_;
  std::unique_ptr<CudaFill> fill_;
  std::unique_ptr<CudaL1Split> l1_split_;
  std::unique_ptr<CudaGarbage> garbage_;
  unsigned char flush_value_ = 0;
};

/// What the driver says of a GPU, without a context on it. Peaks come from the table of known
/// devices, or from clocks and widths.
DeviceFacts facts_of(const CudaDriver& driver, CuDevice device, int ordinal);
Result<DeviceFacts> cuda_facts(int ordinal);

/// Which verdict a failed launch or kernel means. Absent for results that are no fault of the
/// candidate's.
std::optional<Fault> fault_of(CuResult result, const CudaDriver& driver);

}  // namespace warpwright::device
