// SPDX-License-Identifier: Apache-2.0
#include "build/lint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>

namespace warpwright::build {
namespace {

const std::string kGood =
    "#include <cuda_runtime.h>\n"
    "__global__ void k(float* x) { x[0] = 1; }\n"
    "extern \"C\" void solve(float* x) { k<<<1, 1>>>(x); }\n";

void expect_finding(const std::string& source, std::string_view rule, int line) {
  const auto finding = lint(source);
  ASSERT_TRUE(finding.has_value()) << "expected " << rule << " in:\n" << source;
  EXPECT_EQ(finding->rule, rule);
  EXPECT_EQ(finding->line, line);
  EXPECT_FALSE(finding->message.empty());
}

TEST(Lint, AcceptsAnOrdinaryCandidate) {
  EXPECT_FALSE(lint(kGood).has_value());
  EXPECT_FALSE(lint("#include \"cuda_fp16.h\"\n" + kGood).has_value());
}

TEST(Lint, SolveMustBeThere) {
  expect_finding("__global__ void k() {}\n", "missing_solve", 1);
  expect_finding("__global__ void k() {}\nvoid solve() {}\n", "missing_solve", 1);
  expect_finding("__global__ void k() {}\n// extern \"C\" void solve() {}\n", "missing_solve", 1);
  EXPECT_FALSE(lint("__global__ void k() {}\nextern \"C\" {\nvoid solve(int n) {}\n}\n"));
}

TEST(Lint, IncludesByPathAreRefused) {
  expect_finding(kGood + "#include \"/etc/passwd\"\n", "path_include", 4);
  expect_finding(kGood + "#include </etc/passwd>\n", "path_include", 4);
  expect_finding(kGood + "\n  #  include \"../../x.h\"\n", "path_include", 5);
  expect_finding(kGood + "#define H <cmath>\n#include H\n", "path_include", 5);
  expect_finding(kGood + "%:include \"/etc/passwd\"\n", "path_include", 4);
  expect_finding(kGood + "#inc\\\nlude \"/etc/passwd\"\n", "path_include", 4);
  EXPECT_FALSE(lint(kGood + "// #include \"/etc/passwd\"\n"));
  EXPECT_FALSE(lint(kGood + "/*\n#include \"/etc/passwd\"\n*/\n"));
}

TEST(Lint, EmbeddingIsRefused) {
  expect_finding(kGood + "#embed \"x\"\n", "embedding", 4);
  expect_finding(kGood + "#include_next <cmath>\n", "embedding", 4);
  expect_finding(kGood + "asm(\".incbin \\\"/etc/passwd\\\"\");\n", "embedding", 4);
}

TEST(Lint, EmbeddingIsSoughtInWhatTheAssemblerGets) {
  for (const std::string text : {
           R"x(asm(".include \"f\"");)x",
           R"x(asm(".inc" "bin 'f'");)x",
           R"x(asm(".inc" /* and */ "lude 'f'");)x",
           R"x(asm(".inc" NOTHING "bin 'f'");)x",
           R"x(asm("nop;.INCBIN 'f'");)x",
           R"x(asm("\x2eincbin 'f'");)x",
           R"x(asm("\56\151ncbin 'f'");)x",
           R"x(asm("\u002eincbin 'f'");)x",
           R"x(asm("\n.incbin\t'f'");)x",
           R"x(asm(R"(.incbin 'f')");)x",
           R"x(asm(R"y()" .incbin 'f')y");)x",
           R"x(asm(LR"(.incbin 'f')");)x",
           R"x(int c = L'"'; asm(".incbin 'f'");)x",
           R"x(int c = 0xA'Bu; asm(".incbin 'f'");)x",
           R"x(/* #include */ asm(".incbin 'f'");)x",
           R"x(#define TEXT(x) #x)x"
           "\nasm(TEXT(.incbin 'f'));",
           "asm(\".inc\\\nbin 'f'\");",
           "asm(\"a\\\nb;\" \".incbin 'f'\");",
       }) {
    const auto finding = lint(kGood + text + "\n");
    ASSERT_TRUE(finding.has_value()) << text;
    EXPECT_EQ(finding->rule, "embedding") << text;
  }
}

TEST(Lint, NamesThatBeginLikeDirectivesAreFine) {
  for (const std::string text : {
           "bool f(P p) { return p.include_diagonal || p.include || q().include; }",
           "// rows below .include are included, .incbin too",
           "P p = {.include = 1, .loc{2}};",
           "int g(P p) { return a[0].loc + p.loc; }",
           "const char* h = \"config.include and .included and x.loc\";",
           "int big = 1'000'000; char quote = '\"'; // .include",
       }) {
    const auto finding = lint(kGood + text + "\n");
    EXPECT_FALSE(finding.has_value()) << text << ": " << finding->rule;
  }
}

TEST(Lint, AssemblerTextCannotMoveCode) {
  expect_finding(kGood + "asm(\"nop;\\n\"\n\".loc 2 44 5\");\n", "code_place", 5);
}

TEST(Lint, PragmasThatLoadAreRefused) {
  expect_finding(kGood + "#pragma GCC dependency \"x\"\n", "pragma_plugin", 4);
  expect_finding(kGood + "#pragma clang plugin x\n", "pragma_plugin", 4);
  expect_finding(kGood + "_Pragma(\"comment(lib, x)\")\n", "pragma_plugin", 4);
  EXPECT_FALSE(lint(kGood + "#pragma unroll 4\n#pragma once\n"));
}

TEST(Lint, LineDirectivesAreRefused) {
  expect_finding(kGood + "#line 1 \"x\"\n", "line_directive", 4);
  expect_finding(kGood + "# 1 \"x\"\n", "line_directive", 4);
}

TEST(Lint, SourcesMayNotAskWhoCompilesThem) {
  expect_finding(kGood + "#if defined(__clang__)\n#endif\n", "build_facts", 4);
  expect_finding(kGood + "#if __has_include(<x>)\n#endif\n", "build_facts", 4);
  expect_finding(kGood + "char day = __DATE__[0];\n", "build_facts", 4);
  expect_finding(kGood + "#define C(a, b) a##b\n#if C(__cla, ng__)\n#endif\n", "build_facts", 1);
  expect_finding(kGood + "#define C(a, b) a%:%:b\n#if C(__NV, CC__)\n#endif\n", "build_facts", 1);
  expect_finding(kGood + "#if __CONCAT(_, _clang__)\n#endif\n", "build_facts", 1);
  expect_finding(kGood + "#ifdef __cl\\\nang__\n#endif\n", "build_facts", 1);
  for (const std::string text :
       {"#if __CUDA_ARCH__ >= 900\n#endif\n", "#if __CUDACC_VER_MAJOR__ > 11\n#endif\n",
        "#define NAME(a, b) a##b\nint NAME(TIME, x); FILE* NAME(f, y);\n",
        "#define CHECK(x) if (x) printf(\"%s:%d\", __FILE__, __LINE__)\n",
        "// __clang__\nconst char* text = \"__clang__\";\n"}) {
    EXPECT_FALSE(lint(kGood + text).has_value()) << text;
  }
}

TEST(Lint, HugeSourcesAreRefused) {
  expect_finding(kGood + std::string(2 << 20, ' '), "too_large", 1);
}

TEST(Lint, TakesLinearTime) {
  std::string text;
  for (const std::string piece : {"\"a\" ", "extern \"C\" ", "__global__ x; ", "#include \"\n"}) {
    text.clear();
    while (text.size() < 1'000'000) text += piece;
    const auto started = std::chrono::steady_clock::now();
    (void)lint(text);
    EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(5)) << piece;
  }
}

TEST(StripSource, KeepsLinesAndColumns) {
  const std::string source = "a /* x\ny */ b // c\n\"str\\\"ing\" 'c' 1'000\nR\"(raw \" // )\" d\n";
  const std::string stripped = strip_source(source);
  EXPECT_EQ(stripped.size(), source.size());
  EXPECT_EQ(std::count(stripped.begin(), stripped.end(), '\n'), 4);
  EXPECT_EQ(stripped.find("str"), std::string::npos);
  EXPECT_EQ(stripped.find("raw"), std::string::npos);
  EXPECT_EQ(stripped.find('d'), source.rfind('d'));
  EXPECT_NE(stripped.find("1'000"), std::string::npos);
}

TEST(StripSource, SurvivesUnfinishedText) {
  for (const std::string text :
       {"/*", "//", "\"", "'", "R\"(", "R\"x", "\"\\", "#include \"", "\\"}) {
    EXPECT_EQ(strip_source(text).size(), text.size());
    EXPECT_TRUE(lint(text).has_value());
  }
}

TEST(LintRules, HaveDistinctNamesAndTexts) {
  std::set<std::string_view> names;
  for (const auto& rule : lint_rules()) {
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
    EXPECT_FALSE(rule.what.empty());
    EXPECT_FALSE(rule.message.empty());
  }
}

}  // namespace
}  // namespace warpwright::build
