// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/verdict.h"

namespace warpwright {

/// One candidate with the verdict it must get. Its first lines say so:
///
///   // zoo: task=NAME lane=strict|free device=simt|cuda expect=VERDICT[,VERDICT] class=N[,N]
///   [largest=yes]
struct ZooMember {
  std::string name;  ///< FOLDER.FILE, "cheats.fork_bomb"
  std::string task;
  std::string lane;
  bool needs_gpu = false;
  bool at_largest = false;  ///< also at the task's largest size
  std::vector<Verdict> expected;
  std::vector<int> classes;  ///< numbers of docs/judge.md; empty for honest ones
  std::string source;

  [[nodiscard]] bool accepts(Verdict verdict) const;
  [[nodiscard]] std::string expected_text() const;  ///< "host_error,timeout"
};

/// All .cu files of tests/cheats and tests/honest, by name. A folder that is not there is empty; a
/// header that cannot be read is an error.
Result<std::vector<ZooMember>> load_zoo(const std::filesystem::path& tests);

Result<ZooMember> parse_member(std::string name, std::string source);

}  // namespace warpwright
