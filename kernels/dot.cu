// SPDX-License-Identifier: Apache-2.0
// task: dot
// lane: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 8fecd3c
// made by: warpwright 0.1.0
// model: a fresh instance of a language model per prompt and round
// run: dot-1 r3.c2
// median us: 2^16 5.09, 2^17 5.54, 2^18 6.46, 2^19 7.36, 2^20 8.74
// sha256: 53462efce3db3358d293c5df169f50593639534f7afac38d1800399fd12a9f13

#include <cuda_runtime.h>
#include <stdint.h>

#define MODE_CLUSTER 0
#define MODE_PARTIAL 1
#define MODE_FINISH  2
#define PARTIALS 128

__device__ __align__(16) float g_partials[PARTIALS];

__device__ __forceinline__ float4 load4(const float4* p, bool ok)
{
    float4 r;
    asm volatile("{\n\t.reg .pred p;\n\t"
                 "setp.ne.s32 p, %5, 0;\n\t"
                 "mov.f32 %0, 0f00000000;\n\t"
                 "mov.f32 %1, 0f00000000;\n\t"
                 "mov.f32 %2, 0f00000000;\n\t"
                 "mov.f32 %3, 0f00000000;\n\t"
                 "@p ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];\n\t}"
                 : "=&f"(r.x), "=&f"(r.y), "=&f"(r.z), "=&f"(r.w)
                 : "l"(p), "r"((int)ok));
    return r;
}

__device__ __forceinline__ float dot4(const float4& a, const float4& b)
{
    return fmaf(a.x, b.x, a.y * b.y) + fmaf(a.z, b.z, a.w * b.w);
}

__device__ __forceinline__ float warp_sum(float v)
{
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

__global__ void __launch_bounds__(1024)
dot_kernel(const float* __restrict__ A, const float* __restrict__ B,
           float* __restrict__ result, int N, int mode)
{
    __shared__ __align__(16) float slots[16 * 32];
    __shared__ __align__(8) unsigned long long mbar;

    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    const int n4 = N >> 2;
    const float4* A4 = reinterpret_cast<const float4*>(A);
    const float4* B4 = reinterpret_cast<const float4*>(B);

    if (mode == MODE_CLUSTER) {
        // The grid is exactly one cluster. Warp 0 of each block loads nothing.
        const int workers = blockDim.x - 32;
        const int wwarps = workers >> 5;
        const int count = gridDim.x * wwarps;            // a multiple of 4, at most 512
        const uint32_t bar = (uint32_t)__cvta_generic_to_shared(&mbar);

        if (warp == 0) {
            if (blockIdx.x == 0 && lane == 0) {
                asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(bar) : "memory");
                asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
                asm volatile("{\n\t.reg .b64 st;\n\t"
                             "mbarrier.arrive.expect_tx.shared::cta.b64 st, [%0], %1;\n\t}"
                             :: "r"(bar), "r"(count * 4) : "memory");
            }
            __syncwarp();
            asm volatile("barrier.cluster.arrive.release;" ::: "memory");
            asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
            if (blockIdx.x != 0) return;

            // Pass 0 is a rehearsal on whatever is there; pass 1 is the real sum.
#pragma unroll 1
            for (int pass = 0; pass < 2; ++pass) {
                if (pass == 1) {
                    uint32_t done = 0;
                    while (!done) {
                        asm volatile("{\n\t.reg .pred p;\n\t"
                                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                                     "selp.u32 %0, 1, 0, p;\n\t}"
                                     : "=r"(done) : "r"(bar), "r"(0) : "memory");
                    }
                    __syncwarp();
                }
                float s = 0.f;
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    const int i = 4 * (lane + 32 * k);
                    if (i < count) {
                        float4 p;
                        const uint32_t addr = (uint32_t)__cvta_generic_to_shared(&slots[i]);
                        asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                                     : "=f"(p.x), "=f"(p.y), "=f"(p.z), "=f"(p.w)
                                     : "r"(addr) : "memory");
                        s += (p.x + p.y) + (p.z + p.w);
                    }
                }
                s = warp_sum(s);
                if (lane == 0)
                    asm volatile("st.global.f32 [%0], %1;" :: "l"(result), "f"(s) : "memory");
            }
            return;
        }

        const int tid = blockIdx.x * workers + (int)threadIdx.x - 32;
        const int stride = gridDim.x * workers;
        float v = 0.f;
        bool arrived = false;
        int i = tid;
        do {
            float4 a[3], b[3];
#pragma unroll
            for (int k = 0; k < 3; ++k) {
                const int j = i + k * stride;
                a[k] = load4(A4 + j, j < n4);
                b[k] = load4(B4 + j, j < n4);
            }
            if (!arrived) {
                asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
                arrived = true;
            }
            v += (dot4(a[0], b[0]) + dot4(a[1], b[1])) + dot4(a[2], b[2]);
            i += 3 * stride;
        } while (i - tid < n4);                          // the same count for all threads
        if (tid < (N & 3)) {
            const int j = (n4 << 2) + tid;
            v = fmaf(A[j], B[j], v);
        }
        v = warp_sum(v);

        asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
        if (lane == 0) {
            const uint32_t local =
                (uint32_t)__cvta_generic_to_shared(&slots[blockIdx.x * wwarps + warp - 1]);
            uint32_t rslot, rbar;
            asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                         : "=r"(rslot) : "r"(local), "r"(0));
            asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                         : "=r"(rbar) : "r"(bar), "r"(0));
            asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"
                         :: "r"(rslot), "r"(__float_as_uint(v)), "r"(rbar) : "memory");
        }
        return;
    }

    if (mode == MODE_FINISH) {
        // One warp; the early store only touches the page of `result`.
        if (lane == 0) asm volatile("st.global.f32 [%0], %1;" :: "l"(result), "f"(0.f) : "memory");
        asm volatile("griddepcontrol.wait;" ::: "memory");
        const float4 p = __ldcg(reinterpret_cast<const float4*>(g_partials) + lane);
        const float s = warp_sum((p.x + p.y) + (p.z + p.w));
        if (lane == 0) asm volatile("st.global.f32 [%0], %1;" :: "l"(result), "f"(s) : "memory");
        return;
    }

    // MODE_PARTIAL: exactly PARTIALS blocks, one partial each.
    const int tid = blockIdx.x * blockDim.x + threadIdx.x;
    const int stride = gridDim.x * blockDim.x;
    const float4 a0 = load4(A4 + tid, tid < n4);
    const float4 b0 = load4(B4 + tid, tid < n4);
    const float4 a1 = load4(A4 + tid + stride, tid + stride < n4);
    const float4 b1 = load4(B4 + tid + stride, tid + stride < n4);
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    float v = dot4(a0, b0) + dot4(a1, b1);
    if (n4 > 2 * stride) {
        double acc = (double)v;
        for (int i = tid + 2 * stride; i < n4; i += 2 * stride) {
            const float4 c0 = load4(A4 + i, true);
            const float4 d0 = load4(B4 + i, true);
            const float4 c1 = load4(A4 + i + stride, i + stride < n4);
            const float4 d1 = load4(B4 + i + stride, i + stride < n4);
            acc += (double)(dot4(c0, d0) + dot4(c1, d1));
        }
        v = (float)acc;
    }
    if (tid < (N & 3)) {
        const int j = (n4 << 2) + tid;
        v = fmaf(A[j], B[j], v);
    }
    v = warp_sum(v);
    if (lane == 0) slots[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < (int)(blockDim.x >> 5) ? slots[lane] : 0.f;
        v = warp_sum(v);
        if (lane == 0) g_partials[blockIdx.x] = v;
    }
}

static cudaError_t launch_cluster(const float* A, const float* B, float* result, int N,
                                  int blocks, int threads)
{
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = dim3(blocks, 1, 1);
    cfg.blockDim = dim3(threads, 1, 1);
    cfg.dynamicSmemBytes = 0;
    cfg.stream = 0;
    cudaLaunchAttribute attr[1];
    attr[0].id = cudaLaunchAttributeClusterDimension;
    attr[0].val.clusterDim.x = blocks;
    attr[0].val.clusterDim.y = 1;
    attr[0].val.clusterDim.z = 1;
    cfg.attrs = attr;
    cfg.numAttrs = 1;
    return cudaLaunchKernelEx(&cfg, dot_kernel, A, B, result, N, (int)MODE_CLUSTER);
}

extern "C" void solve(const float* A, const float* B, float* result, int N)
{
    if (N <= (1 << 17)) {
        // 16 * 512 * 2 float4 pairs = 2^16 elements; 16 * 704 * 3 pairs > 2^17 elements.
        const int workers = N <= (1 << 16) + 3 ? 512 : 704;
        cudaFuncSetAttribute(dot_kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
        if (launch_cluster(A, B, result, N, 16, workers + 32) != cudaSuccess) {
            cudaGetLastError();
            launch_cluster(A, B, result, N, 8, 960 + 32);   // the portable cluster size
        }
        return;
    }

    const int threads = N <= (1 << 18) + 3 ? 256 : (N <= (1 << 19) + 3 ? 512 : 1024);
    dot_kernel<<<PARTIALS, threads>>>(A, B, result, N, MODE_PARTIAL);

    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = dim3(1, 1, 1);
    cfg.blockDim = dim3(32, 1, 1);
    cfg.dynamicSmemBytes = 0;
    cfg.stream = 0;
    cudaLaunchAttribute attr[1];
    attr[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attr[0].val.programmaticStreamSerializationAllowed = 1;
    cfg.attrs = attr;
    cfg.numAttrs = 1;
    cudaLaunchKernelEx(&cfg, dot_kernel, A, B, result, N, (int)MODE_FINISH);
}
