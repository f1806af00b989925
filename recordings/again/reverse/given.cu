// SPDX-License-Identifier: Apache-2.0
// task: reverse
// rules: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 8fecd3c
// made by: warpwright 0.1.0
// model: a fresh instance of a language model per prompt and round
// run: reverse-1 r4.c3
// median us: 2^20 6.17, 2^22 13.06, 2^24 38.44, 2^26 135.84, 2^28 529.12
// sha256: 350c5c7641dca42c0c10598da56052d07d8fd6aeb5db5531944509c1fd9a8767

#include <cuda_runtime.h>

#define THREADS 256
#define TILE (2u * THREADS)             // 16-byte vectors per block on each side
#define AHEAD 660u                      // blocks: one resident wave, 5 per SM

__device__ __forceinline__ uint4 rev4(uint4 v)
{
    return make_uint4(v.w, v.z, v.y, v.x);
}

__device__ __forceinline__ void prefetch_l2(const void* p, unsigned int bytes)
{
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" :: "l"(p), "r"(bytes) : "memory");
}

__global__ void __launch_bounds__(THREADS, 5)
reverse_kernel(unsigned int* __restrict__ data, unsigned int N, int vec)
{
    if (vec) {
        uint4* p = reinterpret_cast<uint4*>(data);
        const unsigned int V = N >> 2;
        const unsigned int P = V >> 1;          // pairs of vectors
        const unsigned int i0 = blockIdx.x * TILE + threadIdx.x;
        const unsigned int i1 = i0 + THREADS;
        if (i1 < P) {
            uint4 a0 = __ldcs(p + i0);
            uint4 b0 = __ldcs(p + (V - 1u - i0));
            uint4 a1 = __ldcs(p + i1);
            uint4 b1 = __ldcs(p + (V - 1u - i1));
            if (threadIdx.x == 0) {
                const unsigned int f = (blockIdx.x + AHEAD) * TILE;
                if (f + TILE <= P) {            // only whole tiles
                    prefetch_l2(p + f, TILE * 16u);
                    prefetch_l2(p + (V - f - TILE), TILE * 16u);
                }
            }
            p[i0] = rev4(b0);
            p[V - 1u - i0] = rev4(a0);
            p[i1] = rev4(b1);
            p[V - 1u - i1] = rev4(a1);
        } else if (i0 < P) {
            uint4 a0 = p[i0];
            uint4 b0 = p[V - 1u - i0];
            p[i0] = rev4(b0);
            p[V - 1u - i0] = rev4(a0);
        }
        if ((V & 1u) && blockIdx.x == 0 && threadIdx.x == 0) {
            uint4 m = p[P];                     // the middle vector, on its own
            p[P] = rev4(m);
        }
    } else {
        const unsigned int P = N >> 1;          // pairs of words
        const unsigned int base = blockIdx.x * (4u * THREADS) + threadIdx.x;
        unsigned int a[4], b[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const unsigned int i = base + k * THREADS;
            if (i < P) {
                a[k] = data[i];
                b[k] = data[N - 1u - i];
            }
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const unsigned int i = base + k * THREADS;
            if (i < P) {
                data[i] = b[k];
                data[N - 1u - i] = a[k];
            }
        }
    }
}

extern "C" void solve(float* input, int N)
{
    if (N <= 1) return;
    const unsigned int n = (unsigned int)N;
    unsigned int* d = reinterpret_cast<unsigned int*>(input);
    if ((n & 3u) == 0) {
        const unsigned int P = n >> 3;
        unsigned int blocks = (P + TILE - 1u) / TILE;
        if (blocks == 0) blocks = 1;
        reverse_kernel<<<blocks, THREADS>>>(d, n, 1);
    } else {
        const unsigned int P = n >> 1;
        const unsigned int blocks = (P + 4u * THREADS - 1u) / (4u * THREADS);
        reverse_kernel<<<blocks, THREADS>>>(d, n, 0);
    }
}
