// SPDX-License-Identifier: Apache-2.0
// wgmma: matrix products of four warps.
#include "simt/lower/decoders.h"
#include "simt/ops/wgmma.h"

namespace warpwright::simt {
namespace {

/// "m64n128k16".
bool wide_shape(std::string_view text, WgmmaForm& f) {
  if (!text.starts_with("m64n")) return false;
  const std::size_t k = text.find('k');
  if (k == std::string_view::npos) return false;
  const auto number = [](std::string_view digits) {
    std::uint32_t n = 0;
    for (const char c : digits) {
      if (c < '0' || c > '9' || n > 1000) return 0u;
      n = n * 10 + static_cast<std::uint32_t>(c - '0');
    }
    return n;
  };
  const std::uint32_t n = number(text.substr(4, k - 4)), inner = number(text.substr(k + 1));
  if (n == 0 || n > 256 || n % 8 != 0 || inner == 0 || inner > 64) return false;
  f.n = static_cast<std::uint16_t>(n);
  f.k = static_cast<std::uint8_t>(inner);
  return true;
}

/// Which types go together: K is 32 bytes of them.
bool types_fit(const WgmmaForm& f) {
  if (is_byte_integer(f.a)) return f.k == 32 && is_byte_integer(f.b) && f.acc == Element::int32;
  const bool halves = f.acc == Element::half, singles = f.acc == Element::float32;
  if (is_byte_float(f.a)) return f.k == 32 && is_byte_float(f.b) && (halves || singles);
  if (f.a != f.b) return false;
  if (f.a == Element::half) return f.k == 16 && (halves || singles);
  if (f.a == Element::bfloat) return f.k == 16 && singles;
  return f.a == Element::tf32 && f.k == 8 && singles;
}

/// A number that the text says.
Result<std::int32_t> literal(Lowering& l, const Operand& o) {
  WW_TRY(const Val v, l.value(o, {4}));
  if ((v & kConstantBit) == 0) return l.error("a scale or a direction that is no constant");
  const Constant& c = l.kernel().constants[v & ~kConstantBit];
  if (c.kind != Constant::Kind::bits) return l.error("a scale or a direction that is no constant");
  return static_cast<std::int32_t>(c.value);
}

Status word_registers(Lowering& l, const Operand& o, std::vector<Val>& out) {
  if (o.kind != Operand::Kind::vector) return l.error("a matrix needs a list of registers");
  for (const Operand& e : o.list) {
    std::uint32_t bytes = 0;
    WW_TRY(const Val v, l.plain_register(e, bytes));
    if (bytes != 4) return l.error("a matrix register of the wrong width");
    out.push_back(v);
  }
  return {};
}

/// Scales of A and B, and whether they lie across; integers have neither.
Status scales_and_directions(Lowering& l, std::size_t first, WgmmaForm& f) {
  const std::vector<Operand>& ops = l.operands();
  if (is_byte_integer(f.a))
    return ops.size() == first ? Status{} : Status(l.error("wrong number of operands"));
  const bool turns = f.a == Element::half || f.a == Element::bfloat;
  const std::size_t wanted = first + 2 + (turns ? (f.a_in_registers ? 1 : 2) : 0);
  if (ops.size() != wanted) return l.error("wrong number of operands");
  WW_TRY(const std::int32_t a, literal(l, ops[first]));
  WW_TRY(const std::int32_t b, literal(l, ops[first + 1]));
  if ((a != 1 && a != -1) || (b != 1 && b != -1)) return l.error("a scale is 1 or -1");
  f.negate_a = a < 0;
  f.negate_b = b < 0;
  if (!turns) return {};
  if (!f.a_in_registers) {
    WW_TRY(const std::int32_t across, literal(l, ops[first + 2]));
    f.across_a = across != 0;
  }
  WW_TRY(const std::int32_t across, literal(l, ops.back()));
  f.across_b = across != 0;
  return {};
}

/// wgmma.mma_async.sync.aligned.SHAPE.DTYPE.ATYPE.BTYPE d, a, b, scale-d[, scales, directions].
Status decode_product(Lowering& l) {
  const auto& parts = l.statement().ins.parts;
  const std::vector<Operand>& ops = l.operands();
  WgmmaForm f;
  if (parts.size() != 8 || parts[2] != "sync" || parts[3] != "aligned" ||
      !wide_shape(parts[4], f) || ops.size() < 4)
    return l.unsupported();
  const auto acc = element(parts[5]), a = element(parts[6]), b = element(parts[7]);
  if (!acc || !a || !b) return l.unsupported();
  f.acc = *acc;
  f.a = *a;
  f.b = *b;
  if (!types_fit(f)) return l.unsupported();
  f.a_in_registers = ops[1].kind == Operand::Kind::vector;
  std::vector<Val> d, rows;
  WW_CHECK(word_registers(l, ops[0], d));
  if (d.size() != (f.acc == Element::half ? f.n / 4u : f.n / 2u))
    return l.error("a matrix with the wrong number of registers");
  Val a_descriptor = kNoVal;
  if (f.a_in_registers) {
    WW_CHECK(word_registers(l, ops[1], rows));
    if (rows.size() != 4) return l.error("a matrix with the wrong number of registers");
  } else {
    WW_TRY(a_descriptor, l.value(ops[1], {8}));
  }
  WW_TRY(const Val b_descriptor, l.value(ops[2], {8}));
  WW_TRY(const Val adds, l.predicate(ops[3]));
  WW_CHECK(scales_and_directions(l, 4, f));
  WW_CHECK(emit_guarded(l, Opcode::wgmma));
  l.kernel().has_products = true;
  Lir& lir = l.last();
  lir.a = a_descriptor;
  lir.b = b_descriptor;
  lir.c = adds;
  lir.imm = f.pack();
  lir.more = d;
  lir.more.insert(lir.more.end(), d.begin(), d.end());
  lir.more.insert(lir.more.end(), rows.begin(), rows.end());
  lir.more_defs = static_cast<std::uint32_t>(d.size());
  lir.info.flops = static_cast<std::uint16_t>(2u * 16 * f.n * f.k / kLanes);
  lir.info.access = l.new_access();
  return {};
}

}  // namespace

Status decode_wgmma(Lowering& l) {
  const auto& parts = l.statement().ins.parts;
  if (parts.size() < 2) return l.unsupported();
  if (parts[1] == "mma_async") return decode_product(l);
  if (parts.size() != 4 || parts[2] != "sync" || parts[3] != "aligned") return l.unsupported();
  if (parts[1] == "fence") {
    // The machine executes a warp's accesses in their order.
    l.emit(Opcode::nothing);
    return {};
  }
  if (parts[1] == "commit_group") return emit_guarded(l, Opcode::wgmma_commit);
  if (parts[1] != "wait_group" || l.operands().size() != 1) return l.unsupported();
  WW_TRY(const std::int32_t open, literal(l, l.operands()[0]));
  WW_CHECK(emit_guarded(l, Opcode::wgmma_wait));
  l.last().imm = open;
  return {};
}

}  // namespace warpwright::simt
