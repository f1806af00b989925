// SPDX-License-Identifier: Apache-2.0
// task: span_attention
// rules: free
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-17
// commit: cbc509e
// made by: warpwright 0.2.0
// model: a fresh language-model instance
// run: span_attention-1 r2.c1
// median us: B=1,half of 4096 19.63, B=1,all of 4096 29.41, B=4,tenth of 8192 26.24, B=16,half of 4096 144.11, B=16,all of 4096 260.93
// sha256: c8ec280ba6ecc89770535d1957175434480788685bd23ceb66540876bb344c1d

#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <stdint.h>
#include <math.h>

#define NT 256
#define NW 8
#define UR 4
#define TILE 2048
#define MAXPART 8192
#define MNEG (-1e30f)

// ring kernel (Dh == 128)
#define RROWS 32
#define RST 6
#define RNCW 8
#define RNT (RNCW * 32 + 32)
#define RSTAGE_BYTES (RROWS * 512)
#define RMAXN 1024

__device__ float        g_part[MAXPART * 256];
__device__ float2       g_ml[MAXPART];
__device__ unsigned int g_cnt[MAXPART];

__device__ float        r_part[RMAXN * 2 * 128];
__device__ float2       r_ml[RMAXN * 2];
__device__ unsigned int r_cnt[32768];

__device__ __forceinline__ float ex2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ __forceinline__ uint4 ldpred(const __half* p, int pred) {
    uint4 v;
    asm volatile(
        "{\n\t"
        ".reg .pred pp;\n\t"
        "setp.ne.s32 pp, %5, 0;\n\t"
        "mov.u32 %0, 0;\n\t"
        "mov.u32 %1, 0;\n\t"
        "mov.u32 %2, 0;\n\t"
        "mov.u32 %3, 0;\n\t"
        "@pp ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];\n\t"
        "}\n"
        : "=&r"(v.x), "=&r"(v.y), "=&r"(v.z), "=&r"(v.w)
        : "l"(p), "r"(pred));
    return v;
}

// MODE 1: Dh % 8 == 0; MODE 2: any Dh
template <int MODE>
__device__ __forceinline__ uint4 load8(const __half* base, int off, bool valid, int rem) {
    if (MODE == 1) {
        return ldpred(base + off, (valid && rem > 0) ? 1 : 0);
    } else {
        unsigned int h[8];
        const unsigned short* p = reinterpret_cast<const unsigned short*>(base) + off;
#pragma unroll
        for (int e = 0; e < 8; e++) {
            h[e] = 0;
            if (valid && e < rem) h[e] = (unsigned int)__ldg(p + e);
        }
        uint4 v;
        v.x = h[0] | (h[1] << 16);
        v.y = h[2] | (h[3] << 16);
        v.z = h[4] | (h[5] << 16);
        v.w = h[6] | (h[7] << 16);
        return v;
    }
}

__device__ __forceinline__ float2 h2f(unsigned int x) {
    __half2 h = *reinterpret_cast<__half2*>(&x);
    return __half22float2(h);
}

__device__ __forceinline__ float dot8(const uint4& k, const float* q) {
    float2 a = h2f(k.x), b = h2f(k.y), c = h2f(k.z), d = h2f(k.w);
    float s = a.x * q[0];
    s = fmaf(a.y, q[1], s);
    s = fmaf(b.x, q[2], s);
    s = fmaf(b.y, q[3], s);
    s = fmaf(c.x, q[4], s);
    s = fmaf(c.y, q[5], s);
    s = fmaf(d.x, q[6], s);
    s = fmaf(d.y, q[7], s);
    return s;
}

__device__ __forceinline__ void axpy8(const uint4& v, float p, float* acc) {
    float2 a = h2f(v.x), b = h2f(v.y), c = h2f(v.z), d = h2f(v.w);
    acc[0] = fmaf(p, a.x, acc[0]);
    acc[1] = fmaf(p, a.y, acc[1]);
    acc[2] = fmaf(p, b.x, acc[2]);
    acc[3] = fmaf(p, b.y, acc[3]);
    acc[4] = fmaf(p, c.x, acc[4]);
    acc[5] = fmaf(p, c.y, acc[5]);
    acc[6] = fmaf(p, d.x, acc[6]);
    acc[7] = fmaf(p, d.y, acc[7]);
}

// ---------------------------------------------------------------------------
// mbarrier / bulk copy helpers
// ---------------------------------------------------------------------------
__device__ __forceinline__ uint32_t smem_u32(const void* p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void mbar_init(uint32_t bar, uint32_t cnt) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(cnt) : "memory");
}
__device__ __forceinline__ void mbar_arrive(uint32_t bar) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
}
__device__ __forceinline__ void mbar_arrive_tx(uint32_t bar, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes)
                 : "memory");
}
__device__ __forceinline__ void mbar_wait(uint32_t bar, uint32_t parity) {
    uint32_t done;
    do {
        asm volatile(
            "{\n\t"
            ".reg .pred pw;\n\t"
            "mbarrier.try_wait.parity.shared::cta.b64 pw, [%1], %2;\n\t"
            "selp.u32 %0, 1, 0, pw;\n\t"
            "}\n"
            : "=r"(done)
            : "r"(bar), "r"(parity)
            : "memory");
    } while (!done);
}
__device__ __forceinline__ void bulk_g2s(uint32_t dst, const void* src, uint32_t bytes,
                                         uint32_t bar) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
        ::"r"(dst), "l"(src), "r"(bytes), "r"(bar)
        : "memory");
}
__device__ __forceinline__ void cons_sync() {
    asm volatile("bar.sync 1, 256;" ::: "memory");
}

// ---------------------------------------------------------------------------
// Dh == 128: producer warp + 8 consumer warps over a ring of bulk copies.
// Block i takes the part [BH*i/N, BH*(i+1)/N) of the axis of heads.
// ---------------------------------------------------------------------------
__global__ void __launch_bounds__(RNT, 2)
span_ring(const __half* __restrict__ q, const __half* __restrict__ kc,
          const __half* __restrict__ vc, const int* __restrict__ span_start,
          const int* __restrict__ span_len, const int* __restrict__ span_offsets,
          __half* __restrict__ out, int BH, int H, int L_max, float scale) {
    extern __shared__ __align__(128) unsigned char ring[];
    __shared__ __align__(16) float s_acc[RNCW][128];
    __shared__ float s_m[RNCW];
    __shared__ float s_l[RNCW];
    __shared__ int s_last;
    __shared__ int s_meta[RST];
    __shared__ __align__(8) unsigned long long s_full[RST];
    __shared__ __align__(8) unsigned long long s_empty[RST];

    const int tid = threadIdx.x;
    const int lane = tid & 31;
    const int warp = tid >> 5;

    const int N = (int)gridDim.x;
    const int bi = (int)blockIdx.x;
    const int x0 = BH * bi;
    const int x1 = x0 + BH;
    const int h0 = x0 / N;
    const int h1 = (x1 - 1) / N;

    const uint32_t ring_a = smem_u32(ring);
    const uint32_t full_a = smem_u32(s_full);
    const uint32_t empty_a = smem_u32(s_empty);

    if (tid == 0) {
        for (int i = 0; i < RST; i++) {
            mbar_init(full_a + i * 8, 1);
            mbar_init(empty_a + i * 8, RNCW);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
    }

    if (warp == RNCW) {
        // ------------------------------ producer ------------------------------
        int curb = h0 / H;
        int so = __ldg(span_offsets + curb);
        int ns = __ldg(span_offsets + curb + 1) - so;
        int len0 = 0, st0 = 0;
        if (lane < ns) {
            len0 = __ldg(span_len + so + lane);
            st0 = __ldg(span_start + so + lane);
        }
        __syncthreads();

        const int f0 = x0 - h0 * N;
        const int f1 = x1 - h1 * N;
        int stage = 0;
        uint32_t ph = 1;  // parity for the empty barriers: first pass falls through
        int total = -1;

        for (int head = h0; head <= h1; head++) {
            const int b = head / H;
            if (b != curb) {
                curb = b;
                so = __ldg(span_offsets + b);
                ns = __ldg(span_offsets + b + 1) - so;
                len0 = 0;
                st0 = 0;
                if (lane < ns) {
                    len0 = __ldg(span_len + so + lane);
                    st0 = __ldg(span_start + so + lane);
                }
                total = -1;
            }
            if (total < 0) {
                total = len0;
                for (int i = lane + 32; i < ns; i += 32) total += __ldg(span_len + so + i);
#pragma unroll
                for (int o = 16; o > 0; o >>= 1)
                    total += __shfl_xor_sync(0xffffffffu, total, o);
            }
            const int r0 = (head == h0) ? (int)(((long long)total * f0) / N) : 0;
            const int r1 = (head == h1) ? (int)(((long long)total * f1) / N) : total;

            if (r0 >= r1) {
                mbar_wait(empty_a + stage * 8, ph);
                if (lane == 0) {
                    s_meta[stage] = 1 << 16;
                    mbar_arrive(full_a + stage * 8);
                }
                if (++stage == RST) {
                    stage = 0;
                    ph ^= 1;
                }
                __syncwarp();
                continue;
            }

            const size_t hb = (size_t)head * (size_t)L_max * 128;
            int cur = r0, fill = 0, n = 0, run = 0;
            for (int c0 = 0; c0 < ns; c0 += 32) {
                int ln = len0, st = st0;
                if (c0 != 0) {
                    ln = 0;
                    st = 0;
                    if (c0 + lane < ns) {
                        ln = __ldg(span_len + so + c0 + lane);
                        st = __ldg(span_start + so + c0 + lane);
                    }
                }
                int incl = ln;
#pragma unroll
                for (int o = 1; o < 32; o <<= 1) {
                    const int y = __shfl_up_sync(0xffffffffu, incl, o);
                    if (lane >= o) incl += y;
                }
                const int pre = run + incl - ln;
                const bool ov = (ln > 0) && (pre < r1) && (pre + ln > r0);
                unsigned int mask = __ballot_sync(0xffffffffu, ov);
                while (mask) {
                    const int j = __ffs(mask) - 1;
                    mask &= mask - 1;
                    const int pj = __shfl_sync(0xffffffffu, pre, j);
                    const int lj = __shfl_sync(0xffffffffu, ln, j);
                    const int sj = __shfl_sync(0xffffffffu, st, j);
                    const int lo = max(pj, r0);
                    const int hi = min(pj + lj, r1);
                    int len = hi - lo;
                    size_t src = hb + (size_t)(sj + lo - pj) * 128;
                    while (len > 0) {
                        const uint32_t fb = full_a + stage * 8;
                        if (fill == 0) {
                            n = min(RROWS, r1 - cur);
                            mbar_wait(empty_a + stage * 8, ph);
                            if (lane == 0) {
                                s_meta[stage] = n | ((cur + n == r1) ? (1 << 16) : 0);
                                mbar_arrive_tx(fb, (uint32_t)n * 512u);
                            }
                        }
                        const int take = min(len, n - fill);
                        if (lane == 0) {
                            const uint32_t dst = ring_a + stage * RSTAGE_BYTES + fill * 256;
                            bulk_g2s(dst, kc + src, (uint32_t)take * 256u, fb);
                            bulk_g2s(dst + RROWS * 256, vc + src, (uint32_t)take * 256u, fb);
                        }
                        fill += take;
                        cur += take;
                        len -= take;
                        src += (size_t)take * 128;
                        if (fill == n) {
                            fill = 0;
                            if (++stage == RST) {
                                stage = 0;
                                ph ^= 1;
                            }
                        }
                    }
                    __syncwarp();
                }
                run += __shfl_sync(0xffffffffu, incl, 31);
                if (run >= r1) break;
            }
        }
        return;
    }

    // ------------------------------ consumers ------------------------------
    const int c = lane & 15;
    const int hf = lane >> 4;
    uint4 qn = __ldg(reinterpret_cast<const uint4*>(q + (size_t)h0 * 128 + c * 8));
    __syncthreads();

    int stage = 0;
    uint32_t ph = 0;
    const int row0 = warp * 4 + hf;

    for (int head = h0; head <= h1; head++) {
        float qf[8];
        {
            float2 t;
            t = h2f(qn.x); qf[0] = t.x; qf[1] = t.y;
            t = h2f(qn.y); qf[2] = t.x; qf[3] = t.y;
            t = h2f(qn.z); qf[4] = t.x; qf[5] = t.y;
            t = h2f(qn.w); qf[6] = t.x; qf[7] = t.y;
        }
        if (head < h1)
            qn = __ldg(reinterpret_cast<const uint4*>(q + (size_t)(head + 1) * 128 + c * 8));

        float acc[8];
#pragma unroll
        for (int e = 0; e < 8; e++) acc[e] = 0.f;
        float m = MNEG, l = 0.f;

        int last;
        do {
            mbar_wait(full_a + stage * 8, ph);
            const int meta = s_meta[stage];
            const int n = meta & 0xffff;
            last = meta >> 16;

            const unsigned char* base = ring + stage * RSTAGE_BYTES + row0 * 256 + c * 16;
            const uint4 k0 = *reinterpret_cast<const uint4*>(base);
            const uint4 k1 = *reinterpret_cast<const uint4*>(base + 512);
            uint4 v0 = *reinterpret_cast<const uint4*>(base + RROWS * 256);
            uint4 v1 = *reinterpret_cast<const uint4*>(base + RROWS * 256 + 512);

            const bool ok0 = row0 < n;
            const bool ok1 = row0 + 2 < n;
            float s0 = dot8(k0, qf);
            float s1 = dot8(k1, qf);
#pragma unroll
            for (int o = 8; o > 0; o >>= 1) {
                s0 += __shfl_xor_sync(0xffffffffu, s0, o);
                s1 += __shfl_xor_sync(0xffffffffu, s1, o);
            }
            if (!ok0) v0 = make_uint4(0u, 0u, 0u, 0u);
            if (!ok1) v1 = make_uint4(0u, 0u, 0u, 0u);
            s0 = ok0 ? s0 * scale : -INFINITY;
            s1 = ok1 ? s1 * scale : -INFINITY;
            const float mn = fmaxf(m, fmaxf(s0, s1));
            const float corr = ex2(m - mn);
            const float p0 = ex2(s0 - mn);
            const float p1 = ex2(s1 - mn);
            m = mn;
            l = fmaf(l, corr, p0 + p1);
#pragma unroll
            for (int e = 0; e < 8; e++) acc[e] *= corr;
            axpy8(v0, p0, acc);
            axpy8(v1, p1, acc);

            __syncwarp();
            if (lane == 0) mbar_arrive(empty_a + stage * 8);
            if (++stage == RST) {
                stage = 0;
                ph ^= 1;
            }
        } while (!last);

        // merge the two halves of the warp
        {
            const float mo = __shfl_xor_sync(0xffffffffu, m, 16);
            const float lo = __shfl_xor_sync(0xffffffffu, l, 16);
            const float mn = fmaxf(m, mo);
            const float wa = ex2(m - mn);
            const float wb = ex2(mo - mn);
            l = l * wa + lo * wb;
#pragma unroll
            for (int e = 0; e < 8; e++) {
                const float ao = __shfl_xor_sync(0xffffffffu, acc[e], 16);
                acc[e] = acc[e] * wa + ao * wb;
            }
            m = mn;
        }
        if (hf == 0) {
            float4* dst = reinterpret_cast<float4*>(&s_acc[warp][c * 8]);
            dst[0] = make_float4(acc[0], acc[1], acc[2], acc[3]);
            dst[1] = make_float4(acc[4], acc[5], acc[6], acc[7]);
        }
        if (lane == 0) {
            s_m[warp] = m;
            s_l[warp] = l;
        }
        cons_sync();

        float M = MNEG, Lsum = 0.f, a = 0.f;
        if (tid < 128) {
#pragma unroll
            for (int w = 0; w < RNCW; w++) M = fmaxf(M, s_m[w]);
#pragma unroll
            for (int w = 0; w < RNCW; w++) {
                const float wt = ex2(s_m[w] - M);
                Lsum = fmaf(wt, s_l[w], Lsum);
                a = fmaf(wt, s_acc[w][tid], a);
            }
        }

        // blocks that share this head
        const int b0 = (head * N) / BH;
        const int b1 = ((head + 1) * N - 1) / BH;
        const int np = b1 - b0 + 1;

        if (np == 1) {
            if (tid < 128) {
                const float r = (Lsum > 0.f) ? a / Lsum : 0.f;
                out[(size_t)head * 128 + tid] = __float2half_rn(r);
            }
        } else {
            const int slot = 2 * bi + ((bi == b0) ? 1 : 0);
            if (tid < 128) {
                __stcg(&r_part[(size_t)slot * 128 + tid], a);
                if (tid == 0) __stcg(&r_ml[slot], make_float2(M, Lsum));
            }
            cons_sync();
            if (tid == 0) {
                __threadfence();
                const unsigned int old = atomicInc(&r_cnt[head], (unsigned int)(np - 1));
                __threadfence();
                s_last = (old == (unsigned int)(np - 1)) ? 1 : 0;
            }
            cons_sync();
            if (s_last && tid < 128) {
                float Mf = MNEG, Lf = 0.f, Af = 0.f;
                for (int i0 = 0; i0 < np; i0 += 12) {
                    float2 w[12];
                    float x[12];
#pragma unroll
                    for (int i = 0; i < 12; i++) {
                        w[i] = make_float2(MNEG, 0.f);
                        x[i] = 0.f;
                        if (i0 + i < np) {
                            const int sl = 2 * (b0 + i0 + i) + ((i0 + i == 0) ? 1 : 0);
                            w[i] = __ldcg(&r_ml[sl]);
                            x[i] = __ldcg(&r_part[(size_t)sl * 128 + tid]);
                        }
                    }
                    float mn = Mf;
#pragma unroll
                    for (int i = 0; i < 12; i++) mn = fmaxf(mn, w[i].x);
                    const float cr = ex2(Mf - mn);
                    Lf *= cr;
                    Af *= cr;
#pragma unroll
                    for (int i = 0; i < 12; i++) {
                        const float e = ex2(w[i].x - mn);
                        Lf = fmaf(e, w[i].y, Lf);
                        Af = fmaf(e, x[i], Af);
                    }
                    Mf = mn;
                }
                const float r = (Lf > 0.f) ? Af / Lf : 0.f;
                out[(size_t)head * 128 + tid] = __float2half_rn(r);
            }
        }
        if (head < h1) cons_sync();
    }
}

// ---------------------------------------------------------------------------
// any other Dh
// ---------------------------------------------------------------------------
template <int G, int MODE>
__global__ void __launch_bounds__(NT, 2)
span_attn(const __half* __restrict__ q, const __half* __restrict__ kc,
          const __half* __restrict__ vc, const int* __restrict__ span_start,
          const int* __restrict__ span_len, const int* __restrict__ span_offsets,
          __half* __restrict__ out, int H, int Dh, int L_max, int S, float scale) {
    constexpr int NG = NT / G;
    __shared__ int   s_list[TILE];
    __shared__ __align__(16) float s_acc[NW][G * 8];
    __shared__ float s_m[NW];
    __shared__ float s_l[NW];
    __shared__ int   s_last;

    const int tid = threadIdx.x;
    const int lane = tid & 31;
    const int warp = tid >> 5;
    const int g = tid / G;
    const int c = tid % G;
    const int rem = Dh - c * 8;

    const int bh = blockIdx.x / S;
    const int split = blockIdx.x - bh * S;
    const int b = bh / H;

    const int so = __ldg(span_offsets + b);
    const int ns = __ldg(span_offsets + b + 1) - so;

    float qf[8];
    {
        uint4 qv = load8<MODE>(q + (size_t)bh * Dh, c * 8, true, rem);
        float2 t;
        t = h2f(qv.x); qf[0] = t.x; qf[1] = t.y;
        t = h2f(qv.y); qf[2] = t.x; qf[3] = t.y;
        t = h2f(qv.z); qf[4] = t.x; qf[5] = t.y;
        t = h2f(qv.w); qf[6] = t.x; qf[7] = t.y;
    }

    int len0 = 0, st0 = 0;
    if (lane < ns) {
        len0 = __ldg(span_len + so + lane);
        st0 = __ldg(span_start + so + lane);
    }
    int total = len0;
    for (int i = lane + 32; i < ns; i += 32) total += __ldg(span_len + so + i);
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) total += __shfl_xor_sync(0xffffffffu, total, o);

    const int tb = (int)(((long long)total * split) / S);
    const int te = (int)(((long long)total * (split + 1)) / S);

    const size_t hb = (size_t)bh * (size_t)L_max * (size_t)Dh;
    const __half* kb = kc + hb + c * 8;
    const __half* vb = vc + hb + c * 8;

    float acc[8];
#pragma unroll
    for (int e = 0; e < 8; e++) acc[e] = 0.f;
    float m = MNEG, l = 0.f;

    for (int t0 = tb; t0 < te; t0 += TILE) {
        const int t1 = min(t0 + TILE, te);
        if (t0 != tb) __syncthreads();
        {
            int run = 0;
            for (int c0 = 0; c0 < ns; c0 += 32) {
                int ln = len0, st = st0;
                if (c0 != 0) {
                    ln = 0; st = 0;
                    if (c0 + lane < ns) {
                        ln = __ldg(span_len + so + c0 + lane);
                        st = __ldg(span_start + so + c0 + lane);
                    }
                }
                int incl = ln;
#pragma unroll
                for (int o = 1; o < 32; o <<= 1) {
                    int y = __shfl_up_sync(0xffffffffu, incl, o);
                    if (lane >= o) incl += y;
                }
                const int pre = run + incl - ln;
                const bool ov = (ln > 0) && (pre < t1) && (pre + ln > t0);
                unsigned int mask = __ballot_sync(0xffffffffu, ov);
                while (mask) {
                    const int j = __ffs(mask) - 1;
                    mask &= mask - 1;
                    const int pj = __shfl_sync(0xffffffffu, pre, j);
                    const int lj = __shfl_sync(0xffffffffu, ln, j);
                    const int sj = __shfl_sync(0xffffffffu, st, j);
                    const int lo = max(pj, t0);
                    const int hi = min(pj + lj, t1);
                    for (int i = lo + tid; i < hi; i += NT)
                        s_list[i - t0] = (sj + i - pj) * Dh;
                }
                run += __shfl_sync(0xffffffffu, incl, 31);
                if (run >= t1) break;
            }
        }
        __syncthreads();

        const int n = t1 - t0;
        uint4 kr[UR], vr[UR];
        int off[UR];
#pragma unroll
        for (int u = 0; u < UR; u++) {
            const int idx = g + u * NG;
            off[u] = (idx < n) ? s_list[idx] : -1;
        }
#pragma unroll
        for (int u = 0; u < UR; u++) kr[u] = load8<MODE>(kb, off[u], off[u] >= 0, rem);
#pragma unroll
        for (int u = 0; u < UR; u++) vr[u] = load8<MODE>(vb, off[u], off[u] >= 0, rem);

        for (int base = 0; base < n; base += NG * UR) {
            float s[UR];
#pragma unroll
            for (int u = 0; u < UR; u++) s[u] = dot8(kr[u], qf);

            const int nb = base + NG * UR + g;
#pragma unroll
            for (int u = 0; u < UR; u++) {
                const int idx = nb + u * NG;
                off[u] = (idx < n) ? s_list[idx] : -1;
            }
#pragma unroll
            for (int u = 0; u < UR; u++) kr[u] = load8<MODE>(kb, off[u], off[u] >= 0, rem);

#pragma unroll
            for (int o = G / 2; o > 0; o >>= 1) {
#pragma unroll
                for (int u = 0; u < UR; u++) s[u] += __shfl_xor_sync(0xffffffffu, s[u], o);
            }
            float mn = m;
#pragma unroll
            for (int u = 0; u < UR; u++) {
                const bool ok = (base + g + u * NG) < n;
                s[u] = ok ? s[u] * scale : -INFINITY;
                mn = fmaxf(mn, s[u]);
            }
            const float corr = ex2(m - mn);
            m = mn;
            l *= corr;
#pragma unroll
            for (int e = 0; e < 8; e++) acc[e] *= corr;
#pragma unroll
            for (int u = 0; u < UR; u++) {
                const float p = ex2(s[u] - mn);
                l += p;
                axpy8(vr[u], p, acc);
            }
#pragma unroll
            for (int u = 0; u < UR; u++) vr[u] = load8<MODE>(vb, off[u], off[u] >= 0, rem);
        }
    }

    // merge the groups of a warp
#pragma unroll
    for (int o = G; o < 32; o <<= 1) {
        const float mo = __shfl_xor_sync(0xffffffffu, m, o);
        const float lo = __shfl_xor_sync(0xffffffffu, l, o);
        const float mn = fmaxf(m, mo);
        const float wa = ex2(m - mn);
        const float wb = ex2(mo - mn);
        l = l * wa + lo * wb;
#pragma unroll
        for (int e = 0; e < 8; e++) {
            const float ao = __shfl_xor_sync(0xffffffffu, acc[e], o);
            acc[e] = acc[e] * wa + ao * wb;
        }
        m = mn;
    }
    if (lane < G) {
        float4* dst = reinterpret_cast<float4*>(&s_acc[warp][c * 8]);
        dst[0] = make_float4(acc[0], acc[1], acc[2], acc[3]);
        dst[1] = make_float4(acc[4], acc[5], acc[6], acc[7]);
    }
    if (lane == 0) {
        s_m[warp] = m;
        s_l[warp] = l;
    }
    __syncthreads();

    float M = MNEG, Lsum = 0.f, a = 0.f;
    if (tid < Dh) {
#pragma unroll
        for (int w = 0; w < NW; w++) M = fmaxf(M, s_m[w]);
#pragma unroll
        for (int w = 0; w < NW; w++) {
            const float wt = ex2(s_m[w] - M);
            Lsum = fmaf(wt, s_l[w], Lsum);
            a = fmaf(wt, s_acc[w][tid], a);
        }
    }

    if (S == 1) {
        if (tid < Dh) {
            const float r = (Lsum > 0.f) ? a / Lsum : 0.f;
            out[(size_t)bh * Dh + tid] = __float2half_rn(r);
        }
        return;
    }

    if (tid < Dh) {
        __stcg(&g_part[(size_t)blockIdx.x * Dh + tid], a);
        if (tid == 0) __stcg(&g_ml[blockIdx.x], make_float2(M, Lsum));
        __threadfence();
    }
    __syncthreads();
    if (tid == 0) {
        __threadfence();
        const unsigned int old = atomicInc(&g_cnt[bh], (unsigned int)(S - 1));
        __threadfence();
        s_last = (old == (unsigned int)(S - 1)) ? 1 : 0;
    }
    __syncthreads();
    if (!s_last) return;
    __threadfence();

    if (tid < Dh) {
        const float2* ml = g_ml + (size_t)bh * S;
        const float* pp = g_part + (size_t)bh * S * Dh + tid;
        float Mf = MNEG, Lf = 0.f, Af = 0.f;
        for (int s0 = 0; s0 < S; s0 += 16) {
            float2 w[16];
            float x[16];
#pragma unroll
            for (int i = 0; i < 16; i++) {
                w[i] = make_float2(MNEG, 0.f);
                x[i] = 0.f;
                if (s0 + i < S) {
                    w[i] = __ldcg(ml + s0 + i);
                    x[i] = __ldcg(pp + (size_t)(s0 + i) * Dh);
                }
            }
            float mn = Mf;
#pragma unroll
            for (int i = 0; i < 16; i++) mn = fmaxf(mn, w[i].x);
            const float cr = ex2(Mf - mn);
            Lf *= cr;
            Af *= cr;
#pragma unroll
            for (int i = 0; i < 16; i++) {
                const float e = ex2(w[i].x - mn);
                Lf = fmaf(e, w[i].y, Lf);
                Af = fmaf(e, x[i], Af);
            }
            Mf = mn;
        }
        const float r = (Lf > 0.f) ? Af / Lf : 0.f;
        out[(size_t)bh * Dh + tid] = __float2half_rn(r);
    }
}

extern "C" void solve(const __half* q, const __half* k_cache, const __half* v_cache,
                      const int* span_start, const int* span_len, const int* span_offsets,
                      __half* out, int B, int H, int Dh, int L_max) {
    const int BH = B * H;
    const float scale = (float)(1.4426950408889634 / sqrt((double)Dh));
    const int slots = 132 * 2;

    if (Dh == 128) {
        const long long rows = (long long)BH * L_max;
        long long k = rows * 512 / slots / 1300000;
        if (k < 1) k = 1;
        if (k > 3) k = 3;
        int N = slots * (int)k;
        if (k == 1 && BH <= slots) {
            const int whole = (slots / BH) * BH;  // whole parts of heads only
            if (whole * 10 >= slots * 9) N = whole;
        }
        const long long cap = (rows + RROWS - 1) / RROWS;
        if ((long long)N > cap) N = (int)cap;
        if (N < 1) N = 1;
        const int smem = RST * RSTAGE_BYTES;
        cudaFuncSetAttribute(span_ring, cudaFuncAttributeMaxDynamicSharedMemorySize, smem);
        span_ring<<<N, RNT, smem>>>(q, k_cache, v_cache, span_start, span_len, span_offsets, out,
                                    BH, H, L_max, scale);
        return;
    }

    int maxS = (L_max + 127) / 128;
    if (maxS > 128) maxS = 128;
    if (maxS < 1) maxS = 1;
    if ((long long)maxS * BH > MAXPART) maxS = MAXPART / BH;
    if (maxS < 1) maxS = 1;

    int S = 1;
    if (BH <= slots / 2) {
        S = slots / BH;
        if (S > maxS) S = maxS;
    } else {
        int lo = 4, hi = 12;
        if (hi > maxS) hi = maxS;
        if (lo > hi) lo = hi;
        double best = -1.0;
        for (int s = lo; s <= hi; s++) {
            const long long blocks = (long long)BH * s;
            const long long waves = (blocks + slots - 1) / slots;
            const double eff = (double)blocks / (double)(waves * slots);
            if (eff > best) {
                best = eff;
                S = s;
            }
        }
    }
    if (S < 1) S = 1;

    const unsigned int grid = (unsigned int)(BH * S);

#define GO(G, MODE)                                                                      \
    span_attn<G, MODE><<<grid, NT>>>(q, k_cache, v_cache, span_start, span_len,          \
                                     span_offsets, out, H, Dh, L_max, S, scale)
    if (Dh % 8 == 0) {
        if (Dh <= 64) GO(8, 1);
        else if (Dh <= 128) GO(16, 1);
        else GO(32, 1);
    } else {
        if (Dh <= 64) GO(8, 2);
        else if (Dh <= 128) GO(16, 2);
        else GO(32, 2);
    }
#undef GO
}
