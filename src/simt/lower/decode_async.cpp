// SPDX-License-Identifier: Apache-2.0
// Decoders of mbarriers, bulk copies and clusters.
#include <algorithm>

#include "simt/lower/decoders.h"
#include "simt/ops/handlers.h"
#include "simt/ops/mbarrier.h"

namespace warpwright::simt {
namespace {

/// Whether every modifier is one of those listed.
bool only(const std::vector<std::string_view>& parts, std::size_t from,
          std::initializer_list<std::string_view> known) {
  return std::all_of(
      parts.begin() + static_cast<std::ptrdiff_t>(from), parts.end(),
      [&](std::string_view p) { return std::find(known.begin(), known.end(), p) != known.end(); });
}

void fill(Lowering& l, const Lowering::Address& a, MbarrierForm form, bool result) {
  Lir& lir = l.last();
  const auto& parts = l.statement().ins.parts;
  const bool generic =
      !has(parts, "shared") && !has(parts, "shared::cta") && !has(parts, "shared::cluster");
  lir.a = a.base;
  // A generic address must lie in the window of shared memory.
  lir.imm = a.offset - (generic ? static_cast<std::int64_t>(kSharedWindow) : 0);
  lir.aux = static_cast<std::uint32_t>(form) | (a.narrow ? 256u : 0u) | (result ? 512u : 0u);
  lir.info.access = l.new_access();
}

/// mbarrier.{test_wait,try_wait}[.parity] p, [a], state or parity[, time].
Status decode_wait(Lowering& l) {
  const auto& parts = l.statement().ins.parts;
  const std::vector<Operand>& ops = l.operands();
  const bool parity = has(parts, "parity");
  if (ops.size() < 3 || ops.size() > (parts[1] == "try_wait" ? 4u : 3u)) return l.unsupported();
  WW_TRY(const Lowering::Address a, l.address(ops[1]));
  WW_TRY(const Val b, l.value(ops[2], {static_cast<std::uint8_t>(parity ? 4 : 8)}));
  WW_TRY(const Dest d, l.dest(ops[0], {0}));
  WW_CHECK(emit_guarded(l, Opcode::mbarrier_test));
  fill(l, a, parity ? MbarrierForm::test_parity : MbarrierForm::test_state, true);
  l.last().b = b;
  l.last().d = d.val;
  return {};
}

/// mbarrier.{arrive,arrive_drop}[.expect_tx] [state or _,] [a][, count or bytes].
Status decode_arrive(Lowering& l) {
  const auto& parts = l.statement().ins.parts;
  const std::vector<Operand>& ops = l.operands();
  const bool bytes = has(parts, "expect_tx"), drops = parts[1] == "arrive_drop";
  const std::size_t first = !ops.empty() && ops[0].kind == Operand::Kind::address ? 0 : 1;
  if (ops.size() < first + 1 || ops.size() > first + 2) return l.unsupported();
  WW_TRY(const Lowering::Address a, l.address(ops[first]));
  Val operand = l.constant_bits(1, 4);
  if (ops.size() == first + 2) {
    WW_TRY(operand, l.value(ops[first + 1], {4}));
  } else if (bytes) {
    return l.unsupported();
  }
  Dest d;
  d.val = l.temporary(8);
  if (first == 1) {
    WW_TRY(d, l.dest(ops[0], {8}));
  }
  WW_CHECK(emit_guarded(l, Opcode::mbarrier));
  fill(l, a,
       bytes ? (drops ? MbarrierForm::drop_expect : MbarrierForm::arrive_expect)
             : (drops ? MbarrierForm::arrive_drop : MbarrierForm::arrive),
       true);
  l.last().b = operand;
  l.last().d = d.val;
  return l.settle(d);
}

}  // namespace

Status decode_mbarrier(Lowering& l) {
  const auto& parts = l.statement().ins.parts;
  const std::vector<Operand>& ops = l.operands();
  if (parts.size() < 3) return l.unsupported();
  const std::string_view what = parts[1];
  if (what == "pending_count" && ops.size() == 2) {
    WW_TRY(const Val a, l.value(ops[1], {8}));
    WW_TRY(const Dest d, l.dest(ops[0], {4}));
    WW_CHECK(emit_guarded(l, Opcode::mbarrier_pending));
    l.last().a = a;
    l.last().d = d.val;
    return l.settle(d);
  }
  if (!only(parts, 2,
            {"release", "acquire", "relaxed", "cta", "cluster", "shared", "shared::cta",
             "shared::cluster", "b64", "parity", "noComplete", "expect_tx"}))
    return l.unsupported();
  if (what == "test_wait" || what == "try_wait") return decode_wait(l);
  if (what == "arrive" || what == "arrive_drop") return decode_arrive(l);
  constexpr std::pair<std::string_view, MbarrierForm> kForms[] = {
      {"init", MbarrierForm::init},
      {"inval", MbarrierForm::invalidate},
      {"expect_tx", MbarrierForm::expect},
      {"complete_tx", MbarrierForm::complete}};
  for (const auto& [name, form] : kForms) {
    if (name != what) continue;
    if (ops.size() != (form == MbarrierForm::invalidate ? 1u : 2u)) return l.unsupported();
    WW_TRY(const Lowering::Address a, l.address(ops[0]));
    Val operand = l.constant_bits(0, 4);
    if (ops.size() == 2) {
      WW_TRY(operand, l.value(ops[1], {4}));
    }
    WW_CHECK(emit_guarded(l, Opcode::mbarrier));
    fill(l, a, form, false);
    l.last().b = operand;
    return {};
  }
  return l.unsupported();
}

/// cp.async.bulk.DST.SRC.mbarrier::complete_tx::bytes[.multicast::cluster] [to], [from], bytes,
/// [barrier][, blocks] and
/// cp.async.bulk.global.shared::cta.bulk_group [to], [from], bytes; their groups.
Status decode_copy_bulk(Lowering& l) {
  const auto& parts = l.statement().ins.parts;
  const std::vector<Operand>& ops = l.operands();
  if (parts.size() < 4) return l.unsupported();
  if (parts[3] == "commit_group" || parts[3] == "wait_group" || parts[3] == "prefetch") {
    l.emit(Opcode::nothing);
    return {};
  }
  if (parts[3] == "tensor") return decode_copy_tensor(l);
  if (!only(parts, 3,
            {"shared::cluster", "shared::cta", "global", "mbarrier::complete_tx::bytes",
             "bulk_group", "L2::cache_hint", "multicast::cluster"}))
    return l.unsupported();
  if (parts.size() < 5) return l.unsupported();
  const bool to_shared = parts[3].starts_with("shared"),
             from_shared = parts[4].starts_with("shared");
  const bool multicast = has(parts, "multicast::cluster");
  const std::size_t wanted =
      (to_shared ? 4u : 3u) + (multicast ? 1u : 0u) + (has(parts, "L2::cache_hint") ? 1u : 0u);
  if (ops.size() != wanted || to_shared == has(parts, "bulk_group") ||
      (!to_shared && !from_shared) || (multicast && (!to_shared || from_shared)))
    return l.unsupported();
  WW_TRY(const Lowering::Address to, l.address(ops[0]));
  WW_TRY(const Lowering::Address from, l.address(ops[1]));
  WW_TRY(const Val bytes, l.value(ops[2], {4}));
  Lowering::Address barrier;
  Val blocks = kNoVal;
  if (multicast) {
    WW_TRY(blocks, l.value(ops[4], {2}));
  }
  if (to_shared) {
    WW_TRY(barrier, l.address(ops[3]));
    if (barrier.offset != 0) {
      // Rare enough for an addition of its own.
      Dest d;
      d.val = l.temporary(barrier.narrow ? 4 : 8);
      const Val offset =
          l.constant_bits(static_cast<std::uint64_t>(barrier.offset), barrier.narrow ? 4 : 8);
      WW_CHECK(l.emit_op(barrier.narrow ? "add.u32" : "add.u64", d, {barrier.base, offset}));
      barrier.base = d.val;
    }
  }
  WW_CHECK(emit_guarded(l, Opcode::copy_bulk, handler_of(Opcode::copy_bulk),
                        to_shared ? OpClass::load_global : OpClass::store_global));
  Lir& lir = l.last();
  lir.a = to.base;
  lir.b = from.base;
  lir.c = bytes;
  lir.imm = to.offset;
  lir.aux2 = static_cast<std::uint32_t>(from.offset);
  if (to_shared) lir.more = {barrier.base};
  if (multicast) lir.more.push_back(blocks);
  lir.aux = (to_shared ? kBulkToShared : 0) | (from_shared ? kBulkFromShared : 0) |
            (to.narrow ? kBulkNarrowTo : 0) | (from.narrow ? kBulkNarrowFrom : 0) |
            (barrier.narrow ? kBulkNarrowBarrier : 0) | (multicast ? kBulkMulticast : 0);
  lir.info.access = l.new_access();
  return {};
}

/// st.async[.weak][.shared::cluster].mbarrier::complete_tx::bytes[.vN].TYPE [to], value, [barrier].
Status decode_store_async(Lowering& l) {
  const auto& parts = l.statement().ins.parts;
  const std::vector<Operand>& ops = l.operands();
  const std::string_view type = parts.back();
  if (!only(parts, 2,
            {"weak", "shared::cluster", "mbarrier::complete_tx::bytes", "v2", "v4", "b32", "u32",
             "s32", "f32", "b64", "u64", "s64", "f64"}) ||
      !has(parts, "mbarrier::complete_tx::bytes") || ops.size() != 3)
    return l.unsupported();
  const std::uint32_t bytes = bytes_of_type(type);
  const std::uint32_t elements = has(parts, "v4") ? 4 : has(parts, "v2") ? 2 : 1;
  if (bytes == 0 || bytes * elements > 16) return l.unsupported();
  WW_TRY(const Lowering::Address to, l.address(ops[0]));
  WW_TRY(const Lowering::Address barrier, l.address(ops[2]));
  ArgType wanted{static_cast<std::uint8_t>(bytes)};
  if (type == "f32") wanted.real = ArgType::Real::single;
  if (type == "f64") wanted.real = ArgType::Real::double_;
  const bool vector = ops[1].kind == Operand::Kind::vector;
  if ((vector ? ops[1].list.size() : 1) != elements) return l.error("a vector of the wrong length");
  std::vector<Val> values;
  for (std::uint32_t k = 0; k < elements; ++k) {
    WW_TRY(const Val v, l.value(vector ? ops[1].list[k] : ops[1], wanted));
    values.push_back(v);
  }
  WW_CHECK(emit_guarded(l, Opcode::store_async));
  Lir& lir = l.last();
  lir.a = to.base;
  lir.imm = to.offset;
  lir.c = barrier.base;
  lir.aux2 = static_cast<std::uint32_t>(barrier.offset);
  lir.more = std::move(values);
  lir.aux = (to.narrow ? kStoreNarrowTo : 0) | (barrier.narrow ? kStoreNarrowBarrier : 0) |
            (has(parts, "shared::cluster") ? 0 : kStoreGeneric) | elements << 8 | bytes << 16;
  lir.info.access = l.new_access();
  return {};
}

/// red.async[.relaxed.cluster][.shared::cluster].mbarrier::complete_tx::bytes.OP.TYPE [to], value,
/// [barrier]: the update, then the bytes that it completes.
Status decode_reduce_async(Lowering& l) {
  const auto& parts = l.statement().ins.parts;
  const std::vector<Operand>& ops = l.operands();
  const std::string_view type = parts.back(), op = parts[parts.size() - 2];
  const std::uint32_t bytes = bytes_of_type(type);
  const bool generic = !has(parts, "shared::cluster");
  const std::vector<std::string_view> rest(parts.begin() + 2, parts.end() - 2);
  constexpr std::string_view kOps[] = {"inc", "dec", "min", "max", "add", "and", "or", "xor"};
  if (std::find(std::begin(kOps), std::end(kOps), op) == std::end(kOps) || type[0] == 'f' ||
      (bytes != 4 && bytes != 8) || ops.size() != 3 || !has(rest, "mbarrier::complete_tx::bytes") ||
      !only(rest, 0, {"relaxed", "cluster", "shared::cluster", "mbarrier::complete_tx::bytes"}))
    return l.unsupported();
  const Handler run = atomic_handler(op, type, generic ? Space::generic : Space::shared);
  if (run == nullptr) return l.unsupported();
  WW_TRY(const Lowering::Address to, l.address(ops[0]));
  WW_TRY(const Lowering::Address barrier, l.address(ops[2]));
  const auto width = static_cast<std::uint8_t>(bytes);
  WW_TRY(const Val value, l.value(ops[1], {width}));
  WW_CHECK(emit_guarded(l, Opcode::atomic, run, OpClass::atomic));
  l.last().a = to.base;
  l.last().imm = to.offset;
  l.last().aux = to.narrow ? kNarrowAddress : 0;
  l.last().info.access = l.new_access();
  l.last().b = value;
  l.last().d = l.temporary(width);
  WW_CHECK(emit_guarded(l, Opcode::mbarrier));
  fill(l, barrier, MbarrierForm::complete, false);
  l.last().b = l.constant_bits(bytes, 4);
  l.last().info.counted = false;
  return {};
}

/// mapa[.shared::cluster].uN d, a, rank and getctarank[.shared::cluster].uN d, a.
Status decode_mapa(Lowering& l) {
  const auto& parts = l.statement().ins.parts;
  const std::vector<Operand>& ops = l.operands();
  const bool maps = parts[0] == "mapa";
  if (!only(parts, 1, {"shared::cluster", "u32", "u64"}) || ops.size() != (maps ? 3u : 2u))
    return l.unsupported();
  const std::uint8_t width = parts.back() == "u64" ? 8 : 4;
  WW_TRY(const Val a, l.value(ops[1], {width}));
  Val rank = kNoVal;
  if (maps) {
    WW_TRY(rank, l.value(ops[2], {4}));
  }
  WW_TRY(const Dest d, l.dest(ops[0], {static_cast<std::uint8_t>(maps ? width : 4)}));
  WW_CHECK(emit_guarded(l, maps ? Opcode::mapa : Opcode::cluster_rank));
  l.last().a = a;
  l.last().b = rank;
  l.last().d = d.val;
  l.last().aux = width;
  return l.settle(d);
}

/// barrier.cluster.{arrive[.release|.relaxed],wait[.acquire]}[.aligned].
Status decode_cluster_barrier(Lowering& l) {
  const auto& parts = l.statement().ins.parts;
  if (parts.size() < 3 || !l.operands().empty() ||
      !only(parts, 3, {"release", "relaxed", "acquire", "aligned"}) ||
      (parts[2] != "arrive" && parts[2] != "wait"))
    return l.unsupported();
  const bool arrives = parts[2] == "arrive";
  l.kernel().uses_cluster_barrier = true;
  WW_CHECK(emit_guarded(l, arrives ? Opcode::cluster_arrive : Opcode::cluster_wait));
  l.last().aux = has(parts, "aligned") ? kBarrierAligned : 0;
  return {};
}

}  // namespace warpwright::simt
