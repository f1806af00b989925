// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>

#include "evaluate/session.h"

namespace warpwright::evaluate {
namespace {

constexpr std::uint64_t kSeed = 5;

verify::Bytes floats(std::size_t count, float value) {
  const std::vector<float> values(count, value);
  verify::Bytes bytes(count * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// All results are 1. In the task's own types it is right by chance on the first inputs, and off by
/// the given part on all others.
class LuckyModule final : public verify::ExpectedSource {
 public:
  LuckyModule(std::size_t count, float error) : count_(count), error_(error) {}
  Result<std::vector<verify::Expected>> run(const verify::Instance& /*instance*/,
                                            std::span<const verify::Bytes> /*inputs*/,
                                            verify::DeviceTurn* /*turn*/) const override {
    verify::Expected expected;
    expected.wide.assign(count_, 1.0);
    return std::vector<verify::Expected>{expected};
  }
  Result<std::vector<verify::Bytes>> in_own_types(
      const verify::Instance& instance, std::span<const verify::Bytes> /*inputs*/) const override {
    return std::vector<verify::Bytes>{
        floats(count_, instance.seed == kSeed ? 1.0F : 1.0F + error_)};
  }

 private:
  std::size_t count_;
  float error_;
};

/// Whether results of that value are accepted, where a millionth is allowed.
bool accepted(std::size_t count, float value, float own_error = 0.01F) {
  Task task;
  task.name = "t";
  task.arguments = {{"y", ElementType::f32, ArgumentRole::output, "n", ""}};
  task.check = {"elementwise", {{"rtol", "1e-6"}}};
  const TaskSize size{"s", {{"n", static_cast<double>(count)}}};
  const auto instance = verify::make_instance(task, size, nullptr, kSeed).value();
  const LuckyModule module(count, own_error);
  const auto inputs = verify::generate_inputs(instance).value();
  const auto expected = module.run(instance, inputs, nullptr).value();
  std::string remark;
  const auto wrong =
      find_wrong(&module, instance, inputs, expected, {.outputs = {floats(count, value)}}, remark);
  EXPECT_TRUE(wrong.ok());
  EXPECT_EQ(!*wrong, !remark.empty());
  return !*wrong;
}

TEST(OffAsModule, OfFewNumbersOtherDrawsCount) {
  EXPECT_TRUE(accepted(1, 1.02F));
  EXPECT_FALSE(accepted(1, 1.05F)) << "more than four times as far off";
  EXPECT_FALSE(accepted(1, 0.0F, 0.5F)) << "more than a tenth of the result";
}

TEST(OffAsModule, OfManyNumbersOneDrawIsEnough) { EXPECT_FALSE(accepted(5000, 1.02F)); }

}  // namespace
}  // namespace warpwright::evaluate
