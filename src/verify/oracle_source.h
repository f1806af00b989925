// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace warpwright::verify {

/// The judge's own kernels as one CUDA source without files of ours beside it: src/verify/oracle
/// and the headers that host and device share. To be compiled without fused multiply-adds.
std::string oracle_source();

/// What stands before every reference.cu.
std::string_view reference_prelude();

}  // namespace warpwright::verify
