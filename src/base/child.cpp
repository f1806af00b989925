// SPDX-License-Identifier: Apache-2.0
#include "base/child.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <poll.h>
#include <unistd.h>

#include "base/spawn.h"

namespace warpwright {

namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20;

}  // namespace

Result<ChildProcess> ChildProcess::start(const Command& command) {
  WW_TRY(Pipe in, make_pipe());
  WW_TRY(Pipe out, make_pipe());
  WW_TRY(const pid_t pid, spawn(command, in.read_end.get(), out.write_end.get(), STDERR_FILENO));
  return ChildProcess(pid, std::move(in.write_end), std::move(out.read_end));
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      in_(std::move(other.in_)),
      out_(std::move(other.out_)),
      pending_(std::move(other.pending_)) {}

ChildProcess::~ChildProcess() {
  kill();
  if (pid_ <= 0) return;
  ProcessExit ignored;
  reap(pid_, ignored);
}

Status ChildProcess::write_line(std::string_view line) {
  ASSERT(line.find('\n') == std::string_view::npos, "a line is one line");
  std::string text(line);
  text += '\n';
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = write_without_sigpipe(in_.get(), std::string_view(text).substr(done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      return Error{std::string("the program no longer reads: ") + std::strerror(errno)};
    done += static_cast<std::size_t>(written);
  }
  return {};
}

std::optional<std::string> ChildProcess::take_line() {
  const auto end = pending_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = pending_.substr(0, end);
  pending_.erase(0, end + 1);
  return line;
}

ChildProcess::Reply ChildProcess::read_line(std::chrono::milliseconds wait) {
  const auto deadline = std::chrono::steady_clock::now() + wait;
  while (true) {
    if (auto line = take_line()) return {Heard::line, std::move(*line)};
    if (!out_.valid() || pending_.size() > kLongestLine) return {Heard::gone, {}};
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd watched{out_.get(), POLLIN, 0};
    const int ready =
        ::poll(&watched, 1, static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1 << 30)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return {Heard::nothing, {}};
    char buffer[1 << 14];
    const ssize_t got = ::read(out_.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      out_.reset();
    } else {
      pending_.append(buffer, static_cast<std::size_t>(got));
    }
  }
}

void ChildProcess::close_input() { in_.reset(); }

void ChildProcess::kill() {
  if (pid_ > 0) ::kill(-pid_, SIGKILL);
}

}  // namespace warpwright
