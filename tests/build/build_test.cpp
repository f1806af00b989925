// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <thread>

#include "build/workbench.h"
#include "support/places.h"

namespace warpwright::build {
namespace {

const char* const kScale = R"(#include <cuda_runtime.h>
__global__ void scale(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}
extern "C" void solve(const float* x, float* y, int n) {
  scale<<<(n + 255) / 256, 256>>>(x, y, n);
}
)";

class BuildTest : public Workbench, public ::testing::WithParamInterface<FrontEnd> {};

TEST_P(BuildTest, GivesPtxAndAHostPart) {
  if (lacks(GetParam())) return;
  const auto built = build(request(kScale, GetParam()));
  ASSERT_EQ(built.verdict, Verdict::ok) << built.reason;
  EXPECT_EQ(built.front_end, GetParam());
  EXPECT_NE(built.ptx.find(".entry"), std::string::npos);
  ASSERT_EQ(built.entries.size(), 1U);
  EXPECT_EQ(built.entries[0].parameter_bytes, 20U);
  EXPECT_EQ(built.host_library.substr(0, 4),
            "\x7F"
            "ELF");
  EXPECT_FALSE(built.from_cache);
  EXPECT_TRUE(build(request(kScale, GetParam())).from_cache);
}

TEST_P(BuildTest, ErrorsCarryTheCandidatesLine) {
  if (lacks(GetParam())) return;
  const auto built = build(request(R"(#include <cuda_runtime.h>
__global__ void k(float* y) {
  y[0] = undefined_name;
}
extern "C" void solve(const float* x, float* y, int n) { k<<<1, 1>>>(y); }
)",
                                   GetParam()));
  EXPECT_EQ(built.verdict, Verdict::compile_error);
  ASSERT_FALSE(built.diagnostics.empty());
  EXPECT_EQ(built.diagnostics[0].severity, "error");
  EXPECT_EQ(built.diagnostics[0].line, 3);
  EXPECT_NE(built.diagnostics[0].message.find("undefined_name"), std::string::npos);
}

TEST_P(BuildTest, LambdasMayBeMarkedForTheDevice) {
  if (lacks(GetParam())) return;
  const auto built = build(request(R"(#include <cuda_runtime.h>
template <class F> __global__ void k(F f, float* y) { y[threadIdx.x] = f(threadIdx.x); }
extern "C" void solve(const float* x, float* y, int n) {
  k<<<1, n>>>([=] __device__(int i) { return 2 * x[i]; }, y);
}
)",
                                   GetParam()));
  EXPECT_EQ(built.verdict, Verdict::ok) << built.reason;
}

// What only this GPU's architecture has is no mistake of the candidate's.
TEST_P(BuildTest, FeaturesOfTheVeryArchitectureCompile) {
  if (lacks(GetParam())) return;
  if (GetParam() == FrontEnd::clang && builder().tools().clang.major < 18) {
    std::printf("skipped: this clang cannot name sm_90a\n");
    return;
  }
  auto wanted = request(R"(#include <cuda_runtime.h>
__global__ void k(float* y) {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  y[threadIdx.x] = 1.0f;
}
extern "C" void solve(const float* x, float* y, int n) { k<<<1, 128>>>(y); }
)",
                        GetParam());
  wanted.assemble = true;
  const auto built = build(wanted);
  EXPECT_EQ(built.verdict, Verdict::ok) << built.reason;
  EXPECT_NE(built.ptx.find(".target sm_90a"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(FrontEnds, BuildTest, ::testing::Values(FrontEnd::clang, FrontEnd::nvcc),
                         [](const auto& which) { return std::string(name_of(which.param)); });

class ClangTest : public Workbench {};

TEST_F(ClangTest, StandardHeadersWork) {
  if (lacks(FrontEnd::clang)) return;
  const auto built = build(request(R"(
#include <cuda_runtime.h>
#include <cuda.h>
#include <device_launch_parameters.h>
#include <math_constants.h>
#include <cmath>
#include <cstdint>
#include <cfloat>
#include <climits>
#include <cstdio>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <assert.h>
#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>
template <int N> __device__ float sum(const float (&v)[N]) {
  float s = 0;
  #pragma unroll
  for (int i = 0; i < N; ++i) s += v[i];
  return s;
}
__global__ void __launch_bounds__(256, 2) k(const float* __restrict__ x, float* y, int n) {
  __shared__ float tile[256];
  extern __shared__ float4 dynamic[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? __ldg(x + i) : -FLT_MAX;
  v += __ldcs(x) + __ldcg(x);
  v = fmaxf(v, fminf(1.0f, std::fabs(v))) + max(i, 3) + min(2.0f, v) + std::max(v, 0.5f);
  v += expf(v) + __expf(v) + logf(v) + sinf(v) + powf(v, 2.0f) + tanhf(v) + rsqrtf(v) + sqrtf(v);
  v += __fdividef(v, 3.0f) + __fmaf_rn(v, v, v) + roundf(v) + floorf(v) + copysignf(v, 1.0f);
  v += __int_as_float(__float_as_int(v)) + __popc(i) + __clz(i) + __ffs(i) + __brev(i);
  tile[threadIdx.x] = v;
  dynamic[threadIdx.x] = make_float4(v, v, v, v);
  __syncthreads();
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xFFFFFFFFu, v, o);
  unsigned b = __ballot_sync(0xFFFFFFFFu, v > 0) + __match_any_sync(0xFFFFFFFFu, i);
  b += __reduce_add_sync(0xFFFFFFFFu, b) + __activemask() + __any_sync(~0u, 1) + __all_sync(~0u, 1);
  int4 q = *reinterpret_cast<const int4*>(tile);
  __syncwarp();
  __threadfence();
  assert(n > 0);
  float parts[3] = {v, tile[0], dynamic[0].x};
  if (i == 0) printf("%f %u %d\n", sum(parts), b, q.x);
  atomicAdd(y, v); atomicMax((int*)y, 1); atomicCAS((unsigned*)y, 1u, 2u); atomicExch(y, 1.0f);
  atomicAdd((unsigned long long*)y, 1ull); atomicAdd((double*)y, 1.0); atomicSub((int*)y, 1);
  __stcs(y, v);
  y[i] = __dp4a(1, 2, 3) + CUDART_PI_F + (float)__double2int_rn(1.5);
}
extern "C" void solve(const float* x, float* y, int n) {
  std::vector<int> sizes = {1, 2, 3};
  std::sort(sizes.begin(), sizes.end());
  k<<<dim3(n), dim3(32, 2), sizes[0]>>>(x, y, n);
}
)"));
  EXPECT_EQ(built.verdict, Verdict::ok) << built.reason;
  ASSERT_EQ(built.entries.size(), 1U);
  EXPECT_EQ(built.entries[0].max_threads, 256);
  EXPECT_EQ(built.entries[0].shared_bytes, 1024);
}

/// Each candidate in tests/build/candidates uses one family of headers.
TEST_F(ClangTest, LibraryHeadersWork) {
  if (lacks(FrontEnd::clang)) return;
  for (const std::string name : {"semantics", "mma", "matrices", "cooperative", "real_code"}) {
    const auto source = read_file(source_path("/tests/build/candidates/") + name + ".cu");
    ASSERT_TRUE(source.ok()) << source.error().message;
    const auto built = build(request(*source));
    EXPECT_EQ(built.verdict, Verdict::ok) << name << ": " << built.reason;
    EXPECT_FALSE(built.entries.empty());
  }
}

TEST_F(ClangTest, UnresolvedLibraryCallsAreCompileErrors) {
  if (lacks(FrontEnd::clang)) return;
  const auto built = build(request(R"(
extern "C" int cublasCreate_v2(void**);
extern "C" void solve(const float* x, float* y, int n) { void* h; cublasCreate_v2(&h); }
)"));
  EXPECT_EQ(built.verdict, Verdict::compile_error);
  EXPECT_NE(built.reason.find("cublasCreate_v2"), std::string::npos) << built.reason;
}

TEST_F(ClangTest, CompileBombsEnd) {
  if (lacks(FrontEnd::clang)) return;
  auto wanted = request(R"(
template <int D, unsigned long long P> struct Bomb {
  static constexpr long value = Bomb<D - 1, 2 * P>::value + Bomb<D - 1, 2 * P + 1>::value;
};
template <unsigned long long P> struct Bomb<0, P> { static constexpr long value = 1; };
extern "C" void solve(const float* x, float* y, int n) { y[0] = Bomb<28, 1>::value; }
)");
  wanted.limits.wall = std::chrono::milliseconds(1500);
  const auto built = build(wanted);
  EXPECT_EQ(built.verdict, Verdict::timeout) << built.reason;
  EXPECT_FALSE(built.reason.empty());
}

TEST_F(ClangTest, FilesOfTheMachineAreNotThere) {
  if (lacks(FrontEnd::clang)) return;
  const auto built = build(request(R"(
#include "/etc/passwd"
extern "C" void solve(const float* x, float* y, int n) {}
)"));
  EXPECT_EQ(built.verdict, Verdict::compile_error);
  EXPECT_NE(built.reason.find("not found"), std::string::npos) << built.reason;
}

TEST_F(ClangTest, OneSourceBuiltByManyAtOnce) {
  if (lacks(FrontEnd::clang)) return;
  std::vector<std::thread> threads;
  std::array<Verdict, 3> verdicts{};
  for (auto& verdict : verdicts) {
    threads.emplace_back(
        [&verdict] { verdict = build(request(std::string(kScale) + "// parallel\n")).verdict; });
  }
  for (auto& thread : threads) thread.join();
  for (const auto verdict : verdicts) EXPECT_EQ(verdict, Verdict::ok);
}

/// The folder with the precompiled headers, which all candidates share.
std::filesystem::path prelude_in(const std::filesystem::path& cache) {
  for (const auto& entry : std::filesystem::directory_iterator(cache)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("prelude-") && name.find('.') == std::string::npos) return entry.path();
  }
  return {};
}

TEST_F(ClangTest, NoCandidateCanHaveThePreludeRemoved) {
  if (lacks(FrontEnd::clang)) return;
  ASSERT_EQ(build(request(std::string(kScale) + "// with a prelude\n")).verdict, Verdict::ok);
  const auto prelude = prelude_in(cache());
  ASSERT_FALSE(prelude.empty());
  ASSERT_TRUE(write_file(prelude / "mark", "the same folder").ok());
  const std::string stale =
      "file '/usr/include/stdio.h' has been modified since the precompiled header "
      "'device.pch' was built: mtime changed";
  for (const std::string& act :
       {std::string("#error since the precompiled header\n"), "#error " + stale + "\n",
        "static_assert(false, \"\\nfatal error: " + stale + "\\n\");\n"}) {
    const auto built = build(request(act + kScale));
    EXPECT_EQ(built.verdict, Verdict::compile_error);
    EXPECT_TRUE(std::filesystem::exists(prelude / "mark")) << act;
  }
  std::filesystem::remove(prelude / "mark");
}

TEST_F(ClangTest, AnUnusablePreludeIsReplacedAndNobodysError) {
  if (lacks(FrontEnd::clang)) return;
  ASSERT_EQ(build(request(std::string(kScale) + "// with a prelude\n")).verdict, Verdict::ok);
  const auto prelude = prelude_in(cache());
  ASSERT_FALSE(prelude.empty());
  for (const std::string damage : {"damaged", "gone"}) {
    ASSERT_TRUE(write_file(prelude / "mark", damage).ok());
    std::filesystem::remove(prelude / "device.pch");
    if (damage == "damaged") {
      ASSERT_TRUE(write_file(prelude / "device.pch", "not one").ok());
    }
    std::error_code ignored;
    std::filesystem::permissions(prelude / "device.pch", std::filesystem::perms(0644), ignored);
    const auto built = build(request(std::string(kScale) + "// " + damage + "\n"));
    EXPECT_EQ(built.verdict, Verdict::ok) << built.reason;
    EXPECT_FALSE(std::filesystem::exists(prelude / "mark"));
    EXPECT_EQ(build(request(std::string(kScale) + "// after " + damage + "\n")).verdict,
              Verdict::ok);
    EXPECT_TRUE(std::filesystem::exists(prelude / "device.pch"));
  }
}

TEST_F(ClangTest, AssemblesWhereThereIsAPtxas) {
  if (lacks(FrontEnd::clang) || builder().tools().ptxas.empty()) {
    std::printf("skipped: no ptxas\n");
    return;
  }
  auto wanted = request(kScale);
  wanted.assemble = true;
  const auto built = build(wanted);
  ASSERT_EQ(built.verdict, Verdict::ok) << built.reason;
  EXPECT_EQ(built.cubin.substr(0, 4),
            "\x7F"
            "ELF");
  ASSERT_EQ(built.resources.size(), 1U);
  EXPECT_EQ(built.resources[0].kernel, built.entries[0].name);
  EXPECT_GT(built.resources[0].registers, 0);
}

constexpr const char* kPrinting = R"(
#include <cuda_runtime.h>
#include <cstdio>
__global__ void scale(float* x, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
  if (i < n && printf("%d of %d\n", i, n) != 2) x[i] = 0;
}
extern "C" void solve(float* X, float factor, int N) {
  scale<<<(N + 255) / 256, 256>>>(X, factor, N);
}
)";

/// The driver's part of printing: a name in the cubin's table of symbols.
bool prints(const std::string& cubin) { return cubin.find("vprintf") != std::string::npos; }

TEST_P(BuildTest, JudgedCodePrintsNothing) {
  if (lacks(GetParam()) || builder().tools().ptxas.empty()) return;
  auto wanted = request(kPrinting, GetParam());
  wanted.assemble = true;
  const auto built = build(wanted);
  ASSERT_EQ(built.verdict, Verdict::ok) << built.reason;
  EXPECT_EQ(built.ptx.find("vprintf"), std::string::npos);
  ASSERT_FALSE(built.cubin.empty());
  EXPECT_FALSE(prints(built.cubin));
  ASSERT_EQ(built.resources.size(), 1U);
  EXPECT_EQ(built.resources[0].kernel, built.entries[0].name);
  EXPECT_TRUE(std::any_of(built.diagnostics.begin(), built.diagnostics.end(), [](const auto& said) {
    return said.message.find("prints") != std::string::npos;
  }));
}

TEST(Toolchain, MissingCompilersAreExplained) {
  const Toolchain nothing;
  for (const auto wanted : {FrontEnd::automatic, FrontEnd::clang, FrontEnd::nvcc}) {
    const auto answer = nothing.resolve(wanted);
    ASSERT_FALSE(answer.ok());
    EXPECT_NE(answer.error().message.find("install"), std::string::npos);
  }
}

}  // namespace
}  // namespace warpwright::build
