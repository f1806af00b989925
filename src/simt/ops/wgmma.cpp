// SPDX-License-Identifier: Apache-2.0
// wgmma: computed when it is issued. What it reads from shared memory is looked at again when the
// kernel waits for it: whoever writes there in between has a race, on a GPU with the product.
//
// A product is one operation of four warps, and a group of products belongs to all four of them.
// So whoever has waited for it knows that the reads of the other three are over, too: in libraries
// one thread of the four warps frees a stage of a pipeline.
#include "simt/ops/wgmma.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "simt/checks/access.h"
#include "simt/checks/order.h"
#include "simt/ops/half.h"
#include "simt/ops/handlers.h"
#include "simt/ops/tensor_sum.h"

namespace warpwright::simt {
namespace {

constexpr u32 kWarps = 4;
constexpr u32 kPieceBytes = 16, kRows = 16, kMostColumns = 256, kRowBytes = 32;
constexpr u32 kSumsPerPiece = 2;  ///< that take as long as both looks at a piece with all checks
constexpr u32 kZerosPerSum = 16;  ///< sums with zeros that take as long as one without

/// Rows of A or columns of B, 32 bytes of K each.
struct Side {
  u8 row[kMostColumns][kRowBytes];
};

/// Which matrix an instruction reads, and how it lies.
struct Reading {
  MatrixDescriptor descriptor;
  u32 first, rows;  ///< of this warp
  bool across;
  u32 element_bytes;
  bool counted, remembered;
};

/// A piece of this warp's shared memory.
bool is_inside(const Warp& w, u32 at) {
  return at % kPieceBytes == 0 && at < w.shared_bytes && kPieceBytes <= w.shared_bytes - at;
}

/// Reads pieces at these addresses; false where some were faults.
bool read_pieces(Warp& w, const Ins* i, const std::vector<u32>& at, bool counted, bool remembered,
                 std::vector<std::byte>& out) {
  out.resize(at.size() * kPieceBytes);
  Ins plain = *i;
  plain.aux = remembered ? kOfProduct : kOfProduct | kRememberedOnce;
  for (std::size_t done = 0; done < at.size(); done += kLanes) {
    const auto count = static_cast<u32>(std::min<std::size_t>(at.size() - done, kLanes));
    const u32 m = count == kLanes ? kAllLanes : (u32{1} << count) - 1;
    u64 a[kLanes] = {};
    bool inside = true;
    for (u32 l = 0; l < count; ++l) {
      a[l] = at[done + l];
      inside = inside && is_inside(w, at[done + l]);
    }
    Target t;
    if (counted || !inside) {
      resolve_shared(w, &plain, a, m, kPieceBytes, Access::load, t);
      if (t.ok != m) return false;
    } else if (w.full_checks) {
      check_shared(w, &plain, a, m, kPieceBytes, Access::load);
    }
    for (u32 l = 0; l < count; ++l)
      std::memcpy(out.data() + (done + l) * kPieceBytes, w.shared + a[l], kPieceBytes);
  }
  return true;
}

std::vector<u32> places(const Reading& r) {
  std::vector<u32> at;
  if (!r.across) {
    for (u32 row = 0; row < r.rows; ++row)
      for (u32 part = 0; part < kRowBytes / kPieceBytes; ++part)
        at.push_back(r.descriptor.along(r.first + row, part));
    return at;
  }
  const u32 per_piece = kPieceBytes / r.element_bytes, inner = kRowBytes / r.element_bytes;
  for (u32 k = 0; k < inner; ++k)
    for (u32 part = 0; part < r.rows / per_piece; ++part)
      at.push_back(r.descriptor.across(r.first / per_piece + part, k));
  return at;
}

template <u32 kBytes>
void spread_across(u32 rows, const std::byte* bytes, Side& side) {
  for (u32 k = 0; k < kRowBytes; k += kBytes)
    for (u32 row = 0; row < rows; ++row, bytes += kBytes)
      std::memcpy(side.row[row] + k, bytes, kBytes);
}

void spread(const Reading& r, const std::byte* bytes, Side& side) {
  if (!r.across) {
    for (u32 row = 0; row < r.rows; ++row)
      std::memcpy(side.row[row], bytes + std::size_t{row} * kRowBytes, kRowBytes);
    return;
  }
  if (r.element_bytes == 1) return spread_across<1>(r.rows, bytes, side);
  if (r.element_bytes == 2) return spread_across<2>(r.rows, bytes, side);
  spread_across<4>(r.rows, bytes, side);
}

/// A's registers: rows lane / 4 and 8 more, four lanes along K.
void collect_rows(const Warp& w, const Ref* registers, Side& side) {
  for (u32 r = 0; r < 4; ++r) {
    const u32* v = w.slot<u32>(registers[r]);
    for (u32 l = 0; l < kLanes; ++l)
      std::memcpy(side.row[(l >> 2) + 8 * (r & 1)] + 16 * (r >> 1) + 4 * (l & 3), &v[l], 4);
  }
}

s32 integer_sum(const WgmmaForm& f, const u8* a, const u8* b, s32 c) {
  u32 sum = static_cast<u32>(c);
  for (u32 k = 0; k < f.k; ++k) {
    const s32 x = f.a == Element::int8 ? static_cast<s8>(a[k]) : a[k];
    const s32 y = f.b == Element::int8 ? static_cast<s8>(b[k]) : b[k];
    sum += static_cast<u32>(x * y);
  }
  return static_cast<s32>(sum);
}

/// Calls visit(register, lane, bits from, row, column) for every element of d.
template <class Visit>
void for_sums(const WgmmaForm& f, Visit visit) {
  const bool halves = f.acc == Element::half;
  for (u32 column = 0; column < f.n; ++column) {
    for (u32 row = 0; row < kRows; ++row) {
      const u32 lane = (row & 7) * 4 + (column & 7) / 2;
      const u32 e = (column >> 3) * 4 + (row >> 3) * 2 + (column & 1);
      visit(halves ? e / 2 : e, lane, halves ? 16 * (e & 1) : 0, row, column);
    }
  }
}

u32 registers_of(const WgmmaForm& f) { return f.acc == Element::half ? f.n / 4u : f.n / 2u; }

template <class Sum>
void add_up(Warp& w, const Ins* i, const WgmmaForm& f, bool adds, Sum sum) {
  const u32 registers = registers_of(f);
  const bool halves = f.acc == Element::half;
  for_sums(f, [&](u32 reg, u32 lane, u32 shift, u32 row, u32 column) {
    const u32 field = halves ? 0xffffu : ~0u;
    const u32 old = w.slot<u32>(i->more[registers + reg])[lane] >> shift & field;
    const u32 now = sum(row, column, adds ? old : 0);
    u32& word = w.slot<u32>(i->more[reg])[lane];
    word = (word & ~(field << shift)) | (now & field) << shift;
  });
}

/// add_up() of floats, eight columns at a time: of a row four lanes have two each.
void add_floats(Warp& w, const Ins* i, const MatrixForm& form, u32 n, bool adds,
                const TensorVector* rows, const TensorVector* columns) {
  static thread_local TensorColumns side;
  const TensorRule rule = tensor_rule(form);
  const u32 registers = n / 2;
  for (u32 first = 0; first < n; first += kSideBySide) {
    side.set_all(columns + first, form.k);
    for (u32 row = 0; row < kRows; ++row) {
      const u32 lane = (row & 7) * 4, reg = first / 2 + (row >> 3) * 2;
      u32 sums[kSideBySide] = {};
      for (u32 c = 0; c < kSideBySide && adds; ++c)
        sums[c] = w.slot<u32>(i->more[registers + reg + (c & 1)])[lane + c / 2];
      tensor_sums(form, rule, rows[row], columns + first, side, sums);
      for (u32 c = 0; c < kSideBySide; ++c)
        w.slot<u32>(i->more[reg + (c & 1)])[lane + c / 2] = sums[c];
    }
  }
}

/// How many of these are not all zeros: sums of zeros take no time.
u32 some_of(const TensorVector* vectors, u32 count) {
  return static_cast<u32>(
      std::count_if(vectors, vectors + count, [](const TensorVector& v) { return !v.all_zero; }));
}

void multiply(Warp& w, const Ins* i, const WgmmaForm& f, bool adds, const Side& a, const Side& b) {
  if (is_byte_integer(f.a)) {
    note_sums(w, kRows * f.n);
    add_up(w, i, f, adds, [&](u32 row, u32 column, u32 c) {
      return static_cast<u32>(integer_sum(f, a.row[row], b.row[column], static_cast<s32>(c)));
    });
    return;
  }
  static thread_local TensorVector rows[kRows], columns[kMostColumns];
  for (u32 r = 0; r < kRows; ++r) rows[r].set_all(f.a, a.row[r], f.k, f.negate_a);
  for (u32 c = 0; c < f.n; ++c) columns[c].set_all(f.b, b.row[c], f.k, f.negate_b);
  note_sums(w, some_of(rows, kRows) * some_of(columns, f.n) + kRows * f.n / kZerosPerSum);
  MatrixForm form;
  form.m = kRows;
  form.k = f.k;
  form.a = f.a;
  form.b = f.b;
  form.acc = f.acc;
  const TensorRule rule = tensor_rule(form);
  if (f.acc != Element::half) return add_floats(w, i, form, f.n, adds, rows, columns);
  add_up(w, i, f, adds, [&](u32 row, u32 column, u32 c) {
    return tensor_sum(form, rule, rows[row], columns[column], c);
  });
}

/// The warps that take part in this one's products; the last ones of a block may be fewer.
std::span<Warp> partners(const Warp& w) {
  const std::span<Warp> all = w.block->warps;
  return all.subspan(w.index / kWarps * kWarps)
      .first(std::min<std::size_t>(kWarps, all.size() - w.index / kWarps * kWarps));
}

/// All lanes of all warps that take part.
bool is_whole(Warp& w, const Ins* i, u32 m) {
  if (m == 0) return false;
  const bool apart = m != kAllLanes || partners(w).size() != kWarps;
  if (apart) {
    report_lazily(w, i, FaultKind::sync_mask, static_cast<u32>(std::countr_zero(m)), 0, "", [] {
      return std::string("a matrix instruction of four warps needs all 32 lanes of each");
    });
  }
  return !apart;
}

bool is_followed(Warp& w, const Ins* i, const MatrixDescriptor& d) {
  if (d.is_known()) return true;
  report_lazily(w, i, FaultKind::misaligned, 0, 0, "shared", [] {
    return std::string(
        "a matrix descriptor with a base offset: patterns must start at a multiple of their size "
        "here");
  });
  return false;
}

bool read_side(Warp& w, const Ins* i, const Reading& r, Side& side, WgmmaReads& reads) {
  if (!is_followed(w, i, r.descriptor)) return false;
  const std::vector<u32> at = places(r);
  std::vector<std::byte> bytes;
  if (!read_pieces(w, i, at, r.counted, r.remembered, bytes)) return false;
  spread(r, bytes.data(), side);
  if (w.full_checks) note_sums(w, static_cast<u32>(at.size()) * kSumsPerPiece);
  reads.at.insert(reads.at.end(), at.begin(), at.end());
  reads.bytes.insert(reads.bytes.end(), bytes.begin(), bytes.end());
  return true;
}

/// What this warp's product is known by; the pieces follow.
WgmmaReads reads_of(const Warp& w, const Ins* i, const WgmmaForm& f) {
  WgmmaReads reads;
  reads.from = i->id;
  reads.group = w.wgmma.group;
  reads.number = w.wgmma.issued;
  reads.form = i->imm;
  reads.a = f.a_in_registers ? 0 : w.slot<u64>(i->a)[0];
  reads.b = w.slot<u64>(i->b)[0];
  return reads;
}

/// Looks again at what a product read. Where accesses are followed by warp, its reads are in order
/// with whatever knows that it is over; else it reads until now.
void look_again(Warp& w, const Ins* i, const WgmmaReads& r) {
  const Ins* const from = &w.kernel->code[r.from];
  std::vector<std::byte> now;
  if (w.block->follows_shared) {
    now.resize(r.bytes.size());
    for (std::size_t k = 0; k < r.at.size(); ++k)
      std::memcpy(now.data() + k * kPieceBytes, w.shared + r.at[k], kPieceBytes);
  } else if (!read_pieces(w, from, r.at, false, false, now)) {
    return;
  }
  if (now == r.bytes) return;
  const auto changed = std::mismatch(now.begin(), now.end(), r.bytes.begin()).first - now.begin();
  const u64 at = r.at[static_cast<std::size_t>(changed) / kPieceBytes];
  report_lazily(w, from, FaultKind::shared_race, 0, at, "shared", [&] {
    return fmt::format(
        "the product still reads {}, which was overwritten before the kernel waits for it at {}",
        describe_shared(w, at), place_of(w, i));
  });
}

/// Whether a partner's product with this number is this one: in the same group, of the same form
/// and of the same matrices. One that is not there any more was of a group that has ended.
bool is_same_product(const Warp& partner, const WgmmaReads& mine) {
  for (const WgmmaReads& r : partner.wgmma.reads)
    if (r.number == mine.number)
      return r.group == mine.group && r.form == mine.form && r.a == mine.a && r.b == mine.b;
  return false;
}

/// Whether this warp is the first of the four to issue a product, or issues another one than they.
bool is_first(Warp& w, const Ins* i, const WgmmaReads& mine) {
  bool first = true;
  for (const Warp& k : partners(w)) {
    if (k.index == w.index || k.wgmma.issued <= mine.number) continue;
    first = false;
    if (is_same_product(k, mine)) continue;
    report_lazily(w, i, FaultKind::sync_mask, 0, 0, "", [&] {
      return fmt::format(
          "warps {} and {} do not make the same matrix product: another form, other descriptors or "
          "another group",
          k.index, w.index);
    });
    return true;
  }
  return first;
}

/// Whether one of them has not come as far as to begin these groups of products.
bool lags_behind(std::span<const Warp> warps, u32 groups) {
  return std::any_of(warps.begin(), warps.end(),
                     [groups](const Warp& w) { return w.wgmma.group < groups; });
}

}  // namespace

u32 MatrixDescriptor::pieces() const {
  switch (bits_ >> 62) {
    case 1:
      return 8;
    case 2:
      return 4;
    case 3:
      return 2;
    default:
      return 1;
  }
}

u32 MatrixDescriptor::swizzled(u32 at) const { return at ^ (at >> 3 & (pieces() - 1) << 4); }

u32 MatrixDescriptor::along(u32 row, u32 part) const {
  const u32 groups = start() + row / 8 * stride();
  if (pieces() == 1) return groups + row % 8 * kPieceBytes + part * leading();
  return swizzled(groups + row % 8 * pieces() * kPieceBytes + part * kPieceBytes);
}

u32 MatrixDescriptor::across(u32 part, u32 k) const {
  if (pieces() == 1) return start() + part * stride() + k % 8 * kPieceBytes + k / 8 * leading();
  return swizzled(start() + part % pieces() * kPieceBytes + part / pieces() * leading() +
                  k % 8 * pieces() * kPieceBytes + k / 8 * stride());
}

const Ins* run_wgmma(Warp& w, const Ins* i) {
  if (!is_whole(w, i, w.lanes(i))) return i + 1;
  const WgmmaForm f = WgmmaForm::unpack(i->imm);
  static thread_local Side a, b;
  WgmmaReads reads = reads_of(w, i, f);
  const bool first = w.full_checks && is_first(w, i, reads);
  bool good = true;
  if (f.a_in_registers)
    collect_rows(w, i->more + 2 * registers_of(f), a);
  else
    good = read_side(w, i,
                     {MatrixDescriptor(reads.a), w.index % 4 * kRows, kRows, f.across_a,
                      element_bytes(f.a), true, true},
                     a, reads);
  // Hardware reads B once for four warps: one of them counts it, and the first one remembers it.
  good = read_side(w, i,
                   {MatrixDescriptor(reads.b), 0, f.n, f.across_b, element_bytes(f.b),
                    w.index % 4 == 0, first},
                   b, reads) &&
         good;
  if (good) multiply(w, i, f, (w.predicate(i->c) & 1) != 0, a, b);
  if (w.full_checks) {
    w.wgmma.reads.push_back(std::move(reads));
    ++w.wgmma.issued;
  }
  return i + 1;
}

const Ins* run_wgmma_commit(Warp& w, const Ins* i) {
  if (w.lanes(i) == 0) return i + 1;
  ++w.wgmma.group;
  for (Warp& k : partners(w))
    for (Split& s : k.splits)
      if (s.state == Split::State::at_product) s.state = Split::State::ready;
  return i + 1;
}

const Ins* run_wgmma_wait(Warp& w, const Ins* i) {
  if (w.lanes(i) == 0) return i + 1;
  const u32 open = static_cast<u32>(i->imm);
  const u32 done = w.wgmma.group > open ? w.wgmma.group - open : 0;
  const std::span<Warp> warps = partners(w);
  if (lags_behind(warps, done)) {
    Split& s = w.splits[static_cast<std::size_t>(w.current)];
    s.state = Split::State::at_product;
    s.ip = i;
    return switch_split(w);
  }
  for (Warp& k : warps) {
    for (const WgmmaReads& r : k.wgmma.reads)
      if (r.group < done) look_again(k, i, r);
    std::erase_if(k.wgmma.reads, [&](const WgmmaReads& r) { return r.group < done; });
  }
  end_products_in_order(w, warps, done);
  return i + 1;
}

}  // namespace warpwright::simt
