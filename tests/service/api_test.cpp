// SPDX-License-Identifier: Apache-2.0
#include "service/api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp/fake_workshop.h"

namespace warpwright::service {
namespace {

using mcp::Json;
using testing::HasSubstr;

class Api : public testing::Test {
 protected:
  report::WebAnswer ask(const std::string& path, const std::string& body) {
    for (const auto& endpoint : service_.endpoints()) {
      if (endpoint.path != path) continue;
      return endpoint.answer({"POST", path, body, [](const char*) { return std::string(); }});
    }
    return {404, "", ""};
  }
  Json judge(const Json& body, int status = 200) {
    const auto answer = ask("/v1/judge", body.dump());
    EXPECT_EQ(answer.status, status) << answer.body;
    return Json::parse(answer.body);
  }

  mcp::FakeWorkshop workshop_;
  JudgeService service_{workshop_, {.parallelism = 2, .longest = 2}};
};

TEST_F(Api, VerdictRewardTimesAndFeedback) {
  const Json good = judge({{"task", "transpose"}, {"source", "good"}});
  EXPECT_EQ(good["verdict"], "ok");
  EXPECT_NEAR(good["reward"].get<double>(), 2.3, 1e-12);
  EXPECT_EQ(good["rewards"]["fast_1"], 1);
  EXPECT_EQ(good["sizes"][0]["us"], 10);
  const Json bad = judge({{"task", "transpose"}, {"source", "bad"}, {"reward", "log_speedup"}});
  EXPECT_EQ(bad["reward"], 0);
  EXPECT_EQ(bad["feedback"], "it does not compile");
  EXPECT_EQ(bad.dump().find("/secret"), std::string::npos);
}

TEST_F(Api, AWholeAnswerIsReadAsASearchReadsIt) {
  const std::string answer = "Here:\n```cuda\nextern \"C\" void solve() {}\n```\n";
  EXPECT_EQ(judge({{"task", "transpose"}, {"answer", answer}})["verdict"], "ok");
  const Json none = judge({{"task", "transpose"}, {"answer", "I cannot do that."}});
  EXPECT_EQ(none["verdict"], "no_code");
  EXPECT_EQ(none["reward"], 0);
  EXPECT_EQ(workshop_.judged, 1);
}

TEST_F(Api, TheSameSourceIsJudgedOnce) {
  const Json body = {{"task", "transpose"}, {"source", "good"}};
  const Json first = judge(body);
  EXPECT_EQ(judge(body)["id"], first["id"]);
  Json other = body;
  other["reward"] = "fast_2";
  EXPECT_EQ(judge(other)["reward"], 0);
  EXPECT_EQ(workshop_.judged, 1);
  const Json again = Json::parse(ask("/v1/result", Json{{"id", first["id"]}}.dump()).body);
  EXPECT_EQ(again["reward"], first["reward"]);
}

TEST_F(Api, WhatTakesLongIsAskedForAgain) {
  const Json pending = judge({{"task", "transpose"}, {"source", "slow"}, {"wait_s", 0}}, 202);
  const std::string id = pending["id"];
  EXPECT_EQ(ask("/v1/result", Json{{"id", id}, {"wait_s", 0}}.dump()).status, 202);
  service_.stop();
  EXPECT_EQ(ask("/v1/result", Json{{"id", "none"}}.dump()).status, 404);
}

TEST_F(Api, AFullQueueIsA429) {
  for (int i = 0; i < 20; ++i) {
    const auto answer = ask("/v1/judge", Json{{"task", "transpose"},
                                              {"source", "slow"},
                                              {"rule_set", i % 2 == 0 ? "strict" : "free"},
                                              {"sizes", Json::array()},
                                              {"wait_s", 0}}
                                             .dump());
    EXPECT_EQ(answer.status, 202);  // two questions, shared
  }
  // Two run; each of these waits, until there is no room.
  int refused = 0;
  for (int i = 0; i < 6; ++i) {
    const auto answer = ask(
        "/v1/judge",
        Json{{"task", "transpose"}, {"source", "good " + std::to_string(i)}, {"wait_s", 0}}.dump());
    if (answer.status != 429) continue;
    ++refused;
    EXPECT_EQ(answer.headers.at(0).first, "Retry-After");
  }
  EXPECT_GE(refused, 4);
  service_.stop();
}

TEST_F(Api, BatchesHaveAStatusPerItem) {
  const Json items = judge({{"items",
                             {{{"task", "transpose"}, {"source", "good"}},
                              {{"task", "nothing"}, {"source", "x"}},
                              {{"task", "transpose"}},
                              {{"task", "transpose"}, {"source", "broken judge"}}}}})["items"];
  ASSERT_EQ(items.size(), 4U);
  EXPECT_EQ(items[0]["status"], 200);
  EXPECT_EQ(items[1]["status"], 404);
  EXPECT_EQ(items[2]["status"], 400);
  EXPECT_EQ(items[3]["status"], 503);
}

TEST_F(Api, BadRequestsAreNamed) {
  const std::vector<std::string> bad = {"{",
                                        "[]",
                                        "{}",
                                        R"({"task":"transpose"})",
                                        R"({"task":"transpose","source":"x","answer":"y"})",
                                        R"({"task":"transpose","source":"x","reward":"mine"})",
                                        R"({"task":"transpose","source":"x","sizes":["none"]})",
                                        R"({"task":"transpose","source":"x","unsafe":true})",
                                        R"({"task":"transpose","source":"x","worker":"rm"})",
                                        R"({"task":"transpose","source":"x","wait_s":1e9})",
                                        R"({"items":7})"};
  for (const auto& body : bad) {
    const auto answer = ask("/v1/judge", body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_TRUE(Json::parse(answer.body).contains("error"));
  }
  // A path is no built-in task.
  judge({{"task", "/etc"}, {"source", "x"}}, 404);
  EXPECT_EQ(ask("/v1/result", "{}").status, 400);
  EXPECT_EQ(workshop_.judged, 0);
}

TEST_F(Api, FiguresAndDescription) {
  judge({{"task", "transpose"}, {"source", "good"}});
  judge({{"task", "transpose"}, {"source", "good"}});
  const std::string figures = ask("/metrics", "").body;
  EXPECT_THAT(figures, HasSubstr("warpwright_questions_total 2\n"));
  EXPECT_THAT(figures, HasSubstr("warpwright_questions_shared_total 1\n"));
  EXPECT_THAT(figures, HasSubstr("warpwright_verdicts_total{verdict=\"ok\"} 1\n"));
  const Json api = Json::parse(ask("/openapi.json", "").body);
  for (const auto& endpoint : service_.endpoints()) {
    EXPECT_TRUE(api["paths"].contains(endpoint.path)) << endpoint.path;
  }
}

/// What the description calls a field is one, with the same words in its list, and nothing else is.
TEST_F(Api, TheDescriptionHasTheFieldsThatAreTaken) {
  const Json schemas = Json::parse(ask("/openapi.json", "").body)["components"]["schemas"];
  const Json values = {
      {"task", "transpose"}, {"source", "good"}, {"answer", "x"}, {"sizes", Json::array()},
      {"complete", true},    {"client", "c"},    {"wait_s", 0}};
  const auto status_with = [&](const std::string& name, const Json& value) {
    Json body = {{"task", "transpose"}, {"source", "good"}, {"wait_s", 30}};
    if (name == "answer") body.erase("source");
    body[name] = value;
    return ask("/v1/judge", body.dump()).status;
  };
  Json fields = schemas["Item"]["properties"];
  fields.update(schemas["Request"]["properties"]);
  for (const auto& [name, schema] : fields.items()) {
    const Json& listed = schema.contains("$ref") ? schemas["RewardName"] : schema;
    const Json words = listed.value("enum", Json::array({values.value(name, Json())}));
    for (const auto& word : words) EXPECT_LE(status_with(name, word), 202) << name << " " << word;
    if (!listed.contains("enum")) continue;
    EXPECT_EQ(status_with(name, "another"), 400) << name;
  }
  EXPECT_EQ(status_with("worker", "sh"), 400);
  EXPECT_EQ(status_with("unsafe", true), 400);
}

}  // namespace
}  // namespace warpwright::service
