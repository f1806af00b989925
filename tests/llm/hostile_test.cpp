// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "llm/asker.h"

namespace warpwright::llm {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

/// Every way a provider can misbehave, and what must come of it.
struct Case {
  const char* scenario;
  OutcomeKind kind;
  const char* expected;  ///< in the text or in the error
  bool retry = false;
  bool wasted = false;
  int requests = 1;
};

constexpr OutcomeKind kAnswered = OutcomeKind::answered;
constexpr OutcomeKind kFailed = OutcomeKind::failed;

class HostileProvider : public ::testing::TestWithParam<Case> {};

TEST_P(HostileProvider, EndsRight) {
  const Case& test = GetParam();
  for (const char* spec : {"openai:m", "anthropic:m"}) {
    SCOPED_TRACE(std::string(spec) + " " + test.scenario);
    Asker asking;
    asking.options.spec = spec;
    // Short only where it is what is tested: a busy machine may pause a good stream for as long.
    const bool silent = std::string_view(test.expected).starts_with("nothing came");
    if (silent) asking.options.timeouts.idle = std::chrono::milliseconds(250);
    asking.serve(test.scenario);
    const Outcome outcome = asking.ask("q.1");
    ASSERT_EQ(outcome.kind, test.kind) << outcome.error;
    EXPECT_EQ(asking.provider->requests(), test.requests);
    if (test.kind == kAnswered) {
      EXPECT_THAT(outcome.reply.text, HasSubstr(test.expected));
      EXPECT_GT(outcome.reply.usage.output, 0);
    } else {
      EXPECT_THAT(outcome.error, HasSubstr(test.expected));
      EXPECT_THAT(outcome.error, HasSubstr(spec));
    }
    EXPECT_EQ(outcome.retry, test.retry) << outcome.error;
    EXPECT_EQ(outcome.wasted.total() > 0, test.wasted) << outcome.error;
    // Kept if and only if somebody paid for it.
    const bool kept = fs::exists(asking.spool() / "q.1.json");
    EXPECT_EQ(kept, test.kind == kAnswered || test.wasted);
    const int before = asking.provider->requests();
    const Outcome again = kept ? asking.ask("q.1") : outcome;
    EXPECT_EQ(again.kind, outcome.kind);
    EXPECT_EQ(again.reply, outcome.reply);
    EXPECT_EQ(again.error, outcome.error);
    EXPECT_EQ(again.wasted, outcome.wasted);
    EXPECT_EQ(asking.provider->requests(), before);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Llm, HostileProvider,
    ::testing::Values(
        Case{"answer", kAnswered, "__global__"}, Case{"answer_json", kAnswered, "__global__"},
        Case{"slow", kAnswered, "__global__"}, Case{"keep_alive", kAnswered, "__global__"},
        Case{"blank_lines", kAnswered, "__global__"},
        Case{"missing_usage", kAnswered, "__global__"},
        Case{"no_end_marker", kAnswered, "__global__"}, Case{"text_plain", kAnswered, "__global__"},
        Case{"429,429_after,429_after_ms,answer", kAnswered, "__global__", false, false, 4},
        Case{"429_date,answer", kAnswered, "__global__", false, false, 2},
        Case{"500,503,529,answer", kAnswered, "__global__", false, false, 4},
        Case{"close,answer", kAnswered, "__global__", false, false, 2},
        Case{"stream_error_first,answer", kAnswered, "__global__", false, false, 2},
        Case{"429", kFailed, "HTTP 429: slow down", true, false, 4},
        Case{"500", kFailed, "HTTP 500: internal error", true, false, 4},
        Case{"503", kFailed, "Loading model", true, false, 4},
        Case{"429_quota", kFailed, "out of money", false, false, 1},
        Case{"500_final", kFailed, "do not come back", false, false, 1},
        Case{"400", kFailed, "HTTP 400: unknown parameter", false, false, 1},
        Case{"401_key_echo", kFailed, "Incorrect API key provided: [key]", false, false, 1},
        Case{"402", kFailed, "insufficient balance", false, false, 1},
        Case{"404", kFailed, "check the model's name", false, false, 1},
        Case{"redirect", kFailed, "redirected to 'http://127.0.0.1:9/elsewhere'", false, false, 1},
        Case{"html", kFailed, "text/html", false, false, 1},
        Case{"hang", kFailed, "nothing came for 250 ms", true, true, 1},
        Case{"stall", kFailed, "nothing came for 250 ms", true, true, 1},
        Case{"cut", kFailed, "broke off", true, true, 1},
        Case{"cut_before_tokens", kFailed, "broke off", true, true, 1},
        Case{"invalid_json", kFailed, "not a JSON object", true, true, 1},
        Case{"invalid_event", kFailed, "not a JSON object", true, true, 1},
        Case{"empty_answer", kFailed, "empty answer", true, true, 1},
        Case{"endless_headers", kFailed, "headers never end", true, true, 1},
        Case{"stream_error", kFailed, "upstream fell over", true, true, 1}));

TEST(Hostile, EmptyChoicesAreAFailure) {
  Asker asking;
  asking.serve("empty_choices");
  const Outcome outcome = asking.ask();
  EXPECT_EQ(outcome.kind, kFailed);
  EXPECT_THAT(outcome.error, HasSubstr("without a choice"));
  EXPECT_TRUE(outcome.retry);
}

TEST(Hostile, ManyChoicesAreOneAnswer) {
  Asker asking;
  asking.serve("many_choices");
  const auto answer = asking.ask();
  EXPECT_EQ(answer.reply.text, hostile::default_answer(asking.provider->served()[0].body));
}

TEST(Hostile, ATruncatedAnswerSaysSo) {
  for (const char* spec : {"openai:m", "anthropic:m"}) {
    Asker asking;
    asking.options.spec = spec;
    asking.serve("length");
    EXPECT_EQ(asking.ask().reply.finish_reason, "length");
  }
}

TEST(Hostile, ReasoningIsKeptApart) {
  for (const char* spec : {"openai:m", "anthropic:m"}) {
    for (const char* scenario : {"thinking", "think_tags"}) {
      Asker asking;
      asking.options.spec = spec;
      asking.serve(scenario);
      const Reply reply = asking.ask().reply;
      EXPECT_THAT(reply.reasoning, ::testing::AnyOf("Let me think.", "Hm."));
      EXPECT_THAT(reply.text, ::testing::StartsWith("Here is the kernel."));
    }
  }
}

TEST(Hostile, UsageIsNormalisedOrEstimated) {
  Asker asking;
  asking.serve("answer,missing_usage");
  const Usage stated = asking.ask("a").reply.usage;
  EXPECT_EQ(stated, (Usage{.fresh = 100, .cache_read = 20, .output = 60, .reasoning = 10}));
  const Usage guessed = asking.ask("b").reply.usage;
  EXPECT_TRUE(guessed.estimated);
  EXPECT_GT(guessed.fresh, 5);
  EXPECT_GT(guessed.output, 30);
}

TEST(Hostile, CostIsThePriceOfTheUsageOrWhatTheProviderStates) {
  Asker asking;
  asking.options.price = Price{.fresh = 10, .cache_read = 1, .cache_write = 0, .output = 100};
  asking.serve("answer,stated_cost,cut");
  EXPECT_DOUBLE_EQ(asking.ask("a").reply.cost_usd, (100 * 10 + 20 * 1 + 60 * 100) * 1e-6);
  EXPECT_DOUBLE_EQ(asking.ask("b").reply.cost_usd, 0.0125);
  EXPECT_DOUBLE_EQ(asking.ask("b").reply.cost_usd, 0.0125);
  EXPECT_GT(asking.ask("c").wasted_usd, 0);
}

TEST(Hostile, TenMegabytesAreFine) {
  Asker asking;
  asking.serve("huge");
  const Outcome outcome = asking.ask();
  ASSERT_EQ(outcome.kind, kAnswered) << outcome.error;
  EXPECT_EQ(outcome.reply.text.size(), std::size_t{10} << 20);
  EXPECT_GT(asking.most_tokens, 0);
}

TEST(Hostile, ABodyWithoutEndIsRefused) {
  Asker asking;
  asking.options.timeouts.total = std::chrono::seconds(120);  // 64 MiB take a while when sanitized
  asking.serve("endless_body");
  const Outcome outcome = asking.ask();
  EXPECT_EQ(outcome.kind, kFailed);
  EXPECT_THAT(outcome.error, HasSubstr("longer than 64 MiB"));
  EXPECT_GT(outcome.wasted.output, 1 << 20);
}

TEST(Hostile, DamagedUtf8IsRepaired) {
  Asker asking;
  asking.serve("bad_utf8");
  EXPECT_EQ(asking.ask().reply.text, "a\xEF\xBF\xBD\xEF\xBF\xBD(b");
}

TEST(Hostile, AnswersCanComeFromFiles) {
  Asker asking;
  const fs::path answers = asking.folder() / "answers";
  ASSERT_TRUE(make_directories(answers).ok());
  ASSERT_TRUE(write_file(answers / "1.txt", "first").ok());
  ASSERT_TRUE(write_file(answers / "2.txt", "second").ok());
  const fs::path log = asking.folder() / "log";
  asking.provider = hostile::Provider::start({.answers = answers, .log = log}).value();
  asking.options.base_url = asking.provider->base_url();
  EXPECT_EQ(asking.ask("a").reply.text, "first");
  EXPECT_EQ(asking.ask("b").reply.text, "second");
  EXPECT_EQ(asking.ask("c").reply.text, "first");
  asking.provider.reset();
  EXPECT_THAT(read_file(log).value(), HasSubstr("\"paid\":true"));
}

TEST(Hostile, NIsNeverSent) {
  Asker asking;
  asking.options.extra_body = R"({"n": 3, "seed": 7})";
  asking.serve("answer");
  asking.ask();
  const auto body = nlohmann::json::parse(asking.provider->served().at(0).body);
  EXPECT_FALSE(body.contains("n"));
  EXPECT_EQ(body["seed"], 7);
}

TEST(Hostile, NobodyListens) {
  Asker asking;
  asking.serve("answer");
  asking.provider.reset();
  const Outcome outcome = asking.ask();
  EXPECT_EQ(outcome.kind, kFailed);
  EXPECT_TRUE(outcome.retry);
  EXPECT_THAT(outcome.error, HasSubstr("after 4 tries"));
  EXPECT_EQ(asking.notes.size(), 3U);
}

TEST(Hostile, TotalTimeIsLimitedHoweverBusyTheStream) {
  Asker asking;
  asking.options.timeouts.total = std::chrono::milliseconds(600);
  asking.provider = hostile::Provider::start({.scenario = "slow", .chunk_delay_ms = 150}).value();
  asking.options.base_url = asking.provider->base_url();
  const Outcome outcome = asking.ask();
  EXPECT_EQ(outcome.kind, kFailed);
  EXPECT_TRUE(outcome.retry);
  EXPECT_GT(outcome.wasted.output, 0);
}

TEST(Hostile, AProxyIsUsedWhenConfigured) {
  Asker asking;
  asking.serve("answer,401_key_echo");
  const std::string port = std::to_string(asking.provider->port());
  asking.options.proxy = "http://me:s3cret-word@127.0.0.1:" + port;
  asking.options.base_url = "http://models.invalid/v1";
  const Outcome outcome = asking.ask("a");
  ASSERT_EQ(outcome.kind, kAnswered) << outcome.error;
  EXPECT_EQ(asking.provider->served().at(0).path, "http://models.invalid/v1/chat/completions");
  EXPECT_THAT(asking.ask("b").error, Not(HasSubstr("s3cret-word")));
}

TEST(Hostile, AMissingCertificateFileIsFinal) {
  Asker asking;
  asking.serve("answer");
  asking.options.base_url = "https://127.0.0.1:" + std::to_string(asking.provider->port());
  asking.options.ca_file = "/nonexistent/ca.pem";
  const Outcome outcome = asking.ask();
  EXPECT_EQ(outcome.kind, kFailed);
  EXPECT_FALSE(outcome.retry);
  EXPECT_THAT(outcome.error, HasSubstr("/nonexistent/ca.pem"));
}

TEST(Hostile, ASpoolThatIsAwayForAMomentCostsNothing) {
  Asker asking;
  asking.options.delay_scale = 0.1;
  asking.serve("slow");
  std::thread saboteur([&] {
    while (asking.provider->requests() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    fs::remove_all(asking.spool());
    while (asking.provider->paid() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    fs::create_directories(asking.spool());
  });
  const Outcome outcome = asking.ask();
  saboteur.join();
  EXPECT_EQ(outcome.kind, kAnswered) << outcome.error;
}

TEST(Hostile, WaitsAreAnnounced) {
  Asker asking;
  asking.serve("429_after,answer");
  asking.ask();
  ASSERT_EQ(asking.notes.size(), 1U);
  EXPECT_EQ(asking.notes[0], "waiting 0.1 s: rate limited");
}

TEST(Hostile, ABadIdIsRefusedBeforeAnythingIsSent) {
  Asker asking;
  asking.serve("answer");
  for (const std::string id : {"", "../x", "a/b", "a b", ".hidden"}) {
    EXPECT_EQ(asking.ask(id).kind, kFailed) << id;
  }
  EXPECT_EQ(asking.provider->requests(), 0);
}

TEST(Hostile, AnotherRequestsOutcomeIsNotTakenForOurs) {
  Asker asking;
  asking.serve("answer");
  ASSERT_EQ(asking.ask("r1").kind, kAnswered);
  ASSERT_EQ(asking.ask("r1").kind, kAnswered);
  EXPECT_EQ(asking.provider->requests(), 1);
  asking.question[1].text = "Add two vectors.";
  ASSERT_EQ(asking.ask("r1").kind, kAnswered);
  ASSERT_EQ(asking.provider->requests(), 2);
  EXPECT_THAT(asking.provider->served()[1].body, HasSubstr("Add two vectors."));
  asking.options.max_output_tokens = 99;
  ASSERT_EQ(asking.ask("r1").kind, kAnswered);
  asking.options.spec = "openai:other";
  ASSERT_EQ(asking.ask("r1").kind, kAnswered);
  EXPECT_EQ(asking.provider->requests(), 4);
  ASSERT_EQ(asking.ask("r1").kind, kAnswered);
  EXPECT_EQ(asking.provider->requests(), 4);
}

TEST(Hostile, AnOutcomeFromBeforeRequestsWereNotedIsKept) {
  Asker asking;
  asking.serve("answer");
  ASSERT_TRUE(make_directories(asking.spool()).ok());
  ASSERT_TRUE(write_file(asking.spool() / "r1.json",
                         R"({"version":1,"id":"r1","kind":"answered","text":"paid long ago"})")
                  .ok());
  EXPECT_EQ(asking.ask("r1").reply.text, "paid long ago");
  EXPECT_EQ(asking.provider->requests(), 0);
}

TEST(Hostile, AKeptOutcomeIsAsLongAsItsText) {
  Asker asking;
  asking.serve("answer");
  ASSERT_EQ(asking.ask("a").kind, kAnswered);
  const std::string text = read_file(asking.spool() / "a.json").value();
  EXPECT_TRUE(text.ends_with("}\n"));
  EXPECT_FALSE(fs::exists(asking.spool() / "a.json.part"));
}

TEST(Hostile, ADamagedOutcomeFileIsNamed) {
  Asker asking;
  asking.serve("answer");
  ASSERT_TRUE(make_directories(asking.spool()).ok());
  ASSERT_TRUE(write_file(asking.spool() / "r1.json", "{\"version\":1").ok());
  EXPECT_THAT(asking.ask("r1").error, HasSubstr("r1.json"));
  EXPECT_EQ(asking.provider->requests(), 0);
}

}  // namespace
}  // namespace warpwright::llm
