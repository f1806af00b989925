// SPDX-License-Identifier: Apache-2.0
#include "device/digest.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "device/device.h"

namespace warpwright::device {
namespace {

std::vector<std::byte> content(std::size_t bytes) { return poison_pattern(7, bytes); }

TEST(Digest, AnyChangedByteShows) {
  auto bytes = content(4099);
  const std::uint64_t before = digest_of(bytes, 1);
  for (const std::size_t at : {0UL, 1UL, 2048UL, 4095UL, 4096UL, 4098UL}) {
    bytes[at] ^= std::byte{1};
    EXPECT_NE(digest_of(bytes, 1), before) << at;
    bytes[at] ^= std::byte{1};
  }
  EXPECT_EQ(digest_of(bytes, 1), before);
  EXPECT_NE(digest_of(bytes, 2), before);
}

TEST(Digest, ExchangedWordsAndSumsThatStayShow) {
  const std::array<std::uint32_t, 4> words = {5, 9, 9, 1}, exchanged = {9, 5, 9, 1},
                                     same_sum = {4, 10, 9, 1};
  const auto of = [](const auto& list) { return digest_of(std::as_bytes(std::span(list)), 3); };
  EXPECT_NE(of(words), of(exchanged));
  EXPECT_NE(of(words), of(same_sum));
}

// The GPU's version on the machine that is here; on a GPU the zoo's tests use it.
class DigestPtx : public testing::TestWithParam<std::size_t> {};

TEST_P(DigestPtx, AgreesWithOurs) {
  const auto resolved = resolve_device({.device = "simt"});
  ASSERT_TRUE(resolved.ok());
  auto opened = open_device(*resolved, 0);
  ASSERT_TRUE(opened.ok());
  Device& device = **opened;
  const auto loaded =
      device.load({.ptx = std::string(digest_ptx()), .cubin = "", .source_file = ""});
  ASSERT_TRUE(loaded.ok());
  ASSERT_FALSE(loaded->fault) << loaded->fault->message;
  const auto bytes = content(GetParam());
  const auto data = device.allocate(bytes.size(), "data"), sum = device.allocate(8, "sum");
  ASSERT_TRUE(data.ok() && sum.ok());
  ASSERT_TRUE(device.upload(*data, bytes).ok());
  ASSERT_TRUE(device.upload(*sum, std::vector<std::byte>(8)).ok());

  LaunchPlan plan;
  for (std::uint32_t i = 0; i < 2; ++i) {
    plan.buffers.push_back({.kind = BufferKind::argument,
                            .argument = i,
                            .symbol = "",
                            .bytes = i == 0 ? bytes.size() : 8});
  }
  KernelLaunch launch;
  launch.kernel = "digest";
  launch.grid = {3, 1, 1};
  launch.block = {64, 1, 1};
  const std::array<std::uint64_t, 5> parameters = {0, bytes.size() / 4, bytes.size() % 4, 42, 0};
  launch.parameters.assign(reinterpret_cast<const char*>(parameters.data()), sizeof parameters);
  launch.parameter_offsets = {0, 8, 16, 24, 32};
  launch.pointers = {{0, {0, 0}}, {32, {1, 0}}};
  plan.steps.emplace_back(launch);
  const std::array<Binding, 2> bindings = {Binding{.buffer = *data}, Binding{.buffer = *sum}};
  const auto replay = device.prepare(loaded->module, plan, bindings);
  ASSERT_TRUE(replay.ok());
  const auto report = (*replay)->run({});
  ASSERT_TRUE(report.ok());
  ASSERT_TRUE(report->faults.empty()) << report->faults.front().message;
  std::uint64_t got = 0;
  ASSERT_TRUE(device.download(std::as_writable_bytes(std::span(&got, 1)), *sum).ok());
  EXPECT_EQ(got, digest_of(bytes, 42));
  EXPECT_EQ(device.digest(*data, 42).value(), got);
}

INSTANTIATE_TEST_SUITE_P(Bytes, DigestPtx, testing::Values(1, 3, 4, 130, 4096, 5003));

}  // namespace
}  // namespace warpwright::device
