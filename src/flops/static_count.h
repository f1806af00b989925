// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flops/attributes.h"
#include "flops/cost.h"
#include "flops/formula.h"
#include "flops/source_files.h"
#include "ptx/ast.h"

namespace warpwright::flop {

/// Work that one thread does the same number of times, if the conditions hold.
struct StaticTerm {
  Flops flops;
  double bytes = 0;
  Formula times = 1;
  std::vector<std::string> when;   ///< "blockIdx.x*blockDim.x + threadIdx.x < n"
  std::vector<std::string> lines;  ///< "heat.cu:12"
};

/// What a kernel's text says of the work of one thread, in grid, block and scalar arguments.
struct StaticCount {
  std::string kernel, signature;
  std::vector<std::string> parameters;
  std::vector<StaticTerm> terms;
  Formula sp, dp, half, tensor, bytes;  ///< of a thread for which all conditions hold
  /// What the text does not tell: loops that end by data, conditions on data, calls.
  std::vector<std::string> unknown;
  Attributes attributes;
};

/// Of every kernel of a PTX text; names of arguments come from the sources.
std::vector<StaticCount> static_counts(std::string_view ptx, const std::vector<SourceFile>& files);

std::string static_json(const std::vector<StaticCount>& counts,
                        const std::vector<std::string>& missing, std::string_view reason);
std::string static_text(const std::vector<StaticCount>& counts);

}  // namespace warpwright::flop
