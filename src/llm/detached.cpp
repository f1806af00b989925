// SPDX-License-Identifier: Apache-2.0
#include "llm/detached.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/spawn.h"

namespace warpwright::llm {

namespace {

/// In the started child, which ends here: a child of its own goes on as an orphan in a session of
/// its own. The death signal that spawn() asks for does not outlive a fork.
int leave(void*) {
  const pid_t pid = ::fork();
  if (pid < 0) return errno;
  if (pid > 0) ::_exit(0);
  if (::setsid() < 0) return errno;
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
#ifdef SYS_close_range
  // Others in this process may have opened files without O_CLOEXEC, locks among them.
  constexpr unsigned kCloseOnExec = 1U << 2;
  ::syscall(SYS_close_range, 3U, ~0U, kCloseOnExec);
#endif
  return 0;
}

}  // namespace

Result<Detached> start_detached(const std::vector<std::string>& argv,
                                const std::vector<std::string>& env) {
  WW_TRY(Pipe in, make_pipe());
  WW_TRY(Pipe out, make_pipe());
  const FileDescriptor null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  Command command;
  command.argv = argv;
  command.env = env;
  command.in_child = leave;
  WW_TRY(const pid_t starter, spawn(command, in.read_end.get(), out.write_end.get(), null.get()));
  ProcessExit ignored;
  reap(starter, ignored);
  return Detached{std::move(in.write_end), std::move(out.read_end)};
}

Status write_to_pipe(const FileDescriptor& pipe, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write_without_sigpipe(pipe.get(), text);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Error{std::string("cannot write to a pipe: ") + std::strerror(errno)};
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace warpwright::llm
