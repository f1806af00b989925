// SPDX-License-Identifier: Apache-2.0
// Products of 64 x N x 32 bytes in all layouts, against plain sums of the same small integers.
#include <stdint.h>
using u32 = uint32_t;
using u64 = uint64_t;

__device__ u32 pattern(u32 seed, u32 i, u32 j) { return (seed + 7 * i + 3 * j + i * j) % 5; }

// Byte offset of element (row, k) of `size` bytes: swizzle 0 none, 1 128 bytes, 2 64, 3 32.
__device__ u32 place(u32 row, u32 k, u32 size, int swizzle, bool across, u32 leading, u32 stride) {
  const u32 span = swizzle == 1 ? 128 : swizzle == 2 ? 64 : swizzle == 3 ? 32 : 16;
  u32 at;
  if (!across) {
    const u32 byte = k * size;
    at = swizzle == 0 ? row / 8 * stride + byte / 16 * leading + row % 8 * 16 + byte % 16
                      : row / 8 * stride + row % 8 * span + byte;
  } else {
    const u32 byte = row * size;
    at = swizzle == 0 ? byte / 16 * stride + k / 8 * leading + k % 8 * 16 + byte % 16
                      : byte / span * leading + k / 8 * stride + k % 8 * span + byte % span;
  }
  const u32 bits = span / 16 - 1;
  return at ^ (at >> 3 & bits << 4);
}

__device__ u64 descriptor(const void* p, int swizzle, u32 leading, u32 stride) {
  const u32 at = (u32)__cvta_generic_to_shared(p);
  return (u64)swizzle << 62 | (u64)(stride >> 4) << 32 | (u64)(leading >> 4) << 16 |
         (at & 0x3ffff) >> 4;
}

template <int kN, int kSwizzle, bool kAcross>
__device__ void halves(float* difference) {
  __shared__ __align__(1024) unsigned char a[64 * 32 * 4];
  __shared__ __align__(1024) unsigned char b[64 * 32 * 4];
  constexpr u32 leading = kAcross && kSwizzle ? 2048 : 128;
  constexpr u32 stride = kAcross ? (kSwizzle ? 1024 : 256)
                                 : (kSwizzle == 1   ? 1024
                                    : kSwizzle == 2 ? 512
                                                    : 256);
  const u32 t = threadIdx.x;
  for (u32 i = t; i < 64 * 16; i += 128) {
    const u32 r = i / 16, k = i % 16;
    *(unsigned short*)(a + place(r, k, 2, kSwizzle, kAcross, leading, stride)) =
        (unsigned short)(__float_as_uint((float)pattern(1, r, k)) >> 16);
  }
  for (u32 i = t; i < kN * 16; i += 128) {
    const u32 c = i / 16, k = i % 16;
    *(unsigned short*)(b + place(c, k, 2, kSwizzle, kAcross, leading, stride)) =
        (unsigned short)(__float_as_uint((float)pattern(2, c, k)) >> 16);
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float d[kN / 2];
  for (int i = 0; i < kN / 2; ++i) d[i] = 1.0f;
  const u64 da = descriptor(a, kSwizzle, leading, stride),
            db = descriptor(b, kSwizzle, leading, stride);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  if constexpr (kN == 16)
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, 1, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7}, %8, %9, "
        "p, 1, 1, %10, %10; }"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7])
        : "l"(da), "l"(db), "n"(kAcross ? 1 : 0));
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int e = 0; e < kN / 2; ++e) {
    const u32 row = t / 32 * 16 + t % 32 / 4 + e / 2 % 2 * 8,
              column = e / 4 * 8 + t % 4 * 2 + e % 2;
    float sum = 1.0f;
    for (u32 k = 0; k < 16; ++k) sum += (float)(pattern(1, row, k) * pattern(2, column, k));
    difference[t * kN / 2 + e] = d[e] - sum;
  }
}

extern "C" __global__ void plain(float* d) { halves<16, 0, false>(d); }
extern "C" __global__ void wide(float* d) { halves<16, 1, false>(d); }
extern "C" __global__ void middle(float* d) { halves<16, 2, false>(d); }
extern "C" __global__ void narrow(float* d) { halves<16, 3, false>(d); }
extern "C" __global__ void across(float* d) { halves<16, 0, true>(d); }
