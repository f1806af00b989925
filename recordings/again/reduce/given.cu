// SPDX-License-Identifier: Apache-2.0
// task: reduce
// rules: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 0ac3ea9
// made by: warpwright 0.1.0
// model: Claude, a fresh instance per prompt and round
// run: reduce-1 r1.c1
// median us: 2^10 3.64, 2^12 3.85, 2^14 4.03, 2^16 4.29, 2^18 4.90
// sha256: 39fc016d996fb6d0b066cc4efc2eaa80b8d2ee41e1ea99a4329e7b404ba8ca39

#include <cuda_runtime.h>

__device__ float g_part[1024];

static __device__ __forceinline__ unsigned smem_u32(const void* p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ __forceinline__ float4 ld16(const float4* p)
{
    float4 v;
    asm volatile("ld.global.nc.v4.f32 {%0,%1,%2,%3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(p));
    return v;
}

static __device__ __forceinline__ float hsum(float4 v)
{
    return (v.x + v.y) + (v.z + v.w);
}

static __device__ __forceinline__ float warp_sum(float s)
{
#pragma unroll
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    return s;
}

// Leader prepares its mbarrier; every thread of the cluster arrives (does not wait).
static __device__ __forceinline__ void cluster_begin(unsigned t, unsigned mbar, unsigned bytes)
{
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(mbar), "r"(1u) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                     :: "r"(mbar), "r"(bytes) : "memory");
    }
    __syncwarp();
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

// T      : total number of threads of the grid
// fast   : N == 32 * T exactly (eight float4 per thread)
// cluster: the whole grid is one cluster
__global__ void __launch_bounds__(512)
sum_kernel(const float* __restrict__ in, float* __restrict__ out, int N, int T_, int fast, int cluster)
{
    __shared__ __align__(16) float parts[256];
    __shared__ __align__(8) unsigned long long mbar_storage;

    const unsigned tid  = threadIdx.x;
    const unsigned lane = tid & 31u;
    const unsigned t    = blockIdx.x * blockDim.x + tid;
    const unsigned T    = (unsigned)T_;
    const unsigned mbar = smem_u32(&mbar_storage);
    const unsigned nsend = T >> 5;               // one message per warp

    float s;
    if (__builtin_expect(fast != 0, 1)) {
        // each warp reads a contiguous piece of 4 KiB
        const float4* p = reinterpret_cast<const float4*>(in) + ((t >> 5) * 256u + lane);
        float4 a0 = ld16(p);
        float4 a1 = ld16(p + 32);
        float4 a2 = ld16(p + 64);
        float4 a3 = ld16(p + 96);
        float4 a4 = ld16(p + 128);
        float4 a5 = ld16(p + 160);
        float4 a6 = ld16(p + 192);
        float4 a7 = ld16(p + 224);
        if (cluster) cluster_begin(t, mbar, nsend * 4u);
        float b0 = hsum(a0) + hsum(a1);
        float b1 = hsum(a2) + hsum(a3);
        float b2 = hsum(a4) + hsum(a5);
        float b3 = hsum(a6) + hsum(a7);
        s = (b0 + b1) + (b2 + b3);
    } else {
        if (cluster) cluster_begin(t, mbar, nsend * 4u);
        const unsigned n  = (unsigned)N;
        const unsigned n4 = n >> 2;
        const float4* p = reinterpret_cast<const float4*>(in);
        double acc = 0.0;
        const unsigned ti = n4 * 4u + t;
        if (ti < n) acc = (double)__ldg(in + ti);
#pragma unroll 4
        for (unsigned i = t; i < n4; i += T) {
            float4 v = __ldg(p + i);
            acc += (double)hsum(v);
        }
        s = (float)acc;
    }

    s = warp_sum(s);

    if (cluster) {
        // the leader exists and its mbarrier is initialised
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
        if (lane == 0) {
            unsigned local = smem_u32(&parts[t >> 5]);
            unsigned raddr, rbar;
            asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(raddr) : "r"(local), "r"(0u));
            asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(rbar) : "r"(mbar), "r"(0u));
            asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"
                         :: "r"(raddr), "r"(__float_as_uint(s)), "r"(rbar) : "memory");
        }
        if (t >= 32u) return;
        __syncwarp();
        unsigned ok;
        do {
            asm volatile("{\n\t"
                         ".reg .pred p;\n\t"
                         "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                         "selp.u32 %0, 1, 0, p;\n\t"
                         "}"
                         : "=r"(ok) : "r"(mbar), "r"(0u) : "memory");
        } while (!ok);
        __syncwarp();
        // nsend is a multiple of 16 and at most 256
        float r = 0.0f;
        if (lane * 4u < nsend)
            r = hsum(*reinterpret_cast<const float4*>(&parts[lane * 4u]));
        if (lane * 4u + 128u < nsend)
            r += hsum(*reinterpret_cast<const float4*>(&parts[lane * 4u + 128u]));
        r = warp_sum(r);
        if (lane == 0) out[0] = r;
        return;
    }

    if (blockDim.x == 32u) {
        if (lane == 0) out[blockIdx.x] = s;
        return;
    }

    // 4 or 16 warps
    if (lane == 0) parts[tid >> 5] = s;
    __syncthreads();
    if (tid == 0) {
        const float4* q = reinterpret_cast<const float4*>(parts);
        float r = hsum(q[0]);
        if (blockDim.x > 128u) r = (r + hsum(q[1])) + (hsum(q[2]) + hsum(q[3]));
        out[blockIdx.x] = r;
    }
}

static cudaError_t launch_cluster(const float* in, float* out, int N, int ctas, int threads)
{
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim  = dim3(ctas, 1, 1);
    cfg.blockDim = dim3(threads, 1, 1);
    cfg.dynamicSmemBytes = 0;
    cfg.stream = 0;
    cudaLaunchAttribute attr[1];
    attr[0].id = cudaLaunchAttributeClusterDimension;
    attr[0].val.clusterDim.x = ctas;
    attr[0].val.clusterDim.y = 1;
    attr[0].val.clusterDim.z = 1;
    cfg.attrs = attr;
    cfg.numAttrs = 1;
    int T = ctas * threads;
    int fast = (N == 32 * T) ? 1 : 0;
    int cl = 1;
    return cudaLaunchKernelEx(&cfg, sum_kernel, in, out, N, T, fast, cl);
}

static void launch_plain(const float* in, float* out, int N, int blocks, int threads)
{
    int T = blocks * threads;
    sum_kernel<<<blocks, threads>>>(in, out, N, T, (N == 32 * T) ? 1 : 0, 0);
}

extern "C" void solve(const float* input, float* output, int N)
{
    if (N <= 1024) {
        launch_plain(input, output, N, 1, 32);
    } else if (N <= 4096) {
        launch_plain(input, output, N, 1, 128);
    } else if (N <= (1 << 20)) {
        cudaError_t e;
        if (N <= 16384) {
            e = launch_cluster(input, output, N, 8, 64);
        } else {
            cudaFuncSetAttribute(sum_kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
            e = launch_cluster(input, output, N, 16, N <= 65536 ? 128 : 512);
        }
        if (e != cudaSuccess) {
            cudaGetLastError();
            launch_plain(input, output, N, 1, 512);
        }
    } else {
        void* part = nullptr;
        cudaGetSymbolAddress(&part, g_part);
        launch_plain(input, (float*)part, N, 1024, 512);
        launch_plain((const float*)part, output, 1024, 1, 32);
    }
}
