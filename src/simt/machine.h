// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "simt/module.h"
#include "simt/state/launch.h"
#include "simt/state/memory.h"
#include "simt/state/report.h"
#include "simt/state/schedule.h"
#include "simt/state/touched.h"

namespace warpwright::simt {

struct Heap;
class NativeCache;
struct LaunchState;

/// By "auto", "interpreted" or "compiled".
Result<Engine> engine_named(std::string_view name);

/// A device: memory and the modules loaded into it. One launch at a time.
class Machine {
 public:
  Machine();
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  [[nodiscard]] Memory& memory() { return memory_; }

  /// Gives the module's variables memory and their initial values; done by launch when needed.
  Status load(const Module& module);
  /// Restores the initial values of a module's variables.
  Status reset(const Module& module);
  /// The address of a `.global` or `.const` variable.
  Result<Address> address_of(const Module& module, std::string_view variable);

  /// Runs a kernel to its end. What the kernel did wrong is in the report; the error is for
  /// launches that cannot be made: no such kernel, bad sizes, parameters of the wrong length.
  Result<LaunchReport> launch(const Module& module, const Launch& launch);

 private:
  Status prepare_workspace(LaunchState& s);
  Status prepare_checks(LaunchState& s);
  Status write_initial(const Program& program, const std::vector<Address>& symbols);

  Memory memory_;
  TouchedSectors touched_;
  std::uint32_t launches_ = 0;
  std::unique_ptr<Heap> heap_;
  std::unique_ptr<NativeCache> native_;
  Address workspace_ = 0;  ///< with which cooperative grids synchronise
  std::map<const Program*, std::pair<std::shared_ptr<const Program>, std::vector<Address>>> loaded_;
};

}  // namespace warpwright::simt
