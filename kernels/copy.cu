// SPDX-License-Identifier: Apache-2.0
// task: copy
// lane: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 8fecd3c
// made by: warpwright 0.1.0
// model: a fresh instance of a language model per prompt and round
// run: copy-1 r4.c1
// median us: 1024^2 6.47, 2048^2 12.01, 4096^2 38.98, 8192^2 135.66, 16384^2 523.34
// sha256: b230d73bdb6ca9caff06a1596987a20919abee577a31d7949a385b015fd8ef3b

#include <cuda_runtime.h>
#include <stdint.h>

#define SLOTS 4
#define SLOT_BYTES 4096
#define RTHREADS 256
#define UNROLL 4

__device__ __forceinline__ uint32_t smem_addr(const void* p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ uint4 load_stream(const uint4* p)
{
    uint4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p));
    return v;
}

__device__ __forceinline__ void mbar_init(uint32_t bar, uint32_t count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(bar), "r"(count) : "memory");
}

__device__ __forceinline__ void mbar_expect(uint32_t bar, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :: "r"(bar), "r"(bytes) : "memory");
}

__device__ __forceinline__ bool mbar_try(uint32_t bar, uint32_t parity)
{
    uint32_t ok;
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                 "selp.u32 %0, 1, 0, p;\n\t"
                 "}"
                 : "=r"(ok) : "r"(bar), "r"(parity) : "memory");
    return ok != 0;
}

__device__ __forceinline__ void bulk_load(uint32_t dst, const void* src, uint32_t bytes, uint32_t bar)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(dst), "l"(src), "r"(bytes), "r"(bar) : "memory");
}

__device__ __forceinline__ void bulk_store(void* dst, uint32_t src, uint32_t bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                 :: "l"(dst), "r"(src), "r"(bytes) : "memory");
}

__global__ void __launch_bounds__(RTHREADS)
copy_kernel(const uint32_t* __restrict__ A, uint32_t* __restrict__ B, long long n, int bulk)
{
    extern __shared__ __align__(128) unsigned char buf[];

    if (!bulk) {
        // register path: at most 24 MiB, so 32-bit indices suffice
        const uint32_t nvec = (uint32_t)(n >> 2);
        const uint4* __restrict__ src = reinterpret_cast<const uint4*>(A);
        uint4* __restrict__ dst = reinterpret_cast<uint4*>(B);
        const uint32_t warp = threadIdx.x >> 5;
        const uint32_t lane = threadIdx.x & 31u;
        const uint32_t chunk = blockIdx.x * (RTHREADS * UNROLL) + warp * (32u * UNROLL);
        const uint32_t i0 = chunk + lane;
        if (chunk + 32u * UNROLL <= nvec) {
            uint4 v[UNROLL];
#pragma unroll
            for (int k = 0; k < UNROLL; ++k)
                v[k] = load_stream(src + i0 + 32u * k);
#pragma unroll
            for (int k = 0; k < UNROLL; ++k)
                dst[i0 + 32u * k] = v[k];
        } else {
#pragma unroll
            for (int k = 0; k < UNROLL; ++k) {
                const uint32_t i = i0 + 32u * k;
                if (i < nvec)
                    dst[i] = load_stream(src + i);
            }
        }
        if (blockIdx.x == gridDim.x - 1) {
            const long long i = ((n >> 2) << 2) + (long long)threadIdx.x;
            if (i < n)
                B[i] = A[i];
        }
        return;
    }

    const long long vec_bytes = (n >> 2) << 4;
    const long long base = (long long)blockIdx.x * (long long)(SLOT_BYTES * SLOTS);

    if (threadIdx.x == 0) {
        const char* src = reinterpret_cast<const char*>(A) + base;
        char* dst = reinterpret_cast<char*>(B) + base;
        const long long left = vec_bytes - base;
        const uint32_t buf0 = smem_addr(buf);
        const uint32_t bar0 = buf0 + SLOT_BYTES * SLOTS;

#pragma unroll
        for (int k = 0; k < SLOTS; ++k)
            mbar_init(bar0 + 8u * k, 1u);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async;" ::: "memory");

        uint32_t bytes[SLOTS];
#pragma unroll
        for (int k = 0; k < SLOTS; ++k) {
            long long r = left - (long long)k * SLOT_BYTES;
            if (r > SLOT_BYTES) r = SLOT_BYTES;
            if (r < 0) r = 0;
            bytes[k] = (uint32_t)r;
            if (bytes[k]) {
                mbar_expect(bar0 + 8u * k, bytes[k]);
                bulk_load(buf0 + (uint32_t)(k * SLOT_BYTES), src + (long long)k * SLOT_BYTES,
                          bytes[k], bar0 + 8u * k);
            }
        }
#pragma unroll
        for (int k = 0; k < SLOTS; ++k) {
            if (bytes[k]) {
                while (!mbar_try(bar0 + 8u * k, 0u)) { }
                bulk_store(dst + (long long)k * SLOT_BYTES, buf0 + (uint32_t)(k * SLOT_BYTES), bytes[k]);
                asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            }
        }
        // shared memory must stay alive until the engine has read it
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    } else if (blockIdx.x == gridDim.x - 1) {
        // up to three words after the last whole vector
        const long long i = ((n >> 2) << 2) + (long long)(threadIdx.x - 1);
        if (i < n)
            B[i] = A[i];
    }
}

extern "C" void solve(const float* A, float* B, int N)
{
    const long long n = (long long)N * (long long)N;
    if (n <= 0) return;
    const long long vec_bytes = (n >> 2) << 4;
    const uint32_t* src = reinterpret_cast<const uint32_t*>(A);
    uint32_t* dst = reinterpret_cast<uint32_t*>(B);

    if (vec_bytes <= (24ll << 20)) {
        const long long per_block = 16ll * RTHREADS * UNROLL;
        long long blocks = (vec_bytes + per_block - 1) / per_block;
        if (blocks < 1) blocks = 1;
        cudaFuncSetAttribute(copy_kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutDefault);
        copy_kernel<<<(unsigned)blocks, RTHREADS>>>(src, dst, n, 0);
    } else {
        const long long per_block = (long long)SLOT_BYTES * SLOTS;
        const long long blocks = (vec_bytes + per_block - 1) / per_block;
        cudaFuncSetAttribute(copy_kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100);
        copy_kernel<<<(unsigned)blocks, 32, (size_t)(per_block + 8 * SLOTS)>>>(src, dst, n, 1);
    }
}
