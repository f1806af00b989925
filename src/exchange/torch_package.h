// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "core/task.h"

namespace warpwright::exchange {

/// A kernel that was judged, for an export.
struct Winner {
  Task task;
  std::string source;
  std::string measured;  ///< sentences: verdict, device, times; may be empty
};

using Files = std::map<std::string, std::string>;

/// A Python package NAME/ with the kernel as an operator of torch.library, its shapes for
/// torch.compile, autograd where there is a backward, a test against the module and a README.
/// `backward` is a winner of the gradients of the same module; may be null.
Result<Files> torch_package(const Winner& forward, const Winner* backward);

/// One file with a class ModelNew in KernelBench's form.
Result<std::string> kernelbench_file(const Winner& winner);

/// submission.py of gpu-mode: custom_kernel(data) with the kernel inside.
Result<std::string> gpu_mode_submission(const Winner& winner);

/// Python: how a module's parts become the operator's arguments. Shared by both forms.
Result<std::string> argument_list(const Task& task);

}  // namespace warpwright::exchange
