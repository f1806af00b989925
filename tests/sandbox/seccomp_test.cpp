// SPDX-License-Identifier: Apache-2.0
// Two writers of one filter: libseccomp, and the one by hand for hosts without it. A small machine
// runs both over every system call; their answers must be the same.
#include "sandbox/seccomp.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstring>
#include <random>

#include "sandbox/seccomp_rules.h"

namespace warpwright::sandbox {
namespace {

using Code = std::vector<sock_filter>;

#if defined(__x86_64__)
constexpr std::uint32_t kThisArchitecture = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t kThisArchitecture = AUDIT_ARCH_AARCH64;
#endif
constexpr std::uint32_t kStepLimit = 10'000;

/// Classic BPF as the kernel's seccomp takes it; a test fails on what it does not know.
class FilterMachine {
 public:
  explicit FilterMachine(const Code& code) : code_(code) {}

  std::uint32_t answer(const seccomp_data& call) {
    std::size_t at = 0;
    accumulator_ = 0;
    for (std::uint32_t step = 0; step < kStepLimit && at < code_.size(); ++step) {
      const sock_filter& i = code_[at++];
      switch (BPF_CLASS(i.code)) {
        case BPF_LD:
          load(i, call);
          break;
        case BPF_ALU:
          compute(i);
          break;
        case BPF_RET:
          return i.k;
        case BPF_JMP:
          at += BPF_OP(i.code) == BPF_JA ? i.k : (holds(i) ? i.jt : i.jf);
          break;
        default:
          ADD_FAILURE() << "instruction " << i.code;
          return 0;
      }
    }
    ADD_FAILURE() << "a filter that does not end";
    return 0;
  }

 private:
  void load(const sock_filter& i, const seccomp_data& call) {
    if (i.code != (BPF_LD | BPF_W | BPF_ABS) || i.k + 4 > sizeof call) {
      ADD_FAILURE() << "load " << i.code << " of " << i.k;
      return;
    }
    std::memcpy(&accumulator_, reinterpret_cast<const char*>(&call) + i.k, 4);
  }
  void compute(const sock_filter& i) {
    if (i.code != (BPF_ALU | BPF_AND | BPF_K)) ADD_FAILURE() << "arithmetic " << i.code;
    accumulator_ &= i.k;
  }
  [[nodiscard]] bool holds(const sock_filter& i) const {
    switch (BPF_OP(i.code)) {
      case BPF_JEQ:
        return accumulator_ == i.k;
      case BPF_JGT:
        return accumulator_ > i.k;
      case BPF_JGE:
        return accumulator_ >= i.k;
      case BPF_JSET:
        return (accumulator_ & i.k) != 0;
      default:
        ADD_FAILURE() << "jump " << i.code;
        return false;
    }
  }

  const Code& code_;
  std::uint32_t accumulator_ = 0;
};

seccomp_data call_of(std::uint32_t number, std::uint64_t first = 0, std::uint64_t second = 0) {
  seccomp_data call{};
  call.nr = static_cast<int>(number);
  call.arch = kThisArchitecture;
  call.args[0] = first;
  call.args[1] = second;
  return call;
}

std::uint32_t refused(int code) { return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(code); }

/// Every number that exists or may, the ends of their range, and other systems' calls.
std::vector<seccomp_data> all_calls() {
  std::vector<seccomp_data> calls;
  for (std::uint32_t number = 0; number < 1024; ++number) {
    calls.push_back(call_of(number));
    calls.push_back(call_of(number, ~0ull, ~0ull));
    calls.push_back(call_of(number | 0x40000000));
  }
  for (const std::uint32_t number :
       {0x3fffffffu, 0x40000000u, 0x7fffffffu, 0x80000000u, 0xfffffffeu, 0xffffffffu})
    calls.push_back(call_of(number));
  constexpr std::uint32_t kOthers[] = {AUDIT_ARCH_I386, AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64,
                                       AUDIT_ARCH_ARM, AUDIT_ARCH_RISCV64};
  for (const std::uint32_t other : kOthers) {
    for (std::uint32_t number = 0; number < 500; ++number) {
      calls.push_back(call_of(number));
      calls.back().arch = other;
    }
  }
  return calls;
}

/// Calls whose arguments are judged: all flags one by one, all families and types, and random bits.
std::vector<seccomp_data> calls_with_arguments() {
  std::vector<seccomp_data> calls;
  for (int bit = 0; bit < 64; ++bit) {
    calls.push_back(call_of(SYS_clone, 1ull << bit));
    calls.push_back(call_of(SYS_clone, ~(1ull << bit)));
    calls.push_back(call_of(SYS_clone, ~std::uint64_t{kNamespaceFlags} & (1ull << bit)));
    calls.push_back(call_of(SYS_socketpair, AF_UNIX | (1ull << bit), SOCK_STREAM));
    calls.push_back(call_of(SYS_socketpair, AF_UNIX, SOCK_STREAM | (1ull << bit)));
  }
  for (std::uint64_t family = 0; family < 64; ++family) {
    for (std::uint64_t type = 0; type < 64; ++type)
      calls.push_back(call_of(SYS_socketpair, family, type));
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    calls.push_back(call_of(SYS_clone, random()));
    calls.push_back(call_of(SYS_socketpair, random(), random()));
    calls.push_back(call_of(SYS_socket, random() % 64, random() % 64));
  }
  return calls;
}

class Filters : public ::testing::TestWithParam<std::tuple<SignalRule, SocketRule>> {
 protected:
  void SetUp() override {
    auto made = seccomp_program(signals_, sockets_);
    ASSERT_TRUE(made.ok()) << made.error().message;
    chosen_ = std::move(*made);
  }
  void expect_same(const std::vector<seccomp_data>& calls) {
    FilterMachine one(chosen_);
    FilterMachine other(by_hand_);
    std::string differing;
    for (const auto& call : calls) {
      const std::uint32_t a = one.answer(call);
      const std::uint32_t b = other.answer(call);
      if (a == b) continue;
      differing += fmt::format("call {} of architecture {:x} with {:x}, {:x}: {:x}, by hand {:x}\n",
                               call.nr, call.arch, call.args[0], call.args[1], a, b);
      if (differing.size() > 2000) break;
    }
    EXPECT_EQ(differing, "");
  }

  SignalRule signals_ = std::get<0>(GetParam());
  SocketRule sockets_ = std::get<1>(GetParam());
  Code chosen_;
  Code by_hand_ = assembled_seccomp_program(signals_, sockets_);
};

TEST_P(Filters, AnswerEveryCallAlike) {
  if (!has_libseccomp()) GTEST_SKIP() << "libseccomp is not built in: there is one filter only";
  expect_same(all_calls());
}

TEST_P(Filters, AnswerArgumentsAlike) {
  if (!has_libseccomp()) GTEST_SKIP() << "libseccomp is not built in: there is one filter only";
  expect_same(calls_with_arguments());
}

TEST_P(Filters, RefuseWhatTheRulesName) {
  for (const Code* code : {&chosen_, &by_hand_}) {
    FilterMachine machine(*code);
    for (const int number : kDeniedCalls)
      EXPECT_EQ(machine.answer(call_of(number)), refused(EPERM)) << number;
    EXPECT_EQ(machine.answer(call_of(kClone3)), refused(ENOSYS));
    EXPECT_EQ(machine.answer(call_of(SYS_clone, CLONE_NEWUSER | CLONE_VM)), refused(EPERM));
    EXPECT_EQ(machine.answer(call_of(SYS_clone, CLONE_VM | CLONE_THREAD)), SECCOMP_RET_ALLOW);
    EXPECT_EQ(machine.answer(call_of(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC)),
              SECCOMP_RET_ALLOW);
    EXPECT_EQ(machine.answer(call_of(SYS_socketpair, AF_UNIX, SOCK_DGRAM)), refused(EAFNOSUPPORT));
    EXPECT_EQ(machine.answer(call_of(SYS_socketpair, AF_INET, SOCK_STREAM)), refused(EAFNOSUPPORT));
    EXPECT_EQ(machine.answer(call_of(SYS_read)), SECCOMP_RET_ALLOW);
    seccomp_data foreign = call_of(SYS_read);
    foreign.arch = AUDIT_ARCH_I386;
    EXPECT_EQ(machine.answer(foreign), SECCOMP_RET_KILL_PROCESS);
    const bool groups = signals_ != SignalRule::allowed;
    const bool signals = signals_ == SignalRule::denied;
    EXPECT_EQ(machine.answer(call_of(SYS_setsid)), groups ? refused(EPERM) : SECCOMP_RET_ALLOW);
    const bool listening = sockets_ == SocketRule::listening;
    EXPECT_EQ(machine.answer(call_of(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC)),
              listening ? SECCOMP_RET_ALLOW : refused(EPERM));
    EXPECT_EQ(machine.answer(call_of(SYS_socket, AF_UNIX, SOCK_STREAM)), refused(EPERM));
    EXPECT_EQ(machine.answer(call_of(SYS_socket, AF_INET, SOCK_SEQPACKET)), refused(EPERM));
    EXPECT_EQ(machine.answer(call_of(SYS_kill)), signals ? refused(EPERM) : SECCOMP_RET_ALLOW);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rules, Filters,
    testing::Combine(testing::Values(SignalRule::allowed, SignalRule::groups_fixed,
                                     SignalRule::denied),
                     testing::Values(SocketRule::none, SocketRule::listening)));

}  // namespace
}  // namespace warpwright::sandbox
