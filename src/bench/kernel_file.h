// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/evaluation.h"

namespace warpwright::bench {

/// Where a kernel in a folder of kernels comes from: a comment at the head of its file, a
/// "// name: value" per line, up to the first empty line (docs/bench.md).
struct KernelOrigin {
  std::string task;
  std::string rule_set;  ///< "strict" or "free"
  std::string device;
  std::string date;    ///< of the run, 2026-11-15
  std::string commit;  ///< of Warpwright, may be empty
  std::string made_by;
  std::string model;
  std::string run;  ///< with its trial
  std::vector<Measurement> measurements;
};

/// The file's text: the head, an empty line, the source. The head holds the source's SHA-256.
std::string kernel_file_text(const KernelOrigin& origin, std::string_view source);

/// A kernel's file in its parts.
struct KernelFile {
  KernelOrigin origin;
  std::string sha256;   ///< of the source, as the head says
  std::string licence;  ///< an SPDX identifier
  std::string source;   ///< what stands below the head
};

/// Absent = there is no head. Lines that the head lacks are empty.
std::optional<KernelFile> read_kernel_file(std::string_view text);

/// What is wrong with a file that has such a head: its source is not the one that was judged, or
/// it is another task's. Absent = nothing, or there is no head.
std::optional<std::string> kernel_file_problem(std::string_view text, std::string_view task);

}  // namespace warpwright::bench
