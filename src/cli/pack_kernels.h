// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/export_forms.h"
#include "cli/written_files.h"
#include "report/pack.h"

namespace warpwright::cli {

/// A file of a folder of kernels: FOLDER/TASK.cu, or FOLDER/free/TASK.cu.
struct KernelPath {
  std::filesystem::path file;
  std::string task;
  bool apart = false;  ///< in free/

  /// Of the kernel in a pack: "topk", "topk-free".
  [[nodiscard]] std::string folder() const { return apart ? task + "-free" : task; }
};

/// All kernels of the folders by name, of these tasks where some are named. An error where a folder
/// is none, a named task has no kernel, or two files are of one task and place.
Result<std::vector<KernelPath>> kernels_in(const std::vector<std::string>& folders,
                                           const std::vector<std::string>& tasks);

/// A kernel that was read: with a head that its source fits.
struct ReadKernel {
  KernelPath path;
  Judged judged;
};
/// Absent: the file has no head. `suite`: a folder of task folders to look in first; may be empty.
Result<std::optional<ReadKernel>> read_kernel(const KernelPath& path, const std::string& suite);

/// What the pack says of it. Sizes are those of the head, with the task's values.
report::PackKernel packed(const ReadKernel& kernel);

/// Its folder in the pack: the plain export, and the operator of PyTorch in torch/. Says in `about`
/// what there is.
Result<Files> pack_files(const ReadKernel& kernel, report::PackKernel& about);

}  // namespace warpwright::cli
