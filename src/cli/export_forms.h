// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "bench/kernel_file.h"
#include "cli/export_folder.h"
#include "core/evaluation.h"
#include "exchange/torch_package.h"

namespace warpwright::cli {

/// A form of others in which a kernel is exported, and what it is made of.
struct FormFlags {
  bool torch = false;        ///< a package with an operator of torch.library
  bool kernelbench = false;  ///< a file with ModelNew
  bool trace = false;        ///< a Solution and Traces
  bool gpu_mode = false;     ///< submission.py
  std::string task;          ///< with kernel: instead of a run
  std::string kernel;
  std::string backward;       ///< a run of the module's gradients
  std::string backward_task;  ///< or a task and a kernel
  std::string backward_kernel;

  [[nodiscard]] bool any() const { return torch || kernelbench || trace || gpu_mode; }
};

/// A kernel and how it was judged, where it was.
struct Judged {
  exchange::Winner winner;
  std::optional<Evaluation> evaluation;
  std::optional<bench::KernelFile> file;  ///< where it comes from a file with a head
};

/// "ok on NVIDIA H200: size given 12.3 us, 3.2 times as fast as the baseline."
std::string measured_words(const Evaluation& evaluation);

/// A task and a kernel's file that no run stands for. Of a file with a head (docs/bench.md) the
/// head says where the kernel comes from; a source that does not fit it is an error.
Result<Judged> judged_from_files(const std::string& task, const std::string& kernel);
Result<Judged> judged_from_text(Task task, const std::string& text, const std::string& where);

/// The kernel of a file for export_folder(), with a provenance made of its head.
KernelToExport kernel_of_file(const Judged& judged);

/// The files of the form that the flags name. `backward` may be null.
Result<std::map<std::string, std::string>> form_files(const FormFlags& flags, const Judged& judged,
                                                      const Judged* backward);

}  // namespace warpwright::cli
