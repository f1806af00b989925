// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "llm/asker.h"
#include "llm/recording.h"

namespace warpwright::llm {
namespace {

using ::testing::HasSubstr;

const Reply kReply{
    .text = "code \"x\"\n\xC3\xA4",
    .reasoning = "hm",
    .model = "m-1",
    .finish_reason = "length",
    .usage = {.fresh = 1, .cache_read = 2, .cache_write = 3, .output = 4, .reasoning = 2}};

TEST(Replay, WhatIsRecordedIsReplayed) {
  Asker asking;
  const auto file = asking.folder() / "conversation.jsonl";
  ASSERT_TRUE(write_file(file, recording_line("a", kReply) + "\n" +
                                   R"({"id":"b","text":"short"})"
                                   "\n" +
                                   R"({"id":"c","error":"cut","retry":true,)"
                                   R"("usage":{"output":9}})")
                  .ok());
  for (const auto& path : {file, asking.folder()}) {
    asking.options.spec = "replay:" + path.string();
    EXPECT_EQ(asking.ask("a").reply, kReply);
    EXPECT_EQ(asking.ask("b").reply.text, "short");
    EXPECT_EQ(asking.ask("b").reply.finish_reason, "stop");
    const Outcome failed = asking.ask("c");
    EXPECT_EQ(failed.kind, OutcomeKind::failed);
    EXPECT_EQ(failed.error, "cut");
    EXPECT_TRUE(failed.retry);
    EXPECT_EQ(failed.wasted.output, 9);
  }
  EXPECT_TRUE(asking.model()->price_known());
  EXPECT_EQ(asking.model()->price_usd(kReply.usage), 0);
}

TEST(Replay, AMissingIdNamesFileAndId) {
  Asker asking;
  const auto file = asking.folder() / "x.jsonl";
  ASSERT_TRUE(write_file(file, recording_line("a", kReply)).ok());
  asking.options.spec = "replay:" + file.string();
  const Outcome outcome = asking.ask("zz9");
  EXPECT_EQ(outcome.kind, OutcomeKind::failed);
  EXPECT_FALSE(outcome.retry);
  EXPECT_THAT(outcome.error, HasSubstr(file.string()));
  EXPECT_THAT(outcome.error, HasSubstr("'zz9'"));
}

TEST(Replay, ARepairThatNobodyWroteIsAnAnswerWithoutCode) {
  Asker asking;
  const auto file = asking.folder() / "x.jsonl";
  ASSERT_TRUE(write_file(file, recording_line("r3.c1", kReply)).ok());
  asking.options.spec = "replay:" + file.string();
  for (const char* id : {"r3.c1.fix1", "r3.c1.fix1.a1"}) {
    const Outcome outcome = asking.ask(id);
    EXPECT_EQ(outcome.kind, OutcomeKind::answered) << id;
    EXPECT_THAT(outcome.reply.text, HasSubstr("no answer"));
    EXPECT_EQ(outcome.reply.text.find("```"), std::string::npos);
  }
  EXPECT_EQ(asking.ask("r3.c2").kind, OutcomeKind::failed);
}

TEST(Replay, BadRecordingsAreRefusedWithTheirLine) {
  Asker asking;
  const auto file = asking.folder() / "x.jsonl";
  asking.options.spec = "replay:" + file.string();
  EXPECT_THAT(asking.refusal(), HasSubstr(file.string()));
  const std::string good = recording_line("a", kReply);
  for (const char* bad : {"nonsense", "{}", R"({"id":"q"})", R"({"id":"a","text":"again"})"}) {
    ASSERT_TRUE(write_file(file, good + bad).ok());
    EXPECT_THAT(asking.refusal(), HasSubstr("line 2")) << bad;
  }
}

TEST(Inbox, TheAnswerComesLater) {
  Asker asking;
  asking.options.spec = "inbox";
  EXPECT_EQ(asking.ask().kind, OutcomeKind::waiting);
  EXPECT_EQ(asking.model()->name(), "inbox");
  EXPECT_TRUE(asking.model()->price_known());
}

}  // namespace
}  // namespace warpwright::llm
