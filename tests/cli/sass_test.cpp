// SPDX-License-Identifier: Apache-2.0
// Machine code of archived runs: listed, stored beside the judged source, exported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.h"
#include "cli/program.h"
#include "sass/sass_fixture.h"
#include "support/places.h"

namespace warpwright::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kTranspose =
    "#include <cuda_runtime.h>\n"
    "__global__ void turn(const float* in, float* out, int rows, int cols) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < rows * cols) out[i % cols * rows + i / cols] = in[i];\n}\n"
    "extern \"C\" void solve(const float* input, float* output, int rows, int cols) {\n"
    "  turn<<<(rows * cols + 255) / 256, 256>>>(input, output, rows, cols);\n}\n";

/// An answer with a kernel that the fake worker finds good: it judges by the source's hash.
std::string good_answer() {
  for (int salt = 0;; ++salt) {
    const std::string source = kTranspose + ("// " + std::to_string(salt) + "\n");
    if (sha256_hex(source)[0] > '4') return "Here.\n\n```cuda\n" + source + "```\n";
  }
}

/// A run with one good kernel and one answer without code; what it printed.
std::string archived_run(Program& program, const std::vector<std::string>& more = {}) {
  program.write("talk/conversation.jsonl",
                dump_json({{"id", "r1.c1"}, {"text", good_answer()}}) + "\n" +
                    dump_json({{"id", "r1.c2"}, {"text", "No kernel today."}}) + "\n");
  std::vector<std::string> arguments = {
      "run",  "transpose", "--model", "replay:talk", "-n",
      "2",    "-d",        "1",       "-q",          "--device",
      "simt", "--target",  "h200",    "--worker",    fake_worker_path()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const auto exit = program.run(arguments);
  EXPECT_EQ(exit.exit_code, 0) << exit.err;
  return exit.out;
}

store::DerivedRecord derived_of(store::Archive& archive, bool accepted) {
  const auto run = archive.find_run("last").value();
  store::DerivedRecord record{.kind = "sass", .accepted = accepted};
  for (const auto& trial : archive.trials(run.id).value())
    if (trial.candidate && !trial.candidate->source.empty())
      record.source_sha256 = trial.source_sha256;
  record.summary = accepted ? "2.10 % faster (95 %: 1.50 to 2.70)" : "kept as it was built: why";
  record.report = "{\"outputs_compared\": 1000000000}";
  if (accepted) record.content = sass::tiny_program().cubin().bytes();
  EXPECT_TRUE(archive.add_derived(run.id, record).ok());
  return record;
}

TEST(SassShow, NamesWhatIsMissing) {
  Program program;
  archived_run(program);
  const auto error_of = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"sass", "show"});
    const auto exit = program.run(arguments);
    EXPECT_EQ(exit.exit_code, 2);
    return exit.err;
  };
  program.environment.push_back("WARPWRIGHT_NVDISASM=/bin/true");
  EXPECT_THAT(error_of({"last"}), HasSubstr("sass show RUN best"));
  EXPECT_THAT(error_of({"last", "r9.c9"}), HasSubstr("no trial 'r9.c9'"));
  EXPECT_THAT(error_of({"last", "r1.c2"}), HasSubstr("has no kernel"));
  EXPECT_THAT(error_of({"nothing-3", "best"}), HasSubstr("no run 'nothing-3'"));
  EXPECT_THAT(error_of({"last", "r1.c1", "--tuned"}), HasSubstr("was not tuned"));
}

TEST(SassShow, ListsACandidateOfARun) {
  Program program;
  archived_run(program);
  // The tool that this user fetched; programs run with a home of their own.
  for (const std::string& home : environment_subset({"HOME"}))
    program.environment.push_back("XDG_CACHE_HOME=" + home.substr(5) + "/.cache");
  const auto exit = program.run({"sass", "show", "last", "r1.c1"});
  if (exit.exit_code == 2 && exit.err.find("nvdisasm was not found") != std::string::npos)
    GTEST_SKIP() << "SKIPPED: " << exit.err;
  if (exit.exit_code == 2 && exit.err.find("built without ptxas") != std::string::npos)
    GTEST_SKIP() << "SKIPPED: " << exit.err;
  ASSERT_EQ(exit.exit_code, 0) << exit.err;
  EXPECT_THAT(exit.out, AllOf(HasSubstr("turn"), HasSubstr("LDG"), HasSubstr("EXIT")));
}

TEST(SassRun, WithoutAGpuThereIsANoteAndNothingElse) {
  Program plain, asked;
  archived_run(plain);
  const std::string events = archived_run(asked, {"--sass", "1", "--json"});
  EXPECT_THAT(events, HasSubstr("the judge is elsewhere"));
  EXPECT_EQ(story(plain.archive(), "last"), story(asked.archive(), "last"));
  const SystemClock clock;
  const auto archive = std::move(store::Archive::open(asked.archive(), clock)).value();
  EXPECT_TRUE(archive->derived("transpose-1").value().empty());
  const auto refused = asked.run({"run", "transpose", "--model", "replay:talk", "--sass", "soon"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("search.sass"));
}

TEST(SassRun, WhatWasDerivedIsShownAndExported) {
  Program program;
  archived_run(program);
  const SystemClock clock;
  store::DerivedRecord record;
  {
    const auto archive = std::move(store::Archive::open(program.archive(), clock)).value();
    record = derived_of(*archive, true);
  }
  EXPECT_THAT(program.run({"show", "last"}).out, HasSubstr("machine code of r1.c1: 2.10 % faster"));
  const json shown = json::parse(program.run({"show", "last", "--json"}).out);
  ASSERT_EQ(shown["derived"].size(), 1U);
  EXPECT_EQ(shown["derived"][0]["report"]["outputs_compared"], 1'000'000'000);
  EXPECT_FALSE(shown["derived"][0].contains("content"));
  const auto page = program.run({"report", "last", "-o", "page.html"});
  ASSERT_EQ(page.exit_code, 0) << page.err;
  EXPECT_THAT(*read_file(program.folder() / "page.html"), HasSubstr("2.10 % faster"));
  const auto exported = program.run({"export", "last", "--trial", "r1.c1", "-o", "out"});
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  const auto file = [&](const char* name) {
    const auto text = read_file(program.folder() / "out" / name);
    return text.ok() ? *text : text.error().message;
  };
  EXPECT_EQ(file("sass/tuned.cubin"), record.content);
  EXPECT_EQ(file("sass/report.json"), record.report);
  EXPECT_THAT(file("sass/loader.h"), HasSubstr("!= 90"));
  EXPECT_THAT(file("sass/original.cu"), HasSubstr("turn<<<"));
  EXPECT_THAT(file("kernel.cu"), HasSubstr("turn<<<")) << "the judged source is what is exported";
}

TEST(SassRun, WhatWasNotAcceptedIsNotExported) {
  Program program;
  archived_run(program);
  const SystemClock clock;
  {
    const auto archive = std::move(store::Archive::open(program.archive(), clock)).value();
    derived_of(*archive, false);
  }
  EXPECT_THAT(program.run({"show", "last"}).out, HasSubstr("kept as it was built"));
  program.run({"export", "last", "--trial", "r1.c1", "-o", "out"});
  EXPECT_FALSE(std::filesystem::exists(program.folder() / "out" / "sass"));
}

}  // namespace
}  // namespace warpwright::cli
