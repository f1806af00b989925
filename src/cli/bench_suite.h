// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "cli/settings.h"

namespace warpwright::cli {

/// A suite of task folders and a kernel for each.
struct SuiteFlags {
  std::string suite;     ///< folder with task folders, as `import` writes it
  std::string kernels;   ///< folder with TASK.cu
  std::string eager;     ///< KernelBench's baseline times; may be empty
  std::string compiled;  ///< the same for torch.compile
  std::string out;       ///< LEVEL/eval_results.json go there; may be empty
  std::string json;      ///< everything, to this file; may be empty
};

/// Judges every kernel, one after the other; prints the shares per level. Bad where one is not ok.
Result<int> bench_suite(const SuiteFlags& flags, const Settings& settings);

}  // namespace warpwright::cli
