// SPDX-License-Identifier: Apache-2.0
#include "report/server.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include "base/files.h"
#include "report/live.h"
#include "store/run_log.h"
#include "support/http_asking.h"
#include "support/sample_runs.h"

namespace warpwright::report {
namespace {

using testing::HasSubstr;
using testing::Not;

class ServerTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(make_directories(file_.parent_path()).ok());
    ASSERT_TRUE(samples::write("small", file_).ok());
    start();
  }
  void TearDown() override { end(); }

  void start(int port = 0) {
    stop_ = std::make_unique<StopSignal>();
    std::promise<int> listening;
    auto port_of = listening.get_future();
    thread_ = std::thread([this, port, &listening] {
      const auto status =
          serve(library_, clock_, *stop_,
                {.port = port, .on_listening = [&](int p) { listening.set_value(p); }});
      EXPECT_TRUE(status.ok());
    });
    port_ = port_of.get();
    key_ = library_.entries().at(0).key;
  }
  void end() {
    if (!thread_.joinable()) return;
    stop_->request(StopReason::interrupted);
    thread_.join();
  }

  httplib::Result get(const std::string& path, httplib::Headers headers = {}) {
    httplib::Client client("127.0.0.1", port_);
    return client.Get(path, headers);
  }
  [[nodiscard]] std::string host(const std::string& name = "127.0.0.1") const {
    return name + ":" + std::to_string(port_);
  }

  TemporaryDirectory folder_ = std::move(TemporaryDirectory::create("ww-serve-")).value();
  std::filesystem::path file_ = folder_.path() / "project" / ".warpwright" / "archive.db";
  Library library_{{}, {folder_.path()}};
  SystemClock clock_;
  std::unique_ptr<StopSignal> stop_;
  std::thread thread_;
  int port_ = 0;
  std::string key_;
};

// Between binding and listening; the server ended up listening for ever.
TEST_F(ServerTest, HearsAStopBeforeItListens) {
  end();
  StopSignal stop;
  std::promise<void> ended;
  auto heard = ended.get_future();
  std::thread server([&] {
    EXPECT_TRUE(serve(library_, clock_, stop,
                      {.on_listening =
                           [&](int) {
                             stop.request(StopReason::interrupted);
                             std::this_thread::sleep_for(std::chrono::milliseconds(200));
                           }})
                    .ok());
    ended.set_value();
  });
  if (heard.wait_for(std::chrono::seconds(60)) != std::future_status::ready) {
    std::fputs("the server did not end\n", stderr);
    std::abort();
  }
  server.join();
}

TEST_F(ServerTest, ShowsTheListTheRunAndItsTexts) {
  const auto list = get("/");
  ASSERT_TRUE(list);
  EXPECT_EQ(list->status, 200);
  EXPECT_THAT(list->body, HasSubstr("vector_add-1"));
  const auto page = get("/run/" + key_ + "/vector_add-1");
  EXPECT_EQ(page->status, 200);
  EXPECT_THAT(page->body, HasSubstr("\"live\":"));
  const auto reply = get("/text/" + key_ + "/vector_add-1?link=r/r1.c3");
  EXPECT_EQ(reply->body, "I cannot do that.");
  EXPECT_THAT(reply->get_header_value("Content-Type"), HasSubstr("text/plain"));
  EXPECT_THAT(get("/text/" + key_ + "/vector_add-1?link=o/baseline")->body,
              HasSubstr("add<<<1, 1>>>"));
  EXPECT_THAT(get("/text/" + key_ + "/vector_add-1?link=e/x/r2.c1")->body, HasSubstr("median_us"));
  const auto file = get("/report/" + key_ + "/vector_add-1");
  EXPECT_THAT(file->get_header_value("Content-Disposition"), HasSubstr("attachment"));
}

TEST_F(ServerTest, EveryAnswerHasTheProtectingHeaders) {
  for (const char* path : {"/", "/nothing", "/run/0/x"}) {
    const auto answer = get(path);
    EXPECT_EQ(answer->get_header_value("X-Content-Type-Options"), "nosniff") << path;
    EXPECT_EQ(answer->get_header_value("X-Frame-Options"), "DENY");
    EXPECT_EQ(answer->get_header_value("Cross-Origin-Resource-Policy"), "same-origin");
    EXPECT_FALSE(answer->has_header("Access-Control-Allow-Origin"));
  }
  const std::string policy = get("/")->get_header_value("Content-Security-Policy");
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
}

TEST_F(ServerTest, OtherHostNamesGetNothing) {
  EXPECT_EQ(get("/", {{"Host", host("localhost")}})->status, 200);
  for (const char* name : {"evil.example", "127.0.0.1.evil.example", "localhost.evil"}) {
    const auto answer = get("/", {{"Host", host(name)}});
    EXPECT_EQ(answer->status, 403) << name;
    EXPECT_THAT(answer->body, Not(HasSubstr("vector_add")));
  }
  EXPECT_EQ(get("/", {{"Host", "127.0.0.1"}})->status, 403);
  EXPECT_EQ(get("/", {{"Host", "127.0.0.1:1"}})->status, 403);
}

TEST_F(ServerTest, PagesOfOtherOriginsGetNothing) {
  EXPECT_EQ(get("/", {{"Origin", "http://" + host()}})->status, 200);
  for (const std::string& origin : {std::string("https://evil.example"), std::string("null"),
                                    "https://" + host(), std::string("http://127.0.0.1:1")}) {
    EXPECT_EQ(get("/events/index", {{"Origin", origin}})->status, 403) << origin;
  }
  EXPECT_EQ(get("/", {{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "no-cors"}})->status,
            403);
  EXPECT_EQ(get("/", {{"Sec-Fetch-Site", "same-site"}})->status, 403);
  // A link from elsewhere may open the page; it cannot read it.
  EXPECT_EQ(get("/", {{"Sec-Fetch-Site", "cross-site"},
                      {"Sec-Fetch-Mode", "navigate"},
                      {"Sec-Fetch-Dest", "document"}})
                ->status,
            200);
}

TEST_F(ServerTest, OnlyShows) {
  httplib::Client client("127.0.0.1", port_);
  for (const auto& answer : {asked([&] { return client.Post("/", "x", "text/plain"); }),
                             asked([&] { return client.Put("/", "x", "text/plain"); }),
                             client.Delete("/"), client.Options("/")}) {
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 405);
  }
}

TEST_F(ServerTest, NoPathLeadsToAFile) {
  ASSERT_TRUE(write_file(folder_.path() / "secret.txt", "secret").ok());
  const std::vector<std::string> paths = {
      "/secret.txt",
      "/../secret.txt",
      "/%2e%2e/secret.txt",
      "/run/../../secret.txt",
      "/run/%2Fetc%2Fpasswd/x",
      "/text/0/..%2F..%2Fsecret.txt?link=t/x",
      "/report/" + key_ + "/..%2f..%2fsecret.txt",
      "/run/" + key_ + "/last",
      "/text/" + key_ + "/vector_add-1?link=t/..%2F..%2Fsecret.txt",
      "/text/" + key_ + "/vector_add-1?link=o/../secret.txt",
      "/web/page.html",
      "/.warpwright/archive.db"};
  for (const auto& path : paths) {
    const auto answer = get(path);
    ASSERT_TRUE(answer) << path;
    EXPECT_NE(answer->status, 200) << path;
    EXPECT_THAT(answer->body, Not(testing::Eq("secret")));
  }
}

TEST_F(ServerTest, NewsComeAsTheyAreWrittenAndOnlyTheDifference) {
  RunFollower follower(library_, clock_, key_, "vector_add-1", "");
  const auto page = follower.page();
  ASSERT_TRUE(page.ok());
  EXPECT_FALSE(follower.look()->has_value());
  const auto archive = std::move(store::Archive::open(file_, clock_)).value();
  store::RunLog log(*archive, "vector_add-1");
  ASSERT_TRUE(log.remember_prompt({"r9.c1", 9, 1, 0, "initial", "", {{1, "new"}}}).ok());
  const auto news = follower.look();
  ASSERT_TRUE(news->has_value());
  EXPECT_THAT((*news)->data, HasSubstr("\"all\":false"));
  EXPECT_THAT((*news)->data, HasSubstr("r9.c1"));
  EXPECT_THAT((*news)->data, Not(HasSubstr("\"id\":\"r1.c1\"")));
  EXPECT_FALSE(follower.look()->has_value());

  // Another server: a page that is up to date gets nothing, any other gets all.
  RunFollower knows(library_, clock_, key_, "vector_add-1", (*news)->id);
  EXPECT_FALSE(knows.look()->has_value());
  RunFollower behind(library_, clock_, key_, "vector_add-1", "older");
  EXPECT_THAT(behind.look()->value().data, HasSubstr("\"all\":true"));
}

TEST_F(ServerTest, AReplacedArchiveIsNoticed) {
  RunFollower follower(library_, clock_, key_, "vector_add-1", "");
  ASSERT_TRUE(follower.page().ok());
  std::filesystem::remove_all(file_.parent_path());
  EXPECT_FALSE(follower.look().ok());
  ASSERT_TRUE(make_directories(file_.parent_path()).ok());
  ASSERT_TRUE(samples::write("hostile", file_).ok());
  const auto news = follower.look();
  ASSERT_TRUE(news.ok());
  EXPECT_THAT(news->value().data, HasSubstr("r1.c11"));
}

TEST_F(ServerTest, AListenerHearsOfAChangeAndOfTheEnd) {
  std::string heard;
  std::atomic<bool> done{false};
  std::thread listener([&] {
    httplib::Client client("127.0.0.1", port_);
    client.set_read_timeout(20);
    client.Get("/events/run/" + key_ + "/vector_add-1?last=x",
               [&](const char* data, std::size_t size) {
                 heard.append(data, size);
                 return heard.find("r9.c1") == std::string::npos;
               });
    done = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const auto archive = std::move(store::Archive::open(file_, clock_)).value();
  ASSERT_TRUE(store::RunLog(*archive, "vector_add-1")
                  .remember_prompt({"r9.c1", 9, 1, 0, "initial", "", {{1, "new"}}})
                  .ok());
  listener.join();
  EXPECT_TRUE(done);
  EXPECT_THAT(heard, HasSubstr("event: news\ndata: {\"all\":true"));
  EXPECT_THAT(heard, HasSubstr("r9.c1"));
}

TEST_F(ServerTest, EndsAtOnceWithListenersAndStartsAgainOnItsPort) {
  std::thread listener([this] {
    httplib::Client client("127.0.0.1", port_);
    client.Get("/events/index", [](const char*, std::size_t) { return true; });
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const auto before = std::chrono::steady_clock::now();
  end();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5));
  listener.join();
  const int port = port_;
  start(port);
  EXPECT_EQ(port_, port);
  EXPECT_EQ(get("/")->status, 200);
}

TEST_F(ServerTest, ATakenPortIsAnError) {
  const StopSignal stop;
  const auto status = serve(library_, clock_, stop, {.port = port_});
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("--port"));
}

}  // namespace
}  // namespace warpwright::report
