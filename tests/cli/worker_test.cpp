// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/child.h"
#include "support/places.h"

namespace warpwright {
namespace {

// The CUDA driver writes what kernels print to standard output. "done JOB" or "worn" from a kernel
// must not reach whoever listens to the runner.
TEST(Worker, WhatKernelsPrintIsNoLineOfTheRunner) {
  Command command;
  command.argv = {program_path(), "worker", "--runner"};
  auto runner = ChildProcess::start(command);
  ASSERT_TRUE(runner.ok()) << runner.error().message;
  const std::filesystem::path output = "/proc/" + std::to_string(runner->pid()) + "/fd/1";
  std::string target;
  for (int i = 0; i < 200 && target != "/dev/null"; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::error_code gone;
    target = std::filesystem::read_symlink(output, gone).string();
  }
  EXPECT_EQ(target, "/dev/null");
}

// As root the sandbox is another user: with the umask 077 of a careful shell no compiler could read
// the candidate, and everything was a compile_error.
TEST(Worker, WhatItWritesCanBeReadInTheSandboxWhateverTheUmaskIs) {
  Command command;
  command.argv = {program_path(), "worker", "--runner"};
  const mode_t before = ::umask(077);
  auto runner = ChildProcess::start(command);
  ::umask(before);
  ASSERT_TRUE(runner.ok()) << runner.error().message;
  const std::string status = "/proc/" + std::to_string(runner->pid()) + "/status";
  std::string text;
  for (int i = 0; i < 200 && text.find("Umask:\t0022") == std::string::npos; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::ifstream file(status);
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  EXPECT_NE(text.find("Umask:\t0022"), std::string::npos) << text;
}

}  // namespace
}  // namespace warpwright
