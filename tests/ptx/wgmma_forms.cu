// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
using u32 = uint32_t;
using u64 = uint64_t;
__device__ u32 pattern(u32 seed, u32 i, u32 j) { return (seed + 7 * i + 3 * j + i * j) % 5; }
__device__ u64 descriptor(const void* p) {
  const u32 at = (u32)__cvta_generic_to_shared(p);
  return (u64)(256 >> 4) << 32 | (u64)(128 >> 4) << 16 | (at & 0x3ffff) >> 4;
}
__device__ u32 place(u32 row, u32 byte) {
  return row / 8 * 256 + byte / 16 * 128 + row % 8 * 16 + byte % 16;
}
template <class T>
__device__ T coded(u32 v, int kind) {
  const u32 e4m3[] = {0, 0x38, 0x40, 0x44, 0x48}, half[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400};
  return kind == 0   ? (T)v
         : kind == 1 ? (T)e4m3[v]
         : kind == 2 ? (T)half[v]
                     : (T)__float_as_uint((float)v);
}
template <class T, int kKind>
__device__ void fill(unsigned char* a, unsigned char* b) {
  const u32 inner = 32 / sizeof(T);
  for (u32 i = threadIdx.x; i < 64 * inner; i += 128)
    *(T*)(a + place(i / inner, i % inner * sizeof(T))) =
        coded<T>(pattern(1, i / inner, i % inner), kKind);
  for (u32 i = threadIdx.x; i < 8 * inner; i += 128)
    *(T*)(b + place(i / inner, i % inner * sizeof(T))) =
        coded<T>(pattern(2, i / inner, i % inner), kKind);
  __syncthreads();
}
__device__ float expected(u32 t, int e, u32 inner) {
  const u32 row = t / 32 * 16 + t % 32 / 4 + e / 2 * 8, column = t % 4 * 2 + e % 2;
  u32 sum = 0;
  for (u32 k = 0; k < inner; ++k) sum += pattern(1, row, k) * pattern(2, column, k);
  return (float)sum;
}
#define BUFFERS __shared__ __align__(128) unsigned char a[2048], b[256]
#define AROUND(text)                 \
  "wgmma.fence.sync.aligned;\n" text \
  "\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"
extern "C" __global__ void bytes(float* d) {
  BUFFERS;
  fill<unsigned char, 0>(a, b);
  int r[4];
  asm volatile("{ .reg .pred p; setp.ne.b32 p, 0, 0;\n" AROUND(
                   "wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.s8 {%0,%1,%2,%3}, %4, %5, p;") "}"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "l"(descriptor(a)), "l"(descriptor(b)));
  for (int e = 0; e < 4; ++e) d[threadIdx.x * 4 + e] = (float)r[e] - expected(threadIdx.x, e, 32);
}
extern "C" __global__ void eighths(float* d) {
  BUFFERS;
  fill<unsigned char, 1>(a, b);
  float r[4];
  asm volatile("{ .reg .pred p; setp.ne.b32 p, 0, 0;\n" AROUND(
                   "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%0,%1,%2,%3}, %4, %5, p, "
                   "-1, 1;") "}"
               : "=f"(r[0]), "=f"(r[1]), "=f"(r[2]), "=f"(r[3])
               : "l"(descriptor(a)), "l"(descriptor(b)));
  for (int e = 0; e < 4; ++e) d[threadIdx.x * 4 + e] = r[e] + expected(threadIdx.x, e, 32);
}
extern "C" __global__ void words(float* d) {
  BUFFERS;
  fill<u32, 3>(a, b);
  float r[4];
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, 0, 0;\n" AROUND(
          "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%0,%1,%2,%3}, %4, %5, p, 1, 1;") "}"
      : "=f"(r[0]), "=f"(r[1]), "=f"(r[2]), "=f"(r[3])
      : "l"(descriptor(a)), "l"(descriptor(b)));
  for (int e = 0; e < 4; ++e) d[threadIdx.x * 4 + e] = r[e] - expected(threadIdx.x, e, 8);
}
// A in registers, sums in halves.
extern "C" __global__ void registers(float* d) {
  BUFFERS;
  fill<unsigned short, 2>(a, b);
  const u32 l = threadIdx.x % 32, w = threadIdx.x / 32;
  u32 x[4], r[2];
  for (u32 i = 0; i < 4; ++i)
    x[i] = *(u32*)(a + place(w * 16 + l / 4 + i % 2 * 8, i / 2 * 16 + l % 4 * 4));
  asm volatile("{ .reg .pred p; setp.ne.b32 p, 0, 0;\n" AROUND(
                   "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, %6, "
                   "p, 1, 1, 0;") "}"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "l"(descriptor(b)));
  for (int e = 0; e < 4; ++e) {
    float v;
    const unsigned short h = (unsigned short)(r[e / 2] >> 16 * (e % 2));
    asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(h));
    d[threadIdx.x * 4 + e] = v - expected(threadIdx.x, e, 16);
  }
}
// What a product reads is overwritten before the kernel has waited for it.
extern "C" __global__ void hasty(float* d) {
  BUFFERS;
  fill<u32, 3>(a, b);
  float r[4];
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, 0, "
      "0;\nwgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 "
      "{%0,%1,%2,%3}, %4, %5, p, 1, 1;\nwgmma.commit_group.sync.aligned;}"
      : "=f"(r[0]), "=f"(r[1]), "=f"(r[2]), "=f"(r[3])
      : "l"(descriptor(a)), "l"(descriptor(b)));
  __syncthreads();
  if (threadIdx.x == 0) *(u32*)a = 0x40e00000u;
  __syncthreads();
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int e = 0; e < 4; ++e) d[threadIdx.x * 4 + e] = r[e] - expected(threadIdx.x, e, 8);
}
