// SPDX-License-Identifier: Apache-2.0
#include "prompt/extract.h"

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <ostream>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/text.h"
#include "support/places.h"

namespace warpwright::prompt {
namespace {

using testing::HasSubstr;

/// A file of tests/prompt/replies; tests/prompt/replies.md describes its form.
struct Case {
  std::string name;
  std::string expect;
  std::string finish;
  std::vector<std::string> has;
  std::vector<std::string> lacks;
  std::string reason;
  bool escapes = false;
  std::string reply;
  std::optional<std::string> exact;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

std::string without_escapes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto rest = text.substr(i);
    if (rest.starts_with("\\r")) {
      out += '\r';
      i += 1;
    } else if (rest.starts_with("\\x") && rest.size() >= 4) {
      out += static_cast<char>(std::stoi(std::string(rest.substr(2, 2)), nullptr, 16));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool read_header(std::string_view line, Case& one) {
  const auto colon = line.find(": ");
  if (colon == line.npos) return false;
  const auto key = line.substr(0, colon);
  const std::string value(line.substr(colon + 2));
  if (key == "expect")
    one.expect = value;
  else if (key == "finish")
    one.finish = value;
  else if (key == "has")
    one.has.push_back(value);
  else if (key == "lacks")
    one.lacks.push_back(value);
  else if (key == "reason")
    one.reason = value;
  else if (key == "escapes")
    one.escapes = value == "yes";
  else
    return false;
  return true;
}

Case read_case(const std::filesystem::path& path) {
  Case one;
  one.name = path.stem();
  const std::string text = read_file(path).value();
  const auto head_end = text.find("-----\n");
  EXPECT_NE(head_end, text.npos) << path << ": no line of dashes behind the header";
  if (head_end == text.npos) return one;
  for (const auto line : lines_of(std::string_view(text).substr(0, head_end))) {
    EXPECT_TRUE(read_header(line, one)) << path << ": unknown header line: " << line;
  }
  one.reply = text.substr(head_end + 6);
  if (const auto mark = one.reply.rfind("=====\n"); mark != std::string::npos) {
    one.exact = one.reply.substr(mark + 6);
    one.reply.resize(mark);
  }
  if (one.escapes) one.reply = without_escapes(one.reply);
  return one;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  const auto folder = std::filesystem::path(source_path()) / "tests/prompt/replies";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".txt") cases.push_back(read_case(entry.path()));
  }
  std::sort(cases.begin(), cases.end(),
            [](const Case& a, const Case& b) { return a.name < b.name; });
  return cases;
}

class ReplyTest : public testing::TestWithParam<Case> {};

TEST_P(ReplyTest, is_read_as_expected) {
  const Case& one = GetParam();
  ASSERT_TRUE(one.expect == "code" || one.expect == "none") << "expect: must be code or none";
  const auto result = extract_source(one.reply, one.finish);
  EXPECT_EQ(result.ok, one.expect == "code") << result.reason << result.source;
  EXPECT_EQ(result.ok, result.reason.empty());
  EXPECT_EQ(result.ok, !result.source.empty());
  EXPECT_TRUE(one.expect == "code" || !one.reason.empty()) << "reason: is missing";
  EXPECT_THAT(result.reason, HasSubstr(one.reason));
  for (const auto& part : one.has) EXPECT_THAT(result.source, HasSubstr(part));
  for (const auto& part : one.lacks) EXPECT_THAT(result.source, testing::Not(HasSubstr(part)));
  EXPECT_EQ(one.exact.value_or(result.source), result.source);
}

INSTANTIATE_TEST_SUITE_P(Replies, ReplyTest, testing::ValuesIn(all_cases()), [](const auto& one) {
  std::string name = one.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Extract, there_are_enough_cases) { EXPECT_GE(all_cases().size(), 40U); }

TEST(Extract, what_it_returns_it_reads_again) {
  for (const auto& one : all_cases()) {
    const auto first = extract_source(one.reply, one.finish);
    if (!first.ok || one.name == "no-kernel-but-solve") continue;
    const auto again = extract_source("```cuda\n" + first.source + "```\n");
    EXPECT_EQ(again.source, first.source) << one.name;
  }
}

TEST(Extract, refuses_a_giant_program) {
  const auto result = extract_source("```cuda\n__global__ void k() {}\nvoid solve(int n) {}\n//" +
                                     std::string(kMaxProgramBytes, 'x') + "\n```\n");
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.reason, HasSubstr("bytes"));
}

#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kLargeBytes = 256 << 10;
#else
constexpr std::size_t kLargeBytes = 4 << 20;
#endif

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_to_extract(const std::string& part, std::size_t bytes) {
  std::string text;
  text.reserve(bytes + part.size());
  while (text.size() < bytes) text += part;
  const double begin = processor_seconds();
  EXPECT_FALSE(extract_source(text).ok) << part;
  return processor_seconds() - begin;
}

// Eight times the text takes eight times as long; quadratic behaviour would take 64 times as long.
// Times are the processor's and may be taken again, so that other work on the machine counts
// little. What is over within milliseconds is not compared.
TEST(Extract, large_replies_take_linear_time) {
  for (const std::string part :
       {"```\n", "```cuda\nsolve(\n", "<think>", "</think>\n", "&lt;", "{\"solve\":[", "solve(",
        "__global__ void k(", "\n", "<code", "R\"(", "'", "/*", "x```\n~~~\n", "<pre>solve{\n",
        "```\n__global__ void k() {}\n```\n", "\r", "\xF0\x9F"}) {
    double small = seconds_to_extract(part, kLargeBytes / 8);
    double large = seconds_to_extract(part, kLargeBytes);
    for (int i = 0; i < 2 && large > 24 * std::max(small, 0.005); ++i) {
      small = std::min(small, seconds_to_extract(part, kLargeBytes / 8));
      large = std::min(large, seconds_to_extract(part, kLargeBytes));
    }
    EXPECT_GT(large, 0) << part;
    EXPECT_LE(large, 24 * std::max(small, 0.005)) << part;
    if (std::getenv("WARPWRIGHT_SHOW_TIMES"))
      std::printf("%-20s %.3f s, %.3f s\n", part.c_str(), small, large);
  }
}

}  // namespace
}  // namespace warpwright::prompt
