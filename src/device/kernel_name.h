// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace warpwright::device {

/// A kernel's name as its source has it: "transpose" for "_Z9transposePKfPfii". Names that are not
/// mangled stay as they are.
std::string kernel_name(const std::string& mangled);

}  // namespace warpwright::device
