// SPDX-License-Identifier: Apache-2.0
#include "mcp/rpc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpwright::mcp {
namespace {

using testing::HasSubstr;

Message message(const std::string& text) {
  auto parsed = parse_text(text);
  if (const auto* error = std::get_if<RpcError>(&parsed)) return BadMessage{nullptr, *error};
  return message_of(std::get<Json>(parsed));
}

RpcCode code_of(const std::string& text) {
  const Message parsed = message(text);
  const auto* wrong = std::get_if<BadMessage>(&parsed);
  return wrong == nullptr ? RpcCode{} : wrong->error.code;
}

TEST(Rpc, RequestsAndNotifications) {
  const Message request = message(R"({"jsonrpc":"2.0","id":"a","method":"m","params":{"x":1}})");
  ASSERT_TRUE(std::holds_alternative<Call>(request));
  EXPECT_EQ(std::get<Call>(request).id, "a");
  EXPECT_EQ(std::get<Call>(request).params["x"], 1);
  EXPECT_FALSE(std::get<Call>(request).is_notification());
  const Message note = message(R"({"jsonrpc":"2.0","method":"m"})");
  EXPECT_TRUE(std::get<Call>(note).is_notification());
  EXPECT_TRUE(
      std::holds_alternative<ForeignAnswer>(message(R"({"jsonrpc":"2.0","id":1,"result":{}})")));
}

TEST(Rpc, WhatIsNoMessageGetsTheRightNumber) {
  EXPECT_EQ(code_of("{"), RpcCode::parse_error);
  EXPECT_EQ(code_of("\"\xff\""), RpcCode::parse_error);
  EXPECT_EQ(code_of("1"), RpcCode::invalid_request);
  EXPECT_EQ(code_of("null"), RpcCode::invalid_request);
  EXPECT_EQ(code_of(R"({"id":1,"method":"m"})"), RpcCode::invalid_request);
  EXPECT_EQ(code_of(R"({"jsonrpc":"1.0","id":1,"method":"m"})"), RpcCode::invalid_request);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1})"), RpcCode::invalid_request);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":7})"), RpcCode::invalid_request);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":null,"method":"m"})"), RpcCode::invalid_request);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1.5,"method":"m"})"), RpcCode::invalid_request);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":{},"method":"m"})"), RpcCode::invalid_request);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":"m","params":[1]})"),
            RpcCode::invalid_params);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":")" + std::string(1000, 'x') + R"(","method":"m"})"),
            RpcCode::invalid_request);
}

TEST(Rpc, ABadMessageIsAnsweredUnderItsIdWhereItHasOne) {
  const Message wrong = message(R"({"jsonrpc":"2.0","id":7})");
  EXPECT_EQ(std::get<BadMessage>(wrong).id, 7);
  EXPECT_TRUE(std::get<BadMessage>(message(R"({"jsonrpc":"2.0","id":[7]})")).id.is_null());
}

TEST(Rpc, DepthAndSizeAreLimitedBeforeParsing) {
  EXPECT_EQ(code_of(std::string(100'000, '[')), RpcCode::parse_error);
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += R"({"a":)";
  EXPECT_EQ(code_of(deep), RpcCode::parse_error);
  const std::string nested = std::string(kMaxDepth, '[') + std::string(kMaxDepth, ']');
  EXPECT_TRUE(std::holds_alternative<Json>(parse_text(nested)));
  EXPECT_FALSE(std::holds_alternative<Json>(parse_text("[" + nested + "]")));
  // Brackets in strings do not count, and an escaped quote does not end a string.
  EXPECT_TRUE(std::holds_alternative<Json>(parse_text("\"\\\"" + std::string(1000, '[') + "\"")));
  EXPECT_EQ(code_of("\"" + std::string(kMaxMessageBytes, 'x') + "\""), RpcCode::invalid_request);
}

TEST(Rpc, AnAnswerIsOneLine) {
  const std::string line = line_of(answer(1, {{"text", "two\nlines \xff"}}));
  EXPECT_EQ(line.find('\n'), line.npos);
  EXPECT_THAT(line, HasSubstr("\\n"));
  const Json wrong = failure("x", {RpcCode::busy, "busy", {{"a", 1}}});
  EXPECT_EQ(wrong["error"]["code"], -32000);
  EXPECT_EQ(wrong["error"]["data"]["a"], 1);
}

}  // namespace
}  // namespace warpwright::mcp
