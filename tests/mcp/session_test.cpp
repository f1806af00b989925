// SPDX-License-Identifier: Apache-2.0
// The real program as a client meets it: a process, lines in, lines out.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/child.h"
#include "base/sha256.h"
#include "cli/program.h"
#include "mcp/schema.h"
#include "mcp/server.h"

namespace warpwright::mcp {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

/// `warpwright mcp` in a folder of its own.
class Agent {
 public:
  explicit Agent(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "mcp");
    auto started = ChildProcess::start(program_.command(std::move(arguments)));
    EXPECT_TRUE(started.ok());
    if (started.ok()) process_.emplace(std::move(started).value());
    ask("initialize", {{"protocolVersion", kLegacyVersion},
                       {"capabilities", Json::object()},
                       {"clientInfo", {{"name", "session_test"}, {"version", "1"}}}});
    say({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
  }

  void say(const Json& message) { EXPECT_TRUE(process_->write_line(line_of(message)).ok()); }
  Json hear() {
    const auto reply = process_->read_line(milliseconds(60'000));
    EXPECT_EQ(reply.heard, ChildProcess::Heard::line);
    // Whatever stands on standard output is a message.
    return Json::parse(reply.line, nullptr, false);
  }
  Json ask(const std::string& method, Json params = Json::object()) {
    say({{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}, {"params", std::move(params)}});
    const Json reply = hear();
    EXPECT_EQ(reply["id"], id_);
    return reply;
  }
  /// A call whose answer must fit the tool's own schema, as tools/list shows it.
  Json call(const std::string& tool, Json arguments) {
    if (schemas_.empty()) {
      Json listed = ask("tools/list");
      for (const auto& row : listed["result"]["tools"]) {
        schemas_[row["name"]] = row["outputSchema"];
      }
    }
    const Json reply = ask("tools/call", {{"name", tool}, {"arguments", std::move(arguments)}});
    EXPECT_TRUE(reply.contains("result")) << tool << " " << reply;
    const Json result = reply.value("result", Json::object());
    if (result.value("isError", true)) return result;
    EXPECT_EQ(schema_objection(schemas_[tool], result["structuredContent"]), "") << tool;
    return result["structuredContent"];
  }
  ChildProcess& process() { return *process_; }
  cli::Program& program() { return program_; }

 private:
  cli::Program program_;
  std::optional<ChildProcess> process_;
  std::map<std::string, Json> schemas_;
  int id_ = 0;
};

/// Verdicts at once, by the hash of the source.
std::vector<std::string> quick() {
  return {"--worker", fake_worker_path(), "--stop-at-roofline", "0", "--repairs", "0"};
}

/// An answer that the fake worker calls valid.
std::string valid_answer() {
  for (int salt = 0;; ++salt) {
    const std::string text = cli::answer(std::to_string(salt));
    const auto start = text.find("```cuda\n") + 8;
    const std::string source = text.substr(start, text.rfind("```") - start);
    if (sha256_hex(source)[0] > '4') return text;
  }
}

TEST(Session, TheAgentProposesAndExportsTheWinner) {
  Agent agent(quick());
  const Json started = agent.call("start_search", {{"task", "transpose"},
                                                   {"model", "inbox"},
                                                   {"candidates", 1},
                                                   {"depth", 1},
                                                   {"budget", {{"evaluations", 10}}}});
  const std::string run = started.value("run", "");
  EXPECT_EQ(run, "transpose-1");
  const Json asked = agent.call("follow_search", {{"run", run}});
  ASSERT_EQ(asked["questions"], Json::array({"r1.c1"})) << asked;
  const Json question = agent.call("read_question", {{"run", run}});
  EXPECT_THAT(question["prompt"].get<std::string>(), HasSubstr("solve"));
  agent.call("answer_question", {{"run", run}, {"question", "r1.c1"}, {"answer", valid_answer()}});
  Json stand = Json::object();
  for (int i = 0; i < 50 && stand.value("best_trial", "").empty(); ++i) {
    stand = agent.call("follow_search", {{"run", run}, {"wait_s", 5}});
  }
  EXPECT_EQ(stand["best_trial"], "r1.c1") << stand;
  EXPECT_EQ(agent.call("list_runs", Json::object())["runs"][0]["run"], run);
  EXPECT_EQ(agent.call("show_run", {{"run", "last"}})["trials"][0]["verdict"], "ok");
  const Json kernel = agent.call("fetch_kernel", {{"run", run}});
  EXPECT_THAT(kernel["source"].get<std::string>(), HasSubstr("__global__"));
  EXPECT_GT(kernel["speedup"].get<double>(), 1);
  const Json files = agent.call("export_kernel", {{"run", run}})["files"];
  EXPECT_TRUE(std::any_of(files.begin(), files.end(),
                          [](const Json& file) { return file["name"] == "provenance.json"; }));
  const Json denied = agent.call("export_kernel", {{"run", run}, {"folder", "out"}});
  EXPECT_EQ(denied["isError"], true);
  EXPECT_EQ(agent.call("stop_search", {{"run", run}})["run"], run);
  EXPECT_EQ(agent.ask("resources/read",
                      {{"uri", "warpwright://kernels/last/best"}})["result"]["contents"][0]["text"],
            kernel["source"]);
}

TEST(Session, OneServerJudgesExplainsAndCompares) {
  Agent agent(quick());
  const std::string text = valid_answer();
  const auto start = text.find("```cuda\n") + 8;
  const std::string source = text.substr(start, text.rfind("```") - start);
  const Json verdict = agent.call("judge_kernel", {{"task", "transpose"}, {"source", source}});
  EXPECT_EQ(verdict["verdict"], "ok") << verdict;
  EXPECT_GT(verdict["speedup"].get<double>(), 1);
  const Json order = agent.call("compare_kernels",
                                {{"task", "transpose"}, {"first", source}, {"second", "baseline"}});
  EXPECT_EQ(order["order"], "faster") << order;
  const Json refused = agent.call(
      "judge_kernel", {{"task", "transpose"}, {"source", source}, {"sizes", {"no such size"}}});
  EXPECT_EQ(refused["isError"], true);
}

TEST(Session, SearchesTogetherKeepToTheServersBudget) {
  auto arguments = quick();
  arguments.insert(arguments.end(), {"--budget-evaluations", "12"});
  Agent agent(arguments);
  const auto start = [&](int evaluations) {
    return agent.call(
        "start_search",
        {{"task", "transpose"}, {"model", "inbox"}, {"budget", {{"evaluations", evaluations}}}});
  };
  EXPECT_EQ(start(13)["isError"], true);
  EXPECT_EQ(start(8)["run"], "transpose-1");
  const Json second = start(8);
  EXPECT_EQ(second["isError"], true);
  EXPECT_THAT(second["content"][0]["text"].get<std::string>(), HasSubstr("budget"));
  const Json no_model =
      agent.call("start_search", {{"task", "transpose"}, {"budget", {{"evaluations", 1}}}});
  EXPECT_THAT(no_model["content"][0]["text"].get<std::string>(), HasSubstr("no model"));
}

TEST(Session, TunesWithinTheServersBudget) {
  auto arguments = quick();
  arguments.insert(arguments.end(), {"--budget-evaluations", "20"});
  Agent agent(arguments);
  Json wish = {{"task", "transpose"},
               {"source", "#define A 3  // tune: A = 0..15\n"},
               {"evaluations", 12},
               {"wait_s", 60}};
  const Json first = agent.call("tune_kernel", wish);
  EXPECT_EQ(first["verdict"], "ok") << first;
  EXPECT_EQ(first["configurations"], 16);
  EXPECT_LE(first["evaluations"].get<int>(), 12);
  EXPECT_THAT(first["source"].get<std::string>(), HasSubstr("// tuned:"));
  EXPECT_GE(first["gain"].get<double>(), 1);
  const Json second = agent.call("tune_kernel", wish);
  EXPECT_EQ(second["isError"], true);
  EXPECT_THAT(second["content"][0]["text"].get<std::string>(), HasSubstr("budget"));
  wish["evaluations"] = 4;
  wish["source"] = "int nothing;";
  const Json nothing = agent.call("tune_kernel", wish);
  EXPECT_THAT(nothing["content"][0]["text"].get<std::string>(), HasSubstr("nothing to tune"));
}

TEST(Session, EndsWithItsInputAndPrintsNothingElse) {
  cli::Program program;
  const std::string lines =
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})"
      "\n"
      R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_tasks"}})"
      "\n";
  const auto exit = program.run({"mcp"}, lines);
  EXPECT_EQ(exit.exit_code, 0) << exit.err;
  EXPECT_EQ(std::count(exit.out.begin(), exit.out.end(), '\n'), 2);
  EXPECT_EQ(exit.err, "");
  EXPECT_FALSE(std::filesystem::exists(program.folder() / ".warpwright"));
  EXPECT_EQ(program.run({"mcp", "--allow", "/no/such"}).exit_code, 2);
}

}  // namespace
}  // namespace warpwright::mcp
