// SPDX-License-Identifier: Apache-2.0
// Candidates for devices of AMD: compiled by their own compiler, built for the SIMT machine with
// their wavefronts.
#include "evaluate/hip_build.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/device_facts.h"
#include "port/prove.h"
#include "support/places.h"

namespace warpwright::evaluate {
namespace {

using testing::HasSubstr;

constexpr const char* kHip = R"(#include <hip/hip_runtime.h>
__global__ void k(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? in[i] : 0;
  for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_xor(v, d);
  if (i < n) out[i] = v;
}
extern "C" void solve(const float* in, float* out, int n) {
  hipLaunchKernelGGL(k, dim3((n + 255) / 256), dim3(256), 0, 0, in, out, n);
}
)";

constexpr const char* kCuda = R"(__global__ void k(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? in[i] : 0;
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  if (i < n) out[i] = v;
}
extern "C" void solve(const float* in, float* out, int n) { k<<<(n + 255) / 256, 256>>>(in, out, n); }
)";

class HipBuild : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto tools = port::find_port_tools();
    if (tools.clang.empty() || tools.hip_include.empty() || tools.device_libraries.empty())
      GTEST_SKIP() << "clang 19, HIP's headers or device libraries are missing";
  }
  static build::BuildOutcome built(const std::string& source) {
    const auto sandbox = sandbox::Sandbox::open();
    const auto builder = build::Builder::create(*sandbox, build::find_toolchain(),
                                                {.cache = build_path("/tests/hip_cache")});
    EXPECT_TRUE(builder.ok());
    build::BuildRequest request;
    request.source = source;
    request.arguments = {{true}, {true}, {false, ElementType::i32}};
    request.signature = "extern \"C\" void solve(const float* in, float* out, int n)";
    request.target = *known_device(GetParam());
    request.front_end = build::FrontEnd::clang;
    auto outcome = build_hip(std::move(request), *builder, nullptr);
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    return outcome.ok() ? *outcome : build::BuildOutcome{};
  }
};

TEST_P(HipBuild, TakesHipAndCuda) {
  for (const char* source : {kHip, kCuda}) {
    const auto outcome = built(source);
    EXPECT_EQ(outcome.verdict, Verdict::ok) << outcome.reason;
    ASSERT_EQ(outcome.resources.size(), 1U);
    EXPECT_GT(outcome.resources[0].registers, 0);
    EXPECT_THAT(outcome.ptx, HasSubstr(".entry"));
    EXPECT_FALSE(outcome.host_library.empty());
  }
}

TEST_P(HipBuild, SaysWhatTheDevicesOwnCompilerSays) {
  std::string source = kHip;
  source.replace(source.find("warpSize / 2"), 12, "nobody_knows");
  const auto outcome = built(source);
  EXPECT_EQ(outcome.verdict, Verdict::compile_error);
  ASSERT_FALSE(outcome.diagnostics.empty());
  EXPECT_EQ(outcome.diagnostics[0].line, 5);
  EXPECT_THAT(outcome.reason, HasSubstr("nobody_knows"));
}

INSTANTIATE_TEST_SUITE_P(Devices, HipBuild, testing::Values("mi300x", "rx7900"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace warpwright::evaluate
