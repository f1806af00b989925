// SPDX-License-Identifier: Apache-2.0
// What a person at a terminal sees: colours, a clock that runs, lines that are whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <regex>
#include <set>
#include <thread>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/program.h"
#include "support/hostile_provider.h"
#include "support/places.h"

namespace warpwright::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kEscape = "\x1b[";

int onto_terminal(void* context) {
  const int terminal = *static_cast<int*>(context);
  const bool moved = ::dup2(terminal, STDOUT_FILENO) >= 0 && ::dup2(terminal, STDERR_FILENO) >= 0;
  return moved ? 0 : errno;
}

/// Both output streams of a program, as a terminal of 200 columns got them.
class Terminal {
 public:
  Terminal() : ours_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    EXPECT_GE(ours_, 0);
    EXPECT_EQ(::grantpt(ours_), 0);
    EXPECT_EQ(::unlockpt(ours_), 0);
    theirs_ = ::open(::ptsname(ours_), O_RDWR | O_NOCTTY | O_CLOEXEC);
    EXPECT_GE(theirs_, 0);
    winsize window{};
    window.ws_col = 200;
    window.ws_row = 50;
    EXPECT_EQ(::ioctl(ours_, TIOCSWINSZ, &window), 0);
  }
  ~Terminal() {
    if (theirs_ >= 0) ::close(theirs_);
    ::close(ours_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  std::string shown_of(Command command) {
    command.in_child = onto_terminal;
    command.in_child_context = &theirs_;
    std::string shown;
    std::jthread reader([&] { read_into(shown); });
    EXPECT_TRUE(run_process(command).ok());
    // Without a writer the reader comes to an end.
    ::close(theirs_);
    theirs_ = -1;
    reader.join();
    return shown;
  }

 private:
  void read_into(std::string& shown) const {
    std::array<char, 4096> piece{};
    while (true) {
      const ssize_t got = ::read(ours_, piece.data(), piece.size());
      if (got <= 0) return;
      shown.append(piece.data(), static_cast<std::size_t>(got));
    }
  }

  int ours_;
  int theirs_ = -1;
};

Command judged(Program& program) {
  program.write("k.cu", "// one\n");
  return program.command(
      {"eval", "transpose", "k.cu", "--no-baseline", "--worker", fake_worker_path()});
}

TEST(TerminalOutput, HasColoursUnlessAskedNotTo) {
  Program program;
  EXPECT_THAT(Terminal().shown_of(judged(program)), HasSubstr("\x1b[1;3"));
  program.environment.emplace_back("NO_COLOR=1");
  EXPECT_THAT(Terminal().shown_of(judged(program)),
              AllOf(HasSubstr(" at stage "), Not(HasSubstr("\x1b[1;3"))));
  program.environment.back() = "TERM=dumb";
  EXPECT_THAT(Terminal().shown_of(judged(program)), Not(HasSubstr("\x1b[1;3")));
  program.environment.clear();
  // No terminal, no escapes.
  const auto piped = run_process(judged(program)).value();
  EXPECT_THAT(piped.out + piped.err, AllOf(HasSubstr(" at stage "), Not(HasSubstr(kEscape))));
}

TEST(TerminalOutput, TheClockRunsWhileNothingIsHeard) {
  hostile::Options options;
  options.scenario = "hang";
  const auto provider = std::move(hostile::Provider::start(options)).value();
  Program program;
  program.environment.emplace_back("OPENAI_API_KEY=sk-none");
  const Command command = program.command({"run",
                                           "transpose",
                                           "--model",
                                           "openai:m",
                                           "--base-url",
                                           provider->base_url(),
                                           "--worker",
                                           fake_worker_path(),
                                           "--delay-scale",
                                           "0.01",
                                           "--idle-timeout",
                                           "4s",
                                           "--tries",
                                           "1",
                                           "-n",
                                           "1",
                                           "-d",
                                           "1",
                                           "--repairs",
                                           "0"});
  const std::string shown = Terminal().shown_of(command);
  std::set<std::string> seconds;
  const std::regex clock("tokens[^\\r\\n]* \\| ([0-9]+) s");
  for (std::sregex_iterator it(shown.begin(), shown.end(), clock), end; it != end; ++it) {
    seconds.insert((*it)[1]);
  }
  EXPECT_GE(seconds.size(), 3u) << shown;
}

TEST(LogOutput, ReasonsAreNotCut) {
  Program program;
  const std::string reason = std::string(230, 'x') + " is the whole of it";
  const std::string refused = answer("refused because " + reason);
  program.write("talk/conversation.jsonl", dump_json({{"id", "r1.c1"}, {"text", refused}}) + "\n");
  const auto exit = program.run({"run", "transpose", "--model", "replay:talk", "-n", "1", "-d", "1",
                                 "--repairs", "0", "--worker", fake_worker_path()});
  EXPECT_THAT(exit.err, HasSubstr(reason));
  EXPECT_THAT(program.run({"show", "last", "r1.c1"}).out, HasSubstr(reason));
}

TEST(Troubleshooting, NamesOnlyVerbsAndFlagsThatExist) {
  const std::string page = read_file(source_path("/docs/troubleshooting.md")).value();
  Program program;
  const std::string manual = program.run({"man"}).out;
  const std::regex flag("[`\\s\"](--[a-z][a-z-]*)");
  std::size_t flags = 0;
  for (std::sregex_iterator it(page.begin(), page.end(), flag), end; it != end; ++it, ++flags) {
    std::string escaped = (*it)[1].str();
    escaped = std::regex_replace(escaped, std::regex("-"), "\\-");
    EXPECT_THAT(manual, HasSubstr(escaped)) << "in docs/troubleshooting.md";
  }
  EXPECT_GE(flags, 10u);
  const std::regex verb("`warpwright ([a-z-]+)");
  for (std::sregex_iterator it(page.begin(), page.end(), verb), end; it != end; ++it) {
    const std::string name = (*it)[1].str();
    if (name == "help") continue;
    EXPECT_EQ(program.run({"help", name}).exit_code, 0) << name;
  }
}

}  // namespace
}  // namespace warpwright::cli
