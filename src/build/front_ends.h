// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "build/compiler.h"

namespace warpwright::build {

/// One compilation under way: a private folder, and what the front ends need to know.
struct Workshop {
  const Builder& builder;
  const BuildRequest& request;
  FrontEnd front_end;
  std::filesystem::path folder;       ///< empty at first
  std::string call;                   ///< C source that calls solve
  std::string file_name;              ///< what __FILE__ says
  std::filesystem::path recorder;     ///< the folder with our libcudart.so
  std::filesystem::path precompiled;  ///< clang: the folder with the prelude's PCH files, or empty
  const StopSignal* stop;
  /// clang: a toolkit's folder with CUB, libcu++ and Thrust, searched before our headers, or empty
  std::filesystem::path libraries = {};
};

/// How the host part is linked, behind the compiler's name: the call's translation unit first,
/// which is entered before any constructor (recorder/doors.cpp), and nothing undefined.
std::vector<std::string> link_arguments(const Workshop& shop);

/// Fill ptx, cubin, resources and host_library, or verdict and diagnostics.
Result<BuildOutcome> build_with_clang(const Workshop& shop);
Result<BuildOutcome> build_with_nvcc(const Workshop& shop);

/// The device's part by clang with bounds checks, where the PTX has arrays in local memory. Empty
/// where there is no clang or it cannot compile the source: that is no fault of the candidate's.
Result<std::string> build_with_bounds(const Workshop& shop, std::string_view ptx);

/// A folder with candidate.cu in it, for one tool at a time: started as root, each run of the
/// sandbox is another user, who owns the folder while it runs.
Result<std::filesystem::path> bench(const Workshop& shop, std::string_view name);

/// Runs a compiler in a folder that it may write, in the sandbox.
Result<ProcessExit> run_tool(const Workshop& shop, const std::filesystem::path& folder,
                             std::vector<std::string> argv);

/// The outcome of a tool that did not succeed.
BuildOutcome failed_build(const ProcessExit& exit, std::string_view tool);

/// ptxas on device.ptx in the folder: cubin and resources, or errors. Leaves the outcome alone
/// where there is no ptxas, or where the PTX needs functions that only the SIMT machine has.
Status assemble(const Workshop& shop, const std::filesystem::path& folder, BuildOutcome& outcome);

/// The architecture's number, at most `newest`: 90 for compute capability 9.0.
int architecture(const DeviceFacts& target, int newest);

/// With the features of this very architecture (wgmma, TMA with clusters) where it has any: what is
/// built is for the live GPU alone.
std::string architecture_name(const DeviceFacts& target, int arch);

}  // namespace warpwright::build
