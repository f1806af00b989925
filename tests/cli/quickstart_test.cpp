// SPDX-License-Identifier: Apache-2.0
// What ./quickstart runs once everything is built: a recorded conversation, judged for real.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "support/places.h"

namespace warpwright::cli {
namespace {

using testing::HasSubstr;

TEST(Quickstart, TheRecordingIsJudgedForReal) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the SIMT machine is slow under AddressSanitizer; the release build runs this";
#endif
  if (!find_program("clang-19").ok()) GTEST_SKIP() << "clang-19 is not installed";
  Program program;
  const auto exit =
      program.run({"run", "transpose", "--model", "replay:" + source_path("/recordings/transpose"),
                   "-n", "3", "-d", "4", "--device", "simt", "--sizes", "1024^2"});
  EXPECT_EQ(exit.exit_code, 0) << exit.err;
  // One asks for data to stay in the L2 cache, one reads shared memory while it is being filled.
  EXPECT_THAT(exit.out, HasSubstr("12 trials, 10 valid"));
  EXPECT_THAT(exit.out, HasSubstr("Best kernel: r"));
  EXPECT_THAT(exit.out, HasSubstr("(estimate)"));
  const auto exported = program.run({"export", "last", "-o", "out"});
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  const auto again = program.run({"eval", "transpose", "out/kernel.cu", "--device", "simt",
                                  "--sizes", "1024^2", "--no-baseline"});
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
}

TEST(Quickstart, AnyRecordingCanBeNamed) {
  const auto said = [](std::vector<std::string> words) {
    Command command;
    words.insert(words.begin(), source_path("/quickstart"));
    command.argv = std::move(words);
    command.env = minimal_environment();
    const auto exit = run_process(command);
    EXPECT_TRUE(exit.ok());
    EXPECT_EQ(exit->exit_code, 2) << exit->err;
    return exit->err;
  };
  const std::string all = said({"nonsense"});
  for (const char* name : {" again/reverse ", " free/topk ", " transpose ", " tree/gemm_f16 "}) {
    EXPECT_THAT(all, HasSubstr(name));
  }
  EXPECT_THAT(said({"kb1_025_swish"}), HasSubstr("made from level1/25_Swish.py of KernelBench"));
  EXPECT_THAT(said({"evolve/kb2_012_gemm_multiply_leakyrelu", "/nowhere"}),
              HasSubstr("level2/12_Gemm_Multiply_LeakyReLU.py"));
}

std::vector<std::filesystem::path> recordings() {
  std::vector<std::filesystem::path> folders;
  for (const char* folder :
       {"recordings", "bench/campaign2/strategies", "bench/campaign2/recordings"}) {
    const auto root = std::filesystem::path(source_path()) / folder;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
      if (entry.path().filename() == "flags") folders.push_back(entry.path().parent_path());
  }
  return folders;
}

/// The last part of a recording's name is the task that is run: a built-in one, or a problem of
/// KernelBench that the list knows.
TEST(Quickstart, ARecordingIsNamedByItsTask) {
  const std::filesystem::path root = source_path();
  const std::string problems = read_file(root / "bench/campaign2/problems.tsv").value();
  EXPECT_GT(recordings().size(), 100u);
  for (const auto& folder : recordings()) {
    const std::string task = folder.filename();
    EXPECT_TRUE(std::filesystem::exists(root / "tasks" / task) ||
                problems.find("\t" + task + "\t") != std::string::npos)
        << folder;
  }
}

/// The number behind a flag of a recording.
int number_behind(const std::vector<std::string>& words, std::string_view flag, int usual) {
  const auto at = std::find(words.begin(), words.end(), flag);
  return at == words.end() ? usual : std::stoi(at[1]);
}

/// Who replays a recording as its flags say is never asked for an answer that it does not have.
TEST(Quickstart, ARecordingHasAnAnswerForEachQuestionOfItsFlags) {
  for (const auto& folder : recordings()) {
    std::set<std::string> ids;
    const auto recorded = read_file(folder / "conversation.jsonl");
    ASSERT_TRUE(recorded.ok()) << recorded.error().message;
    std::istringstream answers(*recorded);
    for (std::string line; std::getline(answers, line);)
      ids.insert(nlohmann::json::parse(line).at("id").get<std::string>());
    std::istringstream flags(read_file(folder / "flags").value());
    const std::vector<std::string> words{std::istream_iterator<std::string>(flags), {}};
    const auto at = std::find(words.begin(), words.end(), "--strategy");
    const std::string strategy = at == words.end() ? "fsr" : at[1];
    const std::string letter = strategy == "tree" ? "w" : strategy == "evolve" ? "g" : "r";
    for (int round = 1; round <= number_behind(words, "-d", 4); ++round) {
      for (int slot = 1; slot <= number_behind(words, "-n", 3); ++slot) {
        const std::string id = letter + std::to_string(round) + ".c" + std::to_string(slot);
        EXPECT_TRUE(ids.contains(id)) << folder << " has no " << id;
      }
    }
  }
}

TEST(Quickstart, ABuildSaysWhereItIs) {
  Program program;
  Command command;
  command.argv = {source_path("/scripts/progress"), "all.log"};
  command.env = minimal_environment();
  command.cwd = program.folder();
  command.stdin_text =
      "[1/4] Building CXX object src/CMakeFiles/ww_simt_cold.dir/batches/simt_cold_0.cpp.o\n"
      "a warning\n"
      "[2/4] Building CXX object src/CMakeFiles/ww_simt.dir/simt/ops/float.cpp.o\n"
      "[3/4] Building CXX object src/CMakeFiles/warpwright.dir/batches/cli_0.cpp.o\n"
      "[4/4] Linking CXX executable warpwright\n";
  const auto exit = run_process(command);
  ASSERT_TRUE(exit.ok());
  EXPECT_EQ(exit->exit_code, 0) << exit->err;
  // One line per folder where there is no terminal; everything is in the log.
  EXPECT_THAT(exit->err, HasSubstr("25 %  1 of 4  src/simt (0 s)\n"));
  EXPECT_THAT(exit->err, HasSubstr("75 %  3 of 4  src/cli ("));
  EXPECT_THAT(exit->err, HasSubstr("100 %  4 of 4  linking "));
  EXPECT_EQ(std::count(exit->err.begin(), exit->err.end(), '\n'), 3);
  EXPECT_EQ(read_file(program.folder() / "all.log").value(), command.stdin_text);
}

// A host without root, which has a part of the packages, or all.
TEST(Quickstart, WithoutRootTheLineToRunIsPrinted) {
  Program program;
  const auto setup = [&](const std::string& installed) {
    const std::vector<std::pair<std::string, std::string>> programs = {{"id", "echo 1000"},
                                                                       {"dpkg-query", installed},
                                                                       {"apt-get", "touch called"},
                                                                       {"apt-cache", "exit 1"}};
    for (const auto& [name, does] : programs) {
      program.write("bin/" + name, "#!/bin/sh\n" + does + "\n");
      std::filesystem::permissions(program.folder() / "bin" / name,
                                   std::filesystem::perms::owner_all);
    }
    Command command;
    command.argv = {source_path("/scripts/setup"), "build"};
    command.env = minimal_environment();
    std::erase_if(command.env, [](const std::string& v) { return v.starts_with("PATH="); });
    command.env.push_back("PATH=" + (program.folder() / "bin").string() + ":/usr/bin:/bin");
    command.cwd = program.folder();
    return run_process(command).value();
  };
  const auto bare =
      setup("case \"$*\" in *cmake*) echo 'install ok installed' ;; *) exit 1 ;; esac");
  EXPECT_EQ(bare.exit_code, 2);
  EXPECT_THAT(bare.err,
              HasSubstr("\n  sudo apt-get install -y --no-install-recommends g++ ninja-build "));
  EXPECT_EQ(std::count(bare.err.begin(), bare.err.end(), '\n'), 2) << bare.err;
  EXPECT_EQ(setup("echo 'install ok installed'").exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(program.folder() / "called"));
}

}  // namespace
}  // namespace warpwright::cli
