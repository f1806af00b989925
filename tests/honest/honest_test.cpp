// SPDX-License-Identifier: Apache-2.0
// Kernels that are right, fast and unusual, and must never be called anything else. Each file's
// first line says what it is for:
//
//   // zoo: task=NAME rules=strict|free device=simt|cuda expect=ok class=honest
//
// device=cuda: the SIMT machine must refuse it by name. Files that end in _nvcc.cu need headers
// that only a toolkit has.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "small_trial.h"
#include "support/places.h"
#include "support/share.h"

namespace warpwright {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSmallBytes = 24 << 10;
constexpr double kSmallWork = 6e5;

std::vector<std::string> zoo() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(source_path("/tests/honest")))
    if (entry.path().extension() == ".cu") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

struct Specimen {
  std::string source;
  std::map<std::string, std::string> keys;
};

Specimen specimen(const std::string& name) {
  Specimen s;
  s.source = read_file(fs::path(source_path("/tests/honest")) / (name + ".cu")).value();
  std::istringstream first(s.source.substr(0, s.source.find('\n')));
  std::string word;
  first >> word >> word;
  if (word != "zoo:") return s;
  while (first >> word) s.keys[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  return s;
}

class Honest : public testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() { trials_ = new SmallTrials; }
  static void TearDownTestSuite() {
    delete trials_;
    trials_ = nullptr;
  }

  static void judge(const Specimen& s, const std::string& front_end) {
    evaluate::JobRequest request = trials_->request(s.keys.at("task"), front_end);
    request.rule_set = RuleSet::named(s.keys.at("rules")).value();
    request.source = s.source;
    if (!SmallTrials::all()) SmallTrials::shrink(request.task, kSmallBytes, kSmallWork);
    const Evaluation e = trials_->judge(request);
    if (s.keys.at("device") == "cuda") {
      EXPECT_EQ(e.verdict, Verdict::harness_error) << e.reason;
      EXPECT_NE(e.reason.find("not supported"), std::string::npos) << e.reason;
      return;
    }
    EXPECT_EQ(e.verdict, Verdict::ok) << front_end << ": " << e.reason << "\n" << e.feedback;
    for (const Finding& f : e.findings)
      EXPECT_NE(f.kind, FindingKind("uninitialised_read"))
          << "line " << f.line << ": " << f.message;
    double seconds = 0;
    for (const auto& [stage, time] : e.stage_s) seconds += time;
    RecordProperty(front_end + "_s", std::to_string(seconds));
  }

  static SmallTrials* trials_;
};
SmallTrials* Honest::trials_ = nullptr;

TEST_P(Honest, IsOk) {
  const Specimen s = specimen(GetParam());
  const std::set<std::string> wanted = {"task", "rules", "device", "expect", "class"};
  std::set<std::string> given;
  for (const auto& [key, value] : s.keys) given.insert(key);
  ASSERT_EQ(given, wanted) << "the first line";
  ASSERT_EQ(s.keys.at("expect"), "ok");
  ASSERT_EQ(s.keys.at("class"), "honest");
  const build::Toolchain tools = build::find_toolchain();
  const bool only_nvcc = GetParam().ends_with("_nvcc");
  bool tried = false;
  if (tools.clang.found() && !only_nvcc && SmallTrials::with_clang()) {
    judge(s, "clang");
    tried = true;
  }
  if (tools.nvcc.found() && SmallTrials::with_nvcc()) {
    judge(s, "nvcc");
    tried = true;
  }
  if (!tried) GTEST_SKIP() << "its compiler is not here, or WARPWRIGHT_SLOW_TESTS is not 1";
}

INSTANTIATE_TEST_SUITE_P(Zoo, Honest, testing::ValuesIn(some_of(zoo(), 12, {"sort_grid_bubble"})),
                         [](const auto& each) { return each.param; });

TEST(HonestZoo, IsLargeAndWide) {
  std::set<std::string> tasks;
  for (const std::string& name : zoo()) tasks.insert(specimen(name).keys["task"]);
  EXPECT_GE(zoo().size(), 40U);
  EXPECT_GE(tasks.size(), 14U);
}

}  // namespace
}  // namespace warpwright
