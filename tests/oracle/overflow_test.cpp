// SPDX-License-Identifier: Apache-2.0
// Products that no half holds: infinities are right where they belong, and nothing else is.
#include "oracle/oracle_bed.h"

namespace warpwright::verify {
namespace {

class OverflowingRows : public testing::Test {
 protected:
  static Task overflowing() {
    Task task = must(suite::load_embedded_task("gemm_f16"));
    task.check.parameters["full"] = "1000";  // rows are projected
    for (TaskArgument& argument : task.arguments)
      if (argument.role == ArgumentRole::input) argument.distribution = "const(24)";
    return task;
  }

  /// Whether a call that left these halves is accepted.
  bool accepted(const std::vector<std::uint16_t>& halves) {
    const auto instance = must(make_instance(task_, size_, nullptr, 3));
    const auto oracle = bed_.open(instance);
    const auto buffers = bed_.buffers(instance);
    const std::size_t out = index_of(task_, "C");
    Bytes output(2 * halves.size());
    std::memcpy(output.data(), halves.data(), output.size());
    EXPECT_TRUE(oracle->fresh_inputs(buffers, 3).ok());
    EXPECT_TRUE(bed_.device().upload(buffers[out], output).ok());
    EXPECT_TRUE(oracle->check(buffers, 3, {.secret = 5}).ok());
    return must(oracle->collect()).empty();
  }

  Task task_ = overflowing();
  TaskSize size_{"s", {{"M", 30}, {"N", 40}, {"K", 150}}};
  OracleBed bed_{task_};
};

TEST_F(OverflowingRows, AreRightWhereNoHalfHoldsTheSum) {
  const std::vector<std::uint16_t> infinite(30 * 40, 0x7C00);
  EXPECT_TRUE(accepted(infinite));
  EXPECT_FALSE(accepted(std::vector<std::uint16_t>(30 * 40, 0xFC00)));  // the other sign
  for (const std::size_t at : {std::size_t{40}, std::size_t{79}}) {
    auto halves = infinite;
    halves[at] = 0x7E00;  // no number
    EXPECT_FALSE(accepted(halves)) << at;
  }
  auto halves = infinite;
  std::fill(halves.begin() + 40, halves.begin() + 80, std::uint16_t{0x3C00});  // a row of ones
  EXPECT_FALSE(accepted(halves));
}

}  // namespace
}  // namespace warpwright::verify
