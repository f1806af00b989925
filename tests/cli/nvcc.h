// SPDX-License-Identifier: Apache-2.0
// Builds an exported folder as the head of its test says.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>

#include "base/files.h"
#include "base/process.h"

namespace warpwright::cli {

/// Empty where there is none.
inline std::string nvcc() {
  for (const char* name : {"nvcc", "/usr/local/cuda/bin/nvcc"}) {
    if (const auto path = find_program(name); path.ok()) return path->string();
  }
  return "";
}

/// The command that the test's head names, without the run.
inline ProcessExit build_export(const std::filesystem::path& folder) {
  const std::string head = read_file(folder / "test.cu").value();
  const auto from = head.find("//   nvcc ") + 10;
  const std::string options = head.substr(from, head.find(" -o test", from) - from);
  Command command;
  command.argv = {nvcc()};
  for (std::size_t at = 0; at < options.size();) {
    const auto end = std::min(options.find(' ', at), options.size());
    command.argv.push_back(options.substr(at, end - at));
    at = end + 1;
  }
  for (const char* word : {"-o", "test", "test.cu", "kernel.cu"}) command.argv.emplace_back(word);
  command.env = minimal_environment();
  command.cwd = folder;
  command.limits.wall = std::chrono::minutes(20);
  return run_process(command).value();
}

}  // namespace warpwright::cli
