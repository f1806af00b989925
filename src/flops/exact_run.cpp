// SPDX-License-Identifier: Apache-2.0
#include "flops/exact_run.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "base/sha256.h"
#include "flops/launch_outcome.h"
#include "flops/runtime/protocol.h"

namespace warpwright::flop {

namespace {

using ww_flops::Ask;
using ww_flops::Unpacker;

constexpr std::size_t kMostFaults = 20;
constexpr std::uint64_t kMostFetched = 100'000;

/// The host writes into the shared memory without the machine's knowledge, so that only the machine
/// believes it to be unwritten. A race that changes nothing is none.
bool counts(simt::FaultKind kind) {
  return kind != simt::FaultKind::uninitialised_read && kind != simt::FaultKind::benign_race;
}

/// The device of one run.
class ExactDevice {
 public:
  ExactDevice(const BuiltProgram& program, const ExactRequest& request, SharedArena& arena)
      : request_(request),
        service_(program.ptx, request.run.target, without_end(request.run.limits), arena) {
    service_.run_by([this](simt::Machine& machine, const simt::Module& module,
                           const simt::Launch& launch) { return run(machine, module, launch); });
  }

  ServiceAnswer answer(std::uint32_t kind, std::string_view question) {
    if (static_cast<Ask>(kind) == Ask::copied) note_copy(question);
    return service_.answer(kind, question);
  }
  [[nodiscard]] bool over() const { return run_.over_budget; }

  ExactRun take() {
    run_.missing = service_.missing();
    return std::move(run_);
  }

 private:
  static RunLimits without_end(RunLimits limits) {
    limits.counted = std::numeric_limits<std::uint64_t>::max();
    return limits;
  }

  ServiceAnswer run(simt::Machine& machine, const simt::Module& module, const simt::Launch& given) {
    simt::Launch launch = given;
    launch.options.checks = request_.checks;
    launch.options.max_warp_instructions =
        request_.budget - std::min(request_.budget, run_.warp_instructions) + 1;
    const auto report = machine.launch(module, launch);
    if (!report.ok()) {
      const std::string& message = report.error().message;
      const bool cannot = message.find("not supported") != std::string::npos;
      note_fault(message);
      return {cannot ? kLaunchFailure : kInvalidConfiguration, {}};
    }
    ++run_.launches;
    run_.warp_instructions += report->counts.warp_instructions();
    // The machine looks at its own limit now and then.
    run_.over_budget = run_.over_budget || run_.warp_instructions > request_.budget;
    run_.printed += report->printed;
    bool stopped = false, asserted = false;
    for (const simt::Fault& fault : report->faults) {
      if (fault.kind == simt::FaultKind::timeout) run_.over_budget = true;
      if (!counts(fault.kind) || run_.over_budget) continue;
      run_.kinds.insert(fault.kind);
      note_fault(fault.describe());
      stopped = stopped || ends_program(fault.kind);
      asserted = asserted || fault.kind == simt::FaultKind::assertion;
    }
    return {asserted ? kAssertion : stopped ? kIllegalAddress : 0, {}};
  }

  void note_fault(const std::string& text) {
    auto& faults = run_.faults;
    if (faults.size() < kMostFaults &&
        std::find(faults.begin(), faults.end(), text) == faults.end())
      faults.push_back(text);
  }

  void note_copy(std::string_view question) {
    Unpacker unpack(question);
    const std::uint64_t to = unpack.u64(), from = unpack.u64(), bytes = unpack.u64();
    if (!unpack.ok() || to != 0 || run_.fetched.size() >= kMostFetched) return;
    const simt::Allocation* allocation = service_.memory().nearest(from);
    if (allocation == nullptr || !allocation->live || from >= allocation->end()) return;
    Fetched fetched;
    fetched.bytes = std::min(bytes, allocation->end() - from);
    const std::string_view data(reinterpret_cast<const char*>(service_.memory().host(from)),
                                fetched.bytes);
    fetched.digest = sha256_hex(data);
    if (kept_ + data.size() <= request_.kept_bytes) {
      fetched.data = data;
      kept_ += data.size();
    }
    run_.fetched.push_back(std::move(fetched));
  }

  const ExactRequest& request_;
  DeviceService service_;
  ExactRun run_;
  std::uint64_t kept_ = 0;
};

}  // namespace

Result<ExactRun> run_exactly(const sandbox::Sandbox& sandbox, const BuiltProgram& program,
                             const ExactRequest& request, const StopSignal* stop) {
  std::unique_ptr<ExactDevice> device;
  const auto make = [&](SharedArena& arena) -> Conversation {
    device = std::make_unique<ExactDevice>(program, request, arena);
    return {[&](std::uint32_t kind, std::string_view q) { return device->answer(kind, q); },
            [&] { return device->over(); }};
  };
  WW_TRY(ProcessExit exit, converse(sandbox, program, request.run, make, stop));
  ExactRun run = device->take();
  run.exit = std::move(exit);
  return run;
}

}  // namespace warpwright::flop
