// SPDX-License-Identifier: Apache-2.0
// What an arena compares, on a device that does what the code's text says.
#include "reorder/arena.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mix.h"

namespace warpwright::reorder {
namespace {

using testing::HasSubstr;
using testing::Not;

struct World {
  bool busy = false;  ///< other work was begun since the last run
  double clock = 0;   ///< the share that is held
  int runs = 0;
  int begun = 0, held = 0;
};

class FakeWork final : public device::OtherWork {
 public:
  explicit FakeWork(World& world) : world_(world) {}
  Status begin(device::Busy, double) override {
    world_.busy = true;
    ++world_.begun;
    return {};
  }

 private:
  World& world_;
};

class FakeClocks final : public device::GpuClocks {
 public:
  FakeClocks(World& world, bool permitted) : world_(world), permitted_(permitted) {}
  Status hold(double share) override {
    if (!permitted_) return Error{"not permitted"};
    world_.clock = share;
    ++world_.held;
    return {};
  }
  void let_go() override { world_.clock = 0; }

 private:
  World& world_;
  bool permitted_;
};

/// Code is a text: "same", "wrong", "wrong when busy", "wrong when cold", "wrong at slow clocks",
/// "wrong in wide grids", "wrong after N runs", "faults".
class FakeDevice final : public device::Device {
 public:
  explicit FakeDevice(World& world) : world_(world) {}
  [[nodiscard]] const device::DeviceInfo& info() const override { return info_; }
  Result<device::Loaded> load(const device::Code& code) override {
    codes_.push_back(code.cubin);
    return device::Loaded{.module = static_cast<int>(codes_.size()) - 1};
  }
  Result<device::BufferId> allocate(std::uint64_t, std::string_view) override {
    values_.push_back(0);
    return static_cast<int>(values_.size()) - 1;
  }
  void release(device::BufferId) override {}
  Status upload(device::BufferId to, std::span<const std::byte> bytes) override {
    std::uint64_t value = bytes.size();
    for (const std::byte byte : bytes.subspan(0, std::min<std::size_t>(bytes.size(), 64)))
      value = mixed_bits(value + static_cast<std::uint64_t>(byte));
    values_[static_cast<std::size_t>(to)] = value;
    return {};
  }
  Status copy(device::BufferId, device::BufferId) override { return {}; }
  Status download(std::span<std::byte>, device::BufferId) override { return {}; }
  Result<std::uint64_t> digest(device::BufferId of, std::uint64_t key) override {
    return mixed_bits(values_[static_cast<std::size_t>(of)] + key);
  }
  [[nodiscard]] std::uint64_t address(device::BufferId) const override { return 0; }
  Status clear(device::BufferId) override { return {}; }
  Status launch(const device::OwnLaunch&) override { return {}; }
  Result<std::unique_ptr<device::Replay>> prepare(
      device::ModuleId module, const LaunchPlan& plan,
      std::span<const device::Binding> bindings) override;

  World& world_;
  std::vector<std::string> codes_;
  std::vector<std::uint64_t> values_;

 private:
  device::DeviceInfo info_;
};

class FakeReplay final : public device::Replay {
 public:
  FakeReplay(FakeDevice& device, std::string code, unsigned grid,
             std::span<const device::Binding> bindings)
      : device_(device),
        code_(std::move(code)),
        grid_(grid),
        bindings_(bindings.begin(), bindings.end()) {}
  Result<device::RunReport> run(const device::RunOptions& options) override {
    World& world = device_.world_;
    device::RunReport report;
    report.elapsed_us = 10;
    const bool busy = std::exchange(world.busy, false);
    ++world.runs;
    if (code_ == "faults") report.faults.push_back({.message = "an illegal address"});
    bool wrong = code_ == "wrong" || (code_ == "wrong when busy" && busy) ||
                 (code_ == "wrong when cold" && options.timed) ||
                 (code_ == "wrong at slow clocks" && world.clock > 0 && world.clock < 0.5) ||
                 (code_ == "wrong in wide grids" && grid_ > 1);
    if (code_.starts_with("wrong after ")) wrong = world.runs > std::stoi(code_.substr(12));
    // Buffers: input, output.
    const std::uint64_t input = device_.values_[static_cast<std::size_t>(bindings_[0].buffer)];
    device_.values_[static_cast<std::size_t>(bindings_[1].buffer)] =
        mixed_bits(input + (wrong ? static_cast<std::uint64_t>(world.runs) : 0));
    return report;
  }
  Status queue() override { return {}; }

 private:
  FakeDevice& device_;
  std::string code_;
  unsigned grid_;
  std::vector<device::Binding> bindings_;
};

Result<std::unique_ptr<device::Replay>> FakeDevice::prepare(
    device::ModuleId module, const LaunchPlan& plan, std::span<const device::Binding> bindings) {
  const auto& launch = std::get<KernelLaunch>(plan.steps.front());
  return std::unique_ptr<device::Replay>(std::make_unique<FakeReplay>(
      *this, codes_[static_cast<std::size_t>(module)], launch.grid.x, bindings));
}

Workload two_grids() {
  return workload_from(
             "{\"kernel\": \"k\", \"cases\": [{\"grid\": [1], \"block\": [32], \"arguments\": "
             "[{\"in\": \"f32\", \"count\": 32}, {\"out\": \"f32\", \"count\": 100}]}, {\"grid\": "
             "[4], \"block\": [32], \"arguments\": [{\"in\": \"f32\", \"count\": 128}, {\"out\": "
             "\"f32\", \"count\": 400}]}]}")
      .value();
}

class ArenaTest : public testing::Test {
 protected:
  Result<std::unique_ptr<Arena>> open(const std::string& code) {
    return Arena::open(device_, two_grids(), code, "", surroundings_);
  }
  World world_;
  FakeDevice device_{world_};
  FakeWork work_{world_};
  FakeClocks clocks_{world_, true};
  Surroundings surroundings_{.inputs = {}, .other_work = &work_, .clocks = &clocks_};
};

TEST_F(ArenaTest, ComparesAllCasesAndSets) {
  const auto arena = open("same");
  ASSERT_TRUE(arena.ok()) << arena.error().message;
  const auto same = (*arena)->check("same", 0, 8);
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(same->kind, Behaviour::Kind::same);
  EXPECT_EQ(same->outputs, 8U * 500);
  EXPECT_EQ((*arena)->check("wrong", 0, 8)->kind, Behaviour::Kind::different);
  const auto wide = (*arena)->check("wrong in wide grids", 0, 8);
  ASSERT_TRUE(wide.ok());
  EXPECT_THAT(wide->why, HasSubstr("case 1"));
  EXPECT_EQ((*arena)->check_many("same", 1000, 5)->outputs, 1000U);
}

TEST_F(ArenaTest, DisturbedTimingFindsWhatQuietRunsDoNot) {
  const auto arena = open("same");
  ASSERT_TRUE(arena.ok());
  EXPECT_EQ((*arena)->check("wrong when busy", 0, 16)->kind, Behaviour::Kind::same);
  const auto busy = (*arena)->fuzz("wrong when busy", 2, 5);
  ASSERT_TRUE(busy.ok()) << busy.error().message;
  EXPECT_EQ(busy->kind, Behaviour::Kind::different);
  EXPECT_THAT(busy->why, HasSubstr("memory traffic"));
  EXPECT_EQ((*arena)->check_many("wrong when busy", 100'000, 5)->kind, Behaviour::Kind::different);
  EXPECT_EQ((*arena)->fuzz("wrong when cold", 2, 5)->kind, Behaviour::Kind::different);
  EXPECT_EQ((*arena)->fuzz("wrong at slow clocks", 2, 5)->kind, Behaviour::Kind::different);
  EXPECT_EQ(world_.clock, 0) << "clocks are as they were";
  EXPECT_EQ((*arena)->fuzz("wrong in wide grids", 2, 5)->kind, Behaviour::Kind::different);
  const auto same = (*arena)->fuzz("same", 2, 5);
  ASSERT_TRUE(same.ok());
  EXPECT_THAT(same->why, HasSubstr("clock at 40 %"));
  EXPECT_THAT(same->why, Not(HasSubstr("not possible")));
}

TEST_F(ArenaTest, SaysWhenTheTimeWasNotEnough) {
  const auto arena = open("same");
  ASSERT_TRUE(arena.ok());
  const auto same = (*arena)->fuzz("same", 100'000, 0.1);
  ASSERT_TRUE(same.ok());
  EXPECT_THAT(same->why, HasSubstr("clock as it is as far as the time went"));
  EXPECT_THAT((*arena)->fuzz("same", 1, 5)->why, Not(HasSubstr("as far as")));
}

TEST_F(ArenaTest, SaysWhatCouldNotBeTried) {
  FakeClocks forbidden(world_, false);
  surroundings_ = {.inputs = {}, .other_work = nullptr, .clocks = &forbidden};
  const auto arena = open("same");
  ASSERT_TRUE(arena.ok());
  const auto same = (*arena)->fuzz("same", 1, 5);
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(same->kind, Behaviour::Kind::same);
  EXPECT_THAT(same->why, HasSubstr("not possible: memory traffic"));
  EXPECT_THAT(same->why, HasSubstr("clock at 70 %"));
  EXPECT_EQ(world_.begun, 0);
}

TEST_F(ArenaTest, RefusesAKernelWhoseOwnResultsDiffer) {
  for (const char* code : {"wrong", "wrong when busy", "wrong when cold"}) {
    const auto arena = open(code);
    ASSERT_FALSE(arena.ok()) << code;
    EXPECT_THAT(arena.error().message, HasSubstr("own results differ"));
  }
}

TEST_F(ArenaTest, ADifferenceOfTheOriginalIsNotHeldAgainstASchedule) {
  const auto arena = open("wrong after 60");
  ASSERT_TRUE(arena.ok()) << arena.error().message;
  const auto checked = (*arena)->check("wrong after 60", 0, 200);
  ASSERT_FALSE(checked.ok());
  EXPECT_THAT(checked.error().message, HasSubstr("own results differ"));
}

TEST_F(ArenaTest, AFaultEndsIt) {
  const auto arena = open("same");
  ASSERT_TRUE(arena.ok());
  const auto fault = (*arena)->fuzz("faults", 1, 5);
  ASSERT_TRUE(fault.ok());
  EXPECT_EQ(fault->kind, Behaviour::Kind::fault);
  EXPECT_THAT((*arena)->fault(), HasSubstr("illegal address"));
}

TEST_F(ArenaTest, TakesInputsFromWhoeverMakesThem) {
  std::vector<std::string> asked;
  surroundings_.inputs = [&](std::size_t item, std::size_t argument,
                             std::uint64_t set) -> Result<std::string> {
    asked.push_back(std::to_string(item) + "." + std::to_string(argument) + "." +
                    std::to_string(set));
    return std::string(item == 0 ? 128 : 512, static_cast<char>(set));
  };
  const auto arena = open("same");
  ASSERT_TRUE(arena.ok());
  ASSERT_TRUE((*arena)->check("same", 2, 1).ok());
  EXPECT_THAT(asked, testing::ElementsAre("0.0.0", "0.0.1", "1.0.0", "1.0.1", "0.0.2", "1.0.2"));
}

}  // namespace
}  // namespace warpwright::reorder
