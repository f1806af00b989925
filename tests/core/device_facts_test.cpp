// SPDX-License-Identifier: Apache-2.0
#include "core/described_device.h"

#include <map>
#include <set>
#include <utility>

#include <gtest/gtest.h>

namespace warpwright {
namespace {

/// What the CUDA C++ Programming Guide fixes per compute capability, and the lanes of one SM.
struct Capability {
  int fp32_lanes;
  double fp64_lanes;
  int threads_per_sm;
  int blocks_per_sm;
  int shared_per_sm_kib;
};

const std::map<std::pair<int, int>, Capability> kCapabilities = {
    {{7, 5}, {64, 2, 1024, 16, 64}},    {{8, 0}, {64, 32, 2048, 32, 164}},
    {{8, 6}, {128, 2, 1536, 16, 100}},  {{8, 9}, {128, 2, 1536, 24, 100}},
    {{9, 0}, {128, 64, 2048, 32, 228}}, {{10, 0}, {128, 64, 2048, 32, 228}},
    {{12, 0}, {128, 2, 1536, 24, 100}},
};

class DeviceFactsTest : public testing::TestWithParam<DeviceFacts> {};

TEST_P(DeviceFactsTest, agrees_with_its_compute_capability) {
  const auto& device = GetParam();
  if (!device.amd.empty()) GTEST_SKIP() << "its capability is that of the SIMT machine's PTX";
  const auto row = kCapabilities.find({device.compute_major, device.compute_minor});
  ASSERT_NE(row, kCapabilities.end());
  const auto& capability = row->second;
  EXPECT_EQ(device.max_threads_per_sm, capability.threads_per_sm);
  EXPECT_EQ(device.max_blocks_per_sm, capability.blocks_per_sm);
  EXPECT_EQ(device.shared_per_sm_bytes, capability.shared_per_sm_kib * 1024);
  // From 8.0 on the system keeps 1 KiB of each block's shared memory.
  EXPECT_EQ(device.shared_per_sm_bytes - device.shared_per_block_optin_bytes,
            device.compute_major >= 8 ? 1024 : 0);
  EXPECT_EQ(device.shared_per_block_bytes, 48 * 1024);
  EXPECT_EQ(device.registers_per_sm, 65536);
  EXPECT_EQ(device.max_registers_per_thread, 255);
  EXPECT_EQ(device.max_threads_per_block, 1024);
  EXPECT_EQ(device.warp_size, 32);
}

TEST_P(DeviceFactsTest, peaks_follow_from_lanes_and_clock) {
  const auto& device = GetParam();
  if (!device.amd.empty()) GTEST_SKIP() << "see DevicesOfAmd";
  const auto& capability = kCapabilities.at({device.compute_major, device.compute_minor});
  const double per_lane = 2 * device.sm_count * device.boost_clock_ghz / 1000;
  EXPECT_NEAR(device.fp32_tflops / (per_lane * capability.fp32_lanes), 1, 0.05);
  EXPECT_NEAR(device.fp64_tflops / (per_lane * capability.fp64_lanes), 1, 0.05);
}

TEST_P(DeviceFactsTest, is_plausible) {
  const auto& device = GetParam();
  EXPECT_FALSE(device.name.empty());
  EXPECT_FALSE(device.architecture.empty());
  EXPECT_GT(device.memory_bytes, device.l2_bytes * 100);
  EXPECT_GE(device.l2_bytes, 1 << 20);
  EXPECT_GT(device.memory_gb_per_s, 100);
  EXPECT_EQ(known_device(device.key)->name, device.name);
}

INSTANTIATE_TEST_SUITE_P(Known, DeviceFactsTest,
                         testing::ValuesIn(known_devices().begin(), known_devices().end()),
                         [](const auto& one) { return one.param.key; });

TEST(DevicesOfAmd, are_what_their_instruction_sets_say) {
  const DeviceFacts mi300x = *known_device("mi300x"), rx7900 = *known_device("rx7900");
  EXPECT_EQ(instruction_set(mi300x), "gfx942");
  EXPECT_EQ(instruction_set(rx7900), "gfx1100");
  EXPECT_EQ(instruction_set(*known_device("h200")), "compute capability 9.0");
  EXPECT_EQ(mi300x.warp_size, 64);
  EXPECT_EQ(rx7900.warp_size, 32);
  for (const DeviceFacts& device : {mi300x, rx7900}) {
    // 128 results of fp32 per clock and compute unit: two per lane of 64.
    const double per_lane = 2 * device.sm_count * device.boost_clock_ghz / 1000;
    EXPECT_NEAR(device.fp32_tflops / (per_lane * 128), 1, 0.05) << device.key;
    EXPECT_EQ(device.shared_per_block_bytes, 64 * 1024) << device.key;
  }
}

TEST(KnownDevices, have_keys_of_their_own) {
  std::set<std::string> keys;
  for (const auto& device : known_devices()) EXPECT_TRUE(keys.insert(device.key).second);
  for (const char* key : {"h200", "h100", "a100", "rtx3090ti", "gtx1660s", "rtx4090", "b200",
                          "rtx5090", "mi300x", "rx7900"}) {
    EXPECT_TRUE(keys.contains(key)) << key;
  }
  EXPECT_FALSE(known_device("abacus").has_value());
}

TEST(KnownDevices, a_user_describes_one_that_is_like_another) {
  const auto mine = described_device("rtx4090:name=My card,sm_count=64,memory_gb_per_s=500.5");
  ASSERT_TRUE(mine.ok()) << mine.error().message;
  EXPECT_EQ(mine->name, "My card");
  EXPECT_EQ(mine->sm_count, 64);
  EXPECT_DOUBLE_EQ(mine->memory_gb_per_s, 500.5);
  EXPECT_EQ(mine->l2_bytes, known_device("rtx4090")->l2_bytes);
  EXPECT_EQ(known_device(mine->key)->sm_count, 64) << "the key is the whole description";
  EXPECT_NE(described_device("h200:l2_bytes=1").value().name, known_device("h200")->name);
}

TEST(KnownDevices, a_description_that_is_wrong_is_named) {
  for (const auto& [text, said] : std::map<std::string, std::string>{
           {"rtx5009", "did you mean 'rtx5090'?"},
           {"h200:sm_cout=3", "did you mean 'sm_count'?"},
           {"h200:sm_count=-3", "no value for sm_count"},
           {"h200:sm_count=0", "no value for sm_count"},
           {"h200:memory_gb_per_s=nan", "no value for memory_gb_per_s"},
           {"h200:sm_count", "is not of the form"},
           {":sm_count=3", "unknown device ''"}}) {
    const auto facts = described_device(text);
    ASSERT_FALSE(facts.ok()) << text;
    EXPECT_NE(facts.error().message.find(said), std::string::npos) << facts.error().message;
  }
}

}  // namespace
}  // namespace warpwright
