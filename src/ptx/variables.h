// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpwright::device {

/// The names of the module-level .global and .const variables of a PTX text: all the state that a
/// module keeps from one launch to the next.
std::vector<std::string> ptx_variables(std::string_view ptx);

}  // namespace warpwright::device
