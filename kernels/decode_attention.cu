// SPDX-License-Identifier: Apache-2.0
// task: decode_attention
// rules: free
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-19
// commit: 0ca4e6f5
// made by: warpwright 0.2.0
// model: merge
// run: decode_attention fsr r2.c1, r2.c2, r3.c2, evolve g4.c1, g4.c3 (changed), tree w4.c1
// median us: B=1,ctx=4096 23.90, B=2,ctx=2048 23.33, B=4,ctx=4096 73.07, B=8,ctx=8192 245.46, B=16,ctx=4096 245.62
// sha256: 6d87735427225b967d0c685073119a1645d73426c130a0ce2fb3579d5be44926

#include <cuda_runtime.h>
#include <cuda_fp16.h>

namespace part0 {



#define SMALL_W 16     // tune: SMALL_W = 4, 8, 16
#define MID_W 4        // tune: MID_W = 4, 8, 16
#define CLUS_MAX 2     // tune: CLUS_MAX = 1, 2, 4

// SMALL_W:  warps of a block up to 2^18 rows, MID_W: up to 2^20 rows
// CLUS_MAX: at small sizes up to so many splits merge inside a cluster (1: never)

#define RING_FROM 256      // number of heads B*H from which the cp.async ring is used
#define RWAVES 2           // waves of the ring
#define STAGES 3           // of a warp's ring, 8 KiB each
#define NW 4               // warps of a ring block
#define RSLOTS 264         // resident ring blocks (2 per SM)
#define WSLOTS 2112        // resident warps of the register kernel (16 per SM)
#define NSM 132
#define WAVES_M 4
#define WAVES_L 8
#define MAXBLK (WSLOTS / 4 * WAVES_L)
#define MAXSPLIT 128       // <= 4 * 32
#define REC 34             // float4 of one partial: 32 of sums, 2 of (M, L, M, L)
#define CPAD 8             // a counter has a sector of its own
#define NEG (-1e30f)
#define FULL 0xffffffffu

__device__ __align__(128) float4 g_part[(size_t)MAXBLK * REC];
__device__ __align__(128) unsigned int g_cnt[MAXBLK * CPAD];

// ---------------------------------------------------------------- small helpers

__device__ __forceinline__ uint4 ldg_stream(const __half* p) {
    uint4 r;
    asm volatile("ld.global.cs.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w) : "l"(p));
    return r;
}

__device__ __forceinline__ void cpa16(unsigned int dst, const char* src) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(dst), "l"(src) : "memory");
}

__device__ __forceinline__ void cpa_commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// brings the counter of a head to L2 long before it is needed
__device__ __forceinline__ void prefetch_counter(int bh) {
    asm volatile("prefetch.global.L2 [%0];" :: "l"(__cvta_generic_to_global(&g_cnt[bh * CPAD])));
}

__device__ __forceinline__ float ex2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// largest value of a warp, by one reduction of integers in the same order
__device__ __forceinline__ float warp_max(float x) {
    int i = __float_as_int(x);
    i ^= (i >> 31) & 0x7fffffff;
    i = __reduce_max_sync(FULL, i);
    i ^= (i >> 31) & 0x7fffffff;
    return __int_as_float(i);
}

__device__ __forceinline__ float2 h2f(unsigned int u) {
    __half2 h = *reinterpret_cast<__half2*>(&u);
    return __half22float2(h);
}

__device__ __forceinline__ void unpack8(const uint4& u, float* f) {
    float2 a = h2f(u.x), b = h2f(u.y), c = h2f(u.z), d = h2f(u.w);
    f[0] = a.x; f[1] = a.y; f[2] = b.x; f[3] = b.y;
    f[4] = c.x; f[5] = c.y; f[6] = d.x; f[7] = d.y;
}

__device__ __forceinline__ float dot8(const uint4& u, const float (&qf)[8]) {
    float f[8];
    unpack8(u, f);
    float d0 = qf[0] * f[0], d1 = qf[1] * f[1];
    d0 = fmaf(qf[2], f[2], d0); d1 = fmaf(qf[3], f[3], d1);
    d0 = fmaf(qf[4], f[4], d0); d1 = fmaf(qf[5], f[5], d1);
    d0 = fmaf(qf[6], f[6], d0); d1 = fmaf(qf[7], f[7], d1);
    return d0 + d1;
}

__device__ __forceinline__ void fma4(float w, const float4& x, float4& a) {
    a.x = fmaf(w, x.x, a.x); a.y = fmaf(w, x.y, a.y);
    a.z = fmaf(w, x.z, a.z); a.w = fmaf(w, x.w, a.w);
}

__device__ __forceinline__ void cluster_arrive_relaxed() {
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}
__device__ __forceinline__ void cluster_arrive() {
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
}
__device__ __forceinline__ void cluster_wait() {
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

// address of the same variable in the shared memory of block 0 of the cluster
__device__ __forceinline__ unsigned int rank0_addr(const void* p) {
    const unsigned int a = (unsigned int)__cvta_generic_to_shared(p);
    unsigned int r;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(0u));
    return r;
}

// ---------------------------------------------------------------- one tile of 16 rows

// base already holds the lane's column offset; rows row0 + 2*i, never behind "last"
__device__ __forceinline__ void load_tile(uint4 (&r)[8], const __half* base, int row0, int last) {
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const unsigned int row = (unsigned int)min(row0 + 2 * i, last);
        r[i] = ldg_stream(base + (size_t)row * 128);
    }
}

__device__ __forceinline__ void issue_tile(unsigned int dst, const char* base, int tile, int hf, int lim) {
    const int row0 = tile * 16 + hf;
    if (tile * 16 + 16 <= lim) {
        const char* p = base + (size_t)((unsigned)row0 * 256u);
#pragma unroll
        for (int i = 0; i < 8; i++) cpa16(dst + i * 512, p + i * 512);
    } else {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const int row = min(row0 + 2 * i, lim - 1);
            cpa16(dst + i * 512, base + (size_t)((unsigned)row * 256u));
        }
    }
}

// s[i]: this lane's part of row row0 + 2*i + hf (base 2 logarithm of the weight).
// Returns the weight of row row0 + ((lane>>1)&7)*2 + hf.
__device__ __forceinline__ float soft_step(float (&s)[8], int row0, int n, int lane,
                                           float& m, float& l, float (&acc)[8]) {
#pragma unroll
    for (int st = 0; st < 3; st++) {
        const int w = 8 >> (st + 1), o = 8 >> st;
        const bool up = (lane & o) != 0;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            if (i < w) {
                const float send = up ? s[i] : s[i + w];
                const float keep = up ? s[i + w] : s[i];
                s[i] = keep + __shfl_xor_sync(FULL, send, o);
            }
        }
    }
    s[0] += __shfl_xor_sync(FULL, s[0], 1);

    const bool valid = row0 + ((lane >> 1) & 7) * 2 + (lane >> 4) < n;
    const float sv = valid ? s[0] : NEG;
    if (__any_sync(FULL, sv > m)) {          // the largest score rises
        const float mt = warp_max(sv);
        const float sc = ex2(m - mt);
        l *= sc;
#pragma unroll
        for (int e = 0; e < 8; e++) acc[e] *= sc;
        m = mt;
    }
    const float p = valid ? ex2(sv - m) : 0.f;
    l += p;
    return p;
}

// ---------------------------------------------------------------- merging: one warp, four columns a lane

__device__ __forceinline__ void store_out(const float4& a, float Ls, int bh, int lane, __half* __restrict__ out) {
    const float inv = Ls > 0.f ? 1.0f / Ls : 0.f;
    __half2 h0 = __floats2half2_rn(a.x * inv, a.y * inv);
    __half2 h1 = __floats2half2_rn(a.z * inv, a.w * inv);
    uint2 u;
    u.x = *reinterpret_cast<unsigned int*>(&h0);
    u.y = *reinterpret_cast<unsigned int*>(&h1);
    *reinterpret_cast<uint2*>(out + (size_t)bh * 128 + lane * 4) = u;
}

__device__ __forceinline__ float warp_sum(float x) {
#pragma unroll
    for (int o = 16; o; o >>= 1) x += __shfl_xor_sync(FULL, x, o);
    return x;
}

// the splits of a head are the blocks of one cluster: warp 0 of each pushes to block 0
__device__ __forceinline__ void merge_cluster(const float4& a, float M, float Ls, int bh, int lane,
                                              __half* __restrict__ out) {
    __shared__ __align__(16) float4 cAcc[8][32];
    __shared__ __align__(16) float2 cML[8];
    const int rank = blockIdx.x, splits = gridDim.x;

    cluster_wait();                       // all blocks of the cluster have started
    asm volatile("st.shared::cluster.v4.f32 [%0], {%1,%2,%3,%4};"
                 :: "r"(rank0_addr(&cAcc[rank][lane])), "f"(a.x), "f"(a.y), "f"(a.z), "f"(a.w) : "memory");
    if (lane == 0)
        asm volatile("st.shared::cluster.v2.f32 [%0], {%1,%2};"
                     :: "r"(rank0_addr(&cML[rank])), "f"(M), "f"(Ls) : "memory");
    __syncwarp();
    cluster_arrive();
    cluster_wait();
    if (rank != 0) return;

    float2 ml = make_float2(NEG, 0.f);
    if (lane < splits) ml = cML[lane];
    const float MM = warp_max(ml.x);
    const float wg = ex2(ml.x - MM);
    const float LL = warp_sum(wg * ml.y);
    float4 r = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int i = 0; i < splits; i++) {
        const float w = __shfl_sync(FULL, wg, i);
        fma4(w, cAcc[i][lane], r);
    }
    store_out(r, LL, bh, lane, out);
}

// the last block of a head (its warp 0) merges what all of them left in memory
template <int MB>
__device__ __forceinline__ void merge_global(const float4& a, float M, float Ls, int bh, int lane,
                                             __half* __restrict__ out) {
    const int split = blockIdx.x, splits = gridDim.x;
    const int slot0 = bh * splits;

    float4* rec = g_part + (size_t)(slot0 + split) * REC;
    rec[lane] = a;
    if (lane < 2) rec[32 + lane] = make_float4(M, Ls, M, Ls);
    __threadfence();
    __syncwarp();
    unsigned int old = 0;
    // counts to splits - 1 and wraps to 0 by itself
    if (lane == 0) old = atomicInc(&g_cnt[bh * CPAD], (unsigned int)(splits - 1));
    old = __shfl_sync(FULL, old, 0);
    if (old != (unsigned int)(splits - 1)) return;
    __threadfence();

    const float4* pp = g_part + (size_t)slot0 * REC;
    float wm[4], wl[4];
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const int i = lane + 32 * j;
        float2 t = make_float2(NEG, 0.f);
        if (i < splits) t = __ldcg(reinterpret_cast<const float2*>(pp + i * REC + 32));
        wm[j] = t.x; wl[j] = t.y;
    }
    float4 x[MB];
#pragma unroll
    for (int j = 0; j < MB; j++) {
        x[j] = make_float4(0.f, 0.f, 0.f, 0.f);
        if (j < splits) x[j] = __ldcg(pp + j * REC + lane);
    }
    const float MM = warp_max(fmaxf(fmaxf(wm[0], wm[1]), fmaxf(wm[2], wm[3])));
    float LL = 0.f;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        wm[j] = ex2(wm[j] - MM);
        LL = fmaf(wm[j], wl[j], LL);
    }
    LL = warp_sum(LL);

    float4 r = make_float4(0.f, 0.f, 0.f, 0.f);
    int i0 = 0;
    while (true) {
        const float ws = i0 < 32 ? wm[0] : i0 < 64 ? wm[1] : i0 < 96 ? wm[2] : wm[3];
#pragma unroll
        for (int j = 0; j < MB; j++) {
            const float w = __shfl_sync(FULL, ws, (i0 + j) & 31);
            fma4(w, x[j], r);
        }
        i0 += MB;
        if (i0 >= splits) break;
#pragma unroll
        for (int j = 0; j < MB; j++) {
            x[j] = make_float4(0.f, 0.f, 0.f, 0.f);
            if (i0 + j < splits) x[j] = __ldcg(pp + (i0 + j) * REC + lane);
        }
    }
    store_out(r, LL, bh, lane, out);
}

// MB: partials the merging warp holds in flight (a divisor of 32)
template <int W, int MB, bool CLUS>
__device__ __forceinline__ void finish(float m, float l, float (&acc)[8], int bh, __half* __restrict__ out) {
    __shared__ __align__(16) float4 sAcc[W][32];
    __shared__ __align__(16) float2 sML[W];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;

#pragma unroll
    for (int o = 16; o >= 2; o >>= 1) l += __shfl_xor_sync(FULL, l, o);
    // the two halves of the warp exchange: each lane keeps four columns
    const bool up = (lane & 16) != 0;
    float k4[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
        const float send = up ? acc[e] : acc[e + 4];
        const float keep = up ? acc[e + 4] : acc[e];
        k4[e] = keep + __shfl_xor_sync(FULL, send, 16);
    }
    sAcc[warp][(lane & 15) * 2 + (lane >> 4)] = make_float4(k4[0], k4[1], k4[2], k4[3]);
    if (lane == 0) sML[warp] = make_float2(m, l);
    __syncwarp();

    if (warp != 0) {                       // announce and leave, without waiting
        asm volatile("bar.arrive 1, %0;" :: "n"(W * 32) : "memory");
        if (CLUS && gridDim.x > 1) {
            cluster_wait();
            cluster_arrive_relaxed();
            cluster_wait();
        }
        return;
    }
    asm volatile("bar.sync 1, %0;" :: "n"(W * 32) : "memory");

    float2 ml = make_float2(NEG, 0.f);
    if (lane < W) ml = sML[lane];
    const float M = warp_max(ml.x);
    const float wg = ex2(ml.x - M);
    float4 a = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll 8
    for (int w = 0; w < W; w++) {
        const float x = __shfl_sync(FULL, wg, w);
        fma4(x, sAcc[w][lane], a);
    }
    const float Ls = warp_sum(wg * ml.y);

    if (gridDim.x == 1) {
        store_out(a, Ls, bh, lane, out);
        return;
    }
    if (CLUS) merge_cluster(a, M, Ls, bh, lane, out);
    else      merge_global<MB>(a, M, Ls, bh, lane, out);
}

// ---------------------------------------------------------------- small and middle sizes: memory to registers

template <int W, bool CLUS>
__global__ void __launch_bounds__(W * 32, 16 / W)
attn128_reg(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
            const int* __restrict__ seq_lens, __half* __restrict__ out, int L, float c) {
    if (CLUS && gridDim.x > 1) cluster_arrive_relaxed();
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int n = __ldg(seq_lens + blockIdx.z);
    const int bh = blockIdx.z * gridDim.y + blockIdx.y;
    const int hf = lane >> 4;
    const int col = (lane & 15) * 8;
    const uint4 qu = __ldg(reinterpret_cast<const uint4*>(q + (size_t)bh * 128 + col));

    const size_t off = (size_t)bh * L * 128 + col;
    const __half* kb = k + off;
    const __half* vb = v + off;

    // the first tile of a warp does not depend on n: ask for its keys at once
    // (rows behind n are inside the buffer and masked below)
    const int stride = gridDim.x * W * 16;
    int t0 = (blockIdx.x * W + warp) * 16;
    uint4 kr[8], vr[8];
    load_tile(kr, kb, t0 + hf, L - 1);
    if (!CLUS && gridDim.x > 1 && threadIdx.x == 0) prefetch_counter(bh);

    float qf[8];
    unpack8(qu, qf);
#pragma unroll
    for (int e = 0; e < 8; e++) qf[e] *= c;

    float m = NEG, l = 0.f, acc[8];
#pragma unroll
    for (int e = 0; e < 8; e++) acc[e] = 0.f;
    const int last = n - 1;

    for (; t0 < n; t0 += stride) {
        load_tile(vr, vb, t0 + hf, last);
        float s[8];
#pragma unroll
        for (int i = 0; i < 8; i++) s[i] = dot8(kr[i], qf);
        if (t0 + stride < n) load_tile(kr, kb, t0 + stride + hf, last);

        const float p = soft_step(s, t0, n, lane, m, l, acc);
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const float pi = __shfl_sync(FULL, p, (lane & 16) | (i << 1));
            float f[8];
            unpack8(vr[i], f);
#pragma unroll
            for (int e = 0; e < 8; e++) acc[e] = fmaf(pi, f[e], acc[e]);
        }
    }
    finish<W, (W == 4 ? 16 : 8), CLUS>(m, l, acc, bh, out);
}

// ---------------------------------------------------------------- large sizes: one cp.async ring per warp

__global__ void __launch_bounds__(NW * 32, 2)
attn128_ring(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
             const int* __restrict__ seq_lens, __half* __restrict__ out, int L, float c) {
    extern __shared__ __align__(128) unsigned char ring[];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int bh = blockIdx.z * gridDim.y + blockIdx.y;
    const int hf = lane >> 4;
    const int step = gridDim.x * NW;
    int t = blockIdx.x * NW + warp;

    const int n = __ldg(seq_lens + blockIdx.z);
    const char* kb = reinterpret_cast<const char*>(k + (size_t)bh * L * 128) + (lane & 15) * 16;
    const char* vb = reinterpret_cast<const char*>(v + (size_t)bh * L * 128) + (lane & 15) * 16;

    // every lane reads back only what it copied itself
    unsigned char* my = ring + (size_t)warp * STAGES * 8192 + lane * 16;
    const unsigned int my_s = (unsigned int)__cvta_generic_to_shared(my);

    const bool first = t * 16 < L;          // does not depend on n
    if (first) issue_tile(my_s, kb, t, hf, L);
    cpa_commit();
    if (first) issue_tile(my_s + 4096, vb, t, hf, L);
    cpa_commit();

    float qf[8];
    unpack8(__ldg(reinterpret_cast<const uint4*>(q + (size_t)bh * 128 + (lane & 15) * 8)), qf);
#pragma unroll
    for (int e = 0; e < 8; e++) qf[e] *= c;

    const int tiles = (n + 15) >> 4;
#pragma unroll
    for (int s = 1; s < STAGES; s++) {
        const int tt = t + s * step;
        if (tt < tiles) issue_tile(my_s + s * 8192, kb, tt, hf, n);
        cpa_commit();
        if (tt < tiles) issue_tile(my_s + s * 8192 + 4096, vb, tt, hf, n);
        cpa_commit();
    }

    float m = NEG, l = 0.f, acc[8];
#pragma unroll
    for (int e = 0; e < 8; e++) acc[e] = 0.f;

    int st = 0;
    for (; t < tiles; t += step) {
        unsigned char* buf = my + st * 8192;
        const unsigned int d = my_s + st * 8192;
        const int tn = t + STAGES * step;

        asm volatile("cp.async.wait_group %0;" :: "n"(2 * STAGES - 1) : "memory");
        float s[8];
#pragma unroll
        for (int i = 0; i < 8; i++) s[i] = dot8(*reinterpret_cast<const uint4*>(buf + i * 512), qf);
        if (tn < tiles) issue_tile(d, kb, tn, hf, n);
        cpa_commit();

        const float p = soft_step(s, t * 16, n, lane, m, l, acc);

        asm volatile("cp.async.wait_group %0;" :: "n"(2 * STAGES - 1) : "memory");
        if (t * 16 + 16 > n) {              // rows behind the length may hold anything
#pragma unroll
            for (int i = 0; i < 8; i++)
                if (t * 16 + hf + 2 * i >= n)
                    *reinterpret_cast<uint4*>(buf + 4096 + i * 512) = make_uint4(0u, 0u, 0u, 0u);
        }
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const float pi = __shfl_sync(FULL, p, (lane & 16) | (i << 1));
            float f[8];
            unpack8(*reinterpret_cast<const uint4*>(buf + 4096 + i * 512), f);
#pragma unroll
            for (int e = 0; e < 8; e++) acc[e] = fmaf(pi, f[e], acc[e]);
        }
        if (tn < tiles) issue_tile(d + 4096, vb, tn, hf, n);
        cpa_commit();
        if (++st == STAGES) st = 0;
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    if (gridDim.x > 1 && threadIdx.x == 32) prefetch_counter(bh);
    finish<NW, 4, false>(m, l, acc, bh, out);
}

// ---------------------------------------------------------------- any Dh <= 256

__global__ void __launch_bounds__(512)
attn_any(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
         const int* __restrict__ seq_lens, __half* __restrict__ out, int H, int Dh, int L, float c) {
    __shared__ float sA[16][256];
    __shared__ float sM[16], sL[16];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int bh = blockIdx.x;
    const int n = seq_lens[bh / H];
    const __half* kp = k + (size_t)bh * L * Dh;
    const __half* vp = v + (size_t)bh * L * Dh;
    float qf[8], acc[8];
#pragma unroll
    for (int e = 0; e < 8; e++) {
        const int j = lane + 32 * e;
        qf[e] = j < Dh ? __half2float(q[(size_t)bh * Dh + j]) : 0.f;
        acc[e] = 0.f;
    }
    float m = NEG, l = 0.f;
    for (int p0 = warp * 4; p0 < n; p0 += 64) {
        float s[4];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            const __half* row = kp + (size_t)min(p0 + r, n - 1) * Dh;
            float d = 0.f;
#pragma unroll
            for (int e = 0; e < 8; e++) {
                const int j = lane + 32 * e;
                if (j < Dh) d = fmaf(qf[e], __half2float(row[j]), d);
            }
            s[r] = d;
        }
#pragma unroll
        for (int o = 16; o; o >>= 1)
#pragma unroll
            for (int r = 0; r < 4; r++) s[r] += __shfl_xor_sync(FULL, s[r], o);
        float mt = s[0];
#pragma unroll
        for (int r = 1; r < 4; r++) if (p0 + r < n) mt = fmaxf(mt, s[r]);
        if (mt > m) {
            const float sc = exp2f((m - mt) * c);
            l *= sc;
#pragma unroll
            for (int e = 0; e < 8; e++) acc[e] *= sc;
            m = mt;
        }
#pragma unroll
        for (int r = 0; r < 4; r++) {
            if (p0 + r < n) {
                const float p = exp2f((s[r] - m) * c);
                l += p;
                const __half* row = vp + (size_t)(p0 + r) * Dh;
#pragma unroll
                for (int e = 0; e < 8; e++) {
                    const int j = lane + 32 * e;
                    if (j < Dh) acc[e] = fmaf(p, __half2float(row[j]), acc[e]);
                }
            }
        }
    }
#pragma unroll
    for (int e = 0; e < 8; e++) sA[warp][lane + 32 * e] = acc[e];
    if (lane == 0) { sM[warp] = m; sL[warp] = l; }
    __syncthreads();
    const int j = threadIdx.x;
    if (j < Dh) {
        float M = NEG, Ls = 0.f, a = 0.f;
        for (int w = 0; w < 16; w++) M = fmaxf(M, sM[w]);
        for (int w = 0; w < 16; w++) {
            const float x = exp2f((sM[w] - M) * c);
            Ls = fmaf(x, sL[w], Ls);
            a = fmaf(x, sA[w][j], a);
        }
        out[(size_t)bh * Dh + j] = __float2half(Ls > 0.f ? a / Ls : 0.f);
    }
}

// ---------------------------------------------------------------- host

typedef void (*kern_t)(const __half*, const __half*, const __half*, const int*, __half*, int, float);

           void solve(const __half* q, const __half* k_cache, const __half* v_cache, const int* seq_lens,
                      __half* out, int B, int H, int Dh, int L_max) {
    const int BH = B * H;
    double x = (double)Dh, r = x > 1.0 ? x : 1.0;
    for (int i = 0; i < 60; i++) r = 0.5 * (r + x / r);
    const float c = (float)(1.4426950408889634 / r);
    if (Dh != 128) {
        attn_any<<<BH, 512>>>(q, k_cache, v_cache, seq_lens, out, H, Dh, L_max, c);
        return;
    }

    const bool ring = BH >= RING_FROM;
    const long long rows = (long long)BH * L_max;
    const bool small = rows <= (1LL << 18);
    const bool middle = rows <= (1LL << 20);

    int warps, splits;
    if (ring) {
        warps = NW;
        splits = RSLOTS * RWAVES / BH;
    } else {
        warps = small ? SMALL_W : (middle ? MID_W : 4);
        // wide blocks fill an SM alone: only where one wave of them does it
        if (BH < 16 || (warps == 16 && BH > NSM)) warps = 4;
        const int waves = (small || warps == 16) ? 1 : (middle ? WAVES_M : WAVES_L);
        splits = (WSLOTS / warps) * waves / BH;
    }
    const int cap = (L_max + 16 * warps - 1) / (16 * warps);
    if (splits > cap) splits = cap;
    if (BH >= 32 && splits > 32) splits = 32;
    if (splits > MAXSPLIT) splits = MAXSPLIT;
    if (splits < 1) splits = 1;

    const bool clus = !ring && small && warps == SMALL_W && splits <= CLUS_MAX &&
                      (splits == 2 || splits == 4 || splits == 8);

    const dim3 grid(splits, H, B);
    if (clus) {
        kern_t kern = attn128_reg<SMALL_W, true>;
        cudaLaunchConfig_t cfg = {};
        cfg.gridDim = grid;
        cfg.blockDim = dim3(warps * 32, 1, 1);
        cfg.dynamicSmemBytes = 0;
        cfg.stream = 0;
        cudaLaunchAttribute at[1];
        at[0].id = cudaLaunchAttributeClusterDimension;
        at[0].val.clusterDim.x = (unsigned int)splits;
        at[0].val.clusterDim.y = 1;
        at[0].val.clusterDim.z = 1;
        cfg.attrs = at;
        cfg.numAttrs = 1;
        cudaLaunchKernelEx(&cfg, kern, q, k_cache, v_cache, seq_lens, out, L_max, c);
        return;
    }

    kern_t kern;
    int smem = 0;
    if (ring) {
        kern = attn128_ring;
        smem = NW * STAGES * 8192;
        cudaFuncSetAttribute((const void*)kern, cudaFuncAttributeMaxDynamicSharedMemorySize, smem);
    } else if (warps == 16) {
        kern = attn128_reg<16, false>;
    } else if (warps == 8) {
        kern = attn128_reg<8, false>;
    } else {
        kern = attn128_reg<4, false>;
    }
    kern<<<grid, warps * 32, smem>>>(q, k_cache, v_cache, seq_lens, out, L_max, c);
}
}  // namespace part0
#undef CLUS_MAX
#undef CPAD
#undef FULL
#undef MAXBLK
#undef MAXSPLIT
#undef MID_W
#undef NEG
#undef NSM
#undef NW
#undef REC
#undef RING_FROM
#undef RSLOTS
#undef RWAVES
#undef SMALL_W
#undef STAGES
#undef WAVES_L
#undef WAVES_M
#undef WSLOTS

namespace part1 {
// SPDX-License-Identifier: Apache-2.0
// task: decode_attention
// rules: free
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-19
// commit: a118b4f
// made by: warpwright 0.2.0
// model: merge
// run: decode_attention fsr r2.c1, r2.c2, r3.c2, evolve g4.c1, tree w4.c1
// median us: B=1,ctx=4096 25.42, B=2,ctx=2048 25.50, B=4,ctx=4096 73.57, B=8,ctx=8192 250.48, B=16,ctx=4096 251.12
// sha256: b00a9ea3720a027551bf8a5a31184a42e413e5dc852479b8fb2e1f4f719fc645




namespace part0 {



#define W_SMALL 8    // tune: W_SMALL = 8, 16
#define W_MID 8      // tune: W_MID = 4, 8
#define MUL_MID 1    // tune: MUL_MID = 1, 2, 4
#define CLUSTER 1    // tune: CLUSTER = 0, 1

#define OCCW 16
#define WARPS 8
#define STAGES 3
#define MU 8

#define NEG (-1e30f)
#define MAXGRID 2112
#define MAXPART 4096
#define FULL 0xffffffffu

__device__ float4 g_part[MAXGRID * 2 * 32];
__device__ float2 g_ml[MAXGRID * 2];
__device__ unsigned int g_cnt[32768];

__device__ __forceinline__ uint4 ldg_stream(const uint4* p) {
    uint4 r;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w) : "l"(p));
    return r;
}

__device__ __forceinline__ int ldg_int(const int* p) {
    int r;
    asm volatile("ld.global.nc.s32 %0, [%1];" : "=r"(r) : "l"(p));
    return r;
}

__device__ __forceinline__ float2 h2f(unsigned int u) {
    __half2 h = *reinterpret_cast<__half2*>(&u);
    return __half22float2(h);
}

__device__ __forceinline__ unsigned int f2h(float a, float b) {
    __half2 h = __floats2half2_rn(a, b);
    return *reinterpret_cast<unsigned int*>(&h);
}

__device__ __forceinline__ void unpack8(const uint4& u, float* f) {
    float2 a = h2f(u.x), b = h2f(u.y), c = h2f(u.z), d = h2f(u.w);
    f[0] = a.x; f[1] = a.y; f[2] = b.x; f[3] = b.y;
    f[4] = c.x; f[5] = c.y; f[6] = d.x; f[7] = d.y;
}

__device__ __forceinline__ float warp_max(float x) {
#pragma unroll
    for (int o = 16; o; o >>= 1) x = fmaxf(x, __shfl_xor_sync(FULL, x, o));
    return x;
}
__device__ __forceinline__ float warp_sum(float x) {
#pragma unroll
    for (int o = 16; o; o >>= 1) x += __shfl_xor_sync(FULL, x, o);
    return x;
}

__device__ __forceinline__ void bulk_load(unsigned int dst, const void* src, unsigned int bytes, unsigned int bar) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(dst), "l"(src), "r"(bytes), "r"(bar) : "memory");
}

__device__ __forceinline__ void mbar_init(unsigned int bar) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(bar) : "memory");
}

__device__ __forceinline__ void mbar_expect(unsigned int bar, unsigned int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(bar), "r"(bytes) : "memory");
}

__device__ __forceinline__ void mbar_wait(unsigned int bar, unsigned int phase) {
    unsigned int done;
    do {
        asm volatile(
            "{\n"
            ".reg .pred p;\n"
            "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
            "selp.u32 %0, 1, 0, p;\n"
            "}\n"
            : "=r"(done) : "r"(bar), "r"(phase) : "memory");
    } while (!done);
}

__device__ __forceinline__ void cluster_arrive() {
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
}
__device__ __forceinline__ void cluster_wait() {
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}
__device__ __forceinline__ unsigned int map_rank0(unsigned int a) {
    unsigned int r;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(0u));
    return r;
}

// ---------------------------------------------------------------------------
// Dh = 128, big sizes: persistent blocks, an even share of all tiles, bulk copies
// ---------------------------------------------------------------------------
__global__ void __launch_bounds__(WARPS * 32, 1)
attn_bulk(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
          const int* __restrict__ seq_lens, __half* __restrict__ out, int B, int H, int L, float c) {
    extern __shared__ __align__(128) unsigned char ring[];
    __shared__ __align__(16) float sAcc[2 * WARPS][128];
    __shared__ __align__(8) unsigned long long sBar[WARPS * STAGES];
    __shared__ float2 sML[2 * WARPS];
    __shared__ int sHead[2 * WARPS];
    __shared__ int sPre[257];
    __shared__ int sN[256];

    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const int hf = lane >> 4;
    const int blk = blockIdx.x;

    int nfirst = 0;
    if (warp == 0 && lane < B) nfirst = seq_lens[lane];

    unsigned char* my = ring + warp * (STAGES * 8192) + lane * 16;
    const unsigned int ring_s = (unsigned int)__cvta_generic_to_shared(ring) + warp * (STAGES * 8192);
    const unsigned int bar_s = (unsigned int)__cvta_generic_to_shared(sBar) + warp * (STAGES * 8);

    if (lane == 0) { sHead[warp * 2] = -1; sHead[warp * 2 + 1] = -1; }
    // V rows that a short tile leaves untouched must be finite: they are multiplied by 0
#pragma unroll
    for (int s = 0; s < STAGES; s++)
#pragma unroll
        for (int i = 0; i < 8; i++)
            *reinterpret_cast<uint4*>(my + s * 8192 + 4096 + i * 512) = make_uint4(0u, 0u, 0u, 0u);
    if (lane == 0) {
#pragma unroll
        for (int s = 0; s < STAGES; s++) mbar_init(bar_s + s * 8);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");

    if (warp == 0) {
        int run = 0;
#pragma unroll 1
        for (int c0 = 0; c0 < B; c0 += 32) {
            const int b = c0 + lane;
            int n = nfirst;
            if (c0 > 0) n = b < B ? seq_lens[b] : 0;
            const int own = ((n + 15) >> 4) * H;
            int x = own;
#pragma unroll
            for (int o = 1; o < 32; o <<= 1) {
                const int y = __shfl_up_sync(FULL, x, o);
                if (lane >= o) x += y;
            }
            if (b < B) { sN[b] = n; sPre[b] = run + x - own; }
            run += __shfl_sync(FULL, x, 31);
        }
        if (lane == 0) sPre[B] = run;
    }
    __syncthreads();

    const int T = sPre[B];
    const int G = min((int)gridDim.x, max(1, T / WARPS));
    const bool active = T > 0 && blk < G;
    const int qd = T / G, rm = T - qd * G;
    const int tb = blk * qd + min(blk, rm);
    const int nb = active ? qd + (blk < rm ? 1 : 0) : 0;
    const int te = tb + nb;
    const int wb = tb + warp * nb / WARPS;
    const int we = tb + (warp + 1) * nb / WARPS;

    const uint4* k4 = reinterpret_cast<const uint4*>(k);
    const uint4* v4 = reinterpret_cast<const uint4*>(v);
    const uint4* q4 = reinterpret_cast<const uint4*>(q);

    // off: first row of the tile in 16-byte units; left: rows of the head from there on (>= 1)
    auto issue = [&](int st, unsigned off, int left) {
        if (lane == 0) {
            const unsigned bytes = (unsigned)min(left, 16) * 256u;
            const unsigned bar = bar_s + st * 8;
            const unsigned d = ring_s + st * 8192;
            mbar_expect(bar, bytes * 2u);
            bulk_load(d, k4 + off, bytes, bar);
            bulk_load(d + 4096, v4 + off, bytes, bar);
        }
    };
    // to the next tile, perhaps of the next head; only called where there is one
    auto advance = [&](int& xbh, int& xleft, unsigned& xoff) {
        if (xleft > 16) {
            xleft -= 16;
            xoff += 256u;
        } else {
            ++xbh;
            int b = xbh / H;
            int n = sN[b];
            while (n == 0) { ++b; n = sN[b]; xbh = b * H; }
            xleft = n;
            xoff = (unsigned)xbh * (unsigned)L * 16u;
        }
    };

    if (wb < we) {
        int bh, left;
        unsigned off;
        bool fromStart;
        {
            int b = 0;
#pragma unroll 1
            for (int c0 = 0; c0 < B; c0 += 32) {
                const int i = c0 + lane;
                const bool before = (i < B) ? (sPre[i + 1] <= wb) : false;
                b += __popc(__ballot_sync(FULL, before));
            }
            const int n = sN[b];
            const int tl = (n + 15) >> 4;
            const int r = wb - sPre[b];
            const int h = r / tl;
            const int tile = r - h * tl;
            bh = b * H + h;
            left = n - tile * 16;
            off = ((unsigned)bh * (unsigned)L + (unsigned)tile * 16u) * 16u;
            fromStart = tile == 0;
        }

        int pt = wb, pbh = bh, pleft = left;
        unsigned poff = off;
#pragma unroll 1
        for (int s = 0; s < STAGES; s++) {
            if (pt < we) {
                issue(s, poff, pleft);
                ++pt;
                if (pt < we) advance(pbh, pleft, poff);
            }
        }

        float qf[8];
        {
            const uint4 u = q4[bh * 16 + (lane & 15)];
            unpack8(u, qf);
        }
        float m = NEG, l = 0.f, acc[8];
#pragma unroll
        for (int e = 0; e < 8; e++) acc[e] = 0.f;
        int slot = warp * 2;
        int t = wb;
        int st = 0;
        unsigned phase = 0;

#pragma unroll 1
        while (true) {
            mbar_wait(bar_s + st * 8, phase);
            __syncwarp();
            const unsigned char* buf = my + st * 8192;

            float s[8];
#pragma unroll
            for (int i = 0; i < 8; i++) {
                float f[8];
                unpack8(*reinterpret_cast<const uint4*>(buf + i * 512), f);
                float d0 = qf[0] * f[0], d1 = qf[1] * f[1];
                d0 = fmaf(qf[2], f[2], d0); d1 = fmaf(qf[3], f[3], d1);
                d0 = fmaf(qf[4], f[4], d0); d1 = fmaf(qf[5], f[5], d1);
                d0 = fmaf(qf[6], f[6], d0); d1 = fmaf(qf[7], f[7], d1);
                s[i] = d0 + d1;
            }

            // transposing reduction inside 16 lanes: lane keeps row (lane>>1)&7
            {
                const bool u8 = lane & 8;
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    float send = u8 ? s[i] : s[i + 4];
                    float keep = u8 ? s[i + 4] : s[i];
                    s[i] = keep + __shfl_xor_sync(FULL, send, 8);
                }
                const bool u4 = lane & 4;
#pragma unroll
                for (int i = 0; i < 2; i++) {
                    float send = u4 ? s[i] : s[i + 2];
                    float keep = u4 ? s[i + 2] : s[i];
                    s[i] = keep + __shfl_xor_sync(FULL, send, 4);
                }
                const bool u2 = lane & 2;
                float send = u2 ? s[0] : s[1];
                float keep = u2 ? s[1] : s[0];
                s[0] = keep + __shfl_xor_sync(FULL, send, 2);
                s[0] += __shfl_xor_sync(FULL, s[0], 1);
            }
            const bool valid = ((lane >> 1) & 7) * 2 + hf < left;
            const float sv = valid ? s[0] : NEG;
            float mt = sv;
#pragma unroll
            for (int o = 2; o <= 16; o <<= 1) mt = fmaxf(mt, __shfl_xor_sync(FULL, mt, o));
            if (mt > m) {
                const float sc = exp2f((m - mt) * c);
                l *= sc;
#pragma unroll
                for (int e = 0; e < 8; e++) acc[e] *= sc;
                m = mt;
            }
            const float p = valid ? exp2f((sv - m) * c) : 0.f;
            l += p;
#pragma unroll
            for (int i = 0; i < 8; i++) {
                const float pi = __shfl_sync(FULL, p, (lane & 16) | (i << 1));
                float f[8];
                unpack8(*reinterpret_cast<const uint4*>(buf + 4096 + i * 512), f);
#pragma unroll
                for (int e = 0; e < 8; e++) acc[e] = fmaf(pi, f[e], acc[e]);
            }

            // refill this stage
            __syncwarp();
            if (pt < we) {
                issue(st, poff, pleft);
                ++pt;
                if (pt < we) advance(pbh, pleft, poff);
            }
            if (++st == STAGES) { st = 0; phase ^= 1u; }

            ++t;
            const bool more = t < we;
            const bool endh = left <= 16;
            if (endh || !more) {
                // the warp's part of this head is done
#pragma unroll
                for (int o = 2; o <= 16; o <<= 1) l += __shfl_xor_sync(FULL, l, o);
#pragma unroll
                for (int e = 0; e < 8; e++) acc[e] += __shfl_xor_sync(FULL, acc[e], 16);
                if (fromStart && endh) {
                    if (lane < 16) {
                        const float inv = 1.f / l;
                        uint4 o;
                        o.x = f2h(acc[0] * inv, acc[1] * inv);
                        o.y = f2h(acc[2] * inv, acc[3] * inv);
                        o.z = f2h(acc[4] * inv, acc[5] * inv);
                        o.w = f2h(acc[6] * inv, acc[7] * inv);
                        reinterpret_cast<uint4*>(out)[bh * 16 + lane] = o;
                    }
                } else {
                    if (lane < 16) {
                        float4* d = reinterpret_cast<float4*>(&sAcc[slot][lane * 8]);
                        d[0] = make_float4(acc[0], acc[1], acc[2], acc[3]);
                        d[1] = make_float4(acc[4], acc[5], acc[6], acc[7]);
                    }
                    if (lane == 0) { sML[slot] = make_float2(m, l); sHead[slot] = bh; }
                }
                if (!more) break;
                advance(bh, left, off);   // endh holds here: the next head
                const uint4 u = q4[bh * 16 + (lane & 15)];
                unpack8(u, qf);
                m = NEG; l = 0.f;
#pragma unroll
                for (int e = 0; e < 8; e++) acc[e] = 0.f;
                fromStart = true;
                slot = warp * 2 + 1;
            } else {
                left -= 16;
            }
        }
    }

    // samples without any position
#pragma unroll 1
    for (int b = blk; b < B; b += gridDim.x) {
        if (sN[b] == 0) {
            uint4* o4 = reinterpret_cast<uint4*>(out) + (size_t)b * H * 16;
            for (int j = tid; j < H * 16; j += WARPS * 32) o4[j] = make_uint4(0u, 0u, 0u, 0u);
        }
    }
    if (!active) return;
    __syncthreads();

    // Heads shared by warps of this block: the warp that holds a head's first entry merges them.
    const int hd = lane < 2 * WARPS ? sHead[lane] : -1;
#pragma unroll 1
    for (int sidx = 0; sidx < 2; sidx++) {
        const int e = warp * 2 + sidx;
        const int target = __shfl_sync(FULL, hd, e);
        if (target < 0) continue;
        const unsigned mask = __ballot_sync(FULL, hd == target);
        if (__ffs(mask) - 1 != e) continue;

        float2 ml = make_float2(NEG, 0.f);
        if (hd == target) ml = sML[lane];
        const float M = warp_max(ml.x);
        const float w = hd == target ? exp2f((ml.x - M) * c) : 0.f;
        const float Ls = warp_sum(w * ml.y);
        float4 a = make_float4(0.f, 0.f, 0.f, 0.f);
        for (unsigned mm = mask; mm; mm &= mm - 1) {
            const int i = __ffs(mm) - 1;
            const float wi = __shfl_sync(FULL, w, i);
            const float4 x = *reinterpret_cast<const float4*>(&sAcc[i][lane * 4]);
            a.x = fmaf(wi, x.x, a.x); a.y = fmaf(wi, x.y, a.y);
            a.z = fmaf(wi, x.z, a.z); a.w = fmaf(wi, x.w, a.w);
        }

        const int b = target / H;
        const int tl = (sN[b] + 15) >> 4;
        const int start = sPre[b] + (target - b * H) * tl;
        const int end = start + tl;
        uint2* dst = reinterpret_cast<uint2*>(out) + (target * 32 + lane);
        if (start >= tb && end <= te) {
            const float inv = 1.f / Ls;
            *dst = make_uint2(f2h(a.x * inv, a.y * inv), f2h(a.z * inv, a.w * inv));
            continue;
        }

        // the head crosses a block boundary
        const int gs = 2 * blk + (start <= tb ? 0 : 1);
        g_part[gs * 32 + lane] = a;
        if (lane == 0) g_ml[gs] = make_float2(M, Ls);
        __threadfence();
        __syncwarp();
        unsigned prev = 0;
        if (lane == 0) prev = atomicAdd(&g_cnt[target], 1u);
        // blocks i0 .. i1 hold tiles of this head
        const int cut = rm * (qd + 1);
        const int i0 = start < cut ? start / (qd + 1) : rm + (start - cut) / qd;
        const int last = end - 1;
        const int i1 = last < cut ? last / (qd + 1) : rm + (last - cut) / qd;
        const int cnt = i1 - i0 + 1;
        const int tb0 = i0 * qd + min(i0, rm);
        const int s0 = tb0 < start ? 1 : 0;
        prev = __shfl_sync(FULL, prev, 0);
        if (prev != (unsigned)(cnt - 1)) continue;
        __threadfence();
        __syncwarp();

        float MM = NEG, LL = 0.f;
        float4 r = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll 1
        for (int j0 = 0; j0 < cnt; j0 += MU) {
            const int j = j0 + lane;
            const bool have = lane < MU && j < cnt;
            float2 pm = make_float2(NEG, 0.f);
            if (have) pm = __ldcg(&g_ml[2 * (i0 + j) + (j == 0 ? s0 : 0)]);
            float4 x[MU];
#pragma unroll
            for (int u = 0; u < MU; u++) {
                x[u] = make_float4(0.f, 0.f, 0.f, 0.f);
                const int jj = j0 + u;
                if (jj < cnt) x[u] = __ldcg(&g_part[(2 * (i0 + jj) + (jj == 0 ? s0 : 0)) * 32 + lane]);
            }
            const float nm = fmaxf(MM, warp_max(pm.x));
            const float sc = exp2f((MM - nm) * c);
            MM = nm;
            const float pw = have ? exp2f((pm.x - nm) * c) : 0.f;
            LL = LL * sc + warp_sum(pw * pm.y);
            r.x *= sc; r.y *= sc; r.z *= sc; r.w *= sc;
#pragma unroll
            for (int u = 0; u < MU; u++) {
                const float wu = __shfl_sync(FULL, pw, u);
                r.x = fmaf(wu, x[u].x, r.x); r.y = fmaf(wu, x[u].y, r.y);
                r.z = fmaf(wu, x[u].z, r.z); r.w = fmaf(wu, x[u].w, r.w);
            }
        }
        const float inv = 1.f / LL;
        *dst = make_uint2(f2h(r.x * inv, r.y * inv), f2h(r.z * inv, r.w * inv));
        if (lane == 0) atomicExch(&g_cnt[target], 0u);
    }
}

// ---------------------------------------------------------------------------
// Dh = 128, small and middle sizes: tiles straight to registers
// ---------------------------------------------------------------------------
// off: first row of the tile in 16-byte units; left: rows that may be read from there on (>= 1)
// lane holds rows 2*i + (lane >> 4), columns (lane & 15) * 8 ..
__device__ __forceinline__ void load_tile(uint4 (&r)[8], const uint4* __restrict__ base, unsigned off, int left, int lane) {
    if (left >= 16) {
        const uint4* p = base + (off + (unsigned)lane);
#pragma unroll
        for (int i = 0; i < 8; i++) r[i] = ldg_stream(p + i * 32);
    } else {
        const uint4* p = base + (off + (unsigned)(lane & 15));
        const int hf = lane >> 4;
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const int row = min(hf + 2 * i, left - 1);
            r[i] = ldg_stream(p + row * 16);
        }
    }
}

// grid (splits, H, B): the blocks of one head take its tiles of 16 rows in turn.
// CL: the blocks of one head are one cluster (2, 4 or 8 blocks) and merge in shared memory of rank 0.
template <int W, bool CL>
__global__ void __launch_bounds__(W * 32, OCCW / W)
attn_split(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
           const int* __restrict__ seq_lens, __half* __restrict__ out, int H, int L, float c) {
    __shared__ __align__(16) float sAcc[W][128];
    __shared__ float2 sML[W];
    __shared__ __align__(16) float4 sPart[CL ? 8 * 32 : 1];
    __shared__ __align__(16) float2 sPML[CL ? 8 : 1];

    if (CL) cluster_arrive();   // waited for only before the first remote store

    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const int hf = lane >> 4;
    const int S = gridDim.x, sp = blockIdx.x;
    const int bh = blockIdx.z * H + blockIdx.y;

    const int n = ldg_int(seq_lens + blockIdx.z);

    const uint4* k4 = reinterpret_cast<const uint4*>(k);
    const uint4* v4 = reinterpret_cast<const uint4*>(v);
    const uint4* q4 = reinterpret_cast<const uint4*>(q);

    const int t0 = sp * W + warp;
    const int room = L - t0 * 16;      // rows of the buffer from the first tile on
    if (room > 0) {
        unsigned off = ((unsigned)bh * (unsigned)L + (unsigned)t0 * 16u) * 16u;
        uint4 kr[8], vr[8];
        // before the length is known: these rows lie in the buffer in any case
        const uint4 qu = ldg_stream(q4 + (bh * 16 + (lane & 15)));
        load_tile(kr, k4, off, room, lane);
        load_tile(vr, v4, off, room, lane);

        int left = n - t0 * 16;
        if (left > 0) {
            // rows behind the length must not reach the sums, not even times zero
            if (left < 16 && left < room) load_tile(vr, v4, off, left, lane);

            float qf[8];
            unpack8(qu, qf);
            float m = NEG, l = 0.f, acc[8];
#pragma unroll
            for (int e = 0; e < 8; e++) acc[e] = 0.f;
            const int stepRows = S * W * 16;
            const unsigned stepOff = (unsigned)stepRows * 16u;

            while (true) {
                float s[8];
#pragma unroll
                for (int i = 0; i < 8; i++) {
                    float f[8];
                    unpack8(kr[i], f);
                    float d0 = qf[0] * f[0], d1 = qf[1] * f[1];
                    d0 = fmaf(qf[2], f[2], d0); d1 = fmaf(qf[3], f[3], d1);
                    d0 = fmaf(qf[4], f[4], d0); d1 = fmaf(qf[5], f[5], d1);
                    d0 = fmaf(qf[6], f[6], d0); d1 = fmaf(qf[7], f[7], d1);
                    s[i] = d0 + d1;
                }

                // the next tile
                const int nleft = left - stepRows;
                const bool more = nleft > 0;
                off += stepOff;
                if (more) load_tile(kr, k4, off, nleft, lane);

                // transposing reduction inside 16 lanes: lane keeps row (lane>>1)&7
                {
                    const bool u8 = lane & 8;
#pragma unroll
                    for (int i = 0; i < 4; i++) {
                        float send = u8 ? s[i] : s[i + 4];
                        float keep = u8 ? s[i + 4] : s[i];
                        s[i] = keep + __shfl_xor_sync(FULL, send, 8);
                    }
                    const bool u4 = lane & 4;
#pragma unroll
                    for (int i = 0; i < 2; i++) {
                        float send = u4 ? s[i] : s[i + 2];
                        float keep = u4 ? s[i + 2] : s[i];
                        s[i] = keep + __shfl_xor_sync(FULL, send, 4);
                    }
                    const bool u2 = lane & 2;
                    float send = u2 ? s[0] : s[1];
                    float keep = u2 ? s[1] : s[0];
                    s[0] = keep + __shfl_xor_sync(FULL, send, 2);
                    s[0] += __shfl_xor_sync(FULL, s[0], 1);
                }
                const bool valid = ((lane >> 1) & 7) * 2 + hf < left;
                const float sv = valid ? s[0] : NEG;
                float mt = sv;
#pragma unroll
                for (int o = 2; o <= 16; o <<= 1) mt = fmaxf(mt, __shfl_xor_sync(FULL, mt, o));
                if (mt > m) {
                    const float sc = exp2f((m - mt) * c);
                    l *= sc;
#pragma unroll
                    for (int e = 0; e < 8; e++) acc[e] *= sc;
                    m = mt;
                }
                const float p = valid ? exp2f((sv - m) * c) : 0.f;
                l += p;
#pragma unroll
                for (int i = 0; i < 8; i++) {
                    const float pi = __shfl_sync(FULL, p, (lane & 16) | (i << 1));
                    float f[8];
                    unpack8(vr[i], f);
#pragma unroll
                    for (int e = 0; e < 8; e++) acc[e] = fmaf(pi, f[e], acc[e]);
                }
                if (!more) break;
                load_tile(vr, v4, off, nleft, lane);
                left = nleft;
            }

#pragma unroll
            for (int o = 2; o <= 16; o <<= 1) l += __shfl_xor_sync(FULL, l, o);
#pragma unroll
            for (int e = 0; e < 8; e++) acc[e] += __shfl_xor_sync(FULL, acc[e], 16);
            if (lane < 16) {
                float4* d = reinterpret_cast<float4*>(&sAcc[warp][lane * 8]);
                d[0] = make_float4(acc[0], acc[1], acc[2], acc[3]);
                d[1] = make_float4(acc[4], acc[5], acc[6], acc[7]);
            }
            if (lane == 0) sML[warp] = make_float2(m, l);
        }
    }
    __syncthreads();
    if (CL) cluster_wait();            // every block of the cluster has started
    if (!CL && warp != 0) return;

    uint2* dst = reinterpret_cast<uint2*>(out) + (bh * 32 + lane);
    const int tiles = n > 0 ? (n + 15) >> 4 : 0;
    const int nw = min(W, tiles - sp * W);           // warps of this block that had a tile
    const int cnt = min(S, (tiles + W - 1) / W);     // blocks that hold a part of this head

    float M = NEG, Ls = 0.f;
    float4 a = make_float4(0.f, 0.f, 0.f, 0.f);
    if (warp == 0 && nw > 0) {
        float2 ml = make_float2(NEG, 0.f);
        if (lane < nw) ml = sML[lane];
        M = warp_max(ml.x);
        const float w = lane < nw ? exp2f((ml.x - M) * c) : 0.f;
        Ls = warp_sum(w * ml.y);
#pragma unroll
        for (int i = 0; i < W; i++) {
            const float wi = __shfl_sync(FULL, w, i);
            if (i < nw) {
                const float4 x = *reinterpret_cast<const float4*>(&sAcc[i][lane * 4]);
                a.x = fmaf(wi, x.x, a.x); a.y = fmaf(wi, x.y, a.y);
                a.z = fmaf(wi, x.z, a.z); a.w = fmaf(wi, x.w, a.w);
            }
        }
    }

    if (CL) {
        const unsigned int part_s = (unsigned int)__cvta_generic_to_shared(sPart);
        const unsigned int pml_s = (unsigned int)__cvta_generic_to_shared(sPML);
        if (warp == 0 && nw > 0) {
            const unsigned int d = map_rank0(part_s + (unsigned)(sp * 32 + lane) * 16u);
            asm volatile("st.shared::cluster.v4.f32 [%0], {%1,%2,%3,%4};"
                         :: "r"(d), "f"(a.x), "f"(a.y), "f"(a.z), "f"(a.w) : "memory");
            if (lane == 0) {
                const unsigned int e = map_rank0(pml_s + (unsigned)sp * 8u);
                asm volatile("st.shared::cluster.v2.f32 [%0], {%1,%2};"
                             :: "r"(e), "f"(M), "f"(Ls) : "memory");
            }
        }
        __syncwarp();
        cluster_arrive();
        cluster_wait();
        if (sp != 0 || warp != 0) return;
        if (n <= 0) {
            *dst = make_uint2(0u, 0u);
            return;
        }
        float2 pm = make_float2(NEG, 0.f);
        if (lane < cnt) {
            asm volatile("ld.shared.v2.f32 {%0,%1}, [%2];"
                         : "=f"(pm.x), "=f"(pm.y) : "r"(pml_s + (unsigned)lane * 8u) : "memory");
        }
        const float MM = warp_max(pm.x);
        const float pw = lane < cnt ? exp2f((pm.x - MM) * c) : 0.f;
        const float LL = warp_sum(pw * pm.y);
        float4 r = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll
        for (int u = 0; u < 8; u++) {
            const float wu = __shfl_sync(FULL, pw, u);
            if (u < cnt) {
                float4 x;
                asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                             : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w)
                             : "r"(part_s + (unsigned)(u * 32 + lane) * 16u) : "memory");
                r.x = fmaf(wu, x.x, r.x); r.y = fmaf(wu, x.y, r.y);
                r.z = fmaf(wu, x.z, r.z); r.w = fmaf(wu, x.w, r.w);
            }
        }
        const float inv = 1.f / LL;
        *dst = make_uint2(f2h(r.x * inv, r.y * inv), f2h(r.z * inv, r.w * inv));
        return;
    } else {
        if (n <= 0) {
            if (sp == 0) *dst = make_uint2(0u, 0u);
            return;
        }
        if (nw <= 0) return;
        if (cnt == 1) {
            const float inv = 1.f / Ls;
            *dst = make_uint2(f2h(a.x * inv, a.y * inv), f2h(a.z * inv, a.w * inv));
            return;
        }

        const int g0 = bh * S;
        g_part[(g0 + sp) * 32 + lane] = a;
        if (lane == 0) g_ml[g0 + sp] = make_float2(M, Ls);
        __threadfence();
        __syncwarp();
        unsigned prev = 0;
        if (lane == 0) prev = atomicAdd(&g_cnt[bh], 1u);
        prev = __shfl_sync(FULL, prev, 0);
        if (prev != (unsigned)(cnt - 1)) return;
        __threadfence();
        __syncwarp();

        float MM = NEG, LL = 0.f;
        float4 r = make_float4(0.f, 0.f, 0.f, 0.f);
        for (int j0 = 0; j0 < cnt; j0 += 16) {
            const int j = j0 + lane;
            const bool have = lane < 16 && j < cnt;
            float2 pm = make_float2(NEG, 0.f);
            if (have) pm = __ldcg(&g_ml[g0 + j]);
            float4 x[16];
#pragma unroll
            for (int u = 0; u < 16; u++) {
                x[u] = make_float4(0.f, 0.f, 0.f, 0.f);
                const int jj = j0 + u;
                if (jj < cnt) x[u] = __ldcg(&g_part[(g0 + jj) * 32 + lane]);
            }
            const float nm = fmaxf(MM, warp_max(pm.x));
            const float sc = exp2f((MM - nm) * c);
            MM = nm;
            const float pw = have ? exp2f((pm.x - nm) * c) : 0.f;
            LL = LL * sc + warp_sum(pw * pm.y);
            r.x *= sc; r.y *= sc; r.z *= sc; r.w *= sc;
#pragma unroll
            for (int u = 0; u < 16; u++) {
                const float wu = __shfl_sync(FULL, pw, u);
                r.x = fmaf(wu, x[u].x, r.x); r.y = fmaf(wu, x[u].y, r.y);
                r.z = fmaf(wu, x[u].z, r.z); r.w = fmaf(wu, x[u].w, r.w);
            }
        }
        const float inv = 1.f / LL;
        *dst = make_uint2(f2h(r.x * inv, r.y * inv), f2h(r.z * inv, r.w * inv));
        if (lane == 0) atomicExch(&g_cnt[bh], 0u);
    }
}

// ---------------------------------------------------------------------------
// any Dh <= 256
// ---------------------------------------------------------------------------
__global__ void __launch_bounds__(512)
attn_any(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
         const int* __restrict__ seq_lens, __half* __restrict__ out, int H, int Dh, int L, float c) {
    __shared__ float sA[16][256];
    __shared__ float sM[16], sL[16];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int bh = blockIdx.x;
    const int n = seq_lens[bh / H];
    const __half* kp = k + (size_t)bh * L * Dh;
    const __half* vp = v + (size_t)bh * L * Dh;
    float qf[8], acc[8];
#pragma unroll
    for (int e = 0; e < 8; e++) {
        const int j = lane + 32 * e;
        qf[e] = j < Dh ? __half2float(q[(size_t)bh * Dh + j]) : 0.f;
        acc[e] = 0.f;
    }
    float m = NEG, l = 0.f;
    for (int p0 = warp * 4; p0 < n; p0 += 64) {
        float s[4];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            const __half* row = kp + (size_t)min(p0 + r, n - 1) * Dh;
            float d = 0.f;
#pragma unroll
            for (int e = 0; e < 8; e++) {
                const int j = lane + 32 * e;
                if (j < Dh) d = fmaf(qf[e], __half2float(row[j]), d);
            }
            s[r] = d;
        }
#pragma unroll
        for (int o = 16; o; o >>= 1)
#pragma unroll
            for (int r = 0; r < 4; r++) s[r] += __shfl_xor_sync(FULL, s[r], o);
        float mt = s[0];
#pragma unroll
        for (int r = 1; r < 4; r++) if (p0 + r < n) mt = fmaxf(mt, s[r]);
        if (mt > m) {
            const float sc = exp2f((m - mt) * c);
            l *= sc;
#pragma unroll
            for (int e = 0; e < 8; e++) acc[e] *= sc;
            m = mt;
        }
#pragma unroll
        for (int r = 0; r < 4; r++) {
            if (p0 + r < n) {
                const float p = exp2f((s[r] - m) * c);
                l += p;
                const __half* row = vp + (size_t)(p0 + r) * Dh;
#pragma unroll
                for (int e = 0; e < 8; e++) {
                    const int j = lane + 32 * e;
                    if (j < Dh) acc[e] = fmaf(p, __half2float(row[j]), acc[e]);
                }
            }
        }
    }
#pragma unroll
    for (int e = 0; e < 8; e++) sA[warp][lane + 32 * e] = acc[e];
    if (lane == 0) { sM[warp] = m; sL[warp] = l; }
    __syncthreads();
    const int j = threadIdx.x;
    if (j < Dh) {
        float M = NEG, Ls = 0.f, a = 0.f;
        for (int w = 0; w < 16; w++) M = fmaxf(M, sM[w]);
        for (int w = 0; w < 16; w++) {
            const float x = exp2f((sM[w] - M) * c);
            Ls = fmaf(x, sL[w], Ls);
            a = fmaf(x, sA[w][j], a);
        }
        out[(size_t)bh * Dh + j] = __float2half(Ls > 0.f ? a / Ls : 0.f);
    }
}

template <int W>
static void run_split(const __half* q, const __half* k, const __half* v, const int* seq_lens,
                      __half* out, int B, int H, int L, float c, int mul) {
    const int BH = B * H;
    // blocks per head: the fewest waves for the work, with a small price for each split
    const int slots = 132 * (OCCW / W);
    const int tilesMax = (L + 15) / 16;
    const int capS = (tilesMax + W - 1) / W;   // >= 1
    int S = 1;
    double best = 1e30;
    for (int s = 1; s <= 64 && s <= capS; s++) {
        if (s > 1 && BH * s > 2 * slots) break;
        const int waves = (BH * s + slots - 1) / slots;
        const double cost = waves * (1.0 / s + 0.02);
        if (cost < best) { best = cost; S = s; }
    }
    if (mul > 1 && S * mul <= capS && (long long)BH * S * mul <= MAXPART) S *= mul;

    if (CLUSTER && (S == 2 || S == 4 || S == 8)) {
        cudaLaunchConfig_t cfg = {};
        cfg.gridDim = dim3(S, H, B);
        cfg.blockDim = dim3(W * 32, 1, 1);
        cfg.dynamicSmemBytes = 0;
        cfg.stream = 0;
        cudaLaunchAttribute at[1];
        at[0].id = cudaLaunchAttributeClusterDimension;
        at[0].val.clusterDim.x = S;
        at[0].val.clusterDim.y = 1;
        at[0].val.clusterDim.z = 1;
        cfg.attrs = at;
        cfg.numAttrs = 1;
        int fit = 0;
        const cudaError_t err = cudaOccupancyMaxActiveClusters(&fit, (const void*)(&attn_split<W, true>), &cfg);
        if (err == cudaSuccess && fit >= BH) {
            cudaLaunchKernelEx(&cfg, attn_split<W, true>, q, k, v, seq_lens, out, H, L, c);
            return;
        }
        if (err != cudaSuccess) (void)cudaGetLastError();
    }
    attn_split<W, false><<<dim3(S, H, B), W * 32>>>(q, k, v, seq_lens, out, H, L, c);
}

           void solve(const __half* q, const __half* k_cache, const __half* v_cache, const int* seq_lens,
                      __half* out, int B, int H, int Dh, int L_max) {
    const int BH = B * H;
    double x = (double)Dh, r = x > 1.0 ? x : 1.0;
    for (int i = 0; i < 60; i++) r = 0.5 * (r + x / r);
    const float c = (float)(1.4426950408889634 / r);
    if (Dh != 128) {
        attn_any<<<BH, 512>>>(q, k_cache, v_cache, seq_lens, out, H, Dh, L_max, c);
        return;
    }
    const long long rows = (long long)BH * L_max;
    if (rows >= (1 << 20)) {
        const int smem = WARPS * STAGES * 8192;
        cudaFuncSetAttribute(attn_bulk, cudaFuncAttributeMaxDynamicSharedMemorySize, smem);
        attn_bulk<<<132, WARPS * 32, smem>>>(q, k_cache, v_cache, seq_lens, out, B, H, L_max, c);
    } else if (rows >= (1 << 19)) {
        run_split<W_MID>(q, k_cache, v_cache, seq_lens, out, B, H, L_max, c, MUL_MID);
    } else {
        run_split<W_SMALL>(q, k_cache, v_cache, seq_lens, out, B, H, L_max, c, 1);
    }
}
}  // namespace part0
#undef CLUSTER
#undef FULL
#undef MAXGRID
#undef MAXPART
#undef MU
#undef MUL_MID
#undef NEG
#undef OCCW
#undef STAGES
#undef WARPS
#undef W_MID
#undef W_SMALL

namespace part1 {



#define WARPS 4      // tune: WARPS = 2, 4, 8
#define TARGET 512   // tune: TARGET = 512, 1024, 2048, 4096
#define MINT 4       // tune: MINT = 2, 4, 8
#define OCCW 16

#define NEG (-1e30f)
#define MAXSPLIT 128

__device__ float  g_part[4224 * 128];
__device__ float2 g_ml[4224];
__device__ unsigned int g_cnt[32768];

__device__ __forceinline__ float ex2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ __forceinline__ uint4 ldg_stream(const __half* p) {
    uint4 r;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w) : "l"(p));
    return r;
}

__device__ __forceinline__ float2 h2f(unsigned int u) {
    __half2 h = *reinterpret_cast<__half2*>(&u);
    return __half22float2(h);
}

__device__ __forceinline__ void unpack8(const uint4& u, float* f) {
    float2 a = h2f(u.x), b = h2f(u.y), c = h2f(u.z), d = h2f(u.w);
    f[0] = a.x; f[1] = a.y; f[2] = b.x; f[3] = b.y;
    f[4] = c.x; f[5] = c.y; f[6] = d.x; f[7] = d.y;
}

// rows tile*16 + 2*i + hf; every row below L is readable, whatever seq_lens says
__device__ __forceinline__ void load_tile(uint4 (&r)[8], const __half* base, int tile, int hf, int L) {
    const int row0 = tile * 16 + hf;
    if (tile * 16 + 16 <= L) {
        const __half* p = base + (size_t)row0 * 128;
#pragma unroll
        for (int i = 0; i < 8; i++) r[i] = ldg_stream(p + i * 256);
    } else {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            int row = min(row0 + 2 * i, L - 1);
            r[i] = ldg_stream(base + (size_t)row * 128);
        }
    }
}

__global__ void __launch_bounds__(WARPS * 32, OCCW / WARPS)
attn128(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
        const int* __restrict__ seq_lens, __half* __restrict__ out, int H, int L, float c) {
    __shared__ __align__(16) float sAcc[WARPS][128];
    __shared__ float sM[WARPS], sL[WARPS];
    __shared__ float sw[MAXSPLIT];
    __shared__ int sLast;

    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const int bh = blockIdx.y, split = blockIdx.x, splits = gridDim.x;
    const int n = __ldg(seq_lens + bh / H);
    const int hf = lane >> 4;
    const int col = (lane & 15) * 8;
    const int step = splits * WARPS;

    const __half* kb = k + (size_t)bh * L * 128 + col;
    const __half* vb = v + (size_t)bh * L * 128 + col;
    const uint4 qu = __ldg(reinterpret_cast<const uint4*>(q + (size_t)bh * 128 + col));

    uint4 kr[8], vr[8];
    int t = warp * splits + split;
    if (t * 16 < L) {              // does not wait for n
        load_tile(kr, kb, t, hf, L);
        load_tile(vr, vb, t, hf, L);
    }
    float qf[8];
    unpack8(qu, qf);
    float m = NEG, l = 0.f, acc[8];
#pragma unroll
    for (int e = 0; e < 8; e++) acc[e] = 0.f;
    const int nt = (n + 15) >> 4;

    for (; t < nt; t += step) {
        float s[8];
#pragma unroll
        for (int i = 0; i < 8; i++) {
            float f[8];
            unpack8(kr[i], f);
            float d0 = qf[0] * f[0], d1 = qf[1] * f[1];
            d0 = fmaf(qf[2], f[2], d0); d1 = fmaf(qf[3], f[3], d1);
            d0 = fmaf(qf[4], f[4], d0); d1 = fmaf(qf[5], f[5], d1);
            d0 = fmaf(qf[6], f[6], d0); d1 = fmaf(qf[7], f[7], d1);
            s[i] = d0 + d1;
        }
        if (t + step < nt) load_tile(kr, kb, t + step, hf, L);

        {
            const bool u8 = lane & 8;
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float send = u8 ? s[i] : s[i + 4];
                float keep = u8 ? s[i + 4] : s[i];
                s[i] = keep + __shfl_xor_sync(0xffffffffu, send, 8);
            }
            const bool u4 = lane & 4;
#pragma unroll
            for (int i = 0; i < 2; i++) {
                float send = u4 ? s[i] : s[i + 2];
                float keep = u4 ? s[i + 2] : s[i];
                s[i] = keep + __shfl_xor_sync(0xffffffffu, send, 4);
            }
            const bool u2 = lane & 2;
            float send = u2 ? s[0] : s[1];
            float keep = u2 ? s[1] : s[0];
            s[0] = keep + __shfl_xor_sync(0xffffffffu, send, 2);
            s[0] += __shfl_xor_sync(0xffffffffu, s[0], 1);
        }
        const bool valid = t * 16 + ((lane >> 1) & 7) * 2 + hf < n;
        const float sv = valid ? s[0] : NEG;
        float mt = sv;
#pragma unroll
        for (int o = 2; o <= 16; o <<= 1) mt = fmaxf(mt, __shfl_xor_sync(0xffffffffu, mt, o));
        if (mt > m) {
            const float sc = ex2((m - mt) * c);
            l *= sc;
#pragma unroll
            for (int e = 0; e < 8; e++) acc[e] *= sc;
            m = mt;
        }
        const float p = valid ? ex2((sv - m) * c) : 0.f;
        l += p;
        if (t * 16 + 16 > n) {     // what lies behind n may be anything
#pragma unroll
            for (int i = 0; i < 8; i++)
                if (t * 16 + 2 * i + hf >= n) vr[i] = make_uint4(0u, 0u, 0u, 0u);
        }
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const float pi = __shfl_sync(0xffffffffu, p, (lane & 16) | (i << 1));
            float f[8];
            unpack8(vr[i], f);
#pragma unroll
            for (int e = 0; e < 8; e++) acc[e] = fmaf(pi, f[e], acc[e]);
        }
        if (t + step < nt) load_tile(vr, vb, t + step, hf, L);
    }
#pragma unroll
    for (int o = 2; o <= 16; o <<= 1) l += __shfl_xor_sync(0xffffffffu, l, o);
#pragma unroll
    for (int e = 0; e < 8; e++) acc[e] += __shfl_xor_sync(0xffffffffu, acc[e], 16);

    if (lane < 16) {
        float4* d = reinterpret_cast<float4*>(&sAcc[warp][col]);
        d[0] = make_float4(acc[0], acc[1], acc[2], acc[3]);
        d[1] = make_float4(acc[4], acc[5], acc[6], acc[7]);
    }
    if (lane == 0) { sM[warp] = m; sL[warp] = l; }
    __syncthreads();

    float M = NEG, Ls = 0.f, wgt[WARPS];
#pragma unroll
    for (int w = 0; w < WARPS; w++) M = fmaxf(M, sM[w]);
#pragma unroll
    for (int w = 0; w < WARPS; w++) { wgt[w] = ex2((sM[w] - M) * c); Ls += wgt[w] * sL[w]; }

    const int slot = bh * splits + split;
    for (int j = tid; j < 128; j += WARPS * 32) {
        float a = 0.f;
#pragma unroll
        for (int w = 0; w < WARPS; w++) a = fmaf(wgt[w], sAcc[w][j], a);
        if (splits == 1) out[(size_t)bh * 128 + j] = __float2half(Ls > 0.f ? a / Ls : 0.f);
        else __stcg(&g_part[(size_t)slot * 128 + j], a);
    }
    if (splits == 1) return;
    if (tid == 0) __stcg(&g_ml[slot], make_float2(M, Ls));
    __threadfence();
    __syncthreads();
    if (tid == 0) sLast = (atomicAdd(&g_cnt[bh], 1u) == (unsigned)(splits - 1));
    __syncthreads();
    if (!sLast) return;
    __threadfence();

    // first batch of partial sums and all maxima in flight together
    const float4* pp = reinterpret_cast<const float4*>(g_part) + (size_t)bh * splits * 32 + lane;
    float2 ml[MAXSPLIT / 32];
#pragma unroll
    for (int r = 0; r < MAXSPLIT / 32; r++) {
        const int i = lane + 32 * r;
        ml[r] = i < splits ? __ldcg(&g_ml[bh * splits + i]) : make_float2(NEG, 0.f);
    }
    float4 x[8];
#pragma unroll
    for (int r = 0; r < 8; r++) {
        const int i = warp + r * WARPS;
        x[r] = i < splits ? __ldcg(pp + i * 32) : make_float4(0.f, 0.f, 0.f, 0.f);
    }
    float MM = NEG, LL = 0.f;
#pragma unroll
    for (int r = 0; r < MAXSPLIT / 32; r++) MM = fmaxf(MM, ml[r].x);
#pragma unroll
    for (int o = 16; o; o >>= 1) MM = fmaxf(MM, __shfl_xor_sync(0xffffffffu, MM, o));
#pragma unroll
    for (int r = 0; r < MAXSPLIT / 32; r++) {
        const float w = ex2((ml[r].x - MM) * c);
        LL = fmaf(w, ml[r].y, LL);
        if (warp == 0) sw[lane + 32 * r] = w;
    }
#pragma unroll
    for (int o = 16; o; o >>= 1) LL += __shfl_xor_sync(0xffffffffu, LL, o);
    __syncthreads();
    float4 a4 = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll
    for (int r = 0; r < 8; r++) {
        const int i = warp + r * WARPS;
        const float w = i < splits ? sw[i] : 0.f;
        a4.x = fmaf(w, x[r].x, a4.x); a4.y = fmaf(w, x[r].y, a4.y);
        a4.z = fmaf(w, x[r].z, a4.z); a4.w = fmaf(w, x[r].w, a4.w);
    }
#pragma unroll 4
    for (int i = warp + 8 * WARPS; i < splits; i += WARPS) {
        const float4 y = __ldcg(pp + i * 32);
        const float w = sw[i];
        a4.x = fmaf(w, y.x, a4.x); a4.y = fmaf(w, y.y, a4.y);
        a4.z = fmaf(w, y.z, a4.z); a4.w = fmaf(w, y.w, a4.w);
    }
    *reinterpret_cast<float4*>(&sAcc[warp][lane * 4]) = a4;
    __syncthreads();
    for (int j = tid; j < 128; j += WARPS * 32) {
        float a = 0.f;
#pragma unroll
        for (int w = 0; w < WARPS; w++) a += sAcc[w][j];
        out[(size_t)bh * 128 + j] = __float2half(LL > 0.f ? a / LL : 0.f);
    }
    if (tid == 0) atomicExch(&g_cnt[bh], 0u);
}

// any Dh <= 256
__global__ void __launch_bounds__(512)
attn_any(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
         const int* __restrict__ seq_lens, __half* __restrict__ out, int H, int Dh, int L, float c) {
    __shared__ float sA[16][256];
    __shared__ float sM[16], sL[16];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int bh = blockIdx.x;
    const int n = seq_lens[bh / H];
    const __half* kp = k + (size_t)bh * L * Dh;
    const __half* vp = v + (size_t)bh * L * Dh;
    float qf[8], acc[8];
#pragma unroll
    for (int e = 0; e < 8; e++) {
        const int j = lane + 32 * e;
        qf[e] = j < Dh ? __half2float(q[(size_t)bh * Dh + j]) : 0.f;
        acc[e] = 0.f;
    }
    float m = NEG, l = 0.f;
    for (int p0 = warp * 4; p0 < n; p0 += 64) {
        float s[4];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            const __half* row = kp + (size_t)min(p0 + r, n - 1) * Dh;
            float d = 0.f;
#pragma unroll
            for (int e = 0; e < 8; e++) {
                const int j = lane + 32 * e;
                if (j < Dh) d = fmaf(qf[e], __half2float(row[j]), d);
            }
            s[r] = d;
        }
#pragma unroll
        for (int o = 16; o; o >>= 1)
#pragma unroll
            for (int r = 0; r < 4; r++) s[r] += __shfl_xor_sync(0xffffffffu, s[r], o);
        float mt = s[0];
#pragma unroll
        for (int r = 1; r < 4; r++) if (p0 + r < n) mt = fmaxf(mt, s[r]);
        if (mt > m) {
            const float sc = exp2f((m - mt) * c);
            l *= sc;
#pragma unroll
            for (int e = 0; e < 8; e++) acc[e] *= sc;
            m = mt;
        }
#pragma unroll
        for (int r = 0; r < 4; r++) {
            if (p0 + r < n) {
                const float p = exp2f((s[r] - m) * c);
                l += p;
                const __half* row = vp + (size_t)(p0 + r) * Dh;
#pragma unroll
                for (int e = 0; e < 8; e++) {
                    const int j = lane + 32 * e;
                    if (j < Dh) acc[e] = fmaf(p, __half2float(row[j]), acc[e]);
                }
            }
        }
    }
#pragma unroll
    for (int e = 0; e < 8; e++) sA[warp][lane + 32 * e] = acc[e];
    if (lane == 0) { sM[warp] = m; sL[warp] = l; }
    __syncthreads();
    const int j = threadIdx.x;
    if (j < Dh) {
        float M = NEG, Ls = 0.f, a = 0.f;
        for (int w = 0; w < 16; w++) M = fmaxf(M, sM[w]);
        for (int w = 0; w < 16; w++) {
            const float x = exp2f((sM[w] - M) * c);
            Ls = fmaf(x, sL[w], Ls);
            a = fmaf(x, sA[w][j], a);
        }
        out[(size_t)bh * Dh + j] = __float2half(Ls > 0.f ? a / Ls : 0.f);
    }
}

           void solve(const __half* q, const __half* k_cache, const __half* v_cache, const int* seq_lens,
                      __half* out, int B, int H, int Dh, int L_max) {
    const int BH = B * H;
    double x = (double)Dh, r = x > 1.0 ? x : 1.0;
    for (int i = 0; i < 60; i++) r = 0.5 * (r + x / r);
    const float c = (float)(1.4426950408889634 / r);
    if (Dh != 128) {
        attn_any<<<BH, 512>>>(q, k_cache, v_cache, seq_lens, out, H, Dh, L_max, c);
        return;
    }
    int splits = TARGET / BH;
    const int cap = (L_max + 16 * WARPS * MINT - 1) / (16 * WARPS * MINT);
    if (splits > cap) splits = cap;
    if (splits > MAXSPLIT) splits = MAXSPLIT;
    if (splits < 1) splits = 1;
    attn128<<<dim3(splits, BH), WARPS * 32>>>(q, k_cache, v_cache, seq_lens, out, H, L_max, c);
}
}  // namespace part1
#undef MAXSPLIT
#undef MINT
#undef NEG
#undef OCCW
#undef TARGET
#undef WARPS

namespace part3 {



#define WARPS 4      // tune: WARPS = 2, 4
#define STAGES 3     // tune: STAGES = 2, 3, 6

#define BPS (26 / (WARPS * STAGES))
#define SLOTS (132 * BPS)
#define NEG (-1e30f)
#define MAXSPLIT 128

__device__ float  g_part[4224 * 128];
__device__ float2 g_ml[4224];
__device__ unsigned int g_cnt[32768];

__device__ __forceinline__ float ex2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ __forceinline__ void cp16(unsigned int dst, const __half* src) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(dst), "l"(src) : "memory");
}
__device__ __forceinline__ void cp_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

__device__ __forceinline__ float2 h2f(unsigned int u) {
    __half2 h = *reinterpret_cast<__half2*>(&u);
    return __half22float2(h);
}

__device__ __forceinline__ void unpack8(const uint4& u, float* f) {
    float2 a = h2f(u.x), b = h2f(u.y), c = h2f(u.z), d = h2f(u.w);
    f[0] = a.x; f[1] = a.y; f[2] = b.x; f[3] = b.y;
    f[4] = c.x; f[5] = c.y; f[6] = d.x; f[7] = d.y;
}

// K and V of one 16-row tile; rows tile*16 + 2*i + hf, clamped to the array
__device__ __forceinline__ void copy_tile(unsigned int dst, const __half* kb, const __half* vb,
                                          int tile, int hf, int L) {
    const int row0 = tile * 16 + hf;
    if (tile * 16 + 16 <= L) {
        const size_t o = (size_t)row0 * 128;
#pragma unroll
        for (int i = 0; i < 8; i++) cp16(dst + i * 512, kb + o + i * 256);
#pragma unroll
        for (int i = 0; i < 8; i++) cp16(dst + 4096 + i * 512, vb + o + i * 256);
    } else {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const size_t o = (size_t)min(row0 + 2 * i, L - 1) * 128;
            cp16(dst + i * 512, kb + o);
            cp16(dst + 4096 + i * 512, vb + o);
        }
    }
}

__global__ void __launch_bounds__(WARPS * 32, BPS)
attn128(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
        const int* __restrict__ seq_lens, __half* __restrict__ out, int H, int L, int splits, int units, float c) {
    extern __shared__ __align__(128) unsigned char ring[];
    __shared__ __align__(16) float sAcc[WARPS][128];
    __shared__ float sM[WARPS], sL[WARPS];
    __shared__ float sw[MAXSPLIT];
    __shared__ int sLast;

    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const int hf = lane >> 4;
    const int col = (lane & 15) * 8;
    const int step = splits * WARPS;
    const int G = gridDim.x;
    const size_t hs = (size_t)L * 128;

    unsigned char* myring = ring + warp * (STAGES * 8192) + lane * 16;
    const unsigned int rbase = (unsigned int)__cvta_generic_to_shared(myring);

    // prefetch cursor
    int ci = blockIdx.x;
    int cbh = ci / splits;
    int ct = warp * splits + (ci - cbh * splits);
    const int n0 = __ldg(seq_lens + cbh / H);
    const __half* ck = k + cbh * hs + col;
    const __half* cv = v + cbh * hs + col;
    const bool spec = ct * 16 < L;
    if (spec) copy_tile(rbase, ck, cv, ct, hf, L);   // does not wait for seq_lens
    int cnt = (n0 + 15) >> 4;
    const bool hit = ct < cnt;

    auto settle = [&]() {
        while (ci < units && ct >= cnt) {
            ci += G;
            if (ci < units) {
                cbh = ci / splits;
                ct = warp * splits + (ci - cbh * splits);
                cnt = (__ldg(seq_lens + cbh / H) + 15) >> 4;
                ck = k + cbh * hs + col;
                cv = v + cbh * hs + col;
            }
        }
    };
    auto issue = [&](int st) {
        if (ci < units) {
            copy_tile(rbase + st * 8192, ck, cv, ct, hf, L);
            ct += step;
            settle();
        }
        cp_commit();
    };

    if (hit) {
        cp_commit();
        ct += step;
        settle();
    } else {
        asm volatile("cp.async.wait_all;" ::: "memory");
        settle();
        issue(0);
    }
#pragma unroll
    for (int s = 1; s < STAGES; s++) issue(s);

    int st = 0;
    for (int item = blockIdx.x; item < units; item += G) {
        const int bh = item / splits;
        const int split = item - bh * splits;
        const uint4 qu = __ldg(reinterpret_cast<const uint4*>(q + (size_t)bh * 128 + col));
        const int n = __ldg(seq_lens + bh / H);
        const int nt = (n + 15) >> 4;
        float qf[8];
        unpack8(qu, qf);
        float m = NEG, l = 0.f, acc[8];
#pragma unroll
        for (int e = 0; e < 8; e++) acc[e] = 0.f;

        for (int t = warp * splits + split; t < nt; t += step) {
            asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 1) : "memory");
            const uint4* sp = reinterpret_cast<const uint4*>(myring + st * 8192);
            float s[8];
#pragma unroll
            for (int i = 0; i < 8; i++) {
                float f[8];
                unpack8(sp[i * 32], f);
                float d0 = qf[0] * f[0], d1 = qf[1] * f[1];
                d0 = fmaf(qf[2], f[2], d0); d1 = fmaf(qf[3], f[3], d1);
                d0 = fmaf(qf[4], f[4], d0); d1 = fmaf(qf[5], f[5], d1);
                d0 = fmaf(qf[6], f[6], d0); d1 = fmaf(qf[7], f[7], d1);
                s[i] = d0 + d1;
            }
            uint4 vr[8];
#pragma unroll
            for (int i = 0; i < 8; i++) vr[i] = sp[256 + i * 32];
            if (t * 16 + 16 > n) {     // what lies behind n may be anything
#pragma unroll
                for (int i = 0; i < 8; i++)
                    if (t * 16 + 2 * i + hf >= n) vr[i] = make_uint4(0u, 0u, 0u, 0u);
            }
            issue(st);                 // all of this stage is in registers by now
            st = (st + 1 == STAGES) ? 0 : st + 1;
            {
                const bool u8 = lane & 8;
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    float send = u8 ? s[i] : s[i + 4];
                    float keep = u8 ? s[i + 4] : s[i];
                    s[i] = keep + __shfl_xor_sync(0xffffffffu, send, 8);
                }
                const bool u4 = lane & 4;
#pragma unroll
                for (int i = 0; i < 2; i++) {
                    float send = u4 ? s[i] : s[i + 2];
                    float keep = u4 ? s[i + 2] : s[i];
                    s[i] = keep + __shfl_xor_sync(0xffffffffu, send, 4);
                }
                const bool u2 = lane & 2;
                float send = u2 ? s[0] : s[1];
                float keep = u2 ? s[1] : s[0];
                s[0] = keep + __shfl_xor_sync(0xffffffffu, send, 2);
                s[0] += __shfl_xor_sync(0xffffffffu, s[0], 1);
            }
            const bool valid = t * 16 + ((lane >> 1) & 7) * 2 + hf < n;
            const float sv = valid ? s[0] : NEG;
            float mt = sv;
#pragma unroll
            for (int o = 2; o <= 16; o <<= 1) mt = fmaxf(mt, __shfl_xor_sync(0xffffffffu, mt, o));
            if (mt > m) {
                const float sc = ex2((m - mt) * c);
                l *= sc;
#pragma unroll
                for (int e = 0; e < 8; e++) acc[e] *= sc;
                m = mt;
            }
            const float p = valid ? ex2((sv - m) * c) : 0.f;
            l += p;
#pragma unroll
            for (int i = 0; i < 8; i++) {
                const float pi = __shfl_sync(0xffffffffu, p, (lane & 16) | (i << 1));
                float f[8];
                unpack8(vr[i], f);
#pragma unroll
                for (int e = 0; e < 8; e++) acc[e] = fmaf(pi, f[e], acc[e]);
            }
        }
#pragma unroll
        for (int o = 2; o <= 16; o <<= 1) l += __shfl_xor_sync(0xffffffffu, l, o);
#pragma unroll
        for (int e = 0; e < 8; e++) acc[e] += __shfl_xor_sync(0xffffffffu, acc[e], 16);

        if (lane < 16) {
            float4* d = reinterpret_cast<float4*>(&sAcc[warp][col]);
            d[0] = make_float4(acc[0], acc[1], acc[2], acc[3]);
            d[1] = make_float4(acc[4], acc[5], acc[6], acc[7]);
        }
        if (lane == 0) { sM[warp] = m; sL[warp] = l; }
        __syncthreads();

        float M = NEG, Ls = 0.f, wgt[WARPS];
#pragma unroll
        for (int w = 0; w < WARPS; w++) M = fmaxf(M, sM[w]);
#pragma unroll
        for (int w = 0; w < WARPS; w++) { wgt[w] = ex2((sM[w] - M) * c); Ls += wgt[w] * sL[w]; }

        const int slot = bh * splits + split;
        const float inv1 = Ls > 0.f ? 1.f / Ls : 0.f;
        for (int j = tid; j < 128; j += WARPS * 32) {
            float a = 0.f;
#pragma unroll
            for (int w = 0; w < WARPS; w++) a = fmaf(wgt[w], sAcc[w][j], a);
            if (splits == 1) out[(size_t)bh * 128 + j] = __float2half(a * inv1);
            else __stcg(&g_part[(size_t)slot * 128 + j], a);
        }
        if (splits > 1) {
            if (tid == 0) __stcg(&g_ml[slot], make_float2(M, Ls));
            __threadfence();
            __syncthreads();
            if (tid == 0) sLast = (atomicAdd(&g_cnt[bh], 1u) == (unsigned)(splits - 1));
            __syncthreads();
            if (sLast) {
                __threadfence();
                const float4* pp = reinterpret_cast<const float4*>(g_part) + (size_t)bh * splits * 32 + lane;
                float2 ml[MAXSPLIT / 32];
#pragma unroll
                for (int r = 0; r < MAXSPLIT / 32; r++) {
                    const int i = lane + 32 * r;
                    ml[r] = i < splits ? __ldcg(&g_ml[bh * splits + i]) : make_float2(NEG, 0.f);
                }
                float4 x[4];
#pragma unroll
                for (int r = 0; r < 4; r++) {
                    const int i = warp + r * WARPS;
                    x[r] = i < splits ? __ldcg(pp + i * 32) : make_float4(0.f, 0.f, 0.f, 0.f);
                }
                float MM = NEG, LL = 0.f;
#pragma unroll
                for (int r = 0; r < MAXSPLIT / 32; r++) MM = fmaxf(MM, ml[r].x);
#pragma unroll
                for (int o = 16; o; o >>= 1) MM = fmaxf(MM, __shfl_xor_sync(0xffffffffu, MM, o));
#pragma unroll
                for (int r = 0; r < MAXSPLIT / 32; r++) {
                    const float w = ex2((ml[r].x - MM) * c);
                    LL = fmaf(w, ml[r].y, LL);
                    if (warp == 0) sw[lane + 32 * r] = w;
                }
#pragma unroll
                for (int o = 16; o; o >>= 1) LL += __shfl_xor_sync(0xffffffffu, LL, o);
                __syncthreads();
                float4 a4 = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll
                for (int r = 0; r < 4; r++) {
                    const int i = warp + r * WARPS;
                    const float w = i < splits ? sw[i] : 0.f;
                    a4.x = fmaf(w, x[r].x, a4.x); a4.y = fmaf(w, x[r].y, a4.y);
                    a4.z = fmaf(w, x[r].z, a4.z); a4.w = fmaf(w, x[r].w, a4.w);
                }
#pragma unroll 4
                for (int i = warp + 4 * WARPS; i < splits; i += WARPS) {
                    const float4 y = __ldcg(pp + i * 32);
                    const float w = sw[i];
                    a4.x = fmaf(w, y.x, a4.x); a4.y = fmaf(w, y.y, a4.y);
                    a4.z = fmaf(w, y.z, a4.z); a4.w = fmaf(w, y.w, a4.w);
                }
                *reinterpret_cast<float4*>(&sAcc[warp][lane * 4]) = a4;
                __syncthreads();
                const float inv = LL > 0.f ? 1.f / LL : 0.f;
                for (int j = tid; j < 128; j += WARPS * 32) {
                    float a = 0.f;
#pragma unroll
                    for (int w = 0; w < WARPS; w++) a += sAcc[w][j];
                    out[(size_t)bh * 128 + j] = __float2half(a * inv);
                }
                if (tid == 0) atomicExch(&g_cnt[bh], 0u);
            }
        }
        __syncthreads();
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
}

// any Dh <= 256
__global__ void __launch_bounds__(512)
attn_any(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
         const int* __restrict__ seq_lens, __half* __restrict__ out, int H, int Dh, int L, float c) {
    __shared__ float sA[16][256];
    __shared__ float sM[16], sL[16];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int bh = blockIdx.x;
    const int n = seq_lens[bh / H];
    const __half* kp = k + (size_t)bh * L * Dh;
    const __half* vp = v + (size_t)bh * L * Dh;
    float qf[8], acc[8];
#pragma unroll
    for (int e = 0; e < 8; e++) {
        const int j = lane + 32 * e;
        qf[e] = j < Dh ? __half2float(q[(size_t)bh * Dh + j]) : 0.f;
        acc[e] = 0.f;
    }
    float m = NEG, l = 0.f;
    for (int p0 = warp * 4; p0 < n; p0 += 64) {
        float s[4];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            const __half* row = kp + (size_t)min(p0 + r, n - 1) * Dh;
            float d = 0.f;
#pragma unroll
            for (int e = 0; e < 8; e++) {
                const int j = lane + 32 * e;
                if (j < Dh) d = fmaf(qf[e], __half2float(row[j]), d);
            }
            s[r] = d;
        }
#pragma unroll
        for (int o = 16; o; o >>= 1)
#pragma unroll
            for (int r = 0; r < 4; r++) s[r] += __shfl_xor_sync(0xffffffffu, s[r], o);
        float mt = s[0];
#pragma unroll
        for (int r = 1; r < 4; r++) if (p0 + r < n) mt = fmaxf(mt, s[r]);
        if (mt > m) {
            const float sc = exp2f((m - mt) * c);
            l *= sc;
#pragma unroll
            for (int e = 0; e < 8; e++) acc[e] *= sc;
            m = mt;
        }
#pragma unroll
        for (int r = 0; r < 4; r++) {
            if (p0 + r < n) {
                const float p = exp2f((s[r] - m) * c);
                l += p;
                const __half* row = vp + (size_t)(p0 + r) * Dh;
#pragma unroll
                for (int e = 0; e < 8; e++) {
                    const int j = lane + 32 * e;
                    if (j < Dh) acc[e] = fmaf(p, __half2float(row[j]), acc[e]);
                }
            }
        }
    }
#pragma unroll
    for (int e = 0; e < 8; e++) sA[warp][lane + 32 * e] = acc[e];
    if (lane == 0) { sM[warp] = m; sL[warp] = l; }
    __syncthreads();
    const int j = threadIdx.x;
    if (j < Dh) {
        float M = NEG, Ls = 0.f, a = 0.f;
        for (int w = 0; w < 16; w++) M = fmaxf(M, sM[w]);
        for (int w = 0; w < 16; w++) {
            const float x = exp2f((sM[w] - M) * c);
            Ls = fmaf(x, sL[w], Ls);
            a = fmaf(x, sA[w][j], a);
        }
        out[(size_t)bh * Dh + j] = __float2half(Ls > 0.f ? a / Ls : 0.f);
    }
}

           void solve(const __half* q, const __half* k_cache, const __half* v_cache, const int* seq_lens,
                      __half* out, int B, int H, int Dh, int L_max) {
    const int BH = B * H;
    double x = (double)Dh, r = x > 1.0 ? x : 1.0;
    for (int i = 0; i < 60; i++) r = 0.5 * (r + x / r);
    const float c = (float)(1.4426950408889634 / r);
    if (Dh != 128) {
        attn_any<<<BH, 512>>>(q, k_cache, v_cache, seq_lens, out, H, Dh, L_max, c);
        return;
    }
    int splits = SLOTS / BH;
    const int cap = (L_max + 32 * WARPS - 1) / (32 * WARPS);
    if (splits > cap) splits = cap;
    if (splits > MAXSPLIT) splits = MAXSPLIT;
    if (splits < 1) splits = 1;
    const int units = BH * splits;
    const int per = (units + SLOTS - 1) / SLOTS;
    const int G = (units + per - 1) / per;
    const int smem = WARPS * STAGES * 8192;
    cudaFuncSetAttribute(attn128, cudaFuncAttributeMaxDynamicSharedMemorySize, smem);
    attn128<<<G, WARPS * 32, smem>>>(q, k_cache, v_cache, seq_lens, out, H, L_max, splits, units, c);
}
}  // namespace part3
#undef BPS
#undef MAXSPLIT
#undef NEG
#undef SLOTS
#undef STAGES
#undef WARPS

           void solve(const __half* q, const __half* k_cache, const __half* v_cache, const int* seq_lens, __half* out, int B, int H, int Dh, int L_max) {
  const double size = (double)(B > 1 ? B : 1) * (double)(L_max > 1 ? L_max : 1);
  if (size > 32768.5) {
    part3::solve(q, k_cache, v_cache, seq_lens, out, B, H, Dh, L_max);
    return;
  }
  if (size > 11585.5) {
    part0::solve(q, k_cache, v_cache, seq_lens, out, B, H, Dh, L_max);
    return;
  }
  part1::solve(q, k_cache, v_cache, seq_lens, out, B, H, Dh, L_max);
}
}  // namespace part1
#undef BPS
#undef CLUSTER
#undef FULL
#undef MAXGRID
#undef MAXPART
#undef MAXSPLIT
#undef MINT
#undef MU
#undef MUL_MID
#undef NEG
#undef OCCW
#undef SLOTS
#undef STAGES
#undef TARGET
#undef WARPS
#undef W_MID
#undef W_SMALL

extern "C" void solve(const __half* q, const __half* k_cache, const __half* v_cache, const int* seq_lens, __half* out, int B, int H, int Dh, int L_max) {
  const double size = (double)(B > 1 ? B : 1) * (double)(L_max > 1 ? L_max : 1);
  if (size > 11585.5) {
    part1::solve(q, k_cache, v_cache, seq_lens, out, B, H, Dh, L_max);
    return;
  }
  part0::solve(q, k_cache, v_cache, seq_lens, out, B, H, Dh, L_max);
}
