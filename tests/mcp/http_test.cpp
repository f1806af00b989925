// SPDX-License-Identifier: Apache-2.0
#include "mcp/http.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <csignal>

#include <future>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include "mcp/fake_workshop.h"
#include "report/server.h"
#include "support/http_asking.h"

namespace warpwright::mcp {
namespace {

using testing::HasSubstr;

constexpr const char* kToken = "0123456789abcdef0123";

/// The program's HTTP server with this one endpoint.
class HttpTest : public testing::Test {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);
    std::promise<int> listening;
    thread_ = std::thread([&] {
      report::ServerOptions options{.port = 0, .pages = true};
      options.endpoints.push_back(http_.endpoint("/mcp"));
      options.token = kToken;
      options.on_listening = [&](int port) { listening.set_value(port); };
      EXPECT_TRUE(report::serve(library_, clock_, stop_, options).ok());
    });
    port_ = listening.get_future().get();
  }
  void TearDown() override {
    http_.cancel_all();
    stop_.request(StopReason::interrupted);
    thread_.join();
  }

  httplib::Result post(const std::string& body, httplib::Headers headers = {}) {
    httplib::Client client("127.0.0.1", port_);
    client.set_read_timeout(20);
    if (!headers.contains("Authorization")) {
      headers.emplace("Authorization", std::string("Bearer ") + kToken);
    }
    headers.emplace("Accept", "application/json, text/event-stream");
    return asked([&] { return client.Post("/mcp", headers, body, "application/json"); });
  }
  static std::string request(const std::string& method, Json params = Json::object()) {
    return Json{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}}.dump();
  }
  /// What the server answers to the head of a request alone.
  std::string raw(const std::string& head) const {
    const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
    const std::string text = head + "Host: 127.0.0.1:" + std::to_string(port_) + "\r\n\r\n";
    EXPECT_EQ(::send(socket.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    char bytes[4096];
    const ssize_t count = ::recv(socket.get(), bytes, sizeof bytes, 0);
    return {bytes, static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
  }
  std::string session() {
    const auto reply = post(request("initialize", {{"protocolVersion", "2025-11-25"}}));
    EXPECT_EQ(reply->status, 200);
    return reply->get_header_value("Mcp-Session-Id");
  }
  static std::string judge(const std::string& source) {
    return request("tools/call", {{"name", "judge_kernel"},
                                  {"arguments", {{"task", "transpose"}, {"source", source}}}});
  }

  Bench bench_;
  HttpTransport http_{bench_.server};
  TemporaryDirectory folder_ = std::move(TemporaryDirectory::create("ww-mcp-http-")).value();
  report::Library library_{{}, {folder_.path()}};
  SystemClock clock_;
  StopSignal stop_;
  std::thread thread_;
  int port_ = 0;
};

TEST_F(HttpTest, ASessionOfTheHandshakesEra) {
  const std::string id = session();
  ASSERT_FALSE(id.empty());
  const httplib::Headers headers = {{"Mcp-Session-Id", id}, {"MCP-Protocol-Version", "2025-11-25"}};
  const auto note = post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", headers);
  EXPECT_EQ(note->status, 202);
  const auto list = post(request("tools/list"), headers);
  EXPECT_EQ(list->status, 200);
  EXPECT_GE(Json::parse(list->body)["result"]["tools"].size(), 20U);
  const auto verdict = post(judge("good"), headers);
  EXPECT_EQ(verdict->get_header_value("Content-Type"), "text/event-stream");
  EXPECT_THAT(verdict->body, HasSubstr("\"verdict\":\"ok\""));
  EXPECT_EQ(post(request("tools/list"))->status, 400);
  EXPECT_EQ(post(request("tools/list"), {{"Mcp-Session-Id", "x"}})->status, 404);
  EXPECT_EQ(post(request("ping"), {{"Mcp-Session-Id", id}, {"MCP-Protocol-Version", "x"}})->status,
            400);
  httplib::Client client("127.0.0.1", port_);
  const httplib::Headers end = {{"Mcp-Session-Id", id},
                                {"Authorization", std::string("Bearer ") + kToken}};
  EXPECT_EQ(client.Delete("/mcp", end)->status, 204);
  EXPECT_EQ(post(request("ping"), headers)->status, 404);
}

TEST_F(HttpTest, TheStatelessRevision) {
  const Json meta = {{"io.modelcontextprotocol/protocolVersion", kModernVersion},
                     {"io.modelcontextprotocol/clientCapabilities", Json::object()}};
  const auto with = [](const std::string& method, const std::string& name = "") {
    httplib::Headers headers = {{"MCP-Protocol-Version", std::string(kModernVersion)},
                                {"Mcp-Method", method}};
    if (!name.empty()) headers.emplace("Mcp-Name", name);
    return headers;
  };
  const auto found = post(request("server/discover", {{"_meta", meta}}), with("server/discover"));
  EXPECT_EQ(found->status, 200);
  EXPECT_FALSE(found->has_header("Mcp-Session-Id"));
  const Json call = {{"_meta", meta}, {"name", "list_tasks"}};
  EXPECT_EQ(post(request("tools/call", call), with("tools/call", "list_tasks"))->status, 200);
  const auto other = post(request("tools/call", call), with("tools/call", "show_task"));
  EXPECT_EQ(other->status, 400);
  EXPECT_EQ(Json::parse(other->body)["error"]["code"], -32020);
  EXPECT_EQ(post(request("tools/call", call), with("tools/list", "list_tasks"))->status, 400);
  EXPECT_EQ(post(request("tools/list", {{"_meta", meta}}))->status, 400);
  EXPECT_EQ(post(request("no/such", {{"_meta", meta}}), with("no/such"))->status, 404);
}

TEST_F(HttpTest, WithoutTheTokenNothingIsRead) {
  EXPECT_EQ(post(request("ping"), {{"Authorization", "Bearer x"}})->status, 401);
  EXPECT_EQ(post(request("ping"), {{"Authorization", kToken}})->status, 401);
  EXPECT_EQ(post(request("ping"), {{"Authorization", "Bearer "}})->status, 401);
  EXPECT_EQ(
      post(request("ping"), {{"Authorization", std::string("Bearer ") + kToken + "0"}})->status,
      401);
  httplib::Client client("127.0.0.1", port_);
  EXPECT_EQ(asked([&] { return client.Post("/mcp", "{}", "application/json"); })->status, 401);
  EXPECT_EQ(client.Get("/mcp")->status, 401);
  EXPECT_EQ(asked([&] { return client.Post("/", "{}", "application/json"); })->status, 405);
  EXPECT_EQ(client.Get("/")->status, 200);
}

TEST_F(HttpTest, ForeignPagesAndHostsGetNothing) {
  EXPECT_EQ(post(request("ping"), {{"Origin", "https://evil.example"}})->status, 403);
  EXPECT_EQ(post(request("ping"), {{"Host", "evil.example"}})->status, 403);
  EXPECT_EQ(post(request("ping"), {{"Sec-Fetch-Site", "cross-site"}})->status, 403);
}

TEST_F(HttpTest, BadBodiesAreRefused) {
  EXPECT_EQ(post("{")->status, 400);
  EXPECT_EQ(post("[]")->status, 400);
  EXPECT_EQ(post("7")->status, 400);
  // Refused before a byte of the body is there.
  const std::string length = "Content-Length: " + std::to_string(kMaxMessageBytes + 1);
  EXPECT_THAT(raw("POST /mcp HTTP/1.1\r\nAuthorization: Bearer " + std::string(kToken) + "\r\n" +
                  length + "\r\n"),
              HasSubstr(" 413 "));
  EXPECT_THAT(raw("POST /mcp HTTP/1.1\r\n" + length + "\r\n"), HasSubstr(" 401 "));
  httplib::Client client("127.0.0.1", port_);
  const httplib::Headers token = {{"Authorization", std::string("Bearer ") + kToken}};
  EXPECT_EQ(client.Post("/mcp", token, "{}", "text/plain")->status, 415);
  const std::string posted =
      "POST /mcp HTTP/1.1\r\nAuthorization: Bearer " + std::string(kToken) + "\r\n";
  EXPECT_THAT(raw(posted + "Content-Length: 2\r\nContent-Encoding: gzip\r\n"), HasSubstr(" 415 "));
  EXPECT_THAT(raw(posted + "Transfer-Encoding: chunked\r\n"), HasSubstr(" 411 "));
  EXPECT_EQ(client.Get("/mcp", token)->status, 405);
  EXPECT_EQ(post(request("ping"))->status, 400);
}

TEST_F(HttpTest, AnAbandonedCallIsCancelled) {
  const std::string id = session();
  {
    httplib::Client client("127.0.0.1", port_);
    client.set_read_timeout(0, 300'000);
    const httplib::Headers headers = {{"Authorization", std::string("Bearer ") + kToken},
                                      {"Accept", "application/json, text/event-stream"},
                                      {"Mcp-Session-Id", id}};
    EXPECT_FALSE(client.Post("/mcp", headers, judge("slow"), "application/json"));
  }
  for (int i = 0; i < 1000 && bench_.workshop.stopped == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(bench_.workshop.stopped, 1);
}

TEST_F(HttpTest, AFloodOfSlowCallsLeavesRoomForOthers) {
  std::vector<std::future<int>> calls;
  const std::string ids[] = {session(), session(), session(), session(), session()};
  for (int i = 0; i < 20; ++i) {
    calls.push_back(std::async(std::launch::async, [&, i] {
      const std::string wait =
          Json{{"jsonrpc", "2.0"},
               {"id", i},
               {"method", "tools/call"},
               {"params",
                {{"name", "judge_kernel"},
                 {"arguments", {{"task", "transpose"}, {"source", "slow"}, {"wait_s", 2}}}}}}
              .dump();
      return post(wait, {{"Mcp-Session-Id", ids[i % 5]}})->status;
    }));
  }
  EXPECT_EQ(post(request("tools/list"), {{"Mcp-Session-Id", ids[0]}})->status, 200);
  int refused = 0;
  for (auto& call : calls) refused += call.get() == 429 ? 1 : 0;
  EXPECT_LE(refused, 8);
}

TEST_F(HttpTest, ACallIsCancelledThroughItsSession) {
  const std::string id = session();
  auto call = std::async(std::launch::async, [&] {
    return post(judge("slow"), {{"Mcp-Session-Id", id}});
  });
  while (bench_.workshop.judged == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto note =
      post(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})",
           {{"Mcp-Session-Id", id}});
  EXPECT_EQ(note->status, 202);
  EXPECT_EQ(call.get()->body.find("result"), std::string::npos);
}

}  // namespace
}  // namespace warpwright::mcp
