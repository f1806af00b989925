// SPDX-License-Identifier: Apache-2.0
// Host code computes and talks to the device. It asks the system for nothing but memory, threads
// and somewhere to print: whatever else it could ask (files, its own process, the time, a nap)
// would only tell it where it runs, or pass time that nobody counts. The doors close when the
// candidate's library has been mapped, before its first instruction, and a call through one of them
// ends the process.
#include "doors.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "recorder.h"

namespace ww_recorder {

namespace {

#if defined(__x86_64__)
constexpr int kRseq = 334;
#else
constexpr int kRseq = 293;
#endif

constexpr int kOpen[] = {
    // Memory.
    SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap, SYS_madvise, SYS_brk,
    // The recorder's own way to the keeper, and what host code prints: that leads nowhere.
    SYS_read, SYS_write, SYS_writev,
    // Threads.
    SYS_set_robust_list, kRseq, SYS_sched_yield, SYS_sched_getaffinity, SYS_rt_sigprocmask,
    SYS_rt_sigreturn, SYS_sigaltstack, SYS_membarrier,
    // Chance: two processes must ask for the same.
    SYS_getrandom,
    // The end.
    SYS_exit, SYS_exit_group, SYS_tgkill};

// The C library asks for these on its own account, and goes on without.
constexpr int kMissing[] = {SYS_sysinfo, 435 /* clone3 */};

struct Name {
  int number;
  const char* text;
};
constexpr Name kNames[] = {{SYS_openat, "openat"},
                           {SYS_nanosleep, "nanosleep"},
                           {SYS_clock_nanosleep, "clock_nanosleep"},
                           {SYS_clock_gettime, "clock_gettime"},
                           {SYS_futex, "a wait with a time limit"},
                           {SYS_getpid, "the number of its process, as abort() does"},
                           {SYS_gettid, "the number of its thread, as abort() does"},
                           {SYS_rt_sigaction, "sigaction"},
                           {SYS_readlinkat, "readlink"},
                           {SYS_socket, "socket"},
                           {SYS_clone, "another process"},
                           {SYS_ptrace, "ptrace"},
                           {SYS_execve, "execve"},
                           {SYS_kill, "kill"}};

bool closed = false;

void on_stopped(int, siginfo_t* info, void*) {
  std::string name = "system call " + std::to_string(info->si_syscall);
  for (const Name& row : kNames) {
    if (row.number == info->si_syscall) name = row.text;
  }
  give_up(
      WireVerdict::host_error,
      "host code may compute and use the CUDA runtime; it asked the system for something else (" +
          name + ")",
      nullptr);
}

void add(std::vector<sock_filter>& code, unsigned short what, unsigned value, unsigned char yes = 0,
         unsigned char no = 0) {
  code.push_back({what, yes, no, value});
}

void answer_call(std::vector<sock_filter>& code, int number, unsigned answer) {
  add(code, BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1);
  add(code, BPF_RET | BPF_K, answer);
}

/// The C library has two signals of its own, which it prepares with the first thread.
void judge_signals(std::vector<sock_filter>& code) {
  constexpr unsigned kFirstOwn = 32, kBehindOwn = 34;
  add(code, BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigaction, 0, 5);
  add(code, BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args));
  add(code, BPF_JMP | BPF_JGE | BPF_K, kFirstOwn, 0, 2);
  add(code, BPF_JMP | BPF_JGE | BPF_K, kBehindOwn, 1, 0);
  add(code, BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  add(code, BPF_RET | BPF_K, SECCOMP_RET_TRAP);
}

/// A wait without a limit ends by somebody's act; one with a limit is a nap.
void judge_futex(std::vector<sock_filter>& code) {
  constexpr auto kArguments = static_cast<unsigned>(offsetof(seccomp_data, args));
  constexpr unsigned kOperation = kArguments + 8, kLimit = kArguments + 24;
  add(code, BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 10);
  add(code, BPF_LD | BPF_W | BPF_ABS, kOperation);
  add(code, BPF_ALU | BPF_AND | BPF_K, FUTEX_CMD_MASK);
  add(code, BPF_JMP | BPF_JEQ | BPF_K, FUTEX_WAKE, 5, 0);
  add(code, BPF_JMP | BPF_JEQ | BPF_K, FUTEX_WAKE_OP, 4, 0);
  add(code, BPF_LD | BPF_W | BPF_ABS, kLimit);
  add(code, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3);
  add(code, BPF_LD | BPF_W | BPF_ABS, kLimit + 4);
  add(code, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
  add(code, BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  add(code, BPF_RET | BPF_K, SECCOMP_RET_TRAP);
}

/// Threads are made, processes are not.
void judge_clone(std::vector<sock_filter>& code) {
  constexpr unsigned kThread = 0x00010000;  // CLONE_THREAD
  add(code, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
  add(code, BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args));
  add(code, BPF_JMP | BPF_JSET | BPF_K, kThread, 0, 1);
  add(code, BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  add(code, BPF_RET | BPF_K, SECCOMP_RET_TRAP);
}

bool install() {
  std::vector<sock_filter> code;
  add(code, BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  for (const int number : kOpen) answer_call(code, number, SECCOMP_RET_ALLOW);
  for (const int number : kMissing) answer_call(code, number, SECCOMP_RET_ERRNO | ENOSYS);
  judge_clone(code);
  judge_signals(code);
  judge_futex(code);
  add(code, BPF_RET | BPF_K, SECCOMP_RET_TRAP);
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

}  // namespace

void watch_doors() {
  struct sigaction action {};
  action.sa_sigaction = on_stopped;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  ::sigaction(SIGSYS, &action, nullptr);
}

bool doors_are_closed() { return closed; }

}  // namespace ww_recorder

/// Called by the candidate's library before its own constructors: the linker puts a call of it
/// there (build/front_ends.h), and the judge looks whether it did.
WW_API void ww_close_doors(void) {
  if (ww_recorder::closed) return;
  if (!ww_recorder::install()) ::_exit(3);
  ww_recorder::closed = true;
}

// The C library reads a file to count processors. Two recordings must ask for the same, whatever
// the number: there are as many as a usual host has.
WW_API int get_nprocs(void) noexcept { return 16; }
WW_API int get_nprocs_conf(void) noexcept { return 16; }
