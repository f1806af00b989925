// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "port/findings.h"
#include "port/ptx_names.h"
#include "port/ptx_operations.h"

namespace warpwright::port {

using FunctionTable = std::map<std::string, const ptx::Function*, std::less<>>;

/// What is given, and at least that of its type.
unsigned alignment_of(const ptx::Variable& variable);

/// As an attribute: alignas has no place behind __shared__.
std::string alignment_text(const ptx::Variable& variable);

/// The type of C++ in which a parameter or a result is passed: a number, or bytes.
std::string passed_type(const ptx::Variable& variable);

/// Writes the body of one PTX function, statement by statement.
class PtxFunctionWriter {
 public:
  /// `names` holds what the module declares; the function's own are added.
  PtxFunctionWriter(const ptx::Function& function, PtxNames names, const FunctionTable& functions,
                    const std::string& file, Findings& findings);

  /// Declarations and statements, without the braces around them.
  std::string body();

 private:
  using Operand = ptx::Operand;
  using Text = std::optional<std::string>;

  void declare(const ptx::Variable& variable);
  void write(const ptx::Statement& statement);
  Text statement_of(const ptx::Instruction& instruction);

  Text compute(const ptx::Instruction& in, const PtxOpcode& opcode);
  Text move(const ptx::Instruction& in, const PtxOpcode& opcode);
  Text convert(const ptx::Instruction& in, const PtxOpcode& opcode);
  Text compare(const ptx::Instruction& in, const PtxOpcode& opcode);
  Text select(const ptx::Instruction& in, const PtxOpcode& opcode);
  Text address_conversion(const ptx::Instruction& in);
  Text load(const ptx::Instruction& in, const PtxOpcode& opcode);
  Text store(const ptx::Instruction& in, const PtxOpcode& opcode);
  Text atomic(const ptx::Instruction& in, const PtxOpcode& opcode);
  Text shuffle(const ptx::Instruction& in);
  Text vote(const ptx::Instruction& in);
  Text call(const ptx::Instruction& in);
  Text carry(const ptx::Instruction& in, const PtxOpcode& opcode);
  Text jump(const ptx::Instruction& in);
  Text plain(const ptx::Instruction& in);
  std::string finish() const;

  [[nodiscard]] Text value(const Operand& operand, std::string_view type) const;
  [[nodiscard]] Text address_of(const Operand& operand, std::string_view space) const;
  [[nodiscard]] Text set(const Operand& target, std::string_view type,
                         const std::string& expression) const;
  [[nodiscard]] static std::string literal(const Operand& operand, std::string_view type);

  const ptx::Function& function_;
  PtxNames names_;
  const FunctionTable& functions_;
  const std::string& file_;
  Findings& findings_;
  std::map<std::string, const ptx::Statement*, std::less<>> targets_;
  std::string declarations_, text_;
  bool carries_ = false;
};

}  // namespace warpwright::port
