// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "device/device.h"
#include "verify/check.h"
#include "verify/generate.h"
#include "verify/oracle/calls.h"

namespace warpwright::verify {

/// The judge's own code, compiled.
struct OracleCode {
  device::Code kernels;    ///< of oracle_source()
  device::Code reference;  ///< of device_reference_program(); empty for a task without one
};

/// Whether calls of this task can be checked on the device: it has a reference.cu, or its rules
/// need none. Otherwise outputs have to be fetched.
bool has_device_checks(const Task& task);

/// Makes inputs and checks outputs on the device. It and its cases must not outlive the device's
/// hold on its modules (Device::detach).
class Oracle {
 public:
  static Result<Oracle> make(device::Device& device, const OracleCode& code);

  [[nodiscard]] device::Device& device() const { return *device_; }
  [[nodiscard]] device::ModuleId reference() const { return reference_; }
  /// Queues one of the kernels of oracle.cu. `call` is its plain parameter.
  template <class Call>
  Status launch(std::string_view kernel, Dim3 grid, const Call& call) const {
    return device_->launch({.module = kernels_,
                            .kernel = kernel,
                            .grid = grid,
                            .call = std::as_bytes(std::span(&call, 1))});
  }
  /// Blocks for so many elements: enough to fill the device, and none without work.
  [[nodiscard]] std::uint32_t blocks_for(std::uint64_t elements) const;

 private:
  explicit Oracle(device::Device& device) : device_(&device) {}
  device::Device* device_;
  device::ModuleId kernels_ = -1;
  device::ModuleId reference_ = -1;
};

/// A call whose outputs, or inputs, are not as they should be.
struct CallFailure {
  std::uint64_t call = 0;    ///< number among the calls that were checked, from 0
  std::size_t argument = 0;  ///< the output concerned, or the input
  bool changed_input = false;
  CheckRecord record{};
};

/// Calls of a task at one size. Everything is queued behind what the device already has to do; the
/// host waits in collect() only. What the judge knows of a call (inputs as they were, expected
/// values) is made after it, in memory of the judge's own, and gone before the next one.
class OracleCase {
 public:
  struct Options {
    std::size_t calls = 256;  ///< at most between two collect()
    bool keep = true;         ///< outputs of the first failed call, for explain()
    bool checks = true;       ///< false: only makes inputs, for a task without device checks
  };
  /// `reference`: what device_reference_program() launches at this size; null where no output needs
  /// expected values. The instance's task, size and variant must outlive the case.
  static Result<std::unique_ptr<OracleCase>> make(const Oracle& oracle, const Instance& instance,
                                                  const LaunchPlan* reference,
                                                  const Options& options);
  OracleCase(const OracleCase&) = delete;
  OracleCase& operator=(const OracleCase&) = delete;
  ~OracleCase();

  /// Another distribution (variant, drawn numbers) with the same sizes and scalars; returns its
  /// number, which holds until collect(). That of make() is 0 and stays.
  Result<std::size_t> add(const Instance& instance);

  /// Writes the inputs of a call. `buffers`: one per argument, negative for scalars.
  Status fresh_inputs(std::span<const device::BufferId> buffers, std::uint64_t seed,
                      std::size_t distribution = 0);

  /// What is drawn after a call, to check it with.
  struct Challenge {
    std::uint64_t secret = 0;
    /// Rows that a reference computes where it can leave some out, of 2^32. All of them, unless it
    /// would take too long. Which ones follows from the secret.
    std::uint64_t portion = std::uint64_t{1} << 32;
  };
  /// Checks every output of the call that was made on inputs of this seed, and that its inputs are
  /// what they were.
  Status check(std::span<const device::BufferId> buffers, std::uint64_t seed,
               const Challenge& challenge, std::size_t distribution = 0);

  /// Waits, and forgets the calls so far but for the first that failed: its outputs stay until it
  /// is explained, whatever fails after it.
  Result<std::vector<CallFailure>> collect();

  /// What the host's rule says of that call, on the inputs that it had. Expected values are made
  /// once more, all of them. Of another call only what the device saw.
  Result<Mismatch> explain(const CallFailure& failure);

  /// The variant that the first failed call had its inputs from; null: the declared ones.
  [[nodiscard]] const InputVariant* failed_variant() const {
    return failed_.distribution ? failed_.distribution->instance.variant : nullptr;
  }

  /// Memory of the judge's own that a case takes; and about how much it will.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  static Result<std::uint64_t> bytes_for(const Task& task, const Values& values);

 private:
  /// One output under its rule: the call of its kernel, complete but for the buffer and the record.
  struct Output {
    std::size_t argument = 0;
    std::variant<CompareCall, OrderCall, ProductCall, OlsCall> call;
    bool needs_expected = false;
    device::BufferId sums = -1;  ///< what the kernels add to; zero before
  };
  struct Distribution {
    Instance instance;
    device::BufferId recipes = -1;
    std::vector<Output> outputs;
    bool needs_expected = false;
    std::vector<device::BufferId> taken = {};  ///< given back with it
    std::vector<ScrubRange> secrets = {};
  };
  struct Done {
    std::uint64_t seed = 0;
    Challenge challenge;
    std::shared_ptr<const Distribution> distribution;
  };
  OracleCase(const Oracle& oracle, const Options& options);
  Status allocate(const Instance& instance);
  Status bind_reference(const LaunchPlan& plan);
  Result<device::BufferId> take(std::uint64_t bytes, std::string_view name, bool secret);
  Result<Output> output_of(const Instance& instance, std::size_t argument);
  Status read_compare(const Instance& instance, const CheckRule& check, Output& output);
  Status read_product(const Instance& instance, const CheckRule& check, Output& output);
  Status read_ols(const Instance& instance, const CheckRule& check, Output& output);
  Status check_output(Output output, device::BufferId got, std::uint64_t record, std::uint64_t key);
  Status check_product(const ProductCall& call);
  [[nodiscard]] std::uint64_t address(device::BufferId buffer) const {
    return buffer < 0 ? 0 : device_->address(buffer);
  }
  Status regenerate(std::span<const device::BufferId> buffers, const Done& done,
                    std::uint64_t record);
  Status run_reference(const Distribution& distribution);
  Status keep(std::span<const device::BufferId> buffers, std::uint64_t record,
              std::uint64_t number);
  Status scrub(const Distribution& distribution, std::uint64_t key);
  void drop(const Distribution& distribution);
  Result<std::vector<Expected>> download_expected();
  /// Nothing where the rule finds nothing wrong, or cannot say.
  Result<std::optional<Mismatch>> host_opinion();
  [[nodiscard]] std::size_t changed(const CheckRecord& record) const;
  [[nodiscard]] std::uint64_t record_at(std::size_t slot, std::size_t which) const;

  const Oracle* oracle_;
  device::Device* device_;
  Options options_;
  const Task* task_ = nullptr;
  std::vector<std::uint64_t> counts_;  ///< elements by argument
  std::vector<device::BufferId> all_;  ///< everything that was taken
  std::uint64_t bytes_ = 0;
  std::vector<ScrubRange> secrets_;
  // By argument, negative where there is none.
  std::vector<device::BufferId> copies_, expected_, scales_, kept_;
  std::vector<bool> wide_;
  std::vector<std::size_t> outputs_;  ///< arguments
  device::BufferId choice_ = -1, records_ = -1, owner_ = -1;
  std::unique_ptr<device::Replay> reference_;
  std::vector<std::shared_ptr<const Distribution>> distributions_;
  std::vector<Done> calls_;  ///< since the last collect()
  std::uint64_t collected_ = 0;
  Done failed_{};
  std::optional<std::uint64_t> failed_call_;  ///< its number, until it is explained
};

}  // namespace warpwright::verify
