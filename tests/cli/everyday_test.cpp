// SPDX-License-Identifier: Apache-2.0
// A day of use: lists, help, words that were mistyped, settings that all verbs read, what a verdict
// looks like.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "cli/program.h"
#include "support/hostile_provider.h"
#include "support/places.h"

namespace warpwright::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
namespace fs = std::filesystem;

void one_run(Program& program) {
  std::string lines;
  for (int slot = 1; slot <= 6; ++slot) {
    const std::string id = "r1.c" + std::to_string(slot);
    lines += dump_json({{"id", id}, {"text", answer(id)}}) + "\n";
  }
  program.write("talk/conversation.jsonl", lines);
  const auto exit = program.run({"run", "transpose", "--model", "replay:talk", "-n", "6", "-d", "1",
                                 "-q", "--worker", fake_worker_path(), "--stop-at-roofline", "0"});
  ASSERT_EQ(exit.exit_code, 0) << exit.err;
}

std::size_t times_said(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(Runs, ShowSpeedUpsAndMakeNoArchive) {
  Program program;
  const auto none = program.run({"runs"});
  EXPECT_EQ(none.exit_code, 0);
  EXPECT_THAT(none.out, HasSubstr("No runs yet"));
  EXPECT_EQ(program.run({"runs", "--json"}).out, "[]\n");
  for (const char* verb : {"export", "ask", "resume", "show", "report"}) {
    EXPECT_EQ(program.run({verb, "last"}).exit_code, 2) << verb;
  }
  EXPECT_FALSE(fs::exists(program.archive().parent_path()));
  one_run(program);
  EXPECT_THAT(program.run({"runs"}).out, AllOf(HasSubstr("transpose-1"), HasSubstr(" x")));
  const auto list = nlohmann::json::parse(program.run({"runs", "--json"}).out);
  EXPECT_GT(list[0]["speedup"].get<double>(), 1);
  EXPECT_EQ(list[0]["dead"], false);
}

TEST(Runs, AreDeletedForGood) {
  Program program;
  one_run(program);
  one_run(program);
  EXPECT_EQ(program.run({"runs", "--delete", "transpose"}).exit_code, 2) << "ambiguous";
  EXPECT_EQ(program.run({"runs", "--delete", "nothing-1"}).exit_code, 2);
  const auto deleted = program.run({"runs", "--delete", "transpose-1"});
  EXPECT_EQ(deleted.exit_code, 0) << deleted.err;
  const auto list = nlohmann::json::parse(program.run({"runs", "--json"}).out);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0]["run"], "transpose-2");
  // What both had stays, and one folder is gone.
  EXPECT_THAT(program.run({"show", "last", "best"}).out, HasSubstr("__global__ void kernel"));
  const auto folders = fs::directory_iterator(program.archive().parent_path() / "runs");
  EXPECT_EQ(std::distance(begin(folders), end(folders)), 1);
  const auto prefix = program.run({"runs", "--delete", "transpose-"});
  EXPECT_EQ(prefix.exit_code, 2);
  EXPECT_THAT(prefix.err, HasSubstr("whole id"));
}

TEST(Runs, ARunWithoutAProcessIsCalledDead) {
  Program program;
  one_run(program);
  const SystemClock clock;
  fs::path folder;
  {
    // As a run that was killed leaves it.
    auto archive = std::move(store::Archive::open(program.archive(), clock)).value();
    auto run = archive->find_run("last").value();
    run.status = store::RunStatus::running;
    ASSERT_TRUE(archive->set_state(run).ok());
    folder = program.archive().parent_path() / "runs" / run.folder;
  }
  EXPECT_EQ(nlohmann::json::parse(program.run({"runs", "--json"}).out)[0]["dead"], true);
  EXPECT_THAT(program.run({"runs"}).out,
              AllOf(HasSubstr(" dead "), HasSubstr("warpwright resume transpose-1")));
  const auto held = FileLock::acquire(folder / "lock");
  ASSERT_TRUE(held.ok() && held->has_value());
  EXPECT_EQ(nlohmann::json::parse(program.run({"runs", "--json"}).out)[0]["dead"], false);
  const auto refused = program.run({"runs", "--delete", "transpose-1"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("being worked on"));
}

TEST(Help, IsAVerbAndMistypedWordsGetASuggestion) {
  Program program;
  EXPECT_EQ(program.run({"help"}).out, program.run({"--help"}).out);
  EXPECT_EQ(program.run({"help", "eval"}).out, program.run({"eval", "--help"}).out);
  EXPECT_EQ(program.run({"help", "tasks", "check"}).out,
            program.run({"tasks", "check", "--help"}).out);
  const auto verb = program.run({"evla", "transpose"});
  EXPECT_EQ(verb.exit_code, 2);
  EXPECT_THAT(verb.err, HasSubstr("unknown verb 'evla'; did you mean 'eval'?"));
  EXPECT_THAT(program.run({"help", "exprot"}).err, HasSubstr("did you mean 'export'?"));
  const auto option = program.run({"eval", "transpose", "x.cu", "--front-edn", "nvcc"});
  EXPECT_EQ(option.exit_code, 2);
  EXPECT_THAT(option.err, HasSubstr("did you mean '--front-end'?"));
}

TEST(Settings, TheSizesReachThePromptAndHaveOneName) {
  Program program;
  const std::string all = program.run({"prompt", "transpose"}).out;
  const std::string one = program.run({"prompt", "transpose", "--sizes", "1024^2"}).out;
  EXPECT_THAT(all, HasSubstr("2048^2"));
  EXPECT_THAT(one, AllOf(HasSubstr("1024^2"), Not(HasSubstr("2048^2"))));
  EXPECT_EQ(program.run({"prompt", "transpose", "--size", "1024^2"}).out, one);
  program.write("warpwright.toml", "[judge]\nsizes = \"1024^2\"\n");
  EXPECT_EQ(program.run({"prompt", "transpose"}).out, one);
  // And the run's own question.
  ASSERT_EQ(program
                .run({"run", "transpose", "--model", "inbox", "-n", "1", "-d", "1", "-q",
                      "--worker", fake_worker_path()})
                .exit_code,
            3);
  EXPECT_THAT(program.run({"show", "last", "r1.c1", "--prompt"}).out, Not(HasSubstr("2048^2")));
}

// A label may have commas itself.
TEST(Settings, FlagsOfListsAddUp) {
  Program program;
  const std::string both = program.run({"prompt", "transpose", "--size", "1024^2,2048^2"}).out;
  EXPECT_THAT(both, AllOf(HasSubstr("1024^2"), HasSubstr("2048^2"), Not(HasSubstr("4096^2"))));
  EXPECT_EQ(program.run({"prompt", "transpose", "--size", "1024^2", "--sizes", "2048^2"}).out,
            both);
  const auto spans = program.run(
      {"prompt", "span_attention", "--size", "B=1,half of 4096", "--size", "B=4,tenth of 8192"});
  EXPECT_EQ(spans.exit_code, 0) << spans.err;
  EXPECT_THAT(spans.out, AllOf(HasSubstr("B=4,tenth of 8192"), Not(HasSubstr("B=16"))));
}

TEST(Settings, ExplainReadsThemToo) {
  Program program;
  program.write("kernel.cu", "x");
  program.write("warpwright.toml", "[judge]\ntarget = \"voodoo\"\n");
  const auto wrong = program.run({"explain", "transpose", "kernel.cu"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("unknown device 'voodoo'"));
  program.write("warpwright.toml", "[judge]\nsizes = \"7x7\"\n");
  EXPECT_THAT(program.run({"explain", "transpose", "kernel.cu"}).err, HasSubstr("no size '7x7'"));
}

TEST(Settings, EveryVerbThatJudgesReadsThem) {
  Program program;
  program.write("kernel.cu", "x");
  program.write("solution.json", "{}");
  program.write("warpwright.toml", "[judge]\ntraget = \"h200\"\n");
  const std::vector<std::vector<std::string>> verbs = {
      {"run", "transpose", "--model", "inbox"},
      {"campaign", "run", "paper", "--model", "inbox", "--budget", "evaluations=1"},
      {"prompt", "transpose"},
      {"eval", "transpose", "kernel.cu"},
      {"explain", "transpose", "kernel.cu"},
      {"compare", "transpose", "kernel.cu", "baseline"},
      {"tune", "transpose", "kernel.cu"},
      {"merge", "kernel.cu", "kernel.cu", "-o", "merged.cu"},
      {"bench"},
      {"tasks", "check", "transpose"},
      {"verifiers", "last"},
      {"data", "stats", ".", "--judge"},
      {"serve", "--judge"},
      {"mcp"},
      {"judge-solution", "solution.json", "--definition", "solution.json"}};
  for (const auto& verb : verbs) {
    const auto exit = program.run(verb);
    EXPECT_EQ(exit.exit_code, 2) << verb[0];
    EXPECT_THAT(exit.err, HasSubstr("warpwright.toml:2: unknown setting 'judge.traget'; did you "
                                    "mean 'judge.target'?"))
        << verb[0];
  }
}

TEST(Show, ATaskAsJson) {
  Program program;
  const auto exit = program.run({"show", "transpose", "--json"});
  ASSERT_EQ(exit.exit_code, 0);
  const auto task = nlohmann::json::parse(exit.out, nullptr, false);
  ASSERT_TRUE(task.is_object()) << exit.out;
  EXPECT_EQ(task["name"], "transpose");
  EXPECT_THAT(task["signature"].get<std::string>(), StartsWith("extern \"C\" void solve("));
  EXPECT_GE(task["size"].size(), 4u);
}

TEST(Devices, NewAndDescribedOnes) {
  Program program;
  EXPECT_THAT(program.run({"devices"}).out, AllOf(HasSubstr("b200"), HasSubstr("rtx5090")));
  const auto mine =
      program.run({"prompt", "transpose", "--target", "rtx4090:name=My card,sm_count=64"});
  EXPECT_EQ(mine.exit_code, 0) << mine.err;
  EXPECT_THAT(mine.out, HasSubstr("My card"));
  const auto wrong = program.run({"prompt", "transpose", "--target", "rtx4090:sm_cuont=64"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean 'sm_count'?"));
}

TEST(Eval, EstimatesHaveNoIntervalAndStandardInputIsAFile) {
  Program program;
  // The fake judge goes by hashes: some of these are valid.
  bool valid = false;
  for (int salt = 0; salt < 8 && !valid; ++salt) {
    const auto exit = program.run({"eval", "transpose", "-", "--worker", fake_worker_path()},
                                  "// " + std::to_string(salt) + "\n");
    valid = exit.exit_code == 0;
    if (!valid) continue;
    EXPECT_THAT(exit.out, AllOf(StartsWith("ok at stage measure on fake"), HasSubstr("(estimate)"),
                                Not(HasSubstr(" .. "))));
  }
  EXPECT_TRUE(valid);
  EXPECT_EQ(program.run({"eval", "transpose", "-", "--watch"}).exit_code, 2);
}

TEST(Eval, WatchJudgesAgainWhenTheFileChanges) {
  Program program;
  program.write("k.cu", "// one\n");
  Command command = program.command({"eval", "transpose", "k.cu", "--watch", "--json", "--worker",
                                     fake_worker_path(), "--no-baseline"});
  command.argv.insert(command.argv.begin(), {"timeout", "--foreground", "--signal=INT", "110"});
  std::atomic<std::size_t> verdicts = 0;
  std::string text;
  StopSignal stop;
  command.on_stdout = [&](std::string_view part) {
    text += part;
    verdicts = times_said(text, "\"verdict\":");
  };
  std::thread watching([&] { (void)run_process(command, &stop); });
  const auto wait_for = [&](std::size_t count) {
    for (int i = 0; i < 1000 && verdicts < count; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_EQ(verdicts, count);
  };
  wait_for(1);
  program.write("k.cu", "// two\n");
  wait_for(2);
  stop.request(StopReason::interrupted);
  watching.join();
}

constexpr std::string_view kRacy = R"(#include <cuda_runtime.h>
__global__ void k(const float* in, float* out, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : 0;
  if (i < n) out[i] = fmaxf(s[threadIdx.x ^ 33], 0.f);
}
extern "C" void solve(const float* x, float* y, int N) { k<<<(N + 255) / 256, 256>>>(x, y, N); }
)";

TEST(Eval, ARaceIsToldOnceWithDeviceAndCompiler) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the SIMT machine is slow under AddressSanitizer; the release build runs this";
#endif
  if (!find_program("clang-19").ok()) GTEST_SKIP() << "clang-19 is not installed";
  Program program;
  program.write("racy.cu", std::string(kRacy));
  Command command = program.command({"eval", "relu", "racy.cu", "--device", "simt", "--front-end",
                                     "clang", "--no-baseline", "--trial-limit", "15m"});
  command.limits.wall = std::chrono::minutes(16);
  const ProcessExit exit = run_process(command).value();
  EXPECT_EQ(exit.exit_code, 1) << exit.out << exit.err;
  EXPECT_THAT(exit.out, AllOf(StartsWith("race at stage "), HasSubstr(" on SIMT"),
                              HasSubstr("compiled by clang 1")));
  EXPECT_EQ(times_said(exit.out, "with no barrier between them"), 1u) << exit.out;
  EXPECT_THAT(exit.err, HasSubstr("candidate: "));  // its stages
}

TEST(Tasks, ANewTaskPassesItsCheckAndSaysWhatIsMissingWithoutAReference) {
  Program program;
  ASSERT_EQ(program.run({"new", "mine"}).exit_code, 0);
  const auto checked = program.run({"tasks", "check", "./mine"});
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
  EXPECT_EQ(checked.out, "ok\n");
  std::filesystem::remove(program.folder() / "mine/reference.cpp");
  const auto missing = program.run({"tasks", "check", "./mine"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err,
              AllOf(HasSubstr("has no reference.cpp"),
                    HasSubstr("void reference(const float* x, const float* y, double* out")));
}

TEST(Tasks, RulesOfAModuleAreNamedOrRefused) {
  Program program;
  const auto unknown = program.run({"new", "mine", "--torch", "m.py", "--rules", "fast"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("mixed_precision"));
  const auto alone = program.run({"new", "mine", "--rules", "mixed_precision"});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err, HasSubstr("task.toml"));
  const auto before_name = program.run({"new", "--rules", "mixed_precision", "mine"});
  EXPECT_THAT(before_name.err, HasSubstr("task.toml")) << "the name is no rule";
}

TEST(Tasks, AReferenceThatAbortsIsNamed) {
  Program program;
  ASSERT_EQ(program.run({"new", "mine"}).exit_code, 0);
  const std::string include = "#include <cstdlib>\n";
  program.write("mine/reference.cpp", include + "void reference() { std::abort(); }\n");
  // The compiler's message has the signature that is asked for.
  const auto asked = program.run({"tasks", "check", "./mine"});
  const auto at = asked.err.find("It must define: ");
  ASSERT_NE(at, std::string::npos) << asked.err << asked.out;
  const std::string signature = asked.err.substr(at + 16, asked.err.find('\n', at) - at - 16);
  program.write("mine/reference.cpp", include + signature + " { std::abort(); }\n");
  const auto aborted = program.run({"tasks", "check", "./mine"});
  EXPECT_EQ(aborted.exit_code, 1);
  EXPECT_THAT(aborted.out,
              AllOf(HasSubstr("reference.cpp of the task 'mine'"), HasSubstr("it aborted")));
}

TEST(Search, ASilentServerEndsARunThatCanGoOn) {
  hostile::Options options;
  options.scenario = "hang";
  const auto provider = std::move(hostile::Provider::start(options)).value();
  Program program;
  program.environment.emplace_back("OPENAI_API_KEY=sk-none");
  const auto exit =
      program.run({"run", "transpose", "--model", "openai:m", "--base-url", provider->base_url(),
                   "--worker", fake_worker_path(), "--delay-scale", "0.01", "--idle-timeout",
                   "0.3s", "-n", "1", "-d", "1", "--repairs", "0"});
  EXPECT_EQ(exit.exit_code, 2) << exit.out << exit.err;
  EXPECT_THAT(exit.err,
              AllOf(HasSubstr("nothing came for 300 ms"), HasSubstr("'resume' asks again")));
  // Every try is told.
  EXPECT_GE(times_said(exit.err, "failed: r1.c1"), 3u) << exit.err;
  EXPECT_THAT(program.run({"runs"}).out, HasSubstr("failed"));
  const auto again = program.run({"resume", "last"});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("failed: r1.c1"));
}

}  // namespace
}  // namespace warpwright::cli
