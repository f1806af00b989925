// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_device.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "base/text.h"
#include "device/cuda_replay.h"

namespace warpwright::device {

namespace {

constexpr double kSpinSeconds = 0.002;
constexpr int kOverheadSamples = 21;
// A GPU without work for so long may have lowered its clocks.
constexpr double kIdleSeconds = 0.2;
constexpr std::size_t kMostOwnModules = 32;
constexpr std::uint64_t kKeptShare = 6;  // of the GPU's memory, for later candidates

using SteadyClock = std::chrono::steady_clock;

double seconds_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

Result<FileLock> wait_for_gpu(int ordinal, double wait_s) {
  const auto path = temporary_folder() / ("warpwright-gpu-" + std::to_string(ordinal) + "-" +
                                          std::to_string(getuid()) + ".lock");
  const auto start = SteadyClock::now();
  while (true) {
    WW_TRY(auto lock, FileLock::acquire(path));
    if (lock) return std::move(*lock);
    if (seconds_since(start) >= wait_s) {
      return Error{"'" + path.string() + "' is held by another process"};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace

Result<std::unique_ptr<Device>> CudaDevice::open(int ordinal, double wait_s, bool bare) {
  WW_TRY(const CudaDriver driver, CudaDriver::open());
  WW_TRY(FileLock lock, wait_for_gpu(ordinal, wait_s));
  std::unique_ptr<CudaDevice> device(new CudaDevice(driver, ordinal, std::move(lock)));
  device->bare_ = bare;
  WW_CHECK(device->start());
  return std::unique_ptr<Device>(std::move(device));
}

Status CudaDevice::start() {
  WW_CHECK(driver_.check(driver_.device_get(&device_, ordinal_),
                         "open GPU " + std::to_string(ordinal_)));
  WW_CHECK(driver_.check(driver_.context_retain(&context_, device_), "create a GPU context"));
  retained_ = true;
  WW_CHECK(driver_.check(driver_.context_set_current(context_), "use the GPU context"));
  driver_.context_set_limit(kCuLimitPersistingL2, 0);  // not every GPU has it
  WW_CHECK(driver_.check(driver_.stream_create(&stream_, kCuStreamNonBlocking), "make a stream"));
  WW_CHECK(driver_.check(driver_.event_create(&begin_, 0), "make an event"));
  WW_CHECK(driver_.check(driver_.event_create(&end_, 0), "make an event"));
  maps_pages_ = attribute(CuAttribute::virtual_memory) == 1;
  info_.facts = facts_of(driver_, device_, ordinal_);
  int version = 0;
  driver_.driver_version(&version);
  info_.description = info_.facts.name + " (CUDA " + std::to_string(version / 1000) + "." +
                      std::to_string(version % 1000 / 10) + " driver)";
  const auto flush_bytes =
      static_cast<std::uint64_t>(std::max(info_.facts.l2_bytes, 4LL << 20)) * 2;
  WW_TRY(flush_, CudaMemory::allocate(driver_, device_, flush_bytes, CudaMemory::Guard::margins));
  WW_TRY(staging_, CudaStaging::make(driver_));
  WW_TRY(digest_, CudaDigest::make(driver_));
  WW_TRY(fill_, CudaFill::make(driver_));
  WW_TRY(l1_split_, CudaL1Split::make(driver_, info_.facts.sm_count));
  WW_TRY(garbage_, CudaGarbage::make(driver_, info_.facts.sm_count, info_.facts.max_threads_per_sm,
                                     info_.facts.shared_per_block_optin_bytes));
  pool_.set_limit(static_cast<std::uint64_t>(info_.facts.memory_bytes) / kKeptShare);
  WW_CHECK(measure_overhead());
  return refresh_free_bytes();
}

Status CudaDevice::refresh_free_bytes() {
  std::size_t free_bytes = 0, total = 0;
  WW_CHECK(driver_.check(driver_.memory_info(&free_bytes, &total), "ask for free memory"));
  info_.free_bytes = free_bytes + pool_.bytes();
  return {};
}

Status CudaDevice::attach(double wait_s) {
  ASSERT(!lock_, "a device is attached once at a time");
  WW_CHECK(usable());
  WW_TRY(lock_, wait_for_gpu(ordinal_, wait_s));
  // Contexts belong to threads, and another one may have had it before.
  WW_CHECK(driver_.check(driver_.context_set_current(context_), "use the GPU context"));
  info_.was_idle = seconds_since(detached_) > kIdleSeconds;
  return refresh_free_bytes();
}

void CudaDevice::detach() {
  if (lost_) {
    abandon();
  } else {
    for (auto& [id, buffer] : buffers_) pool_.give_back(std::move(buffer.memory));
    buffers_.clear();
    modules_.clear();
  }
  detached_ = SteadyClock::now();
  lock_.reset();
}

CudaDevice::~CudaDevice() {
  if (lost_) abandon();
  if (lost_ || !retained_) return;
  buffers_.clear();
  pool_.clear();
  modules_.clear();
  own_modules_.clear();
  flush_.reset();
  staging_.reset();
  digest_.reset();
  fill_.reset();
  l1_split_.reset();
  garbage_.reset();
  if (begin_ != nullptr) driver_.event_destroy(begin_);
  if (end_ != nullptr) driver_.event_destroy(end_);
  if (stream_ != nullptr) driver_.stream_destroy(stream_);
  driver_.context_release(device_);
}

// A lost context may still run a hanging kernel, and any call would wait for it. The driver takes
// everything back when the process ends.
void CudaDevice::abandon() {
  for (auto& [id, buffer] : buffers_) static_cast<void>(buffer.memory.release());
  buffers_.clear();
  pool_.abandon();
  for (auto& module : modules_)
    if (module != nullptr) module->abandon();
  for (auto& module : own_modules_) module->abandon();
  own_modules_.clear();
  modules_.clear();
  static_cast<void>(flush_.release());
  static_cast<void>(staging_.release());
  static_cast<void>(digest_.release());
  static_cast<void>(fill_.release());
  static_cast<void>(l1_split_.release());
  static_cast<void>(garbage_.release());
}

int CudaDevice::attribute(CuAttribute which) const {
  int value = 0;
  return driver_.device_attribute(&value, static_cast<int>(which), device_) == 0 ? value : 0;
}

Result<double> CudaDevice::span_us(const std::function<CuResult()>& issue) {
  std::vector<double> samples;
  for (int i = 0; i < kOverheadSamples; ++i) {
    WW_CHECK(flush_cache());
    WW_CHECK(driver_.check(driver_.event_record(begin_, stream_), "record an event"));
    WW_CHECK(driver_.check(issue(), "launch an empty kernel"));
    WW_CHECK(driver_.check(driver_.event_record(end_, stream_), "record an event"));
    WW_CHECK(driver_.check(driver_.stream_synchronize(stream_), "wait for the GPU"));
    float ms = 0;
    WW_CHECK(driver_.check(driver_.event_elapsed_ms(&ms, begin_, end_), "read the GPU's clock"));
    samples.push_back(ms * 1e3);
  }
  std::nth_element(samples.begin(), samples.begin() + kOverheadSamples / 2, samples.end());
  return samples[kOverheadSamples / 2];
}

Status CudaDevice::measure_overhead() {
  WW_TRY(info_.timer_overhead_us, span_us([] { return 0; }));
  return measure_empty_kernel();
}

/// What no kernel can be faster than, by this clock. Left unknown where the driver takes no PTX.
Status CudaDevice::measure_empty_kernel() {
  constexpr const char* kPtx =
      ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry nothing() { ret; }\n";
  CuModule module = nullptr;
  CuFunction function = nullptr;
  if (driver_.module_load(&module, kPtx, 0, nullptr, nullptr) != 0) return {};
  if (driver_.module_function(&function, module, "nothing") == 0) {
    const CuLaunchConfig config{1, 1, 1, 32, 1, 1, 0, stream_, nullptr, 0};
    WW_TRY(info_.empty_kernel_us,
           span_us([&] { return driver_.launch(&config, function, nullptr, nullptr); }));
  }
  driver_.module_unload(module);
  return {};
}

Status CudaDevice::flush_cache() {
  WW_CHECK(l1_split_->run(stream_));
  flush_value_ = static_cast<unsigned char>(flush_value_ + 1);
  return driver_.check(driver_.set_8(flush_->address(), flush_value_, flush_->bytes(), stream_),
                       "flush the cache");
}

Result<std::optional<Fault>> CudaDevice::wait(CuEvent event, double limit_s) {
  const auto start = SteadyClock::now();
  while (true) {
    const CuResult result = driver_.event_query(event);
    if (result == 0) return std::optional<Fault>{};
    if (result != kCuNotReady) {
      lost_ = true;
      auto fault = fault_of(result, driver_);
      if (!fault) return Error{"the GPU failed: " + driver_.describe(result)};
      return fault;
    }
    const double waited = seconds_since(start);
    if (waited > limit_s) {
      lost_ = true;
      return std::optional<Fault>(Fault{.verdict = Verdict::timeout,
                                        .kind = "timeout",
                                        .message = "the kernel did not end in time"});
    }
    if (waited > kSpinSeconds) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

Status CudaDevice::usable() const {
  if (lost_) return Error{"the GPU context is lost after a fault; a new process is needed"};
  return {};
}

Result<Loaded> CudaDevice::load(const Code& code) {
  WW_CHECK(usable());
  auto module = std::make_shared<CudaModule>(driver_, code);
  WW_TRY(auto fault, module->load());
  if (fault) return Loaded{.fault = std::move(fault)};
  // A heap that was used keeps its content and its size for as long as the context lives.
  if (code.ptx.find("malloc") != std::string::npos) altered_ = true;
  modules_.push_back(std::move(module));
  return Loaded{.module = static_cast<ModuleId>(modules_.size()) - 1};
}

void CudaDevice::unload(ModuleId module) {
  if (!lost_) modules_.at(static_cast<std::size_t>(module)).reset();
}

Result<Loaded> CudaDevice::load_own(const Code& code) {
  WW_CHECK(usable());
  const auto same = std::find_if(own_modules_.begin(), own_modules_.end(), [&](const auto& kept) {
    return kept->code().cubin == code.cubin && kept->code().ptx == code.ptx;
  });
  if (same != own_modules_.end()) {
    modules_.push_back(*same);
    return Loaded{.module = static_cast<ModuleId>(modules_.size()) - 1};
  }
  WW_TRY(auto loaded, load(code));
  if (loaded.fault) return loaded;
  own_modules_.push_back(modules_.back());
  if (own_modules_.size() > kMostOwnModules) own_modules_.pop_front();
  return loaded;
}

Result<BufferId> CudaDevice::allocate(std::uint64_t bytes, std::string_view name) {
  WW_CHECK(usable());
  auto guard = maps_pages_ ? CudaMemory::Guard::unmapped_pages : CudaMemory::Guard::margins;
  if (bare_) guard = CudaMemory::Guard::none;
  WW_TRY(auto memory, pool_.take(driver_, device_, bytes, guard));
  buffers_[next_buffer_] = {std::move(memory), std::string(name)};
  return next_buffer_++;
}

void CudaDevice::release(BufferId buffer) {
  const auto found = buffers_.find(buffer);
  if (found == buffers_.end()) return;
  recycle(std::move(found->second.memory));
  buffers_.erase(found);
}

Status CudaDevice::upload(BufferId to, std::span<const std::byte> bytes) {
  WW_CHECK(usable());
  const auto& memory = *buffers_.at(to).memory;
  ASSERT(bytes.size() <= memory.bytes(), "an upload larger than its buffer");
  return staging_->upload(memory.address(), bytes, stream_);
}

Status CudaDevice::copy(BufferId to, BufferId from) {
  WW_CHECK(usable());
  const CudaMemory &target = *buffers_.at(to).memory, &source = *buffers_.at(from).memory;
  ASSERT(target.bytes() == source.bytes(), "a copy to a buffer of another size");
  return driver_.check(
      driver_.copy_async(target.address(), source.address(), source.bytes(), stream_),
      "copy a buffer");
}

Status CudaDevice::download(std::span<std::byte> to, BufferId from) {
  WW_CHECK(usable());
  const auto& memory = *buffers_.at(from).memory;
  ASSERT(to.size() <= memory.bytes(), "a download larger than its buffer");
  return staging_->download(to, memory.address(), stream_);
}

Result<std::uint64_t> CudaDevice::digest(BufferId of, std::uint64_t key) {
  WW_CHECK(usable());
  const auto& memory = *buffers_.at(of).memory;
  return digest_->of(memory.address(), memory.bytes(), key, stream_);
}

Status CudaDevice::clear(BufferId buffer) {
  WW_CHECK(usable());
  const auto& memory = *buffers_.at(buffer).memory;
  return driver_.check(driver_.set_8(memory.address(), 0, memory.bytes(), stream_),
                       "clear a buffer");
}

Status CudaDevice::launch(const OwnLaunch& launch) {
  WW_CHECK(usable());
  const CudaModule& module = *modules_.at(static_cast<std::size_t>(launch.module));
  const CuFunction function = module.function(launch.kernel);
  if (function == nullptr) {
    return Error{"the judge's own code has no kernel " + std::string(launch.kernel)};
  }
  const CuLaunchConfig config{
      launch.grid.x, launch.grid.y, launch.grid.z, launch.threads, 1, 1, 0, stream_, nullptr, 0};
  std::size_t bytes = launch.call.size();
  std::array<void*, 5> extra = {reinterpret_cast<void*>(1),
                                const_cast<std::byte*>(launch.call.data()),
                                reinterpret_cast<void*>(2), &bytes, nullptr};
  return driver_.check(driver_.launch(&config, function, nullptr, extra.data()),
                       "launch the judge's own kernel");
}

Result<std::unique_ptr<Replay>> CudaDevice::prepare(ModuleId module, const LaunchPlan& plan,
                                                    std::span<const Binding> bindings) {
  WW_CHECK(usable());
  return CudaReplay::make(*this, module, plan, bindings, nullptr);
}

Result<std::unique_ptr<Replay>> CudaDevice::prepare_beside(const Replay& sibling, ModuleId module,
                                                           const LaunchPlan& plan,
                                                           std::span<const Binding> bindings) {
  WW_CHECK(usable());
  return CudaReplay::make(*this, module, plan, bindings, &static_cast<const CudaReplay&>(sibling));
}

void CudaDevice::recycle(std::unique_ptr<CudaMemory> memory) {
  if (lost_) {
    static_cast<void>(memory.release());  // freeing might never return
  } else {
    pool_.give_back(std::move(memory));
  }
}

}  // namespace warpwright::device
