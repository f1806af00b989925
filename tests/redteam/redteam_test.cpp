// SPDX-License-Identifier: Apache-2.0
// Attacks by somebody who has read the judge's source, and honest kernels that use the same
// features. Every one that needs no GPU goes through the whole judge. An honest twin must be ok, an
// attack must be refused, except those that open.txt lists: these are known to get through, and one
// that no longer does must leave the list. A defused one must be ok and gain nothing: its time is
// not below that of a plain kernel.
//
// One in six is judged, chosen by WARPWRIGHT_ZOO_SEED (a number, default 0), and none of those
// that take minutes; WARPWRIGHT_SLOW_TESTS or WARPWRIGHT_WHOLE_ZOO: all.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

#include "base/files.h"
#include "base/text.h"
#include "build/toolchain.h"
#include "support/places.h"
#include "support/share.h"
#include "support/zoo.h"
#include "support/zoo_judges.h"

namespace warpwright {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAttacks = "redteam.attacks.";
constexpr std::string_view kDefused = "redteam.defused.";
constexpr std::string_view kHonest = "redteam.honest.";
// The same sizes and values are drawn each time: the list of open attacks is one of facts.
constexpr std::uint64_t kSeed = 20261116;

// They use up what a kernel may do, at several sizes.
constexpr std::array<std::string_view, 7> kSlow = {"slow_edges",
                                                   "sort_keeps_the_sum",
                                                   "sort_by_value",
                                                   "hang_at_largest",
                                                   "spins_where_checked",
                                                   "block_never_sampled",
                                                   "scratch_too_large_at_largest"};

/// What a defused attack is held against. Those that need a GPU are not judged here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kPlainTwins = {{
    {"estimate_repeats", "relu_plain"},
    {"estimate_zero_block", "sigmoid_plain"},
    {"estimate_zero_scratch", "relu_plain"},
    {"last_ticket_does_all", "sigmoid_plain"},
    {"neighbours_did_not_run", "relu_plain"},
    {"scratch_too_large_at_largest", "sigmoid_plain"},
}};

fs::path tests_folder() { return fs::path(source_path()) / "tests"; }

const std::vector<ZooMember>& team() {
  static const std::vector<ZooMember> members =
      load_zoo(tests_folder(), red_team_folders()).value();
  return members;
}

/// "redteam.attacks.slow_edges" -> "slow_edges"
std::string own_name(const ZooMember& member) {
  return member.name.substr(member.name.rfind('.') + 1);
}

bool is_attack(const ZooMember& member) { return member.name.starts_with(kAttacks); }
bool is_defused(const ZooMember& member) { return member.name.starts_with(kDefused); }

/// The plain kernel that a defused attack is held against; its own number for all others.
std::size_t twin_of(std::size_t number) {
  if (!is_defused(team()[number])) return number;
  for (const auto& [name, twin] : kPlainTwins) {
    if (name != own_name(team()[number])) continue;
    for (std::size_t i = 0; i < team().size(); ++i)
      if (team()[i].name == std::string(kHonest) + std::string(twin)) return i;
  }
  return number;
}

double time_at(const Evaluation& evaluation, const std::string& size) {
  for (const Measurement& m : evaluation.measurements)
    if (m.size == size) return m.median_us;
  return 0;
}

/// At no size below what a plain kernel takes, as far as estimates can tell.
void expect_no_gain(const Evaluation& attack, const Evaluation& plain) {
  constexpr double kNearly = 0.97;
  std::size_t compared = 0;
  for (const Measurement& m : plain.measurements) {
    const double time = time_at(attack, m.size);
    if (time == 0) continue;
    ++compared;
    EXPECT_GE(time, kNearly * m.median_us) << "at size " << m.size;
  }
  EXPECT_GE(compared, 2U) << "no common sizes";
}

/// One name a line, with a ? where a draw decides; what follows a # is the reason.
std::map<std::string, bool> open_attacks() {
  std::map<std::string, bool> names;  ///< whether it is left to chance
  const auto text = read_file(tests_folder() / "redteam/open.txt");
  if (!text.ok()) return names;
  for (const auto line : lines_of(*text)) {
    std::string_view name = line.substr(0, std::min(line.find_first_of(" #"), line.size()));
    const bool by_chance = name.ends_with('?');
    if (by_chance) name.remove_suffix(1);
    if (!name.empty()) names.emplace(name, by_chance);
  }
  return names;
}

bool is_chosen(const ZooMember& member) {
  const bool slow = std::find(kSlow.begin(), kSlow.end(), own_name(member)) != kSlow.end();
  return in_this_run(member.name, 12) && (whole_suites() || !slow);
}

std::vector<std::size_t> members_here() {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < team().size(); ++i) {
    if (!team()[i].needs_gpu && is_chosen(team()[i])) chosen.push_back(i);
  }
  return chosen;
}

class RedTeam : public testing::TestWithParam<std::size_t> {
 protected:
  static void SetUpTestSuite() {
    if (!build::find_toolchain().clang.found()) return;
    const auto* suite = testing::UnitTest::GetInstance()->current_test_suite();
    const auto members = members_here();
    std::deque<std::size_t> wanted;
    for (int i = 0; i < suite->total_test_count(); ++i) {
      if (!suite->GetTestInfo(i)->should_run()) continue;
      const std::size_t member = members[static_cast<std::size_t>(i)];
      for (const std::size_t one : {member, twin_of(member)})
        if (std::find(wanted.begin(), wanted.end(), one) == wanted.end()) wanted.push_back(one);
    }
    judges_ = new ZooJudges(team(), std::move(wanted), {.seed = kSeed});
  }
  static void TearDownTestSuite() {
    delete judges_;
    judges_ = nullptr;
  }

  static ZooJudges* judges_;
};

ZooJudges* RedTeam::judges_ = nullptr;

TEST_P(RedTeam, GetsItsVerdict) {
  if (judges_ == nullptr) GTEST_SKIP() << "no clang: install clang-19 to judge the red team";
  const ZooMember& member = team()[GetParam()];
  const Evaluation evaluation = judges_->result(GetParam());
  const std::string got = std::string(name_of(evaluation.verdict)) + " in the stage " +
                          std::string(name_of(evaluation.stage)) + ": " + evaluation.reason;
  RecordProperty("verdict", std::string(name_of(evaluation.verdict)));
  const auto known = open_attacks();
  const auto open = known.find(own_name(member));
  if (is_attack(member) && open != known.end()) {
    if (open->second) return;
    EXPECT_EQ(evaluation.verdict, Verdict::ok) << member.name << " no longer gets through (" << got
                                               << "): take it out of tests/redteam/open.txt";
    return;
  }
  EXPECT_TRUE(member.accepts(evaluation.verdict))
      << member.name << " must get " << member.expected_text() << ", got " << got << "\n"
      << evaluation.feedback;
  const std::size_t twin = twin_of(GetParam());
  if (twin != GetParam()) expect_no_gain(evaluation, judges_->result(twin));
}

INSTANTIATE_TEST_SUITE_P(Members, RedTeam, testing::ValuesIn(members_here()),
                         [](const auto& parameter) {
                           const ZooMember& member = team()[parameter.param];
                           const std::string kind = is_attack(member)    ? "attack_"
                                                    : is_defused(member) ? "defused_"
                                                                         : "honest_";
                           return kind + own_name(member);
                         });

TEST(RedTeamFiles, AreManyForEveryCause) {
  std::map<int, int> attacks, honest;
  for (const ZooMember& member : team()) {
    EXPECT_TRUE(member.cause >= 1 && member.cause <= 5) << member.name << " names no cause";
    if (is_defused(member)) continue;
    ++(is_attack(member) ? attacks : honest)[member.cause];
  }
  int all_attacks = 0, all_honest = 0;
  for (int cause = 1; cause <= 5; ++cause) {
    EXPECT_GE(attacks[cause], 8) << "cause " << cause;
    EXPECT_GE(honest[cause], 3) << "cause " << cause;
    all_attacks += attacks[cause];
    all_honest += honest[cause];
  }
  EXPECT_GE(all_attacks, 60);
  EXPECT_GE(all_honest, 25);
}

TEST(RedTeamFiles, ExpectARefusalOrOk) {
  for (const ZooMember& member : team()) {
    EXPECT_NE(member.accepts(Verdict::ok), is_attack(member)) << member.name;
    EXPECT_FALSE(member.accepts(Verdict::harness_error)) << member.name;
    EXPECT_TRUE(is_attack(member) || is_defused(member) || member.name.starts_with(kHonest))
        << member.name;
  }
}

/// Nothing is called defused without something to hold it against.
TEST(RedTeamFiles, DefusedOnesHaveAPlainTwin) {
  for (std::size_t i = 0; i < team().size(); ++i) {
    if (is_defused(team()[i]) && !team()[i].needs_gpu) {
      EXPECT_NE(twin_of(i), i) << team()[i].name;
    }
  }
}

TEST(RedTeamFiles, OpenOnesExist) {
  std::set<std::string> known;
  for (const ZooMember& member : team()) {
    if (is_attack(member) && !member.needs_gpu) known.insert(own_name(member));
  }
  for (const auto& [name, by_chance] : open_attacks()) {
    EXPECT_TRUE(known.contains(name)) << "open.txt names '" << name << "', which is not judged";
  }
}

TEST(RedTeamFiles, OpenOnesHaveAReason) {
  const auto text = read_file(tests_folder() / "redteam/open.txt");
  ASSERT_TRUE(text.ok()) << text.error().message;
  for (const auto line : lines_of(*text)) {
    EXPECT_TRUE(line.empty() || line.find('#') != std::string_view::npos) << line;
  }
}

TEST(RedTeamFiles, HeadersAreRead) {
  const auto member = parse_member("x",
                                   "// zoo: task=dot rules=free device=simt_only expect=refused "
                                   "class=3 size=2^18\n// cause: 4\n");
  ASSERT_TRUE(member.ok()) << member.error().message;
  EXPECT_TRUE(member->only_simt && !member->needs_gpu);
  EXPECT_EQ(member->cause, 4);
  EXPECT_EQ(member->size, "2^18");
  EXPECT_TRUE(member->accepts(Verdict::mismatch) && member->accepts(Verdict::timeout));
  EXPECT_FALSE(member->accepts(Verdict::ok) || member->accepts(Verdict::harness_error));
}

}  // namespace
}  // namespace warpwright
