// SPDX-License-Identifier: Apache-2.0
// task: sort
// rules: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-16
// commit: efa77e5
// made by: warpwright 0.1.0
// model: Claude, a fresh instance per prompt and round
// run: sort-1 r3.c2
// median us: 2^9 8.75, 2^10 14.62, 2^11 25.50, 2^12 47.21, 2^13 101.95
// sha256: 2aa7eca5fcd9972794a1fcaf5dea9b41eed1158d56a71e84d77490f144e40456

#include <cuda_runtime.h>
#include <cstdint>

#define SPAN 8192
#define FULL 0xffffffffu

__device__ __forceinline__ uint32_t smem_u32(const void* p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ uint32_t map_rank(uint32_t addr, uint32_t rank)
{
    uint32_t r;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(addr), "r"(rank));
    return r;
}

__device__ __forceinline__ void cluster_sync_all()
{
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

__device__ __forceinline__ void mbar_init(uint32_t bar, uint32_t count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(bar), "r"(count) : "memory");
}

__device__ __forceinline__ void mbar_expect(uint32_t bar, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(bar), "r"(bytes) : "memory");
}

#define MAXBW 104

// remote store that counts its bytes on the receiver's mbarrier
__device__ __forceinline__ void st_async4(uint32_t addr, uint32_t bar, const float (&x)[4])
{
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];"
                 :: "r"(addr), "f"(x[0]), "f"(x[1]), "f"(x[2]), "f"(x[3]), "r"(bar) : "memory");
}

__device__ __forceinline__ void mbar_wait(uint32_t bar, uint32_t parity)
{
    uint32_t done;
    do {
        asm volatile("{\n\t"
                     ".reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t"
                     "}"
                     : "=r"(done) : "r"(bar), "r"(parity) : "memory");
    } while (!done);
}

// compare-exchange of two neighbours
__device__ __forceinline__ void ce(float& a, float& b)
{
    const float lo = fminf(a, b);
    const float hi = fmaxf(a, b);
    a = lo;
    b = hi;
}

// the larger of a and b when lo is the smaller one: a + b - lo on the bit patterns (exact modulo 2^32), by
// multiply-adds, which leave the min/max pipe alone; one == 1, neg == -1
__device__ __forceinline__ float hi_mad(float a, float b, float lo, uint32_t one, uint32_t neg)
{
    const uint32_t s = __float_as_uint(a) * one + __float_as_uint(b);
    return __uint_as_float(__float_as_uint(lo) * neg + s);
}

// odd-even transposition of 4 elements
__device__ __forceinline__ void sort4(float (&a)[4])
{
    ce(a[0], a[1]); ce(a[2], a[3]);
    ce(a[1], a[2]);
    ce(a[0], a[1]); ce(a[2], a[3]);
    ce(a[1], a[2]);
}

// One slot of the stream. The lane holds 4 elements, h[0] the rightmost; the elements x on its right pass over
// them one by one: each is compared with its neighbour h[0], the smaller of the two goes on to h[1], and so on.
// A slot takes the new element x over h[0] and h[1] and the previous one, y, over h[2] and h[3]: two
// independent chains. Returns the element that leaves on the left.
template <int MODE>
__device__ __forceinline__ float slot(float x, float& y, float (&h)[4], uint32_t one, uint32_t neg)
{
    const float l2 = fminf(y, h[2]);
    const float l0 = fminf(x, h[0]);
    h[2] = MODE == 0 ? hi_mad(y, h[2], l2, one, neg) : fmaxf(y, h[2]);
    const float l3 = fminf(l2, h[3]);
    h[0] = hi_mad(x, h[0], l0, one, neg);
    const float l1 = fminf(l0, h[1]);
    h[3] = fmaxf(l2, h[3]);
    h[1] = fmaxf(l0, h[1]);
    y = l1;
    return l3;
}

// the first half of a slot alone
__device__ __forceinline__ void enter(float x, float& y, float (&h)[4])
{
    const float l0 = fminf(x, h[0]);
    h[0] = fmaxf(x, h[0]);
    y = fminf(l0, h[1]);
    h[1] = fmaxf(l0, h[1]);
}

// the second half of a slot alone
__device__ __forceinline__ float leave(float y, float (&h)[4])
{
    const float l2 = fminf(y, h[2]);
    h[2] = fmaxf(y, h[2]);
    const float l3 = fminf(l2, h[3]);
    h[3] = fmaxf(l2, h[3]);
    return l3;
}

__device__ __forceinline__ float from_right(float o)
{
    return __shfl_down_sync(FULL, o, 1);
}

// three slots of a step: the elements 0, 1, 2 leave, 1, 2, 3 enter
__device__ __forceinline__ void slots3(float (&h)[4], float (&x)[4], float& y, uint32_t one, uint32_t neg)
{
    x[0] = from_right(slot<0>(x[1], y, h, one, neg));
    x[1] = from_right(slot<0>(x[2], y, h, one, neg));
    x[2] = from_right(slot<0>(x[3], y, h, one, neg));
}

// steps: t >= 1 double steps, 8 phases each. The window of the lane moves right by 8 elements in each.
__device__ __forceinline__ void double_steps(float (&A)[4], float (&x)[4], int t, uint32_t one, uint32_t neg)
{
    float h[4] = { A[3], A[2], A[1], A[0] };
    float y;
    enter(x[0], y, h);
#pragma unroll 1
    for (; t > 1; --t) {
        slots3(h, x, y, one, neg);
        x[3] = from_right(slot<0>(x[0], y, h, one, neg));
        slots3(h, x, y, one, neg);
        x[3] = from_right(slot<0>(x[0], y, h, one, neg));
    }
    slots3(h, x, y, one, neg);
    x[3] = from_right(slot<0>(x[0], y, h, one, neg));
    slots3(h, x, y, one, neg);
    x[3] = from_right(leave(y, h));
    A[0] = h[3]; A[1] = h[2]; A[2] = h[1]; A[3] = h[0];
}

// gw: ghost lanes between warps; OL: lanes owned by a block; GS: ghost lanes between blocks.
__global__ void __launch_bounds__(128, 1)
oet_kernel(float* __restrict__ data, int N, int base, int gw, int OL, int GS, uint32_t one, uint32_t neg)
{
    __shared__ __align__(128) float4 wbuf[2][2][MAXBW];   // between the warps of the block
    __shared__ __align__(128) float4 cbuf[2][2][MAXBW];   // between the blocks of the cluster
    __shared__ __align__(8) unsigned long long mbar[2];

    const float INF = __int_as_float(0x7f800000);
    const int lane = threadIdx.x & 31;
    const int v = threadIdx.x >> 5;

    uint32_t urank, uncta, cid;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(urank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(uncta));
    asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(cid));
    const int rank = (int)urank, ncta = (int)uncta;

    const int off = base + (int)cid * SPAN;
    float* d = data + off;
    const int n = min(N - off, SPAN);

    const int S = 32 - 2 * gw;                        // lanes of a warp that are good after gw double steps
    const int BW = OL + 2 * GS;                       // lanes in the block's window
    const int bl = v * S + lane;                      // lane within the window
    const int gl = rank * OL + bl - GS;               // lane within the array
    const int idx = gl * 8;
    const int lanes_all = ncta * OL;

    // after gw double steps to the right this lane holds window position pl
    const int pl = bl + gw;
    const bool mine = lane < S && pl >= GS && pl < GS + OL;

    const uint32_t cbuf0 = smem_u32(&cbuf[0][0][0]);
    const uint32_t bar0 = smem_u32(&mbar[0]);
    const uint32_t HALF = MAXBW * 16u;
    if (threadIdx.x == 0) {
        mbar_init(bar0, 1);
        mbar_init(bar0 + 8, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    const bool hasL = rank > 0, hasR = rank + 1 < ncta;
    const uint32_t lrank = hasL ? urank - 1u : urank, rrank = hasR ? urank + 1u : urank;
    const uint32_t lbuf = map_rank(cbuf0, lrank), lbar = map_rank(bar0, lrank);
    const uint32_t rbuf = map_rank(cbuf0, rrank), rbar = map_rank(bar0, rrank);
    const bool sendR = mine && hasR && pl >= OL;      // GS <= OL: only the next block needs it
    const bool sendL = mine && hasL && pl < 2 * GS;
    const uint32_t rxbytes = 32u * (uint32_t)GS * ((hasL ? 1u : 0u) + (hasR ? 1u : 0u));

    // load the window; infinities past the ends of the array
    float A[4], B[4];
    if (idx >= 0 && idx + 8 <= n) {
        const float4 p = *reinterpret_cast<const float4*>(d + idx);
        const float4 r = *reinterpret_cast<const float4*>(d + idx + 4);
        A[0] = p.x; A[1] = p.y; A[2] = p.z; A[3] = p.w;
        B[0] = r.x; B[1] = r.y; B[2] = r.z; B[3] = r.w;
    } else {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int p = idx + i, r = idx + 4 + i;
            A[i] = p < 0 ? -INF : INF;
            B[i] = r < 0 ? -INF : INF;
            if (p >= 0 && p < n) A[i] = d[p];
            if (r >= 0 && r < n) B[i] = d[r];
        }
    }
    sort4(A);
    sort4(B);
    // every block has started, has read its window and has set up its barriers
    if (ncta == 1) __syncthreads();
    else cluster_sync_all();

    const int inner = GS / gw;
    int rem = (n + 7) >> 3;                           // double steps (8 phases each) to do
    int xw = 0, yc = 0, q = 0, t = 0;
    for (;;) {
        t = min(rem, gw);
        rem -= t;
        double_steps(A, B, t, one, neg);
        if (rem <= 0) break;

        if (++q < inner) {
            // between the warps of this block: everything to its place in the window and back
            const int b = xw & 1;
            ++xw;
            if (lane < S) {
                wbuf[b][0][pl] = make_float4(A[0], A[1], A[2], A[3]);
                wbuf[b][1][pl] = make_float4(B[0], B[1], B[2], B[3]);
            }
            __syncthreads();
            if (bl >= gw && bl < BW - gw) {
                const float4 p = wbuf[b][0][bl];
                const float4 r = wbuf[b][1][bl];
                A[0] = p.x; A[1] = p.y; A[2] = p.z; A[3] = p.w;
                B[0] = r.x; B[1] = r.y; B[2] = r.z; B[3] = r.w;
            }
        } else {
            // between the blocks of the cluster too: neighbours only, no cluster barrier
            q = 0;
            const uint32_t b = (uint32_t)yc & 1u;
            const uint32_t par = ((uint32_t)yc >> 1) & 1u;
            ++yc;
            if (sendR) {
                const uint32_t a = rbuf + b * 2u * HALF + (uint32_t)(pl - OL) * 16u;
                st_async4(a, rbar + b * 8u, A);
                st_async4(a + HALF, rbar + b * 8u, B);
            }
            if (sendL) {
                const uint32_t a = lbuf + b * 2u * HALF + (uint32_t)(pl + OL) * 16u;
                st_async4(a, lbar + b * 8u, A);
                st_async4(a + HALF, lbar + b * 8u, B);
            }
            if (mine) {
                cbuf[b][0][pl] = make_float4(A[0], A[1], A[2], A[3]);
                cbuf[b][1][pl] = make_float4(B[0], B[1], B[2], B[3]);
            }
            if (ncta > 1 && threadIdx.x == 0) mbar_expect(bar0 + b * 8u, rxbytes);
            __syncthreads();
            if (ncta > 1) mbar_wait(bar0 + b * 8u, par);
            float4 p, r;
            if (gl < 0) {
                p = make_float4(-INF, -INF, -INF, -INF);
                r = p;
            } else if (gl >= lanes_all) {
                p = make_float4(INF, INF, INF, INF);
                r = p;
            } else {
                p = cbuf[b][0][bl];
                r = cbuf[b][1][bl];
            }
            A[0] = p.x; A[1] = p.y; A[2] = p.z; A[3] = p.w;
            B[0] = r.x; B[1] = r.y; B[2] = r.z; B[3] = r.w;
        }
        __syncwarp();
    }

    // each position of the window is stored by one warp; t double steps were done since the last exchange
    const int sh = t;
    const bool own = lane + sh >= gw && lane + sh < 32 - gw;

    const int pos = bl + sh;                          // where this lane's elements are in the window
    if (own && pos >= GS && pos < GS + OL) {
        const int o = idx + sh * 8;
        if (o + 8 <= n) {
            *reinterpret_cast<float4*>(d + o) = make_float4(A[0], A[1], A[2], A[3]);
            *reinterpret_cast<float4*>(d + o + 4) = make_float4(B[0], B[1], B[2], B[3]);
        } else {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                if (o + i < n) d[o + i] = A[i];
                if (o + 4 + i < n) d[o + 4 + i] = B[i];
            }
        }
    }
}

static void launch(float* data, int N, int base, int gw, int OL, int GS, int cs, int clusters)
{
    if (cs == 1) {
        oet_kernel<<<clusters, 128>>>(data, N, base, gw, OL, GS, 1u, 0xffffffffu);
        return;
    }
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = dim3((unsigned)(cs * clusters), 1, 1);
    cfg.blockDim = dim3(128, 1, 1);
    cfg.dynamicSmemBytes = 0;
    cfg.stream = 0;
    cudaLaunchAttribute attr[1];
    attr[0].id = cudaLaunchAttributeClusterDimension;
    attr[0].val.clusterDim.x = (unsigned)cs;
    attr[0].val.clusterDim.y = 1;
    attr[0].val.clusterDim.z = 1;
    cfg.attrs = attr;
    cfg.numAttrs = 1;
    cudaLaunchKernelEx(&cfg, oet_kernel, data, N, base, gw, OL, GS, 1u, 0xffffffffu);
}

extern "C" void solve(float* data, int N)
{
    if (N <= 1) return;
    cudaFuncSetAttribute((const void*)oet_kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);

    // 128 - 6 * gw == OL + 2 * GS; GS a multiple of gw; GS <= OL
    if (N <= 512)       launch(data, N, 0, 8, 64, 8, 1, 1);
    else if (N <= 1024) launch(data, N, 0, 6, 32, 30, 4, 1);
    else if (N <= 2048) launch(data, N, 0, 6, 32, 30, 8, 1);
    else if (N <= 4096) launch(data, N, 0, 6, 32, 30, 16, 1);
    else if (N <= SPAN) launch(data, N, 0, 4, 64, 20, 16, 1);
    else {
        // larger arrays: odd-even transposition of chunks, each pair of chunks sorted by one cluster
        const int H = SPAN / 2;
        const int P = (N - 1) / H + 1;
        for (int r = 0; r <= P; ++r) {
            const int base = (r & 1) * H;
            const int clusters = (N - base - 1) / SPAN + 1;
            launch(data, N, base, 4, 64, 20, 16, clusters);
        }
    }
}
