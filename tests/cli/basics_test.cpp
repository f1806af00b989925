// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "support/places.h"

namespace warpwright::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> with_fake(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--worker", fake_worker_path(), "--stop-at-roofline", "0"});
  return arguments;
}

/// A recording that answers every question that an N x D search can ask.
void write_recording(Program& program, int n, int d) {
  std::string lines;
  for (int round = 1; round <= d; ++round) {
    for (int slot = 1; slot <= n; ++slot) {
      for (int fix = 0; fix <= 3; ++fix) {
        const std::string id = "r" + std::to_string(round) + ".c" + std::to_string(slot) +
                               (fix > 0 ? ".fix" + std::to_string(fix) : "");
        lines += dump_json({{"id", id}, {"text", answer(id)}, {"model", "recorded"}}) + "\n";
      }
    }
  }
  program.write("talk/conversation.jsonl", lines);
}

nlohmann::json setting_of_last(Program& program, const char* key) {
  const auto run = nlohmann::json::parse(program.run({"show", "last", "--json"}).out);
  return run["config"][key];
}

TEST(Cli, EveryVerbHasHelpWithAnExample) {
  Program program;
  const auto help = program.run({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* verb :
       {"run",   "resume",  "ask",    "tell",       "runs",    "show",  "export",   "tasks",
        "new",   "prompt",  "models", "strategies", "devices", "eval",  "explain",  "simt",
        "flops", "compare", "doctor", "worker",     "report",  "serve", "campaign", "bench"}) {
    EXPECT_THAT(help.out, HasSubstr(verb));
    const auto exit = program.run({verb, "--help"});
    EXPECT_EQ(exit.exit_code, 0);
    EXPECT_THAT(exit.out, HasSubstr(std::string("Example:\n  warpwright ") + verb));
  }
}

TEST(Cli, UsageErrorsExitWithTwo) {
  Program program;
  EXPECT_EQ(program.run({}).exit_code, 2);
  EXPECT_EQ(program.run({"fly"}).exit_code, 2);
  EXPECT_EQ(program.run({"run"}).exit_code, 2);
  EXPECT_EQ(
      program.run({"run", "transpose", "--budget-wall", "soon", "--model", "inbox"}).exit_code, 2);
}

TEST(Cli, RunWithoutAModelOffersTheWays) {
  Program program;
  const auto exit = program.run({"run", "transpose"});
  EXPECT_EQ(exit.exit_code, 2);
  EXPECT_THAT(exit.err, AllOf(HasSubstr("--model inbox"), HasSubstr("replay:"),
                              HasSubstr("warpwright models")));
  EXPECT_FALSE(std::filesystem::exists(program.archive()));
}

TEST(Cli, MistakesAreNamedBeforeAnythingIsStored) {
  Program program;
  struct Mistake {
    std::vector<std::string> arguments;
    const char* said;
  };
  const std::vector<Mistake> mistakes = {
      {{"run", "transposee", "--model", "inbox"}, "transpose"},
      {{"run", "transpose", "--model", "opnai:x"}, "opnai"},
      {{"run", "transpose", "--model", "openai:gpt-5"}, "OPENAI_API_KEY"},
      {{"run", "transpose", "--model", "inbox", "--strategy", "luck"}, "fsr, serial"},
      {{"run", "transpose", "--model", "inbox", "--target", "voodoo2"}, "h200"},
      {{"run", "transpose", "--model", "inbox", "--sizes", "7x7"}, "no size '7x7'"},
      {{"run", "transpose", "--model", "inbox", "--device", "tpu"}, "device"},
      {{"run", "transpose", "--model", "inbox", "--feedback", "loud"}, "neither paper nor rich"},
      {{"run", "transpose", "--model", "inbox", "--prompts", "/nowhere"}, "/nowhere"},
      {{"run", "transpose", "--model", "exec:cat", "--budget-usd", "1"}, "price"},
      {{"run", "transpose", "--model", "inbox", "-n", "0"}, "search.candidates"},
      {{"run", "transpose", "--model", "replay:nowhere"}, "nowhere"},
  };
  for (const auto& mistake : mistakes) {
    const auto exit = program.run(mistake.arguments);
    EXPECT_EQ(exit.exit_code, 2) << exit.out;
    EXPECT_THAT(exit.err, HasSubstr(mistake.said));
  }
  EXPECT_FALSE(std::filesystem::exists(program.archive()));
}

TEST(Cli, SettingsComeFromTheFileThenTheFlagsAndKeepTheirOrigin) {
  Program program;
  program.write("warpwright.toml",
                "[model]\nspec = \"inbox\"\n\n[search]\ncandidates = 2\ndepth = 7\n"
                "[prices]\n\"exec:cat\" = [0.1, 0.01, 0.2, 1.5]\n");
  EXPECT_EQ(
      program.run({"run", "transpose", "-d", "3", "-q", "--worker", fake_worker_path()}).exit_code,
      3);
  const auto shown = program.run({"show", "last", "--json"});
  const auto document = nlohmann::json::parse(shown.out);
  EXPECT_EQ(document["config"]["search.candidates"]["value"], "2");
  EXPECT_EQ(document["config"]["search.candidates"]["origin"], "warpwright.toml:5");
  EXPECT_EQ(document["config"]["search.depth"]["value"], "3");
  EXPECT_EQ(document["config"]["search.depth"]["origin"], "flag --depth");
  EXPECT_EQ(document["config"]["search.repairs"]["origin"], "default");
  EXPECT_EQ(document["trials"].size(), 2u);
  program.write("warpwright.toml", "[search]\ncandidats = 2\n");
  EXPECT_THAT(program.run({"run", "transpose"}).err,
              HasSubstr("warpwright.toml:2: unknown setting 'search.candidats'; did you mean "
                        "'search.candidates'?"));
  program.write("warpwright.toml", "[search\n");
  EXPECT_THAT(program.run({"run", "transpose"}).err, HasSubstr("warpwright.toml:1:"));
}

TEST(Cli, AReplayedSearchRunsToItsEnd) {
  Program program;
  write_recording(program, 3, 4);
  const auto exit = program.run(with_fake({"run", "transpose", "--model", "replay:talk"}));
  EXPECT_EQ(exit.exit_code, 0) << exit.err;
  EXPECT_THAT(exit.out,
              AllOf(HasSubstr("Best kernel: r"), HasSubstr("over the baseline"),
                    HasSubstr("(estimate)"), HasSubstr("Archive: .warpwright/archive.db")));
  EXPECT_THAT(exit.err, HasSubstr("r1.c1"));
  EXPECT_THAT(program.run({"runs"}).out, HasSubstr("transpose-1"));
  EXPECT_THAT(program.run({"show", "last", "best"}).out, HasSubstr("__global__ void kernel"));
  EXPECT_THAT(program.run({"show", "last", "r1.c1", "--prompt"}).out, HasSubstr("transpose"));
  const auto again = program.run({"resume", "last"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.out, HasSubstr("finished"));
}

TEST(Cli, JsonEventsAreOneObjectPerLine) {
  Program program;
  write_recording(program, 2, 2);
  const auto exit = program.run(
      with_fake({"run", "transpose", "--model", "replay:talk", "-n", "2", "-d", "2", "--json"}));
  std::vector<std::string> events;
  std::size_t from = 0;
  while (from < exit.out.size()) {
    const auto end = exit.out.find('\n', from);
    const auto line = nlohmann::json::parse(exit.out.substr(from, end - from), nullptr, false);
    ASSERT_FALSE(line.is_discarded()) << exit.out.substr(from, end - from);
    events.push_back(line["event"]);
    from = end + 1;
  }
  ASSERT_GE(events.size(), 6u);
  EXPECT_EQ(events.front(), "baseline");
  EXPECT_EQ(events.back(), "end");
  EXPECT_EQ(std::count(events.begin(), events.end(), "trial"), std::ssize(events) - 2);
}

TEST(Cli, TheSerialStrategyIsARow) {
  Program program;
  std::string lines;
  for (const char* id : {"k1.t1", "k1.t2", "k2.t1", "k2.t2"}) {
    lines += dump_json({{"id", id}, {"text", answer(id)}}) + "\n";
  }
  program.write("talk/conversation.jsonl", lines);
  const auto exit = program.run(with_fake({"run", "transpose", "--strategy", "serial", "-n", "2",
                                           "-d", "2", "--model", "replay:talk"}));
  EXPECT_EQ(exit.exit_code, 0) << exit.err;
  EXPECT_THAT(program.run({"show", "last"}).out, HasSubstr("k2.t2"));
}

TEST(Cli, CtrlCStopsCleanlyAndResumeEndsTheSame) {
  Program quiet;
  write_recording(quiet, 3, 3);
  ASSERT_EQ(
      quiet.run(with_fake({"run", "transpose", "--model", "replay:talk", "-d", "3"})).exit_code, 0);
  // Soon after the run is stored, which takes longer on a slow machine or a sanitizer build.
  for (const char* delay : {"0.12", "0.3", "0.6", "1.2", "2.4", "5"}) {
    Program disturbed;
    write_recording(disturbed, 3, 3);
    Command command =
        disturbed.command(with_fake({"run", "transpose", "--model", "replay:talk", "-d", "3"}));
    // `timeout` sends the signal to the program alone, as a terminal would to the foreground group.
    command.argv.insert(command.argv.begin(), {"timeout", "--foreground", "--signal=INT", delay});
    const auto stopped = run_process(command);
    ASSERT_TRUE(stopped.ok());
    if (disturbed.run({"show", "last"}).exit_code != 0) continue;
    const auto resumed = disturbed.run({"resume", "last"});
    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_EQ(story(disturbed.archive(), "last"), story(quiet.archive(), "last"));
    return;
  }
  FAIL() << "the run was never stored";
}

TEST(Cli, TwoProcessesCannotWorkOnOneRun) {
  Program program;
  program.write("slow.sh", "#!/bin/sh\nsleep 3\n");
  std::filesystem::permissions(program.folder() / "slow.sh", std::filesystem::perms::owner_all);
  std::thread first([&] {
    program.run({"run", "transpose", "--model", "exec:" + (program.folder() / "slow.sh").string(),
                 "-n", "1", "-d", "1", "--worker", fake_worker_path(), "--budget-wall", "3s"});
  });
  for (int i = 0; i < 100 && program.run({"runs"}).out.find("transpose-1") == std::string::npos;
       ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }
  const auto second = program.run({"resume", "last", "-n", "7"});
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_THAT(second.err, HasSubstr("being worked on by another process"));
  first.join();
  EXPECT_EQ(setting_of_last(program, "search.candidates")["value"], "1");
}

TEST(Cli, ResumeReadsTheSettingsFileItIsGiven) {
  Program program;
  write_recording(program, 1, 3);
  ASSERT_EQ(program
                .run(with_fake(
                    {"run", "transpose", "--model", "replay:talk", "-n", "1", "-d", "1", "-q"}))
                .exit_code,
            0);
  // Of a file that nobody named only the prices count.
  program.write("warpwright.toml", "[search]\ndepth = 3\n");
  ASSERT_EQ(program.run({"resume", "last", "-q"}).exit_code, 0);
  EXPECT_THAT(program.run({"show", "last"}).out, Not(HasSubstr("r2.c1")));
  program.write("more.toml", "[search]\ndepth = 2\nrepairs = 9\n");
  ASSERT_EQ(
      program.run({"resume", "last", "-q", "--config", "more.toml", "--repairs", "1"}).exit_code,
      0);
  EXPECT_THAT(program.run({"show", "last"}).out,
              AllOf(HasSubstr("r2.c1"), Not(HasSubstr("r3.c1"))));
  EXPECT_EQ(setting_of_last(program, "search.depth")["origin"], "resume, more.toml:2");
  EXPECT_EQ(setting_of_last(program, "search.repairs")["value"], "1");
}

TEST(Cli, AResumedRunIsListedWithItsNewModelAndDevice) {
  Program program;
  write_recording(program, 1, 1);
  ASSERT_EQ(
      program.run(with_fake({"run", "transpose", "--model", "inbox", "-n", "1", "-d", "1", "-q"}))
          .exit_code,
      3);
  ASSERT_EQ(program
                .run({"resume", "last", "-q", "-m", "replay:talk", "--device", "simt", "--target",
                      "a100"})
                .exit_code,
            0);
  const auto runs = nlohmann::json::parse(program.run({"runs", "--json"}).out);
  EXPECT_EQ(runs[0]["model"], "replay:talk");
  EXPECT_EQ(runs[0]["device"], "simt (a100)");
  ASSERT_EQ(program.run({"export", "last", "-o", "out"}).exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(
                read_file(program.folder() / "out" / "provenance.json").value())["model"],
            "replay:talk");
}

TEST(Cli, AFullDiskIsReportedAndLosesNothing) {
  Program program;
  write_recording(program, 3, 4);
  Command command =
      program.command(with_fake({"run", "transpose", "--model", "replay:talk", "-q"}));
  command.limits.file_bytes = 200 * 1024;  // the archive and its log may not grow further
  const auto exit = run_process(command);
  ASSERT_TRUE(exit.ok());
  EXPECT_EQ(exit->exit_code, 2);
  EXPECT_THAT(exit->err, HasSubstr("cannot"));
  const auto resumed = program.run({"resume", "last"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  Program undisturbed;
  write_recording(undisturbed, 3, 4);
  undisturbed.run(with_fake({"run", "transpose", "--model", "replay:talk", "-q"}));
  EXPECT_EQ(story(program.archive(), "last"), story(undisturbed.archive(), "last"));
}

TEST(Cli, ExportWritesKernelHeaderTestAndProvenance) {
  Program program;
  write_recording(program, 3, 4);
  program.run(with_fake({"run", "transpose", "--model", "replay:talk", "-q"}));
  const auto exit = program.run({"export", "last", "-o", "out"});
  ASSERT_EQ(exit.exit_code, 0) << exit.err;
  for (const char* file : {"kernel.cu", "kernel.h", "test.cu", "baseline.cu", "provenance.json"}) {
    EXPECT_TRUE(std::filesystem::exists(program.folder() / "out" / file)) << file;
  }
  const auto provenance =
      nlohmann::json::parse(read_file(program.folder() / "out" / "provenance.json").value());
  EXPECT_EQ(provenance["run"], "transpose-1");
  EXPECT_EQ(provenance["evaluation"]["verdict"], "ok");
  EXPECT_THAT(
      read_file(program.folder() / "out" / "kernel.h").value(),
      HasSubstr("extern \"C\" void solve(const float* input, float* output, int rows, int cols);"));
  const auto recording = program.run({"export", "last", "--recording", "-o", "talk2"});
  ASSERT_EQ(recording.exit_code, 0);
  const auto prompts = program.folder() / "talk2" / "prompts";
  EXPECT_THAT(read_file(prompts / "r1.c1.md").value(), HasSubstr("extern \"C\" void solve("));
  EXPECT_FALSE(std::filesystem::exists(prompts / "r1.c2.md"));  // the same as the first one's
  const auto lines = read_file(program.folder() / "talk2" / "conversation.jsonl").value();
  EXPECT_THAT(lines, HasSubstr("\"prompt\":\"prompts/r1.c1.md\""));
  Program replayed;
  std::filesystem::copy(program.folder() / "talk2", replayed.folder() / "talk",
                        std::filesystem::copy_options::recursive);
  replayed.run(with_fake({"run", "transpose", "--model", "replay:talk", "-q"}));
  EXPECT_EQ(story(replayed.archive(), "last"), story(program.archive(), "last"));
}

TEST(Cli, AnEmptyValueWhereOneIsNeededIsRefusedByItsName) {
  Program program;
  write_recording(program, 1, 1);
  program.write("warpwright.toml", "[model]\nconnect_timeout = \"\"\n");
  const auto exit = program.run(with_fake({"run", "transpose", "--model", "replay:talk"}));
  EXPECT_EQ(exit.exit_code, 2);
  EXPECT_THAT(exit.err, HasSubstr("warpwright.toml:2: model.connect_timeout is empty"));
  // Where nothing is the default, it may be written down.
  program.write("warpwright.toml", "[judge]\nrule_set = \"\"\n");
  EXPECT_EQ(program
                .run(with_fake(
                    {"run", "transpose", "--model", "replay:talk", "-n", "1", "-d", "1", "-q"}))
                .exit_code,
            0);
}

TEST(Cli, ATemporaryFolderThatIsGoneIsDoneWithout) {
  Program program;
  write_recording(program, 1, 1);
  program.environment.emplace_back("TMPDIR=/nonexistent/gone");
  const auto exit = program.run(
      with_fake({"run", "transpose", "--model", "replay:talk", "-n", "1", "-d", "1", "-q"}));
  EXPECT_EQ(exit.exit_code, 0) << exit.err;
}

TEST(Cli, PathsThatCannotBeLookedAtAreNamed) {
  Program program;
  // A loop cannot be followed by anybody; a forbidden folder can, by root.
  std::filesystem::create_symlink("loop", program.folder() / "loop");
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"report", "last", "--archive", "loop/archive.db"},
                                             {"report", "last", "-o", "loop/page.html"},
                                             {"show", "last", "--archive", "loop/archive.db"},
                                             {"serve", "--root", "loop/deeper", "--port", "0"}}) {
    const auto exit = program.run(arguments);
    EXPECT_EQ(exit.exit_code, 2) << arguments[0] << " " << exit.err;
    EXPECT_THAT(exit.err, HasSubstr("loop/"));
    EXPECT_THAT(exit.err, HasSubstr("symbolic links"));
  }
  EXPECT_EQ(program.run({"show", "transpose", "--archive", "loop/archive.db"}).exit_code, 0);
}

TEST(Cli, AFolderThatWasRemovedUnderTheProgramIsNoReasonToAbort) {
  Program program;
  Command command = program.command({"runs"});
  command.argv = {"/bin/sh", "-c",
                  "mkdir gone && cd gone && rmdir ../gone && \"$0\" report last --archive a.db; "
                  "\"$0\" worker nowhere elsewhere",
                  program_path()};
  const auto exit = run_process(command);
  ASSERT_TRUE(exit.ok());
  EXPECT_EQ(exit->exit_code, 2) << exit->err;
  EXPECT_THAT(exit->err, Not(HasSubstr("terminate called")));
}

#ifndef __SANITIZE_ADDRESS__
TEST(Cli, MemoryThatRunsOutIsAMessageNotAnAbort) {
  Program program;
  program.write("long.jsonl", "");
  std::filesystem::resize_file(program.folder() / "long.jsonl", 900'000'000);
  Command command =
      program.command(with_fake({"run", "transpose", "--model", "replay:long.jsonl"}));
  command.limits.address_space_bytes = std::uint64_t{600} << 20;
  const auto exit = run_process(command);
  ASSERT_TRUE(exit.ok());
  EXPECT_EQ(exit->exit_code, 2) << exit->err;
  EXPECT_THAT(exit->err, HasSubstr("warpwright: an error that was not foreseen"));
}
#endif

TEST(Cli, AnArchiveThatCannotBeOpenedIsNamed) {
  Program program;
  const auto exit = program.run({"runs", "--archive", "/proc/nowhere/archive.db"});
  EXPECT_EQ(exit.exit_code, 2);
  EXPECT_THAT(exit.err, HasSubstr("/proc/nowhere"));
  program.write("junk.db", std::string(5000, 'j'));
  EXPECT_THAT(program.run({"runs", "--archive", "junk.db"}).err, HasSubstr("junk.db"));
}

}  // namespace
}  // namespace warpwright::cli
