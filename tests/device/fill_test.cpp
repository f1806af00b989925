// SPDX-License-Identifier: Apache-2.0
// What memory holds before a call: kinds, and the GPU's kernels on the machine that is here.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "device/cuda_fill.h"
#include "device/device.h"
#include "device/poison.h"

namespace warpwright::device {
namespace {

float as_float(std::uint32_t word) {
  float value = 0;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

// A kernel that takes NaN, zero or any other look for "nobody wrote here" is wrong in most calls.
TEST(PoisonKinds, NoLookIsSharedByMostCalls) {
  int nan = 0, zero = 0, huge = 0, tiny = 0, whole = 0, usual = 0;
  constexpr int kCalls = 4000;
  std::set<std::string_view> met;
  for (std::uint64_t key = 1; key <= kCalls; ++key) {
    const PoisonKind kind = poison_kind(key, false);
    met.insert(kind.name);
    const std::uint32_t word = poison_words(key, 5, kind).w[1];
    const float value = std::fabs(as_float(word));
    nan += std::isnan(value);
    zero += word == 0;
    huge += std::isfinite(value) && value > 1e20F;
    tiny += value > 0 && value < 1e-20F;
    whole += word > 0 && word < (1U << 20);
    usual += value > 1e-5F && value <= 1;
  }
  EXPECT_EQ(met.size(), 10U);
  for (const int share : {nan, zero, huge, tiny, whole, usual}) {
    EXPECT_GT(share, kCalls / 25);
    EXPECT_LT(share, kCalls * 2 / 5);
  }
}

TEST(PoisonKinds, WatchedWordsAreHardToGuess) {
  for (std::uint64_t key = 1; key <= 300; ++key) {
    const PoisonKind kind = poison_kind(key, true);
    std::set<std::uint32_t> words;
    for (std::uint64_t v = 0; v < 64; ++v) words.insert(poison_words(key, v, kind).w[v % 4]);
    EXPECT_GT(words.size(), 60U) << kind.name;
  }
}

/// The kernels on the SIMT machine, over one buffer.
class FillPtx : public testing::Test {
 protected:
  void SetUp() override {
    const auto resolved = resolve_device({.device = "simt"});
    ASSERT_TRUE(resolved.ok());
    auto opened = open_device(*resolved, 0);
    ASSERT_TRUE(opened.ok());
    device_ = std::move(*opened);
    const auto loaded = device_->load({.ptx = fill_ptx(), .cubin = "", .source_file = ""});
    ASSERT_TRUE(loaded.ok());
    ASSERT_FALSE(loaded->fault) << loaded->fault->message;
    module_ = loaded->module;
    data_ = device_->allocate(kBytes, "data").value();
    flags_ = device_->allocate(4 * kMostFillRanges, "flags").value();
    ASSERT_TRUE(device_->upload(data_, std::vector<std::byte>(kBytes)).ok());
  }

  [[nodiscard]] FillRange range(std::uint64_t first, std::uint64_t bytes, std::uint64_t key) const {
    return {device_->address(data_) + first, bytes, key, false};
  }
  void run(std::string_view kernel, std::span<const FillRange> ranges) {
    FillCall call = fill_call(ranges);
    call.flags = device_->address(flags_);
    const Status ran = device_->launch(
        {.module = module_,
         .kernel = kernel,
         .grid = {fill_blocks(ranges), static_cast<std::uint32_t>(ranges.size()), 1},
         .threads = CudaFill::kThreads,
         .call = std::as_bytes(std::span(&call, 1))});
    ASSERT_TRUE(ran.ok()) << ran.error().message;
  }
  std::vector<unsigned char> content() {
    std::vector<unsigned char> bytes(kBytes);
    EXPECT_TRUE(device_->download(std::as_writable_bytes(std::span(bytes)), data_).ok());
    return bytes;
  }
  std::vector<std::uint32_t> differing(std::span<const FillRange> ranges) {
    EXPECT_TRUE(device_->clear(flags_).ok());
    run("compare", ranges);
    std::vector<std::uint32_t> flags(kMostFillRanges);
    EXPECT_TRUE(device_->download(std::as_writable_bytes(std::span(flags)), flags_).ok());
    return flags;
  }

  static constexpr std::uint64_t kBytes = 70000;
  std::unique_ptr<Device> device_;
  ModuleId module_ = -1;
  BufferId data_ = -1, flags_ = -1;
};

TEST_F(FillPtx, WritesTheWordsAndNothingElse) {
  // Ranges of all alignments, with gaps between them.
  const std::vector<FillRange> ranges = {
      range(3, 1, 11),    range(16, 16, 12),      range(37, 30, 13),   range(80, 4096, 14),
      range(5001, 9, 15), range(5011, 50005, 16), range(60000, 0, 17), range(60001, 9999, 18)};
  run("fill", ranges);
  std::vector<unsigned char> expected(kBytes);
  const std::uint64_t base = device_->address(data_);
  for (const FillRange& one : ranges) {
    const PoisonKind kind = poison_kind(one.key, one.watched);
    const std::uint64_t aligned = one.at / 16 * 16;
    for (std::uint64_t at = one.at; at < one.at + one.bytes; ++at) {
      const auto words = poison_words(one.key, (at - aligned) / 16, kind);
      unsigned char bytes[16];
      std::memcpy(bytes, words.w, sizeof bytes);
      expected[at - base] = bytes[(at - aligned) % 16];
    }
  }
  EXPECT_EQ(content(), expected);
}

TEST_F(FillPtx, AnyChangedByteOfARangeShows) {
  const std::vector<FillRange> ranges = {range(5, 40, 21), range(100, 40000, 22)};
  run("fill", ranges);
  EXPECT_EQ(differing(ranges), std::vector<std::uint32_t>(kMostFillRanges));
  const auto filled = content();
  for (const std::uint64_t at : {5UL, 17UL, 44UL, 100UL, 20001UL, 40099UL}) {
    auto changed = filled;
    changed[at] ^= 4;
    changed[4] = changed[45] = changed[99] = changed[40100] = 77;  // beside them
    ASSERT_TRUE(device_->upload(data_, std::as_bytes(std::span(changed))).ok());
    const auto flags = differing(ranges);
    EXPECT_EQ(flags[0] != 0, at < 100) << at;
    EXPECT_EQ(flags[1] != 0, at >= 100) << at;
  }
}

}  // namespace
}  // namespace warpwright::device
