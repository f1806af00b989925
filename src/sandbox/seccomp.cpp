// SPDX-License-Identifier: Apache-2.0
#include "sandbox/seccomp.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/assert.h"
#include "sandbox/seccomp_rules.h"

namespace warpwright::sandbox {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "the sandbox knows x86-64 and aarch64"
#endif

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

/// Allows a call that makes local sockets of these types, and no other.
void judge_sockets(Program& program, int call, std::span<const std::uint32_t> types, int code) {
  const auto count = static_cast<unsigned char>(types.size());
  program.unless_equal_skip(static_cast<std::uint32_t>(call), 6 + count);
  program.load(kArgument0);
  program.unless_equal_skip(kLocalFamily, 2 + count);
  program.load(kArgument1);
  program.add(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, kSocketTypeMask));
  for (unsigned char i = 0; i < count; ++i) {
    const auto behind_refusal = static_cast<unsigned char>(count - i);
    program.add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, types[i], behind_refusal, 0));
  }
  program.answer(refusal(code));
  program.answer(SECCOMP_RET_ALLOW);
}

}  // namespace

std::vector<sock_filter> assembled_seccomp_program(SignalRule signals, SocketRule sockets) {
  Program program;
  program.load(offsetof(seccomp_data, arch));
  program.unless_equal_skip(kArchitecture, 1);
  program.add(BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0));
  program.answer(SECCOMP_RET_KILL_PROCESS);
  program.load(kNumber);
#if defined(__x86_64__)
  // The x32 calls carry a bit that would slip past the comparisons below. -1 is no call: a tracer
  // writes it over a call that shall not happen.
  program.add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xffffffff, 2, 0));
  program.add(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1));
  program.answer(SECCOMP_RET_KILL_PROCESS);
#endif
  for (const int number : kDeniedCalls) program.refuse(number, EPERM);
  program.refuse(kClone3, ENOSYS);
  if (signals != SignalRule::allowed) {
    for (const int number : kGroupCalls) program.refuse(number, EPERM);
  }
  if (signals == SignalRule::denied) {
    for (const int number : kSignalCalls) program.refuse(number, EPERM);
  }
  if (sockets == SocketRule::none) {
    program.refuse(SYS_socket, EPERM);
  } else {
    judge_sockets(program, SYS_socket, kListeningTypes, EPERM);
  }
  judge_clone(program);
  judge_sockets(program, SYS_socketpair, kPairTypes, EAFNOSUPPORT);
  program.answer(SECCOMP_RET_ALLOW);
  auto code = program.take();
  ASSERT(code.size() < 4096, "the kernel takes at most 4096 instructions");
  return code;
}

#if !defined(WARPWRIGHT_LIBSECCOMP)
bool has_libseccomp() { return false; }

Result<std::vector<sock_filter>> seccomp_program(SignalRule signals, SocketRule sockets) {
  return assembled_seccomp_program(signals, sockets);
}
#endif

int install_seccomp(const sock_filter* program, unsigned short length) {
  const sock_fprog filter{length, const_cast<sock_filter*>(program)};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) return errno;
  return 0;
}

}  // namespace warpwright::sandbox
