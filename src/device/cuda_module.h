// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/cuda_driver.h"
#include "device/device.h"

namespace warpwright::device {

/// A loaded module whose variables can be put back to what they were when it was loaded.
class CudaModule {
 public:
  CudaModule(const CudaDriver& driver, Code code) : driver_(driver), code_(std::move(code)) {}
  CudaModule(const CudaModule&) = delete;
  CudaModule& operator=(const CudaModule&) = delete;
  ~CudaModule();

  [[nodiscard]] const Code& code() const { return code_; }

  /// Loads the cubin, or the PTX where there is none for this GPU. A fault is the candidate's.
  Result<std::optional<Fault>> load();

  /// Forgets what is loaded without giving it back: the context is lost.
  void abandon();

  /// Queues copies that restore every variable. False when some variable has no address of its
  /// own: then the module must be loaded again.
  Result<bool> restore(CuStream stream);

  /// Null when there is no such kernel. Asked from the driver once.
  [[nodiscard]] CuFunction function(std::string_view name) const;
  [[nodiscard]] std::optional<CuAddress> variable(const std::string& name) const;

 private:
  Result<std::optional<Fault>> load_image();
  Status save_variables();
  void unload();

  struct Variable {
    CuAddress at = 0;
    std::uint64_t bytes = 0;
    CuAddress saved = 0;
  };
  const CudaDriver& driver_;
  Code code_;
  CuModule module_ = nullptr;
  std::vector<Variable> variables_;
  mutable std::map<std::string, CuFunction, std::less<>> functions_;
  bool all_addressable_ = true;
};

}  // namespace warpwright::device
