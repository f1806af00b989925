// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/filter.h>

#include <vector>

#include "base/result.h"

namespace warpwright::sandbox {

/// What a filter forbids beyond the common list.
enum class SignalRule {
  allowed,       ///< a process namespace confines signals and ends the tree
  groups_fixed,  ///< Landlock confines signals, but the tree ends as one process group
  denied,        ///< nothing else confines signals either
};

enum class SocketRule {
  none,       ///< no socket of any kind
  listening,  ///< a local one that can be connected to, and connects to nothing
};

/// A seccomp program for this machine's architecture: calls that reach other processes, kernel
/// settings, mounts, namespaces, keys, tracing, any network or any local service get an error
/// (seccomp_rules.h); calls of another architecture or of x32 end the process. Written by
/// libseccomp where it was there when this was built, else by hand.
Result<std::vector<sock_filter>> seccomp_program(SignalRule signals, SocketRule sockets);

/// The same by hand, for hosts without libseccomp: every system call gets the same answer.
std::vector<sock_filter> assembled_seccomp_program(SignalRule signals, SocketRule sockets);

/// Whether libseccomp is built in.
bool has_libseccomp();

/// Installs it in the calling process. Async-signal-safe. Returns 0 or an errno.
int install_seccomp(const sock_filter* program, unsigned short length);

}  // namespace warpwright::sandbox
