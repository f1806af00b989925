// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "base/stop.h"
#include "build/compiler.h"
#include "port/project.h"
#include "port/run_proof.h"
#include "port/verify_cpu.h"

namespace warpwright::port {

/// PTX that was carried to HIP: a project of one unit, and the PTX itself.
struct CarriedPtx {
  CarriedProject project;
  std::string ptx;
};

/// Writes NAME.hip of `output` from the PTX in `input`, with the headers that it needs.
Result<CarriedPtx> carry_ptx(const std::filesystem::path& input,
                             const std::filesystem::path& output);

/// The PTX of a program of one CUDA source, as NAME.ptx of `output`, for carry_ptx().
Result<std::filesystem::path> ptx_of_program(const std::filesystem::path& source,
                                             const std::filesystem::path& output,
                                             const build::Builder& builder,
                                             const StopSignal* stop = nullptr);

/// Runs a CUDA program on the SIMT machine twice, with the PTX and with what was made of it, and
/// compares. `host` is the program's only source; its own kernels do not run.
Result<CpuVerdict> verify_ptx_on_cpu(const CarriedPtx& carried, const std::filesystem::path& host,
                                     const RunProof& proof, const build::Builder& builder,
                                     const StopSignal* stop = nullptr);

}  // namespace warpwright::port
