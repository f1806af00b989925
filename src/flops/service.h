// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/device_facts.h"
#include "flops/count.h"
#include "flops/doubt.h"
#include "flops/shared_arena.h"
#include "simt/machine.h"

namespace warpwright::flop {

/// How much of a program's launches is run. Warp instructions, so that results do not depend on
/// how busy the host is.
struct RunLimits {
  std::uint64_t first = 60'000'000;    ///< of a kernel's first launch, then blocks are sampled
  std::uint64_t repeats = 15'000'000;  ///< of all its later launches, then they are left out
  std::uint64_t counted = 16;          ///< launches of a kernel that are reported
  std::uint64_t memory_bytes = std::uint64_t{10} << 30;
};

/// The answer to one question of the program.
struct ServiceAnswer {
  std::int32_t error = 0;
  std::string bytes;
};

/// The device that a program talks to: memory that it shares, and a SIMT machine that runs and
/// counts its launches. What the program says may be anything.
class DeviceService {
 public:
  DeviceService(const std::vector<std::string>& ptx, DeviceFacts facts, const RunLimits& limits,
                SharedArena& arena);
  ~DeviceService();
  DeviceService(const DeviceService&) = delete;
  DeviceService& operator=(const DeviceService&) = delete;

  ServiceAnswer answer(std::uint32_t kind, std::string_view question);

  /// Another way to run launches than the service's own, which counts and samples them.
  using LaunchRunner = std::function<ServiceAnswer(
      simt::Machine& machine, const simt::Module& module, const simt::Launch& launch)>;
  void run_by(LaunchRunner runner) { runner_ = std::move(runner); }
  [[nodiscard]] simt::Memory& memory() { return machine_->memory(); }

  [[nodiscard]] const std::vector<LaunchCount>& launches() const { return launches_; }
  /// What the program asked for and did not get.
  [[nodiscard]] const std::vector<std::string>& missing() const { return missing_; }
  /// What its kernels did wrong.
  [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }
  /// Whether every kernel has been launched as often as is reported: nothing more is to come.
  [[nodiscard]] bool complete() const;
  /// Launches that were not run.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

 private:
  struct LoadedModule;
  struct Instance;

  ServiceAnswer hello() const;
  ServiceAnswer allocate(std::string_view question);
  ServiceAnswer release(std::string_view question);
  ServiceAnswer kernel(std::string_view question);
  ServiceAnswer launch(std::string_view question);
  ServiceAnswer variable(std::string_view question);
  ServiceAnswer note(std::string_view question);
  ServiceAnswer copied(std::string_view question);
  ServiceAnswer filled(std::string_view question);

  static std::string refusal_of(const LoadedModule* module, const std::string& kernel);
  LoadedModule* module_with(std::uint32_t number, std::string_view kernel);
  ServiceAnswer run(LoadedModule& module, const simt::Launch& launch);
  void add_missing(const std::string& what);
  void add_faults(const LoadedModule& module, const Instance& instance,
                  const std::vector<simt::Fault>& faults);

  DeviceFacts facts_;
  RunLimits limits_;
  SharedArena& arena_;
  std::unique_ptr<simt::Machine> machine_;
  LaunchRunner runner_;
  std::vector<std::unique_ptr<LoadedModule>> modules_;
  std::map<std::pair<const LoadedModule*, std::string>, Instance> instances_;
  std::vector<LaunchCount> launches_;
  std::vector<std::string> missing_, faults_;
  std::uint64_t left_out_ = 0;
  Doubt doubt_;
};

}  // namespace warpwright::flop
