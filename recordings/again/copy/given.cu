// SPDX-License-Identifier: Apache-2.0
// task: copy
// rules: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 0ac3ea9
// made by: warpwright 0.1.0
// model: Claude, a fresh instance per prompt and round
// run: copy-1 r2.c1
// median us: 1024^2 6.19, 2048^2 11.75, 4096^2 35.81, 8192^2 130.56, 16384^2 510.38
// sha256: 25b132e4c6bf632f0f1c7ce53acad9d35a2f7e3ef5bd747659dc8bad5db89663

#include <cuda_runtime.h>
#include <cstddef>

__device__ __forceinline__ uint4 load_vec(const uint4* p)
{
    uint4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(__cvta_generic_to_global(p)));
    return v;
}

// Asks for one line; used on B only to start its address translation early.
__device__ __forceinline__ void touch_line(const void* p)
{
    asm volatile("prefetch.global.L2 [%0];"
                 :: "l"(__cvta_generic_to_global(p)) : "memory");
}

// Asks L2 for a whole tile, without registers or waiting.
__device__ __forceinline__ void prefetch_tile(const void* p, unsigned int bytes)
{
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;"
                 :: "l"(__cvta_generic_to_global(p)), "r"(bytes) : "memory");
}

// The 0..3 words after the last full vector.
__device__ __forceinline__ void copy_tail(const uint4* A, uint4* B, size_t nvec, int rem)
{
    const unsigned int* a = reinterpret_cast<const unsigned int*>(A + nvec);
    unsigned int* b = reinterpret_cast<unsigned int*>(B + nvec);
    for (int k = 0; k < rem; ++k) b[k] = a[k];
}

__global__ void __launch_bounds__(512, 4)
copy_kernel(const uint4* __restrict__ A, uint4* __restrict__ B,
            size_t nvec, int rem, int four)
{
    if (!four) {
        // Blocks of 256, one vector a thread; tile of the next wave goes to L2.
        const size_t tile = (size_t)blockIdx.x * 256u;
        const size_t i = tile + threadIdx.x;
        if (i < nvec) {
            const uint4 v = load_vec(A + i);
            const size_t ahead = tile + (size_t)1056 * 256u;
            if (threadIdx.x == 0 && ahead + 256u <= nvec)
                prefetch_tile(A + ahead, 4096u);
            B[i] = v;
        } else if (i == nvec) {
            copy_tail(A, B, nvec, rem);
        }
        return;
    }

    // Blocks of 512, four vectors a thread, all in one wave.
    const size_t base = (size_t)blockIdx.x * 2048u;
    const size_t i = base + threadIdx.x;
    if (base + 2048u <= nvec) {
        const uint4* a = A + i;
        uint4* b = B + i;
        const uint4 v0 = load_vec(a);
        const uint4 v1 = load_vec(a + 512);
        const uint4 v2 = load_vec(a + 1024);
        const uint4 v3 = load_vec(a + 1536);
        if (threadIdx.x == 0) touch_line(b);
        b[0]    = v0;
        b[512]  = v1;
        b[1024] = v2;
        b[1536] = v3;
    } else {
        #pragma unroll 1
        for (int k = 0; k < 4; ++k) {
            const size_t j = i + (size_t)k * 512u;
            if (j < nvec) B[j] = load_vec(A + j);
            else if (j == nvec) copy_tail(A, B, nvec, rem);
        }
    }
}

extern "C" void solve(const float* A, float* B, int N)
{
    const size_t total = (size_t)N * (size_t)N;
    const size_t nvec = total / 4;
    const int rem = (int)(total % 4);
    const size_t items = nvec + (rem ? 1 : 0);
    if (items == 0) return;

    const int four = items <= ((size_t)1 << 21) ? 1 : 0;   // up to 32 MiB
    const unsigned int threads = four ? 512u : 256u;
    const size_t per = four ? 2048 : 256;
    const size_t grid = (items + per - 1) / per;

    copy_kernel<<<(unsigned int)grid, threads>>>(
        reinterpret_cast<const uint4*>(A), reinterpret_cast<uint4*>(B),
        nvec, rem, four);
}
