// SPDX-License-Identifier: Apache-2.0
// task: sigmoid
// rules: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 34f8837
// made by: warpwright 0.1.0
// model: a fresh instance of a language model per prompt and round
// run: sigmoid-1 r4.c1
// median us: 16x2^10 4.02, 16x2^12 4.19, 16x2^14 4.72, 16x2^16 6.29, 16x2^18 11.88
// sha256: 028a694de7b49d81c27abb634300e41e6f3bab8f94911997d78d3b861d2dfbbf

#include <cuda_runtime.h>

__device__ __forceinline__ float sig1(float x)
{
    const float H_HI = 0.721347510814666748046875f;   // float(log2(e)) / 2
    const float H_LO = 9.629815167500055e-9f;         // log2(e) / 2 - H_HI
    const float LN2 = 0.693147180559945f;
    float a = -fminf(fabsf(x), 120.0f);
    float t = a * H_HI;                               // >= -86.6: ex2 stays normal
    float r = fmaf(a, H_HI, -t);
    r = fmaf(a, H_LO, r);
    float h;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(h) : "f"(t));
    h = fmaf(h, r * LN2, h);                          // exp(-|x| / 2)
    float e = h * h;                                  // exp(-|x|), gradual underflow
    float q;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(q) : "f"(1.0f + e));   // 1 <= 1+e <= 2
    float num = x < 0.0f ? e : 1.0f;
    return num * q;
}

__device__ __forceinline__ float4 sig4(float4 v)
{
    v.x = sig1(v.x);
    v.y = sig1(v.y);
    v.z = sig1(v.z);
    v.w = sig1(v.w);
    return v;
}

__device__ __forceinline__ float4 load4(const float4* p)
{
    float4 v;
    asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.f32 {%0,%1,%2,%3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(p));
    return v;
}

// n4 = 0: one float per thread; 1: one float4; 4: four float4
__global__ void __launch_bounds__(256, 8)
sigmoid_kernel(const float* __restrict__ X, float* __restrict__ Y, int N, int n4)
{
    if (__builtin_expect(n4 == 0, 1)) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < N) Y[i] = sig1(__ldg(X + i));
        return;
    }

    const int tid = threadIdx.x;
    const int tile = n4 * 1024;
    const int base = blockIdx.x * tile;
    const int left = N - base;

    if (__builtin_expect(left >= tile, 1)) {
        // each warp owns n4 * 32 consecutive float4
        const int off = base + ((tid >> 5) * (n4 * 32) + (tid & 31)) * 4;
        const float4* p = reinterpret_cast<const float4*>(X + off);
        float4* q = reinterpret_cast<float4*>(Y + off);
        float4 a = load4(p);
        float4 b = make_float4(0.f, 0.f, 0.f, 0.f);
        float4 c = b;
        float4 d = b;
        if (n4 != 1) {
            b = load4(p + 32);
            c = load4(p + 64);
            d = load4(p + 96);
        }
        int n = n4;
#pragma unroll 1
        do {
            *q = sig4(a);
            q += 32;
            a = b;
            b = c;
            c = d;
        } while (--n > 0);
    } else {
        const float* xb = X + base;
        float* yb = Y + base;
#pragma unroll 1
        for (int k = tid; k < left; k += 256) yb[k] = sig1(__ldg(xb + k));
    }
}

extern "C" void solve(const float* X, float* Y, int N)
{
    if (N <= 0) return;
    if (N <= 132 * 128) {
        sigmoid_kernel<<<(N - 1) / 128 + 1, 128>>>(X, Y, N, 0);
    } else if (N <= 132 * 2048) {
        sigmoid_kernel<<<(N - 1) / 256 + 1, 256>>>(X, Y, N, 0);
    } else if (N <= 132 * 2048 * 4) {
        sigmoid_kernel<<<(N - 1) / 1024 + 1, 256>>>(X, Y, N, 1);
    } else {
        sigmoid_kernel<<<(N - 1) / 4096 + 1, 256>>>(X, Y, N, 4);
    }
}
