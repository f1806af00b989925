// SPDX-License-Identifier: Apache-2.0
// The loader and damaged texts: it refuses or loads them, and never does anything else.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "base/files.h"
#include "simt/module.h"
#include "support/places.h"

namespace warpwright::simt {
namespace {

std::vector<std::string> corpus() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("/tests/ptx")))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) texts.push_back(read_file(path).value());
  return texts;
}

std::string error_of(std::string_view body) {
  const Result<Module> m =
      load(".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n" +
           std::string(body) + "\nret;\n}\n");
  return m.ok() ? "" : m.error().message;
}

TEST(LoaderTest, names_the_line_and_what_it_cannot_run) {
  EXPECT_NE(error_of(".reg .b32 %r<2>;\nfoo.b32 %r1, %r1;")
                .find("PTX line 7 (kernel k): not supported: foo.b32"),
            std::string::npos);
  EXPECT_NE(error_of("bra NOWHERE;").find("unknown label 'NOWHERE'"), std::string::npos);
  EXPECT_NE(error_of(".reg .f32 %f<2>;\nadd.f32 %f1, %f1;").find("wrong number of operands"),
            std::string::npos);
  EXPECT_NE(error_of(".reg .f32 %f<2>;\n.reg .pred %p;\nadd.f32 %f1, %p, %f1;").find("predicate"),
            std::string::npos);
  EXPECT_NE(error_of(".reg .b32 %r<2>;\nmov.u32 %r1, %r2;").find("%r2"), std::string::npos);
  EXPECT_NE(error_of(".reg .b32 %r<2>;\nmov.u32 %r1, nobody;").find("unknown name 'nobody'"),
            std::string::npos);
  EXPECT_EQ(error_of(".reg .b32 %r<2>;\nmov.u32 %r1, 7;"), "");
}

TEST(LoaderTest, refuses_runtime_calls_with_other_arguments) {
  const std::string params =
      ".param .b64 a;\n.param .b64 b;\n.param .b32 n;\n.param .b64 r;\n.param .b32 i;\n";
  const auto why = [&](const std::string& call) { return error_of(params + call); };
  for (const std::string call :
       {"call.uni malloc;", "call.uni (r), malloc, (a, b);", "call.uni (r), malloc;",
        "call.uni (i), vprintf, (a);", "call.uni (i), vprintf, (a, b, a);", "call.uni vprintf;",
        "call.uni free;", "call.uni (r), free, (a);", "call.uni __assertfail, (a);",
        "call.uni __assertfail;", "call.uni (r, r), malloc, (a);"})
    EXPECT_NE(why(call).find("with the wrong number of arguments"), std::string::npos) << call;
  for (const std::string call :
       {"call.uni (r), malloc, (n);", "call.uni (i), malloc, (a);",
        "call.uni (i), vprintf, (n, b);", "call.uni (r), vprintf, (a, b);", "call.uni free, (n);"})
    EXPECT_NE(why(call).find("of the wrong width"), std::string::npos) << call;
  for (const std::string call : {"call.uni (r), malloc, (a);", "call.uni malloc, (a);",
                                 "call.uni (i), vprintf, (a, b);", "call.uni vprintf, (a, b);",
                                 "call.uni free, (a);", "call.uni __assertfail, (a, b, n, a, b);"})
    EXPECT_EQ(why(call), "") << call;
}

TEST(LoaderTest, refuses_instructions_that_break_off) {
  const std::string registers = ".reg .b64 %rd<4>;\n.reg .b32 %r<9>;\n";
  for (const std::string text :
       {"cp.async.bulk.global [%rd1], [%rd2], 16;",
        "cp.async.bulk.shared::cluster [%r1], [%rd2], 16;", "cp.async.mbarrier [%rd1];",
        "cp.async.mbarrier.arrive [%rd1];",
        "wmma.load..sync.aligned.row.m16n16k16.f16 {%r1,%r2,%r3,%r4}, [%rd1], %r5;"})
    EXPECT_NE(error_of(registers + text), "") << text;
}

TEST(LoaderTest, refuses_reads_outside_the_parameters) {
  const auto why = [](const std::string& offset) {
    const Result<Module> m = load(
        ".version 8.3\n.target sm_80\n.address_size 64\n.entry k(.param .u64 p, .param .u64 q)\n{\n"
        ".reg .b64 %rd<2>;\nld.param.u64 %rd1, [p" +
        offset + "];\nret;\n}\n");
    return m.ok() ? "" : m.error().message;
  };
  for (const std::string offset : {"+-8", "+-1", "+16", "+9", "+18446744073709551608"})
    EXPECT_NE(why(offset).find("past the end of the parameters"), std::string::npos) << offset;
  EXPECT_EQ(why("+8"), "");
}

/// Two calls of the next function in each of them: twice as much code with every line.
TEST(LoaderTest, refuses_calls_that_expand_without_end) {
  std::string text = ".version 8.3\n.target sm_80\n.address_size 64\n";
  constexpr int kDepth = 14;
  for (int k = kDepth; k >= 0; --k) {
    text += ".func f" + std::to_string(k) + "()\n{\n.reg .pred %p<2>;\n.reg .b32 %r<2>;\n";
    text += "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 7;\n@%p1 bra END;\n";
    const std::string call = "call.uni f" + std::to_string(k + 1) + ";\n";
    if (k < kDepth) text += call + call;
    text += "END:\nret;\n}\n";
  }
  text += ".entry k()\n{\ncall.uni f0;\nret;\n}\n";
  const Result<Module> m = load(text);
  ASSERT_FALSE(m.ok());
  EXPECT_NE(m.error().message.find("basic blocks"), std::string::npos) << m.error().message;
}

TEST(LoaderTest, refuses_texts_that_are_not_ptx) {
  for (const std::string_view text :
       {"hello", "{", ".entry", ".visible .entry k(", ".visible .entry k() {", ".global .b8 x[",
        "\0\0", ".version", "//", "/*"}) {
    const Result<Module> m = load(text);
    EXPECT_TRUE(!m.ok() || m->kernels().empty()) << text;
  }
  EXPECT_FALSE(load(".global .b8 x[99999999999999999999];").ok());
  EXPECT_FALSE(load(".global .align 3 .b8 x[4];").ok());
  EXPECT_FALSE(load(".global .b32 x[1073741824] = {1};").ok());
}

TEST(LoaderTest, survives_damage) {
  std::mt19937 random(20240607);
  const std::vector<std::string> texts = corpus();
  std::size_t loaded = 0;
  for (int round = 0; round < 40; ++round) {
    for (const std::string& original : texts) {
      std::string text = original;
      const int damages = 1 + static_cast<int>(random() % 4);
      for (int k = 0; k < damages && !text.empty(); ++k) {
        const std::size_t at = random() % text.size();
        const std::size_t from = random() % text.size();
        switch (random() % 5) {
          case 0:
            text[at] = static_cast<char>(random());
            break;
          case 1:
            text.erase(at, random() % 20);
            break;
          case 2:
            text.insert(at, text.substr(from, random() % 40));
            break;
          case 3:
            text.resize(at);
            break;
          default:
            text.insert(at, std::to_string(random()));
            break;
        }
      }
      loaded += load(text).ok() ? 1 : 0;
    }
  }
  EXPECT_GT(loaded, 0u);
}

}  // namespace
}  // namespace warpwright::simt
