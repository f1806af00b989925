// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace warpwright {

/// SHA-256 (FIPS 180-4) as 64 lower-case hexadecimal digits. Ours, because the worker must build
/// on a host without a crypto library's headers.
std::string sha256_hex(std::string_view data);

}  // namespace warpwright
