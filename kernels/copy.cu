// SPDX-License-Identifier: Apache-2.0
// task: copy
// lane: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 34f8837
// made by: warpwright 0.1.0
// model: a fresh instance of a language model per prompt and round
// run: copy-1 r4.c1
// median us: 1024^2 6.29, 2048^2 11.86, 4096^2 36.02, 8192^2 130.93, 16384^2 510.51
// sha256: 26df6fbd98a4181339f8d02e38f41fdfb2919b6db3149b7385f0c3e9c7d21714

#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint4 load_vec(const uint4* p)
{
    uint4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
    return v;
}

__device__ __forceinline__ void prefetch_4k(const uint4* p)
{
    unsigned long long g;
    asm volatile("cvta.to.global.u64 %0, %1;" : "=l"(g) : "l"(p));
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;"
                 :: "l"(g), "r"(4096) : "memory");
}

// vecs: vectors per thread, 1 or 4.  ahead: distance of the prefetch in blocks, 0 for none.
__global__ void __launch_bounds__(256, 8)
copy_kernel(const uint4* __restrict__ a, uint4* __restrict__ b,
            unsigned int full_blocks, unsigned int left_words,
            unsigned int vecs, unsigned int ahead)
{
    if (blockIdx.x < full_blocks) {
        if (vecs == 1u) {
            const unsigned long long i = (unsigned long long)blockIdx.x * 256u + threadIdx.x;
            const uint4 v = load_vec(a + i);
            if (ahead != 0u && threadIdx.x == 0 && blockIdx.x + ahead < full_blocks)
                prefetch_4k(a + (unsigned long long)(blockIdx.x + ahead) * 256u);
            b[i] = v;
        } else {
            const unsigned int i = blockIdx.x * 1024u + threadIdx.x;
            const uint4* p = a + i;
            uint4* q = b + i;
            const uint4 v0 = load_vec(p);
            const uint4 v1 = load_vec(p + 256);
            const uint4 v2 = load_vec(p + 512);
            const uint4 v3 = load_vec(p + 768);
            q[0] = v0;
            q[256] = v1;
            q[512] = v2;
            q[768] = v3;
        }
    } else {
        const unsigned long long base = (unsigned long long)full_blocks * (256u * vecs);
        const unsigned int* at = reinterpret_cast<const unsigned int*>(a + base);
        unsigned int* bt = reinterpret_cast<unsigned int*>(b + base);
        for (unsigned int k = threadIdx.x; k < left_words; k += 256u) bt[k] = at[k];
    }
}

extern "C" void solve(const float* A, float* B, int N)
{
    if (N < 1) return;
    const unsigned long long total = (unsigned long long)N * (unsigned long long)N;
    unsigned int vecs = 1u, ahead = 0u;
    if (N > 2048)      ahead = 132u * 8u;
    else if (N > 1024) vecs = 4u;
    const unsigned long long words_per_block = 1024ull * vecs;
    const unsigned long long full = total / words_per_block;
    const unsigned int left = (unsigned int)(total % words_per_block);
    const unsigned long long blocks = full + (left ? 1 : 0);
    copy_kernel<<<(unsigned int)blocks, 256>>>(
        reinterpret_cast<const uint4*>(A), reinterpret_cast<uint4*>(B),
        (unsigned int)full, left, vecs, ahead);
}
