// SPDX-License-Identifier: Apache-2.0
// task: topk
// rules: free
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 0ac3ea9
// made by: warpwright 0.1.0
// model: Claude, a fresh instance per prompt and round
// run: topk-1 r3.c3
// median us: N=2^10,k=32 4.57, N=2^12,k=64 5.66, N=2^14,k=128 6.43, N=2^16,k=256 7.49, N=2^18,k=512 8.31
// sha256: 2ed977c4b0a5425680506d8e280cd32f82a643ab5aa25d299242824d349d65b3

#include <cuda_runtime.h>

#define FULLM 0xffffffffu

constexpr int T = 1024;      // threads per block
constexpr int S = 8;         // slots per bucket

__device__ __forceinline__ unsigned f2k(float f) {
    unsigned u = __float_as_uint(f + 0.0f);   // -0 becomes +0
    return u ^ ((unsigned)((int)u >> 31) | 0x80000000u);
}
__device__ __forceinline__ float k2f(unsigned k) {
    return __uint_as_float((k & 0x80000000u) ? (k ^ 0x80000000u) : ~k);
}
__device__ __forceinline__ unsigned smem_addr(const void* p) {
    return (unsigned)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ unsigned map_rank0(unsigned a) {
    unsigned d;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(0u));
    return d;
}
__device__ __forceinline__ void st_cluster(unsigned a, unsigned v) {
    asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(a), "r"(v) : "memory");
}

// 4 consecutive floats of vector index v, padded with -inf
__device__ __forceinline__ float4 load4(const float* __restrict__ in, int v, int N) {
    const int b = v * 4;
    if (b <= N - 4) return __ldg(reinterpret_cast<const float4*>(in) + v);
    const float ninf = __uint_as_float(0xff800000u);
    float4 r;
    r.x = b     < N ? in[b]     : ninf;
    r.y = b + 1 < N ? in[b + 1] : ninf;
    r.z = b + 2 < N ? in[b + 2] : ninf;
    r.w = ninf;
    return r;
}

// exact selection by one block straight from global memory; k <= 1024
__device__ __noinline__ void slow_select(const float* in, float* out, int N, int k,
                                         unsigned* hist, unsigned* buf, unsigned* ctl) {
    const unsigned tid = threadIdx.x;
    const unsigned n = (unsigned)N;
    unsigned prefix = 0, mask = 0, need = (unsigned)k;
    __syncthreads();
    for (int sh = 24; sh >= 0; sh -= 8) {
        for (unsigned i = tid; i < 256u; i += blockDim.x) hist[i] = 0;
        __syncthreads();
        for (unsigned i = tid; i < n; i += blockDim.x) {
            unsigned key = f2k(in[i]);
            if ((key & mask) == prefix) atomicAdd(&hist[(key >> sh) & 255u], 1u);
        }
        __syncthreads();
        if (tid == 0) {
            unsigned r = need;
            int b = 255;
            while (b > 0 && hist[b] < r) { r -= hist[b]; --b; }
            ctl[0] = (unsigned)b;
            ctl[1] = r;
        }
        __syncthreads();
        prefix |= ctl[0] << sh;
        mask |= 255u << sh;
        need = ctl[1];
    }
    if (tid == 0) ctl[2] = 0;
    __syncthreads();
    for (unsigned i = tid; i < n; i += blockDim.x) {
        unsigned key = f2k(in[i]);
        if (key > prefix) buf[atomicAdd(&ctl[2], 1u)] = key;
    }
    __syncthreads();
    const unsigned m = (unsigned)k - need;
    for (unsigned j = tid; j < m; j += blockDim.x) {
        unsigned key = buf[j], rank = 0;
        for (unsigned q = 0; q < m; ++q) {
            unsigned o = buf[q];
            rank += (o > key) || (o == key && q < j);
        }
        out[rank] = k2f(key);
    }
    for (unsigned j = m + tid; j < (unsigned)k; j += blockDim.x) out[j] = k2f(prefix);
}

// Keys of real floats are never below 0x007fffff (-inf): 0 means "not written yet", 1 means "unused slot".
__device__ __forceinline__ uint4 ldv(const unsigned* p) {
    uint4 r;
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w) : "l"(p) : "memory");
    return r;
}
__device__ __forceinline__ void stv(unsigned* p, uint4 v) {
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};"
                 :: "l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}
__device__ __forceinline__ bool full4(uint4 v) {
    return v.x != 0u && v.y != 0u && v.z != 0u && v.w != 0u;
}

// 4 consecutive floats of vector v; NaN (never >= anything, ignored by fmaxf) past the end
__device__ __forceinline__ float4 load4n(const float* __restrict__ in, int v, int N) {
    const int b = v * 4;
    if (b <= N - 4) return __ldg(reinterpret_cast<const float4*>(in) + v);
    const float nan = __uint_as_float(0x7fffffffu);
    float4 r;
    r.x = b     < N ? in[b]     : nan;
    r.y = b + 1 < N ? in[b + 1] : nan;
    r.z = b + 2 < N ? in[b + 2] : nan;
    r.w = nan;
    return r;
}
__device__ __forceinline__ float max4(float m, float4 q) {
    return fmaxf(fmaxf(m, fmaxf(q.x, q.y)), fmaxf(q.z, q.w));
}

// ---------------------------------------------------------------- one block, N <= 4*NT, k <= NG
// Bound: the k-th largest of NG group maxima (found by counting); the few survivors are ranked by counting.
template <int NT, int NG>
__global__ void __launch_bounds__(NT)
tiny_kernel(const float* __restrict__ in, float* __restrict__ out, int N, int k) {
    constexpr int P = NT / NG;               // threads per group, and per ranked value
    constexpr int W = NT / 32;
    __shared__ __align__(16) unsigned gm[NG];
    __shared__ unsigned wlo[32];
    __shared__ unsigned ctr;
    __shared__ unsigned cand[4 * NT];
    const int tid = threadIdx.x, lane = tid & 31, wid = tid >> 5;
    const int sub = tid & (P - 1), grp = tid / P;

    const float4 q = load4n(in, tid, N);
    if (tid == 0) ctr = 0u;
    const float m = max4(__uint_as_float(0xff800000u), q);
    unsigned v = f2k(m);
#pragma unroll
    for (int o = 1; o < P; o <<= 1) v = max(v, __shfl_xor_sync(FULLM, v, o));
    if (sub == 0) gm[grp] = v;
    __syncthreads();

    unsigned c = 0;
#pragma unroll
    for (int i = 0; i < NG / (4 * P); ++i) {
        const uint4 t = reinterpret_cast<const uint4*>(gm)[i * P + sub];
        c += (t.x > v); c += (t.y > v); c += (t.z > v); c += (t.w > v);
    }
#pragma unroll
    for (int o = 1; o < P; o <<= 1) c += __shfl_xor_sync(FULLM, c, o);
    const unsigned wmin = __reduce_min_sync(FULLM, c < (unsigned)k ? v : FULLM);
    if (lane == 0) wlo[wid] = wmin;
    __syncthreads();

    const float flo = k2f(__reduce_min_sync(FULLM, lane < W ? wlo[lane] : FULLM));
    if (m >= flo) {
        const unsigned e = (unsigned)(q.x >= flo) + (q.y >= flo) + (q.z >= flo) + (q.w >= flo);
        unsigned pos = atomicAdd(&ctr, e);
        if (q.x >= flo) cand[pos++] = f2k(q.x);
        if (q.y >= flo) cand[pos++] = f2k(q.y);
        if (q.z >= flo) cand[pos++] = f2k(q.z);
        if (q.w >= flo) cand[pos++] = f2k(q.w);
    }
    __syncthreads();

    const unsigned n = ctr;
    for (unsigned base = 0; base < n; base += NG) {          // uniform
        const unsigned i = base + (unsigned)grp;
        const unsigned key = i < n ? cand[i] : FULLM;
        unsigned r = 0;
#pragma unroll 4
        for (unsigned j = (unsigned)sub; j < n; j += P) {
            const unsigned o = cand[j];
            r += (o > key) || (o == key && j < i);
        }
#pragma unroll
        for (int o = 1; o < P; o <<= 1) r += __shfl_xor_sync(FULLM, r, o);
        if (sub == 0 && i < n && r < (unsigned)k) out[r] = k2f(key);
    }
}

// ---------------------------------------------------------------- the consumer's part
// NK keys per thread in registers (1: unused), lmax: largest bound this thread has seen.
// bins (4*NT words) and slots (32*NT words) are zero.
template <int NT, int NK>
__device__ __forceinline__ void finish(const unsigned (&key)[NK], unsigned lmax,
                                       const float* in, float* out, int N, int k, unsigned* dyn) {
    constexpr int W = NT / 32, NB = 4 * NT;
    __shared__ unsigned wl[32], wx[32], wsum[32];
    unsigned* bins = dyn;
    unsigned* slots = dyn + NB;
    unsigned* ids = slots + NB * 8;
    const int tid = threadIdx.x, lane = tid & 31, wid = tid >> 5;

    unsigned mk = 1u;
#pragma unroll
    for (int i = 0; i < NK; ++i) mk = max(mk, key[i]);
    mk = __reduce_max_sync(FULLM, mk);
    lmax = __reduce_max_sync(FULLM, lmax);
    if (lane == 0) { wx[wid] = mk; wl[wid] = lmax; }
    __syncthreads();
    const unsigned MX = __reduce_max_sync(FULLM, lane < W ? wx[lane] : 0u);
    const unsigned L = __reduce_max_sync(FULLM, lane < W ? wl[lane] : 0u);

    const unsigned range = MX - L;
    const bool direct = range < (unsigned)NB;
    unsigned mult = 0;
    if (!direct) mult = (unsigned)__fdividef(4294967296.0f * (float)NB * 0.9999f, (float)range);
    unsigned live = 0;
#pragma unroll
    for (int i = 0; i < NK; ++i) {
        if (key[i] >= L) {
            const unsigned d = MX - key[i];
            const unsigned b = direct ? d : __umulhi(d, mult);
            const unsigned p = atomicAdd(&bins[b], 1u);
            if (p < 8u) {
                const unsigned id = b * 8u + p;
                slots[id] = key[i];
                ids[i * NT + tid] = id;      // read again by this thread only
                live |= 1u << i;
            }
        }
    }
    __syncthreads();

    const uint4 c4 = reinterpret_cast<const uint4*>(bins)[tid];
    const unsigned s = c4.x + c4.y + c4.z + c4.w;
    unsigned incl = s;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
        const unsigned t = __shfl_up_sync(FULLM, incl, o);
        if (lane >= o) incl += t;
    }
    if (lane == 31) wsum[wid] = incl;
    __syncthreads();
    const unsigned w = lane < W ? wsum[lane] : 0u;
    const unsigned st0 = __reduce_add_sync(FULLM, lane < wid ? w : 0u) + incl - s;
    const unsigned total = __reduce_add_sync(FULLM, w);
    if (total < (unsigned)k) {               // bound too tight or a record overflowed: uniform
        slow_select(in, out, N, k, bins, slots, wsum);
        return;
    }
    const unsigned st1 = st0 + c4.x, st2 = st1 + c4.y, st3 = st2 + c4.z;
    const unsigned uk = (unsigned)k;
    if (direct) {                            // one bucket per key value
        const unsigned e0 = min(st1, uk), e1 = min(st2, uk), e2 = min(st3, uk), e3 = min(st3 + c4.w, uk);
        const unsigned k0 = MX - (unsigned)(tid * 4);
        for (unsigned q = st0; q < e0; ++q) out[q] = k2f(k0);
        for (unsigned q = st1; q < e1; ++q) out[q] = k2f(k0 - 1u);
        for (unsigned q = st2; q < e2; ++q) out[q] = k2f(k0 - 2u);
        for (unsigned q = st3; q < e3; ++q) out[q] = k2f(k0 - 3u);
        return;
    }
    const int over = (c4.x > 8u && st0 < uk) || (c4.y > 8u && st1 < uk) ||
                     (c4.z > 8u && st2 < uk) || (c4.w > 8u && st3 < uk);
    reinterpret_cast<uint4*>(bins)[tid] =
        make_uint4((st0 << 16) | c4.x, (st1 << 16) | c4.y, (st2 << 16) | c4.z, (st3 << 16) | c4.w);
    if (__syncthreads_or(over)) {
        slow_select(in, out, N, k, bins, slots, wsum);
        return;
    }
    while (live) {
        const int i = __ffs((int)live) - 1;
        live &= live - 1u;
        const unsigned id = ids[i * NT + tid];
        const unsigned b = id >> 3, p = id & 7u;
        const unsigned pk = bins[b];
        const unsigned kk = slots[id];
        const uint4 a = reinterpret_cast<const uint4*>(slots)[b * 2u];
        unsigned r = pk >> 16;
        if (r < uk) {
            r += (a.x > kk) || (a.x == kk && 0u < p);
            r += (a.y > kk) || (a.y == kk && 1u < p);
            r += (a.z > kk) || (a.z == kk && 2u < p);
            r += (a.w > kk) || (a.w == kk && 3u < p);
            if ((pk & 0xffffu) > 4u) {
                const uint4 d = reinterpret_cast<const uint4*>(slots)[b * 2u + 1u];
                r += (d.x > kk) || (d.x == kk && 4u < p);
                r += (d.y > kk) || (d.y == kk && 5u < p);
                r += (d.z > kk) || (d.z == kk && 6u < p);
                r += (d.w > kk);
            }
            if (r < uk) out[r] = k2f(kk);
        }
    }
}

// ---------------------------------------------------------------- many blocks, one record of 32 words each
// All zero before and after every call: the consumer clears what it has read.
__device__ __align__(256) unsigned g_rec[128 * 32];

// ONE: one float4 per thread, kept in registers; otherwise the slice is streamed twice
template <int NT, bool ONE>
__global__ void __launch_bounds__(NT)
spread_kernel(const float* __restrict__ in, float* __restrict__ out, int N, int k, int r) {
    constexpr int GL = NT / 32;              // lanes per group: always 32 groups per block
    extern __shared__ __align__(16) unsigned dyn[];
    __shared__ __align__(16) unsigned gm[32];
    __shared__ __align__(16) unsigned rec[32];
    __shared__ unsigned ctr, slo;
    const int tid = threadIdx.x, lane = tid & 31, wid = tid >> 5;
    const int g = (int)blockIdx.x * NT + tid;
    const int stride = (int)gridDim.x * NT;
    const int nv = (N >> 2) + ((N & 3) != 0);
    const float ninf = __uint_as_float(0xff800000u);

    float4 q = make_float4(ninf, ninf, ninf, ninf);
    float m = ninf;
    if constexpr (ONE) {
        q = load4n(in, g, N);
    } else {
        for (int v = g; v < nv; v += stride) m = max4(m, load4n(in, v, N));
    }
    // while the loads are in flight
    if (tid < 32) rec[tid] = 1u;
    if (tid == 0) ctr = 0u;
    if (blockIdx.x == 0) {
        uint4* z = reinterpret_cast<uint4*>(dyn);
#pragma unroll
        for (int i = 0; i < 9; ++i) z[i * NT + tid] = make_uint4(0u, 0u, 0u, 0u);
    }
    if constexpr (ONE) m = max4(m, q);

    unsigned km = f2k(m);
#pragma unroll
    for (int o = 1; o < GL; o <<= 1) km = max(km, __shfl_xor_sync(FULLM, km, o));
    if ((tid & (GL - 1)) == 0) gm[tid / GL] = km;
    __syncthreads();

    // bound: the r-th largest of the 32 group maxima
    unsigned lo = 0;
    if (NT <= 256 || wid == 0) {
        const unsigned v = gm[lane];
        unsigned c = 0, d = 0;
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            const uint4 t = reinterpret_cast<const uint4*>(gm)[i];
            c += (t.x > v); d += (t.y > v); c += (t.z > v); d += (t.w > v);
        }
        lo = __reduce_min_sync(FULLM, c + d < (unsigned)r ? v : FULLM);
    }
    if constexpr (NT > 256) {
        if (tid == 0) slo = lo;
        __syncthreads();
        lo = slo;
    }
    const float flo = k2f(lo);

    // slot p goes to word (p % 8) * 4 + p / 8, so that the consumer's threads share the work evenly
    auto emit = [&](unsigned p, float f) {
        if (p < 32u) rec[(p & 7u) * 4u + (p >> 3)] = f2k(f);
    };
    auto push = [&](float4 x) {
        const unsigned e = (unsigned)(x.x >= flo) + (x.y >= flo) + (x.z >= flo) + (x.w >= flo);
        if (e) {
            unsigned p = atomicAdd(&ctr, e) + 1u;
            if (x.x >= flo) emit(p++, x.x);
            if (x.y >= flo) emit(p++, x.y);
            if (x.z >= flo) emit(p++, x.z);
            if (x.w >= flo) emit(p++, x.w);
        }
    };
    if constexpr (ONE) {
        if (m >= flo) push(q);
    } else {
        for (int v = g; v < nv; v += stride) push(load4n(in, v, N));
    }
    __syncthreads();
    if (tid < 8) {
        uint4 o = reinterpret_cast<const uint4*>(rec)[tid];
        if (tid == 0) o.x = ctr > 31u ? FULLM : lo;          // FULLM: overflow
        stv(g_rec + blockIdx.x * 32u + tid * 4, o);
    }
    if (blockIdx.x != 0) return;

    // consumer: the words themselves are the flags
    const int nvec = (int)gridDim.x * 8;     // <= 2 * NT
    const bool ha = tid < nvec, hb = tid + NT < nvec;
    unsigned* pa = g_rec + tid * 4;
    unsigned* pb = pa + NT * 4;
    uint4 a = make_uint4(1u, 1u, 1u, 1u), b = a;
    bool ok;
    do {
        if (ha) a = ldv(pa);
        if (hb) b = ldv(pb);
        ok = full4(a) && full4(b);
    } while (!ok);
    __syncwarp();
    if (ha) stv(pa, make_uint4(0u, 0u, 0u, 0u));
    if (hb) stv(pb, make_uint4(0u, 0u, 0u, 0u));
    unsigned lmax = 0;
    if ((tid & 7) == 0) { lmax = max(a.x, b.x); a.x = 1u; b.x = 1u; }
    const unsigned key[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
    finish<NT, 8>(key, lmax, in, out, N, k, dyn);
}

// E: floats per thread in registers (0: stream the input twice)
// B: buckets per thread (1 or 4); CL: launched as a cluster
template <int E, int B, bool CL>
__global__ void __launch_bounds__(1024, 1)
topk_kernel(const float* __restrict__ in, float* __restrict__ out, int N, int k, int gl, int cap) {
    constexpr int NBK = B * T;
    extern __shared__ __align__(16) unsigned dyn[];
    __shared__ unsigned wmn[32], wmx[32], wsum[32], rcnt[16], rlo[16], rmx[16];
    __shared__ unsigned ctr;
    unsigned* bins = dyn;
    unsigned* slots = dyn + NBK;
    unsigned* cand = slots + NBK * S;

    const int tid = threadIdx.x, lane = tid & 31, wid = tid >> 5;
    unsigned rank = 0, C = 1;
    if constexpr (CL) {
        asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
        asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
        asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(C));
    }
    const float ninf = __uint_as_float(0xff800000u);
    const int g = (int)rank * T + tid;
    const int stride = (int)C * T;
    const int nv = (N >> 2) + ((N & 3) != 0);

    constexpr int EE = E > 0 ? E : 1;
    float x[EE];
    float m = ninf;
    if constexpr (E == 0) {
        for (int v = g; v < nv; v += stride) {
            float4 q = load4(in, v, N);
            m = fmaxf(m, fmaxf(fmaxf(q.x, q.y), fmaxf(q.z, q.w)));
        }
    } else if constexpr (E == 1) {
        x[0] = g < N ? in[g] : ninf;
    } else {
        if (E == 4 && N < 4 * stride) {
#pragma unroll
            for (int i = 0; i < E; ++i) {
                int j = g + i * stride;
                x[i] = j < N ? in[j] : ninf;
            }
        } else {
#pragma unroll
            for (int i = 0; i < E / 4; ++i) {
                float4 q = load4(in, g + i * stride, N);
                x[4 * i] = q.x; x[4 * i + 1] = q.y; x[4 * i + 2] = q.z; x[4 * i + 3] = q.w;
            }
        }
    }

    // while the loads are in flight
    if (rank == 0) {
        if constexpr (B == 4) reinterpret_cast<uint4*>(bins)[tid] = make_uint4(0u, 0u, 0u, 0u);
        else bins[tid] = 0u;
    }
    if (tid == 0) ctr = 0u;

    if constexpr (E > 0) {
#pragma unroll
        for (int i = 0; i < EE; ++i) m = fmaxf(m, x[i]);
    }
    const unsigned km = f2k(m);
    const unsigned wm = __reduce_max_sync(FULLM, km);
    unsigned gm = wm;
    if (gl < 32) {
        gm = km;
        for (int o = 1; o < gl; o <<= 1) gm = max(gm, __shfl_xor_sync(FULLM, gm, o));
        gm = __reduce_min_sync(FULLM, gm);
    }
    if (lane == 0) { wmn[wid] = gm; wmx[wid] = wm; }
    __syncthreads();

    const unsigned lo = __reduce_min_sync(FULLM, wmn[lane]);
    const unsigned mx = __reduce_max_sync(FULLM, wmx[lane]);
    const float flo = k2f(lo);

    unsigned dst = 0;
    if constexpr (CL) {
        // CTA 0 is known to be running after this
        asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
        dst = map_rank0(smem_addr(cand + rank * cap));
    }
    auto emit = [&](unsigned pos, float f) {
        if (pos < (unsigned)cap) {
            if constexpr (CL) st_cluster(dst + 4u * pos, f2k(f));
            else cand[pos] = f2k(f);
        }
    };
    if constexpr (E == 0) {
        for (int v = g; v < nv; v += stride) {
            float4 q = load4(in, v, N);
            unsigned c = (q.x >= flo) + (q.y >= flo) + (q.z >= flo) + (q.w >= flo);
            if (c) {
                unsigned pos = atomicAdd(&ctr, c);
                if (q.x >= flo) emit(pos++, q.x);
                if (q.y >= flo) emit(pos++, q.y);
                if (q.z >= flo) emit(pos++, q.z);
                if (q.w >= flo) emit(pos++, q.w);
            }
        }
    } else {
        if (m >= flo) {
            unsigned c = 0;
#pragma unroll
            for (int i = 0; i < EE; ++i) c += (x[i] >= flo);
            unsigned pos = atomicAdd(&ctr, c);
#pragma unroll
            for (int i = 0; i < EE; ++i)
                if (x[i] >= flo) { emit(pos, x[i]); ++pos; }
        }
    }
    __syncthreads();

    unsigned L, MX, n;
    int bad, lg;
    if constexpr (CL) {
        if (tid == 0) {
            st_cluster(map_rank0(smem_addr(&rcnt[rank])), ctr);
            st_cluster(map_rank0(smem_addr(&rlo[rank])), lo);
            st_cluster(map_rank0(smem_addr(&rmx[rank])), mx);
        }
        __syncwarp();
        asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
        if (rank != 0) return;
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
        unsigned a0 = 0, a1 = 0, a2 = 0;
        if (lane < (int)C) { a0 = rcnt[lane]; a1 = rlo[lane]; a2 = rmx[lane]; }
        bad = __any_sync(FULLM, a0 > (unsigned)cap);
        L = __reduce_max_sync(FULLM, a1);
        MX = __reduce_max_sync(FULLM, a2);
        lg = __clz((int)C) - 21;             // log2(1024 / C)
        n = rcnt[tid >> lg];
    } else {
        n = ctr;
        bad = n > (unsigned)cap;
        L = lo;
        MX = mx;
        lg = 10;
    }
    if (bad) {                               // uniform over the block
        slow_select(in, out, N, k, bins, slots, wsum);
        return;
    }

    // slotted buckets, descending: bucket 0 holds the largest keys
    const unsigned sub = tid & ((1 << lg) - 1);
    const unsigned step = 1u << lg;
    unsigned* cd = cand + (tid >> lg) * cap;
    const unsigned range = MX - L;
    const bool direct = range < (unsigned)NBK;      // one bucket per key value
    unsigned mult = 0;
    if (!direct) mult = (unsigned)__fdividef(4294967296.0f * (float)NBK * 0.9999f, (float)range);

    for (unsigned i = sub; i < n; i += step) {
        const unsigned key = cd[i];
        unsigned id = FULLM;
        if (key >= L) {
            const unsigned d = MX - key;
            if (direct) {
                atomicAdd(&bins[d], 1u);
            } else {
                const unsigned b = __umulhi(d, mult);
                const unsigned p = atomicAdd(&bins[b], 1u);
                if (p < (unsigned)S) {
                    id = b * S + p;
                    slots[id] = key;
                }
            }
        }
        cd[i] = id;                          // read again by this thread only
    }
    __syncthreads();

    unsigned v[B];
    if constexpr (B == 4) {
        const uint4 q = reinterpret_cast<const uint4*>(bins)[tid];
        v[0] = q.x; v[1] = q.y; v[2] = q.z; v[3] = q.w;
    } else {
        v[0] = bins[tid];
    }
    unsigned s = 0;
#pragma unroll
    for (int j = 0; j < B; ++j) s += v[j];
    unsigned incl = s;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
        unsigned t = __shfl_up_sync(FULLM, incl, o);
        if (lane >= o) incl += t;
    }
    if (lane == 31) wsum[wid] = incl;
    __syncthreads();
    const unsigned w = wsum[lane];
    unsigned start = __reduce_add_sync(FULLM, lane < wid ? w : 0u) + incl - s;
    const unsigned total = __reduce_add_sync(FULLM, w);
    if (total < (unsigned)k) {               // bound too tight: uniform over the block
        slow_select(in, out, N, k, bins, slots, wsum);
        return;
    }
    if (direct) {
#pragma unroll
        for (int j = 0; j < B; ++j) {
            const unsigned end = min(start + v[j], (unsigned)k);
            const float f = k2f(MX - (unsigned)(tid * B + j));
            for (unsigned q = start; q < end; ++q) out[q] = f;
            start += v[j];
        }
        return;
    }
    int over = 0;
    unsigned pk[B];
#pragma unroll
    for (int j = 0; j < B; ++j) {
        over |= (v[j] > (unsigned)S && start < (unsigned)k);
        pk[j] = (start << 16) | v[j];
        start += v[j];
    }
    if constexpr (B == 4) reinterpret_cast<uint4*>(bins)[tid] = make_uint4(pk[0], pk[1], pk[2], pk[3]);
    else bins[tid] = pk[0];
    if (__syncthreads_or(over)) {
        slow_select(in, out, N, k, bins, slots, wsum);
        return;
    }
    for (unsigned i = sub; i < n; i += step) {
        const unsigned id = cd[i];
        if (id != FULLM) {
            const unsigned b = id / S;
            const unsigned p = bins[b];
            unsigned r = p >> 16;
            if (r < (unsigned)k) {
                const unsigned e = b * S + (p & 0xffffu);
                const unsigned key = slots[id];
                for (unsigned q = b * S; q < e; ++q) {
                    const unsigned o = slots[q];
                    r += (o > key) || (o == key && q < id);
                }
                if (r < (unsigned)k) out[r] = k2f(key);
            }
        }
    }
}

// ---------------------------------------------------------------- general path: full sort
__global__ void bt_init(const float* in, unsigned* a, unsigned long long n, unsigned long long P) {
    unsigned long long i = blockIdx.x * 256ull + threadIdx.x;
    if (i < P) a[i] = i < n ? f2k(in[i]) : 0u;
}
__global__ void __launch_bounds__(1024) bt_local(unsigned* a, unsigned long long s0, unsigned long long s1) {
    __shared__ unsigned s[2048];
    const unsigned t = threadIdx.x;
    const unsigned long long base = blockIdx.x * 2048ull;
    s[t] = a[base + t];
    s[t + 1024] = a[base + t + 1024];
    for (unsigned long long size = s0; size <= s1; size <<= 1) {
        unsigned st = size >= 2048ull ? 1024u : (unsigned)(size >> 1);
        for (; st; st >>= 1) {
            __syncthreads();
            unsigned i = 2 * t - (t & (st - 1)), j = i + st;
            bool desc = ((base + i) & size) == 0;
            unsigned x = s[i], y = s[j];
            if ((x < y) == desc) { s[i] = y; s[j] = x; }
        }
    }
    __syncthreads();
    a[base + t] = s[t];
    a[base + t + 1024] = s[t + 1024];
}
__global__ void bt_step(unsigned* a, unsigned long long size, unsigned long long st, unsigned long long half) {
    unsigned long long t = blockIdx.x * 256ull + threadIdx.x;
    if (t >= half) return;
    unsigned long long i = 2 * t - (t & (st - 1)), j = i + st;
    bool desc = (i & size) == 0;
    unsigned x = a[i], y = a[j];
    if ((x < y) == desc) { a[i] = y; a[j] = x; }
}
__global__ void bt_out(const unsigned* a, float* out, unsigned long long k) {
    unsigned long long i = blockIdx.x * 256ull + threadIdx.x;
    if (i < k) out[i] = k2f(a[i]);
}

static void sort_all(const float* in, float* out, int N, int k) {
    unsigned long long P = 2048;
    while (P < (unsigned long long)N) P <<= 1;
    unsigned* a = nullptr;
    cudaMallocAsync((void**)&a, P * sizeof(unsigned), 0);
    bt_init<<<(unsigned)((P + 255) / 256), 256>>>(in, a, (unsigned long long)N, P);
    bt_local<<<(unsigned)(P / 2048), 1024>>>(a, 2ull, 2048ull);
    for (unsigned long long size = 4096; size <= P; size <<= 1) {
        for (unsigned long long st = size >> 1; st > 1024; st >>= 1)
            bt_step<<<(unsigned)((P / 2 + 255) / 256), 256>>>(a, size, st, P / 2);
        bt_local<<<(unsigned)(P / 2048), 1024>>>(a, size, size);
    }
    bt_out<<<(unsigned)(((unsigned long long)k + 255) / 256), 256>>>(a, out, (unsigned long long)k);
    cudaFreeAsync(a, 0);
}

template <int E, int B, bool CL>
static cudaError_t go2(const float* in, float* out, int N, int k, int C) {
    const int total = CL ? (k > 512 ? 16384 : 8192) : 4096;
    const int cap = total / C;
    const int share = (k + C - 1) / C;
    int gl = 32;
    while (gl > 1 && 1024 / gl < share) gl >>= 1;
    const size_t smem = (size_t)(B * T * (1 + S) + total) * sizeof(unsigned);
    cudaError_t e = cudaFuncSetAttribute(topk_kernel<E, B, CL>,
                                         cudaFuncAttributeMaxDynamicSharedMemorySize, (int)smem);
    if (e != cudaSuccess) return e;
    if constexpr (!CL) {
        topk_kernel<E, B, false><<<1, T, smem>>>(in, out, N, k, gl, cap);
        return cudaSuccess;
    } else {
        if (C > 8) {
            e = cudaFuncSetAttribute(topk_kernel<E, B, true>,
                                     cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
            if (e != cudaSuccess) return e;
        }
        cudaLaunchConfig_t cfg = {};
        cfg.gridDim = dim3(C, 1, 1);
        cfg.blockDim = dim3(T, 1, 1);
        cfg.dynamicSmemBytes = smem;
        cfg.stream = 0;
        cudaLaunchAttribute at[1];
        at[0].id = cudaLaunchAttributeClusterDimension;
        at[0].val.clusterDim.x = C;
        at[0].val.clusterDim.y = 1;
        at[0].val.clusterDim.z = 1;
        cfg.attrs = at;
        cfg.numAttrs = 1;
        return cudaLaunchKernelEx(&cfg, topk_kernel<E, B, true>, in, out, N, k, gl, cap);
    }
}

template <int E, bool CL>
static cudaError_t go(const float* in, float* out, int N, int k, int C) {
    if (k <= 128) return go2<E, 1, CL>(in, out, N, k, C);
    return go2<E, 4, CL>(in, out, N, k, C);
}

static cudaError_t launch_cluster(const float* in, float* out, int N, int k, int C) {
    const int nv = (N >> 2) + ((N & 3) != 0);
    const int per = (nv + C * T - 1) / (C * T);
    if (per <= 1) return go<4, true>(in, out, N, k, C);
    if (per <= 2) return go<8, true>(in, out, N, k, C);
    if (per <= 4) return go<16, true>(in, out, N, k, C);
    return go<0, true>(in, out, N, k, C);
}

template <int NT, bool ONE>
static void spread_go(const float* in, float* out, int N, int k, int G, int r) {
    const int smem = (4 * NT * 9 + 8 * NT) * (int)sizeof(unsigned);
    if (smem > 40000)
        cudaFuncSetAttribute(spread_kernel<NT, ONE>, cudaFuncAttributeMaxDynamicSharedMemorySize, smem);
    spread_kernel<NT, ONE><<<G, NT, smem>>>(in, out, N, k, r);
}

template <int NT>
static bool spread(const float* in, float* out, int N, int k) {
    const int nv = (N >> 2) + ((N & 3) != 0);
    int G = (nv + NT - 1) / NT;
    const bool one = G <= NT / 4;
    if (!one) G = NT / 4;
    const int share = (k + G - 1) / G;
    if (share > 6) return false;
    int s = 0;
    while (s * s < 25 * share) ++s;
    const int r = share + s < 32 ? share + s : 32;
    if (one) spread_go<NT, true>(in, out, N, k, G, r);
    else     spread_go<NT, false>(in, out, N, k, G, r);
    return true;
}

extern "C" void solve(const float* input, float* output, int N, int k) {
    if (N <= 0 || k <= 0) return;
    if (k > 1024) { sort_all(input, output, N, k); return; }
    if (N <= 1024 && k <= 64) { tiny_kernel<256, 64><<<1, 256>>>(input, output, N, k); return; }
    if (N <= 1024)      { go<1, false>(input, output, N, k, 1); return; }
    if (N <= 4096)      { go<4, false>(input, output, N, k, 1); return; }
    if (N < 8192)       { go<8, false>(input, output, N, k, 1); return; }
    if (N > 16384 && N <= (1 << 26)) {
        const bool done = (N <= 65536 && k <= 320) ? spread<256>(input, output, N, k)
                                                   : spread<512>(input, output, N, k);
        if (done) return;
    }
    const int cmax = N >= 131072 ? 16 : 8;
    int C = 2;
    while (C < cmax && C * 2 * 4096 <= N) C *= 2;
    if (launch_cluster(input, output, N, k, C) != cudaSuccess) {
        (void)cudaGetLastError();
        launch_cluster(input, output, N, k, C > 8 ? 8 : C);
    }
}
