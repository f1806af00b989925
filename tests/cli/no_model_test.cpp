// SPDX-License-Identifier: Apache-2.0
// What a user sees who names a task and no model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/program.h"
#include "support/places.h"

namespace warpwright::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// The first pasted command that names this model, as its words.
std::vector<std::string> offered(const std::string& text, const std::string& model) {
  for (const auto line : lines_of(text)) {
    if (line.find("--model " + model) == std::string::npos) continue;
    std::vector<std::string> words;
    std::string word;
    for (const char c : std::string(trimmed(line)) + " ") {
      if (c != ' ') word += c;
      if (c == ' ' && !word.empty()) words.push_back(std::exchange(word, ""));
    }
    return words;
  }
  return {};
}

TEST(NoModel, OffersTheRecordingOfTheSourceTree) {
  Program program;
  const auto exit = program.run({"run", "transpose"});
  EXPECT_EQ(exit.exit_code, 2);
  EXPECT_THAT(exit.err, AllOf(HasSubstr("no model is configured"), HasSubstr("docs/models.md"),
                              HasSubstr("--model inbox"), HasSubstr("tell last r1.c1")));
  auto words = offered(exit.err, "replay:");
  ASSERT_GT(words.size(), 4u) << exit.err;
  EXPECT_EQ(words[0], program_path());
  // It works as it stands there; here with a judge that takes no time.
  words.erase(words.begin());
  words.insert(words.end(), {"-q", "--worker", fake_worker_path()});
  const auto replayed = program.run(words);
  EXPECT_LE(replayed.exit_code, 1) << replayed.err;
  EXPECT_THAT(program.run({"show", "last"}).out, HasSubstr("r1.c3"));
}

TEST(NoModel, ARecordingInTheCurrentFolderComesFirst) {
  Program program;
  program.write("recordings/copy/conversation.jsonl", "");
  program.write("recordings/copy/flags", "-n 1 -d 1\n");
  const auto exit = program.run({"run", "copy"});
  EXPECT_EQ(exit.exit_code, 2);
  EXPECT_THAT(exit.err, HasSubstr("run copy --model replay:recordings/copy -n 1 -d 1\n"));
}

TEST(NoModel, ATaskWithoutARecordingSaysWhichHaveOne) {
  Program program;
  program.write("recordings/mine/conversation.jsonl", "");
  const auto exit = program.run({"run", "unpad_input"});
  EXPECT_EQ(exit.exit_code, 2);
  EXPECT_THAT(exit.err,
              AllOf(HasSubstr("no recording of this task"), HasSubstr("mine"),
                    HasSubstr("run unpad_input --model inbox"), Not(HasSubstr("replay:"))));
}

TEST(NoModel, TheLineForTheSettingsFileWorks) {
  Program program;
  program.write("warpwright.toml", "[model]\nspec = \"inbox\"\n");
  EXPECT_EQ(program.run({"run", "copy", "-q", "-n", "1", "--worker", fake_worker_path()}).exit_code,
            3);
}

}  // namespace
}  // namespace warpwright::cli
