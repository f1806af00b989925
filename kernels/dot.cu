// SPDX-License-Identifier: Apache-2.0
// task: dot
// rules: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 0ac3ea9
// made by: warpwright 0.1.0
// model: Claude, a fresh instance per prompt and round
// run: dot-1 r4.c6
// median us: 2^16 4.42, 2^17 4.67, 2^18 5.22, 2^19 5.95, 2^20 7.25
// sha256: b24053700f9794370fb9fc8c3281d076b9d3f1fd4b7763144b80b562667d86b5

#include <cuda_runtime.h>

#define NT 512                 // data threads per block
#define NTHREADS (NT + 32)     // plus the gate warp (warp 0)

// Gate: zero before and after every call. Opened with 1, counted up by the other blocks,
// wrapped to zero by the last of them.
__device__ __align__(128) unsigned int g_gate[32];

__device__ __forceinline__ float4 ldv(const float4* p)
{
    float4 v;
    asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p));
    return v;
}

__device__ __forceinline__ float dot4(const float4 a, const float4 b)
{
    return fmaf(a.x, b.x, a.y * b.y) + fmaf(a.z, b.z, a.w * b.w);
}

// What lies beyond the first sweep (large N only).
__device__ __noinline__ float far_part(const float4* __restrict__ A4, const float4* __restrict__ B4,
                                       int i, int step, int n4)
{
    double acc = 0.0;
    for (; i + 3 * step < n4; i += 4 * step) {
        const float4 c0 = ldv(A4 + i);
        const float4 d0 = ldv(B4 + i);
        const float4 c1 = ldv(A4 + i + step);
        const float4 d1 = ldv(B4 + i + step);
        const float4 c2 = ldv(A4 + i + 2 * step);
        const float4 d2 = ldv(B4 + i + 2 * step);
        const float4 c3 = ldv(A4 + i + 3 * step);
        const float4 d3 = ldv(B4 + i + 3 * step);
        acc += (double)((dot4(c0, d0) + dot4(c1, d1)) + (dot4(c2, d2) + dot4(c3, d3)));
    }
    for (; i < n4; i += step) {
        const float4 c = ldv(A4 + i);
        const float4 d = ldv(B4 + i);
        acc += (double)dot4(c, d);
    }
    return (float)acc;
}

// tile = vectors per block in the first sweep: NT or 2 * NT.
__global__ void __launch_bounds__(NTHREADS, 2)
dot_kernel(const float* __restrict__ A, const float* __restrict__ B,
           float* result, int N, int tile)
{
    __shared__ __align__(16) float ws[NT / 32];
    __shared__ unsigned int sink;

    const int tid  = threadIdx.x;
    const int b    = blockIdx.x;
    const int lane = tid & 31;

    if (tid >= 32) {
        const int t  = tid - 32;
        const int n4 = N >> 2;
        const int nb = gridDim.x;
        const int i0 = b * tile + t;
        const int end = (b + 1) * tile;
        const int lim = end < n4 ? end : n4;
        const float4* pa = reinterpret_cast<const float4*>(A) + i0;
        const float4* pb = reinterpret_cast<const float4*>(B) + i0;
        float s = 0.0f;
        if (i0 + NT < lim) {
            const float4 a0 = ldv(pa);
            const float4 b0 = ldv(pb);
            const float4 a1 = ldv(pa + NT);
            const float4 b1 = ldv(pb + NT);
            s = dot4(a0, b0) + dot4(a1, b1);
        } else if (i0 < lim) {
            const float4 a0 = ldv(pa);
            const float4 b0 = ldv(pb);
            s = dot4(a0, b0);
        }
        const int rest = nb * tile + b * NT + t;
        if (rest < n4)
            s += far_part(reinterpret_cast<const float4*>(A), reinterpret_cast<const float4*>(B),
                          rest, nb * NT, n4);
        const int r = N & 3;
        if (r != 0) {
            if (b == 0 && t < r) s = fmaf(A[4 * n4 + t], B[4 * n4 + t], s);
        }
        __syncwarp();
#pragma unroll
        for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
        if (lane == 0) ws[t >> 5] = s;
    } else if (tid == 0) {
        const unsigned int others = gridDim.x - 1u;
        if (b == 0) {
            // Clear the result, then open the gate for the other blocks.
            asm volatile("st.relaxed.gpu.global.f32 [%0], %1;"
                         :: "l"(result), "f"(0.0f) : "memory");
            if (others != 0u) {
                asm volatile("fence.acq_rel.gpu;" ::: "memory");
                asm volatile("st.relaxed.gpu.global.u32 [%0], %1;"
                             :: "l"(&g_gate[0]), "r"(1u) : "memory");
            }
        } else {
            // Early read: brings translation and sector of the result in.
            unsigned int touched, v;
            asm volatile("ld.volatile.global.u32 %0, [%1];"
                         : "=r"(touched) : "l"(result) : "memory");
            do {
                asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
                             : "=r"(v) : "l"(&g_gate[0]) : "memory");
            } while (v == 0u);
            // Count through: 1, 2, .. others, and the last one wraps it to 0.
            asm volatile("red.relaxed.gpu.global.inc.u32 [%0], %1;"
                         :: "l"(&g_gate[0]), "r"(others) : "memory");
            *(volatile unsigned int*)&sink = touched;   // keeps the early read alive
        }
    }
    __syncthreads();

    if (tid == 0) {
        const float4* w4 = reinterpret_cast<const float4*>(ws);
        const float4 w0 = w4[0];
        const float4 w1 = w4[1];
        const float4 w2 = w4[2];
        const float4 w3 = w4[3];
        const float t0 = (w0.x + w0.y) + (w0.z + w0.w);
        const float t1 = (w1.x + w1.y) + (w1.z + w1.w);
        const float t2 = (w2.x + w2.y) + (w2.z + w2.w);
        const float t3 = (w3.x + w3.y) + (w3.z + w3.w);
        const float sum = (t0 + t1) + (t2 + t3);
        asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;"
                     :: "l"(result), "f"(sum) : "memory");
    }
}

extern "C" void solve(const float* A, const float* B, float* result, int N)
{
    const int n4 = N >> 2;
    int tile, cap;
    if (N <= 262144 + 3)      { tile = NT;     cap = 128; }
    else if (N <= 524288 + 3) { tile = 2 * NT; cap = 128; }
    else                      { tile = 2 * NT; cap = 256; }
    int nb = (n4 + tile - 1) / tile;
    if (nb < 1) nb = 1;
    if (nb > cap) nb = cap;
    dot_kernel<<<nb, NTHREADS>>>(A, B, result, N, tile);
}
