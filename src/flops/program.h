// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "base/stop.h"
#include "build/compiler.h"

namespace warpwright::flop {

/// A whole CUDA program: sources with a `main`.
struct ProgramRequest {
  std::vector<std::filesystem::path> files;  ///< .cu, .cpp, .cc, .c
  std::vector<std::filesystem::path> includes;
  std::vector<std::string> defines;  ///< NAME or NAME=VALUE
  DeviceFacts target;
  build::FrontEnd front_end = build::FrontEnd::automatic;
  bool fast_math = false;
  bool rolled = false;  ///< loops stay as they are written, where the compiler can be told
  /// Of one compiler. A busy host is not the program's fault: it is processor time that counts.
  sandbox::Limits limits{.wall = std::chrono::seconds(600), .cpu_s = 120};
};

/// A program that is linked with our runtime, or why there is none.
struct BuiltProgram {
  bool ok = false;
  bool timed_out = false;            ///< a compiler took too long
  std::string reason;                ///< one sentence, empty when ok
  std::string detail;                ///< what the compiler said
  std::vector<std::string> missing;  ///< "include gsl/gsl_rng.h", "library call cublasSgemm_v2"
  build::FrontEnd front_end = build::FrontEnd::automatic;
  std::filesystem::path executable;
  std::filesystem::path runtime;  ///< the folder with its libcudart.so
  std::vector<std::string> ptx;   ///< by module
  bool has_libdevice = false;     ///< mathematical functions are in the PTX, not called from it
};

/// Builds in `folder`, which exists and is empty. With `automatic`, what clang and our headers
/// cannot build is tried again with nvcc where there is one. The error is the world's.
Result<BuiltProgram> build_program(const build::Builder& builder, const ProgramRequest& request,
                                   const std::filesystem::path& folder,
                                   const StopSignal* stop = nullptr);

/// The device parts alone, for those who only read them: no `main` is needed, nothing is linked.
Result<BuiltProgram> compile_device_code(const build::Builder& builder,
                                         const ProgramRequest& request,
                                         const std::filesystem::path& folder,
                                         const StopSignal* stop = nullptr);

/// What a compiler or a linker did not find, as named above; in their order, each once.
std::vector<std::string> missing_in(std::string_view messages);

}  // namespace warpwright::flop
