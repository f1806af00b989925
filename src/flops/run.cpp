// SPDX-License-Identifier: Apache-2.0
#include "flops/run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>

#include "base/files.h"
#include "base/swept_folder.h"
#include "flops/runtime/protocol.h"

namespace warpwright::flop {

namespace fs = std::filesystem;

namespace {

using ww_flops::AnswerHead;
using ww_flops::AskHead;

constexpr std::uint64_t kHostBytes = std::uint64_t{8} << 30;
constexpr int kTries = 5;
constexpr int kWaits = 10;  ///< a program mostly waits for its kernels

/// The program's questions come in through one pipe, answers go out through the other.
class Line {
 public:
  static Result<Line> open(const fs::path& folder) {
    Line line;
    WW_TRY(line.ask_, pipe_at(folder / ww_flops::kAskName));
    WW_TRY(line.answer_, pipe_at(folder / ww_flops::kAnswerName));
    return line;
  }

  /// Waits for bytes; false when the program has ended and nothing is left.
  bool read(void* data, std::size_t size, const std::atomic<bool>& ended) {
    auto* to = static_cast<char*>(data);
    while (size > 0) {
      const bool over = ended.load();
      const ssize_t got = ::read(ask_.get(), to, size);
      if (got > 0) {
        to += got;
        size -= static_cast<std::size_t>(got);
      } else if (over) {
        return false;
      } else {
        pollfd waiting{ask_.get(), POLLIN, 0};
        ::poll(&waiting, 1, 20);
      }
    }
    return true;
  }

  void write(std::string_view bytes, const std::atomic<bool>& ended) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(answer_.get(), bytes.data(), bytes.size());
      if (written > 0) {
        bytes.remove_prefix(static_cast<std::size_t>(written));
      } else if (ended.load()) {
        return;
      } else {
        pollfd waiting{answer_.get(), POLLOUT, 0};
        ::poll(&waiting, 1, 20);
      }
    }
  }

 private:
  Line() = default;
  /// Opened for both directions it never waits for the other side.
  static Result<FileDescriptor> pipe_at(const fs::path& path) {
    if (::mkfifo(path.c_str(), 0600) != 0)
      return Error{"cannot make " + path.string() + ": " + std::strerror(errno)};
    ::chmod(path.c_str(), 0666);
    FileDescriptor fd(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
    if (fd.get() < 0) return Error{"cannot open " + path.string() + ": " + std::strerror(errno)};
    return fd;
  }

  FileDescriptor ask_, answer_;
};

/// Answers until the program has ended, or has nothing more to ask that is wanted.
void serve(Line& line, const Conversation& talk, const std::atomic<bool>& ended, StopSignal& done) {
  AskHead head;
  while (line.read(&head, sizeof head, ended)) {
    if (head.bytes > ww_flops::kMostBytes) return;
    std::string question(head.bytes, '\0');
    if (!line.read(question.data(), question.size(), ended)) return;
    const ServiceAnswer answer = talk.answer(head.kind, question);
    const AnswerHead back{answer.error, static_cast<std::uint32_t>(answer.bytes.size())};
    std::string bytes(reinterpret_cast<const char*>(&back), sizeof back);
    bytes += answer.bytes;
    line.write(bytes, ended);
    if (talk.over()) done.request(StopReason::finished);
  }
}

sandbox::Request request_of(const BuiltProgram& program, const RunRequest& request,
                            const fs::path& folder) {
  sandbox::Request run;
  run.argv = {program.executable.string()};
  run.argv.insert(run.argv.end(), request.arguments.begin(), request.arguments.end());
  run.env = minimal_environment();
  run.env.push_back(std::string(ww_flops::kFolderVariable) + "=" + folder.string());
  run.cwd = request.cwd;
  run.readable = {program.executable.parent_path(), program.runtime};
  if (!request.may_write) run.readable.push_back(request.cwd);
  run.writable = {folder};
  if (request.may_write) run.writable.push_back(request.cwd);
  run.limits.wall = kWaits * request.time + std::chrono::seconds(30);
  run.limits.cpu_s = static_cast<std::uint64_t>(std::max<long long>(request.time.count(), 1));
  run.limits.memory_bytes = kArenaBytes + kHostBytes;
  run.limits.file_bytes = std::uint64_t{1} << 30;
  return run;
}

/// In memory where there is a place for it: the arena is a file, and nobody wants it on a disk.
Result<SweptFolder> arena_folder() {
  constexpr std::string_view kPrefix = "warpwright-flops-";
  auto made = SweptFolder::create_in("/dev/shm", kPrefix);
  return made.ok() ? std::move(made) : SweptFolder::create(kPrefix);
}

Result<ProcessExit> converse_once(const sandbox::Sandbox& sandbox, const BuiltProgram& program,
                                  const RunRequest& request, const MakeConversation& make,
                                  const StopSignal* stop) {
  WW_TRY(const SweptFolder folder, arena_folder());
  ::chmod(folder.path().c_str(), 0755);
  WW_TRY(Line line, Line::open(folder.path()));
  WW_TRY(SharedArena arena, SharedArena::create(folder.path() / ww_flops::kMemoryName));
  const Conversation talk = make(arena);
  std::atomic<bool> ended{false};
  StopSignal done;
  Result<ProcessExit> exit = Error{"the program was not started"};
  std::thread watcher([&] {
    exit = sandbox.run(request_of(program, request, folder.path()), &done);
    ended.store(true);
  });
  serve(line, talk, ended, done);
  watcher.join();
  if (stop != nullptr && stop->requested()) return Error{"the run was stopped"};
  return exit;
}

}  // namespace

Result<ProcessExit> converse(const sandbox::Sandbox& sandbox, const BuiltProgram& program,
                             const RunRequest& request, const MakeConversation& make,
                             const StopSignal* stop) {
  for (int tries = 1;; ++tries) {
    WW_TRY(ProcessExit exit, converse_once(sandbox, program, request, make, stop));
    if (exit.exit_code != ww_flops::kNoRoom || tries == kTries) return exit;
  }
}

Result<ProgramRun> run_program(const sandbox::Sandbox& sandbox, const BuiltProgram& program,
                               const RunRequest& request, const StopSignal* stop) {
  std::unique_ptr<DeviceService> service;
  const auto make = [&](SharedArena& arena) -> Conversation {
    service = std::make_unique<DeviceService>(program.ptx, request.target, request.limits, arena);
    return {[&](std::uint32_t kind, std::string_view q) { return service->answer(kind, q); },
            [&] { return service->complete(); }};
  };
  WW_TRY(ProcessExit exit, converse(sandbox, program, request, make, stop));
  ProgramRun run;
  run.launches = service->launches();
  run.missing = service->missing();
  run.faults = service->faults();
  run.left_out = service->left_out();
  run.exit = std::move(exit);
  return run;
}

}  // namespace warpwright::flop
