// SPDX-License-Identifier: Apache-2.0
// task: cross_entropy
// rules: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-16
// commit: bf586de
// made by: warpwright 0.1.0
// model: Claude, a fresh instance per prompt and round
// run: cross_entropy-1 r4.c1
// median us: N=2^14,C=10 5.47, N=2^16,C=10 6.38, N=2^18,C=10 9.00, N=2^20,C=10 17.73, N=2^22,C=10 51.22
// sha256: 5ee92c53c2b7c1ff8076e961d648a74e2f6d6bfef21274a31872d3ff2201b9a5

#include <cuda_runtime.h>
#include <cfloat>
#include <cmath>

constexpr int CB = 12;        // bits of the arrival counter
constexpr int MAXW = 8;       // warps per block of the streaming modes
constexpr int MAXGRID = 528;  // 4 blocks on each of 132 SMs, below 2^CB
constexpr int SMALL_C = 32;
constexpr int WARP_C = 4096;
constexpr int SHARDS = 8;     // claim counters of the warps
constexpr int PITCH = 64;     // words from one counter to the next

// modes, chosen by the host from N and C alone
constexpr int M_GENERIC = 0;  // C other than ten
constexpr int M_ONE = 1;      // C = 10, at most one tile per warp
constexpr int M_WARP = 2;     // C = 10, resident grid, warps claim tiles
constexpr int M_BLOCK = 3;    // C = 10, resident grid, blocks claim chunks of eight tiles

// All are zero between launches: the last block to arrive puts them back to zero.
// Low CB bits of g_acc: number of blocks that have arrived; high bits: fixed-point sum of the losses.
__device__ unsigned long long g_acc = 0ULL;
__device__ unsigned g_next[SHARDS * PITCH];
__device__ unsigned g_chunk = 0u;

constexpr float LOG2E = 1.4426950408889634f;
constexpr float LN2 = 0.6931471805599453f;

__device__ __forceinline__ float ex2f(float x) {
    float r;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}
__device__ __forceinline__ float lg2f(float x) {
    float r;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}
__device__ __forceinline__ void prefetch_l2(const void* p) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(p)));
}
// Touches what the tail will need (translation and L2 line of the accumulator and of the result)
// while the logits are in flight. Adding zero is harmless in any order.
__device__ __forceinline__ void touch(float* loss) {
    asm volatile("red.global.add.u64 [%0], %1;"
                 :
                 : "l"(__cvta_generic_to_global(&g_acc)), "l"(0ULL)
                 : "memory");
    prefetch_l2(loss);
}

// A row of ten in shared memory (8-byte aligned) -> s and d with loss = d + ln(s).
// Every exponent is one FMA: a*L - M with M = round(m*L). M's rounding error r is the same for the
// whole row, is found exactly by one more FMA, and is taken out of the logarithm again.
__device__ __forceinline__ void row10(const float* z, int y, float& s, float& d) {
    const float2* p = reinterpret_cast<const float2*>(z);
    const float2 p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3], p4 = p[4];
    const float zy = z[y];
    const float m01 = fmaxf(fmaxf(p0.x, p0.y), fmaxf(p1.x, p1.y));
    const float m23 = fmaxf(fmaxf(p2.x, p2.y), fmaxf(p3.x, p3.y));
    const float m = fmaxf(fmaxf(m01, m23), fmaxf(p4.x, p4.y));
    const float M = __fmul_rn(m, LOG2E);
    const float r = __fmaf_rn(m, LOG2E, -M);
    const float e0 = ex2f(__fmaf_rn(p0.x, LOG2E, -M)) + ex2f(__fmaf_rn(p0.y, LOG2E, -M));
    const float e1 = ex2f(__fmaf_rn(p1.x, LOG2E, -M)) + ex2f(__fmaf_rn(p1.y, LOG2E, -M));
    const float e2 = ex2f(__fmaf_rn(p2.x, LOG2E, -M)) + ex2f(__fmaf_rn(p2.y, LOG2E, -M));
    const float e3 = ex2f(__fmaf_rn(p3.x, LOG2E, -M)) + ex2f(__fmaf_rn(p3.y, LOG2E, -M));
    const float e4 = ex2f(__fmaf_rn(p4.x, LOG2E, -M)) + ex2f(__fmaf_rn(p4.y, LOG2E, -M));
    s = ((e0 + e1) + (e2 + e3)) + e4;
    d = __fmaf_rn(-LN2, r, m - zy);
}

// one row by one thread, any C
__device__ __noinline__ float slow_row(const float* __restrict__ z, int C, int y) {
    float m = -FLT_MAX;
    for (int c = 0; c < C; ++c) m = fmaxf(m, __ldg(z + c));
    float s = 0.f;
    for (int c = 0; c < C; ++c) s += ex2f((__ldg(z + c) - m) * LOG2E);
    return (m - __ldg(z + y)) + LN2 * lg2f(s);
}
// rows first .. N-1 (fewer than a tile), by the lanes of one warp; C = 10
__device__ __noinline__ float rest_rows(const float* __restrict__ logits,
                                        const int* __restrict__ labels, unsigned first, unsigned n,
                                        int lane) {
    float acc = 0.f;
    for (unsigned r = first + lane; r < n; r += 32u)
        acc += slow_row(logits + (size_t)r * 10, 10, __ldg(labels + r));
    __syncwarp();
    return acc;
}

__device__ __forceinline__ void push4(float a, float b, float c, float d, float& m, float& s) {
    float mn = fmaxf(m, fmaxf(fmaxf(a, b), fmaxf(c, d)));
    float t = (ex2f((a - mn) * LOG2E) + ex2f((b - mn) * LOG2E)) +
              (ex2f((c - mn) * LOG2E) + ex2f((d - mn) * LOG2E));
    s = s * ex2f((m - mn) * LOG2E) + t;
    m = mn;
}
__device__ __forceinline__ void merge_ms(float m2, float s2, float& m, float& s) {
    float mn = fmaxf(m, m2);
    s = s * ex2f((m - mn) * LOG2E) + s2 * ex2f((m2 - mn) * LOG2E);
    m = mn;
}
__device__ __forceinline__ void scan_row(const float* __restrict__ z, unsigned C, unsigned i0,
                                         unsigned step, float& m, float& s) {
    m = -FLT_MAX;
    s = 0.f;
    if ((C & 3u) == 0u) {
        const float4* v = reinterpret_cast<const float4*>(z);
        const unsigned n = C >> 2;
#pragma unroll 2
        for (unsigned i = i0; i < n; i += step) {
            float4 a = __ldg(v + i);
            push4(a.x, a.y, a.z, a.w, m, s);
        }
    } else {
        unsigned i = i0;
        for (; i + 3u * step < C; i += 4u * step) {
            float a = __ldg(z + i), b = __ldg(z + i + step);
            float c = __ldg(z + i + 2u * step), d = __ldg(z + i + 3u * step);
            push4(a, b, c, d, m, s);
        }
        for (; i < C; i += step) merge_ms(__ldg(z + i), 1.f, m, s);
    }
#pragma unroll
    for (int o = 16; o; o >>= 1) {
        float m2 = __shfl_xor_sync(0xffffffffu, m, o);
        float s2 = __shfl_xor_sync(0xffffffffu, s, o);
        merge_ms(m2, s2, m, s);
    }
}

// every C other than ten; sh has at least 64 floats
__device__ __noinline__ float generic_sum(const float* __restrict__ logits,
                                          const int* __restrict__ labels, int N, int C, float* sh) {
    const unsigned n = (unsigned)N;
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, nw = blockDim.x >> 5;
    double acc = 0.0;
    float m, s;
    if (C <= SMALL_C) {
        for (unsigned r = blockIdx.x * blockDim.x + tid; r < n; r += gridDim.x * blockDim.x)
            acc += (double)slow_row(logits + (size_t)r * C, C, __ldg(labels + r));
    } else if (C <= WARP_C) {
        for (unsigned r = blockIdx.x * nw + warp; r < n; r += gridDim.x * nw) {
            const float* z = logits + (size_t)r * C;
            float zy = __ldg(z + __ldg(labels + r));
            scan_row(z, C, lane, 32, m, s);
            if (lane == 0) acc += (double)((m - zy) + LN2 * lg2f(s));
        }
    } else {
        for (unsigned r = blockIdx.x; r < n; r += gridDim.x) {
            const float* z = logits + (size_t)r * C;
            float zy = __ldg(z + __ldg(labels + r));
            scan_row(z, C, tid, blockDim.x, m, s);
            if (lane == 0) {
                sh[warp] = m;
                sh[32 + warp] = s;
            }
            __syncthreads();
            if (tid == 0) {
                for (int w = 1; w < nw; ++w) merge_ms(sh[w], sh[32 + w], m, s);
                acc += (double)((m - zy) + LN2 * lg2f(s));
            }
            __syncthreads();
        }
    }
    return (float)acc;
}

// block sum -> one 64-bit atomic with the sum and the arrival count
__device__ __forceinline__ void finish(float acc, float* sh, float* loss, float scale, float inv,
                                       int mode) {
    const int tid = threadIdx.x;
#pragma unroll
    for (int o = 16; o; o >>= 1) acc += __shfl_xor_sync(0xffffffffu, acc, o);
    if ((tid & 31) == 0) sh[tid >> 5] = acc;
    __syncthreads();
    if (tid == 0) {
        const int nw = blockDim.x >> 5;
        float v[MAXW];
#pragma unroll
        for (int i = 0; i < MAXW; ++i) v[i] = (i < nw) ? sh[i] : 0.f;
        const float sum = ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
        const long long q = __float2ll_rn(sum * scale);
        const unsigned long long add = ((unsigned long long)q << CB) + 1ULL;
        const unsigned long long tot = atomicAdd(&g_acc, add) + add;
        if ((unsigned)(tot & ((1ULL << CB) - 1ULL)) == gridDim.x) {
            *loss = __ll2float_rn((long long)tot >> CB) * inv;
            atomicExch(&g_acc, 0ULL);  // every access to the counters is atomic
            if (mode == M_BLOCK) atomicExch(&g_chunk, 0u);
            if (mode == M_WARP) {
#pragma unroll
                for (int i = 0; i < SHARDS; ++i) atomicExch(&g_next[i * PITCH], 0u);
            }
        }
    }
}

// CS: ld.cs, else ld.nc without allocation in L1
template <bool CS>
__device__ __forceinline__ float4 ld4(const float4* p) {
    float4 r;
    if (CS) {
        asm volatile("ld.global.cs.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(r.x), "=f"(r.y), "=f"(r.z), "=f"(r.w)
                     : "l"(p));
    } else {
        asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(r.x), "=f"(r.y), "=f"(r.z), "=f"(r.w)
                     : "l"(p));
    }
    return r;
}
template <bool CS>
__device__ __forceinline__ int ld1(const int* p) {
    int r;
    if (CS) {
        asm volatile("ld.global.cs.s32 %0, [%1];" : "=r"(r) : "l"(p));
    } else {
        asm volatile("ld.global.nc.L1::no_allocate.s32 %0, [%1];" : "=r"(r) : "l"(p));
    }
    return r;
}

// 64 rows and their labels in registers
struct Tile {
    float4 r0, r1, r2, r3, r4;
    int y0, y1;
};
__device__ __forceinline__ void clear_tile(Tile& a) {
    a.r0 = a.r1 = a.r2 = a.r3 = a.r4 = make_float4(0.f, 0.f, 0.f, 0.f);
    a.y0 = a.y1 = 0;
}
template <bool CS>
__device__ __forceinline__ void load_tile(const float* logits, const int* labels, int t, int lane,
                                          Tile& a) {
    const float4* src = reinterpret_cast<const float4*>(logits) + (size_t)t * 160 + lane;
    const int* ys = labels + (size_t)t * 64 + lane;
    a.r0 = ld4<CS>(src);
    a.r1 = ld4<CS>(src + 32);
    a.r2 = ld4<CS>(src + 64);
    a.r3 = ld4<CS>(src + 96);
    a.r4 = ld4<CS>(src + 128);
    a.y0 = ld1<CS>(ys);
    a.y1 = ld1<CS>(ys + 32);
}
__device__ __forceinline__ void store_tile(float* buf, int lane, const Tile& a) {
    float4* dst = reinterpret_cast<float4*>(buf) + lane;
    dst[0] = a.r0;
    dst[32] = a.r1;
    dst[64] = a.r2;
    dst[96] = a.r3;
    dst[128] = a.r4;
}
__device__ __forceinline__ float tile_loss(const float* buf, int lane, int ya, int yb) {
    float sa, da, sb, db;
    row10(buf + lane * 10, ya, sa, da);
    row10(buf + 320 + lane * 10, yb, sb, db);
    return (da + db) + LN2 * lg2f(sa * sb);
}

__device__ __forceinline__ int claim(unsigned* counter) {
    int r;
    asm volatile("atom.global.add.u32 %0, [%1], 1;"
                 : "=r"(r)
                 : "l"(__cvta_generic_to_global(counter))
                 : "memory");
    return r;
}

// resident grid; from its third tile on, a warp claims single tiles a round ahead
__device__ __forceinline__ float stream_warp(const float* __restrict__ logits,
                                             const int* __restrict__ labels, int tiles, float* buf,
                                             float* loss) {
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, nw = blockDim.x >> 5;
    const int all = nw * (int)gridDim.x;
    const int shard = (int)(blockIdx.x & (SHARDS - 1));
    int cur = (int)blockIdx.x * nw + warp;
    int nxt = cur + all;
    float acc = 0.f;
    Tile a;
    clear_tile(a);
    if (cur < tiles) load_tile<true>(logits, labels, cur, lane, a);
    if (tid == 0) touch(loss);
#pragma unroll 1
    while (cur < tiles) {
        store_tile(buf, lane, a);
        const int ya = a.y0, yb = a.y1;
        __syncwarp();
        int claimed = 0;
        if (nxt < tiles) {
            if (lane == 0) claimed = claim(&g_next[shard * PITCH]);
            load_tile<true>(logits, labels, nxt, lane, a);
        }
        acc += tile_loss(buf, lane, ya, yb);
        cur = nxt;
        // once cur is past the end the loop stops, and nxt no longer matters
        nxt = 2 * all + __shfl_sync(0xffffffffu, claimed, 0) * SHARDS + shard;
        __syncwarp();
    }
    return acc;
}

// resident grid; from its third chunk on, a block claims contiguous chunks a round ahead
__device__ __forceinline__ float stream_block(const float* __restrict__ logits,
                                              const int* __restrict__ labels, int tiles, float* buf,
                                              int* slot, float* loss) {
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, nw = blockDim.x >> 5;
    const int grid = (int)gridDim.x;
    const int chunks = (tiles + nw - 1) / nw;
    int cur = (int)blockIdx.x, nxt = cur + grid, p = 0;  // the same in all threads of the block
    int t = cur * nw + warp;
    float acc = 0.f;
    Tile a;
    clear_tile(a);
    if (t < tiles) load_tile<false>(logits, labels, t, lane, a);
    if (tid == 0) touch(loss);
#pragma unroll 1
    while (cur < chunks) {
        const bool have = t < tiles;
        const int ya = a.y0, yb = a.y1;
        if (have) store_tile(buf, lane, a);
        __syncwarp();
        t = nxt * nw + warp;
        if (t < tiles) load_tile<false>(logits, labels, t, lane, a);
        // claim the chunk after the next one; the answer is needed only at the end of this round
        int claimed = chunks;
        if (tid == 0 && nxt < chunks) claimed = claim(&g_chunk) + 2 * grid;
        if (have) acc += tile_loss(buf, lane, ya, yb);
        cur = nxt;
        if (tid == 0) slot[p] = claimed;
        __syncthreads();  // slot[p] is written again only after the next barrier
        nxt = slot[p];
        p ^= 1;
    }
    return acc;
}

// One tile per warp at most. While the first loads are in flight, the block runs the whole path once
// on a tile of zeros (same code, result thrown away), so that the instructions of the tail are in
// the instruction caches when the data arrive.
__device__ __forceinline__ void one_tile(const float* __restrict__ logits,
                                         const int* __restrict__ labels, float* loss, int N,
                                         int tiles, float* buf, float* sh, int warm, float scale,
                                         float inv) {
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, nw = blockDim.x >> 5;
    const int t = (int)blockIdx.x * nw + warp;
    const bool have = t < tiles;
    float extra = 0.f;
    if ((N & 63) && blockIdx.x == gridDim.x - 1 && warp == nw - 1)
        extra = rest_rows(logits, labels, (unsigned)tiles * 64u, (unsigned)N, lane);
    Tile a, z;
    clear_tile(a);
    clear_tile(z);
    if (have) load_tile<true>(logits, labels, t, lane, a);
    if (tid == 0) touch(loss);
    store_tile(buf, lane, z);
    __syncwarp();
    int ya = 0, yb = 0, pass = 0, run = warm;
#pragma unroll 1
    while (true) {
        asm volatile("" : "+r"(pass));  // keeps the two passes one piece of code
        if (run) {
            const float c = tile_loss(buf, lane, ya, yb);
            float v = have ? c + extra : extra;
#pragma unroll
            for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
            float* s = sh + pass * MAXW;  // each pass has its own eight words
            if (lane == 0) s[warp] = v;
            __syncthreads();
            if (tid == 0) {
                float w[MAXW];
#pragma unroll
                for (int i = 0; i < MAXW; ++i) w[i] = (i < nw) ? s[i] : 0.f;
                const float sum = ((w[0] + w[1]) + (w[2] + w[3])) + ((w[4] + w[5]) + (w[6] + w[7]));
                const long long q = __float2ll_rn(sum * scale);
                const unsigned long long add = ((unsigned long long)q << CB) + 1ULL;
                asm volatile("" ::"l"(add));
                if (pass) {
                    const unsigned long long tot = atomicAdd(&g_acc, add) + add;
                    if ((unsigned)(tot & ((1ULL << CB) - 1ULL)) == gridDim.x) {
                        *loss = __ll2float_rn((long long)tot >> CB) * inv;
                        atomicExch(&g_acc, 0ULL);
                    }
                }
            }
            if (pass) break;
        }
        __syncwarp();  // all lanes have read the zeros
        store_tile(buf, lane, a);
        ya = a.y0;
        yb = a.y1;
        __syncwarp();
        pass = 1;
        run = 1;
    }
}

__global__ void __launch_bounds__(256, 4)
ce_kernel(const float* __restrict__ logits, const int* __restrict__ labels,
          float* __restrict__ loss, int N, int C, int mode, int warm, float scale, float inv) {
    __shared__ __align__(16) float tile[MAXW][640];
    __shared__ __align__(16) float sh[64];
    __shared__ int slot[2];
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, nw = blockDim.x >> 5;
    const int tiles = N >> 6;
    if (mode == M_ONE) {
        one_tile(logits, labels, loss, N, tiles, tile[warp], sh, warm, scale, inv);
        return;
    }
    float acc = 0.f;
    if (mode == M_GENERIC) {
        acc = generic_sum(logits, labels, N, C, sh);
    } else {
        if (mode == M_WARP) acc = stream_warp(logits, labels, tiles, tile[warp], loss);
        else acc = stream_block(logits, labels, tiles, tile[warp], slot, loss);
        if ((N & 63) && blockIdx.x == gridDim.x - 1 && warp == nw - 1)
            acc += rest_rows(logits, labels, (unsigned)tiles * 64u, (unsigned)N, lane);
    }
    finish(acc, sh, loss, scale, inv, mode);
}

extern "C" void solve(const float* logits, const int* true_labels, float* loss, int N, int C) {
    int lg = 0;
    while (lg < 31 && (1LL << lg) < (long long)N) ++lg;
    // a loss is below 20000 + ln(C) < 2^15, so the sum times scale fits in the 64 - CB signed bits
    const int fbits = 63 - CB - 15 - lg;
    const float scale = ldexpf(1.0f, fbits);
    const float inv = (float)(1.0 / (ldexp(1.0, fbits) * (double)N));

    int threads = 256, mode = M_GENERIC, warm = 0;
    long long grid;
    if (C == 10) {
        const long long tiles = N >> 6;
        int nw = 8;
        if (tiles <= 132 * 2) nw = 2;
        else if (tiles <= 132 * 4) nw = 4;
        threads = nw * 32;
        grid = (tiles + nw - 1) / nw;
        if (grid <= MAXGRID) mode = M_ONE;
        else if (tiles <= 40000) mode = M_WARP;
        else mode = M_BLOCK;
        warm = (tiles <= 132 * 8) ? 1 : 0;  // one block per SM: the rehearsal is free
    } else if (C <= SMALL_C) {
        grid = ((long long)N + 255) / 256;
    } else if (C <= WARP_C) {
        grid = ((long long)N + 7) / 8;
    } else {
        grid = N;
    }
    if (grid < 1) grid = 1;
    if (grid > MAXGRID) grid = MAXGRID;  // a multiple of SHARDS: every shard has as many warps
    ce_kernel<<<(unsigned)grid, threads>>>(logits, true_labels, loss, N, C, mode, warm, scale, inv);
}
