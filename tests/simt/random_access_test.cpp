// SPDX-License-Identifier: Apache-2.0
// Kernels of random accesses to shared and global memory, with and without races, by both engines
// with all checks: they must report the same. The engines share the slow ways of the checks, but
// not the short ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iterator>
#include <random>

#include "simt/launcher.h"
#include "simt/same_report.h"

namespace warpwright::simt {
namespace {

constexpr std::string_view kHead = R"(.version 8.3
.target sm_80
.address_size 64
.visible .entry k(.param .u64 full, .param .u64 part, .param .u64 out)
{
.reg .pred %p<4>;
.reg .b32 %r<1000>;
.reg .b64 %d<20>;
.reg .b32 %sum, %number, %line, %column, %one, %warps, %pairs, %fours;
.reg .b64 %own, %other, %same, %both, %quads;
.shared .align 16 .b8 tile[16384];
ld.param.u64 %d0, [full];
ld.param.u64 %d1, [part];
ld.param.u64 %d2, [out];
mov.u32 %r0, %tid.x;
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %ntid.x;
and.b32 %r3, %r0, 31;
shr.u32 %r4, %r0, 5;
mov.u32 %one, tile;
mov.u32 %sum, 0;
mad.lo.u32 %number, %r1, %r2, %r0;
mad.lo.u32 %line, %r0, 4, %one;
mad.lo.u32 %column, %r3, 132, %one;
mad.lo.u32 %warps, %r4, 4, %column;
mad.lo.u32 %pairs, %r0, 8, %one;
mad.lo.u32 %fours, %r0, 16, %one;
mul.wide.u32 %d3, %number, 4;
add.s64 %own, %d0, %d3;
add.s64 %other, %d1, %d3;
mul.wide.u32 %d4, %r0, 4;
add.s64 %same, %d1, %d4;
mul.wide.u32 %d5, %r1, 4;
add.s64 %both, %d0, %d5;
mul.wide.u32 %d6, %number, 16;
add.s64 %quads, %d1, %d6;
setp.lt.u32 %p1, %r3, 9;
setp.eq.u32 %p2, %r4, 0;
)";

class RandomKernel {
 public:
  explicit RandomKernel(unsigned seed) : random_(seed) {
    text_ = kHead;
    if (any(2) == 0) text_ += "st.shared.v4.u32 [%fours], {%r0, %r0, %r0, %r0};\nbar.sync 0;\n";
    for (std::uint32_t n = 6 + any(12); n > 0; --n) step();
    text_ += "add.s64 %d7, %d2, %d3;\nst.global.u32 [%d7], %sum;\nret;\n}\n";
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::uint32_t any(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  void step() {
    const std::uint32_t what = any(20);
    if (what < 4) {
      text_ += "bar.sync 0;\n";
    } else if (what == 4) {
      text_ += "bar.warp.sync -1;\n";
    } else if (what < 15) {
      constexpr const char* kPlaces[] = {"%line", "%column", "%one", "%warps"};
      access("shared", kPlaces[any(4)], any(3) == 0 ? "%pairs" : "%fours");
    } else {
      constexpr const char* kPlaces[] = {"%own", "%other", "%same", "%both"};
      access("global", kPlaces[any(4)], "%quads");
    }
  }

  void access(const std::string& space, const std::string& place, const std::string& wide) {
    constexpr const char* kGuards[] = {"@%p1 ", "@%p2 "};
    const std::uint32_t guard = any(16);
    if (guard < 2) text_ += kGuards[guard];
    const bool load = any(5) < 3;
    const std::string value = load ? fmt::format("%r{}", ++values_ + 10) : "%number";
    const std::string op = (load ? "ld." : "st.") + space;
    const std::uint32_t width = any(10);
    const std::uint32_t offset = 16 * any(8) + (any(3) == 0 ? 4 : 128 * any(4));
    const auto put = [&](const std::string& type, const std::string& where,
                         const std::string& values) {
      const std::string at = fmt::format("[{}+{}]", where, offset & ~(where == wide ? 15u : 0u));
      text_ += fmt::format("{}{} {}, {};\n", op, type, load ? values : at, load ? at : values);
    };
    const std::string zero = fmt::format("mov.u32 {}, 0;\n", value);
    // A guarded load leaves its register as it was: give it a value first.
    if (load) {
      const std::size_t line = text_.rfind('\n') + 1;
      text_.insert(line, zero);
    }
    if (width == 0)
      put(".u8", place, value);
    else if (width < 3 && wide == "%pairs")
      put(".v2.u32", wide, fmt::format("{{{0}, {1}}}", value, load ? "%r9" : value));
    else if (width < 3)
      put(".v4.u32", wide,
          load ? fmt::format("{{{}, %r6, %r7, %r8}}", value)
               : fmt::format("{{{0}, {0}, {0}, {0}}}", value));
    else
      put(".u32", place, value);
    if (load) text_ += fmt::format("add.u32 %sum, %sum, {};\n", value);
  }

  std::mt19937 random_;
  std::string text_;
  std::uint32_t values_ = 0;
};

struct Outcome {
  std::string report;
  std::vector<std::uint32_t> out;
  std::size_t faults = 0;
};

Outcome run(const std::string& text, Engine engine) {
  Launcher l(text);
  constexpr std::size_t kWords = 4096;
  const Address full = l.put(std::vector<std::uint32_t>(kWords, 3), "full");
  const Address part = l.empty(4 * kWords, "part");
  const std::vector<std::uint32_t> some(1000, 5);
  EXPECT_TRUE(l.machine().memory().copy_in(part, std::as_bytes(std::span(some))).ok());
  const Address out = l.empty(4 * kWords, "out");
  LaunchOptions options;
  options.checks = Checks::full;
  options.engine = engine;
  const LaunchReport r =
      l.run("k", {3}, {96}, Params().add(full).add(part).add(out), std::move(options));
  EXPECT_EQ(r.compiled, engine == Engine::compiled) << r.interpreted_because;
  return {report_text(r), l.get<std::uint32_t>(out, kWords), r.faults.size()};
}

TEST(RandomAccess, engines_report_the_same) {
  std::size_t faulty = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const std::string text = RandomKernel(seed).text();
    const Outcome a = run(text, Engine::interpreted), b = run(text, Engine::compiled);
    EXPECT_EQ(a.report, b.report) << text;
    EXPECT_EQ(a.out, b.out) << text;
    if (a.faults != 0) ++faulty;
  }
  EXPECT_GT(faulty, 5u);
}

}  // namespace
}  // namespace warpwright::simt
