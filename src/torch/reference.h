// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "core/task.h"
#include "sandbox/sandbox.h"
#include "verify/reference.h"

namespace warpwright::torch {

/// A task's reference.py in a Python process of its own, inside the sandbox: the module in float64,
/// on inputs that our generators made. The process starts at once and stays; small answers are kept
/// in `cache` by what they follow from. Where the machine has a GPU that torch can use, large calls
/// are computed there, by a second process; where that does not succeed, on the CPU.
class ModuleReference final : public verify::ExpectedSource {
 public:
  struct Options {
    std::filesystem::path cache;  ///< empty: nothing is kept
    double answer_s = 600;        ///< longest wait for one answer
    const StopSignal* stop = nullptr;
  };
  static Result<std::unique_ptr<ModuleReference>> open(const Task& task,
                                                       const sandbox::Sandbox& sandbox,
                                                       const Options& options);
  /// Tasks with the same key have the same reference.
  static std::string key_of(const Task& task);
  ~ModuleReference() override;
  ModuleReference(const ModuleReference&) = delete;
  ModuleReference& operator=(const ModuleReference&) = delete;

  /// An error is the module's: "reference.py:LINE: what".
  [[nodiscard]] Result<std::vector<verify::Expected>> run(
      const verify::Instance& instance, std::span<const verify::Bytes> inputs,
      verify::DeviceTurn* turn = nullptr) const override;
  /// The module itself, on the CPU; none of calls that are large.
  [[nodiscard]] Result<std::vector<verify::Bytes>> in_own_types(
      const verify::Instance& instance, std::span<const verify::Bytes> inputs) const override;
  /// Whether its process still answers.
  [[nodiscard]] bool alive() const;
  /// Where large calls were computed, and why not on a GPU; empty where there were none.
  [[nodiscard]] std::string remark() const override;

 private:
  class Asking;
  explicit ModuleReference(std::unique_ptr<Asking> asking);
  std::unique_ptr<Asking> asking_;
};

}  // namespace warpwright::torch
