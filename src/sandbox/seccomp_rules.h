// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <array>
#include <cstdint>

#include "sandbox/seccomp.h"

namespace warpwright::sandbox {

// What both writers of a filter (seccomp.h) read: system calls that get an error, as tables.

/// These are refused with EPERM whatever their arguments are. Numbers above 423 are the same on
/// every architecture; older headers lack their names.
inline constexpr int kDeniedCalls[] = {
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_mount, SYS_umount2,
    SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns, SYS_bpf, SYS_perf_event_open,
    SYS_userfaultfd, SYS_fanotify_init, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_kexec_load,
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_reboot, SYS_swapon, SYS_swapoff,
    SYS_acct, SYS_quotactl, SYS_syslog, SYS_vhangup, SYS_settimeofday, SYS_clock_settime,
    SYS_clock_adjtime, SYS_adjtimex, SYS_sethostname, SYS_setdomainname, SYS_open_by_handle_at,
    SYS_name_to_handle_at, SYS_personality, SYS_mbind, SYS_migrate_pages, SYS_move_pages,
    // Neither the network nor a service of the machine's that listens on a path: Landlock does not
    // watch connections, and a folder that a namespace shows may hold a socket too.
    SYS_connect,
#if defined(SYS_kexec_file_load)
    SYS_kexec_file_load,
#endif
#if defined(__x86_64__)
    SYS_iopl, SYS_ioperm, SYS_modify_ldt,
#endif
    425,  // io_uring_setup
    426,  // io_uring_enter
    427,  // io_uring_register
    428,  // open_tree
    429,  // move_mount
    430,  // fsopen
    431,  // fsconfig
    432,  // fsmount
    433,  // fspick
    438,  // pidfd_getfd
    440,  // process_madvise
    442,  // mount_setattr
    443,  // quotactl_fd
    448,  // process_mrelease
};

/// Refused with ENOSYS, so that the C library falls back to clone, whose flags can be judged.
inline constexpr int kClone3 = 435;

/// Refused with EPERM where the process group must stay (SignalRule::groups_fixed and denied).
inline constexpr int kGroupCalls[] = {SYS_setsid, SYS_setpgid};

/// Refused with EPERM where nothing else confines signals (SignalRule::denied).
inline constexpr int kSignalCalls[] = {
    SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo,
    424,  // pidfd_send_signal
};

/// socket is refused with EPERM, but for one kind where SocketRule::listening allows it: CUDA's
/// driver listens on such a socket and does not start without one. Nothing can be reached through
/// it: connect is refused, and what is sent before a connection has no receiver.
inline constexpr std::uint32_t kLocalFamily = AF_UNIX;
inline constexpr std::array<std::uint32_t, 1> kListeningTypes = {SOCK_SEQPACKET};
inline constexpr std::uint32_t kSocketTypeMask = 0xf;  ///< the rest are flags

/// clone is refused with EPERM when it has one of these flags.
inline constexpr std::uint32_t kNamespaceFlags = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC |
                                                 CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET |
                                                 CLONE_NEWCGROUP;

/// socketpair is refused with EAFNOSUPPORT unless it makes a connected local pair, which programs
/// use as a pipe. A datagram pair is none: each of its ends can send to any name.
inline constexpr std::array<std::uint32_t, 2> kPairTypes = {SOCK_STREAM, SOCK_SEQPACKET};

}  // namespace warpwright::sandbox
