// SPDX-License-Identifier: Apache-2.0
#include "base/cores.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace warpwright {

namespace {

int affinity_count() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// "1600000 100000", or "max 100000".
double quota_of_second_version(const std::string& text) {
  std::istringstream in(text);
  double quota = 0, period = 0;
  return in >> quota >> period && quota > 0 && period > 0 ? quota / period : 0;
}

double quota_of_first_version(const std::filesystem::path& folder) {
  std::istringstream quota_text(text_of(folder / "cpu.cfs_quota_us"));
  std::istringstream period_text(text_of(folder / "cpu.cfs_period_us"));
  double quota = 0, period = 0;
  return quota_text >> quota && period_text >> period && quota > 0 && period > 0 ? quota / period
                                                                                 : 0;
}

/// The tightest limit of a group and those around it.
double tightest(const std::filesystem::path& root, std::filesystem::path group, bool second) {
  double least = 0;
  for (int depth = 0; depth < 32; ++depth) {
    const auto folder = root / group.relative_path();
    const double quota = second ? quota_of_second_version(text_of(folder / "cpu.max"))
                                : quota_of_first_version(folder);
    if (quota > 0) least = least > 0 ? std::min(least, quota) : quota;
    if (!group.has_relative_path()) break;
    group = group.parent_path();
  }
  return least;
}

}  // namespace

double cpu_quota(const std::filesystem::path& root, const std::string& membership) {
  // "0::/path" of the second version, "4:cpu,cpuacct:/path" of the first one.
  std::istringstream lines(membership);
  double least = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::filesystem::path group = line.substr(second + 1);
    double quota = 0;
    if (controllers == ",,") quota = tightest(root, group, true);
    if (controllers.find(",cpu,") != std::string::npos) {
      quota = tightest(root / controllers.substr(1, controllers.size() - 2), group, false);
      if (quota == 0) quota = tightest(root / "cpu", group, false);
    }
    if (quota > 0) least = least > 0 ? std::min(least, quota) : quota;
  }
  return least;
}

std::uint64_t physical_memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page <= 0) return 0;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
}

int usable_cores() {
  const int cores = affinity_count();
  const double quota = cpu_quota("/sys/fs/cgroup", text_of("/proc/self/cgroup"));
  if (quota <= 0) return cores;
  return std::clamp(static_cast<int>(std::ceil(quota)), 1, cores);
}

}  // namespace warpwright
