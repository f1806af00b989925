// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/entries.h"

namespace warpwright::build {

/// Which bytes of their parameters kernels read. A kernel that takes a parameter's address may read
/// all of it.
class ParameterReads {
 public:
  ParameterReads(std::string_view ptx, const std::vector<ptx::Entry>& entries);

  /// True where in doubt.
  [[nodiscard]] bool reads(std::string_view kernel, std::size_t position) const;

 private:
  std::map<std::string, std::vector<bool>, std::less<>> read_;  ///< by kernel, then by byte
};

}  // namespace warpwright::build
