// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "llm/wire.h"

namespace warpwright::llm {
namespace {

using Json = nlohmann::json;

Json body_for(const ModelOptions& options, const Request& request = {}) {
  const Asking asking{*find_service("anthropic"), options, "http://h/v1", "m"};
  const auto question = kAnthropicWire.question(asking, request);
  EXPECT_TRUE(question.ok());
  EXPECT_EQ(question->url, "http://h/v1/messages");
  EXPECT_EQ(question->headers, std::vector<std::string>{"anthropic-version: 2023-06-01"});
  return Json::parse(question->body);
}

TEST(AnthropicWire, TheSystemTextIsNoMessage) {
  const Json body =
      body_for({.temperature = 0.5, .max_output_tokens = 9},
               {.messages = {{Role::system, "s"}, {Role::user, "u"}, {Role::assistant, "a"}}});
  EXPECT_EQ(body["system"], "s");
  EXPECT_EQ(body["messages"], Json::parse(R"([{"role":"user","content":"u"},
                                              {"role":"assistant","content":"a"}])"));
  EXPECT_EQ(body["max_tokens"], 9);
  EXPECT_EQ(body["temperature"], 0.5);
}

TEST(AnthropicWire, ThinkingAndTemperatureExcludeEachOther) {
  const Json body = body_for({.temperature = 0.5, .reasoning = "high"});
  EXPECT_EQ(body["thinking"]["type"], "adaptive");
  EXPECT_EQ(body["output_config"]["effort"], "high");
  EXPECT_FALSE(body.contains("temperature"));
  EXPECT_EQ(body_for({.reasoning = "none"})["thinking"]["type"], "disabled");
}

TEST(AnthropicWire, ReadsAStream) {
  const auto parser = kAnthropicWire.parser();
  for (const char* data :
       {R"({"type":"message_start","message":{"model":"c","usage":{"input_tokens":25,
            "cache_creation_input_tokens":4,"cache_read_input_tokens":3,"output_tokens":1}}})",
        R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking",
            "thinking":""}})",
        R"({"type":"ping"})",
        R"({"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"hm"}})",
        R"({"type":"content_block_delta","delta":{"type":"signature_delta","signature":"xx"}})",
        R"({"type":"content_block_delta","delta":{"type":"text_delta","text":"co"}})",
        R"({"type":"content_block_delta","delta":{"type":"text_delta","text":"de"}})",
        R"({"type":"message_delta","delta":{"stop_reason":"max_tokens"},
            "usage":{"output_tokens":15}})"}) {
    ASSERT_TRUE(parser->event("", data).ok());
    EXPECT_FALSE(parser->answer().finished);
  }
  ASSERT_TRUE(parser->event("message_stop", R"({"type":"message_stop"})").ok());
  const PartialAnswer& answer = parser->answer();
  EXPECT_TRUE(answer.finished);
  EXPECT_EQ(answer.text, "code");
  EXPECT_EQ(answer.reasoning, "hm");
  EXPECT_EQ(answer.model, "c");
  EXPECT_EQ(answer.finish_reason, "length");
  EXPECT_EQ(*answer.usage, (Usage{.fresh = 25, .cache_read = 3, .cache_write = 4, .output = 15}));
}

TEST(AnthropicWire, ReadsADocument) {
  const auto parser = kAnthropicWire.parser();
  ASSERT_TRUE(parser
                  ->document(R"({"type":"message","model":"c","stop_reason":"end_turn",
      "content":[{"type":"thinking","thinking":"hm"},{"type":"redacted_thinking","data":"zz"},
                 {"type":"text","text":"code"}],
      "usage":{"input_tokens":5,"output_tokens":9,
               "output_tokens_details":{"thinking_tokens":4}}})")
                  .ok());
  const PartialAnswer& answer = parser->answer();
  EXPECT_EQ(answer.text, "code");
  EXPECT_EQ(answer.reasoning, "hm");
  EXPECT_EQ(answer.finish_reason, "stop");
  EXPECT_EQ(answer.usage->reasoning, 4);
}

TEST(AnthropicWire, ErrorsCarryAStatus) {
  const auto parser = kAnthropicWire.parser();
  ASSERT_TRUE(parser
                  ->event("error", R"({"type":"error","error":{"type":"overloaded_error",
                                          "message":"Overloaded"}})")
                  .ok());
  EXPECT_EQ(parser->answer().error, "Overloaded");
  EXPECT_EQ(parser->answer().error_status, 529);
}

}  // namespace
}  // namespace warpwright::llm
