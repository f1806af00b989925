// SPDX-License-Identifier: Apache-2.0
#include "sass/ptxas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sass/sass_fixture.h"

namespace warpwright::sass {
namespace {

using testing::HasSubstr;

constexpr const char* kPtx =
    ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry twice(.param .u64 at)\n{\n"
    "  .reg .b64 %a;\n  .reg .f32 %f;\n  ld.param.u64 %a, [at];\n  ld.global.f32 %f, [%a];\n"
    "  add.f32 %f, %f, %f;\n  st.global.f32 [%a], %f;\n  ret;\n}\n";

std::vector<std::string> names_for(int registers) {
  std::vector<std::string> names;
  for (const PtxasVariant& variant : ptxas_variants(registers)) names.push_back(variant.name);
  return names;
}

TEST(Ptxas, RegisterLimitsLieBelowWhatIsUsed) {
  EXPECT_THAT(names_for(100), testing::IsSupersetOf({"registers 96", "registers 64"}));
  EXPECT_THAT(names_for(100), testing::Not(testing::Contains("registers 112")));
  EXPECT_THAT(names_for(96), testing::Not(testing::Contains("registers 96")));
  for (const PtxasVariant& variant : ptxas_variants(20))
    EXPECT_THAT(variant.name, testing::Not(HasSubstr("registers 2"))) << "none is below 24";
}

TEST(Ptxas, NothingThatChangesResultsIsAmongTheVariants) {
  for (const PtxasVariant& variant : ptxas_variants(255))
    for (const std::string& flag : variant.flags)
      EXPECT_THAT(flag, testing::Not(HasSubstr("fmad")));
}

TEST(Ptxas, KnowsRegistersAndTheTarget) {
  EXPECT_EQ(registers_of(tiny_program().functions().front()), 14);
  EXPECT_EQ(assembled_for(".version 8.0\n.target sm_90a\n", 90), "sm_90a");
  EXPECT_EQ(assembled_for(kPtx, 90), "sm_90");
}

TEST(Ptxas, AssemblesEveryVariantOrSaysWhy) {
  const auto assembler = Assembler::open();
  if (!assembler.ok()) GTEST_SKIP() << "SKIPPED: " << assembler.error().message;
  for (const PtxasVariant& variant : ptxas_variants(64)) {
    const auto cubin = assembler->assemble(kPtx, "sm_90", variant.flags);
    if (!cubin.ok()) {
      EXPECT_THAT(cubin.error().message, HasSubstr("ptxas failed")) << variant.name;
      continue;
    }
    const auto parsed = Cubin::parse(*cubin);
    ASSERT_TRUE(parsed.ok()) << variant.name;
    EXPECT_EQ(parsed->architecture(), 90);
  }
  const std::vector<std::string> unknown = {"--no-such-flag"};
  const auto refused = assembler->assemble(kPtx, "sm_90", unknown);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("no-such-flag"));
}

}  // namespace
}  // namespace warpwright::sass
