// SPDX-License-Identifier: Apache-2.0
#include "ptx/variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/device.h"
#include "device/kernel_name.h"

namespace warpwright::device {
namespace {

std::vector<std::string> own_variables(std::string_view text) {
  std::vector<std::string> names;
  for (const ptx::ModuleVariable& variable : ptx::module_variables(text))
    if (!variable.is_extern) names.push_back(variable.name);
  return names;
}

TEST(PtxVariables, FindsModuleStateAndNothingElse) {
  const char* ptx = R"(
.version 8.3
.target sm_90
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.visible .global .align 4 .u32 counter = 3; // a comment with .global .u32 fake
.global .align 8 .b8 _ZZ4k1E5table[16] = {1, 2,
  3, 4};
.visible .const .align 4 .f32 weights[64];
.extern .shared .align 16 .b8 dynamic[];
.extern .global .align 4 .u32 elsewhere;
.visible .entry k1(.param .u64 p)
{
  .shared .align 4 .b8 tile[128];
  .local .align 4 .b8 depot[8];
  ld.global.u32 %r1, [%rd1];
  ret;
}
.global .attribute(.managed) .align 4 .u32 last;
)";
  EXPECT_THAT(own_variables(ptx),
              testing::ElementsAre("counter", "_ZZ4k1E5table", "weights", "last"));
  EXPECT_THAT(own_variables(""), testing::IsEmpty());
  EXPECT_THAT(own_variables(".global"), testing::IsEmpty());
}

TEST(KernelName, NamesKernelsAsTheSourceDoes) {
  EXPECT_EQ(kernel_name("_Z9transposePKfPfii"), "transpose");
  EXPECT_EQ(kernel_name("solve_kernel"), "solve_kernel");
  EXPECT_THAT(kernel_name("_Z6reduceILi256EEvPKfPfi"), testing::HasSubstr("reduce<256>"));
}

TEST(Poison, DependsOnTheSeedAlone) {
  EXPECT_EQ(poison_pattern(1, 1001), poison_pattern(1, 1001));
  EXPECT_NE(poison_pattern(1, 64), poison_pattern(2, 64));
  EXPECT_EQ(poison_pattern(3, 0).size(), 0U);
}

TEST(OpenDevice, SaysWhatThereIs) {
  const auto unknown = chosen<DeviceName>("vulkan", "the device");
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().message, testing::HasSubstr("cuda:N"));
  for (const char* wrong : {"cuda:x", "cuda:", "cuda:-1", "cuda:1000", "", "SIMT"}) {
    EXPECT_FALSE(DeviceName::named(wrong).has_value()) << wrong;
  }
  EXPECT_EQ(DeviceName::named("cuda:12")->ordinal(), 12);
  EXPECT_EQ(DeviceName::named("cuda:12")->text(), "cuda:12");
  const auto target = resolve_device({.device = "simt", .target = "h2000"});
  ASSERT_FALSE(target.ok());
  EXPECT_THAT(target.error().message, testing::HasSubstr("gtx1660s"));
  const auto automatic = resolve_device({});
  ASSERT_TRUE(automatic.ok());
  EXPECT_EQ(automatic->is_cuda, cuda_available());
  if (!cuda_available()) {
    const auto cuda = resolve_device({.device = "cuda"});
    ASSERT_FALSE(cuda.ok());
    EXPECT_THAT(cuda.error().message, testing::HasSubstr("driver"));
  }
}

}  // namespace
}  // namespace warpwright::device
