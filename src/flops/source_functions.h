// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpwright::flop {

/// Words and signs of C++ as far as rules on them need: names, numbers, operators of one or two
/// characters. Comments, texts in quotes and lines of the preprocessor are left out.
std::vector<std::string_view> tokens_of(std::string_view text);

/// A function that runs on the device, as it is written.
struct SourceFunction {
  std::string_view name;
  bool is_kernel = false;
  std::vector<std::string_view> parameters;  ///< names; empty where there is none
  std::vector<std::string_view> body;        ///< tokens between the braces
};

/// Definitions with `__global__` or `__device__`. Names point into the text.
std::vector<SourceFunction> device_functions(std::string_view text);

/// Names before an opening parenthesis: calls, and what looks like them. Keywords are left out.
std::vector<std::string_view> called_names(const std::vector<std::string_view>& tokens);

}  // namespace warpwright::flop
