// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "flops/dataflow.h"
#include "flops/source_files.h"

namespace warpwright::flop {

/// What makes a kernel's operations hard to count by reading it.
struct Attributes {
  bool divergence = false;       ///< a branch depends on the thread's number
  bool data_divergence = false;  ///< ... on what was read from memory
  bool division = false;         ///< of floating-point numbers
  bool external_call = false;    ///< of a function that is not in the sources
  bool device_call = false;      ///< of a `__device__` function of the sources
  bool special_functions = false;
  bool common_subexpressions = false;
  bool recursion = false;
};

struct AttributeRow {
  std::string_view name;  ///< "data_dependent_divergence"
  bool Attributes::*member;
};
/// All of them, in the order above.
const std::vector<AttributeRow>& attribute_rows();

/// By rule, from the sources' text and from what the PTX says.
Attributes attributes_of(std::string_view kernel, const std::vector<SourceFile>& files,
                         const KernelTraits& traits);

}  // namespace warpwright::flop
