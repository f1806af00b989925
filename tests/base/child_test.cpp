// SPDX-License-Identifier: Apache-2.0
#include "base/child.h"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

namespace warpwright {
namespace {

using namespace std::chrono_literals;

ChildProcess start(const char* script) {
  Command command;
  command.argv = {"/bin/bash", "-c", script};
  command.env = minimal_environment();
  return ChildProcess::start(command).value();
}

/// Gone, or a zombie that nobody has buried yet.
bool dead(pid_t pid) {
  if (::kill(pid, 0) != 0) return true;
  const auto stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  return !stat.ok() || stat->find(") Z ") != std::string::npos;
}

TEST(ChildProcess, AnswersLineByLine) {
  auto child = start("while read -r line; do echo \"<$line>\"; done");
  for (const char* word : {"one", "two words", ""}) {
    ASSERT_TRUE(child.write_line(word).ok());
    const auto reply = child.read_line(5s);
    ASSERT_EQ(reply.heard, ChildProcess::Heard::line);
    EXPECT_EQ(reply.line, "<" + std::string(word) + ">");
  }
}

TEST(ChildProcess, SilenceIsNotTheEnd) {
  auto child = start("sleep 30");
  EXPECT_EQ(child.read_line(20ms).heard, ChildProcess::Heard::nothing);
}

TEST(ChildProcess, TheEndIsHeardAfterTheLastLine) {
  auto child = start("echo last; exit 3");
  EXPECT_EQ(child.read_line(5s).line, "last");
  EXPECT_EQ(child.read_line(5s).heard, ChildProcess::Heard::gone);
  std::this_thread::sleep_for(50ms);
  EXPECT_FALSE(child.write_line("hello").ok());
}

TEST(ChildProcess, ItsWholeGroupDiesWithIt) {
  pid_t grandchild = 0;
  {
    auto child = start("sleep 100 & echo $!; wait");
    grandchild = std::stoi(child.read_line(5s).line);
    EXPECT_FALSE(dead(grandchild));
  }
  for (int i = 0; i < 100 && !dead(grandchild); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_TRUE(dead(grandchild));
}

TEST(ChildProcess, AFloodWithoutLinesIsTheEnd) {
  auto child = start("head -c 3000000 /dev/zero");
  EXPECT_EQ(child.read_line(10s).heard, ChildProcess::Heard::gone);
}

}  // namespace
}  // namespace warpwright
