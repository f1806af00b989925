// SPDX-License-Identifier: Apache-2.0
// Functions that are called for real: those that may be active more than once, and those whose
// address is taken. Their code stands once, behind the kernel's. Arguments and results pass through
// registers of the callee; a function that may be entered again saves what it needs behind the call
// on a stack in local memory. Each lane has a stack pointer of its own, so lanes of
// one warp may be at different depths.
#include <algorithm>
#include <iterator>

#include "simt/lower/flow.h"
#include "simt/lower/lowering.h"

namespace warpwright::simt {
namespace {

constexpr std::uint64_t kStackBytes = 16 << 10;

/// Where emitted instructions without a statement of their own come from.
const Statement& no_statement() {
  static const Statement statement;
  return statement;
}

}  // namespace

Lowering::OutOfLine& Lowering::out_of_line(std::size_t function) {
  for (OutOfLine& o : functions_)
    if (o.index == function) return o;
  OutOfLine o;
  o.index = function;
  const Function& f = program_.ast.functions[function];
  o.entry = new_label();
  o.leave = new_label();
  o.back = new_label();
  for (const Variable& p : f.params) {
    o.params.push_back(static_cast<std::uint32_t>(storages_.size()));
    storages_.push_back({p.size_bytes, {}, -1});
  }
  for (const Variable& r : f.results) o.results.push_back(result_storage(r.size_bytes));
  functions_.push_back(std::move(o));
  return functions_.back();
}

std::uint32_t Lowering::new_label() {
  out_.labels.push_back(0xffffffffu);
  return static_cast<std::uint32_t>(out_.labels.size() - 1);
}

/// Results are read right behind the call, so all functions can share the registers.
std::uint32_t Lowering::result_storage(std::uint64_t bytes) {
  const auto [it, fresh] =
      result_storages_.try_emplace(bytes, static_cast<std::uint32_t>(storages_.size()));
  if (fresh) storages_.push_back({bytes, {}, -1});
  return it->second;
}

Status Lowering::pass_arguments(OutOfLine& callee, const Operand* args) {
  for (std::size_t i = 0; i < callee.params.size(); ++i) {
    WW_TRY(const std::uint32_t from, storage_index(args->list[i]));
    const auto parts = storages_[from].parts;
    for (const auto& [offset, val] : parts) {
      bool fits = false;
      Dest d;
      d.val = storage_part(storages_[callee.params[i]], offset, width_of(val), fits);
      if (!fits) return error("not supported: a parameter read in pieces it was not written in");
      WW_CHECK(emit_op("mov.b" + std::to_string(8 * width_of(val)), d, {val}));
      out_.code.back().info.counted = false;
    }
  }
  return {};
}

Status Lowering::real_call(const std::vector<std::size_t>& callees, Val address,
                           const Operand* results, const Operand* args) {
  if (result_written_) return error("not supported: a call behind a function's result");
  const bool again = current_ != nullptr && program_.calls.recursive[current_->index];
  const auto frame = [&](Opcode opcode) {
    Lir& lir = emit(opcode);
    lir.info.counted = false;
    lir.d = lir.a = stack_;
    current_->frames.push_back(out_.code.size() - 1);
  };
  if (again) frame(Opcode::frame_save);
  for (const std::size_t callee : callees) WW_CHECK(pass_arguments(out_of_line(callee), args));
  Lir& lir = emit(address == kNoVal ? Opcode::call : Opcode::indirect_call);
  lir.flow = Lir::Flow::call;
  lir.a = address;
  for (const std::size_t callee : callees) {
    const OutOfLine& o = out_of_line(callee);
    lir.table.insert(lir.table.end(), {static_cast<std::uint32_t>(callee), o.entry, o.back});
  }
  if (again) frame(Opcode::frame_restore);
  for (std::size_t i = 0; results != nullptr && i < results->list.size(); ++i) {
    WW_TRY(const std::uint32_t index, storage_index(results->list[i]));
    storages_[index].alias = static_cast<std::int64_t>(result_storage(storages_[index].size_bytes));
  }
  return {};
}

/// call (results), register, (arguments), prototype: any function whose address is taken and whose
/// parameters and results have the same sizes.
Status Lowering::indirect_call(const Operand& target, const Operand* results, const Operand* args) {
  WW_TRY(const Val address, value(target, {8}));
  const auto matches = [&](const std::vector<Variable>& formal, const Operand* actual) -> bool {
    const std::size_t given = actual == nullptr ? 0 : actual->list.size();
    if (given != formal.size()) return false;
    for (std::size_t i = 0; i < given; ++i) {
      const auto index = storage_index(actual->list[i]);
      if (!index.ok() || storages_[*index].size_bytes != formal[i].size_bytes) return false;
    }
    return true;
  };
  std::vector<std::size_t> callees;
  for (std::size_t i = 0; i < program_.ast.functions.size(); ++i) {
    const Function& f = program_.ast.functions[i];
    if (program_.calls.taken[i] && matches(f.params, args) && matches(f.results, results))
      callees.push_back(i);
  }
  if (callees.empty()) return error("not supported: an indirect call that no function fits");
  return real_call(callees, address, results, args);
}

Status Lowering::start_stack() {
  if (!program_.calls.any) return {};
  at_ = &no_statement();
  stack_ = temporary(8);
  out_.pinned.push_back(stack_);
  Dest d;
  d.val = stack_;
  WW_CHECK(emit_op("mov.b64", d, {constant_bits(0, 8)}));
  out_.code.back().info.counted = false;
  return {};
}

Status Lowering::function_body(OutOfLine& o) {
  const Function& f = program_.ast.functions[o.index];
  const auto first_register = static_cast<Val>(out_.registers.size());
  current_ = &o;
  frame_bytes_ = 0;
  active_.clear();
  scopes_.clear();
  scope_floor_ = 0;
  Scope scope;
  const auto bind = [&](const Variable& formal, std::uint32_t storage) {
    Symbol s;
    s.kind = Symbol::Kind::storage;
    s.index = storage;
    scope[formal.name] = s;
  };
  for (std::size_t i = 0; i < f.params.size(); ++i) bind(f.params[i], o.params[i]);
  for (std::size_t i = 0; i < f.results.size(); ++i) bind(f.results[i], o.results[i]);
  scopes_.push_back(std::move(scope));
  return_labels_ = {o.leave};
  at_ = &no_statement();
  out_.labels[o.entry] = static_cast<std::uint32_t>(out_.code.size());
  // The frame of local variables; its size is known at the end.
  frame_ = temporary(8);
  Dest frame, stack;
  frame.val = frame_;
  stack.val = stack_;
  WW_CHECK(emit_op("mov.b64", frame, {stack_}));
  WW_CHECK(emit_op("add.u64", stack, {stack_, constant_bits(0, 8)}));
  const std::size_t opens = out_.code.size() - 1;
  WW_CHECK(body(f));
  at_ = &no_statement();
  out_.labels[o.leave] = static_cast<std::uint32_t>(out_.code.size());
  WW_CHECK(emit_op("mov.b64", stack, {frame_}));
  out_.code[opens].b = constant_bits((frame_bytes_ + 15) / 16 * 16, 8);
  out_.labels[o.back] = static_cast<std::uint32_t>(out_.code.size());
  emit(Opcode::give_back).flow = Lir::Flow::give_back;
  for (Val v = first_register; v < out_.registers.size(); ++v) o.registers.push_back(v);
  current_ = nullptr;
  return_labels_.clear();
  return {};
}

/// A frame holds what the function still needs behind the call, widest first; counts by width go
/// into the immediate. Registers that hold nothing by then would make deep recursion cost many
/// times the stack that a GPU needs.
Status Lowering::fill_frames(OutOfLine& o) {
  std::vector<Val> own = o.registers;
  for (const std::uint32_t storage : o.params)
    for (const auto& [offset, val] : storages_[storage].parts) own.push_back(val);
  std::sort(own.begin(), own.end());
  own.erase(std::unique(own.begin(), own.end()), own.end());
  out_.pinned.insert(out_.pinned.end(), own.begin(), own.end());
  // Frames come in pairs: what is alive behind the second is what the first one saves.
  std::vector<std::size_t> restores;
  for (const std::size_t at : o.frames)
    if (out_.code[at].info.opcode == Opcode::frame_restore) restores.push_back(at);
  WW_TRY(const auto alive, live_behind(out_, restores));
  for (std::size_t n = 0; n < restores.size(); ++n) {
    std::vector<Val> saved;
    std::set_intersection(own.begin(), own.end(), alive[n].begin(), alive[n].end(),
                          std::back_inserter(saved));
    std::stable_sort(saved.begin(), saved.end(),
                     [&](Val a, Val b) { return width_of(a) > width_of(b); });
    std::int64_t counts = 0;
    for (const Val v : saved) {
      const std::uint8_t width = width_of(v);
      counts += std::int64_t{1} << (width == 8 ? 0 : width == 4 ? 16 : width == 2 ? 32 : 48);
    }
    for (const std::size_t at : {o.frames[2 * n], o.frames[2 * n + 1]}) {
      Lir& lir = out_.code[at];
      lir.more = saved;
      lir.more_defs = at == restores[n] ? static_cast<std::uint32_t>(saved.size()) : 0;
      lir.imm = counts;
    }
  }
  return {};
}

Status Lowering::lower_functions() {
  for (std::size_t i = 0; i < functions_.size(); ++i) WW_CHECK(function_body(functions_[i]));
  for (OutOfLine& o : functions_) WW_CHECK(fill_frames(o));
  for (const auto& [bytes, storage] : result_storages_)
    for (const auto& [offset, val] : storages_[storage].parts) out_.pinned.push_back(val);
  if (functions_.empty()) return {};
  // The kernel's own local variables come first.
  const std::uint64_t below = (local_bytes_ + 15) / 16 * 16;
  out_.code.front().a = constant_bits(below, 8);
  local_bytes_ = below + kStackBytes;
  out_.kernel.local.push_back(
      {"the stack of calls", static_cast<std::uint32_t>(below), kStackBytes});
  return {};
}

}  // namespace warpwright::simt
