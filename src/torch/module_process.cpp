// SPDX-License-Identifier: Apache-2.0
#include "torch/module_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/text.h"
#include "core/json_reader.h"

namespace warpwright::torch {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestAnswer = std::size_t{1} << 20;

/// A pipe with a name. Opened for both ways, so that nobody waits for the other side.
Result<int> make_pipe(const fs::path& path) {
  if (::mkfifo(path.c_str(), 0600) != 0 || ::chmod(path.c_str(), 0666) != 0)
    return Error{fmt::format("making the pipe {}: {}", path.string(), std::strerror(errno))};
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0)
    return Error{fmt::format("opening the pipe {}: {}", path.string(), std::strerror(errno))};
  return descriptor;
}

sandbox::Request request_at(const Interpreter& interpreter, const fs::path& folder, Place place) {
  auto request = python_request(interpreter, folder, "ww_reference.py");
  request.limits.wall = std::chrono::hours(24);
  request.limits.memory_bytes = reference_memory();
  request.limits.file_bytes = reference_memory();
  if (place == Place::cpu) {
    request.env.push_back("CUDA_VISIBLE_DEVICES=");
    return request;
  }
  request.gpu = true;
  // CUDA reserves more addresses than any machine has memory.
  request.limits.memory_bytes = 0;
  request.env.push_back("CUDA_CACHE_DISABLE=1");
  request.env.push_back("CUDA_MODULE_LOADING=LAZY");
  return request;
}

}  // namespace

Result<std::unique_ptr<ModuleProcess>> ModuleProcess::start(const Task& task,
                                                            const Interpreter& interpreter,
                                                            const sandbox::Sandbox& sandbox,
                                                            const Options& options) {
  WW_TRY(auto folder, folder_for("warpwright-torch", options.bytes));
  WW_TRY(auto beside, SweptFolder::create_in(folder.path().parent_path(), "warpwright-torch"));
  std::unique_ptr<ModuleProcess> made(
      new ModuleProcess(sandbox, options, std::move(folder), std::move(beside)));
  WW_CHECK(made->run(task, interpreter));
  return made;
}

ModuleProcess::~ModuleProcess() {
  stop_.request(StopReason::finished);
  if (runner_.joinable()) runner_.join();
  if (questions_ >= 0) ::close(questions_);
  if (answers_ >= 0) ::close(answers_);
}

Status ModuleProcess::run(const Task& task, const Interpreter& interpreter) {
  WW_CHECK(write_programs(folder()));
  WW_CHECK(write_file(folder() / "reference.py", task.torch.source));
  const nlohmann::ordered_json settings = {{"mode", task.torch.mode},
                                           {"backward", task.torch.backward},
                                           {"gpu", options_.place == Place::gpu},
                                           {"threads", module_threads()}};
  WW_CHECK(write_file(folder() / "task.json", dump_json(settings)));
  WW_TRY(questions_, make_pipe(folder() / "questions"));
  WW_TRY(answers_, make_pipe(folder() / "answers"));
  const auto request = request_at(interpreter, folder(), options_.place);
  runner_ = std::thread([this, request] {
    ended_ = std::make_unique<Result<ProcessExit>>(sandbox_.run(request, &stop_));
    gone_ = true;
  });
  return {};
}

Status ModuleProcess::ask(std::string line) {
  const std::lock_guard lock(asking_);
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
Status ModuleProcess::hear() {
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
  const auto reply = parse_json_or_discard(heard_.substr(0, end));
  heard_.erase(0, end + 1);
  if (reply.is_object() && reply.contains("ok")) return {};
  if (reply.is_object() && reply.contains("error") && reply["error"].is_string())
    return Error{shortened(reply["error"].get<std::string>(), 2000)};
  return Error{"the reference's answer is none"};
}

Status ModuleProcess::wait_for(int descriptor, short event) {
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

std::string ModuleProcess::how_it_ended() const {
  if (!ended_->ok()) return ended_->error().message;
  const ProcessExit& exit = ended_->value();
  return fmt::format("{}\n{}", exit.describe(), shortened(exit.err, 2000));
}

}  // namespace warpwright::torch
