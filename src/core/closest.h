// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace warpwright {

/// "; did you mean 'NAME'?" for the known word nearest to a mistyped one, or nothing when none is
/// near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

}  // namespace warpwright
