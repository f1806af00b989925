// SPDX-License-Identifier: Apache-2.0
// Calls of one candidate run one after the other inside of one sandbox. These walls stand between
// them: what one call's process does leaves nothing that another's could find, and reaches none of
// our own. They go up before any of the candidate's code runs.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <vector>

#include "walls.h"

namespace ww_recorder {

namespace {

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "the recorder knows x86-64 and aarch64"
#endif

// Files, names, other processes, memory that outlives a process.
constexpr int kDenied[] = {
    SYS_execve,
    SYS_execveat,
    SYS_mkdirat,
    SYS_mknodat,
    SYS_symlinkat,
    SYS_linkat,
    SYS_renameat2,
    SYS_unlinkat,
    SYS_truncate,
    SYS_ftruncate,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_fchown,
    SYS_fchownat,
    SYS_utimensat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_flock,
    SYS_inotify_init1,
    SYS_shmget,
    SYS_shmat,
    SYS_shmctl,
    SYS_semget,
    SYS_semop,
    SYS_semtimedop,
    SYS_semctl,
    SYS_msgget,
    SYS_msgsnd,
    SYS_msgrcv,
    SYS_msgctl,
    SYS_mq_open,
    SYS_mq_unlink,
    SYS_tkill,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_ptrace,
    SYS_kcmp,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_setpriority,
    SYS_ioprio_set,
    SYS_sched_setparam,
    SYS_sched_setscheduler,
    SYS_sched_setattr,
    424 /* pidfd_send_signal */,
    434 /* pidfd_open */,
    438 /* pidfd_getfd */,
#if defined(SYS_renameat)
    SYS_renameat,
#endif
#if defined(__x86_64__)
    SYS_fork,
    SYS_vfork,
    SYS_creat,
    SYS_mkdir,
    SYS_mknod,
    SYS_symlink,
    SYS_link,
    SYS_rename,
    SYS_unlink,
    SYS_rmdir,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
    SYS_inotify_init,
#endif
};
// The C library falls back to calls whose arguments can be judged.
constexpr int kUnknown[] = {435 /* clone3 */, 437 /* openat2 */};

constexpr unsigned kWrites = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
constexpr unsigned kThread = 0x00010000;  // CLONE_THREAD

constexpr unsigned argument(int number) {
  return static_cast<unsigned>(offsetof(seccomp_data, args)) +
         8 * static_cast<unsigned>(number);  // the low half: little endian
}

class Filter {
 public:
  void add(unsigned short code, unsigned value, unsigned char yes = 0, unsigned char no = 0) {
    code_.push_back({code, yes, no, value});
  }
  void load(unsigned offset) { add(BPF_LD | BPF_W | BPF_ABS, offset); }
  void allow() { add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW); }
  void refuse(int code) {
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (static_cast<unsigned>(code) & SECCOMP_RET_DATA));
  }
  void refuse_call(int number, int code) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1);
    refuse(code);
  }
  /// The call is refused when any of the bits is set, or when none is.
  void judge_bits(int number, int which, unsigned bits, bool wanted) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 4);
    load(argument(which));
    add(BPF_JMP | BPF_JSET | BPF_K, bits, wanted ? 1 : 0, wanted ? 0 : 1);
    refuse(EACCES);
    allow();
  }
  /// The call is allowed for this very process only.
  void judge_process(int number, unsigned self, bool zero_is_self) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 5);
    load(argument(0));
    add(BPF_JMP | BPF_JEQ | BPF_K, self, 2, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, zero_is_self ? 0 : self, 1, 0);
    refuse(EPERM);
    allow();
  }
  bool install() {
    const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
  }

 private:
  std::vector<sock_filter> code_;
};

}  // namespace

bool put_up_walls() {
  Filter filter;
  filter.load(offsetof(seccomp_data, arch));
  filter.add(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
  filter.add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  filter.load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
  filter.add(BPF_JMP | BPF_JSET | BPF_K, 0x40000000, 0, 1);  // the x32 calls
  filter.refuse(ENOSYS);
  filter.judge_bits(SYS_open, 1, kWrites, false);
#endif
  for (const int number : kDenied) filter.refuse_call(number, EPERM);
  for (const int number : kUnknown) filter.refuse_call(number, ENOSYS);
  filter.judge_bits(SYS_openat, 2, kWrites, false);
  filter.judge_bits(SYS_clone, 0, kThread, true);
  const auto self = static_cast<unsigned>(::getpid());
  filter.judge_process(SYS_kill, self, false);
  filter.judge_process(SYS_tgkill, self, false);
  filter.judge_process(SYS_prlimit64, self, true);
  filter.allow();
  return filter.install();
}

}  // namespace ww_recorder
