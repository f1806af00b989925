// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/filter.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sandbox/landlock.h"
#include "sandbox/sandbox.h"

namespace warpwright::sandbox {

/// One thing in the private root file system.
struct RootEntry {
  enum class Kind { directory, file, symlink, tmpfs };
  Kind kind = Kind::directory;
  std::string source;  ///< path outside; a symlink's text
  std::string target;  ///< path inside
  bool writable = false;
  bool devices = false;  ///< device nodes below work
};

/// All that the child needs, prepared before fork: after it, only async-signal-safe calls happen.
struct ChildSetup {
  Level level = Level::none;
  std::vector<RootEntry> root;
  std::vector<std::string> gpu_devices;  ///< those of `root` that are a GPU's
  std::vector<LandlockRule> rules;       ///< paths live in rule_paths
  std::vector<std::string> rule_paths;
  std::vector<sock_filter> filter;
  std::vector<std::string> hand_over;  ///< given to the unprivileged user when started as root
  std::string tmpfs_options;           ///< "size=...,mode=1777"
  std::string cwd;
  uid_t drop_to = 0;  ///< 0 = stay who we are
  Limits limits;
};

/// Command::in_child for each level; the context is a ChildSetup.
int confine_in_namespaces(void* context);
int confine_with_landlock(void* context);
int prepare_for_bubblewrap(void* context);
int only_limits(void* context);

/// The descriptor on which bubblewrap finds the seccomp program.
inline constexpr int kFilterDescriptor = 500;

}  // namespace warpwright::sandbox
