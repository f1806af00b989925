// SPDX-License-Identifier: Apache-2.0
// task: relu
// lane: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 8fecd3c
// made by: warpwright 0.1.0
// model: a fresh instance of a language model per prompt and round
// run: relu-1 r4.c1
// median us: 2^20 6.54, 2^22 12.03, 2^24 38.19, 2^26 134.02, 2^28 516.58
// sha256: 6cb52f285ef5e053dd24de88fb1c3dc6759cc2651eaf9e1df92e1e004ba78417

#include <cuda_runtime.h>
#include <stdint.h>

#define HALF 192u                          // float4 per half: 3 KiB
#define CHUNK (2u * HALF)                  // float4 per warp: 6 KiB
#define SMEM_BYTES (CHUNK * 16u + 16u)

__device__ __forceinline__ float4 ld_stream(const float4* p)
{
    float4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0,%1,%2,%3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(p));
    return v;
}

__device__ __forceinline__ float4 relu4(float4 v)
{
    v.x = fmaxf(v.x, 0.0f);
    v.y = fmaxf(v.y, 0.0f);
    v.z = fmaxf(v.z, 0.0f);
    v.w = fmaxf(v.w, 0.0f);
    return v;
}

__device__ __forceinline__ void mbar_wait(uint32_t bar, uint32_t parity)
{
    uint32_t ok;
    do {
        asm volatile("{\n\t"
                     ".reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t"
                     "}"
                     : "=r"(ok) : "r"(bar), "r"(parity) : "memory");
    } while (!ok);
}

__device__ __forceinline__ void bulk_load(uint32_t dst, const float4* src, uint32_t bytes, uint32_t bar)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :: "r"(bar), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];"
                 :: "r"(dst), "l"(src), "r"(bytes), "r"(bar) : "memory");
}

// Wait for one half, clamp it in place, send it back.
__device__ __forceinline__ void finish_half(float4* t, float4* dst, unsigned cnt,
                                            uint32_t buf, uint32_t bar)
{
    const unsigned lane = threadIdx.x;
    mbar_wait(bar, 0u);
    if (cnt == HALF) {
        #pragma unroll
        for (unsigned k = 0; k < HALF / 32u; ++k)
            t[lane + 32u * k] = relu4(t[lane + 32u * k]);
    } else {
        for (unsigned j = lane; j < cnt; j += 32u) t[j] = relu4(t[j]);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncwarp();
    if (lane == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                     :: "l"(dst), "r"(buf), "r"(cnt * 16u) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
}

__device__ __forceinline__ void run_chunk(const float4* in4, float4* out4, unsigned n4,
                                          unsigned char* smem)
{
    const unsigned pos = blockIdx.x * CHUNK;
    if (pos >= n4) return;                       // uniform in the block
    const unsigned cnt = min(CHUNK, n4 - pos);
    const unsigned cnt0 = min(HALF, cnt);
    const unsigned cnt1 = cnt - cnt0;

    const uint32_t buf = (uint32_t)__cvta_generic_to_shared(smem);
    const uint32_t bar = buf + CHUNK * 16u;

    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(bar) : "memory");
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(bar + 8u) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        bulk_load(buf, in4 + pos, cnt0 * 16u, bar);
        if (cnt1) bulk_load(buf + HALF * 16u, in4 + pos + HALF, cnt1 * 16u, bar + 8u);
    }
    __syncwarp();

    float4* t = reinterpret_cast<float4*>(smem);
    finish_half(t, out4 + pos, cnt0, buf, bar);
    if (cnt1)
        finish_half(t + HALF, out4 + pos + HALF, cnt1, buf + HALF * 16u, bar + 8u);

    // Shared memory must live until the stores have read it.
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

__global__ void __launch_bounds__(256, 8)
relu_kernel(const float* __restrict__ input, float* __restrict__ output, unsigned N, int mode)
{
    extern __shared__ __align__(128) unsigned char smem[];
    const unsigned n4 = N >> 2;
    const float4* in4 = reinterpret_cast<const float4*>(input);
    float4* out4 = reinterpret_cast<float4*>(output);

    if (mode == 0) {                             // one float4 per thread, 256 threads
        const unsigned i = blockIdx.x * 256u + threadIdx.x;
        if (i < n4) out4[i] = relu4(ld_stream(in4 + i));
    } else if (mode == 1) {                      // four float4 per thread, 128 threads
        const unsigned first = blockIdx.x * 512u;
        const unsigned i = first + threadIdx.x;
        if (first + 512u <= n4) {
            float4 a = ld_stream(in4 + i);
            float4 b = ld_stream(in4 + i + 128u);
            float4 c = ld_stream(in4 + i + 256u);
            float4 d = ld_stream(in4 + i + 384u);
            out4[i] = relu4(a);
            out4[i + 128u] = relu4(b);
            out4[i + 256u] = relu4(c);
            out4[i + 384u] = relu4(d);
        } else {
            #pragma unroll
            for (unsigned k = 0; k < 4u; ++k) {
                const unsigned j = i + k * 128u;
                if (j < n4) out4[j] = relu4(ld_stream(in4 + j));
            }
        }
    } else {                                     // one warp, one 6 KiB chunk
        run_chunk(in4, out4, n4, smem);
    }

    // Up to three scalars left over; done by the last block.
    if (blockIdx.x == gridDim.x - 1u) {
        const unsigned t = (n4 << 2) + threadIdx.x;
        if (t < N) output[t] = fmaxf(input[t], 0.0f);
    }
}

extern "C" void solve(const float* input, float* output, int N)
{
    if (N <= 0) return;
    const unsigned n = (unsigned)N;
    const unsigned n4 = n >> 2;
    const int mode = n <= (1u << 20) + (1u << 15) ? 0 : (n <= (1u << 22) + (1u << 21) ? 1 : 2);
    const unsigned tile = mode == 0 ? 256u : (mode == 1 ? 512u : CHUNK);
    const unsigned threads = mode == 0 ? 256u : (mode == 1 ? 128u : 32u);
    unsigned blocks = (n4 + tile - 1u) / tile;
    if (blocks == 0u) blocks = 1u;
    cudaFuncSetAttribute(relu_kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                         mode == 2 ? (int)cudaSharedmemCarveoutMaxShared
                                   : (int)cudaSharedmemCarveoutDefault);
    relu_kernel<<<blocks, threads, mode == 2 ? SMEM_BYTES : 0u>>>(input, output, n, mode);
}
