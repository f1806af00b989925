// SPDX-License-Identifier: Apache-2.0
// A CUDA program and its port run on the SIMT machine, with wavefronts of 32 and of 64 lanes. Then
// mistakes are planted in the port that only show with 64 lanes: each must be found with 64, and
// only with 64. Two of them are tried in every run, all where WARPWRIGHT_SLOW_TESTS is set.
#include "port/verify_cpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/files.h"
#include "support/places.h"

namespace warpwright::port {
namespace {

namespace fs = std::filesystem;
using testing::Optional;

/// What a warp computes in CUDA, and a port that is right with 32 lanes alone.
struct Planted {
  const char* name;
  const char* cuda;
  const char* hip;
};

// t: the thread's number of 128; v: its value. The result goes to r.
constexpr Planted kPlanted[] = {
    {"broadcast of the first lane", "r = __shfl_sync(~0u, v, 0);", "r = __shfl(v, 0);"},
    {"broadcast of the last lane", "r = __shfl_sync(~0u, v, 31);", "r = __shfl(v, 31);"},
    {"ballot cut to 32 bits", "r = __popc(__ballot_sync(~0u, v > 50));",
     "unsigned b = (unsigned)__ballot(v > 50); r = __popc(b);"},
    {"ballot of all lanes", "r = __popc(__ballot_sync(~0u, v > 50));",
     "r = __popcll(__ballot(v > 50));"},
    {"any", "r = __any_sync(~0u, t == 40);", "r = __any(t == 40);"},
    {"all", "r = __all_sync(~0u, t < 32);", "r = __all(t < 32);"},
    {"sum by warpSize", "r = v; for (int d = 16; d > 0; d /= 2) r += __shfl_xor_sync(~0u, r, d);",
     "r = v; for (int d = warpSize / 2; d > 0; d /= 2) r += __shfl_xor(r, d);"},
    {"scan by lane",
     "r = v; for (int d = 1; d < 32; d *= 2) { int o = __shfl_up_sync(~0u, r, d); "
     "if (t % 32 >= d) r += o; }",
     "r = v; for (int d = 1; d < 32; d *= 2) { int o = __shfl_up(r, d); "
     "if ((int)__lane_id() >= d) r += o; }"},
    {"results by warpSize",
     "__shared__ int s[8]; if (t < 8) s[t] = 0; __syncthreads(); if (t % 32 == 0) s[t / 32] = v; "
     "__syncthreads(); r = s[t / 32];",
     "__shared__ int s[8]; if (t < 8) s[t] = 0; __syncthreads(); "
     "if (t % warpSize == 0) s[t / warpSize] = v; __syncthreads(); r = s[t / 32];"},
    {"one leader", "r = __ffs(__ballot_sync(~0u, 1)) - 1 == t % 32;",
     "r = __ffsll(__ballot(1)) - 1 == (int)__lane_id();"},
    {"rank among the lanes before",
     "unsigned b = __ballot_sync(~0u, v > 50); r = __popc(b & ((1u << (t % 32)) - 1u));",
     "unsigned long long b = __ballot(v > 50); "
     "r = __builtin_amdgcn_mbcnt_hi((unsigned)(b >> 32), "
     "__builtin_amdgcn_mbcnt_lo((unsigned)b, 0u));"},
    {"a lane beyond the half", "r = __shfl_down_sync(~0u, v, 8);", "r = __shfl_down(v, 8);"},
};

std::string program_with(const std::string& body) {
  return R"(#include <cstdio>
#include <cuda_runtime.h>
__global__ void k(const int* in, int* out) {
  const int t = threadIdx.x;
  const int v = in[t];
  int r = 0;
  // begin
  )" + body +
         R"(
  // end
  out[t] = r;
}
int main() {
  int host[128];
  for (int i = 0; i < 128; ++i) host[i] = (i * 37 + 11) % 101;
  int *in, *out;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  k<<<1, 128>>>(in, out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  long long sum = 0;
  for (int i = 0; i < 128; ++i) sum = sum * 3 % 1000003 + host[i];
  printf("sum %lld\n", sum);
  cudaFree(in);
  cudaFree(out);
  return 0;
}
)";
}

class VerifyOnCpu : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const build::Toolchain tools = build::find_toolchain();
    if (!tools.supports(build::FrontEnd::clang)) return;
    auto sandbox = sandbox::Sandbox::open();
    ASSERT_TRUE(sandbox.ok()) << sandbox.error().message;
    auto made =
        build::Builder::create(*sandbox, tools, {.cache = build_path("/tests/flops_cache")});
    ASSERT_TRUE(made.ok()) << made.error().message;
    builder_ = std::make_unique<build::Builder>(std::move(*made));
  }
  static void TearDownTestSuite() { builder_.reset(); }
  void SetUp() override {
    if (builder_ == nullptr) GTEST_SKIP() << "there is no clang";
    auto made = TemporaryDirectory::create("port-verify-");
    ASSERT_TRUE(made.ok());
    folder_ = std::make_unique<TemporaryDirectory>(std::move(*made));
  }

  CarriedProject port(const std::string& text, Direction direction = Direction::to_hip) {
    const fs::path in = folder_->path() / "in", out = folder_->path() / "out";
    fs::remove_all(in);
    fs::remove_all(out);
    EXPECT_TRUE(make_directories(in).ok());
    EXPECT_TRUE(write_file(in / "main.cu", text).ok());
    auto project = carry_over({in / "main.cu", out, direction});
    EXPECT_TRUE(project.ok());
    return project.ok() ? std::move(*project) : CarriedProject{};
  }
  static CpuVerdict verdict_on(const CarriedProject& project,
                               Direction direction = Direction::to_hip,
                               const RunProof& proof = {}) {
    auto verdict = verify_on_cpu(project, direction, proof, *builder_);
    EXPECT_TRUE(verdict.ok()) << verdict.error().message;
    return verdict.ok() ? *verdict : CpuVerdict{};
  }
  static std::string notes_of(const CpuVerdict& verdict) {
    std::string text;
    for (const std::string& note : verdict.notes) text += note + "\n";
    return text;
  }

  void expect_right(const Planted& planted) {
    const CpuVerdict verdict = verdict_on(port(program_with(planted.cuda)));
    EXPECT_THAT(verdict.wave32, Optional(true)) << planted.name << ": " << notes_of(verdict);
    EXPECT_THAT(verdict.wave64, Optional(true)) << planted.name << ": " << notes_of(verdict);
  }
  void expect_found(const Planted& planted) {
    const CarriedProject project = port(program_with(planted.cuda));
    auto text = read_file(project.units.at(0).path);
    ASSERT_TRUE(text.ok());
    const std::size_t begin = text->find("// begin"), end = text->find("// end");
    ASSERT_NE(end, std::string::npos);
    text->replace(begin, end - begin, std::string("// begin\n  ") + planted.hip + "\n  ");
    ASSERT_TRUE(write_file(project.units[0].path, *text).ok());
    const CpuVerdict verdict = verdict_on(project);
    EXPECT_THAT(verdict.wave32, Optional(true)) << planted.name << ": " << notes_of(verdict);
    EXPECT_THAT(verdict.wave64, Optional(false)) << planted.name << ": " << notes_of(verdict);
  }

  static std::unique_ptr<build::Builder> builder_;
  std::unique_ptr<TemporaryDirectory> folder_;
};

std::unique_ptr<build::Builder> VerifyOnCpu::builder_;

TEST_F(VerifyOnCpu, APortIsRightAndAPlantedMistakeIsFound) {
  expect_right(kPlanted[6]);
  expect_found(kPlanted[2]);
}

TEST_F(VerifyOnCpu, AllPorts) {
  if (std::getenv("WARPWRIGHT_SLOW_TESTS") == nullptr)
    GTEST_SKIP() << "needs WARPWRIGHT_SLOW_TESTS";
  for (const Planted& planted : kPlanted) expect_right(planted);
}

TEST_F(VerifyOnCpu, AllPlantedMistakes) {
  static_assert(std::size(kPlanted) == 12);
  if (std::getenv("WARPWRIGHT_SLOW_TESTS") == nullptr)
    GTEST_SKIP() << "needs WARPWRIGHT_SLOW_TESTS";
  for (const Planted& planted : kPlanted) expect_found(planted);
}

TEST_F(VerifyOnCpu, WhatCannotBeRunIsSaid) {
  if (std::getenv("WARPWRIGHT_SLOW_TESTS") == nullptr)
    GTEST_SKIP() << "needs WARPWRIGHT_SLOW_TESTS";
  RunProof little;
  little.budget = 10;
  const CpuVerdict verdict = verdict_on(port(program_with("r = v;")), Direction::to_hip, little);
  EXPECT_EQ(verdict.wave32, std::nullopt);
  EXPECT_EQ(verdict.wave64, std::nullopt);
  EXPECT_THAT(notes_of(verdict), testing::HasSubstr("--budget"));
}

}  // namespace
}  // namespace warpwright::port
