// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "port/prove.h"

namespace warpwright::port {

/// Whether a source includes a header of HIP.
bool is_hip_source(std::string_view text);

/// The source as HIP. What includes no header of HIP is CUDA, and is carried over.
std::string as_hip(std::string_view source);

/// Compiles one HIP source, which is called `name` in messages, for a device of AMD. The error is
/// the world's, for want of tools too; what is wrong with the source is in the outcome.
Result<CompileOutcome> compile_hip_source(std::string_view source, const std::string& name,
                                          const std::string& target,
                                          const sandbox::Sandbox& sandbox, const StopSignal* stop);

/// Writes all headers that HIP sources, carried over or not, are compiled with for the SIMT
/// machine.
Status write_machine_headers(const std::filesystem::path& folder);

/// A digest of those headers.
std::string machine_headers_digest();

}  // namespace warpwright::port
