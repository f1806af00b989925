// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "torch/import.h"

namespace warpwright::torch {

/// A definition of the FlashInfer Trace format and the lines of its workloads.
struct TraceDefinition {
  std::string name;      ///< the file's stem where the text does not say
  std::string text;      ///< JSON
  std::string workload;  ///< JSON lines, wrapped in traces or bare; may be empty
  std::string path;      ///< what errors call it
};

/// All definitions below a data set's root, a problem folder (definition.json and workload.jsonl)
/// or of one file, by path.
Result<std::vector<TraceDefinition>> find_definitions(const std::filesystem::path& root);

/// A module that computes the definition: its reference and inputs that respect what the names and
/// constraints say of indices. Axes that vary have the values of the largest workload. The error
/// says why it cannot be a task.
Result<ModuleFile> module_of(const TraceDefinition& definition);

}  // namespace warpwright::torch
