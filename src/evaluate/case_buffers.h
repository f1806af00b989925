// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "build/record.h"
#include "core/task.h"
#include "device/device.h"
#include "verify/generate.h"

namespace warpwright::evaluate {

/// The device buffers of one call, given back with this object.
class CaseBuffers {
 public:
  /// Allocates and uploads. `inputs` as from generate_inputs, for the same call.
  static Result<CaseBuffers> make(device::Device& device, const Task& task,
                                  const build::SolveCall& call,
                                  std::span<const verify::Bytes> inputs);
  /// Without content: whoever makes a call writes its inputs and inouts just before it.
  static Result<CaseBuffers> blank(device::Device& device, const Task& task,
                                   const build::SolveCall& call);
  /// The same content elsewhere on the device.
  [[nodiscard]] Result<CaseBuffers> copy() const;
  CaseBuffers(CaseBuffers&& other) noexcept;
  CaseBuffers& operator=(CaseBuffers&&) = delete;
  ~CaseBuffers();

  [[nodiscard]] std::span<const device::Binding> bindings() const { return bindings_; }
  /// By argument, negative for scalars.
  [[nodiscard]] std::vector<device::BufferId> ids() const {
    std::vector<device::BufferId> list;
    for (const device::Binding& binding : bindings_) list.push_back(binding.buffer);
    return list;
  }
  /// Other content for inputs and inouts, of the same sizes.
  Status refill(std::span<const verify::Bytes> inputs);
  /// By argument; empty for all but outputs and inouts.
  [[nodiscard]] Result<std::vector<verify::Bytes>> outputs() const;
  /// A number for what all outputs and inouts hold, the same for copies with the same content.
  [[nodiscard]] Result<std::uint64_t> output_digest() const;
  /// Which inputs no longer hold what was uploaded, by their names.
  [[nodiscard]] Result<std::vector<std::string>> changed_inputs() const;

 private:
  CaseBuffers(device::Device& device, const Task& task) : device_(&device), task_(&task) {}
  Status add(const TaskArgument& argument, std::uint64_t bytes, const verify::Bytes& content);
  [[nodiscard]] bool is_input(std::size_t argument) const;
  /// Remembers what the inputs hold. Nothing of it leaves the device.
  Status note_inputs();

  device::Device* device_;
  const Task* task_;
  std::vector<device::Binding> bindings_;
  std::vector<std::uint64_t> bytes_;
  std::uint64_t key_ = 0;               ///< of the digests; nobody else knows it
  std::vector<std::uint64_t> digests_;  ///< by argument
};

}  // namespace warpwright::evaluate
