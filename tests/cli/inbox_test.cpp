// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "support/places.h"

namespace warpwright::cli {
namespace {

using testing::HasSubstr;

TEST(Inbox, TheREADMEsFiveMinutesByHand) {
  Program program;
  const auto started = program.run({"run", "transpose", "--model", "inbox", "-n", "2", "-d", "1",
                                    "--worker", fake_worker_path()});
  EXPECT_EQ(started.exit_code, 3);
  EXPECT_THAT(started.out, HasSubstr("warpwright tell transpose-1 ID FILE"));
  const auto asked = program.run({"ask", "last"});
  EXPECT_EQ(asked.exit_code, 3);
  EXPECT_THAT(asked.out, HasSubstr("==== question r1.c1 of run transpose-1 (initial) ===="));
  EXPECT_THAT(asked.out, HasSubstr("extern \"C\" void solve(const float* input"));
  program.write("a.md", answer("one"));
  EXPECT_EQ(program.run({"tell", "last", "r1.c1", "a.md"}).exit_code, 0);
  EXPECT_EQ(program.run({"tell", "last", "r1.c2", "-"}, answer("two")).exit_code, 0);
  const auto resumed = program.run({"resume", "last", "--repairs", "0"});
  EXPECT_LE(resumed.exit_code, 1) << resumed.err;
  EXPECT_THAT(program.run({"ask", "last"}).err, HasSubstr("no open question"));
}

TEST(Inbox, AskTellsProgramsEverything) {
  Program program;
  program.run(
      {"run", "reduce", "--model", "inbox", "-n", "2", "-q", "--worker", fake_worker_path()});
  const auto exit = program.run({"ask", "last", "--json"});
  EXPECT_EQ(exit.exit_code, 3);
  const auto list = nlohmann::json::parse(exit.out);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["id"], "r1.c1");
  EXPECT_EQ(list[0]["run"], "reduce-1");
  EXPECT_EQ(list[0]["task"], "reduce");
  EXPECT_EQ(list[0]["kind"], "initial");
  EXPECT_EQ(list[0]["messages"].back()["role"], "user");
  EXPECT_THAT(list[0]["prompt"].get<std::string>(), HasSubstr("solve"));
  const auto written = program.run({"ask", "last", "-o", "questions"});
  EXPECT_TRUE(std::filesystem::exists(program.folder() / "questions" / "r1.c2.prompt.md"));
  EXPECT_EQ(written.exit_code, 3);
}

TEST(Inbox, WrongAnswersAreRefusedWithTheWayOut) {
  Program program;
  program.run(
      {"run", "transpose", "--model", "inbox", "-n", "2", "-q", "--worker", fake_worker_path()});
  program.write("a.md", answer("x"));
  program.write("empty.md", " \n");
  EXPECT_THAT(program.run({"tell", "last", "r7.c1", "a.md"}).err,
              HasSubstr("has not asked 'r7.c1'"));
  EXPECT_THAT(program.run({"tell", "last", "a.md"}).err, HasSubstr("2 open questions"));
  EXPECT_THAT(program.run({"tell", "last", "r1.c1", "empty.md"}).err, HasSubstr("is empty"));
  EXPECT_THAT(program.run({"tell", "last", "r1.c1", "none.md"}).err, HasSubstr("none.md"));
  EXPECT_THAT(program.run({"tell", "copy-9", "r1.c1", "a.md"}).err,
              HasSubstr("there are: transpose-1"));
  EXPECT_EQ(program.run({"tell", "last", "r1.c1", "a.md"}).exit_code, 0);
  EXPECT_THAT(program.run({"tell", "last", "r1.c1", "a.md"}).err,
              HasSubstr("has an answer already"));
}

TEST(Inbox, TheArchiveAloneCarriesARunToAnotherMachine) {
  Program here;
  here.run({"run", "transpose", "--model", "inbox", "-n", "1", "-d", "1", "-q", "--worker",
            fake_worker_path()});
  Program there;
  ASSERT_TRUE(make_directories(there.archive().parent_path()).ok());
  std::filesystem::copy(here.archive(), there.archive());
  there.write("a.md", answer("far away"));
  EXPECT_EQ(there.run({"tell", "last", "a.md"}).exit_code, 0);
  const auto exit =
      there.run({"resume", "last", "--worker", fake_worker_path(), "--repairs", "0", "-q"});
  EXPECT_LE(exit.exit_code, 1) << exit.err;
  EXPECT_THAT(there.run({"show", "last"}).out, HasSubstr("finished"));
}

TEST(Inbox, AWaitingProcessGoesOnAsAnswersArrive) {
  Program program;
  std::thread searching([&] {
    const auto exit =
        program.run({"run", "transpose", "--model", "inbox", "-n", "1", "-d", "1", "--repairs", "0",
                     "--wait", "-q", "--worker", fake_worker_path()});
    EXPECT_FALSE(exit.timed_out);
    EXPECT_LE(exit.exit_code, 1) << exit.err;
  });
  program.write("a.md", answer("late"));
  int code = 2;
  for (int i = 0; i < 200 && code != 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (std::filesystem::exists(program.archive()))
      code = program.run({"tell", "last", "a.md"}).exit_code;
  }
  EXPECT_EQ(code, 0);
  searching.join();
}

}  // namespace
}  // namespace warpwright::cli
