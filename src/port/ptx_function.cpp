// SPDX-License-Identifier: Apache-2.0
#include "port/ptx_function.h"

#include <algorithm>

#include "ptx/types.h"

namespace warpwright::port {

namespace {

constexpr std::uint32_t kMostRegisters = 1u << 18;  // far more than any compiler names

std::string hex(std::uint64_t bits) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[bits & 15]);
    bits >>= 4;
  } while (bits != 0);
  return "0x" + text;
}

std::string offset_text(const ptx::Operand& operand) {
  return std::to_string(static_cast<std::int64_t>(operand.bits));
}

std::string advice_for(const ptx::Instruction& instruction) {
  const std::string_view name =
      instruction.parts.empty() ? std::string_view() : instruction.parts[0];
  for (const std::string_view tensor : {"mma", "wmma", "ldmatrix", "stmatrix", "wgmma"})
    if (name == tensor) return "tensor cores: write this part for the matrix cores of the device";
  for (const std::string_view copy : {"cp", "mbarrier", "fence", "griddepcontrol", "barrier"})
    if (name == copy) return "asynchronous copies and barriers: use loads, stores and bar.sync 0";
  for (const std::string_view image : {"tex", "tld4", "suld", "sust", "sured", "txq"})
    if (name == image) return "textures and surfaces: read the memory behind them";
  if (name == "call") return "a call that has no counterpart, or goes through a pointer";
  return "no rule for this instruction; write it in C++";
}

}  // namespace

unsigned alignment_of(const ptx::Variable& variable) {
  return std::max({variable.align, ptx::bytes_of_type(variable.type), 1u});
}

std::string alignment_text(const ptx::Variable& variable) {
  return "__attribute__((aligned(" + std::to_string(alignment_of(variable)) + "))) ";
}

std::string passed_type(const ptx::Variable& variable) {
  const std::uint32_t width = ptx::bytes_of_type(variable.type);
  const std::string_view number = cpp_type_of(variable.type);
  if (width != 0 && variable.size_bytes == width && !number.empty()) return std::string(number);
  const auto size = std::max<std::uint64_t>(variable.size_bytes, 1);
  return "ww_bytes<" + std::to_string(size) + ", " + std::to_string(alignment_of(variable)) + ">";
}

PtxFunctionWriter::PtxFunctionWriter(const ptx::Function& function, PtxNames names,
                                     const FunctionTable& functions, const std::string& file,
                                     Findings& findings)
    : function_(function),
      names_(std::move(names)),
      functions_(functions),
      file_(file),
      findings_(findings) {
  for (const ptx::Variable& variable : function.params)
    names_.add_variable(variable.name, ptx::Space::param, cpp_name("p_", variable.name));
}

std::string PtxFunctionWriter::body() {
  for (const ptx::Variable& result : function_.results) declare(result);
  for (const ptx::Statement& statement : function_.body) {
    if (statement.kind == ptx::Statement::Kind::variable) declare(statement.var);
    if (statement.kind == ptx::Statement::Kind::targets)
      targets_[std::string(statement.label)] = &statement;
  }
  for (const ptx::Statement& statement : function_.body) write(statement);
  if (carries_) declarations_ += "  bool ww_carry = false, ww_dropped = false;\n";
  return declarations_ + text_ + "  " + finish() + ";\n";
}

void PtxFunctionWriter::declare(const ptx::Variable& variable) {
  if (variable.space == ptx::Space::reg) {
    // Scopes inside of a function may use a name again, for a register of the same type as a rule.
    const std::string known = variable.count == 0 ? names_.own_type(variable.name) : std::string();
    if (known == variable.type) return;
    names_.add_register(variable);
    if (!known.empty()) {
      findings_.unmapped.push_back({file_,
                                    static_cast<int>(variable.line),
                                    std::string(variable.name),
                                    "a register of another type has this name in another scope",
                                    {}});
      return;
    }
    const std::string type(cpp_type_of(variable.type));
    if (type.empty() || variable.count > kMostRegisters) {
      findings_.unmapped.push_back({file_,
                                    static_cast<int>(variable.line),
                                    "." + std::string(variable.type),
                                    "no variables of C++ for these registers",
                                    {}});
      return;
    }
    const auto one = [&](const std::string& name) {
      declarations_ += "  " + type + " " + name + " = 0;\n";
    };
    if (variable.count == 0) one(register_name(variable.name));
    for (std::uint32_t i = 0; i < variable.count; ++i)
      one(register_name(std::string(variable.name) + std::to_string(i)));
    return;
  }
  // Parameters of calls have scopes of their own, which may use a name again: the largest holds
  // all.
  const std::string name = cpp_name("p_", variable.name);
  if (variable.space == ptx::Space::param) {
    if (names_.variable(variable.name) != nullptr) return;
    std::uint64_t size = variable.size_bytes;
    unsigned align = alignment_of(variable);
    for (const ptx::Statement& other : function_.body) {
      if (other.kind != ptx::Statement::Kind::variable || other.var.name != variable.name) continue;
      size = std::max(size, other.var.size_bytes);
      align = std::max(align, alignment_of(other.var));
    }
    names_.add_variable(variable.name, ptx::Space::param, name);
    declarations_ += "  ww_bytes<" + std::to_string(std::max<std::uint64_t>(size, 1)) + ", " +
                     std::to_string(align) + "> " + name + " = {};\n";
    return;
  }
  const bool shared = variable.space == ptx::Space::shared;
  names_.add_variable(variable.name, variable.space, name);
  declarations_ += std::string("  ") + (shared ? "__shared__ " : "") + alignment_text(variable) +
                   "unsigned char " + name + "[" +
                   std::to_string(std::max<std::uint64_t>(variable.size_bytes, 1)) + "];\n";
}

void PtxFunctionWriter::write(const ptx::Statement& statement) {
  if (statement.kind == ptx::Statement::Kind::label) {
    text_ += cpp_name("L_", statement.label) + ":;\n";
    return;
  }
  if (statement.kind != ptx::Statement::Kind::instruction) return;
  const ptx::Instruction& in = statement.ins;
  std::string guard;
  if (!in.guard.empty())
    guard = std::string("if (") + (in.guard_negated ? "!" : "") + register_name(in.guard) + ") ";
  if (const Text text = statement_of(in)) {
    text_ += "  " + guard + "{ " + *text + "; }\n";
    return;
  }
  findings_.unmapped.push_back(
      {file_, static_cast<int>(statement.ptx_line), std::string(in.text), advice_for(in), {}});
  text_ += "  ww_no_rule_for_this_instruction();  // " + std::string(in.text) + "\n";
}

PtxFunctionWriter::Text PtxFunctionWriter::statement_of(const ptx::Instruction& in) {
  if (in.parts.empty()) return std::nullopt;
  const std::string_view name = in.parts[0];
  const PtxOpcode opcode = opcode_of(in.parts);
  if (name == "ret" || name == "exit" || name == "bra" || name == "brx") return jump(in);
  if (name == "call") return call(in);
  if (name == "ld" || name == "ldu") return load(in, opcode);
  if (name == "st") return store(in, opcode);
  if (name == "atom" || name == "red") return atomic(in, opcode);
  if (name == "mov") return move(in, opcode);
  if (name == "cvt") return convert(in, opcode);
  if (name == "cvta" || name == "isspacep") return address_conversion(in);
  if (name == "setp" || name == "set") return compare(in, opcode);
  if (name == "selp" || name == "slct") return select(in, opcode);
  if (name == "shfl") return shuffle(in);
  if (name == "vote" || name == "activemask" || name == "match" || name == "redux") return vote(in);
  const bool counts = std::find(in.parts.begin(), in.parts.end(), "cc") != in.parts.end();
  if (counts || name == "addc" || name == "subc" || name == "madc") return carry(in, opcode);
  if (const Text done = plain(in)) return done;
  return compute(in, opcode);
}

std::string PtxFunctionWriter::finish() const {
  if (function_.is_entry || function_.results.empty()) return "return";
  const ptx::Variable& result = function_.results.front();
  return "return ww_get<" + passed_type(result) + ">(&" + cpp_name("p_", result.name) + ", 0)";
}

// ---- operands ---------------------------------------------------------------------------------

std::string PtxFunctionWriter::literal(const Operand& operand, std::string_view type) {
  const std::string cpp(cpp_type_of(type));
  if (operand.kind == Operand::Kind::integer) {
    // A whole number as a real is its bits: PTX writes reals with their own forms.
    if (is_real_type(type))
      return "(" + cpp + ")" + std::to_string(static_cast<std::int64_t>(operand.bits));
    return "(" + cpp + ")" + hex(operand.bits) + "ull";
  }
  const std::string real = operand.single ? "ww_as<float>(" + hex(operand.bits) + "u)"
                                          : "ww_as<double>(" + hex(operand.bits) + "ull)";
  if (is_real_type(type)) return "(" + cpp + ")" + real;
  return "ww_as<" + cpp + ">(" + real + ")";
}

PtxFunctionWriter::Text PtxFunctionWriter::value(const Operand& operand,
                                                 std::string_view type) const {
  const std::string cpp(cpp_type_of(type));
  if (cpp.empty()) return std::nullopt;
  if (operand.kind == Operand::Kind::integer || operand.kind == Operand::Kind::real)
    return literal(operand, type);
  if (operand.kind != Operand::Kind::name) return std::nullopt;
  const std::string sign = operand.negated ? "!" : "";
  if (!names_.register_type(operand.name).empty()) {
    const std::string name = sign + register_name(operand.name);
    return type == "pred" ? name : "ww_as<" + cpp + ">(" + name + ")";
  }
  if (const auto special = special_register(operand.name)) return "(" + cpp + ")" + *special;
  if (const auto* place = names_.variable(operand.name)) {
    if (place->space == ptx::Space::shared)
      return "(" + cpp + ")ww_generic_to_shared(" + place->cpp + ")";
    return "(" + cpp + ")(unsigned long long)&" + place->cpp;
  }
  return std::nullopt;
}

PtxFunctionWriter::Text PtxFunctionWriter::address_of(const Operand& operand,
                                                      std::string_view space) const {
  if (operand.kind != Operand::Kind::address) return std::nullopt;
  if (operand.name.empty()) return hex(operand.bits) + "ull";
  std::string base;
  if (!names_.register_type(operand.name).empty()) {
    base = "(unsigned long long)" + register_name(operand.name);
  } else if (const auto* place = names_.variable(operand.name)) {
    const bool shared = place->space == ptx::Space::shared;
    base = shared && space == "shared" ? "ww_generic_to_shared(" + place->cpp + ")"
                                       : "(unsigned long long)&" + place->cpp;
  } else {
    return std::nullopt;
  }
  return operand.bits == 0 ? base : base + " + " + offset_text(operand) + "ll";
}

PtxFunctionWriter::Text PtxFunctionWriter::set(const Operand& target, std::string_view type,
                                               const std::string& expression) const {
  if (target.kind == Operand::Kind::sink) return "(void)(" + expression + ")";
  if (target.kind != Operand::Kind::name || names_.register_type(target.name).empty())
    return std::nullopt;
  if (type == "pred") return register_name(target.name) + " = " + expression;
  return "ww_set(" + register_name(target.name) + ", (" + std::string(cpp_type_of(type)) + ")(" +
         expression + "))";
}

// ---- arithmetic -------------------------------------------------------------------------------

PtxFunctionWriter::Text PtxFunctionWriter::compute(const ptx::Instruction& in,
                                                   const PtxOpcode& opcode) {
  if (opcode.types.empty() || in.operands.size() < 2) return std::nullopt;
  const std::string type = operand_type(opcode);
  const bool wide_last = opcode.name == "mad.wide";
  const bool shift = opcode.name == "shl" || opcode.name == "shr";
  std::vector<std::string> operands;
  for (std::size_t i = 1; i < in.operands.size(); ++i) {
    std::string own = wide_last && i == 3 ? result_type(opcode) : type;
    Text text = value(in.operands[i], shift && i == 2 ? "u32" : own);
    if (!text) return std::nullopt;
    if (shift && i == 2) text = "(" + std::string(cpp_type_of(own)) + ")" + *text;
    if (opcode.flushes && is_real_type(own)) text = "ww_flushed(" + *text + ")";
    operands.push_back("(" + *text + ")");
  }
  const auto expression = computed(opcode, operands);
  if (!expression) return std::nullopt;
  return set(in.operands[0], result_type(opcode), *expression);
}

PtxFunctionWriter::Text PtxFunctionWriter::carry(const ptx::Instruction& in,
                                                 const PtxOpcode& opcode) {
  const bool product = in.parts[0].starts_with("mad");
  if (opcode.types.size() != 1 || in.operands.size() != (product ? 4U : 3U)) return std::nullopt;
  const auto has = [&](std::string_view part) {
    return std::find(in.parts.begin(), in.parts.end(), part) != in.parts.end();
  };
  const std::string type = unsigned_type_of(opcode.types[0]);
  const std::string cpp(cpp_type_of(type));
  // Which half of a product is taken; the upper one depends on its factors' signs.
  const std::string factor = product && has("hi") ? opcode.types[0] : type;
  Text a = value(in.operands[1], factor);
  const Text b = value(in.operands[2], factor);
  const Text last = product ? value(in.operands[3], type) : b;
  if (!a || !b || !last) return std::nullopt;
  if (product)
    a = "(" + cpp + ")" +
        (has("hi") ? "ww_mul_hi(" + *a + ", " + *b + ")" : "(" + *a + " * " + *b + ")");
  carries_ = true;
  const bool reads = in.parts[0].ends_with("c");
  return set(in.operands[0], type,
             std::string(in.parts[0].starts_with("sub") ? "ww_sub_borrow<" : "ww_add_carry<") +
                 cpp + ">(" + *a + ", " + *last + ", " + (reads ? "ww_carry" : "false") + ", " +
                 (has("cc") ? "ww_carry" : "ww_dropped") + ")");
}

PtxFunctionWriter::Text PtxFunctionWriter::move(const ptx::Instruction& in,
                                                const PtxOpcode& opcode) {
  if (opcode.types.empty() || in.operands.size() != 2) return std::nullopt;
  const std::string& type = opcode.types[0];
  const Operand &to = in.operands[0], &from = in.operands[1];
  if (to.kind != Operand::Kind::vector && from.kind != Operand::Kind::vector) {
    const Text source = value(from, type);
    return source ? set(to, type, *source) : std::nullopt;
  }
  const auto& list = to.kind == Operand::Kind::vector ? to.list : from.list;
  const std::string part = type == "b64" && list.size() == 2   ? "b32"
                           : type == "b64" && list.size() == 4 ? "b16"
                           : type == "b32" && list.size() == 2 ? "b16"
                                                               : "";
  if (part.empty()) return std::nullopt;
  const int bits = part == "b32" ? 32 : 16;
  const std::string cpp(cpp_type_of(type));
  if (to.kind == Operand::Kind::vector) {
    const Text whole = value(from, type);
    if (!whole) return std::nullopt;
    std::string text = "const " + cpp + " whole = " + *whole;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Text each =
          set(list[i], part, "whole >> " + std::to_string(bits * static_cast<int>(i)));
      if (!each) return std::nullopt;
      text += "; " + *each;
    }
    return text;
  }
  std::string whole;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Text each = value(list[i], part);
    if (!each) return std::nullopt;
    whole += (i == 0 ? "" : " | ") + ("(" + cpp + ")" + *each) + " << " +
             std::to_string(bits * static_cast<int>(i));
  }
  return set(to, type, whole);
}

PtxFunctionWriter::Text PtxFunctionWriter::convert(const ptx::Instruction& in,
                                                   const PtxOpcode& opcode) {
  if (in.operands.size() == 3 && opcode.types.size() == 2) {
    const Text upper = value(in.operands[1], opcode.types[1]);
    const Text lower = value(in.operands[2], opcode.types[1]);
    const Text both = upper && lower ? converted_pair(opcode, *upper, *lower) : std::nullopt;
    return both ? set(in.operands[0], opcode.types[0], *both) : std::nullopt;
  }
  if (opcode.types.size() != 2 || in.operands.size() != 2 || opcode.name != "cvt")
    return std::nullopt;
  const Text source = value(in.operands[1], opcode.types[1]);
  if (!source) return std::nullopt;
  const auto result = converted(opcode, "(" + *source + ")");
  return result ? set(in.operands[0], opcode.types[0], *result) : std::nullopt;
}

PtxFunctionWriter::Text PtxFunctionWriter::compare(const ptx::Instruction& in,
                                                   const PtxOpcode& opcode) {
  // set has the types of its result and of its operands; setp that of its operands.
  const bool to_number = in.parts[0] == "set";
  if (opcode.types.size() != (to_number ? 2u : 1u) || in.parts.size() < 3) return std::nullopt;
  if (in.operands.size() < 3) return std::nullopt;
  std::string type = opcode.types.back();
  Text a = value(in.operands[1], type), b = value(in.operands[2], type);
  if (!a || !b || type == "f16x2" || opcode.types.front().starts_with("f16x")) return std::nullopt;
  if (to_number && opcode.types.front() == "f16") return std::nullopt;
  if (type == "f16") {
    if (opcode.flushes) return std::nullopt;
    a = float_of_half(*a);
    b = float_of_half(*b);
    type = "f32";
  }
  const auto flushed = [&](const std::string& text) {
    return opcode.flushes ? "ww_flushed(" + text + ")" : "(" + text + ")";
  };
  const auto relation = compared(in.parts[1], type, flushed(*a), flushed(*b));
  if (!relation) return std::nullopt;
  std::string truth = "(" + *relation + ")", falsehood = "!" + truth;
  if (in.operands.size() == 4) {
    const Text third = value(in.operands[3], "pred");
    const std::string_view with = in.parts[2];
    if (!third || (with != "and" && with != "or" && with != "xor")) return std::nullopt;
    const std::string sign = with == "and" ? " && " : with == "or" ? " || " : " != ";
    truth = "(" + truth + sign + *third + ")";
    falsehood = "(" + falsehood + sign + *third + ")";
  }
  if (to_number) {
    const bool real = is_real_type(opcode.types[0]);
    return set(in.operands[0], opcode.types[0], truth + (real ? " ? 1.0f : 0.0f" : " ? ~0u : 0u"));
  }
  if (in.operands[0].kind != Operand::Kind::pair) return set(in.operands[0], "pred", truth);
  if (in.operands[0].list.size() != 2) return std::nullopt;
  const Text first = set(in.operands[0].list[0], "pred", "yes");
  const Text second = set(in.operands[0].list[1], "pred", "no");
  if (!first || !second) return std::nullopt;
  return "const bool yes = " + truth + ", no = " + falsehood + "; " + *first + "; " + *second;
}

PtxFunctionWriter::Text PtxFunctionWriter::select(const ptx::Instruction& in,
                                                  const PtxOpcode& opcode) {
  if (opcode.types.empty() || in.operands.size() != 4) return std::nullopt;
  const std::string& type = opcode.types[0];
  const Text a = value(in.operands[1], type), b = value(in.operands[2], type);
  const bool by_sign = in.parts[0] == "slct";
  const std::string decider = !by_sign ? "pred" : opcode.types.size() > 1 ? opcode.types[1] : "";
  const Text c = decider.empty() ? std::nullopt : value(in.operands[3], decider);
  if (!a || !b || !c) return std::nullopt;
  return set(in.operands[0], type, *c + (by_sign ? " >= 0 ? " : " ? ") + *a + " : " + *b);
}

}  // namespace warpwright::port
