// SPDX-License-Identifier: Apache-2.0
#include "device/simt_device.h"

#include <algorithm>
#include <random>

#include "device/digest.h"
#include "device/simt_findings.h"
#include "device/simt_replay.h"

namespace warpwright::device {

namespace {

// What the machine's own memory may take of a host; its pages cost nothing until touched.
constexpr std::uint64_t kBufferBytes = std::uint64_t{2} << 30;
constexpr std::uint64_t kPlaces = 4096, kPlaceBytes = std::uint64_t{2} << 20;

Result<simt::Checks> checks_named(std::string_view name) {
  if (name == "full") return simt::Checks::full;
  if (name == "fast") return simt::Checks::fast;
  if (name == "off") return simt::Checks::off;
  return Error{"unknown checks \"" + std::string(name) + "\": use full, fast or off"};
}

}  // namespace

Result<std::unique_ptr<Device>> SimtDevice::open(const DeviceFacts& target, std::string_view checks,
                                                 std::string_view engine) {
  std::unique_ptr<SimtDevice> device(new SimtDevice);
  // Where buffers lie must not tell a kernel that this is no GPU.
  device->machine_.memory().start_at((std::random_device{}() % kPlaces) * kPlaceBytes);
  WW_TRY(device->checks_, checks_named(checks));
  WW_TRY(device->engine_, simt::engine_named(engine));
  device->info_.facts = target;
  device->info_.description = "SIMT machine, times estimated for " + target.name;
  device->info_.time_source = TimeSource::estimated;
  device->info_.free_bytes = kBufferBytes;
  return std::unique_ptr<Device>(std::move(device));
}

Result<Loaded> SimtDevice::load(const Code& code) {
  auto module = simt::load(code.ptx);
  if (!module.ok()) {
    return Error{"the SIMT machine cannot run this kernel: " + module.error().message};
  }
  modules_.push_back({std::move(module).value(), code.source_file});
  return Loaded{.module = static_cast<ModuleId>(modules_.size()) - 1};
}

Result<BufferId> SimtDevice::allocate(std::uint64_t bytes, std::string_view name) {
  WW_TRY(const simt::Address address, machine_.memory().allocate(bytes, name));
  buffers_[next_buffer_] = {address, bytes, std::string(name)};
  return next_buffer_++;
}

void SimtDevice::release(BufferId buffer) {
  const auto found = buffers_.find(buffer);
  if (found == buffers_.end()) return;
  static_cast<void>(machine_.memory().free(found->second.address));
  buffers_.erase(found);
}

Status SimtDevice::upload(BufferId to, std::span<const std::byte> bytes) {
  return machine_.memory().copy_in(buffers_.at(to).address, bytes);
}

Status SimtDevice::download(std::span<std::byte> to, BufferId from) {
  return machine_.memory().copy_out(to, buffers_.at(from).address);
}

Result<std::uint64_t> SimtDevice::digest(BufferId of, std::uint64_t key) {
  std::vector<std::byte> bytes(buffers_.at(of).bytes);
  WW_CHECK(download(bytes, of));
  return digest_of(bytes, key);
}

Status SimtDevice::copy(BufferId to, BufferId from) {
  std::vector<std::byte> bytes(buffers_.at(from).bytes);
  WW_CHECK(download(bytes, from));
  return upload(to, bytes);
}

Status SimtDevice::clear(BufferId buffer) {
  const std::vector<std::byte> zeros(buffers_.at(buffer).bytes);
  return upload(buffer, zeros);
}

Status SimtDevice::launch(const OwnLaunch& launch) {
  const simt::Module& module = modules_.at(static_cast<std::size_t>(launch.module)).module;
  simt::Launch request{.kernel = launch.kernel,
                       .grid = {launch.grid.x, launch.grid.y, launch.grid.z},
                       .block = {launch.threads, 1, 1},
                       .params = launch.call};
  request.options.checks = checks_;
  request.options.engine = engine_;
  WW_TRY(const simt::LaunchReport report, machine_.launch(module, request));
  // It looks at what a candidate left, also where that is nothing.
  const auto failure = std::find_if(report.faults.begin(), report.faults.end(), [](const auto& f) {
    return f.kind != simt::FaultKind::uninitialised_read;
  });
  if (failure == report.faults.end()) return {};
  return Error{"the judge's own kernel " + std::string(launch.kernel) +
               " failed: " + device::fault_of(*failure, {}).message};
}

Result<std::unique_ptr<Replay>> SimtDevice::prepare(ModuleId module, const LaunchPlan& plan,
                                                    std::span<const Binding> bindings) {
  for (const PlanStep& step : plan.steps) {
    const auto* launch = std::get_if<KernelLaunch>(&step);
    if (launch == nullptr) continue;
    const Status runnable =
        modules_.at(static_cast<std::size_t>(module)).module.runnable(launch->kernel);
    if (!runnable.ok()) {
      return Error{"the SIMT machine cannot run this kernel: " + runnable.error().message};
    }
  }
  return std::unique_ptr<Replay>(std::make_unique<SimtReplay>(*this, module, plan, bindings));
}

}  // namespace warpwright::device
