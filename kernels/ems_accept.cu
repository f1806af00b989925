// SPDX-License-Identifier: Apache-2.0
// task: ems_accept
// rules: free
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-18
// commit: a189785
// made by: warpwright 0.2.0
// model: a fresh language-model instance
// run: ems_accept-1 r1.c2
// median us: B=4,V=32000 10.29, B=16,V=32000 11.32, B=16,V=128256 13.27, B=64,V=50272 14.47, B=64,V=152064 21.54
// sha256: 814e91c88453d38ab1c06820f6f1bfcfe1467328eb4393627966186bda0def46

#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <stdint.h>

typedef unsigned long long u64;

#define MAXR 1024
#define BEST_CAP (1 << 20)

__device__ u64 g_key[MAXR];          // zero between calls (cleared by the last block)
__device__ unsigned int g_cnt;       // zero between calls
__device__ int g_bestbuf[BEST_CAP];  // generic path only

__device__ __forceinline__ __half2 as_h2(unsigned x) {
    __half2_raw r;
    r.x = (unsigned short)(x & 0xffffu);
    r.y = (unsigned short)(x >> 16);
    return __half2(r);
}
__device__ __forceinline__ __half as_h(unsigned short x) {
    __half_raw r;
    r.x = x;
    return __half(r);
}
__device__ __forceinline__ __half vmax8(const uint4& v) {
    __half2 m = __hmax2(__hmax2(as_h2(v.x), as_h2(v.y)), __hmax2(as_h2(v.z), as_h2(v.w)));
    return __hmax(__low2half(m), __high2half(m));
}
__device__ __forceinline__ void consume(const uint4& v, unsigned vi, __half& best, uint4& bv, unsigned& bvi) {
    __half mm = vmax8(v);
    if (__hgt(mm, best)) {
        best = mm;
        bv = v;
        bvi = vi;
    }
}
__device__ __forceinline__ uint4 ninf4() {
    return make_uint4(0xFC00FC00u, 0xFC00FC00u, 0xFC00FC00u, 0xFC00FC00u);
}

// a vector of a row that need not begin or end on a multiple of 8 elements
__device__ __forceinline__ uint4 load_edge(const unsigned short* raw, unsigned flat0, unsigned s, unsigned V) {
    if (flat0 >= s && flat0 + 8u <= s + V) {
        return __ldcs(reinterpret_cast<const uint4*>(raw + flat0));
    }
    unsigned w[4];
#pragma unroll
    for (int q = 0; q < 4; q++) {
        unsigned f = flat0 + 2 * q;
        unsigned lo = 0xFC00u, hi = 0xFC00u;
        if (f >= s && f < s + V) lo = raw[f];
        if (f + 1 >= s && f + 1 < s + V) hi = raw[f + 1];
        w[q] = lo | (hi << 16);
    }
    return make_uint4(w[0], w[1], w[2], w[3]);
}

// One warp, chunks [k, kend) (32 vectors of 8 each) of the row that begins at flat element s.
template <bool AL>
__device__ __forceinline__ void warp_seg(const unsigned short* __restrict__ raw, unsigned s, unsigned V,
                                         int k, int kend, int lane, unsigned& ordOut, unsigned& idxOut) {
    const unsigned a0 = s >> 3;
    const unsigned nvec = ((s + V + 7u) >> 3) - a0;
    const uint4* __restrict__ p = reinterpret_cast<const uint4*>(raw) + a0;
    __half best = as_h((unsigned short)0xFC00);
    uint4 bv = make_uint4(0, 0, 0, 0);
    unsigned bvi = 0;
    int k0 = k;
    if (AL) {
        for (; k0 + 4 <= kend && (unsigned)(k0 + 4) * 32u <= nvec; k0 += 4) {
            uint4 v[4];
            unsigned vi = (unsigned)k0 * 32u + lane;
#pragma unroll
            for (int u = 0; u < 4; u++) v[u] = __ldcs(p + vi + u * 32);
#pragma unroll
            for (int u = 0; u < 4; u++) consume(v[u], vi + u * 32, best, bv, bvi);
        }
    }
    for (; k0 < kend; k0 += 4) {
        uint4 v[4];
        unsigned vi = (unsigned)k0 * 32u + lane;
#pragma unroll
        for (int u = 0; u < 4; u++) {
            v[u] = ninf4();
            unsigned x = vi + u * 32;
            if (k0 + u < kend && x < nvec) {
                if (AL) v[u] = __ldcs(p + x);
                else v[u] = load_edge(raw, (a0 + x) * 8u, s, V);
            }
        }
#pragma unroll
        for (int u = 0; u < 4; u++) consume(v[u], vi + u * 32, best, bv, bvi);
    }
    // first element of the best vector that equals the maximum
    unsigned jj = 0;
    {
        unsigned w[4] = {bv.x, bv.y, bv.z, bv.w};
#pragma unroll
        for (int q = 3; q >= 0; q--) {
            __half2 h = as_h2(w[q]);
            if (__heq(__high2half(h), best)) jj = 2 * q + 1;
            if (__heq(__low2half(h), best)) jj = 2 * q;
        }
    }
    unsigned bits = __half_as_ushort(best);
    if ((bits & 0x7fffu) == 0) bits = 0;
    unsigned ord = (bits & 0x8000u) ? ((~bits) & 0xffffu) : (bits | 0x8000u);
    unsigned idx = bvi * 8u + jj - (s & 7u);
    unsigned mo = __reduce_max_sync(0xffffffffu, ord);
    unsigned mi = __reduce_min_sync(0xffffffffu, ord == mo ? idx : 0xffffffffu);
    ordOut = mo;
    idxOut = mi;
}

// inclusive scan over a block of 1024 threads; contains one barrier
__device__ __forceinline__ int block_scan(int v, int* s_w, int lane, int warp, int& total) {
    int x = v;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
        int y = __shfl_up_sync(0xffffffffu, x, o);
        if (lane >= o) x += y;
    }
    if (lane == 31) s_w[warp] = x;
    __syncthreads();
    int ws = s_w[lane];
    int base = __reduce_add_sync(0xffffffffu, lane < warp ? ws : 0);
    total = __reduce_add_sync(0xffffffffu, ws);
    return x + base;
}

template <bool AL>
__global__ void __launch_bounds__(1024, 1)
fused_kernel(const __half* __restrict__ logits, const int* __restrict__ tokens,
             const int* __restrict__ token_nums, int* seq_lens, int* accepted, int* emitted,
             int* going_on, int* counts, int B, int T, int V, int eos, int cpr, int probe) {
    __shared__ int s_w1[32];
    __shared__ int s_w2[32];
    __shared__ unsigned s_end[32];
    __shared__ unsigned s_mask[32];
    __shared__ unsigned s_alive[32];
    __shared__ int s_start[MAXR];
    __shared__ int s_list[MAXR];
    __shared__ int s_best[MAXR];
    __shared__ int s_last;

    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const int G = gridDim.x;
    const int gw = warp * G + blockIdx.x;
    const int W = G * 32;
    const unsigned short* raw = reinterpret_cast<const unsigned short*>(logits);

    const int n = (tid < B) ? token_nums[tid] : 0;
    const int nexttok = (tid + 1 < T) ? tokens[tid + 1] : -1;
    if (blockIdx.x == 0 && tid < B) {
        asm volatile("prefetch.global.L2 [%0];" ::"l"(seq_lens + tid));
    }
    if (tid < 32) s_end[tid] = 0;

    int start = 0;
    int L = T;

    if (probe) {
        __half pm = as_h((unsigned short)0xFC00);
        __half ld = as_h((unsigned short)0x7C00);
        if (tid + 1 < T) {
            unsigned s = (unsigned)tid * (unsigned)V;
            const uint4* pp = reinterpret_cast<const uint4*>(raw) + ((s + 7u) >> 3);
            uint4 a = __ldg(pp), b = __ldg(pp + 1), c = __ldg(pp + 2), d = __ldg(pp + 3);
            ld = as_h(__ldg(raw + s + (unsigned)nexttok));
            pm = __hmax(__hmax(vmax8(a), vmax8(b)), __hmax(vmax8(c), vmax8(d)));
        }
        int tot;
        start = block_scan(n, s_w1, lane, warp, tot) - n;
        if (n > 0) {
            int e = start + n - 1;
            atomicOr(&s_end[e >> 5], 1u << (e & 31));
        }
        s_start[tid] = (n > 0) ? start : -1;
        __syncthreads();
        // the first rows of all samples are needed in any case: fetch them meanwhile
        {
            int lpr = V / 64;
            int cap = 65536 / B;
            if (lpr > cap) lpr = cap;
            int items = B * lpr;
            for (int q = gw * 32 + lane; q < items; q += W * 32) {
                int b = q / lpr;
                int line = q - b * lpr;
                int r = s_start[b];
                if (r >= 0) {
                    const unsigned short* a = raw + (size_t)r * (size_t)V + (size_t)line * 64;
                    asm volatile("prefetch.global.L2 [%0];" ::"l"(a));
                }
            }
        }
        bool isend = (s_end[warp] >> lane) & 1u;
        bool kill = (tid + 1 < T) && (__hgt(pm, ld) || nexttok == eos);
        unsigned bal = __ballot_sync(0xffffffffu, kill || isend);
        if (lane == 0) s_mask[warp] = bal;
        __syncthreads();
        bool alive = false;
        if (tid < T) {
            alive = true;
            if (tid > 0) {
                int w = (tid - 1) >> 5;
                unsigned m = s_mask[w] & (0xffffffffu >> (31 - ((tid - 1) & 31)));
                while (m == 0 && w > 0) m = s_mask[--w];
                if (m) alive = (s_end[w] >> (31 - __clz(m))) & 1u;
            }
        }
        unsigned ab = __ballot_sync(0xffffffffu, alive);
        if (lane == 0) s_alive[warp] = ab;
        __syncthreads();
        int pc = __popc(s_alive[lane]);
        int base = __reduce_add_sync(0xffffffffu, lane < warp ? pc : 0);
        L = __reduce_add_sync(0xffffffffu, pc);
        if (alive) s_list[base + __popc(ab & ((1u << lane) - 1u))] = tid;
        __syncthreads();
    }

    // stream this warp's share of the chunks
    {
        int total = L * cpr;
        int q = total / W, rem = total - q * W;
        int c = gw * q + (gw < rem ? gw : rem);
        int e = c + q + (gw < rem ? 1 : 0);
        while (c < e) {
            int li = c / cpr;
            int k = c - li * cpr;
            int kend = k + (e - c);
            if (kend > cpr) kend = cpr;
            int t = probe ? s_list[li] : li;
            unsigned ord, idx;
            warp_seg<AL>(raw, (unsigned)t * (unsigned)V, (unsigned)V, k, kend, lane, ord, idx);
            if (lane == 0) {
                atomicMax(&g_key[t], ((u64)ord << 32) | (u64)(0xffffffffu - idx));
            }
            c += kend - k;
        }
    }
    __syncthreads();
    if (tid == 0) {
        __threadfence();
        unsigned old = atomicAdd(&g_cnt, 1u);
        __threadfence();
        s_last = (old == (unsigned)(G - 1));
    }
    __syncthreads();
    if (!s_last) return;

    // the last block finishes
    __threadfence();
    u64 key = 0;
    if (tid < T) key = atomicExch(&g_key[tid], 0ull);
    int sl = (tid < B) ? seq_lens[tid] : 0;
    if (tid == 0) atomicExch(&g_cnt, 0u);
    if (!probe) {
        int tot;
        start = block_scan(n, s_w1, lane, warp, tot) - n;
        if (n > 0) {
            int e = start + n - 1;
            atomicOr(&s_end[e >> 5], 1u << (e & 31));
        }
        __syncthreads();
    }
    int best = (int)(0xffffffffu - (unsigned)key);
    s_best[tid] = best;
    bool isend = (s_end[warp] >> lane) & 1u;
    bool stop = (tid < T) && (isend || best == eos || nexttok != best);
    unsigned sb = __ballot_sync(0xffffffffu, stop);
    if (lane == 0) s_mask[warp] = sb;
    __syncthreads();
    int acc = 0, go = 0;
    if (n > 0) {
        int w = start >> 5;
        unsigned m = s_mask[w] & (0xffffffffu << (start & 31));
        while (m == 0 && w < 31) m = s_mask[++w];
        int pos = w * 32 + __ffs(m) - 1;
        acc = pos - start + 1;
        go = (s_best[pos] != eos) ? 1 : 0;
    }
    int packed = acc | (go << 16);
    int tot2;
    int off = block_scan(packed, s_w2, lane, warp, tot2) - packed;
    if (tid < B) {
        accepted[tid] = acc;
        seq_lens[tid] = sl + acc;
        int eo = off & 0xffff;
        for (int j = 0; j < acc; j++) emitted[eo + j] = s_best[start + j];
        if (go) going_on[off >> 16] = tid;
    }
    if (tid == 0) {
        counts[0] = tot2 & 0xffff;
        counts[1] = tot2 >> 16;
    }
}

// ---------------- generic path: many rows or many samples ----------------

template <bool AL>
__global__ void __launch_bounds__(256)
rows_kernel(const __half* __restrict__ logits, int* bestbuf, int T, int V, int cpr) {
    __shared__ u64 s_k[8];
    int* out = bestbuf ? bestbuf : g_bestbuf;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const unsigned short* raw = reinterpret_cast<const unsigned short*>(logits);
    for (long long t = blockIdx.x; t < T; t += gridDim.x) {
        int per = (cpr + 7) / 8;
        int k = warp * per;
        int kend = k + per;
        if (kend > cpr) kend = cpr;
        u64 key = 0;
        if (k < kend) {
            unsigned ord, idx;
            warp_seg<AL>(raw, (unsigned)t * (unsigned)V, (unsigned)V, k, kend, lane, ord, idx);
            key = ((u64)ord << 32) | (u64)(0xffffffffu - idx);
        }
        if (lane == 0) s_k[warp] = key;
        __syncthreads();
        if (threadIdx.x == 0) {
            u64 m = s_k[0];
            for (int i = 1; i < 8; i++)
                if (s_k[i] > m) m = s_k[i];
            out[t] = (int)(0xffffffffu - (unsigned)m);
        }
        __syncthreads();
    }
}

__global__ void __launch_bounds__(1024)
final_kernel(const int* bestbuf, const int* __restrict__ tokens, const int* __restrict__ token_nums,
             int* seq_lens, int* accepted, int* emitted, int* going_on, int* counts, int B, int eos) {
    __shared__ int s_a[32];
    __shared__ int s_b[32];
    __shared__ int s_c[32];
    const int* best = bestbuf ? bestbuf : g_bestbuf;
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    int rowBase = 0, emBase = 0, goBase = 0;
    for (int b0 = 0; b0 < B; b0 += 1024) {
        int b = b0 + tid;
        int n = (b < B) ? token_nums[b] : 0;
        int tot;
        int r = block_scan(n, s_a, lane, warp, tot) - n + rowBase;
        rowBase += tot;
        int acc = 0, go = 0;
        if (n > 0) {
            int i = 0;
            int x;
            while (true) {
                x = best[r + i];
                if (x == eos || i == n - 1 || tokens[r + i + 1] != x) break;
                i++;
            }
            acc = i + 1;
            go = (x != eos) ? 1 : 0;
        }
        int totE, totG;
        int eo = block_scan(acc, s_b, lane, warp, totE) - acc + emBase;
        int gof = block_scan(go, s_c, lane, warp, totG) - go + goBase;
        emBase += totE;
        goBase += totG;
        if (b < B) {
            accepted[b] = acc;
            seq_lens[b] += acc;
            for (int j = 0; j < acc; j++) emitted[eo + j] = best[r + j];
            if (go) going_on[gof] = b;
        }
        __syncthreads();
    }
    if (tid == 0) {
        counts[0] = emBase;
        counts[1] = goBase;
    }
}

extern "C" void solve(const __half* logits, const int* tokens, const int* token_nums, int* seq_lens, int* accepted, int* emitted, int* going_on, int* counts, int B, int T, int V, int eos)
{
    const bool al = (V % 8) == 0;
    const int nv = al ? V / 8 : (V + 14) / 8;
    const int cpr = (nv + 31) / 32;
    if (T <= MAXR && B <= MAXR) {
        int dev = 0, sms = 132;
        cudaGetDevice(&dev);
        if (cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev) != cudaSuccess || sms < 1) sms = 132;
        long long bytes = 2LL * T * V;
        int probe = (bytes >= 12000000LL && V >= 256) ? 1 : 0;
        if (al)
            fused_kernel<true><<<sms, 1024>>>(logits, tokens, token_nums, seq_lens, accepted, emitted,
                                              going_on, counts, B, T, V, eos, cpr, probe);
        else
            fused_kernel<false><<<sms, 1024>>>(logits, tokens, token_nums, seq_lens, accepted, emitted,
                                               going_on, counts, B, T, V, eos, cpr, probe);
    } else {
        int* buf = nullptr;
        if (T > BEST_CAP) cudaMallocAsync((void**)&buf, (size_t)T * sizeof(int), (cudaStream_t)0);
        int grid = T < 132 * 64 ? T : 132 * 64;
        if (al)
            rows_kernel<true><<<grid, 256>>>(logits, buf, T, V, cpr);
        else
            rows_kernel<false><<<grid, 256>>>(logits, buf, T, V, cpr);
        final_kernel<<<1, 1024>>>(buf, tokens, token_nums, seq_lens, accepted, emitted, going_on, counts, B, eos);
        if (buf) cudaFreeAsync(buf, (cudaStream_t)0);
    }
}
