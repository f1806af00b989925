// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "verify/generate.h"

namespace warpwright::verify {

/// What one output should be. Rules with wide references fill `wide` (and `scale`, where the rule
/// wants it); the others fill `native`, the bytes of the buffer itself.
struct Expected {
  std::vector<double, RawAllocator<double>> wide;
  std::vector<double> scale;
  Bytes native;
};

/// The rule whose integers are compared with real numbers.
inline constexpr std::string_view kRoundedRule = "rounded";

/// The parameter list that reference.cpp must have for this task, in order:
///   input   const T* NAME        (f16 and bf16 arrive as const float*)
///   output  double* NAME for rules with wide references (of integers: kRoundedRule alone), else
///           T* NAME; then, for rules that want a scale, double* NAME_scale
///   inout   const T* NAME_in, then as an output
///   scalar  T NAME
std::string reference_signature(const Task& task);

/// The judge's GPU, for somebody who does not hold it.
class DeviceTurn {
 public:
  virtual ~DeviceTurn() = default;
  /// Waits for it. Each is followed by give_back().
  virtual Status take() = 0;
  virtual void give_back() = 0;
};

/// Where expected values come from. run() is safe to call from several threads.
class ExpectedSource {
 public:
  virtual ~ExpectedSource() = default;
  /// One Expected per argument; empty for all but outputs. `inputs` as from generate_inputs. A
  /// source that computes on the judge's GPU takes its turn there, for as long as it must; none is
  /// for a caller who holds the GPU, or whose questions need none.
  [[nodiscard]] virtual Result<std::vector<Expected>> run(const Instance& instance,
                                                          std::span<const Bytes> inputs,
                                                          DeviceTurn* turn = nullptr) const = 0;
  /// Outputs by argument, computed by somebody else in the task's own types, roundings included;
  /// none where nobody does. For results that are wrong: see is_rounding.
  [[nodiscard]] virtual Result<std::vector<Bytes>> in_own_types(
      const Instance& /*instance*/, std::span<const Bytes> /*inputs*/) const {
    return std::vector<Bytes>{};
  }
  /// What a reader of the verdict should know of how they came about; empty as a rule.
  [[nodiscard]] virtual std::string remark() const { return {}; }
};

/// Whether the rule of this output compares doubles, else the bytes of the buffer itself.
bool compares_doubles(const Task& task, const TaskArgument& output);

/// A task's reference.cpp, compiled by the host's C++ compiler and loaded. The code is trusted: it
/// is ours or the user's own.
class Reference final : public ExpectedSource {
 public:
  struct Options {
    std::filesystem::path cache;  ///< compiled references are kept here, by content
    std::string compiler = "g++";
    std::vector<std::string> flags = {"-O3"};
  };
  /// Compiles, or finds it in the cache. An error holds what the compiler said.
  static Result<Reference> load(const Task& task, const Options& options);
  Reference(Reference&& other) noexcept;
  Reference& operator=(Reference&&) = delete;
  ~Reference() override;

  [[nodiscard]] Result<std::vector<Expected>> run(const Instance& instance,
                                                  std::span<const Bytes> inputs,
                                                  DeviceTurn* turn = nullptr) const override;

 private:
  explicit Reference(void* library, void* entry) : library_(library), entry_(entry) {}
  void* library_;
  void* entry_;
};

/// Outputs of a trusted kernel as expected values, for tasks without a reference.
Result<std::vector<Expected>> expected_from_outputs(const Instance& instance,
                                                    std::span<const Bytes> outputs);

/// Element i of a buffer as a double.
double element_as_double(ElementType type, std::span<const std::byte> buffer, std::size_t i);

}  // namespace warpwright::verify
