// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpwright::port {

/// The type of C++ that stands for one of PTX ("u32"); empty where none does.
std::string_view cpp_type_of(std::string_view ptx_type);
bool is_real_type(std::string_view ptx_type);
/// The unsigned type of the same width: "s32" -> "u32", "f32" -> "b32".
std::string unsigned_type_of(std::string_view ptx_type);

/// Whether a qualifier names a cache, a scope or an order, and changes no value.
bool is_common_hint(std::string_view word);

/// An opcode cut into what it does, its qualifiers and its types.
struct PtxOpcode {
  std::string name;                ///< "mul.lo": without types, rounding and hints
  std::vector<std::string> types;  ///< in their order
  std::string rounding;            ///< "rn", "rz", "rm", "rp", "rni", ...; empty: none is given
  bool approximate = false;
  bool flushes = false;    ///< .ftz
  bool saturates = false;  ///< .sat
  bool is_volatile = false;
  std::string order;  ///< "acquire", "release"; empty: none
  std::string space;  ///< "global", "shared", "local", "param", "const"; empty: generic
  int lanes = 1;      ///< .v2, .v4
};
PtxOpcode opcode_of(const std::vector<std::string_view>& parts);

/// The value that an arithmetic instruction computes, as an expression of C++ over its operands,
/// which are expressions of the type that `operand_type` says. Nothing: there is no rule.
std::optional<std::string> computed(const PtxOpcode& opcode,
                                    const std::vector<std::string>& operands);
/// The type in which an arithmetic instruction reads its operands, and that of its result.
std::string operand_type(const PtxOpcode& opcode);
std::string result_type(const PtxOpcode& opcode);

/// Numbers of half precision are bits in C++; this makes a float of one, which is exact.
std::string float_of_half(const std::string& value);
/// cvt.rn.f16x2.f32: two floats as two halves, the first one above; nothing: there is no rule.
std::optional<std::string> converted_pair(const PtxOpcode& opcode, const std::string& upper,
                                          const std::string& lower);

/// A comparison of two expressions of a type; nothing: no such relation.
std::optional<std::string> compared(std::string_view relation, std::string_view type,
                                    const std::string& a, const std::string& b);

/// A conversion; nothing: there is no rule.
std::optional<std::string> converted(const PtxOpcode& opcode, const std::string& value);

/// The expression of a special register ("%tid.x"); nothing: there is no rule.
std::optional<std::string> special_register(std::string_view name);

/// How a function that PTX only declares is called in HIP: its name, and the types of its result
/// and parameters. Nothing: there is no rule.
struct KnownFunction {
  std::string name;
  std::string result;  ///< empty: none
  std::vector<std::string> parameters;
};
std::optional<KnownFunction> known_function(std::string_view name,
                                            const std::vector<unsigned>& parameter_bytes,
                                            unsigned result_bytes);

}  // namespace warpwright::port
