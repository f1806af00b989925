// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simt_device.h"
#include "device/simt_replay_conflicts.h"

namespace warpwright::device {

/// Walks a plan on the SIMT machine. Scratch buffers live exactly from their Allocate step to
/// their Free step, so that uses outside of it are seen. Steps without an order between them run
/// the other way round than they were asked for, except when timed, and must not touch the same
/// bytes.
class SimtReplay final : public Replay {
 public:
  SimtReplay(SimtDevice& device, ModuleId module, const LaunchPlan& plan,
             std::span<const Binding> bindings);
  Result<RunReport> run(const RunOptions& options) override;
  Status queue() override;

 private:
  Status reset(const RunOptions& options);
  Status set_buffers(const RunOptions& options);
  /// Everything as it was before this launch of the plan, where it is the first; else the report is
  /// told that results of earlier ones are gone.
  Status again_before(const KernelLaunch& at, const RunOptions& options, RunReport& report);
  Status poison(simt::Address at, std::uint64_t bytes, std::uint64_t seed);
  Status fill_output(simt::Address at, std::uint64_t bytes, const RunOptions& options);
  Status run_steps(const RunOptions& options, RunReport& report);
  Status step(const KernelLaunch& launch, const RunOptions& options, RunReport& report);
  Status step(const Memset& set, const RunOptions& options, RunReport& report);
  Status step(const DeviceCopy& copy, const RunOptions& options, RunReport& report);
  Status step(const Upload& upload, const RunOptions& options, RunReport& report);
  Status step(const Allocate& allocate, const RunOptions& options, RunReport& report);
  Status step(const Free& free, const RunOptions& options, RunReport& report);
  void free_scratch();
  bool is_there(const PlanAddress& address, RunReport& report) const;
  void blame_conflict(const PlanOrder& order, const std::vector<StepAccesses>& accesses,
                      RunReport& report) const;
  void blame_overlap(const std::vector<StepAccesses>& accesses,
                     const std::vector<StepAccesses>& early, RunReport& report) const;
  /// What a step other than a launch does to memory.
  void note(simt::ByteUse use, simt::Address at, std::uint64_t bytes);
  [[nodiscard]] simt::Checks checks_of(const RunOptions& options) const;
  void take_report(const simt::LaunchReport& launched, const KernelLaunch& launch,
                   const RunOptions& options, RunReport& report);
  [[nodiscard]] simt::Address real(const PlanAddress& address) const;
  [[nodiscard]] const SimtDevice::Loading& module() const;
  [[nodiscard]] std::string scratch_name(std::uint32_t buffer) const;

  SimtDevice& device_;
  simt::Memory& memory_;
  ModuleId module_;
  LaunchPlan plan_;
  std::vector<Binding> bindings_;
  std::vector<std::uint64_t> bases_;
  std::vector<bool> live_;     ///< scratch buffers
  bool watched_ = false;       ///< steps without an order between them are held against each other
  simt::AccessLog log_;        ///< of the step under way
  simt::AccessLog early_log_;  ///< the same, before the launch before it has ended
};

}  // namespace warpwright::device
