// SPDX-License-Identifier: Apache-2.0
// Variants, schedules and their proofs against a process that answers without a GPU.
#include "reorder/improve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sass/sass_fixture.h"
#include "support/places.h"

namespace warpwright::reorder {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Canary fake_canary() {
  Command command;
  command.argv = {build_path("/tests/fake_canary")};
  command.env = minimal_environment();
  return std::move(Canary::start(std::move(command))).value();
}

bool never() { return false; }

Variant variant(const std::string& name, const std::string& content) {
  return {.name = name, .flags = "-" + name, .cubin = content, .unmade = ""};
}

constexpr const char* kFast = "ratio=0.90 low=0.89 high=0.91";
constexpr const char* kFaster = "ratio=0.80 low=0.79 high=0.81";
constexpr const char* kUncertain = "ratio=0.99 low=0.97 high=1.01";
constexpr const char* kSlow = "ratio=1.20 low=1.19 high=1.21";

TEST(Prove, EachStepCanRefuse) {
  auto canary = fake_canary();
  const auto why = [&](const std::string& content) {
    return prove(content, "", canary, {}).value().why_not;
  };
  EXPECT_EQ(why(kFast), "");
  EXPECT_THAT(why(kUncertain), HasSubstr("holds zero"));
  EXPECT_THAT(why(kSlow), HasSubstr("slower"));
  EXPECT_THAT(why(std::string(kFast) + " check=different"), HasSubstr("input sets"));
  EXPECT_THAT(why(std::string(kFast) + " fuzz=different"), HasSubstr("disturbed timing"));
  EXPECT_THAT(why(std::string(kFast) + " many=different"), HasSubstr("many outputs"));
  EXPECT_THAT(why(std::string(kFast) + " die=pair"), HasSubstr("a fault"));
  EXPECT_EQ(canary.replaced(), 1);
  EXPECT_THAT(why(std::string(kFast) + " fuzz=fault"), HasSubstr("disturbed timing"));
  EXPECT_EQ(canary.replaced(), 2) << "a fault costs a child";
  const auto proof = prove(kFast, "", canary, {}).value();
  EXPECT_EQ(proof.input_sets, 256U);
  EXPECT_EQ(proof.outputs, 3000U) << "of sets, disturbed runs and many outputs";
  EXPECT_EQ(proof.met, "met everything");
}

TEST(Prove, SaysWhetherTheGoalOrTheTimeEndedIt) {
  auto canary = fake_canary();
  const auto ended = [&](std::uint64_t outputs) {
    ProofOptions options;
    options.outputs = outputs;
    return proof_json(prove(kFast, "", canary, options).value());
  };
  EXPECT_EQ(ended(1'000'000)["ended_by"], "time");
  EXPECT_EQ(ended(3000)["ended_by"], "outputs");
  const auto early = ended(1500);
  EXPECT_EQ(early["outputs_compared"], 2000) << "sets and disturbed runs count, too";
  EXPECT_EQ(early["limit_s"], 60);
  EXPECT_FALSE(proof_json(begin_proof(kFast, "", canary, {}).value()).contains("ended_by"));
}

TEST(Variants, TheFastestThatPassesIsTaken) {
  auto canary = fake_canary();
  const std::vector<Variant> all = {
      variant("slow", kSlow),
      variant("fast", kFast),
      variant("wrong", std::string(kFaster) + " check=different"),
      variant("again", kFast),
      {.name = "none", .flags = "-none", .cubin = "", .unmade = "unknown"},
      variant("different", "ratio=none"),
      variant("dies", "ratio=0.5 die=trial")};
  const auto outcomes = try_variants(all, canary, {}, never);
  ASSERT_TRUE(outcomes.ok()) << outcomes.error().message;
  ASSERT_EQ(outcomes->size(), all.size());
  const auto& list = *outcomes;
  EXPECT_THAT(list[0].why_not, HasSubstr("no faster"));
  EXPECT_TRUE(list[1].accepted());
  ASSERT_TRUE(list[2].proof);
  EXPECT_THAT(list[2].proof->why_not, HasSubstr("input sets")) << "looked fastest, was tried first";
  EXPECT_THAT(list[3].why_not, HasSubstr("the same code as 'fast'"));
  EXPECT_EQ(list[4].why_not, "unknown");
  EXPECT_THAT(list[5].why_not, HasSubstr("other results"));
  EXPECT_THAT(list[6].why_not, HasSubstr("faulted"));
}

TEST(Variants, NothingIsTriedWhenTheTimeIsUp) {
  auto canary = fake_canary();
  const auto outcomes = try_variants({variant("fast", kFast)}, canary, {}, [] { return true; });
  ASSERT_TRUE(outcomes.ok());
  EXPECT_EQ(outcomes->front().why_not, "the time was up");
}

Improvable tiny(const sass::Program& program, std::vector<Variant> variants) {
  return {.program = program,
          .kernel = "",
          .table = sass::LatencyTable::parse("sm_90\n").value(),
          .variants = std::move(variants),
          .read = [](std::string) -> Result<sass::Program> { return Error{"no nvdisasm"}; }};
}

TuneOptions quick() {
  TuneOptions options;
  options.search_s = 0.3;
  return options;
}

TEST(Improve, SchedulesAloneAreTakenWhenTheyAreProven) {
  auto canary = fake_canary();
  const auto program = sass::tiny_program();
  const auto improved = improve(tiny(program, {}), canary, quick());
  ASSERT_TRUE(improved.ok()) << improved.error().message;
  EXPECT_TRUE(improved->schedule.accepted) << improved->schedule.why_not;
  EXPECT_NE(improved->cubin, program.cubin().bytes());
  EXPECT_LT(improved->whole.high, 1);
  const json report = json::parse(improvement_json(*improved, quick()));
  EXPECT_TRUE(report["accepted"]);
  EXPECT_EQ(report["kernel"], "tiny");
  EXPECT_EQ(report["variants"]["accepted"], "");
  EXPECT_EQ(report["input_sets"], 256);
  EXPECT_EQ(report["outputs_compared"], 3000);
  EXPECT_GT(report["schedule"]["tried"].get<int>(), 5);
  EXPECT_THAT(report["summary"].get<std::string>(), HasSubstr("by its schedule"));
}

TEST(Improve, AVariantThatCannotBeReadIsTakenAsItIs) {
  auto canary = fake_canary();
  const auto program = sass::tiny_program();
  const auto improved = improve(tiny(program, {variant("dlcm=cg", kFast)}), canary, quick());
  ASSERT_TRUE(improved.ok()) << improved.error().message;
  EXPECT_EQ(improved->variant, "-dlcm=cg");
  EXPECT_EQ(improved->cubin, kFast);
  EXPECT_FALSE(improved->schedule.accepted);
  EXPECT_THAT(improved->note, HasSubstr("no nvdisasm"));
  const json report = json::parse(improvement_json(*improved, quick()));
  EXPECT_EQ(report["variants"]["accepted"], "-dlcm=cg");
  EXPECT_DOUBLE_EQ(report["ratio"]["value"], 0.9);
  EXPECT_FALSE(report["schedule"]["accepted"]);
  EXPECT_THAT(improved->sentence(), HasSubstr("ptxas -dlcm=cg"));
}

TEST(Improve, AVariantWhoseProofFailsAtItsEndIsDropped) {
  auto canary = fake_canary();
  const auto program = sass::tiny_program();
  const auto improved = improve(
      tiny(program, {variant("O1", std::string(kFast) + " many=different")}), canary, quick());
  ASSERT_TRUE(improved.ok()) << improved.error().message;
  EXPECT_FALSE(improved->accepted());
  EXPECT_EQ(improved->cubin, program.cubin().bytes());
  EXPECT_EQ(improved->proof(), nullptr);
}

TEST(Improve, SchedulesOfAVariantAreHeldAgainstIt) {
  auto canary = fake_canary();
  const auto program = sass::tiny_program();
  Improvable kernel = tiny(program, {variant("O1", kFast)});
  // What ptxas made is another file; here its listing is the one that there is.
  kernel.read = [&](std::string) -> Result<sass::Program> { return sass::tiny_program(); };
  const auto improved = improve(kernel, canary, quick());
  ASSERT_TRUE(improved.ok()) << improved.error().message;
  EXPECT_EQ(improved->variant, "-O1");
  EXPECT_TRUE(improved->schedule.accepted) << improved->schedule.why_not;
  EXPECT_THAT(improved->sentence(), HasSubstr("ptxas -O1 and by its schedule"));
}

TEST(Improve, NothingIsChangedWhenTheTimeIsUp) {
  auto canary = fake_canary();
  const auto program = sass::tiny_program();
  TuneOptions options = quick();
  options.is_over = [] { return true; };
  const auto improved = improve(tiny(program, {variant("O1", kFast)}), canary, options);
  ASSERT_TRUE(improved.ok()) << improved.error().message;
  EXPECT_FALSE(improved->accepted());
  EXPECT_EQ(improved->cubin, program.cubin().bytes());
  EXPECT_THAT(improved->sentence(), HasSubstr("kept as it was built"));
}

TEST(TuneWithin, SharesAddUpToLessThanTheWhole) {
  const TuneOptions options = tune_within(600);
  EXPECT_LT(options.variants_s + options.search_s + options.proof.fuzz_s + options.proof.proof_s,
            600);
  EXPECT_FALSE(options.is_over());
  EXPECT_TRUE(tune_within(-1).is_over());
}

}  // namespace
}  // namespace warpwright::reorder
