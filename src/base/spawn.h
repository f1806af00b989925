// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/files.h"
#include "base/process.h"

namespace warpwright {

// The parts that run_process() and ChildProcess share.

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};
Result<Pipe> make_pipe();

void set_non_blocking(const FileDescriptor& fd);

/// A reader may end without reading; that must not end us. The signal is blocked for this thread
/// alone, because the disposition belongs to whoever embeds us.
ssize_t write_without_sigpipe(int fd, std::string_view text);

/// Starts the command in a process group of its own, killed when this thread ends. The streams
/// are the child's. The error is for programs that could not be started.
Result<pid_t> spawn(const Command& command, int stdin_fd, int stdout_fd, int stderr_fd);

/// Waits for it to be gone.
void reap(pid_t pid, ProcessExit& exit);

}  // namespace warpwright
