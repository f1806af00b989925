// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>

#include "evaluate/oracle_code.h"
#include "sandbox/sandbox.h"
#include "suite/load.h"
#include "support/places.h"
#include "support/share.h"
#include "verify/bench_case.h"

namespace warpwright::verify {

template <class T>
T must(Result<T> result) {
  if (!result.ok()) ADD_FAILURE() << result.error().message;
  return std::move(result).value();
}

inline const build::Builder& builder() {
  static const build::Builder instance =
      must(build::Builder::create(must(sandbox::Sandbox::open()), build::find_toolchain(),
                                  {.cache = build_path("/tests/oracle_cache")}));
  return instance;
}

/// Their references take minutes to compile.
inline std::vector<std::string> tasks_here() { return some_of(suite::embedded_task_names(), 6); }

/// The oracle of one task on the SIMT machine.
class OracleBed {
 public:
  explicit OracleBed(const Task& task, CheckLevel checks = "fast")
      : task_(task),
        resolved_(must(device::resolve_device({.device = "simt", .checks = checks}))),
        device_(must(device::open_device(resolved_, 0))),
        built_(must(
            evaluate::build_oracle(builder(), task, resolved_.facts, build::FrontEnd::automatic))),
        oracle_(must(Oracle::make(*device_, built_.code))) {}

  std::unique_ptr<OracleCase> open(const Instance& instance,
                                   const OracleCase::Options& options = {}) {
    const auto plans = record({instance.values});
    return open(instance, plans.empty() ? nullptr : &plans[0], options);
  }
  /// With what the reference launches at this size.
  std::unique_ptr<OracleCase> open(const Instance& instance, const LaunchPlan* plan,
                                   const OracleCase::Options& options = {}) {
    return must(OracleCase::make(oracle_, instance, plan, options));
  }
  std::vector<LaunchPlan> record(const std::vector<Values>& values) {
    return must(evaluate::record_reference(builder(), built_, task_, values, resolved_.facts));
  }

  /// One per argument, negative for scalars.
  std::vector<device::BufferId> buffers(const Instance& instance) {
    std::vector<device::BufferId> list;
    for (const auto& argument : task_.arguments) {
      if (!is_buffer(argument)) {
        list.push_back(-1);
        continue;
      }
      const auto count = must(element_count(argument, instance.values));
      list.push_back(must(device_->allocate(count * bytes_of(argument.type), argument.name)));
    }
    return list;
  }

  Bytes content(device::BufferId buffer, std::size_t bytes) {
    Bytes result(bytes);
    EXPECT_TRUE(device_->download(result, buffer).ok());
    return result;
  }

  device::Device& device() { return *device_; }

 private:
  const Task& task_;
  device::ResolvedDevice resolved_;
  std::unique_ptr<device::Device> device_;
  evaluate::BuiltOracle built_;
  Oracle oracle_;
};

}  // namespace warpwright::verify
