// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpwright::prompt {

/// What a glance at C++ text tells, comments and literals apart.
struct CodeShape {
  bool names_global = false;         ///< names __global__
  bool names_device = false;         ///< names __device__, or has an include or a define
  bool names_solve = false;          ///< names a function `solve`
  bool defines_solve = false;        ///< ... and gives it a body
  bool balanced = true;              ///< braces and comments are closed: not cut in the middle
  std::vector<std::string> kernels;  ///< the __global__ functions with a body
};

/// One pass over the text; no parser, so macros may hide things from it.
CodeShape shape_of(std::string_view code);

}  // namespace warpwright::prompt
