// SPDX-License-Identifier: Apache-2.0
#include "torch/reference.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/files.h"
#include "base/sha256.h"
#include "base/text.h"
#include "torch/interpreter.h"

namespace warpwright::torch {

namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;
using verify::Bytes;
using verify::Expected;

constexpr std::size_t kLongestAnswer = std::size_t{1} << 20;
constexpr std::uint64_t kMostKept = std::uint64_t{16} << 20;  // bytes of one answer in the cache

std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A pipe with a name. Opened for both ways, so that nobody waits for the other side.
Result<int> make_pipe(const fs::path& path) {
  if (::mkfifo(path.c_str(), 0600) != 0 || ::chmod(path.c_str(), 0666) != 0)
    return Error{fmt::format("making the pipe {}: {}", path.string(), std::strerror(errno))};
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0)
    return Error{fmt::format("opening the pipe {}: {}", path.string(), std::strerror(errno))};
  return descriptor;
}

/// "input 0" of "input 0: float32[rows, cols]".
std::string slot_of(const TaskArgument& argument) {
  return argument.torch.substr(0, argument.torch.find(": "));
}

/// What decides an answer beside the task's texts.
std::string content_key(const Task& task, const Values& values, std::span<const Bytes> inputs) {
  OrderedJson slots = OrderedJson::array();
  for (const auto& argument : task.arguments)
    slots.push_back({slot_of(argument), name_of(argument.type), name_of(argument.role)});
  std::string all = fmt::format("1\n{}\n{}\n{}\n{}\n", sha256_hex(task.torch.source),
                                task.torch.mode, task.torch.backward, slots.dump());
  for (const auto& [name, value] : values) all += fmt::format("{}={:.17g}\n", name, value);
  for (const Bytes& bytes : inputs) all += sha256_hex(text_of(bytes)) + "\n";
  return sha256_hex(all);
}

}  // namespace

/// The sandboxed process and the two pipes to it. One question at a time.
class ModuleReference::Process {
 public:
  Process(Task task, sandbox::Sandbox sandbox, Options options, TemporaryDirectory folder)
      : task_(std::move(task)),
        sandbox_(sandbox),
        options_(std::move(options)),
        folder_(std::move(folder)) {}

  ~Process() {
    stop_.request(StopReason::finished);
    if (runner_.joinable()) runner_.join();
    if (questions_ >= 0) ::close(questions_);
    if (answers_ >= 0) ::close(answers_);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  Status start(const Interpreter& interpreter) {
    const fs::path& folder = folder_.path();
    WW_CHECK(write_programs(folder));
    WW_CHECK(write_file(folder / "reference.py", task_.torch.source));
    const OrderedJson settings = {{"mode", task_.torch.mode},
                                  {"backward", task_.torch.backward},
                                  {"threads", module_threads()}};
    WW_CHECK(write_file(folder / "task.json", settings.dump()));
    WW_TRY(questions_, make_pipe(folder / "questions"));
    WW_TRY(answers_, make_pipe(folder / "answers"));
    auto request = python_request(interpreter, folder, "ww_reference.py");
    request.limits.wall = std::chrono::hours(24);
    runner_ = std::thread([this, request] {
      ended_ = std::make_unique<Result<ProcessExit>>(sandbox_.run(request, &stop_));
      gone_ = true;
    });
    return {};
  }

  Result<std::vector<Expected>> run(const verify::Instance& instance,
                                    std::span<const Bytes> inputs) {
    const std::lock_guard lock(mutex_);
    WW_TRY(const OrderedJson question, question_of(instance, inputs));
    const fs::path kept =
        options_.cache.empty()
            ? fs::path()
            : options_.cache / (content_key(task_, instance.values, inputs) + ".bin");
    if (auto found = read_kept(kept, question); found) return *found;
    WW_CHECK(ask(question.dump()));
    WW_TRY(auto expected, read_answer(question));
    keep(kept, question);
    return expected;
  }

 private:
  /// Writes the inputs as files; the question names them and the files that come back.
  Result<OrderedJson> question_of(const verify::Instance& instance, std::span<const Bytes> inputs) {
    const fs::path& folder = folder_.path();
    OrderedJson question = {{"folder", folder.string()}};
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
                           {"file", fmt::format("a{}.in", i)},
                           {"argument", i}};
      if (argument.role != ArgumentRole::output) {
        WW_CHECK(write_file(folder / entry["file"].get<std::string>(), text_of(inputs[i])));
        question["inputs"].push_back(entry);
      }
      if (argument.role == ArgumentRole::input) continue;
      WW_TRY(const auto count, element_count(argument, instance.values));
      entry["file"] = fmt::format("a{}.out", i);
      entry["count"] = count;
      entry["wide"] = verify::compares_doubles(task_, argument);
      if (argument.role == ArgumentRole::inout)
        entry["slot"] = "changed" + slot_of(argument).substr(std::strlen("input"));
      question["outputs"].push_back(entry);
    }
    return question;
  }

  Status ask(std::string line) {
    line += '\n';
    std::string_view left = line;
    while (!left.empty()) {
      WW_CHECK(wait_for(questions_, POLLOUT));
      const ssize_t n = ::write(questions_, left.data(), std::min<std::size_t>(left.size(), 4096));
      if (n < 0) return Error{fmt::format("asking the reference: {}", std::strerror(errno))};
      left.remove_prefix(static_cast<std::size_t>(n));
    }
    return hear();
  }

  /// The next whole line, which says whether the files are there.
  Status hear() {
    std::size_t end = heard_.find('\n');
    while (end == std::string::npos) {
      WW_CHECK(wait_for(answers_, POLLIN));
      std::array<char, 4096> buffer;
      const ssize_t n = ::read(answers_, buffer.data(), buffer.size());
      if (n <= 0) return Error{"the reference's answer could not be read"};
      heard_.append(buffer.data(), static_cast<std::size_t>(n));
      if (heard_.size() > kLongestAnswer) return Error{"the reference's answer is too long"};
      end = heard_.find('\n');
    }
    const auto reply = nlohmann::json::parse(heard_.substr(0, end), nullptr, false);
    heard_.erase(0, end + 1);
    if (reply.is_object() && reply.contains("ok")) return {};
    if (reply.is_object() && reply.contains("error") && reply["error"].is_string())
      return Error{shortened(reply["error"].get<std::string>(), 2000)};
    return Error{"the reference's answer is none"};
  }

  Status wait_for(int descriptor, short event) {
    const auto until = std::chrono::steady_clock::now() +
                       std::chrono::milliseconds(static_cast<long>(options_.answer_s * 1e3));
    for (;;) {
      pollfd item{.fd = descriptor, .events = event, .revents = 0};
      const int ready = ::poll(&item, 1, 50);
      if (ready > 0) return {};
      if (gone_) return Error{"the reference's process ended: " + how_it_ended()};
      if (options_.stop != nullptr && options_.stop->requested()) return Error{"stopped"};
      if (std::chrono::steady_clock::now() > until)
        return Error{fmt::format("the reference took longer than {:.0f} s", options_.answer_s)};
    }
  }

  std::string how_it_ended() const {
    if (!ended_->ok()) return ended_->error().message;
    const ProcessExit& exit = ended_->value();
    return fmt::format("{}\n{}", exit.describe(), shortened(exit.err, 2000));
  }

  [[nodiscard]] Result<Bytes> read_output(const OrderedJson& entry) const {
    const auto type = element_type_named(entry["type"].get<std::string>());
    const std::uint64_t size =
        entry["count"].get<std::uint64_t>() * (entry["wide"] ? sizeof(double) : bytes_of(*type));
    WW_TRY(const auto text, read_file(folder_.path() / entry["file"].get<std::string>(), size + 1));
    if (text.size() != size)
      return Error{fmt::format("the reference wrote {} bytes of '{}', not {}", text.size(),
                               entry["name"].get<std::string>(), size)};
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    return Bytes(first, first + text.size());
  }

  static void put(const OrderedJson& entry, Bytes bytes, std::vector<Expected>& expected) {
    Expected& one = expected[entry["argument"].get<std::size_t>()];
    if (!entry["wide"]) {
      one.native = std::move(bytes);
      return;
    }
    one.wide.resize(bytes.size() / sizeof(double));
    if (!bytes.empty()) std::memcpy(one.wide.data(), bytes.data(), bytes.size());
  }

  [[nodiscard]] Result<std::vector<Expected>> read_answer(const OrderedJson& question) const {
    std::vector<Expected> expected(task_.arguments.size());
    for (const OrderedJson& entry : question["outputs"]) {
      WW_TRY(auto bytes, read_output(entry));
      put(entry, std::move(bytes), expected);
    }
    return expected;
  }

  /// All outputs one after the other, behind nothing: sizes follow from the question.
  [[nodiscard]] std::optional<std::vector<Expected>> read_kept(const fs::path& path,
                                                               const OrderedJson& question) const {
    std::error_code code;
    if (path.empty() || !fs::exists(path, code)) return std::nullopt;
    const auto text = read_file(path, kMostKept);
    if (!text.ok()) return std::nullopt;
    std::vector<Expected> expected(task_.arguments.size());
    std::size_t at = 0;
    for (const OrderedJson& entry : question["outputs"]) {
      const auto type = element_type_named(entry["type"].get<std::string>());
      const std::size_t size =
          entry["count"].get<std::size_t>() * (entry["wide"] ? sizeof(double) : bytes_of(*type));
      if (at + size > text->size()) return std::nullopt;
      const auto* first = reinterpret_cast<const std::byte*>(text->data()) + at;
      put(entry, Bytes(first, first + size), expected);
      at += size;
    }
    return at == text->size() ? std::optional(std::move(expected)) : std::nullopt;
  }

  void keep(const fs::path& path, const OrderedJson& question) const {
    if (path.empty()) return;
    std::string all;
    for (const OrderedJson& entry : question["outputs"]) {
      const auto bytes = read_output(entry);
      if (!bytes.ok() || all.size() + bytes->size() > kMostKept) return;
      all += text_of(*bytes);
    }
    if (!make_directories(path.parent_path()).ok()) return;
    const auto partial = path.string() + "." + folder_.path().filename().string();
    std::error_code code;
    if (write_file(partial, all).ok()) fs::rename(partial, path, code);
  }

  Task task_;
  sandbox::Sandbox sandbox_;
  Options options_;
  TemporaryDirectory folder_;
  std::mutex mutex_;
  int questions_ = -1;
  int answers_ = -1;
  std::string heard_;
  StopSignal stop_;
  std::atomic<bool> gone_ = false;
  std::unique_ptr<Result<ProcessExit>> ended_;
  std::thread runner_;
};

ModuleReference::ModuleReference(std::unique_ptr<Process> process) : process_(std::move(process)) {}
ModuleReference::~ModuleReference() = default;

Result<std::unique_ptr<ModuleReference>> ModuleReference::open(const Task& task,
                                                               const sandbox::Sandbox& sandbox,
                                                               const Options& options) {
  WW_TRY(const auto interpreter, find_interpreter(task.torch.python));
  WW_TRY(auto folder, TemporaryDirectory::create("warpwright-torch"));
  auto process = std::make_unique<Process>(task, sandbox, options, std::move(folder));
  WW_CHECK(process->start(interpreter));
  return std::unique_ptr<ModuleReference>(new ModuleReference(std::move(process)));
}

Result<std::vector<Expected>> ModuleReference::run(const verify::Instance& instance,
                                                   std::span<const Bytes> inputs) const {
  return process_->run(instance, inputs);
}

}  // namespace warpwright::torch
