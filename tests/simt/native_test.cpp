// SPDX-License-Identifier: Apache-2.0
// The compiled engine against the interpreter: memory, counts and reports must be the same.
#include <gtest/gtest.h>

#include <random>

#include "base/files.h"
#include "simt/launcher.h"
#include "simt/native/native.h"
#include "simt/same_report.h"
#include "support/places.h"

namespace warpwright::simt {
namespace {

/// What a kernel made of its buffers, and what was reported.
struct Outcome {
  std::vector<std::vector<std::uint32_t>> buffers;
  std::string report;
  bool compiled = false;
};

/// A launch that can be repeated from scratch.
struct Instance {
  std::string ptx;
  std::string kernel = "k";
  Dim3 grid, block;
  std::vector<std::vector<std::uint32_t>> buffers;
  std::vector<std::uint32_t> numbers;  ///< parameters behind the buffers
  Checks checks = Checks::fast;
  unsigned threads = 1;
  std::uint64_t compile_after = 0;  ///< blocks, with the automatic engine
};

Outcome run(const Instance& t, Engine engine) {
  Launcher l(t.ptx);
  Params p;
  std::vector<Address> at;
  for (const auto& b : t.buffers) p.add(at.emplace_back(l.put(b, "b")));
  for (const std::uint32_t n : t.numbers) p.add(n);
  LaunchOptions options;
  options.checks = t.checks;
  options.engine = engine;
  options.threads = t.threads;
  options.compile_after_blocks = t.compile_after;
  const LaunchReport r = l.run(t.kernel, t.grid, t.block, p, options);
  Outcome o;
  o.compiled = r.compiled;
  o.report = report_text(r);
  EXPECT_EQ(r.interpreted_because, "");
  for (std::size_t i = 0; i < at.size(); ++i)
    o.buffers.push_back(l.get<std::uint32_t>(at[i], t.buffers[i].size()));
  return o;
}

void expect_same(const Instance& t) {
  const Engine other = t.compile_after != 0 ? Engine::automatic : Engine::compiled;
  const Outcome a = run(t, Engine::interpreted), b = run(t, other);
  EXPECT_TRUE(b.compiled);
  EXPECT_FALSE(a.compiled);
  EXPECT_EQ(a.report, b.report);
  for (std::size_t i = 0; i < a.buffers.size(); ++i)
    for (std::size_t k = 0; k < a.buffers[i].size(); ++k)
      if (a.buffers[i][k] != b.buffers[i][k]) {
        ADD_FAILURE() << "buffer " << i << " word " << k << ": " << std::hex << a.buffers[i][k]
                      << " interpreted, " << b.buffers[i][k] << " compiled";
        break;
      }
}

std::vector<std::uint32_t> words(std::size_t n, unsigned seed) {
  const std::uint32_t odd[] = {0,          1,          0x7fffffff, 0x80000000,
                               0xffffffff, 0x7fc00000, 0xffc12345, 0x7f800000,
                               0xff800000, 0x3f800000, 0x00000001, 31,
                               32,         33,         63,         64};
  std::mt19937 random(seed);
  std::vector<std::uint32_t> v(n);
  for (std::uint32_t& x : v) x = random() % 3 == 0 ? odd[random() % std::size(odd)] : random();
  return v;
}

/// One instruction on operands of one kind: 32 values, one value, or values that grow with the
/// lane.
class OperationKernel {
 public:
  explicit OperationKernel(int kinds) : kinds_(kinds) {}

  /// `to` and `from` are types as PTX names them; "pred" is a predicate.
  void add(const std::string& op, const std::string& to, const std::vector<std::string>& from) {
    std::string args;
    for (std::size_t k = 0; k < from.size(); ++k)
      args += ", " + operand(from[k], kinds_ >> (2 * k) & 3, k);
    const std::string d = reg(to);
    body_ += op + " " + d + args + ";\n";
    store(to, d);
  }
  [[nodiscard]] std::string text() const {
    return ".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, "
           ".param "
           ".u64 out, .param .u32 n)\n{\n.reg .b16 %h<9999>;\n.reg .b32 %r<9999>;\n.reg .b64 "
           "%d<9999>;\n.reg .pred %p<9999>;\nld.param.u64 %d0, [in];\nld.param.u64 %d1, "
           "[out];\nld.param.u32 %r3, [n];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 "
           "%r2, "
           "%ntid.x;\nmad.lo.s32 %r4, %r1, %r2, %r0;\nmul.wide.u32 %d2, %r4, 8;\nadd.s64 %d3, %d0, "
           "%d2;\nmul.wide.u32 %d4, %r1, 8;\nadd.s64 %d5, %d0, %d4;\nadd.s64 %d6, %d1, %d2;\n" +
           body_ + "ret;\n}\n";
  }
  [[nodiscard]] std::size_t results() const { return stores_; }
  [[nodiscard]] int kinds() const { return kinds_; }

 private:
  static std::size_t width(const std::string& type) {
    return type == "pred" ? 0 : std::stoul(type.substr(1)) / 8;
  }
  std::string reg(const std::string& type) {
    const char* names[] = {"%p", "%h", "%r", "", "%d"};
    return names[width(type) / 2] + std::to_string(++next_ + 9);
  }
  std::string operand(const std::string& type, int kind, std::size_t which) {
    const std::string offset = std::to_string(2048 * which);
    if (type == "pred") {
      const std::string p = reg(type), v = operand("u32", kind, which);
      body_ += "setp.gt.s32 " + p + ", " + v + ", 7;\n";
      return p;
    }
    const std::string r = reg(type), bits = std::to_string(8 * width(type));
    if (kind < 2) {
      body_ += "ld.global.b" + bits + " " + r + ", [" + (kind == 0 ? "%d3" : "%d5") + "+" + offset +
               "];\n";
      return r;
    }
    const std::string step = std::to_string(kind == 2 ? 3 + which : 1);
    const std::string a = width(type) == 4 ? r : reg("u32");
    body_ += "mad.lo.s32 " + a + ", %r4, " + step + ", %r3;\n";
    if (width(type) == 8) body_ += "cvt.s64.s32 " + r + ", " + a + ";\n";
    if (width(type) == 2) body_ += "cvt.u16.u32 " + r + ", " + a + ";\n";
    return r;
  }
  void store(const std::string& type, const std::string& d) {
    std::string value = d;
    if (type == "pred") {
      value = reg("u32");
      body_ += "selp.u32 " + value + ", 1, 0, " + d + ";\n";
    }
    const std::size_t bits = type == "pred" ? 32 : 8 * width(type);
    body_ += "st.global.b" + std::to_string(bits) + " [%d6+" + std::to_string(1024 * stores_++) +
             "], " + value + ";\n";
  }

  int kinds_;
  int next_ = 0;
  std::size_t stores_ = 0;
  std::string body_;
};

void add_integer_operations(OperationKernel& k) {
  for (const std::string t : {"u16", "s16", "u32", "s32", "u64", "s64"}) {
    const std::string dot = "." + t;
    for (const std::string op : {"add", "sub", "mul.lo", "min", "max"}) k.add(op + dot, t, {t, t});
    k.add("mad.lo" + dot, t, {t, t, t});
    k.add("shr" + dot, t, {t, "u32"});
    for (const std::string c : {"eq", "ne", "lt", "le", "gt", "ge"})
      k.add("setp." + c + dot, "pred", {t, t});
    if (t[0] == 's') k.add("neg" + dot, t, {t}), k.add("abs" + dot, t, {t});
    if (t == "u32" || t == "s32") {
      k.add("mul.hi" + dot, t, {t, t});
      k.add("mul.wide" + dot, t[0] == 's' ? "s64" : "u64", {t, t});
      k.add("mad.wide" + dot, "u64", {t, t, "u64"});
    }
    if (t.substr(1) != "16") k.add("div" + dot, t, {t, t}), k.add("rem" + dot, t, {t, t});
  }
}

void add_bit_operations(OperationKernel& k) {
  for (const std::string bits : {"16", "32", "64"}) {
    const std::string t = "b" + bits;
    for (const std::string op : {"and", "or", "xor"}) k.add(op + "." + t, t, {t, t});
    k.add("not." + t, t, {t});
    k.add("mov." + t, t, {t});
    k.add("shl." + t, t, {t, "u32"});
    k.add("selp." + t, t, {t, t, "pred"});
  }
  for (const std::string op : {"and", "or", "xor"}) k.add(op + ".pred", "pred", {"pred", "pred"});
  k.add("not.pred", "pred", {"pred"});
  k.add("shf.l.wrap.b32", "b32", {"b32", "b32", "u32"});
  k.add("shf.r.wrap.b32", "b32", {"b32", "b32", "u32"});
}

void add_real_operations(OperationKernel& k) {
  for (const std::string t : {"f32", "f64"}) {
    // Which of two binary64 NaNs an instruction hands on is not defined.
    if (t == "f64" && k.kinds() > 0b010101) continue;
    for (const std::string op : {"add", "sub", "mul"}) k.add(op + ".rn." + t, t, {t, t});
    k.add("fma.rn." + t, t, {t, t, t});
    k.add("div.rn." + t, t, {t, t});
    k.add("neg." + t, t, {t});
    k.add("abs." + t, t, {t});
    k.add("min." + t, t, {t, t});
    k.add("max." + t, t, {t, t});
    for (const std::string c : {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu",
                                "gtu", "geu", "num", "nan"})
      k.add("setp." + c + "." + t, "pred", {t, t});
  }
  k.add("sqrt.rn.f32", "f32", {"f32"});
  k.add("rcp.rn.f32", "f32", {"f32"});
  k.add("ex2.approx.f32", "f32", {"f32"});
}

void add_conversions(OperationKernel& k) {
  for (const std::string d : {"u16", "s16", "u32", "s32", "u64", "s64"})
    for (const std::string s : {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"})
      if (d != s) k.add("cvt." + d + "." + s, d, {s.substr(1) == "8" ? "u16" : s});
  for (const std::string s : {"u32", "s32", "u64", "s64"}) {
    k.add("cvt.rn.f32." + s, "f32", {s});
    k.add("cvt.rn.f64." + s, "f64", {s});
  }
  k.add("cvt.rzi.s32.f32", "s32", {"f32"});
  k.add("cvt.rzi.u32.f32", "u32", {"f32"});
}

class NativeOperations : public testing::TestWithParam<int> {};

TEST_P(NativeOperations, are_those_of_the_interpreter) {
  for (const auto add :
       {add_integer_operations, add_bit_operations, add_real_operations, add_conversions}) {
    OperationKernel k(GetParam());
    add(k);
    Instance t;
    t.ptx = k.text();
    t.grid = {2};
    t.block = {64};
    t.buffers = {words(4096, 1), std::vector<std::uint32_t>(256 * k.results() + 512)};
    t.numbers = {5};
    expect_same(t);
    if (GetParam() < 0b100000) continue;
    // Numbers near the end of the range: what grows with the lane wraps around.
    t.numbers = {0x7fffffc0};
    expect_same(t);
  }
}

// Two bits an operand: 0 a vector, 1 uniform, 2 affine, 3 neighbours.
INSTANTIATE_TEST_SUITE_P(Kinds, NativeOperations,
                         testing::Values(0b000000, 0b010101, 0b101001, 0b110111));

Instance bench_trial(const std::string& kernel, Dim3 grid, Dim3 block) {
  Instance t;
  t.ptx = read_file(source_path("/bench/simt_kernels.ptx")).value();
  t.kernel = kernel;
  t.grid = grid;
  t.block = block;
  return t;
}

class NativeBench : public testing::TestWithParam<Checks> {};

TEST_P(NativeBench, kernels_do_the_same) {
  Instance m = bench_trial("matmul", {2, 2}, {32, 32});
  m.buffers = {words(64 * 64, 1), words(64 * 64, 2), words(64 * 64, 3)};
  m.numbers = {64};
  m.checks = GetParam();
  expect_same(m);
  Instance r = bench_trial("reduce", {3}, {128});
  r.buffers = {words(5000, 4), words(3, 5)};
  r.numbers = {5000};
  r.checks = GetParam();
  expect_same(r);
  Instance x = bench_trial("transpose", {2, 2}, {32, 8});
  x.buffers = {words(64 * 64, 6), words(64 * 64, 7)};
  x.numbers = {64};
  x.checks = GetParam();
  expect_same(x);
  x.threads = 2;
  expect_same(x);
}

TEST_P(NativeBench, faults_are_the_same) {
  // One buffer too small: reads and writes past its end, in the middle of a loop.
  Instance m = bench_trial("matmul", {2, 2}, {32, 32});
  m.buffers = {words(64 * 64, 1), words(64 * 50 + 7, 2), words(64 * 33, 3)};
  m.numbers = {64};
  m.checks = GetParam();
  expect_same(m);
  Instance r = bench_trial("reduce", {3}, {128});
  r.buffers = {words(4321, 4), words(2, 5)};
  r.numbers = {5000};
  r.checks = GetParam();
  expect_same(r);
}

TEST_P(NativeBench, launches_that_change_over_midway_are_the_same) {
  // Interpreted blocks, then compiled ones; with reports from both parts.
  Instance m = bench_trial("matmul", {4, 4}, {32, 32});
  m.buffers = {words(128 * 128, 1), words(128 * 100 + 7, 2), words(128 * 128 - 130, 3)};
  m.numbers = {128};
  m.checks = GetParam();
  m.compile_after = 5;
  expect_same(m);
  Instance x = bench_trial("transpose", {4, 4}, {32, 8});
  x.buffers = {words(128 * 128, 6), words(128 * 128, 7)};
  x.numbers = {128};
  x.checks = GetParam();
  x.compile_after = 1;
  expect_same(x);
  x.threads = 2;
  expect_same(x);
  Instance r = bench_trial("reduce", {16}, {128});
  r.buffers = {words(5000, 4), words(13, 5)};
  r.numbers = {6000};
  r.checks = GetParam();
  r.compile_after = 7;
  expect_same(r);
}

INSTANTIATE_TEST_SUITE_P(Levels, NativeBench,
                         testing::Values(Checks::off, Checks::fast, Checks::full));

/// The gain expected of a kernel all of whose blocks ran equally often, with so many lanes and
/// sectors an access.
double gain(const std::string& file, const std::string& name, bool whole_rows, unsigned lanes,
            unsigned sectors = 4) {
  const auto module = load(read_file(source_path(file)).value());
  EXPECT_TRUE(module.ok());
  const Kernel* k = module->program()->find(name);
  EXPECT_NE(k, nullptr);
  KernelRuns runs;
  runs.counts.assign(k->blocks.size(), {1000, 1000 * lanes});
  runs.stats.assign(k->accesses, {.requests = 1000, .sectors = 1000 * std::uint64_t{sectors}});
  return expected_gain(*k, {whole_rows, Checks::full}, runs);
}

TEST(NativeGain, is_expected_of_whole_warps_at_neighbours) {
  for (const char* name : {"saxpy", "matmul", "transpose"})
    EXPECT_GT(gain("/bench/simt_kernels.ptx", name, true, 32), 2.5) << name;
  // Two rows of a block in one warp, parts of warps, columns: most is left to the interpreter.
  EXPECT_LT(gain("/bench/simt_kernels.ptx", "matmul", false, 32), 2.5);
  EXPECT_LT(gain("/bench/simt_kernels.ptx", "saxpy", true, 16), 1.1);
  EXPECT_LT(gain("/tests/simt/kernels.ptx", "transpose_naive", true, 32, 32), 2.5);
  EXPECT_LT(gain("/tests/simt/kernels.ptx", "histogram", true, 32), 2.5);
}

}  // namespace
}  // namespace warpwright::simt
