// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "support/places.h"

namespace warpwright::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

void make_run(Program& program) {
  program.write(
      "talk/conversation.jsonl",
      dump_json({{"id", "r1.c1"}, {"text", answer("one")}, {"model", "recorded"}}) + "\n");
  program.run({"run", "transpose", "--model", "replay:talk", "-n", "1", "-d", "1", "--repairs", "0",
               "--worker", fake_worker_path(), "--stop-at-roofline", "0"});
}

TEST(CliReport, WritesAPageAndNeverOverOneUnasked) {
  Program program;
  make_run(program);
  const auto first = program.run({"report", "last", "-o", "out/page.html"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(first.out, "out/page.html\n");
  const std::string html = read_file(program.folder() / "out/page.html").value();
  EXPECT_THAT(html,
              AllOf(HasSubstr("<!doctype html>"), HasSubstr("transpose-1"),
                    HasSubstr("Content-Security-Policy"), Not(HasSubstr("http-equiv=\"refresh"))));
  const auto second = program.run({"report", "last", "-o", "out/page.html"});
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_THAT(second.err, HasSubstr("--force"));
  EXPECT_EQ(program.run({"report", "last", "-o", "out/page.html", "--force"}).exit_code, 0);
  EXPECT_EQ(program.run({"report"}).out, "report.html\n");
  EXPECT_EQ(program.run({"report", "--runs", "transpose-1", "last", "-o", "c.html"}).exit_code, 0);
}

TEST(CliReport, MistakesAreNamed) {
  Program program;
  EXPECT_THAT(program.run({"report"}).err, HasSubstr("there is no archive"));
  EXPECT_FALSE(std::filesystem::exists(program.archive()));
  make_run(program);
  EXPECT_THAT(program.run({"report", "nobody"}).err, HasSubstr("no run 'nobody'"));
  EXPECT_THAT(program.run({"report", "--bench", "none.json"}).err, HasSubstr("none.json"));
  program.write("b.json", "{}");
  EXPECT_THAT(program.run({"report", "--bench", "b.json"}).err, HasSubstr("warpwright bench"));
  EXPECT_THAT(program.run({"report", "last", "--runs", "last"}).err, HasSubstr("--runs"));
  EXPECT_FALSE(std::filesystem::exists(program.folder() / "report.html"));
  EXPECT_THAT(program.run({"serve", "--root", "nowhere"}).err, HasSubstr("not a folder"));
  EXPECT_EQ(program.run({"serve", "--port", "70000"}).exit_code, 2);
}

TEST(CliReport, ServeEndsCleanlyOnCtrlC) {
  Program program;
  make_run(program);
  Command command = program.command({"serve", "--port", "0"});
  command.argv.insert(command.argv.begin(),
                      {"/usr/bin/timeout", "--foreground", "--preserve-status", "-s", "INT", "2"});
  const auto exit = run_process(command);
  ASSERT_TRUE(exit.ok());
  EXPECT_THAT(exit->out, HasSubstr("http://127.0.0.1:"));

  EXPECT_EQ(exit->exit_code, 0);
  EXPECT_EQ(exit->err, "");
}

}  // namespace
}  // namespace warpwright::cli
