// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/stop.h"
#include "evaluate/job.h"

namespace warpwright::cli {

/// The end of a message: why a source has no machine code, and what helps.
inline constexpr std::string_view kNoMachineCode =
    ", so there is no machine code: install the CUDA toolkit (nvcc and ptxas) or put it into PATH";

/// What `sass tune` works on, as files.
struct SassInputs {
  std::string workload, cubin;
  std::string kernel;           ///< empty = the cubin's largest function
  std::string source;           ///< empty = only the cubin is there
  std::string ptx;              ///< what the cubin was assembled from; empty = not known
  std::string device = "cuda";  ///< the GPU to run it on
};

/// A workload file with a cubin as they are; a task with a source is built and recorded into
/// `folder` first, for the GPU of this machine.
Result<SassInputs> sass_inputs(const std::string& task, const std::string& file,
                               const std::string& folder);

/// The same of a request as the judge has it.
Result<SassInputs> sass_inputs_of(const evaluate::JobRequest& request, const std::string& folder,
                                  const StopSignal& stop);

/// What a tuned cubin is loaded with: refuses any other architecture.
std::string loader_text(int architecture);

/// The tuned cubin, a loader that refuses other architectures, the source and the report.
Status export_tuned(const std::string& folder, const SassInputs& inputs, const std::string& cubin,
                    const std::string& report, int architecture);

}  // namespace warpwright::cli
