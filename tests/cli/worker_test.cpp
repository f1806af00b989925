// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
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

}  // namespace
}  // namespace warpwright
