// SPDX-License-Identifier: Apache-2.0
#include "llm/answer.h"

#include <gtest/gtest.h>

namespace warpwright::llm {
namespace {

PartialAnswer tidied(std::string text, std::string reasoning = {}) {
  PartialAnswer answer;
  answer.text = std::move(text);
  answer.reasoning = std::move(reasoning);
  tidy_answer(answer);
  return answer;
}

TEST(Answer, ThoughtsAreKeptApart) {
  const auto answer = tidied("  <think>\nwarp first\n</think>\n\ncode");
  EXPECT_EQ(answer.text, "code");
  EXPECT_EQ(answer.reasoning, "warp first");
}

TEST(Answer, AClosingTagAloneEndsThoughtsThatThePromptBegan) {
  const auto answer = tidied("warp first\n</think>\ncode", "given");
  EXPECT_EQ(answer.text, "code");
  EXPECT_EQ(answer.reasoning, "given\nwarp first");
}

TEST(Answer, ThoughtsThatNeverEndAreNoAnswer) {
  const auto answer = tidied("<think>and then");
  EXPECT_EQ(answer.text, "");
  EXPECT_EQ(answer.reasoning, "and then");
}

TEST(Answer, TagsInsideAnAnswerStay) {
  EXPECT_EQ(tidied("use <think>x</think> tags").text, "use <think>x</think> tags");
}

TEST(Answer, EndMarkersGo) {
  EXPECT_EQ(tidied("code</s>").text, "code");
  EXPECT_EQ(tidied("code<|im_end|>\n</s>\n").text, "code");
  EXPECT_EQ(tidied("a </s> b").text, "a </s> b");
}

TEST(Answer, DamagedBytesAreReplaced) {
  EXPECT_EQ(tidied(std::string("a\xFF\0b\r\n", 6)).text,
            "a\xEF\xBF\xBD"
            "b\n");
}

TEST(Answer, TooMuchTextIsCutAndSaysSo) {
  const auto answer = tidied(std::string(kMaxTextBytes + 5, 'x'));
  EXPECT_EQ(answer.text.size(), kMaxTextBytes);
  EXPECT_EQ(answer.finish_reason, "length");
}

TEST(Answer, ErrorsOfAllShapesAreRead) {
  EXPECT_EQ(error_of_document(R"({"error":{"message":"no","code":"c"}})").message, "no");
  EXPECT_EQ(error_of_document(R"({"error":{"message":"no","code":"c"}})").code, "c");
  EXPECT_EQ(error_of_document(R"({"error":"no"})").message, "no");
  EXPECT_EQ(error_of_document(R"({"detail":"no"})").message, "no");
  EXPECT_EQ(error_of_document(R"({"type":"error","error":{"type":"overloaded_error",
                                  "message":"busy"}})")
                .status,
            529);
  EXPECT_EQ(error_of_document("plain words\n").message, "plain words");
  EXPECT_EQ(error_of_document("").message, "");
  EXPECT_LT(error_of_document(std::string(100000, 'x')).message.size(), 1000U);
  // Nesting that would overflow a recursive reader is text like any other.
  EXPECT_LT(error_of_document(std::string(100000, '[')).message.size(), 1000U);
}

}  // namespace
}  // namespace warpwright::llm
