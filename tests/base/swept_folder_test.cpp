// SPDX-License-Identifier: Apache-2.0
#include "base/swept_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

namespace warpwright {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "warpwright-left-";

std::size_t entries_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

void make_old(const fs::path& parent) {
  for (const auto& entry : fs::directory_iterator(parent))
    fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::hours(1));
}

TEST(SweptFolder, LeavesNothingBehind) {
  const auto parent = TemporaryDirectory::create("ww-swept-").value();
  {
    const auto folder = SweptFolder::create_in(parent.path(), kPrefix);
    ASSERT_TRUE(folder.ok());
    EXPECT_TRUE(fs::is_directory(folder->path()));
  }
  EXPECT_EQ(entries_in(parent.path()), 0U);
}

TEST(SweptFolder, WhatADeadProcessLeftIsTakenAway) {
  const auto parent = TemporaryDirectory::create("ww-swept-").value();
  const pid_t child = ::fork();
  if (child == 0) {
    const auto folder = SweptFolder::create_in(parent.path(), kPrefix);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(entries_in(parent.path()), 2U);
  sweep_folders(parent.path(), kPrefix);
  EXPECT_EQ(entries_in(parent.path()), 2U) << "one that is being made looks the same";
  make_old(parent.path());
  sweep_folders(parent.path(), kPrefix);
  EXPECT_EQ(entries_in(parent.path()), 0U);
}

TEST(SweptFolder, ALiveOneStays) {
  const auto parent = TemporaryDirectory::create("ww-swept-").value();
  const auto folder = SweptFolder::create_in(parent.path(), kPrefix);
  ASSERT_TRUE(folder.ok());
  make_old(parent.path());
  const auto other = SweptFolder::create_in(parent.path(), kPrefix);
  ASSERT_TRUE(other.ok());
  EXPECT_TRUE(fs::is_directory(folder->path()));
}

}  // namespace
}  // namespace warpwright
