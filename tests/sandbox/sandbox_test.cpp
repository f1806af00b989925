// SPDX-License-Identifier: Apache-2.0
#include "sandbox/sandbox.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <thread>

#include "base/files.h"

namespace warpwright::sandbox {
namespace {

using std::chrono::milliseconds;
namespace fs = std::filesystem;

class SandboxTest : public ::testing::TestWithParam<Level> {
 protected:
  void SetUp() override {
    auto opened = Sandbox::open({.level = GetParam()});
    if (!opened.ok()) GTEST_SKIP() << opened.error().message;
    box_.emplace(*opened);
    ASSERT_EQ(box_->level(), GetParam());
  }

  [[nodiscard]] bool has_namespaces() const { return GetParam() != Level::landlock; }

  static Request shell(const std::string& script) {
    Request request;
    request.argv = {"/bin/sh", "-c", script};
    request.env = {"PATH=/usr/bin:/bin"};
    request.limits.wall = milliseconds(10'000);
    return request;
  }

  ProcessExit run(const Request& request) {
    auto exit = box_->run(request);
    EXPECT_TRUE(exit.ok()) << exit.error().message;
    return exit.ok() ? std::move(*exit) : ProcessExit{};
  }

  ProcessExit run(const std::string& script) { return run(shell(script)); }

  std::optional<Sandbox> box_;
};

/// Processes of this machine whose command line holds the mark.
int count_processes(const std::string& mark) {
  int count = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto line = read_file(entry.path() / "cmdline");
    if (line.ok() && line->find(mark) != std::string::npos) ++count;
  }
  return count;
}

bool wait_until_gone(const std::string& mark) {
  for (int i = 0; i < 200; ++i) {
    if (count_processes(mark) == 0) return true;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return false;
}

/// A word that no other process on the machine carries.
std::string fresh_mark() {
  static int number = 0;
  return "8" + std::to_string(::getpid()) + "." + std::to_string(++number);
}

TEST_P(SandboxTest, RunsAProgramAndReportsItsEnd) {
  EXPECT_EQ(run("echo hello; echo oops >&2").out, "hello\n");
  EXPECT_EQ(run("echo hello; echo oops >&2").err, "oops\n");
  EXPECT_EQ(run("exit 7").exit_code, 7);
  const auto killed = run("kill -SEGV $$");
  EXPECT_EQ(killed.signal, SIGSEGV);
  EXPECT_EQ(killed.exit_code, -1);
  Request cat = shell("cat");
  cat.stdin_text = std::string(300'000, 'x');
  EXPECT_EQ(run(cat).out.size(), 300'000U);
}

TEST_P(SandboxTest, ProgramsThatAreNotThereAreErrors) {
  Request request;
  request.argv = {"/nonexistent/program"};
  EXPECT_FALSE(box_->run(request).ok());
}

TEST_P(SandboxTest, SeesNoFilesOfTheMachine) {
  const auto folder = TemporaryDirectory::create("warpwright-secret-");
  ASSERT_TRUE(folder.ok());
  ASSERT_TRUE(write_file(folder->path() / "secret", "secret").ok());
  fs::permissions(folder->path(), fs::perms(0755));
  for (const auto& path : {std::string("/etc/passwd"), std::string("/etc/hostname"),
                           (folder->path() / "secret").string()}) {
    ASSERT_TRUE(fs::exists(path));
    EXPECT_FALSE(run("exec cat " + path).succeeded()) << path;
  }
  for (const std::string path : {"/root", "/home", "/var/lib"}) {
    const auto listing = run("ls -A " + path);
    EXPECT_TRUE(!listing.succeeded() || listing.out.empty()) << path << ": " << listing.out;
  }
}

TEST_P(SandboxTest, ReadsWhatIsReadableAndWritesWhatIsWritable) {
  const auto folder = TemporaryDirectory::create("warpwright-test-");
  ASSERT_TRUE(folder.ok());
  fs::permissions(folder->path(), fs::perms(0755));
  fs::create_directories(folder->path() / "in");
  fs::create_directories(folder->path() / "out");
  ASSERT_TRUE(write_file(folder->path() / "in" / "data", "input").ok());
  Request request = shell("cat ../in/data > result && ! (echo x > ../in/data) 2>/dev/null");
  request.cwd = folder->path() / "out";
  request.readable = {folder->path() / "in"};
  request.writable = {folder->path() / "out"};
  const auto exit = run(request);
  EXPECT_TRUE(exit.succeeded()) << exit.describe() << exit.err;
  EXPECT_EQ(read_file(folder->path() / "out" / "result").value(), "input");
  EXPECT_EQ(read_file(folder->path() / "in" / "data").value(), "input");
}

TEST_P(SandboxTest, LinkedFoldersCanBeNamed) {
  const auto folder = TemporaryDirectory::create("warpwright-test-");
  ASSERT_TRUE(folder.ok());
  fs::permissions(folder->path(), fs::perms(0755));
  fs::create_directories(folder->path() / "real");
  ASSERT_TRUE(write_file(folder->path() / "real" / "data", "input").ok());
  fs::create_directory_symlink(folder->path() / "real", folder->path() / "link");
  Request request = shell("exec cat " + (folder->path() / "link" / "data").string());
  request.readable = {folder->path() / "link"};
  const auto exit = run(request);
  EXPECT_EQ(exit.out, "input") << exit.err;
}

TEST_P(SandboxTest, CannotWriteOutside) {
  const auto folder = TemporaryDirectory::create("warpwright-test-");
  ASSERT_TRUE(folder.ok());
  fs::permissions(folder->path(), fs::perms(0777));
  for (const std::string path : {"/usr/warpwright", "/etc/warpwright", "/var/tmp/warpwright",
                                 "/warpwright", "/dev/warpwright"}) {
    const bool kept = run("echo x > " + path).succeeded() && fs::exists(path);
    EXPECT_FALSE(kept) << path;
    EXPECT_FALSE(fs::exists(path)) << path;
  }
  run("echo x > " + folder->path().string() + "/file");
  EXPECT_FALSE(fs::exists(folder->path() / "file"));
}

TEST_P(SandboxTest, ScratchIsPrivateAndVanishes) {
  const auto first = run("echo x > $TMPDIR/mark && ls $TMPDIR && echo $TMPDIR $HOME");
  ASSERT_TRUE(first.succeeded()) << first.err;
  EXPECT_EQ(first.out.substr(0, 5), "mark\n");
  const auto second = run("ls -A $TMPDIR");
  EXPECT_EQ(second.out, "");
  if (!has_namespaces()) return;
  EXPECT_FALSE(fs::exists("/tmp/mark"));
  EXPECT_TRUE(run("echo x > /dev/shm/mark").succeeded());
  EXPECT_FALSE(fs::exists("/dev/shm/mark"));
  Request full = shell("head -c 40000000 /dev/zero > /tmp/large");
  full.limits.scratch_bytes = 8 << 20;
  EXPECT_FALSE(run(full).succeeded());
}

TEST_P(SandboxTest, InheritsNoDescriptors) {
  // As a shell's "3>log" leaves one: not closed by exec.
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::dup2(ends[1], 77), 77);
  const auto exit = run("ls /proc/self/fd; echo secret >&77");
  EXPECT_NE(exit.exit_code, 0) << exit.out;
  EXPECT_EQ(exit.out.find("77"), std::string::npos) << exit.out;
  for (const int fd : {ends[0], ends[1], 77}) ::close(fd);
}

TEST_P(SandboxTest, HasNoNetwork) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_GE(listener, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener, 4), 0);
  socklen_t length = sizeof address;
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length);
  Request request;
  request.argv = {"/bin/bash", "-c",
                  "exec 3<>/dev/tcp/127.0.0.1/" + std::to_string(ntohs(address.sin_port))};
  request.env = {"PATH=/usr/bin:/bin"};
  Command outside;
  outside.argv = request.argv;
  const auto reference = run_process(outside);
  ASSERT_TRUE(reference.ok() && reference->succeeded()) << "the listener must work at all";
  EXPECT_FALSE(run(request).succeeded());
  ::close(listener);
}

TEST_P(SandboxTest, CannotReachOtherProcesses) {
  const pid_t other = ::fork();
  if (other == 0) {
    ::execl("/bin/sleep", "sleep", "100", nullptr);
    ::_exit(127);
  }
  EXPECT_FALSE(run("kill -9 " + std::to_string(other)).succeeded());
  EXPECT_EQ(::waitpid(other, nullptr, WNOHANG), 0) << "it must still live";
  EXPECT_FALSE(run("exec cat /proc/" + std::to_string(other) + "/environ").succeeded());
  if (has_namespaces()) {
    const auto listing = run("ls -d /proc/[0-9]* | wc -l");
    EXPECT_LE(std::atoi(listing.out.c_str()), 6) << listing.out;
  }
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
}

TEST_P(SandboxTest, EnvironmentIsTheGivenOne) {
  ::setenv("WARPWRIGHT_SECRET", "key", 1);
  Request request;
  request.argv = {"/usr/bin/env"};
  request.env = {"NAME=value"};
  const auto exit = run(request);
  ::unsetenv("WARPWRIGHT_SECRET");
  EXPECT_NE(exit.out.find("NAME=value\n"), std::string::npos);
  EXPECT_EQ(exit.out.find("WARPWRIGHT_SECRET"), std::string::npos);
  for (const std::string_view name : {"USER=", "SSH_", "API", "LD_"}) {
    EXPECT_EQ(exit.out.find(name), std::string::npos) << exit.out;
  }
}

TEST_P(SandboxTest, HasNoPrivileges) {
  EXPECT_FALSE(run("unshare -r true").succeeded());
  EXPECT_FALSE(run("unshare -m true").succeeded());
  EXPECT_FALSE(run("mount -t tmpfs none /tmp").succeeded());
  const auto status = run("grep -E 'CapEff|NoNewPrivs|Seccomp:' /proc/self/status");
  if (status.succeeded()) {
    EXPECT_NE(status.out.find("CapEff:\t0000000000000000"), std::string::npos) << status.out;
    EXPECT_NE(status.out.find("NoNewPrivs:\t1"), std::string::npos) << status.out;
    EXPECT_NE(status.out.find("Seccomp:\t2"), std::string::npos) << status.out;
  }
  EXPECT_NE(run("id -u").out, "0\n");
}

TEST_P(SandboxTest, TimeIsLimited) {
  Request late = shell("sleep 30");
  late.limits.wall = milliseconds(200);
  const auto exit = run(late);
  EXPECT_TRUE(exit.timed_out);
  EXPECT_LT(exit.wall_s, 3.0);
  Request busy = shell("while :; do :; done");
  busy.limits.cpu_s = 1;
  const auto burnt = run(busy);
  EXPECT_FALSE(burnt.succeeded());
  EXPECT_FALSE(burnt.timed_out);
  EXPECT_EQ(burnt.signal, SIGXCPU);
}

TEST_P(SandboxTest, MemoryIsLimited) {
  Request request = shell("exec dd if=/dev/zero of=/dev/null bs=200M count=1");
  EXPECT_TRUE(run(request).succeeded());
  request.limits.memory_bytes = std::uint64_t{100} << 20;
  EXPECT_FALSE(run(request).succeeded());
}

TEST_P(SandboxTest, FilesAreLimited) {
  Request request = shell("exec head -c 20000000 /dev/zero > $TMPDIR/file");
  EXPECT_TRUE(run(request).succeeded());
  request.limits.file_bytes = 1 << 20;
  EXPECT_FALSE(run(request).succeeded());
}

TEST_P(SandboxTest, OutputIsCapped) {
  // A gigabyte at the level that most machines use, less at the others to save time.
  const bool most = GetParam() == Level::namespaces;
  Request request =
      shell(std::string("exec head -c ") + (most ? "1000000000" : "50000000") + " /dev/zero");
  request.limits.output_bytes = 1 << 20;
  request.limits.wall = milliseconds(30'000);
  const auto exit = run(request);
  EXPECT_EQ(exit.out.size(), std::size_t{1} << 20);
  EXPECT_TRUE(exit.output_truncated);
}

TEST_P(SandboxTest, ProcessesAreLimited) {
  const std::string mark = fresh_mark();
  Request request =
      shell("i=0; while [ $i -lt 100 ]; do sleep " + mark + " & i=$((i+1)); done; echo all");
  request.limits.processes = 20;
  const auto exit = run(request);
  EXPECT_EQ(exit.out.find("all"), std::string::npos);
  EXPECT_TRUE(wait_until_gone(mark));
}

TEST_P(SandboxTest, ForkBombsAreContained) {
  const std::string mark = fresh_mark();
  Request request = shell("f() { sleep " + mark + " | f | f & }; f; sleep 1");
  request.limits.wall = milliseconds(400);
  request.limits.processes = 40;
  run(request);
  EXPECT_TRUE(wait_until_gone(mark));
}

TEST_P(SandboxTest, NothingOutlivesTheCommand) {
  const std::string mark = fresh_mark();
  const auto exit = run("sleep " + mark + " >/dev/null 2>&1 & setsid sleep " + mark +
                        " >/dev/null 2>&1 & (sleep " + mark + " &) ; sleep 0.05; echo done");
  EXPECT_EQ(exit.out, "done\n");
  EXPECT_TRUE(wait_until_gone(mark));
}

TEST_P(SandboxTest, TheTreeDiesWithItsParent) {
  const std::string mark = fresh_mark();
  const pid_t parent = ::fork();
  if (parent == 0) {
    const Request request = shell("(sleep " + mark + " &); sleep " + mark + " & sleep " + mark);
    (void)box_->run(request).ok();
    ::_exit(0);
  }
  // The shell's own forks come and go.
  int most = 0;
  for (int i = 0; i < 300 && most < 3; ++i) {
    std::this_thread::sleep_for(milliseconds(10));
    most = std::max<int>(most, count_processes(mark));
  }
  EXPECT_GE(most, 3);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  EXPECT_TRUE(wait_until_gone(mark));
}

TEST_P(SandboxTest, AStopSignalEndsIt) {
  StopSignal stop;
  std::thread stopper([&stop] {
    std::this_thread::sleep_for(milliseconds(100));
    stop.request(StopReason::interrupted);
  });
  const auto exit = box_->run(shell("sleep 30"), &stop);
  stopper.join();
  ASSERT_TRUE(exit.ok());
  EXPECT_TRUE(exit->stopped);
  EXPECT_LT(exit->wall_s, 5.0);
}

/// As in a container where root may not mount: the judge's folders lie in one of root's own.
TEST_P(SandboxTest, AFolderBelowATemporaryOneIsReached) {
  const auto top = TemporaryDirectory::create("warpwright-sandbox-").value();
  const fs::path folder = top.path() / "inner";
  ASSERT_TRUE(make_directories(folder).ok());
  ASSERT_TRUE(write_file(folder / "a", "read\n").ok());
  Request request =
      shell("cat a '" + (folder / "a").string() + "'; ls '" + top.path().string() + "'");
  request.cwd = folder;
  request.readable = {folder};
  const auto exit = run(request);
  EXPECT_TRUE(exit.out.starts_with("read\nread\n")) << exit.out << exit.err;
  if (!has_namespaces()) {
    EXPECT_EQ(exit.out, "read\nread\n") << "the folder above is not shown";
  }
}

TEST_P(SandboxTest, WhatAGpuNeedsIsThereOnRequestAlone) {
  if (!fs::is_directory("/sys/bus/pci")) GTEST_SKIP() << "this machine lists no devices";
  EXPECT_NE(run("ls /sys/bus/pci/devices").exit_code, 0);
  Request request =
      shell("ls /sys/bus/pci/devices && (ls /dev || true) && ! touch /sys/x && ! cat /etc/passwd");
  request.gpu = true;
  const ProcessExit exit = run(request);
  EXPECT_EQ(exit.exit_code, 0) << exit.err;
  for (const char* device : {"nvidiactl", "nvidia0", "nvidia-uvm"}) {
    if (!has_namespaces()) break;  // /dev cannot be listed there
    EXPECT_EQ(fs::exists(fs::path("/dev") / device), exit.out.find(device) != std::string::npos)
        << device;
  }
}

TEST_P(SandboxTest, AListeningSocketIsThereForAGpuAlone) {
  if (!fs::exists("/usr/bin/python3")) GTEST_SKIP() << "the system's python3 is not here";
  const std::string listen =
      "import socket; s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); "
      "s.bind(b'\\0ww-listening'); s.listen(1); print('listens'); ";
  Request request = shell("true");
  request.argv = {"/usr/bin/python3", "-c", listen + "s.connect(b'\\0ww-listening')"};
  EXPECT_EQ(run(request).out, "");
  request.gpu = true;
  const ProcessExit exit = run(request);
  EXPECT_EQ(exit.out, "listens\n") << exit.err;
  EXPECT_NE(exit.exit_code, 0) << "nothing can be connected to";
}

TEST_P(SandboxTest, SeveralAtOnce) {
  std::vector<std::thread> threads;
  std::array<std::string, 6> outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    threads.emplace_back(
        [this, i, &outputs] { outputs[i] = run("echo " + std::to_string(i)).out; });
  }
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < outputs.size(); ++i) EXPECT_EQ(outputs[i], std::to_string(i) + "\n");
}

INSTANTIATE_TEST_SUITE_P(Levels, SandboxTest,
                         ::testing::Values(Level::bubblewrap, Level::namespaces, Level::landlock),
                         [](const auto& which) { return std::string(name_of(which.param)); });

TEST(SandboxChoice, NoWallsOnlyOnRequest) {
  EXPECT_FALSE(Sandbox::open({.level = Level::none}).ok());
  const auto open = Sandbox::open({.level = Level::none, .allow_none = true});
  ASSERT_TRUE(open.ok());
  EXPECT_EQ(open->level(), Level::none);
  Request request;
  request.argv = {"/bin/echo", "plain"};
  EXPECT_EQ(open->run(request)->out, "plain\n");
}

TEST(SandboxChoice, ProbeCoversEveryLevelAndExplainsFailures) {
  const auto reports = probe();
  EXPECT_EQ(reports.size(), 3U);
  for (const auto& report : reports) {
    std::printf("%s: %s %s\n", std::string(name_of(report.level)).c_str(),
                report.works ? "works" : "does not work", report.why.c_str());
    EXPECT_EQ(report.works, report.why.empty());
  }
}

/// Our own Landlock level forbids namespaces as strict containers do, so it serves as one.
TEST(SandboxChoice, FallsBackWhereNamespacesAreForbidden) {
  const auto container = Sandbox::open({.level = Level::landlock});
  if (!container.ok()) GTEST_SKIP() << container.error().message;
  std::error_code code;
  const fs::path self = fs::read_symlink("/proc/self/exe", code);
  ASSERT_FALSE(code);
  const auto folder = TemporaryDirectory::create("warpwright-test-");
  ASSERT_TRUE(folder.ok());
  fs::permissions(folder->path(), fs::perms(0755));
  fs::copy_file(self, folder->path() / "test");
  Request request;
  request.argv = {(folder->path() / "test").string(), "--gtest_filter=SandboxChoice.Probe*"};
  request.env = {"PATH=/usr/bin:/bin", "ASAN_OPTIONS=detect_leaks=0"};
  request.readable = {folder->path()};
  request.limits.memory_bytes = 0;
  const auto exit = container->run(request);
  ASSERT_TRUE(exit.ok());
  EXPECT_NE(exit->out.find("bubblewrap: does not work"), std::string::npos) << exit->out;
  EXPECT_NE(exit->out.find("namespaces: does not work"), std::string::npos) << exit->out;
  EXPECT_NE(exit->out.find("landlock: works"), std::string::npos) << exit->out << exit->err;
}

TEST(SandboxLevel, NamesRoundTrip) {
  for (const auto level : {Level::none, Level::landlock, Level::namespaces, Level::bubblewrap}) {
    EXPECT_EQ(level_named(name_of(level)), level);
  }
  EXPECT_FALSE(level_named("castle").has_value());
}

}  // namespace
}  // namespace warpwright::sandbox
