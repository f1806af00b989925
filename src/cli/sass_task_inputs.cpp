// SPDX-License-Identifier: Apache-2.0
#include "cli/sass_task_inputs.h"

#include <algorithm>
#include <memory>

#include "base/files.h"
#include "base/mix.h"
#include "core/task.h"
#include "core/task_json.h"
#include "verify/draw.h"
#include "verify/generate.h"

namespace warpwright::cli {

namespace {

using reorder::WorkBuffer;

// Of numbers that stand for themselves, as many are made anew; longer buffers repeat them.
constexpr std::uint64_t kMadeElements = std::uint64_t{1} << 18;
constexpr std::uint64_t kAnyBitsEvery = 4;
constexpr std::uint64_t kSeed = 0x5a55;

class TaskInputs {
 public:
  TaskInputs(Task task, const reorder::Workload& workload)
      : task_(std::move(task)), choices_(task_) {
    for (const auto& item : workload.cases) {
      buffers_.push_back(item.buffers);
      sizes_.push_back({.label = "case", .values = {item.size.begin(), item.size.end()}});
    }
    // Whole numbers may be offsets or a permutation: those are made as a whole.
    whole_ = std::any_of(task_.arguments.begin(), task_.arguments.end(), [](const auto& argument) {
      return is_buffer(argument) && argument.role != ArgumentRole::output &&
             !is_floating(argument.type);
    });
  }

  Result<std::string> bytes(std::size_t item, std::size_t argument, std::uint64_t set) {
    const bool any_bits = task_.arguments.at(argument).range == "any";
    if (any_bits && set % kAnyBitsEvery == kAnyBitsEvery - 1)
      return reorder::input_bytes(buffers_.at(item).at(argument), argument, set);
    if (item != item_ || set != set_ || made_.empty()) WW_CHECK(make(item, set));
    const auto& bytes = made_.at(argument);
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

 private:
  Status make(std::size_t item, std::uint64_t set) {
    const std::uint64_t seed = mixed_bits(kSeed + set * kMixStep);
    const TaskSize& size = sizes_.at(item);
    WW_TRY(const auto drawn, choices_.draw(size, seed));
    WW_TRY(const auto instance, verify::make_instance(task_, size, drawn.variant, seed));
    WW_TRY(made_, verify::generate_inputs(instance, whole_ ? ~std::uint64_t{0} : kMadeElements));
    item_ = item;
    set_ = set;
    return {};
  }

  const Task task_;
  const verify::InputChoices choices_;
  std::vector<std::vector<WorkBuffer>> buffers_;
  std::vector<TaskSize> sizes_;
  bool whole_ = false;
  std::size_t item_ = 0;
  std::uint64_t set_ = 0;
  std::vector<verify::Bytes> made_;  // of item_ and set_
};

}  // namespace

Result<reorder::InputSource> task_inputs(const reorder::Workload& workload) {
  WW_TRY(Task task, task_from_json(workload.task));
  for (const auto& item : workload.cases)
    if (item.buffers.size() != task.arguments.size() || item.size.empty())
      return Error{"a workload's case is not of its task"};
  const auto inputs = std::make_shared<TaskInputs>(std::move(task), workload);
  return reorder::InputSource([inputs](std::size_t item, std::size_t argument, std::uint64_t set) {
    return inputs->bytes(item, argument, set);
  });
}

Result<int> try_inputs(const std::string& workload_file) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20;
  WW_TRY(const std::string text, read_file(workload_file));
  WW_TRY(const auto workload, reorder::workload_from(text));
  if (workload.task.empty()) return 0;
  WW_TRY(const auto inputs, task_inputs(workload));
  int made = 0;
  for (std::size_t item = 0; item < workload.cases.size(); ++item) {
    const auto& buffers = workload.cases[item].buffers;
    for (std::uint64_t set = 0; set < 2 * kAnyBitsEvery; ++set)
      for (std::size_t i = 0; i < buffers.size(); ++i) {
        const std::uint64_t wanted = buffers[i].count * bytes_of(buffers[i].type);
        if (wanted == 0 || wanted > kMostBytes || buffers[i].role == WorkBuffer::Role::out)
          continue;
        WW_TRY(const std::string bytes, inputs(item, i, set));
        if (bytes.size() != wanted)
          return Error{"an input of the workload's task has another size than its buffer"};
        ++made;
      }
  }
  return made;
}

}  // namespace warpwright::cli
