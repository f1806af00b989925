// SPDX-License-Identifier: Apache-2.0
// task: relu
// rules: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 0ac3ea9
// made by: warpwright 0.1.0
// model: Claude, a fresh instance per prompt and round
// run: relu-1 r4.c3
// median us: 2^20 6.14, 2^22 11.78, 2^24 35.71, 2^26 130.38, 2^28 508.85
// sha256: 36bb26cb2fb0308d4e5998a005fcdde5d89ce0dec943efa0000198f6e29311d4

#include <cuda_runtime.h>

constexpr unsigned kThreads = 256;
constexpr unsigned kWave = 132u * 8u;             // blocks resident at once
constexpr unsigned kWide = 4;                     // vectors a thread, middle sizes

// One 128-byte line into L2.
__device__ __forceinline__ void prefetch_line(const void* p)
{
    asm volatile("prefetch.global.L2 [%0];"
                 :: "l"(__cvta_generic_to_global(p)));
}

__device__ __forceinline__ float4 relu4(float4 v)
{
    v.x = fmaxf(v.x, 0.0f);
    v.y = fmaxf(v.y, 0.0f);
    v.z = fmaxf(v.z, 0.0f);
    v.w = fmaxf(v.w, 0.0f);
    return v;
}

// full_blocks: blocks whose tile is whole; tail4: first vector after them.
__global__ void __launch_bounds__(256, 8)
relu_kernel(const float* __restrict__ input, float* __restrict__ output,
            unsigned full_blocks, unsigned tail4, unsigned n4, unsigned n,
            unsigned wide)
{
    const float4* __restrict__ in4 = reinterpret_cast<const float4*>(input);
    float4* __restrict__ out4 = reinterpret_cast<float4*>(output);

    if (blockIdx.x < full_blocks) {
        if (wide == 0u) {
            const unsigned i = blockIdx.x * kThreads + threadIdx.x;
            const float4* p = in4 + i;
            const float4 v = __ldcs(p);

            // Every eighth thread stands at the start of a 128-byte line: it asks
            // for the same line one wave later; only whole blocks.
            if ((threadIdx.x & 7u) == 0u && blockIdx.x + kWave < full_blocks) {
                prefetch_line(p + kWave * kThreads);
            }
            out4[i] = relu4(v);
            return;
        }

        // A single wave: all of the reads are in flight before any store.
        const unsigned i = blockIdx.x * (kThreads * kWide) + threadIdx.x;
        const float4* p = in4 + i;
        float4* q = out4 + i;
        const float4 a = __ldcs(p);
        const float4 b = __ldcs(p + kThreads);
        const float4 c = __ldcs(p + 2u * kThreads);
        const float4 d = __ldcs(p + 3u * kThreads);
        q[0] = relu4(a);
        q[kThreads] = relu4(b);
        q[2u * kThreads] = relu4(c);
        q[3u * kThreads] = relu4(d);
        return;
    }

    // The last, partial block.
    for (unsigned i = tail4 + threadIdx.x; i < n4; i += kThreads) {
        out4[i] = relu4(__ldcs(in4 + i));
    }
    const unsigned j = 4u * n4 + threadIdx.x;     // up to three single elements
    if (j < n) {
        output[j] = fmaxf(input[j], 0.0f);
    }
}

extern "C" void solve(const float* input, float* output, int N)
{
    if (N <= 0) return;
    const unsigned n = static_cast<unsigned>(N);
    const unsigned n4 = n >> 2;

    const bool wide = n >= (1u << 21) && n <= kWave * kThreads * kWide * 4u;
    const unsigned tile4 = wide ? kThreads * kWide : kThreads;   // vectors of a block
    const unsigned tile = tile4 * 4u;                            // elements of a block
    const unsigned full_blocks = n / tile;
    const unsigned blocks = full_blocks + ((n % tile) != 0u ? 1u : 0u);

    relu_kernel<<<blocks, kThreads>>>(input, output, full_blocks,
                                      full_blocks * tile4, n4, n,
                                      wide ? 1u : 0u);
}
