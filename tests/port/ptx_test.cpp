// SPDX-License-Identifier: Apache-2.0
// PTX carried to HIP: a statement for each instruction. Programs whose kernels went this way run on
// the SIMT machine and must do the same as with the PTX itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "base/files.h"
#include "port/carry_ptx.h"
#include "port/ptx_program.h"
#include "support/places.h"

namespace warpwright::port {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::Optional;

std::string ptx_with(const std::string& body) {
  return ".version 7.5\n.target sm_80\n.address_size 64\n"
         ".visible .entry k(\n .param .u64 k_param_0,\n .param .u32 k_param_1\n)\n{\n"
         " .reg .pred %p<4>;\n .reg .b16 %rs<4>;\n .reg .b32 %r<8>;\n .reg .f32 %f<8>;\n"
         " .reg .b64 %rd<8>;\n .reg .f64 %fd<4>;\n" +
         body + "\n ret;\n}\n";
}

std::string hip_of(const std::string& body, std::size_t unmapped = 0) {
  const auto program = ptx_as_hip(ptx_with(body), "k.ptx");
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().message);
  if (!program.ok()) return {};
  EXPECT_EQ(program->findings.unmapped.size(), unmapped) << program->source;
  EXPECT_EQ(program->kernels, std::vector<std::string>{"k"});
  return program->source;
}

TEST(PtxProgram, ParametersAreBytesOfTheirSizeAndPlace) {
  const std::string text = hip_of(" ld.param.u64 %rd1, [k_param_0];\n");
  EXPECT_THAT(text, HasSubstr("extern \"C\" __global__ void k(unsigned long long p_k_param_0, "
                              "unsigned int p_k_param_1)"));
  EXPECT_THAT(text, HasSubstr("ww_get<unsigned long long>"));
}

TEST(PtxProgram, WholeNumbersWrapAround) {
  EXPECT_THAT(hip_of(" add.s32 %r1, %r2, %r3;"),
              HasSubstr("ww_set(v_r1, (unsigned int)((ww_as<unsigned int>(v_r2)) + "
                        "(ww_as<unsigned int>(v_r3))))"));
  EXPECT_THAT(hip_of(" mul.wide.s32 %rd1, %r2, 4;"), HasSubstr("(long long)"));
}

TEST(PtxProgram, CarriesGoFromOneInstructionToTheNext) {
  const std::string text =
      hip_of(" mad.lo.cc.u32 %r1, %r2, %r3, %r4;\n madc.hi.u32 %r5, %r2, %r3, %r6;");
  EXPECT_THAT(text, HasSubstr(", false, ww_carry)"));
  EXPECT_THAT(text, HasSubstr("ww_mul_hi("));
  EXPECT_THAT(text, HasSubstr(", ww_carry, ww_dropped)")) << "it reads the carry and leaves it";
  EXPECT_THAT(hip_of(" add.cc.u32 %r1, %r2, %r3;\n addc.cc.u32 %r4, %r5, %r6;"),
              HasSubstr(", ww_carry, ww_carry)"));
}

TEST(PtxProgram, ScopesMayUseANameAgain) {
  const std::string scope = "{\n .reg .b32 %temp;\n mov.b64 {%temp, %r1}, %fd1;\n}\n";
  const std::string text = hip_of(scope + scope);
  EXPECT_EQ(text.find("v_temp = 0"), text.rfind("v_temp = 0"));
  hip_of(scope + "{\n .reg .f32 %temp;\n}\n", 1);
}

TEST(PtxProgram, RegistersOfAssemblyByHandAreNotTheKernels) {
  const std::string text = hip_of("{\n .reg .b32 r1;\n mov.b32 r1, %r1;\n}\n");
  EXPECT_THAT(text, HasSubstr("unsigned int own_r1 = 0"));
  EXPECT_THAT(text, HasSubstr("ww_set(own_r1, (unsigned int)(ww_as<unsigned int>(v_r1)))"));
}

TEST(PtxProgram, BytesOfWiderNumbersHaveNoRule) {
  hip_of(" bfe.u64 %rd1, %rd2, 3, 4;");
  hip_of(" prmt.b64 %rd1, %rd2, %rd3, 4;", 1);
}

TEST(PtxProgram, HalvesAreComputedAndComparedAsNumbers) {
  EXPECT_THAT(hip_of(" fma.rn.f16x2 %r1, %r2, %r3, %r4;"), HasSubstr("ww_pair_fma("));
  EXPECT_THAT(hip_of(" add.f16 %rs1, %rs2, %rs3;"), HasSubstr("ww_half_add("));
  EXPECT_THAT(hip_of(" setp.lt.f16 %p1, %rs1, %rs2;"), HasSubstr("(ww_from_half("));
  EXPECT_THAT(hip_of(" cvt.rn.f16x2.f32 %r1, %f1, %f2;"), HasSubstr("ww_pair("));
  hip_of(" add.ftz.f16x2 %r1, %r2, %r3;\n set.lt.f16x2.f16x2 %r1, %r2, %r3;", 2);
}

TEST(PtxProgram, AFailedAssertionIsCalled) {
  const auto program = ptx_as_hip(
      ".version 7.5\n.target sm_80\n.address_size 64\n"
      ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, "
      ".param .b64 e);\n"
      ".visible .entry k()\n{\n .param .b64 p0;\n .param .b64 p1;\n .param .b32 p2;\n"
      " .param .b64 p3;\n .param .b64 p4;\n call.uni __assertfail, (p0, p1, p2, p3, p4);\n"
      " ret;\n}\n",
      "k.ptx");
  ASSERT_TRUE(program.ok()) << program.error().message;
  EXPECT_TRUE(program->findings.unmapped.empty());
  EXPECT_THAT(program->source, HasSubstr("ww_assert_fail(ww_get<unsigned long long>"));
}

TEST(PtxProgram, AnUnorderedComparisonIsNone) {
  EXPECT_THAT(hip_of(" setp.ne.f32 %p1, %f1, %f2;"), HasSubstr(" < "));
  EXPECT_THAT(hip_of(" setp.neu.f32 %p1, %f1, %f2;"), HasSubstr(" != "));
}

TEST(PtxProgram, GuardsAndJumps) {
  const std::string text = hip_of("$L__BB0_1:\n @!%p1 bra $L__BB0_1;\n @%p2 mov.u32 %r1, %tid.x;");
  EXPECT_THAT(text, HasSubstr("L_L__BB0_1:;"));
  EXPECT_THAT(text, HasSubstr("if (!v_p1) { goto L_L__BB0_1; }"));
  EXPECT_THAT(text,
              HasSubstr("if (v_p2) { ww_set(v_r1, (unsigned int)((unsigned int)threadIdx.x)"));
}

TEST(PtxProgram, WhatHasNoRuleIsNamedAndDoesNotCompile) {
  const auto program =
      ptx_as_hip(ptx_with(" bar.sync 1, 64;\n cp.async.wait_all;\n bar.sync 0;"), "k.ptx");
  ASSERT_TRUE(program.ok());
  ASSERT_EQ(program->findings.unmapped.size(), 2u);
  EXPECT_EQ(program->findings.unmapped[0].line, 15);
  EXPECT_EQ(program->findings.unmapped[0].text, "bar.sync");
  EXPECT_THAT(program->findings.unmapped[1].advice, HasSubstr("asynchronous"));
  EXPECT_THAT(program->source, HasSubstr("ww_no_rule_for_this_instruction()"));
  EXPECT_THAT(program->source, HasSubstr("__syncthreads()"));
}

TEST(PtxProgram, HostileTextsAreErrorsOrFindings) {
  EXPECT_FALSE(ptx_as_hip("", "k.ptx").ok());
  EXPECT_FALSE(ptx_as_hip("int main() {}", "k.ptx").ok());
  hip_of(" .reg .b32 %x<400000>;\n", 1);
  hip_of(" and.pred %p1, %p2;\n add.u32 %r1;\n shfl.sync.idx.b32 %r1, %r2;\n", 3);
}

// ---- run

constexpr const char* kProgram = R"(#include <cstdio>
#include <cuda_runtime.h>
__constant__ float factors[4] = {1.5f, -2.0f, 0.25f, 3.0f};
__device__ int counter = 5;
__device__ __noinline__ float twist(float x, int n) {
  for (int i = 0; i < n; ++i) x = x * 1.25f - (float)i;
  return x;
}
__global__ void k(const float* in, float* out, int n) {
  __shared__ float s[128];
  extern __shared__ int more[];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0.0f;
  more[t] = t * 7 % 5;
  __syncthreads();
  float v = s[127 - t] * factors[t & 3] + twist(s[t], more[t]);
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  v += __shfl_up_sync(~0u, v, 3, 8);
  const unsigned b = __ballot_sync(~0u, v > 0.0f);
  if (t % 32 == 0) atomicAdd(&counter, __popc(b));
  double w = v;
  switch (t % 5) {
    case 0: w = w / 3.0; break;
    case 1: w = sqrt(w < 0 ? -w : w); break;
    case 2: w = (double)(long long)w; break;
    case 3: w = -w; break;
    default: w += 0x1p-30; break;
  }
  if (i < n) out[i] = (float)w + (float)(unsigned char)(int)v;
  __syncthreads();
  if (i == 0) out[n] = (float)counter;
}
int main() {
  const int n = 200;
  float host[201];
  for (int i = 0; i < n; ++i) host[i] = (float)((i * 37 + 11) % 101) / 8.0f - 4.0f;
  float *in, *out;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  k<<<2, 128, 128 * sizeof(int)>>>(in, out, n);
  cudaMemcpy(host, out, n * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum = sum * 0.5 + host[i];
  printf("sum %.9g\n", sum);
  return 0;
}
)";

/// Fields that go over the end, assembly with registers of its own, and half precision.
constexpr const char* kFieldsAndHalves = R"(#include <cassert>
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
__device__ long long fields(long long a, unsigned from, unsigned count) {
  long long s, u, all;
  int low, word;
  asm("bfe.s64 %0, %1, %2, %3;" : "=l"(s) : "l"(a), "r"(from), "r"(count));
  asm("bfe.u64 %0, %1, %2, %3;" : "=l"(u) : "l"(a), "r"(from), "r"(count));
  asm("bfi.b64 %0, %1, %2, %3, %4;" : "=l"(all) : "l"(a), "l"(~a), "r"(from), "r"(count));
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(low) : "r"((int)a), "r"(from), "r"(count));
  asm("{ .reg .u32 r0; .reg .u32 r1; mov.b64 {r0, r1}, %1; xor.b32 %0, r0, r1; }"
      : "=r"(word) : "l"(s));
  return s ^ u * 3 ^ all * 5 ^ (long long)low * 7 ^ word;
}
__global__ void k(long long* out, __half2* halves, int* whole) {
  const int t = threadIdx.x;
  const long long a = (long long)(0x9e3779b97f4a7c15ull * (t + 1));
  assert(t < 128);
  out[t] = fields(a, t % 70, t * 5 % 80);
  __half2 x = halves[t], y = halves[(t + 1) % 128];
  __half2 z = __hadd2(__hmul2(x, y), __hsub2(x, __hfma2(y, y, x)));
  if (__hlt(__low2half(x), __high2half(y))) z = __hneg2(z);
  halves[128 + t] = __hadd2(z, __floats2half2_rn((float)t, 1.0f / (t + 1)));
  whole[t] = __half2int_rz(__low2half(z)) + __half2int_rn(__hadd(__high2half(z), __int2half_rn(t)));
}
int main() {
  long long* out;
  __half2* halves;
  int* whole;
  static long long got[128];
  static int numbers[128];
  static __half2 values[256];
  for (int i = 0; i < 128; ++i)
    values[i] = __floats2half2_rn(i / 7.0f - 9.0f, 3.0f / (i + 1) - 0.1f * i);
  cudaMalloc(&out, sizeof got);
  cudaMalloc(&whole, sizeof numbers);
  cudaMalloc(&halves, sizeof values);
  cudaMemcpy(halves, values, sizeof values, cudaMemcpyHostToDevice);
  k<<<1, 128>>>(out, halves, whole);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  cudaMemcpy(values, halves, sizeof values, cudaMemcpyDeviceToHost);
  cudaMemcpy(numbers, whole, sizeof numbers, cudaMemcpyDeviceToHost);
  printf("%lld %g %d\n", got[5], (double)__low2float(values[130]), numbers[9]);
  return 0;
}
)";

void expect_the_same_with_its_ptx(const char* program) {
  const build::Toolchain tools = build::find_toolchain();
  if (!tools.supports(build::FrontEnd::clang)) GTEST_SKIP() << "there is no clang";
  if (std::getenv("WARPWRIGHT_SLOW_TESTS") == nullptr)
    GTEST_SKIP() << "WARPWRIGHT_SLOW_TESTS is not set";
  auto sandbox = sandbox::Sandbox::open();
  ASSERT_TRUE(sandbox.ok()) << sandbox.error().message;
  const auto builder =
      build::Builder::create(*sandbox, tools, {.cache = build_path("/tests/flops_cache")});
  ASSERT_TRUE(builder.ok()) << builder.error().message;
  const auto folder = TemporaryDirectory::create("port-ptx-");
  ASSERT_TRUE(folder.ok());
  const auto source = folder->path() / "program.cu";
  ASSERT_TRUE(write_file(source, program).ok());
  const auto ptx = ptx_of_program(source, folder->path() / "out", *builder);
  ASSERT_TRUE(ptx.ok()) << ptx.error().message;
  const auto carried = carry_ptx(*ptx, folder->path() / "out");
  ASSERT_TRUE(carried.ok()) << carried.error().message;
  for (const Unmapped& each : carried->project.findings.unmapped)
    ADD_FAILURE() << each.line << ": " << each.text;
  const auto verdict = verify_ptx_on_cpu(*carried, source, {}, *builder);
  ASSERT_TRUE(verdict.ok()) << verdict.error().message;
  const std::string notes = verdict->notes.empty() ? "" : verdict->notes.front();
  EXPECT_THAT(verdict->wave32, Optional(true)) << notes;
  EXPECT_THAT(verdict->wave64, Optional(true)) << notes;
}

TEST(PtxOnCpu, AProgramDoesTheSameWithItsPtxInHip) { expect_the_same_with_its_ptx(kProgram); }

TEST(PtxOnCpu, FieldsAndHalvesAreTheSame) { expect_the_same_with_its_ptx(kFieldsAndHalves); }

}  // namespace
}  // namespace warpwright::port
