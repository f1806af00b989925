// SPDX-License-Identifier: Apache-2.0
#include "evaluate/case_buffers.h"

#include <random>

#include "base/mix.h"

namespace warpwright::evaluate {

Result<CaseBuffers> CaseBuffers::make(device::Device& device, const Task& task,
                                      const build::SolveCall& call,
                                      std::span<const verify::Bytes> inputs) {
  CaseBuffers buffers(device, task);
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    WW_CHECK(buffers.add(task.arguments[i], call.arguments[i].buffer_bytes, inputs[i]));
  }
  WW_CHECK(buffers.note_inputs());
  return buffers;
}

Result<CaseBuffers> CaseBuffers::blank(device::Device& device, const Task& task,
                                       const build::SolveCall& call) {
  CaseBuffers buffers(device, task);
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    const TaskArgument& argument = task.arguments[i];
    device::Binding& binding = buffers.bindings_.emplace_back();
    buffers.bytes_.push_back(call.arguments[i].buffer_bytes);
    if (!is_buffer(argument)) continue;
    WW_TRY(binding.buffer, device.allocate(buffers.bytes_.back(), argument.name));
    if (argument.role == ArgumentRole::output) binding.before = device::Binding::Before::poison;
  }
  return buffers;
}

Result<CaseBuffers> CaseBuffers::copy() const {
  CaseBuffers other(*device_, *task_);
  for (std::size_t i = 0; i < bindings_.size(); ++i) {
    const device::Binding& from = bindings_[i];
    device::Binding& to = other.bindings_.emplace_back();
    other.bytes_.push_back(bytes_[i]);
    if (from.buffer < 0) continue;
    to.before = from.before;
    const TaskArgument& argument = task_->arguments[i];
    WW_TRY(to.buffer, device_->allocate(bytes_[i], argument.name));
    if (from.before == device::Binding::Before::keep) {
      WW_CHECK(device_->copy(to.buffer, from.buffer));
    }
    if (from.pristine < 0) continue;
    WW_TRY(to.pristine, device_->allocate(bytes_[i], "the judge's copy of " + argument.name));
    WW_CHECK(device_->copy(to.pristine, from.pristine));
  }
  other.key_ = key_;
  other.digests_ = digests_;
  return other;
}

bool CaseBuffers::is_input(std::size_t argument) const {
  return bindings_[argument].buffer >= 0 && task_->arguments[argument].role == ArgumentRole::input;
}

Status CaseBuffers::note_inputs() {
  std::random_device random;
  key_ = (std::uint64_t{random()} << 32) ^ random();
  digests_.assign(bindings_.size(), 0);
  for (std::size_t i = 0; i < bindings_.size(); ++i) {
    if (!is_input(i)) continue;
    WW_TRY(digests_[i], device_->digest(bindings_[i].buffer, key_));
  }
  return {};
}

Result<std::vector<std::string>> CaseBuffers::changed_inputs() const {
  std::vector<std::string> changed;
  for (std::size_t i = 0; i < bindings_.size(); ++i) {
    if (!is_input(i)) continue;
    WW_TRY(const std::uint64_t now, device_->digest(bindings_[i].buffer, key_));
    if (now != digests_[i]) changed.push_back(task_->arguments[i].name);
  }
  return changed;
}

Result<std::uint64_t> CaseBuffers::output_digest() const {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < bindings_.size(); ++i) {
    if (bindings_[i].buffer < 0 || is_input(i)) continue;
    WW_TRY(const std::uint64_t one, device_->digest(bindings_[i].buffer, key_));
    all = mixed_bits(all ^ one);
  }
  return all;
}

Status CaseBuffers::add(const TaskArgument& argument, std::uint64_t bytes,
                        const verify::Bytes& content) {
  device::Binding& binding = bindings_.emplace_back();
  bytes_.push_back(bytes);
  if (!is_buffer(argument)) return {};
  WW_TRY(binding.buffer, device_->allocate(bytes, argument.name));
  if (argument.role == ArgumentRole::output) {
    binding.before = device::Binding::Before::poison;
    return {};
  }
  if (argument.role == ArgumentRole::input) return device_->upload(binding.buffer, content);
  WW_TRY(binding.pristine, device_->allocate(bytes, "the judge's copy of " + argument.name));
  binding.before = device::Binding::Before::restore;
  WW_CHECK(device_->upload(binding.buffer, content));
  return device_->upload(binding.pristine, content);
}

CaseBuffers::CaseBuffers(CaseBuffers&& other) noexcept
    : device_(other.device_),
      task_(other.task_),
      bindings_(std::move(other.bindings_)),
      bytes_(std::move(other.bytes_)),
      key_(other.key_),
      digests_(std::move(other.digests_)) {
  other.bindings_.clear();
}

CaseBuffers::~CaseBuffers() {
  for (const device::Binding& binding : bindings_) {
    if (binding.buffer >= 0) device_->release(binding.buffer);
    if (binding.pristine >= 0) device_->release(binding.pristine);
  }
}

Status CaseBuffers::refill(std::span<const verify::Bytes> inputs) {
  for (std::size_t i = 0; i < bindings_.size(); ++i) {
    if (inputs[i].empty()) continue;
    const bool restored = bindings_[i].before == device::Binding::Before::restore;
    WW_CHECK(device_->upload(restored ? bindings_[i].pristine : bindings_[i].buffer, inputs[i]));
  }
  return note_inputs();
}

Result<std::vector<verify::Bytes>> CaseBuffers::outputs() const {
  std::vector<verify::Bytes> outputs(bindings_.size());
  for (std::size_t i = 0; i < bindings_.size(); ++i) {
    if (bindings_[i].buffer < 0 || is_input(i)) continue;
    outputs[i].resize(bytes_[i]);
    WW_CHECK(device_->download(outputs[i], bindings_[i].buffer));
  }
  return outputs;
}

}  // namespace warpwright::evaluate
