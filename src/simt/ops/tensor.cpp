// SPDX-License-Identifier: Apache-2.0
// Matrix instructions: where elements are in registers and memory. tensor_sum adds them up.
#include "simt/ops/tensor.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "simt/checks/access.h"
#include "simt/ops/half.h"
#include "simt/ops/handlers.h"
#include "simt/ops/tensor_sum.h"

namespace warpwright::simt {
namespace {

u32 bits_of(Element e) {
  switch (e) {
    case Element::half:
    case Element::bfloat:
      return 16;
    case Element::int8:
    case Element::uint8:
    case Element::e4m3:
    case Element::e5m2:
      return 8;
    case Element::float64:
      return 64;
    default:
      return 32;
  }
}

f64 value_of(Element e, u64 bits) {
  switch (e) {
    case Element::half:
      return to_float(Half{static_cast<u16>(bits)});
    case Element::bfloat:
      return to_float(BFloat{static_cast<u16>(bits)});
    // The low 13 bits of a tf32 operand are ignored.
    case Element::tf32:
      return std::bit_cast<f32>(static_cast<u32>(bits) & 0xffffe000u);
    case Element::float32:
      return std::bit_cast<f32>(static_cast<u32>(bits));
    case Element::float64:
      return std::bit_cast<f64>(bits);
    case Element::int8:
      return static_cast<s8>(bits);
    case Element::uint8:
      return static_cast<u8>(bits);
    case Element::int32:
      return static_cast<s32>(bits);
    case Element::e4m3:
    case Element::e5m2:
      break;  // multiply_floats takes them apart
  }
  return 0;
}

u64 bits_from(Element e, f64 x) {
  switch (e) {
    case Element::half:
      return to_half(x).bits;
    case Element::float64:
      return std::bit_cast<u64>(x);
    case Element::int32:
      return static_cast<u32>(static_cast<s64>(x));
    default:
      return std::bit_cast<u32>(static_cast<f32>(x));
  }
}

u64 get(const Warp& w, Ref reg, u32 lane, u32 bits, u32 part) {
  if (bits == 64) return w.slot<u64>(reg)[lane];
  return w.slot<u32>(reg)[lane] >> (bits * part) & ((u64{1} << bits) - 1);
}

void put(Warp& w, Ref reg, u32 lane, u32 bits, u32 part, u64 value) {
  if (bits == 64) {
    w.slot<u64>(reg)[lane] = value;
    return;
  }
  u32& word = w.slot<u32>(reg)[lane];
  const u32 field = bits == 32 ? ~0u : ((1u << bits) - 1) << (bits * part);
  word = (word & ~field) | (static_cast<u32>(value) << (bits * part) & field);
}

enum class Role : std::uint8_t { a, b, c };

struct Place {
  u32 row, column;
};
/// Of the first element of register `r` in `lane`.
Place place(const MatrixForm& f, Role role, u32 r, u32 lane, u32 per_register) {
  const u32 group = lane >> 2, quad = lane & 3;
  if (role == Role::a) {
    const u32 low = f.m == 16 ? 8 * (r & 1) : 0;
    const u32 block = f.m == 16 ? r >> 1 : r;
    return {group + low, quad * per_register + block * 4 * per_register};
  }
  if (role == Role::b) return {quad * per_register + r * 4 * per_register, group};
  const u32 e = r * per_register;
  return {group + 8 * (e >> 1), quad * 2 + (e & 1)};
}

/// Visits the first element of every register. The others of it follow in the same row; those of B
/// in the same column, unless the fragment is opaque.
template <class Visit>
void for_registers(const MatrixForm& f, Role role, Element type, u32 registers, Visit visit) {
  const u32 bits = bits_of(type);
  const u32 per_register = bits >= 32 ? 1 : 32 / bits;
  const u32 columns = role == Role::a ? f.k : f.n;
  const u32 rows = role == Role::b ? f.k : f.m;
  Place next{0, 0};  // of opaque fragments: one after the other, over and over
  for (u32 lane = 0; lane < kLanes; ++lane) {
    for (u32 r = 0; r < registers; ++r) {
      visit(f.opaque ? next : place(f, role, r, lane, per_register), r, lane);
      next.column += per_register;
      if (next.column < columns) continue;
      next.column = 0;
      next.row = next.row + 1 < rows ? next.row + 1 : 0;
    }
  }
}

template <class Visit>
void for_elements(const MatrixForm& f, Role role, Element type, u32 registers, Visit visit) {
  const u32 bits = bits_of(type);
  const u32 per_register = bits >= 32 ? 1 : 32 / bits;
  const bool down = role == Role::b && !f.opaque;
  for_registers(f, role, type, registers, [&](Place p, u32 r, u32 lane) {
    for (u32 part = 0; part < per_register; ++part)
      visit(Place{p.row + (down ? part : 0), p.column + (down ? 0 : part)}, r, lane, bits, part);
  });
}

bool whole_warp(Warp& w, const Ins* i) {
  const u32 m = w.lanes(i);
  if (m == kAllLanes || m == 0) return m != 0;
  report_lazily(w, i, FaultKind::sync_mask, static_cast<u32>(std::countr_zero(m)), 0, "",
                [] { return std::string("a matrix instruction needs all 32 lanes of the warp"); });
  return false;
}

}  // namespace

namespace {

/// Where the registers of a matrix instruction are.
struct MmaOperands {
  MatrixForm f;
  const Ref *d, *a, *b, *c;
  u32 d_registers, b_registers;

  explicit MmaOperands(const Ins* i)
      : f(MatrixForm::unpack(i->imm)),
        d(i->more),
        a(d + i->aux),
        b(a + f.a_registers),
        c(b + i->aux2),
        d_registers(i->aux),
        b_registers(i->aux2) {}
};

/// Integers and binary64: exact products, added in order.
void multiply_plainly(Warp& w, const MmaOperands& o) {
  const MatrixForm& f = o.f;
  constexpr u32 kMost = 32 * 32;
  static thread_local f64 ma[kMost], mb[kMost], mc[kMost];
  for_elements(f, Role::a, f.a, f.a_registers, [&](Place p, u32 r, u32 lane, u32 bits, u32 part) {
    ma[p.row * f.k + p.column] = value_of(f.a, get(w, o.a[r], lane, bits, part));
  });
  for_elements(f, Role::b, f.b, o.b_registers, [&](Place p, u32 r, u32 lane, u32 bits, u32 part) {
    mb[p.row * f.n + p.column] = value_of(f.b, get(w, o.b[r], lane, bits, part));
  });
  for_elements(f, Role::c, f.acc, o.d_registers, [&](Place p, u32 r, u32 lane, u32 bits, u32 part) {
    mc[p.row * f.n + p.column] = value_of(f.acc, get(w, o.c[r], lane, bits, part));
  });
  for (u32 row = 0; row < f.m; ++row)
    for (u32 k = 0; k < f.k; ++k)
      for (u32 column = 0; column < f.n; ++column)
        mc[row * f.n + column] =
            std::fma(ma[row * f.k + k], mb[k * f.n + column], mc[row * f.n + column]);
  for_elements(f, Role::c, f.acc, o.d_registers, [&](Place p, u32 r, u32 lane, u32 bits, u32 part) {
    put(w, o.d[r], lane, bits, part, bits_from(f.acc, mc[p.row * f.n + p.column]));
  });
}

bool is_real(Element e) {
  return e == Element::half || e == Element::bfloat || e == Element::tf32 || e == Element::e4m3 ||
         e == Element::e5m2;
}

/// Rows of A, or columns of B.
struct Bytes {
  u8 of[32][kMostInner * 4];
};

void collect_rows(const Warp& w, const MmaOperands& o, Bytes& out) {
  const u32 bytes = bits_of(o.f.a) / 8;
  for_registers(o.f, Role::a, o.f.a, o.f.a_registers, [&](Place p, u32 r, u32 lane) {
    std::memcpy(&out.of[p.row][p.column * bytes], &w.slot<u32>(o.a[r])[lane], sizeof(u32));
  });
}

void collect_columns(const Warp& w, const MmaOperands& o, Bytes& out) {
  const u32 bytes = bits_of(o.f.b) / 8, per_register = sizeof(u32) / bytes;
  for_registers(o.f, Role::b, o.f.b, o.b_registers, [&](Place p, u32 r, u32 lane) {
    const auto* from = reinterpret_cast<const std::byte*>(&w.slot<u32>(o.b[r])[lane]);
    if (!o.f.opaque) {
      std::memcpy(&out.of[p.column][p.row * bytes], from, sizeof(u32));
      return;
    }
    for (u32 part = 0; part < per_register; ++part, from += bytes)
      std::memcpy(&out.of[p.column + part][p.row * bytes], from, bytes);
  });
}

/// f16, bf16, tf32 and types of 8 bits, as the hardware adds them.
void multiply_floats(Warp& w, const MmaOperands& o) {
  const MatrixForm& f = o.f;
  static thread_local TensorVector rows[32], columns[32];
  static thread_local TensorColumns side;
  static thread_local u32 sums[32 * 32];
  static thread_local Bytes bytes;
  collect_rows(w, o, bytes);
  for (u32 k = 0; k < f.m; ++k) rows[k].set_all(f.a, bytes.of[k], f.k, false);
  collect_columns(w, o, bytes);
  for (u32 k = 0; k < f.n; ++k) columns[k].set_all(f.b, bytes.of[k], f.k, false);
  const TensorRule rule = tensor_rule(f);
  for_elements(f, Role::c, f.acc, o.d_registers, [&](Place p, u32 r, u32 lane, u32 bits, u32 part) {
    sums[p.row * f.n + p.column] = static_cast<u32>(get(w, o.c[r], lane, bits, part));
  });
  for (u32 first = 0; first < f.n; first += kSideBySide) {
    side.set_all(columns + first, f.k);
    for (u32 row = 0; row < f.m; ++row)
      tensor_sums(f, rule, rows[row], columns + first, side, sums + row * f.n + first);
  }
  for_elements(f, Role::c, f.acc, o.d_registers, [&](Place p, u32 r, u32 lane, u32 bits, u32 part) {
    put(w, o.d[r], lane, bits, part, sums[p.row * f.n + p.column]);
  });
}

}  // namespace

const Ins* run_mma(Warp& w, const Ins* i) {
  if (!whole_warp(w, i)) return i + 1;
  const MmaOperands o(i);
  note_sums(w, u32{o.f.m} * o.f.n);
  if (is_real(o.f.a))
    multiply_floats(w, o);
  else
    multiply_plainly(w, o);
  return i + 1;
}

const Ins* run_ldmatrix(Warp& w, const Ins* i) {
  if (!whole_warp(w, i)) return i + 1;
  const u32 matrices = i->aux;
  u64 a[kLanes];
  lane_addresses(w, i->a, (i->aux2 & 2) != 0, i->imm, a);
  const u32 m = matrices == 4 ? kAllLanes : (u32{1} << (8 * matrices)) - 1;
  Target t;
  Ins plain = *i;
  plain.aux = 0;
  resolve_shared(w, &plain, a, m, 16, Access::load, t);
  u16 rows[kLanes][8] = {};
  for (u32 l = 0; l < kLanes; ++l)
    if ((t.ok >> l & 1) != 0) std::memcpy(rows[l], t.lane[l], 16);
  for (u32 k = 0; k < matrices; ++k) {
    u32* d = w.slot<u32>(i->more[k]);
    for (u32 l = 0; l < kLanes; ++l) {
      const u32 first = 2 * (l & 3), other = l >> 2;
      const bool across = (i->aux2 & 1) != 0;
      const u16 low = across ? rows[8 * k + first][other] : rows[8 * k + other][first];
      const u16 high = across ? rows[8 * k + first + 1][other] : rows[8 * k + other][first + 1];
      d[l] = low | u32{high} << 16;
    }
  }
  return i + 1;
}

const Ins* run_stmatrix(Warp& w, const Ins* i) {
  if (!whole_warp(w, i)) return i + 1;
  const u32 matrices = i->aux;
  u64 a[kLanes];
  lane_addresses(w, i->a, (i->aux2 & 2) != 0, i->imm, a);
  u16 rows[kLanes][8] = {};
  for (u32 k = 0; k < matrices; ++k) {
    const u32* s = w.slot<u32>(i->more[k]);
    for (u32 l = 0; l < kLanes; ++l) {
      const u32 first = 2 * (l & 3), other = l >> 2;
      const bool across = (i->aux2 & 1) != 0;
      (across ? rows[8 * k + first][other] : rows[8 * k + other][first]) = static_cast<u16>(s[l]);
      (across ? rows[8 * k + first + 1][other] : rows[8 * k + other][first + 1]) =
          static_cast<u16>(s[l] >> 16);
    }
  }
  const u32 m = matrices == 4 ? kAllLanes : (u32{1} << (8 * matrices)) - 1;
  Target t;
  Ins plain = *i;
  plain.aux = 0;
  resolve_shared(w, &plain, a, m, 16, Access::store, t);
  for (u32 l = 0; l < kLanes; ++l)
    if ((t.ok >> l & 1) != 0) std::memcpy(t.lane[l], rows[l], 16);
  return i + 1;
}

const Ins* run_movmatrix(Warp& w, const Ins* i) {
  if (!whole_warp(w, i)) return i + 1;
  u16 rows[8][8];
  const u32* s = w.slot<u32>(i->a);
  u32* d = w.slot<u32>(i->d);
  for (u32 l = 0; l < kLanes; ++l) {
    rows[l >> 2][2 * (l & 3)] = static_cast<u16>(s[l]);
    rows[l >> 2][2 * (l & 3) + 1] = static_cast<u16>(s[l] >> 16);
  }
  for (u32 l = 0; l < kLanes; ++l)
    d[l] = rows[2 * (l & 3)][l >> 2] | u32{rows[2 * (l & 3) + 1][l >> 2]} << 16;
  return i + 1;
}

namespace {

/// Where a fragment's elements are: lane after lane, and in a lane one register after the other.
struct Fragment {
  u32 registers, bits, bytes, per_register;
  u32 rows, wide;  ///< columns: 1 << wide
  u32 stride;      ///< in elements, of rows or of columns
  bool by_column;

  [[nodiscard]] u32 per_lane() const { return registers * per_register; }
  [[nodiscard]] u64 offset(u32 lane, u32 element) const {
    const u32 at = lane * per_lane() + element;
    const u32 row = at >> wide & (rows - 1), column = at & ((1u << wide) - 1);
    return u64{by_column ? column * stride + row : row * stride + column} * bytes;
  }
};

constexpr u32 kWidest = 16;

/// How many bytes of a lane's elements lie together, as far as one access takes them.
u32 together(const Fragment& f, const u64* base) {
  if (f.by_column || f.bits > 32 || f.per_lane() > 1u << f.wide) return f.bytes;
  u64 places = u64{f.stride} * f.bytes | u64{f.per_lane()} * f.bytes | kWidest;
  for (u32 l = 0; l < kLanes; ++l) places |= base[l];
  const u32 bytes = 1u << std::countr_zero(places);
  return bytes < sizeof(u32) ? f.bytes : bytes;
}

/// Of every lane, between memory and the registers from `first` on: whole ones.
void move_words(Warp& w, const Ref* registers, const Target& t, u32 count, bool stores) {
  for (u32 k = 0; k < count; ++k) {
    u32* const words = w.slot<u32>(registers[k]);
    for (u32 l = 0; l < kLanes; ++l) {
      if ((t.ok >> l & 1) == 0) continue;
      std::byte* const at = t.lane[l] + k * sizeof(u32);
      if (stores)
        std::memcpy(at, &words[l], sizeof(u32));
      else
        std::memcpy(&words[l], at, sizeof(u32));
    }
  }
}

void move_element(Warp& w, Ref reg, const Target& t, u32 bits, u32 part, bool stores) {
  for (u32 l = 0; l < kLanes; ++l) {
    if ((t.ok >> l & 1) == 0) continue;
    u64 value = 0;
    if (stores) {
      value = get(w, reg, l, bits, part);
      std::memcpy(t.lane[l], &value, bits / 8);
    } else {
      std::memcpy(&value, t.lane[l], bits / 8);
      put(w, reg, l, bits, part, value);
    }
  }
}

void resolve(Space space, Warp& w, const Ins* i, const u64* a, u32 bytes, Access kind, Target& t) {
  if (space == Space::shared) return resolve_shared(w, i, a, kAllLanes, bytes, kind, t);
  if (space == Space::global) return resolve_global(w, i, a, kAllLanes, bytes, kind, t);
  resolve_generic(w, i, a, kAllLanes, bytes, kind, t);
}

}  // namespace

const Ins* run_fragment(Warp& w, const Ins* i) {
  if (!whole_warp(w, i)) return i + 1;
  const u32 bits = bits_of(static_cast<Element>(i->aux >> 8 & 255));
  const Fragment f{.registers = i->aux & 255,
                   .bits = bits,
                   .bytes = bits / 8,
                   .per_register = bits >= 32 ? 1 : 32 / bits,
                   .rows = i->aux2 & 255,
                   .wide = static_cast<u32>(std::countr_zero(i->aux2 >> 8 & 255)),
                   .stride = w.slot<u32>(i->b)[0],
                   .by_column = (i->aux >> 16 & 1) != 0};
  const bool stores = (i->aux >> 17 & 1) != 0;
  u64 base[kLanes];
  lane_addresses(w, i->a, (i->aux >> 18 & 1) != 0, i->imm, base);
  const u32 bytes = together(f, base);
  Ins plain = *i;
  plain.aux = 0;
  for (u32 first = 0; first < f.per_lane(); first += bytes / f.bytes) {
    u64 a[kLanes];
    for (u32 l = 0; l < kLanes; ++l) a[l] = base[l] + f.offset(l, first);
    Target t;
    resolve(static_cast<Space>(i->aux2 >> 16), w, &plain, a, bytes,
            stores ? Access::store : Access::load, t);
    const Ref* const reg = i->more + first / f.per_register;
    if (bytes % sizeof(u32) == 0 && f.bits <= 32)
      move_words(w, reg, t, bytes / sizeof(u32), stores);
    else
      move_element(w, *reg, t, bits, first % f.per_register, stores);
  }
  return i + 1;
}

}  // namespace warpwright::simt
