// SPDX-License-Identifier: Apache-2.0
// The protocol's reference client in its command-line form. It checks every answer against the
// tool's schema by itself.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.h"
#include "cli/program.h"
#include "mcp/rpc.h"
#include "mcp/tool.h"

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
    command.argv = {inspector_,
                    "--cli",
                    program_path(),
                    "mcp",
                    "--allow",
                    ".",
                    "--worker",
                    fake_worker_path(),
                    "--stop-at-roofline=0",
                    "--repairs=0"};
    command.limits.wall = std::chrono::seconds(600);  // of a busy machine
    command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
    const auto exit = run_process(command);
    EXPECT_TRUE(exit.ok() && exit->succeeded()) << exit->out << exit->err;
    return exit.ok() ? Json::parse(exit->out, nullptr, false) : Json();
  }
  Json call(const std::string& tool, const std::vector<std::string>& arguments) {
    std::vector<std::string> all = {"--method", "tools/call", "--tool-name", tool};
    for (const auto& argument : arguments) all.insert(all.end(), {"--tool-arg", argument});
    called_.insert(tool);
    return run(all);
  }
  /// What the tool says when all is well.
  Json good(const std::string& tool, const std::vector<std::string>& arguments) {
    const Json answer = call(tool, arguments);
    EXPECT_EQ(answer.value("isError", true), false) << tool << " " << answer;
    return answer.value("structuredContent", Json::object());
  }

  cli::Program program_;
  std::string inspector_;
  std::set<std::string> called_;
};

/// A kernel that the fake worker calls valid.
std::string good_source() {
  for (int salt = 0;; ++salt) {
    std::string text = "// " + std::to_string(salt) + "\nextern \"C\" void solve() {}\n";
    if (sha256_hex(text)[0] > '4') return text;
  }
}

TEST_F(Inspector, Lists) {
  EXPECT_EQ(run({"--method", "tools/list"})["tools"].size(), 20U);
  EXPECT_GT(run({"--method", "resources/list"})["resources"].size(), 40U);
  EXPECT_EQ(run({"--method", "prompts/list"})["prompts"].size(), 2U);
}

TEST_F(Inspector, CallsEveryTool) {
  const std::string source = "source=" + good_source();
  good("list_tasks", {});
  EXPECT_EQ(good("show_task", {"task=transpose"})["name"], "transpose");
  good("make_task", {"name=mine"});
  good("list_devices", {});
  good("show_device", {"device=a100", "task=transpose"});
  EXPECT_EQ(good("judge_kernel", {"task=transpose", source})["verdict"], "ok");
  good("explain_kernel", {"task=mine", "file=mine/baseline.cu", "wait_s=300"});
  good("compare_kernels", {"task=transpose", "first=" + good_source(), "second=baseline"});
  good("tune_kernel",
       {"task=transpose", "source=#define A 3  // tune: A = 0..9\n", "evaluations=6"});
  // Each call is a server of its own: no job outlives it.
  EXPECT_EQ(call("wait_for_job", {"job=none"})["isError"], true);
  EXPECT_EQ(call("cancel_job", {"job=none"})["isError"], true);
  const auto run = "run=" + good("start_search", {"task=transpose", "model=inbox", "candidates=1",
                                                  "depth=1", R"(budget={"evaluations": 5})"})
                                .value("run", std::string());
  program_.run({"resume", "last", "--worker", fake_worker_path()});  // asks and ends
  good("follow_search", {run, "wait_s=1"});
  EXPECT_EQ(good("read_question", {run})["question"], "r1.c1");
  good("answer_question", {run, "question=r1.c1", "answer=```cuda\n" + good_source() + "```"});
  program_.run({"resume", "last", "--worker", fake_worker_path()});
  good("list_runs", {});
  EXPECT_EQ(good("show_run", {run})["trials"][0]["verdict"], "ok");
  good("fetch_kernel", {run});
  good("export_kernel", {run, "folder=winner"});
  EXPECT_EQ(call("stop_search", {run})["isError"], true);  // nobody works on it
  EXPECT_EQ(call("judge_kernel", {"task=nothing", "source=x"})["isError"], true);
  for (const Tool& tool : tools())
    EXPECT_TRUE(called_.contains(std::string(tool.name))) << tool.name;
}

}  // namespace
}  // namespace warpwright::mcp
