// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/child.h"
#include "base/sha256.h"
#include "base/text.h"
#include "cli/program.h"
#include "support/places.h"

// Verbs that judge several sources: a fake worker judges by their hashes.

namespace warpwright::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kTunable =
    "#define A 3  // tune: A = 0..15\n#define B x  // tune: B = x, y\n// tune: require A < 14\n";

/// A kernel that the fake worker finds good.
std::string good_source(int from) {
  for (int i = from;; ++i) {
    const std::string text =
        "// " + std::to_string(i) + "\nextern \"C\" void solve(const float* input) {}\n";
    if (sha256_hex(text)[0] > '4') return text;
  }
}

class SeveralSources : public testing::Test {
 protected:
  ProcessExit run(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--worker", fake_worker_path(), "--device", "simt"});
    return program_.run(std::move(arguments));
  }
  Program program_;
};

TEST_F(SeveralSources, TuneFindsTheFastestAndWritesItPlain) {
  program_.write("mine.cu", kTunable);
  const auto exit = run({"tune", "transpose", "mine.cu", "--budget", "28", "--json"});
  ASSERT_EQ(exit.exit_code, 0) << exit.err;
  const json result = json::parse(exit.out);
  EXPECT_EQ(result["space"]["points"], 28);
  EXPECT_EQ(result["times"], "estimated");
  EXPECT_EQ(result["best"]["verdict"], "ok");
  EXPECT_LE(result["evaluations"].get<int>(), 28);
  for (const auto& tried : result["tried"]) {
    if (tried["verdict"] != "ok") continue;
    EXPECT_LE(result["best"]["score_us"].get<double>(), tried["score_us"].get<double>());
  }
  const auto written = read_file(program_.folder() / "mine.tuned.cu");
  ASSERT_TRUE(written.ok());
  EXPECT_THAT(*written, Not(HasSubstr("tune:")));
  EXPECT_THAT(*written, HasSubstr("#define A " + result["best"]["values"]["A"].get<std::string>() +
                                  "  // tuned:"));
}

TEST_F(SeveralSources, TuneGoesThroughASpool) {
  program_.write("mine.cu", kTunable);
  const auto notes = program_.folder() / "judged.txt";
  const auto pilot = ChildProcess::start(
      program_.command({"pilot", "spool", "--idle=300", "--at-once=4",
                        "--server=" + fake_worker_path() + " --serve " + notes.string() + " 1"}));
  ASSERT_TRUE(pilot.ok());
  const auto here = run({"tune", "transpose", "mine.cu", "--budget", "24", "--json", "-o", "a.cu"});
  const auto there = program_.run({"tune", "transpose", "mine.cu", "--budget", "24", "--json", "-o",
                                   "b.cu", "--worker", "spool:spool", "--device", "simt"});
  ASSERT_EQ(there.exit_code, 0) << there.err;
  EXPECT_EQ(json::parse(there.out)["tried"], json::parse(here.out)["tried"]);
  EXPECT_EQ(*read_file(program_.folder() / "a.cu"), *read_file(program_.folder() / "b.cu"));
  std::size_t judged = 0;
  const auto noted = read_file(notes);
  ASSERT_TRUE(noted.ok());
  for (const auto line : lines_of(*noted)) judged += line.starts_with("end ") ? 1 : 0;
  EXPECT_EQ(judged, json::parse(there.out)["evaluations"].get<std::size_t>());
}

TEST_F(SeveralSources, TuneSaysWhatIsMissing) {
  program_.write("plain.cu", "int x;\n");
  const auto plain = run({"tune", "transpose", "plain.cu"});
  EXPECT_EQ(plain.exit_code, 2);
  EXPECT_THAT(plain.err, HasSubstr("declares nothing to tune"));
  program_.write("wrong.cu", "// tune: A = (\n");
  const auto wrong = run({"tune", "transpose", "wrong.cu"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("line 1"));
}

TEST_F(SeveralSources, ASearchTunesItsBestKernelAndGoesOnAfterwards) {
  std::string lines;
  for (int i = 1; i <= 8; ++i) {
    const std::string source = std::string(kTunable) + "// " + std::to_string(i) + "\n" +
                               "extern \"C\" void solve(const float* input, float* output, int "
                               "rows, int cols) {}\n";
    lines += json({{"id", "r1.c" + std::to_string(i)}, {"text", "```cuda\n" + source + "```\n"}})
                 .dump() +
             "\n";
  }
  program_.write("recorded/conversation.jsonl", lines);
  const auto exit = run({"run", "transpose", "--model", "replay:recorded", "-n", "8", "-d", "1",
                         "--repairs", "0", "--tune", "24", "-q"});
  ASSERT_EQ(exit.exit_code, 0) << exit.err;
  const auto listed = json::parse(program_.run({"runs", "--json"}).out);
  const std::string best = listed[0]["best_trial"];
  EXPECT_THAT(best, testing::EndsWith(".tune"));
  const auto shown = program_.run({"show", "last", "best"});
  EXPECT_THAT(shown.out, HasSubstr("tuned:"));
  const std::string before = story(program_.archive(), "last");
  const auto again = run({"resume", "last", "-q"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(story(program_.archive(), "last"), before);
  const auto prompt = program_.run({"show", "last", "r1.c1", "--prompt"});
  EXPECT_THAT(prompt.out, HasSubstr("// tune: TILE"));
  const auto curves = json::parse(program_.run({"runs", "scaling", "last", "--json"}).out);
  ASSERT_EQ(curves["runs"].size(), 1u);
  EXPECT_EQ(curves["runs"][0]["answers"], 8);
  EXPECT_EQ(curves["runs"][0]["parallel"].size(), 8u);
  EXPECT_EQ(curves["runs"][0]["parallel"][7], curves["runs"][0]["serial"][7]);
}

TEST_F(SeveralSources, MergeStoresARunThatExportTakes) {
  ProcessExit exit;
  for (int i = 0; i < 400; i += 20) {  // the hash of the whole must be good, too
    program_.write("a.cu", good_source(i));
    program_.write("b.cu", good_source(i + 10));
    exit = run({"merge", "a.cu", "b.cu", "--task", "transpose", "--json"});
    if (exit.exit_code == 0) break;
    ASSERT_EQ(exit.exit_code, 1) << exit.err;
  }
  ASSERT_EQ(exit.exit_code, 0) << exit.err;
  const json result = json::parse(exit.out);
  EXPECT_EQ(result["parts"].size(), 2u);
  EXPECT_EQ(result["verdict"], "ok");
  const auto merged = read_file(program_.folder() / "transpose.merged.cu");
  ASSERT_TRUE(merged.ok());
  EXPECT_THAT(*merged, HasSubstr("namespace part"));
  const auto exported = program_.run({"export", result["run"], "--kernels", "out"});
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_TRUE(path_exists(program_.folder() / "out/free/transpose.cu").value());
}

/// A recorded round of answers, each fast at one size of transpose.
std::string specialists(int seed) {
  const std::vector<std::string> sizes = {"1024^2", "2048^2", "4096^2", "8192^2", "16384^2"};
  std::string lines;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::string source = "// " + std::to_string(seed) + "\n// fast at " + sizes[i] + "\n" +
                               "extern \"C\" void solve(const float* input, float* output, int "
                               "rows, int cols) {}\n";
    lines +=
        json({{"id", "r1.c" + std::to_string(i + 1)}, {"text", "```cuda\n" + source + "```\n"}})
            .dump() +
        "\n";
  }
  return lines;
}

class Specialists : public SeveralSources {
 protected:
  /// A search of one round; the trial that was the best in the end.
  std::string search(int seed, std::vector<std::string> more) {
    std::filesystem::remove_all(program_.archive().parent_path());
    program_.write("recorded/conversation.jsonl", specialists(seed));
    std::vector<std::string> words = {
        "run", "transpose",  "--model", "replay:recorded",    "-n", "5", "-d", "1", "--repairs",
        "0",   "--rule-set", "free",    "--stop-at-roofline", "0",  "-q"};
    words.insert(words.end(), more.begin(), more.end());
    const auto exit = run(words);
    EXPECT_EQ(exit.exit_code, 0) << exit.err;
    return json::parse(program_.run({"runs", "--json"}).out)[0]["best_trial"];
  }
};

TEST_F(Specialists, ASearchMergesWhatIsFastestBySize) {
  std::string best;  // the hash of the whole must be good, too
  for (int seed = 0; seed < 40 && !best.ends_with(".merge"); ++seed)
    best = search(seed, {"--merge"});
  ASSERT_THAT(best, testing::EndsWith(".merge"));
  const auto shown = program_.run({"show", "last", "best"});
  EXPECT_THAT(shown.out, HasSubstr("namespace part1"));
  const std::string before = story(program_.archive(), "last");
  const auto again = run({"resume", "last", "-q"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(story(program_.archive(), "last"), before);
  const auto exported = program_.run({"export", "last", "--kernels", "out"});
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_TRUE(path_exists(program_.folder() / "out/free/transpose.cu").value());
}

TEST_F(Specialists, ASearchMergesOnlyWhereItMay) {
  int seed = 0;  // of one whose whole is good
  while (seed < 40 && !search(seed, {"--merge"}).ends_with(".merge")) ++seed;
  ASSERT_LT(seed, 40);
  const auto told = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {
        "run",       "transpose", "--model", "replay:recorded",    "-n", "5", "-d", "1",
        "--repairs", "0",         "--merge", "--stop-at-roofline", "0"};
    words.insert(words.end(), more.begin(), more.end());
    const auto exit = run(words);
    EXPECT_EQ(exit.exit_code, 0) << exit.err;
    return exit.err + exit.out;
  };
  EXPECT_THAT(search(seed, {"--merge", "--rule-set", "strict"}), Not(HasSubstr("merge")));
  EXPECT_THAT(told({}), HasSubstr("'strict' allows one kernel function"));
  EXPECT_THAT(search(seed, {"--merge", "--budget-evaluations", "5"}), Not(HasSubstr("merge")));
  EXPECT_THAT(told({"--rule-set", "free", "--budget-evaluations", "5"}),
              HasSubstr("the limit of evaluations leaves none"));
  EXPECT_THAT(search(seed, {"--merge", "--budget-evaluations", "6"}), testing::EndsWith(".merge"));
}

TEST_F(Specialists, AMergedRunIsAPartLikeAnyOther) {
  int seed = 0;
  while (seed < 40 && !search(seed, {"--merge"}).ends_with(".merge")) ++seed;
  ASSERT_LT(seed, 40);
  program_.write("other.cu", good_source(0));
  const auto alone = run({"merge", "last"});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err, HasSubstr("name another run or file"));
  const auto both = run({"merge", "last", "other.cu", "--json"});
  ASSERT_NE(both.exit_code, 2) << both.err;
  EXPECT_EQ(json::parse(both.out)["parts"].size(), 2u);
}

TEST_F(Specialists, MergeTakesEveryKernelOfARunThatIsFastestSomewhere) {
  ProcessExit exit;
  for (int seed = 0; seed < 40; ++seed) {
    search(seed, {});
    exit = run({"merge", "last", "--json"});
    if (exit.exit_code == 0) break;
    ASSERT_NE(exit.exit_code, 2) << exit.err;
  }
  ASSERT_EQ(exit.exit_code, 0) << exit.err;
  const json result = json::parse(exit.out);
  EXPECT_GE(result["parts"].size(), 2u);
  std::size_t fast = 0;
  for (const auto& size : result["sizes"]) {
    const std::vector<double> parts = size["parts_us"];
    fast += *std::min_element(parts.begin(), parts.end()) <= 26.5 ? 1 : 0;  // a tenth
  }
  EXPECT_EQ(fast, result["parts"].size());
  program_.write("recorded/conversation.jsonl",
                 json({{"id", "r1.c1"}, {"text", "```cuda\n" + good_source(0) + "```\n"}}).dump());
  run({"run", "transpose", "--model", "replay:recorded", "-n", "1", "-d", "1", "-q"});
  EXPECT_THAT(run({"merge", "last"}).err, HasSubstr("the fastest kernel of its run at every size"));
}

TEST_F(SeveralSources, MergeSaysWhatIsMissing) {
  program_.write("a.cu", good_source(0));
  EXPECT_THAT(run({"merge", "a.cu", "a.cu"}).err, HasSubstr("--task"));
  EXPECT_THAT(run({"merge", "a.cu", "--task", "transpose"}).err, HasSubstr("at least two"));
}

TEST_F(SeveralSources, PromptsShowExamplesFromFolders) {
  const auto exit = program_.run({"prompt", "sigmoid", "--target", "h200", "--examples", "2",
                                  "--examples-from", source_path("/kernels")});
  EXPECT_EQ(exit.exit_code, 0) << exit.err;
  EXPECT_THAT(exit.out, HasSubstr("kernels/relu.cu); it reached these times in us"));
  EXPECT_THAT(exit.out, Not(HasSubstr("kernels/sigmoid.cu")));
  EXPECT_THAT(program_.run({"prompt", "sigmoid", "--examples", "1"}).err,
              HasSubstr("--examples-from"));
}

}  // namespace
}  // namespace warpwright::cli
