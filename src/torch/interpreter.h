// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "sandbox/sandbox.h"

namespace warpwright::torch {

/// A Python that has torch.
struct Interpreter {
  std::filesystem::path program;
  std::vector<std::filesystem::path> readable;  ///< where its libraries lie, beside the system's
};

/// The one that is named, else /usr/bin/python3, else the first python3 of PATH; asked for torch
/// without loading it. The error says what is missing and how to get it.
Result<Interpreter> find_interpreter(const std::string& named);

/// Runs one of our programs with the folder as its argument: walled, without network and home, the
/// folder writable. The caller has put the program's own files there with write_programs().
sandbox::Request python_request(const Interpreter& interpreter, const std::filesystem::path& folder,
                                const std::string& program);

/// Our Python files, into `folder`/program.
Status write_programs(const std::filesystem::path& folder);

/// What a reference may take of the machine's memory: it has the shapes that are asked for. Modules
/// that are being described have less.
std::uint64_t reference_memory();

/// Threads that a module may use.
int module_threads();

}  // namespace warpwright::torch
