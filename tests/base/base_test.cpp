// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/files.h"
#include "base/process.h"
#include "base/sha256.h"
#include "base/text.h"

namespace warpwright {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ProcessExit shell(const std::string& script, ProcessLimits limits = {},
                  const std::string& input = "") {
  Command command;
  command.argv = {"sh", "-c", script};
  command.env = {"PATH=/usr/bin:/bin", "GREETING=hello"};
  command.limits = limits;
  command.stdin_text = input;
  return run_process(command).value();
}

TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Text, DamagedBytesBecomeReplacementCharacters) {
  EXPECT_EQ(clean_utf8("caf\xC3\xA9\r\nx\x01\x7Fy\tz"), "caf\xC3\xA9\nxy\tz");
  EXPECT_EQ(clean_utf8("\xFFok\xC3"), "\xEF\xBF\xBDok\xEF\xBF\xBD");
  EXPECT_EQ(clean_utf8("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // a surrogate
  EXPECT_EQ(clean_utf8("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // overlong
}

TEST(Text, LinesAndShortening) {
  EXPECT_THAT(lines_of("a\r\nb\n\nc"), ElementsAre("a", "b", "", "c"));
  EXPECT_EQ(shortened("abcdef", 10), "abcdef");
  EXPECT_EQ(shortened("ab\xC3\xA9"
                      "cd",
                      3),
            "ab\n[... 4 more bytes]");
  EXPECT_EQ(trimmed(" \t x y \n"), "x y");
}

TEST(Files, AtomicWritesLeaveNoParts) {
  const auto folder = std::move(TemporaryDirectory::create("ww-base-")).value();
  const auto file = folder.path() / "a.txt";
  ASSERT_TRUE(write_file_durably(file, "one").ok());
  ASSERT_TRUE(write_file_durably(file, "two").ok());
  EXPECT_EQ(read_file(file).value(), "two");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  EXPECT_THAT(read_file(file, 2).error().message, HasSubstr("larger than"));
  EXPECT_THAT(read_file(folder.path()).error().message, HasSubstr("not a plain file"));
  EXPECT_THAT(write_file("/proc/none/x", "x").error().message, HasSubstr("/proc/none/x"));
}

TEST(Files, LocksDieWithTheirOwner) {
  const auto folder = std::move(TemporaryDirectory::create("ww-base-")).value();
  const auto path = folder.path() / "lock";
  {
    const auto lock = FileLock::acquire(path);
    ASSERT_TRUE(lock.ok());
    EXPECT_TRUE(FileLock::is_held(path));
    EXPECT_FALSE(FileLock::acquire(path).value().has_value());
  }
  EXPECT_FALSE(FileLock::is_held(path));
}

TEST(Files, ALockThatNobodyCanHaveIsAnError) {
  const auto folder = std::move(TemporaryDirectory::create("ww-base-")).value();
  const auto nowhere = FileLock::acquire(folder.path() / "gone" / "lock");
  ASSERT_FALSE(nowhere.ok());
  EXPECT_THAT(nowhere.error().message, HasSubstr("gone/lock"));
  EXPECT_FALSE(FileLock::acquire(folder.path()).ok());
}

TEST(Files, ReservedRoomIsThereFirstAndTheFileHasItsTrueLength) {
  const auto folder = std::move(TemporaryDirectory::create("ww-base-")).value();
  const auto path = folder.path() / "answer";
  const auto count = [&] {
    return std::distance(std::filesystem::directory_iterator(folder.path()), {});
  };
  {
    auto room = ReservedFile::create(path, 100'000);
    ASSERT_TRUE(room.ok()) << room.error().message;
    EXPECT_EQ(std::filesystem::file_size(path.string() + ".part"), 100'000U);
    EXPECT_FALSE(std::filesystem::exists(path));
    ASSERT_TRUE(room->commit("short").ok());
    EXPECT_EQ(read_file(path).value(), "short");
  }
  EXPECT_EQ(count(), 1);
  { const auto unused = ReservedFile::create(path, 10); }
  EXPECT_EQ(read_file(path).value(), "short");
  {
    auto room = ReservedFile::create(path, 10);
    ASSERT_TRUE(room->commit(std::string(1000, 'x')).ok());
    EXPECT_EQ(read_file(path).value(), std::string(1000, 'x'));
  }
  EXPECT_EQ(count(), 1);
}

TEST(Files, NoRoomIsAnErrorThatLeavesNothing) {
  const auto folder = std::move(TemporaryDirectory::create("ww-base-")).value();
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto room = ReservedFile::create(folder.path() / "answer", 100'000);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(room.ok());
  EXPECT_THAT(room.error().message, HasSubstr("no room for 100000 bytes"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Process, TheEnvironmentIsExactlyWhatWasGiven) {
  ::setenv("PLANTED_SECRET", "hush", 1);
  const auto exit = shell("env");
  EXPECT_THAT(exit.out, HasSubstr("GREETING=hello"));
  EXPECT_THAT(exit.out, testing::Not(HasSubstr("PLANTED_SECRET")));
}

TEST(Process, InputOutputAndCodesTravel) {
  const auto exit = shell("cat; echo oops >&2; exit 7", {}, std::string(300'000, 'i'));
  EXPECT_EQ(exit.exit_code, 7);
  EXPECT_EQ(exit.out.size(), 300'000u);
  EXPECT_EQ(exit.err, "oops\n");
  EXPECT_EQ(shell("exec true", {}, std::string(1 << 20, 'x')).exit_code, 0);  // input nobody reads
}

TEST(Process, TimeLimitsKillTheWholeGroup) {
  const auto folder = std::move(TemporaryDirectory::create("ww-base-")).value();
  const std::string mark = (folder.path() / "mark").string();
  ProcessLimits limits;
  limits.wall = std::chrono::milliseconds(200);
  const auto exit = shell("(sleep 1; touch " + mark + ") & sleep 30", limits);
  EXPECT_TRUE(exit.timed_out);
  EXPECT_LT(exit.wall_s, 5);
  std::this_thread::sleep_for(std::chrono::milliseconds(1300));
  EXPECT_FALSE(std::filesystem::exists(mark));
}

TEST(Process, OutputIsCappedAndCounted) {
  ProcessLimits limits;
  limits.output_bytes = 1000;
  const auto exit = shell("head -c 5000000 /dev/zero", limits);
  EXPECT_EQ(exit.exit_code, 0);
  EXPECT_EQ(exit.out.size(), 1000u);
  EXPECT_TRUE(exit.output_truncated);
}

TEST(Process, AStopSignalKills) {
  StopSignal stop;
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop.request(StopReason::interrupted);
  });
  Command command;
  command.argv = {"sleep", "30"};
  const auto exit = run_process(command, &stop);
  later.join();
  EXPECT_TRUE(exit->stopped);
  EXPECT_LT(exit->wall_s, 5);
}

TEST(Process, MissingProgramsAreErrors) {
  Command command;
  command.argv = {"no-such-program-here"};
  EXPECT_THAT(run_process(command).error().message, HasSubstr("not in PATH"));
  command.argv = {"/etc/hostname"};
  EXPECT_THAT(run_process(command).error().message, HasSubstr("/etc/hostname"));
}

TEST(Stop, TheFirstReasonWins) {
  StopSignal stop;
  EXPECT_FALSE(stop.requested());
  stop.request(StopReason::budget);
  stop.request(StopReason::interrupted);
  EXPECT_EQ(stop.reason(), StopReason::budget);
}

TEST(Stop, CtrlCSetsTheSignal) {
  StopSignal stop;
  const InterruptGuard guard(stop);
  ::raise(SIGINT);
  EXPECT_EQ(stop.reason(), StopReason::interrupted);
}

}  // namespace
}  // namespace warpwright
