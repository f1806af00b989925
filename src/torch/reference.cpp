// SPDX-License-Identifier: Apache-2.0
#include "torch/reference.h"

#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/sha256.h"
#include "base/text.h"
#include "core/json_reader.h"
#include "torch/large_files.h"
#include "torch/module_process.h"
#include "verify/generate.h"

namespace warpwright::torch {

namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;
using verify::Bytes;
using verify::Expected;

constexpr std::uint64_t kMostKept = std::uint64_t{16} << 20;  // bytes of one answer in the cache
// Of its inputs: hashing more takes longer than computing the answer again.
constexpr std::uint64_t kMostHashed = std::uint64_t{64} << 20;
// What is large enough for a GPU. Smaller calls are made ahead, while another candidate may be
// timed there (evaluate/inputs.cpp), and must not disturb it.
constexpr std::uint64_t kLargeBytes = std::uint64_t{64} << 20;

// Of a question whose files are made before it is its turn on the GPU. Six judgements may do so.
constexpr std::uint64_t kMostAhead = std::uint64_t{512} << 20;

// Of a call that is made once more in the task's own types.
constexpr std::uint64_t kMostOwnBytes = std::uint64_t{2} << 30;

// Longest wait for an answer from there, loading torch included: a driver that hangs must not hold
// up what the CPU can do.
constexpr double kGpuSeconds = 60;

std::string_view view_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// "input 0" of "input 0: float32[rows, cols]".
std::string slot_of(const TaskArgument& argument) {
  return argument.torch.substr(0, argument.torch.find(": "));
}

std::uint64_t size_of(std::span<const Bytes> buffers) {
  std::uint64_t bytes = 0;
  for (const Bytes& buffer : buffers) bytes += buffer.size();
  return bytes;
}

/// What decides an answer beside the task's texts.
std::string content_key(const Task& task, const Values& values, std::span<const Bytes> inputs) {
  OrderedJson slots = OrderedJson::array();
  for (const auto& argument : task.arguments)
    slots.push_back({slot_of(argument), name_of(argument.type), name_of(argument.role)});
  std::string all = fmt::format("1\n{}\n{}\n{}\n{}\n", sha256_hex(task.torch.source),
                                task.torch.mode, task.torch.backward, dump_json(slots));
  for (const auto& [name, value] : values) all += fmt::format("{}={:.17g}\n", name, value);
  for (const Bytes& bytes : inputs) all += sha256_hex(view_of(bytes)) + "\n";
  return sha256_hex(all);
}

/// Bytes of the file that holds an output of a question.
std::uint64_t file_bytes(const OrderedJson& entry) {
  const auto type = element_type_named(entry["type"].get<std::string>());
  return entry["count"].get<std::uint64_t>() * (entry["wide"] ? sizeof(double) : bytes_of(*type));
}

std::uint64_t answer_bytes(const OrderedJson& question) {
  std::uint64_t bytes = 0;
  for (const OrderedJson& entry : question["outputs"]) bytes += file_bytes(entry);
  return bytes;
}

/// The room for an output of a question, to be filled.
std::span<std::byte> room_for(const OrderedJson& entry, std::vector<Expected>& expected) {
  Expected& one = expected[entry["argument"].get<std::size_t>()];
  if (entry["wide"]) {
    one.wide.resize(entry["count"].get<std::size_t>());
    return std::as_writable_bytes(std::span(one.wide));
  }
  one.native.resize(file_bytes(entry));
  return one.native;
}

/// The files of a call, in bytes; of one that is too large to be told, none.
std::uint64_t call_bytes(const Task& task, const TaskSize& size) {
  const auto values = values_at(task, size, nullptr);
  if (!values.ok()) return 0;
  std::uint64_t bytes = 0;
  for (const TaskArgument& argument : task.arguments) {
    if (!is_buffer(argument)) continue;
    const auto count = element_count(argument, *values);
    if (!count.ok()) continue;
    if (argument.role != ArgumentRole::output) bytes += *count * bytes_of(argument.type);
    if (argument.role != ArgumentRole::input) bytes += *count * sizeof(double);
  }
  return bytes;
}

std::uint64_t largest_call(const Task& task) {
  std::uint64_t most = 0;
  for (const TaskSize& size : task.sizes) most = std::max(most, call_bytes(task, size));
  return most;
}

bool has_gpu() {
  std::error_code ignored;
  return fs::exists("/dev/nvidiactl", ignored);
}

/// The files of one question to a process. They go with it.
class QuestionFiles {
 public:
  QuestionFiles(fs::path folder, fs::path beside, const OrderedJson& question)
      : folder_(std::move(folder)), beside_(std::move(beside)), question_(question) {}
  QuestionFiles(const QuestionFiles&) = delete;
  QuestionFiles& operator=(const QuestionFiles&) = delete;
  ~QuestionFiles() {
    std::error_code ignored;  // they may lie in memory
    for (const char* list : {"inputs", "outputs"})
      for (const OrderedJson& entry : question_[list]) fs::remove(file_of(entry), ignored);
  }

  [[nodiscard]] Status put(std::span<const Bytes> inputs) const {
    for (const OrderedJson& entry : question_["inputs"]) {
      const auto& content = inputs[entry["argument"].get<std::size_t>()];
      const auto file = file_of(entry);
      WW_CHECK(put_file(file, beside_ / file.filename(), content));
    }
    return {};
  }

  /// What the process is told.
  [[nodiscard]] std::string text() const {
    OrderedJson whole = question_;
    whole["folder"] = folder_.string();
    return dump_json(whole);
  }

  [[nodiscard]] Result<std::vector<Expected>> take(std::size_t arguments) const {
    std::vector<Expected> expected(arguments);
    for (const OrderedJson& entry : question_["outputs"])
      if (const Status taken = take_file(file_of(entry), room_for(entry, expected)); !taken.ok())
        return Error{"the reference's answer: " + taken.error().message};
    return expected;
  }

 private:
  [[nodiscard]] fs::path file_of(const OrderedJson& entry) const {
    return folder_ / entry["file"].get<std::string>();
  }

  fs::path folder_;
  fs::path beside_;
  const OrderedJson& question_;
};

std::string gib(std::uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (std::uint64_t{1} << 30));
}

}  // namespace

/// The processes, and what is asked of them.
class ModuleReference::Asking {
 public:
  Asking(Task task, Options options) : task_(std::move(task)), options_(std::move(options)) {}

  Status start(const sandbox::Sandbox& sandbox) {
    WW_TRY(const auto interpreter, find_interpreter(task_.torch.python));
    const std::uint64_t largest = largest_call(task_);
    ModuleProcess::Options options{
        .bytes = largest, .answer_s = options_.answer_s, .stop = options_.stop};
    WW_TRY(on_cpu_, ModuleProcess::start(task_, interpreter, sandbox, options));
    if (largest < kLargeBytes || !has_gpu()) return {};
    options.place = Place::gpu;
    options.answer_s = std::min(options.answer_s, kGpuSeconds);
    WW_TRY(on_gpu_, ModuleProcess::start(task_, interpreter, sandbox, options));
    return {};
  }

  Result<std::vector<Expected>> run(const verify::Instance& instance, std::span<const Bytes> inputs,
                                    verify::DeviceTurn* turn) {
    WW_TRY(const OrderedJson question, question_of(instance));
    const fs::path kept = kept_at(question, instance, inputs);
    if (auto found = read_kept(kept, question); found) return *found;
    WW_TRY(auto expected, computed(question, inputs, turn));
    keep(kept, question, expected);
    return expected;
  }

  Result<std::vector<Bytes>> in_own_types(const verify::Instance& instance,
                                          std::span<const Bytes> inputs) {
    if (size_of(inputs) > kMostOwnBytes) return std::vector<Bytes>{};
    WW_TRY(OrderedJson question, question_of(instance));
    question["own"] = true;
    for (OrderedJson& entry : question["outputs"]) entry["wide"] = false;
    WW_TRY(auto answer, asked_on_cpu(question, inputs));
    std::vector<Bytes> outputs;
    for (Expected& each : answer) outputs.push_back(std::move(each.native));
    return outputs;
  }

  /// Does not wait for an answer that is under way.
  bool alive() const { return on_cpu_->alive(); }

  std::string remark() {
    const std::lock_guard lock(mutex_);
    return remark_;
  }

 private:
  /// Names the files of the inputs, and those that come back: of this question alone, because the
  /// next one's may be there already.
  Result<OrderedJson> question_of(const verify::Instance& instance) {
    const std::uint64_t number = ++questions_;
    OrderedJson question = OrderedJson::object();
    question["number"] = number;
    question["values"] = OrderedJson::object();
    for (const auto& [name, value] : instance.size->values) question["values"][name] = value;
    question["inputs"] = OrderedJson::array();
    question["outputs"] = OrderedJson::array();
    for (std::size_t i = 0; i < task_.arguments.size(); ++i) {
      const TaskArgument& argument = task_.arguments[i];
      if (!is_buffer(argument)) continue;
      OrderedJson entry = {{"name", argument.name},
                           {"type", name_of(argument.type)},
                           {"slot", slot_of(argument)},
                           {"file", fmt::format("q{}.a{}.in", number, i)},
                           {"argument", i}};
      if (argument.role != ArgumentRole::output) question["inputs"].push_back(entry);
      if (argument.role == ArgumentRole::input) continue;
      WW_TRY(const auto count, element_count(argument, instance.values));
      entry["file"] = fmt::format("q{}.a{}.out", number, i);
      entry["count"] = count;
      entry["wide"] = verify::compares_doubles(task_, argument);
      if (argument.role == ArgumentRole::inout)
        entry["slot"] = "changed" + slot_of(argument).substr(std::strlen("input"));
      question["outputs"].push_back(entry);
    }
    return question;
  }

  /// On the GPU where there is one and the call is large, else on the CPU.
  Result<std::vector<Expected>> computed(const OrderedJson& question, std::span<const Bytes> inputs,
                                         verify::DeviceTurn* turn) {
    const std::uint64_t bytes = size_of(inputs) + answer_bytes(question);
    const bool large = bytes >= kLargeBytes;
    if (const auto gpu = large ? gpu_process() : nullptr) {
      auto found = asked_on_gpu(*gpu, question, inputs, turn);
      if (found.ok()) {
        note("on the GPU", bytes);
        return found;
      }
      if (options_.stop != nullptr && options_.stop->requested()) return found.error();
      lose_gpu(found.error().message);
    }
    auto found = asked_on_cpu(question, inputs);
    if (large && found.ok()) note("on the CPU", bytes);
    return found;
  }

  std::shared_ptr<ModuleProcess> gpu_process() {
    const std::lock_guard lock(mutex_);
    return on_gpu_;
  }

  /// The CPU's answer decides, now and later.
  void lose_gpu(const std::string& why) {
    std::shared_ptr<ModuleProcess> last;  // ends behind the lock: that waits for it
    const std::lock_guard lock(mutex_);
    if (!on_gpu_) return;
    why_no_gpu_ = shortened(why, 300);
    last = std::move(on_gpu_);
  }

  void note(std::string_view where, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    remark_ = fmt::format(
        "large calls of the reference were computed in float64 {} ({} the last){}", where,
        gib(bytes), why_no_gpu_.empty() ? "" : "; not on the GPU: " + why_no_gpu_);
  }

  Result<std::vector<Expected>> asked_on_cpu(const OrderedJson& question,
                                             std::span<const Bytes> inputs) {
    const QuestionFiles files(on_cpu_->folder(), on_cpu_->beside(), question);
    WW_CHECK(files.put(inputs));
    WW_CHECK(on_cpu_->ask(files.text()));
    return files.take(inputs.size());
  }

  /// The first question of all takes seconds, in which torch loads what it needs. A small one goes
  /// first, and nobody holds the GPU for it: what it computes there is next to nothing.
  Status rehearse(ModuleProcess& process) {
    if (rehearsed_ || task_.edge_sizes.empty()) return {};
    WW_TRY(const auto instance, verify::make_instance(task_, *smallest_size(), nullptr, 0));
    WW_TRY(const auto inputs, verify::generate_inputs(instance));
    WW_TRY(const OrderedJson question, question_of(instance));
    const QuestionFiles files(process.folder(), process.beside(), question);
    WW_CHECK(files.put(inputs));
    WW_CHECK(process.ask(files.text()));
    rehearsed_ = true;
    return {};
  }

  [[nodiscard]] const TaskSize* smallest_size() const {
    return &*std::min_element(task_.edge_sizes.begin(), task_.edge_sizes.end(),
                              [&](const TaskSize& a, const TaskSize& b) {
                                return call_bytes(task_, a) < call_bytes(task_, b);
                              });
  }

  /// The GPU is held while the process is at work, not while files are made and read: those of
  /// large questions excepted, of which two would not fit into memory.
  Result<std::vector<Expected>> asked_on_gpu(ModuleProcess& process, const OrderedJson& question,
                                             std::span<const Bytes> inputs,
                                             verify::DeviceTurn* turn) {
    const QuestionFiles files(process.folder(), process.beside(), question);
    const bool early = size_of(inputs) + answer_bytes(question) <= kMostAhead;
    if (early) WW_CHECK(files.put(inputs));
    if (turn != nullptr) WW_CHECK(rehearse(process));
    if (turn != nullptr) WW_CHECK(turn->take());
    Status answered;
    if (!early) answered = files.put(inputs);
    if (answered.ok()) answered = process.ask(files.text());
    if (turn != nullptr) turn->give_back();
    if (!answered.ok()) return answered.error();
    return files.take(inputs.size());
  }

  /// Where an answer is kept; empty for one that is not.
  fs::path kept_at(const OrderedJson& question, const verify::Instance& instance,
                   std::span<const Bytes> inputs) const {
    if (options_.cache.empty() || size_of(inputs) > kMostHashed ||
        answer_bytes(question) > kMostKept)
      return {};
    return options_.cache / (content_key(task_, instance.values, inputs) + ".bin");
  }

  /// All outputs one after the other, behind nothing: sizes follow from the question.
  [[nodiscard]] std::optional<std::vector<Expected>> read_kept(const fs::path& path,
                                                               const OrderedJson& question) const {
    std::error_code code;
    if (path.empty() || !fs::exists(path, code)) return std::nullopt;
    const auto text = read_file(path, kMostKept);
    if (!text.ok() || text->size() != answer_bytes(question)) return std::nullopt;
    std::vector<Expected> expected(task_.arguments.size());
    std::size_t at = 0;
    for (const OrderedJson& entry : question["outputs"]) {
      const auto room = room_for(entry, expected);
      if (!room.empty()) std::memcpy(room.data(), text->data() + at, room.size());
      at += room.size();
    }
    return expected;
  }

  void keep(const fs::path& path, const OrderedJson& question,
            const std::vector<Expected>& expected) const {
    if (path.empty() || !make_directories(path.parent_path()).ok()) return;
    std::string all;
    for (const OrderedJson& entry : question["outputs"]) {
      const Expected& one = expected[entry["argument"].get<std::size_t>()];
      all += entry["wide"] ? view_of(std::as_bytes(std::span(one.wide))) : view_of(one.native);
    }
    const auto partial =
        fmt::format("{}.{}.{}", path.string(), on_cpu_->folder().filename().string(),
                    question["number"].get<std::uint64_t>());
    std::error_code code;
    if (write_file(partial, all).ok()) fs::rename(partial, path, code);
  }

  Task task_;
  Options options_;
  std::atomic<std::uint64_t> questions_ = 0;
  std::atomic<bool> rehearsed_ = false;  ///< on the GPU
  std::unique_ptr<ModuleProcess> on_cpu_;
  std::mutex mutex_;                       ///< of what follows
  std::shared_ptr<ModuleProcess> on_gpu_;  ///< absent where there is no GPU, or it is of no use
  std::string why_no_gpu_;
  std::string remark_;
};

ModuleReference::ModuleReference(std::unique_ptr<Asking> asking) : asking_(std::move(asking)) {}
ModuleReference::~ModuleReference() = default;

Result<std::unique_ptr<ModuleReference>> ModuleReference::open(const Task& task,
                                                               const sandbox::Sandbox& sandbox,
                                                               const Options& options) {
  auto asking = std::make_unique<Asking>(task, options);
  WW_CHECK(asking->start(sandbox));
  return std::unique_ptr<ModuleReference>(new ModuleReference(std::move(asking)));
}

Result<std::vector<Expected>> ModuleReference::run(const verify::Instance& instance,
                                                   std::span<const Bytes> inputs,
                                                   verify::DeviceTurn* turn) const {
  return asking_->run(instance, inputs, turn);
}

Result<std::vector<Bytes>> ModuleReference::in_own_types(const verify::Instance& instance,
                                                         std::span<const Bytes> inputs) const {
  return asking_->in_own_types(instance, inputs);
}

std::string ModuleReference::key_of(const Task& task) {
  std::string all = fmt::format("{}\n{}\n{}\n{}\n{}\n", task.torch.source, task.torch.mode,
                                task.torch.backward, task.torch.python, largest_call(task));
  for (const TaskArgument& argument : task.arguments) {
    const bool wide = argument.role != ArgumentRole::scalar &&
                      argument.role != ArgumentRole::input &&
                      verify::compares_doubles(task, argument);
    all += fmt::format("{} {} {} {} {} {}\n", argument.name, name_of(argument.type),
                       name_of(argument.role), argument.expression, argument.torch, wide);
  }
  return sha256_hex(all);
}

bool ModuleReference::alive() const { return asking_->alive(); }

std::string ModuleReference::remark() const { return asking_->remark(); }

}  // namespace warpwright::torch
