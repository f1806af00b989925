// SPDX-License-Identifier: Apache-2.0
#include "mcp/folders.h"

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suite/scaffold.h"

namespace warpwright::mcp {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FoldersTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(make_directories(allowed_ / "sub").ok());
    ASSERT_TRUE(make_directories(home_.path() / "allowed_too").ok());
    ASSERT_TRUE(write_file(home_.path() / "secret", "secret").ok());
    ASSERT_TRUE(write_file(home_.path() / "allowed_too" / "secret", "secret").ok());
    ASSERT_TRUE(write_file(allowed_ / "sub" / "a.cu", "source").ok());
  }
  std::string why(const std::string& path) {
    const auto text = folders_.read(path);
    return text.ok() ? "read: " + *text : text.error().message;
  }

  TemporaryDirectory home_ = std::move(TemporaryDirectory::create("ww-folders-")).value();
  fs::path allowed_ = fs::canonical(home_.path()) / "allowed";
  bool made_ = make_directories(allowed_).ok();
  Folders folders_ = std::move(Folders::open({allowed_.string()})).value();
};

TEST_F(FoldersTest, ReadsBelowByEitherPath) {
  EXPECT_EQ(*folders_.read("sub/a.cu"), "source");
  EXPECT_EQ(*folders_.read("./sub//a.cu"), "source");
  EXPECT_EQ(*folders_.read((allowed_ / "sub/a.cu").string()), "source");
}

TEST_F(FoldersTest, NothingLeadsOut) {
  ASSERT_EQ(::symlink((home_.path() / "secret").c_str(), (allowed_ / "link").c_str()), 0);
  ASSERT_EQ(::symlink(home_.path().c_str(), (allowed_ / "out").c_str()), 0);
  ASSERT_EQ(::symlink("sub", (allowed_ / "inside").c_str()), 0);
  EXPECT_THAT(why("../secret"), HasSubstr("'..'"));
  EXPECT_THAT(why("sub/../../secret"), HasSubstr("'..'"));
  EXPECT_THAT(why((allowed_ / ".." / "secret").string()), HasSubstr("'..'"));
  EXPECT_THAT(why("link"), HasSubstr("symbolic link"));
  EXPECT_THAT(why("out/secret"), HasSubstr("symbolic link"));
  EXPECT_THAT(why("inside/a.cu"), HasSubstr("symbolic link"));
  EXPECT_THAT(why((home_.path() / "secret").string()), HasSubstr("outside"));
  EXPECT_THAT(why(allowed_.string() + "_too/secret"), HasSubstr("outside"));
  EXPECT_THAT(why("/etc/passwd"), HasSubstr("outside"));
  EXPECT_THAT(why("/proc/self/root/etc/passwd"), HasSubstr("outside"));
  EXPECT_THAT(why(std::string("sub/a.cu\0x", 10)), HasSubstr("not a path"));
  EXPECT_THAT(why(""), HasSubstr("not a path"));
  EXPECT_THAT(why(std::string(5000, 'a')), HasSubstr("not a path"));
  EXPECT_THAT(why("sub"), HasSubstr("plain file"));
  EXPECT_THAT(why("."), HasSubstr("folder"));
}

TEST_F(FoldersTest, PipesAndGiantFilesAreRefused) {
  ASSERT_EQ(::mkfifo((allowed_ / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(why("pipe"), HasSubstr("plain file"));
  ASSERT_TRUE(write_file(allowed_ / "giant", std::string(kMaxSourceBytes + 1, 'x')).ok());
  EXPECT_THAT(why("giant"), HasSubstr("larger"));
}

TEST_F(FoldersTest, ATaskWithCodeOutsideOfTheSandboxIsRefused) {
  ASSERT_TRUE(suite::write_new_task("mine", allowed_).ok());
  EXPECT_THAT(folders_.task("mine").error().message, HasSubstr("outside of the sandbox"));
  fs::remove(allowed_ / "mine" / "reference.cpp");
  EXPECT_EQ(folders_.task("mine")->name, "mine");
  EXPECT_EQ(folders_.task((allowed_ / "mine").string())->name, "mine");
  ASSERT_TRUE(write_file(allowed_ / "mine" / "reference.cpp", "int x = system(\"true\");").ok());
  EXPECT_THAT(folders_.task("mine").error().message, HasSubstr("outside of the sandbox"));
  fs::remove(allowed_ / "mine" / "reference.cpp");
  ASSERT_EQ(::symlink("/etc/passwd", (allowed_ / "mine" / "reference.cu").c_str()), 0);
  EXPECT_THAT(folders_.task("mine").error().message, HasSubstr("symbolic link"));
}

TEST_F(FoldersTest, MakesNewFoldersOnly) {
  EXPECT_EQ(*folders_.make("sub/new", {{"a", "1"}}), (allowed_ / "sub/new").string());
  EXPECT_EQ(*read_file(allowed_ / "sub/new/a"), "1");
  EXPECT_THAT(folders_.make("sub/new", {}).error().message, HasSubstr("already there"));
  EXPECT_THAT(folders_.make("none/new", {}).error().message, HasSubstr("cannot be opened"));
  ASSERT_EQ(::symlink(home_.path().c_str(), (allowed_ / "out").c_str()), 0);
  EXPECT_THAT(folders_.make("out/new", {}).error().message, HasSubstr("symbolic link"));
  EXPECT_FALSE(folders_.make("../new", {}).ok());
  EXPECT_FALSE(folders_.make("", {}).ok());
}

TEST(Folders, WithoutAnyNothingIsTouched) {
  const auto none = std::move(Folders::open({})).value();
  EXPECT_THAT(none.read("/etc/passwd").error().message, HasSubstr("--allow"));
  EXPECT_FALSE(Folders::open({"/no/such/folder"}).ok());
}

}  // namespace
}  // namespace warpwright::mcp
