// SPDX-License-Identifier: Apache-2.0
// What is said of a wrong call is said of that very call, whatever fails after it.
#include "oracle/oracle_bed.h"

namespace warpwright::verify {
namespace {

TEST(OracleExplains, TheFirstFailedCallWhateverFailsLater) {
  const auto task = must(suite::load_embedded_task("sigmoid"));
  const auto reference = load_reference(task);
  const TaskSize size{"700", {{"N", 700}}};
  const InputVariant* saturated = nullptr;
  for (const InputVariant& variant : task.variants) {
    if (variant.name == "saturated") saturated = &variant;
  }
  ASSERT_NE(saturated, nullptr);
  OracleBed bed(task);
  const auto first = make_case(task, reference, {&size, nullptr}, 11);
  const auto second = make_case(task, reference, {&size, saturated}, 12);
  const auto oracle = bed.open(first.instance);
  const auto buffers = bed.buffers(first.instance);
  const auto call = [&](const CaseData& data, std::size_t distribution, Bytes output) {
    ASSERT_TRUE(oracle->fresh_inputs(buffers, data.instance.seed, distribution).ok());
    ASSERT_TRUE(bed.device().upload(buffers[1], output).ok());
    ASSERT_TRUE(oracle->check(buffers, data.instance.seed, {.secret = 5}, distribution).ok());
  };

  // Of another distribution, wrong in one place.
  auto output = second.honest[1];
  set_element(ElementType::f32, output, 123, -5);
  call(second, must(oracle->add(second.instance)), output);
  const auto failures = must(oracle->collect());
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(oracle->failed_variant(), saturated);
  // Others fail behind it, all over.
  call(first, 0, Bytes(output.size()));
  const auto later = must(oracle->collect());
  ASSERT_EQ(later.size(), 1u);

  const auto other = must(oracle->explain(later.front()));
  EXPECT_GT(other.wrong, 600u);  // what the device saw
  const auto said = must(oracle->explain(failures.front()));
  EXPECT_EQ(said.wrong, 1u) << said.message;
  ASSERT_EQ(said.first.size(), 1u);
  EXPECT_EQ(said.first.front().index, 123u);
  EXPECT_EQ(said.first.front().got, -5);

  // Explained: the next one that fails is kept.
  output = first.honest[1];
  set_element(ElementType::f32, output, 7, 3);
  call(first, 0, output);
  const auto again = must(oracle->collect());
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(must(oracle->explain(again.front())).first.front().index, 7u);
}

// Rows that a check left out are not called wrong.
TEST(OracleExplains, AllRowsOfACallThatWasCheckedInPart) {
  const auto task = must(suite::load_embedded_task("mha"));
  const auto reference = load_reference(task);
  const TaskSize size{"s", {{"N", 16}, {"d_model", 8}, {"h", 2}}};
  OracleBed bed(task);
  const auto data = make_case(task, reference, {&size, nullptr}, 3);
  const auto oracle = bed.open(data.instance);
  const auto buffers = bed.buffers(data.instance);
  const std::size_t out = index_of(task, "output");
  ASSERT_TRUE(oracle->fresh_inputs(buffers, 3).ok());
  auto output = data.honest[out];
  for (std::size_t k = 0; k < 128; k += 8) set_element(ElementType::f32, output, k, 1e6);
  ASSERT_TRUE(bed.device().upload(buffers[out], output).ok());
  const std::uint64_t half = std::uint64_t{1} << 31;
  ASSERT_TRUE(oracle->check(buffers, 3, {.secret = 9, .portion = half}).ok());
  const auto failures = must(oracle->collect());
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(must(oracle->explain(failures.front())).wrong, 16u);
}

}  // namespace
}  // namespace warpwright::verify
