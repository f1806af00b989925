// SPDX-License-Identifier: Apache-2.0
#include "cli/export_forms.h"

#include <fmt/format.h>

#include "base/files.h"
#include "cli/task_named.h"
#include "exchange/trace_solution.h"
#include "suite/load.h"

namespace warpwright::cli {

namespace {

constexpr std::size_t kMostSource = std::size_t{1} << 20;

}  // namespace

std::string measured_words(const Evaluation& evaluation) {
  std::string text =
      fmt::format("Judged `{}` on {}.", name_of(evaluation.verdict), evaluation.device);
  for (const Measurement& m : evaluation.measurements) {
    text += fmt::format("\n\n* size {}: {:.3f} us{}", m.size, call_us(m),
                        m.source == TimeSource::estimated ? " (an estimate)" : "");
    if (m.baseline_us > 0)
      text += fmt::format(", {:.2f} times as fast as the baseline", m.baseline_us / call_us(m));
  }
  return text;
}

Result<Judged> judged_from_files(const std::string& task, const std::string& kernel) {
  Judged judged;
  WW_TRY(judged.winner.task, task_named(task));
  WW_TRY(judged.winner.source, read_file(kernel, kMostSource));
  judged.winner.measured = "This kernel was exported from its file; no run has judged it.";
  return judged;
}

Result<std::map<std::string, std::string>> form_files(const FormFlags& flags, const Judged& judged,
                                                      const Judged* backward) {
  std::map<std::string, std::string> files;
  if (flags.torch) {
    WW_TRY(
        const auto package,
        exchange::torch_package(judged.winner, backward != nullptr ? &backward->winner : nullptr));
    files.insert(package.begin(), package.end());
  }
  if (flags.kernelbench) {
    WW_TRY(files[judged.winner.task.name + "_kernelbench.py"],
           exchange::kernelbench_file(judged.winner));
  }
  if (flags.gpu_mode) {
    WW_TRY(files["submission.py"], exchange::gpu_mode_submission(judged.winner));
  }
  if (flags.trace) {
    WW_TRY(const auto parts,
           exchange::trace_files(judged.winner, judged.evaluation ? &*judged.evaluation : nullptr));
    files.insert(parts.begin(), parts.end());
  }
  return files;
}

}  // namespace warpwright::cli
