// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpwright::ptx {

/// How many arguments a format of printf names: what printf returns on a device.
int printed_arguments(std::string_view format);

/// The same module with calls of vprintf that print nothing and return what vprintf would. Nothing
/// for a module that does not declare vprintf. Total: of a text that is no PTX nothing, or a text
/// that ptxas refuses.
std::optional<std::string> without_prints(std::string_view ptx);

}  // namespace warpwright::ptx
