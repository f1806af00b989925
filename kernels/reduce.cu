// SPDX-License-Identifier: Apache-2.0
// task: reduce
// lane: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 8fecd3c
// made by: warpwright 0.1.0
// model: a fresh instance of a language model per prompt and round
// run: reduce-1 r3.c1
// median us: 2^10 3.97, 2^12 4.16, 2^14 4.51, 2^16 4.90, 2^18 5.63
// sha256: 1e7bf644b7b78099dc7b471403cff59a40f020692a6d382619a6dbc59a3ee75c

#include <cuda_runtime.h>
#include <stdint.h>

#define MAX_PARTIALS 1024
#define UNROLL 4
#define CLUSTER 16

__device__ double g_part[MAX_PARTIALS];

__device__ __forceinline__ float warp_sum_f(float v) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

__device__ __forceinline__ double warp_sum_d(double v) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

// mode 0: one block, at most 16 elements per thread, result to output
// mode 1: many blocks, any N, one partial per block to g_part
// mode 2: one warp, N partials from g_part to output
// mode 3: one cluster of 16 blocks, at most 16 elements per thread, result to output
__global__ void __launch_bounds__(1024)
sum_kernel(const float* __restrict__ input, float* __restrict__ output, int N, int mode) {
    __shared__ __align__(16) float slots[32 * CLUSTER];
    __shared__ __align__(8) unsigned long long mbar;
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;

    if (mode == 2) {
        asm volatile("griddepcontrol.wait;" ::: "memory");
        const volatile double* part = g_part;
        double a = 0.0;
        for (int i = lane; i < N; i += 32) a += part[i];
        a = warp_sum_d(a);
        if (lane == 0) output[0] = (float)a;
        return;
    }

    const float4* in4 = reinterpret_cast<const float4*>(input);
    const int n4 = N >> 2;
    const int tid = blockIdx.x * blockDim.x + threadIdx.x;
    const int stride = gridDim.x * blockDim.x;

    // The loads of the first round go out before anything else.
    float4 v[UNROLL];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) {
        const int idx = tid + k * stride;
        v[k] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (idx < n4) v[k] = __ldg(in4 + idx);
    }
    float tail = 0.0f;
    if (tid < (N & 3)) tail = __ldg(input + (n4 << 2) + tid);

    if (mode == 3) {
        // In the shadow of the loads: block 0 sets up its mbarrier, the cluster meets once.
        const uint32_t bar = (uint32_t)__cvta_generic_to_shared(&mbar);
        const int total = (int)(blockDim.x >> 5) * CLUSTER;   // partials that will arrive
        if (tid == 0) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                         ::"r"(bar), "r"(total * 4) : "memory");
        }
        __syncwarp();
        asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");

        float s[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; ++k) s[k] = (v[k].x + v[k].y) + (v[k].z + v[k].w);
        float sum = ((s[0] + s[1]) + (s[2] + s[3])) + tail;
        sum = warp_sum_f(sum);

        if (lane == 0) {
            const int slot = blockIdx.x * (blockDim.x >> 5) + warp;
            const uint32_t la = (uint32_t)__cvta_generic_to_shared(&slots[slot]);
            uint32_t ra, rb;
            asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(ra) : "r"(la));
            asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(rb) : "r"(bar));
            asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"
                         ::"r"(ra), "r"(__float_as_uint(sum)), "r"(rb) : "memory");
        }
        if (blockIdx.x != 0 || warp != 0) return;
        __syncwarp();

        uint32_t done = 0;
        do {
            asm volatile(
                "{\n\t"
                ".reg .pred p;\n\t"
                "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0;\n\t"
                "selp.u32 %0, 1, 0, p;\n\t"
                "}"
                : "=r"(done) : "r"(bar) : "memory");
        } while (!done);
        __syncwarp();

        const float4* s4 = reinterpret_cast<const float4*>(slots);
        float r[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int i = lane + 32 * k;
            r[k] = 0.0f;
            if (4 * i < total) {
                const float4 q = s4[i];
                r[k] = (q.x + q.y) + (q.z + q.w);
            }
        }
        const float res = warp_sum_f((r[0] + r[1]) + (r[2] + r[3]));
        if (lane == 0) output[0] = res;
        return;
    }

    float s[UNROLL];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) s[k] = (v[k].x + v[k].y) + (v[k].z + v[k].w);
    float sum = ((s[0] + s[1]) + (s[2] + s[3])) + tail;

    if (mode == 1) {
        asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
        double acc = (double)sum;
        for (long long base = (long long)tid + (long long)UNROLL * stride; base < n4;
             base += (long long)UNROLL * stride) {
            float t[UNROLL];
#pragma unroll
            for (int k = 0; k < UNROLL; ++k) {
                const long long idx = base + (long long)k * stride;
                float4 w = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
                if (idx < n4) w = __ldg(in4 + idx);
                t[k] = (w.x + w.y) + (w.z + w.w);
            }
            acc += (double)((t[0] + t[1]) + (t[2] + t[3]));
        }
        sum = (float)acc;
    }

    sum = warp_sum_f(sum);
    if (lane == 0) slots[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        float r = (lane < (int)(blockDim.x >> 5)) ? slots[lane] : 0.0f;
        r = warp_sum_f(r);
        if (lane == 0) {
            if (mode == 0) output[0] = r;
            else g_part[blockIdx.x] = (double)r;
        }
    }
}

extern "C" void solve(const float* input, float* output, int N) {
    if (N <= 16387) {
        int threads;
        if (N <= 1027) threads = 256;
        else if (N <= 8195) threads = 512;     // 2^12: two float4 per thread
        else threads = 1024;
        sum_kernel<<<1, threads>>>(input, output, N, 0);
        return;
    }

    cudaLaunchConfig_t cfg = {};
    cudaLaunchAttribute attr[1];
    cfg.dynamicSmemBytes = 0;
    cfg.stream = 0;
    cfg.attrs = attr;
    cfg.numAttrs = 1;

    if (N <= 262147) {
        // 16 blocks, up to 16 elements per thread
        const int threads = (N <= 131072) ? 512 : 1024;
        if (cudaFuncSetAttribute(sum_kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1)
            == cudaSuccess) {
            cfg.gridDim = dim3(CLUSTER, 1, 1);
            cfg.blockDim = dim3(threads, 1, 1);
            attr[0].id = cudaLaunchAttributeClusterDimension;
            attr[0].val.clusterDim.x = CLUSTER;
            attr[0].val.clusterDim.y = 1;
            attr[0].val.clusterDim.z = 1;
            if (cudaLaunchKernelEx(&cfg, sum_kernel, input, output, N, 3) == cudaSuccess) return;
        }
        (void)cudaGetLastError();
    }

    int blocks = 528;
    const int threads = 512;
    if (N <= (1 << 20)) {
        blocks = (N / 4 + threads - 1) / threads;
        if (blocks > 128) blocks = 128;
        if (blocks < 1) blocks = 1;
    }
    sum_kernel<<<blocks, threads>>>(input, output, N, 1);

    cfg.gridDim = dim3(1, 1, 1);
    cfg.blockDim = dim3(32, 1, 1);
    attr[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attr[0].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchKernelEx(&cfg, sum_kernel, input, output, blocks, 2);
}
