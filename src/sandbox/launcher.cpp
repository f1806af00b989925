// SPDX-License-Identifier: Apache-2.0
// The child's side of the sandbox. Everything here runs between fork and exec of a program that
// may have had many threads, so nothing may allocate or lock.
#include "sandbox/launcher.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "sandbox/seccomp.h"

namespace warpwright::sandbox {

namespace {

constexpr std::size_t kMaxPath = 4096;

/// Not the C library's fork: its handlers may wait for locks of threads that do not exist here.
pid_t raw_fork() { return static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }

void close_from(unsigned first) {
  if (::syscall(436 /* close_range */, first, ~0U, 0) == 0) return;
  for (unsigned fd = first; fd < 1024; ++fd) ::close(static_cast<int>(fd));
}

/// Whoever started the judge may have left descriptors open that are not closed by exec: a log, a
/// pipe, a terminal. None of them is the program's business.
void seal_descriptors() {
  constexpr unsigned kCloseOnExec = 4;
  if (::syscall(436 /* close_range */, 3, ~0U, kCloseOnExec) == 0) return;
  for (int fd = 3; fd < 1024; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

void set_limit(decltype(RLIMIT_CPU) which, std::uint64_t soft, std::uint64_t hard) {
  if (soft == 0) return;
  const rlimit limit{static_cast<rlim_t>(soft), static_cast<rlim_t>(hard)};
  ::setrlimit(which, &limit);
}

void set_common_limits(const Limits& limits) {
  // The soft CPU limit sends SIGXCPU, which tells a time limit from other kills.
  set_limit(RLIMIT_CPU, limits.cpu_s, limits.cpu_s + 1);
  set_limit(RLIMIT_AS, limits.memory_bytes, limits.memory_bytes);
  set_limit(RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes);
  set_limit(RLIMIT_NOFILE, 512, 512);
}

/// Must come after a user namespace is entered: then the kernel counts the sandbox's processes
/// alone, else all of the user's.
void set_process_limit(const Limits& limits) {
  set_limit(RLIMIT_NPROC, limits.processes, limits.processes);
}

bool write_text(const char* path, const char* text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const auto length = static_cast<ssize_t>(std::strlen(text));
  const bool done = ::write(fd, text, static_cast<std::size_t>(length)) == length;
  ::close(fd);
  return done;
}

/// "65534 <outside> 1" without the allocations of snprintf's locale.
void mapping(char* text, unsigned outside) {
  char digits[16];
  int count = 0;
  do {
    digits[count++] = static_cast<char>('0' + outside % 10);
    outside /= 10;
  } while (outside != 0);
  std::strcpy(text, "65534 ");
  std::size_t end = std::strlen(text);
  while (count > 0) text[end++] = digits[--count];
  std::strcpy(text + end, " 1\n");
}

int enter_user_namespace(int other_flags) {
  const unsigned uid = ::geteuid();
  const unsigned gid = ::getegid();
  if (::unshare(CLONE_NEWUSER | other_flags) != 0) return errno;
  char uid_map[48];
  char gid_map[48];
  mapping(uid_map, uid);
  mapping(gid_map, gid);
  write_text("/proc/self/setgroups", "deny");
  if (!write_text("/proc/self/uid_map", uid_map)) return errno;
  if (!write_text("/proc/self/gid_map", gid_map)) return errno;
  return 0;
}

bool make_parents(const char* path) {
  char partial[kMaxPath];
  if (std::strlen(path) >= kMaxPath) return false;
  std::strcpy(partial, path);
  for (char* slash = std::strchr(partial + 1, '/'); slash != nullptr;
       slash = std::strchr(slash + 1, '/')) {
    *slash = '\0';
    ::mkdir(partial, 0755);
    *slash = '/';
  }
  return true;
}

bool joined(char* result, const char* prefix, const char* path) {
  if (std::strlen(prefix) + std::strlen(path) >= kMaxPath) return false;
  std::strcpy(result, prefix);
  std::strcat(result, path);
  return true;
}

struct MountAttributes {
  std::uint64_t set, clear, propagation, userns;
};

/// Read-only and without device nodes, with everything mounted below it too.
int harden_mount(const char* target, bool writable, bool devices) {
  constexpr std::uint64_t kReadOnly = 1;
  constexpr std::uint64_t kNoSuid = 2;
  constexpr std::uint64_t kNoDev = 4;
  constexpr unsigned kRecursive = 0x8000;
  MountAttributes wanted{kNoSuid, 0, 0, 0};
  if (!writable) wanted.set |= kReadOnly;
  if (!devices) wanted.set |= kNoDev;
  if (::syscall(442 /* mount_setattr */, AT_FDCWD, target, kRecursive, &wanted, sizeof wanted) ==
      0) {
    return 0;
  }
  const unsigned long flags =
      MS_REMOUNT | MS_BIND | MS_NOSUID | (writable ? 0 : MS_RDONLY) | (devices ? 0 : MS_NODEV);
  return ::mount(nullptr, target, nullptr, flags, nullptr) == 0 ? 0 : errno;
}

int add_entry(const RootEntry& entry, const char* tmpfs_options) {
  char target[kMaxPath];
  char source[kMaxPath];
  if (!joined(target, "/new", entry.target.c_str()) ||
      !joined(source, "/old", entry.source.c_str()) || !make_parents(target)) {
    return ENAMETOOLONG;
  }
  switch (entry.kind) {
    case RootEntry::Kind::symlink:
      ::symlink(entry.source.c_str(), target);
      return 0;
    case RootEntry::Kind::tmpfs:
      ::mkdir(target, 0755);
      return ::mount("tmpfs", target, "tmpfs", MS_NOSUID | MS_NODEV, tmpfs_options) == 0 ? 0
                                                                                         : errno;
    case RootEntry::Kind::file: {
      const int fd = ::open(target, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
      if (fd >= 0) ::close(fd);
      break;
    }
    case RootEntry::Kind::directory:
      ::mkdir(target, 0755);
      break;
  }
  if (::mount(source, target, nullptr, MS_BIND | MS_REC, nullptr) != 0) {
    return errno == ENOENT ? 0 : errno;
  }
  return harden_mount(target, entry.writable, entry.devices);
}

/// A new root on a tmpfs: "/old" shows the machine's files for as long as they are bound from it.
int build_root(const ChildSetup& setup) {
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return errno;
  if (::mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=0755") != 0) {
    return errno;
  }
  if (::chdir("/tmp") != 0 || ::mkdir("new", 0755) != 0 || ::mkdir("old", 0755) != 0) return errno;
  if (::syscall(SYS_pivot_root, ".", "old") != 0 || ::chdir("/") != 0) return errno;
  if (::mount("tmpfs", "/new", "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=0755") != 0) {
    return errno;
  }
  for (const auto& entry : setup.root) {
    if (const int code = add_entry(entry, setup.tmpfs_options.c_str()); code != 0) return code;
  }
  return 0;
}

/// In the first process of the new process namespace.
int finish_root() {
  ::mkdir("/new/proc", 0755);
  // Containers may forbid a fresh /proc; an empty one shows less, which is fine for us.
  ::mount("proc", "/new/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr);
  if (::umount2("/old", MNT_DETACH) != 0 || ::chdir("/new") != 0) return errno;
  if (::syscall(SYS_pivot_root, ".", ".") != 0) return errno;
  if (::umount2(".", MNT_DETACH) != 0 || ::chdir("/") != 0) return errno;
  return ::mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV,
                 nullptr) == 0
             ? 0
             : errno;
}

int become_user(uid_t uid) {
  if (uid == 0) return 0;
  if (::syscall(SYS_setgroups, 0, nullptr) != 0) return errno;
  if (::syscall(SYS_setresgid, uid, uid, uid) != 0) return errno;
  if (::syscall(SYS_setresuid, uid, uid, uid) != 0) return errno;
  return 0;
}

void hand_over(const ChildSetup& setup) {
  if (setup.drop_to == 0) return;
  for (const auto& path : setup.hand_over) ::lchown(path.c_str(), setup.drop_to, setup.drop_to);
}

void drop_capabilities() {
  for (int capability = 0; capability < 64; ++capability) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) break;
  }
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct nothing[2] = {};
  ::syscall(SYS_capset, &header, nothing);
}

/// Ends this process the way another one ended, so that our caller sees the program's own end.
[[noreturn]] void end_like(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    ::signal(number, SIG_DFL);
    ::kill(::getpid(), number);
    ::_exit(128 + number);
  }
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 127);
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// Outside of the process namespace: waits for its first process and ends like the program did.
[[noreturn]] void supervise(pid_t first, int status_fd) {
  ::dup2(status_fd, 0);
  close_from(1);
  int status = 0;
  const bool told = ::read(0, &status, sizeof status) == sizeof status;
  const int own = wait_for(first);
  end_like(told ? status : own);
}

/// Process 1 of the namespace: reaps orphans; when it ends, the kernel kills all that is left.
[[noreturn]] void act_as_init(pid_t program, int status_fd) {
  ::dup2(status_fd, 0);
  close_from(1);
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, 0);
    if (ended < 0 && errno == EINTR) continue;
    if (ended >= 0 && ended != program) continue;
    [[maybe_unused]] const auto written = ::write(0, &status, sizeof status);
    ::_exit(0);
  }
}

int ruleset_of(const ChildSetup& setup) {
  return landlock_ruleset(setup.rules.data(), static_cast<int>(setup.rules.size()));
}

/// `ruleset` as landlock_ruleset() gave it.
int final_walls(const ChildSetup& setup, int ruleset) {
  set_process_limit(setup.limits);
  set_common_limits(setup.limits);
  const int code = ruleset < 0 ? -ruleset : restrict_with_landlock(ruleset);
  if (code != 0 && (setup.level == Level::landlock || code != ENOSYS)) {
    // Inside a private root Landlock is a second wall; kernels without it still have the first.
    if (setup.level == Level::landlock || (code != EOPNOTSUPP && code != EPERM)) return code;
  }
  return install_seccomp(setup.filter.data(), static_cast<unsigned short>(setup.filter.size()));
}

/// Runs as the program's own process, inside of all namespaces.
int confine_program(const ChildSetup& setup, bool real_root) {
  ::setsid();
  if (real_root) {
    if (const int code = become_user(setup.drop_to); code != 0) return code;
  }
  drop_capabilities();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (!setup.cwd.empty() && ::chdir(setup.cwd.c_str()) != 0) return errno;
  return final_walls(setup, ruleset_of(setup));
}

void kill_own_group(int) {
  ::kill(0, SIGKILL);
  ::_exit(137);
}

}  // namespace

int confine_in_namespaces(void* context) {
  const auto& setup = *static_cast<const ChildSetup*>(context);
  seal_descriptors();
  constexpr int kFlags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
  ::umask(022);
  const bool real_root = setup.drop_to != 0 && ::unshare(kFlags) == 0;
  if (real_root) {
    hand_over(setup);
  } else if (const int code = enter_user_namespace(kFlags); code != 0) {
    return code;
  }
  // Changed credentials clear the death signal.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (const int code = build_root(setup); code != 0) return code;
  int status_pipe[2];
  if (::pipe2(status_pipe, O_CLOEXEC) != 0) return errno;
  const pid_t first = raw_fork();
  if (first < 0) return errno;
  if (first > 0) supervise(first, status_pipe[0]);

  ::close(status_pipe[0]);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (const int code = finish_root(); code != 0) return code;
  const pid_t program = raw_fork();
  if (program < 0) return errno;
  if (program > 0) act_as_init(program, status_pipe[1]);
  return confine_program(setup, real_root);
}

int confine_with_landlock(void* context) {
  const auto& setup = *static_cast<const ChildSetup*>(context);
  seal_descriptors();
  ::umask(022);
  hand_over(setup);
  // The supervisor stays in the program's group, which seccomp keeps it from leaving: one signal
  // to the group ends everything, whoever sends it.
  ::signal(SIGTERM, kill_own_group);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  const pid_t program = raw_fork();
  if (program < 0) return errno;
  // As the program itself, whose /proc/self is meant, and while it may open what only root reaches.
  const int ruleset = program == 0 ? ruleset_of(setup) : 0;
  if (const int code = become_user(setup.drop_to); code != 0) return code;
  drop_capabilities();
  if (program > 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // changed credentials clear it
    close_from(0);
    const int status = wait_for(program);
    end_like(status);
  }
  ::signal(SIGTERM, SIG_DFL);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  return final_walls(setup, ruleset);
}

int prepare_for_bubblewrap(void* context) {
  const auto& setup = *static_cast<const ChildSetup*>(context);
  seal_descriptors();
  ::umask(022);
  hand_over(setup);
  if (const int code = become_user(setup.drop_to); code != 0) return code;
  ::prctl(PR_SET_DUMPABLE, 1);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  set_common_limits(setup.limits);
  const int fd = static_cast<int>(::syscall(SYS_memfd_create, "filter", 0));
  if (fd < 0) return errno;
  const std::size_t bytes = setup.filter.size() * sizeof(sock_filter);
  if (::write(fd, setup.filter.data(), bytes) != static_cast<ssize_t>(bytes)) return errno;
  if (::lseek(fd, 0, SEEK_SET) != 0 || ::dup2(fd, kFilterDescriptor) < 0) return errno;
  if (fd != kFilterDescriptor) ::close(fd);
  return 0;
}

int only_limits(void* context) {
  const auto& setup = *static_cast<const ChildSetup*>(context);
  seal_descriptors();
  set_common_limits(setup.limits);
  return 0;
}

}  // namespace warpwright::sandbox
