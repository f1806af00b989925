// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/stop.h"
#include "port/project.h"
#include "sandbox/sandbox.h"

namespace warpwright::port {

/// The programs and files that compile for AMD devices and for CUDA.
struct PortTools {
  std::filesystem::path clang;  ///< with a back end for AMD devices
  int clang_major = 0;
  bool linker = false;                     ///< lld, which makes code objects
  std::filesystem::path hip_include;       ///< has hip/hip_runtime.h
  std::filesystem::path device_libraries;  ///< has ocml.bc
  std::filesystem::path nvcc;
  std::filesystem::path host_compiler;
};

PortTools find_port_tools();

/// What the compiler says that a kernel needs.
struct KernelResources {
  std::string kernel;
  std::map<std::string, long long> figures;  ///< "vgprs", "sgprs", "lds_bytes", "occupancy", ...
};

/// How a compilation for one target went.
struct CompileOutcome {
  std::string target;
  std::optional<bool> compiles;  ///< nothing: it could not be tried
  std::string reason;            ///< why not, or why it could not be tried
  bool lacks_header = false;     ///< it failed for want of a header that is not part of the project
  std::vector<std::string> errors;
  std::vector<KernelResources> kernels;
};

/// Compiles every unit of a project for each target. Targets are "gfx90a" and its like after a port
/// to HIP, "sm_80" and its like after one to CUDA.
Result<std::vector<CompileOutcome>> compile_project(
    const CarriedProject& project, Direction direction, const std::vector<std::string>& targets,
    const PortTools& tools, const sandbox::Sandbox& sandbox, const StopSignal* stop);

/// The kernels and figures in what clang prints with -Rpass-analysis=kernel-resource-usage.
std::vector<KernelResources> parse_amd_resources(std::string_view text);

/// The lines of a compiler's output that say what is wrong, at most `most`.
std::vector<std::string> error_lines(std::string_view text, std::size_t most);

}  // namespace warpwright::port
