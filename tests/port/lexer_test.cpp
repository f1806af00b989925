// SPDX-License-Identifier: Apache-2.0
#include "port/lexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace warpwright::port {
namespace {

using testing::ElementsAre;

/// The texts of all tokens of a kind.
std::vector<std::string> texts(std::string_view source, TokenKind kind) {
  std::vector<std::string> found;
  for (const Token& token : tokens_of(source))
    if (token.kind == kind) found.emplace_back(source.substr(token.begin, token.end - token.begin));
  return found;
}

TEST(Lexer, TokensFollowEachOtherWithoutGaps) {
  const std::string_view source =
      "#include <a.h>\r\nint x = 1'000; // c\n/* open\n*/ auto s = R\"q(\")q\"; \"unclosed\n'";
  std::size_t at = 0;
  for (const Token& token : tokens_of(source)) {
    EXPECT_EQ(token.begin, at);
    EXPECT_LT(token.begin, token.end);
    at = token.end;
  }
  EXPECT_EQ(at, source.size());
}

TEST(Lexer, TellsLiteralsAndCommentsFromNames) {
  const std::string_view source =
      "cudaA(\"cudaB \\\" cudaC\", 'c', R\"x(cudaD)x\"); // cudaE\n/* cudaF */ L\"cudaG\"";
  EXPECT_THAT(texts(source, TokenKind::word), ElementsAre("cudaA"));
  EXPECT_THAT(texts(source, TokenKind::comment), ElementsAre("// cudaE", "/* cudaF */"));
}

TEST(Lexer, JoinedLinesBelongToTheirDirective) {
  const auto tokens = tokens_of("#define A \\\n  b\nc");
  EXPECT_TRUE(tokens[tokens.size() - 3].directive);
  EXPECT_FALSE(tokens.back().directive);
  EXPECT_EQ(tokens.back().line, 3);
  EXPECT_THAT(texts("// one \\\n two\nthree", TokenKind::word), ElementsAre("three"));
}

TEST(Lexer, NumbersMayHaveSeparatorsAndSigns) {
  EXPECT_THAT(texts("1'000'000+0x1p-3f 1e+5 .5f 0xE+1", TokenKind::number),
              ElementsAre("1'000'000", "0x1p-3f", "1e+5", ".5f", "0xE", "1"));
}

TEST(Lexer, OnlyIncludesHaveHeaderNames) {
  EXPECT_THAT(
      texts("# include <cuda.h>\n#include \"a b.h\"\n#if a < b\nx<y>", TokenKind::header_name),
      ElementsAre("<cuda.h>", "\"a b.h\""));
}

}  // namespace
}  // namespace warpwright::port
