// SPDX-License-Identifier: Apache-2.0
#include "base/spawn.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warpwright {

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return Error{std::string("cannot create a pipe: ") + std::strerror(errno)};
  }
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

void set_non_blocking(const FileDescriptor& fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

ssize_t write_without_sigpipe(int fd, std::string_view text) {
  sigset_t broken_pipe;
  sigset_t before;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
  const ssize_t written = ::write(fd, text.data(), text.size());
  const int code = errno;
  if (written < 0 && code == EPIPE && sigismember(&before, SIGPIPE) == 0) {
    const timespec no_wait{0, 0};
    ::sigtimedwait(&broken_pipe, nullptr, &no_wait);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = code;
  return written;
}

void reap(pid_t pid, ProcessExit& exit) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) exit.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) exit.signal = WTERMSIG(status);
}

namespace {

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (const auto& text : strings) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

/// Everything the child needs, prepared before fork: after it only async-signal-safe calls are
/// allowed, because other threads may have held locks.
struct ChildPlan {
  const char* program;
  char* const* argv;
  char* const* envp;
  const char* cwd;
  int stdin_fd;
  int stdout_fd;
  int stderr_fd;
  int error_fd;
  const ProcessLimits* limits;
  int (*in_child)(void*);
  void* in_child_context;
};

void set_limit(decltype(RLIMIT_CPU) which, std::uint64_t value) {
  if (value == 0) return;
  const rlimit limit{static_cast<rlim_t>(value), static_cast<rlim_t>(value)};
  ::setrlimit(which, &limit);
}

[[noreturn]] void become_child(const ChildPlan& plan) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  set_limit(RLIMIT_CPU, plan.limits->cpu_s);
  set_limit(RLIMIT_AS, plan.limits->address_space_bytes);
  set_limit(RLIMIT_FSIZE, plan.limits->file_bytes);
  set_limit(RLIMIT_NPROC, plan.limits->processes);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  const bool ready = ::dup2(plan.stdin_fd, 0) >= 0 && ::dup2(plan.stdout_fd, 1) >= 0 &&
                     ::dup2(plan.stderr_fd, 2) >= 0 &&
                     (plan.cwd[0] == '\0' || ::chdir(plan.cwd) == 0);
  int code = errno;
  if (ready) {
    code = plan.in_child != nullptr ? plan.in_child(plan.in_child_context) : 0;
    if (code == 0) {
      ::execve(plan.program, plan.argv, plan.envp);
      code = errno;
    }
  }
  [[maybe_unused]] const auto written = ::write(plan.error_fd, &code, sizeof code);
  ::_exit(127);
}

/// The child reports a failed exec through a pipe that a successful exec closes.
int exec_failure(const FileDescriptor& error_pipe) {
  int code = 0;
  ssize_t got;
  do {
    got = ::read(error_pipe.get(), &code, sizeof code);
  } while (got < 0 && errno == EINTR);
  return got == sizeof code ? code : 0;
}

}  // namespace

Result<pid_t> spawn(const Command& command, int stdin_fd, int stdout_fd, int stderr_fd) {
  ASSERT(!command.argv.empty(), "a command needs a program");
  WW_TRY(const std::filesystem::path program, find_program(command.argv[0]));
  WW_TRY(Pipe failure, make_pipe());
  const auto argv = pointers(command.argv);
  const auto envp = pointers(command.env);
  const std::string cwd = command.cwd.string();
  const ChildPlan plan{program.c_str(),
                       argv.data(),
                       envp.data(),
                       cwd.c_str(),
                       stdin_fd,
                       stdout_fd,
                       stderr_fd,
                       failure.write_end.get(),
                       &command.limits,
                       command.in_child,
                       command.in_child_context};
  const pid_t pid = ::fork();
  if (pid < 0) return Error{"cannot start '" + program.string() + "': " + std::strerror(errno)};
  if (pid == 0) become_child(plan);
  ::setpgid(pid, pid);  // both sides do it, so neither has to wait for the other
  failure.write_end.reset();
  const int code = exec_failure(failure.read_end);
  if (code == 0) return pid;
  ProcessExit ignored;
  reap(pid, ignored);
  return Error{"cannot run '" + program.string() + "': " + std::strerror(code)};
}

}  // namespace warpwright
