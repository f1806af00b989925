// SPDX-License-Identifier: Apache-2.0
#include "store/archive.h"
#include "store/delete_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/files.h"
#include "store/delete_run.h"
#include "store/run_log.h"
#include "store/story.h"

namespace warpwright::store {
namespace {

using testing::HasSubstr;

class ArchiveTest : public testing::Test {
 protected:
  std::unique_ptr<Archive> open() { return std::move(Archive::open(path(), clock_)).value(); }
  [[nodiscard]] std::filesystem::path path() const { return directory_.path() / "archive.db"; }

  static RunRecord run_of(const std::string& task) {
    RunRecord run;
    run.task = task;
    run.task_json = "{}";
    run.strategy = "fsr";
    run.model = "inbox";
    return run;
  }

  static PromptRecord prompt(const std::string& trial) {
    return {trial, 1, 2, 0, "initial", "", {{0, "be brief"}, {1, "write a kernel"}}};
  }

  TemporaryDirectory directory_ = std::move(TemporaryDirectory::create("ww-store-")).value();
  SystemClock clock_;
};

TEST_F(ArchiveTest, RunsAreNumberedPerTaskAndFoundByName) {
  const auto archive = open();
  EXPECT_EQ(archive->create_run(run_of("copy"), {}).value(), "copy-1");
  EXPECT_EQ(archive->create_run(run_of("copy"), {}).value(), "copy-2");
  EXPECT_EQ(archive->create_run(run_of("dot"), {}).value(), "dot-1");
  EXPECT_EQ(archive->find_run("last")->id, "dot-1");
  EXPECT_EQ(archive->find_run("do")->id, "dot-1");
  EXPECT_THAT(archive->find_run("copy-").error().message, HasSubstr("ambiguous"));
  EXPECT_THAT(archive->find_run("sort-1").error().message,
              HasSubstr("there are: copy-1 copy-2 dot-1"));
}

TEST_F(ArchiveTest, ConfigKeepsTheOriginOfEachValue) {
  const auto archive = open();
  const auto id = archive->create_run(run_of("copy"), {{"search.depth", "4", "default"}}).value();
  ASSERT_TRUE(archive->set_config(id, {"search.depth", "9", "resume, flag --depth"}).ok());
  const auto config = archive->config(id).value();
  ASSERT_EQ(config.size(), 1u);
  EXPECT_EQ(config[0].value, "9");
  EXPECT_EQ(config[0].origin, "resume, flag --depth");
}

TEST_F(ArchiveTest, WhatIsCommittedIsThereForAnotherProcess) {
  const auto archive = open();
  const auto id = archive->create_run(run_of("copy"), {}).value();
  RunLog log(*archive, id);
  ASSERT_TRUE(log.begin().ok());
  ASSERT_TRUE(log.remember_prompt(prompt("r1.c1")).ok());
  ASSERT_TRUE(log.commit().ok());
  const auto other = open();
  const auto pending = other->pending(id).value();
  ASSERT_EQ(pending.size(), 1u);
  EXPECT_EQ(pending[0].messages[1].text, "write a kernel");
  // The other process answers; this one, which has read before, must still be able to write.
  ASSERT_TRUE(other->tell(id, "r1.c1", {.text = "hello", .origin = "tell"}).ok());
  EXPECT_EQ(log.reply("r1.c1").value()->text, "hello");
  ASSERT_TRUE(log.begin().ok());
  ASSERT_TRUE(log.add_candidate("r1.c1", {"source text", ""}).ok());
  ASSERT_TRUE(log.commit().ok());
  EXPECT_EQ(other->trials(id).value()[0].candidate->source, "source text");
}

TEST_F(ArchiveTest, WhatIsNotCommittedIsGone) {
  const auto archive = open();
  const auto id = archive->create_run(run_of("copy"), {}).value();
  RunLog log(*archive, id);
  ASSERT_TRUE(log.begin().ok());
  ASSERT_TRUE(log.remember_prompt(prompt("r1.c1")).ok());
  log.rollback();
  log.rollback();  // nothing begun: nothing happens
  EXPECT_TRUE(archive->pending(id)->empty());
}

TEST_F(ArchiveTest, TheStoredQuestionWins) {
  const auto archive = open();
  RunLog log(*archive, archive->create_run(run_of("copy"), {}).value());
  ASSERT_TRUE(log.remember_prompt(prompt("r1.c1")).ok());
  PromptRecord changed = prompt("r1.c1");
  changed.messages = {{1, "something else"}};
  EXPECT_EQ(log.remember_prompt(changed).value().messages, prompt("r1.c1").messages);
}

TEST_F(ArchiveTest, EvaluationsComeBackWhole) {
  const auto archive = open();
  RunLog log(*archive, archive->create_run(run_of("copy"), {}).value());
  Evaluation evaluation;
  evaluation.verdict = Verdict::mismatch;
  evaluation.stage = Stage::validate;
  evaluation.reason = "12 of 99 wrong \"here\" \xC3\xA9";
  evaluation.diagnostics = {{"warning", 3, 4, "unused"}};
  evaluation.resources = {{"k", 32, 0, 8, 16, 1024, 0.5}};
  evaluation.measurements = {{"2^10", TimeSource::estimated, 1.5, 1.25, 1.75, 30, 0.5, 3.0}};
  evaluation.findings = {{"bank_conflict", 7, "32 ways"}};
  evaluation.stage_s = {{"build", 1.5}};
  ASSERT_TRUE(log.add_evaluation("abc", evaluation).ok());
  EXPECT_EQ(log.evaluation("abc").value(), evaluation);
  EXPECT_FALSE(log.evaluation("def").value().has_value());
}

TEST_F(ArchiveTest, WhatIsDerivedStandsBesideItsSourceOnce) {
  const auto archive = open();
  const auto id = archive->create_run(run_of("copy"), {}).value();
  const auto other = archive->create_run(run_of("copy"), {}).value();
  DerivedRecord record{.source_sha256 = "abc",
                       .kind = "sass",
                       .accepted = true,
                       .summary = "faster",
                       .report = "{}",
                       .content = std::string("\x7f\0ELF", 5)};
  ASSERT_TRUE(archive->add_derived(id, record).ok());
  record.summary = "another";
  ASSERT_TRUE(archive->add_derived(id, record).ok());
  const auto light = archive->derived(id).value();
  ASSERT_EQ(light.size(), 1U);
  EXPECT_EQ(light[0].summary, "faster") << "what is there stays";
  EXPECT_TRUE(light[0].accepted);
  EXPECT_EQ(light[0].content, "");
  EXPECT_EQ(archive->derived(id, Archive::Content::read).value()[0].content, record.content);
  EXPECT_TRUE(archive->derived(other).value().empty());
  EXPECT_FALSE(archive->add_derived("none", record).ok()) << "of no run";
  ASSERT_TRUE(delete_run(path(), id, clock_).ok());
  EXPECT_TRUE(archive->derived(id).value().empty());
}

TEST_F(ArchiveTest, NewerFormatsAreRefusedAndOldOnesKept) {
  open();
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &raw), SQLITE_OK);
  sqlite3_exec(raw, "PRAGMA user_version = 99", nullptr, nullptr, nullptr);
  sqlite3_close(raw);
  const auto refused = Archive::open(path(), clock_);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("newer than this program"));
}

TEST_F(ArchiveTest, EveryRunHasAFolderOfItsOwn) {
  const auto archive = open();
  const auto other = std::move(Archive::open(directory_.path() / "other.db", clock_)).value();
  ASSERT_TRUE(archive->create_run(run_of("copy"), {}).ok());
  ASSERT_TRUE(other->create_run(run_of("copy"), {}).ok());
  const std::string folder = archive->find_run("copy-1")->folder;
  EXPECT_THAT(folder, testing::MatchesRegex("copy-1-[0-9a-f]{8}"));
  EXPECT_NE(other->find_run("copy-1")->folder, folder);
  EXPECT_EQ(open()->find_run("copy-1")->folder, folder);
}

TEST_F(ArchiveTest, TheFirstFormatIsReadAndMigrated) {
  {
    const auto archive = open();
    ASSERT_TRUE(archive->create_run(run_of("copy"), {}).ok());
    RunLog log(*archive, "copy-1");
    ASSERT_TRUE(log.remember_prompt(prompt("r1.c1")).ok());
    ASSERT_TRUE(log.add_reply("r1.c1", {.text = "old", .origin = "model", .cost_usd = 2}).ok());
    ASSERT_TRUE(log.add_failure("r1.c1", {0, "cut", false, 5, 1}).ok());
  }
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &raw), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(raw,
                         "ALTER TABLE runs DROP COLUMN folder;"
                         "ALTER TABLE replies DROP COLUMN unpriced;"
                         "ALTER TABLE failures DROP COLUMN unpriced;"
                         "DROP TABLE derived;"
                         "PRAGMA user_version = 1",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(raw);
  // Where nothing may be written, it is read as it is; its runs keep the folders they have.
  {
    const auto reader = Archive::open_read_only(path(), clock_);
    ASSERT_TRUE(reader.ok()) << reader.error().message;
    EXPECT_EQ((*reader)->find_run("last")->folder, "copy-1");
    const auto trials = (*reader)->trials("copy-1");
    ASSERT_TRUE(trials.ok()) << trials.error().message;
    EXPECT_EQ((*trials)[0].reply->cost_usd, 2);
    EXPECT_EQ((*trials)[0].reply->unpriced, "");
    const auto story = StoryReader(**reader).trials("copy-1");
    ASSERT_TRUE(story.ok()) << story.error().message;
    EXPECT_EQ((*story)[0].failures[0].cost_usd, 1);
    EXPECT_FALSE((*story)[0].reply->unpriced);
    const auto derived = (*reader)->derived("copy-1");
    ASSERT_TRUE(derived.ok()) << derived.error().message;
    EXPECT_TRUE(derived->empty());
    EXPECT_FALSE((*reader)->set_config("copy-1", {"a", "b", "c"}).ok());
  }
  EXPECT_EQ(open()->find_run("last")->folder, "copy-1");
  EXPECT_EQ(open()->trials("copy-1").value()[0].reply->text, "old");
  EXPECT_EQ(open()->create_run(run_of("copy"), {}).value(), "copy-2");
  EXPECT_NE(open()->find_run("last")->folder, "copy-2");
}

TEST_F(ArchiveTest, AnAnswerWithoutAPriceMayGetItLater) {
  const auto archive = open();
  const auto id = archive->create_run(run_of("copy"), {}).value();
  RunLog log(*archive, id);
  ASSERT_TRUE(log.remember_prompt(prompt("r1.c1")).ok());
  ASSERT_TRUE(log.add_reply("r1.c1", {.text = "x", .unpriced = "openai:m"}).ok());
  ASSERT_TRUE(log.add_failure("r1.c1", {0, "cut", false, 5, 0, "openai:m"}).ok());
  EXPECT_EQ(log.reply("r1.c1").value()->unpriced, "openai:m");
  EXPECT_EQ(log.failures("r1.c1").value()[0].unpriced, "openai:m");
  EXPECT_TRUE(StoryReader(*archive).trials(id).value()[0].reply->unpriced);
  ASSERT_TRUE(log.set_price("r1.c1", 0.5).ok());
  EXPECT_EQ(log.reply("r1.c1").value()->unpriced, "");
  EXPECT_EQ(log.reply("r1.c1").value()->cost_usd, 0.5);
}

TEST_F(ArchiveTest, JunkIsAnErrorThatNamesTheFile) {
  ASSERT_TRUE(write_file(path(), std::string(10'000, 'x')).ok());
  const auto opened = Archive::open(path(), clock_);
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message, HasSubstr("archive.db"));
}

}  // namespace
}  // namespace warpwright::store
