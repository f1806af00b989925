// SPDX-License-Identifier: Apache-2.0
#include "llm/sse.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace warpwright::llm {
namespace {

std::vector<std::string> events_of(std::string_view stream, std::size_t piece) {
  std::vector<std::string> events;
  SseParser parser([&](std::string_view name, std::string_view data) {
    events.push_back(name.empty() ? std::string(data)
                                  : std::string(name) + "|" + std::string(data));
    return true;
  });
  for (; !stream.empty(); stream.remove_prefix(std::min(piece, stream.size()))) {
    EXPECT_TRUE(parser.feed(stream.substr(0, piece)));
  }
  EXPECT_TRUE(parser.finish());
  return events;
}

using Events = std::vector<std::string>;

struct Case {
  const char* what;
  std::string stream;
  Events events;
};

TEST(Sse, EventsAreTheSameHoweverTheyAreCut) {
  const std::vector<Case> cases = {
      {"LF", "data: a\n\ndata: b\n\n", {"a", "b"}},
      {"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", {"a", "b"}},
      {"CR", "data: a\r\rdata: b\r\r", {"a", "b"}},
      {"mixed ends", "data: a\r\n\ndata: b\n\r\n", {"a", "b"}},
      {"several data lines", "data: a\ndata: b\n\n", {"a\nb"}},
      {"comments", ": keep-alive\n\n:\n\ndata: a\n: x\n\n", {"a"}},
      {"names", "event: ping\ndata: {}\n\ndata: b\n\n", {"ping|{}", "b"}},
      {"a name without data is nothing", "event: ping\n\ndata: b\n\n", {"b"}},
      {"no space after the colon", "data:a\n\ndata:  b\n\n", {"a", " b"}},
      {"unknown fields", "id: 7\nretry: 10\nfoo\ndata: a\n\n", {"a"}},
      {"empty data is an event", "data\n\ndata:\n\n", {"", ""}},
      {"byte order mark",
       "\xEF\xBB\xBF"
       "data: a\n\n",
       {"a"}},
      {"no blank line at the end", "data: a\n\ndata: b", {"a", "b"}},
      {"blank lines only", "\n\n\r\n\n", {}},
  };
  for (const Case& test : cases) {
    for (const std::size_t piece : {1U, 2U, 3U, 7U, 1000U}) {
      EXPECT_EQ(events_of(test.stream, piece), test.events) << test.what << " in " << piece;
    }
  }
}

TEST(Sse, ALineThatNeverEndsIsRefused) {
  SseParser parser([](auto, auto) { return true; });
  const std::string piece(1 << 20, 'x');
  bool going_on = true;
  std::size_t fed = 0;
  while (going_on && fed <= 2 * SseParser::kMaxEventBytes) {
    going_on = parser.feed(piece);
    fed += piece.size();
  }
  EXPECT_FALSE(going_on);
  EXPECT_LE(fed, SseParser::kMaxEventBytes + piece.size());
}

TEST(Sse, DataLinesWithoutAnEndAreRefusedToo) {
  SseParser parser([](auto, auto) { return true; });
  const std::string piece = "data: " + std::string(1 << 20, 'x') + "\n";
  bool going_on = true;
  std::size_t fed = 0;
  while (going_on && fed <= 2 * SseParser::kMaxEventBytes) {
    going_on = parser.feed(piece);
    fed += piece.size();
  }
  EXPECT_FALSE(going_on);
}

TEST(Sse, TheSinkCanEndIt) {
  int seen = 0;
  SseParser parser([&](auto, auto) { return ++seen < 2; });
  EXPECT_FALSE(parser.feed("data: 1\n\ndata: 2\n\ndata: 3\n\n"));
  EXPECT_FALSE(parser.feed("data: 4\n\n"));
  EXPECT_FALSE(parser.finish());
  EXPECT_EQ(seen, 2);
}

}  // namespace
}  // namespace warpwright::llm
