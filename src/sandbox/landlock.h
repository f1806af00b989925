// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace warpwright::sandbox {

/// One path and what may be done below it.
struct LandlockRule {
  const char* path;
  bool writable;
};

/// The kernel's Landlock version, 0 when it has none.
int landlock_abi();

/// A descriptor of the rules: reading and executing below each path, and writing where said. Paths
/// that the caller cannot reach are left out. Also forbids TCP, abstract sockets and signals to the
/// outside as far as the kernel's version can.
/// Async-signal-safe. Negative: an errno (-ENOSYS without Landlock).
int landlock_ruleset(const LandlockRule* rules, int count);

/// Confines the calling process and its children to the rules, and closes their descriptor.
/// Async-signal-safe. Returns 0 or an errno.
int restrict_with_landlock(int ruleset);

}  // namespace warpwright::sandbox
