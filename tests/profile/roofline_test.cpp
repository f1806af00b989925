// SPDX-License-Identifier: Apache-2.0
#include "profile/roofline.h"

#include <gtest/gtest.h>

namespace warpwright::profile {
namespace {

TEST(Roofline, FloorIsTheLargerOfTrafficAndWork) {
  const DeviceFacts h200 = *known_device("h200");
  const double bytes = 8.0 * 16384 * 16384;
  const Roofline transpose = roofline_of(bytes, 0, bytes, h200);
  EXPECT_NEAR(transpose.floor_us, 447.4, 0.1);  // 2 GiB at 4.8 TB/s
  EXPECT_EQ(transpose.regime, Regime::dram);
  EXPECT_LT(transpose.impossible_us, transpose.floor_us);
  EXPECT_GT(transpose.impossible_us, 0.8 * transpose.floor_us);

  const Roofline matmul = roofline_of(3 * 4.0 * 4096 * 4096, 2.0 * 4096 * 4096 * 4096, 0, h200);
  EXPECT_NEAR(matmul.floor_us, 2051, 1);
  EXPECT_EQ(matmul.regime, Regime::compute);
}

TEST(Roofline, SmallWorkIsBoundByLaunchOrL2) {
  const DeviceFacts h200 = *known_device("h200");
  EXPECT_EQ(roofline_of(4096, 1024, 4096, h200).regime, Regime::launch);
  EXPECT_EQ(roofline_of(4096, 1024, 4096, h200).impossible_us, 0);
  const double bytes = 32 << 20;
  EXPECT_EQ(roofline_of(bytes, 0, bytes, h200).regime, Regime::l2);
  EXPECT_EQ(name_of(Regime::l2), "L2-bound");
}

TEST(Roofline, UnknownFiguresGiveNoFloor) {
  EXPECT_EQ(roofline_of(1e9, 1e9, 1e9, DeviceFacts{}).floor_us, 0);
}

TEST(Roofline, TakesTheTasksOwnFormulas) {
  Task task;
  task.arguments = {{.name = "x", .role = ArgumentRole::input, .expression = "N"},
                    {.name = "y", .role = ArgumentRole::output, .expression = "N"}};
  task.bytes_expression = "8*N";
  task.flops_expression = "4*N";
  const TaskSize size{.label = "big", .values = {{"N", 1e8}}};
  const auto roof = roofline(task, size, *known_device("gtx1660s"));
  ASSERT_TRUE(roof.ok()) << roof.error().message;
  EXPECT_NEAR(roof->memory_us, 8e8 / 336e3, 0.01);
  EXPECT_EQ(roof->regime, Regime::dram);
}

TEST(Roofline, HalvesMayUseTensorCores) {
  Task task;
  task.arguments = {
      {.name = "x", .type = ElementType::f16, .role = ArgumentRole::input, .expression = "N"},
      {.name = "y", .role = ArgumentRole::output, .expression = "N"}};
  task.bytes_expression = "6*N";
  task.flops_expression = "1e4*N";
  const TaskSize size{.label = "big", .values = {{"N", 1e8}}};
  EXPECT_NEAR(roofline(task, size, *known_device("h200"))->compute_us, 1e12 / 989e6, 0.01);
  EXPECT_EQ(roofline(task, size, *known_device("gtx1660s"))->compute_us, 0) << "it has none";
  task.arguments[0].type = ElementType::f32;
  EXPECT_NEAR(roofline(task, size, *known_device("h200"))->compute_us, 1e12 / 67e6, 0.01);
  task.rules = {"mixed_precision"};
  EXPECT_NEAR(roofline(task, size, *known_device("h200"))->compute_us, 3e12 / 989e6, 0.01)
      << "a product of floats is three of their parts";
  EXPECT_NEAR(roofline(task, size, *known_device("gtx1660s"))->compute_us, 1e12 / 5.03e6, 2000);
}

}  // namespace
}  // namespace warpwright::profile
