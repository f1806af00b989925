// SPDX-License-Identifier: Apache-2.0
// The filter as libseccomp writes it. Hosts without it use the one of seccomp.cpp.
#if defined(WARPWRIGHT_LIBSECCOMP)
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>

#include "base/files.h"
#include "sandbox/seccomp.h"
#include "sandbox/seccomp_rules.h"

namespace warpwright::sandbox {

namespace {

struct Release {
  void operator()(void* context) const { ::seccomp_release(context); }
};

/// Collects rules and keeps the first failure, so that rows read as rows.
class Rules {
 public:
  Rules() : context_(::seccomp_init(SCMP_ACT_ALLOW)) {
    if (context_ == nullptr) {
      failed_ = -ENOMEM;
      return;
    }
    keep(::seccomp_attr_set(context_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS));
  }

  void refuse(int call, int code) {
    if (failed_ == 0) keep(::seccomp_rule_add_exact(context_.get(), SCMP_ACT_ERRNO(code), call, 0));
  }

  /// When an argument has exactly these bits under the mask.
  void refuse_bits(int call, int code, unsigned argument, std::uint32_t mask, std::uint32_t bits) {
    const scmp_arg_cmp when{argument, SCMP_CMP_MASKED_EQ, mask, bits};
    if (failed_ == 0) {
      keep(::seccomp_rule_add_exact_array(context_.get(), SCMP_ACT_ERRNO(code), call, 1, &when));
    }
  }

  Result<std::vector<sock_filter>> code() const {
    if (failed_ != 0) return problem(failed_);
    const FileDescriptor file(::memfd_create("seccomp", MFD_CLOEXEC));
    if (file.get() < 0) return problem(-errno);
    if (const int failed = ::seccomp_export_bpf(context_.get(), file.get()); failed != 0)
      return problem(failed);
    const off_t bytes = ::lseek(file.get(), 0, SEEK_END);
    std::vector<sock_filter> code(static_cast<std::size_t>(bytes) / sizeof(sock_filter));
    if (::pread(file.get(), code.data(), static_cast<std::size_t>(bytes), 0) != bytes)
      return problem(-EIO);
    return code;
  }

 private:
  static Error problem(int negative_errno) {
    return Error{std::string("libseccomp could not write the system call filter: ") +
                 std::strerror(-negative_errno)};
  }
  void keep(int result) {
    if (failed_ == 0) failed_ = result;
  }

  std::unique_ptr<std::remove_pointer_t<scmp_filter_ctx>, Release> context_;
  int failed_ = 0;
};

/// libseccomp compares whole arguments and knows "equal under a mask" only. Each flag is a rule.
void refuse_flags(Rules& rules, int call, unsigned argument, std::uint32_t flags) {
  for (std::uint32_t bit = 1; bit != 0; bit <<= 1) {
    if ((flags & bit) != 0) rules.refuse_bits(call, EPERM, argument, bit, bit);
  }
}

/// The kernel reads 32 bits of the two arguments, and so do these rules: a family other than the
/// one allowed lacks one of its bits or has another one.
/// Refuses what is not a local socket of these types: another family has a bit that ours has not,
/// or lacks one of its bits.
void refuse_other_sockets(Rules& rules, int call, std::span<const std::uint32_t> types, int code) {
  for (std::uint32_t bit = 1; bit != 0; bit <<= 1)
    rules.refuse_bits(call, code, 0, bit, ~kLocalFamily & bit);
  for (std::uint32_t type = 0; type <= kSocketTypeMask; ++type) {
    if (std::find(types.begin(), types.end(), type) == types.end())
      rules.refuse_bits(call, code, 1, kSocketTypeMask, type);
  }
}

}  // namespace

bool has_libseccomp() { return true; }

Result<std::vector<sock_filter>> seccomp_program(SignalRule signals, SocketRule sockets) {
  Rules rules;
  for (const int call : kDeniedCalls) rules.refuse(call, EPERM);
  rules.refuse(kClone3, ENOSYS);
  if (signals != SignalRule::allowed) {
    for (const int call : kGroupCalls) rules.refuse(call, EPERM);
  }
  if (signals == SignalRule::denied) {
    for (const int call : kSignalCalls) rules.refuse(call, EPERM);
  }
  if (sockets == SocketRule::none) {
    rules.refuse(SYS_socket, EPERM);
  } else {
    refuse_other_sockets(rules, SYS_socket, kListeningTypes, EPERM);
  }
  refuse_flags(rules, SYS_clone, 0, kNamespaceFlags);
  refuse_other_sockets(rules, SYS_socketpair, kPairTypes, EAFNOSUPPORT);
  return rules.code();
}

}  // namespace warpwright::sandbox
#endif
