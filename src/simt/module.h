// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warpwright::simt {

struct Program;

/// One parameter of a kernel in the launch's parameter bytes.
struct ParamFacts {
  std::uint32_t size_bytes = 0;
  std::uint32_t offset = 0;
  std::uint32_t align = 1;
};

struct KernelFacts {
  std::string name;
  std::vector<ParamFacts> params;
  std::uint32_t param_bytes = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t local_bytes = 0;  ///< per thread
  std::uint32_t registers = 0;    ///< estimate per thread, for occupancy
  std::uint32_t max_threads = 0;  ///< of a block, from launch bounds; 0: none given
  std::uint32_t instructions = 0;
};

/// A `.global` or `.const` variable.
struct VariableFacts {
  std::string name;
  std::uint64_t size_bytes = 0;
  bool is_constant = false;
};

/// PTX that has been read, checked and decoded. Immutable; copies share one program.
class Module {
 public:
  [[nodiscard]] std::vector<KernelFacts> kernels() const;
  [[nodiscard]] std::vector<VariableFacts> variables() const;
  /// Kernels that the text has but the machine cannot run, with the reason.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& refused() const;
  [[nodiscard]] std::string_view target() const;
  /// Fails for a kernel that the text has but the machine cannot run, naming the instruction.
  [[nodiscard]] Status runnable(std::string_view kernel) const;
  [[nodiscard]] const std::shared_ptr<const Program>& program() const { return program_; }

 private:
  friend Result<Module> load(std::string_view ptx);
  explicit Module(std::shared_ptr<const Program> program) : program_(std::move(program)) {}
  std::shared_ptr<const Program> program_;
};

/// Reads PTX. Whatever the machine cannot run exactly is refused by name and PTX line: here when no
/// kernel of the text can run, else when such a kernel is asked for.
Result<Module> load(std::string_view ptx);

}  // namespace warpwright::simt
