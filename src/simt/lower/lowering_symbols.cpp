// SPDX-License-Identifier: Apache-2.0
// Names: parameters, variables, registers and labels, by the scope that they are declared in.
#include <fmt/format.h>

#include <algorithm>

#include "ptx/limits.h"
#include "simt/lower/lowering.h"

namespace warpwright::simt {
namespace {

std::uint8_t register_width(std::string_view type) {
  if (type == "pred") return 0;
  const std::uint32_t bytes = bytes_of_type(type);
  return static_cast<std::uint8_t>(bytes == 1 ? 2 : bytes);
}

std::uint64_t align_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

std::string too_much_shared() {
  return fmt::format("more than {} KiB of shared memory", ptx::kLimits.shared_bytes_per_sm >> 10);
}

}  // namespace

std::string_view name_in_source(std::string_view name) {
  if (!name.starts_with("_ZZ")) return name;
  for (std::size_t e = name.rfind('E'); e != std::string_view::npos && e > 0;
       e = name.rfind('E', e - 1)) {
    std::size_t length = 0, at = e + 1;
    while (at < name.size() && name[at] >= '0' && name[at] <= '9' && length < name.size())
      length = length * 10 + static_cast<std::size_t>(name[at++] - '0');
    // Behind the name there may be a number that tells variables of one name apart.
    if (length != 0 && at + length <= name.size()) return name.substr(at, length);
  }
  return name;
}

Status Lowering::kernel_parameters() {
  std::uint64_t offset = 0;
  Kernel& k = out_.kernel;
  for (const Variable& p : entry_.params) {
    offset = align_up(offset, p.align);
    k.params.push_back({std::string(p.name), static_cast<std::uint32_t>(p.size_bytes),
                        static_cast<std::uint32_t>(offset), p.align});
    Symbol s;
    s.kind = Symbol::Kind::kernel_param;
    s.offset = offset;
    scopes_.back()[p.name] = s;
    offset += p.size_bytes;
    if (offset > ptx::kLimits.parameter_bytes)
      return error(fmt::format("more than {} bytes of parameters", ptx::kLimits.parameter_bytes));
  }
  k.param_bytes = static_cast<std::uint32_t>(offset);
  return {};
}

void Lowering::open_scope(const std::vector<Statement>& body, std::size_t from) {
  Scope scope;
  int depth = 0;
  for (std::size_t i = from; i < body.size() && depth >= 0; ++i) {
    const Statement& s = body[i];
    if (s.kind == Statement::Kind::open) ++depth;
    if (s.kind == Statement::Kind::close) --depth;
    if (depth != 0) continue;
    Symbol symbol;
    if (s.kind == Statement::Kind::label) {
      symbol.kind = Symbol::Kind::label;
      symbol.index = static_cast<std::uint32_t>(out_.labels.size());
      out_.labels.push_back(0xffffffffu);
      scope[s.label] = symbol;
    } else if (s.kind == Statement::Kind::targets) {
      symbol.kind = Symbol::Kind::targets;
      symbol.targets = &s;
      scope[s.label] = symbol;
    }
  }
  scopes_.push_back(std::move(scope));
}

Status Lowering::declare_range(const Variable& v) {
  Symbol s;
  s.width = register_width(v.type);
  if (v.type == "b128") return error("not supported: 128-bit registers");
  if (v.count > 0) {
    s.kind = Symbol::Kind::range;
    s.index = v.count;
  } else {
    s.kind = Symbol::Kind::reg;
    s.index = temporary(s.width);
  }
  scopes_.back()[v.name] = s;
  return {};
}

Status Lowering::declare(const Variable& v) {
  Symbol s;
  switch (v.space) {
    case Space::reg:
      return declare_range(v);
    case Space::param:
      s.kind = Symbol::Kind::storage;
      s.index = static_cast<std::uint32_t>(storages_.size());
      storages_.push_back({v.size_bytes, {}, -1});
      break;
    case Space::local:
      if (current_ != nullptr) {
        s.kind = Symbol::Kind::frame;
        s.offset = align_up(frame_bytes_, v.align);
        frame_bytes_ = s.offset + v.size_bytes;
        break;
      }
      s.kind = Symbol::Kind::local;
      s.offset = align_up(local_bytes_, v.align);
      local_bytes_ = s.offset + v.size_bytes;
      s.index = new_variable(s.offset, v.size_bytes);
      if (local_bytes_ > ptx::kLimits.local_bytes_per_thread)
        return error(fmt::format("more than {} KiB of local memory a thread",
                                 ptx::kLimits.local_bytes_per_thread >> 10));
      out_.kernel.local.push_back({std::string(name_in_source(v.name)),
                                   static_cast<std::uint32_t>(s.offset), v.size_bytes});
      break;
    case Space::shared:
      s = shared_symbol(v);
      if (shared_bytes_ > ptx::kLimits.shared_bytes_per_sm) return error(too_much_shared());
      break;
    default:
      return error("not supported: a variable of this kind inside a function");
  }
  scopes_.back()[v.name] = s;
  return {};
}

/// A variable of shared or local memory gets a number.
std::uint32_t Lowering::new_variable(std::uint64_t offset, std::uint64_t bytes) {
  std::vector<Extent>& all = out_.kernel.variables;
  all.push_back({static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(offset + bytes)});
  return static_cast<std::uint32_t>(all.size() - 1);
}

Lowering::Symbol Lowering::shared_symbol(const Variable& v) {
  if (const auto it = shared_.find(&v); it != shared_.end()) return it->second;
  Symbol s;
  if (v.size_bytes == 0) {
    s.kind = Symbol::Kind::dynamic_shared;
    out_.kernel.uses_dynamic_shared = true;
    if (v.align > out_.kernel.dynamic_shared_align) out_.kernel.dynamic_shared_align = v.align;
  } else {
    s.kind = Symbol::Kind::shared;
    s.offset = align_up(shared_bytes_, v.align);
    shared_bytes_ = s.offset + v.size_bytes;
    s.index = new_variable(s.offset, v.size_bytes);
  }
  shared_[&v] = s;
  return s;
}

const Lowering::Symbol* Lowering::find(std::string_view name) {
  for (std::size_t i = scopes_.size(); i-- > scope_floor_;) {
    if (const auto it = scopes_[i].find(name); it != scopes_[i].end()) return &it->second;
  }
  // %r12 of a range %r<20>: becomes a register of its own on first sight.
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  if (digits == 0 || digits >= name.size() || name.size() - digits > 8) return nullptr;
  std::uint32_t number = 0;
  for (const char c : name.substr(digits))
    number = number * 10 + static_cast<std::uint32_t>(c - '0');
  for (std::size_t i = scopes_.size(); i-- > scope_floor_;) {
    const auto it = scopes_[i].find(name.substr(0, digits));
    if (it == scopes_[i].end() || it->second.kind != Symbol::Kind::range ||
        number >= it->second.index)
      continue;
    Symbol s;
    s.kind = Symbol::Kind::reg;
    s.width = it->second.width;
    s.index = temporary(s.width);
    return &(scopes_[i][name] = s);
  }
  return nullptr;
}

bool Lowering::is_register(std::string_view name) const {
  const Symbol* s = const_cast<Lowering*>(this)->find(name);
  return s != nullptr && s->kind == Symbol::Kind::reg;
}

Result<Lowering::Symbol> Lowering::module_symbol(std::string_view name) {
  for (std::uint32_t i = 0; i < program_.ast.variables.size(); ++i) {
    const Variable& v = program_.ast.variables[i];
    if (v.name != name) continue;
    if (v.space == Space::shared) {
      const Symbol s = shared_symbol(v);
      if (shared_bytes_ > ptx::kLimits.shared_bytes_per_sm) return error(too_much_shared());
      return s;
    }
    Symbol s;
    s.kind = Symbol::Kind::global;
    s.index = i;
    return s;
  }
  if (const std::int64_t f = defined_function(program_.ast, name); f >= 0) {
    Symbol s;
    s.kind = Symbol::Kind::function;
    s.index = static_cast<std::uint32_t>(f);
    return s;
  }
  return error("unknown name '" + std::string(name) + "'");
}

Result<std::uint32_t> Lowering::label(std::string_view name) {
  const Symbol* s = find(name);
  if (s == nullptr || s->kind != Symbol::Kind::label)
    return error("unknown label '" + std::string(name) + "'");
  return s->index;
}

const std::vector<std::string_view>* Lowering::branch_targets(std::string_view name) const {
  const Symbol* s = const_cast<Lowering*>(this)->find(name);
  return s != nullptr && s->kind == Symbol::Kind::targets ? &s->targets->targets : nullptr;
}

}  // namespace warpwright::simt
