// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "torch/import.h"

namespace warpwright::torch {

/// Folders below this one that hold a problem of gpu-mode: task.yml beside reference.py.
std::vector<std::filesystem::path> find_problems_of_gpu_mode(const std::filesystem::path& root);

/// One case of task.yml's tests or benchmarks: name and value as Python writes it.
using GpuModeCase = std::vector<std::pair<std::string, std::string>>;

/// The cases of a list of task.yml, written in lines (- size: 1) or in braces (- {"size": 1}).
std::vector<GpuModeCase> gpu_mode_cases(std::string_view yaml, std::string_view list);

/// The problem as a module: its reference on inputs of its own generator, at the first benchmark.
Result<ModuleFile> module_of_gpu_mode(const std::filesystem::path& folder);

}  // namespace warpwright::torch
