// SPDX-License-Identifier: Apache-2.0
// task: relu
// lane: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 34f8837
// made by: warpwright 0.1.0
// model: a fresh instance of a language model per prompt and round
// run: relu-1 r4.c3
// median us: 2^20 6.25, 2^22 11.96, 2^24 36.59, 2^26 132.48, 2^28 513.63
// sha256: ce0b6d89da8e51ea60d091c44ea17d35e2b4c7fb2740c387617004e38e92bc3d

#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ float relu1(float x)
{
    return x > 0.0f ? x : 0.0f;
}

__device__ __forceinline__ float4 relu4(float4 v)
{
    v.x = relu1(v.x);
    v.y = relu1(v.y);
    v.z = relu1(v.z);
    v.w = relu1(v.w);
    return v;
}

// Each warp owns 32 * V consecutive vectors.
template <int T, int V, bool BULK>
__global__ void __launch_bounds__(T, 2048 / T)
relu_kernel(const float* __restrict__ input, float* __restrict__ output,
            unsigned n4, unsigned n)
{
    __shared__ __align__(128) float4 tile[BULK ? T * V : 1];

    const float4* __restrict__ in4 = reinterpret_cast<const float4*>(input);
    float4* __restrict__ out4 = reinterpret_cast<float4*>(output);

    const unsigned lane = threadIdx.x & 31u;
    const unsigned warp = threadIdx.x >> 5;
    const unsigned local = warp * (32u * V);                    // within the block
    const unsigned first = blockIdx.x * (unsigned)(T * V) + local;
    const unsigned base = first + lane;

    if (first + 32u * V <= n4) {
        // The warp's whole piece is in range.
        float4 v[V];
#pragma unroll
        for (int k = 0; k < V; ++k) v[k] = __ldcs(in4 + base + k * 32u);
        if (BULK) {
#pragma unroll
            for (int k = 0; k < V; ++k)
                tile[BULK ? local + lane + k * 32u : 0u] = relu4(v[k]);
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            __syncwarp();
            if (lane == 0) {
                const uint32_t src =
                    (uint32_t)__cvta_generic_to_shared(&tile[BULK ? local : 0u]);
                asm volatile(
                    "{\n\t"
                    ".reg .u64 g;\n\t"
                    "cvta.to.global.u64 g, %0;\n\t"
                    "cp.async.bulk.global.shared::cta.bulk_group [g], [%1], %2;\n\t"
                    "}\n"
                    :: "l"(out4 + first), "r"(src), "r"(512 * V)
                    : "memory");
                asm volatile("cp.async.bulk.commit_group;" ::: "memory");
                // The piece must stay alive until it has been read.
                asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
            }
        } else {
#pragma unroll
            for (int k = 0; k < V; ++k) out4[base + k * 32u] = relu4(v[k]);
        }
    } else {
        // Last pieces: whole vectors, then the 0 to 3 leftover elements.
#pragma unroll
        for (int k = 0; k < V; ++k) {
            const unsigned i = base + k * 32u;
            if (i < n4) {
                out4[i] = relu4(in4[i]);
            } else {
                const unsigned j = n4 * 4u + (i - n4);
                if (j < n) output[j] = relu1(input[j]);
            }
        }
    }
}

extern "C" void solve(const float* input, float* output, int N)
{
    if (N <= 0) return;
    const unsigned n = (unsigned)N;
    const unsigned n4 = n / 4u;
    const unsigned work = n4 + (n & 3u);
    const unsigned wave = 132u * 2048u;       // threads resident on the device

    if (work <= wave) {
        relu_kernel<256, 1, false><<<(work + 255u) / 256u, 256>>>(input, output, n4, n);
    } else if (work <= 2u * wave) {
        relu_kernel<128, 2, true><<<(work + 255u) / 256u, 128>>>(input, output, n4, n);
    } else if (work <= 4u * wave) {
        relu_kernel<128, 4, true><<<(work + 511u) / 512u, 128>>>(input, output, n4, n);
    } else {
        relu_kernel<128, 1, true><<<(work + 127u) / 128u, 128>>>(input, output, n4, n);
    }
}
