// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace warpwright::prompt {

/// Ways to change a kernel. Answers that are asked for at the same time get different ones, so that
/// they differ.
std::span<const std::string_view> directions();

/// Any number; they repeat.
std::string_view direction_text(int number);

}  // namespace warpwright::prompt
