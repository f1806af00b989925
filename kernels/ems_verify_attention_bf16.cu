// SPDX-License-Identifier: Apache-2.0
// task: ems_verify_attention_bf16
// rules: free
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-18
// commit: a189785
// made by: warpwright 0.2.0
// model: a fresh language-model instance
// run: ems_verify_attention_bf16-1 r1.c1
// median us: B=4,ctx=512 21.02, B=4,ctx=2048 33.86, B=8,ctx=1024 34.13, B=12,ctx=1024 40.94, B=16,ctx=2048 85.78
// sha256: d05e57aa1f43e55b81aac3aeebedd8f382a22b503979e9dcf96cc7ee30f6d3f0

#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <stdint.h>
#include <math.h>

typedef unsigned long long u64;

#define NWARP 4
#define NTHR 128
#define MAXG 396

__device__ float g_po[(size_t)MAXG * 2 * 8 * 256];
__device__ float g_pm[MAXG * 2 * 8];
__device__ float g_pl[MAXG * 2 * 8];
__device__ unsigned int g_cnt[MAXG];   // always zero between launches (atomicInc wraps)

__device__ __forceinline__ uint4 ldg_stream(const __nv_bfloat16* p) {
    uint4 r;
    asm volatile("ld.global.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w) : "l"(p));
    return r;
}

__device__ __forceinline__ float ex2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ __forceinline__ uint32_t movm(uint32_t a) {
    uint32_t d;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ void mma16816(float (&d)[4], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3,
                                         uint32_t b0, uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

__device__ __forceinline__ uint32_t packbf(float lo, float hi) {
    __nv_bfloat162 v = __floats2bfloat162_rn(lo, hi);
    return *reinterpret_cast<uint32_t*>(&v);
}

__device__ __forceinline__ float bf_lo(uint32_t v) { return __uint_as_float(v << 16); }
__device__ __forceinline__ float bf_hi(uint32_t v) { return __uint_as_float(v & 0xffff0000u); }

// eight elements of a row starting at j, zero beyond Dh
template <bool EXACT>
__device__ __forceinline__ uint4 ld8(const __nv_bfloat16* row, int j, int Dh) {
    if (EXACT) {
        return ldg_stream(row + j);
    } else {
        uint4 r = make_uint4(0u, 0u, 0u, 0u);
        if (j < Dh) {
            if ((Dh & 7) == 0) {
                r = ldg_stream(row + j);
            } else {
                const unsigned short* s = reinterpret_cast<const unsigned short*>(row);
                uint32_t e[8];
#pragma unroll
                for (int i = 0; i < 8; i++) e[i] = (j + i < Dh) ? (uint32_t)s[j + i] : 0u;
                r.x = e[0] | (e[1] << 16);
                r.y = e[2] | (e[3] << 16);
                r.z = e[4] | (e[5] << 16);
                r.w = e[6] | (e[7] << 16);
            }
        }
        return r;
    }
}

struct Seg {
    int seq, len;     // cached positions, cached + new
    int cbase;        // element offset of (b,h) in the caches
    int nbase;        // element offset of (first token of the sample, h) in packed arrays
    int q0, nq;       // first new token of the group, tokens in the group
    int tile0, tile1, ntile;
    u64 pstart;       // global index of the first tile of the triple
};

template <int DP, bool EXACT>
__global__ void __launch_bounds__(NTHR, (DP <= 128 ? 3 : 1))
attn_kernel(const __nv_bfloat16* __restrict__ q, const __nv_bfloat16* __restrict__ k_new,
            const __nv_bfloat16* __restrict__ v_new, __nv_bfloat16* k_cache, __nv_bfloat16* v_cache,
            const int* __restrict__ seq_lens, const int* __restrict__ token_nums,
            __nv_bfloat16* __restrict__ out, int B, int H, int DhArg, int L_max, float scale) {
    constexpr int NK = DP / 32;
    constexpr int NV = DP / 64;
    constexpr int SST = DP + 4;
    __shared__ __align__(16) float sO[NWARP][8][SST];
    __shared__ float sM[NWARP][8];
    __shared__ float sL[NWARP][8];
    __shared__ int sFlag;

    const int Dh = EXACT ? DP : DhArg;
    const int tid = threadIdx.x;
    const int lane = tid & 31;
    const int warp = tid >> 5;
    const int g = lane >> 2;
    const int c = lane & 3;
    const unsigned FULL = 0xffffffffu;

    // ---------------- schedule ----------------
    u64 N = 0;
    for (int base = 0; base < B; base += 32) {
        int bb = base + lane;
        u64 cc = 0;
        if (bb < B) {
            int sq = __ldg(seq_lens + bb), tk = __ldg(token_nums + bb);
            if (tk > 0) cc = (u64)H * (u64)((tk + 7) >> 3) * (u64)((sq + tk + 15) >> 4);
        }
#pragma unroll
        for (int o = 16; o > 0; o >>= 1) cc += __shfl_xor_sync(FULL, cc, o);
        N += cc;
    }
    if (N == 0) return;
    u64 G = (N + 3) >> 2;
    if (G > (u64)gridDim.x) G = gridDim.x;
    if ((u64)blockIdx.x >= G) return;
    u64 x = ((u64)blockIdx.x * N) / G;
    const u64 x1 = ((u64)(blockIdx.x + 1) * N) / G;

    int b = 0, tokStart = 0, seq = 0, tok = 0, ntile = 1;
    u64 sStart = 0, sCnt = 0;
    {
        u64 runS = 0;
        int runT = 0;
        for (int base = 0; base < B; base += 32) {
            int bb = base + lane;
            u64 cc = 0;
            int sq = 0, tk = 0;
            if (bb < B) {
                sq = __ldg(seq_lens + bb);
                tk = __ldg(token_nums + bb);
                if (tk > 0) cc = (u64)H * (u64)((tk + 7) >> 3) * (u64)((sq + tk + 15) >> 4);
            }
            u64 ic = cc;
            int it = tk;
#pragma unroll
            for (int o = 1; o < 32; o <<= 1) {
                u64 a = __shfl_up_sync(FULL, ic, o);
                int d = __shfl_up_sync(FULL, it, o);
                if (lane >= o) { ic += a; it += d; }
            }
            unsigned msk = __ballot_sync(FULL, runS + ic > x);
            if (msk) {
                int src = __ffs(msk) - 1;
                b = base + src;
                sStart = runS + __shfl_sync(FULL, ic - cc, src);
                sCnt = __shfl_sync(FULL, cc, src);
                tokStart = runT + __shfl_sync(FULL, it - tk, src);
                seq = __shfl_sync(FULL, sq, src);
                tok = __shfl_sync(FULL, tk, src);
                ntile = (seq + tok + 15) >> 4;
                break;
            }
            runS += __shfl_sync(FULL, ic, 31);
            runT += __shfl_sync(FULL, it, 31);
        }
    }

    auto nextSeg = [&](Seg& s) -> bool {
        if (x >= x1) return false;
        while (x >= sStart + sCnt) {
            sStart += sCnt;
            tokStart += tok;
            ++b;
            seq = __ldg(seq_lens + b);
            tok = __ldg(token_nums + b);
            ntile = (seq + tok + 15) >> 4;
            sCnt = tok > 0 ? (u64)H * (u64)((tok + 7) >> 3) * (u64)ntile : 0ull;
        }
        u64 rel = x - sStart;
        u64 pair64 = rel / (u64)(unsigned)ntile;
        unsigned pair = (unsigned)pair64;
        s.tile0 = (int)(rel - pair64 * (u64)(unsigned)ntile);
        int qg = (int)(pair / (unsigned)H);
        int h = (int)(pair - (unsigned)qg * (unsigned)H);
        u64 left = x1 - x;
        int room = ntile - s.tile0;
        int n = (left < (u64)room) ? (int)left : room;
        s.tile1 = s.tile0 + n;
        s.ntile = ntile;
        s.pstart = x - (u64)s.tile0;
        s.seq = seq;
        s.len = seq + tok;
        s.cbase = (int)(((long long)b * H + h) * (long long)L_max * Dh);
        s.nbase = (int)(((long long)tokStart * H + h) * (long long)Dh);
        s.q0 = qg * 8;
        s.nq = min(8, tok - qg * 8);
        x += (u64)n;
        return true;
    };

    const int HD = H * Dh;

    uint4 K[2][NK];
    uint4 V[4][NV];
    uint4 Q[NK];
#pragma unroll
    for (int i = 0; i < NK; i++) {
        K[0][i] = make_uint4(0, 0, 0, 0);
        K[1][i] = make_uint4(0, 0, 0, 0);
        Q[i] = make_uint4(0, 0, 0, 0);
    }
#pragma unroll
    for (int r = 0; r < 4; r++)
#pragma unroll
        for (int i = 0; i < NV; i++) V[r][i] = make_uint4(0, 0, 0, 0);

    auto rowPtr = [&](const Seg& s, const __nv_bfloat16* cache, const __nv_bfloat16* fresh, int p) -> const __nv_bfloat16* {
        if (p < s.seq) return cache + (s.cbase + p * Dh);
        int pc = min(p, s.len - 1) - s.seq;
        return fresh + (s.nbase + pc * HD);
    };

    auto loadK = [&](const Seg& s, int t) {
        const __nv_bfloat16* r0;
        const __nv_bfloat16* r1;
        int p = t * 16 + g;
        if (t * 16 + 16 <= s.seq) {
            r0 = k_cache + (s.cbase + p * Dh);
            r1 = r0 + 8 * Dh;
        } else {
            r0 = rowPtr(s, k_cache, k_new, p);
            r1 = rowPtr(s, k_cache, k_new, p + 8);
        }
#pragma unroll
        for (int i = 0; i < NK; i++) {
            K[0][i] = ld8<EXACT>(r0, (c + 4 * i) * 8, Dh);
            K[1][i] = ld8<EXACT>(r1, (c + 4 * i) * 8, Dh);
        }
    };
    auto loadV = [&](const Seg& s, int t) {
        const __nv_bfloat16* r[4];
        int p = t * 16 + 2 * c;
        if (t * 16 + 16 <= s.seq) {
            r[0] = v_cache + (s.cbase + p * Dh);
            r[1] = r[0] + Dh;
            r[2] = r[0] + 8 * Dh;
            r[3] = r[0] + 9 * Dh;
        } else {
            r[0] = rowPtr(s, v_cache, v_new, p);
            r[1] = rowPtr(s, v_cache, v_new, p + 1);
            r[2] = rowPtr(s, v_cache, v_new, p + 8);
            r[3] = rowPtr(s, v_cache, v_new, p + 9);
        }
#pragma unroll
        for (int k = 0; k < 4; k++)
#pragma unroll
            for (int i = 0; i < NV; i++) V[k][i] = ld8<EXACT>(r[k], i * 64 + 8 * g, Dh);
    };
    auto prefetch = [&](const Seg& s) {
        int t = s.tile0 + warp;
        if (t < s.tile1) {
            if (g < s.nq) {
                const __nv_bfloat16* qr = q + (s.nbase + (s.q0 + g) * HD);
#pragma unroll
                for (int i = 0; i < NK; i++) Q[i] = ld8<EXACT>(qr, (c + 4 * i) * 8, Dh);
            } else {
#pragma unroll
                for (int i = 0; i < NK; i++) Q[i] = make_uint4(0, 0, 0, 0);
            }
            loadK(s, t);
            loadV(s, t);
        }
    };

    Seg seg;
    bool have = nextSeg(seg);
    if (have) prefetch(seg);

    while (have) {
        // ---------- append the new tokens of this group ----------
        if (seg.tile0 == 0) {
            if (EXACT) {
                constexpr int VPR = DP / 8;
                for (int i = tid; i < seg.nq * VPR; i += NTHR) {
                    int r = i / VPR;
                    int j = (i - r * VPR) * 8;
                    int so = seg.nbase + (seg.q0 + r) * HD + j;
                    int dof = seg.cbase + (seg.seq + seg.q0 + r) * Dh + j;
                    uint4 a = *reinterpret_cast<const uint4*>(k_new + so);
                    uint4 d = *reinterpret_cast<const uint4*>(v_new + so);
                    *reinterpret_cast<uint4*>(k_cache + dof) = a;
                    *reinterpret_cast<uint4*>(v_cache + dof) = d;
                }
            } else {
                for (int i = tid; i < seg.nq * Dh; i += NTHR) {
                    int r = i / Dh;
                    int j = i - r * Dh;
                    int so = seg.nbase + (seg.q0 + r) * HD + j;
                    int dof = seg.cbase + (seg.seq + seg.q0 + r) * Dh + j;
                    k_cache[dof] = k_new[so];
                    v_cache[dof] = v_new[so];
                }
            }
        }

        float O[NV * 4][4];
#pragma unroll
        for (int i = 0; i < NV * 4; i++) {
            O[i][0] = 0.f; O[i][1] = 0.f; O[i][2] = 0.f; O[i][3] = 0.f;
        }
        float m0 = -1e30f, m1 = -1e30f, l0 = 0.f, l1 = 0.f;

        const int nmin = seg.seq + seg.q0;     // last position seen by the first query of the group
        for (int t = seg.tile0 + warp; t < seg.tile1; t += NWARP) {
            float sa[4] = {0.f, 0.f, 0.f, 0.f};
            float sb[4] = {0.f, 0.f, 0.f, 0.f};
#pragma unroll
            for (int i = 0; i < NK; i++) {
                mma16816(sa, K[0][i].x, K[1][i].x, K[0][i].y, K[1][i].y, Q[i].x, Q[i].y);
                mma16816(sb, K[0][i].z, K[1][i].z, K[0][i].w, K[1][i].w, Q[i].z, Q[i].w);
            }
            const bool more = (t + NWARP) < seg.tile1;
            if (more) loadK(seg, t + NWARP);

            float s0 = (sa[0] + sb[0]) * scale;
            float s1 = (sa[1] + sb[1]) * scale;
            float s2 = (sa[2] + sb[2]) * scale;
            float s3 = (sa[3] + sb[3]) * scale;
            if (t * 16 + 15 > nmin) {
                const float NEG = __int_as_float(0xff800000);
                int p = t * 16 + g;
                int n0 = nmin + 2 * c;
                if (p > n0) s0 = NEG;
                if (p > n0 + 1) s1 = NEG;
                if (p + 8 > n0) s2 = NEG;
                if (p + 8 > n0 + 1) s3 = NEG;
            }
            float x0 = fmaxf(s0, s2), x1m = fmaxf(s1, s3);
#pragma unroll
            for (int o = 4; o < 32; o <<= 1) {
                x0 = fmaxf(x0, __shfl_xor_sync(FULL, x0, o));
                x1m = fmaxf(x1m, __shfl_xor_sync(FULL, x1m, o));
            }
            float n0f = fmaxf(m0, x0), n1f = fmaxf(m1, x1m);
            float al0 = ex2(m0 - n0f), al1 = ex2(m1 - n1f);
            m0 = n0f;
            m1 = n1f;
            float p0 = ex2(s0 - m0), p1 = ex2(s1 - m1), p2 = ex2(s2 - m0), p3 = ex2(s3 - m1);
            l0 = l0 * al0 + (p0 + p2);
            l1 = l1 * al1 + (p1 + p3);

            uint32_t h0 = packbf(p0, p1), h1 = packbf(p2, p3);
            uint32_t e0 = packbf(p0 - bf_lo(h0), p1 - bf_hi(h0));
            uint32_t e1 = packbf(p2 - bf_lo(h1), p3 - bf_hi(h1));
            h0 = movm(h0);
            h1 = movm(h1);
            e0 = movm(e0);
            e1 = movm(e1);

#pragma unroll
            for (int i = 0; i < NV * 4; i++) {
                O[i][0] *= al0; O[i][1] *= al1; O[i][2] *= al0; O[i][3] *= al1;
            }
#pragma unroll
            for (int i = 0; i < NV; i++) {
#pragma unroll
                for (int mt = 0; mt < 4; mt++) {
                    uint32_t w0, w1, w2, w3;
                    if (mt == 0) { w0 = V[0][i].x; w1 = V[1][i].x; w2 = V[2][i].x; w3 = V[3][i].x; }
                    else if (mt == 1) { w0 = V[0][i].y; w1 = V[1][i].y; w2 = V[2][i].y; w3 = V[3][i].y; }
                    else if (mt == 2) { w0 = V[0][i].z; w1 = V[1][i].z; w2 = V[2][i].z; w3 = V[3][i].z; }
                    else { w0 = V[0][i].w; w1 = V[1][i].w; w2 = V[2][i].w; w3 = V[3][i].w; }
                    uint32_t a0 = __byte_perm(w0, w1, 0x5410);
                    uint32_t a1 = __byte_perm(w0, w1, 0x7632);
                    uint32_t a2 = __byte_perm(w2, w3, 0x5410);
                    uint32_t a3 = __byte_perm(w2, w3, 0x7632);
                    mma16816(O[i * 4 + mt], a0, a1, a2, a3, h0, h1);
                    mma16816(O[i * 4 + mt], a0, a1, a2, a3, e0, e1);
                }
            }
            if (more) loadV(seg, t + NWARP);
        }

        // ---------- start the next segment's loads ----------
        Seg ns = seg;
        have = nextSeg(ns);
        if (have) prefetch(ns);

        // ---------- combine the warps ----------
#pragma unroll
        for (int o = 4; o < 32; o <<= 1) {
            l0 += __shfl_xor_sync(FULL, l0, o);
            l1 += __shfl_xor_sync(FULL, l1, o);
        }
        if (g == 0) {
            sM[warp][2 * c] = m0;
            sM[warp][2 * c + 1] = m1;
            sL[warp][2 * c] = l0;
            sL[warp][2 * c + 1] = l1;
        }
#pragma unroll
        for (int i = 0; i < NV; i++) {
            float* d0 = &sO[warp][2 * c][i * 64 + 8 * g];
            float* d1 = &sO[warp][2 * c + 1][i * 64 + 8 * g];
            *reinterpret_cast<float4*>(d0) = make_float4(O[i * 4][0], O[i * 4][2], O[i * 4 + 1][0], O[i * 4 + 1][2]);
            *reinterpret_cast<float4*>(d0 + 4) = make_float4(O[i * 4 + 2][0], O[i * 4 + 2][2], O[i * 4 + 3][0], O[i * 4 + 3][2]);
            *reinterpret_cast<float4*>(d1) = make_float4(O[i * 4][1], O[i * 4][3], O[i * 4 + 1][1], O[i * 4 + 1][3]);
            *reinterpret_cast<float4*>(d1 + 4) = make_float4(O[i * 4 + 2][1], O[i * 4 + 2][3], O[i * 4 + 3][1], O[i * 4 + 3][3]);
        }
        __syncthreads();

        const int qi = tid >> 4;
        const int vi = tid & 15;
        float M = sM[0][qi];
#pragma unroll
        for (int w = 1; w < NWARP; w++) M = fmaxf(M, sM[w][qi]);
        float L = 0.f;
        float4 R[NV];
#pragma unroll
        for (int k = 0; k < NV; k++) R[k] = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll
        for (int w = 0; w < NWARP; w++) {
            float wg = ex2(sM[w][qi] - M);
            L += wg * sL[w][qi];
#pragma unroll
            for (int k = 0; k < NV; k++) {
                float4 a = *reinterpret_cast<const float4*>(&sO[w][qi][4 * (vi + 16 * k)]);
                R[k].x += wg * a.x;
                R[k].y += wg * a.y;
                R[k].z += wg * a.z;
                R[k].w += wg * a.w;
            }
        }

        bool writeOut = true;
        if (!(seg.tile0 == 0 && seg.tile1 == seg.ntile)) {
            const int f = (int)(((seg.pstart + 1) * G - 1) / N);
            const int l = (int)(((seg.pstart + (u64)seg.ntile) * G - 1) / N);
            const int slot = 2 * (int)blockIdx.x + (seg.tile0 == 0 ? 1 : 0);
            if (qi < seg.nq) {
#pragma unroll
                for (int k = 0; k < NV; k++)
                    __stcg(reinterpret_cast<float4*>(g_po + (size_t)(slot * 8 + qi) * DP + 4 * (vi + 16 * k)), R[k]);
                if (vi == 0) {
                    __stcg(g_pm + slot * 8 + qi, M);
                    __stcg(g_pl + slot * 8 + qi, L);
                }
            }
            __threadfence();
            __syncthreads();
            if (tid == 0) {
                unsigned lim = (unsigned)(l - f);
                sFlag = (atomicInc(&g_cnt[f], lim) == lim) ? 1 : 0;
            }
            __syncthreads();
            writeOut = (sFlag != 0);
            if (writeOut) {
                __threadfence();
                if (qi < seg.nq) {
                    M = -1e30f;
                    L = 0.f;
#pragma unroll
                    for (int k = 0; k < NV; k++) R[k] = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll 2
                    for (int i = f; i <= l; i++) {
                        int sl = 2 * i + (i == f ? 1 : 0);
                        float mi = __ldcg(g_pm + sl * 8 + qi);
                        float li = __ldcg(g_pl + sl * 8 + qi);
                        float4 a[NV];
#pragma unroll
                        for (int k = 0; k < NV; k++)
                            a[k] = __ldcg(reinterpret_cast<const float4*>(g_po + (size_t)(sl * 8 + qi) * DP + 4 * (vi + 16 * k)));
                        float mn = fmaxf(M, mi);
                        float wa = ex2(M - mn), wb = ex2(mi - mn);
                        M = mn;
                        L = L * wa + li * wb;
#pragma unroll
                        for (int k = 0; k < NV; k++) {
                            R[k].x = R[k].x * wa + a[k].x * wb;
                            R[k].y = R[k].y * wa + a[k].y * wb;
                            R[k].z = R[k].z * wa + a[k].z * wb;
                            R[k].w = R[k].w * wa + a[k].w * wb;
                        }
                    }
                }
            }
        }
        if (writeOut && qi < seg.nq) {
            float inv = 1.0f / L;
            __nv_bfloat16* orow = out + (seg.nbase + (seg.q0 + qi) * HD);
#pragma unroll
            for (int k = 0; k < NV; k++) {
                int j = 4 * (vi + 16 * k);
                if (EXACT) {
                    uint2 w;
                    w.x = packbf(R[k].x * inv, R[k].y * inv);
                    w.y = packbf(R[k].z * inv, R[k].w * inv);
                    *reinterpret_cast<uint2*>(orow + j) = w;
                } else {
                    if (j < Dh) orow[j] = __float2bfloat16(R[k].x * inv);
                    if (j + 1 < Dh) orow[j + 1] = __float2bfloat16(R[k].y * inv);
                    if (j + 2 < Dh) orow[j + 2] = __float2bfloat16(R[k].z * inv);
                    if (j + 3 < Dh) orow[j + 3] = __float2bfloat16(R[k].w * inv);
                }
            }
        }
        if (have) __syncthreads();
        seg = ns;
    }
}

extern "C" void solve(const __nv_bfloat16* q, const __nv_bfloat16* k_new, const __nv_bfloat16* v_new,
                      __nv_bfloat16* k_cache, __nv_bfloat16* v_cache, const int* seq_lens,
                      const int* token_nums, __nv_bfloat16* out, int B, int T, int H, int Dh, int L_max) {
    if (T <= 0 || B <= 0) return;
    // 1/sqrt(Dh) * log2(e)
    float scale = (float)(1.4426950408889634 / sqrt((double)Dh));
#define LAUNCH(DPV, EX, GRID) \
    attn_kernel<DPV, EX><<<GRID, NTHR>>>(q, k_new, v_new, k_cache, v_cache, seq_lens, token_nums, out, B, H, Dh, L_max, scale)
    if (Dh == 128) LAUNCH(128, true, 396);
    else if (Dh == 64) LAUNCH(64, true, 396);
    else if (Dh == 256) LAUNCH(256, true, 264);
    else if (Dh < 64) LAUNCH(64, false, 396);
    else if (Dh < 128) LAUNCH(128, false, 396);
    else LAUNCH(256, false, 264);
#undef LAUNCH
}
