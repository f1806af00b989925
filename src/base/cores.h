// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace warpwright {

/// How many threads can truly run at once here: the processors this process may use, and no more
/// than its control group pays for. A container with a quota of 16 on a machine of 192 has 16; more
/// threads than that would be stopped, all together, for most of every tenth of a second. At
/// least 1.
int usable_cores();

/// The machine's memory; 0 = not known.
std::uint64_t physical_memory_bytes();

/// What the control group of a process allows, in processors; 0 = no limit is known. `root` is
/// where control groups are mounted, `membership` the text of /proc/self/cgroup.
double cpu_quota(const std::filesystem::path& root, const std::string& membership);

}  // namespace warpwright
