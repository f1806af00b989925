// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "device/cuda_device.h"
#include "sandbox/sandbox.h"

namespace warpwright::sandbox {
namespace {

constexpr const char* kProgram =
    "import ctypes\n"
    "driver = ctypes.CDLL('libcuda.so.1')\n"
    "context = ctypes.c_void_p()\n"
    "print(driver.cuInit(0), driver.cuCtxCreate_v2(ctypes.byref(context), 0, 0))\n";

class WalledCuda : public testing::TestWithParam<Level> {
 protected:
  static std::string driver_says(const Sandbox& box, bool gpu) {
    Request request;
    request.argv = {"/usr/bin/python3", "-c", kProgram};
    request.env = {"PATH=/usr/bin:/bin"};
    request.limits.memory_bytes = 0;
    request.gpu = gpu;
    const auto exit = box.run(request);
    return exit.ok() ? exit->out + exit->err : exit.error().message;
  }
};

// A PyTorch module's reference is such a program.
TEST_P(WalledCuda, StartsWhereItIsAskedForAlone) {
  if (!device::cuda_available()) GTEST_SKIP() << "no GPU here";
  if (!std::filesystem::exists("/usr/bin/python3"))
    GTEST_SKIP() << "the system's python3 is not here";
  const auto box = Sandbox::open({.level = GetParam()});
  if (!box.ok()) GTEST_SKIP() << box.error().message;
  EXPECT_EQ(driver_says(*box, true), "0 0\n");
  EXPECT_NE(driver_says(*box, false), "0 0\n");
}

INSTANTIATE_TEST_SUITE_P(Levels, WalledCuda,
                         testing::Values(Level::bubblewrap, Level::namespaces, Level::landlock),
                         [](const auto& which) { return std::string(name_of(which.param)); });

}  // namespace
}  // namespace warpwright::sandbox
