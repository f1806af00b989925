// SPDX-License-Identifier: Apache-2.0
// Decoders of arithmetic, moves and control flow, and the table of all decoders.
#include <algorithm>

#include "simt/lower/decoders.h"
#include "simt/lower/lowering.h"
#include "simt/ops/handlers.h"

namespace warpwright::simt {
namespace {

Status decode_row(Lowering& l, const OpRow& row) {
  const std::vector<Operand>& ops = l.operands();
  if (ops.size() != row.args + std::size_t{1}) return l.error("wrong number of operands");
  std::vector<Val> args;
  for (std::size_t i = 0; i < row.args; ++i) {
    WW_TRY(const Val v, l.value(ops[i + 1], row.arg[i]));
    args.push_back(v);
  }
  WW_TRY(const Dest d, l.dest(ops[0], row.result));
  WW_CHECK(l.emit_row(row, d, args));
  return l.settle(d);
}

std::string joined(const std::vector<std::string_view>& parts) {
  std::string text;
  for (const std::string_view part : parts) {
    if (!text.empty()) text += '.';
    text += part;
  }
  return text;
}

bool is_boolean(std::string_view part) { return part == "and" || part == "or" || part == "xor"; }

/// The results of setp, each with the comparison that it comes from.
struct SetpResult {
  Dest d;
  Val compare = kNoVal;
};

/// Writes them so that neither replaces what the other still needs: the guard is replaced last, the
/// predicate that both are combined with is kept.
Status write_results(Lowering& l, std::vector<SetpResult> results, std::string_view combine,
                     Val with) {
  if (results.size() == 2) {
    Operand guard;
    guard.name = l.statement().ins.guard;
    Val asked = kNoVal;
    if (!guard.name.empty()) {
      WW_TRY(asked, l.predicate(guard));
    }
    if (results[0].d.val == asked) std::swap(results[0], results[1]);
    if (results[0].d.val == with) {
      Dest kept;
      kept.val = l.temporary(0);
      WW_CHECK(l.emit_op("mov.pred", kept, {with}));
      l.last().info.counted = false;
      with = kept.val;
    }
  }
  for (const SetpResult& r : results) {
    if (combine.empty())
      WW_CHECK(l.emit_op("mov.pred", r.d, {r.compare}));
    else
      WW_CHECK(l.emit_op(combine, r.d, {r.compare, with}));
  }
  return {};
}

/// One half of a register that holds two.
Result<Val> half_of(Lowering& l, const Operand& o, std::string_view which) {
  WW_TRY(const Val both, l.value(o, {4}));
  Dest half;
  half.val = l.temporary(2);
  WW_CHECK(l.emit_op(which, half, {both}));
  l.last().info.counted = false;
  return half.val;
}

/// setp.CMP[.BOOL][.ftz].f16x2 p|q, a, b[, c]: p of the low halves, q of the high ones.
Status decode_packed_setp(Lowering& l, std::vector<std::string_view> parts,
                          const std::string& combine) {
  const std::vector<Operand>& ops = l.operands();
  parts.back() = parts.back() == "f16x2" ? "f16" : "bf16";
  const OpRow* row = op_table().find(joined(parts));
  if (row == nullptr || ops.size() != (combine.empty() ? 3u : 4u)) return l.unsupported();
  if (ops[0].kind != Operand::Kind::pair) return l.unsupported();
  Val with = kNoVal;
  if (!combine.empty()) {
    WW_TRY(with, l.predicate(ops[3]));
  }
  std::vector<SetpResult> results(2);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string_view which = i == 0 ? "=low.b32" : "=high.b32";
    WW_TRY(const Val a, half_of(l, ops[1], which));
    WW_TRY(const Val b, half_of(l, ops[2], which));
    Dest compare;
    compare.val = l.temporary(0);
    WW_CHECK(l.emit_row(*row, compare, {a, b}));
    WW_TRY(results[i].d, l.dest(ops[0].list[i], {0}));
    results[i].compare = compare.val;
  }
  return write_results(l, std::move(results), combine, with);
}

/// setp.CMP[.BOOL][.ftz].TYPE p[|q], a, b[, c]: p = (a CMP b) BOOL c, q = !(a CMP b) BOOL c.
Status decode_setp(Lowering& l) {
  std::vector<std::string_view> parts = l.statement().ins.parts;
  const auto boolean = std::find_if(parts.begin() + 1, parts.end(), is_boolean);
  std::string combine;
  if (boolean != parts.end()) {
    combine = std::string(*boolean) + ".pred";
    parts.erase(boolean);
  }
  if (parts.back() == "f16x2" || parts.back() == "bf16x2")
    return decode_packed_setp(l, std::move(parts), combine);
  const OpRow* row = op_table().find(joined(parts));
  const std::vector<Operand>& ops = l.operands();
  if (row == nullptr) return l.unsupported();
  if (ops.size() != (combine.empty() ? 3u : 4u)) return l.error("wrong number of operands");
  WW_TRY(const Val a, l.value(ops[1], row->arg[0]));
  WW_TRY(const Val b, l.value(ops[2], row->arg[1]));
  const bool two = ops[0].kind == Operand::Kind::pair;
  const Operand& first = two ? ops[0].list[0] : ops[0];
  if (combine.empty() && !two) {
    WW_TRY(const Dest d, l.dest(first, row->result));
    return l.emit_row(*row, d, {a, b});
  }
  Dest compare;
  compare.val = l.temporary(0);
  WW_CHECK(l.emit_row(*row, compare, {a, b}));
  Val with = kNoVal;
  if (!combine.empty()) {
    WW_TRY(with, l.predicate(ops[3]));
  }
  Dest inverse;
  inverse.val = l.temporary(0);
  WW_CHECK(l.emit_op("not.pred", inverse, {compare.val}));
  std::vector<SetpResult> results(two ? 2 : 1);
  WW_TRY(results[0].d, l.dest(first, {0}));
  results[0].compare = compare.val;
  if (two) {
    WW_TRY(results[1].d, l.dest(ops[0].list[1], {0}));
    results[1].compare = inverse.val;
  }
  return write_results(l, std::move(results), combine, with);
}

/// set.CMP[.BOOL][.ftz].DTYPE.STYPE d, a, b[, c]: all ones or 1.0 where setp would be true.
Status decode_set(Lowering& l) {
  if (op_table().find(std::string(l.statement().ins.text)) != nullptr) return decode_arithmetic(l);
  std::vector<std::string_view> parts = l.statement().ins.parts;
  const std::vector<Operand>& ops = l.operands();
  if (parts.size() < 4 || ops.size() != 3) return l.unsupported();
  const std::string_view to = parts[parts.size() - 2];
  parts.erase(parts.end() - 2);
  parts[0] = "setp";
  const OpRow* row = op_table().find(joined(parts));
  if (row == nullptr || (to != "u32" && to != "s32" && to != "f32")) return l.unsupported();
  WW_TRY(const Val a, l.value(ops[1], row->arg[0]));
  WW_TRY(const Val b, l.value(ops[2], row->arg[1]));
  Dest p;
  p.val = l.temporary(0);
  WW_CHECK(l.emit_row(*row, p, {a, b}));
  WW_TRY(const Dest d, l.dest(ops[0], {4}));
  const Val yes = l.constant_bits(to == "f32" ? 0x3f800000u : 0xffffffffu, 4);
  WW_CHECK(l.emit_op("selp.b32", d, {yes, l.constant_bits(0, 4), p.val}));
  return l.settle(d);
}

/// mov.b64 d, {a, b, c, e} and {d, e, f, g}, a: by way of two halves.
Status decode_quarters(Lowering& l, bool packs) {
  const std::vector<Operand>& ops = l.operands();
  const std::vector<Operand>& list = ops[packs ? 1 : 0].list;
  Dest low, high;
  low.val = l.temporary(4);
  high.val = l.temporary(4);
  if (packs) {
    std::vector<Val> parts;
    for (const Operand& o : list) {
      WW_TRY(const Val v, l.value(o, {2}));
      parts.push_back(v);
    }
    WW_CHECK(l.emit_op("=pack.b32", low, {parts[0], parts[1]}));
    WW_CHECK(l.emit_op("=pack.b32", high, {parts[2], parts[3]}));
    WW_TRY(const Dest d, l.dest(ops[0], {8}));
    return l.emit_op("=pack.b64", d, {low.val, high.val});
  }
  WW_TRY(const Val whole, l.value(ops[1], {8}));
  WW_CHECK(l.emit_op("=low.b64", low, {whole}));
  WW_CHECK(l.emit_op("=high.b64", high, {whole}));
  for (std::size_t k = 0; k < 4; ++k) {
    WW_TRY(const Dest d, l.dest(list[k], {2}));
    WW_CHECK(l.emit_op(k % 2 == 0 ? "=low.b32" : "=high.b32", d, {(k < 2 ? low : high).val}));
    WW_CHECK(l.settle(d));
  }
  return {};
}

/// Packing and unpacking moves; everything else is arithmetic.
Status decode_mov(Lowering& l) {
  const std::vector<Operand>& ops = l.operands();
  const std::string_view type = l.statement().ins.parts.back();
  if (ops.size() != 2) return l.error("wrong number of operands");
  const auto clock = [&](Opcode opcode, std::uint8_t width) -> Status {
    WW_TRY(const Dest d, l.dest(ops[0], {width}));
    WW_CHECK(emit_guarded(l, opcode));
    l.last().d = d.val;
    return l.settle(d);
  };
  if (ops[1].name == "%clock" || ops[1].name == "%globaltimer_lo") return clock(Opcode::clock32, 4);
  if (ops[1].name == "%clock_hi" || ops[1].name == "%globaltimer_hi")
    return clock(Opcode::clock_high, 4);
  if (ops[1].name == "%clock64" || ops[1].name == "%globaltimer") return clock(Opcode::clock64, 8);
  const bool packs = ops[1].kind == Operand::Kind::vector;
  const bool unpacks = ops[0].kind == Operand::Kind::vector;
  if (!packs && !unpacks) return decode_arithmetic(l);
  const std::uint32_t bytes = bytes_of_type(type);
  const Operand& list = packs ? ops[1] : ops[0];
  if (bytes == 8 && list.list.size() == 4 && packs != unpacks) return decode_quarters(l, packs);
  if ((bytes != 4 && bytes != 8) || list.list.size() != 2 || packs == unpacks)
    return l.unsupported();
  const ArgType part{static_cast<std::uint8_t>(bytes / 2)};
  const std::string suffix = bytes == 4 ? ".b32" : ".b64";
  if (packs) {
    WW_TRY(const Val low, l.value(list.list[0], part));
    WW_TRY(const Val high, l.value(list.list[1], part));
    WW_TRY(const Dest d, l.dest(ops[0], {static_cast<std::uint8_t>(bytes)}));
    return l.emit_op("=pack" + suffix, d, {low, high});
  }
  WW_TRY(const Val whole, l.value(ops[1], {static_cast<std::uint8_t>(bytes)}));
  // Both parts are read before either is written: a register may be on both sides.
  WW_TRY(const Dest low, l.dest(list.list[0], part));
  WW_TRY(const Dest high, l.dest(list.list[1], part));
  Dest kept = low;
  kept.val = l.temporary(part.width);
  WW_CHECK(l.emit_op("=low" + suffix, kept, {whole}));
  WW_CHECK(l.emit_op("=high" + suffix, high, {whole}));
  WW_CHECK(l.settle(high));
  WW_CHECK(l.emit_op("mov.b" + std::to_string(8 * part.width), low, {kept.val}));
  return l.settle(low);
}

/// cvta[.to].SPACE.u64: windows are added or taken away; global and constant are the same.
Status decode_cvta(Lowering& l) {
  const auto& parts = l.statement().ins.parts;
  const std::vector<Operand>& ops = l.operands();
  if (ops.size() != 2 || parts.size() < 3) return l.unsupported();
  const bool to = parts[1] == "to";
  const std::string_view space = parts[to ? 2 : 1];
  std::uint64_t window = 0;
  if (space == "shared" || space == "shared::cta" || space == "shared::cluster")
    window = kSharedWindow;
  else if (space == "local")
    window = kLocalWindow;
  else if (space == "param")
    window = kParamWindow;
  else if (space != "global" && space != "const")
    return l.unsupported();
  if (parts.back() != "u64") return l.unsupported();
  WW_TRY(const Val a, l.value(ops[1], {8}));
  WW_TRY(const Dest d, l.dest(ops[0], {8}));
  if (window == 0) return l.emit_op("mov.b64", d, {a});
  WW_CHECK(l.emit_op(to ? "sub.s64" : "add.s64", d, {a, l.constant_bits(window, 8)}));
  return {};
}

Status decode_bra(Lowering& l) {
  const Instruction& ins = l.statement().ins;
  if (ins.operands.size() != 1) return l.error("wrong number of operands");
  WW_TRY(const std::uint32_t label, l.label(ins.operands[0].name));
  Val guard = kNoVal;
  if (!ins.guard.empty()) {
    Operand o;
    o.name = ins.guard;
    WW_TRY(guard, l.predicate(o));
  }
  Lir& lir = l.emit(ins.guard.empty() ? Opcode::jump : Opcode::branch);
  lir.flow = ins.guard.empty() ? Lir::Flow::jump : Lir::Flow::branch;
  lir.guard = guard;
  lir.guard_negated = ins.guard_negated;
  lir.info.guarded = !ins.guard.empty();
  lir.label = label;
  return {};
}

Status decode_brx(Lowering& l) {
  const Instruction& ins = l.statement().ins;
  if (ins.operands.size() != 2 || !ins.guard.empty()) return l.unsupported();
  const auto* targets = l.branch_targets(ins.operands[1].name);
  if (targets == nullptr || targets->empty()) return l.error("unknown list of branch targets");
  std::vector<std::uint32_t> labels;
  for (const std::string_view name : *targets) {
    WW_TRY(const std::uint32_t label, l.label(name));
    labels.push_back(label);
  }
  WW_TRY(const Val index, l.value(ins.operands[0], {4}));
  Lir& lir = l.emit(Opcode::branch_table);
  lir.flow = Lir::Flow::table;
  lir.a = index;
  lir.table = std::move(labels);
  return {};
}

Status decode_call(Lowering& l) { return l.call(); }
Status decode_leave(Lowering& l) { return l.leave(); }

Status decode_trap(Lowering& l) {
  WW_CHECK(emit_guarded(l, Opcode::trap));
  return {};
}

Status decode_ignored(Lowering& l) {
  l.emit(Opcode::nothing);
  return {};
}

/// griddepcontrol: launches follow each other here, and who waits is remembered.
Status decode_grid_dependency(Lowering& l) {
  if (l.statement().ins.parts.size() < 2 || l.statement().ins.parts[1] != "wait")
    return decode_ignored(l);
  return emit_guarded(l, Opcode::await_launch);
}

/// A cache policy changes nothing here; its value is only handed on.
Status decode_policy(Lowering& l) {
  if (l.operands().empty()) return l.unsupported();
  WW_TRY(const Dest d, l.dest(l.operands()[0], {8}));
  return l.emit_op("mov.b64", d, {l.constant_bits(0, 8)});
}

Status decode_nanosleep(Lowering& l) { return emit_guarded(l, Opcode::yield); }

Status decode_fence(Lowering& l) {
  const auto& parts = l.statement().ins.parts;
  const bool block_only = std::find(parts.begin(), parts.end(), "cta") != parts.end();
  if (l.statement().ins.text.find("proxy") != std::string_view::npos) return decode_ignored(l);
  WW_CHECK(emit_guarded(l, Opcode::fence));
  l.last().aux = block_only ? 0 : 1;
  return {};
}

struct DecoderRow {
  std::string_view opcode;
  Decoder decode;
};

constexpr DecoderRow kDecoders[] = {
#define MNEMONIC(text, decoder) {text, decoder},
#include "simt/isa/steps.def"
};

}  // namespace

bool may_order_blocks(const std::vector<std::string_view>& parts) {
  const auto has = [&](std::string_view word) {
    return std::find(parts.begin(), parts.end(), word) != parts.end();
  };
  if (has("shared")) return false;
  if (parts[0] == "atom" || parts[0] == "red" || parts[0] == "fence" || parts[0] == "membar") {
    return true;
  }
  return has("volatile") || has("relaxed") || has("acquire") || has("mmio");
}

void note_order(const std::vector<std::string_view>& parts, Kernel& k) {
  const auto has = [&](std::string_view word) {
    return std::find(parts.begin(), parts.end(), word) != parts.end();
  };
  const bool shared = has("shared") || has("shared::cta") || has("shared::cluster");
  const bool access = parts[0] == "ld" || parts[0] == "st";
  const bool atomic = parts[0] == "atom" || parts[0] == "red";
  const bool fence = parts[0] == "fence" || parts[0] == "membar";
  const bool generic = !shared && !has("global");
  const bool strong = has("volatile") || has("relaxed") || has("acquire") || has("release") ||
                      has("acq_rel") || has("mmio");
  // A relaxed atomic by itself tells nobody of anything else, and nobody has to be told of it.
  const bool tells = has("acquire") || has("release") || has("acq_rel") || has("cta");
  if ((access && strong) || (atomic && tells) || fence) {
    k.orders_warps = k.orders_warps || ((shared || generic) && !fence);
    k.orders_blocks = k.orders_blocks || !shared;
  }
  if (atomic && (shared || generic)) k.updates_shared = true;
  if (fence) k.has_fences = true;
  if ((k.updates_shared && k.has_fences) || parts[0] == "mbarrier" || has("mbarrier"))
    k.orders_warps = true;
}

Decoder find_decoder(std::string_view base_opcode) {
  for (const DecoderRow& row : kDecoders)
    if (row.opcode == base_opcode) return row.decode;
  return nullptr;
}

Status decode_arithmetic(Lowering& l) {
  const OpRow* row = op_table().find(std::string(l.statement().ins.text));
  if (row == nullptr || l.statement().ins.text.starts_with("__nv_")) return l.unsupported();
  return decode_row(l, *row);
}

Status emit_guarded(Lowering& l, Opcode opcode, Handler run, OpClass op_class) {
  WW_CHECK(emit_guarded(l, opcode));
  l.last().run = run;
  l.last().info.op_class = op_class;
  return {};
}

Status emit_guarded(Lowering& l, Opcode opcode) {
  const Instruction& ins = l.statement().ins;
  Val guard = kNoVal;
  if (!ins.guard.empty()) {
    Operand o;
    o.name = ins.guard;
    WW_TRY(guard, l.predicate(o));
  }
  Lir& lir = l.emit(opcode);
  lir.guard = guard;
  lir.guard_negated = ins.guard_negated;
  return {};
}

}  // namespace warpwright::simt
