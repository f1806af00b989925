// SPDX-License-Identifier: Apache-2.0
// The verb as a user has it, with a worker that is quick.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "data/made_archive.h"
#include "data/rows.h"

namespace warpwright::data {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

TEST(DataVerb, StatsCurateExportAndCheck) {
  cli::Program program;
  MadeArchive made;
  std::vector<MadeAnswer> answers;
  for (int i = 0; i < 4; ++i) {
    answers.push_back({"r1.c" + std::to_string(i), cli::answer("salt " + std::to_string(i)),
                       std::string(static_cast<std::size_t>(40 + 40 * i), '.'), "", false});
  }
  made.add_run("transpose", answers);
  const std::string archive = made.path().string();
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--worker", fake_worker_path(), "--ledger", "verdicts.db"});
    return program.run(arguments);
  };
  const auto stats = run({"data", "stats", archive, "--judge", "--json"});
  EXPECT_EQ(stats.exit_code, 0) << stats.err;
  EXPECT_EQ(Json::parse(stats.out)["judged"], 4);
  EXPECT_THAT(stats.err, HasSubstr("judged 4: transpose "));
  const auto curated = run({"data", "curate", archive, "-o", "curated.jsonl", "--licence",
                            "Apache-2.0", "--concise", "0"});
  EXPECT_EQ(curated.exit_code, 0) << curated.err;
  const auto check = run({"data", "check", "curated.jsonl"});
  EXPECT_EQ(check.exit_code, 0) << check.out;
  EXPECT_THAT(check.out, HasSubstr("1 rows, 0 problems"));
  EXPECT_EQ(run({"data", "export", archive, "--form", "grpo", "-o", "grpo.jsonl"}).exit_code, 0);
  const auto rows = rows_of(program.folder() / "grpo.jsonl");
  ASSERT_EQ(rows.size(), 4U);
  // One whose label is the opposite of what it earned.
  std::string text;
  bool planted = false;
  for (Json row : rows) {
    if (!planted && row["verdict"] == "ok") {
      planted = true;
      row["verdict"] = "mismatch";
      row["speedup"] = nullptr;
      row["S"] = 0.0;
    }
    text += sealed(row) + "\n";
  }
  ASSERT_TRUE(planted);
  program.write("planted.jsonl", text);
  const auto found = run({"data", "check", "planted.jsonl", "--json"});
  EXPECT_EQ(found.exit_code, 1);
  EXPECT_THAT(found.out, HasSubstr("mislabelled"));
}

TEST(DataVerb, WhatIsWrongIsSaid) {
  cli::Program program;
  EXPECT_EQ(program.run({"data", "stats", "nothing.db"}).exit_code, 2);
  EXPECT_EQ(program.run({"data", "check", "nothing.jsonl", "--no-judge"}).exit_code, 2);
  program.write("bad.jsonl", "{}\n");
  EXPECT_EQ(program.run({"data", "check", "bad.jsonl", "--no-judge"}).exit_code, 1);
  program.write("folder/a", "");
  EXPECT_THAT(program.run({"data", "stats", "folder"}).err, HasSubstr("conversation.jsonl"));
}

}  // namespace
}  // namespace warpwright::data
