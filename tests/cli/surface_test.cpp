// SPDX-License-Identifier: Apache-2.0
// What the program writes about itself: --version, the manual page, completions. The shells read
// them for real where they are installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "base/text.h"
#include "cli/program.h"

namespace warpwright::cli {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsSubsetOf;
using testing::StartsWith;

/// The verbs that --help lists.
std::vector<std::string> listed_verbs(Program& program) {
  std::vector<std::string> verbs;
  const std::string help = program.run({"--help"}).out;
  const std::size_t from = help.find("Subcommands:");
  EXPECT_NE(from, std::string::npos);
  const std::regex row("\n  ([a-z]+) ");
  for (std::sregex_iterator it(help.begin() + static_cast<std::ptrdiff_t>(from), help.end(), row),
       end;
       it != end; ++it)
    verbs.push_back((*it)[1]);
  return verbs;
}

std::vector<std::string> long_flags(const std::string& help) {
  std::vector<std::string> flags;
  const std::regex row("\n  (-[a-zA-Z],)?(--[a-z0-9-]+)");
  for (std::sregex_iterator it(help.begin(), help.end(), row), end; it != end; ++it)
    flags.push_back((*it)[2]);
  return flags;
}

class Completions : public ::testing::Test {
 protected:
  /// What a shell offers at the end of the words; empty with a skip where there is no such shell.
  std::vector<std::string> offers(const std::string& shell, const std::string& script) {
    Command command;
    command.argv = {shell, "-c", script};
    command.env = minimal_environment();
    command.env.push_back("HOME=" + program_.folder().string());
    command.cwd = program_.folder();
    const auto exit = run_process(command);
    EXPECT_TRUE(exit.ok());
    EXPECT_EQ(exit->exit_code, 0) << exit->err;
    EXPECT_EQ(exit->err, "");
    std::vector<std::string> words;
    for (const auto line : lines_of(exit->out)) {
      // fish adds a description.
      const std::string word(line.substr(0, line.find('\t')));
      if (!word.empty()) words.push_back(word);
    }
    return words;
  }

  void write_script(const std::string& shell) {
    const auto exit = program_.run({"completions", shell});
    ASSERT_EQ(exit.exit_code, 0) << exit.err;
    program_.write("completions." + shell, exit.out);
  }

  std::vector<std::string> bash(const std::vector<std::string>& words) {
    std::string array;
    for (const auto& word : words) array += " '" + word + "'";
    return offers("bash", "source completions.bash; COMP_WORDS=(" + array +
                              "); COMP_CWORD=" + std::to_string(words.size() - 1) +
                              "; _warpwright; printf '%s\\n' \"${COMPREPLY[@]}\"");
  }

  Program program_;
};

TEST(Version, NamesCommitCompilerAndWhatIsBuiltIn) {
  Program program;
  const auto exit = program.run({"--version"});
  EXPECT_EQ(exit.exit_code, 0);
  EXPECT_THAT(exit.out, testing::ContainsRegex("^warpwright [0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_THAT(exit.out, HasSubstr("\nCompiled: "));
  EXPECT_THAT(exit.out, HasSubstr("libseccomp"));
  EXPECT_THAT(exit.out, HasSubstr("CUDA driver (libcuda.so.1)"));
}

TEST(Manual, HasEveryVerbAndEveryOption) {
  Program program;
  const std::string page = program.run({"man"}).out;
  EXPECT_THAT(page, StartsWith(".TH WARPWRIGHT 1"));
  const auto verbs = listed_verbs(program);
  ASSERT_GT(verbs.size(), 20u);
  for (const auto& verb : verbs) EXPECT_THAT(page, HasSubstr("\n.SS " + verb + "\n"));
  for (const auto& flag : long_flags(program.run({"run", "--help"}).out)) {
    EXPECT_THAT(page, HasSubstr(std::regex_replace(flag, std::regex("-"), "\\-")));
  }
}

TEST(Manual, IsSoundRoff) {
  if (!find_program("mandoc").ok()) GTEST_SKIP() << "mandoc is not installed";
  Program program;
  program.write("warpwright.1", program.run({"man"}).out);
  Command command;
  command.argv = {"mandoc", "-T", "lint", "-W", "error", "warpwright.1"};
  command.env = minimal_environment();
  command.cwd = program.folder();
  const auto exit = run_process(command);
  ASSERT_TRUE(exit.ok());
  EXPECT_EQ(exit->exit_code, 0) << exit->out << exit->err;
}

TEST_F(Completions, BashOffersVerbsTasksFlagsAndFiles) {
  write_script("bash");
  EXPECT_THAT(bash({"warpwright", "ru"}), testing::UnorderedElementsAre("run", "runs"));
  EXPECT_THAT(listed_verbs(program_), IsSubsetOf(bash({"warpwright", ""})));
  EXPECT_THAT(bash({"warpwright", "run", "transp"}), Contains("transpose"));
  EXPECT_THAT(bash({"warpwright", "run", "transpose", "--budget-u"}), Contains("--budget-usd"));
  EXPECT_THAT(bash({"warpwright", "resume", "la"}), Contains("last"));
  program_.write("two words.cu", "");
  EXPECT_THAT(bash({"warpwright", "eval", "copy", "two"}), Contains("two words.cu"));
  // The value of an option is no flag and no task.
  EXPECT_THAT(bash({"warpwright", "run", "--prompts", "transp"}), testing::IsEmpty());
}

TEST_F(Completions, BashKnowsEveryFlagOfEveryVerb) {
  write_script("bash");
  for (const auto& verb : listed_verbs(program_)) {
    EXPECT_THAT(long_flags(program_.run({verb, "--help"}).out),
                IsSubsetOf(bash({"warpwright", verb, "--"})))
        << verb;
  }
}

TEST_F(Completions, FishOffersTheSame) {
  if (!find_program("fish").ok()) GTEST_SKIP() << "fish is not installed";
  write_script("fish");
  const auto fish = [this](const std::string& line) {
    return offers("fish", "source completions.fish; complete -C '" + line + "'");
  };
  EXPECT_THAT(fish("warpwright ru"), testing::UnorderedElementsAre("run", "runs"));
  EXPECT_THAT(fish("warpwright run transp"), Contains("transpose"));
  EXPECT_THAT(fish("warpwright run --budget-u"), Contains("--budget-usd"));
}

TEST_F(Completions, ZshReadsTheirScript) {
  if (!find_program("zsh").ok()) GTEST_SKIP() << "zsh is not installed";
  write_script("zsh");
  offers("zsh", "zsh -n completions.zsh");
}

TEST_F(Completions, AnUnknownShellIsAnError) {
  const auto exit = program_.run({"completions", "tcsh"});
  EXPECT_EQ(exit.exit_code, 2);
  EXPECT_THAT(exit.err, HasSubstr("bash, zsh and fish"));
}

}  // namespace
}  // namespace warpwright::cli
