// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace warpwright::flop {

/// The first line of a compiler's or a linker's messages that says an error, without its place's
/// folders; empty when there is none.
std::string first_error(std::string_view messages);

}  // namespace warpwright::flop
