// SPDX-License-Identifier: Apache-2.0
#include "sandbox/seccomp.h"

#include <linux/audit.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "base/assert.h"

namespace warpwright::sandbox {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "the sandbox knows x86-64 and aarch64"
#endif

// Numbers above 423 are the same on every architecture; older headers lack their names.
constexpr int kNewCalls[] = {
    425, 426, 427,            // io_uring_setup, io_uring_enter, io_uring_register
    428, 429, 430, 431, 432,  // open_tree, move_mount, fsopen, fsconfig, fsmount
    433,                      // fspick
    438,                      // pidfd_getfd
    440,                      // process_madvise
    442,                      // mount_setattr
    443,                      // quotactl_fd
    448,                      // process_mrelease
};
constexpr int kClone3 = 435;
constexpr int kPidfdSendSignal = 424;

constexpr int kDenied[] = {
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_fanotify_init,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_kexec_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_quotactl,
    SYS_syslog,
    SYS_vhangup,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    SYS_personality,
    SYS_mbind,
    SYS_migrate_pages,
    SYS_move_pages,
    // Neither the network nor a service of the machine's that listens on a path: Landlock does not
    // watch connections, and a folder that a namespace shows may hold a socket too.
    SYS_socket,
    SYS_connect,
#if defined(SYS_kexec_file_load)
    SYS_kexec_file_load,
#endif
#if defined(__x86_64__)
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
#endif
};

constexpr int kSignals[] = {
    SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, kPidfdSendSignal};
constexpr int kGroups[] = {SYS_setsid, SYS_setpgid};

constexpr std::uint32_t kNamespaceFlags = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC |
                                          CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET |
                                          CLONE_NEWCGROUP;

constexpr std::uint32_t refusal(int code) {
  return SECCOMP_RET_ERRNO | (static_cast<std::uint32_t>(code) & SECCOMP_RET_DATA);
}

class Program {
 public:
  void load(std::size_t offset) {
    code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void answer(std::uint32_t value) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, value)); }
  /// Skips `instructions` unless the accumulator equals the value.
  void unless_equal_skip(std::uint32_t value, unsigned char instructions) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, instructions));
  }
  void refuse(int number, int code) {
    unless_equal_skip(static_cast<std::uint32_t>(number), 1);
    answer(refusal(code));
  }
  void add(sock_filter instruction) { code_.push_back(instruction); }
  std::vector<sock_filter> take() { return std::move(code_); }

 private:
  std::vector<sock_filter> code_;
};

constexpr std::size_t kNumber = offsetof(seccomp_data, nr);
constexpr std::size_t kArgument0 = offsetof(seccomp_data, args);  // low half: little endian
constexpr std::size_t kArgument1 = kArgument0 + sizeof(std::uint64_t);

void judge_clone(Program& program) {
  program.unless_equal_skip(SYS_clone, 4);
  program.load(kArgument0);
  program.add(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kNamespaceFlags, 0, 1));
  program.answer(refusal(EPERM));
  program.answer(SECCOMP_RET_ALLOW);
}

/// Programs may use a local pair as a pipe. A datagram pair is none: each of its ends can send to
/// any name.
void judge_socket_pair(Program& program) {
  constexpr std::uint32_t kTypeMask = 0xf;  // the rest are flags
  program.unless_equal_skip(SYS_socketpair, 8);
  program.load(kArgument0);
  program.add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 0, 4));
  program.load(kArgument1);
  program.add(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, kTypeMask));
  program.add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SOCK_STREAM, 2, 0));
  program.add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SOCK_SEQPACKET, 1, 0));
  program.answer(refusal(EAFNOSUPPORT));
  program.answer(SECCOMP_RET_ALLOW);
}

}  // namespace

std::vector<sock_filter> seccomp_program(SignalRule signals) {
  Program program;
  program.load(offsetof(seccomp_data, arch));
  program.unless_equal_skip(kArchitecture, 1);
  program.add(BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0));
  program.answer(SECCOMP_RET_KILL_PROCESS);
  program.load(kNumber);
#if defined(__x86_64__)
  // The x32 calls carry a bit that would slip past the comparisons below.
  program.add(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x40000000, 0, 1));
  program.answer(refusal(ENOSYS));
#endif
  for (const int number : kDenied) program.refuse(number, EPERM);
  for (const int number : kNewCalls) program.refuse(number, EPERM);
  program.refuse(kClone3, ENOSYS);
  if (signals != SignalRule::allowed) {
    for (const int number : kGroups) program.refuse(number, EPERM);
  }
  if (signals == SignalRule::denied) {
    for (const int number : kSignals) program.refuse(number, EPERM);
  }
  judge_clone(program);
  judge_socket_pair(program);
  program.answer(SECCOMP_RET_ALLOW);
  auto code = program.take();
  ASSERT(code.size() < 4096, "the kernel takes at most 4096 instructions");
  return code;
}

int install_seccomp(const sock_filter* program, unsigned short length) {
  const sock_fprog filter{length, const_cast<sock_filter*>(program)};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) return errno;
  return 0;
}

}  // namespace warpwright::sandbox
