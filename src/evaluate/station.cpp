// SPDX-License-Identifier: Apache-2.0
#include "evaluate/station.h"

#include <chrono>

#include "torch/reference.h"

namespace warpwright::evaluate {

DeviceLease::~DeviceLease() { give_back(); }

DeviceLease& DeviceLease::operator=(DeviceLease&& other) noexcept {
  give_back();
  own_ = std::move(other.own_);
  device_ = std::exchange(other.device_, nullptr);
  waited_s_ = other.waited_s_;
  turn_ = std::move(other.turn_);
  return *this;
}

void DeviceLease::give_back() {
  if (turn_.owns_lock() && device_ != nullptr) device_->detach();
  device_ = nullptr;
}

Result<build::Builder> Station::builder(const std::filesystem::path& cache, bool unsafe) {
  const std::lock_guard hold(mutex_);
  auto found = sandboxes_.find(unsafe);
  if (found == sandboxes_.end()) {
    WW_TRY(auto sandbox, sandbox::Sandbox::open({.allow_none = unsafe}));
    found = sandboxes_.emplace(unsafe, sandbox).first;
  }
  if (!tools_) tools_ = build::find_toolchain();
  return build::Builder::create(found->second, *tools_, {.cache = cache});
}

std::shared_ptr<const OracleKit> Station::kept_kit(const std::string& key) {
  const std::lock_guard hold(mutex_);
  const auto found = kits_.find(key);
  return found == kits_.end() ? nullptr : found->second;
}

void Station::keep_kit(const std::string& key, std::shared_ptr<const OracleKit> kit) {
  const std::lock_guard hold(mutex_);
  constexpr std::size_t kMost = 64;
  if (kits_.size() >= kMost) kits_.clear();
  kits_[key] = std::move(kit);
}

Result<SharedReference> Station::reference(const std::string& key,
                                           const std::function<Result<SharedReference>()>& open) {
  constexpr std::size_t kMost = 3;
  const std::lock_guard one_by_one(opening_);
  SharedReference last;  // ends behind the inner lock: it waits for a process
  {
    const std::lock_guard hold(mutex_);
    for (const auto& [name, reference] : references_)
      if (name == key && reference->alive()) return reference;
  }
  WW_TRY(SharedReference made, open());
  const std::lock_guard hold(mutex_);
  references_.emplace_front(key, made);
  if (references_.size() > kMost) {
    last = std::move(references_.back().second);
    references_.pop_back();
  }
  return made;
}

Result<DeviceLease> Station::lease(const device::ResolvedDevice& resolved, double wait_s) {
  const auto start = std::chrono::steady_clock::now();
  DeviceLease lease;
  if (resolved.is_cuda) {
    Shared* shared = nullptr;
    {
      const std::lock_guard hold(mutex_);
      shared = &devices_[resolved.choice.device.text()];
    }
    WW_TRY(lease, lease_shared(*shared, resolved, wait_s));
  } else {
    WW_TRY(lease.own_, device::open_device(resolved, wait_s));
    lease.device_ = lease.own_.get();
  }
  lease.waited_s_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return lease;
}

Status Station::open_or_attach(Shared& shared, const device::ResolvedDevice& resolved,
                               double wait_s) {
  if (shared.device == nullptr) {
    WW_TRY(shared.device, device::open_device(resolved, wait_s));
    return {};
  }
  if (shared.device->worn()) return Error{"the GPU context was worn out by another candidate"};
  return shared.device->attach(wait_s);
}

Result<DeviceLease> Station::lease_shared(Shared& shared, const device::ResolvedDevice& resolved,
                                          double wait_s) {
  DeviceLease lease;
  lease.turn_ = std::unique_lock(shared.turn);
  if (tell_wait_) tell_wait_(true);
  const Status ours = open_or_attach(shared, resolved, wait_s);
  if (tell_wait_) tell_wait_(false);
  if (!ours.ok()) return ours.error();
  lease.device_ = shared.device.get();
  return lease;
}

Result<device::GpuMonitor*> Station::monitor(const device::ResolvedDevice& resolved) {
  const std::lock_guard hold(mutex_);
  const std::string device = resolved.choice.device.text();
  auto found = monitors_.find(device);
  if (found == monitors_.end()) {
    found = monitors_.emplace(device, device::open_monitor(resolved)).first;
  }
  if (!found->second.ok()) return found->second.error();
  return found->second->get();
}

bool Station::worn() {
  const std::lock_guard hold(mutex_);
  for (auto& [name, shared] : devices_) {
    const std::unique_lock turn(shared.turn, std::try_to_lock);
    if (turn.owns_lock() && shared.device != nullptr && shared.device->worn()) return true;
  }
  return false;
}

}  // namespace warpwright::evaluate
