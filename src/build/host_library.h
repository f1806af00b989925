// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpwright::build {

/// Why a candidate's host library may not be run: it would execute something before the recorder's
/// doors close, it asks the loader or the C library what program it is part of, or it has functions
/// of CUDA's own, such as the one that measures. Nothing where it may. Total: any bytes give an
/// answer.
std::optional<std::string> refused_library(std::string_view elf);

}  // namespace warpwright::build
