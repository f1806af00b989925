// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/process.h"
#include "build/toolchain.h"
#include "support/places.h"

namespace warpwright::simt {

/// PTX of a file's kernels, with our own device headers.
inline Status compile_device(const build::Toolchain& tools, const std::filesystem::path& source,
                             const std::filesystem::path& ptx) {
  std::vector<std::string> argv = {tools.clang.path.string(),
                                   "-x",
                                   "cuda",
                                   "-std=c++17",
                                   "-O3",
                                   "-nocudainc",
                                   "-nocudalib",
                                   "--cuda-path=/nonexistent",
                                   "-Xclang",
                                   "-target-sdk-version=12.3",
                                   "-I" + source_path("/src/build/headers"),
                                   "-include",
                                   "ww_prelude.h",
                                   "-gline-tables-only",
                                   "--cuda-device-only",
                                   "--cuda-gpu-arch=sm_80",
                                   "--cuda-feature=+ptx83",
                                   "-w",
                                   "-S",
                                   source.string(),
                                   "-o",
                                   ptx.string()};
  WW_TRY(const ProcessExit exit,
         run_process({.argv = std::move(argv), .env = minimal_environment()}));
  if (!exit.succeeded()) return Error{exit.err};
  return {};
}

/// The same with the toolkit's compiler and headers.
inline Status compile_device_with_nvcc(const build::Toolchain& tools,
                                       const std::filesystem::path& source,
                                       const std::filesystem::path& ptx) {
  WW_TRY(const ProcessExit exit,
         run_process({.argv = {tools.nvcc.path.string(), "-std=c++17", "-O3", "-w", "-lineinfo",
                               "-arch=sm_90", "-ccbin", tools.host.path.string(), "-ptx",
                               source.string(), "-o", ptx.string()},
                      .env = minimal_environment()}));
  if (!exit.succeeded()) return Error{exit.err};
  return {};
}

}  // namespace warpwright::simt
