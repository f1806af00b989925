// SPDX-License-Identifier: Apache-2.0
// The protocol's reference client in its command-line form. It checks every answer against the
// tool's schema by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "mcp/rpc.h"

namespace warpwright::mcp {
namespace {

class Inspector : public testing::Test {
 protected:
  void SetUp() override {
    const auto found = find_program("mcp-inspector");
    if (!found.ok()) {
      GTEST_SKIP() << "mcp-inspector is not in PATH; npm install --global "
                      "@modelcontextprotocol/inspector brings it";
    }
    inspector_ = found->string();
  }

  Json run(const std::vector<std::string>& arguments) {
    Command command = program_.command({});
    command.argv = {inspector_, "--cli", program_path(), "mcp", "--worker", fake_worker_path()};
    command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
    const auto exit = run_process(command);
    EXPECT_TRUE(exit.ok() && exit->succeeded()) << exit->out << exit->err;
    return exit.ok() ? Json::parse(exit->out, nullptr, false) : Json();
  }
  Json call(const std::string& tool, const std::vector<std::string>& arguments) {
    std::vector<std::string> all = {"--method", "tools/call", "--tool-name", tool};
    for (const auto& argument : arguments) all.insert(all.end(), {"--tool-arg", argument});
    return run(all);
  }

  cli::Program program_;
  std::string inspector_;
};

TEST_F(Inspector, Lists) {
  EXPECT_EQ(run({"--method", "tools/list"})["tools"].size(), 19U);
  EXPECT_GT(run({"--method", "resources/list"})["resources"].size(), 40U);
  EXPECT_EQ(run({"--method", "prompts/list"})["prompts"].size(), 2U);
}

TEST_F(Inspector, CallsTools) {
  EXPECT_EQ(call("list_tasks", {})["isError"], false);
  const Json task = call("show_task", {"task=transpose"});
  EXPECT_EQ(task["structuredContent"]["name"], "transpose");
  const Json verdict = call("judge_kernel", {"task=transpose", "source=int x;"});
  EXPECT_EQ(verdict["structuredContent"]["state"], "done") << verdict;
  EXPECT_EQ(call("judge_kernel", {"task=nothing", "source=x"})["isError"], true);
}

}  // namespace
}  // namespace warpwright::mcp
