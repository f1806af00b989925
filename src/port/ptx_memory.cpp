// SPDX-License-Identifier: Apache-2.0
// What reads and writes memory, and what exchanges values or control: the rest of a function.
#include <algorithm>

#include "port/ptx_function.h"
#include "ptx/types.h"

namespace warpwright::port {

namespace {

std::string joined(const std::vector<std::string>& statements) {
  std::string text;
  for (const std::string& each : statements) text += (text.empty() ? "" : "; ") + each;
  return text;
}

bool has(const ptx::Instruction& in, std::string_view part) {
  return std::find(in.parts.begin(), in.parts.end(), part) != in.parts.end();
}

}  // namespace

PtxFunctionWriter::Text PtxFunctionWriter::address_conversion(const ptx::Instruction& in) {
  if (in.operands.size() != 2) return std::nullopt;
  const Text source = value(in.operands[1], "u64");
  if (!source || in.parts[0] == "isspacep") return std::nullopt;
  const bool back = has(in, "to");
  std::string_view space;
  for (const std::string_view part : in.parts)
    if (part.starts_with("shared") || part == "global" || part == "local" || part == "const")
      space = part;
  if (space.empty()) return std::nullopt;
  const std::string_view type = has(in, "u32") ? "u32" : "u64";
  if (!space.starts_with("shared")) return set(in.operands[0], type, *source);
  // The name of a variable in shared memory is an address there already.
  return set(in.operands[0], type,
             back ? "ww_generic_to_shared((const void*)" + *source + ")"
                  : "ww_shared_to_generic(" + *source + ")");
}

PtxFunctionWriter::Text PtxFunctionWriter::load(const ptx::Instruction& in,
                                                const PtxOpcode& opcode) {
  if (opcode.types.size() != 1 || in.operands.size() != 2) return std::nullopt;
  const std::string& type = opcode.types[0];
  const std::string cpp(cpp_type_of(type));
  const Operand &to = in.operands[0], &from = in.operands[1];
  const auto lanes = static_cast<std::size_t>(opcode.lanes);
  if (lanes > 1 && (to.kind != Operand::Kind::vector || to.list.size() != lanes))
    return std::nullopt;
  const Text where = address_of(from, opcode.space);
  if (!where) return std::nullopt;
  std::vector<std::string> statements = {"const unsigned long long at = " + *where};
  const std::size_t step = std::size_t{ptx::bytes_of_type(type)};
  for (std::size_t i = 0; i < lanes; ++i) {
    const std::string place = i == 0 ? "at" : "at + " + std::to_string(i * step);
    std::string read;
    if (opcode.space == "param") {
      read = "ww_get<" + cpp + ">((const void*)(" + place + "), 0)";
    } else {
      read = std::string("ww_load") + (opcode.space == "shared" ? "_shared" : "") +
             (opcode.is_volatile || !opcode.order.empty() ? "_volatile" : "") + "<" + cpp + ">(" +
             place + ")";
    }
    // All lanes are read before any is written: the address may be one of the targets.
    statements.push_back("const " + cpp + " read" + std::to_string(i) + " = " + read);
  }
  for (std::size_t i = 0; i < lanes; ++i) {
    const Text each = set(lanes > 1 ? to.list[i] : to, type, "read" + std::to_string(i));
    if (!each) return std::nullopt;
    statements.push_back(*each);
  }
  if (!opcode.order.empty()) statements.emplace_back("__threadfence()");
  return joined(statements);
}

PtxFunctionWriter::Text PtxFunctionWriter::store(const ptx::Instruction& in,
                                                 const PtxOpcode& opcode) {
  if (opcode.types.size() != 1 || in.operands.size() != 2) return std::nullopt;
  const std::string& type = opcode.types[0];
  const std::string cpp(cpp_type_of(type));
  const Operand &to = in.operands[0], &from = in.operands[1];
  const auto lanes = static_cast<std::size_t>(opcode.lanes);
  if (lanes > 1 && (from.kind != Operand::Kind::vector || from.list.size() != lanes))
    return std::nullopt;
  const Text where = address_of(to, opcode.space);
  if (!where) return std::nullopt;
  std::vector<std::string> statements;
  if (!opcode.order.empty()) statements.emplace_back("__threadfence()");
  statements.push_back("const unsigned long long at = " + *where);
  const std::size_t step = std::size_t{ptx::bytes_of_type(type)};
  for (std::size_t i = 0; i < lanes; ++i) {
    const Text each = value(lanes > 1 ? from.list[i] : from, type);
    if (!each) return std::nullopt;
    const std::string place = i == 0 ? "at" : "at + " + std::to_string(i * step);
    if (opcode.space == "param") {
      statements.push_back("ww_put<" + cpp + ">((void*)(" + place + "), 0, " + *each + ")");
    } else {
      statements.push_back(std::string("ww_store") + (opcode.space == "shared" ? "_shared" : "") +
                           (opcode.is_volatile || !opcode.order.empty() ? "_volatile" : "") + "<" +
                           cpp + ">(" + place + ", " + *each + ")");
    }
  }
  return joined(statements);
}

PtxFunctionWriter::Text PtxFunctionWriter::atomic(const ptx::Instruction& in,
                                                  const PtxOpcode& opcode) {
  struct Row {
    std::string_view ptx, cpp;
  };
  constexpr Row kFunctions[] = {{"add", "atomicAdd"},   {"min", "atomicMin"}, {"max", "atomicMax"},
                                {"and", "atomicAnd"},   {"or", "atomicOr"},   {"xor", "atomicXor"},
                                {"exch", "atomicExch"}, {"inc", "atomicInc"}, {"dec", "atomicDec"},
                                {"cas", "atomicCAS"}};
  const bool returns = in.parts[0] == "atom";
  if (opcode.types.size() != 1 || in.operands.size() < (returns ? 3u : 2u)) return std::nullopt;
  std::string type = opcode.types[0];
  const std::size_t at = returns ? 1 : 0;
  const Text where = address_of(in.operands[at], opcode.space);
  if (!where) return std::nullopt;
  // Sums of whole numbers wrap around in any sign; the functions want one of the two.
  if (has(in, "add") && (type == "s64" || type == "b64")) type = "u64";
  if (type == "b32" || type == "b64" || type == "b16") type = unsigned_type_of(type);
  const std::string cpp(cpp_type_of(type));
  const std::string pointer =
      "(" + cpp + "*)(" +
      (opcode.space == "shared" ? "ww_shared_to_generic(" + *where + ")" : *where) + ")";
  for (const Row& row : kFunctions) {
    if (!has(in, row.ptx)) continue;
    std::string call = std::string(row.cpp) + "(" + pointer;
    const std::size_t values = row.ptx == "cas" ? 2 : 1;
    if (in.operands.size() != at + 1 + values) return std::nullopt;
    for (std::size_t i = 0; i < values; ++i) {
      const Text each = value(in.operands[at + 1 + i], type);
      if (!each) return std::nullopt;
      call += ", " + *each;
    }
    call += ")";
    const bool fenced = !opcode.order.empty();
    Text done = returns ? set(in.operands[0], type, call) : Text(call);
    if (done && fenced) done = "__threadfence(); " + *done + "; __threadfence()";
    return done;
  }
  return std::nullopt;
}

PtxFunctionWriter::Text PtxFunctionWriter::shuffle(const ptx::Instruction& in) {
  if (!has(in, "sync") || in.operands.size() != 5) return std::nullopt;
  const Text a = value(in.operands[1], "u32"), b = value(in.operands[2], "u32");
  const Text c = value(in.operands[3], "u32"), mask = value(in.operands[4], "u32");
  if (!a || !b || !c || !mask) return std::nullopt;
  std::string_view way;
  for (const std::string_view each : {"idx", "up", "down", "bfly"})
    if (has(in, each)) way = each;
  if (way.empty()) return std::nullopt;
  const Operand& to = in.operands[0];
  const bool pair = to.kind == Operand::Kind::pair && to.list.size() == 2;
  const Text first = set(pair ? to.list[0] : to, "u32", "got");
  const Text second = pair ? set(to.list[1], "pred", "valid") : Text("(void)valid");
  if (!first || !second) return std::nullopt;
  return "bool valid; const unsigned got = ww_ptx_shfl_" + std::string(way) + "(" + *a + ", " + *b +
         ", " + *c + ", " + *mask + ", valid); " + *first + "; " + *second;
}

PtxFunctionWriter::Text PtxFunctionWriter::vote(const ptx::Instruction& in) {
  if (in.parts[0] == "activemask" && in.operands.size() == 1)
    return set(in.operands[0], "u32", "ww_activemask()");
  if (in.operands.size() != 3 || !has(in, "sync")) return std::nullopt;
  const Text mask = value(in.operands[2], "u32");
  if (!mask) return std::nullopt;
  if (in.parts[0] == "vote") {
    const Text predicate = value(in.operands[1], "pred");
    if (!predicate) return std::nullopt;
    const std::string operands = "(" + *mask + ", " + *predicate + ")";
    if (has(in, "ballot")) return set(in.operands[0], "u32", "ww_ballot_sync" + operands);
    for (const std::string_view way : {"any", "all", "uni"})
      if (has(in, way))
        return set(in.operands[0], "pred", "ww_" + std::string(way) + "_sync" + operands + " != 0");
    return std::nullopt;
  }
  const std::string_view type = in.parts.back();
  const Text operand = value(in.operands[1], type);
  if (!operand) return std::nullopt;
  if (in.parts[0] == "match")
    return has(in, "any")
               ? set(in.operands[0], "u32", "ww_match_any_sync(" + *mask + ", " + *operand + ")")
               : std::nullopt;
  for (const std::string_view way : {"add", "min", "max", "and", "or", "xor"})
    if (has(in, way))
      return set(in.operands[0], type,
                 "ww_reduce_" + std::string(way) + "_sync(" + *mask + ", " + *operand + ")");
  return std::nullopt;
}

PtxFunctionWriter::Text PtxFunctionWriter::plain(const ptx::Instruction& in) {
  const std::string_view name = in.parts[0];
  if ((name == "bar" || name == "barrier") && has(in, "sync") && !has(in, "warp")) {
    const bool all = in.operands.size() == 1 && in.operands[0].kind == Operand::Kind::integer &&
                     in.operands[0].bits == 0;
    return all ? Text("__syncthreads()") : std::nullopt;
  }
  if (name == "bar" && has(in, "warp") && in.operands.size() == 1) {
    const Text mask = value(in.operands[0], "u32");
    return mask ? Text("ww_syncwarp(" + *mask + ")") : std::nullopt;
  }
  if (name == "membar" || (name == "fence" && (has(in, "acq_rel") || has(in, "sc")))) {
    if (has(in, "cta")) return "__threadfence_block()";
    return has(in, "sys") ? "__threadfence_system()" : "__threadfence()";
  }
  if (name == "trap" || name == "brkpt") return "__builtin_trap()";
  if (name == "prefetch" || name == "prefetchu" || name == "nanosleep" || name == "pragma")
    return "(void)0";
  return std::nullopt;
}

PtxFunctionWriter::Text PtxFunctionWriter::jump(const ptx::Instruction& in) {
  if (in.parts[0] == "ret") return finish();
  if (in.parts[0] == "exit") return function_.is_entry ? Text("return") : std::nullopt;
  if (in.parts[0] == "bra" && in.operands.size() == 1)
    return "goto " + cpp_name("L_", in.operands[0].name);
  if (in.operands.size() != 2) return std::nullopt;
  const Text index = value(in.operands[0], "u32");
  const auto list = targets_.find(in.operands[1].name);
  if (!index || list == targets_.end()) return std::nullopt;
  std::string text = "switch (" + *index + ") {";
  for (std::size_t i = 0; i < list->second->targets.size(); ++i)
    text +=
        " case " + std::to_string(i) + ": goto " + cpp_name("L_", list->second->targets[i]) + ";";
  return text + " }";
}

PtxFunctionWriter::Text PtxFunctionWriter::call(const ptx::Instruction& in) {
  // (result), name, (parameters), or name, (parameters), or name alone.
  const auto& all = in.operands;
  const std::size_t at = !all.empty() && all[0].kind == Operand::Kind::vector ? 1 : 0;
  if (all.size() <= at || all[at].kind != Operand::Kind::name) return std::nullopt;
  const auto found = functions_.find(all[at].name);
  if (found == functions_.end()) return std::nullopt;
  const ptx::Function& callee = *found->second;
  const std::vector<Operand> none;
  const auto& given = all.size() > at + 1 ? all[at + 1].list : none;
  if (given.size() != callee.params.size()) return std::nullopt;
  const Operand* result = at == 1 && !all[0].list.empty() ? &all[0].list[0] : nullptr;
  std::optional<KnownFunction> known;
  if (!callee.has_body) {
    std::vector<unsigned> bytes;
    for (const ptx::Variable& each : callee.params)
      bytes.push_back(static_cast<unsigned>(each.size_bytes));
    const auto size = callee.results.empty() ? 0 : callee.results[0].size_bytes;
    known = known_function(callee.name, bytes, static_cast<unsigned>(size));
    if (!known) return std::nullopt;
  }
  std::string text = known ? known->name + "(" : std::string(callee.name) + "(";
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto* place = names_.variable(given[i].name);
    if (place == nullptr) return std::nullopt;
    const std::string type =
        known ? std::string(cpp_type_of(known->parameters[i])) : passed_type(callee.params[i]);
    text += (i == 0 ? "ww_get<" : ", ww_get<") + type + ">(&" + place->cpp + ", 0)";
  }
  text += ")";
  if (result == nullptr || callee.results.empty()) return text;
  const auto* place = names_.variable(result->name);
  if (place == nullptr) return std::nullopt;
  const std::string type =
      known ? std::string(cpp_type_of(known->result)) : passed_type(callee.results[0]);
  return "ww_put<" + type + ">(&" + place->cpp + ", 0, " + text + ")";
}

}  // namespace warpwright::port
