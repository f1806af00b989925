// SPDX-License-Identifier: Apache-2.0
// The one reader of PTX: words, declarations, and that those who only look a text over see the same
// module as the parser.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "ptx/census.h"
#include "ptx/declaration.h"
#include "ptx/entries.h"
#include "ptx/lexer.h"
#include "ptx/parser.h"
#include "ptx/types.h"
#include "ptx/variables.h"
#include "support/places.h"

namespace warpwright::ptx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  Lexer lexer(text);
  for (auto word = lexer.word(); !word.empty(); word = lexer.word()) words.push_back(plain(word));
  return words;
}

TEST(Lexer, CutsWherePtxasDoes) {
  EXPECT_THAT(words_of(".global.u32 a[4] = {1, 0f3F800000, 1.5};"),
              ElementsAre(".global", ".u32", "a", "[", "4", "]", "=", "{", "1", ",", "0f3F800000",
                          ",", "1.5", "}", ";"));
  // Inside of braces an instruction is one word, whatever stands before its qualifiers.
  EXPECT_THAT(
      words_of("{ ld /* x */ .global\n.L2::128B // y\n.f32 %f1, [%rd1+4]; $L_1: bra $L_1; }"),
      ElementsAre("{", "ld.global.L2::128B.f32", "%f1", ",", "[", "%rd1", "+", "4", "]", ";",
                  "$L_1", ":", "bra", "$L_1", ";", "}"));
  EXPECT_THAT(words_of(".file 1 \"a // b\" /* open"), ElementsAre(".file", "1", "\"a // b\""));
  EXPECT_THAT(words_of("\v\f\x01 x \"never closed"), ElementsAre("x", "\"never closed"));
}

TEST(Lexer, CountsLines) {
  Lexer lexer("a /* 1\n2 */ \n\"x\ny\" b");
  EXPECT_EQ(lexer.line(), 1U);
  lexer.word();
  EXPECT_EQ(lexer.line(), 3U);
  lexer.word();
  EXPECT_EQ(lexer.line(), 4U);
  EXPECT_EQ(lexer.word(), "b");
}

TEST(Declarations, HaveTheirSizes) {
  Lexer lexer(".align 16 .b8 a[4][8] = {1, {2}}, b, .v4 .f32 c; .next");
  const auto found = read_declarations(lexer);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].name, "a");
  EXPECT_EQ(found[0].bytes, 32U);
  EXPECT_EQ(found[0].align, 16U);
  EXPECT_EQ(found[1].bytes, 1U);
  EXPECT_EQ(found[2].bytes, 16U);
  EXPECT_EQ(lexer.word(), ".next");
  Lexer huge(".b64 x[4294967296][4294967296][4294967296];");
  EXPECT_EQ(read_declarations(huge).at(0).bytes, kMostDeclaredBytes);
  Lexer pointer(".u64 .ptr .global .align 256 p)");
  Declaration p;
  EXPECT_FALSE(read_parameter(pointer, p));
  EXPECT_EQ(p.align, 8U);
}

TEST(Declarations, AnyTextEnds) {
  for (const std::string_view text :
       {"", ".align", "x[", "x[]", "= {", ".attribute(", ".v2", ",,,"}) {
    Lexer lexer(text);
    (void)read_declarations(lexer);
    EXPECT_TRUE(module_variables(std::string(".global ") + std::string(text)).size() < 4) << text;
  }
}

std::vector<std::filesystem::path> texts() {
  std::vector<std::filesystem::path> all;
  for (const char* folder : {"/tests/ptx", "/tests/simt", "/bench"})
    for (const auto& entry : std::filesystem::directory_iterator(source_path(folder)))
      if (entry.path().extension() == ".ptx") all.push_back(entry.path());
  return all;
}

/// What the parser knows of a kernel, as entries_of tells it.
Entry entry_of(const Ast& ast, const Function& f) {
  Entry e;
  e.name = f.name;
  std::uint64_t offset = 0;
  for (const Variable& p : f.params) {
    offset = (offset + p.align - 1) / p.align * p.align;
    e.parameters.push_back(
        {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(p.size_bytes)});
    offset += p.size_bytes;
  }
  e.parameter_bytes = static_cast<std::uint32_t>(offset);
  if (f.max_threads != 0) e.max_threads = static_cast<int>(std::min(f.max_threads, 1024U));
  for (const Statement& s : f.body) {
    if (s.kind != Statement::Kind::variable) continue;
    if (s.var.space == Space::shared) e.shared_bytes += static_cast<int>(s.var.size_bytes);
    if (s.var.space == Space::local) e.local_bytes += static_cast<int>(s.var.size_bytes);
  }
  (void)ast;
  return e;
}

TEST(OneReader, EntriesAndVariablesAreTheParsers) {
  std::size_t kernels = 0, variables = 0;
  for (const auto& path : texts()) {
    const std::string text = read_file(path).value();
    const auto ast = parse_ptx(text);
    if (!ast.ok()) continue;
    const auto entries = entries_of(text);
    ASSERT_TRUE(entries.ok()) << path << entries.error().message;
    std::size_t at = 0;
    for (const Function& f : ast->functions) {
      if (!f.is_entry) continue;
      ASSERT_LT(at, entries->size()) << path;
      Entry told = entries->at(at++);
      const Entry known = entry_of(*ast, f);
      // Shared variables of the module count for those who name them.
      EXPECT_GE(told.shared_bytes, known.shared_bytes) << path << " " << known.name;
      told.shared_bytes = known.shared_bytes;
      EXPECT_EQ(told, known) << path << " " << known.name;
      ++kernels;
    }
    EXPECT_EQ(at, entries->size()) << path;
    const auto told = module_variables(text);
    std::size_t next = 0;
    for (const Variable& v : ast->variables) {
      if (v.space != Space::global && v.space != Space::constant) continue;
      ASSERT_LT(next, told.size()) << path;
      EXPECT_EQ(told[next].name, v.name) << path;
      EXPECT_EQ(told[next].bytes, v.size_bytes) << path << " " << v.name;
      EXPECT_EQ(told[next].is_extern, v.is_extern) << path << " " << v.name;
      ++next, ++variables;
    }
    EXPECT_EQ(next, told.size()) << path;
  }
  EXPECT_GT(kernels, 80U);
  EXPECT_GE(variables, 4U);
}

/// Blanks, comments and line ends between any two words change nothing for anybody.
TEST(OneReader, BlanksAndCommentsChangeNothing) {
  const std::string text =
      ".version 8.3\n.target sm_90\n.address_size 64\n.global .align 4 .u32 state[2] = {1, 2};\n"
      ".visible .entry k(.param .u64 p, .param .align 8 .b8 q[12]) .maxntid 64, 2, 1 {\n"
      ".shared .align 4 .b8 tile[128]; .reg .f32 %f<4>; .reg .b16 %h<2>;\n"
      "cvt.rn.f16.f32 %h1, %f1; ret; }\n";
  std::string apart;
  Lexer lexer(text);
  for (auto word = lexer.word(); !word.empty(); word = lexer.word()) {
    for (const char c : plain(word)) {
      // Before a qualifier too; not in front of a fraction.
      if (c == '.' && !apart.empty() && word.find("8.3") == std::string_view::npos)
        apart += "/**/\n";
      apart += c;
    }
    apart += " // ;{}\n";
  }
  EXPECT_EQ(entries_of(text).value(), entries_of(apart).value());
  EXPECT_EQ(census_of(text, "c.cu"), census_of(apart, "c.cu"));
  ASSERT_EQ(census_of(apart, "c.cu").size(), 1U);
  EXPECT_EQ(module_variables(apart).at(0).bytes, 8U);
  const auto parsed = parse_ptx(apart);
  ASSERT_TRUE(parsed.ok()) << parsed.error().message << apart;
  EXPECT_EQ(parsed->functions.at(0).max_threads, 128U);
  bool seen = false;
  for (const Statement& s : parsed->functions.at(0).body)
    seen = seen || s.ins.text == "cvt.rn.f16.f32";
  EXPECT_TRUE(seen);
}

TEST(Types, HaveOneSize) {
  EXPECT_EQ(bytes_of_type("bf16x2"), 4U);
  EXPECT_EQ(bytes_of_type("b128"), 16U);
  EXPECT_EQ(bytes_of_type("pred"), 0U);
  EXPECT_EQ(bytes_of_type("texref"), 0U);
}

}  // namespace
}  // namespace warpwright::ptx
