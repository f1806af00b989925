// SPDX-License-Identifier: Apache-2.0
#include "verify/oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/one_way.h"
#include "verify/device_reference.h"

namespace warpwright::verify {

namespace {

constexpr std::uint64_t kThreads = 256;
constexpr std::uint64_t kBlocksPerSm = 8;

bool comes_as_float(ElementType type) {
  return type == ElementType::f16 || type == ElementType::bf16;
}

bool is_written(const TaskArgument& argument) {
  return argument.role == ArgumentRole::output || argument.role == ArgumentRole::inout;
}

bool needs_no_reference(std::string_view rule) {
  return rule == "order_multiset" || rule == "freivalds_samples";
}

}  // namespace

bool has_device_checks(const Task& task) {
  if (!task.device_reference_source.empty()) return true;
  std::vector<const InputVariant*> variants = {nullptr};
  for (const auto& variant : task.variants) variants.push_back(&variant);
  for (const InputVariant* variant : variants) {
    for (const auto& argument : task.arguments) {
      if (is_written(argument) && !needs_no_reference(check_for(task, variant, argument).rule))
        return false;
    }
  }
  return true;
}

Result<Oracle> Oracle::make(device::Device& device, const OracleCode& code) {
  Oracle oracle(device);
  const auto load = [&](const device::Code& from, device::ModuleId& to) -> Status {
    WW_TRY(const device::Loaded loaded, device.load_own(from));
    if (loaded.fault) return Error{"loading the judge's own code: " + loaded.fault->message};
    to = loaded.module;
    return {};
  };
  WW_CHECK(load(code.kernels, oracle.kernels_));
  if (!code.reference.ptx.empty() || !code.reference.cubin.empty())
    WW_CHECK(load(code.reference, oracle.reference_));
  return oracle;
}

std::uint32_t Oracle::blocks_for(std::uint64_t elements) const {
  const auto most =
      static_cast<std::uint64_t>(std::max(device_->info().facts.sm_count, 1)) * kBlocksPerSm;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>((elements + kThreads - 1) / kThreads, 1, most));
}

OracleCase::OracleCase(const Oracle& oracle, const Options& options)
    : oracle_(&oracle), device_(&oracle.device()), options_(options) {}

OracleCase::~OracleCase() {
  reference_.reset();
  if (failed_.distribution) distributions_.push_back(failed_.distribution);
  const std::set<std::shared_ptr<const Distribution>> once(distributions_.begin(),
                                                           distributions_.end());
  for (const auto& distribution : once) drop(*distribution);
  for (const auto buffer : all_) device_->release(buffer);
}

void OracleCase::drop(const Distribution& distribution) {
  for (const auto buffer : distribution.taken) device_->release(buffer);
}

Result<std::unique_ptr<OracleCase>> OracleCase::make(const Oracle& oracle, const Instance& instance,
                                                     const LaunchPlan* reference,
                                                     const Options& options) {
  std::unique_ptr<OracleCase> made(new OracleCase(oracle, options));
  made->task_ = instance.task;
  WW_CHECK(made->allocate(instance));
  WW_TRY(const bool wanted, needs_expected(instance));
  if (wanted && options.checks && reference != nullptr && oracle.reference() >= 0)
    WW_CHECK(made->bind_reference(*reference));
  WW_CHECK(made->add(instance));
  return made;
}

Result<device::BufferId> OracleCase::take(std::uint64_t bytes, std::string_view name, bool secret) {
  bytes = std::max<std::uint64_t>(bytes, 1);
  WW_TRY(const auto buffer, device_->allocate(bytes, name));
  all_.push_back(buffer);
  bytes_ += bytes;
  if (secret) secrets_.push_back({device_->address(buffer), bytes});
  return buffer;
}

Result<std::uint64_t> OracleCase::bytes_for(const Task& task, const Values& values) {
  constexpr std::uint64_t kSmallThings = std::uint64_t{1} << 20;
  std::uint64_t bytes = kSmallThings;
  for (const auto& parameter : device_reference_parameters(task)) {
    using Kind = ReferenceParameter::Kind;
    if (parameter.kind == Kind::scalar || parameter.kind == Kind::choice) continue;
    const auto& argument = task.arguments[parameter.argument];
    WW_TRY(const std::uint64_t count, element_count(argument, values));
    const bool wide = parameter.kind == Kind::wide || parameter.kind == Kind::scale;
    bytes += count * (wide ? sizeof(double) : std::max<std::size_t>(bytes_of(argument.type), 4));
    if (parameter.kind == Kind::wide || parameter.kind == Kind::native)
      bytes += count * bytes_of(argument.type);
  }
  return bytes;
}

/// Copies of all inputs, expected values of all outputs, and the records.
Status OracleCase::allocate(const Instance& instance) {
  const auto& arguments = task_->arguments;
  for (auto* list : {&copies_, &expected_, &scales_, &kept_}) list->assign(arguments.size(), -1);
  wide_.assign(arguments.size(), false);
  counts_.assign(arguments.size(), 0);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!is_buffer(arguments[i])) continue;
    WW_TRY(counts_[i], element_count(arguments[i], instance.values));
    const std::uint64_t bytes = counts_[i] * bytes_of(arguments[i].type);
    if (!options_.checks) continue;
    if (!arguments[i].distribution.empty()) {
      WW_TRY(copies_[i], take(comes_as_float(arguments[i].type) ? 2 * bytes : bytes, "copy", true));
    }
    if (!is_written(arguments[i])) continue;
    outputs_.push_back(i);
    if (options_.keep) {
      WW_TRY(kept_[i], take(bytes, "kept", false));
    }
  }
  WW_TRY(choice_, take(2 * sizeof(std::uint64_t), "choice", true));
  WW_TRY(records_,
         take(options_.calls * (1 + outputs_.size()) * sizeof(CheckRecord), "records", false));
  WW_TRY(owner_, take(sizeof(std::uint64_t), "owner", false));
  WW_CHECK(device_->clear(records_));
  return device_->clear(owner_);
}

Status OracleCase::bind_reference(const LaunchPlan& plan) {
  using Kind = ReferenceParameter::Kind;
  std::vector<device::Binding> bindings;
  for (const auto& parameter : device_reference_parameters(*task_)) {
    const std::size_t i = parameter.argument;
    device::Binding binding;
    if (parameter.kind == Kind::input) binding.buffer = copies_[i];
    if (parameter.kind == Kind::choice) binding.buffer = choice_;
    if (parameter.kind == Kind::native) {
      WW_TRY(expected_[i], take(counts_[i] * bytes_of(task_->arguments[i].type), "expected", true));
      binding.buffer = expected_[i];
    } else if (parameter.kind == Kind::wide) {
      WW_TRY(expected_[i], take(counts_[i] * sizeof(double), "expected", true));
      wide_[i] = true;
      binding.buffer = expected_[i];
    } else if (parameter.kind == Kind::scale) {
      WW_TRY(scales_[i], take(counts_[i] * sizeof(double), "scale", true));
      binding.buffer = scales_[i];
    }
    bindings.push_back(binding);
  }
  WW_TRY(reference_, device_->prepare(oracle_->reference(), plan, bindings));
  return {};
}

Result<std::size_t> OracleCase::add(const Instance& instance) {
  Distribution made;
  made.instance = instance;
  std::vector<Recipe> recipes(task_->arguments.size());
  for (std::size_t i = 0; i < recipes.size(); ++i) {
    if (task_->arguments[i].distribution.empty()) continue;
    WW_TRY(recipes[i], make_recipe(instance, i));
    if (recipes[i].n != counts_[i])
      return Error{"another distribution of a case must have the same sizes"};
  }
  const std::size_t taken = all_.size(), secrets = secrets_.size();
  WW_TRY(made.recipes, take(recipes.size() * sizeof(Recipe), "recipes", false));
  WW_CHECK(device_->upload(made.recipes, std::as_bytes(std::span(recipes))));
  for (const std::size_t argument : outputs_) {
    WW_TRY(Output output, output_of(instance, argument));
    made.needs_expected = made.needs_expected || output.needs_expected;
    made.outputs.push_back(output);
  }
  if (made.needs_expected && reference_ == nullptr)
    return Error{fmt::format("the task '{}' has no reference.cu", task_->name)};
  made.taken.assign(all_.begin() + static_cast<std::ptrdiff_t>(taken), all_.end());
  made.secrets.assign(secrets_.begin() + static_cast<std::ptrdiff_t>(secrets), secrets_.end());
  all_.resize(taken);
  secrets_.resize(secrets);
  distributions_.push_back(std::make_shared<const Distribution>(std::move(made)));
  return distributions_.size() - 1;
}

namespace {

struct Jobs {
  GenerateCall call{};
  std::uint32_t count = 0;
  std::uint64_t largest = 0;

  void add(const GenerateJob& job) {
    call.job[count++] = job;
    largest = std::max(largest, job.count);
  }
};

}  // namespace

Status OracleCase::fresh_inputs(std::span<const device::BufferId> buffers, std::uint64_t seed,
                                std::size_t distribution) {
  const std::uint64_t recipes = device_->address(distributions_.at(distribution)->recipes);
  Jobs jobs;
  const auto launch = [&]() -> Status {
    if (jobs.count == 0) return {};
    jobs.call.key = one_way(seed, "inputs");
    WW_CHECK(oracle_->launch("oracle_generate", {oracle_->blocks_for(jobs.largest), jobs.count, 1},
                             jobs.call));
    jobs = {};
    return {};
  };
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (task_->arguments[i].distribution.empty()) continue;
    jobs.add({recipes + i * sizeof(Recipe), device_->address(buffers[i]), 0, counts_[i]});
    if (jobs.count == kMostJobs) WW_CHECK(launch());
  }
  return launch();
}

Status OracleCase::regenerate(std::span<const device::BufferId> buffers, const Done& done,
                              std::uint64_t record) {
  const std::uint64_t recipes = device_->address(done.distribution->recipes);
  Jobs jobs;
  const auto launch = [&]() -> Status {
    if (jobs.count == 0) return {};
    jobs.call.key = one_way(done.seed, "inputs");
    jobs.call.record = record;
    jobs.call.choice = device_->address(choice_);
    jobs.call.secret = one_way(done.challenge.secret, "choice");
    jobs.call.portion = done.challenge.portion;
    WW_CHECK(oracle_->launch("oracle_regenerate",
                             {oracle_->blocks_for(jobs.largest), jobs.count, 1}, jobs.call));
    jobs = {};
    return {};
  };
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    if (copies_[i] < 0) continue;
    const bool kept = !buffers.empty() && task_->arguments[i].role == ArgumentRole::input;
    jobs.add({recipes + i * sizeof(Recipe), kept ? device_->address(buffers[i]) : 0,
              device_->address(copies_[i]), counts_[i]});
    if (jobs.count == kMostJobs) WW_CHECK(launch());
  }
  return launch();
}

Status OracleCase::run_reference(const Distribution& distribution) {
  if (!distribution.needs_expected) return {};
  return reference_->queue();
}

std::uint64_t OracleCase::record_at(std::size_t slot, std::size_t which) const {
  return device_->address(records_) + (slot * (1 + outputs_.size()) + which) * sizeof(CheckRecord);
}

Status OracleCase::check(std::span<const device::BufferId> buffers, std::uint64_t seed,
                         const Challenge& challenge, std::size_t distribution) {
  ASSERT(options_.checks, "a case that only makes inputs");
  ASSERT(calls_.size() < options_.calls, "collect() before more calls are checked");
  const std::size_t slot = calls_.size();
  const Done& done = calls_.emplace_back(Done{seed, challenge, distributions_.at(distribution)});
  const std::uint64_t secret = challenge.secret;
  const Distribution& chosen = *done.distribution;
  WW_CHECK(regenerate(buffers, done, record_at(slot, 0)));
  WW_CHECK(run_reference(chosen));
  for (std::size_t k = 0; k < chosen.outputs.size(); ++k) {
    WW_CHECK(check_output(chosen.outputs[k], buffers[chosen.outputs[k].argument],
                          record_at(slot, 1 + k), one_way(secret, "challenge", k)));
  }
  WW_CHECK(keep(buffers, record_at(slot, 0), collected_ + slot));
  return scrub(chosen, one_way(secret, "scrub"));
}

Status OracleCase::keep(std::span<const device::BufferId> buffers, std::uint64_t record,
                        std::uint64_t number) {
  if (!options_.keep) return {};
  KeepCall call{.records = record,
                .count = 1 + outputs_.size(),
                .owner = device_->address(owner_),
                .call = number};
  std::uint64_t bytes = 0;
  for (const std::size_t i : outputs_) {
    ASSERT(call.jobs < kMostJobs, "a task of fewer outputs");
    const std::uint64_t size = counts_[i] * bytes_of(task_->arguments[i].type);
    call.job[call.jobs++] = {device_->address(buffers[i]), device_->address(kept_[i]), size};
    bytes += size;
  }
  return oracle_->launch("oracle_keep", {oracle_->blocks_for(bytes / 4), 1, 1}, call);
}

Status OracleCase::scrub(const Distribution& distribution, std::uint64_t key) {
  std::vector<ScrubRange> ranges = secrets_;
  ranges.insert(ranges.end(), distribution.secrets.begin(), distribution.secrets.end());
  std::size_t done = 0;
  while (done < ranges.size()) {
    ScrubCall call{.key = key};
    const std::size_t count = std::min(std::size(call.range), ranges.size() - done);
    std::uint64_t largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
      call.range[i] = ranges[done + i];
      largest = std::max(largest, call.range[i].bytes);
    }
    WW_CHECK(oracle_->launch(
        "oracle_scrub", {oracle_->blocks_for(largest / 16), static_cast<std::uint32_t>(count), 1},
        call));
    done += count;
  }
  return {};
}

/// The first changed input: oracle_regenerate sets a bit per job.
std::size_t OracleCase::changed(const CheckRecord& record) const {
  int job = 0;
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    if (copies_[i] >= 0 && ((record.sum[0] >> (job++ % kMostJobs)) & 1) != 0) return i;
  }
  return 0;
}

Result<std::vector<CallFailure>> OracleCase::collect() {
  const std::size_t width = 1 + outputs_.size();
  // One record at least, so that this waits for whatever is queued.
  std::vector<CheckRecord> records(std::max<std::size_t>(calls_.size() * width, 1));
  WW_CHECK(device_->download(std::as_writable_bytes(std::span(records)), records_));
  std::vector<CallFailure> failures;
  for (std::size_t at = 0; at < calls_.size() * width; ++at) {
    if (records[at].failed == 0) continue;
    const std::size_t which = at % width;
    if (failures.empty() && !failed_call_) {
      // Nobody asks for an earlier one any more; that of make() stays anyway.
      const auto& before = failed_.distribution;
      const bool gone = before && before != distributions_.front();
      if (gone && before != calls_[at / width].distribution) drop(*before);
      failed_ = calls_[at / width];
      failed_call_ = collected_ + at / width;
    }
    failures.push_back({.call = collected_ + at / width,
                        .argument = which == 0 ? changed(records[at]) : outputs_[which - 1],
                        .changed_input = which == 0,
                        .record = records[at]});
  }
  collected_ += calls_.size();
  calls_.clear();
  while (distributions_.size() > 1) {
    if (distributions_.back() != failed_.distribution) drop(*distributions_.back());
    distributions_.pop_back();
  }
  WW_CHECK(device_->clear(records_));
  return failures;
}

Result<std::vector<Expected>> OracleCase::download_expected() {
  std::vector<Expected> expected(task_->arguments.size());
  for (const std::size_t i : outputs_) {
    if (expected_[i] < 0) continue;
    if (wide_[i]) {
      expected[i].wide.resize(counts_[i]);
      WW_CHECK(
          device_->download(std::as_writable_bytes(std::span(expected[i].wide)), expected_[i]));
    } else {
      expected[i].native.resize(counts_[i] * bytes_of(task_->arguments[i].type));
      WW_CHECK(device_->download(expected[i].native, expected_[i]));
    }
    if (scales_[i] < 0) continue;
    expected[i].scale.resize(counts_[i]);
    WW_CHECK(device_->download(std::as_writable_bytes(std::span(expected[i].scale)), scales_[i]));
  }
  return expected;
}

Result<std::optional<Mismatch>> OracleCase::host_opinion() {
  Instance instance = failed_.distribution->instance;
  instance.seed = failed_.seed;
  WW_TRY(const bool with_expected, needs_expected(instance));
  if (!options_.keep || (with_expected && reference_ == nullptr)) return std::optional<Mismatch>{};
  // Rows that the check may have left out count here: the host's rule knows of none.
  Done whole = failed_;
  whole.challenge.portion = Challenge{}.portion;
  WW_CHECK(regenerate({}, whole, record_at(0, 0)));
  if (with_expected) WW_CHECK(reference_->queue());
  WW_TRY(const auto expected, download_expected());
  WW_CHECK(scrub(*whole.distribution, one_way(whole.challenge.secret, "scrub", 1)));
  WW_TRY(const auto inputs, generate_inputs(instance));
  std::vector<Bytes> outputs(task_->arguments.size());
  for (const std::size_t i : outputs_) {
    outputs[i].resize(counts_[i] * bytes_of(task_->arguments[i].type));
    WW_CHECK(device_->download(outputs[i], kept_[i]));
  }
  return check_outputs(instance, inputs, expected, outputs);
}

Result<Mismatch> OracleCase::explain(const CallFailure& failure) {
  if (failed_call_ == failure.call) {
    WW_TRY(auto said, host_opinion());
    failed_call_.reset();
    WW_CHECK(device_->clear(owner_));
    if (said) return std::move(*said);
  }
  // Sums in another order may fall on the other side of a bound; the device's word stands.
  const auto& argument = task_->arguments[failure.argument];
  Mismatch mismatch{
      .argument = argument.name, .wrong = failure.record.wrong, .total = counts_[failure.argument]};
  mismatch.message = fmt::format("'{}' is wrong", argument.name);
  if (failure.record.wrong > 0) {
    mismatch.message += fmt::format(" in {} places; the first is index {}", failure.record.wrong,
                                    ~failure.record.first);
  }
  mismatch.message += ".";
  return mismatch;
}

}  // namespace warpwright::verify
