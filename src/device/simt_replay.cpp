// SPDX-License-Identifier: Apache-2.0
#include "device/simt_replay.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "base/cores.h"
#include "base/mix.h"
#include "base/one_way.h"
#include "core/launch_plan_order.h"
#include "device/kernel_name.h"
#include "device/simt_estimate.h"
#include "device/simt_findings.h"
#include "device/simt_sample.h"
#include "simt/state/program.h"

namespace warpwright::device {

namespace {

constexpr unsigned kMostThreads = 8;
constexpr std::uint64_t kBlocksWorthThreads = 8;

unsigned threads_for(std::uint64_t blocks) {
  if (blocks < kBlocksWorthThreads) return 1;
  return std::clamp(static_cast<unsigned>(usable_cores()), 1U, kMostThreads);
}

simt::Dim3 dim(const Dim3& d) { return {d.x, d.y, d.z}; }

bool has_finding(const std::vector<Finding>& findings, const Finding& finding) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& other) {
    return other.kind == finding.kind && other.line == finding.line;
  });
}

void add_unchecked(RunReport& report, const simt::Unchecked& fact) {
  auto& all = report.unchecked;
  if (std::find(all.begin(), all.end(), fact) == all.end()) all.push_back(fact);
}

}  // namespace

SimtReplay::SimtReplay(SimtDevice& device, ModuleId module, const LaunchPlan& plan,
                       std::span<const Binding> bindings)
    : device_(device),
      memory_(device.machine_.memory()),
      module_(module),
      plan_(plan),
      bindings_(bindings.begin(), bindings.end()),
      bases_(plan.buffers.size(), 0),
      live_(plan.buffers.size(), false) {}

const SimtDevice::Loading& SimtReplay::module() const {
  return device_.modules_.at(static_cast<std::size_t>(module_));
}

std::string SimtReplay::scratch_name(std::uint32_t buffer) const {
  return "scratch " + std::to_string(buffer);
}

simt::Address SimtReplay::real(const PlanAddress& address) const {
  return bases_.at(address.buffer) + static_cast<std::uint64_t>(address.offset);
}

Status SimtReplay::poison(simt::Address at, std::uint64_t bytes, std::uint64_t seed) {
  const auto tile = poison_pattern(seed, std::min(bytes, kPoisonTileBytes));
  for (std::uint64_t done = 0; done < bytes; done += tile.size()) {
    const std::size_t count = std::min<std::uint64_t>(tile.size(), bytes - done);
    WW_CHECK(memory_.copy_in(at + done, {tile.data(), count}));
  }
  // The bits are there for whoever reads them, and reading them is still seen.
  return memory_.forget(at, bytes);
}

Status SimtReplay::fill_output(simt::Address at, std::uint64_t bytes, const RunOptions& options) {
  if (options.outputs == RunOptions::Outputs::random) {
    return poison(at, bytes, options.poison_seed);
  }
  std::vector<std::byte> content(bytes);
  if (options.outputs == RunOptions::Outputs::last) {
    WW_CHECK(memory_.copy_out(content, at));
    const auto tile = poison_pattern(options.poison_seed, std::min(bytes, kPoisonTileBytes));
    std::uint64_t state = one_way(options.poison_seed, "changed words");
    for (std::uint64_t word = 0; word < bytes; word += sizeof(std::uint32_t)) {
      if (mixed_bits(++state) % 3 != 0) continue;
      for (std::uint64_t i = word; i < std::min<std::uint64_t>(word + 4, bytes); ++i) {
        content[i] = tile[i % tile.size()];
      }
    }
  }
  WW_CHECK(memory_.copy_in(at, content));
  return memory_.forget(at, bytes);
}

Status SimtReplay::reset(const RunOptions& options) {
  WW_CHECK(device_.machine_.load(module().module));
  WW_CHECK(device_.machine_.reset(module().module));
  for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
    const PlanBuffer& buffer = plan_.buffers[i];
    if (buffer.kind == BufferKind::argument) {
      ASSERT(buffer.argument < bindings_.size(), "a plan of another signature");
      bases_[i] = device_.buffers_.at(bindings_[buffer.argument].buffer).address;
    } else if (buffer.kind == BufferKind::symbol) {
      WW_TRY(bases_[i], device_.machine_.address_of(module().module, buffer.symbol));
    }
  }
  return set_buffers(options);
}

Status SimtReplay::set_buffers(const RunOptions& options) {
  for (const Binding& binding : bindings_) {
    if (binding.buffer < 0) continue;
    const auto& buffer = device_.buffers_.at(binding.buffer);
    if (binding.before == Binding::Before::poison) {
      WW_CHECK(fill_output(buffer.address, buffer.bytes, options));
    } else if (binding.before == Binding::Before::restore) {
      WW_CHECK(memory_.copy(buffer.address, device_.buffers_.at(binding.pristine).address,
                            buffer.bytes));
    }
  }
  return {};
}

Result<RunReport> SimtReplay::run(const RunOptions& options) {
  RunReport report;
  WW_CHECK(reset(options));
  const Status ran = run_steps(options, report);
  free_scratch();
  WW_CHECK(ran);
  return report;
}

Status SimtReplay::queue() {
  WW_TRY(const RunReport report, run({}));
  if (report.faults.empty()) return {};
  return Error{"the judge's own plan failed: " + report.faults.front().message};
}

Status SimtReplay::again_before(const KernelLaunch& at, const RunOptions& options,
                                RunReport& report) {
  WW_CHECK(device_.machine_.reset(module().module));
  WW_CHECK(set_buffers(options));
  RunReport nobody;
  for (const PlanStep& each : plan_.steps) {
    if (std::get_if<KernelLaunch>(&each) == &at) return {};
    // What this one wrote is gone.
    if (std::holds_alternative<KernelLaunch>(each)) report.complete = false;
    if (const auto* s = std::get_if<Memset>(&each)) WW_CHECK(step(*s, {}, nobody));
    if (const auto* s = std::get_if<DeviceCopy>(&each)) WW_CHECK(step(*s, {}, nobody));
    if (const auto* s = std::get_if<Upload>(&each)) WW_CHECK(step(*s, {}, nobody));
  }
  return {};
}

namespace {

StepAccesses taken(simt::AccessLog& log) {
  return {log.take(simt::ByteUse::read), log.take(simt::ByteUse::write),
          log.take(simt::ByteUse::atomic)};
}

}  // namespace

Status SimtReplay::run_steps(const RunOptions& options, RunReport& report) {
  // A time is that of the order asked for; results must be the same in every legal one.
  const PlanOrder order(plan_);
  const bool as_asked = options.timed || order.in_sequence();
  const auto reversed = as_asked ? std::vector<std::uint32_t>{} : order.latest_first();
  const bool overlaps = !options.timed && has_overlaps(plan_);
  watched_ = (!as_asked || overlaps) && !options.may_sample;
  std::vector<StepAccesses> accesses(watched_ ? plan_.steps.size() : 0), early(accesses.size());
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    const std::size_t number = as_asked ? i : reversed[i];
    WW_CHECK(
        std::visit([&](const auto& s) { return step(s, options, report); }, plan_.steps[number]));
    if (watched_) {
      accesses[number] = taken(log_);
      early[number] = taken(early_log_);
    } else if (!report.faults.empty()) {
      break;
    }
  }
  if (watched_) blame_conflict(order, accesses, report);
  if (watched_ && overlaps) blame_overlap(accesses, early, report);
  return {};
}

namespace {

std::string name_of_step(const PlanStep& step) {
  if (const auto* launch = std::get_if<KernelLaunch>(&step)) {
    return "kernel " + kernel_name(launch->kernel);
  }
  if (std::holds_alternative<Memset>(step)) return "a memset";
  if (std::holds_alternative<Allocate>(step)) return "an allocation";
  return std::holds_alternative<Free>(step) ? "a free" : "a copy";
}

}  // namespace

/// The first cause of whatever else was seen in an order that the candidate did not expect.
void SimtReplay::blame_conflict(const PlanOrder& order, const std::vector<StepAccesses>& accesses,
                                RunReport& report) const {
  const auto found = find_conflict(order, accesses);
  if (!found) return;
  Fault fault{.verdict = Verdict::race, .kind = "stream_race"};
  if (const auto* launch = std::get_if<KernelLaunch>(&plan_.steps[found->second])) {
    fault.kernel = launch->kernel;
  }
  fault.message =
      name_of_step(plan_.steps[found->first]) + " (step " + std::to_string(found->first + 1) +
      ") and " + name_of_step(plan_.steps[found->second]) + " (step " +
      std::to_string(found->second + 1) + ") run on different streams with no event " +
      "between them, and " + (found->both_write ? "both write " : "one of them writes ") +
      memory_.describe(found->address, 1);
  report.faults = {std::move(fault)};
}

/// A launch that begins early must wait before it touches what the launch before it touches.
void SimtReplay::blame_overlap(const std::vector<StepAccesses>& accesses,
                               const std::vector<StepAccesses>& early, RunReport& report) const {
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    const auto before = overlapped_launch(plan_, i);
    if (!before) continue;
    const auto found = conflict_of(accesses[*before], early[i]);
    if (!found) continue;
    Fault fault{.verdict = Verdict::race, .kind = "stream_race"};
    fault.kernel = std::get<KernelLaunch>(plan_.steps[i]).kernel;
    fault.message = name_of_step(plan_.steps[i]) + " (step " + std::to_string(i + 1) +
                    ") may begin before " + name_of_step(plan_.steps[*before]) + " (step " +
                    std::to_string(*before + 1) +
                    ") has ended, does not wait for it (cudaGridDependencySynchronize), and " +
                    (found->both_write ? "both write " : "one of them writes ") +
                    memory_.describe(found->address, 1);
    report.faults = {std::move(fault)};
    return;
  }
}

void SimtReplay::note(simt::ByteUse use, simt::Address at, std::uint64_t bytes) {
  if (watched_) log_.note(use, at, bytes);
}

void SimtReplay::free_scratch() {
  for (std::size_t i = 0; i < live_.size(); ++i) {
    if (live_[i]) static_cast<void>(memory_.free(bases_[i]));
    live_[i] = false;
  }
}

simt::Checks SimtReplay::checks_of(const RunOptions& options) const {
  const bool less = options.timed && !options.all_checks;
  return less ? std::min(device_.checks_, simt::Checks::fast) : device_.checks_;
}

Status SimtReplay::step(const KernelLaunch& launch, const RunOptions& options, RunReport& report) {
  std::string parameters = launch.parameters;
  relocate(parameters, launch.pointers, bases_);
  simt::Launch request{.kernel = launch.kernel,
                       .grid = dim(launch.grid),
                       .block = dim(launch.block),
                       .dynamic_shared_bytes = launch.shared_bytes,
                       .params = std::as_bytes(std::span(parameters.data(), parameters.size())),
                       .cluster = dim(launch.cluster)};
  if (plan_.heap_bytes != 0) request.options.heap_bytes = plan_.heap_bytes;
  const std::uint64_t blocks = request.grid.count();
  request.options.checks = checks_of(options);
  request.options.engine = device_.engine_;
  request.options.threads = launch.cooperative ? 1 : threads_for(blocks);
  request.options.cooperative = launch.cooperative;
  // One block fits on every multiprocessor, or the launch fails.
  request.options.co_resident = static_cast<std::uint64_t>(device_.info_.facts.sm_count);
  request.options.log = watched_ ? &log_ : nullptr;
  request.options.early_log = watched_ && launch.overlaps ? &early_log_ : nullptr;
  request.options.schedule = options.schedule;
  request.options.max_warp_instructions =
      options.exact_work ? options.work - std::min(options.work, report.work) : options.work;
  // What products take is in their sums: a time is given up where these are too many.
  const simt::Kernel* kernel = module().module.program()->find(launch.kernel);
  request.options.exact_work =
      options.exact_work || (options.timed && kernel != nullptr && kernel->has_products);
  const auto run_once = [&]() { return device_.machine_.launch(module().module, request); };
  auto launched = options.may_sample && !launch.cooperative
                      ? launch_sampled(device_.machine_, module().module, request,
                                       one_way(options.poison_seed, "sample"), options.sample_times,
                                       [&] { return again_before(launch, options, report); })
                      : run_once();
  if (!launched.ok()) {
    report.faults.push_back({.verdict = Verdict::launch_error,
                             .kind = "invalid_launch",
                             .kernel = launch.kernel,
                             .message = launched.error().message});
    return {};
  }
  take_report(*launched, launch, options, report);
  return {};
}

namespace {

double written_bytes(const simt::LaunchReport& r) {
  if (r.blocks_run == 0) return 0;
  const double scale = static_cast<double>(r.blocks_total) / static_cast<double>(r.blocks_run);
  return scale *
         static_cast<double>(r.counts.global_store_bytes + sizeof(float) * r.counts.atomic_lanes);
}

}  // namespace

void SimtReplay::take_report(const simt::LaunchReport& launched, const KernelLaunch& launch,
                             const RunOptions& options, RunReport& report) {
  const std::string& source_file = module().source_file;
  for (const simt::Fault& fault : launched.faults) {
    Fault mapped = device::fault_of(fault, source_file);
    if (options.bound_is_enough && fault.kind == simt::FaultKind::timeout) {
      // Leaving such a size out would make a slow kernel look better than a fast one.
      const Finding finding{"lower_bound", mapped.line,
                            "more work than can be simulated: the largest times are lower bounds"};
      if (!has_finding(report.findings, finding)) report.findings.push_back(finding);
      report.complete = false;
      add_unchecked(report, {"not_run_to_its_end", mapped.message});
    } else if (is_only_a_finding(fault)) {
      const Finding finding{mapped.kind, mapped.line, mapped.message};
      if (!has_finding(report.findings, finding)) report.findings.push_back(finding);
    } else {
      report.faults.push_back(std::move(mapped));
    }
  }
  for (const simt::Unchecked& u : launched.unchecked) add_unchecked(report, u);
  if (checks_of(options) != simt::Checks::full)
    add_unchecked(report, {"races_and_unwritten_memory",
                           "kernel " + kernel_name(launch.kernel) +
                               " ran without the checks for races and for reads of memory that "
                               "nobody wrote"});
  if (launched.blocks_run < launched.blocks_total)
    add_unchecked(report,
                  {"blocks_left_out", "of the " + std::to_string(launched.blocks_total) +
                                          " blocks of kernel " + kernel_name(launch.kernel) +
                                          " only some were run"});
  report.lane_instructions += launched.counts.lane_instructions();
  report.warp_instructions += launched.counts.warp_instructions();
  report.work += launched.work;
  if (launched.blocks_run < launched.blocks_total) report.complete = false;
  const simt::Estimate estimate = simt::estimate(launched, spec_of(device_.info_.facts));
  if (options.timed) {
    report.elapsed_us += estimate.us;
    report.written_bytes += written_bytes(launched);
    for (Finding& finding : findings_of(launched, estimate, source_file)) {
      if (!has_finding(report.findings, finding)) report.findings.push_back(std::move(finding));
    }
    const Finding finding{
        "bottleneck", 0,
        "kernel " + kernel_name(launch.kernel) + ": " + describe_bottleneck(estimate)};
    if (!has_finding(report.findings, finding)) report.findings.push_back(finding);
  }
  if (options.keep_launches) report.launches.push_back({launch.kernel, launched, estimate});
  const bool known =
      std::any_of(report.resources.begin(), report.resources.end(),
                  [&](const KernelResources& r) { return r.kernel == launch.kernel; });
  if (known) return;
  report.resources.push_back({.kernel = launch.kernel,
                              .registers = static_cast<int>(launched.registers),
                              .shared_bytes = static_cast<int>(launched.shared_bytes),
                              .occupancy = estimate.occupancy});
}

/// Whether a buffer is there when a step wants it. Checked plans use live ones in the order asked
/// for; in another legal order an allocation or a free may be missing before it.
bool SimtReplay::is_there(const PlanAddress& address, RunReport& report) const {
  if (plan_.buffers[address.buffer].kind != BufferKind::scratch || live_[address.buffer]) {
    return true;
  }
  report.faults.push_back(
      {.verdict = Verdict::race,
       .kind = "stream_race",
       .message = "a copy, memset or free uses " + scratch_name(address.buffer) +
                  " in no order with its allocation or free on another stream"});
  return false;
}

Status SimtReplay::step(const Memset& set, const RunOptions& options, RunReport& report) {
  if (set.width == 0 || set.height == 0 || !is_there(set.destination, report)) return {};
  std::vector<std::byte> row(set.width * set.element_bytes);
  for (std::size_t at = 0; at < row.size(); at += set.element_bytes) {
    std::memcpy(row.data() + at, &set.value, set.element_bytes);
  }
  const simt::Address to = real(set.destination);
  for (std::uint64_t y = 0; y < set.height; ++y) {
    WW_CHECK(memory_.copy_in(to + y * set.pitch, row));
    note(simt::ByteUse::write, to + y * set.pitch, row.size());
  }
  if (options.timed) {
    report.elapsed_us += estimate_copy_us(row.size() * set.height, 1, device_.info_.facts);
    report.written_bytes += static_cast<double>(row.size() * set.height);
  }
  return {};
}

Status SimtReplay::step(const DeviceCopy& copy, const RunOptions& options, RunReport& report) {
  if (copy.width_bytes == 0) return {};
  if (!is_there(copy.destination, report) || !is_there(copy.source, report)) return {};
  const simt::Address to = real(copy.destination), from = real(copy.source);
  for (std::uint64_t y = 0; y < copy.height; ++y) {
    WW_CHECK(memory_.copy(to + y * copy.destination_pitch, from + y * copy.source_pitch,
                          copy.width_bytes));
    note(simt::ByteUse::write, to + y * copy.destination_pitch, copy.width_bytes);
    note(simt::ByteUse::read, from + y * copy.source_pitch, copy.width_bytes);
  }
  if (options.timed) {
    report.elapsed_us += estimate_copy_us(copy.width_bytes * copy.height, 2, device_.info_.facts);
    report.written_bytes += static_cast<double>(copy.width_bytes * copy.height);
  }
  return {};
}

Status SimtReplay::step(const Upload& upload, const RunOptions& options, RunReport& report) {
  if (upload.bytes.empty() || upload.height == 0 || !is_there(upload.destination, report)) {
    return {};
  }
  std::string bytes = upload.bytes;
  relocate(bytes, upload.pointers, bases_);
  const simt::Address to = real(upload.destination);
  const std::size_t width = bytes.size() / upload.height;
  for (std::uint64_t y = 0; y < upload.height; ++y) {
    WW_CHECK(memory_.copy_in(to + y * upload.pitch,
                             std::as_bytes(std::span(bytes.data() + y * width, width))));
    note(simt::ByteUse::write, to + y * upload.pitch, width);
  }
  if (options.timed) {
    report.elapsed_us += estimate_copy_us(bytes.size(), 2, device_.info_.facts);
  }
  return {};
}

Status SimtReplay::step(const Allocate& allocate, const RunOptions& options, RunReport& report) {
  const std::uint64_t bytes = plan_.buffers[allocate.buffer].bytes;
  auto address = memory_.allocate(bytes, scratch_name(allocate.buffer));
  if (!address.ok()) {
    report.faults.push_back(
        {.verdict = Verdict::launch_error,
         .kind = "out_of_memory",
         .message = "the device has not enough memory for a scratch buffer of " +
                    std::to_string(bytes) + " bytes"});
    return {};
  }
  bases_[allocate.buffer] = *address;
  live_[allocate.buffer] = true;
  note(simt::ByteUse::write, *address, bytes);
  return poison(*address, bytes, options.poison_seed + 1);
}

Status SimtReplay::step(const Free& free, const RunOptions&, RunReport& report) {
  if (!is_there({free.buffer, 0}, report)) return {};
  live_[free.buffer] = false;
  note(simt::ByteUse::write, bases_[free.buffer], plan_.buffers[free.buffer].bytes);
  return memory_.free(bases_[free.buffer]);
}

}  // namespace warpwright::device
