// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_replay.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/mix.h"
#include "base/one_way.h"
#include "device/cuda_descriptors.h"

namespace warpwright::device {

namespace {

// More scratch buffers than this get plain memory: a page of its own each would cost too much.
constexpr std::size_t kMostGuardedScratch = 32;
constexpr std::uint32_t kPortableClusterBlocks = 8;

}  // namespace

Result<std::unique_ptr<Replay>> CudaReplay::make(CudaDevice& device, ModuleId module,
                                                 const LaunchPlan& plan,
                                                 std::span<const Binding> bindings,
                                                 const CudaReplay* sibling) {
  std::unique_ptr<CudaReplay> replay(new CudaReplay(device, module, plan));
  replay->bindings_.assign(bindings.begin(), bindings.end());
  WW_CHECK(replay->allocate(sibling));
  if (!replay->fault_) WW_CHECK(replay->set_limits());
  if (!replay->fault_) WW_CHECK(replay->resolve());
  if (!replay->fault_) WW_CHECK(replay->stage_uploads());
  WW_CHECK(replay->streams_.make());
  return std::unique_ptr<Replay>(std::move(replay));
}

CudaReplay::~CudaReplay() {
  if (device_.lost_) {
    for (auto& memory : staged_) static_cast<void>(memory.release());
    streams_.abandon();
    return;
  }
  drop_graphs();
  drop_textures();
}

Status CudaReplay::allocate(const CudaReplay* sibling) {
  scratch_.resize(plan_.buffers.size());
  auto shared = sibling != nullptr ? sibling->scratch_ : decltype(scratch_){};
  const bool cheap = !device_.maps_pages_ || plan_.buffers.size() > kMostGuardedScratch;
  for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
    if (plan_.buffers[i].kind != BufferKind::scratch) continue;
    const auto same = std::find_if(shared.begin(), shared.end(), [&](const auto& memory) {
      return memory != nullptr && memory->bytes() == plan_.buffers[i].bytes;
    });
    if (same != shared.end()) {
      scratch_[i] = std::exchange(*same, nullptr);
      continue;
    }
    auto guard = cheap ? CudaMemory::Guard::margins : CudaMemory::Guard::unmapped_pages;
    if (device_.bare_) guard = CudaMemory::Guard::none;
    auto memory = device_.pool_.take(driver_, device_.device_,
                                     std::max<std::uint64_t>(plan_.buffers[i].bytes, 1), guard);
    if (!memory.ok()) {
      fault_ = Fault{.verdict = Verdict::launch_error,
                     .kind = "out_of_memory",
                     .message = "the device has not enough memory for the scratch buffers (" +
                                std::to_string(plan_.buffers[i].bytes) + " bytes asked for)"};
      return {};
    }
    scratch_[i] = std::shared_ptr<CudaMemory>(std::move(memory).value().release(),
                                              [device = &device_](CudaMemory* freed) {
                                                device->recycle(std::unique_ptr<CudaMemory>(freed));
                                              });
  }
  return {};
}

Status CudaReplay::set_limits() {
  const std::array<std::pair<int, std::uint64_t>, 2> limits = {
      {{kCuLimitStackSize, plan_.stack_bytes}, {kCuLimitMallocHeapSize, plan_.heap_bytes}}};
  for (const auto& [limit, bytes] : limits) {
    if (bytes == 0) continue;
    device_.altered_ = true;
    const CuResult result = driver_.context_set_limit(limit, bytes);
    if (result == 0) continue;
    fault_ = Fault{
        .verdict = Verdict::launch_error,
        .kind = "device_limit",
        .message = "the device refuses a limit that solve() sets: " + driver_.describe(result)};
  }
  return {};
}

Status CudaReplay::resolve() {
  drop_graphs();
  const CudaModule& module = *device_.modules_.at(static_cast<std::size_t>(module_));
  bases_.assign(plan_.buffers.size(), 0);
  for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
    const PlanBuffer& buffer = plan_.buffers[i];
    if (buffer.kind == BufferKind::scratch) {
      bases_[i] = scratch_[i]->address();
    } else if (buffer.kind == BufferKind::argument) {
      ASSERT(buffer.argument < bindings_.size(), "a plan of another signature");
      bases_[i] = device_.buffers_.at(bindings_[buffer.argument].buffer).memory->address();
    } else {
      const auto at = module.variable(buffer.symbol);
      if (!at) return Error{"the module has no variable " + buffer.symbol};
      bases_[i] = *at;
    }
  }
  WW_CHECK(make_textures());
  functions_.clear();
  local_bytes_ = 0;
  parameters_.assign(plan_.steps.size(), {});
  named_parameters_.assign(plan_.steps.size(), {});
  for (std::size_t i = 0; i < plan_.steps.size() && !fault_; ++i) {
    const auto* launch = std::get_if<KernelLaunch>(&plan_.steps[i]);
    if (launch == nullptr) continue;
    parameters_[i] = launch->parameters;
    relocate(parameters_[i], launch->pointers, bases_);
    encode(parameters_[i]);
    for (const std::uint32_t offset : launch->parameter_offsets)
      named_parameters_[i].push_back(parameters_[i].data() + offset);
    WW_CHECK(resolve_function(launch->kernel, *launch));
  }
  return {};
}

Status CudaReplay::resolve_function(const std::string& kernel, const KernelLaunch& launch) {
  CuFunction& function = functions_[kernel];
  if (function == nullptr) {
    function = device_.modules_.at(static_cast<std::size_t>(module_))->function(kernel);
    if (function == nullptr) return Error{"the module has no kernel " + kernel};
    int local = 0;
    driver_.function_attribute(&local, kCuFuncLocalBytes, function);
    local_bytes_ = std::max(local_bytes_, static_cast<std::uint64_t>(std::max(local, 0)));
  }
  CuResult result = 0;
  // At first what static memory leaves of 48 KiB. Never lowered: other launches may need more.
  int allowed = 0;
  driver_.function_attribute(&allowed, kCuFuncMaxDynamicShared, function);
  if (launch.shared_bytes > static_cast<std::uint32_t>(std::max(allowed, 0))) {
    result = driver_.function_set_attribute(function, kCuFuncMaxDynamicShared,
                                            static_cast<int>(launch.shared_bytes));
  }
  if (result == 0 && launch.carveout >= 0) {
    result = driver_.function_set_attribute(function, kCuFuncCarveout, launch.carveout);
  }
  if (launch.cluster.x * launch.cluster.y * launch.cluster.z > kPortableClusterBlocks) {
    driver_.function_set_attribute(function, kCuFuncNonPortableCluster, 1);
  }
  if (result != 0) {
    fault_ = Fault{.verdict = Verdict::launch_error,
                   .kind = "shared_memory",
                   .kernel = kernel,
                   .message = "the device refuses " + std::to_string(launch.shared_bytes) +
                              " bytes of dynamic shared memory: " + driver_.describe(result)};
  }
  return {};
}

Status CudaReplay::stage_uploads() {
  staged_.resize(plan_.steps.size());
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    const auto* upload = std::get_if<Upload>(&plan_.steps[i]);
    if (upload == nullptr || upload->bytes.empty() || describes_texture(*upload)) continue;
    WW_TRY(staged_[i], CudaMemory::allocate(driver_, device_.device_, upload->bytes.size(),
                                            CudaMemory::Guard::margins));
  }
  return {};
}

CuAddress CudaReplay::real(const PlanAddress& address) const {
  return bases_.at(address.buffer) + static_cast<std::uint64_t>(address.offset);
}

Status CudaReplay::fill_garbage(std::uint64_t secret) {
  if (device_.bare_) return {};
  std::vector<FillRange> fills;
  const std::uint64_t first = one_way(secret, "poison");
  const auto add = [&](CuAddress at, std::uint64_t bytes, bool watched) {
    if (bytes == 0) return false;
    fills.push_back({at, bytes, mixed_bits(first + fills.size() * kMixStep), watched});
    return true;
  };
  margins_.clear();
  margin_names_.clear();
  const auto add_margins = [&](const CudaMemory& memory, const std::string& name) {
    for (const CudaMemory::Margin& margin : memory.margins()) {
      if (!add(margin.at, margin.bytes, true)) continue;
      margins_.push_back(fills.back());
      margin_names_.push_back(name);
    }
  };
  for (std::size_t i = 0; i < scratch_.size(); ++i) {
    if (scratch_[i] == nullptr) continue;
    add(scratch_[i]->address(), scratch_[i]->bytes(), false);
    add_margins(*scratch_[i], "scratch " + std::to_string(i));
  }
  for (const Binding& binding : bindings_) {
    if (binding.buffer < 0) continue;
    const auto& buffer = device_.buffers_.at(binding.buffer);
    if (binding.before == Binding::Before::poison)
      add(buffer.memory->address(), buffer.memory->bytes(), false);
    add_margins(*buffer.memory, buffer.name);
  }
  WW_CHECK(device_.garbage_->fill_shared(one_way(secret, "shared"), device_.stream_));
  WW_CHECK(device_.garbage_->fill_local(local_bytes_, one_way(secret, "local"), device_.stream_));
  return device_.fill_->fill(fills, device_.stream_);
}

Status CudaReplay::reset(const RunOptions& options) {
  CudaModule& module = *device_.modules_.at(static_cast<std::size_t>(module_));
  WW_TRY(const bool restored, module.restore(device_.stream_));
  if (!restored) {
    WW_TRY(const auto fault, module.load());
    if (fault) return Error{"the module could not be loaded a second time: " + fault->message};
    WW_CHECK(resolve());
  }
  // The seed alone could be told from another judgement's.
  const std::uint64_t drawn = (std::uint64_t{random_()} << 32) ^ random_();
  WW_CHECK(fill_garbage(drawn ^ options.poison_seed));
  for (const Binding& binding : bindings_) {
    if (binding.buffer < 0 || binding.before != Binding::Before::restore) continue;
    const CudaMemory& memory = *device_.buffers_.at(binding.buffer).memory;
    const CudaMemory& pristine = *device_.buffers_.at(binding.pristine).memory;
    WW_CHECK(driver_.check(
        driver_.copy_async(memory.address(), pristine.address(), memory.bytes(), device_.stream_),
        "restore a buffer"));
  }
  return fill_staged();
}

Status CudaReplay::fill_staged() {
  bool any = false;
  for (std::size_t i = 0; i < staged_.size(); ++i) {
    if (staged_[i] == nullptr) continue;
    any = true;
    const auto& upload = std::get<Upload>(plan_.steps[i]);
    std::string bytes = upload.bytes;
    relocate(bytes, upload.pointers, bases_);
    encode(bytes);
    WW_CHECK(
        driver_.check(driver_.copy_to_device(staged_[i]->address(), bytes.data(), bytes.size()),
                      "upload to the GPU"));
  }
  if (!any) return {};
  return driver_.check(driver_.stream_synchronize(nullptr), "upload to the GPU");
}

/// Behind another launch of the plan only: what we do before it must have ended.
bool CudaReplay::may_overlap(const KernelLaunch& launch, std::size_t step, CuStream stream) const {
  if (!launch.overlaps || step == 0 ||
      !std::holds_alternative<KernelLaunch>(plan_.steps[step - 1])) {
    return false;
  }
  // In another order something else goes before it.
  if (!streams_.order().in_sequence() && stream == device_.stream_) return false;
  return plan_.order.empty() || (plan_.order[step].after.empty() &&
                                 plan_.order[step].stream == plan_.order[step - 1].stream);
}

CuResult CudaReplay::issue_step(const KernelLaunch& launch, std::size_t step, CuStream stream) {
  std::array<CuLaunchAttribute, 3> attributes;
  unsigned count = 0;
  if (launch.cooperative) {
    attributes[count].id = kCuLaunchCooperative;
    attributes[count++].value.flag = 1;
  }
  if (launch.clustered) {
    attributes[count].id = kCuLaunchClusterDimension;
    attributes[count++].value.cluster = {launch.cluster.x, launch.cluster.y, launch.cluster.z};
  }
  if (may_overlap(launch, step, stream)) {
    attributes[count].id = kCuLaunchProgrammatic;
    attributes[count++].value.flag = 1;
  }
  const CuLaunchConfig config{
      launch.grid.x,  launch.grid.y,       launch.grid.z, launch.block.x,    launch.block.y,
      launch.block.z, launch.shared_bytes, stream,        attributes.data(), count};
  // One by one: the driver puts parameters of a large alignment elsewhere than a piece of bytes
  // that is laid out as the PTX declares them has them.
  return driver_.launch(&config, functions_.at(launch.kernel), named_parameters_[step].data(),
                        nullptr);
}

CuResult CudaReplay::issue_step(const Memset& set, std::size_t, CuStream stream) {
  const CuAddress at = real(set.destination);
  if (set.width == 0 || set.height == 0) return 0;
  const auto value = set.value;
  const auto byte = static_cast<unsigned char>(value);
  const auto half = static_cast<unsigned short>(value);
  if (set.height == 1) {
    if (set.element_bytes == 1) return driver_.set_8(at, byte, set.width, stream);
    if (set.element_bytes == 2) return driver_.set_16(at, half, set.width, stream);
    return driver_.set_32(at, value, set.width, stream);
  }
  if (set.element_bytes == 1) {
    return driver_.set_2d_8(at, set.pitch, byte, set.width, set.height, stream);
  }
  if (set.element_bytes == 2) {
    return driver_.set_2d_16(at, set.pitch, half, set.width, set.height, stream);
  }
  return driver_.set_2d_32(at, set.pitch, value, set.width, set.height, stream);
}

CuResult CudaReplay::issue_step(const DeviceCopy& copy, std::size_t, CuStream stream) {
  const CuAddress to = real(copy.destination), from = real(copy.source);
  if (copy.width_bytes == 0 || copy.height == 0) return 0;
  if (copy.height == 1) return driver_.copy_async(to, from, copy.width_bytes, stream);
  CuCopy2D rows;
  rows.source = from;
  rows.source_pitch = copy.source_pitch;
  rows.to = to;
  rows.to_pitch = copy.destination_pitch;
  rows.width_bytes = copy.width_bytes;
  rows.height = copy.height;
  return driver_.copy_2d_async(&rows, stream);
}

CuResult CudaReplay::issue_step(const Upload& upload, std::size_t step, CuStream stream) {
  if (staged_[step] == nullptr) return 0;
  const CuAddress to = real(upload.destination), from = staged_[step]->address();
  if (upload.height == 1) return driver_.copy_async(to, from, upload.bytes.size(), stream);
  CuCopy2D rows;
  rows.source = from;
  rows.source_pitch = rows.width_bytes = upload.bytes.size() / upload.height;
  rows.to = to;
  rows.to_pitch = upload.pitch;
  rows.height = upload.height;
  return driver_.copy_2d_async(&rows, stream);
}

Status CudaReplay::issue_on(CuStream stream, std::size_t step) {
  const CuResult result = std::visit(
      [&](const auto& each) { return issue_step(each, step, stream); }, plan_.steps[step]);
  if (result == 0) return {};
  fault_ = fault_of(result, driver_);
  if (!fault_) return Error{"could not replay a step of the plan: " + driver_.describe(result)};
  if (const auto* launch = std::get_if<KernelLaunch>(&plan_.steps[step])) {
    fault_->kernel = launch->kernel;
  }
  return {};
}

Status CudaReplay::issue() {
  WW_CHECK(streams_.fork(device_.stream_));
  for (std::size_t i = 0; i < plan_.steps.size() && !fault_; ++i) {
    WW_TRY(CuStream stream, streams_.before(i, device_.stream_));
    WW_CHECK(issue_on(stream, i));
    WW_CHECK(streams_.after(i));
  }
  return streams_.join(device_.stream_);
}

Status CudaReplay::issue_reversed() {
  for (const std::uint32_t step : streams_.order().latest_first()) {
    WW_CHECK(issue_on(device_.stream_, step));
    if (fault_) break;
  }
  return {};
}

Result<RunReport> CudaReplay::run(const RunOptions& options) {
  WW_CHECK(device_.usable());
  RunReport report;
  if (!fault_) WW_CHECK(reset(options));
  if (!fault_ && by_graph(options) && graphs_.size() < graphs_wanted()) WW_CHECK(add_graph());
  if (!fault_) return run_resolved(options);
  report.faults.push_back(*fault_);
  return report;
}

Status CudaReplay::queue() {
  WW_CHECK(device_.usable());
  if (!fault_ && !queued_) WW_CHECK(fill_staged());
  queued_ = true;
  if (!fault_) WW_CHECK(issue());
  if (fault_) return Error{"the judge's own plan failed: " + fault_->message};
  return {};
}

Result<RunReport> CudaReplay::run_resolved(const RunOptions& options) {
  RunReport report;
  if (options.timed) {
    driver_.context_reset_l2();
    if (options.shifted) WW_CHECK(device_.l1_split_->run(device_.stream_));
    WW_CHECK(device_.flush_cache());
  }
  WW_CHECK(driver_.check(driver_.event_record(device_.begin_, device_.stream_), "record an event"));
  if (by_graph(options) && !graphs_.empty()) {
    const CuResult launched =
        driver_.graph_launch(graphs_[turn_++ % graphs_.size()], device_.stream_);
    if (launched != 0) fault_ = fault_of(launched, driver_);
    if (!fault_) WW_CHECK(driver_.check(launched, "launch a graph"));
  } else {
    WW_CHECK(options.timed || streams_.order().in_sequence() ? issue() : issue_reversed());
  }
  WW_CHECK(driver_.check(driver_.event_record(device_.end_, device_.stream_), "record an event"));
  WW_TRY(auto fault, device_.wait(device_.end_, options.limit_s));
  if (!fault) fault = fault_;
  if (fault) {
    if (fault->kernel.empty() && functions_.size() == 1) fault->kernel = functions_.begin()->first;
    report.faults.push_back(*fault);
    return report;
  }
  float ms = 0;
  WW_CHECK(driver_.check(driver_.event_elapsed_ms(&ms, device_.begin_, device_.end_),
                         "read the GPU's clock"));
  if (options.timed) {
    report.elapsed_us = ms * 1e3;
  } else {
    WW_CHECK(check_margins(report));
    describe_kernels(report);
  }
  return report;
}

Status CudaReplay::check_margins(RunReport& report) {
  WW_TRY(const auto held, device_.fill_->held(margins_, device_.stream_));
  std::string last;
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (held[i] || margin_names_[i] == last) continue;
    last = margin_names_[i];
    report.faults.push_back({.verdict = Verdict::memory_fault,
                             .kind = "out_of_bounds",
                             .message = "a kernel wrote outside of the buffer '" + last + "'"});
  }
  return {};
}

void CudaReplay::describe_kernels(RunReport& report) const {
  std::set<std::string> seen;
  for (const PlanStep& step : plan_.steps) {
    const auto* launch = std::get_if<KernelLaunch>(&step);
    if (launch == nullptr || !seen.insert(launch->kernel).second) continue;
    const CuFunction function = functions_.at(launch->kernel);
    const auto value = [&](int attribute) {
      int result = 0;
      return driver_.function_attribute(&result, attribute, function) == 0 ? result : 0;
    };
    KernelResources resources{.kernel = launch->kernel,
                              .registers = value(kCuFuncRegisters),
                              .stack_bytes = value(kCuFuncLocalBytes)};
    resources.shared_bytes = value(kCuFuncSharedBytes) + static_cast<int>(launch->shared_bytes);
    const int threads = static_cast<int>(launch->block.x * launch->block.y * launch->block.z);
    int blocks = 0;
    if (driver_.occupancy_blocks(&blocks, function, threads, launch->shared_bytes) == 0 &&
        device_.info_.facts.max_threads_per_sm > 0) {
      resources.occupancy = static_cast<double>(blocks) * ((threads + 31) / 32 * 32) /
                            device_.info_.facts.max_threads_per_sm;
    }
    report.resources.push_back(std::move(resources));
  }
}

}  // namespace warpwright::device
