// SPDX-License-Identifier: Apache-2.0
#include "base/cores.h"

#include <gtest/gtest.h>

#include "base/files.h"

namespace warpwright {
namespace {

class Groups : public ::testing::Test {
 protected:
  Groups() : scratch_(TemporaryDirectory::create("cores").value()) {}
  void put(const std::string& file, const std::string& text) {
    const auto path = root() / file;
    ASSERT_TRUE(make_directories(path.parent_path()).ok());
    ASSERT_TRUE(write_file(path, text).ok());
  }
  std::filesystem::path root() const { return scratch_.path(); }
  TemporaryDirectory scratch_;
};

TEST_F(Groups, TheTightestGroupCounts) {
  put("cpu.max", "max 100000\n");
  put("jobs/cpu.max", "400000 100000\n");
  put("jobs/mine/cpu.max", "1600000 100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root(), "0::/jobs/mine\n"), 4);
  EXPECT_DOUBLE_EQ(cpu_quota(root(), "0::/elsewhere\n"), 0);
}

TEST_F(Groups, AContainerSeesItsOwnGroupAsTheRoot) {
  put("cpu.max", "1550000 100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root(), "0::/\n"), 15.5);
}

TEST_F(Groups, TheFirstVersionIsReadToo) {
  put("cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  put("cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  put("cpu,cpuacct/a/cpu.cfs_quota_us", "250000\n");
  put("cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root(), "5:memory:/x\n4:cpu,cpuacct:/a\n"), 2.5);
  EXPECT_DOUBLE_EQ(cpu_quota(root(), "4:cpu,cpuacct:/\n"), 0);
}

TEST_F(Groups, NonsenseIsNoLimit) {
  put("cpu.max", "many\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root(), "0::/\nnonsense\n:\n"), 0);
  EXPECT_DOUBLE_EQ(cpu_quota(root() / "not" / "there", ""), 0);
}

TEST(UsableCores, AreAtLeastOne) { EXPECT_GE(usable_cores(), 1); }

}  // namespace
}  // namespace warpwright
