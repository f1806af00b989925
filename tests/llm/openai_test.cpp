// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "llm/wire.h"

namespace warpwright::llm {
namespace {

using Json = nlohmann::json;

Json body_for(std::string_view service, ModelOptions options, const Request& request = {}) {
  const Asking asking{*find_service(service), options, "http://h/v1", "m"};
  const auto question = kOpenaiWire.question(asking, request);
  EXPECT_TRUE(question.ok());
  EXPECT_EQ(question->url, "http://h/v1/chat/completions");
  return Json::parse(question->body);
}

PartialAnswer read_document(std::string_view text) {
  const auto parser = kOpenaiWire.parser();
  EXPECT_TRUE(parser->document(text).ok());
  return parser->answer();
}

TEST(OpenaiWire, AsksForAStreamWithUsage) {
  const Json body = body_for(
      "openai", {}, {.id = "x", .messages = {{Role::system, "s"}, {Role::assistant, "a"}}});
  EXPECT_EQ(body["model"], "m");
  EXPECT_EQ(body["stream"], true);
  EXPECT_EQ(body["stream_options"]["include_usage"], true);
  EXPECT_EQ(body["messages"], Json::parse(R"([{"role":"system","content":"s"},
                                              {"role":"assistant","content":"a"}])"));
  EXPECT_FALSE(body.contains("n"));
  EXPECT_FALSE(body.contains("temperature"));
}

TEST(OpenaiWire, EachServiceHasItsOwnNames) {
  ModelOptions options;
  options.max_output_tokens = 77;
  options.reasoning = "high";
  EXPECT_EQ(body_for("openai", options)["max_completion_tokens"], 77);
  EXPECT_EQ(body_for("ollama", options)["max_tokens"], 77);
  EXPECT_FALSE(body_for("ollama", options).contains("max_completion_tokens"));
  EXPECT_EQ(body_for("openai", options)["reasoning_effort"], "high");
  EXPECT_EQ(body_for("openrouter", options)["reasoning"]["effort"], "high");
  EXPECT_EQ(body_for("deepseek", options)["thinking"]["type"], "enabled");
  options.reasoning = "none";
  EXPECT_EQ(body_for("deepseek", options)["thinking"]["type"], "disabled");
  EXPECT_FALSE(body_for("deepseek", options).contains("reasoning_effort"));
}

TEST(OpenaiWire, TheRequestWinsOverTheModelAndExtraFieldsOverBoth) {
  ModelOptions options;
  options.temperature = 0.5;
  EXPECT_EQ(body_for("vllm", options, {.temperature = 0.9})["temperature"], 0.9);
  EXPECT_EQ(body_for("vllm", options, {.max_output_tokens = 5})["max_tokens"], 5);
  options.extra_body = R"({"top_k": 3, "temperature": 0.1, "stream_options": null, "n": 4})";
  const Json body = body_for("vllm", options);
  EXPECT_EQ(body["top_k"], 3);
  EXPECT_EQ(body["temperature"], 0.1);
  EXPECT_FALSE(body.contains("stream_options"));
  EXPECT_FALSE(body.contains("n")) << "n is never sent";
}

TEST(OpenaiWire, ReadsBothNamesOfReasoning) {
  for (const char* name : {"reasoning_content", "reasoning"}) {
    const auto parser = kOpenaiWire.parser();
    const Json chunk = {{"choices", {{{"delta", {{name, "hm"}, {"content", nullptr}}}}}}};
    ASSERT_TRUE(parser->event("", chunk.dump()).ok());
    EXPECT_EQ(parser->answer().reasoning, "hm");
    EXPECT_FALSE(parser->answer().finished);
  }
  const auto both = read_document(
      R"({"choices":[{"message":{"reasoning":"hm","reasoning_content":"hm","content":"c"},
          "finish_reason":"stop"}]})");
  EXPECT_EQ(both.reasoning, "hm");
}

TEST(OpenaiWire, NormalisesUsage) {
  struct UsageCase {
    const char* usage;
    Usage expected;
  };
  const UsageCase cases[] = {
      {R"({"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,
           "prompt_tokens_details":{"cached_tokens":60,"cache_write_tokens":10},
           "completion_tokens_details":{"reasoning_tokens":20}})",
       {30, 60, 10, 50, 20}},
      {R"({"prompt_tokens":100,"completion_tokens":50,"prompt_cache_hit_tokens":64,
           "prompt_cache_miss_tokens":36,"completion_tokens_details":{"reasoning_tokens":7}})",
       {36, 64, 0, 50, 7}},
      {R"({"prompt_tokens":10,"completion_tokens":5,"total_tokens":40})", {10, 0, 0, 30, 0}},
      {R"({"prompt_tokens":10,"completion_tokens":null,"prompt_tokens_details":null})",
       {10, 0, 0, 0, 0}},
      {R"({"prompt_tokens":-5,"completion_tokens":1e300,"total_tokens":"many"})", {0, 0, 0, 0, 0}},
      {R"({"prompt_tokens":5,"prompt_tokens_details":{"cached_tokens":50}})", {0, 5, 0, 0, 0}},
  };
  for (const UsageCase& test : cases) {
    const auto answer = read_document(std::string(R"({"choices":[],"usage":)") + test.usage + "}");
    ASSERT_TRUE(answer.usage.has_value());
    EXPECT_EQ(*answer.usage, test.expected) << test.usage;
  }
}

TEST(OpenaiWire, TakesTheCostThatTheProviderStates) {
  const auto answer = read_document(
      R"({"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"cost":0.25}})");
  EXPECT_EQ(answer.cost_usd, 0.25);
}

TEST(OpenaiWire, OddDocumentsDoNotHurt) {
  for (const char* text : {R"({"choices":5})", R"({"choices":[5]})", R"({"choices":[{}]})",
                           R"({"choices":[{"message":"x"}]})", R"({})", R"({"usage":[]})"}) {
    EXPECT_FALSE(read_document(text).produced()) << text;
  }
  const auto parser = kOpenaiWire.parser();
  EXPECT_FALSE(parser->document("[]").ok());
  EXPECT_FALSE(parser->document("").ok());
  EXPECT_FALSE(parser->event("", "{").ok());
  const auto parts = read_document(
      R"({"choices":[{"message":{"content":[{"type":"text","text":"a"},{"text":"b"}]}}]})");
  EXPECT_EQ(parts.text, "ab");
}

}  // namespace
}  // namespace warpwright::llm
