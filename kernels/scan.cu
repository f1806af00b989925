// SPDX-License-Identifier: Apache-2.0
// task: scan
// rules: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 8fecd3c
// made by: warpwright 0.1.0
// model: a fresh instance of a language model per prompt and round
// run: scan-1 r4.c3
// median us: 2^10 4.01, 2^12 4.64, 2^14 4.48, 2^16 4.94, 2^18 6.09
// sha256: 073e16af8680472e1ed4ad77d15b05deb83b3bb3334787c42026142d699b883f

#include <cuda_runtime.h>
#include <stdint.h>

#define MAX_TILES 131080
#define FULL 0xffffffffu

__device__ float g_part[MAX_TILES];

enum { M_REDUNDANT = 0, M_SUMS = 1, M_CLUSTER = 2, M_SCANSUMS = 3, M_CARRY = 4 };

__device__ __forceinline__ float warp_incl(float v, int lane) {
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        float t = __shfl_up_sync(FULL, v, d);
        if (lane >= d) v += t;
    }
    return v;
}

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(FULL, v, d);
    return v;
}

template <bool EXACT>
__device__ __forceinline__ float4 load4(const float* __restrict__ in, unsigned i, unsigned n) {
    float4 x = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (EXACT) {
        if (i < n) x = __ldg(reinterpret_cast<const float4*>(in + i));
    } else if (i < n) {
        if (n - i >= 4u) {
            x = __ldg(reinterpret_cast<const float4*>(in + i));
        } else {
            x.x = __ldg(in + i);
            if (i + 1u < n) x.y = __ldg(in + i + 1u);
            if (i + 2u < n) x.z = __ldg(in + i + 2u);
        }
    }
    return x;
}

template <bool EXACT>
__device__ __forceinline__ void store4(float* __restrict__ out, unsigned i, unsigned n, float4 x) {
    if (EXACT) {
        if (i < n) *reinterpret_cast<float4*>(out + i) = x;
    } else if (i < n) {
        if (n - i >= 4u) {
            *reinterpret_cast<float4*>(out + i) = x;
        } else {
            out[i] = x.x;
            if (i + 1u < n) out[i + 1u] = x.y;
            if (i + 2u < n) out[i + 2u] = x.z;
        }
    }
}

__device__ __forceinline__ unsigned mapa_u32(unsigned a, unsigned rank) {
    unsigned r;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(rank));
    return r;
}

__device__ __forceinline__ bool mbar_done(unsigned bar) {
    unsigned ok;
    asm volatile(
        "{\n\t"
        ".reg .pred p;\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, p;\n\t"
        "}"
        : "=r"(ok)
        : "r"(bar), "r"(0u)
        : "memory");
    return ok != 0u;
}

// C: blocks per cluster (1: no cluster); PRE: largest number of preceding (cluster) tiles
template <int V, int MODE, int THREADS, int PRE, int C, bool EXACT>
__global__ void __launch_bounds__(THREADS) scan_kernel(const float* __restrict__ in, float* __restrict__ out,
                                                       unsigned n, unsigned tiles) {
    constexpr int NW = THREADS / 32;
    constexpr bool HAS_PRE = (MODE == M_REDUNDANT || MODE == M_CLUSTER) && PRE > 0;
    constexpr int SLOTS = (MODE == M_CLUSTER) ? C * NW : 32;
    constexpr int NP = HAS_PRE ? PRE * V : 1;
    __shared__ __align__(16) unsigned long long mbar;
    __shared__ __align__(16) float2 slots[SLOTS];
    __shared__ float ws[32];
    __shared__ float ps[32];
    const int tid = threadIdx.x;
    const int lane = tid & 31;
    const int warp = tid >> 5;

    if (MODE == M_SCANSUMS) {
        double carry = 0.0;
        for (unsigned b = 0; b < tiles; b += THREADS) {
            unsigned i = b + tid;
            float v = (i < tiles) ? g_part[i] : 0.0f;
            float inc = warp_incl(v, lane);
            float exc = __shfl_up_sync(FULL, inc, 1);
            if (lane == 0) exc = 0.0f;
            if (lane == 31) ws[warp] = inc;
            __syncthreads();
            float w = (lane < NW) ? ws[lane] : 0.0f;
            float wi = warp_incl(w, lane);
            float wp = __shfl_sync(FULL, wi, (warp + 31) & 31);
            if (warp == 0) wp = 0.0f;
            float tot = __shfl_sync(FULL, wi, 31);
            if (i < tiles) g_part[i] = (float)(carry + (double)(wp + exc));
            carry += (double)tot;
            __syncthreads();
        }
        return;
    }

    const unsigned rank = blockIdx.x % C;   // rank in the cluster (one-dimensional grid)
    const unsigned group = blockIdx.x / C;  // which cluster
    const unsigned wbase = blockIdx.x * (THREADS * 4u * V) + (unsigned)warp * (128u * V) + (unsigned)lane * 4u;

    float4 x[V];
#pragma unroll
    for (int j = 0; j < V; ++j) x[j] = load4<EXACT>(in, wbase + 128u * j, n);

    // this block's share of everything before the cluster (all of it full tiles)
    float4 p[NP];
    if (HAS_PRE) {
        const float4* p4 = reinterpret_cast<const float4*>(in) + rank * (unsigned)(THREADS * V) + tid;
#pragma unroll
        for (int k = 0; k < NP; ++k) {
            p[k] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            if ((unsigned)(k / V) < group) p[k] = __ldg(p4 + (k / V) * (C * THREADS * V) + (k % V) * THREADS);
        }
    }

    unsigned bar = 0u;
    if (MODE == M_CLUSTER) {
        bar = (unsigned)__cvta_generic_to_shared(&mbar);
        if (tid == 0) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(1u) : "memory");
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar),
                         "r"((unsigned)(SLOTS * 8))
                         : "memory");
        }
        __syncwarp();
        asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    }

    if (MODE == M_SUMS) {
        float s = 0.0f;
#pragma unroll
        for (int j = 0; j < V; ++j) s += (x[j].x + x[j].y) + (x[j].z + x[j].w);
        s = warp_sum(s);
        if (lane == 0) ws[warp] = s;
        __syncthreads();
        if (warp == 0) {
            float w = (lane < NW) ? ws[lane] : 0.0f;
            w = warp_sum(w);
            if (lane == 0) g_part[blockIdx.x] = w;
        }
        return;
    }

    float t[V];
#pragma unroll
    for (int j = 0; j < V; ++j) {
        x[j].y += x[j].x;
        float zw = x[j].z + x[j].w;
        x[j].z += x[j].y;
        x[j].w = x[j].y + zw;
        t[j] = x[j].w;
    }

    float pre = 0.0f;
    if (HAS_PRE) {
        float s0 = 0.0f, s1 = 0.0f;
#pragma unroll
        for (int k = 0; k < NP; ++k) {
            float s = (p[k].x + p[k].y) + (p[k].z + p[k].w);
            if (k & 1) s1 += s; else s0 += s;
        }
        pre = s0 + s1;
    }

#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
#pragma unroll
        for (int j = 0; j < V; ++j) {
            float u = __shfl_up_sync(FULL, t[j], d);
            if (lane >= d) t[j] += u;
        }
        if (HAS_PRE) pre += __shfl_xor_sync(FULL, pre, d);
    }
    float run = 0.0f;
    float e[V];
#pragma unroll
    for (int j = 0; j < V; ++j) {
        float u = __shfl_up_sync(FULL, t[j], 1);
        if (lane == 0) u = 0.0f;
        e[j] = run + u;
        run += __shfl_sync(FULL, t[j], 31);
    }

    float base;
    if (MODE == M_CLUSTER) {
        // all peers have started and set up their mbarrier
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
        const unsigned me = rank * NW + warp;
        if (lane < C) {
            const unsigned a = (unsigned)__cvta_generic_to_shared(&slots[me]);
            const unsigned ra = mapa_u32(a, (unsigned)lane);
            const unsigned rb = mapa_u32(bar, (unsigned)lane);
            const unsigned long long v =
                (unsigned long long)__float_as_uint(pre) | ((unsigned long long)__float_as_uint(run) << 32);
            asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(ra), "l"(v),
                         "r"(rb)
                         : "memory");
        }
        __syncwarp();
        while (!mbar_done(bar)) {
        }
        __syncwarp();
        float c0 = 0.0f, c1 = 0.0f;
#pragma unroll
        for (int k = 0; k < SLOTS / 32; ++k) {
            const unsigned s = k * 32 + lane;
            const float2 v = slots[s];
            c0 += v.x;
            if (s < me) c1 += v.y;
        }
        base = warp_sum(c0 + c1);
    } else {
        if (lane == 0) {
            ws[warp] = run;
            if (HAS_PRE) ps[warp] = pre;
        }
        __syncthreads();
        const int k = lane & (NW - 1);
        float c = HAS_PRE ? ps[k] : 0.0f;
        float w = ws[k];
        if (k < warp) c += w;
#pragma unroll
        for (int d = NW / 2; d > 0; d >>= 1) c += __shfl_xor_sync(FULL, c, d);
        base = c;
        if (MODE == M_CARRY) base += g_part[blockIdx.x];
    }

#pragma unroll
    for (int j = 0; j < V; ++j) {
        float a = base + e[j];
        float4 y = x[j];
        y.x += a;
        y.y += a;
        y.z += a;
        y.w += a;
        store4<EXACT>(out, wbase + 128u * j, n, y);
    }
}

template <int V, int THREADS, int PRE, int C, bool EXACT>
static void launch_clusters(const float* input, float* output, unsigned n) {
    const unsigned span = THREADS * 4u * V * C;
    const unsigned groups = (n + span - 1u) / span;  // at most PRE + 1
    if (C > 8) {
        cudaFuncSetAttribute(scan_kernel<V, M_CLUSTER, THREADS, PRE, C, EXACT>,
                             cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    }
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = dim3(groups * C);
    cfg.blockDim = dim3(THREADS);
    cfg.dynamicSmemBytes = 0;
    cfg.stream = 0;
    cudaLaunchAttribute at[1];
    at[0].id = cudaLaunchAttributeClusterDimension;
    at[0].val.clusterDim.x = C;
    at[0].val.clusterDim.y = 1;
    at[0].val.clusterDim.z = 1;
    cfg.attrs = at;
    cfg.numAttrs = 1;
    cudaLaunchKernelEx(&cfg, scan_kernel<V, M_CLUSTER, THREADS, PRE, C, EXACT>, input, output, n, groups);
}

template <bool EXACT>
static void run(const float* input, float* output, unsigned n) {
    if (n <= 1024u) {
        scan_kernel<1, M_REDUNDANT, 128, 1, 1, EXACT><<<(n + 511u) / 512u, 128>>>(input, output, n, 0u);
        return;
    }
    if (n <= 4096u) {
        scan_kernel<1, M_REDUNDANT, 128, 7, 1, EXACT><<<(n + 511u) / 512u, 128>>>(input, output, n, 0u);
        return;
    }
    if (n <= 16384u) {
        launch_clusters<1, 128, 3, 8, EXACT>(input, output, n);
        return;
    }
    if (n <= 65536u) {
        launch_clusters<1, 256, 3, 16, EXACT>(input, output, n);
        return;
    }
    if (n <= 262144u) {
        launch_clusters<2, 512, 3, 16, EXACT>(input, output, n);
        return;
    }

    const unsigned tile = 1024u * 16u;
    const unsigned tiles = (n + tile - 1u) / tile;
    scan_kernel<4, M_SUMS, 1024, 0, 1, EXACT><<<tiles, 1024>>>(input, output, n, tiles);
    scan_kernel<1, M_SCANSUMS, 1024, 0, 1, true><<<1, 1024>>>(input, output, n, tiles);
    scan_kernel<4, M_CARRY, 1024, 0, 1, EXACT><<<tiles, 1024>>>(input, output, n, tiles);
}

extern "C" void solve(const float* input, float* output, int N) {
    if (N <= 0) return;
    const unsigned n = (unsigned)N;
    if ((n & 3u) == 0u) {
        run<true>(input, output, n);
    } else {
        run<false>(input, output, n);
    }
}
