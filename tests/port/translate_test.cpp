// SPDX-License-Identifier: Apache-2.0
#include "port/translate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "support/places.h"

namespace warpwright::port {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Translation hip(std::string_view source) { return translate(source, {}); }

Translation cuda(std::string_view source) {
  TranslateOptions options;
  options.direction = Direction::to_cuda;
  return translate(source, options);
}

TEST(Translate, NamesChangeInCodeAndMacrosOnly) {
  const auto result =
      hip("#define CHECK(x) if ((x) != cudaSuccess) abort()\n"
          "// cudaMalloc\n"
          "int main() { CHECK(cudaMalloc(&p, 4)); puts(\"cudaMalloc\"); cudaCheck(); }\n");
  EXPECT_EQ(result.text,
            "#include \"warpwright_hip.h\"\n"
            "#define CHECK(x) if ((x) != hipSuccess) abort()\n"
            "// cudaMalloc\n"
            "int main() { CHECK(hipMalloc(&p, 4)); puts(\"cudaMalloc\"); cudaCheck(); }\n");
  EXPECT_THAT(result.findings.unmapped, IsEmpty());
}

TEST(Translate, IrregularNamesFollowTheTable) {
  const auto text = hip("cudaDeviceProp p; cudaFreeHost(q); cudaThreadSynchronize(); "
                        "cudaDeviceGetAttribute(&v, cudaDevAttrMultiProcessorCount, 0);")
                        .text;
  EXPECT_THAT(text, AllOf(HasSubstr("hipDeviceProp_t p"), HasSubstr("hipHostFree(q)"),
                          HasSubstr("hipDeviceSynchronize()"),
                          HasSubstr("hipDeviceAttributeMultiprocessorCount")));
}

TEST(Translate, LaunchesStay) {
  const std::string_view source = "void f() { k<T, 3><<<g, dim3(1, 2), 0, s>>>(a, b); }";
  EXPECT_THAT(hip(source).text, HasSubstr(source));
}

TEST(Translate, MembersAndOwnNamesStay) {
  TranslateOptions options;
  options.own_names = {"warpSize"};
  EXPECT_THAT(translate("int warpSize = 32; int y = p.warpSize + q->warpSize;", options).text,
              HasSubstr("int warpSize = 32; int y = p.warpSize + q->warpSize;"));
  EXPECT_THAT(hip("int y = p.warpSize + warpSize;").text,
              HasSubstr("int y = p.warpSize + WW_WARP_SIZE;"));
  EXPECT_THAT(own_names_of("#define cudaMy 1\nconst int warpSize = 32;"),
              ElementsAre("cudaMy", "warpSize"));
}

TEST(Translate, NamesWithoutCounterpartAreListed) {
  const auto found =
      hip("int a;\nvoid f() { cudaDeviceSetLimit(cudaLimitStackSize, 1); }").findings;
  ASSERT_FALSE(found.unmapped.empty());
  EXPECT_EQ(found.unmapped[0].line, 2);
  EXPECT_THAT(found.unmapped[0].text, HasSubstr("cudaDeviceSetLimit"));
  EXPECT_FALSE(found.unmapped[0].advice.empty());
}

TEST(Translate, NothingThatHipLacksIsDroppedSilently) {
  const auto lines = [](std::string_view source) {
    std::vector<int> found;
    for (const Unmapped& row : hip(source).findings.unmapped) found.push_back(row.line);
    return found;
  };
  EXPECT_THAT(lines("\ntexture<float, 1> t;"), ElementsAre(2));
  EXPECT_THAT(lines("__global__ void k() {\n k<<<1, 1>>>(); }"), ElementsAre(2));
  EXPECT_THAT(lines("#include <mma.h>"), ElementsAre(1));
  EXPECT_THAT(lines("\n\n#include <cublas_v2.h>"), ElementsAre(3));
  EXPECT_THAT(lines("__device__ void f() { asm(\"wgmma.fence.sync.aligned.f16;\"); }"),
              ElementsAre(1));
  EXPECT_THAT(lines("void f() { cuLinkCreate(0, 0, 0, 0); }"), ElementsAre(1));
  EXPECT_THAT(lines("__device__ float f(half2* v) {\n  return v[0].x; }"), ElementsAre(2));
}

TEST(Translate, LibrariesKeepTheirNamesInOrder) {
  const auto text = hip("#include <cublas_v2.h>\n#include <cub/cub.cuh>\n"
                        "cublasHandle_t h; int o = CUBLAS_OP_N; cub::DeviceScan s;")
                        .text;
  EXPECT_THAT(text, AllOf(HasSubstr("#include <hipblas/hipblas.h>"), HasSubstr("hipblasHandle_t h"),
                          HasSubstr("HIPBLAS_OP_N"), HasSubstr("hipcub::DeviceScan")));
}

TEST(Translate, InlinePtxBecomesCpp) {
  const auto text =
      hip("__device__ void f() { unsigned a; asm volatile(\"mov.u32 %0, %%laneid;\" : "
          "\"=r\"(a)); asm(\"add.u32 %0, %1, \"\n \"%2;\" : \"=r\"(a) : \"r\"(b[1]), "
          "\"r\"(g(2, 3))); }")
          .text;
  EXPECT_THAT(text, AllOf(HasSubstr("ww_set((a), ww_as<unsigned int>(ww_lane_id()))"),
                          HasSubstr("ww_set((a), ww_as<unsigned int>((b[1])) + "
                                    "ww_as<unsigned int>((g(2, 3))))"),
                          Not(HasSubstr("asm"))));
}

TEST(Translate, AssemblyOfTheHostStays) {
  const std::string_view source = "void f() { asm volatile(\"rdtsc\" : \"=a\"(a), \"=d\"(d)); }";
  const auto result = hip(source);
  EXPECT_EQ(result.text, source);
  EXPECT_THAT(result.findings.unmapped, IsEmpty());
}

TEST(Translate, HeadersGoBeforeTheFirstLineOfCode) {
  EXPECT_EQ(hip("// licence\n\n#include <cuda.h>\n").text,
            "// licence\n\n#include \"warpwright_hip.h\"\n#include <hip/hip_runtime.h>\n");
  EXPECT_EQ(hip("int f();\n").text, "int f();\n");
}

TEST(Translate, OwnOperatorsAndAtomicsGiveWayToHips) {
  EXPECT_THAT(hip("inline __device__ void operator+=(float4& a, float4 b) { a.x += b.x; }").text,
              HasSubstr("template <int = 0> inline __device__ void operator+=(float4& a"));
  EXPECT_THAT(hip("int x;\n__device__ double atomicMax(double* p, double v) { return v; }").text,
              HasSubstr("int x;\ntemplate <int = 0> __device__ double atomicMax(double* p"));
  EXPECT_THAT(hip("__device__ void operator+=(float4& a, float b) { }\n"
                  "__global__ void k() { if (atomicAdd(p, 1)) { } }\n"
                  "template <class T> __device__ T atomicAdd(T* p, T v) { return v; }")
                  .text,
              Not(HasSubstr("template <int")));
}

TEST(Translate, AByteOrderMarkStaysFirst) {
  EXPECT_THAT(hip("\xef\xbb\xbf#include <cuda.h>\n").text,
              testing::StartsWith("\xef\xbb\xbf#include"));
}

TEST(Translate, BackToCuda) {
  EXPECT_EQ(cuda("#include <hip/hip_runtime.h>\n"
                 "hipLaunchKernelGGL(k, dim3(1), dim3(2, 3), 0, s, a, b);\n"
                 "hipLaunchKernelGGL(HIP_KERNEL_NAME(k<1, 2>), g, b, 0, 0);\n"
                 "HIP_DYNAMIC_SHARED(float, tile)\n"
                 "int i = hipThreadIdx_x; v = __shfl_down(v, 1); hipHostFree(p);\n")
                .text,
            "#include <cuda_runtime.h>\n"
            "k<<< dim3(1), dim3(2, 3), 0, s>>>( a, b);\n"
            "(k<1, 2>)<<< g, b, 0, 0>>>();\n"
            "extern __shared__ float tile[];\n"
            "int i = threadIdx.x; v = __shfl_down_sync(__activemask(), v, 1); cudaFreeHost(p);\n");
}

TEST(Translate, APortAndItsWayBackKeepTheNames) {
  const std::string source =
      "__global__ void k(float* x) { x[0] = __shfl_xor_sync(0xffffffff, x[1], 16) + warpSize; }\n"
      "int main() { cudaMallocHost(&p, 1); cudaError_t e = cudaGetLastError(); }\n";
  const std::string back = cuda(hip(source).text).text;
  EXPECT_EQ(back, "#include \"warpwright_cuda.h\"\n" + source);
}

/// tests/port/golden/NAME.cu and what it becomes.
TEST(Translate, GoldenFiles) {
  const auto folder = std::filesystem::path(source_path("/tests/port/golden"));
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".cu") continue;
    const auto source = read_file(entry.path());
    auto expected = entry.path();
    const auto wanted = read_file(expected.replace_extension(".hip"));
    ASSERT_TRUE(source.ok() && wanted.ok()) << entry.path();
    EXPECT_EQ(hip(*source).text, *wanted) << entry.path();
    ++seen;
  }
  EXPECT_GT(seen, 0);
}

}  // namespace
}  // namespace warpwright::port
