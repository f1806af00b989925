// SPDX-License-Identifier: Apache-2.0
#include "prompt/compose.h"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "prompt/feedback.h"
#include "prompt/sample.h"
#include "support/places.h"

namespace warpwright::prompt {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::filesystem::path kApproved = std::filesystem::path(source_path()) / "tests/approved";

/// Compares with tests/approved/NAME; WARPWRIGHT_APPROVE=1 writes the file instead.
void expect_approved(const std::string& name, const std::string& text) {
  const auto path = kApproved / name;
  if (std::getenv("WARPWRIGHT_APPROVE") != nullptr) {
    ASSERT_TRUE(write_file(path, text).ok());
    return;
  }
  const auto approved = read_file(path);
  ASSERT_TRUE(approved.ok()) << approved.error().message
                             << "\nrun with WARPWRIGHT_APPROVE=1 and look at the difference";
  EXPECT_EQ(*approved, text) << name
                             << ": run with WARPWRIGHT_APPROVE=1 and look at the difference";
}

struct ComposeTest : testing::Test {
  Task task = sample_task();
  TemplateSet templates = TemplateSet::embedded().value();

  PromptContext context(FeedbackLevel level = FeedbackLevel::rich) const {
    return {.task = task, .device = sample_device(), .level = level};
  }

  std::vector<TriedBefore> tried() const {
    auto slower = sample_winner();
    slower.measurements[0].median_us = 9.7;
    return {{"one thread per element", slower},
            {"tile without padding", sample_failure(Verdict::race, Stage::validate)},
            {"", sample_compile_error()}};
  }

  std::string repair(const Evaluation& failed, FeedbackLevel level) const {
    return repair_prompt(templates, context(level), sample_source(), failed).value();
  }
};

TEST_F(ComposeTest, approved_initial_prompts) {
  expect_approved("system.txt", system_prompt(templates, context()).value());
  expect_approved("initial-rich.txt", initial_prompt(templates, context()).value());
  expect_approved("initial-paper.txt",
                  initial_prompt(templates, context(FeedbackLevel::paper)).value());
  auto free_rules = context();
  free_rules.rule_set = "free";
  task.rules = {"no_copy_call"};
  expect_approved("initial-free.txt", initial_prompt(templates, free_rules).value());
}

TEST_F(ComposeTest, the_model_is_told_which_values_there_are) {
  task.domain = {{"rows", "1..2^19"}, {"cols", "1..min(rows, 64)"}};
  const auto text = initial_prompt(templates, context()).value();
  EXPECT_NE(text.find("* cols: any whole number from 1 to min(rows, 64).\n"), std::string::npos)
      << text;
}

TEST_F(ComposeTest, a_module_is_in_every_prompt_that_states_its_task) {
  task.torch.source = "class Model(nn.Module):\n  groups = {{8}}\n\n";
  const std::string fence =
      "The module:\n\n```python\nclass Model(nn.Module):\n  groups = {{8}}\n```";
  EXPECT_THAT(initial_prompt(templates, context()).value(), testing::HasSubstr(fence));
  task.torch.backward = true;
  EXPECT_THAT(initial_prompt(templates, context(FeedbackLevel::paper)).value(),
              testing::HasSubstr("The module whose gradients are asked for:\n\n```python\nclass"));
}

TEST_F(ComposeTest, rates_of_tensor_cores_are_told_where_they_may_be_used) {
  const std::string rate = "- peak of tensor cores: ";
  EXPECT_THAT(initial_prompt(templates, context()).value(), testing::Not(testing::HasSubstr(rate)));
  task.rules = {"mixed_precision"};
  EXPECT_THAT(initial_prompt(templates, context()).value(), testing::HasSubstr(rate));
}

TEST_F(ComposeTest, values_that_are_the_judges_own_are_not_told) {
  task.derived = {{"terms", "17*rows"}, {"half_rows", "whole/2"}, {"whole", "rows"}};
  task.arguments[0].expression = "half_rows*2*cols";
  const auto text = initial_prompt(templates, context()).value();
  EXPECT_THAT(text, testing::HasSubstr("- where half_rows = whole/2\n- where whole = rows"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("terms")));
}

TEST_F(ComposeTest, approved_optimise_prompts) {
  for (const auto level : {FeedbackLevel::paper, FeedbackLevel::rich}) {
    const std::string name(name_of(level));
    const auto text = optimise_prompt(templates, context(level), sample_winner(), tried());
    expect_approved("optimise-" + name + ".txt", text.value());
  }
  auto standalone = context();
  standalone.standalone = true;
  expect_approved(
      "optimise-standalone.txt",
      optimise_prompt(templates, standalone, sample_source(), sample_winner(), tried()).value());
}

TEST_F(ComposeTest, approved_scopes) {
  for (const auto& [scope, name] : {std::pair{Scope::all_changes, "optimise-all.txt"},
                                    std::pair{Scope::another_design, "optimise-design.txt"}}) {
    PromptContext whole = context();
    whole.standalone = true;
    whole.scope = scope;
    const auto text =
        optimise_prompt(templates, whole, sample_source(), sample_winner(), tried()).value();
    EXPECT_THAT(text, Not(HasSubstr("the ONE bottleneck")));
    expect_approved(name, text);
  }
}

TEST_F(ComposeTest, approved_repair_prompts) {
  auto launch = sample_failure(Verdict::launch_error, Stage::validate);
  launch.feedback = "transpose: 2048 threads per block; the device allows 1024\n";
  for (const auto level : {FeedbackLevel::paper, FeedbackLevel::rich}) {
    const std::string name(name_of(level));
    expect_approved("repair-compile-" + name + ".txt", repair(sample_compile_error(), level));
    expect_approved("repair-launch-" + name + ".txt", repair(launch, level));
    expect_approved("repair-mismatch-" + name + ".txt", repair(sample_mismatch(), level));
  }
  auto standalone = context();
  standalone.standalone = true;
  expect_approved("repair-standalone.txt",
                  repair_prompt(templates, standalone, sample_source(), sample_mismatch()).value());
}

TEST_F(ComposeTest, approved_advice_for_each_verdict) {
  std::string all;
  for (int i = 0; i < kVerdictCount; ++i) {
    const auto verdict = static_cast<Verdict>(i);
    if (repair_kind(verdict) == RepairKind::none) continue;
    all += "===== " + std::string(name_of(verdict)) + "\n" +
           repair(sample_failure(verdict, Stage::validate), FeedbackLevel::rich);
  }
  expect_approved("repair-verdicts.txt", all);
}

TEST_F(ComposeTest, no_prompt_shows_the_judge) {
  auto standalone = context();
  standalone.standalone = true;
  auto leaking = sample_mismatch();
  leaking.feedback +=
      "seed hidden-seed-8731, inputs in /hidden/job-7/inputs.bin and \"/hidden/x/y\"\n";
  const std::string all =
      initial_prompt(templates, context()).value() +
      optimise_prompt(templates, standalone, sample_source(), sample_winner(), tried()).value() +
      repair(leaking, FeedbackLevel::rich) + repair(leaking, FeedbackLevel::paper) +
      repair(sample_compile_error(), FeedbackLevel::rich);
  EXPECT_THAT(all, Not(HasSubstr("hidden-")));
  EXPECT_THAT(all, Not(HasSubstr("/hidden")));
  EXPECT_THAT(all, Not(HasSubstr("0.000123")));
  EXPECT_THAT(all, HasSubstr("inputs.bin"));
}

TEST_F(ComposeTest, paper_level_sends_no_more_than_time_or_error_text) {
  const auto text =
      optimise_prompt(templates, context(FeedbackLevel::paper), sample_winner(), tried()).value();
  EXPECT_THAT(text, HasSubstr("4.52 us measured"));
  for (const char* extra : {"roofline", "register", "occupancy", "baseline", "line 6", "tried"}) {
    EXPECT_THAT(text, Not(HasSubstr(extra)));
  }
  EXPECT_THAT(repair(sample_compile_error(), FeedbackLevel::paper), Not(HasSubstr(" | ")));
}

TEST_F(ComposeTest, estimates_are_called_estimates) {
  auto winner = sample_winner();
  for (auto& m : winner.measurements) m.source = TimeSource::estimated;
  for (const auto level : {FeedbackLevel::paper, FeedbackLevel::rich}) {
    const auto text = optimise_prompt(templates, context(level), winner, {}).value();
    EXPECT_THAT(text, HasSubstr("4.52 us estimated"));
    EXPECT_THAT(text, Not(HasSubstr("measured")));
  }
  winner.measurements[0].source = TimeSource::measured;
  EXPECT_THAT(optimise_prompt(templates, context(), winner, {}).value(),
              HasSubstr("partly measured, partly estimated"));
}

TEST_F(ComposeTest, feedback_keeps_its_budget) {
  auto failed = sample_mismatch();
  failed.feedback.clear();
  for (int i = 0; i < 5000; ++i) failed.feedback += "wrong element " + std::to_string(i) + "\n";
  const auto text = failure_text(failed, {}, FeedbackLevel::rich);
  EXPECT_LT(text.size(), kMaxFeedbackBytes + 100);
  EXPECT_THAT(text, HasSubstr("wrong element 149\n[... 4850 more lines left out]"));
  failed.feedback = std::string(1 << 20, 'x');
  EXPECT_LT(failure_text(failed, {}, FeedbackLevel::paper).size(), 1000U);
  std::vector<TriedBefore> many(100, tried().front());
  EXPECT_THAT(tried_text(many), HasSubstr("[88 earlier ones left out]"));
}

TEST_F(ComposeTest, what_is_said_of_several_lines_stands_once) {
  Evaluation winner = sample_winner();
  const std::string words = "100% of the warps that branch here go both ways";
  winner.findings = {{"note", 0, "times include 1.31 us of the timer's own"},
                     {"divergence", 4, words},
                     {"sampling", 0, "3 samples were dropped"},
                     {"uncoalesced", 6, "32 sectors per store request where 4 suffice"},
                     {"unmeasured", 0, "size 2^30 is not measured"}};
  for (int line = 7; line < 18; ++line) winner.findings.push_back({"divergence", line, words});
  const std::string text = findings_text(winner, {});
  EXPECT_EQ(text, "- lines 4, 7, 8, 9, 10, 11, 12, 13 and 4 more, divergence: " + words +
                      "\n- line 6, uncoalesced: 32 sectors per store request where 4 suffice"
                      "\n- unmeasured: size 2^30 is not measured");
  const std::string quoted = findings_text(winner, sample_source());
  EXPECT_THAT(quoted, HasSubstr("    4 | "));
  EXPECT_THAT(quoted, HasSubstr("    8 | "));
  EXPECT_THAT(quoted, Not(HasSubstr("    9 | ")));
}

TEST_F(ComposeTest, wrong_requests_are_errors) {
  auto wrong_rules = context();
  wrong_rules.rule_set = "fast";
  EXPECT_THAT(initial_prompt(templates, wrong_rules).error().message,
              HasSubstr("unknown rule set \"fast\""));
  EXPECT_FALSE(repair_prompt(templates, context(), "", sample_winner()).ok());
  EXPECT_FALSE(
      repair_prompt(templates, context(), "", sample_failure(Verdict::harness_error, Stage::build))
          .ok());
}

TEST(Level, names_round_trip) {
  for (const auto level : {FeedbackLevel::paper, FeedbackLevel::rich}) {
    EXPECT_EQ(feedback_level_named(name_of(level)), level);
  }
  EXPECT_FALSE(feedback_level_named("poor").has_value());
}

TEST(WithoutSecrets, takes_paths_but_not_code) {
  EXPECT_EQ(without_secrets("/tmp/job.1/candidate.cu(6): error", ""), "candidate.cu(6): error");
  EXPECT_EQ(without_secrets("a/b, x / y, x /= 2, // note, /* c */ a[i]/b[j]", ""),
            "a/b, x / y, x /= 2, // note, /* c */ a[i]/b[j]");
  EXPECT_EQ(without_secrets("seed 12345678", "12345678"), "seed [hidden]");
  EXPECT_EQ(without_secrets("line 1", "1"), "line 1");
}

TEST(Microseconds, has_three_digits) {
  EXPECT_EQ(microseconds(0.0271), "0.027 us");
  EXPECT_EQ(microseconds(4.521), "4.52 us");
  EXPECT_EQ(microseconds(61.37), "61.4 us");
  EXPECT_EQ(microseconds(184.3), "184 us");
  EXPECT_EQ(microseconds(89926), "89926 us");
}

}  // namespace
}  // namespace warpwright::prompt
