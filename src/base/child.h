// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/process.h"

namespace warpwright {

/// A program that stays, spoken to in lines. It lives in a process group of its own, which is
/// killed with this object, and when the thread that started it ends. Its standard error is ours.
/// One thread may write while another reads.
class ChildProcess {
 public:
  /// stdin_text, on_stdout and the wall limit of the command are not used.
  static Result<ChildProcess> start(const Command& command);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  /// The line must not hold a line feed. An error when the program no longer reads.
  Status write_line(std::string_view line);

  enum class Heard { line, nothing, gone };
  struct Reply {
    Heard heard = Heard::nothing;
    std::string line;  ///< without its end
  };
  /// The next whole line; `nothing` after `wait`, `gone` when there will be no more. A line
  /// longer than a mebibyte counts as gone: nobody of ours writes one.
  Reply read_line(std::chrono::milliseconds wait);

  /// The program sees the end of its input.
  void close_input();
  void kill();
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  ChildProcess(pid_t pid, FileDescriptor in, FileDescriptor out)
      : pid_(pid), in_(std::move(in)), out_(std::move(out)) {}
  std::optional<std::string> take_line();

  pid_t pid_ = -1;
  FileDescriptor in_;
  FileDescriptor out_;
  std::string pending_;
};

}  // namespace warpwright
