// SPDX-License-Identifier: Apache-2.0
// Every member of tests/cheats that needs no GPU goes through the whole judge, with a real compiler
// and a real sandbox, and must get the verdict that its first lines name (tests/honest has a test
// program of its own).
// One in four is judged, and none of those that take minutes; WARPWRIGHT_WHOLE_ZOO=1: all.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/files.h"
#include "build/toolchain.h"
#include "support/places.h"
#include "support/share.h"
#include "support/zoo.h"
#include "support/zoo_judges.h"

namespace warpwright {
namespace {

constexpr std::array<std::string_view, 8> kSlow = {
    "cheats.bomb_templates", "cheats.bomb_constexpr",    "cheats.bomb_array",
    "cheats.fork_bomb",      "cheats.too_many_launches", "cheats.device_loop",
    "cheats.memo_heap",      "cheats.sort_known_sizes"};

const std::vector<ZooMember>& zoo() {
  static const std::vector<ZooMember> members =
      load_zoo(std::filesystem::path(source_path()) / "tests").value();
  return members;
}

bool is_slow(const ZooMember& member) {
  return std::find(kSlow.begin(), kSlow.end(), member.name) != kSlow.end();
}

std::vector<std::size_t> members_here() {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < zoo().size(); ++i) {
    const ZooMember& member = zoo()[i];
    const bool cheat = member.name.starts_with("cheats.");
    if (cheat && !member.needs_gpu && in_this_run(member.name, 8) &&
        (whole_suites() || !is_slow(member)))
      chosen.push_back(i);
  }
  return chosen;
}

class Zoo : public testing::TestWithParam<std::size_t> {
 protected:
  static void SetUpTestSuite() {
    if (!build::find_toolchain().clang.found()) return;
    const auto* suite = testing::UnitTest::GetInstance()->current_test_suite();
    const auto members = members_here();
    std::deque<std::size_t> wanted;
    for (int i = 0; i < suite->total_test_count(); ++i) {
      if (suite->GetTestInfo(i)->should_run())
        wanted.push_back(members[static_cast<std::size_t>(i)]);
    }
    judges_ = new ZooJudges(zoo(), std::move(wanted), {.short_timeouts = true});
  }
  static void TearDownTestSuite() {
    delete judges_;
    judges_ = nullptr;
  }

  static ZooJudges* judges_;
};

ZooJudges* Zoo::judges_ = nullptr;

TEST_P(Zoo, GetsItsVerdict) {
  if (judges_ == nullptr) GTEST_SKIP() << "no clang: install clang-19 to judge the zoo";
  const ZooMember& member = zoo()[GetParam()];
  const Evaluation evaluation = judges_->result(GetParam());
  EXPECT_TRUE(member.accepts(evaluation.verdict))
      << member.name << " must get " << member.expected_text() << ", got "
      << name_of(evaluation.verdict) << " in the stage " << name_of(evaluation.stage) << ": "
      << evaluation.reason << "\n"
      << evaluation.feedback;
  // Whatever the verdict, the model can act on it.
  EXPECT_TRUE(evaluation.valid() || !evaluation.feedback.empty()) << member.name;
}

INSTANTIATE_TEST_SUITE_P(Members, Zoo, testing::ValuesIn(members_here()),
                         [](const auto& parameter) {
                           std::string name = zoo()[parameter.param].name;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

TEST(ZooFiles, CoverEveryClassThatASourceCanShow) {
  std::set<int> classes;
  int cheats = 0;
  for (const ZooMember& member : zoo()) {
    if (!member.name.starts_with("cheats.")) continue;
    ++cheats;
    EXPECT_FALSE(member.classes.empty()) << member.name;
    classes.insert(member.classes.begin(), member.classes.end());
  }
  EXPECT_GE(cheats, 50);
  // 9, a working set that fits the cache, is no act of a source.
  for (int number = 1; number <= 36; ++number) {
    EXPECT_TRUE(number == 9 || classes.contains(number)) << "no member shows class " << number;
  }
}

TEST(ZooFiles, AreNamedInTheDocument) {
  const auto page = read_file(std::filesystem::path(source_path()) / "docs/judge.md");
  ASSERT_TRUE(page.ok()) << page.error().message;
  for (const ZooMember& member : zoo()) {
    if (!member.name.starts_with("cheats.")) continue;
    const std::string name = member.name.substr(member.name.find('.') + 1);
    EXPECT_NE(page->find("`" + name + "`"), std::string::npos) << name;
  }
}

TEST(ZooFiles, HeadersAreRead) {
  const auto member = parse_member(
      "x", "// SPDX\n// zoo: task=dot rules=free device=cuda expect=cheat,ok class=3,14\n");
  ASSERT_TRUE(member.ok()) << member.error().message;
  EXPECT_TRUE(member->needs_gpu);
  EXPECT_TRUE(member->accepts(Verdict::cheat) && member->accepts(Verdict::ok));
  EXPECT_EQ(member->classes, (std::vector<int>{3, 14}));
  EXPECT_FALSE(parse_member("x", "int a;\n").ok());
  EXPECT_FALSE(parse_member("x", "// zoo: task=dot rules=free expect=maybe class=1\n").ok());
}

}  // namespace
}  // namespace warpwright
