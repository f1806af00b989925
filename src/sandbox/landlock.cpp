// SPDX-License-Identifier: Apache-2.0
#include "sandbox/landlock.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace warpwright::sandbox {

namespace {

// Distribution headers stop at an old version (or are missing on a bare host), so the kernel's
// interface is written out here: https://docs.kernel.org/userspace-api/landlock.html
constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr unsigned kVersionFlag = 1;
constexpr int kPathBeneath = 1;

constexpr std::uint64_t kExecute = 1 << 0;
constexpr std::uint64_t kWriteFile = 1 << 1;
constexpr std::uint64_t kReadFile = 1 << 2;
constexpr std::uint64_t kReadDirectory = 1 << 3;
constexpr std::uint64_t kAllVersion1 = (1 << 13) - 1;
constexpr std::uint64_t kRefer = 1 << 13;     // version 2
constexpr std::uint64_t kTruncate = 1 << 14;  // version 3
constexpr std::uint64_t kIoctl = 1 << 15;     // version 5
constexpr std::uint64_t kNetwork = 3;         // version 4: bind and connect
constexpr std::uint64_t kScoped = 3;          // version 6: abstract sockets and signals

constexpr std::uint64_t kRead = kExecute | kReadFile | kReadDirectory;
constexpr std::uint64_t kFileRights = kExecute | kWriteFile | kReadFile | kTruncate | kIoctl;

struct Ruleset {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scoped;
};

struct [[gnu::packed]] PathBeneath {
  std::uint64_t allowed;
  std::int32_t parent;
};

std::uint64_t file_rights(int abi) {
  std::uint64_t rights = kAllVersion1;
  if (abi >= 2) rights |= kRefer;
  if (abi >= 3) rights |= kTruncate;
  if (abi >= 5) rights |= kIoctl;
  return rights;
}

int add_rule(int ruleset, const LandlockRule& rule, std::uint64_t handled) {
  const int fd = ::open(rule.path, O_PATH | O_CLOEXEC);
  if (fd < 0) return 0;
  struct stat facts {};
  std::uint64_t allowed = rule.writable ? handled : (kRead & handled);
  if (::fstat(fd, &facts) == 0 && !S_ISDIR(facts.st_mode)) allowed &= kFileRights;
  const PathBeneath beneath{allowed, fd};
  const long status = ::syscall(kAddRule, ruleset, kPathBeneath, &beneath, 0);
  const int code = status == 0 ? 0 : errno;
  ::close(fd);
  return code;
}

}  // namespace

int landlock_abi() {
  const long version = ::syscall(kCreateRuleset, nullptr, 0, kVersionFlag);
  return version > 0 ? static_cast<int>(version) : 0;
}

int landlock_ruleset(const LandlockRule* rules, int count) {
  const int abi = landlock_abi();
  if (abi < 1) return -ENOSYS;
  const Ruleset wanted{file_rights(abi), abi >= 4 ? kNetwork : 0, abi >= 6 ? kScoped : 0};
  // Older kernels accept a longer structure as long as what they do not know is zero.
  const long made = ::syscall(kCreateRuleset, &wanted, sizeof wanted, 0);
  if (made < 0) return -errno;
  const int ruleset = static_cast<int>(made);
  int code = 0;
  for (int i = 0; i < count && code == 0; ++i) code = add_rule(ruleset, rules[i], wanted.files);
  if (code == 0) return ruleset;
  ::close(ruleset);
  return -code;
}

int restrict_with_landlock(int ruleset) {
  int code = 0;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) code = errno;
  if (code == 0 && ::syscall(kRestrictSelf, ruleset, 0) != 0) code = errno;
  ::close(ruleset);
  return code;
}

}  // namespace warpwright::sandbox
