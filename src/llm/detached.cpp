// SPDX-License-Identifier: Apache-2.0
#include "llm/detached.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"

namespace warpwright::llm {

namespace {

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return Error{std::string("cannot create a pipe: ") + std::strerror(errno)};
  }
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (const auto& text : strings) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

/// Prepared before fork: afterwards only async-signal-safe calls are allowed.
struct Plan {
  const char* program;
  char* const* argv;
  char* const* envp;
  int in;
  int out;
  int null;
  int failure;
};

[[noreturn]] void fail(const Plan& plan) {
  const int code = errno;
  [[maybe_unused]] const auto written = ::write(plan.failure, &code, sizeof code);
  ::_exit(127);
}

[[noreturn]] void become_program(const Plan& plan) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  if (::dup2(plan.in, 0) < 0 || ::dup2(plan.out, 1) < 0 || ::dup2(plan.null, 2) < 0) fail(plan);
#ifdef SYS_close_range
  // Others in this process may have opened files without O_CLOEXEC, locks among them.
  constexpr unsigned kCloseOnExec = 1U << 2;
  ::syscall(SYS_close_range, 3U, ~0U, kCloseOnExec);
#endif
  ::execve(plan.program, plan.argv, plan.envp);
  fail(plan);
}

/// The child's whole life: leave the session, start the real program as an orphan, end.
[[noreturn]] void become_starter(const Plan& plan) {
  if (::setsid() < 0) fail(plan);
  const pid_t pid = ::fork();
  if (pid < 0) fail(plan);
  if (pid == 0) become_program(plan);
  ::_exit(0);
}

}  // namespace

Result<Detached> start_detached(const std::vector<std::string>& argv,
                                const std::vector<std::string>& env) {
  ASSERT(!argv.empty(), "a command needs a program");
  WW_TRY(const std::filesystem::path program, find_program(argv[0]));
  WW_TRY(Pipe in, make_pipe());
  WW_TRY(Pipe out, make_pipe());
  WW_TRY(Pipe failure, make_pipe());
  const FileDescriptor null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  const auto argv_pointers = pointers(argv);
  const auto env_pointers = pointers(env);
  const Plan plan{program.c_str(),        argv_pointers.data(), env_pointers.data(),
                  in.read_end.get(),      out.write_end.get(),  null.get(),
                  failure.write_end.get()};
  const pid_t pid = ::fork();
  if (pid < 0) return Error{"cannot start '" + program.string() + "': " + std::strerror(errno)};
  if (pid == 0) become_starter(plan);
  in.read_end.reset();
  out.write_end.reset();
  failure.write_end.reset();
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  int code = 0;
  ssize_t got;
  do {
    got = ::read(failure.read_end.get(), &code, sizeof code);
  } while (got < 0 && errno == EINTR);
  if (got == sizeof code) {
    return Error{"cannot run '" + program.string() + "': " + std::strerror(code)};
  }
  return Detached{std::move(in.write_end), std::move(out.read_end)};
}

Status write_to_pipe(const FileDescriptor& pipe, std::string_view text) {
  sigset_t broken_pipe;
  sigset_t before;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
  Status status;
  while (!text.empty()) {
    const ssize_t written = ::write(pipe.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      status = Error{std::string("cannot write to a pipe: ") + std::strerror(errno)};
      const timespec no_wait{0, 0};
      if (errno == EPIPE) ::sigtimedwait(&broken_pipe, nullptr, &no_wait);
      break;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return status;
}

}  // namespace warpwright::llm
