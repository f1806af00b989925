// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/files.h"
#include "sandbox/sandbox.h"

namespace warpwright::sandbox {
namespace {

namespace fs = std::filesystem;

/// A service of the machine's as others have them in /run and /tmp: by path and by abstract name.
class LocalService {
 public:
  explicit LocalService(const fs::path& folder) {
    const std::string abstract = std::string(1, '\0') + "ww-" + std::to_string(::getpid());
    bind_to(SOCK_STREAM, (folder / "stream").string());
    bind_to(SOCK_DGRAM, (folder / "datagram").string());
    bind_to(SOCK_STREAM, abstract);
  }
  LocalService(const LocalService&) = delete;
  ~LocalService() {
    for (const int fd : sockets_) ::close(fd);
  }
  [[nodiscard]] bool listens() const { return listens_; }

  static socklen_t address_of(const std::string& name, sockaddr_un& address) {
    address = {};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), std::min(name.size(), sizeof address.sun_path));
    return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  }

 private:
  void bind_to(int type, const std::string& name) {
    const int fd = ::socket(AF_UNIX, type, 0);
    sockaddr_un address;
    const socklen_t length = address_of(name, address);
    listens_ = listens_ && ::bind(fd, reinterpret_cast<sockaddr*>(&address), length) == 0 &&
               (type != SOCK_STREAM || ::listen(fd, 16) == 0);
    if (name[0] != '\0') ::chmod(name.c_str(), 0777);
    sockets_.push_back(fd);
  }
  std::vector<int> sockets_;
  bool listens_ = true;
};

bool connects(int type, const std::string& name) {
  sockaddr_un address;
  const socklen_t length = LocalService::address_of(name, address);
  const int fd = ::socket(AF_UNIX, type, 0);
  return fd >= 0 && ::connect(fd, reinterpret_cast<sockaddr*>(&address), length) == 0;
}

/// Without any call of socket() or connect().
bool a_pair_sends(const std::string& name) {
  sockaddr_un address;
  const socklen_t length = LocalService::address_of(name, address);
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0) return false;
  return ::sendto(ends[0], "x", 1, 0, reinterpret_cast<sockaddr*>(&address), length) == 1;
}

/// Not a test of its own: what the next one runs inside of a sandbox.
TEST(SandboxVisitor, KnocksAtLocalServices) {
  const char* folder = std::getenv("WARPWRIGHT_TEST_FOLDER");
  if (folder == nullptr) GTEST_SKIP() << "part of ReachNoLocalService";
  const std::string stream = std::string(folder) + "/stream";
  const std::string datagram = std::string(folder) + "/datagram";
  const std::string abstract = std::string(1, '\0') + std::getenv("WARPWRIGHT_TEST_NAME");
  if (connects(SOCK_STREAM, stream)) std::printf("[reached stream]\n");
  if (connects(SOCK_DGRAM, datagram)) std::printf("[reached datagram]\n");
  if (a_pair_sends(datagram)) std::printf("[reached pair]\n");
  if (connects(SOCK_STREAM, abstract)) std::printf("[reached abstract]\n");
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0)
    std::printf("[has a pair]\n");
}

class SandboxSockets : public ::testing::TestWithParam<Level> {};

TEST_P(SandboxSockets, ReachNoLocalService) {
  const auto box = Sandbox::open({.level = GetParam()});
  if (!box.ok()) GTEST_SKIP() << box.error().message;
  const auto folder = TemporaryDirectory::create("warpwright-test-");
  ASSERT_TRUE(folder.ok());
  fs::permissions(folder->path(), fs::perms(0755));
  const LocalService service(folder->path());
  ASSERT_TRUE(service.listens());
  fs::copy_file(fs::read_symlink("/proc/self/exe"), folder->path() / "test");
  Request request;
  request.argv = {(folder->path() / "test").string(), "--gtest_filter=SandboxVisitor.*"};
  request.env = {"PATH=/usr/bin:/bin", "ASAN_OPTIONS=detect_leaks=0",
                 "WARPWRIGHT_TEST_FOLDER=" + folder->path().string(),
                 "WARPWRIGHT_TEST_NAME=ww-" + std::to_string(::getpid())};
  request.limits.memory_bytes = 0;
  Command outside;
  outside.argv = request.argv;
  outside.env = request.env;
  const auto reference = run_process(outside);
  ASSERT_TRUE(reference.ok());
  for (const std::string way : {"stream", "datagram", "pair", "abstract"}) {
    EXPECT_NE(reference->out.find("[reached " + way), std::string::npos) << "the service must work";
  }
  // Even where its folder is one that the program may read.
  request.readable = {folder->path()};
  const auto exit = box->run(request);
  ASSERT_TRUE(exit.ok());
  EXPECT_EQ(exit->out.find("[reached"), std::string::npos) << exit->out;
  EXPECT_NE(exit->out.find("[has a pair]"), std::string::npos) << exit->out << exit->err;
}

INSTANTIATE_TEST_SUITE_P(Levels, SandboxSockets,
                         ::testing::Values(Level::bubblewrap, Level::namespaces, Level::landlock),
                         [](const auto& which) { return std::string(name_of(which.param)); });

}  // namespace
}  // namespace warpwright::sandbox
