// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/filter.h>

#include <vector>

namespace warpwright::sandbox {

/// What a filter forbids beyond the common list.
enum class SignalRule {
  allowed,       ///< a process namespace confines signals and ends the tree
  groups_fixed,  ///< Landlock confines signals, but the tree ends as one process group
  denied,        ///< nothing else confines signals either
};

/// A seccomp program for this machine's architecture: calls that reach other processes, kernel
/// settings, mounts, namespaces, keys, tracing, any network or any local service get an error: no
/// sockets but connected pairs. clone3 looks unknown so that the C library falls back to clone,
/// whose flags can be judged.
std::vector<sock_filter> seccomp_program(SignalRule signals);

/// Installs it in the calling process. Async-signal-safe. Returns 0 or an errno.
int install_seccomp(const sock_filter* program, unsigned short length);

}  // namespace warpwright::sandbox
