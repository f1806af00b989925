// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/task.h"
#include "core/verdict.h"

namespace warpwright {

/// One candidate with the verdict it must get. Its first lines say so:
///
///   // zoo: task=NAME rules=strict|free device=simt|cuda|simt_only expect=VERDICT[,VERDICT]
///   class=N[,N] [size=LABEL] [largest=yes]
///   // cause: N
///
/// `expect=refused` stands for every verdict but ok and harness_error.
struct ZooMember {
  std::string name;  ///< FOLDER.FILE with dots for slashes, "cheats.fork_bomb"
  std::string task;
  std::string rules;
  bool needs_gpu = false;
  bool only_simt = false;   ///< about estimates: on a GPU there is nothing to find
  std::string size;         ///< a timed size beside the first one; may be empty
  bool at_largest = false;  ///< also at the task's largest size
  std::vector<Verdict> expected;
  std::vector<int> classes;  ///< numbers of docs/judge.md; empty for honest ones
  int cause = 0;             ///< of docs/proof.md; 0 outside of tests/redteam
  std::string source;

  [[nodiscard]] bool accepts(Verdict verdict) const;
  [[nodiscard]] std::string expected_text() const;  ///< "host_error,timeout"
};

/// The folders of `tests` with members: kernels of all kinds, and the red team's.
std::vector<std::string> zoo_folders();
std::vector<std::string> red_team_folders();

/// All .cu files of these folders, by name. A folder that is not there is empty; a header that
/// cannot be read is an error.
Result<std::vector<ZooMember>> load_zoo(const std::filesystem::path& tests,
                                        const std::vector<std::string>& folders = zoo_folders());

/// Labels of the sizes that a member is timed at: the first, and those that it names. An error for
/// one that the task does not have.
Result<std::vector<std::string>> sizes_of(const ZooMember& member, const Task& task);

Result<ZooMember> parse_member(std::string name, std::string source);

}  // namespace warpwright
