// SPDX-License-Identifier: Apache-2.0
// Recording itself: loads the candidate's library, calls solve once per requested call,
// each in a process of its own, and prints one line of JSON per call.
//
//   record JOB LIBRARY
//
// JOB is a text of lines, written by the judge:
//   fact NAME NUMBER
//   device TEXT
//   kernel NAME MAX_THREADS REGISTERS STATIC_SHARED LOCAL PARAMETER_BYTES {OFFSET SIZE}...
//   call {p BYTES | w HEX}...      one word per argument of solve: a buffer, or a scalar's bits
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "recorder.h"

using namespace ww_recorder;

namespace {

using CallSolve = void (*)(const std::uint64_t* words);

void read_kernel(std::istringstream& line) {
  Kernel kernel;
  line >> kernel.name >> kernel.max_threads >> kernel.registers >> kernel.static_shared >>
      kernel.local_bytes >> kernel.parameter_bytes;
  Kernel::Parameter parameter;
  while (line >> parameter.offset >> parameter.size) kernel.parameters.push_back(parameter);
  state().kernels[kernel.name] = kernel;
}

std::vector<std::string> read_job(const char* path) {
  std::ifstream file(path);
  std::vector<std::string> calls;
  std::string text;
  while (std::getline(file, text)) {
    std::istringstream line(text);
    std::string word;
    line >> word;
    if (word == "fact") {
      std::string name;
      long long value = 0;
      line >> name >> value;
      state().facts[name] = value;
    } else if (word == "device") {
      state().device_name = text.substr(7);
    } else if (word == "kernel") {
      read_kernel(line);
    } else if (word == "call") {
      calls.push_back(text.substr(4));
    }
  }
  return calls;
}

/// The instruction that faulted, as if it were a call's return address.
const void* faulting_place(void* context) {
  const auto* machine = &static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(machine->gregs[REG_RIP] + 1);
#elif defined(__aarch64__)
  return reinterpret_cast<const void*>(machine->pc + 1);
#else
  return nullptr;
#endif
}

void on_fault(int number, siginfo_t* info, void* context) {
  // x86-64 hides the address of a non-canonical access (nothing else in solve makes one), aarch64
  // leaves out its top byte.
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  constexpr std::uint64_t kTopByte = kTag & (std::uint64_t{0xFF} << 56);
  const bool device = (number == SIGSEGV || number == SIGBUS) &&
                      (((address | kTopByte) & kTagMask) == kTag || info->si_code == SI_KERNEL);
  const void* place = faulting_place(context);
  if (device) {
    give_up("host_error", "solve reads or writes device memory from host code", place);
  }
  give_up("host_error",
          std::string("solve crashed on the host: ") + (number == SIGSEGV   ? "segmentation fault"
                                                        : number == SIGABRT ? "abort"
                                                        : number == SIGFPE
                                                            ? "division by zero or bad arithmetic"
                                                            : "fatal signal"),
          place);
}

void catch_faults() {
  static char stack[1 << 16];
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  ::sigaltstack(&alternative, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    ::sigaction(number, &action, nullptr);
  }
}

std::vector<std::uint64_t> arguments_of(const std::string& text) {
  std::istringstream line(text);
  std::vector<std::uint64_t> words;
  std::string kind, value;
  while (line >> kind >> value) {
    if (kind == "w") {
      words.push_back(std::strtoull(value.c_str(), nullptr, 16));
      continue;
    }
    const int buffer =
        add_buffer("\"kind\":\"argument\",\"argument\":" + std::to_string(words.size()),
                   std::strtoull(value.c_str(), nullptr, 10), false);
    words.push_back(address_of_buffer(buffer));
  }
  return words;
}

void exit_is_an_error() {
  if (state().call >= 0) {
    give_up("host_error", "solve ended the program instead of returning", nullptr);
  }
}

[[noreturn]] void run_call(CallSolve solve, const std::string& call) {
  catch_faults();
  std::atexit(exit_is_an_error);
  const auto words = arguments_of(call);
  solve(words.data());
  if (state().capturing)
    give_up("host_error", "solve returned with an open stream capture", nullptr);
  report_plan();
  std::fflush(nullptr);
  ::_exit(0);
}

/// Says why a call's process ended without a word of its own.
void report_death(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == kGaveUp) return;
  const pid_t child = ::fork();
  if (child == 0) {
    const bool signaled = WIFSIGNALED(status);
    const int number = signaled ? WTERMSIG(status) : WEXITSTATUS(status);
    const bool time = signaled && number == SIGXCPU;
    give_up(time ? "timeout" : "host_error",
            time ? "solve used up its CPU time on the host"
                 : std::string("solve's process ended by ") +
                       (signaled ? "signal " : "exit code ") + std::to_string(number),
            nullptr);
  }
  int ignored = 0;
  ::waitpid(child, &ignored, 0);
}

}  // namespace

WW_API int ww_record_main(int argc, char** argv) {
  if (argc != 3) return 2;
  // Results leave through a descriptor of their own; what the candidate prints goes nowhere.
  state().out_fd = ::fcntl(1, F_DUPFD_CLOEXEC, 100);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nowhere, 1);
  const auto calls = read_job(argv[1]);
  void* library = ::dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    give_up("host_error", std::string("the host part cannot be loaded: ") + ::dlerror(), nullptr);
  }
  const auto solve = reinterpret_cast<CallSolve>(::dlsym(library, "ww_call_solve"));
  if (solve == nullptr) give_up("host_error", "the host part has no solve", nullptr);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    state().call = static_cast<int>(i);
    const pid_t child = ::fork();
    if (child < 0) give_up("host_error", "the host part used up its processes", nullptr);
    if (child == 0) run_call(solve, calls[i]);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    // The first call without a plan decides, so the others need not be tried.
    report_death(status);
    break;
  }
  ::_exit(0);
}
