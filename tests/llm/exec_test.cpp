// SPDX-License-Identifier: Apache-2.0
#include "llm/exec.h"

#include <filesystem>

#include <gmock/gmock.h>

#include "llm/asker.h"

namespace warpwright::llm {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

/// A program of one's own: an executable script.
std::string script(const Asker& asking, const std::string& text) {
  const fs::path path = asking.folder() / "model.sh";
  EXPECT_TRUE(write_file(path, "#!/bin/sh\n" + text).ok());
  fs::permissions(path, fs::perms::owner_all);
  return "exec:" + path.string();
}

TEST(Exec, ThePromptGoesInAndTheAnswerComesOut) {
  Asker asking;
  asking.options.spec = script(asking, "echo \"args: $*\"; cat") + "  --flag  two";
  asking.question = {{Role::user, "the question"}};
  const Outcome outcome = asking.ask();
  ASSERT_EQ(outcome.kind, OutcomeKind::answered) << outcome.error;
  EXPECT_EQ(outcome.reply.text, "args: --flag two\nthe question");
  EXPECT_TRUE(outcome.reply.usage.estimated);
  EXPECT_GT(outcome.reply.usage.output, 0);
  EXPECT_FALSE(asking.model()->price_known());
}

TEST(Exec, AskingAgainDoesNotRunItAgain) {
  Asker asking;
  const fs::path counter = asking.folder() / "count";
  asking.options.spec = script(asking, "echo x >> '" + counter.string() + "'; echo code");
  EXPECT_EQ(asking.ask("a").reply.text, "code\n");
  EXPECT_EQ(asking.ask("a").reply.text, "code\n");
  EXPECT_EQ(read_file(counter).value(), "x\n");
  EXPECT_EQ(asking.ask("b").reply.text, "code\n");
  EXPECT_EQ(read_file(counter).value(), "x\nx\n");
}

TEST(Exec, KeysAreNotInItsEnvironment) {
  Asker asking;
  asking.options.spec = script(asking, "env");
  asking.variables["HOME"] = "/somewhere";
  asking.variables["GEMINI_API_KEY"] = kPlantedKey;
  asking.variables["MY_LITTLE_TOKEN"] = kPlantedKey;
  asking.variables["aws_secret_access"] = kPlantedKey;
  asking.variables["OTHER_API_KEY"] = "wanted";
  asking.options.exec_pass = {"OTHER_API_KEY"};
  const std::string seen = asking.ask("id-7").reply.text;
  EXPECT_THAT(seen, HasSubstr("HOME=/somewhere"));
  EXPECT_THAT(seen, HasSubstr("OTHER_API_KEY=wanted"));
  EXPECT_THAT(seen, HasSubstr("WARPWRIGHT_REQUEST_ID=id-7"));
  EXPECT_THAT(seen, Not(HasSubstr(kPlantedKey)));
}

TEST(Exec, FailuresSayHow) {
  Asker asking;
  asking.options.spec = script(asking, "echo 'out of paper' >&2; exit 3");
  Outcome outcome = asking.ask("a");
  EXPECT_EQ(outcome.kind, OutcomeKind::failed);
  EXPECT_TRUE(outcome.retry);
  EXPECT_THAT(outcome.error, HasSubstr("exit code 3"));
  EXPECT_THAT(outcome.error, HasSubstr("out of paper"));
  EXPECT_EQ(outcome.wasted.total(), 0);

  asking.options.spec = script(asking, "echo half; exit 3");
  outcome = asking.ask("b");
  EXPECT_GT(outcome.wasted.output, 0);
  EXPECT_TRUE(fs::exists(asking.spool() / "b.json"));

  asking.options.spec = script(asking, "exit 0");
  EXPECT_THAT(asking.ask("c").error, HasSubstr("no answer"));

  asking.options.spec = script(asking, "exec sleep 60");
  asking.options.timeouts.total = std::chrono::milliseconds(100);
  EXPECT_THAT(asking.ask("d").error, HasSubstr("time limit"));

  asking.options.spec = "exec:/nonexistent/model";
  outcome = asking.ask("e");
  EXPECT_FALSE(outcome.retry);
  EXPECT_THAT(outcome.error, HasSubstr("/nonexistent/model"));
}

TEST(Exec, SeveralMessagesGetTitles) {
  EXPECT_EQ(prompt_text({{Role::user, "u"}}), "u");
  EXPECT_EQ(prompt_text({{Role::system, "s"}, {Role::user, "u"}}), "### system\ns\n\n### user\nu");
}

TEST(Exec, CommandsAreCutAtSpacesAndNothingElse) {
  EXPECT_EQ(split_command("  a  'b c' "), (std::vector<std::string>{"a", "'b", "c'"}));
  EXPECT_TRUE(split_command("  ").empty());
}

TEST(Exec, SecretNamesAreRecognised) {
  const std::vector<std::string> all = {
      "PATH=1",     "OPENAI_API_KEY=1", "GITHUB_TOKEN=1", "client_secret_x=1",
      "KEYBOARD=1", "MINE=1",           "DB_PASSWORD=1"};
  EXPECT_EQ(environment_without_keys(all, "MINE", {"GITHUB_TOKEN"}),
            (std::vector<std::string>{"PATH=1", "GITHUB_TOKEN=1", "KEYBOARD=1"}));
}

}  // namespace
}  // namespace warpwright::llm
