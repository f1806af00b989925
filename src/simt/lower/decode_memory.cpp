// SPDX-License-Identifier: Apache-2.0
// Decoders of loads, stores, atomics and asynchronous copies.
#include <algorithm>

#include "simt/lower/decoders.h"
#include "simt/ops/handlers.h"

namespace warpwright::simt {
namespace {

/// The modifiers of a memory instruction, read from the opcode.
struct Modifiers {
  Space space = Space::generic;
  std::uint32_t elements = 1;
  bool strong = false;
  bool releases = false;
  bool block_scope = false;
  std::string_view type;
  std::string_view op;  ///< atomics
  bool understood = true;
};

bool is_hint(std::string_view p) {
  constexpr std::string_view kHints[] = {"weak", "gpu", "sys", "ca", "cg",    "cs",     "lu",
                                         "cv",   "wb",  "wt",  "nc", "noftz", "cluster"};
  return std::find(std::begin(kHints), std::end(kHints), p) != std::end(kHints) ||
         p.starts_with("L1::") || p.starts_with("L2::");
}

Modifiers modifiers(const std::vector<std::string_view>& parts, bool atomic) {
  constexpr std::pair<std::string_view, Space> kSpaces[] = {
      {"global", Space::global},      {"shared", Space::shared},
      {"shared::cta", Space::shared}, {"shared::cluster", Space::shared},
      {"local", Space::local},        {"const", Space::constant},
      {"param", Space::param},        {"param::entry", Space::param},
      {"param::func", Space::param}};
  Modifiers m;
  m.type = parts.back();
  for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
    const std::string_view p = parts[i];
    const auto space = std::find_if(std::begin(kSpaces), std::end(kSpaces),
                                    [&](const auto& row) { return row.first == p; });
    if (space != std::end(kSpaces))
      m.space = space->second;
    else if (p == "v2")
      m.elements = 2;
    else if (p == "v4")
      m.elements = 4;
    else if (p == "volatile" || p == "relaxed" || p == "acquire" || p == "release" ||
             p == "acq_rel" || p == "mmio") {
      m.strong = true;
      m.releases = m.releases || p == "release" || p == "acq_rel";
    } else if (p == "cta")
      m.block_scope = true;
    else if (atomic && m.op.empty() && !is_hint(p))
      m.op = p;
    else if (!is_hint(p))
      m.understood = false;
  }
  return m;
}

std::vector<const Operand*> elements_of(const Operand& o) {
  std::vector<const Operand*> list;
  if (o.kind == Operand::Kind::vector)
    for (const Operand& e : o.list) list.push_back(&e);
  else
    list.push_back(&o);
  return list;
}

OpClass load_class(Space s) {
  if (s == Space::shared) return OpClass::load_shared;
  if (s == Space::local) return OpClass::load_local;
  if (s == Space::constant || s == Space::param) return OpClass::load_const;
  return OpClass::load_global;
}

OpClass store_class(Space s) {
  if (s == Space::shared) return OpClass::store_shared;
  if (s == Space::local) return OpClass::store_local;
  return OpClass::store_global;
}

/// Constant memory is read as global memory is.
AccessForm access_form(const Modifiers& m, std::uint32_t bytes, std::uint32_t width, bool loads) {
  AccessForm f;
  f.space = m.space == Space::constant ? Space::global : m.space;
  f.bytes = static_cast<std::uint8_t>(bytes);
  f.elements = static_cast<std::uint8_t>(m.elements);
  f.register_bytes = static_cast<std::uint8_t>(width);
  f.is_signed = loads && m.type[0] == 's';
  f.is_load = loads;
  return f;
}

/// The address operand; parameter space is a window of the generic one.
Result<Lowering::Address> memory_address(Lowering& l, const Operand& o, Space& space) {
  WW_TRY(Lowering::Address a, l.address(o));
  if (space == Space::param) {
    a.offset += static_cast<std::int64_t>(kParamWindow);
    space = Space::generic;
  }
  return a;
}

void fill_access(Lowering& l, const Lowering::Address& a, const Modifiers& m) {
  Lir& lir = l.last();
  lir.a = a.base;
  lir.imm = a.offset;
  lir.aux = (a.narrow ? kNarrowAddress : 0) | (m.strong ? kStrongAccess : 0) |
            (m.releases ? kReleases : 0) | (m.block_scope ? kBlockScope : 0);
  lir.info.access = l.new_access();
}

}  // namespace

Status decode_load(Lowering& l) {
  const std::vector<Operand>& ops = l.operands();
  Modifiers m = modifiers(l.statement().ins.parts, false);
  const std::uint32_t bytes = bytes_of_type(m.type);
  if (!m.understood || bytes == 0 || bytes > 8 || ops.size() < 2) return l.unsupported();
  // A cache policy may follow the address; it changes nothing here.
  if (ops.size() > 3) return l.error("wrong number of operands");
  if (m.space == Space::param && !l.is_register(ops[1].name))
    return l.parameter_load(ops[0], ops[1], m.type);
  const OpClass op_class = load_class(m.space);
  WW_TRY(const Lowering::Address a, memory_address(l, ops[1], m.space));
  const auto list = elements_of(ops[0]);
  if (list.size() != m.elements) return l.error("a vector of the wrong length");
  std::vector<Val> regs;
  std::uint32_t width = 0;
  for (const Operand* o : list) {
    std::uint32_t this_width = width == 0 ? (bytes == 1 ? 2 : bytes) : width;
    Val v = kNoVal;
    if (o->kind == Operand::Kind::sink)
      v = l.temporary(static_cast<std::uint8_t>(this_width));
    else {
      WW_TRY(v, l.plain_register(*o, this_width));
    }
    if (width != 0 && this_width != width)
      return l.error("a vector of registers of different widths");
    width = this_width;
    regs.push_back(v);
  }
  const AccessForm form = access_form(m, bytes, width, true);
  const Handler run = load_handler(form);
  if (run == nullptr) return l.error("a load into a register narrower than its type");
  WW_CHECK(emit_guarded(l, Opcode::load, run, op_class));
  fill_access(l, a, m);
  l.last().info.form = form;
  if (m.elements == 1) {
    l.last().d = regs[0];
  } else {
    l.last().more = regs;
    l.last().more_defs = m.elements;
  }
  return {};
}

Status decode_store(Lowering& l) {
  const std::vector<Operand>& ops = l.operands();
  if (l.statement().ins.parts.size() > 2 && l.statement().ins.parts[1] == "async")
    return decode_store_async(l);
  Modifiers m = modifiers(l.statement().ins.parts, false);
  const std::uint32_t bytes = bytes_of_type(m.type);
  if (!m.understood || bytes == 0 || bytes > 8 || ops.size() < 2 || ops.size() > 3)
    return l.unsupported();
  if (m.space == Space::param) return l.parameter_store(ops[0], ops[1], m.type);
  if (m.space == Space::constant) return l.error("a store to constant memory");
  const OpClass op_class = store_class(m.space);
  WW_TRY(const Lowering::Address a, memory_address(l, ops[0], m.space));
  const auto list = elements_of(ops[1]);
  if (list.size() != m.elements) return l.error("a vector of the wrong length");
  ArgType type{static_cast<std::uint8_t>(bytes == 1 ? 2 : bytes)};
  if (m.type == "f32") type.real = ArgType::Real::single;
  if (m.type == "f64") type.real = ArgType::Real::double_;
  std::vector<Val> values;
  for (const Operand* o : list) {
    WW_TRY(const Val v, l.value(*o, type));
    values.push_back(v);
  }
  const AccessForm form = access_form(m, bytes, type.width, false);
  const Handler run = store_handler(form);
  if (run == nullptr) return l.unsupported();
  if (m.releases) {
    // As a fence before it, so that other stores need not ask.
    WW_CHECK(emit_guarded(l, Opcode::fence));
    l.last().aux = m.space == Space::shared || m.block_scope ? 0 : 1;
    l.last().info.counted = false;
  }
  WW_CHECK(emit_guarded(l, Opcode::store, run, op_class));
  fill_access(l, a, m);
  l.last().info.form = form;
  if (m.elements == 1)
    l.last().b = values[0];
  else
    l.last().more = values;
  return {};
}

/// atom.add.vN.TYPE {d...}, [a], {b...}: atomic by element, so one instruction for each.
Status decode_vector_atomic(Lowering& l, const Modifiers& m, bool reduces) {
  const std::vector<Operand>& ops = l.operands();
  const std::size_t first = reduces ? 0 : 1;
  const Handler run = atomic_handler(m.op, m.type, m.space);
  if (run == nullptr || m.space != Space::global || ops.size() != first + 2 ||
      ops[first + 1].list.size() != m.elements || (!reduces && ops[0].list.size() != m.elements))
    return l.unsupported();
  WW_TRY(Lowering::Address a, l.address(ops[first]));
  const std::uint32_t bytes = bytes_of_type(m.type);
  ArgType type{static_cast<std::uint8_t>(bytes)};
  if (m.type == "f32") type.real = ArgType::Real::single;
  std::vector<Val> values;
  for (const Operand& o : ops[first + 1].list) {
    WW_TRY(const Val b, l.value(o, type));
    values.push_back(b);
  }
  for (std::uint32_t k = 0; k < m.elements; ++k, a.offset += bytes) {
    Dest d;
    d.val = l.temporary(type.width);
    if (!reduces) {
      WW_TRY(d, l.dest(ops[0].list[k], type));
    }
    WW_CHECK(emit_guarded(l, Opcode::atomic, run, OpClass::atomic));
    fill_access(l, a, m);
    l.last().d = d.val;
    l.last().b = values[k];
    if (m.type == "f32") l.last().info.flops = 1;
    WW_CHECK(l.settle(d));
  }
  return {};
}

/// atom.OP.TYPE d, [a], b[, c] and red.OP.TYPE [a], b.
Status decode_atomic(Lowering& l) {
  const std::vector<Operand>& ops = l.operands();
  const bool reduces = l.statement().ins.parts[0] == "red";
  if (l.statement().ins.parts.size() > 3 && l.statement().ins.parts[1] == "async")
    return decode_reduce_async(l);
  Modifiers m = modifiers(l.statement().ins.parts, true);
  const std::uint32_t bytes = bytes_of_type(m.type);
  if (m.understood && m.elements > 1) return decode_vector_atomic(l, m, reduces);
  const Handler run =
      m.understood && m.elements == 1 ? atomic_handler(m.op, m.type, m.space) : nullptr;
  const std::size_t first = reduces ? 0 : 1;
  const std::size_t wanted = first + (m.op == "cas" ? 3 : 2);
  if (run == nullptr) return l.unsupported();
  if (ops.size() != wanted) return l.error("wrong number of operands");
  WW_TRY(const Lowering::Address a, memory_address(l, ops[first], m.space));
  ArgType type{static_cast<std::uint8_t>(bytes)};
  if (m.type == "f32") type.real = ArgType::Real::single;
  if (m.type == "f64") type.real = ArgType::Real::double_;
  WW_TRY(const Val b, l.value(ops[first + 1], type));
  Val c = kNoVal;
  if (m.op == "cas") {
    WW_TRY(c, l.value(ops[first + 2], type));
  }
  Dest d;
  if (!reduces) {
    WW_TRY(d, l.dest(ops[0], type));
  } else {
    d.val = l.temporary(type.width);
  }
  WW_CHECK(emit_guarded(l, Opcode::atomic, run, OpClass::atomic));
  fill_access(l, a, m);
  l.last().d = d.val;
  l.last().b = b;
  l.last().c = c;
  if (m.type == "f32") l.last().info.flops = 1;
  return l.settle(d);
}

/// cp.async.{ca,cg}.shared.global [dst], [src], size[, bytes]; commit_group; wait_group; wait_all.
Status decode_copy_async(Lowering& l) {
  const auto& parts = l.statement().ins.parts;
  const std::vector<Operand>& ops = l.operands();
  if (parts.size() < 3 || parts[1] != "async") return l.unsupported();
  if (parts[2] == "bulk") return decode_copy_bulk(l);
  if (parts[2] == "mbarrier") {
    if (ops.size() != 1 || parts.size() < 5 || parts[3] != "arrive") return l.unsupported();
    WW_TRY(const Lowering::Address a, l.address(ops[0]));
    WW_CHECK(emit_guarded(l, Opcode::copy_arrive));
    l.last().a = a.base;
    const bool generic = l.statement().ins.text.find(".shared") == std::string_view::npos;
    l.last().imm = a.offset - (generic ? static_cast<std::int64_t>(kSharedWindow) : 0);
    l.last().aux = (a.narrow ? 1u : 0u) | (parts[4] == "noinc" ? 0u : 2u);
    l.last().info.access = l.new_access();
    return {};
  }
  if (parts[2] == "commit_group") return emit_guarded(l, Opcode::copy_commit);
  if (parts[2] == "wait_all" || parts[2] == "wait_group") {
    const bool all = parts[2] == "wait_all";
    if (!all && (ops.size() != 1 || ops[0].kind != Operand::Kind::integer)) return l.unsupported();
    WW_CHECK(emit_guarded(l, Opcode::copy_wait));
    l.last().imm = all ? 0 : static_cast<std::int64_t>(ops[0].bits);
    l.last().aux = all ? 1 : 0;
    return {};
  }
  if ((parts[2] != "ca" && parts[2] != "cg") || ops.size() < 3 || ops.size() > 5)
    return l.unsupported();
  const std::string_view text = l.statement().ins.text;
  const bool hint = text.find("cache_hint") != std::string_view::npos;
  if (text.find("ignore") != std::string_view::npos) return l.unsupported();
  if (ops[2].kind != Operand::Kind::integer ||
      (ops[2].bits != 4 && ops[2].bits != 8 && ops[2].bits != 16))
    return l.error("a copy size other than 4, 8 or 16");
  WW_TRY(const Lowering::Address to, l.address(ops[0]));
  WW_TRY(const Lowering::Address from, l.address(ops[1]));
  Val size = l.constant_bits(ops[2].bits, 4);
  if (ops.size() - (hint ? 1 : 0) > 4) return l.error("wrong number of operands");
  if (ops.size() - (hint ? 1 : 0) == 4) {
    WW_TRY(size, l.value(ops[3], {4}));
  }
  WW_CHECK(emit_guarded(l, Opcode::copy_async));
  Lir& lir = l.last();
  lir.a = to.base;
  lir.b = from.base;
  lir.c = size;
  // Two offsets travel in one immediate: the shared one fits 32 bits by definition.
  lir.imm = from.offset;
  lir.aux2 = static_cast<std::uint32_t>(to.offset);
  lir.aux = (to.narrow ? 1u : 0u) | (from.narrow ? 2u : 0u) |
            static_cast<std::uint32_t>(ops[2].bits) << 8;
  lir.info.access = l.new_access();
  return {};
}

}  // namespace warpwright::simt
