// SPDX-License-Identifier: Apache-2.0
// task: xent_fwd_bwd
// rules: free
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-19
// commit: 0ca4e6f5
// made by: warpwright 0.2.0
// model: merge
// run: xent_fwd_bwd fsr r1.c1, r2.c1, r2.c2, evolve g2.c2, g3.c1, g4.c3, g2.c1 (changed), tree w4.c3
// median us: 16x128256 8.88, 64x128256 13.53, 256x128256 39.89, 512x128256 71.06, 1024x128256 132.93
// sha256: bd0a960310ca0a2942cbe5d16e9692d289f86a4214f74635f1b5b41eb4732956

#include <cuda_runtime.h>
#include <cuda_fp16.h>

namespace part0 {



#define SMALL_T 512   // tune: SMALL_T = 512, 1024
#define KEEPA 1       // tune: KEEPA = 0, 1
#define SPECV 4       // tune: SPECV = 0, 4, 8
#define PACE 0        // tune: PACE = 0, 1

#define CL 8                              // blocks of a cluster, one cluster per row
#define BT 256                            // threads of a block, many rows
#define BUNR 8                            // vectors a thread holds, many rows
#define SUNR (16384 / (CL * SMALL_T))     // the same, few rows
#define SMALL_ROWS (16 * (1024 / SMALL_T))
#define SPEC_ROWS 128                     // up to here all loads go out before the label is known

#define FILL2 0xFBFFFBFFu                 // two halves of -65504
#define FILL1 0xFBFFu
#define NONE 0xFFFFFFFFu
#define LOG2E 1.4426950408889634f
#define LN2 0.6931471805599453f

__device__ unsigned long long g_loss_state = 0ull;

__device__ __forceinline__ float ex2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ __forceinline__ uint4 ldstream(const uint4* p) {
    uint4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
    return v;
}
// a vector, or the filling if it lies outside
__device__ __forceinline__ uint4 ldvec(const uint4* p, bool ok) {
    uint4 v = make_uint4(FILL2, FILL2, FILL2, FILL2);
    asm volatile("{\n\t.reg .pred q;\n\tsetp.ne.s32 q, %5, 0;\n\t"
        "@q ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];\n\t}"
        : "+r"(v.x), "+r"(v.y), "+r"(v.z), "+r"(v.w) : "l"(p), "r"((int)ok));
    return v;
}
__device__ __forceinline__ unsigned short ldhalf(const __half* p, bool ok) {
    unsigned short v = (unsigned short)FILL1;
    asm volatile("{\n\t.reg .pred q;\n\tsetp.ne.s32 q, %2, 0;\n\t@q ld.global.nc.u16 %0, [%1];\n\t}"
        : "+h"(v) : "l"(p), "r"((int)ok));
    return v;
}
__device__ __forceinline__ int ldlabel(const int* p) {
    int v;
    asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
}
__device__ __forceinline__ float h1(unsigned short u) { return __half2float(__ushort_as_half(u)); }
__device__ __forceinline__ __half2 h2(const unsigned& u) { return *reinterpret_cast<const __half2*>(&u); }
__device__ __forceinline__ __half2 vmax2(const uint4& v) {
    return __hmax2(__hmax2(h2(v.x), h2(v.y)), __hmax2(h2(v.z), h2(v.w)));
}
__device__ __forceinline__ float hmaxf(__half2 m) {
    float2 f = __half22float2(m);
    return fmaxf(f.x, f.y);
}
__device__ __forceinline__ float e2sum(unsigned u, float c) {
    float2 f = __half22float2(h2(u));
    return ex2(fmaf(f.x, LOG2E, -c)) + ex2(fmaf(f.y, LOG2E, -c));
}
__device__ __forceinline__ float vsum(const uint4& v, float c) {
    return (e2sum(v.x, c) + e2sum(v.y, c)) + (e2sum(v.z, c) + e2sum(v.w, c));
}
// the same, and keeps the eight exponentials
__device__ __forceinline__ float e8(const uint4& v, float c, float* e) {
    float2 f;
    f = __half22float2(h2(v.x));
    e[0] = ex2(fmaf(f.x, LOG2E, -c)); e[1] = ex2(fmaf(f.y, LOG2E, -c));
    f = __half22float2(h2(v.y));
    e[2] = ex2(fmaf(f.x, LOG2E, -c)); e[3] = ex2(fmaf(f.y, LOG2E, -c));
    f = __half22float2(h2(v.z));
    e[4] = ex2(fmaf(f.x, LOG2E, -c)); e[5] = ex2(fmaf(f.y, LOG2E, -c));
    f = __half22float2(h2(v.w));
    e[6] = ex2(fmaf(f.x, LOG2E, -c)); e[7] = ex2(fmaf(f.y, LOG2E, -c));
    return ((e[0] + e[1]) + (e[2] + e[3])) + ((e[4] + e[5]) + (e[6] + e[7]));
}
__device__ __forceinline__ unsigned pk(float x, float y) {
    __half2 r = __floats2half2_rn(x, y);
    return *reinterpret_cast<unsigned*>(&r);
}
__device__ __forceinline__ unsigned out2(unsigned u, float c) {
    float2 f = __half22float2(h2(u));
    return pk(ex2(fmaf(f.x, LOG2E, -c)), ex2(fmaf(f.y, LOG2E, -c)));
}
__device__ __forceinline__ uint4 vout(const uint4& v, float c) {
    return make_uint4(out2(v.x, c), out2(v.y, c), out2(v.z, c), out2(v.w, c));
}
__device__ __forceinline__ int ordered(int i) { return i ^ ((i >> 31) & 0x7fffffff); }
__device__ __forceinline__ float warp_max(float m) {
    return __int_as_float(ordered(__reduce_max_sync(0xffffffffu, ordered(__float_as_int(m)))));
}
__device__ __forceinline__ float warp_sum(float s) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    return s;
}

// KEEP: 0 = exponentials are computed twice, 1 = those of the first half of the vectors are kept in
// shared memory, 2 = all are kept in registers
template <int TH, int UNR, bool SPEC, int KEEP, bool PACED>
__device__ __forceinline__ void xent(const __half* __restrict__ logits, const int* __restrict__ labels,
                                     float* __restrict__ loss, __half* __restrict__ dlogits,
                                     int N, int V, float grad_scale,
                                     unsigned slots, unsigned mb, float4* buf)
{
    constexpr int NW = TH / 32;
    constexpr int GA = UNR / 2;
    constexpr int Q = CL * NW / 32;
    static_assert(CL * NW % 32 == 0 && UNR % 2 == 0, "sizes");

    const int tid = threadIdx.x;
    const int lane = tid & 31, warp = tid >> 5;
    const unsigned rank = blockIdx.x % CL;
    const unsigned row = blockIdx.x / CL;

    if (tid == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(mb) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(mb), "r"(CL * NW * 8) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncwarp();
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");

    const int lab = ldlabel(labels + row);

    const unsigned rs = row * (unsigned)V, re = rs + (unsigned)V;
    const unsigned a = min((rs + 7u) & ~7u, re);
    const unsigned b = max(re & ~7u, a);
    const unsigned nv = (b - a) >> 3;
    const unsigned chunk = ((nv + CL - 1) / CL + 7u) & ~7u;
    const unsigned lo = rank * chunk;
    const unsigned cnt = lo < nv ? min(chunk, nv - lo) : 0u;
    const int rem = (int)cnt - tid;       // vector tid + o is ours if o < rem

    const uint4* src = reinterpret_cast<const uint4*>(logits + a) + (lo + tid);

    int remL = rem;
    uint4 d[UNR];
#pragma unroll
    for (int i = 0; i < GA; i++) {
        if (!SPEC && i == SPECV) remL = lab < 0 ? 0 : rem;
        d[i] = ldvec(src + i * TH, i * TH < remL);
    }
    if (!PACED) {
#pragma unroll
        for (int i = GA; i < UNR; i++) {
            if (!SPEC && i == SPECV) remL = lab < 0 ? 0 : rem;
            d[i] = ldvec(src + i * TH, i * TH < remL);
        }
    }

    // edge elements (rows that do not begin or end at 16 bytes)
    unsigned epos = NONE;
    if (rank == 0 && tid < 16) {
        const unsigned q = tid & 7;
        const unsigned n = tid < 8 ? a - rs : re - b;
        if (q < n) epos = (tid < 8 ? rs : b) + q;
    }
    const unsigned short xer = ldhalf(logits + (epos != NONE ? epos : 0u), epos != NONE);

    // number of tokens that count: the cluster shares the work
    int t = 0;
#pragma unroll 1
    for (int j = ((int)rank * TH + tid) * 4; j < N; j += CL * TH * 4) {
        if (j + 3 < N) {
            const int4 q = __ldg(reinterpret_cast<const int4*>(labels + j));
            t += (q.x >= 0) + (q.y >= 0) + (q.z >= 0) + (q.w >= 0);
        } else {
            for (int q = j; q < N; q++) t += (__ldg(labels + q) >= 0);
        }
    }

    // the thread that owns the element of the label
    unsigned lpos = NONE;
    if (lab >= 0) {
        const unsigned p = rs + (unsigned)lab;
        bool own;
        if (p < a) own = (rank == 0) && ((unsigned)tid == p - rs);
        else if (p >= b) own = (rank == 0) && ((unsigned)tid == 8u + (p - b));
        else {
            const unsigned vi = ((p - a) >> 3) - lo;
            own = (vi < cnt) && ((vi % TH) == (unsigned)tid);
        }
        if (own) lpos = p;
    }
    const unsigned short xlr = ldhalf(logits + (lpos != NONE ? lpos : 0u), lpos != NONE);

    // maximum and sum of the first half of the vectors
    __half2 hA = vmax2(d[0]);
#pragma unroll
    for (int i = 1; i < GA; i++) hA = __hmax2(hA, vmax2(d[i]));
    const float mA = hmaxf(hA);
    if (PACED) {
        const bool go = mA > -1.0e30f;    // always true: the loads below wait for those above
#pragma unroll
        for (int i = GA; i < UNR; i++) {
            if (!SPEC && i == SPECV) remL = lab < 0 ? 0 : rem;
            d[i] = ldvec(src + i * TH, go && (i * TH < remL));
        }
    }
    if (!SPEC && SPECV >= UNR) remL = lab < 0 ? 0 : rem;

    const float xe = h1(xer);
    float m = fmaxf(mA, xe);
    const float cA = __fmul_rn(m, LOG2E);
    float s = epos != NONE ? ex2(fmaf(xe, LOG2E, -cA)) : 0.f;
    float e[KEEP == 2 ? UNR * 8 : 8];
#pragma unroll
    for (int i = 0; i < GA; i++) {
        if (KEEP == 2) {
            s += e8(d[i], cA, e + (KEEP == 2 ? 8 * i : 0));
        } else if (KEEP == 1) {
            float w[8];
            s += e8(d[i], cA, w);
            buf[(2 * i) * TH + tid] = make_float4(w[0], w[1], w[2], w[3]);
            buf[(2 * i + 1) * TH + tid] = make_float4(w[4], w[5], w[6], w[7]);
        } else {
            s += vsum(d[i], cA);
        }
    }

    // the second half
    __half2 hB = vmax2(d[GA]);
#pragma unroll
    for (int i = GA + 1; i < UNR; i++) hB = __hmax2(hB, vmax2(d[i]));
    m = fmaxf(m, hmaxf(hB));
    const float cB = __fmul_rn(m, LOG2E);
    s *= ex2(cA - cB);
#pragma unroll
    for (int i = GA; i < UNR; i++) {
        if (KEEP == 2) s += e8(d[i], cB, e + (KEEP == 2 ? 8 * i : 0));
        else s += vsum(d[i], cB);
    }

    // what does not fit into registers
    float c = cB;
#pragma unroll 1
    for (int o = UNR * TH; o < remL; o += TH) {
        const uint4 v = ldstream(src + o);
        m = fmaxf(m, hmaxf(vmax2(v)));
        const float nc = __fmul_rn(m, LOG2E);
        s = s * ex2(c - nc) + vsum(v, nc);
        c = nc;
    }

    // every warp sends its result to all blocks of the cluster
    {
        const float mW = warp_max(m);
        s *= ex2(c - __fmul_rn(mW, LOG2E));
        s = warp_sum(s);
        t = __reduce_add_sync(0xffffffffu, t);
        const unsigned plo = (unsigned)__half_as_ushort(__float2half_rn(mW)) | ((unsigned)t << 16);
        const unsigned long long val = (unsigned long long)plo | ((unsigned long long)__float_as_uint(s) << 32);
        __syncwarp();
        asm volatile("barrier.cluster.wait.aligned;" ::: "memory");   // all mbarriers are set up
        if (lane < CL) {
            unsigned ra, rb;
            const unsigned la = slots + (rank * NW + warp) * 8u;
            asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(ra) : "r"(la), "r"(lane));
            asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(rb) : "r"(mb), "r"(lane));
            asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];"
                :: "r"(ra), "l"(val), "r"(rb) : "memory");
        }
        __syncwarp();
    }
    {
        unsigned done;
        do {
            asm volatile("{\n\t.reg .pred p;\n\t"
                "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n\t"
                "selp.u32 %0, 1, 0, p;\n\t}" : "=r"(done) : "r"(mb), "r"(0u) : "memory");
        } while (!done);
        __syncwarp();
    }

    // the results of all warps of the cluster: the row's maximum and sum
    float mq[Q], sq[Q];
    int tt = 0;
    float M = -65504.f;
#pragma unroll
    for (int q = 0; q < Q; q++) {
        unsigned x, y;
        asm volatile("ld.shared.v2.u32 {%0,%1}, [%2];" : "=r"(x), "=r"(y) : "r"(slots + (lane + 32 * q) * 8u) : "memory");
        mq[q] = h1((unsigned short)(x & 0xffffu));
        sq[q] = __uint_as_float(y);
        tt += (int)(x >> 16);
        M = fmaxf(M, mq[q]);
    }
    M = warp_max(M);
    const float C = __fmul_rn(M, LOG2E);
    float S = 0.f;
#pragma unroll
    for (int q = 0; q < Q; q++) S += sq[q] * ex2(__fmul_rn(mq[q], LOG2E) - C);
    S = warp_sum(S);
    const int T = __reduce_add_sync(0xffffffffu, tt);

    const float g = lab >= 0 ? __fdividef(grad_scale, (float)T) : 0.f;
    const float k = __fdividef(g, S);
    // gradient = exp2(x * log2(e) - C2)
    const float C2 = k > 0.f ? C - __log2f(k) : __int_as_float(0x7f800000);

    unsigned long long mine = 0, old = 0;
    const float xl = h1(xlr);
    if (lpos != NONE) {
        const float l = (fmaf(-xl, LOG2E, C) + log2f(S)) * LN2;
        mine = (1ull << 51) + (unsigned long long)((double)fmaxf(l, 0.f) * 268435456.0 + 0.5);
        old = atomicAdd(&g_loss_state, mine);
    }

    uint4* dst = reinterpret_cast<uint4*>(dlogits + a) + (lo + tid);
    if (KEEP == 2) {
        const float fA = k * ex2(cA - C), fB = k * ex2(cB - C);
#pragma unroll
        for (int i = 0; i < UNR; i++) {
            const float f = i < GA ? fA : fB;
            const int j = KEEP == 2 ? 8 * i : 0;
            if (i * TH < rem)
                dst[i * TH] = make_uint4(pk(e[j] * f, e[j + 1] * f), pk(e[j + 2] * f, e[j + 3] * f),
                                         pk(e[j + 4] * f, e[j + 5] * f), pk(e[j + 6] * f, e[j + 7] * f));
        }
    } else {
        if (KEEP == 1) {
            const float f = k * ex2(cA - C);
#pragma unroll
            for (int i = 0; i < GA; i++) {
                const float4 u = buf[(2 * i) * TH + tid];
                const float4 w = buf[(2 * i + 1) * TH + tid];
                if (i * TH < rem)
                    dst[i * TH] = make_uint4(pk(u.x * f, u.y * f), pk(u.z * f, u.w * f),
                                             pk(w.x * f, w.y * f), pk(w.z * f, w.w * f));
            }
        }
#pragma unroll
        for (int i = (KEEP == 1 ? GA : 0); i < UNR; i++) {
            if (i * TH < rem) dst[i * TH] = vout(d[i], C2);
        }
    }
#pragma unroll 1
    for (int o = UNR * TH; o < rem; o += TH) {
        uint4 v = make_uint4(0u, 0u, 0u, 0u);
        if (lab >= 0) v = vout(ldstream(src + o), C2);
        dst[o] = v;
    }
    if (epos != NONE) dlogits[epos] = __float2half_rn(ex2(fmaf(xe, LOG2E, -C2)));

    if (lpos != NONE) {
        dlogits[lpos] = __float2half_rn((ex2(fmaf(xl, LOG2E, -C)) - S) * k);
        if ((old >> 51) == (unsigned long long)(T - 1)) {
            const unsigned long long tot = (old + mine) & ((1ull << 51) - 1ull);
            *loss = (float)((double)tot * (1.0 / 268435456.0) / (double)T);
            atomicExch(&g_loss_state, 0ull);
        }
    }
    if (T == 0 && blockIdx.x == 0 && tid == 0) *loss = 0.f;
}

extern __shared__ float4 dyn_buf[];

__global__ void __cluster_dims__(CL, 1, 1) __launch_bounds__(SMALL_T, 1024 / SMALL_T)
xent_kernel(const __half* __restrict__ logits, const int* __restrict__ labels, float* __restrict__ loss,
            __half* __restrict__ dlogits, int N, int V, float grad_scale, int mode)
{
    __shared__ __align__(16) unsigned long long slot_mem[CL * 32];
    __shared__ __align__(8) unsigned long long mbar_mem;
    const unsigned slots = (unsigned)__cvta_generic_to_shared(slot_mem);
    const unsigned mb = (unsigned)__cvta_generic_to_shared(&mbar_mem);

    if (mode == 0)
        xent<SMALL_T, SUNR, true, 2, false>(logits, labels, loss, dlogits, N, V, grad_scale, slots, mb, dyn_buf);
    else if (mode == 1)
        xent<BT, BUNR, true, KEEPA, false>(logits, labels, loss, dlogits, N, V, grad_scale, slots, mb, dyn_buf);
    else
        xent<BT, BUNR, false, KEEPA, (PACE != 0)>(logits, labels, loss, dlogits, N, V, grad_scale, slots, mb, dyn_buf);
}

           void solve(const __half* logits, const int* labels, float* loss, __half* dlogits, int N, int V, float grad_scale)
{
    const int mode = N <= SMALL_ROWS ? 0 : (N <= SPEC_ROWS ? 1 : 2);
    const int threads = mode == 0 ? SMALL_T : BT;
    const size_t smem = mode == 0 ? 0 : (size_t)KEEPA * BUNR * BT * 16;
    if (KEEPA) cudaFuncSetAttribute(xent_kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 70);
    xent_kernel<<<N * CL, threads, smem>>>(logits, labels, loss, dlogits, N, V, grad_scale, mode);
}
}  // namespace part0
#undef BT
#undef BUNR
#undef CL
#undef FILL1
#undef FILL2
#undef KEEPA
#undef LN2
#undef LOG2E
#undef NONE
#undef PACE
#undef SMALL_ROWS
#undef SMALL_T
#undef SPECV
#undef SPEC_ROWS
#undef SUNR

namespace part1 {
// SPDX-License-Identifier: Apache-2.0
// task: xent_fwd_bwd
// rules: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-19
// commit: b38bdfb
// made by: warpwright 0.2.0
// model: Claude, a conversation of its own
// run: evolve/xent_fwd_bwd g4.c3
// median us: 16x128256 9.63, 64x128256 16.17, 256x128256 39.90, 512x128256 70.53, 1024x128256 132.26
// sha256: d0a4aac70627e51bd398d6a6cb4b843ae4f58e4b60816d9fce79a03bf7f7ac86




#define BIG_T 256      // tune: BIG_T = 128, 256, 512
#define SMALL_T 512    // tune: SMALL_T = 256, 512
#define SEG 4          // tune: SEG = 1, 2, 4
#define SPEC_ROWS 128  // tune: SPEC_ROWS = 128, 4096
#define MINB 4         // tune: MINB = 3, 4
#define SMALL_ROWS 32
#define CL 8
#define MAXT 512
#define CNT_T 256u       // threads that count the labels

#define LOG2E 1.4426950408889634f
#define LN2 0.6931471805599453f

__device__ unsigned long long g_loss_state = 0ull;

__device__ __forceinline__ float ex2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ __forceinline__ __half2 h2(const unsigned& u) { return *reinterpret_cast<const __half2*>(&u); }
__device__ __forceinline__ __half2 vmax2(const uint4& v) {
    return __hmax2(__hmax2(h2(v.x), h2(v.y)), __hmax2(h2(v.z), h2(v.w)));
}
__device__ __forceinline__ float hmaxf(__half2 m) {
    float2 f = __half22float2(m);
    return fmaxf(f.x, f.y);
}
__device__ __forceinline__ float e2sum(unsigned u, float c) {
    float2 f = __half22float2(h2(u));
    return ex2(fmaf(f.x, LOG2E, -c)) + ex2(fmaf(f.y, LOG2E, -c));
}
__device__ __forceinline__ float vsum(const uint4& v, float c) {
    return (e2sum(v.x, c) + e2sum(v.y, c)) + (e2sum(v.z, c) + e2sum(v.w, c));
}
__device__ __forceinline__ unsigned out2(unsigned u, float c, float k) {
    float2 f = __half22float2(h2(u));
    __half2 r = __floats2half2_rn(ex2(fmaf(f.x, LOG2E, -c)) * k, ex2(fmaf(f.y, LOG2E, -c)) * k);
    return *reinterpret_cast<unsigned*>(&r);
}
__device__ __forceinline__ uint4 vout(const uint4& v, float c, float k) {
    return make_uint4(out2(v.x, c, k), out2(v.y, c, k), out2(v.z, c, k), out2(v.w, c, k));
}
// combine (c, s) over groups of G neighbouring lanes
template <int G>
__device__ __forceinline__ void group_combine(float& c, float& s) {
    float C = c;
#pragma unroll
    for (int o = G / 2; o > 0; o >>= 1) C = fmaxf(C, __shfl_xor_sync(0xffffffffu, C, o));
    s *= ex2(c - C);
#pragma unroll
    for (int o = G / 2; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    c = C;
}
__device__ __forceinline__ void cluster_arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); }
__device__ __forceinline__ void cluster_wait() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }

__device__ __forceinline__ void mbar_wait(unsigned bar, unsigned phase) {
    unsigned ok = 0;
    while (!ok) {
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(ok) : "r"(bar), "r"(phase) : "memory");
    }
}

__global__ void __cluster_dims__(CL, 1, 1) __launch_bounds__(MAXT, MINB)
xent_kernel(const __half* __restrict__ logits, const int* __restrict__ labels, float* __restrict__ loss,
            __half* __restrict__ dlogits, int N, int V, float grad_scale)
{
    extern __shared__ __align__(128) uint4 buf[];
    // at most 128 bytes of static shared memory, so that seven blocks fit into an SM
    __shared__ __align__(8) unsigned long long bars[SEG + 1];   // the copies, then the exchange
    __shared__ __align__(8) float2 peers[CL];
    __shared__ unsigned short redT[CNT_T / 32u];

    const unsigned tid = threadIdx.x;
    const unsigned nt = blockDim.x;          // a power of two, at most MAXT
    const unsigned nw = nt >> 5;             // at most 16
    const unsigned ct = min(nt, CNT_T);
    const unsigned lane = tid & 31u, warp = tid >> 5;
    const unsigned rank = blockIdx.x % CL;
    const unsigned row = blockIdx.x / CL;
    const unsigned bar0 = (unsigned)__cvta_generic_to_shared(&bars[0]);
    const unsigned buf0 = (unsigned)__cvta_generic_to_shared(buf);
    const unsigned xbar = bar0 + 8u * SEG;

    const int lab = __ldg(labels + row);

    // geometry of the row and of this block's piece of it
    const unsigned rs = row * (unsigned)V;
    const unsigned re = rs + (unsigned)V;
    const unsigned a = min((rs + 7u) & ~7u, re);
    const unsigned b = max(re & ~7u, a);
    const unsigned nv = (b - a) >> 3;
    const unsigned chunk = ((nv + CL - 1) / CL + 7u) & ~7u;
    const unsigned lo = rank * chunk;
    const unsigned cnt = lo < nv ? min(chunk, nv - lo) : 0u;
    // at least nt, so that vector i < nt is read by thread i alone
    const unsigned seglen = max(((cnt + SEG - 1) / SEG + 7u) & ~7u, nt);

    if (tid == 0) {
#pragma unroll
        for (int p = 0; p <= SEG; p++)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(bar0 + 8 * p) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(xbar), "r"(CL * 8) : "memory");
    }
    __syncwarp();
    cluster_arrive_relaxed();        // the initialised barriers were released by the fence above
    if (tid == 0) {
        if (N <= SPEC_ROWS || lab >= 0) {
            const uint4* src = reinterpret_cast<const uint4*>(logits + a) + lo;
            for (int p = 0; p < SEG; p++) {
                const unsigned s0 = p * seglen;
                if (s0 >= cnt) break;
                const unsigned bytes = min(seglen, cnt - s0) * 16u;
                const unsigned bar = bar0 + 8 * p;
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(bar), "r"(bytes) : "memory");
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                             :: "r"(buf0 + s0 * 16u), "l"(src + s0), "r"(bytes), "r"(bar) : "memory");
            }
        }
    }
    __syncwarp();

    // number of tokens that count: one partial sum per warp
    if (tid < ct) {                  // whole warps
        int t = 0;
        for (int j = (int)tid * 4; j < N; j += (int)ct * 4) {
            if (j + 3 < N) {
                const int4 q = __ldg(reinterpret_cast<const int4*>(labels + j));
                t += (q.x >= 0) + (q.y >= 0) + (q.z >= 0) + (q.w >= 0);
            } else {
                for (int q = j; q < N; q++) t += (__ldg(labels + q) >= 0);
            }
        }
        t = __reduce_add_sync(0xffffffffu, t);
        if (lane == 0) redT[warp] = (unsigned short)t;
    }

    // elements before the first and after the last whole vector of the row
    bool has_e = false;
    unsigned epos = 0;
    float xe = -65504.f;
    if (rank == 0 && tid < 16) {
        if (tid < 8) {
            if (tid < a - rs) { has_e = true; epos = rs + tid; }
        } else {
            if (tid - 8 < re - b) { has_e = true; epos = b + (tid - 8); }
        }
        if (has_e) xe = __half2float(logits[epos]);
    }

    uint4* dst = reinterpret_cast<uint4*>(dlogits + a) + lo;
    __syncthreads();         // the mbarriers are initialised, redT is written
    cluster_wait();          // all blocks of the cluster have begun; hidden behind the copies

    if (lab < 0) {           // the same in all blocks of the cluster
        const uint4 z = make_uint4(0u, 0u, 0u, 0u);
        for (unsigned i = tid; i < cnt; i += nt) dst[i] = z;
        if (has_e) dlogits[epos] = __float2half_rn(0.f);
        if (blockIdx.x == 0 && tid == 0) {
            int T = 0;
            for (unsigned i = 0; i < (ct >> 5); i++) T += (int)redT[i];
            if (T == 0) *loss = 0.f;
        }
        if (N <= SPEC_ROWS) {        // it was fetched for nothing: let the copies end before the block does
            for (int p = 0; p < SEG; p++) {
                if (p * seglen >= cnt) break;
                mbar_wait(bar0 + 8 * p, 0u);
            }
        }
        return;
    }

    const unsigned lpos = rs + (unsigned)lab;
    unsigned orank = 0, otid;
    if (lpos < a) otid = lpos - rs;
    else if (lpos >= b) otid = 8 + lpos - b;
    else {
        const unsigned vi = (lpos - a) >> 3;
        orank = vi / chunk;
        otid = (vi - orank * chunk) & (nt - 1u);
    }
    const bool owner = (orank == rank) && (otid == tid);
    float xl = 0.f;
    if (owner) xl = __half2float(logits[lpos]);

    float c = xe * LOG2E;
    float s = has_e ? ex2(fmaf(xe, LOG2E, -c)) : 0.f;

    const uint4 NEG = make_uint4(0xFC00FC00u, 0xFC00FC00u, 0xFC00FC00u, 0xFC00FC00u);   // -infinity
    for (int p = 0; p < SEG; p++) {
        const unsigned s0 = p * seglen;
        if (s0 >= cnt) break;
        const unsigned e0 = min(s0 + seglen, cnt);
        mbar_wait(bar0 + 8 * p, 0u);
        for (unsigned base = s0 + warp * 32u; base < e0; base += 2u * nt) {
            const unsigned idx = base + lane;
            uint4 v = NEG;
            if (idx < e0) v = buf[idx];
            if (base + nt < e0) {            // the same in the whole warp
                uint4 w = NEG;
                if (idx + nt < e0) w = buf[idx + nt];
                const float nc = fmaxf(c, hmaxf(__hmax2(vmax2(v), vmax2(w))) * LOG2E);
                s = s * ex2(c - nc) + (vsum(v, nc) + vsum(w, nc));
                c = nc;
            } else {
                const float nc = fmaxf(c, hmaxf(vmax2(v)) * LOG2E);
                s = s * ex2(c - nc) + vsum(v, nc);
                c = nc;
            }
        }
    }
    __syncwarp();
    group_combine<32>(c, s);

    // The warp's pair replaces half of a vector that this thread alone reads; it is put back below.
    const bool slot = lane == warp;
    unsigned keep_x = 0u, keep_y = 0u;
    if (slot) {
        keep_x = buf[tid].x;
        keep_y = buf[tid].y;
        buf[tid].x = __float_as_uint(c);
        buf[tid].y = __float_as_uint(s);
    }
    __syncwarp();
    if (warp == 0) {
        asm volatile("bar.sync 1, %0;" :: "r"(nt) : "memory");
        c = -2.0e5f;
        s = 0.f;
        if (lane < nw) {
            c = __uint_as_float(buf[lane * 33u].x);
            s = __uint_as_float(buf[lane * 33u].y);
        }
        __syncwarp();
        group_combine<16>(c, s);     // lanes 0 to 15 hold the pair of the block
        if (lane < CL) {             // one message to every block of the cluster
            const unsigned la = (unsigned)__cvta_generic_to_shared(&peers[rank]);
            unsigned ra, rb;
            asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(ra) : "r"(la), "r"(lane));
            asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(rb) : "r"(xbar), "r"(lane));
            asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], {%1, %2}, [%3];"
                         :: "r"(ra), "f"(c), "f"(s), "r"(rb) : "memory");
        }
        __syncwarp();
    } else {
        asm volatile("bar.arrive 1, %0;" :: "r"(nt) : "memory");
    }

    // while the messages travel
    const int T = __reduce_add_sync(0xffffffffu, lane < (ct >> 5) ? (int)redT[lane] : 0);
    const float g = grad_scale / (float)T;       // T >= 1: this row counts

    mbar_wait(xbar, 0u);     // all pairs are here, so this block's pairs have been read, too
    __syncwarp();
    if (slot) {
        buf[tid].x = keep_x;
        buf[tid].y = keep_y;
    }
    float C, S;
    {
        const float2 e = peers[lane & (CL - 1)];
        C = e.x;
        S = e.y;
        __syncwarp();
        group_combine<CL>(C, S);
    }
    const float k = __fdividef(g, S);

    unsigned long long mine = 0, old = 0;
    if (owner) {
        const float l = (fmaf(-xl, LOG2E, C) + log2f(S)) * LN2;
        mine = (1ull << 51) + (unsigned long long)((double)fmaxf(l, 0.f) * 268435456.0 + 0.5);
        old = atomicAdd(&g_loss_state, mine);
    }

#pragma unroll 4
    for (unsigned i = tid; i < cnt; i += nt) dst[i] = vout(buf[i], C, k);
    if (has_e) dlogits[epos] = __float2half_rn(ex2(fmaf(xe, LOG2E, -C)) * k);

    if (owner) {             // after this thread's own store of the vector around it
        dlogits[lpos] = __float2half_rn(fmaf(ex2(fmaf(xl, LOG2E, -C)), k, -g));
        if ((old >> 51) == (unsigned long long)(T - 1)) {
            const unsigned long long tot = (old + mine) & ((1ull << 51) - 1ull);
            *loss = (float)((double)tot * (1.0 / 268435456.0) / (double)T);
            atomicExch(&g_loss_state, 0ull);
        }
    }
}

           void solve(const __half* logits, const int* labels, float* loss, __half* dlogits, int N, int V, float grad_scale)
{
    const unsigned maxnv = (unsigned)V / 8u;
    unsigned chunk = ((maxnv + CL - 1) / CL + 7u) & ~7u;
    if (chunk < 8u) chunk = 8u;
    cudaFuncSetAttribute(xent_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024);
    cudaFuncSetAttribute(xent_kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100);
    const int threads = N <= SMALL_ROWS ? SMALL_T : BIG_T;
    unsigned smem = chunk * 16u;                    // at most 65536 bytes
    if (smem < (unsigned)threads * 16u) smem = (unsigned)threads * 16u;   // the warps' pairs lie in it
    xent_kernel<<<N * CL, threads, smem>>>(logits, labels, loss, dlogits, N, V, grad_scale);
}
}  // namespace part1
#undef BIG_T
#undef CL
#undef CNT_T
#undef LN2
#undef LOG2E
#undef MAXT
#undef MINB
#undef SEG
#undef SMALL_ROWS
#undef SMALL_T
#undef SPEC_ROWS

namespace part2 {
// SPDX-License-Identifier: Apache-2.0
// task: xent_fwd_bwd
// rules: free
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-19
// commit: a118b4f
// made by: warpwright 0.2.0
// model: merge
// run: xent_fwd_bwd fsr r1.c1, r2.c1, r2.c2, evolve g2.c2, g3.c1, tree w4.c3
// median us: 16x128256 8.76, 64x128256 15.89, 256x128256 41.86, 512x128256 76.86, 1024x128256 142.02
// sha256: c8b7fa3daf5a11678ba95ae03b67ff9f292daba3280b9f936468c790febfbc0b




namespace part0 {



#define THREADS 256
#define UNR 8
#define OCC 4
#define CL 8
#define P1 2         // tune: P1 = 0, 1, 2
#define P2 2         // tune: P2 = 0, 1, 2
#define GRP 4        // tune: GRP = 2, 4, 8

#define NWARP (THREADS / 32)
#define SPEC_ROWS 128
#define FILL2 0xFBFFFBFFu   // two halves of -65504
#define LOG2E 1.4426950408889634f
#define LN2 0.6931471805599453f

__device__ unsigned long long g_loss_state = 0ull;

__device__ __forceinline__ float ex2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
// 2^y on the FMA pipe; y below -125 gives 2^-125
__device__ __forceinline__ float ex2_poly(float y) {
    y = fmaxf(y, -125.f);
    const float r = __fadd_rn(y, 12582912.f);
    const float f = __fsub_rn(y, __fsub_rn(r, 12582912.f));
    float p = fmaf(f, 0.00967589f, 0.05592078f);
    p = fmaf(p, f, 0.24022109f);
    p = fmaf(p, f, 0.69312114f);
    p = fmaf(p, f, 1.0f);
    return __uint_as_float(__float_as_uint(p) + (__float_as_uint(r) << 23));
}
template <bool POLY>
__device__ __forceinline__ float exs(float y) {
    if (POLY) return ex2_poly(y);
    return ex2(y);
}
__device__ __forceinline__ uint4 ldstream(const uint4* p) {
    uint4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
    return v;
}
__device__ __forceinline__ int ldlab(const int* p) {
    int v;
    asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
}
__device__ __forceinline__ int4 ldlab4(const int* p) {
    int4 v;
    asm volatile("ld.global.nc.v4.u32 {%0,%1,%2,%3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
    return v;
}
__device__ __forceinline__ __half2 h2(const unsigned& u) { return *reinterpret_cast<const __half2*>(&u); }
__device__ __forceinline__ __half2 vmax2(const uint4& v) {
    return __hmax2(__hmax2(h2(v.x), h2(v.y)), __hmax2(h2(v.z), h2(v.w)));
}
__device__ __forceinline__ float hmaxf(__half2 m) {
    float2 f = __half22float2(m);
    return fmaxf(f.x, f.y);
}
template <bool POLY>
__device__ __forceinline__ float e2sum(unsigned u, float c) {
    float2 f = __half22float2(h2(u));
    return exs<POLY>(fmaf(f.x, LOG2E, -c)) + ex2(fmaf(f.y, LOG2E, -c));
}
__device__ __forceinline__ float vsum(const uint4& v, float c) {
    return (e2sum<(0 < P1)>(v.x, c) + e2sum<(2 < P1)>(v.y, c)) +
           (e2sum<(1 < P1)>(v.z, c) + e2sum<(3 < P1)>(v.w, c));
}
// the factor is part of c
template <bool POLY>
__device__ __forceinline__ unsigned out2(unsigned u, float c) {
    float2 f = __half22float2(h2(u));
    __half2 r = __floats2half2_rn(exs<POLY>(fmaf(f.x, LOG2E, -c)), ex2(fmaf(f.y, LOG2E, -c)));
    return *reinterpret_cast<unsigned*>(&r);
}
__device__ __forceinline__ uint4 vout(const uint4& v, float c) {
    return make_uint4(out2<(0 < P2)>(v.x, c), out2<(2 < P2)>(v.y, c),
                      out2<(1 < P2)>(v.z, c), out2<(3 < P2)>(v.w, c));
}
__device__ __forceinline__ float warp_max(float c) {
    int i = __float_as_int(c);
    i ^= (i >> 31) & 0x7fffffff;
    i = __reduce_max_sync(0xffffffffu, i);
    i ^= (i >> 31) & 0x7fffffff;
    return __int_as_float(i);
}
__device__ __forceinline__ void warp_combine(float& c, float& s) {
    const float C = warp_max(c);
    s *= ex2(c - C);
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    c = C;
}
__device__ __forceinline__ void cluster_arrive() { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); }
__device__ __forceinline__ void cluster_wait() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }

__global__ void __cluster_dims__(CL, 1, 1) __launch_bounds__(THREADS, OCC)
xent_kernel(const __half* __restrict__ logits, const int* __restrict__ labels, float* __restrict__ loss,
            __half* __restrict__ dlogits, int N, int V, float grad_scale)
{
    __shared__ float2 red[32];
    __shared__ int redT[32];
    __shared__ float2 peers[CL];
    __shared__ int shT;

    const int tid = threadIdx.x;
    const int lane = tid & 31, warp = tid >> 5;
    const unsigned rank = blockIdx.x % CL;
    const unsigned row = blockIdx.x / CL;

    cluster_arrive();

    // label loads go first, so that nothing has to wait behind the bulk loads
    const int lab = ldlab(labels + row);
    int4 q = make_int4(-1, -1, -1, -1);
    {
        const int j = tid * 4;
        if (j + 3 < N) q = ldlab4(labels + j);
        else if (j < N) {
            q.x = ldlab(labels + j);
            if (j + 1 < N) q.y = ldlab(labels + j + 1);
            if (j + 2 < N) q.z = ldlab(labels + j + 2);
        }
    }

    const unsigned rs = row * (unsigned)V, re = rs + (unsigned)V;
    const unsigned a = min((rs + 7u) & ~7u, re);
    const unsigned b = max(re & ~7u, a);
    const unsigned head = a - rs, tail = re - b;
    const unsigned nv = (b - a) >> 3;
    const unsigned chunk = ((nv + CL - 1) / CL + 7u) & ~7u;
    const unsigned lo = rank * chunk;
    const unsigned cnt = lo < nv ? min(chunk, nv - lo) : 0u;

    bool skip = false;
    if (N > SPEC_ROWS) skip = lab < 0;

    const uint4* src = reinterpret_cast<const uint4*>(logits + a) + lo;
    uint4* dst = reinterpret_cast<uint4*>(dlogits + a) + lo;

    const unsigned lim = skip ? 0u : cnt;
    uint4 d[UNR];
#pragma unroll
    for (int i = 0; i < UNR; i++) {
        const unsigned idx = tid + i * THREADS;
        d[i] = make_uint4(FILL2, FILL2, FILL2, FILL2);
        if (idx < lim) d[i] = ldstream(src + idx);
    }

    // edge elements (rows that do not begin or end at 16 bytes)
    bool has_e = false;
    unsigned epos = 0;
    float xe = -65504.f;
    if (rank == 0 && tid < 16) {
        if (tid < 8) {
            if ((unsigned)tid < head) { has_e = true; epos = rs + tid; }
        } else {
            if ((unsigned)(tid - 8) < tail) { has_e = true; epos = b + (tid - 8); }
        }
        if (has_e) xe = __half2float(logits[epos]);
    }

    // who owns the label's element
    bool owner = false;
    unsigned lpos = 0;
    float xl = 0.f;
    if (lab >= 0) {
        lpos = rs + (unsigned)lab;
        if (lpos < a) owner = rank == 0 && (unsigned)tid == lpos - rs;
        else if (lpos >= b) owner = rank == 0 && (unsigned)tid == 8u + lpos - b;
        else {
            const unsigned rel = ((lpos - a) >> 3) - lo;   // wraps to a large number below lo
            owner = rel < cnt && (rel % THREADS) == (unsigned)tid;
        }
        if (owner) xl = __half2float(logits[lpos]);
    }

    // number of tokens that count
    int t = (q.x >= 0) + (q.y >= 0) + (q.z >= 0) + (q.w >= 0);
    for (int j = (tid + THREADS) * 4; j < N; j += THREADS * 4) {
        if (j + 3 < N) {
            const int4 w = __ldg(reinterpret_cast<const int4*>(labels + j));
            t += (w.x >= 0) + (w.y >= 0) + (w.z >= 0) + (w.w >= 0);
        } else {
            for (int w = j; w < N; w++) t += (__ldg(labels + w) >= 0);
        }
    }

    // local maximum and sum, group by group as the vectors arrive
    float c = 0.f, s = 0.f;
#pragma unroll
    for (int gi = 0; gi < UNR; gi += GRP) {
        __half2 m2 = vmax2(d[gi]);
#pragma unroll
        for (int i = 1; i < GRP; i++) m2 = __hmax2(m2, vmax2(d[gi + i]));
        const float gm = hmaxf(m2) * LOG2E;
        if (gi == 0) {
            c = gm;
        } else {
            const float nc = fmaxf(c, gm);
            s *= ex2(c - nc);
            c = nc;
        }
#pragma unroll
        for (int i = 0; i < GRP; i++) s += vsum(d[gi + i], c);
    }
    for (unsigned idx = tid + UNR * THREADS; idx < lim; idx += THREADS) {
        const uint4 v = ldstream(src + idx);
        const float nc = fmaxf(c, hmaxf(vmax2(v)) * LOG2E);
        s = s * ex2(c - nc) + vsum(v, nc);
        c = nc;
    }
    if (has_e) {
        const float nc = fmaxf(c, xe * LOG2E);
        s = s * ex2(c - nc) + ex2(fmaf(xe, LOG2E, -nc));
        c = nc;
    }
    __syncwarp();

    warp_combine(c, s);
    t = __reduce_add_sync(0xffffffffu, t);
    if (lane == 0) { red[warp] = make_float2(c, s); redT[warp] = t; }
    cluster_wait();      // all blocks of the cluster have begun
    __syncthreads();
    if (warp == 0) {
        float c2 = -2.0e5f, s2 = 0.f;
        int t2 = 0;
        if (lane < NWARP) { c2 = red[lane].x; s2 = red[lane].y; t2 = redT[lane]; }
        warp_combine(c2, s2);
        t2 = __reduce_add_sync(0xffffffffu, t2);
        if (lane == 0) shT = t2;
        if (lane < CL) {
            unsigned la = (unsigned)__cvta_generic_to_shared(&peers[rank]);
            unsigned ra;
            asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(ra) : "r"(la), "r"(lane));
            asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" :: "r"(ra), "f"(c2), "f"(s2) : "memory");
        }
        __syncwarp();
    }
    cluster_arrive();
    cluster_wait();

    // every group of CL lanes combines the CL blocks: one ex2 per thread
    const float2 pe = peers[lane % CL];
    const int T = shT;
    const float C = warp_max(pe.x);
    float S = pe.y * ex2(pe.x - C);
#pragma unroll
    for (int o = CL / 2; o > 0; o >>= 1) S += __shfl_xor_sync(0xffffffffu, S, o);
    const float g = lab >= 0 ? grad_scale / (float)T : 0.f;
    const float k = g / S;
    // k * 2^(y - C) = 2^(y - ck); ignored rows: everything becomes 0
    const float ck = lab >= 0 ? C - __log2f(k) : 1.0e6f;

    unsigned long long mine = 0, old = 0;
    if (owner) {
        const float l = (fmaf(-xl, LOG2E, C) + log2f(S)) * LN2;
        mine = (1ull << 51) + (unsigned long long)((double)fmaxf(l, 0.f) * 268435456.0 + 0.5);
        old = atomicAdd(&g_loss_state, mine);
    }

#pragma unroll
    for (int i = 0; i < UNR; i++) {
        const unsigned idx = tid + i * THREADS;
        if (idx < cnt) dst[idx] = vout(d[i], ck);
    }
    for (unsigned idx = tid + UNR * THREADS; idx < cnt; idx += THREADS) {
        uint4 o = make_uint4(0u, 0u, 0u, 0u);
        if (!skip) o = vout(ldstream(src + idx), ck);
        dst[idx] = o;
    }
    if (has_e) dlogits[epos] = __float2half_rn(ex2(fmaf(xe, LOG2E, -C)) * k);

    if (owner) {
        dlogits[lpos] = __float2half_rn(fmaf(ex2(fmaf(xl, LOG2E, -C)), k, -g));
        if ((old >> 51) == (unsigned long long)(T - 1)) {
            const unsigned long long tot = (old + mine) & ((1ull << 51) - 1ull);
            *loss = (float)((double)tot * (1.0 / 268435456.0) / (double)T);
            atomicExch(&g_loss_state, 0ull);
        }
    }
    if (T == 0 && blockIdx.x == 0 && tid == 0) *loss = 0.f;
}

           void solve(const __half* logits, const int* labels, float* loss, __half* dlogits, int N, int V, float grad_scale)
{
    xent_kernel<<<N * CL, THREADS>>>(logits, labels, loss, dlogits, N, V, grad_scale);
}
}  // namespace part0
#undef CL
#undef FILL2
#undef GRP
#undef LN2
#undef LOG2E
#undef NWARP
#undef OCC
#undef P1
#undef P2
#undef SPEC_ROWS
#undef THREADS
#undef UNR

namespace part1 {



#define THREADS 256
#define UNR 8
#define CL 8
#define SMALL_T 512  // tune: SMALL_T = 256, 512, 1024
#define NCL 66       // tune: NCL = 64, 66
#define GRP 4        // tune: GRP = 2, 4, 8
#define P1 2
#define P2 2

#define FILL2 0xFBFFFBFFu   // two halves of -65504
#define LOG2E 1.4426950408889634f
#define LN2 0.6931471805599453f
#define FULL 0xffffffffu

__device__ unsigned long long g_loss_state = 0ull;   // 0 again at the end of every call
__device__ unsigned g_ticket = 0u;                   // 0 again at the end of every call

__device__ __forceinline__ float ex2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
// 2^y on the FMA pipe; y below -125 gives 2^-125
__device__ __forceinline__ float ex2_poly(float y) {
    y = fmaxf(y, -125.f);
    const float r = __fadd_rn(y, 12582912.f);
    const float f = __fsub_rn(y, __fsub_rn(r, 12582912.f));
    float p = fmaf(f, 0.00967589f, 0.05592078f);
    p = fmaf(p, f, 0.24022109f);
    p = fmaf(p, f, 0.69312114f);
    p = fmaf(p, f, 1.0f);
    return __uint_as_float(__float_as_uint(p) + (__float_as_uint(r) << 23));
}
template <bool POLY>
__device__ __forceinline__ float exs(float y) {
    if (POLY) return ex2_poly(y);
    return ex2(y);
}
__device__ __forceinline__ uint4 ldstream(const uint4* p) {
    uint4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
    return v;
}
__device__ __forceinline__ int ldlab(const int* p) {
    int v;
    asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
}
__device__ __forceinline__ int4 ldlab4(const int* p) {
    int4 v;
    asm volatile("ld.global.nc.v4.u32 {%0,%1,%2,%3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
    return v;
}
__device__ __forceinline__ __half2 h2(const unsigned& u) { return *reinterpret_cast<const __half2*>(&u); }
__device__ __forceinline__ __half2 vmax2(const uint4& v) {
    return __hmax2(__hmax2(h2(v.x), h2(v.y)), __hmax2(h2(v.z), h2(v.w)));
}
__device__ __forceinline__ float hmaxf(__half2 m) {
    float2 f = __half22float2(m);
    return fmaxf(f.x, f.y);
}
template <bool POLY>
__device__ __forceinline__ float e2sum(unsigned u, float c) {
    float2 f = __half22float2(h2(u));
    return exs<POLY>(fmaf(f.x, LOG2E, -c)) + ex2(fmaf(f.y, LOG2E, -c));
}
__device__ __forceinline__ float vsum(const uint4& v, float c) {
    return (e2sum<(0 < P1)>(v.x, c) + e2sum<(2 < P1)>(v.y, c)) +
           (e2sum<(1 < P1)>(v.z, c) + e2sum<(3 < P1)>(v.w, c));
}
// the factor is part of c
template <bool POLY>
__device__ __forceinline__ unsigned out2(unsigned u, float c) {
    float2 f = __half22float2(h2(u));
    __half2 r = __floats2half2_rn(exs<POLY>(fmaf(f.x, LOG2E, -c)), ex2(fmaf(f.y, LOG2E, -c)));
    return *reinterpret_cast<unsigned*>(&r);
}
__device__ __forceinline__ uint4 vout(const uint4& v, float c) {
    return make_uint4(out2<(0 < P2)>(v.x, c), out2<(2 < P2)>(v.y, c),
                      out2<(1 < P2)>(v.z, c), out2<(3 < P2)>(v.w, c));
}
__device__ __forceinline__ float warp_max(float c) {
    int i = __float_as_int(c);
    i ^= (i >> 31) & 0x7fffffff;
    i = __reduce_max_sync(FULL, i);
    i ^= (i >> 31) & 0x7fffffff;
    return __int_as_float(i);
}
__device__ __forceinline__ void warp_combine(float& c, float& s) {
    const float C = warp_max(c);
    s *= ex2(c - C);
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(FULL, s, o);
    c = C;
}
__device__ __forceinline__ void mbar_wait(unsigned bar, unsigned phase) {
    unsigned ok = 0;
    while (!ok) {
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(ok) : "r"(bar), "r"(phase) : "memory");
    }
}
__device__ __forceinline__ void mbar_expect(unsigned bar, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(bar), "r"(bytes) : "memory");
}
__device__ __forceinline__ unsigned mapa(unsigned addr, unsigned rank) {
    unsigned r;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(addr), "r"(rank));
    return r;
}

struct Geo {
    unsigned rs, re, a, b, lo, cnt;
};
__device__ __forceinline__ Geo geometry(unsigned row, unsigned V, unsigned rank) {
    Geo q;
    q.rs = row * V;
    q.re = q.rs + V;
    q.a = min((q.rs + 7u) & ~7u, q.re);
    q.b = max(q.re & ~7u, q.a);
    const unsigned nv = (q.b - q.a) >> 3;
    const unsigned chunk = ((nv + CL - 1) / CL + 7u) & ~7u;
    q.lo = rank * chunk;
    q.cnt = q.lo < nv ? min(chunk, nv - q.lo) : 0u;
    return q;
}
// vectors of a warp's segment
__device__ __forceinline__ unsigned wlimit(unsigned cnt, unsigned wbase, unsigned wlen) {
    return cnt > wbase ? min(cnt - wbase, wlen) : 0u;
}

// u: vectors per thread that live in registers; u * blockDim.x = UNR * THREADS
__global__ void __cluster_dims__(CL, 1, 1) __launch_bounds__(1024, 1)
xent_kernel(const __half* __restrict__ logits, const int* __restrict__ labels, float* __restrict__ loss,
            __half* __restrict__ dlogits, int N, int V, float grad_scale, int u)
{
    extern __shared__ __align__(128) uint4 stage[];
    __shared__ __align__(16) float2 peers[2][CL * 32];
    __shared__ __align__(8) unsigned long long bars[2 + THREADS / 32];   // 2 of the exchange, then one per warp
    __shared__ unsigned nxt[2];
    __shared__ int redT[32];

    const unsigned tid = threadIdx.x, nthr = blockDim.x;
    const unsigned lane = tid & 31u, warp = tid >> 5, nw = nthr >> 5;
    const unsigned rank = blockIdx.x % CL;
    const unsigned ncl = gridDim.x / CL;
    const bool dyn = ncl < (unsigned)N;      // only with blockDim.x == THREADS and u == UNR
    const unsigned bar0 = (unsigned)__cvta_generic_to_shared(&bars[0]);

    if (tid < 2 + THREADS / 32) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(bar0 + 8u * tid) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncwarp();
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");

    unsigned row = blockIdx.x / CL;
    int lab = ldlab(labels + row);
    int4 lq = make_int4(-1, -1, -1, -1);
    {
        const int j = (int)tid * 4;
        if (j + 3 < N) lq = ldlab4(labels + j);
        else if (j < N) {
            lq.x = ldlab(labels + j);
            if (j + 1 < N) lq.y = ldlab(labels + j + 1);
            if (j + 2 < N) lq.z = ldlab(labels + j + 2);
        }
    }

    const unsigned wlen = 32u * (unsigned)u;
    const unsigned wbase = warp * wlen;

    uint4 d[UNR];
    {
        const Geo q = geometry(row, (unsigned)V, rank);
        const uint4* src = reinterpret_cast<const uint4*>(logits + q.a) + (q.lo + wbase + lane);
        const int rem = (int)wlimit(q.cnt, wbase, wlen) - (int)lane;
#pragma unroll
        for (int i = 0; i < UNR; i++) {
            d[i] = make_uint4(FILL2, FILL2, FILL2, FILL2);
            if (i * 32 < rem) d[i] = ldstream(src + i * 32);
        }
    }

    // number of tokens that count
    int T;
    {
        int t = (lq.x >= 0) + (lq.y >= 0) + (lq.z >= 0) + (lq.w >= 0);
        for (int j = (int)(tid + nthr) * 4; j < N; j += (int)nthr * 4) {
            if (j + 3 < N) {
                const int4 w = __ldg(reinterpret_cast<const int4*>(labels + j));
                t += (w.x >= 0) + (w.y >= 0) + (w.z >= 0) + (w.w >= 0);
            } else {
                for (int w = j; w < N; w++) t += (__ldg(labels + w) >= 0);
            }
        }
        __syncwarp();
        t = __reduce_add_sync(FULL, t);
        if (lane == 0) redT[warp] = t;
        __syncwarp();
        asm volatile("barrier.cluster.wait.aligned;" ::: "memory");   // all blocks have begun, their mbarriers are set
        __syncthreads();
        t = lane < nw ? redT[lane] : 0;
        T = __reduce_add_sync(FULL, t);
    }
    if (T == 0 && blockIdx.x == 0 && tid == 0) *loss = 0.f;

    unsigned nrow = row + ncl;               // not below N when every cluster has one row
    for (unsigned it = 0;; it++) {
        const bool more = nrow < (unsigned)N;
        unsigned ticket = 0;
        int nlab = -1;
        if (dyn) {
            if (rank == 0 && tid == 0) ticket = atomicAdd(&g_ticket, 1u);   // one per row: N in all
            if (more) nlab = ldlab(labels + nrow);
        }

        // local maximum and sum, group by group
        float c = 0.f, s = 0.f;
#pragma unroll
        for (int gi = 0; gi < UNR; gi += GRP) {
            if (gi == 0 || gi < u) {
                __half2 m2 = vmax2(d[gi]);
#pragma unroll
                for (int i = 1; i < GRP; i++) m2 = __hmax2(m2, vmax2(d[gi + i]));
                const float gm = hmaxf(m2) * LOG2E;
                if (gi == 0) {
                    c = gm;
                } else {
                    const float nc = fmaxf(c, gm);
                    s *= ex2(c - nc);
                    c = nc;
                }
                if (gi + GRP >= UNR) {
                    // the warp's stage is free: fetch its part of the next row (not of an ignored one)
                    if (more) {
                        __syncwarp();
                        if (lane == 0) {
                            const Geo n = geometry(nrow, (unsigned)V, rank);
                            const unsigned bytes = nlab < 0 ? 0u : wlimit(n.cnt, wbase, wlen) * 16u;
                            const unsigned bar = bar0 + 16u + 8u * warp;
                            mbar_expect(bar, bytes);
                            if (bytes) {
                                const uint4* src = reinterpret_cast<const uint4*>(logits + n.a) + (n.lo + wbase);
                                const unsigned dsts = (unsigned)__cvta_generic_to_shared(stage + wbase);
                                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                                             "[%0], [%1], %2, [%3];"
                                             :: "r"(dsts), "l"(src), "r"(bytes), "r"(bar) : "memory");
                            }
                        }
                        __syncwarp();
                    }
                }
#pragma unroll
                for (int i = 0; i < GRP; i++) s += vsum(d[gi + i], c);
            }
        }

        const Geo q = geometry(row, (unsigned)V, rank);
        for (unsigned idx = (unsigned)u * nthr + tid; idx < q.cnt; idx += nthr) {    // very long rows only
            const uint4 v = ldstream(reinterpret_cast<const uint4*>(logits + q.a) + q.lo + idx);
            const float nc = fmaxf(c, hmaxf(vmax2(v)) * LOG2E);
            s = s * ex2(c - nc) + vsum(v, nc);
            c = nc;
        }
        // edge elements (rows that do not begin or end at 16 bytes)
        bool has_e = false;
        unsigned epos = 0;
        float xe = 0.f;
        if (rank == 0 && tid < 16) {
            if (tid < 8) {
                if (tid < q.a - q.rs) { has_e = true; epos = q.rs + tid; }
            } else {
                if (tid - 8u < q.re - q.b) { has_e = true; epos = q.b + (tid - 8u); }
            }
            if (has_e) {
                xe = __half2float(logits[epos]);
                const float nc = fmaxf(c, xe * LOG2E);
                s = s * ex2(c - nc) + ex2(fmaf(xe, LOG2E, -nc));
                c = nc;
            }
        }
        // who owns the label's element
        bool owner = false;
        unsigned lpos = 0;
        float xl = 0.f;
        if (lab >= 0) {
            lpos = q.rs + (unsigned)lab;
            if (lpos < q.a) owner = rank == 0 && tid == lpos - q.rs;
            else if (lpos >= q.b) owner = rank == 0 && tid == 8u + lpos - q.b;
            else {
                const unsigned rel = ((lpos - q.a) >> 3) - q.lo;     // wraps to a large number below lo
                if (rel < q.cnt) {
                    if (rel < (unsigned)u * nthr) owner = (rel - wbase) < wlen && (rel & 31u) == lane;
                    else owner = (rel & (nthr - 1u)) == tid;
                }
            }
            if (owner) xl = __half2float(logits[lpos]);
        }
        __syncwarp();
        warp_combine(c, s);

        // every warp tells its maximum and sum to all blocks of the cluster
        const unsigned par = it & 1u;
        const unsigned xb = bar0 + 8u * par;
        if (tid == 0) mbar_expect(xb, CL * nw * 8u + (dyn ? 4u : 0u));
        __syncwarp();
        unsigned tk = 0;
        const bool teller = dyn && rank == 0 && warp == 0;
        if (teller) {
            tk = __shfl_sync(FULL, ticket, 0);
            if (lane == 0 && tk == (unsigned)N - 1u) atomicExch(&g_ticket, 0u);   // the last claim of this call
        }
        if (lane < CL) {
            const unsigned la = (unsigned)__cvta_generic_to_shared(&peers[par][rank * nw + warp]);
            const unsigned ra = mapa(la, lane);
            const unsigned rb = mapa(xb, lane);
            const unsigned long long val =
                ((unsigned long long)__float_as_uint(s) << 32) | (unsigned long long)__float_as_uint(c);
            asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];"
                         :: "r"(ra), "l"(val), "r"(rb) : "memory");
            if (teller) {
                const unsigned rn = mapa((unsigned)__cvta_generic_to_shared(&nxt[par]), lane);
                const unsigned claimed = 2u * ncl + tk;
                asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"
                             :: "r"(rn), "r"(claimed), "r"(rb) : "memory");
            }
        }
        __syncwarp();
        // Two buffers are enough: a peer writes for row it + 2 only after it has the words of all our warps for row
        // it + 1, and these were sent after the words of row it had been read here.
        mbar_wait(xb, (it >> 1) & 1u);
        __syncwarp();

        float C = -2.0e5f, S = 0.f;
        for (unsigned j = lane; j < CL * nw; j += 32u) {
            const float2 p = peers[par][j];
            const float nc = fmaxf(C, p.x);
            S = S * ex2(C - nc) + p.y * ex2(p.x - nc);
            C = nc;
        }
        unsigned nn = (unsigned)N;
        if (dyn) nn = nxt[par];
        __syncwarp();
        warp_combine(C, S);

        const float g = lab >= 0 ? grad_scale / (float)T : 0.f;
        const float k = g / S;
        // k * 2^(y - C) = 2^(y - ck); ignored rows: everything becomes 0
        const float ck = lab >= 0 ? C - __log2f(k) : 1.0e6f;

        unsigned long long mine = 0, old = 0;
        if (owner) {
            const float l = (fmaf(-xl, LOG2E, C) + log2f(S)) * LN2;
            mine = (1ull << 51) + (unsigned long long)((double)fmaxf(l, 0.f) * 268435456.0 + 0.5);
            old = atomicAdd(&g_loss_state, mine);
        }

        {
            uint4* dst = reinterpret_cast<uint4*>(dlogits + q.a) + (q.lo + wbase + lane);
            const int rem = (int)wlimit(q.cnt, wbase, wlen) - (int)lane;
#pragma unroll
            for (int i = 0; i < UNR; i++) {
                if (i * 32 < rem) dst[i * 32] = vout(d[i], ck);
            }
        }
        for (unsigned idx = (unsigned)u * nthr + tid; idx < q.cnt; idx += nthr) {
            const uint4 v = ldstream(reinterpret_cast<const uint4*>(logits + q.a) + q.lo + idx);
            (reinterpret_cast<uint4*>(dlogits + q.a) + q.lo)[idx] = vout(v, ck);
        }
        if (has_e) dlogits[epos] = __float2half_rn(ex2(fmaf(xe, LOG2E, -C)) * k);

        if (owner) {
            dlogits[lpos] = __float2half_rn(fmaf(ex2(fmaf(xl, LOG2E, -C)), k, -g));
            if ((old >> 51) == (unsigned long long)(T - 1)) {
                const unsigned long long tot = (old + mine) & ((1ull << 51) - 1ull);
                *loss = (float)((double)tot * (1.0 / 268435456.0) / (double)T);
                atomicExch(&g_loss_state, 0ull);
            }
        }
        __syncwarp();

        if (!more) break;

        // the warp's part of the next row, from its stage into registers
        mbar_wait(bar0 + 16u + 8u * warp, it & 1u);
        {
            const Geo n = geometry(nrow, (unsigned)V, rank);
            int rem = (int)wlimit(n.cnt, wbase, wlen) - (int)lane;
            if (nlab < 0) rem = 0;
            const uint4* sp = stage + (wbase + lane);
#pragma unroll
            for (int i = 0; i < UNR; i++) {
                d[i] = make_uint4(FILL2, FILL2, FILL2, FILL2);
                if (i * 32 < rem) d[i] = sp[i * 32];
            }
        }
        __syncwarp();
        row = nrow;
        lab = nlab;
        nrow = nn;
    }
}

           void solve(const __half* logits, const int* labels, float* loss, __half* dlogits, int N, int V, float grad_scale)
{
    const unsigned chunk = (((unsigned)V / 8u + CL - 1) / CL + 7u) & ~7u;
    const bool persist = N > NCL && chunk <= (unsigned)(UNR * THREADS);
    const int nthr = N * CL <= 132 ? SMALL_T : THREADS;
    const int u = UNR * THREADS / nthr;
    const int clusters = persist ? NCL : N;
    const unsigned smem = persist ? (unsigned)(UNR * THREADS) * 16u : 0u;
    // room for 4 blocks per SM with a stage each; otherwise the cache is worth more
    cudaFuncSetAttribute(xent_kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                         persist ? 70 : (int)cudaSharedmemCarveoutDefault);
    xent_kernel<<<clusters * CL, nthr, smem>>>(logits, labels, loss, dlogits, N, V, grad_scale, u);
}
}  // namespace part1
#undef CL
#undef FILL2
#undef FULL
#undef GRP
#undef LN2
#undef LOG2E
#undef NCL
#undef P1
#undef P2
#undef SMALL_T
#undef THREADS
#undef UNR

namespace part4 {



#define THREADS 256  // tune: THREADS = 256, 512
#define UNR 8        // tune: UNR = 4, 8
#define OCC 6        // tune: OCC = 3, 4, 5, 6
#define CL 8
#define SPEC_ROWS 128 // tune: SPEC_ROWS = 128, 4096
// tune: require THREADS * OCC <= 1536
// tune: require THREADS * UNR * OCC <= 12288
// tune: require THREADS * UNR >= 2048

#define NWARP (THREADS / 32)
#define ENT (CL * NWARP)
#define NGRP (UNR / 2)
#define LOG2E 1.4426950408889634f
#define LN2 0.6931471805599453f
#define SLACK 60.0f

__device__ unsigned long long g_loss_state = 0ull;

__device__ __forceinline__ float ex2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ __forceinline__ uint4 ldstream(const uint4* p) {
    uint4 v;
    asm("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
    return v;
}
__device__ __forceinline__ __half2 h2(const unsigned& u) { return *reinterpret_cast<const __half2*>(&u); }
__device__ __forceinline__ __half2 vmax2(const uint4& v) {
    return __hmax2(__hmax2(h2(v.x), h2(v.y)), __hmax2(h2(v.z), h2(v.w)));
}
__device__ __forceinline__ float hmaxf(__half2 m) {
    float2 f = __half22float2(m);
    return fmaxf(f.x, f.y);
}
__device__ __forceinline__ float e2sum(unsigned u, float c) {
    float2 f = __half22float2(h2(u));
    return ex2(fmaf(f.x, LOG2E, -c)) + ex2(fmaf(f.y, LOG2E, -c));
}
__device__ __forceinline__ float vsum(const uint4& v, float c) {
    return (e2sum(v.x, c) + e2sum(v.y, c)) + (e2sum(v.z, c) + e2sum(v.w, c));
}
__device__ __forceinline__ unsigned out2(unsigned u, float cf) {
    float2 f = __half22float2(h2(u));
    __half2 r = __floats2half2_rn(ex2(fmaf(f.x, LOG2E, -cf)), ex2(fmaf(f.y, LOG2E, -cf)));
    return *reinterpret_cast<unsigned*>(&r);
}
__device__ __forceinline__ uint4 vout(const uint4& v, float cf) {
    return make_uint4(out2(v.x, cf), out2(v.y, cf), out2(v.z, cf), out2(v.w, cf));
}
__device__ __forceinline__ float warp_max(float c) {
    int k = __float_as_int(c);
    k ^= (k >> 31) & 0x7fffffff;
    k = __reduce_max_sync(0xffffffffu, k);
    k ^= (k >> 31) & 0x7fffffff;
    return __int_as_float(k);
}
__device__ __forceinline__ void warp_combine(float& c, float& s) {
    const float C = warp_max(c);
    s *= ex2(c - C);
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    c = C;
}
__device__ __forceinline__ void cluster_arrive() { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); }
__device__ __forceinline__ void cluster_wait() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }
__device__ __forceinline__ void cp16(unsigned d, const uint4* p) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(d), "l"(p) : "memory");
}
__device__ __forceinline__ void cp_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
__device__ __forceinline__ void cp_wait(int left) {     // left is a constant after unrolling
    switch (left) {
        case 0: asm volatile("cp.async.wait_group 0;" ::: "memory"); break;
        case 1: asm volatile("cp.async.wait_group 1;" ::: "memory"); break;
        case 2: asm volatile("cp.async.wait_group 2;" ::: "memory"); break;
        default: asm volatile("cp.async.wait_group 3;" ::: "memory"); break;
    }
}
__device__ __forceinline__ void fold(const uint4& v, float& c, float& s) {
    const float m = hmaxf(vmax2(v)) * LOG2E;
    if (m > c + SLACK) { s *= ex2(c - m); c = m; }
    s += vsum(v, c);
}

__global__ void __cluster_dims__(CL, 1, 1) __launch_bounds__(THREADS, OCC)
xent_kernel(const __half* __restrict__ logits, const int* __restrict__ labels, float* __restrict__ loss,
            __half* __restrict__ dlogits, int N, int V, float grad_scale)
{
    extern __shared__ __align__(128) uint4 buf[];
    __shared__ __align__(16) float2 peers[ENT];
    __shared__ int redT[32];

    const int tid = threadIdx.x;
    const int lane = tid & 31, warp = tid >> 5;
    const unsigned rank = blockIdx.x % CL;
    const unsigned row = blockIdx.x / CL;

    cluster_arrive();

    const unsigned rs = row * (unsigned)V, re = rs + (unsigned)V;
    const unsigned a = min((rs + 7u) & ~7u, re);
    const unsigned b = max(re & ~7u, a);
    const unsigned head = a - rs, tail = re - b;
    const unsigned nv = (b - a) >> 3;
    const unsigned chunk = ((nv + CL - 1) / CL + 7u) & ~7u;
    const unsigned lo = rank * chunk;
    const unsigned cnt = lo < nv ? min(chunk, nv - lo) : 0u;

    bool skip = false;
    if (N > SPEC_ROWS) skip = __ldg(labels + row) < 0;

    const uint4* src = reinterpret_cast<const uint4*>(logits + a) + lo;
    uint4* dst = reinterpret_cast<uint4*>(dlogits + a) + lo;
    const unsigned lim = skip ? 0u : cnt;

    const unsigned sb = (unsigned)__cvta_generic_to_shared(buf + tid);
#pragma unroll
    for (int i = 0; i < UNR; i++) {
        const unsigned idx = tid + i * THREADS;
        if (idx < lim) cp16(sb + i * THREADS * 16, src + idx);
        if (i & 1) cp_commit();
    }

    // edge elements (rows that do not begin or end at 16 bytes)
    bool has_e = false;
    unsigned epos = 0;
    float xe = -65504.f;
    if (rank == 0 && tid < 16) {
        if (tid < 8) {
            if ((unsigned)tid < head) { has_e = true; epos = rs + tid; }
        } else {
            if ((unsigned)(tid - 8) < tail) { has_e = true; epos = b + (tid - 8); }
        }
        if (has_e) xe = __half2float(logits[epos]);
    }

    // the label and who owns its element
    const int lab = __ldg(labels + row);
    bool owner = false;
    unsigned lpos = 0;
    float xl = 0.f;
    if (lab >= 0) {
        lpos = rs + (unsigned)lab;
        unsigned orank = 0, otid;
        if (lpos < a) otid = lpos - rs;
        else if (lpos >= b) otid = 8 + lpos - b;
        else {
            const unsigned vi = (lpos - a) >> 3;
            orank = vi / chunk;
            otid = (vi - orank * chunk) % THREADS;
        }
        owner = (orank == rank) && (otid == (unsigned)tid);
        if (owner) xl = __half2float(logits[lpos]);
    }

    // number of tokens that count
    int t = 0;
    for (int j = tid * 4; j < N; j += THREADS * 4) {
        if (j + 3 < N) {
            const int4 q = __ldg(reinterpret_cast<const int4*>(labels + j));
            t += (q.x >= 0) + (q.y >= 0) + (q.z >= 0) + (q.w >= 0);
        } else {
            for (int q = j; q < N; q++) t += (__ldg(labels + q) >= 0);
        }
    }
    t = __reduce_add_sync(0xffffffffu, t);
    if (lane == 0) redT[warp] = t;

    // sum against a lazy reference, in the order in which the copies arrive
    float c = xe * LOG2E;
    float s = has_e ? ex2(fmaf(xe, LOG2E, -c)) : 0.f;
#pragma unroll
    for (int gi = 0; gi < NGRP; gi++) {
        cp_wait(NGRP - 1 - gi);
#pragma unroll
        for (int q = 0; q < 2; q++) {
            const int i = gi * 2 + q;
            if (tid + i * THREADS < lim) fold(buf[tid + i * THREADS], c, s);
        }
    }
    for (unsigned idx = tid + UNR * THREADS; idx < lim; idx += THREADS) fold(ldstream(src + idx), c, s);
    __syncwarp();
    warp_combine(c, s);

    cluster_wait();      // all blocks of the cluster have begun
    if (lane < CL) {
        const unsigned la = (unsigned)__cvta_generic_to_shared(&peers[rank * NWARP + warp]);
        unsigned ra;
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(ra) : "r"(la), "r"(lane));
        asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" :: "r"(ra), "f"(c), "f"(s) : "memory");
    }
    __syncwarp();
    cluster_arrive();
    cluster_wait();

    float C = -2.0e5f, S = 0.f;
    {
        float2 e[(ENT + 31) / 32];
#pragma unroll
        for (int i = 0; i < (ENT + 31) / 32; i++) {
            e[i] = make_float2(-2.0e5f, 0.f);
            if (lane + i * 32 < ENT) e[i] = peers[lane + i * 32];
            C = fmaxf(C, e[i].x);
        }
#pragma unroll
        for (int i = 0; i < (ENT + 31) / 32; i++) S += e[i].y * ex2(e[i].x - C);
    }
    warp_combine(C, S);
    int T = lane < NWARP ? redT[lane] : 0;
    T = __reduce_add_sync(0xffffffffu, T);

    const bool on = lab >= 0;
    const float g = on ? grad_scale / (float)T : 0.f;
    const float k = on ? g / S : 0.f;
    const float cf = on ? C - log2f(k) : __int_as_float(0x7f800000);   // +inf: all outputs 0

    unsigned long long mine = 0, old = 0;
    if (owner) {
        const float l = (fmaf(-xl, LOG2E, C) + log2f(S)) * LN2;
        mine = (1ull << 51) + (unsigned long long)((double)fmaxf(l, 0.f) * 268435456.0 + 0.5);
        old = atomicAdd(&g_loss_state, mine);
    }

    if (on) {
#pragma unroll
        for (int i = 0; i < UNR; i++) {
            const unsigned idx = tid + i * THREADS;
            if (idx < cnt) dst[idx] = vout(buf[idx], cf);
        }
        for (unsigned idx = tid + UNR * THREADS; idx < cnt; idx += THREADS) dst[idx] = vout(ldstream(src + idx), cf);
    } else {
        for (unsigned idx = tid; idx < cnt; idx += THREADS) dst[idx] = make_uint4(0u, 0u, 0u, 0u);
    }
    if (has_e) dlogits[epos] = __float2half_rn(ex2(fmaf(xe, LOG2E, -cf)));

    if (owner) {
        dlogits[lpos] = __float2half_rn(fmaf(ex2(fmaf(xl, LOG2E, -C)), k, -g));
        if ((old >> 51) == (unsigned long long)(T - 1)) {
            const unsigned long long tot = (old + mine) & ((1ull << 51) - 1ull);
            *loss = (float)((double)tot * (1.0 / 268435456.0) / (double)T);
            atomicExch(&g_loss_state, 0ull);
        }
    }
    if (T == 0 && blockIdx.x == 0 && tid == 0) *loss = 0.f;
}

           void solve(const __half* logits, const int* labels, float* loss, __half* dlogits, int N, int V, float grad_scale)
{
    const int smem = UNR * THREADS * 16;
    cudaFuncSetAttribute(xent_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, smem);
    cudaFuncSetAttribute(xent_kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100);
    xent_kernel<<<N * CL, THREADS, smem>>>(logits, labels, loss, dlogits, N, V, grad_scale);
}
}  // namespace part4
#undef CL
#undef ENT
#undef LN2
#undef LOG2E
#undef NGRP
#undef NWARP
#undef OCC
#undef SLACK
#undef SPEC_ROWS
#undef THREADS
#undef UNR

namespace part5 {



#define THREADS 512  // tune: THREADS = 256, 512, 1024
#define KEEP 1       // tune: KEEP = 0, 1
#define RES 1024     // tune: RES = 1024, 1536
#define SPEC 1       // tune: SPEC = 0, 1
// tune: require THREADS * (RES / THREADS) <= 2048
#define CL 8

#define CHUNK 2048                 // vectors of 8 halves per block
#define VPT (CHUNK / THREADS)
// registers for RES threads of four vectors each per SM, or as many vectors otherwise
#define OCC ((RES * 4 / VPT) / THREADS > 0 ? (RES * 4 / VPT) / THREADS : 1)
#define NWARP (THREADS / 32)
#define NP (CL * NWARP)
#define LOG2E 1.4426950408889634f
#define LN2 0.6931471805599453f

__device__ unsigned long long g_loss_state = 0ull;

__device__ __forceinline__ float ex2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ __forceinline__ __half2 h2(const unsigned& u) { return *reinterpret_cast<const __half2*>(&u); }
__device__ __forceinline__ __half2 vmax2(const uint4& v) {
    return __hmax2(__hmax2(h2(v.x), h2(v.y)), __hmax2(h2(v.z), h2(v.w)));
}
__device__ __forceinline__ float hmaxf(__half2 m) {
    float2 f = __half22float2(m);
    return fmaxf(f.x, f.y);
}
__device__ __forceinline__ unsigned pk(float x, float y) {
    __half2 r = __floats2half2_rn(x, y);
    return *reinterpret_cast<unsigned*>(&r);
}
__device__ __forceinline__ float exp8(const uint4& v, float c, float* e) {
    float2 f0 = __half22float2(h2(v.x)), f1 = __half22float2(h2(v.y));
    float2 f2 = __half22float2(h2(v.z)), f3 = __half22float2(h2(v.w));
    e[0] = ex2(fmaf(f0.x, LOG2E, -c)); e[1] = ex2(fmaf(f0.y, LOG2E, -c));
    e[2] = ex2(fmaf(f1.x, LOG2E, -c)); e[3] = ex2(fmaf(f1.y, LOG2E, -c));
    e[4] = ex2(fmaf(f2.x, LOG2E, -c)); e[5] = ex2(fmaf(f2.y, LOG2E, -c));
    e[6] = ex2(fmaf(f3.x, LOG2E, -c)); e[7] = ex2(fmaf(f3.y, LOG2E, -c));
    return ((e[0] + e[1]) + (e[2] + e[3])) + ((e[4] + e[5]) + (e[6] + e[7]));
}
__device__ __forceinline__ uint4 scale8(const float* w, float f) {
    return make_uint4(pk(w[0] * f, w[1] * f), pk(w[2] * f, w[3] * f),
                      pk(w[4] * f, w[5] * f), pk(w[6] * f, w[7] * f));
}
__device__ __forceinline__ float warp_max(float x) {
    int i = __float_as_int(x);
    i ^= (i >> 31) & 0x7fffffff;
    i = __reduce_max_sync(0xffffffffu, i);
    i ^= (i >> 31) & 0x7fffffff;
    return __int_as_float(i);
}
__device__ __forceinline__ float warp_sum(float s) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    return s;
}
__device__ __forceinline__ void cluster_arrive() { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); }
__device__ __forceinline__ void cluster_wait() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }
__device__ __forceinline__ uint4 ldv(const uint4* p) {
    uint4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
    return v;
}

__global__ void __cluster_dims__(CL, 1, 1) __launch_bounds__(THREADS, OCC)
xent_kernel(const __half* __restrict__ logits, const int* __restrict__ labels, float* __restrict__ loss,
            __half* __restrict__ dlogits, int N, int V, float grad_scale)
{
    __shared__ float2 peers[NP];
    __shared__ int redT[32];

    const int tid = threadIdx.x;
    const int lane = tid & 31, warp = tid >> 5;
    const unsigned rank = blockIdx.x % CL;
    const unsigned row = blockIdx.x / CL;
    const bool fast = ((unsigned)V >> 3) <= (unsigned)(CL * CHUNK);

    cluster_arrive();

    const unsigned rs = row * (unsigned)V, re = rs + (unsigned)V;
    const unsigned a = min((rs + 7u) & ~7u, re);
    const unsigned b = max(re & ~7u, a);
    const unsigned head = a - rs, tail = re - b;
    const unsigned nv = (b - a) >> 3;
    const unsigned chunk = ((nv + CL - 1) / CL + 7u) & ~7u;
    const unsigned lo = rank * chunk;
    const unsigned cnt = lo < nv ? min(chunk, nv - lo) : 0u;

    const uint4* src = reinterpret_cast<const uint4*>(logits + a) + lo;
    uint4* dst = reinterpret_cast<uint4*>(dlogits + a) + lo;

    const int lab = __ldg(labels + row);
    unsigned lim = fast ? cnt : 0u;
#if !SPEC
    if (N > 128 && lab < 0) lim = 0u;
#endif

    uint4 v[VPT];
#pragma unroll
    for (int j = 0; j < VPT; j++) {
        const unsigned idx = tid + j * THREADS;
        v[j] = make_uint4(0xFC00FC00u, 0xFC00FC00u, 0xFC00FC00u, 0xFC00FC00u);
        if (idx < lim) v[j] = ldv(src + idx);
    }

    bool has_e = false;
    unsigned epos = 0;
    float xe = -65504.f;
    if (rank == 0 && tid < 16) {
        if (tid < 8) {
            if ((unsigned)tid < head) { has_e = true; epos = rs + tid; }
        } else {
            if ((unsigned)(tid - 8) < tail) { has_e = true; epos = b + (tid - 8); }
        }
        if (has_e) xe = __half2float(logits[epos]);
    }

    int t = 0;
    for (int j = tid * 4; j < N; j += THREADS * 4) {
        if (j + 3 < N) {
            const int4 q = __ldg(reinterpret_cast<const int4*>(labels + j));
            t += (q.x >= 0) + (q.y >= 0) + (q.z >= 0) + (q.w >= 0);
        } else {
            for (int q = j; q < N; q++) t += (__ldg(labels + q) >= 0);
        }
    }

    if (lab < 0) {           // the same in all blocks of the cluster
        const uint4 z = make_uint4(0u, 0u, 0u, 0u);
        for (unsigned idx = tid; idx < cnt; idx += THREADS) dst[idx] = z;
        if (has_e) dlogits[epos] = __float2half_rn(0.f);
        __syncwarp();
        if (blockIdx.x == 0) {
            const int any = __syncthreads_or(t > 0);
            if (!any && tid == 0) *loss = 0.f;
        }
        __syncwarp();
        cluster_wait();
        return;
    }

    bool owner;
    const unsigned lpos = rs + (unsigned)lab;
    {
        unsigned orank = 0, otid;
        if (lpos < a) otid = lpos - rs;
        else if (lpos >= b) otid = 8 + lpos - b;
        else {
            const unsigned vi = (lpos - a) >> 3;
            orank = vi / chunk;
            otid = (vi - orank * chunk) % THREADS;
        }
        owner = (orank == rank) && (otid == (unsigned)tid);
    }
    float xl = 0.f;
    if (owner) xl = __half2float(logits[lpos]);
    __syncwarp();

    t = __reduce_add_sync(0xffffffffu, t);
    if (lane == 0) redT[warp] = t;

    float c = xe * LOG2E;
    float s = has_e ? 1.f : 0.f;
#if KEEP
    float e[VPT][8];
#endif
    {
        __half2 m = vmax2(v[0]);
#pragma unroll
        for (int j = 1; j < VPT; j++) m = __hmax2(m, vmax2(v[j]));
        const float nc = fmaxf(c, hmaxf(m) * LOG2E);
        s *= ex2(c - nc);
#pragma unroll
        for (int j = 0; j < VPT; j++) {
#if KEEP
            s += exp8(v[j], nc, e[j]);
#else
            float w[8];
            s += exp8(v[j], nc, w);
#endif
        }
        c = nc;
    }
    if (!fast) {
        for (unsigned idx = tid; idx < cnt; idx += THREADS) {
            const uint4 u = __ldg(src + idx);
            const float nc = fmaxf(c, hmaxf(vmax2(u)) * LOG2E);
            float w[8];
            s = s * ex2(c - nc) + exp8(u, nc, w);
            c = nc;
        }
    }

    __syncwarp();
    const float wc = warp_max(c);
    const float ws = warp_sum(s * ex2(c - wc));
    cluster_wait();          // all blocks of the cluster have started
    if (lane < CL) {
        const unsigned la = (unsigned)__cvta_generic_to_shared(&peers[rank * NWARP + warp]);
        unsigned ra;
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(ra) : "r"(la), "r"(lane));
        asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" :: "r"(ra), "f"(wc), "f"(ws) : "memory");
    }
    __syncwarp();
    cluster_arrive();
    cluster_wait();

    float C = -2.0e5f, S = 0.f;
#pragma unroll
    for (int i = 0; i < NP / 32; i++) C = fmaxf(C, peers[lane + 32 * i].x);
    C = warp_max(C);
#pragma unroll
    for (int i = 0; i < NP / 32; i++) {
        const float2 p = peers[lane + 32 * i];
        S += p.y * ex2(p.x - C);
    }
    S = warp_sum(S);
    const int T = __reduce_add_sync(0xffffffffu, lane < NWARP ? redT[lane] : 0);

    const float g = grad_scale / (float)T;
    const float k = g / S;

    unsigned long long mine = 0, old = 0;
    if (owner) {
        const float l = (fmaf(-xl, LOG2E, C) + log2f(S)) * LN2;
        mine = (1ull << 51) + (unsigned long long)((double)fmaxf(l, 0.f) * 268435456.0 + 0.5);
        old = atomicAdd(&g_loss_state, mine);
    }

    if (fast) {
#if KEEP
        const float f = k * ex2(c - C);
#endif
#pragma unroll
        for (int j = 0; j < VPT; j++) {
            const unsigned idx = tid + j * THREADS;
#if KEEP
            if (idx < cnt) dst[idx] = scale8(e[j], f);
#else
            if (idx < cnt) {
                float w[8];
                exp8(v[j], C, w);
                dst[idx] = scale8(w, k);
            }
#endif
        }
    } else {
        for (unsigned idx = tid; idx < cnt; idx += THREADS) {
            const uint4 u = __ldg(src + idx);
            float w[8];
            exp8(u, C, w);
            dst[idx] = scale8(w, k);
        }
    }
    if (has_e) dlogits[epos] = __float2half_rn(ex2(fmaf(xe, LOG2E, -C)) * k);

    if (owner) {
        dlogits[lpos] = __float2half_rn(fmaf(ex2(fmaf(xl, LOG2E, -C)), k, -g));
        if ((old >> 51) == (unsigned long long)(T - 1)) {
            const unsigned long long tot = (old + mine) & ((1ull << 51) - 1ull);
            *loss = (float)((double)tot * (1.0 / 268435456.0) / (double)T);
            atomicExch(&g_loss_state, 0ull);
        }
    }
}

           void solve(const __half* logits, const int* labels, float* loss, __half* dlogits, int N, int V, float grad_scale)
{
    xent_kernel<<<N * CL, THREADS>>>(logits, labels, loss, dlogits, N, V, grad_scale);
}
}  // namespace part5
#undef CHUNK
#undef CL
#undef KEEP
#undef LN2
#undef LOG2E
#undef NP
#undef NWARP
#undef OCC
#undef RES
#undef SPEC
#undef THREADS
#undef VPT

           void solve(const __half* logits, const int* labels, float* loss, __half* dlogits, int N, int V, float grad_scale) {
  const double size = (double)(N > 1 ? N : 1);
  if (size > 724.5) {
    part1::solve(logits, labels, loss, dlogits, N, V, grad_scale);
    return;
  }
  if (size > 128.5) {
    part4::solve(logits, labels, loss, dlogits, N, V, grad_scale);
    return;
  }
  if (size > 32.5) {
    part0::solve(logits, labels, loss, dlogits, N, V, grad_scale);
    return;
  }
  part5::solve(logits, labels, loss, dlogits, N, V, grad_scale);
}
}  // namespace part2
#undef CHUNK
#undef CL
#undef ENT
#undef FILL2
#undef FULL
#undef GRP
#undef KEEP
#undef LN2
#undef LOG2E
#undef NCL
#undef NGRP
#undef NP
#undef NWARP
#undef OCC
#undef P1
#undef P2
#undef RES
#undef SLACK
#undef SMALL_T
#undef SPEC
#undef SPEC_ROWS
#undef THREADS
#undef UNR
#undef VPT

extern "C" void solve(const __half* logits, const int* labels, float* loss, __half* dlogits, int N, int V, float grad_scale) {
  const double size = (double)(N > 1 ? N : 1);
  if (size > 362.5) {
    part1::solve(logits, labels, loss, dlogits, N, V, grad_scale);
    return;
  }
  if (size > 32.5) {
    part0::solve(logits, labels, loss, dlogits, N, V, grad_scale);
    return;
  }
  part2::solve(logits, labels, loss, dlogits, N, V, grad_scale);
}
