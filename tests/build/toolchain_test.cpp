// SPDX-License-Identifier: Apache-2.0
#include "build/toolchain.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "base/files.h"

namespace warpwright::build {
namespace {

/// What a toolkit leaves behind that was taken away: a script that calls what is gone.
TEST(Toolchain, AnAssemblerThatDoesNotAnswerIsNone) {
  const auto folder = TemporaryDirectory::create("warpwright-test-").value();
  const auto script = folder.path() / "ptxas";
  ASSERT_TRUE(write_file(script, "#!/bin/sh\nexec /nowhere/bin/ptxas \"$@\"\n").ok());
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const char* const old = std::getenv("PATH");
  const std::string path = old == nullptr ? "" : old;
  ASSERT_EQ(setenv("PATH", (folder.path().string() + ":" + path).c_str(), 1), 0);
  const Toolchain tools = find_toolchain();
  ASSERT_EQ(setenv("PATH", path.c_str(), 1), 0);
  EXPECT_TRUE(tools.ptxas.empty()) << tools.ptxas;
}

}  // namespace
}  // namespace warpwright::build
