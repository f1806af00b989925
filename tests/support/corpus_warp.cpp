// SPDX-License-Identifier: Apache-2.0
// Cases of instructions in which lanes work together: exchanges, atomics, matrices.
#include "support/corpus.h"

namespace warpwright::corpus {
namespace {

using std::string;

/// The lanes whose %a1 is odd carry out `body` with that mask in %r1; the others give 7.
string some_lanes(const string& body) {
  return "and.b32 %r0, %a1, 1; setp.ne.u32 %p0, %r0, 0; vote.sync.ballot.b32 %r1, %p0, -1; "
         "mov.u32 %o, 7; @!%p0 bra SKIP; " +
         body + " SKIP: bar.warp.sync -1;";
}

string with_predicate(const string& instruction) {
  return instruction + " selp.u32 %r4, 1, 0, %p1; mov.b64 %o, {%r3, %r4};";
}

void add_votes(std::vector<Case>& cases) {
  for (const char* mode : {"all", "any", "uni"}) {
    const string name = string("vote.sync.") + mode + ".pred";
    cases.push_back({name,
                     "warp",
                     {{Kind::few, 1}},
                     {Kind::int32, 1},
                     "setp.ne.u32 %p0, %a0, 0; " + name + " %p1, %p0, -1; selp.u32 %o, 1, 0, %p1;",
                     {}});
    cases.push_back(
        {name + " some",
         "warp",
         {{Kind::few, 1}, {Kind::few, 1}},
         {Kind::int32, 1},
         some_lanes("setp.eq.u32 %p1, %a0, 1; " + name + " %p2, %p1, %r1; selp.u32 %o, 1, 0, %p2;"),
         {}});
  }
  cases.push_back({"vote.sync.ballot.b32 some",
                   "warp",
                   {{Kind::few, 1}, {Kind::few, 1}},
                   {Kind::int32, 1},
                   some_lanes("setp.eq.u32 %p1, %a0, 1; vote.sync.ballot.b32 %o, %p1, %r1;"),
                   {}});
}

void add_matches(std::vector<Case>& cases) {
  for (const char* type : {"b32", "b64"}) {
    const bool wide = string(type) == "b64";
    const string value = wide ? "cvt.u64.u32 %d0, %a0; " : "mov.u32 %r2, %a0; ";
    const string from = wide ? "%d0" : "%r2";
    cases.push_back({string("match.any.sync.") + type,
                     "warp",
                     {{Kind::few, 1}, {Kind::few, 1}},
                     {Kind::int32, 1},
                     some_lanes(value + "match.any.sync." + type + " %o, " + from + ", %r1;"),
                     {}});
    cases.push_back(
        {string("match.all.sync.") + type,
         "warp",
         {{Kind::few, 1}},
         {Kind::int64, 1},
         value + with_predicate(string("match.all.sync.") + type + " %r3|%p1, " + from + ", -1;"),
         {}});
  }
}

}  // namespace

void add_warp_cases(std::vector<Case>& cases) {
  for (const char* mode : {"up", "down", "bfly", "idx"}) {
    const string name = string("shfl.sync.") + mode + ".b32";
    cases.push_back({name,
                     "warp",
                     {{Kind::int32, 1}, {Kind::lane, 1}, {Kind::lane, 1}},
                     {Kind::int64, 1},
                     with_predicate(name + " %r3|%p1, %a0, %a1, %a2, -1;"),
                     {}});
  }
  add_votes(cases);
  add_matches(cases);
  for (const char* op : {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32",
                         "and.b32", "or.b32", "xor.b32"}) {
    const string name = string("redux.sync.") + op;
    cases.push_back(
        {name, "warp", {{Kind::int32, 1}}, {Kind::int32, 1}, name + " %o, %a0, -1;", {}});
    cases.push_back({name + " some",
                     "warp",
                     {{Kind::int32, 1}, {Kind::few, 1}},
                     {Kind::int32, 1},
                     some_lanes(name + " %o, %a0, %r1;"),
                     {}});
  }
  cases.push_back({"elect.sync",
                   "warp",
                   {{Kind::int32, 1}, {Kind::few, 1}},
                   {Kind::int32, 1},
                   some_lanes("elect.sync %r3|%p1, %r1; selp.u32 %r4, 64, 0, %p1; "
                              "add.u32 %o, %r3, %r4;"),
                   {}});
  cases.push_back(
      {"activemask.b32", "warp", {{Kind::few, 1}}, {Kind::int32, 1}, "activemask.b32 %o;", {}});
  for (const char* form : {"popc.u32", "and.pred", "or.pred"}) {
    const bool popc = string(form) == "popc.u32";
    cases.push_back({string("barrier.sync.red.") + form,
                     "warp",
                     {{Kind::few, 1}},
                     {Kind::int32, 1},
                     string("setp.eq.u32 %p0, %a0, 1; bar.red.") + form + (popc ? " %o" : " %p1") +
                         ", 0, %p0;" + (popc ? "" : " selp.u32 %o, 1, 0, %p1;"),
                     {}});
  }
}

namespace {

struct AtomicRow {
  const char* op;
  const char* type;
  Kind kind;
};
constexpr AtomicRow kAtomics[] = {
    {"add", "u32", Kind::int32},
    {"add", "s32", Kind::int32},
    {"add", "u64", Kind::int64},
    {"add", "f32", Kind::single},
    {"add", "f64", Kind::double_},
    {"add.noftz", "f16", Kind::half},
    {"add.noftz", "f16x2", Kind::half2},
    {"add.noftz", "bf16", Kind::bfloat},
    {"add.noftz", "bf16x2", Kind::bfloat2},
    {"min", "u32", Kind::int32},
    {"min", "s32", Kind::int32},
    {"min", "u64", Kind::int64},
    {"min", "s64", Kind::int64},
    {"max", "u32", Kind::int32},
    {"max", "s32", Kind::int32},
    {"max", "u64", Kind::int64},
    {"max", "s64", Kind::int64},
    {"and", "b32", Kind::int32},
    {"or", "b32", Kind::int32},
    {"xor", "b32", Kind::int32},
    {"and", "b64", Kind::int64},
    {"or", "b64", Kind::int64},
    {"xor", "b64", Kind::int64},
    {"inc", "u32", Kind::int32},
    {"dec", "u32", Kind::int32},
    {"exch", "b32", Kind::int32},
    {"exch", "b64", Kind::int64},
    {"cas", "b16", Kind::int16},
    {"cas", "b32", Kind::few},
    {"cas", "b64", Kind::int64},
};

/// Every thread updates a place of its own; the result is what it held before or after.
Case own_place(const AtomicRow& row, const string& space, bool before) {
  const string op = string("atom.") + space + "." + row.op + "." + row.type;
  const string bits = std::to_string(8 * bytes_of(row.kind));
  const string place = space == "global" ? "[%po]" : "[%q]";
  const string width = bytes_of(row.kind) == 2 ? "%h0" : bytes_of(row.kind) == 4 ? "%r0" : "%d0";
  const bool cas = string(row.op) == "cas";
  Case c{op + (before ? " before" : " after"),
         "atomic",
         {{row.kind, 1}, {row.kind, 1}},
         {row.kind, 1},
         {},
         {}};
  if (cas) c.inputs.push_back({row.kind, 1});
  c.body = "st." + space + ".b" + bits + " " + place + ", %a0; " + op + " " + width + ", " + place +
           ", %a1" + (cas ? ", %a2" : "") + "; ";
  c.body += before ? "mov.b" + bits + " %o, " + width + ";"
                   : "ld." + space + ".b" + bits + " %o, " + place + ";";
  return c;
}

}  // namespace

void add_atomic_cases(std::vector<Case>& cases) {
  for (const AtomicRow& row : kAtomics)
    for (const char* space : {"global", "shared"})
      for (const bool before : {true, false}) cases.push_back(own_place(row, space, before));
  // All threads of a block at one place, where the order does not show.
  for (const char* op : {"add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"}) {
    cases.push_back(
        {string("red.shared.") + op + " together",
         "atomic",
         {{Kind::int32, 1}},
         {Kind::int32, 1},
         string("mov.u32 %r0, hot; st.shared.u32 [%r0], 12345; bar.sync 0; red.shared.") + op +
             " [%r0], %a0; bar.sync 0; ld.shared.u32 %o, [%r0];",
         {}});
  }
}

namespace {

struct MmaRow {
  const char* shape;
  const char* types;  ///< D.A.B.C
  Kind a, b, c;
  std::uint32_t a_count, b_count, c_count;
};
constexpr Kind kH = Kind::matrix_half, kB = Kind::matrix_bfloat, kT = Kind::matrix_tf32,
               kS = Kind::matrix_single, kD = Kind::matrix_double, kI = Kind::int32;
constexpr MmaRow kMmas[] = {
    {"m16n8k8", "f32.f16.f16.f32", kH, kH, kS, 2, 1, 4},
    {"m16n8k16", "f32.f16.f16.f32", kH, kH, kS, 4, 2, 4},
    {"m16n8k8", "f16.f16.f16.f16", kH, kH, kH, 2, 1, 2},
    {"m16n8k16", "f16.f16.f16.f16", kH, kH, kH, 4, 2, 2},
    {"m16n8k8", "f32.bf16.bf16.f32", kB, kB, kS, 2, 1, 4},
    {"m16n8k16", "f32.bf16.bf16.f32", kB, kB, kS, 4, 2, 4},
    {"m16n8k4", "f32.tf32.tf32.f32", kT, kT, kS, 2, 1, 4},
    {"m16n8k8", "f32.tf32.tf32.f32", kT, kT, kS, 4, 2, 4},
    {"m16n8k16", "s32.s8.s8.s32", kI, kI, kI, 2, 1, 4},
    {"m16n8k32", "s32.s8.s8.s32", kI, kI, kI, 4, 2, 4},
    {"m16n8k16", "s32.u8.s8.s32", kI, kI, kI, 2, 1, 4},
    {"m16n8k32", "s32.u8.u8.s32", kI, kI, kI, 4, 2, 4},
    {"m8n8k16", "s32.s8.s8.s32", kI, kI, kI, 1, 1, 2},
    {"m8n8k4", "f64.f64.f64.f64", kD, kD, kD, 1, 1, 2},
    {"m16n8k4", "f64.f64.f64.f64", kD, kD, kD, 2, 1, 4},
    {"m16n8k8", "f64.f64.f64.f64", kD, kD, kD, 4, 2, 4},
    {"m16n8k16", "f64.f64.f64.f64", kD, kD, kD, 8, 4, 4},
};

string list(const string& stem, std::uint32_t count) {
  if (count == 1) return "{" + stem + "}";
  string text;
  for (std::uint32_t k = 0; k < count; ++k)
    text += (k == 0 ? "{" : ", ") + stem + "_" + std::to_string(k);
  return text + "}";
}

Kind result_of(Kind accumulator) {
  switch (accumulator) {
    case kS:
      return Kind::single;
    case kH:
      return Kind::half2;
    case kD:
      return Kind::double_;
    default:
      return Kind::int32;
  }
}

struct WmmaRow {
  const char* shape;
  const char* a;    ///< type of both factors
  const char* acc;  ///< type of sums
  Kind factor, sum;
  std::uint32_t a_words, b_words, c_words;  ///< in memory, per lane
  std::uint32_t a_registers, b_registers, c_registers;
  std::uint32_t m, n, k;
};
constexpr WmmaRow kWmmas[] = {
    {"m16n16k16", "f16", "f32", kH, kS, 4, 4, 8, 8, 8, 8, 16, 16, 16},
    {"m16n16k16", "f16", "f16", kH, kH, 4, 4, 4, 8, 8, 4, 16, 16, 16},
    {"m32n8k16", "f16", "f32", kH, kS, 8, 2, 8, 8, 8, 8, 32, 8, 16},
    {"m8n32k16", "f16", "f32", kH, kS, 2, 8, 8, 8, 8, 8, 8, 32, 16},
    {"m16n16k16", "bf16", "f32", kB, kS, 4, 4, 8, 4, 4, 8, 16, 16, 16},
    {"m16n16k8", "tf32", "f32", kT, kS, 4, 4, 8, 4, 4, 8, 16, 16, 8},
    {"m16n16k16", "s8", "s32", kI, kI, 2, 2, 8, 2, 2, 8, 16, 16, 16},
    {"m16n16k16", "u8", "s32", kI, kI, 2, 2, 8, 2, 2, 8, 16, 16, 16},
};

string fragment(const string& stem, std::uint32_t first, std::uint32_t count) {
  string text;
  for (std::uint32_t k = 0; k < count; ++k)
    text += (k == 0 ? "{" : ", ") + stem + std::to_string(first + k);
  return text + "}";
}

Case wmma_case(const WmmaRow& r) {
  const bool named = string(r.a) != "f16";
  const string factors = named ? string(".") + r.a + "." + r.a : "";
  const string instruction =
      string("wmma.mma.sync.aligned.row.col.") + r.shape + "." + r.acc + factors + "." + r.acc;
  const auto load = [&](const string& which, const string& layout, const string& type,
                        const string& registers, const string& at, std::uint32_t stride) {
    return "wmma.load." + which + ".sync.aligned." + layout + "." + r.shape + ".global." + type +
           " " + registers + ", [" + at + "], " + std::to_string(stride) + "; ";
  };
  const string a = fragment("%w", 0, r.a_registers), b = fragment("%w", 8, r.b_registers),
               c = fragment("%w", 16, r.c_registers);
  Case result{instruction,
              "matrix",
              {{r.factor, r.a_words}, {r.factor, r.b_words}, {r.sum, r.c_words}},
              {result_of(r.sum), r.c_words},
              {},
              {}};
  result.body = load("a", "row", r.a, a, "%wa0", r.k) + load("b", "col", r.a, b, "%wa1", r.k) +
                load("c", "row", r.acc, c, "%wa2", r.n) + instruction + " " + c + ", " + a + ", " +
                b + ", " + c + "; wmma.store.d.sync.aligned.row." + r.shape + ".global." + r.acc +
                " [%wo], " + c + ", " + std::to_string(r.n) + "; ret;";
  return result;
}

}  // namespace

void add_matrix_cases(std::vector<Case>& cases) {
  for (const MmaRow& r : kMmas) {
    const string name = string("mma.sync.aligned.") + r.shape + ".row.col." + r.types;
    cases.push_back({name,
                     "matrix",
                     {{r.a, r.a_count}, {r.b, r.b_count}, {r.c, r.c_count}},
                     {result_of(r.c), r.c_count},
                     name + " " + list("%o", r.c_count) + ", " + list("%a0", r.a_count) + ", " +
                         list("%a1", r.b_count) + ", " + list("%a2", r.c_count) + ";",
                     {}});
  }
  for (const WmmaRow& r : kWmmas) cases.push_back(wmma_case(r));
  cases.push_back({"movmatrix.sync.aligned.m8n8.trans.b16",
                   "matrix",
                   {{kI, 1}},
                   {kI, 1},
                   "movmatrix.sync.aligned.m8n8.trans.b16 %o, %a0;",
                   {}});
  for (const char* form : {"x1", "x2", "x4", "x1.trans", "x2.trans", "x4.trans"}) {
    const string name = string("ldmatrix.sync.aligned.m8n8.") + form + ".shared.b16";
    const auto count = static_cast<std::uint32_t>(form[1] - '0');
    cases.push_back({name,
                     "matrix",
                     {{kI, 4}},
                     {kI, count},
                     "shl.b32 %r0, %t, 4; mov.u32 %r1, rows; add.u32 %r0, %r0, %r1; "
                     "st.shared.v4.u32 [%r0], " +
                         list("%a0", 4) + "; bar.sync 0; " + name + " " + list("%o", count) +
                         ", [%r0];",
                     {}});
    const string store = string("stmatrix.sync.aligned.m8n8.") + form + ".shared.b16";
    cases.push_back({store,
                     "matrix",
                     {{kI, count}},
                     {kI, 4},
                     "shl.b32 %r0, %t, 4; mov.u32 %r1, rows; add.u32 %r0, %r0, %r1; "
                     "st.shared.v4.u32 [%r0], {%t, %t, %t, %t}; bar.sync 0; " +
                         store + " [%r0], " + list("%a0", count) +
                         "; bar.sync 0; ld.shared.v4.u32 " + list("%o", 4) + ", [%r0];",
                     {}});
  }
}

}  // namespace warpwright::corpus
