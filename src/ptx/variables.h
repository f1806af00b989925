// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpwright::ptx {

/// A module-level .global or .const variable: what a module keeps from one launch to the next.
struct ModuleVariable {
  std::string name;
  std::uint64_t bytes = 0;
  bool is_extern = false;  ///< belongs to the driver (vprintf's and malloc's), not to the module
};

/// Those of a PTX text, in order. Total: any text gives a list.
std::vector<ModuleVariable> module_variables(std::string_view ptx);

}  // namespace warpwright::ptx
