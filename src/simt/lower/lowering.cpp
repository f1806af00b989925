// SPDX-License-Identifier: Apache-2.0
#include "simt/lower/lowering.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "ptx/parser.h"

namespace warpwright::simt {
namespace {

/// `_ZZ6kernelPfE4tile` is the tile of kernel; other names stay as they are.
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

constexpr std::size_t kMaxInstructions = 2'000'000;
constexpr std::uint64_t kMaxLocalBytes = 512 << 10;
constexpr std::uint64_t kMaxSharedBytes = 228 << 10;

std::uint8_t register_width(std::string_view type) {
  if (type == "pred") return 0;
  const std::uint32_t bytes = bytes_of_type(type);
  return static_cast<std::uint8_t>(bytes == 1 ? 2 : bytes);
}

std::uint64_t align_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

}  // namespace

Error Lowering::error(std::string_view what) const {
  return Error{"PTX line " + std::to_string(at_ != nullptr ? at_->ptx_line : entry_.line) +
               " (kernel " + std::string(entry_.name) + "): " + std::string(what)};
}

Error Lowering::unsupported() const {
  return error("not supported: " + std::string(at_->ins.text));
}

Result<LoweredKernel> Lowering::run() {
  for (Val& v : specials_) v = kNoVal;
  Kernel& k = out_.kernel;
  k.name = std::string(entry_.name);
  k.max_threads = entry_.max_threads;
  std::copy(std::begin(entry_.cluster), std::end(entry_.cluster), k.cluster);
  scopes_.emplace_back();
  WW_CHECK(kernel_parameters());
  WW_CHECK(start_stack());
  WW_CHECK(body(entry_));
  at_ = nullptr;
  emit(nullptr, OpClass::control).flow = Lir::Flow::exit;
  out_.code.back().info.counted = false;
  WW_CHECK(lower_functions());
  for (const auto& [variable, symbol] : shared_) {
    if (symbol.kind != Symbol::Kind::shared) continue;
    k.shared.push_back({std::string(name_in_source(variable->name)),
                        static_cast<std::uint32_t>(symbol.offset), variable->size_bytes});
  }
  k.static_shared_bytes = static_cast<std::uint32_t>(shared_bytes_);
  k.local_bytes = static_cast<std::uint32_t>(align_up(local_bytes_, 16));
  return std::move(out_);
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
    if (offset > 32764) return error("more than 32764 bytes of parameters");
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

Status Lowering::body(const Function& f) {
  active_.push_back(&f);
  const std::size_t depth = scopes_.size();
  open_scope(f.body, 0);
  for (std::size_t i = 0; i < f.body.size(); ++i) {
    at_ = &f.body[i];
    switch (at_->kind) {
      case Statement::Kind::open:
        open_scope(f.body, i + 1);
        break;
      case Statement::Kind::close:
        scopes_.pop_back();
        break;
      case Statement::Kind::variable:
        WW_CHECK(declare(at_->var));
        break;
      case Statement::Kind::label: {
        const Symbol* s = find(at_->label);
        if (s == nullptr || s->kind != Symbol::Kind::label || out_.labels[s->index] != 0xffffffffu)
          return error("label '" + std::string(at_->label) + "' twice");
        out_.labels[s->index] = static_cast<std::uint32_t>(out_.code.size());
        break;
      }
      case Statement::Kind::targets:
        break;
      case Statement::Kind::instruction:
        WW_CHECK(instruction());
        break;
    }
  }
  scopes_.resize(depth);
  active_.pop_back();
  return {};
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
      if (local_bytes_ > kMaxLocalBytes) return error("more than 512 KiB of local memory a thread");
      out_.kernel.local.push_back({std::string(name_in_source(v.name)),
                                   static_cast<std::uint32_t>(s.offset), v.size_bytes});
      break;
    case Space::shared:
      s = shared_symbol(v);
      if (shared_bytes_ > kMaxSharedBytes) return error("more than 228 KiB of shared memory");
      break;
    default:
      return error("not supported: a variable of this kind inside a function");
  }
  scopes_.back()[v.name] = s;
  return {};
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
      if (shared_bytes_ > kMaxSharedBytes) return error("more than 228 KiB of shared memory");
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

Val Lowering::temporary(std::uint8_t width) {
  out_.registers.push_back(width);
  return static_cast<Val>(out_.registers.size() - 1);
}

std::uint8_t Lowering::width_of(Val v) const {
  if ((v & kConstantBit) != 0) return out_.kernel.constants[v & ~kConstantBit].width;
  return out_.registers[v];
}

Val Lowering::constant(Constant c) {
  std::vector<Val>& same = constant_index_[c.value * 31 + static_cast<std::uint64_t>(c.kind)];
  for (const Val v : same)
    if (out_.kernel.constants[v & ~kConstantBit] == c) return v;
  out_.kernel.constants.push_back(c);
  same.push_back(static_cast<Val>(out_.kernel.constants.size() - 1) | kConstantBit);
  return same.back();
}

Val Lowering::constant_bits(std::uint64_t bits, std::uint8_t width) {
  if (width == 2) bits &= 0xffff;
  if (width == 4) bits &= 0xffffffff;
  if (width == 0) bits = bits != 0 ? 0xffffffff : 0;
  Constant c;
  c.width = width;
  c.value = bits;
  return constant(c);
}

Val Lowering::lane_special(LaneSpecial s) {
  Val& v = specials_[static_cast<std::size_t>(s)];
  if (v == kNoVal) {
    v = temporary(4);
    out_.kernel.uses_lane_special[static_cast<std::size_t>(s)] = true;
    out_.kernel.lane_special_ref[static_cast<std::size_t>(s)] = v;
  }
  return v;
}

Lir& Lowering::emit(Handler handler, OpClass op_class) {
  Lir lir;
  lir.run = handler;
  lir.info.op_class = op_class;
  if (at_ != nullptr) {
    lir.info.ptx_line = at_->ptx_line;
    lir.info.source = at_->source;
    lir.info.text = at_->ins.text;
  }
  out_.code.push_back(std::move(lir));
  return out_.code.back();
}

Status Lowering::emit_row(const OpRow& row, const Dest& d, const std::vector<Val>& args) {
  Val guard = kNoVal;
  if (!at_->ins.guard.empty()) {
    Operand o;
    o.name = at_->ins.guard;
    WW_TRY(guard, predicate(o));
  }
  Lir& lir = emit(row.run, row.op_class);
  lir.d = d.val;
  if (!args.empty()) lir.a = args[0];
  if (args.size() > 1) lir.b = args[1];
  if (args.size() > 2) lir.c = args[2];
  for (std::size_t i = 3; i < args.size(); ++i) lir.more.push_back(args[i]);
  lir.info.flops = row.flops;
  lir.guard = guard;
  lir.guard_negated = at_->ins.guard_negated;
  return {};
}

Status Lowering::emit_op(std::string_view name, const Dest& d, const std::vector<Val>& args) {
  const OpRow* row = op_table().find(std::string(name));
  ASSERT(row != nullptr, name);
  return emit_row(*row, d, args);
}

Result<Val> Lowering::adapt(Val v, ArgType type) {
  const std::uint8_t have = width_of(v);
  if (have == type.width) return v;
  if (have == 0 || type.width == 0)
    return error("a predicate where a number is needed, or the other way round");
  // Reading a wider register takes its low part; a narrower one is an error in PTX, but
  // compilers never write it, so extend.
  const std::string name = "cvt." + std::string(type.is_signed ? "s" : "u") +
                           std::to_string(8 * type.width) + "." +
                           std::string(type.is_signed ? "s" : "u") + std::to_string(8 * have);
  Dest d;
  d.val = temporary(type.width);
  WW_CHECK(emit_op(name, d, {v}));
  out_.code.back().info.counted = false;
  return d.val;
}

Status Lowering::settle(const Dest& d) {
  if (d.final == kNoVal || d.final == d.val) return {};
  WW_TRY(const Val adapted,
         adapt(d.val, {width_of(d.final), ArgType::Real::none, d.type.is_signed}));
  // adapt() wrote a fresh register by the last instruction: let it write the real one instead.
  (void)adapted;
  out_.code.back().d = d.final;
  return {};
}

Result<Dest> Lowering::dest(const Operand& o, ArgType type) {
  Dest d;
  d.type = type;
  if (o.kind == Operand::Kind::sink) {
    d.val = temporary(type.width);
    return d;
  }
  std::uint32_t width = 0;
  WW_TRY(d.final, plain_register(o, width));
  if ((width == 0) != (type.width == 0)) return error("a destination of the wrong kind");
  d.val = width == type.width ? d.final : temporary(type.width);
  return d;
}

Result<Val> Lowering::plain_register(const Operand& o, std::uint32_t& width) {
  const Symbol* s = o.kind == Operand::Kind::name ? find(o.name) : nullptr;
  if (s == nullptr || s->kind != Symbol::Kind::reg)
    return error("expected a register, got '" + std::string(o.name) + "'");
  width = s->width;
  return s->index;
}

Result<Val> Lowering::predicate(const Operand& o) {
  if (o.kind == Operand::Kind::integer) return constant_bits(o.bits != 0 ? 1 : 0, 0);
  std::uint32_t width = 0;
  WW_TRY(Val v, plain_register(o, width));
  if (width != 0) return error("expected a predicate, got '" + std::string(o.name) + "'");
  if (!o.negated) return v;
  Dest d;
  d.val = temporary(0);
  const Statement* saved = at_;
  WW_CHECK(emit_op("not.pred", d, {v}));
  at_ = saved;
  out_.code.back().info.counted = false;
  return d.val;
}

Result<Val> Lowering::value(const Operand& o, ArgType type) {
  if (type.width == 0) return predicate(o);
  if (o.kind == Operand::Kind::integer) {
    if (type.real == ArgType::Real::single)
      return constant_bits(
          std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int64_t>(o.bits))), 4);
    if (type.real == ArgType::Real::double_)
      return constant_bits(
          std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(o.bits))), 8);
    return constant_bits(o.bits, type.width);
  }
  if (o.kind == Operand::Kind::real) {
    const double x = o.single ? std::bit_cast<float>(static_cast<std::uint32_t>(o.bits))
                              : std::bit_cast<double>(o.bits);
    if (o.single && type.width == 4) return constant_bits(o.bits, 4);
    if (!o.single && type.width == 8) return constant_bits(o.bits, 8);
    if (type.real == ArgType::Real::single)
      return constant_bits(std::bit_cast<std::uint32_t>(static_cast<float>(x)), 4);
    if (type.real == ArgType::Real::double_)
      return constant_bits(std::bit_cast<std::uint64_t>(x), 8);
    return error("a floating-point constant where an integer is needed");
  }
  if (o.kind != Operand::Kind::name) return error("an operand of the wrong form");
  if (const Symbol* s = find(o.name); s != nullptr && s->kind == Symbol::Kind::reg)
    return adapt(s->index, type);
  bool found = false;
  WW_TRY(const Val v, special(o.name, found));
  if (found) return adapt(v, type);
  return symbol_value(o.name, 0, type);
}

Result<Val> Lowering::symbol_value(std::string_view name, std::int64_t addend, ArgType type) {
  Symbol symbol;
  if (const Symbol* s = find(name)) {
    symbol = *s;
  } else {
    if (!name.empty() && name[0] == '%')
      return error("not supported: special register or undeclared register '" + std::string(name) +
                   "'");
    WW_TRY(symbol, module_symbol(name));
  }
  Constant c;
  c.width = type.width;
  switch (symbol.kind) {
    case Symbol::Kind::shared:
    case Symbol::Kind::local:
    case Symbol::Kind::kernel_param:
      return constant_bits(symbol.offset + static_cast<std::uint64_t>(addend), type.width);
    case Symbol::Kind::frame: {
      Dest d;
      d.val = temporary(8);
      const std::uint64_t offset = symbol.offset + static_cast<std::uint64_t>(addend);
      WW_CHECK(emit_op("add.u64", d, {frame_, constant_bits(offset, 8)}));
      out_.code.back().info.counted = false;
      return adapt(d.val, type);
    }
    case Symbol::Kind::function:
      return constant_bits(function_address(symbol.index), type.width);
    case Symbol::Kind::dynamic_shared:
      c.kind = Constant::Kind::dynamic_shared;
      break;
    case Symbol::Kind::global:
      c.kind = Constant::Kind::global;
      c.symbol = symbol.index;
      break;
    default:
      return error("not supported: '" + std::string(name) + "' as a value");
  }
  c.value = static_cast<std::uint64_t>(addend);
  return constant(c);
}

Result<Lowering::Address> Lowering::address(const Operand& o) {
  if (o.kind != Operand::Kind::address) return error("expected an address");
  if (!o.list.empty()) return unsupported();
  Address a;
  if (!o.name.empty()) {
    if (const Symbol* s = find(o.name); s != nullptr && s->kind == Symbol::Kind::reg) {
      if (s->width < 4) return error("an address must be a 32- or 64-bit register");
      a.base = s->index;
      a.narrow = s->width == 4;
      a.offset = static_cast<std::int64_t>(o.bits);
      return a;
    }
    WW_TRY(a.base, symbol_value(o.name, static_cast<std::int64_t>(o.bits), {8}));
    return a;
  }
  a.base = constant_bits(o.bits, 8);
  return a;
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

Status Lowering::instruction() {
  if (out_.code.size() > kMaxInstructions)
    return error("the kernel is too large after expanding its calls");
  if (may_order_blocks(at_->ins.parts)) kernel().may_wait_for_blocks = true;
  note_order(at_->ins.parts, kernel());
  if (const Decoder decoder = find_decoder(at_->ins.parts[0])) return decoder(*this);
  return decode_arithmetic(*this);
}

Result<Val> Lowering::special(std::string_view name, bool& found) {
  found = true;
  using L = LaneSpecial;
  constexpr std::pair<std::string_view, L> kLane[] = {{"%tid.x", L::tid_x},
                                                      {"%tid.y", L::tid_y},
                                                      {"%tid.z", L::tid_z},
                                                      {"%laneid", L::laneid},
                                                      {"%warpid", L::warpid},
                                                      {"%lanemask_eq", L::lanemask_eq},
                                                      {"%lanemask_le", L::lanemask_le},
                                                      {"%lanemask_lt", L::lanemask_lt},
                                                      {"%lanemask_ge", L::lanemask_ge},
                                                      {"%lanemask_gt", L::lanemask_gt}};
  for (const auto& [text, special] : kLane)
    if (text == name) return lane_special(special);
  using K = Constant::Kind;
  constexpr std::pair<std::string_view, K> kBlock[] = {
      {"%ctaid.x", K::ctaid_x},
      {"%ctaid.y", K::ctaid_y},
      {"%ctaid.z", K::ctaid_z},
      {"%nctaid.x", K::nctaid_x},
      {"%nctaid.y", K::nctaid_y},
      {"%nctaid.z", K::nctaid_z},
      {"%ntid.x", K::ntid_x},
      {"%ntid.y", K::ntid_y},
      {"%ntid.z", K::ntid_z},
      {"%dynamic_smem_size", K::dynamic_shared_bytes},
      {"%total_smem_size", K::total_shared_bytes},
      {"%nwarpid", K::warps_per_block},
      {"%cluster_nctaid.x", K::cluster_x},
      {"%cluster_nctaid.y", K::cluster_y},
      {"%cluster_nctaid.z", K::cluster_z},
      {"%cluster_nctarank", K::cluster_blocks},
      {"%cluster_ctaid.x", K::in_cluster_x},
      {"%cluster_ctaid.y", K::in_cluster_y},
      {"%cluster_ctaid.z", K::in_cluster_z},
      {"%cluster_ctarank", K::in_cluster_rank},
      {"%clusterid.x", K::clusterid_x},
      {"%clusterid.y", K::clusterid_y},
      {"%clusterid.z", K::clusterid_z},
      {"%nclusterid.x", K::nclusterid_x},
      {"%nclusterid.y", K::nclusterid_y},
      {"%nclusterid.z", K::nclusterid_z}};
  for (const auto& [text, kind] : kBlock) {
    if (text != name) continue;
    Constant c;
    c.kind = kind;
    return constant(c);
  }
  // The address of the workspace of a cooperative launch, in two halves; 0 in other launches.
  if (name == "%envreg1" || name == "%envreg2") {
    Constant c;
    c.kind = Constant::Kind::global;
    c.symbol =
        static_cast<std::uint32_t>(program_.ast.variables.size() + (name == "%envreg1" ? 1 : 0));
    return constant(c);
  }
  // One processor runs everything here; a grid has number 0.
  if (name == "WARP_SZ") return constant_bits(32, 4);
  if (name == "%smid" || name == "%gridid") return constant_bits(0, 4);
  if (name == "%nsmid") return constant_bits(1, 4);
  if (name == "%is_explicit_cluster") {
    Constant c;
    c.kind = K::is_cluster;
    c.width = 0;
    return constant(c);
  }
  found = false;
  return kNoVal;
}

}  // namespace warpwright::simt
