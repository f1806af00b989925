// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "ptx/ast.h"

namespace warpwright::port {

/// A name of PTX as one of C++, after a prefix: "$L__BB0_2" -> "L_L__BB0_2". Labels and variables.
std::string cpp_name(std::string_view prefix, std::string_view ptx_name);
/// A register's: no two of PTX get the same. "%r0" -> "v_r0"; "r0", as assembly written by hand
/// has it -> "own_r0".
std::string register_name(std::string_view ptx_name);

/// What the names of a function mean: registers with their types, and variables with their spaces.
class PtxNames {
 public:
  void add_register(const ptx::Variable& declared);
  void add_variable(std::string_view name, ptx::Space space, std::string cpp);

  /// The type of a register that was declared by itself, not as one of many; empty: none was.
  [[nodiscard]] std::string own_type(std::string_view name) const;
  /// The type of a register ("b32"); empty: it is none.
  [[nodiscard]] std::string register_type(std::string_view name) const;
  struct Place {
    ptx::Space space = ptx::Space::generic;
    std::string cpp;
  };
  /// Null: no variable of that name.
  [[nodiscard]] const Place* variable(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> single_;    ///< name -> type
  std::map<std::string, std::string, std::less<>> families_;  ///< "%r" of %r<N> -> type
  std::map<std::string, Place, std::less<>> places_;
};

}  // namespace warpwright::port
