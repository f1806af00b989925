// SPDX-License-Identifier: Apache-2.0
// task: sort
// lane: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 8fecd3c
// made by: warpwright 0.1.0
// model: a fresh instance of a language model per prompt and round
// run: sort-1 r2.c3
// median us: 2^9 10.66, 2^10 17.02, 2^11 29.66, 2^12 54.56, 2^13 129.09
// sha256: f5446a42585572563c05f4bc6cc8b6e15c6b566d114d9732f8ce3529536b371c

#include <cuda_runtime.h>
#include <math_constants.h>

#define KPL    6
#define MAXHL  10
#define MAXW   16

#define PLANE_BYTES (MAXHL * 8)
#define BUF_BYTES   (2 * 3 * PLANE_BYTES)

__device__ __forceinline__ unsigned smem_addr(const void* p) {
    return (unsigned)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ unsigned map_rank(unsigned a, unsigned rank) {
    unsigned r;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(rank));
    return r;
}
__device__ __forceinline__ void st_async_v2(unsigned a, float x, float y, unsigned bar) {
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];"
                 :: "r"(a), "r"(__float_as_int(x)), "r"(__float_as_int(y)), "r"(bar) : "memory");
}
__device__ __forceinline__ void ld_v2(unsigned a, float& x, float& y) {
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(x), "=f"(y) : "r"(a) : "memory");
}
__device__ __forceinline__ void bar_init(unsigned a) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(a) : "memory");
}
__device__ __forceinline__ void bar_expect(unsigned a, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(a), "r"(bytes) : "memory");
}
__device__ __forceinline__ void bar_wait(unsigned a, unsigned parity) {
    unsigned done;
    do {
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done) : "r"(a), "r"(parity) : "memory");
    } while (!done);
}

__device__ __forceinline__ void cx(float& a, float& b) {
    float lo = fminf(a, b), hi = fmaxf(a, b);
    a = lo; b = hi;
}

// Fill: phases 2 and 3 around the seam between v[2] and v[3].
__device__ __forceinline__ void fill(float (&v)[KPL]) {
    cx(v[2], v[3]);
    cx(v[1], v[2]);
    cx(v[3], v[4]);
}

// Shrinking triangle of 3 phases, then the low half goes to the lane on the left.
__device__ __forceinline__ void shrink_down(float (&v)[KPL]) {
    const unsigned M = 0xffffffffu;
    cx(v[0], v[1]);
    float s0 = __shfl_down_sync(M, v[0], 1);
    cx(v[2], v[3]);
    cx(v[1], v[2]);
    float s1 = __shfl_down_sync(M, v[1], 1);
    cx(v[4], v[5]);
    cx(v[3], v[4]);
    cx(v[2], v[3]);
    float s2 = __shfl_down_sync(M, v[2], 1);
    v[0] = v[3]; v[1] = v[4]; v[2] = v[5];
    v[3] = s0;   v[4] = s1;   v[5] = s2;
}

// Shrinking triangle of 3 phases, then the high half goes to the lane on the right.
__device__ __forceinline__ void shrink_up(float (&v)[KPL]) {
    const unsigned M = 0xffffffffu;
    cx(v[4], v[5]);
    float r2 = __shfl_up_sync(M, v[5], 1);
    cx(v[2], v[3]);
    cx(v[3], v[4]);
    float r1 = __shfl_up_sync(M, v[4], 1);
    cx(v[0], v[1]);
    cx(v[1], v[2]);
    cx(v[2], v[3]);
    float r0 = __shfl_up_sync(M, v[3], 1);
    v[5] = v[2]; v[4] = v[1]; v[3] = v[0];
    v[2] = r2;   v[1] = r1;   v[0] = r0;
}

// A warp holds 32 * 6 keys: HL lanes of halo on each side, the lanes between are its own.
__global__ void __launch_bounds__(MAXW * 32)
oddeven_kernel(float* data, int N, int segStart, int segLen, int csize, int HL)
{
    // [warp][buffer][side][plane][halo lane] as 8-byte vectors
    __shared__ __align__(16) float2 halo[MAXW][2][2][3][MAXHL];
    __shared__ __align__(8) unsigned long long bars[MAXW][2];

    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    const int wpb  = blockDim.x >> 5;
    const int rank = blockIdx.x % csize;
    const long long segBase = (long long)segStart + (long long)(blockIdx.x / csize) * segLen;
    const int n = (int)min((long long)segLen, (long long)N - segBase);
    float* d = data + segBase;

    const int OWN = (32 - 2 * HL) * KPL;
    const int w   = rank * wpb + warp;
    const int own = w * OWN;
    const bool active = own < n;
    const bool hasL = active && w > 0;
    const bool hasR = active && (own + OWN < n);

    const unsigned bar0 = smem_addr(&bars[warp][0]);
    if (lane == 0) {
        bar_init(bar0);
        bar_init(bar0 + 8);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncwarp();

    float v[KPL];
    const int base = own + (lane - HL) * KPL;
    if (active && base >= 0 && base + KPL <= n) {
        const float2* p = reinterpret_cast<const float2*>(d + base);
        float2 a = p[0], b = p[1], c = p[2];
        v[0] = a.x; v[1] = a.y; v[2] = b.x; v[3] = b.y; v[4] = c.x; v[5] = c.y;
    } else {
#pragma unroll
        for (int i = 0; i < KPL; ++i) {
            int g = base + i;
            v[i] = g < 0 ? -CUDART_INF_F : CUDART_INF_F;
            if (active && g >= 0 && g < n) v[i] = d[g];
        }
    }

    // my low own keys become the right halo of warp w-1, my high own keys the left halo of w+1
    const bool sendL = hasL && lane >= HL && lane < 2 * HL;
    const bool sendR = hasR && lane >= 32 - 2 * HL && lane < 32 - HL;
    const bool recvs = (hasL && lane < HL) || (hasR && lane >= 32 - HL);

    unsigned dstL = 0, barL = 0, dstR = 0, barR = 0;
    if (sendL) {
        const int t = w - 1, r = t / wpb, q = t - r * wpb;
        dstL = map_rank(smem_addr(&halo[q][0][1][0][lane - HL]), (unsigned)r);
        barL = map_rank(smem_addr(&bars[q][0]), (unsigned)r);
    }
    if (sendR) {
        const int t = w + 1, r = t / wpb, q = t - r * wpb;
        dstR = map_rank(smem_addr(&halo[q][0][0][0][lane - (32 - 2 * HL)]), (unsigned)r);
        barR = map_rank(smem_addr(&bars[q][0]), (unsigned)r);
    }
    const int hl = lane < HL ? lane : (lane >= 32 - HL ? lane - (32 - HL) : 0);
    const unsigned src = smem_addr(&halo[warp][0][lane >= 32 - HL ? 1 : 0][0][hl]);
    const unsigned bytes = (unsigned)(((hasL ? 1 : 0) + (hasR ? 1 : 0)) * HL * KPL * 4);

    __syncwarp();
    if (csize == 1) {
        __syncthreads();
    } else {
        asm volatile("barrier.cluster.arrive.release.aligned;\n\t"
                     "barrier.cluster.wait.acquire.aligned;" ::: "memory");
    }

    if (!active) return;

    int left = (n + 5) / 6;              // groups of 6 phases still to do
    for (int e = 0; ; ++e) {
        const int it = min(left, HL);
#pragma unroll 5
        for (int t = 0; t < it; ++t) {
            shrink_down(v);
            fill(v);
            shrink_up(v);
            fill(v);
        }
        left -= it;
        if (left <= 0) break;

        const unsigned b   = (unsigned)(e & 1);
        const unsigned off = b * BUF_BYTES;
        if (sendL) {
            st_async_v2(dstL + off,                   v[0], v[1], barL + b * 8);
            st_async_v2(dstL + off + PLANE_BYTES,     v[2], v[3], barL + b * 8);
            st_async_v2(dstL + off + 2 * PLANE_BYTES, v[4], v[5], barL + b * 8);
        }
        if (sendR) {
            st_async_v2(dstR + off,                   v[0], v[1], barR + b * 8);
            st_async_v2(dstR + off + PLANE_BYTES,     v[2], v[3], barR + b * 8);
            st_async_v2(dstR + off + 2 * PLANE_BYTES, v[4], v[5], barR + b * 8);
        }
        if (bytes) {
            if (lane == 0) bar_expect(bar0 + b * 8, bytes);
            __syncwarp();
            bar_wait(bar0 + b * 8, (unsigned)((e >> 1) & 1));
            if (recvs) {
                ld_v2(src + off,                   v[0], v[1]);
                ld_v2(src + off + PLANE_BYTES,     v[2], v[3]);
                ld_v2(src + off + 2 * PLANE_BYTES, v[4], v[5]);
            }
            __syncwarp();
        }
    }

    if (lane >= HL && lane < 32 - HL) {
        if (base + KPL <= n) {
            float2* p = reinterpret_cast<float2*>(d + base);
            p[0] = make_float2(v[0], v[1]);
            p[1] = make_float2(v[2], v[3]);
            p[2] = make_float2(v[4], v[5]);
        } else {
#pragma unroll
            for (int i = 0; i < KPL; ++i)
                if (base + i < n) d[base + i] = v[i];
        }
    }
    // Every message sent to this block has been waited for, so it may leave.
}

static void launch(float* data, int N, int segStart, int segLen, int segs, int csize, int wpb, int HL)
{
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = dim3((unsigned)(segs * csize), 1, 1);
    cfg.blockDim = dim3((unsigned)(wpb * 32), 1, 1);
    cfg.dynamicSmemBytes = 0;
    cfg.stream = 0;
    cudaLaunchAttribute at[1];
    at[0].id = cudaLaunchAttributeClusterDimension;
    at[0].val.clusterDim.x = (unsigned)csize;
    at[0].val.clusterDim.y = 1;
    at[0].val.clusterDim.z = 1;
    cfg.attrs = at;
    cfg.numAttrs = 1;
    cudaLaunchKernelEx(&cfg, oddeven_kernel, data, N, segStart, segLen, csize, HL);
}

static bool cluster16_fits(int wpb)
{
    if (cudaFuncSetAttribute(oddeven_kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = dim3(16, 1, 1);
    cfg.blockDim = dim3((unsigned)(wpb * 32), 1, 1);
    cudaLaunchAttribute at[1];
    at[0].id = cudaLaunchAttributeClusterDimension;
    at[0].val.clusterDim.x = 16;
    at[0].val.clusterDim.y = 1;
    at[0].val.clusterDim.z = 1;
    cfg.attrs = at;
    cfg.numAttrs = 1;
    int num = 0;
    if (cudaOccupancyMaxActiveClusters(&num, oddeven_kernel, &cfg) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    return num >= 1;
}

static int warps_for(int N, int HL) { return (N - 1) / ((32 - 2 * HL) * KPL) + 1; }

extern "C" void solve(float* data, int N)
{
    if (N <= 1) return;

    // the widest halo that leaves each warp a scheduler of its own in a cluster of 16 SMs
    int HL = MAXHL;
    while (HL > 5 && warps_for(N, HL) > 64) --HL;
    const int OWN = (32 - 2 * HL) * KPL;
    const int warps = warps_for(N, HL);

    if (warps <= 8 * MAXW) {
        int csize = 1;
        while (csize < 16 && csize * 4 < warps) csize *= 2;
        int wpb = (warps + csize - 1) / csize;
        if (csize == 16 && !cluster16_fits(wpb)) {
            csize = 8;
            wpb = (warps + csize - 1) / csize;
        }
        launch(data, N, 0, csize * wpb * OWN, 1, csize, wpb, HL);
        return;
    }

    const int csize = 8, wpb = 4;
    const int seg = csize * wpb * OWN;         // 4224
    const int S = seg / 2;
    const int m = (N - 1) / S + 1;
    for (int r = 0; r <= m; ++r) {
        const int start = (r & 1) ? S : 0;
        const int segs = (N - start - 1) / seg + 1;
        launch(data, N, start, seg, segs, csize, wpb, HL);
    }
}
