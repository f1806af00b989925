// SPDX-License-Identifier: Apache-2.0
// task: sort
// lane: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 8fecd3c
// made by: warpwright 0.1.0
// model: a fresh instance of a language model per prompt and round
// run: sort-1 r1.c2
// median us: 2^9 11.01, 2^10 23.84, 2^11 38.30, 2^12 73.34, 2^13 143.6
// sha256: 29489b129f4221be588e8b087f5ddcf2ddab4135ddc7724ed1a808a8bf80398b

#include <cuda_runtime.h>
#include <limits.h>

#define KPL   8
#define HALO  64
#define OWN   128
#define MAXW  16

__device__ __forceinline__ unsigned smem_addr(const void* p) {
    return (unsigned)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ unsigned map_rank(unsigned a, unsigned rank) {
    unsigned r;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(rank));
    return r;
}
__device__ __forceinline__ void st_cluster_v4(unsigned a, int x, int y, int z, int w) {
    asm volatile("st.shared::cluster.v4.b32 [%0], {%1, %2, %3, %4};"
                 :: "r"(a), "r"(x), "r"(y), "r"(z), "r"(w) : "memory");
}
__device__ __forceinline__ void st_local_v4(unsigned a, int x, int y, int z, int w) {
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};"
                 :: "r"(a), "r"(x), "r"(y), "r"(z), "r"(w) : "memory");
}
__device__ __forceinline__ void ld_local_v4(unsigned a, int& x, int& y, int& z, int& w) {
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(a) : "memory");
}
__device__ __forceinline__ void st_cluster_u32(unsigned a, int x) {
    asm volatile("st.relaxed.cluster.shared::cluster.b32 [%0], %1;" :: "r"(a), "r"(x) : "memory");
}
__device__ __forceinline__ int ld_flag(unsigned a) {
    int x;
    asm volatile("ld.volatile.shared.b32 %0, [%1];" : "=r"(x) : "r"(a) : "memory");
    return x;
}
__device__ __forceinline__ void sync_all(int csize) {
    if (csize == 1) {
        __syncthreads();
    } else {
        asm volatile("barrier.cluster.arrive.release.aligned;\n\t"
                     "barrier.cluster.wait.acquire.aligned;" ::: "memory");
    }
}

// float bits <-> signed integers in the same order (its own inverse)
__device__ __forceinline__ int flip(int b) { return b ^ ((b >> 31) & 0x7fffffff); }

__device__ __forceinline__ void cmpx(int& a, int& b) {
    int lo = min(a, b), hi = max(a, b);
    a = lo; b = hi;
}

__device__ __forceinline__ void two_phases(int (&v)[KPL]) {
    cmpx(v[0], v[1]);
    cmpx(v[6], v[7]);
    int dn = __shfl_down_sync(0xffffffffu, v[0], 1);
    int up = __shfl_up_sync(0xffffffffu, v[7], 1);
    cmpx(v[2], v[3]);
    cmpx(v[4], v[5]);
    cmpx(v[1], v[2]);
    cmpx(v[5], v[6]);
    cmpx(v[3], v[4]);
    v[0] = max(v[0], up);
    v[7] = min(v[7], dn);
}

__global__ void __launch_bounds__(MAXW * 32)
oddeven_kernel(float* data, int N, int segStart, int segLen, int csize)
{
    // [warp][buffer][side][vector half][lane of the halo] as 16-byte vectors
    __shared__ __align__(16) int4 halo[MAXW][2][2][2][8];
    __shared__ int unsorted;       // 1 + last epoch at whose start something was out of order

    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    const int wpb  = blockDim.x >> 5;
    const int rank = blockIdx.x % csize;
    const long long segBase = (long long)segStart + (long long)(blockIdx.x / csize) * segLen;
    const int n = (int)min((long long)segLen, (long long)N - segBase);
    int* d = reinterpret_cast<int*>(data) + segBase;

    const int w   = rank * wpb + warp;
    const int own = w * OWN;
    const bool active = own < n;
    const bool hasL = active && w > 0;
    const bool hasR = active && (own + OWN < n);

    if (threadIdx.x == 0) unsorted = 0;

    int v[KPL];
    const int base = own - HALO + lane * KPL;
    if (active && base >= 0 && base + KPL <= n) {
        const int4* p = reinterpret_cast<const int4*>(d + base);
        int4 a = p[0], b = p[1];
        v[0] = flip(a.x); v[1] = flip(a.y); v[2] = flip(a.z); v[3] = flip(a.w);
        v[4] = flip(b.x); v[5] = flip(b.y); v[6] = flip(b.z); v[7] = flip(b.w);
    } else {
#pragma unroll
        for (int i = 0; i < KPL; ++i) {
            int g = base + i;
            v[i] = g < 0 ? INT_MIN : INT_MAX;
            if (active && g >= 0 && g < n) v[i] = flip(d[g]);
        }
    }

    const bool sendL = hasL && lane >= 8 && lane < 16;
    const bool sendR = hasR && lane >= 16 && lane < 24;
    const bool recvs = (hasL && lane < 8) || (hasR && lane >= 24);
    const int  tw    = sendL ? w - 1 : (sendR ? w + 1 : w);
    const int  trank = tw / wpb;
    const int  twarp = tw - trank * wpb;
    const bool local = (trank == rank);
    unsigned sendAddr = smem_addr(&halo[twarp][0][sendL ? 1 : 0][0][lane & 7]);
    if (!local) sendAddr = map_rank(sendAddr, (unsigned)trank);
    const unsigned recvAddr = smem_addr(&halo[warp][0][lane >= 24 ? 1 : 0][0][lane & 7]);
    const unsigned flagAddr = smem_addr(&unsorted);
    const unsigned flagDst  = lane < csize ? map_rank(flagAddr, (unsigned)lane) : flagAddr;
    const unsigned bufBytes = 2 * 2 * 8 * 16;

    sync_all(csize);

    const int epochs = (n + HALO - 1) / HALO;
    for (int e = 1; ; ++e) {
        if (active) {
            // Is the window (halo just refreshed) in order?
            bool bad = false;
#pragma unroll
            for (int i = 0; i + 1 < KPL; ++i) bad |= v[i] > v[i + 1];
            int nx = __shfl_down_sync(0xffffffffu, v[0], 1);
            bad |= (lane < 31) && (v[KPL - 1] > nx);
            if (__any_sync(0xffffffffu, bad)) {
                if (lane < csize) st_cluster_u32(flagDst, e);
#pragma unroll 8
                for (int t = 0; t < HALO / 2; ++t) two_phases(v);
            }
        }

        if (e >= epochs) break;

        const unsigned off = (e & 1) ? bufBytes : 0u;
        if (sendL || sendR) {
            if (local) {
                st_local_v4(sendAddr + off,       v[0], v[1], v[2], v[3]);
                st_local_v4(sendAddr + off + 128, v[4], v[5], v[6], v[7]);
            } else {
                st_cluster_v4(sendAddr + off,       v[0], v[1], v[2], v[3]);
                st_cluster_v4(sendAddr + off + 128, v[4], v[5], v[6], v[7]);
            }
        }
        __syncwarp();
        sync_all(csize);
        // An array out of order at the start of a later epoch was so at this one too,
        // hence every warp takes the same decision.
        if (ld_flag(flagAddr) < e) break;
        if (recvs) {
            ld_local_v4(recvAddr + off,       v[0], v[1], v[2], v[3]);
            ld_local_v4(recvAddr + off + 128, v[4], v[5], v[6], v[7]);
        }
        __syncwarp();
    }

    if (active && lane >= 8 && lane < 24) {
        if (base + KPL <= n) {
            int4* p = reinterpret_cast<int4*>(d + base);
            p[0] = make_int4(flip(v[0]), flip(v[1]), flip(v[2]), flip(v[3]));
            p[1] = make_int4(flip(v[4]), flip(v[5]), flip(v[6]), flip(v[7]));
        } else {
#pragma unroll
            for (int i = 0; i < KPL; ++i)
                if (base + i < n) d[base + i] = flip(v[i]);
        }
    }
    __syncwarp();
    sync_all(csize);   // no block leaves while others may still write to its shared memory
}

static void launch(float* data, int N, int segStart, int segLen, int segs, int csize, int wpb)
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
    cudaLaunchKernelEx(&cfg, oddeven_kernel, data, N, segStart, segLen, csize);
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

extern "C" void solve(float* data, int N)
{
    if (N <= 1) return;
    const int warps = (N - 1) / OWN + 1;

    if (warps <= 8 * MAXW) {
        int csize = 1;
        if (warps > 8) {                       // up to 1024 elements stay in one block
            while (csize < 16 && csize * 4 < warps) csize *= 2;
        }
        int wpb = (warps + csize - 1) / csize;
        if (csize == 16 && !cluster16_fits(wpb)) {
            csize = 8;
            wpb = (warps + csize - 1) / csize;
        }
        launch(data, N, 0, csize * wpb * OWN, 1, csize, wpb);
        return;
    }

    const int csize = 8, wpb = 4;
    const int seg = csize * wpb * OWN;         // 4096
    const int S = seg / 2;
    const int m = (N - 1) / S + 1;
    for (int r = 0; r <= m; ++r) {
        const int start = (r & 1) ? S : 0;
        const int segs = (N - start - 1) / seg + 1;
        launch(data, N, start, seg, segs, csize, wpb);
    }
}
