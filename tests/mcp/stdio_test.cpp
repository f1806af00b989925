// SPDX-License-Identifier: Apache-2.0
#include "mcp/stdio.h"

#include <unistd.h>

#include <csignal>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp/fake_workshop.h"

namespace warpwright::mcp {
namespace {

using testing::HasSubstr;

/// A server on two pipes.
class StdioTest : public testing::Test {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);
    int to[2], from[2];
    ASSERT_EQ(::pipe(to), 0);
    ASSERT_EQ(::pipe(from), 0);
    in_ = FileDescriptor(to[1]);
    out_ = FileDescriptor(from[0]);
    server_in_ = FileDescriptor(to[0]);
    server_out_ = FileDescriptor(from[1]);
    thread_ = std::thread([this] {
      EXPECT_TRUE(serve_lines(bench_.server, server_in_.get(), server_out_.get(), stop_).ok());
      server_out_.reset();
    });
  }
  void TearDown() override {
    in_.reset();
    if (thread_.joinable()) thread_.join();
  }

  void say(const std::string& line) {
    const std::string text = line + "\n";
    ASSERT_EQ(::write(in_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  Json hear() {
    for (;;) {
      const auto end = heard_.find('\n');
      if (end != heard_.npos) {
        const Json message = Json::parse(heard_.substr(0, end));
        heard_.erase(0, end + 1);
        return message;
      }
      char bytes[4096];
      const ssize_t count = ::read(out_.get(), bytes, sizeof bytes);
      if (count <= 0) return "end";
      heard_.append(bytes, static_cast<std::size_t>(count));
    }
  }
  void shake_hands(const std::string& version = "2025-11-25") {
    say(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" + version +
        R"("}})");
    EXPECT_EQ(hear()["result"]["protocolVersion"], version);
    say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  }
  static std::string judge(const std::string& id, const std::string& source) {
    return R"({"jsonrpc":"2.0","id":)" + id +
           R"(,"method":"tools/call","params":{"name":"judge_kernel","arguments":)"
           R"({"task":"transpose","source":")" +
           source + R"("}}})";
  }

  Bench bench_;
  StopSignal stop_;
  FileDescriptor in_, out_, server_in_, server_out_;
  std::thread thread_;
  std::string heard_;
};

TEST_F(StdioTest, AnswersLineByLine) {
  shake_hands();
  say(R"({"jsonrpc":"2.0","id":"x","method":"ping"})");
  EXPECT_EQ(hear()["id"], "x");
  say("\r");
  say(judge("2", "good"));
  EXPECT_EQ(hear()["result"]["structuredContent"]["verdict"], "ok");
}

TEST_F(StdioTest, GarbageIsToldAndTheServerStays) {
  const std::vector<std::string> garbage = {"hello",
                                            "{",
                                            "[",
                                            "[]",
                                            "null",
                                            std::string(10'000, '['),
                                            "\xff\xfe",
                                            R"({"jsonrpc":"2.0"})",
                                            std::string("\0\0", 2)};
  for (const auto& line : garbage) {
    say(line);
    EXPECT_TRUE(hear().contains("error")) << line.substr(0, 40);
  }
  shake_hands();
}

TEST_F(StdioTest, AGiantLineIsDroppedNotKept) {
  std::thread writer([&] { say(std::string(3 * kMaxMessageBytes, 'x')); });
  const Json reply = hear();
  EXPECT_EQ(reply["error"]["code"], -32600);
  EXPECT_THAT(reply["error"]["message"].get<std::string>(), HasSubstr("at most"));
  writer.join();
  shake_hands();
}

TEST_F(StdioTest, ShortQuestionsAreAnsweredWhileALongOneIsUnderWay) {
  shake_hands();
  say(judge("1", "slow"));
  say(R"({"jsonrpc":"2.0","id":2,"method":"ping"})");
  EXPECT_EQ(hear()["id"], 2);
  say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  say(R"({"jsonrpc":"2.0","id":3,"method":"ping"})");
  EXPECT_EQ(hear()["id"], 3);
}

TEST_F(StdioTest, AFloodOfCallsIsRefusedNotQueued) {
  shake_hands();
  for (int id = 1; id <= 40; ++id) say(judge(std::to_string(id), "slow"));
  int busy = 0;
  while (busy < 36) {
    const Json reply = hear();
    const bool refused = reply.contains("error") || reply["result"]["isError"] == true;
    EXPECT_TRUE(refused) << reply;
    ++busy;
  }
  stop_.request(StopReason::interrupted);
}

TEST_F(StdioTest, WhatWasAskedIsAnsweredAfterTheEndOfInput) {
  shake_hands();
  say(judge("1", "good"));
  in_.reset();
  EXPECT_EQ(hear()["id"], 1);
  EXPECT_EQ(hear(), "end");
}

TEST_F(StdioTest, WhenNobodyReadsAnyMoreCallsAreCancelled) {
  shake_hands();
  say(judge("1", "slow"));
  while (bench_.workshop.judged == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  out_.reset();
  in_.reset();
  thread_.join();
  while (bench_.workshop.stopped == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST_F(StdioTest, BatchesBelongToOneVersion) {
  const std::string batch =
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},7])";
  shake_hands("2025-03-26");
  say(batch);
  const Json replies = hear();
  ASSERT_EQ(replies.size(), 2U);
  EXPECT_EQ(replies[0]["id"], 1);
  EXPECT_EQ(replies[1]["error"]["code"], -32600);
  say("[]");
  EXPECT_EQ(hear()["error"]["code"], -32600);
  shake_hands("2025-11-25");
  say(batch);
  EXPECT_EQ(hear()["error"]["code"], -32600);
}

}  // namespace
}  // namespace warpwright::mcp
