// SPDX-License-Identifier: Apache-2.0
// task: ems_verify_attention
// rules: free
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-17
// commit: cbc509e
// made by: warpwright 0.2.0
// model: a fresh language-model instance
// run: ems_verify_attention-1 r2.c1
// median us: B=4,ctx=512 16.74, B=4,ctx=2048 31.42, B=8,ctx=1024 31.62, B=12,ctx=1024 39.90, B=16,ctx=2048 85.73
// sha256: 32bd172e8ca82fd6a98f645f31e14982e5f9fe0f9178ed9b3bc841b7c5f4a0b7

#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <stdint.h>

#define NBLK 132
#define NW 12
#define OSTR 132
#define SLOT (8 * OSTR)
#define DYN_SMEM (NW * 2 * SLOT * 4)

__device__ float g_part[NBLK * 2 * 8 * 128];
__device__ float2 g_ml[NBLK * 2 * 8];
__device__ unsigned int g_cnt[NBLK];

__device__ __forceinline__ void ldg16(uint32_t (&r)[4], const __half* p) {
    asm volatile("ld.global.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "l"(p));
}

__device__ __forceinline__ void mma16816(float (&c)[4], uint32_t a0, uint32_t a1, uint32_t a2,
                                         uint32_t a3, uint32_t b0, uint32_t b1) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

__device__ __forceinline__ uint32_t movtrans(uint32_t a) {
    uint32_t d;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint32_t h2u(__half2 h) {
    return *reinterpret_cast<uint32_t*>(&h);
}

// offc: offset of the (sample, head) in the cache; offn: offset of the sample's first new row
__device__ __forceinline__ void load_k(uint32_t (&kb)[8][4], const __half* kc, const __half* kn,
                                       unsigned offc, unsigned offn, int p0, int seq, int nlast,
                                       int rs, int g, int t) {
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const int p = p0 + g + 8 * r;
        const bool old = p < seq;
        const unsigned off = old ? offc + (unsigned)p * 128u
                                 : offn + (unsigned)(min(p, nlast) - seq) * (unsigned)rs;
        const __half* ptr = (old ? kc : kn) + (size_t)off + t * 8;
#pragma unroll
        for (int i = 0; i < 4; i++) ldg16(kb[r * 4 + i], ptr + 32 * i);
    }
}

__device__ __forceinline__ void load_v(uint32_t (&vb)[8][4], const __half* vc, const __half* vn,
                                       unsigned offc, unsigned offn, int p0, int seq, int nlast,
                                       int rs, int g, int t) {
#pragma unroll
    for (int r = 0; r < 4; r++) {
        const int p = p0 + 2 * t + (r & 1) + (r >> 1) * 8;
        const bool old = p < seq;
        const unsigned off = old ? offc + (unsigned)p * 128u
                                 : offn + (unsigned)(min(p, nlast) - seq) * (unsigned)rs;
        const __half* ptr = (old ? vc : vn) + (size_t)off + g * 8;
        ldg16(vb[r * 2 + 0], ptr);
        ldg16(vb[r * 2 + 1], ptr + 64);
    }
}

__device__ __forceinline__ void load_q(uint32_t (&qf)[4][4], const __half* q, unsigned qoff, int qn,
                                       int rs, int g, int t) {
    if (g < qn) {
        const __half* qp = q + (size_t)(qoff + (unsigned)(g * rs)) + t * 8;
#pragma unroll
        for (int i = 0; i < 4; i++) ldg16(qf[i], qp + 32 * i);
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++) {
#pragma unroll
            for (int j = 0; j < 4; j++) qf[i][j] = 0u;
        }
    }
}

__device__ __forceinline__ void write_out(__half* out, unsigned qoff, int rs, int qq, int dd,
                                          const float (&acc)[8], float L) {
    const float inv = 1.f / L;
    uint4 r;
    r.x = h2u(__floats2half2_rn(acc[0] * inv, acc[1] * inv));
    r.y = h2u(__floats2half2_rn(acc[2] * inv, acc[3] * inv));
    r.z = h2u(__floats2half2_rn(acc[4] * inv, acc[5] * inv));
    r.w = h2u(__floats2half2_rn(acc[6] * inv, acc[7] * inv));
    *reinterpret_cast<uint4*>(out + (size_t)(qoff + (unsigned)(qq * rs)) + dd) = r;
}

// UT: unsigned type that holds (number of work units) * (number of warps)
template <typename UT>
__global__ void __launch_bounds__(NW * 32, 1)
verify_attn_128(const __half* __restrict__ q, const __half* __restrict__ k_new,
                const __half* __restrict__ v_new, __half* k_cache, __half* v_cache,
                const int* __restrict__ seq_lens, const int* __restrict__ token_nums,
                __half* __restrict__ out, int B, int H, int L_max) {
    extern __shared__ __align__(16) float s_o[];  // [NW][2][8][OSTR]
    __shared__ UT s_up[1001];
    __shared__ int s_tp[1001];
    __shared__ int s_seq[1001];
    __shared__ float2 s_ml[NW * 2 * 8];
    __shared__ int s_valid[NW + 1], s_wlast[NW + 1], s_qn[NW + 1], s_fb[NW + 1], s_lb[NW + 1];
    __shared__ unsigned s_qoff[NW + 1];
    __shared__ int s_p1;
    __shared__ int s_last[2];

    const int tid = threadIdx.x;
    const int lane = tid & 31;
    const int warp = tid >> 5;
    const int g = lane >> 2;
    const int t = lane & 3;
    const int cta = blockIdx.x;

    if (warp == 0) {
        UT run = 0;
        int trun = 0;
        for (int base = 0; base < B; base += 32) {
            const int i = base + lane;
            int sl = 0, tk = 0;
            if (i < B) {
                sl = seq_lens[i];
                tk = token_nums[i];
            }
            UT n = 0;
            if (tk > 0) n = (UT)((tk + 7) >> 3) * (UT)((sl + tk + 15) >> 4) * (UT)H;
            UT iu = n;
            int it = tk;
#pragma unroll
            for (int d = 1; d < 32; d <<= 1) {
                UT xu = __shfl_up_sync(0xffffffffu, iu, d);
                int xt = __shfl_up_sync(0xffffffffu, it, d);
                if (lane >= d) {
                    iu += xu;
                    it += xt;
                }
            }
            if (i < B) {
                s_up[i] = run + iu - n;
                s_tp[i] = trun + it - tk;
                s_seq[i] = sl;
            }
            run += __shfl_sync(0xffffffffu, iu, 31);
            trun += __shfl_sync(0xffffffffu, it, 31);
        }
        if (lane == 0) {
            s_up[B] = run;
            s_tp[B] = trun;
        }
    } else if (warp == 1) {
        if (lane < NW + 1) s_valid[lane] = 0;
        if (lane == 31) s_p1 = -1;
    }
    __syncthreads();

    const UT U = s_up[B];
    if (U == 0) return;
    const UT G = (U < (UT)(NBLK * NW)) ? U : (UT)(NBLK * NW);
    if ((UT)(cta * NW) >= G) return;

    const int rs = H * 128;
    const int W = cta * NW + warp;

    if ((UT)W < G) {
        UT u = (UT)W * U / G;
        int rem = (int)((UT)(W + 1) * U / G - u);

        int b;
        {
            int lo = 0, hi = B - 1;
            while (lo < hi) {
                int mid = (lo + hi) >> 1;
                if (s_up[mid + 1] > u) hi = mid;
                else lo = mid + 1;
            }
            b = lo;
        }

        const float sc = 1.4426950408889634f * 0.08838834764831845f;  // log2(e) / sqrt(128)

        // the current segment: a run of chunks of one item (sample, head, tile of 8 queries)
        int seq = 0, nlast = 0, app0 = 0, app1 = 0, p0 = 0, left = 0, mode = 0, segC = 0;
        unsigned offc = 0, offn = 0, qoff = 0;

        auto setup = [&]() {
            while (s_up[b + 1] <= u) b++;
            seq = s_seq[b];
            const int t0 = s_tp[b];
            const int tok = s_tp[b + 1] - t0;
            const int C = (seq + tok + 15) >> 4;
            const int nt = (tok + 7) >> 3;
            const UT rr = u - s_up[b];
            const int item = (int)(rr / (UT)C);
            const int c0 = (int)(rr - (UT)item * (UT)C);
            left = min(rem, C - c0);
            const int h = (nt == 1) ? item : (int)((unsigned)item / (unsigned)nt);
            const int q0 = (item - h * nt) * 8;
            nlast = seq + tok - 1;
            app0 = seq + q0;
            app1 = app0 + min(8, tok - q0);
            p0 = c0 * 16;
            segC = C;
            offc = (unsigned)(b * H + h) * (unsigned)L_max * 128u;
            offn = (unsigned)(t0 * H + h) * 128u;
            qoff = (unsigned)((t0 + q0) * H + h) * 128u;
            mode = (c0 != 0) ? 0 : ((left == C) ? 2 : 1);
        };
        // announce an item to the block's merge step; moves u past the segment
        auto entry = [&]() {
            if (mode == 1 || (mode == 0 && warp == 0)) {
                const int c0 = p0 >> 4;
                const UT us = u - (UT)c0;
                const int first = (mode == 1) ? W : (int)(((us + 1) * G - 1) / U);
                const int last = (c0 + left == segC) ? W : (int)(((us + (UT)segC) * G - 1) / U);
                if (lane == 0) {
                    const int e = (mode == 1) ? 1 + warp : 0;
                    const int lb = last / NW;
                    s_valid[e] = 1;
                    s_wlast[e] = min(last - cta * NW, NW - 1);
                    s_qn[e] = app1 - app0;
                    s_qoff[e] = qoff;
                    s_fb[e] = first / NW;
                    s_lb[e] = lb;
                    if (mode == 1 && lb > cta) s_p1 = e;
                }
            }
            u += (UT)left;
        };

        uint32_t kb[8][4], vb[8][4], qf[4][4];
        setup();
        load_k(kb, k_cache, k_new, offc, offn, p0, seq, nlast, rs, g, t);
        load_q(qf, q, qoff, app1 - app0, rs, g, t);
        load_v(vb, v_cache, v_new, offc, offn, p0, seq, nlast, rs, g, t);
        entry();

        float o[8][4];
#pragma unroll
        for (int i = 0; i < 8; i++) {
#pragma unroll
            for (int j = 0; j < 4; j++) o[i][j] = 0.f;
        }
        float m0 = -1e30f, m1 = -1e30f, l0 = 0.f, l1 = 0.f;

        while (true) {
            // what is still needed of this chunk after the state moves on
            const int o_p0 = p0, o_app0 = app0, o_app1 = app1, o_mode = mode;
            const unsigned o_offc = offc, o_qoff = qoff;
            const bool edge = (o_p0 + 15 >= o_app0);
            const bool fin = (left == 1);

            float sA[4] = {0.f, 0.f, 0.f, 0.f};
            float sB[4] = {0.f, 0.f, 0.f, 0.f};
#pragma unroll
            for (int i = 0; i < 4; i++) {
                mma16816(sA, kb[i][0], kb[4 + i][0], kb[i][1], kb[4 + i][1], qf[i][0], qf[i][1]);
                mma16816(sB, kb[i][2], kb[4 + i][2], kb[i][3], kb[4 + i][3], qf[i][2], qf[i][3]);
            }
            if (edge) {
#pragma unroll
                for (int r = 0; r < 2; r++) {
                    const int p = o_p0 + g + 8 * r;
                    if (p >= o_app0 && p < o_app1) {
                        __half* dst = k_cache + (size_t)(o_offc + (unsigned)p * 128u) + t * 8;
#pragma unroll
                        for (int i = 0; i < 4; i++)
                            *reinterpret_cast<uint4*>(dst + 32 * i) =
                                make_uint4(kb[r * 4 + i][0], kb[r * 4 + i][1], kb[r * 4 + i][2],
                                           kb[r * 4 + i][3]);
                    }
                }
            }
            rem--;
            const bool more = rem > 0;
            if (more) {
                if (fin) {
                    setup();
                    load_q(qf, q, qoff, app1 - app0, rs, g, t);
                } else {
                    p0 += 16;
                    left--;
                }
                load_k(kb, k_cache, k_new, offc, offn, p0, seq, nlast, rs, g, t);
                if (fin) entry();
            }

            float s0 = (sA[0] + sB[0]) * sc;
            float s1 = (sA[1] + sB[1]) * sc;
            float s2 = (sA[2] + sB[2]) * sc;
            float s3 = (sA[3] + sB[3]) * sc;
            if (edge) {
                const float ninf = __int_as_float(0xff800000);
                const int lim0 = o_app0 + 2 * t;  // last position query 2t may see
                const int pa = o_p0 + g, pb = o_p0 + g + 8;
                if (pa > lim0) s0 = ninf;
                if (pa > lim0 + 1) s1 = ninf;
                if (pb > lim0) s2 = ninf;
                if (pb > lim0 + 1) s3 = ninf;
            }
            float x0 = fmaxf(s0, s2), x1 = fmaxf(s1, s3);
#pragma unroll
            for (int d = 4; d < 32; d <<= 1) {
                x0 = fmaxf(x0, __shfl_xor_sync(0xffffffffu, x0, d));
                x1 = fmaxf(x1, __shfl_xor_sync(0xffffffffu, x1, d));
            }
            const float n0 = fmaxf(m0, x0), n1 = fmaxf(m1, x1);
            const float f0 = exp2f(m0 - n0), f1 = exp2f(m1 - n1);
            m0 = n0;
            m1 = n1;
            // weights are scaled by 2^8 throughout (numerator and denominator alike)
            const float e0 = n0 - 8.f, e1 = n1 - 8.f;
            s0 = exp2f(s0 - e0);
            s1 = exp2f(s1 - e1);
            s2 = exp2f(s2 - e0);
            s3 = exp2f(s3 - e1);
            l0 = l0 * f0 + (s0 + s2);
            l1 = l1 * f1 + (s1 + s3);

            __half2 ha = __floats2half2_rn(s0, s1);
            __half2 hb = __floats2half2_rn(s2, s3);
            float2 fa = __half22float2(ha);
            float2 fb = __half22float2(hb);
            __half2 la = __floats2half2_rn(s0 - fa.x, s1 - fa.y);
            __half2 lb = __floats2half2_rn(s2 - fb.x, s3 - fb.y);
            const uint32_t bh0 = movtrans(h2u(ha));
            const uint32_t bh1 = movtrans(h2u(hb));
            const uint32_t bl0 = movtrans(h2u(la));
            const uint32_t bl1 = movtrans(h2u(lb));

            if (__any_sync(0xffffffffu, (f0 != 1.f) || (f1 != 1.f))) {
#pragma unroll
                for (int i = 0; i < 8; i++) {
                    o[i][0] *= f0;
                    o[i][1] *= f1;
                    o[i][2] *= f0;
                    o[i][3] *= f1;
                }
            }

#pragma unroll
            for (int hf = 0; hf < 2; hf++) {
#pragma unroll
                for (int w = 0; w < 4; w++) {
                    uint32_t a0 = __byte_perm(vb[0 + hf][w], vb[2 + hf][w], 0x5410);
                    uint32_t a1 = __byte_perm(vb[0 + hf][w], vb[2 + hf][w], 0x7632);
                    uint32_t a2 = __byte_perm(vb[4 + hf][w], vb[6 + hf][w], 0x5410);
                    uint32_t a3 = __byte_perm(vb[4 + hf][w], vb[6 + hf][w], 0x7632);
                    mma16816(o[hf * 4 + w], a0, a1, a2, a3, bh0, bh1);
                    mma16816(o[hf * 4 + w], a0, a1, a2, a3, bl0, bl1);
                }
            }
            if (edge) {
#pragma unroll
                for (int r = 0; r < 4; r++) {
                    const int p = o_p0 + 2 * t + (r & 1) + (r >> 1) * 8;
                    if (p >= o_app0 && p < o_app1) {
                        __half* dst = v_cache + (size_t)(o_offc + (unsigned)p * 128u) + g * 8;
                        *reinterpret_cast<uint4*>(dst) =
                            make_uint4(vb[r * 2][0], vb[r * 2][1], vb[r * 2][2], vb[r * 2][3]);
                        *reinterpret_cast<uint4*>(dst + 64) =
                            make_uint4(vb[r * 2 + 1][0], vb[r * 2 + 1][1], vb[r * 2 + 1][2],
                                       vb[r * 2 + 1][3]);
                    }
                }
            }
            if (more) load_v(vb, v_cache, v_new, offc, offn, p0, seq, nlast, rs, g, t);

            if (fin) {
#pragma unroll
                for (int d = 4; d < 32; d <<= 1) {
                    l0 += __shfl_xor_sync(0xffffffffu, l0, d);
                    l1 += __shfl_xor_sync(0xffffffffu, l1, d);
                }
                if (o_mode == 2) {
                    // the whole item was this warp's
                    const int qn = o_app1 - o_app0;
                    const float i0 = 1.f / l0, i1 = 1.f / l1;
#pragma unroll
                    for (int hf = 0; hf < 2; hf++) {
                        const int i = hf * 4;
                        const int d = 64 * hf + 8 * g;
                        if (2 * t < qn) {
                            uint4 r;
                            r.x = h2u(__floats2half2_rn(o[i][0] * i0, o[i][2] * i0));
                            r.y = h2u(__floats2half2_rn(o[i + 1][0] * i0, o[i + 1][2] * i0));
                            r.z = h2u(__floats2half2_rn(o[i + 2][0] * i0, o[i + 2][2] * i0));
                            r.w = h2u(__floats2half2_rn(o[i + 3][0] * i0, o[i + 3][2] * i0));
                            *reinterpret_cast<uint4*>(
                                out + (size_t)(o_qoff + (unsigned)(2 * t * rs)) + d) = r;
                        }
                        if (2 * t + 1 < qn) {
                            uint4 r;
                            r.x = h2u(__floats2half2_rn(o[i][1] * i1, o[i][3] * i1));
                            r.y = h2u(__floats2half2_rn(o[i + 1][1] * i1, o[i + 1][3] * i1));
                            r.z = h2u(__floats2half2_rn(o[i + 2][1] * i1, o[i + 2][3] * i1));
                            r.w = h2u(__floats2half2_rn(o[i + 3][1] * i1, o[i + 3][3] * i1));
                            *reinterpret_cast<uint4*>(
                                out + (size_t)(o_qoff + (unsigned)((2 * t + 1) * rs)) + d) = r;
                        }
                    }
                } else {
                    const int slot = warp * 2 + o_mode;
                    if (g == 0) {
                        s_ml[slot * 8 + 2 * t] = make_float2(m0, l0);
                        s_ml[slot * 8 + 2 * t + 1] = make_float2(m1, l1);
                    }
                    float* so = s_o + slot * SLOT + 2 * t * OSTR;
#pragma unroll
                    for (int hf = 0; hf < 2; hf++) {
#pragma unroll
                        for (int w = 0; w < 4; w += 2) {
                            const int d = 64 * hf + 8 * g + 2 * w;
                            const int i = hf * 4 + w;
                            *reinterpret_cast<float4*>(so + d) =
                                make_float4(o[i][0], o[i][2], o[i + 1][0], o[i + 1][2]);
                            *reinterpret_cast<float4*>(so + OSTR + d) =
                                make_float4(o[i][1], o[i][3], o[i + 1][1], o[i + 1][3]);
                        }
                    }
                }
                if (!more) break;
#pragma unroll
                for (int i = 0; i < 8; i++) {
#pragma unroll
                    for (int j = 0; j < 4; j++) o[i][j] = 0.f;
                }
                m0 = -1e30f;
                m1 = -1e30f;
                l0 = 0.f;
                l1 = 0.f;
            }
        }
    }
    __syncthreads();

    // merge the warps of this block, one item per group of 128 threads
    const int grp = tid >> 7;
    const int qq = (tid & 127) >> 4;
    const int dd = (tid & 15) * 8;
    for (int e = grp; e < NW + 1; e += NW / 4) {
        if (!s_valid[e]) continue;
        const int wl = (e == 0) ? 0 : e - 1;
        const int we = s_wlast[e];
        const int slot0 = (e == 0) ? 0 : wl * 2 + 1;
        float M = s_ml[slot0 * 8 + qq].x;
        for (int w = wl + 1; w <= we; w++) M = fmaxf(M, s_ml[w * 16 + qq].x);
        float L = 0.f;
        float acc[8];
#pragma unroll
        for (int j = 0; j < 8; j++) acc[j] = 0.f;
#pragma unroll 2
        for (int w = wl; w <= we; w++) {
            const int sl = (w == wl) ? slot0 : w * 2;
            const float2 ml = s_ml[sl * 8 + qq];
            const float f = exp2f(ml.x - M);
            const float* so = s_o + sl * SLOT + qq * OSTR + dd;
            const float4 a = *reinterpret_cast<const float4*>(so);
            const float4 c = *reinterpret_cast<const float4*>(so + 4);
            L += ml.y * f;
            acc[0] += a.x * f;
            acc[1] += a.y * f;
            acc[2] += a.z * f;
            acc[3] += a.w * f;
            acc[4] += c.x * f;
            acc[5] += c.y * f;
            acc[6] += c.z * f;
            acc[7] += c.w * f;
        }
        if (s_fb[e] == s_lb[e]) {
            if (qq < s_qn[e]) write_out(out, s_qoff[e], rs, qq, dd, acc, L);
        } else {
            const int gs = cta * 2 + ((e == 0) ? 0 : 1);
            float4* dst = reinterpret_cast<float4*>(g_part + (gs * 8 + qq) * 128 + dd);
            __stcg(dst, make_float4(acc[0], acc[1], acc[2], acc[3]));
            __stcg(dst + 1, make_float4(acc[4], acc[5], acc[6], acc[7]));
            if ((tid & 15) == 0) __stcg(&g_ml[gs * 8 + qq], make_float2(M, L));
        }
    }

    // items shared with other blocks: entry 0 (began earlier) and entry s_p1 (ends later)
    const int v0 = s_valid[0];
    const int p1 = s_p1;
    if (!v0 && p1 < 0) return;
    __threadfence();
    __syncthreads();
    if ((tid & 127) == 0 && grp < 2) {
        int is_last = 0;
        const int e = (grp == 0) ? (v0 ? 0 : -1) : p1;
        if (e >= 0) {
            const int fb = s_fb[e];
            const unsigned int n = (unsigned int)(s_lb[e] - fb);
            const unsigned int old = atomicAdd(&g_cnt[fb], 1u);
            __threadfence();
            if (old == n) {
                is_last = 1;
                atomicExch(&g_cnt[fb], 0u);
            }
        }
        s_last[grp] = is_last;
    }
    __syncthreads();
    if (grp < 2 && s_last[grp]) {
        __threadfence();
        const int e = (grp == 0) ? 0 : p1;
        const int first = s_fb[e];
        const int last = s_lb[e];
        float M = -1e30f, L = 0.f;
        float acc[8];
#pragma unroll
        for (int j = 0; j < 8; j++) acc[j] = 0.f;
#pragma unroll 4
        for (int cc = first; cc <= last; cc++) {
            const int sl = cc * 2 + ((cc == first) ? 1 : 0);
            const float2 pm = __ldcg(&g_ml[sl * 8 + qq]);
            const float4* src =
                reinterpret_cast<const float4*>(g_part + (sl * 8 + qq) * 128 + dd);
            const float4 a = __ldcg(src);
            const float4 c = __ldcg(src + 1);
            const float N = fmaxf(M, pm.x);
            const float fo = exp2f(M - N);
            const float fn = exp2f(pm.x - N);
            M = N;
            L = L * fo + pm.y * fn;
            acc[0] = acc[0] * fo + a.x * fn;
            acc[1] = acc[1] * fo + a.y * fn;
            acc[2] = acc[2] * fo + a.z * fn;
            acc[3] = acc[3] * fo + a.w * fn;
            acc[4] = acc[4] * fo + c.x * fn;
            acc[5] = acc[5] * fo + c.y * fn;
            acc[6] = acc[6] * fo + c.z * fn;
            acc[7] = acc[7] * fo + c.w * fn;
        }
        if (qq < s_qn[e]) write_out(out, s_qoff[e], rs, qq, dd, acc, L);
    }
}

// ---------------------------------------------------------------- any width

// Sample that owns packed token t, and the token's index within it (whole warp).
__device__ __forceinline__ void find_sample(const int* __restrict__ token_nums, int B, int t,
                                            int& b, int& s) {
    const int lane = threadIdx.x & 31;
    int run = 0;
    b = -1;
    s = 0;
    for (int base = 0; base < B; base += 32) {
        int i = base + lane;
        int v = (i < B) ? token_nums[i] : 0;
        int inc = v;
        for (int d = 1; d < 32; d <<= 1) {
            int x = __shfl_up_sync(0xffffffffu, inc, d);
            if (lane >= d) inc += x;
        }
        unsigned int bal = __ballot_sync(0xffffffffu, run + inc > t);
        if (bal) {
            int k = __ffs(bal) - 1;
            int start = run + __shfl_sync(0xffffffffu, inc - v, k);
            b = base + k;
            s = t - start;
            return;
        }
        run += __shfl_sync(0xffffffffu, inc, 31);
    }
}

__global__ void __launch_bounds__(64)
append_any(const __half* __restrict__ k_new, const __half* __restrict__ v_new, __half* k_cache,
           __half* v_cache, const int* __restrict__ seq_lens, const int* __restrict__ token_nums,
           int B, int H, int Dh, int L_max) {
    const int t = blockIdx.x / H;
    const int h = blockIdx.x - t * H;
    int b, s;
    find_sample(token_nums, B, t, b, s);
    if (b < 0) return;
    const int n = seq_lens[b] + s;
    const size_t src = ((size_t)t * H + h) * Dh;
    const size_t dst = (((size_t)b * H + h) * L_max + n) * Dh;
    for (int j = threadIdx.x; j < Dh; j += blockDim.x) {
        k_cache[dst + j] = k_new[src + j];
        v_cache[dst + j] = v_new[src + j];
    }
}

__global__ void __launch_bounds__(256)
attend_any(const __half* __restrict__ q, const __half* __restrict__ k_cache,
           const __half* __restrict__ v_cache, const int* __restrict__ seq_lens,
           const int* __restrict__ token_nums, __half* __restrict__ out, int B, int H, int Dh,
           int L_max) {
    __shared__ float s_acc[8][256];
    __shared__ float s_m[8], s_l[8];
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    const int t = blockIdx.x / H;
    const int h = blockIdx.x - t * H;
    int b, s;
    find_sample(token_nums, B, t, b, s);
    if (b < 0) return;
    const int n = seq_lens[b] + s;
    const size_t qo = ((size_t)t * H + h) * Dh;
    const size_t base = ((size_t)b * H + h) * (size_t)L_max * Dh;
    const float sc = 1.4426950408889634f / sqrtf((float)Dh);

    float qv[8], acc[8];
#pragma unroll
    for (int k = 0; k < 8; k++) {
        int j = lane + 32 * k;
        qv[k] = (j < Dh) ? __half2float(q[qo + j]) : 0.f;
        acc[k] = 0.f;
    }
    float m = -1e30f, l = 0.f;
    for (int p = warp; p <= n; p += 8) {
        const __half* kp = k_cache + base + (size_t)p * Dh;
        const __half* vp = v_cache + base + (size_t)p * Dh;
        float x = 0.f;
        float vv[8];
#pragma unroll
        for (int k = 0; k < 8; k++) {
            int j = lane + 32 * k;
            vv[k] = 0.f;
            if (j < Dh) {
                x += qv[k] * __half2float(kp[j]);
                vv[k] = __half2float(vp[j]);
            }
        }
#pragma unroll
        for (int d = 16; d > 0; d >>= 1) x += __shfl_xor_sync(0xffffffffu, x, d);
        x *= sc;
        const float nm = fmaxf(m, x);
        const float f = exp2f(m - nm);
        const float e = exp2f(x - nm);
        m = nm;
        l = l * f + e;
#pragma unroll
        for (int k = 0; k < 8; k++) acc[k] = acc[k] * f + e * vv[k];
    }
#pragma unroll
    for (int k = 0; k < 8; k++) s_acc[warp][lane + 32 * k] = acc[k];
    if (lane == 0) {
        s_m[warp] = m;
        s_l[warp] = l;
    }
    __syncthreads();
    const int j = threadIdx.x;
    if (j < Dh) {
        float M = -1e30f;
        for (int w = 0; w < 8; w++) M = fmaxf(M, s_m[w]);
        float L = 0.f, a = 0.f;
        for (int w = 0; w < 8; w++) {
            const float f = exp2f(s_m[w] - M);
            L += s_l[w] * f;
            a += s_acc[w][j] * f;
        }
        out[qo + j] = __float2half_rn(a / L);
    }
}

extern "C" void solve(const __half* q, const __half* k_new, const __half* v_new, __half* k_cache,
                      __half* v_cache, const int* seq_lens, const int* token_nums, __half* out,
                      int B, int T, int H, int Dh, int L_max) {
    if (T <= 0 || B <= 0) return;
    if (Dh == 128) {
        // upper bound of the work units, times the number of warps
        const unsigned long long bound = ((unsigned long long)T / 8 + (unsigned long long)B) *
                                         ((unsigned long long)L_max / 16 + 1) *
                                         (unsigned long long)H * (NBLK * NW + 1);
        if (bound < 4000000000ull) {
            cudaFuncSetAttribute(verify_attn_128<unsigned int>,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, DYN_SMEM);
            verify_attn_128<unsigned int><<<NBLK, NW * 32, DYN_SMEM>>>(
                q, k_new, v_new, k_cache, v_cache, seq_lens, token_nums, out, B, H, L_max);
        } else {
            cudaFuncSetAttribute(verify_attn_128<unsigned long long>,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, DYN_SMEM);
            verify_attn_128<unsigned long long><<<NBLK, NW * 32, DYN_SMEM>>>(
                q, k_new, v_new, k_cache, v_cache, seq_lens, token_nums, out, B, H, L_max);
        }
    } else {
        const unsigned int nb = (unsigned int)((long long)T * H);
        append_any<<<nb, 64>>>(k_new, v_new, k_cache, v_cache, seq_lens, token_nums, B, H, Dh,
                               L_max);
        attend_any<<<nb, 256>>>(q, k_cache, v_cache, seq_lens, token_nums, out, B, H, Dh, L_max);
    }
}
