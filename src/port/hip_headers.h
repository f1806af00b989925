// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace warpwright::port {

/// Every name of HIP's runtime as a macro for its counterpart in CUDA, and the device functions of
/// the compatibility headers under names that CUDA's headers have not taken.
std::string hip_names_header();

/// Writes the headers with which HIP sources are compiled by a compiler for CUDA: hip/hip_runtime.h
/// and its like. The folder exists; it is to come before other include folders.
Status write_hip_headers(const std::filesystem::path& folder);

/// What these headers say, one behind the other.
std::string hip_headers_text();

}  // namespace warpwright::port
