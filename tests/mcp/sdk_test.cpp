// SPDX-License-Identifier: Apache-2.0
// Every tool through the protocol's TypeScript SDK, which holds answers against schemas by itself.
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.h"
#include "base/text.h"
#include "cli/program.h"

namespace warpwright::mcp {
namespace {

/// The SDK's folder, or empty: below WARPWRIGHT_NODE_MODULES, or where npm puts global packages.
std::string sdk_folder() {
  const char* chosen = std::getenv("WARPWRIGHT_NODE_MODULES");
  for (const std::string& root :
       {std::string(chosen == nullptr ? "" : chosen), std::string("/usr/local/lib/node_modules"),
        std::string("/usr/lib/node_modules")}) {
    const auto folder = std::filesystem::path(root) / "@modelcontextprotocol" / "sdk";
    std::error_code ignored;
    if (std::filesystem::exists(folder / "dist" / "esm" / "client" / "index.js", ignored)) {
      return folder.string();
    }
  }
  return "";
}

/// A reply whose kernel the fake worker calls valid.
std::string good_reply() {
  for (int salt = 0;; ++salt) {
    std::string text = cli::answer(std::to_string(salt));
    const auto start = text.find("```cuda\n") + 8;
    if (sha256_hex(text.substr(start, text.rfind("```") - start))[0] > '4') return text;
  }
}

TEST(SdkClient, RunsEveryTool) {
  const auto node = find_program("node");
  const std::string sdk = sdk_folder();
  if (!node.ok() || sdk.empty()) {
    GTEST_SKIP() << "no Node.js, or no @modelcontextprotocol/sdk in WARPWRIGHT_NODE_MODULES; npm "
                    "install --global @modelcontextprotocol/sdk brings it";
  }
  cli::Program program;
  Command command = program.command({});
  command.argv = {node->string(),
                  source_path("/tests/mcp/sdk_client.mjs"),
                  sdk,
                  program_path(),
                  "mcp",
                  "--allow",
                  ".",
                  "--worker",
                  fake_worker_path(),
                  "--stop-at-roofline",
                  "0",
                  "--repairs",
                  "0"};
  command.env.push_back("ANSWER=" + good_reply());
  command.limits.wall = std::chrono::seconds(600);
  const auto exit = run_process(command);
  ASSERT_TRUE(exit.ok() && exit->succeeded()) << exit->out << exit->err;
  int calls = 0;
  for (const auto line : lines_of(exit->out)) {
    EXPECT_TRUE(line.ends_with(" ok")) << line;
    ++calls;
  }
  EXPECT_GE(calls, 20);
}

}  // namespace
}  // namespace warpwright::mcp
