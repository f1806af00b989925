// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "store/records.h"

namespace warpwright::report {

/// A command line that repeats something, and what.
struct Repetition {
  std::string what;
  std::string command;
};

/// The run again, the same answers again, the best kernel judged again. Values are quoted for a
/// POSIX shell.
std::vector<Repetition> ways_to_repeat(const store::RunRecord& run,
                                       const std::vector<store::ConfigValue>& config);

/// As one word of a POSIX shell.
std::string shell_quoted(const std::string& word);

}  // namespace warpwright::report
