// SPDX-License-Identifier: Apache-2.0
// task: span_attention
// rules: free
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-19
// commit: 4dd6947c
// made by: warpwright 0.2.0
// model: Claude, with the benchmark and its counters at hand
// run: span_attention-1 r1.c1
// median us: B=1,half of 4096 16.64, B=1,all of 4096 24.48, B=4,tenth of 8192 21.95, B=16,half of 4096 138.32, B=16,all of 4096 252.26
// sha256: 61eccc9d54843e3679c13bfa4f967f1da5d2f54a0f3e700c1194ff5ec0032ce1

#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <stdint.h>
#include <math.h>

namespace part1 {





// number of heads (B * H) from which on the persistent bulk kernel is used (Dh == 128)
#define BULKMIN 171  // tune: BULKMIN = 20, 43, 171, 40000
// warps of the bulk kernel
#define BW 8         // tune: BW = 8, 12
// few heads: rows of K and of V that each warp asks into the L2 while the span list is on its way
#define SPEC 4       // tune: SPEC = 0, 4
// few heads: blocks per SM
#define REGB 3       // tune: REGB = 2, 3

#define NT 256
#define NW 8
#define UR 4
#define TILE 2048
#define MAXPART 8192
#define MNEG (-1e30f)
#define FULL 0xffffffffu

// register kernel (Dh == 128): positions a warp lists at a time
#define CH 512

// stream kernel (Dh == 128): stages of 4 rows (2 KiB) per warp
#define WST 4
#define WSTAGE 2048

// bulk kernel (Dh == 128): stages of 16 rows of K and of V per warp
#define BSTG (24 / BW)
#define BSTAGE 8192
#define BGRID 132

__device__ float        g_part[MAXPART * 256];
__device__ float2       g_ml[MAXPART];
__device__ unsigned int g_cnt[MAXPART];

__device__ float4       b_part[BGRID * 2 * 32];
__device__ float2       b_ml[BGRID * 2];
__device__ unsigned int b_cnt[32768];

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

__device__ __forceinline__ uint4 ld_stream(const __half* p) {
    uint4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p));
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

__device__ __forceinline__ unsigned int f2h(float a, float b) {
    __half2 h = __floats2half2_rn(a, b);
    return *reinterpret_cast<unsigned int*>(&h);
}

__device__ __forceinline__ float dot8(const uint4& k, const float* q) {
    float2 a = h2f(k.x), b = h2f(k.y), c = h2f(k.z), d = h2f(k.w);
    float s = a.x * q[0];
    float t = a.y * q[1];
    s = fmaf(b.x, q[2], s);
    t = fmaf(b.y, q[3], t);
    s = fmaf(c.x, q[4], s);
    t = fmaf(c.y, q[5], t);
    s = fmaf(d.x, q[6], s);
    t = fmaf(d.y, q[7], t);
    return s + t;
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

__device__ __forceinline__ void unpack8(const uint4& u, float* f) {
    float2 a = h2f(u.x), b = h2f(u.y), c = h2f(u.z), d = h2f(u.w);
    f[0] = a.x; f[1] = a.y; f[2] = b.x; f[3] = b.y;
    f[4] = c.x; f[5] = c.y; f[6] = d.x; f[7] = d.y;
}

__device__ __forceinline__ uint32_t smem_u32(const void* p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void prefetch_l2(const void* p) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}
__device__ __forceinline__ void prefetch_bulk(const void* p, unsigned int bytes) {
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(p), "r"(bytes) : "memory");
}
__device__ __forceinline__ void st_cluster(uint32_t addr, float v) {
    asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(addr), "f"(v) : "memory");
}
__device__ __forceinline__ uint32_t map_rank(uint32_t addr, int rank) {
    uint32_t r;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(addr), "r"(rank));
    return r;
}
__device__ __forceinline__ int warp_incl(int x, int lane) {
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
        const int y = __shfl_up_sync(FULL, x, o);
        if (lane >= o) x += y;
    }
    return x;
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

// ---------------------------------------------------------------------------
// Dh == 128: persistent blocks, an even share of all tiles of 16 packed rows for
// every warp, bulk copies of the contiguous runs of a tile
// ---------------------------------------------------------------------------
__device__ __forceinline__ void bulk_load(unsigned int dst, const void* src, unsigned int bytes,
                                          unsigned int bar) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
        ::"r"(dst), "l"(src), "r"(bytes), "r"(bar) : "memory");
}
__device__ __forceinline__ void mbar_init(unsigned int bar) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
}
__device__ __forceinline__ void mbar_expect(unsigned int bar, unsigned int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes)
                 : "memory");
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

__global__ void __launch_bounds__(BW * 32, 1)
span_bulk(const __half* __restrict__ q, const __half* __restrict__ kc,
          const __half* __restrict__ vc, const int* __restrict__ span_start,
          const int* __restrict__ span_len, const int* __restrict__ span_offsets,
          __half* __restrict__ out, int B, int H, int L_max, float scale) {
    extern __shared__ __align__(128) unsigned char ring[];
    __shared__ __align__(16) float sAcc[2 * BW][128];
    __shared__ __align__(8) unsigned long long sBar[BW * BSTG];
    __shared__ float2 sML[2 * BW];
    __shared__ int sHead[2 * BW];
    __shared__ int sPre[257];
    __shared__ int sOff[257];
    __shared__ int sTot[256];

    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const int hf = lane >> 4;
    const int i16 = lane & 15;
    const int blk = (int)blockIdx.x;

    int myoff = 0;
    if (tid <= B) myoff = __ldg(span_offsets + tid);

    if (warp == 0) {
        if (lane == 2 && span_len != nullptr) prefetch_l2(span_len);
        if (lane == 3 && span_start != nullptr) prefetch_l2(span_start);
    }
    {
        // translations on their way while the span list is read
        const unsigned int rows = (unsigned int)(B * H) * (unsigned int)L_max;
        const unsigned int U = gridDim.x * (unsigned int)BW;
        const unsigned int g = (rows / U) * (unsigned int)(blk * BW + warp);
        if (lane == 0) prefetch_l2(kc + (size_t)g * 128);
        if (lane == 1) prefetch_l2(vc + (size_t)g * 128);
    }

    const unsigned char* my = ring + warp * (BSTG * BSTAGE) + lane * 16;
    const unsigned int ring_s = smem_u32(ring) + (unsigned int)(warp * (BSTG * BSTAGE));
    const unsigned int bar_s = smem_u32(sBar) + (unsigned int)(warp * (BSTG * 8));

    if (lane == 0) {
        sHead[warp * 2] = -1;
        sHead[warp * 2 + 1] = -1;
#pragma unroll
        for (int s = 0; s < BSTG; s++) mbar_init(bar_s + s * 8);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");

    if (tid <= B) sOff[tid] = myoff;
    for (int i = tid + BW * 32; i <= B; i += BW * 32) sOff[i] = __ldg(span_offsets + i);
    __syncthreads();

    // rows of every sample, half a warp for each
#pragma unroll 1
    for (int b0 = 0; b0 < B; b0 += 2 * BW) {
        const int b = b0 + warp * 2 + hf;
        int sum = 0;
        if (b < B) {
            const int e = sOff[b + 1];
            for (int i = sOff[b] + i16; i < e; i += 16) {
                if ((i16 & 7) == 0) prefetch_l2(span_start + i);
                sum += __ldg(span_len + i);
            }
        }
        __syncwarp();
#pragma unroll
        for (int o = 8; o > 0; o >>= 1) sum += __shfl_xor_sync(FULL, sum, o);
        if (b < B && i16 == 0) sTot[b] = sum;
    }
    __syncthreads();

    if (warp == 0) {
        int run = 0;
#pragma unroll 1
        for (int c0 = 0; c0 < B; c0 += 32) {
            const int b = c0 + lane;
            const int own = (b < B) ? ((sTot[b] + 15) >> 4) * H : 0;
            const int x = warp_incl(own, lane);
            if (b < B) sPre[b] = run + x - own;
            run += __shfl_sync(FULL, x, 31);
        }
        if (lane == 0) sPre[B] = run;
    }
    __syncthreads();

    const int T = sPre[B];
    const int G = min((int)gridDim.x, max(1, T / BW));
    const bool active = T > 0 && blk < G;
    const int qd = T / G, rm = T - qd * G;
    const int tb = blk * qd + min(blk, rm);
    const int nb = active ? qd + (blk < rm ? 1 : 0) : 0;
    const int te = tb + nb;
    const int wb = tb + warp * nb / BW;
    const int we = tb + (warp + 1) * nb / BW;

    const uint4* k4 = reinterpret_cast<const uint4*>(kc);
    const uint4* v4 = reinterpret_cast<const uint4*>(vc);
    const uint4* q4 = reinterpret_cast<const uint4*>(q);

    if (wb < we) {
        // ---- the first tile of this warp ----
        int b = 0;
#pragma unroll 1
        for (int c0 = 0; c0 < B; c0 += 32) {
            const int i = c0 + lane;
            const bool before = (i < B) ? (sPre[i + 1] <= wb) : false;
            b += __popc(__ballot_sync(FULL, before));
        }
        int h, left;
        bool fromStart;
        int prow;
        {
            const int n = sTot[b];
            const int tl = (n + 15) >> 4;
            const int r = wb - sPre[b];
            h = r / tl;
            const int tile = r - h * tl;
            left = n - tile * 16;
            fromStart = tile == 0;
            prow = tile * 16;
        }

        // ---- the requesting side: runs BSTG tiles ahead ----
        int pt = wb, pb = b, ph = h;
        int ptot = sTot[b], pso = sOff[b];
        int pns = sOff[b + 1] - pso;
        unsigned int poff = (unsigned int)(b * H + h) * (unsigned int)L_max * 16u;
        int c0 = 0, cbeg = 0, cend = 0, pre = 0, delta = 0;

        // 32 spans from span f of the sample on; they begin at packed row r0
        auto chunk = [&](int f, int r0) {
            int ln = 0, st = 0;
            if (f + lane < pns) {
                ln = __ldg(span_len + pso + f + lane);
                st = __ldg(span_start + pso + f + lane);
            }
            __syncwarp();
            const int incl = warp_incl(ln, lane);
            c0 = f;
            cbeg = r0;
            pre = r0 + incl - ln;
            delta = st - pre;
            cend = r0 + __shfl_sync(FULL, incl, 31);
        };

        auto produce = [&](int st) {
            const int n = min(16, ptot - prow);
            const int r = prow + i16;
            const int rend = prow + n;
            int pos = 0;
            for (;;) {
                // the last span that begins at or before row r
                int j = 0;
#pragma unroll
                for (int o = 16; o > 0; o >>= 1) {
                    const int pj = __shfl_sync(FULL, pre, j + o);
                    j += (pj <= r) ? o : 0;
                }
                const int dj = __shfl_sync(FULL, delta, j);
                if (r >= cbeg && r < cend) pos = r + dj;
                if (cend >= rend || c0 + 32 >= pns) break;
                chunk(c0 + 32, cend);
            }
            const int up = __shfl_up_sync(FULL, pos, 1);
            const bool first = i16 < n && (i16 == 0 || pos != up + 1);
            const unsigned int hm = (__ballot_sync(FULL, first) >> (lane & 16)) & 0xffffu;
            const unsigned int bar = bar_s + (unsigned int)st * 8u;
            if (lane == 0) mbar_expect(bar, (unsigned int)n * 512u);
            __syncwarp();
            if (first) {
                // one copy for the run that begins here: K by lanes 0-15, V by lanes 16-31
                const unsigned int later = hm >> (i16 + 1);
                const int len = later ? __ffs((int)later) : n - i16;
                const uint4* src = (hf ? v4 : k4) + (poff + (unsigned int)pos * 16u);
                bulk_load(ring_s + (unsigned int)(st * BSTAGE + hf * 4096 + i16 * 256), src,
                          (unsigned int)len * 256u, bar);
            }
            __syncwarp();
            // to the next tile, perhaps of the next head
            ++pt;
            if (pt < we) {
                prow += 16;
                if (prow >= ptot) {
                    prow = 0;
                    ++ph;
                    if (ph == H) {
                        ph = 0;
                        ++pb;
                        while (sTot[pb] == 0) ++pb;
                        ptot = sTot[pb];
                        pso = sOff[pb];
                        pns = sOff[pb + 1] - pso;
                        chunk(0, 0);
                    } else if (c0 != 0) {
                        chunk(0, 0);
                    }
                    const unsigned int pbh = (unsigned int)(pb * H + ph);
                    poff = pbh * (unsigned int)L_max * 16u;
                    if (lane < 8) prefetch_l2(q + (size_t)pbh * 128 + lane * 16);
                    __syncwarp();
                }
            }
        };

        int bh = b * H + h;
        uint4 qv = __ldg(q4 + (size_t)bh * 16 + i16);
        chunk(0, 0);
#pragma unroll 1
        for (int s = 0; s < BSTG; s++) {
            if (pt < we) produce(s);
        }

        float qf[8];
        unpack8(qv, qf);
        float m = MNEG, l = 0.f, acc[8];
#pragma unroll
        for (int e = 0; e < 8; e++) acc[e] = 0.f;
        int slot = warp * 2;
        int t = wb;
        int st = 0;
        unsigned int phase = 0;

#pragma unroll 1
        while (true) {
            mbar_wait(bar_s + (unsigned int)st * 8u, phase);
            __syncwarp();
            const unsigned char* buf = my + st * BSTAGE;

            float s[8];
#pragma unroll
            for (int i = 0; i < 8; i++)
                s[i] = dot8(*reinterpret_cast<const uint4*>(buf + i * 512), qf);

            // transposing reduction inside 16 lanes: a lane keeps row pair (lane >> 1) & 7
            {
                const bool u8 = (lane & 8) != 0;
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    const float send = u8 ? s[i] : s[i + 4];
                    const float keep = u8 ? s[i + 4] : s[i];
                    s[i] = keep + __shfl_xor_sync(FULL, send, 8);
                }
                const bool u4 = (lane & 4) != 0;
#pragma unroll
                for (int i = 0; i < 2; i++) {
                    const float send = u4 ? s[i] : s[i + 2];
                    const float keep = u4 ? s[i + 2] : s[i];
                    s[i] = keep + __shfl_xor_sync(FULL, send, 4);
                }
                const bool u2 = (lane & 2) != 0;
                const float send = u2 ? s[0] : s[1];
                const float keep = u2 ? s[1] : s[0];
                s[0] = keep + __shfl_xor_sync(FULL, send, 2);
                s[0] += __shfl_xor_sync(FULL, s[0], 1);
            }
            const bool valid = ((lane >> 1) & 7) * 2 + hf < left;
            const float sv = valid ? s[0] : MNEG;
            float mt = sv;
#pragma unroll
            for (int o = 2; o <= 16; o <<= 1) mt = fmaxf(mt, __shfl_xor_sync(FULL, mt, o));
            if (mt > m) {
                const float corr = ex2((m - mt) * scale);
                l *= corr;
#pragma unroll
                for (int e = 0; e < 8; e++) acc[e] *= corr;
                m = mt;
            }
            const float p = valid ? ex2((sv - m) * scale) : 0.f;
            l += p;
#pragma unroll
            for (int i = 0; i < 8; i++) {
                const float pi = __shfl_sync(FULL, p, (lane & 16) | (i << 1));
                // rows past the end were not copied: what lies there may be no number
                uint4 x = make_uint4(0u, 0u, 0u, 0u);
                if (i * 2 + hf < left) x = *reinterpret_cast<const uint4*>(buf + 4096 + i * 512);
                axpy8(x, pi, acc);
            }

            // refill this stage
            __syncwarp();
            if (pt < we) produce(st);
            if (++st == BSTG) {
                st = 0;
                phase ^= 1u;
            }

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
                        reinterpret_cast<uint4*>(out)[(size_t)bh * 16 + lane] = o;
                    }
                } else {
                    if (lane < 16) {
                        float4* d = reinterpret_cast<float4*>(&sAcc[slot][lane * 8]);
                        d[0] = make_float4(acc[0], acc[1], acc[2], acc[3]);
                        d[1] = make_float4(acc[4], acc[5], acc[6], acc[7]);
                    }
                    if (lane == 0) {
                        sML[slot] = make_float2(m, l);
                        sHead[slot] = bh;
                    }
                }
                if (!more) break;
                // endh holds here: the next head
                ++h;
                if (h == H) {
                    h = 0;
                    ++b;
                    while (sTot[b] == 0) ++b;
                }
                left = sTot[b];
                bh = b * H + h;
                qv = __ldg(q4 + (size_t)bh * 16 + i16);
                unpack8(qv, qf);
                m = MNEG;
                l = 0.f;
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
    for (int b = blk; b < B; b += (int)gridDim.x) {
        if (sTot[b] == 0) {
            uint4* o4 = reinterpret_cast<uint4*>(out) + (size_t)b * H * 16;
            for (int j = tid; j < H * 16; j += BW * 32) o4[j] = make_uint4(0u, 0u, 0u, 0u);
        }
    }
    if (!active) return;
    __syncthreads();

    // Heads shared by warps of this block: the warp that holds a head's first entry merges them.
    const int hd = lane < 2 * BW ? sHead[lane] : -1;
#pragma unroll 1
    for (int sidx = 0; sidx < 2; sidx++) {
        const int e = warp * 2 + sidx;
        const int target = __shfl_sync(FULL, hd, e);
        if (target < 0) continue;
        const unsigned int mask = __ballot_sync(FULL, hd == target);
        if (__ffs((int)mask) - 1 != e) continue;

        float2 ml = make_float2(MNEG, 0.f);
        if (hd == target) ml = sML[lane];
        __syncwarp();
        const float M = warp_max(ml.x);
        const float w = (hd == target) ? ex2((ml.x - M) * scale) : 0.f;
        const float Ls = warp_sum(w * ml.y);
        float4 a = make_float4(0.f, 0.f, 0.f, 0.f);
        for (unsigned int mm = mask; mm; mm &= mm - 1) {
            const int i = __ffs((int)mm) - 1;
            const float wi = __shfl_sync(FULL, w, i);
            const float4 x = *reinterpret_cast<const float4*>(&sAcc[i][lane * 4]);
            a.x = fmaf(wi, x.x, a.x);
            a.y = fmaf(wi, x.y, a.y);
            a.z = fmaf(wi, x.z, a.z);
            a.w = fmaf(wi, x.w, a.w);
        }

        const int b = target / H;
        const int tl = (sTot[b] + 15) >> 4;
        const int start = sPre[b] + (target - b * H) * tl;
        const int end = start + tl;
        uint2* dst = reinterpret_cast<uint2*>(out) + ((size_t)target * 32 + lane);
        if (start >= tb && end <= te) {
            const float inv = 1.f / Ls;
            *dst = make_uint2(f2h(a.x * inv, a.y * inv), f2h(a.z * inv, a.w * inv));
            continue;
        }

        // the head crosses a block boundary
        const int gs = 2 * blk + (start <= tb ? 0 : 1);
        __stcg(&b_part[gs * 32 + lane], a);
        if (lane == 0) __stcg(&b_ml[gs], make_float2(M, Ls));
        __threadfence();
        __syncwarp();
        unsigned int prev = 0;
        if (lane == 0) prev = atomicAdd(&b_cnt[target], 1u);
        // blocks i0 .. i1 hold tiles of this head
        const int cut = rm * (qd + 1);
        const int i0 = start < cut ? start / (qd + 1) : rm + (start - cut) / qd;
        const int last = end - 1;
        const int i1 = last < cut ? last / (qd + 1) : rm + (last - cut) / qd;
        const int cnt = i1 - i0 + 1;
        const int tb0 = i0 * qd + min(i0, rm);
        const int s0 = tb0 < start ? 1 : 0;
        prev = __shfl_sync(FULL, prev, 0);
        if (prev != (unsigned int)(cnt - 1)) continue;
        __threadfence();
        __syncwarp();

        float MM = MNEG, LL = 0.f;
        float4 r = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll 1
        for (int j0 = 0; j0 < cnt; j0 += 32) {
            const int j = j0 + lane;
            const int idx = 2 * (i0 + j) + (j == 0 ? s0 : 0);
            float2 pm = make_float2(MNEG, 0.f);
            if (j < cnt) pm = __ldcg(&b_ml[idx]);
            __syncwarp();
            const float mx = fmaxf(MM, warp_max(pm.x));
            const float corr = ex2((MM - mx) * scale);
            const float ew = (j < cnt) ? ex2((pm.x - mx) * scale) : 0.f;
            LL = LL * corr + warp_sum(ew * pm.y);
            r.x *= corr;
            r.y *= corr;
            r.z *= corr;
            r.w *= corr;
            const int nj = min(32, cnt - j0);
#pragma unroll 4
            for (int jj = 0; jj < nj; jj++) {
                const float wj = __shfl_sync(FULL, ew, jj);
                const int ij = __shfl_sync(FULL, idx, jj);
                const float4 x = __ldcg(&b_part[ij * 32 + lane]);
                r.x = fmaf(wj, x.x, r.x);
                r.y = fmaf(wj, x.y, r.y);
                r.z = fmaf(wj, x.z, r.z);
                r.w = fmaf(wj, x.w, r.w);
            }
            MM = mx;
        }
        const float inv = 1.f / LL;
        *dst = make_uint2(f2h(r.x * inv, r.y * inv), f2h(r.z * inv, r.w * inv));
        if (lane == 0) atomicExch(&b_cnt[target], 0u);
    }
}

// ---------------------------------------------------------------------------
// Dh == 128, few heads: tiles of R rows per warp in registers, clusters of S blocks per head
// ---------------------------------------------------------------------------
// HR rows of one half of the warp; rem (the same in the whole warp) rows are left for both
template <int HR>
__device__ __forceinline__ void load_rows(uint4 (&x)[HR], const __half* base,
                                          const uint32_t (&pw)[HR / 2], int rem, int first) {
    if (rem >= 2 * HR) {
#pragma unroll
        for (int i = 0; i < HR; i++) {
            const uint32_t p = (i & 1) ? (pw[i >> 1] >> 16) : (pw[i >> 1] & 0xffffu);
            x[i] = ld_stream(base + (size_t)p * 128);
        }
    } else {
#pragma unroll
        for (int i = 0; i < HR; i++) {
            const uint32_t p = (i & 1) ? (pw[i >> 1] >> 16) : (pw[i >> 1] & 0xffffu);
            x[i] = ldpred(base + (size_t)p * 128, (first + i < rem) ? 1 : 0);
        }
    }
}

template <int HR>
__device__ __forceinline__ void load_pos(uint32_t (&pw)[HR / 2], const unsigned short* sp) {
#pragma unroll
    for (int i = 0; i < HR / 4; i++) {
        const uint2 t = *reinterpret_cast<const uint2*>(sp + i * 4);
        pw[2 * i] = t.x;
        pw[2 * i + 1] = t.y;
    }
}

template <int NWARP, int MINB, int R, int SP>
__global__ void __launch_bounds__(NWARP * 32, MINB)
span_regs(const __half* __restrict__ q, const __half* __restrict__ kc,
          const __half* __restrict__ vc, const int* __restrict__ span_start,
          const int* __restrict__ span_len, const int* __restrict__ span_offsets,
          __half* __restrict__ out, int L_max, int S, int lgU, float scale) {
    constexpr int HR = R / 2;
    __shared__ __align__(16) unsigned short s_pos[NWARP][CH + 16];
    __shared__ __align__(16) float s_acc[NWARP][128];
    __shared__ float s_rx[8][128];   // partial sums of the cluster (used in rank 0)
    __shared__ float s_rm[8];
    __shared__ float s_rl[8];
    __shared__ float2 s_ml[NWARP];

    // the head of the chain of dependent loads comes first, with no division before it
    const int b = (int)blockIdx.z;
    const int so = __ldg(span_offsets + b);
    const int ns = __ldg(span_offsets + b + 1) - so;

    const int tid = threadIdx.x;
    const int lane = tid & 31;
    const int warp = tid >> 5;
    const int c = lane & 15;
    const int hf = lane >> 4;

    const int rank = (int)blockIdx.x;
    const int bh = b * (int)gridDim.y + (int)blockIdx.y;
    const unsigned int u = (unsigned int)(rank * NWARP + warp);

    if (warp == 0) {
        if (lane == 2 && span_len != nullptr) prefetch_l2(span_len);
        if (lane == 3 && span_start != nullptr) prefetch_l2(span_start);
    }
    const uint4 qv = __ldg(reinterpret_cast<const uint4*>(q + (size_t)bh * 128 + c * 8));

    const size_t hb = (size_t)bh * (size_t)L_max * 128;
    // translations (and perhaps data) on their way while the span list is read
    if (SP > 0 && S == 8) {
        if (lane == 0) {
            const unsigned int row = ((unsigned int)L_max * u) >> lgU;   // below L_max
            const unsigned int n = min((unsigned int)SP, (unsigned int)L_max - row);
            prefetch_bulk(kc + hb + (size_t)row * 128, n * 256u);
            prefetch_bulk(vc + hb + (size_t)row * 128, n * 256u);
        }
    } else if (warp == 0) {
        const unsigned int row = ((unsigned int)L_max * u) >> lgU;
        if (lane == 0) prefetch_l2(kc + hb + (size_t)row * 128);
        if (lane == 1) prefetch_l2(vc + hb + (size_t)row * 128);
    }
    __syncwarp();
    // every block of the cluster has started once this phase completes
    if (S > 1) asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");

    // ---- the list of spans, 32 at a time ----
    int ln = 0, st = 0;
    if (lane < ns) {
        ln = __ldg(span_len + so + lane);
        st = __ldg(span_start + so + lane);
    }
    int rest = 0;
    if (ns > 32) {
        for (int i = lane + 32; i < ns; i += 32) rest += __ldg(span_len + so + i);
        __syncwarp();
#pragma unroll
        for (int o = 16; o > 0; o >>= 1) rest += __shfl_xor_sync(FULL, rest, o);
    }
    int incl = warp_incl(ln, lane);
    const unsigned int total = (unsigned int)(__shfl_sync(FULL, incl, 31) + rest);

    // total <= 32768 and the number of warps per head is a power of two, at most 64
    const int w0 = (int)((total * u) >> lgU);
    const int w1 = (int)((total * (u + 1u)) >> lgU);

    const __half* kb = kc + hb + c * 8;
    const __half* vb = vc + hb + c * 8;
    unsigned short* const list = s_pos[warp];
    const unsigned short* const mine = list + hf * HR;
    const int first = hf * HR;

    float qf[8];
    {
        float2 t;
        t = h2f(qv.x); qf[0] = t.x * scale; qf[1] = t.y * scale;
        t = h2f(qv.y); qf[2] = t.x * scale; qf[3] = t.y * scale;
        t = h2f(qv.z); qf[4] = t.x * scale; qf[5] = t.y * scale;
        t = h2f(qv.w); qf[6] = t.x * scale; qf[7] = t.y * scale;
    }
    float acc[8];
#pragma unroll
    for (int e = 0; e < 8; e++) acc[e] = 0.f;
    float m = MNEG, l = 0.f;

    for (int t = w0; t < w1; t += CH) {
        const int te = min(t + CH, w1);
        const int cnt = te - t;

        // ---- positions of the rows t .. te-1 ----
        if (t != w0) {   // once more from the first span
            ln = 0;
            st = 0;
            if (lane < ns) {
                ln = __ldg(span_len + so + lane);
                st = __ldg(span_start + so + lane);
            }
            __syncwarp();
            incl = warp_incl(ln, lane);
        }
        {
            int run = 0;
            int c0 = 0;
            for (;;) {
                const int pre = run + incl - ln;
                run += __shfl_sync(FULL, incl, 31);
                const bool ov = (ln > 0) && (pre < te) && (pre + ln > t);
                unsigned int mask = __ballot_sync(FULL, ov);
                while (mask) {
                    const int j = __ffs(mask) - 1;
                    mask &= mask - 1;
                    const int pj = __shfl_sync(FULL, pre, j);
                    const int lj = __shfl_sync(FULL, ln, j);
                    const int sj = __shfl_sync(FULL, st, j);
                    const int lo = max(pj, t);
                    const int hi = min(pj + lj, te);
                    for (int i = lo + lane; i < hi; i += 32)
                        list[i - t] = (unsigned short)(sj + (i - pj));
                    __syncwarp();
                }
                c0 += 32;
                if (run >= te || c0 >= ns) break;
                ln = 0;
                st = 0;
                if (c0 + lane < ns) {
                    ln = __ldg(span_len + so + c0 + lane);
                    st = __ldg(span_start + so + c0 + lane);
                }
                __syncwarp();
                incl = warp_incl(ln, lane);
            }
            if (lane < 16) list[cnt + lane] = 0;
            __syncwarp();
        }

        // ---- one tile of K and one of V always on their way ----
        uint32_t pw[HR / 2];
        uint4 kr[HR], vr[HR];
        load_pos<HR>(pw, mine);
        load_rows<HR>(kr, kb, pw, cnt, first);
        load_rows<HR>(vr, vb, pw, cnt, first);

        for (int r = 0; r < cnt; r += R) {
            const int nx = r + R;
            if (nx < cnt) load_pos<HR>(pw, mine + nx);

            float sc[HR];
#pragma unroll
            for (int i = 0; i < HR; i++) sc[i] = dot8(kr[i], qf);

            if (nx < cnt) load_rows<HR>(kr, kb, pw, cnt - nx, first);

#pragma unroll
            for (int o = 8; o > 0; o >>= 1) {
#pragma unroll
                for (int i = 0; i < HR; i++) sc[i] += __shfl_xor_sync(FULL, sc[i], o);
            }
            if (nx > cnt) {
#pragma unroll
                for (int i = 0; i < HR; i++)
                    if (r + first + i >= cnt) sc[i] = -INFINITY;
            }
            float mn = m;
#pragma unroll
            for (int i = 0; i < HR; i++) mn = fmaxf(mn, sc[i]);
            const float corr = ex2(m - mn);
            m = mn;
            l *= corr;
#pragma unroll
            for (int e = 0; e < 8; e++) acc[e] *= corr;
#pragma unroll
            for (int i = 0; i < HR; i++) {
                sc[i] = ex2(sc[i] - mn);
                l += sc[i];
            }
#pragma unroll
            for (int i = 0; i < HR; i++) axpy8(vr[i], sc[i], acc);

            if (nx < cnt) load_rows<HR>(vr, vb, pw, cnt - nx, first);
        }
        __syncwarp();
    }

    // merge the two halves of the warp
    {
        const float mo = __shfl_xor_sync(FULL, m, 16);
        const float lo = __shfl_xor_sync(FULL, l, 16);
        const float mn = fmaxf(m, mo);
        const float wa = ex2(m - mn);
        const float wb = ex2(mo - mn);
        l = l * wa + lo * wb;
#pragma unroll
        for (int e = 0; e < 8; e++) {
            const float ao = __shfl_xor_sync(FULL, acc[e], 16);
            acc[e] = acc[e] * wa + ao * wb;
        }
        m = mn;
    }
    if (hf == 0) {
        float4* dst = reinterpret_cast<float4*>(&s_acc[warp][c * 8]);
        dst[0] = make_float4(acc[0], acc[1], acc[2], acc[3]);
        dst[1] = make_float4(acc[4], acc[5], acc[6], acc[7]);
    }
    if (lane == 0) s_ml[warp] = make_float2(m, l);
    __syncthreads();

    float M = MNEG, L = 0.f, a = 0.f;
    if (tid < 128) {
#pragma unroll
        for (int w = 0; w < NWARP; w++) M = fmaxf(M, s_ml[w].x);
#pragma unroll
        for (int w = 0; w < NWARP; w++) {
            const float2 ml = s_ml[w];
            const float e = ex2(ml.x - M);
            L = fmaf(e, ml.y, L);
            a = fmaf(e, s_acc[w][tid], a);
        }
    }

    if (S == 1) {
        if (tid < 128) {
            const float r = (L > 0.f) ? a / L : 0.f;
            out[(size_t)bh * 128 + tid] = __float2half_rn(r);
        }
        return;
    }

    // merge the cluster in the shared memory of rank 0
    asm volatile("barrier.cluster.wait;" ::: "memory");
    if (tid < 128) {
        st_cluster(map_rank(smem_u32(&s_rx[rank][tid]), 0), a);
        if (tid == 0) {
            st_cluster(map_rank(smem_u32(&s_rm[rank]), 0), M);
            st_cluster(map_rank(smem_u32(&s_rl[rank]), 0), L);
        }
    }
    __syncwarp();
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
    if (rank == 0 && tid < 128) {
        float pm[8], pl[8], px[8];
#pragma unroll
        for (int i = 0; i < 8; i++) {
            pm[i] = MNEG;
            pl[i] = 0.f;
            px[i] = 0.f;
            if (i < S) {
                pm[i] = s_rm[i];
                pl[i] = s_rl[i];
                px[i] = s_rx[i][tid];
            }
        }
        float Mf = MNEG, Lf = 0.f, Af = 0.f;
#pragma unroll
        for (int i = 0; i < 8; i++) Mf = fmaxf(Mf, pm[i]);
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const float e = ex2(pm[i] - Mf);
            Lf = fmaf(e, pl[i], Lf);
            Af = fmaf(e, px[i], Af);
        }
        const float r = (Lf > 0.f) ? Af / Lf : 0.f;
        out[(size_t)bh * 128 + tid] = __float2half_rn(r);
    }
}

template <int NWARP, int MINB, int R, int SP>
static void launch_regs(const __half* q, const __half* kc, const __half* vc,
                        const int* span_start, const int* span_len, const int* span_offsets,
                        __half* out, int B, int H, int L_max, int S, float scale) {
    int lgU = 0;
    while ((1 << lgU) < S * NWARP) lgU++;
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = dim3((unsigned int)S, (unsigned int)H, (unsigned int)B);
    cfg.blockDim = dim3(NWARP * 32, 1, 1);
    cfg.dynamicSmemBytes = 0;
    cfg.stream = 0;
    cudaLaunchAttribute at[1];
    at[0].id = cudaLaunchAttributeClusterDimension;
    at[0].val.clusterDim.x = (unsigned int)S;
    at[0].val.clusterDim.y = 1;
    at[0].val.clusterDim.z = 1;
    cfg.attrs = at;
    cfg.numAttrs = (S > 1) ? 1 : 0;
    cudaLaunchKernelEx(&cfg, span_regs<NWARP, MINB, R, SP>, q, kc, vc, span_start, span_len,
                       span_offsets, out, L_max, S, lgU, scale);
}

// ---------------------------------------------------------------------------
// Dh == 128, many heads (below BULKMIN): one private cp.async stream per warp,
// clusters of S blocks per head, groups of 4 rows dealt out to the warps in turn
// ---------------------------------------------------------------------------
// 16 bytes, or 16 zeros where bytes == 0 (nothing is read then)
__device__ __forceinline__ void cpa16(uint32_t dst, const void* src, int bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(dst), "l"(src), "r"(bytes)
                 : "memory");
}
__device__ __forceinline__ void cpa_commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int N>
__device__ __forceinline__ void cpa_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

template <int NWARP, int MINB, int S>
__global__ void __launch_bounds__(NWARP * 32, MINB)
span_stream(const __half* __restrict__ q, const __half* __restrict__ kc,
            const __half* __restrict__ vc, const int* __restrict__ span_start,
            const int* __restrict__ span_len, const int* __restrict__ span_offsets,
            __half* __restrict__ out, int L_max, float scale) {
    extern __shared__ __align__(128) unsigned char ring[];
    __shared__ float s_rx[S][128];   // partial sums of the cluster (used in rank 0)
    __shared__ float s_rm[S];
    __shared__ float s_rl[S];
    __shared__ float2 s_ml[NWARP];

    constexpr unsigned int U = (unsigned int)(S * NWARP);       // a power of two
    constexpr int STRIDE = (int)U * 4;                          // rows from stage to stage

    const int b = (int)blockIdx.z;
    const int so = __ldg(span_offsets + b);
    const int ns = __ldg(span_offsets + b + 1) - so;

    const int tid = threadIdx.x;
    const int lane = tid & 31;
    const int warp = tid >> 5;
    const int c = lane & 15;
    const int hf = lane >> 4;
    const int rank = (int)blockIdx.x;
    const int bh = b * (int)gridDim.y + (int)blockIdx.y;
    const unsigned int u = (unsigned int)(rank * NWARP + warp);

    if (warp == 0) {
        if (lane == 2 && span_len != nullptr) prefetch_l2(span_len);
        if (lane == 3 && span_start != nullptr) prefetch_l2(span_start);
    }
    const uint4 qv = __ldg(reinterpret_cast<const uint4*>(q + (size_t)bh * 128 + c * 8));
    const size_t hb = (size_t)bh * (size_t)L_max * 128;
    // translations on their way while the span list is read
    if (warp == 0) {
        const size_t guess =
            hb + (size_t)(((unsigned int)L_max * (unsigned int)rank) / (unsigned int)S) * 128;
        if (lane == 0) prefetch_l2(kc + guess);
        if (lane == 1) prefetch_l2(vc + guess);
    }
    __syncwarp();
    // every block of the cluster has started once this phase completes
    if (S > 1) asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");

    // ---- the list of spans: 32 at a time, with a cursor that only moves forward ----
    int ln = 0, st = 0;
    if (lane < ns) {
        ln = __ldg(span_len + so + lane);
        st = __ldg(span_start + so + lane);
    }
    int rest = 0;
    if (ns > 32) {
        for (int i = lane + 32; i < ns; i += 32) rest += __ldg(span_len + so + i);
        __syncwarp();
#pragma unroll
        for (int o = 16; o > 0; o >>= 1) rest += __shfl_xor_sync(FULL, rest, o);
    }
    const int incl = warp_incl(ln, lane);
    int pre = incl - ln;       // rows before the span of this lane
    int delta = st - pre;      // position = row + delta
    int cbeg = 0;              // the 32 spans at hand hold the rows cbeg .. cend - 1
    int cend = __shfl_sync(FULL, incl, 31);
    int c0 = 0;
    const int total = cend + rest;

    const int base = (int)u * 4;
    const int end = total;
    const int nst = (end > base) ? (int)((unsigned int)(end - base + STRIDE - 1) / (unsigned int)STRIDE) : 0;

    const __half* kb = kc + hb + c * 8;
    const __half* vb = vc + hb + c * 8;
    unsigned char* my = ring + warp * (WST * WSTAGE) + lane * 16;
    const uint32_t my_a = smem_u32(my);

    int pos = -1;  // position of row (lane & 3) of stage (lane >> 2) of a batch of 8 stages

    auto issue = [&](int s) {
        if (s < nst) {
            if ((s & 7) == 0) {
                const int r = base + (s + (lane >> 2)) * STRIDE + (lane & 3);
                const int te = min(base + (s + 7) * STRIDE + 4, end);
                pos = -1;
                for (;;) {
                    // the last span that begins at or before row r
                    int j = 0;
#pragma unroll
                    for (int o = 16; o > 0; o >>= 1) {
                        const int pj = __shfl_sync(FULL, pre, j + o);
                        j += (pj <= r) ? o : 0;
                    }
                    const int dj = __shfl_sync(FULL, delta, j);
                    if (r < end && r >= cbeg && r < cend) pos = r + dj;
                    if (cend >= te || c0 + 32 >= ns) break;
                    c0 += 32;
                    ln = 0;
                    st = 0;
                    if (c0 + lane < ns) {
                        ln = __ldg(span_len + so + c0 + lane);
                        st = __ldg(span_start + so + c0 + lane);
                    }
                    __syncwarp();
                    const int in2 = warp_incl(ln, lane);
                    cbeg = cend;
                    pre = cbeg + in2 - ln;
                    delta = st - pre;
                    cend = cbeg + __shfl_sync(FULL, in2, 31);
                }
            }
            const int i0 = ((s & 7) << 2) + hf;
            const int p0 = __shfl_sync(FULL, pos, i0);
            const int p1 = __shfl_sync(FULL, pos, i0 + 2);
            const int z0 = (p0 >= 0) ? 16 : 0;
            const int z1 = (p1 >= 0) ? 16 : 0;
            const int o0 = max(p0, 0) * 128;
            const int o1 = max(p1, 0) * 128;
            const uint32_t d = my_a + (uint32_t)(s & (WST - 1)) * WSTAGE;
            cpa16(d, kb + o0, z0);
            cpa16(d + 512, kb + o1, z1);
            cpa16(d + 1024, vb + o0, z0);
            cpa16(d + 1536, vb + o1, z1);
        }
        cpa_commit();
    };

#pragma unroll
    for (int s = 0; s < WST - 1; s++) issue(s);

    float qf[8];
    unpack8(qv, qf);
    float acc[8];
#pragma unroll
    for (int e = 0; e < 8; e++) acc[e] = 0.f;
    float m = MNEG, l = 0.f;
    int r = base + hf;

    for (int it = 0; it < nst; it++) {
        cpa_wait<WST - 2>();
        const unsigned char* sp = my + (it & (WST - 1)) * WSTAGE;
        const uint4 k0 = *reinterpret_cast<const uint4*>(sp);
        const uint4 k1 = *reinterpret_cast<const uint4*>(sp + 512);
        const uint4 v0 = *reinterpret_cast<const uint4*>(sp + 1024);
        const uint4 v1 = *reinterpret_cast<const uint4*>(sp + 1536);

        issue(it + WST - 1);  // into the stage that was used up one turn ago

        float s0 = dot8(k0, qf);
        float s1 = dot8(k1, qf);
#pragma unroll
        for (int o = 8; o > 0; o >>= 1) {
            s0 += __shfl_xor_sync(FULL, s0, o);
            s1 += __shfl_xor_sync(FULL, s1, o);
        }
        s0 = (r < end) ? s0 * scale : -INFINITY;
        s1 = (r + 2 < end) ? s1 * scale : -INFINITY;
        r += STRIDE;
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
    }
    cpa_wait<0>();
    __syncwarp();

    // merge the two halves of the warp
    {
        const float mo = __shfl_xor_sync(FULL, m, 16);
        const float lo = __shfl_xor_sync(FULL, l, 16);
        const float mn = fmaxf(m, mo);
        const float wa = ex2(m - mn);
        const float wb = ex2(mo - mn);
        l = l * wa + lo * wb;
#pragma unroll
        for (int e = 0; e < 8; e++) {
            const float ao = __shfl_xor_sync(FULL, acc[e], 16);
            acc[e] = acc[e] * wa + ao * wb;
        }
        m = mn;
    }
    // the warp's own part of the ring is free now
    if (hf == 0) {
        float4* dst = reinterpret_cast<float4*>(ring + warp * (WST * WSTAGE) + c * 32);
        dst[0] = make_float4(acc[0], acc[1], acc[2], acc[3]);
        dst[1] = make_float4(acc[4], acc[5], acc[6], acc[7]);
    }
    if (lane == 0) s_ml[warp] = make_float2(m, l);
    __syncthreads();

    float M = MNEG, L = 0.f, a = 0.f;
    if (tid < 128) {
#pragma unroll
        for (int w = 0; w < NWARP; w++) M = fmaxf(M, s_ml[w].x);
#pragma unroll
        for (int w = 0; w < NWARP; w++) {
            const float2 ml = s_ml[w];
            const float e = ex2(ml.x - M);
            L = fmaf(e, ml.y, L);
            a = fmaf(e, *reinterpret_cast<const float*>(ring + w * (WST * WSTAGE) + tid * 4), a);
        }
    }

    if (S == 1) {
        if (tid < 128) {
            const float res = (L > 0.f) ? a / L : 0.f;
            out[(size_t)bh * 128 + tid] = __float2half_rn(res);
        }
    } else {
        // merge the cluster in the shared memory of rank 0
        asm volatile("barrier.cluster.wait;" ::: "memory");
        if (tid < 128) {
            st_cluster(map_rank(smem_u32(&s_rx[rank][tid]), 0), a);
            if (tid == 0) {
                st_cluster(map_rank(smem_u32(&s_rm[rank]), 0), M);
                st_cluster(map_rank(smem_u32(&s_rl[rank]), 0), L);
            }
        }
        __syncwarp();
        asm volatile("barrier.cluster.arrive.release;" ::: "memory");
        asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
        if (rank == 0 && tid < 128) {
            float pm[S], pl[S], px[S];
#pragma unroll
            for (int i = 0; i < S; i++) {
                pm[i] = s_rm[i];
                pl[i] = s_rl[i];
                px[i] = s_rx[i][tid];
            }
            float Mf = MNEG, Lf = 0.f, Af = 0.f;
#pragma unroll
            for (int i = 0; i < S; i++) Mf = fmaxf(Mf, pm[i]);
#pragma unroll
            for (int i = 0; i < S; i++) {
                const float e = ex2(pm[i] - Mf);
                Lf = fmaf(e, pl[i], Lf);
                Af = fmaf(e, px[i], Af);
            }
            const float res = (Lf > 0.f) ? Af / Lf : 0.f;
            out[(size_t)bh * 128 + tid] = __float2half_rn(res);
        }
    }
}

template <int NWARP, int MINB, int S>
static void launch_stream(const __half* q, const __half* kc, const __half* vc,
                          const int* span_start, const int* span_len, const int* span_offsets,
                          __half* out, int B, int H, int L_max, float scale) {
    const int smem = NWARP * WST * WSTAGE;
    cudaFuncSetAttribute(span_stream<NWARP, MINB, S>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         smem);
    cudaFuncSetAttribute(span_stream<NWARP, MINB, S>,
                         cudaFuncAttributePreferredSharedMemoryCarveout, 100);
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = dim3((unsigned int)S, (unsigned int)H, (unsigned int)B);
    cfg.blockDim = dim3(NWARP * 32, 1, 1);
    cfg.dynamicSmemBytes = (size_t)smem;
    cfg.stream = 0;
    cudaLaunchAttribute at[1];
    at[0].id = cudaLaunchAttributeClusterDimension;
    at[0].val.clusterDim.x = (unsigned int)S;
    at[0].val.clusterDim.y = 1;
    at[0].val.clusterDim.z = 1;
    cfg.attrs = at;
    cfg.numAttrs = (S > 1) ? 1 : 0;
    cudaLaunchKernelEx(&cfg, span_stream<NWARP, MINB, S>, q, kc, vc, span_start, span_len,
                       span_offsets, out, L_max, scale);
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
        unpack8(qv, qf);
    }

    int len0 = 0, st0 = 0;
    if (lane < ns) {
        len0 = __ldg(span_len + so + lane);
        st0 = __ldg(span_start + so + lane);
    }
    int total = len0;
    for (int i = lane + 32; i < ns; i += 32) total += __ldg(span_len + so + i);
    __syncwarp();
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) total += __shfl_xor_sync(FULL, total, o);

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
                __syncwarp();
                const int incl = warp_incl(ln, lane);
                const int pre = run + incl - ln;
                const bool ov = (ln > 0) && (pre < t1) && (pre + ln > t0);
                unsigned int mask = __ballot_sync(FULL, ov);
                while (mask) {
                    const int j = __ffs(mask) - 1;
                    mask &= mask - 1;
                    const int pj = __shfl_sync(FULL, pre, j);
                    const int lj = __shfl_sync(FULL, ln, j);
                    const int sj = __shfl_sync(FULL, st, j);
                    const int lo = max(pj, t0);
                    const int hi = min(pj + lj, t1);
                    for (int i = lo + tid; i < hi; i += NT)
                        s_list[i - t0] = (sj + i - pj) * Dh;
                    __syncwarp();
                }
                run += __shfl_sync(FULL, incl, 31);
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
                for (int u = 0; u < UR; u++) s[u] += __shfl_xor_sync(FULL, s[u], o);
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
        const float mo = __shfl_xor_sync(FULL, m, o);
        const float lo = __shfl_xor_sync(FULL, l, o);
        const float mn = fmaxf(m, mo);
        const float wa = ex2(m - mn);
        const float wb = ex2(mo - mn);
        l = l * wa + lo * wb;
#pragma unroll
        for (int e = 0; e < 8; e++) {
            const float ao = __shfl_xor_sync(FULL, acc[e], o);
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

           void solve(const __half* q, const __half* k_cache, const __half* v_cache, const int* span_start, const int* span_len, const int* span_offsets, __half* out, int B, int H, int Dh, int L_max) {
    const int BH = B * H;
    const float scale = (float)(1.4426950408889634 / sqrt((double)Dh));
    const int slots = 132 * 2;

    if (Dh == 128 && BH >= 20) {
        if (BH >= BULKMIN) {
            const int smem = BW * BSTG * BSTAGE;
            cudaFuncSetAttribute(span_bulk, cudaFuncAttributeMaxDynamicSharedMemorySize, smem);
            span_bulk<<<BGRID, BW * 32, smem>>>(q, k_cache, v_cache, span_start, span_len,
                                                span_offsets, out, B, H, L_max, scale);
        } else if (BH <= 170) {
            const int wave = (REGB == 2) ? 264 : 340;
            int S = 8;  // blocks of 8 warps
            while (S > 1 && BH * S > wave) S >>= 1;
            launch_regs<8, REGB, 8, SPEC>(q, k_cache, v_cache, span_start, span_len,
                                          span_offsets, out, B, H, L_max, S, scale);
        } else if (BH <= 1024) {
            launch_stream<4, 6, 4>(q, k_cache, v_cache, span_start, span_len, span_offsets, out,
                                   B, H, L_max, scale);
        } else {
            launch_stream<4, 6, 1>(q, k_cache, v_cache, span_start, span_len, span_offsets, out,
                                   B, H, L_max, scale);
        }
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
}  // namespace part1
#undef BGRID
#undef BSTAGE
#undef BSTG
#undef BULKMIN
#undef BW
#undef CH
#undef FULL
#undef GO
#undef MAXPART
#undef MNEG
#undef NT
#undef NW
#undef REGB
#undef SPEC
#undef TILE
#undef UR
#undef WST
#undef WSTAGE

namespace part2 {





// up to 132 heads: warps per block (16: one block per SM, 8: two)
#define MIDW 16   // tune: MIDW = 8, 16
// up to 132 heads: rows of a tile of one warp
#define MIDR 8    // tune: MIDR = 8, 16
// few heads: rows of K and of V each warp asks into the L2 while the span list is on its way
#define SPECR 4   // tune: SPECR = 0, 4, 8

#define NT 256
#define NW 8
#define UR 4
#define TILE 2048
#define MAXPART 8192
#define MNEG (-1e30f)

// stream kernel (Dh == 128): stages of 4 rows (2 KiB) per warp
#define WST 4
#define WSTAGE 2048

__device__ float        g_part[MAXPART * 256];
__device__ float2       g_ml[MAXPART];
__device__ unsigned int g_cnt[MAXPART];

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

// keeps the old value where pred == 0
__device__ __forceinline__ void ldkeep(uint4& v, const __half* p, int pred) {
    asm volatile(
        "{\n\t"
        ".reg .pred pp;\n\t"
        "setp.ne.s32 pp, %5, 0;\n\t"
        "@pp ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];\n\t"
        "}\n"
        : "+r"(v.x), "+r"(v.y), "+r"(v.z), "+r"(v.w)
        : "l"(p), "r"(pred));
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
    float t = a.y * q[1];
    s = fmaf(b.x, q[2], s);
    t = fmaf(b.y, q[3], t);
    s = fmaf(c.x, q[4], s);
    t = fmaf(c.y, q[5], t);
    s = fmaf(d.x, q[6], s);
    t = fmaf(d.y, q[7], t);
    return s + t;
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

__device__ __forceinline__ uint32_t smem_u32(const void* p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void prefetch_l2(const void* p) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}
__device__ __forceinline__ void bulk_prefetch_l2(const void* p, unsigned int bytes) {
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(p), "r"(bytes) : "memory");
}
// 16 bytes, or 16 zeros where bytes == 0 (nothing is read then)
__device__ __forceinline__ void cpa16(uint32_t dst, const void* src, int bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(dst), "l"(src), "r"(bytes)
                 : "memory");
}
__device__ __forceinline__ void cpa_commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int N>
__device__ __forceinline__ void cpa_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}
__device__ __forceinline__ void st_cluster(uint32_t addr, float v) {
    asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(addr), "f"(v) : "memory");
}
__device__ __forceinline__ uint32_t map_rank(uint32_t addr, int rank) {
    uint32_t r;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(addr), "r"(rank));
    return r;
}

// The aligned 256 bytes at the beginning of both span arrays (hints only), by one warp.
__device__ __forceinline__ void prefetch_spans(const int* span_len, const int* span_start, int lane) {
    if (lane < 16) {
        const int* p = (lane < 8) ? span_len : span_start;
        if (p != nullptr) prefetch_l2(p + (lane & 7) * 8);
    }
}

// ---------------------------------------------------------------------------
// Dh == 128, up to 132 heads: tiles of R rows per warp in registers,
// 16 warps per SM, clusters of S blocks per head (none where S == 1)
// ---------------------------------------------------------------------------
template <int NWARP, int R, int S>
__global__ void __launch_bounds__(NWARP * 32, 16 / NWARP)
span_lat(const __half* __restrict__ q, const __half* __restrict__ kc,
         const __half* __restrict__ vc, const int* __restrict__ span_start,
         const int* __restrict__ span_len, const int* __restrict__ span_offsets,
         __half* __restrict__ out, int L_max, float scale) {
    constexpr int HR = R / 2;
    constexpr unsigned int FULL = 0xffffffffu;
    constexpr unsigned int U = (unsigned int)(S * NWARP);   // at most 64, a power of two
    __shared__ __align__(16) float s_acc[NWARP][128];
    __shared__ float s_rx[S][128];   // partial sums of the cluster (used in rank 0)
    __shared__ float s_rm[S];
    __shared__ float s_rl[S];
    __shared__ float2 s_ml[NWARP];

    // the head of the chain of dependent loads comes first, with no division before it
    const int b = (int)blockIdx.z;
    const int so = __ldg(span_offsets + b);
    const int ns = __ldg(span_offsets + b + 1) - so;

    const int tid = threadIdx.x;
    const int lane = tid & 31;
    const int warp = tid >> 5;
    const int c = lane & 15;
    const int hf = lane >> 4;
    const int rank = (int)blockIdx.x;
    const int bh = b * (int)gridDim.y + (int)blockIdx.y;
    const unsigned int u = (unsigned int)(rank * NWARP + warp);

    if (warp == 0) prefetch_spans(span_len, span_start, lane);
    const uint4 qv = __ldg(reinterpret_cast<const uint4*>(q + (size_t)bh * 128 + c * 8));
    const size_t hb = (size_t)bh * (size_t)L_max * 128;
    // translations and perhaps data on their way while the span list is read
    if (SPECR > 0 && U >= 32u) {
        const int row0 = (int)(((unsigned int)L_max * u) / U);   // below L_max
        const unsigned int bytes = (unsigned int)min((int)SPECR, L_max - row0) * 256u;
        if (lane < 2)
            bulk_prefetch_l2(((lane == 0) ? kc : vc) + hb + (size_t)row0 * 128, bytes);
    } else if (warp == 0) {
        const size_t guess =
            hb + (size_t)(((unsigned int)L_max * (unsigned int)rank) / (unsigned int)S) * 128;
        if (lane == 16) prefetch_l2(kc + guess);
        if (lane == 17) prefetch_l2(vc + guess);
    }
    __syncwarp();
    // every block of the cluster has started once this phase completes
    if (S > 1) asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");

    // ---- the list of spans: 32 at a time, with a cursor that only moves forward ----
    int ln = 0, st = 0;
    if (lane < ns) {
        ln = __ldg(span_len + so + lane);
        st = __ldg(span_start + so + lane);
    }
    int rest = 0;
    if (ns > 32) {
        for (int i = lane + 32; i < ns; i += 32) rest += __ldg(span_len + so + i);
        __syncwarp();
#pragma unroll
        for (int o = 16; o > 0; o >>= 1) rest += __shfl_xor_sync(FULL, rest, o);
    }
    __syncwarp();
    int incl = ln;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
        const int y = __shfl_up_sync(FULL, incl, o);
        if (lane >= o) incl += y;
    }
    int pre = incl - ln;       // rows before the span of this lane
    int delta = st - pre;      // position = row + delta
    int cbeg = 0;              // the 32 spans at hand hold the rows cbeg .. cend - 1
    int cend = __shfl_sync(FULL, incl, 31);
    int c0 = 0;
    const unsigned int total = (unsigned int)(cend + rest);   // at most 32768

    const int w0 = (int)((total * u) / U);
    const int w1 = (int)((total * (u + 1u)) / U);
    const int n = w1 - w0;

    const __half* kb = kc + hb + c * 8;
    const __half* vb = vc + hb + c * 8;

    float qf[8];
    {
        float2 t;
        t = h2f(qv.x); qf[0] = t.x * scale; qf[1] = t.y * scale;
        t = h2f(qv.y); qf[2] = t.x * scale; qf[3] = t.y * scale;
        t = h2f(qv.z); qf[4] = t.x * scale; qf[5] = t.y * scale;
        t = h2f(qv.w); qf[6] = t.x * scale; qf[7] = t.y * scale;
    }
    float acc[8];
#pragma unroll
    for (int e = 0; e < 8; e++) acc[e] = 0.f;
    float m = MNEG, l = 0.f;

    uint4 kr[HR], vr[HR];
#pragma unroll
    for (int i = 0; i < HR; i++) {
        kr[i] = make_uint4(0u, 0u, 0u, 0u);
        vr[i] = make_uint4(0u, 0u, 0u, 0u);
    }
    int pos = 0;   // position of row (lane) of the batch of 32 rows at hand

    // One turn uses up the tile of rows t .. t+R-1 and asks for the next one;
    // the first turn only asks.
#pragma unroll 1
    for (int t = -R; t < n; t += R) {
        const int nx = t + R;
        const bool more = nx < n;

        if (more && (nx & 31) == 0) {
            // positions of the next 32 rows
            const int r = w0 + nx + lane;
            const int te = min(w0 + nx + 32, w1);
            pos = 0;
#pragma unroll 1
            for (;;) {
                // the last span that begins at or before row r
                int j = 0;
#pragma unroll
                for (int o = 16; o > 0; o >>= 1) {
                    const int pj = __shfl_sync(FULL, pre, j + o);
                    j += (pj <= r) ? o : 0;
                }
                const int dj = __shfl_sync(FULL, delta, j);
                if (r < w1 && r >= cbeg && r < cend) pos = r + dj;
                if (cend >= te || c0 + 32 >= ns) break;
                c0 += 32;
                ln = 0;
                st = 0;
                if (c0 + lane < ns) {
                    ln = __ldg(span_len + so + c0 + lane);
                    st = __ldg(span_start + so + c0 + lane);
                }
                __syncwarp();
                int in2 = ln;
#pragma unroll
                for (int o = 1; o < 32; o <<= 1) {
                    const int y = __shfl_up_sync(FULL, in2, o);
                    if (lane >= o) in2 += y;
                }
                cbeg = cend;
                pre = cbeg + in2 - ln;
                delta = st - pre;
                cend = cbeg + __shfl_sync(FULL, in2, 31);
            }
        }

        float sc[HR];
#pragma unroll
        for (int i = 0; i < HR; i++) sc[i] = 0.f;
        if (t >= 0) {
#pragma unroll
            for (int i = 0; i < HR; i++) sc[i] = dot8(kr[i], qf);
        }

        int off[HR];
#pragma unroll
        for (int i = 0; i < HR; i++) off[i] = 0;
        if (more) {
#pragma unroll
            for (int i = 0; i < HR; i++)
                off[i] = __shfl_sync(FULL, pos, (nx & 31) + hf * HR + i) * 128;
#pragma unroll
            for (int i = 0; i < HR; i++)
                ldkeep(kr[i], kb + off[i], (nx + hf * HR + i < n) ? 1 : 0);
        }

        if (t >= 0) {
#pragma unroll
            for (int o = 8; o > 0; o >>= 1) {
#pragma unroll
                for (int i = 0; i < HR; i++) sc[i] += __shfl_xor_sync(FULL, sc[i], o);
            }
            if (nx > n) {
#pragma unroll
                for (int i = 0; i < HR; i++)
                    if (t + hf * HR + i >= n) sc[i] = -INFINITY;
            }
            float mn = m;
#pragma unroll
            for (int i = 0; i < HR; i++) mn = fmaxf(mn, sc[i]);
            const float corr = ex2(m - mn);
            m = mn;
            l *= corr;
#pragma unroll
            for (int e = 0; e < 8; e++) acc[e] *= corr;
#pragma unroll
            for (int i = 0; i < HR; i++) {
                sc[i] = ex2(sc[i] - mn);
                l += sc[i];
            }
#pragma unroll
            for (int i = 0; i < HR; i++) axpy8(vr[i], sc[i], acc);
        }

        if (more) {
#pragma unroll
            for (int i = 0; i < HR; i++)
                ldkeep(vr[i], vb + off[i], (nx + hf * HR + i < n) ? 1 : 0);
        }
    }
    __syncwarp();

    // merge the two halves of the warp
    {
        const float mo = __shfl_xor_sync(FULL, m, 16);
        const float lo = __shfl_xor_sync(FULL, l, 16);
        const float mn = fmaxf(m, mo);
        const float wa = ex2(m - mn);
        const float wb = ex2(mo - mn);
        l = l * wa + lo * wb;
#pragma unroll
        for (int e = 0; e < 8; e++) {
            const float ao = __shfl_xor_sync(FULL, acc[e], 16);
            acc[e] = acc[e] * wa + ao * wb;
        }
        m = mn;
    }
    if (hf == 0) {
        float4* dst = reinterpret_cast<float4*>(&s_acc[warp][c * 8]);
        dst[0] = make_float4(acc[0], acc[1], acc[2], acc[3]);
        dst[1] = make_float4(acc[4], acc[5], acc[6], acc[7]);
    }
    if (lane == 0) s_ml[warp] = make_float2(m, l);
    __syncthreads();

    float M = MNEG, L = 0.f, a = 0.f;
    if (tid < 128) {
#pragma unroll
        for (int w = 0; w < NWARP; w++) M = fmaxf(M, s_ml[w].x);
#pragma unroll
        for (int w = 0; w < NWARP; w++) {
            const float2 ml = s_ml[w];
            const float e = ex2(ml.x - M);
            L = fmaf(e, ml.y, L);
            a = fmaf(e, s_acc[w][tid], a);
        }
    }

    if (S == 1) {
        if (tid < 128) {
            const float res = (L > 0.f) ? a / L : 0.f;
            out[(size_t)bh * 128 + tid] = __float2half_rn(res);
        }
    } else {
        // merge the cluster in the shared memory of rank 0
        asm volatile("barrier.cluster.wait;" ::: "memory");
        if (tid < 128) {
            st_cluster(map_rank(smem_u32(&s_rx[rank][tid]), 0), a);
            if (tid == 0) {
                st_cluster(map_rank(smem_u32(&s_rm[rank]), 0), M);
                st_cluster(map_rank(smem_u32(&s_rl[rank]), 0), L);
            }
        }
        __syncwarp();
        asm volatile("barrier.cluster.arrive.release;" ::: "memory");
        asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
        if (rank == 0 && tid < 128) {
            float pm[S], pl[S], px[S];
#pragma unroll
            for (int i = 0; i < S; i++) {
                pm[i] = s_rm[i];
                pl[i] = s_rl[i];
                px[i] = s_rx[i][tid];
            }
            float Mf = MNEG, Lf = 0.f, Af = 0.f;
#pragma unroll
            for (int i = 0; i < S; i++) Mf = fmaxf(Mf, pm[i]);
#pragma unroll
            for (int i = 0; i < S; i++) {
                const float e = ex2(pm[i] - Mf);
                Lf = fmaf(e, pl[i], Lf);
                Af = fmaf(e, px[i], Af);
            }
            const float res = (Lf > 0.f) ? Af / Lf : 0.f;
            out[(size_t)bh * 128 + tid] = __float2half_rn(res);
        }
    }
}

template <int NWARP, int R, int S>
static void launch_lat(const __half* q, const __half* kc, const __half* vc,
                       const int* span_start, const int* span_len, const int* span_offsets,
                       __half* out, int B, int H, int L_max, float scale) {
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = dim3((unsigned int)S, (unsigned int)H, (unsigned int)B);
    cfg.blockDim = dim3(NWARP * 32, 1, 1);
    cfg.dynamicSmemBytes = 0;
    cfg.stream = 0;
    cudaLaunchAttribute at[1];
    at[0].id = cudaLaunchAttributeClusterDimension;
    at[0].val.clusterDim.x = (unsigned int)S;
    at[0].val.clusterDim.y = 1;
    at[0].val.clusterDim.z = 1;
    cfg.attrs = at;
    cfg.numAttrs = (S > 1) ? 1 : 0;
    cudaLaunchKernelEx(&cfg, span_lat<NWARP, R, S>, q, kc, vc, span_start, span_len,
                       span_offsets, out, L_max, scale);
}

// ---------------------------------------------------------------------------
// Dh == 128, 133 to 170 heads: one private cp.async stream per warp, clusters of S blocks per head
// ---------------------------------------------------------------------------
template <int NWARP, int MINB, int S>
__global__ void __launch_bounds__(NWARP * 32, MINB)
span_stream(const __half* __restrict__ q, const __half* __restrict__ kc,
            const __half* __restrict__ vc, const int* __restrict__ span_start,
            const int* __restrict__ span_len, const int* __restrict__ span_offsets,
            __half* __restrict__ out, int L_max, float scale) {
    extern __shared__ __align__(128) unsigned char ring[];
    __shared__ float s_rx[S][128];   // partial sums of the cluster (used in rank 0)
    __shared__ float s_rm[S];
    __shared__ float s_rl[S];
    __shared__ float2 s_ml[NWARP];

    constexpr unsigned int FULL = 0xffffffffu;
    constexpr unsigned int U = (unsigned int)(S * NWARP);   // a power of two
    constexpr int STRIDE = (int)U * 4;                      // rows from stage to stage

    // the head of the chain of dependent loads comes first, with no division before it
    const int b = (int)blockIdx.z;
    const int so = __ldg(span_offsets + b);
    const int ns = __ldg(span_offsets + b + 1) - so;

    const int tid = threadIdx.x;
    const int lane = tid & 31;
    const int warp = tid >> 5;
    const int c = lane & 15;
    const int hf = lane >> 4;
    const int rank = (int)blockIdx.x;
    const int bh = b * (int)gridDim.y + (int)blockIdx.y;
    const unsigned int u = (unsigned int)(rank * NWARP + warp);

    if (warp == 0) {
        if (lane == 2 && span_len != nullptr) prefetch_l2(span_len);
        if (lane == 3 && span_start != nullptr) prefetch_l2(span_start);
    }
    const uint4 qv = __ldg(reinterpret_cast<const uint4*>(q + (size_t)bh * 128 + c * 8));
    const size_t hb = (size_t)bh * (size_t)L_max * 128;
    // translations on their way while the span list is read
    if (warp == 0) {
        const size_t guess =
            hb + (size_t)(((unsigned int)L_max * (unsigned int)rank) / (unsigned int)S) * 128;
        if (lane == 0) prefetch_l2(kc + guess);
        if (lane == 1) prefetch_l2(vc + guess);
    }
    __syncwarp();
    // every block of the cluster has started once this phase completes
    if (S > 1) asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");

    // ---- the list of spans: 32 at a time, with a cursor that only moves forward ----
    int ln = 0, st = 0;
    if (lane < ns) {
        ln = __ldg(span_len + so + lane);
        st = __ldg(span_start + so + lane);
    }
    int rest = 0;
    if (ns > 32) {
        for (int i = lane + 32; i < ns; i += 32) rest += __ldg(span_len + so + i);
        __syncwarp();
#pragma unroll
        for (int o = 16; o > 0; o >>= 1) rest += __shfl_xor_sync(FULL, rest, o);
    }
    int incl = ln;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
        const int y = __shfl_up_sync(FULL, incl, o);
        if (lane >= o) incl += y;
    }
    int pre = incl - ln;       // rows before the span of this lane
    int delta = st - pre;      // position = row + delta
    int cbeg = 0;              // the 32 spans at hand hold the rows cbeg .. cend - 1
    int cend = __shfl_sync(FULL, incl, 31);
    int c0 = 0;
    const int total = cend + rest;

    // groups of 4 rows dealt out to the warps in turn
    const int base = (int)u * 4;
    const int end = total;
    const int nst = (end > base) ? (int)((unsigned int)(end - base + STRIDE - 1) / (unsigned int)STRIDE) : 0;

    const __half* kb = kc + hb + c * 8;
    const __half* vb = vc + hb + c * 8;
    unsigned char* my = ring + warp * (WST * WSTAGE) + lane * 16;
    const uint32_t my_a = smem_u32(my);

    int pos = -1;  // position of row (lane & 3) of stage (lane >> 2) of a batch of 8 stages

    auto issue = [&](int s) {
        if (s < nst) {
            if ((s & 7) == 0) {
                const int r = base + (s + (lane >> 2)) * STRIDE + (lane & 3);
                const int te = min(base + (s + 7) * STRIDE + 4, end);
                pos = -1;
                for (;;) {
                    // the last span that begins at or before row r
                    int j = 0;
#pragma unroll
                    for (int o = 16; o > 0; o >>= 1) {
                        const int pj = __shfl_sync(FULL, pre, j + o);
                        j += (pj <= r) ? o : 0;
                    }
                    const int dj = __shfl_sync(FULL, delta, j);
                    if (r < end && r >= cbeg && r < cend) pos = r + dj;
                    if (cend >= te || c0 + 32 >= ns) break;
                    c0 += 32;
                    ln = 0;
                    st = 0;
                    if (c0 + lane < ns) {
                        ln = __ldg(span_len + so + c0 + lane);
                        st = __ldg(span_start + so + c0 + lane);
                    }
                    int in2 = ln;
#pragma unroll
                    for (int o = 1; o < 32; o <<= 1) {
                        const int y = __shfl_up_sync(FULL, in2, o);
                        if (lane >= o) in2 += y;
                    }
                    cbeg = cend;
                    pre = cbeg + in2 - ln;
                    delta = st - pre;
                    cend = cbeg + __shfl_sync(FULL, in2, 31);
                }
            }
            const int i0 = ((s & 7) << 2) + hf;
            const int p0 = __shfl_sync(FULL, pos, i0);
            const int p1 = __shfl_sync(FULL, pos, i0 + 2);
            const int z0 = (p0 >= 0) ? 16 : 0;
            const int z1 = (p1 >= 0) ? 16 : 0;
            const int o0 = max(p0, 0) * 128;
            const int o1 = max(p1, 0) * 128;
            const uint32_t d = my_a + (uint32_t)(s & (WST - 1)) * WSTAGE;
            cpa16(d, kb + o0, z0);
            cpa16(d + 512, kb + o1, z1);
            cpa16(d + 1024, vb + o0, z0);
            cpa16(d + 1536, vb + o1, z1);
        }
        cpa_commit();
    };

#pragma unroll
    for (int s = 0; s < WST - 1; s++) issue(s);

    float qf[8];
    {
        float2 t;
        t = h2f(qv.x); qf[0] = t.x; qf[1] = t.y;
        t = h2f(qv.y); qf[2] = t.x; qf[3] = t.y;
        t = h2f(qv.z); qf[4] = t.x; qf[5] = t.y;
        t = h2f(qv.w); qf[6] = t.x; qf[7] = t.y;
    }
    float acc[8];
#pragma unroll
    for (int e = 0; e < 8; e++) acc[e] = 0.f;
    float m = MNEG, l = 0.f;
    int r = base + hf;

    for (int it = 0; it < nst; it++) {
        cpa_wait<WST - 2>();
        const unsigned char* sp = my + (it & (WST - 1)) * WSTAGE;
        const uint4 k0 = *reinterpret_cast<const uint4*>(sp);
        const uint4 k1 = *reinterpret_cast<const uint4*>(sp + 512);
        const uint4 v0 = *reinterpret_cast<const uint4*>(sp + 1024);
        const uint4 v1 = *reinterpret_cast<const uint4*>(sp + 1536);

        issue(it + WST - 1);  // into the stage that was used up one turn ago

        float s0 = dot8(k0, qf);
        float s1 = dot8(k1, qf);
#pragma unroll
        for (int o = 8; o > 0; o >>= 1) {
            s0 += __shfl_xor_sync(FULL, s0, o);
            s1 += __shfl_xor_sync(FULL, s1, o);
        }
        s0 = (r < end) ? s0 * scale : -INFINITY;
        s1 = (r + 2 < end) ? s1 * scale : -INFINITY;
        r += STRIDE;
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
    }
    cpa_wait<0>();
    __syncwarp();

    // merge the two halves of the warp
    {
        const float mo = __shfl_xor_sync(FULL, m, 16);
        const float lo = __shfl_xor_sync(FULL, l, 16);
        const float mn = fmaxf(m, mo);
        const float wa = ex2(m - mn);
        const float wb = ex2(mo - mn);
        l = l * wa + lo * wb;
#pragma unroll
        for (int e = 0; e < 8; e++) {
            const float ao = __shfl_xor_sync(FULL, acc[e], 16);
            acc[e] = acc[e] * wa + ao * wb;
        }
        m = mn;
    }
    // the warp's own part of the ring is free now
    if (hf == 0) {
        float4* dst = reinterpret_cast<float4*>(ring + warp * (WST * WSTAGE) + c * 32);
        dst[0] = make_float4(acc[0], acc[1], acc[2], acc[3]);
        dst[1] = make_float4(acc[4], acc[5], acc[6], acc[7]);
    }
    if (lane == 0) s_ml[warp] = make_float2(m, l);
    __syncthreads();

    float M = MNEG, L = 0.f, a = 0.f;
    if (tid < 128) {
#pragma unroll
        for (int w = 0; w < NWARP; w++) M = fmaxf(M, s_ml[w].x);
#pragma unroll
        for (int w = 0; w < NWARP; w++) {
            const float2 ml = s_ml[w];
            const float e = ex2(ml.x - M);
            L = fmaf(e, ml.y, L);
            a = fmaf(e, *reinterpret_cast<const float*>(ring + w * (WST * WSTAGE) + tid * 4), a);
        }
    }

    if (S == 1) {
        if (tid < 128) {
            const float res = (L > 0.f) ? a / L : 0.f;
            out[(size_t)bh * 128 + tid] = __float2half_rn(res);
        }
    } else {
        // merge the cluster in the shared memory of rank 0
        asm volatile("barrier.cluster.wait;" ::: "memory");
        if (tid < 128) {
            st_cluster(map_rank(smem_u32(&s_rx[rank][tid]), 0), a);
            if (tid == 0) {
                st_cluster(map_rank(smem_u32(&s_rm[rank]), 0), M);
                st_cluster(map_rank(smem_u32(&s_rl[rank]), 0), L);
            }
        }
        __syncwarp();
        asm volatile("barrier.cluster.arrive.release;" ::: "memory");
        asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
        if (rank == 0 && tid < 128) {
            float pm[S], pl[S], px[S];
#pragma unroll
            for (int i = 0; i < S; i++) {
                pm[i] = s_rm[i];
                pl[i] = s_rl[i];
                px[i] = s_rx[i][tid];
            }
            float Mf = MNEG, Lf = 0.f, Af = 0.f;
#pragma unroll
            for (int i = 0; i < S; i++) Mf = fmaxf(Mf, pm[i]);
#pragma unroll
            for (int i = 0; i < S; i++) {
                const float e = ex2(pm[i] - Mf);
                Lf = fmaf(e, pl[i], Lf);
                Af = fmaf(e, px[i], Af);
            }
            const float res = (Lf > 0.f) ? Af / Lf : 0.f;
            out[(size_t)bh * 128 + tid] = __float2half_rn(res);
        }
    }
}

template <int NWARP, int MINB, int S>
static void launch_stream(const __half* q, const __half* kc, const __half* vc,
                          const int* span_start, const int* span_len, const int* span_offsets,
                          __half* out, int B, int H, int L_max, float scale) {
    const int smem = NWARP * WST * WSTAGE;
    cudaFuncSetAttribute(span_stream<NWARP, MINB, S>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         smem);
    cudaFuncSetAttribute(span_stream<NWARP, MINB, S>,
                         cudaFuncAttributePreferredSharedMemoryCarveout, 100);
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = dim3((unsigned int)S, (unsigned int)H, (unsigned int)B);
    cfg.blockDim = dim3(NWARP * 32, 1, 1);
    cfg.dynamicSmemBytes = (size_t)smem;
    cfg.stream = 0;
    cudaLaunchAttribute at[1];
    at[0].id = cudaLaunchAttributeClusterDimension;
    at[0].val.clusterDim.x = (unsigned int)S;
    at[0].val.clusterDim.y = 1;
    at[0].val.clusterDim.z = 1;
    cfg.attrs = at;
    cfg.numAttrs = (S > 1) ? 1 : 0;
    cudaLaunchKernelEx(&cfg, span_stream<NWARP, MINB, S>, q, kc, vc, span_start, span_len,
                       span_offsets, out, L_max, scale);
}

// ---------------------------------------------------------------------------
// Dh == 128, many heads: persistent blocks; the warps of a block take the tiles of 16 rows of its heads in
// turn and keep their own cp.async stages. The grid has no block without work where samples are alike:
// eight of 264 cost 2 % where they were, measured with nothing else changed.
// ---------------------------------------------------------------------------
#define EW 4                            // warps: as many threads as a head has columns
#define ES 3                            // tune: ES = 2, 3
#define EB 2                            // blocks per SM
#define ELIST 1024                      // spans kept in shared memory
#define EGRID (132 * EB)

__device__ float        e_part[EGRID * 2 * 128];
__device__ float2       e_ml[EGRID * 2];
__device__ unsigned int e_cnt[32768];

// The part of a head that a block works on: tiles first .. end - 1 of head bh, a head of sample b.
struct Piece {
    int b, bh, n, first, end;
    int left;   // tiles that the block has still to do, these among them
};

// per: heads per block where all samples have as many rows; 0 where that leaves blocks without work
__global__ void __launch_bounds__(EW * 32, EB)
span_even(const __half* __restrict__ q, const __half* __restrict__ kc,
          const __half* __restrict__ vc, const int* __restrict__ span_start,
          const int* __restrict__ span_len, const int* __restrict__ span_offsets,
          __half* __restrict__ out, int B, int H, int L_max, int per, float scale) {
    extern __shared__ __align__(128) unsigned char ring[];
    __shared__ __align__(16) float s_acc[EW][128];
    __shared__ float2 s_ml[EW];
    __shared__ int sOff[257];
    __shared__ int sTot[257];   // rows of a sample
    __shared__ int sPre[257];   // tiles of all heads before a sample
    __shared__ int2 sSpan[ELIST];
    __shared__ int sLast;

    constexpr unsigned int FULL = 0xffffffffu;
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const int hf = lane >> 4, i16 = lane & 15;
    const int blk = (int)blockIdx.x, grid = (int)gridDim.x;

    // ---- the lists, by all threads at once ----
#pragma unroll 1
    for (int i = tid; i <= B; i += EW * 32) {
        sOff[i] = __ldg(span_offsets + i);
        sTot[i] = 0;
    }
    __syncthreads();
    const int spans = sOff[B];
#pragma unroll 1
    for (int i = tid; i < spans; i += EW * 32) {
        const int ln = __ldg(span_len + i);
        const int st = (i < ELIST) ? __ldg(span_start + i) : 0;
        int lo = 0, hi = B - 1;   // the sample of span i: the last one that begins at or before it
#pragma unroll 1
        while (lo < hi) {
            const int mid = (lo + hi + 1) >> 1;
            if (sOff[mid] <= i) lo = mid;
            else hi = mid - 1;
        }
        atomicAdd(&sTot[lo], ln);
        if (i < ELIST) sSpan[i] = make_int2(ln, st);
    }
    __syncthreads();

    // ---- the run of this block: every step-th head where all samples are alike ----
    const int n0 = sTot[0];
    bool alike = true;
#pragma unroll 1
    for (int i = tid; i < B; i += EW * 32) alike = alike && sTot[i] == n0;
    alike = __syncthreads_and(alike) != 0;

    Piece c;
    c.b = 0;
    c.bh = blk;
    c.first = 0;
    int step = 1, tb = 0, qd = 1, rm = 0;
    if (alike && per > 0) {
        const int heads = B * H;
        step = (heads + per - 1) / per;
        c.left = (blk < step) ? ((n0 + 15) >> 4) * ((heads - blk + step - 1) / step) : 0;
    } else {
        if (warp == 0) {
            int run = 0;
#pragma unroll 1
            for (int c0 = 0; c0 < B; c0 += 32) {
                const int b = c0 + lane;
                const int own = (b < B) ? ((sTot[b] + 15) >> 4) * H : 0;
                int x = own;
#pragma unroll 1
                for (int o = 1; o < 32; o <<= 1) {
                    const int y = __shfl_up_sync(FULL, x, o);
                    if (lane >= o) x += y;
                }
                if (b < B) sPre[b] = run + x - own;
                run += __shfl_sync(FULL, x, 31);
            }
            if (lane == 0) sPre[B] = run;
        }
        __syncthreads();
        const int T = sPre[B];
        const int G = min(grid, max(1, T / (2 * EW)));
        qd = T / G;
        rm = T - qd * G;
        tb = blk * qd + min(blk, rm);
        c.left = (blk < G) ? qd + (blk < rm ? 1 : 0) : 0;
        if (c.left > 0) {
            int lo = 0, hi = B - 1;
#pragma unroll 1
            while (lo < hi) {
                const int mid = (lo + hi + 1) >> 1;
                if (sPre[mid] <= tb) lo = mid;
                else hi = mid - 1;
            }
            // of samples that begin at the same tile the last one has tiles
            const int tl = (sTot[lo] + 15) >> 4;
            const int r = tb - sPre[lo];
            const int h = r / tl;
            c.b = lo;
            c.bh = lo * H + h;
            c.first = r - h * tl;
        }
        // samples without any position
#pragma unroll 1
        for (int b = blk; b < B; b += grid) {
            if (sTot[b] == 0) {
                uint4* o4 = reinterpret_cast<uint4*>(out) + (size_t)b * H * 16;
#pragma unroll 1
                for (int j = tid; j < H * 16; j += EW * 32) o4[j] = make_uint4(0u, 0u, 0u, 0u);
            }
        }
    }
    if (c.left <= 0) {
        if (alike && n0 == 0 && per > 0) {
#pragma unroll 1
            for (int j = blk * EW * 32 + tid; j < B * H * 16; j += grid * EW * 32)
                reinterpret_cast<uint4*>(out)[j] = make_uint4(0u, 0u, 0u, 0u);
        }
        return;
    }
    const int run = c.left;

    // the piece of head p.bh from tile p.first on
    auto enter = [&](Piece& p) {
        while (p.bh >= (p.b + 1) * H) ++p.b;
        while (sTot[p.b] == 0) p.bh = ++p.b * H;
        p.n = sTot[p.b];
        p.end = min((p.n + 15) >> 4, p.first + p.left);
    };
    enter(c);

    auto next = [&](Piece& p) {
        p.left -= p.end - p.first;
        if (p.left <= 0) return;
        p.bh += step;
        p.first = 0;
        enter(p);
    };
    const unsigned char* my = ring + warp * (ES * 8192) + lane * 16;
    const uint32_t my_a = smem_u32(my);

    // ---- the asking side: ES tiles ahead ----
    Piece a = c;
    int at = a.first + warp;
    int so = sOff[a.b], ns = sOff[a.b + 1] - so;
    const __half* kb = kc + (size_t)a.bh * (size_t)L_max * 128 + i16 * 8;
    const __half* vb = vc + (size_t)a.bh * (size_t)L_max * 128 + i16 * 8;
    int c0 = 0, cbeg = 0, cend = 0, pre = 0, delta = 0;
    int sbeg = 0, send = 0, sdelta = 0;   // rows sbeg .. send - 1 lie at row + sdelta

    // 32 spans from span f of the sample on; they begin at packed row r0
    auto chunk = [&](int f, int r0) {
        int ln = 0, st = 0;
        const int i = so + f + lane;
        if (f + lane < ns) {
            const int2 sp = (i < ELIST) ? sSpan[i] : make_int2(__ldg(span_len + i), __ldg(span_start + i));
            ln = sp.x;
            st = sp.y;
        }
        __syncwarp();
        int in = ln;
#pragma unroll
        for (int o = 1; o < 32; o <<= 1) {
            const int y = __shfl_up_sync(FULL, in, o);
            if (lane >= o) in += y;
        }
        c0 = f;
        cbeg = r0;
        pre = r0 + in - ln;
        delta = st - pre;
        cend = r0 + __shfl_sync(FULL, in, 31);
    };
    auto settle = [&]() {
        while (a.left > 0 && at >= a.end) {
            const int b0 = a.b;
            next(a);
            if (a.left <= 0) break;
            at = a.first + warp;
            if (a.b != b0) {
                so = sOff[a.b];
                ns = sOff[a.b + 1] - so;
                chunk(0, 0);
            } else if (c0 != 0) {
                chunk(0, 0);
            }
            send = 0;
            const size_t o = (size_t)a.bh * (size_t)L_max * 128 + i16 * 8;
            kb = kc + o;
            vb = vc + o;
        }
    };
    auto issue = [&](int stage) {
        if (a.left > 0) {
            const uint32_t d = my_a + (uint32_t)stage * 8192u;
            const int r0 = at * 16;
            int pos = 0;
            if (r0 < sbeg || r0 + 16 > send) {
                // positions of the rows of this tile; behind the last one the last one again
                const int r = min(r0 + i16, a.n - 1);
                const int rend = min(r0 + 16, a.n);
                int j = 0;
#pragma unroll 1
                for (;;) {
                    j = 0;   // the last span that begins at or before row r
#pragma unroll
                    for (int o = 16; o > 0; o >>= 1) {
                        const int pj = __shfl_sync(FULL, pre, j + o);
                        j += (pj <= r) ? o : 0;
                    }
                    const int dj = __shfl_sync(FULL, delta, j);
                    if (r >= cbeg && r < cend) pos = r + dj;
                    if (cend >= rend || c0 + 32 >= ns) break;
                    chunk(c0 + 32, cend);
                }
                // the span of the last row, for the tiles that follow
                j = __shfl_sync(FULL, j, 31);
                sbeg = __shfl_sync(FULL, pre, j);
                sdelta = __shfl_sync(FULL, delta, j);
                send = __shfl_sync(FULL, pre, (j + 1) & 31);
                if (j == 31) send = cend;
            }
            if (r0 >= sbeg && r0 + 16 <= send) {   // all of it in one span
                const size_t o = (size_t)(r0 + sdelta + hf) * 128;
#pragma unroll
                for (int i = 0; i < 8; i++) cpa16(d + i * 512, kb + o + i * 256, 16);
#pragma unroll
                for (int i = 0; i < 8; i++) cpa16(d + 4096 + i * 512, vb + o + i * 256, 16);
            } else {
                int o[8];
#pragma unroll
                for (int i = 0; i < 8; i++) o[i] = __shfl_sync(FULL, pos, 2 * i + hf) * 128;
#pragma unroll
                for (int i = 0; i < 8; i++) cpa16(d + i * 512, kb + o[i], 16);
#pragma unroll
                for (int i = 0; i < 8; i++) cpa16(d + 4096 + i * 512, vb + o[i], 16);
            }
            at += EW;
            settle();
        }
        cpa_commit();
    };

    chunk(0, 0);
    settle();
#pragma unroll 1
    for (int s = 0; s < ES; s++) issue(s);

    int stage = 0;
    for (;;) {
        const int bh = c.bh;
        const uint4 qu = __ldg(reinterpret_cast<const uint4*>(q + (size_t)bh * 128 + i16 * 8));
        float qf[8];
        {
            float2 t;
            t = h2f(qu.x); qf[0] = t.x; qf[1] = t.y;
            t = h2f(qu.y); qf[2] = t.x; qf[3] = t.y;
            t = h2f(qu.z); qf[4] = t.x; qf[5] = t.y;
            t = h2f(qu.w); qf[6] = t.x; qf[7] = t.y;
        }
        const int n = c.n;
        float m = MNEG, l = 0.f, acc[8];
#pragma unroll
        for (int e = 0; e < 8; e++) acc[e] = 0.f;

        for (int t = c.first + warp; t < c.end; t += EW) {
            cpa_wait<ES - 1>();
            const uint4* sp = reinterpret_cast<const uint4*>(my + stage * 8192);
            float s[8];
#pragma unroll
            for (int i = 0; i < 8; i++) s[i] = dot8(sp[i * 32], qf);
            uint4 vr[8];
#pragma unroll
            for (int i = 0; i < 8; i++) vr[i] = sp[256 + i * 32];
            issue(stage);   // all of this stage is in registers by now
            stage = (stage + 1 == ES) ? 0 : stage + 1;

            // sums over 16 lanes, halving what is held: a lane keeps row pair (lane >> 1) & 7
            {
                const bool u8 = (lane & 8) != 0;
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    const float send = u8 ? s[i] : s[i + 4];
                    const float keep = u8 ? s[i + 4] : s[i];
                    s[i] = keep + __shfl_xor_sync(FULL, send, 8);
                }
                const bool u4 = (lane & 4) != 0;
#pragma unroll
                for (int i = 0; i < 2; i++) {
                    const float send = u4 ? s[i] : s[i + 2];
                    const float keep = u4 ? s[i + 2] : s[i];
                    s[i] = keep + __shfl_xor_sync(FULL, send, 4);
                }
                const bool u2 = (lane & 2) != 0;
                const float send = u2 ? s[0] : s[1];
                const float keep = u2 ? s[1] : s[0];
                s[0] = keep + __shfl_xor_sync(FULL, send, 2);
                s[0] += __shfl_xor_sync(FULL, s[0], 1);
            }
            const bool valid = t * 16 + ((lane >> 1) & 7) * 2 + hf < n;
            const float sv = valid ? s[0] : MNEG;
            float mt = sv;
#pragma unroll
            for (int o = 2; o <= 16; o <<= 1) mt = fmaxf(mt, __shfl_xor_sync(FULL, mt, o));
            if (mt > m) {
                const float corr = ex2((m - mt) * scale);
                l *= corr;
#pragma unroll
                for (int e = 0; e < 8; e++) acc[e] *= corr;
                m = mt;
            }
            const float p = valid ? ex2((sv - m) * scale) : 0.f;
            l += p;
#pragma unroll
            for (int i = 0; i < 8; i++) {
                const float pi = __shfl_sync(FULL, p, (lane & 16) | (i << 1));
                axpy8(vr[i], pi, acc);
            }
        }
#pragma unroll
        for (int o = 2; o <= 16; o <<= 1) l += __shfl_xor_sync(FULL, l, o);
#pragma unroll
        for (int e = 0; e < 8; e++) acc[e] += __shfl_xor_sync(FULL, acc[e], 16);
        if (lane < 16) {
            float4* d = reinterpret_cast<float4*>(&s_acc[warp][i16 * 8]);
            d[0] = make_float4(acc[0], acc[1], acc[2], acc[3]);
            d[1] = make_float4(acc[4], acc[5], acc[6], acc[7]);
        }
        if (lane == 0) s_ml[warp] = make_float2(m, l);
        __syncthreads();

        float M = MNEG, L = 0.f, x = 0.f;
#pragma unroll
        for (int w = 0; w < EW; w++) M = fmaxf(M, s_ml[w].x);
#pragma unroll
        for (int w = 0; w < EW; w++) {
            const float e = ex2((s_ml[w].x - M) * scale);
            L = fmaf(e, s_ml[w].y, L);
            x = fmaf(e, s_acc[w][tid], x);
        }
        if (c.first == 0 && c.end == ((c.n + 15) >> 4)) {
            out[(size_t)bh * 128 + tid] = __float2half_rn(__fdividef(x, L));
        } else {
            // the head has parts in the runs of blocks i0 .. i1
            const int start = tb + run - c.left - c.first, last = start + ((c.n + 15) >> 4) - 1;
            const int cut = rm * (qd + 1);
            const int i0 = start < cut ? start / (qd + 1) : rm + (start - cut) / qd;
            const int i1 = last < cut ? last / (qd + 1) : rm + (last - cut) / qd;
            // a run has at most two parts: one that its beginning cuts, and one that its end cuts
            const int slot = 2 * blk + (tb > start ? 0 : 1);
            __stcg(&e_part[slot * 128 + tid], x);
            if (tid == 0) __stcg(&e_ml[slot], make_float2(M, L));
            __threadfence();
            __syncthreads();
            if (tid == 0) sLast = (atomicAdd(&e_cnt[bh], 1u) == (unsigned int)(i1 - i0)) ? 1 : 0;
            __syncthreads();
            if (sLast) {
                __threadfence();
                float MM = MNEG, LL = 0.f, xx = 0.f;
                for (int i = i0; i <= i1; i++) {
                    const int tbi = i * qd + min(i, rm);
                    const int s = 2 * i + (tbi > start ? 0 : 1);
                    const float2 ml = __ldcg(&e_ml[s]);
                    const float y = __ldcg(&e_part[s * 128 + tid]);
                    const float mx = fmaxf(MM, ml.x);
                    const float c1 = ex2((MM - mx) * scale), c2 = ex2((ml.x - mx) * scale);
                    LL = LL * c1 + ml.y * c2;
                    xx = xx * c1 + y * c2;
                    MM = mx;
                }
                out[(size_t)bh * 128 + tid] = __float2half_rn(__fdividef(xx, LL));
                if (tid == 0) atomicExch(&e_cnt[bh], 0u);
            }
        }
        next(c);
        if (c.left <= 0) break;
        __syncthreads();
    }
    cpa_wait<0>();
}

static void launch_even(const __half* q, const __half* kc, const __half* vc,
                        const int* span_start, const int* span_len, const int* span_offsets,
                        __half* out, int B, int H, int L_max, float scale) {
    const int smem = EW * ES * 8192;
    cudaFuncSetAttribute(span_even, cudaFuncAttributeMaxDynamicSharedMemorySize, smem);
    const int heads = B * H;
    int per = (heads + EGRID - 1) / EGRID;
    if ((long long)per * EGRID * 16 > (long long)heads * 17) per = 0;
    const int grid = per > 0 ? (heads + per - 1) / per : EGRID;
    span_even<<<grid, EW * 32, smem>>>(q, kc, vc, span_start, span_len, span_offsets, out, B, H,
                                        L_max, per, scale);
}

// ---------------------------------------------------------------------------
// any other Dh, and very few heads
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

           void solve(const __half* q, const __half* k_cache, const __half* v_cache, const int* span_start, const int* span_len, const int* span_offsets, __half* out, int B, int H, int Dh, int L_max) {
    const int BH = B * H;
    const float scale = (float)(1.4426950408889634 / sqrt((double)Dh));
    const int slots = 132 * 2;

    if (Dh == 128 && BH >= 20) {
#define LAT(S)                                                                       \
    launch_lat<MIDW, MIDR, S>(q, k_cache, v_cache, span_start, span_len, span_offsets, \
                              out, B, H, L_max, scale)
#define STREAM(NWARP, MINB, S)                                                             \
    launch_stream<NWARP, MINB, S>(q, k_cache, v_cache, span_start, span_len, span_offsets, \
                                  out, B, H, L_max, scale)
        // 16 warps per SM in one wave: 64, 32 or 16 warps per head
        if (BH <= 33) LAT(64 / MIDW);
        else if (BH <= 66) LAT(32 / MIDW);
        else if (BH <= 132) LAT(16 / MIDW);
        else if (BH <= 170) STREAM(8, 3, 2);
        else launch_even(q, k_cache, v_cache, span_start, span_len, span_offsets, out, B, H, L_max, scale);
#undef STREAM
#undef LAT
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
}  // namespace part2
#undef EB
#undef EGRID
#undef ELIST
#undef ES
#undef EW
#undef GO
#undef LAT
#undef MAXPART
#undef MIDR
#undef MIDW
#undef MNEG
#undef NT
#undef NW
#undef SPECR
#undef STREAM
#undef TILE
#undef UR
#undef WST
#undef WSTAGE

extern "C" void solve(const __half* q, const __half* k_cache, const __half* v_cache, const int* span_start, const int* span_len, const int* span_offsets, __half* out, int B, int H, int Dh, int L_max) {
  const double size = (double)(B > 1 ? B : 1) * (double)(L_max > 1 ? L_max : 1);
  if (size > 11585.5) {
    part2::solve(q, k_cache, v_cache, span_start, span_len, span_offsets, out, B, H, Dh, L_max);
    return;
  }
  part1::solve(q, k_cache, v_cache, span_start, span_len, span_offsets, out, B, H, Dh, L_max);
}
