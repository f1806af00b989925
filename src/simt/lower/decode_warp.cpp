// SPDX-License-Identifier: Apache-2.0
// Decoders of barriers and of instructions in which the lanes of a warp exchange values.
#include <algorithm>

#include "simt/lower/decoders.h"
#include "simt/ops/handlers.h"

namespace warpwright::simt {
namespace {

Status decode_warp_barrier(Lowering& l) {
  const std::vector<Operand>& ops = l.operands();
  if (ops.size() != 1) return l.error("wrong number of operands");
  WW_TRY(const Val mask, l.value(ops[0], {4}));
  WW_CHECK(emit_guarded(l, Opcode::warp_sync));
  l.last().c = mask;
  return {};
}

}  // namespace

/// bar[.cta].{sync,arrive,red} and barrier, aligned or not.
Status decode_barrier(Lowering& l) {
  const auto& parts = l.statement().ins.parts;
  const std::vector<Operand>& ops = l.operands();
  if (has(parts, "warp")) return decode_warp_barrier(l);
  if (has(parts, "cluster")) return decode_cluster_barrier(l);
  const bool aligned = parts[0] == "bar" || has(parts, "aligned");
  BarrierForm form = BarrierForm::sync;
  std::size_t i = 0;
  const bool reduces = has(parts, "red");
  if (has(parts, "arrive"))
    form = BarrierForm::arrive;
  else if (reduces)
    form = has(parts, "popc")  ? BarrierForm::red_popc
           : has(parts, "and") ? BarrierForm::red_and
                               : BarrierForm::red_or;
  else if (!has(parts, "sync"))
    return l.unsupported();
  if (reduces) ++i;
  if (ops.size() < i + 1) return l.error("wrong number of operands");
  WW_TRY(const Val number, l.value(ops[i++], {4}));
  Val predicate = kNoVal;
  if (reduces) {
    WW_TRY(predicate, l.predicate(ops.back()));
  }
  Val count = l.constant_bits(0, 4);
  if (ops.size() > i + (reduces ? 1 : 0)) {
    WW_TRY(count, l.value(ops[i], {4}));
    l.kernel().orders_warps = true;
  }
  if (form == BarrierForm::arrive) l.kernel().orders_warps = true;
  WW_CHECK(emit_guarded(l, Opcode::barrier));
  Lir& lir = l.last();
  lir.a = number;
  lir.b = count;
  lir.c = predicate;
  lir.aux = static_cast<std::uint32_t>(form) | (aligned ? kBarrierAligned : 0);
  if (!reduces) return {};
  const ArgType type{static_cast<std::uint8_t>(form == BarrierForm::red_popc ? 4 : 0)};
  WW_TRY(const Dest d, l.dest(ops[0], type));
  WW_CHECK(emit_guarded(l, Opcode::barrier_result));
  l.last().info.counted = false;
  l.last().a = number;
  l.last().d = d.val;
  l.last().aux = static_cast<std::uint32_t>(form);
  return l.settle(d);
}

/// shfl.sync.MODE.b32 d[|p], a, b, c, mask.
Status decode_shuffle(Lowering& l) {
  const auto& parts = l.statement().ins.parts;
  const std::vector<Operand>& ops = l.operands();
  constexpr std::string_view kModes[] = {"up", "down", "bfly", "idx"};
  if (parts.size() != 4 || parts[1] != "sync" || parts[3] != "b32" || ops.size() != 5)
    return l.unsupported();
  const auto mode = std::find(std::begin(kModes), std::end(kModes), parts[2]);
  if (mode == std::end(kModes)) return l.unsupported();
  const bool two = ops[0].kind == Operand::Kind::pair;
  WW_TRY(const Val a, l.value(ops[1], {4}));
  WW_TRY(const Val lane, l.value(ops[2], {4}));
  WW_TRY(const Val clamp, l.value(ops[3], {4}));
  WW_TRY(const Val mask, l.value(ops[4], {4}));
  WW_TRY(const Dest d, l.dest(two ? ops[0].list[0] : ops[0], {4}));
  Dest p;
  p.val = l.temporary(0);
  if (two) {
    WW_TRY(p, l.dest(ops[0].list[1], {0}));
  }
  WW_CHECK(emit_guarded(l, Opcode::shuffle));
  Lir& lir = l.last();
  lir.d = d.val;
  lir.a = a;
  lir.b = lane;
  lir.c = mask;
  lir.more = {p.val, clamp};
  lir.more_defs = 1;
  lir.aux = static_cast<std::uint32_t>(mode - std::begin(kModes));
  return l.settle(d);
}

/// vote.sync.{all,any,uni}.pred p, q, mask and vote.sync.ballot.b32 d, q, mask; hand-written code
/// also says vote.ballot.sync.
Status decode_vote(Lowering& l) {
  auto parts = l.statement().ins.parts;
  if (parts.size() == 4 && parts[2] == "sync") std::swap(parts[1], parts[2]);
  const std::vector<Operand>& ops = l.operands();
  constexpr std::string_view kModes[] = {"all", "any", "uni", "ballot"};
  if (parts.size() != 4 || parts[1] != "sync" || ops.size() != 3) return l.unsupported();
  const auto mode = std::find(std::begin(kModes), std::end(kModes), parts[2]);
  if (mode == std::end(kModes)) return l.unsupported();
  WW_TRY(const Val a, l.predicate(ops[1]));
  WW_TRY(const Val mask, l.value(ops[2], {4}));
  WW_TRY(const Dest d, l.dest(ops[0], {static_cast<std::uint8_t>(parts[2] == "ballot" ? 4 : 0)}));
  WW_CHECK(emit_guarded(l, Opcode::vote));
  Lir& lir = l.last();
  lir.d = d.val;
  lir.a = a;
  lir.c = mask;
  lir.aux = static_cast<std::uint32_t>(mode - std::begin(kModes));
  return l.settle(d);
}

/// match.{any,all}.sync.bN d[|p], a, mask.
Status decode_match(Lowering& l) {
  const auto& parts = l.statement().ins.parts;
  const std::vector<Operand>& ops = l.operands();
  if (parts.size() != 4 || ops.size() != 3) return l.unsupported();
  const bool all = parts[1] == "all";
  const std::uint8_t width = parts[3] == "b64" ? 8 : 4;
  const bool two = ops[0].kind == Operand::Kind::pair;
  WW_TRY(const Val a, l.value(ops[1], {width}));
  WW_TRY(const Val mask, l.value(ops[2], {4}));
  WW_TRY(const Dest d, l.dest(two ? ops[0].list[0] : ops[0], {4}));
  Dest p;
  p.val = l.temporary(0);
  if (two) {
    WW_TRY(p, l.dest(ops[0].list[1], {0}));
  }
  WW_CHECK(emit_guarded(l, Opcode::match));
  Lir& lir = l.last();
  lir.d = d.val;
  lir.a = a;
  lir.c = mask;
  lir.more = {p.val};
  lir.more_defs = 1;
  lir.run = match_handler(all, width);
  lir.aux = width | (all ? 16u : 0u);
  return l.settle(d);
}

/// redux.sync.OP.TYPE d, a, mask.
Status decode_redux(Lowering& l) {
  const auto& parts = l.statement().ins.parts;
  const std::vector<Operand>& ops = l.operands();
  if (parts.size() != 4 || ops.size() != 3) return l.unsupported();
  std::uint32_t form = 0;
  const Handler run = redux_handler(parts[2], parts[3], form);
  if (run == nullptr) return l.unsupported();
  WW_TRY(const Val a, l.value(ops[1], {4}));
  WW_TRY(const Val mask, l.value(ops[2], {4}));
  WW_TRY(const Dest d, l.dest(ops[0], {4}));
  WW_CHECK(emit_guarded(l, Opcode::redux));
  Lir& lir = l.last();
  lir.d = d.val;
  lir.a = a;
  lir.c = mask;
  lir.run = run;
  lir.aux = form;
  return l.settle(d);
}

/// elect.sync d|p, mask.
Status decode_elect(Lowering& l) {
  const std::vector<Operand>& ops = l.operands();
  if (l.statement().ins.text != "elect.sync" || ops.size() != 2 ||
      ops[0].kind != Operand::Kind::pair)
    return l.unsupported();
  WW_TRY(const Val mask, l.value(ops[1], {4}));
  WW_TRY(const Dest d, l.dest(ops[0].list[0], {4}));
  WW_TRY(const Dest p, l.dest(ops[0].list[1], {0}));
  WW_CHECK(emit_guarded(l, Opcode::elect));
  Lir& lir = l.last();
  lir.d = d.val;
  lir.c = mask;
  lir.more = {p.val};
  lir.more_defs = 1;
  return l.settle(d);
}

Status decode_active_mask(Lowering& l) {
  if (l.operands().size() != 1) return l.unsupported();
  WW_TRY(const Dest d, l.dest(l.operands()[0], {4}));
  WW_CHECK(emit_guarded(l, Opcode::active_mask));
  l.last().d = d.val;
  return l.settle(d);
}

}  // namespace warpwright::simt
