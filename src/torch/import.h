// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/stop.h"
#include "sandbox/sandbox.h"

namespace warpwright::torch {

/// A file with a PyTorch module, to become a task.
struct ModuleFile {
  std::string path;  ///< what errors call it
  std::string text;
  bool backward = false;
  std::string shapes = "general";  ///< or "fixed"
  std::string python;              ///< empty: the one that has torch
  bool stream = false;             ///< solve gets the caller's stream
  std::vector<std::string> rules;  ///< of the task, by name (known_task_rules)
};

/// Reads a module's file. In the form of robust-kbench (func_forward.py beside config_forward.json)
/// the configuration becomes whole numbers of the text; func_backward.py is for its gradients. A
/// folder is one of robust-kbench's tasks: its func_backward.py, where there is one, if `backward`.
Result<ModuleFile> read_module_file(const std::filesystem::path& path, bool backward = false);

/// The text of task.toml for this module, found out by running it inside the sandbox. The error is
/// "FILE:LINE: what is wrong".
Result<std::string> describe_module(const ModuleFile& file, const sandbox::Sandbox& sandbox,
                                    const StopSignal* stop);

}  // namespace warpwright::torch
