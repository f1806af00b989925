// SPDX-License-Identifier: Apache-2.0
#include "flops/service.h"

#include <algorithm>

#include "flops/dataflow.h"
#include "flops/launch_outcome.h"
#include "flops/runtime/protocol.h"
#include "flops/sampling.h"
#include "flops/special_operands.h"
#include "ptx/parser.h"

namespace warpwright::flop {

using ww_flops::Ask;
using ww_flops::Packer;
using ww_flops::Unpacker;

namespace {

std::string facts_text(const DeviceFacts& facts) {
  std::string text = "device " + facts.name + "\n";
  const auto add = [&text](std::string_view name, long long value) {
    text += std::string(name) + " " + std::to_string(value) + "\n";
  };
  add("compute_major", facts.compute_major);
  add("compute_minor", facts.compute_minor);
  add("sm_count", facts.sm_count);
  add("warp_size", facts.warp_size);
  add("max_threads_per_block", facts.max_threads_per_block);
  add("max_threads_per_sm", facts.max_threads_per_sm);
  add("max_blocks_per_sm", facts.max_blocks_per_sm);
  add("registers_per_sm", facts.registers_per_sm);
  add("shared_per_block_bytes", facts.shared_per_block_bytes);
  add("shared_per_block_optin_bytes", facts.shared_per_block_optin_bytes);
  add("shared_per_sm_bytes", facts.shared_per_sm_bytes);
  add("l2_bytes", facts.l2_bytes);
  add("memory_bytes", facts.memory_bytes);
  add("clock_khz", static_cast<long long>(facts.boost_clock_ghz * 1e6));
  constexpr int kBusBits = 320;
  add("memory_bus_bits", kBusBits);
  add("memory_clock_khz", static_cast<long long>(facts.memory_gb_per_s * 1e6 * 8 / kBusBits / 2));
  return text;
}

}  // namespace

/// One source's device code.
struct DeviceService::LoadedModule {
  explicit LoadedModule(const std::string& text) : LoadedModule(with_marks(text), 0) {}
  LoadedModule(const std::string& marked, int) : ptx(without_lines(marked)), costs(ptx) {
    const auto ast = ptx::parse_ptx(marked);
    if (!ast.ok()) return;
    places = places_in(*ast);
    traits = kernel_traits(*ast);
  }
  std::string ptx;
  CostTable costs;
  Places places;
  std::vector<KernelTraits> traits;
  std::optional<simt::Module> module;
  std::vector<simt::KernelFacts> kernels;
  std::vector<simt::VariableFacts> variables;
  std::string refusal;  ///< why it cannot be run

  [[nodiscard]] const simt::KernelFacts* find(std::string_view name) const {
    for (const simt::KernelFacts& kernel : kernels) {
      if (kernel.name == name) return &kernel;
    }
    return nullptr;
  }
  [[nodiscard]] const KernelTraits* traits_of(std::string_view name) const {
    for (const KernelTraits& each : traits) {
      if (each.kernel == name) return &each;
    }
    return nullptr;
  }
};

/// What has been run of one kernel.
struct DeviceService::Instance {
  std::string signature, name;
  std::uint64_t launches = 0;
  std::uint64_t repeated = 0;  ///< warp instructions behind the first launch
};

DeviceService::DeviceService(const std::vector<std::string>& ptx, DeviceFacts facts,
                             const RunLimits& limits, SharedArena& arena)
    : facts_(std::move(facts)),
      limits_(limits),
      arena_(arena),
      machine_(std::make_unique<simt::Machine>()),
      doubt_(machine_->memory()) {
  arena_.lay_under(machine_->memory());
  for (const std::string& text : ptx) {
    auto loaded = std::make_unique<LoadedModule>(text);
    if (!text.empty()) {
      auto module = simt::load(loaded->ptx);
      if (module.ok()) {
        loaded->module = *module;
        loaded->kernels = module->kernels();
        loaded->variables = module->variables();
      } else {
        loaded->refusal = module.error().message;
      }
    }
    modules_.push_back(std::move(loaded));
  }
}

DeviceService::~DeviceService() = default;

ServiceAnswer DeviceService::answer(std::uint32_t kind, std::string_view question) {
  switch (static_cast<Ask>(kind)) {
    case Ask::hello:
      return hello();
    case Ask::allocate:
      return allocate(question);
    case Ask::release:
      return release(question);
    case Ask::kernel:
      return kernel(question);
    case Ask::launch:
      return launch(question);
    case Ask::variable:
      return variable(question);
    case Ask::missing:
      return note(question);
    case Ask::available:
      return {0, Packer()
                     .u64(limits_.memory_bytes -
                          std::min(limits_.memory_bytes, machine_->memory().bytes_in_use()))
                     .bytes};
    case Ask::copied:
      return copied(question);
    case Ask::filled:
      return filled(question);
  }
  return {kInvalidValue, {}};
}

ServiceAnswer DeviceService::hello() const {
  return {0, Packer().u64(kArenaBytes).text(facts_text(facts_)).bytes};
}

ServiceAnswer DeviceService::allocate(std::string_view question) {
  Unpacker unpack(question);
  const std::uint64_t bytes = unpack.u64();
  const bool host_too = unpack.u32() != 0;
  if (!unpack.ok()) return {kInvalidValue, {}};
  const std::uint64_t in_use = machine_->memory().bytes_in_use();
  if (bytes > limits_.memory_bytes - std::min(limits_.memory_bytes, in_use)) {
    add_missing("memory of " + std::to_string(bytes) + " bytes: the device has " +
                std::to_string(limits_.memory_bytes) + ", " + std::to_string(in_use) +
                " are in use");
    return {kOutOfMemory, {}};
  }
  const auto address = machine_->memory().allocate(bytes, "device memory");
  if (!address.ok() || *address + bytes > simt::kGlobalBase + kArenaBytes)
    return {kOutOfMemory, {}};
  if (host_too) doubt_.shared_with_host(*address);
  return {0, Packer().u64(*address).bytes};
}

ServiceAnswer DeviceService::copied(std::string_view question) {
  Unpacker unpack(question);
  const std::uint64_t to = unpack.u64(), from = unpack.u64(), bytes = unpack.u64();
  if (unpack.ok()) doubt_.copied(to, from, bytes);
  return {};
}

ServiceAnswer DeviceService::filled(std::string_view question) {
  Unpacker unpack(question);
  const std::uint64_t at = unpack.u64(), bytes = unpack.u64();
  if (unpack.ok()) doubt_.filled(at, bytes);
  return {};
}

ServiceAnswer DeviceService::release(std::string_view question) {
  Unpacker unpack(question);
  const std::uint64_t address = unpack.u64();
  const simt::Allocation* allocation = machine_->memory().nearest(address);
  if (!unpack.ok() || allocation == nullptr || allocation->begin != address || !allocation->live)
    return {kInvalidValue, {}};
  const std::uint64_t bytes = allocation->size_bytes;
  if (!machine_->memory().free(address).ok()) return {kInvalidValue, {}};
  doubt_.released(address);
  arena_.forget(address - simt::kGlobalBase, bytes);
  return {};
}

DeviceService::LoadedModule* DeviceService::module_with(std::uint32_t number,
                                                        std::string_view kernel) {
  if (number < modules_.size()) return modules_[number].get();
  for (const auto& module : modules_) {
    if (module->find(kernel) != nullptr) return module.get();
  }
  return nullptr;
}

std::string DeviceService::refusal_of(const LoadedModule* module, const std::string& kernel) {
  if (module == nullptr) return "there is no kernel " + kernel;
  if (!module->module) return module->refusal;
  const Status runnable = module->module->runnable(kernel);
  return runnable.ok() ? "there is no kernel " + kernel : runnable.error().message;
}

ServiceAnswer DeviceService::kernel(std::string_view question) {
  Unpacker unpack(question);
  const std::uint32_t number = unpack.u32();
  const std::string name(unpack.text());
  const LoadedModule* module = module_with(number, name);
  const simt::KernelFacts* facts = module == nullptr ? nullptr : module->find(name);
  if (facts == nullptr) {
    add_missing("device code: " + refusal_of(module, name));
    return {kInvalidFunction, {}};
  }
  Packer answer;
  answer.u32(facts->max_threads == 0 ? 1024 : facts->max_threads).u32(facts->registers);
  answer.u32(facts->static_shared_bytes).u32(facts->local_bytes).u32(facts->param_bytes);
  answer.u32(static_cast<std::uint32_t>(facts->params.size()));
  for (const simt::ParamFacts& parameter : facts->params) {
    answer.u32(parameter.offset).u32(parameter.size_bytes);
  }
  return {0, answer.bytes};
}

ServiceAnswer DeviceService::variable(std::string_view question) {
  Unpacker unpack(question);
  const std::uint32_t number = unpack.u32();
  const std::string name(unpack.text());
  for (std::size_t i = 0; i < modules_.size(); ++i) {
    if (number < modules_.size() && number != i) continue;
    if (!modules_[i]->module) continue;
    for (const simt::VariableFacts& variable : modules_[i]->variables) {
      if (variable.name != name) continue;
      const auto address = machine_->address_of(*modules_[i]->module, name);
      if (!address.ok()) return {kOutOfMemory, {}};
      return {0, Packer().u64(*address).u64(variable.size_bytes).bytes};
    }
  }
  return {kInvalidSymbol, {}};
}

ServiceAnswer DeviceService::note(std::string_view question) {
  Unpacker unpack(question);
  const std::string_view text = unpack.text();
  if (unpack.ok()) add_missing(std::string(text));
  return {};
}

void DeviceService::add_missing(const std::string& what) {
  constexpr std::size_t kMost = 100;
  if (missing_.size() < kMost &&
      std::find(missing_.begin(), missing_.end(), what) == missing_.end())
    missing_.push_back(what);
}

void DeviceService::add_faults(const LoadedModule& module, const Instance& instance,
                               const std::vector<simt::Fault>& faults) {
  constexpr std::size_t kMost = 20;
  for (simt::Fault fault : faults) {
    // Its author knows names and lines of the source.
    fault.kernel = instance.signature;
    if (const auto place = module.places.find(fault.ptx_line);
        fault.line == 0 && place != module.places.end()) {
      const std::size_t colon = place->second.rfind(':');
      fault.file = place->second.substr(0, colon);
      fault.line = static_cast<std::uint32_t>(std::stoul(place->second.substr(colon + 1)));
    }
    const std::string text = fault.describe();
    if (faults_.size() < kMost && std::find(faults_.begin(), faults_.end(), text) == faults_.end())
      faults_.push_back(text);
  }
}

bool DeviceService::complete() const {
  std::uint64_t found = 0, kernels = 0;
  for (const auto& module : modules_) kernels += module->kernels.size();
  for (const auto& [key, instance] : instances_) {
    if (instance.launches >= limits_.counted) ++found;
  }
  return kernels != 0 && found == kernels;
}

ServiceAnswer DeviceService::launch(std::string_view question) {
  Unpacker unpack(question);
  const std::uint32_t number = unpack.u32();
  const std::string name(unpack.text());
  std::uint32_t sizes[6];
  for (std::uint32_t& size : sizes) size = unpack.u32();
  simt::Launch launch;
  launch.kernel = name;
  launch.grid = {sizes[0], sizes[1], sizes[2]};
  launch.block = {sizes[3], sizes[4], sizes[5]};
  launch.dynamic_shared_bytes = unpack.u32();
  launch.options.cooperative = unpack.u32() != 0;
  const std::string_view parameters = unpack.text();
  launch.params = std::as_bytes(std::span(parameters.data(), parameters.size()));
  if (!unpack.ok()) return {kInvalidValue, {}};
  LoadedModule* module = module_with(number, name);
  if (module == nullptr || module->find(name) == nullptr) return {kInvalidFunction, {}};
  if (runner_) return runner_(*machine_, *module->module, launch);
  return run(*module, launch);
}

ServiceAnswer DeviceService::run(LoadedModule& module, const simt::Launch& launch) {
  Instance& instance = instances_[{&module, std::string(launch.kernel)}];
  if (instance.signature.empty()) {
    instance.signature = signature_of(std::string(launch.kernel));
    instance.name = plain_name(instance.signature);
  }
  const Doubt::Launch reach{module.traits_of(launch.kernel), module.find(launch.kernel)->params,
                            launch.params};
  const bool doubtful = doubt_.reads(reach);
  const std::uint64_t index = instance.launches++;
  if (index > 0 && instance.repeated >= limits_.repeats) {
    ++left_out_;
    doubt_.spread(reach);
    return {};
  }
  const std::uint64_t budget = index == 0 ? limits_.first : limits_.repeats - instance.repeated;
  const auto ran = run_sampled(*machine_, *module.module, launch, module.costs, budget);
  if (!ran.ok()) {
    const std::string& message = ran.error().message;
    const bool cannot = message.find("not supported") != std::string::npos;
    if (cannot) add_missing("device code: " + message);
    if (!cannot) faults_.push_back(message);
    --instance.launches;
    return {cannot ? kLaunchFailure : kInvalidConfiguration, {}};
  }
  if (index > 0) instance.repeated += std::max<std::uint64_t>(ran->tally.warps, 1000);
  // What reads addresses or sizes that nobody computed may go anywhere.
  if (!doubtful) add_faults(module, instance, ran->faults);
  LaunchCount count = count_of(*ran);
  split(ran->tally, module.costs, module.places, count);
  count.kernel = instance.name;
  count.signature = instance.signature;
  count.launch = index;
  if (reach.traits != nullptr) count.traits = *reach.traits;
  count.grid = launch.grid;
  count.block = launch.block;
  const bool by_data = reach.traits == nullptr || reach.traits->diverges_by_data;
  if (doubtful && (by_data || doubt_.host() || !ran->faults.empty()))
    count.confidence = Confidence::bounded;
  if (doubtful || ran->blocks_run < ran->blocks || ran->cut_short) doubt_.spread(reach);
  if (index < limits_.counted) launches_.push_back(std::move(count));
  return {ran->faults.empty() || doubtful ? 0 : kIllegalAddress, {}};
}

}  // namespace warpwright::flop
