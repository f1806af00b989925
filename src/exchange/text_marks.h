// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

namespace warpwright::exchange {

/// The text with every @KEY@ replaced by its value.
std::string with_marks(std::string text, const std::map<std::string, std::string>& values);

/// ["a", "b"], as Python writes it.
std::string python_list(const std::vector<std::string>& items);

}  // namespace warpwright::exchange
