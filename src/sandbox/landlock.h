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

/// Confines the calling process and its children to the rules: reading and executing below each,
/// and writing where said. Paths that do not exist are left out. Also forbids TCP, abstract
/// sockets and signals to the outside as far as the kernel's version can.
/// Async-signal-safe. Returns 0 or an errno (ENOSYS without Landlock).
int restrict_with_landlock(const LandlockRule* rules, int count);

}  // namespace warpwright::sandbox
