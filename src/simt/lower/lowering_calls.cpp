// SPDX-License-Identifier: Apache-2.0
// Calls and their parameters. Functions are expanded where they are called; `.param` variables
// become registers.
#include <algorithm>

#include "simt/lower/lowering.h"
#include "simt/ops/handlers.h"

namespace warpwright::simt {
namespace {

constexpr std::size_t kMaxCallDepth = 64;

ArgType register_type(std::string_view type) {
  const std::uint32_t bytes = bytes_of_type(type);
  return {static_cast<std::uint8_t>(bytes == 1 ? 2 : bytes), ArgType::Real::none,
          !type.empty() && type[0] == 's'};
}

std::vector<const Operand*> elements(const Operand& o) {
  std::vector<const Operand*> list;
  if (o.kind == Operand::Kind::vector) {
    for (const Operand& e : o.list) list.push_back(&e);
  } else {
    list.push_back(&o);
  }
  return list;
}

}  // namespace

Val Lowering::storage_part(Storage& s, std::uint64_t offset, std::uint8_t width, bool& fits) {
  fits = true;
  const auto [it, fresh] = s.parts.try_emplace(offset, kNoVal);
  if (fresh) {
    it->second = temporary(width);
  } else if (width_of(it->second) != width) {
    fits = false;
  }
  // A part that overlaps another one at a different offset would need byte-wise storage.
  if (const auto next = std::next(it);
      next != s.parts.end() && next->first < offset + width && fresh)
    fits = false;
  if (it != s.parts.begin()) {
    const auto before = std::prev(it);
    if (before->first + width_of(before->second) > offset && width_of(before->second) > 2)
      fits = false;
  }
  return it->second;
}

Result<std::uint32_t> Lowering::storage_index(const Operand& o) {
  const Symbol* s = o.kind == Operand::Kind::name ? find(o.name) : nullptr;
  if (s == nullptr || s->kind != Symbol::Kind::storage)
    return error("not supported: call argument '" + std::string(o.name) + "' that is not a .param");
  return s->index;
}

Status Lowering::parameter_load(const Operand& to, const Operand& from, std::string_view type) {
  const std::uint32_t bytes = bytes_of_type(type);
  const Symbol* s = find(from.name);
  if (s == nullptr) return error("unknown parameter '" + std::string(from.name) + "'");
  const Symbol symbol = *s;
  std::uint64_t offset = from.bits;
  for (const Operand* element : elements(to)) {
    if (element->kind == Operand::Kind::sink) {
      offset += bytes;
      continue;
    }
    std::uint32_t width = 0;
    Dest d;
    WW_TRY(d.val, plain_register(*element, width));
    if (width == 0 || bytes == 0) return error("a parameter of a kind that has no bytes");
    if (symbol.kind == Symbol::Kind::kernel_param) {
      Constant c;
      c.kind = Constant::Kind::param;
      c.width = static_cast<std::uint8_t>(width);
      c.extent = static_cast<std::uint8_t>(bytes);
      c.is_signed = type[0] == 's';
      c.value = symbol.offset + offset;
      if (c.value > out_.kernel.param_bytes || bytes > out_.kernel.param_bytes - c.value)
        return error("a read past the end of the parameters");
      WW_CHECK(emit_op("mov.b" + std::to_string(8 * width), d, {constant(c)}));
    } else if (symbol.kind == Symbol::Kind::storage) {
      bool fits = false;
      ArgType t = register_type(type);
      const std::int64_t alias = storages_[symbol.index].alias;
      const Val part =
          storage_part(storages_[alias < 0 ? symbol.index : alias], offset, t.width, fits);
      if (!fits) return error("not supported: a parameter read in pieces it was not written in");
      d.final = d.val;
      if (bytes == 1) {
        // 8-bit parameters: what was stored counts, not the register it came from.
        const std::string name = type[0] == 's' ? "cvt.s16.s8" : "cvt.u16.u8";
        Dest narrow;
        narrow.val = temporary(2);
        WW_CHECK(emit_op(name, narrow, {part}));
        d.val = narrow.val;
      } else {
        d.val = part;
      }
      d.type = t;
      if (width_of(d.val) == width) {
        const Val source = d.val;
        d.val = d.final;
        WW_CHECK(emit_op("mov.b" + std::to_string(8 * width), d, {source}));
      } else {
        WW_CHECK(settle(d));
      }
    } else {
      return error("not supported: ld.param from '" + std::string(from.name) + "'");
    }
    offset += bytes;
  }
  return {};
}

Status Lowering::parameter_store(const Operand& to, const Operand& from, std::string_view type) {
  const std::uint32_t bytes = bytes_of_type(type);
  const Symbol* s = find(to.name);
  if (s == nullptr || s->kind != Symbol::Kind::storage)
    return error("not supported: st.param to '" + std::string(to.name) + "'");
  const std::uint32_t index = s->index;
  if (current_ != nullptr && std::find(current_->results.begin(), current_->results.end(), index) !=
                                 current_->results.end())
    result_written_ = true;
  std::uint64_t offset = to.bits;
  for (const Operand* element : elements(from)) {
    ArgType t = register_type(type);
    if (t.width == 0) return error("a parameter of a kind that has no bytes");
    if (type == "f32") t.real = ArgType::Real::single;
    if (type == "f64") t.real = ArgType::Real::double_;
    WW_TRY(const Val v, value(*element, t));
    bool fits = false;
    Dest d;
    d.val = storage_part(storages_[index], offset, t.width, fits);
    if (!fits) return error("not supported: a parameter written in pieces of different sizes");
    WW_CHECK(emit_op("mov.b" + std::to_string(8 * t.width), d, {v}));
    offset += bytes;
  }
  return {};
}

Status Lowering::call() {
  // call (results), name, (arguments); results and arguments are optional.
  const std::vector<Operand>& ops = operands();
  const Operand* results = nullptr;
  const Operand* args = nullptr;
  std::size_t i = 0;
  if (i < ops.size() && ops[i].kind == Operand::Kind::vector) results = &ops[i++];
  if (i >= ops.size() || ops[i].kind != Operand::Kind::name) return error("a damaged call");
  const std::string_view name = ops[i++].name;
  if (i < ops.size() && ops[i].kind == Operand::Kind::vector) args = &ops[i++];
  if (!at_->ins.guard.empty()) return error("not supported: a guarded call");
  if (is_register(name)) return indirect_call(ops[i - (args == nullptr ? 1 : 2)], results, args);
  if (i != ops.size()) return error("a damaged call");
  const Function* target = nullptr;
  for (const Function& f : program_.ast.functions)
    if (f.name == name && (target == nullptr || f.has_body)) target = &f;
  if (target != nullptr && target->has_body) {
    const auto index = static_cast<std::size_t>(target - program_.ast.functions.data());
    if (!program_.calls.recursive[index]) return inline_call(*target, results, args);
    const std::size_t given = args == nullptr ? 0 : args->list.size();
    const std::size_t wanted = results == nullptr ? 0 : results->list.size();
    if (given != target->params.size() || wanted != target->results.size())
      return error("a call of '" + std::string(name) + "' with the wrong number of arguments");
    return real_call({index}, kNoVal, results, args);
  }
  if (const OpRow* row = op_table().find(std::string(name));
      row != nullptr && name.starts_with("__nv_"))
    return call_native(*row, results, args);
  return call_runtime(name, results, args);
}

Status Lowering::call_native(const OpRow& row, const Operand* results, const Operand* args) {
  const std::size_t count = args == nullptr ? 0 : args->list.size();
  if (count != row.args || results == nullptr || results->list.size() != 1)
    return error("a call with the wrong number of arguments");
  std::vector<Val> values;
  for (std::size_t i = 0; i < count; ++i) {
    WW_TRY(const std::uint32_t index, storage_index(args->list[i]));
    bool fits = false;
    values.push_back(storage_part(storages_[index], 0, row.arg[i].width, fits));
    if (!fits) return error("a call argument of the wrong width");
  }
  WW_TRY(const std::uint32_t index, storage_index(results->list[0]));
  bool fits = false;
  Dest d;
  d.val = storage_part(storages_[index], 0, row.result.width, fits);
  if (!fits) return error("a call result of the wrong width");
  return emit_row(row, d, values);
}

Result<Val> Lowering::runtime_operand(std::string_view function, const Operand& o,
                                      std::uint8_t width) {
  WW_TRY(const std::uint32_t index, storage_index(o));
  Storage& s = storages_[index];
  bool fits = false;
  const Val v = storage_part(s, 0, width, fits);
  if (!fits || s.size_bytes != width)
    return error("a call of '" + std::string(function) + "' with '" + std::string(o.name) +
                 "' of the wrong width");
  return v;
}

Status Lowering::call_runtime(std::string_view name, const Operand* results, const Operand* args) {
  const RuntimeFunction* f = runtime_function(name);
  if (f == nullptr) return error("not supported: call of '" + std::string(name) + "'");
  const std::size_t given = args == nullptr ? 0 : args->list.size();
  const std::size_t wanted = results == nullptr ? 0 : results->list.size();
  // A result may be left where it is; one that the function does not give cannot be had.
  if (given != f->args.size() || wanted > (f->result == 0 ? 0u : 1u))
    return error("a call of '" + std::string(name) + "' with the wrong number of arguments");
  std::vector<Val> values;
  for (std::size_t i = 0; i < given; ++i) {
    WW_TRY(const Val v, runtime_operand(name, args->list[i], f->args[i]));
    values.push_back(v);
  }
  Val d = f->result == 0 ? kNoVal : temporary(f->result);
  if (wanted == 1) {
    WW_TRY(d, runtime_operand(name, results->list[0], f->result));
  }
  if (name == "malloc" || name == "free") out_.kernel.uses_heap = true;
  Lir& lir = emit(Opcode::runtime_call);
  lir.run = f->run;
  lir.d = d;
  lir.more = std::move(values);
  return {};
}

Status Lowering::inline_call(const Function& f, const Operand* results, const Operand* args) {
  if (active_.size() > kMaxCallDepth) return error("calls nested too deeply");
  const std::size_t given = args == nullptr ? 0 : args->list.size();
  const std::size_t wanted = results == nullptr ? 0 : results->list.size();
  if (given != f.params.size() || wanted != f.results.size())
    return error("a call of '" + std::string(f.name) + "' with the wrong number of arguments");
  Scope scope;
  const auto bind = [&](const Variable& formal, const Operand& actual) -> Status {
    WW_TRY(const std::uint32_t index, storage_index(actual));
    Symbol s;
    s.kind = Symbol::Kind::storage;
    s.index = index;
    scope[formal.name] = s;
    return {};
  };
  for (std::size_t i = 0; i < given; ++i) WW_CHECK(bind(f.params[i], args->list[i]));
  for (std::size_t i = 0; i < wanted; ++i) WW_CHECK(bind(f.results[i], results->list[i]));
  const Statement* call_site = at_;
  const std::size_t floor = scope_floor_;
  const std::size_t depth = scopes_.size();
  scope_floor_ = depth;
  scopes_.push_back(std::move(scope));
  return_labels_.push_back(static_cast<std::uint32_t>(out_.labels.size()));
  out_.labels.push_back(0xffffffffu);
  WW_CHECK(body(f));
  out_.labels[return_labels_.back()] = static_cast<std::uint32_t>(out_.code.size());
  return_labels_.pop_back();
  scopes_.resize(depth);
  scope_floor_ = floor;
  at_ = call_site;
  return {};
}

Status Lowering::leave() {
  // `ret` of the kernel ends the thread; of an expanded function it jumps behind the call.
  const bool guarded = !at_->ins.guard.empty();
  Val guard = kNoVal;
  if (guarded) {
    Operand o;
    o.name = at_->ins.guard;
    WW_TRY(guard, predicate(o));
  }
  result_written_ = false;
  const bool is_exit = return_labels_.empty() || at_->ins.parts[0] == "exit";
  Lir& lir = emit(is_exit ? Opcode::exit : guarded ? Opcode::branch : Opcode::jump);
  lir.guard = guard;
  lir.guard_negated = at_->ins.guard_negated;
  lir.info.guarded = guarded;
  lir.flow = is_exit ? Lir::Flow::exit : guarded ? Lir::Flow::branch : Lir::Flow::jump;
  if (!is_exit) lir.label = return_labels_.back();
  return {};
}

}  // namespace warpwright::simt
