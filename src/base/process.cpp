// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/spawn.h"

namespace warpwright {

namespace fs = std::filesystem;
using Time = std::chrono::steady_clock::time_point;

namespace {

/// Feeds standard input and gathers both outputs until the child is gone or time is up.
class Conversation {
 public:
  Conversation(const Command& command, ProcessExit& exit) : command_(command), exit_(exit) {}

  FileDescriptor in, out, err, pid_fd;

  /// Returns when the leader exited, or its time or our patience ended.
  void run_until_exit(Time deadline, const StopSignal* stop) {
    for (;;) {
      pollfd watched[5];
      const int count = watch(watched, stop);
      const int ready = ::poll(watched, static_cast<nfds_t>(count), milliseconds_left(deadline));
      if (ready < 0 && errno != EINTR) return;
      if (stop != nullptr && stop->requested()) {
        exit_.stopped = true;
        return;
      }
      transfer();
      if (leader_exited()) return;
      if (std::chrono::steady_clock::now() >= deadline) {
        exit_.timed_out = true;
        return;
      }
    }
  }

  /// What is still in the pipes after the group was killed; bounded, because a process that left
  /// the group could hold them open.
  void drain() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    while ((out.valid() || err.valid()) && std::chrono::steady_clock::now() < end) {
      pollfd watched[2] = {{out.get(), POLLIN, 0}, {err.get(), POLLIN, 0}};
      if (::poll(watched, 2, 20) <= 0) break;
      transfer();
    }
  }

 private:
  int watch(pollfd* watched, const StopSignal* stop) const {
    int count = 0;
    watched[count++] = {pid_fd.get(), POLLIN, 0};
    if (out.valid()) watched[count++] = {out.get(), POLLIN, 0};
    if (err.valid()) watched[count++] = {err.get(), POLLIN, 0};
    if (in.valid()) watched[count++] = {in.get(), POLLOUT, 0};
    if (stop != nullptr) watched[count++] = {stop->fd(), POLLIN, 0};
    return count;
  }

  static int milliseconds_left(Time deadline) {
    if (deadline == Time::max()) return 1000;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1000));
  }

  bool leader_exited() const {
    pollfd watched{pid_fd.get(), POLLIN, 0};
    return ::poll(&watched, 1, 0) > 0;
  }

  void transfer() {
    feed();
    gather(out, exit_.out, true);
    gather(err, exit_.err, false);
  }

  void feed() {
    if (!in.valid()) return;
    while (fed_ < command_.stdin_text.size()) {
      const ssize_t written =
          write_without_sigpipe(in.get(), std::string_view(command_.stdin_text).substr(fed_));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0 && errno == EAGAIN) return;
      if (written < 0) break;  // the program does not want its input: not our concern
      fed_ += static_cast<std::size_t>(written);
    }
    in.reset();
  }

  void gather(FileDescriptor& fd, std::string& kept, bool announce) {
    char buffer[1 << 16];
    while (fd.valid()) {
      const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return;
      if (got <= 0) {
        fd.reset();
        return;
      }
      const std::string_view piece(buffer, static_cast<std::size_t>(got));
      if (announce && command_.on_stdout) command_.on_stdout(piece);
      const std::size_t room =
          command_.limits.output_bytes == 0
              ? piece.size()
              : command_.limits.output_bytes -
                    std::min<std::size_t>(command_.limits.output_bytes, kept.size());
      kept.append(piece.substr(0, room));
      if (room < piece.size()) exit_.output_truncated = true;
    }
  }

  const Command& command_;
  ProcessExit& exit_;
  std::size_t fed_ = 0;
};

}  // namespace

std::string ProcessExit::describe() const {
  std::string text =
      signal > 0 ? "signal " + std::to_string(signal) : "exit code " + std::to_string(exit_code);
  if (timed_out) text += " (killed at its time limit)";
  if (stopped) text += " (killed on request)";
  return text;
}

Result<ProcessExit> run_process(const Command& command, const StopSignal* stop) {
  WW_TRY(Pipe in, make_pipe());
  WW_TRY(Pipe out, make_pipe());
  WW_TRY(Pipe err, make_pipe());
  const auto started = std::chrono::steady_clock::now();
  WW_TRY(const pid_t pid,
         spawn(command, in.read_end.get(), out.write_end.get(), err.write_end.get()));
  in.read_end.reset();
  out.write_end.reset();
  err.write_end.reset();

  ProcessExit exit;
  Conversation talk(command, exit);
  talk.in = std::move(in.write_end);
  talk.out = std::move(out.read_end);
  talk.err = std::move(err.read_end);
  talk.pid_fd = FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  set_non_blocking(talk.in);
  set_non_blocking(talk.out);
  set_non_blocking(talk.err);
  const Time deadline =
      command.limits.wall.count() > 0 ? started + command.limits.wall : Time::max();
  talk.run_until_exit(deadline, stop);
  ::kill(-pid, SIGKILL);
  reap(pid, exit);
  talk.drain();
  exit.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return exit;
}

Result<fs::path> find_program(std::string_view name) {
  if (name.find('/') != std::string_view::npos) {
    if (::access(std::string(name).c_str(), X_OK) == 0) return fs::path(name);
    return Error{"'" + std::string(name) + "' is not an executable file"};
  }
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/usr/bin:/bin";
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    const fs::path candidate = fs::path(rest.substr(0, colon)) / name;
    std::error_code ignored;
    if (::access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate, ignored)) {
      return candidate;
    }
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  return Error{"program '" + std::string(name) + "' is not in PATH"};
}

std::vector<std::string> environment_subset(const std::vector<std::string>& names) {
  std::vector<std::string> result;
  for (const auto& name : names) {
    if (const char* value = std::getenv(name.c_str())) result.push_back(name + "=" + value);
  }
  return result;
}

std::vector<std::string> minimal_environment() {
  auto environment = environment_subset({"PATH"});
  environment.emplace_back("LC_ALL=C.UTF-8");
  return environment;
}

}  // namespace warpwright
