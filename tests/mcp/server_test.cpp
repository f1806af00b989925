// SPDX-License-Identifier: Apache-2.0
#include "mcp/server.h"

#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp/fake_workshop.h"
#include "mcp/schema.h"

namespace warpwright::mcp {
namespace {

using testing::HasSubstr;
using testing::Not;

Json modern_meta() {
  return {{"io.modelcontextprotocol/protocolVersion", kModernVersion},
          {"io.modelcontextprotocol/clientCapabilities", Json::object()}};
}

Json request(const std::string& method, Json params) {
  return {{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", std::move(params)}};
}

std::string text_of(const Json& reply) {
  return reply["result"]["content"][0]["text"].get<std::string>();
}

TEST(Handshake, AgreesOnAVersionBothKnow) {
  for (const auto& [wanted, agreed] :
       std::map<std::string, std::string>{{"2025-11-25", "2025-11-25"},
                                          {"2025-06-18", "2025-06-18"},
                                          {"2024-11-05", "2024-11-05"},
                                          {"2026-07-28", "2025-11-25"},  // has no handshake
                                          {"1999-01-01", "2025-11-25"}}) {
    Bench bench;
    const auto reply = bench.say(request("initialize", {{"protocolVersion", wanted}}));
    EXPECT_EQ((*reply)["result"]["protocolVersion"], agreed) << wanted;
    EXPECT_EQ((*reply)["result"]["serverInfo"]["version"], "1.2.3");
    EXPECT_TRUE((*reply)["result"]["capabilities"].contains("tools"));
    EXPECT_EQ(bench.connection.version(), agreed);
  }
}

TEST(Handshake, ComesFirst) {
  Bench bench;
  EXPECT_EQ((*bench.say(request("tools/list", Json::object())))["error"]["code"], -32600);
  EXPECT_TRUE((*bench.say(request("ping", Json::object()))).contains("result"));
  EXPECT_EQ((*bench.say(request("initialize", Json::object())))["error"]["code"], -32602);
  EXPECT_TRUE(bench.ask("tools/list").contains("result"));
  EXPECT_EQ(bench.ask("server/discover")["error"]["code"], -32601);
  EXPECT_EQ(bench.ask("no/such")["error"]["code"], -32601);
  EXPECT_EQ(bench.ask("tools/list", {{"cursor", "x"}})["error"]["code"], -32602);
}

TEST(Stateless, NeedsNoHandshake) {
  Bench bench;
  const auto found = *bench.say(request("server/discover", {{"_meta", modern_meta()}}));
  EXPECT_THAT(found["result"]["supportedVersions"], testing::Contains(kModernVersion));
  EXPECT_EQ(found["result"]["resultType"], "complete");
  EXPECT_EQ(found["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "warpwright");
  const auto list = *bench.say(request("tools/list", {{"_meta", modern_meta()}}));
  EXPECT_TRUE(list["result"]["ttlMs"].is_number_integer());
  EXPECT_EQ(list["result"]["cacheScope"], "public");
  EXPECT_EQ((*bench.say(request("ping", {{"_meta", modern_meta()}})))["error"]["code"], -32601);
  EXPECT_EQ(bench.connection.version(), "");
}

TEST(Stateless, OtherVersionsAreToldWhatThereIs) {
  Bench bench;
  Json meta = modern_meta();
  meta["io.modelcontextprotocol/protocolVersion"] = "2030-01-01";
  const auto reply = *bench.say(request("tools/list", {{"_meta", meta}}));
  EXPECT_EQ(reply["error"]["code"], -32022);
  EXPECT_EQ(reply["error"]["data"]["requested"], "2030-01-01");
  EXPECT_THAT(reply["error"]["data"]["supported"], testing::Contains(kModernVersion));
  meta = modern_meta();
  meta.erase("io.modelcontextprotocol/clientCapabilities");
  EXPECT_EQ((*bench.say(request("tools/list", {{"_meta", meta}})))["error"]["code"], -32602);
}

TEST(Tools, AnswersAreShortFirst) {
  Bench bench;
  const auto good = bench.call("judge_kernel", {{"task", "transpose"}, {"source", "good"}});
  const Json& data = good["result"]["structuredContent"];
  EXPECT_EQ(data["verdict"], "ok");
  EXPECT_DOUBLE_EQ(data["speedup"].get<double>(), 2);
  EXPECT_FALSE(data.contains("evaluation"));
  EXPECT_FALSE(good["result"]["isError"]);
  const auto bad = bench.call("judge_kernel", {{"task", "transpose"}, {"source", "bad"}});
  EXPECT_EQ(bad["result"]["structuredContent"]["fix"].size(), 3U);
  EXPECT_THAT(text_of(bad), HasSubstr("compile_error"));
  EXPECT_THAT(text_of(bad), HasSubstr("line 1, error: expected ';'"));
  const auto busy = bench.call("judge_kernel", {{"task", "transpose"}, {"source", "too busy"}});
  EXPECT_THAT(text_of(busy), HasSubstr("says nothing about the kernel"));
}

TEST(Tools, WhatIsForPeopleAloneDoesNotReachTheModel) {
  Bench bench;
  for (const bool complete : {false, true}) {
    const auto bad = bench.call("judge_kernel",
                                {{"task", "transpose"}, {"source", "bad"}, {"complete", complete}});
    EXPECT_THAT(bad.dump(), Not(HasSubstr("/secret/path")));
    EXPECT_THAT(bad.dump(), Not(HasSubstr("12345")));
    EXPECT_EQ(bad["result"]["structuredContent"].contains("evaluation"), complete);
  }
}

/// The tool's own schema holds for each of its answers.
void expect_valid(const std::string& tool, const Json& reply) {
  ASSERT_TRUE(reply.contains("result")) << tool << " " << reply;
  EXPECT_FALSE(reply["result"]["isError"]) << reply;
  const Json schema = find_tool(tool)->output();
  EXPECT_EQ(schema_objection(schema, reply["result"]["structuredContent"]), "") << tool;
  EXPECT_FALSE(text_of(reply).empty()) << tool;
}

TEST(Tools, EveryAnswerFitsItsSchema) {
  const auto folder = std::move(TemporaryDirectory::create("ww-mcp-")).value();
  Bench bench({folder.path().string()});
  const Json kernel = {{"task", "transpose"}, {"source", "good"}};
  Json complete = kernel;
  complete["complete"] = true;
  const Json broken = {{"task", "transpose"}, {"source", "bad"}, {"complete", true}};
  const Json pair = {{"task", "transpose"}, {"first", "good"}, {"second", "baseline"}};
  Json bad_pair = pair;
  bad_pair["first"] = "bad";
  const std::vector<std::pair<std::string, Json>> calls = {
      {"list_tasks", Json::object()},
      {"show_task", {{"task", "transpose"}}},
      {"show_task", {{"task", "transpose"}, {"complete", true}}},
      {"make_task", {{"name", "mine"}}},
      {"show_task", {{"task", "mine"}}},
      {"make_task", {{"name", "module"}, {"torch", "class Model(nn.Module): pass"}}},
      {"show_task", {{"task", "module"}, {"complete", true}}},
      {"list_devices", Json::object()},
      {"show_device", Json::object()},
      {"show_device", {{"device", "a100"}, {"task", "transpose"}}},
      {"judge_kernel", kernel},
      {"judge_kernel", complete},
      {"judge_kernel", broken},
      {"explain_kernel", kernel},
      {"explain_kernel", complete},
      {"explain_kernel", broken},
      {"compare_kernels", pair},
      {"compare_kernels", bad_pair},
      {"tune_kernel", {{"task", "transpose"}, {"source", "good"}, {"evaluations", 8}}},
      {"tune_kernel", {{"task", "transpose"}, {"source", "bad"}, {"evaluations", 8}}},
      {"start_search", {{"task", "transpose"}, {"budget", {{"evaluations", 3}}}}},
      {"list_runs", Json::object()},
      {"export_kernel", {{"run", "last"}}},
      {"export_kernel", {{"run", "last"}, {"folder", "winner"}}},
  };
  std::set<std::string> seen;
  for (const auto& [tool, arguments] : calls) {
    expect_valid(tool, bench.call(tool, arguments));
    seen.insert(tool);
  }
  EXPECT_EQ(*read_file(folder.path() / "winner" / "kernel.cu"), "source\n");
  // The others need a real archive: tests/mcp/session_test.cpp.
  EXPECT_EQ(tools().size() - seen.size(), 8U);
}

TEST(Tools, AModuleBecomesATask) {
  const auto folder = std::move(TemporaryDirectory::create("ww-mcp-")).value();
  Bench bench({folder.path().string()});
  const std::string module = "class Model(nn.Module): pass\n";
  const auto made = bench.call(
      "make_task", {{"name", "mine"}, {"torch", module}, {"backward", true}, {"shapes", "fixed"}});
  EXPECT_FALSE(made["result"]["isError"]) << made;
  EXPECT_TRUE(bench.workshop.described.backward && bench.workshop.described.fixed);
  EXPECT_EQ(*read_file(folder.path() / "mine" / "reference.py"), module);
  EXPECT_FALSE(read_file(folder.path() / "mine" / "baseline.cu").ok());
  for (const Json& wrong : {Json{{"name", "a"}, {"torch", "no module"}},
                            Json{{"name", "a"}, {"torch", module}, {"baseline", "int x;"}},
                            Json{{"name", "a"}, {"backward", true}},
                            Json{{"name", "a"}, {"torch", module}, {"python", "/bin/sh"}}}) {
    EXPECT_TRUE(bench.call("make_task", wrong)["result"]["isError"]) << wrong;
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "a"));
}

TEST(Tools, BadArgumentsAreForTheModelToMend) {
  Bench bench;
  const auto no_task = bench.call("judge_kernel", {{"task", "transpsoe"}, {"source", "x"}});
  EXPECT_TRUE(no_task["result"]["isError"]);
  EXPECT_THAT(text_of(no_task), HasSubstr("transpose"));
  EXPECT_FALSE(no_task["result"].contains("structuredContent"));
  const std::vector<Json> wrong = {Json::object(),
                                   {{"task", "transpose"}},
                                   {{"task", "transpose"}, {"source", "x"}, {"file", "y"}},
                                   {{"task", 7}, {"source", "x"}},
                                   {{"task", "transpose"}, {"source", std::string(2'000'000, 'x')}},
                                   {{"task", "transpose"}, {"source", "x"}, {"wait_s", 1e9}},
                                   {{"task", "transpose"}, {"source", "x"}, {"worker", "rm"}},
                                   {{"task", "transpose"}, {"source", "x"}, {"unsafe", true}},
                                   {{"task", "transpose"}, {"source", "x"}, {"rule_set", "none"}},
                                   {{"task", "../etc"}, {"source", "x"}},
                                   {{"task", "transpose"}, {"file", "/etc/passwd"}}};
  for (const auto& arguments : wrong) {
    const auto reply = bench.call("judge_kernel", arguments);
    ASSERT_TRUE(reply.contains("result")) << reply;
    EXPECT_TRUE(reply["result"]["isError"]) << arguments.dump().substr(0, 200);
    EXPECT_LT(text_of(reply).size(), 2000U);
  }
  EXPECT_EQ(bench.workshop.judged, 0);
  for (const char* model : {"exec:rm", "replay:/etc/passwd", "openai:x"}) {
    const auto reply =
        bench.call("start_search",
                   {{"task", "transpose"}, {"model", model}, {"budget", {{"evaluations", 1}}}});
    EXPECT_TRUE(reply["result"]["isError"]) << model;
  }
  EXPECT_TRUE(bench.call("start_search", {{"task", "transpose"}})["result"]["isError"]);
}

TEST(Tools, AnUnknownToolIsAnErrorOfTheProtocol) {
  Bench bench;
  EXPECT_EQ(bench.call("rm", Json::object())["error"]["code"], -32602);
  EXPECT_EQ(bench.ask("tools/call", Json::object())["error"]["code"], -32602);
  EXPECT_EQ(bench.ask("tools/call", {{"name", "list_tasks"}, {"arguments", {1}}})["error"]["code"],
            -32602);
}

TEST(Tools, FailuresOfTheJudgeAndOfLibrariesAreTold) {
  Bench bench;
  const auto broken =
      bench.call("judge_kernel", {{"task", "transpose"}, {"source", "broken judge"}});
  EXPECT_TRUE(broken["result"]["isError"]);
  EXPECT_THAT(text_of(broken), HasSubstr("not there"));
  const auto thrown = bench.call("judge_kernel", {{"task", "transpose"}, {"source", "throw"}});
  EXPECT_THAT(text_of(thrown), HasSubstr("not foreseen"));
}

TEST(Jobs, LongWorkGoesOnUnderAName) {
  Bench bench;
  const auto started =
      bench.call("judge_kernel", {{"task", "transpose"}, {"source", "slow"}, {"wait_s", 0}});
  const Json& data = started["result"]["structuredContent"];
  EXPECT_EQ(data["state"], "running");
  const std::string job = data["job"];
  expect_valid("wait_for_job", bench.call("wait_for_job", {{"job", job}, {"wait_s", 0}}));
  expect_valid("cancel_job", bench.call("cancel_job", {{"job", job}}));
  const auto ended = bench.call("wait_for_job", {{"job", job}});
  EXPECT_TRUE(ended["result"]["isError"]);
  EXPECT_THAT(text_of(ended), HasSubstr("cancelled"));
  EXPECT_TRUE(bench.call("wait_for_job", {{"job", "job-0"}})["result"]["isError"]);
  EXPECT_TRUE(bench.call("cancel_job", {{"job", "job-0"}})["result"]["isError"]);
}

TEST(Jobs, AFinishedOneCanBeReadAgain) {
  Bench bench;
  const auto first = bench.call("judge_kernel", {{"task", "transpose"}, {"source", "good"}});
  const std::string job = first["result"]["structuredContent"]["job"];
  const auto again = bench.call("wait_for_job", {{"job", job}});
  EXPECT_EQ(again["result"]["structuredContent"], first["result"]["structuredContent"]);
  EXPECT_FALSE(first["result"]["structuredContent"].contains("evaluation"));
  const auto whole = bench.call("wait_for_job", {{"job", job}, {"complete", true}});
  EXPECT_TRUE(whole["result"]["structuredContent"].contains("evaluation"));
  EXPECT_EQ(whole["result"]["structuredContent"]["job"], job);
  EXPECT_EQ(bench.workshop.judged, 1);
}

TEST(Jobs, FewAtATimeAndOldOnesForgotten) {
  Bench bench;
  const Json slow = {{"task", "transpose"}, {"source", "slow"}, {"wait_s", 0}};
  EXPECT_FALSE(bench.call("judge_kernel", slow)["result"]["isError"]);
  EXPECT_FALSE(bench.call("judge_kernel", slow)["result"]["isError"]);
  const auto third = bench.call("judge_kernel", slow);
  EXPECT_TRUE(third["result"]["isError"]);
  EXPECT_THAT(text_of(third), HasSubstr("busy"));
}

TEST(Cancelling, EndsTheJobAndIsNotAnswered) {
  Bench bench;
  bench.ask("ping");
  std::optional<Json> reply = Json();
  std::thread caller([&] {
    reply = bench.say(
        {{"jsonrpc", "2.0"},
         {"id", "long"},
         {"method", "tools/call"},
         {"params",
          {{"name", "judge_kernel"}, {"arguments", {{"task", "transpose"}, {"source", "slow"}}}}}});
  });
  while (bench.workshop.judged == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const Json same_id = *bench.say({{"jsonrpc", "2.0"},
                                   {"id", "long"},
                                   {"method", "tools/call"},
                                   {"params", {{"name", "list_tasks"}}}});
  EXPECT_EQ(same_id["error"]["code"], -32000);
  const auto nothing = bench.say({{"jsonrpc", "2.0"},
                                  {"method", "notifications/cancelled"},
                                  {"params", {{"requestId", "long"}}}});
  EXPECT_FALSE(nothing.has_value());
  caller.join();
  EXPECT_FALSE(reply.has_value());
  while (bench.workshop.stopped == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(Cancelling, ReachesACallThatIsAboutToBegin) {
  Bench bench;
  bench.ask("ping");
  bench.connection.expect("soon");
  bench.connection.cancel("soon");
  EXPECT_FALSE(bench.say(
      {{"jsonrpc", "2.0"},
       {"id", "soon"},
       {"method", "tools/call"},
       {"params",
        {{"name", "judge_kernel"}, {"arguments", {{"task", "transpose"}, {"source", "slow"}}}}}}));
}

TEST(Cancelling, OfWhatIsNotThereDoesNothing) {
  Bench bench;
  for (const Json& params : {Json::object(), Json{{"requestId", 9}}, Json{{"requestId", {1}}}}) {
    EXPECT_FALSE(
        bench.say({{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", params}}));
  }
}

TEST(Progress, IsSentUnderTheTokenOfTheCall) {
  Bench bench;
  bench.ask("tools/call",
            {{"name", "judge_kernel"},
             {"arguments", {{"task", "transpose"}, {"source", "slow"}, {"wait_s", 2.5}}},
             {"_meta", {{"progressToken", "t"}}}});
  ASSERT_GE(bench.told.size(), 2U);
  double before = -1;
  for (const auto& note : bench.told) {
    EXPECT_EQ(note["method"], "notifications/progress");
    EXPECT_EQ(note["params"]["progressToken"], "t");
    EXPECT_GT(note["params"]["progress"].get<double>(), before);
    before = note["params"]["progress"].get<double>();
  }
}

TEST(Resources, DocumentationTasksAndForms) {
  Bench bench;
  const auto list = bench.ask("resources/list")["result"]["resources"];
  std::set<std::string> uris;
  for (const auto& row : list) uris.insert(row["uri"].get<std::string>());
  EXPECT_GT(uris.size(), 40U);
  for (const char* uri : {"warpwright://docs/agents", "warpwright://docs/tasks",
                          "warpwright://tasks/transpose", "warpwright://tasks/rope"}) {
    EXPECT_TRUE(uris.contains(uri));
    const auto read = bench.ask("resources/read", {{"uri", uri}});
    ASSERT_TRUE(read.contains("result")) << uri;
    EXPECT_FALSE(read["result"]["contents"][0]["text"].get<std::string>().empty());
  }
  EXPECT_EQ(bench.ask("resources/templates/list")["result"]["resourceTemplates"].size(), 4U);
  for (const char* uri :
       {"file:///etc/passwd", "warpwright://docs/../../etc/passwd", "warpwright://runs/last",
        "warpwright://kernels/x", "warpwright://tasks/nothing", "warpwright://"}) {
    EXPECT_EQ(bench.ask("resources/read", {{"uri", uri}})["error"]["code"], -32002) << uri;
  }
  const auto modern =
      *bench.say(request("resources/read", {{"uri", "x"}, {"_meta", modern_meta()}}));
  EXPECT_EQ(modern["error"]["code"], -32602);
}

TEST(Prompts, AreFilledIn) {
  Bench bench;
  EXPECT_EQ(bench.ask("prompts/list")["result"]["prompts"].size(), 2U);
  const auto prompt = bench.ask(
      "prompts/get", {{"name", "optimise_kernel"}, {"arguments", {{"task", "transpose"}}}});
  const std::string text = prompt["result"]["messages"][0]["content"]["text"];
  EXPECT_THAT(text, HasSubstr("__global__"));
  EXPECT_THAT(text, Not(HasSubstr("{{")));
  const auto port =
      bench.ask("prompts/get",
                {{"name", "port_module"}, {"arguments", {{"name", "n"}, {"source", "{{name}}"}}}});
  EXPECT_THAT(port["result"]["messages"][0]["content"]["text"].get<std::string>(),
              HasSubstr("\"n\""));
  EXPECT_EQ(bench.ask("prompts/get", {{"name", "x"}})["error"]["code"], -32602);
  EXPECT_EQ(bench.ask("prompts/get", {{"name", "port_module"}})["error"]["code"], -32602);
  EXPECT_EQ(
      bench.ask("prompts/get", {{"name", "optimise_kernel"}, {"arguments", 7}})["error"]["code"],
      -32602);
}

}  // namespace
}  // namespace warpwright::mcp
