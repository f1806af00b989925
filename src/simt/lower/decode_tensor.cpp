// SPDX-License-Identifier: Apache-2.0
// Decoders of matrix instructions: mma, ldmatrix, wmma.
#include <algorithm>
#include <bit>

#include "simt/lower/decoders.h"
#include "simt/ops/tensor.h"

namespace warpwright::simt {

std::optional<Element> element(std::string_view name) {
  constexpr std::pair<std::string_view, Element> kNames[] = {
      {"f16", Element::half},    {"bf16", Element::bfloat}, {"tf32", Element::tf32},
      {"f64", Element::float64}, {"s8", Element::int8},     {"u8", Element::uint8},
      {"f32", Element::float32}, {"s32", Element::int32},   {"e4m3", Element::e4m3},
      {"e5m2", Element::e5m2}};
  for (const auto& [text, e] : kNames)
    if (text == name) return e;
  return std::nullopt;
}

namespace {

/// "m16n8k16".
bool shape(std::string_view text, MatrixForm& f) {
  std::uint32_t n[3] = {};
  std::size_t i = 0;
  for (int k = 0; k < 3; ++k) {
    if (i >= text.size() || text[i] != "mnk"[k]) return false;
    for (++i; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
      n[k] = n[k] * 10 + static_cast<std::uint32_t>(text[i] - '0');
    if (n[k] == 0 || n[k] > 64) return false;
  }
  f.m = static_cast<std::uint8_t>(n[0]);
  f.n = static_cast<std::uint8_t>(n[1]);
  f.k = static_cast<std::uint8_t>(n[2]);
  return i == text.size();
}

std::string_view shape_part(const std::vector<std::string_view>& parts) {
  for (const std::string_view p : parts)
    if (p.size() > 5 && p[0] == 'm' && p.find('n') != std::string_view::npos &&
        p.find('k') != std::string_view::npos)
      return p;
  return {};
}

std::uint32_t width(Element e) { return e == Element::float64 ? 8 : 4; }

/// The registers of a vector operand, all of one width; scalars count as vectors of one.
Status registers(Lowering& l, const Operand& o, std::uint32_t bytes, std::vector<Val>& out) {
  const auto one = [&](const Operand& e) -> Status {
    std::uint32_t have = 0;
    WW_TRY(const Val v, l.plain_register(e, have));
    if (have != bytes) return l.error("a matrix register of the wrong width");
    out.push_back(v);
    return {};
  };
  if (o.kind != Operand::Kind::vector) return one(o);
  for (const Operand& e : o.list) WW_CHECK(one(e));
  return {};
}

struct ShapeRow {
  Element type;
  std::uint8_t m, n, k;
};
constexpr ShapeRow kMatrixShapes[] = {
    {Element::half, 16, 8, 16},    {Element::half, 16, 8, 8},    {Element::bfloat, 16, 8, 16},
    {Element::bfloat, 16, 8, 8},   {Element::tf32, 16, 8, 8},    {Element::tf32, 16, 8, 4},
    {Element::int8, 16, 8, 32},    {Element::int8, 16, 8, 16},   {Element::uint8, 16, 8, 32},
    {Element::uint8, 16, 8, 16},   {Element::int8, 8, 8, 16},    {Element::uint8, 8, 8, 16},
    {Element::float64, 8, 8, 4},   {Element::float64, 16, 8, 4}, {Element::float64, 16, 8, 8},
    {Element::float64, 16, 8, 16}, {Element::e4m3, 16, 8, 32},   {Element::e5m2, 16, 8, 32},
    {Element::e4m3, 16, 8, 16},    {Element::e5m2, 16, 8, 16}};
constexpr ShapeRow kFragments[] = {{Element::half, 16, 16, 16},  {Element::half, 32, 8, 16},
                                   {Element::half, 8, 32, 16},   {Element::bfloat, 16, 16, 16},
                                   {Element::bfloat, 32, 8, 16}, {Element::bfloat, 8, 32, 16},
                                   {Element::int8, 16, 16, 16},  {Element::uint8, 16, 16, 16},
                                   {Element::tf32, 16, 16, 8},   {Element::float64, 8, 8, 4}};

template <std::size_t N>
bool known(const ShapeRow (&table)[N], const MatrixForm& f) {
  return std::any_of(std::begin(table), std::end(table), [&](const ShapeRow& r) {
    return r.type == f.a && r.m == f.m && r.n == f.n && r.k == f.k;
  });
}

/// d, a, b, c of mma and wmma.mma, once the form is known.
Status emit_mma(Lowering& l, MatrixForm f) {
  const std::vector<Operand>& ops = l.operands();
  if (ops.size() != 4) return l.error("wrong number of operands");
  std::vector<Val> d, a, b, c;
  WW_CHECK(registers(l, ops[0], width(f.acc), d));
  WW_CHECK(registers(l, ops[1], width(f.a), a));
  WW_CHECK(registers(l, ops[2], width(f.b), b));
  WW_CHECK(registers(l, ops[3], width(f.acc), c));
  const auto elements = [](Element e, std::size_t n) {
    return n *
           (e == Element::half || e == Element::bfloat                      ? 2u
            : e == Element::int8 || e == Element::uint8 || is_byte_float(e) ? 4u
                                                                            : 1u) *
           kLanes;
  };
  const bool fits = f.opaque ? elements(f.acc, d.size()) == std::size_t{f.m} * f.n &&
                                   elements(f.a, a.size()) >= std::size_t{f.m} * f.k &&
                                   elements(f.b, b.size()) >= std::size_t{f.k} * f.n
                             : elements(f.acc, d.size()) == std::size_t{f.m} * f.n &&
                                   elements(f.a, a.size()) == std::size_t{f.m} * f.k &&
                                   elements(f.b, b.size()) == std::size_t{f.k} * f.n;
  if (!fits || c.size() != d.size()) return l.error("a matrix with the wrong number of registers");
  f.a_registers = static_cast<std::uint8_t>(a.size());
  WW_CHECK(emit_guarded(l, Opcode::mma));
  Lir& lir = l.last();
  lir.imm = f.pack();
  lir.aux = static_cast<std::uint32_t>(d.size());
  lir.aux2 = static_cast<std::uint32_t>(b.size());
  lir.more_defs = lir.aux;
  lir.info.flops = static_cast<std::uint16_t>(2u * f.m * f.n * f.k / kLanes);
  for (const auto* list : {&d, &a, &b, &c})
    lir.more.insert(lir.more.end(), list->begin(), list->end());
  return {};
}

bool sums_fit(const MatrixForm& f) {
  if (f.a == Element::float64) return f.acc == Element::float64 && f.b == Element::float64;
  if (f.a == Element::int8 || f.a == Element::uint8)
    return f.acc == Element::int32 && (f.b == Element::int8 || f.b == Element::uint8);
  if (is_byte_float(f.a))
    return is_byte_float(f.b) && (f.acc == Element::float32 || f.acc == Element::half);
  if (f.a == Element::half)
    return f.b == f.a && (f.acc == Element::float32 || f.acc == Element::half);
  return f.b == f.a && f.acc == Element::float32;
}

/// wmma.{load.a,load.b,load.c,store.d}: rows and columns of the matrix in question.
Status decode_fragment(Lowering& l, MatrixForm f) {
  const auto& parts = l.statement().ins.parts;
  const std::vector<Operand>& ops = l.operands();
  const bool stores = parts[1] == "store";
  const auto type = element(parts.back());
  if (!type || ops.size() != 3) return l.unsupported();
  const std::string_view role = stores ? "d" : parts[2];
  if (role != "a" && role != "b" && role != "c" && role != "d") return l.unsupported();
  const char which = role[0];
  const bool accumulator = which == 'c' || which == 'd';
  f.a = *type;
  const bool of_sums = *type == Element::float32 || *type == Element::half ||
                       *type == Element::int32 ||
                       (*type == Element::float64 && known(kFragments, f));
  if (accumulator ? !of_sums : !known(kFragments, f)) return l.unsupported();
  std::vector<Val> regs;
  WW_CHECK(registers(l, ops[stores ? 1 : 0], width(*type), regs));
  WW_TRY(const Lowering::Address a, l.address(ops[stores ? 0 : 1]));
  WW_TRY(const Val stride, l.value(ops[2], {4}));
  const Space space = has(parts, "shared") || has(parts, "shared::cta") ? Space::shared
                      : has(parts, "global")                            ? Space::global
                                                                        : Space::generic;
  const std::uint32_t rows = which == 'b' ? f.k : f.m, columns = which == 'a' ? f.k : f.n;
  if (!std::has_single_bit(rows) || !std::has_single_bit(columns)) return l.unsupported();
  WW_CHECK(emit_guarded(l, stores ? Opcode::fragment_store : Opcode::fragment_load));
  Lir& lir = l.last();
  lir.a = a.base;
  lir.imm = a.offset;
  lir.b = stride;
  lir.more = regs;
  lir.more_defs = stores ? 0 : static_cast<std::uint32_t>(regs.size());
  lir.aux = static_cast<std::uint32_t>(regs.size()) | static_cast<std::uint32_t>(*type) << 8 |
            (has(parts, "col") ? 1u << 16 : 0u) | (stores ? 1u << 17 : 0u) |
            (a.narrow ? 1u << 18 : 0u);
  lir.aux2 = rows | columns << 8 | static_cast<std::uint32_t>(space) << 16;
  lir.info.access = l.new_access();
  return {};
}

}  // namespace

/// mma.sync.aligned.SHAPE.row.col.DTYPE.ATYPE.BTYPE.CTYPE; f64 may name its rounding.
Status decode_mma(Lowering& l) {
  std::vector<std::string_view> parts(l.statement().ins.parts.begin(),
                                      l.statement().ins.parts.end());
  if (parts.size() == 11 && parts[9] == "f64" && parts[10] == "rn") parts.pop_back();
  if (parts.size() != 10 || parts[1] != "sync" || parts[4] != "row" || parts[5] != "col" ||
      parts[6] != parts[9])
    return l.unsupported();
  MatrixForm f;
  const auto a = element(parts[7]), b = element(parts[8]), acc = element(parts[6]);
  if (!shape(parts[3], f) || !a || !b || !acc) return l.unsupported();
  f.a = *a;
  f.b = *b;
  f.acc = *acc;
  if (!known(kMatrixShapes, f) || !sums_fit(f)) return l.unsupported();
  return emit_mma(l, f);
}

Status decode_wmma(Lowering& l) {
  const auto& parts = l.statement().ins.parts;
  MatrixForm f;
  f.opaque = true;
  if (parts.size() < 6 || !shape(shape_part(parts), f)) return l.unsupported();
  if (parts[1] == "load" || parts[1] == "store") return decode_fragment(l, f);
  if (parts[1] != "mma" || has(parts, "satfinite") || has(parts, "popc")) return l.unsupported();
  // f16: ...SHAPE.DTYPE.CTYPE; others: ...SHAPE.DTYPE.ATYPE.BTYPE.CTYPE; f64 may name its rounding.
  const auto at = std::find(parts.begin(), parts.end(), shape_part(parts));
  std::vector<std::string_view> types(at + 1, parts.end());
  if (types.size() == 5 && types[0] == "f64" && types[4] == "rn") types.pop_back();
  if (types.size() != 2 && types.size() != 4) return l.unsupported();
  const auto acc = element(types[0]);
  const auto a = types.size() == 4 ? element(types[1]) : Element::half,
             b = types.size() == 4 ? element(types[2]) : Element::half;
  if (!acc || !a || !b || types.front() != types.back()) return l.unsupported();
  f.a = *a;
  f.b = *b;
  f.acc = *acc;
  if (!known(kFragments, f) || !sums_fit(f)) return l.unsupported();
  return emit_mma(l, f);
}

/// {ld,st}matrix.sync.aligned.m8n8.xN[.trans].shared.b16 with the registers {d...} and [a].
Status decode_matrix_rows(Lowering& l) {
  const auto& parts = l.statement().ins.parts;
  const std::vector<Operand>& ops = l.operands();
  const bool stores = parts[0] == "stmatrix";
  const std::uint32_t count = has(parts, "x4")   ? 4
                              : has(parts, "x2") ? 2
                              : has(parts, "x1") ? 1
                                                 : 0;
  if (count == 0 || !has(parts, "m8n8") || parts.back() != "b16" || ops.size() != 2)
    return l.unsupported();
  std::vector<Val> regs;
  WW_CHECK(registers(l, ops[stores ? 1 : 0], 4, regs));
  if (regs.size() != count) return l.error("a matrix with the wrong number of registers");
  WW_TRY(Lowering::Address a, l.address(ops[stores ? 0 : 1]));
  // A generic address must lie in the window of shared memory.
  if (!has(parts, "shared") && !has(parts, "shared::cta"))
    a.offset -= static_cast<std::int64_t>(kSharedWindow);
  WW_CHECK(emit_guarded(l, stores ? Opcode::stmatrix : Opcode::ldmatrix));
  Lir& lir = l.last();
  lir.a = a.base;
  lir.imm = a.offset;
  lir.more = regs;
  lir.more_defs = stores ? 0 : count;
  lir.aux = count;
  lir.aux2 = (has(parts, "trans") ? 1u : 0u) | (a.narrow ? 2u : 0u);
  lir.info.access = l.new_access();
  return {};
}

/// movmatrix.sync.aligned.m8n8.trans.b16 d, a.
Status decode_movmatrix(Lowering& l) {
  const std::vector<Operand>& ops = l.operands();
  if (l.statement().ins.text != "movmatrix.sync.aligned.m8n8.trans.b16" || ops.size() != 2)
    return l.unsupported();
  WW_TRY(const Val a, l.value(ops[1], {4}));
  WW_TRY(const Dest d, l.dest(ops[0], {4}));
  WW_CHECK(emit_guarded(l, Opcode::movmatrix));
  l.last().a = a;
  l.last().d = d.val;
  return l.settle(d);
}

}  // namespace warpwright::simt
