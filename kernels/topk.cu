// SPDX-License-Identifier: Apache-2.0
// task: topk
// rules: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 8fecd3c
// made by: warpwright 0.1.0
// model: a fresh instance of a language model per prompt and round
// run: topk-1 r3.c3
// median us: N=2^10,k=32 4.96, N=2^12,k=64 6.69, N=2^14,k=128 6.87, N=2^16,k=256 7.59, N=2^18,k=512 8.66
// sha256: 4d2d9b56cf633a209edf254240ebf9cc7ba1996b66edd980501379ea371ec826

#include <cuda_runtime.h>

typedef unsigned int u32;

#define TILE 4096
#define MAXN 262144
#define ABLOCKS 64
#define REGION 64
#define BBLOCKS 96
#define RBLOCKS 32
#define SLOTS 8
#define THREADS 512
#define WARPS 16
#define LCAP 4096
#define SAMPLE 8192
#define FULL 0xffffffffu
#define NEG_INF_KEY 0x007fffffu

// scratch, written before it is read within every call
__device__ uint4 g_slots[ABLOCKS * REGION / 4];

__device__ __forceinline__ u32 toKey(float f)
{
    u32 u = __float_as_uint(f);
    return u ^ ((u >> 31) ? 0xffffffffu : 0x80000000u);
}

__device__ __forceinline__ float fromKey(u32 x)
{
    u32 u = (x & 0x80000000u) ? (x ^ 0x80000000u) : ~x;
    return __uint_as_float(u);
}

// next larger float; for +inf a NaN, which no comparison reaches
__device__ __forceinline__ float nextUp(float x)
{
    int b = __float_as_int(x);
    b = (x == 0.0f) ? 1 : ((b > 0) ? b + 1 : b - 1);
    return __int_as_float(b);
}

// four elements, or NaNs past the end
__device__ __forceinline__ float4 loadQuad(const float* __restrict__ input, int q, int nq)
{
    const float none = __int_as_float(0x7fffffff);
    float4 f = make_float4(none, none, none, none);
    if (q < nq) f = __ldg(reinterpret_cast<const float4*>(input) + q);
    return f;
}

__device__ __forceinline__ float max4(float4 f)
{
    return fmaxf(fmaxf(f.x, f.y), fmaxf(f.z, f.w));
}

// a value that at least r (<= 32) of the warp's values reach; no barrier
__device__ __forceinline__ u32 warpBound(u32 v, int r)
{
    u32 lo = __reduce_min_sync(FULL, v);
    u32 hi = __reduce_max_sync(FULL, v);
    const int lim = r + (r >> 3);
#pragma unroll 1
    while (lo < hi) {
        const u32 d = hi - lo;
        const u32 mid = lo + (d >> 1) + (d & 1u);
        const int n = __popc(__ballot_sync(FULL, v >= mid));
        if (n >= r) {
            lo = mid;
            if (n <= lim) break;
        } else {
            hi = mid - 1;
        }
    }
    return lo;
}

__device__ __forceinline__ int warpScan(int v)
{
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const int o = __shfl_up_sync(FULL, v, d);
        if (lane >= d) v += o;
    }
    return v;
}

// a warp counts the rank of list[ci] among list[0..M-1]; equal values are ordered by their place in the
// list, so ranks are distinct and every output element has exactly one writer
__device__ __forceinline__ void placeValue(int ci, const u32* list, int M, int k, float* output)
{
    const int lane = threadIdx.x & 31;
    const u32 x = list[ci];
    int n = 0;
#pragma unroll 4
    for (int j = lane; j < M; j += 32) {
        const u32 y = list[j];
        const u32 bound = x + ((j >= ci) ? 1u : 0u);      // x <= key of +inf: no wrap-around
        n += (y >= bound) ? 1 : 0;
    }
    n = __reduce_add_sync(FULL, n);
    if (lane == 0 && n < k) output[n] = fromKey(x);
}

// exact selection by one block of at least 256 threads, any data, k <= 1024
__device__ __noinline__ void radixFallback(const float* __restrict__ input, float* output, int N, int k,
                                           u32* list, u32* hist, int* sVal)
{
    const int tid = threadIdx.x, nt = blockDim.x;
    u32 prefix = 0, mask = 0;
    int r = k;
    for (int shift = 24; shift >= 0; shift -= 8) {
        __syncthreads();
        if (tid < 256) hist[tid] = 0;
        __syncthreads();
        for (int i = tid; i < N; i += nt) {
            u32 x = toKey(input[i]);
            if ((x & mask) == prefix) atomicAdd(&hist[(x >> shift) & 255u], 1u);
        }
        __syncthreads();
        if (tid == 0) {
            int b = 255, acc = 0;
            while (b > 0 && acc + (int)hist[b] < r) {
                acc += (int)hist[b];
                b--;
            }
            sVal[0] = b;
            sVal[1] = r - acc;
        }
        __syncthreads();
        prefix |= (u32)sVal[0] << shift;
        mask |= 255u << shift;
        r = sVal[1];
    }
    __syncthreads();
    if (tid == 0) sVal[0] = 0;
    __syncthreads();
    for (int i = tid; i < N; i += nt) {
        u32 x = toKey(input[i]);
        if (x > prefix) list[atomicAdd(&sVal[0], 1)] = x;
    }
    __syncthreads();
    const int c = sVal[0];
    for (int ci = tid >> 5; ci < c; ci += (nt >> 5)) placeValue(ci, list, c, k, output);
    for (int i = c + tid; i < k; i += nt) output[i] = fromKey(prefix);
}

// keep x in the thread's next free slot if it reaches the threshold
#define PUT(x)                                               \
    {                                                        \
        const float x_ = (x);                                \
        if (x_ >= Tf) {                                      \
            if (idx < SLOTS * THREADS) sm[idx] = toKey(x_);  \
            idx += THREADS;                                  \
        }                                                    \
    }

// append x to the block's list of survivors if it reaches the threshold
#define ADD(x)                                               \
    {                                                        \
        const float x_ = (x);                                \
        if (x_ >= Tf) {                                      \
            const int p_ = atomicAdd(&sVal[0], 1);           \
            if (p_ < REGION) list[p_] = toKey(x_);           \
        }                                                    \
    }

// mode 0: sample, filter own tile; 1: gather, rank; 3: direct ranking; 4: redundant blocks, one launch;
// 5: sort tiles; 6: global exchange step; 7: finish a merge in tiles; 8: write
// (mode 0: size = wanted number of sample values above the threshold; mode 4: size = number of values each
// warp answers for, stride = number of such warps)
__global__ void __launch_bounds__(1024) topk_kernel(const float* __restrict__ input, float* __restrict__ output,
                                                    int N, int k, int mode,
                                                    u32* buf, u32 P, u32 size, u32 stride)
{
    __shared__ __align__(16) u32 sm[TILE];
    __shared__ __align__(16) u32 list[LCAP];
    __shared__ u32 aux[256];
    __shared__ u32 wlo[32];
    __shared__ u32 whi[32];
    __shared__ int wsum[32];
    __shared__ int sVal[2];
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;

    if (mode == 3) {
        // one element per warp, float comparisons straight from global memory
        const int ci = blockIdx.x * 8 + warp;
        if (ci >= N) return;
        const float x = __ldg(input + ci);
        const float xn = nextUp(x);
        const int nq = N >> 2, cq = ci >> 2;
        int n = 0;
#pragma unroll 4
        for (int q = lane; q < nq; q += 32) {
            const float4 y = __ldg(reinterpret_cast<const float4*>(input) + q);
            const float b = (q < cq) ? x : xn;
            n += (y.x >= b) ? 1 : 0;
            n += (y.y >= b) ? 1 : 0;
            n += (y.z >= b) ? 1 : 0;
            n += (y.w >= b) ? 1 : 0;
        }
        // equal values before x in its own group of four
        if (cq < nq && lane < (ci & 3)) n += (__ldg(input + 4 * cq + lane) == x) ? 1 : 0;
        const int t = nq * 4 + lane;
        if (t < N) {
            const float y = __ldg(input + t);
            n += (y > x || (y == x && t < ci)) ? 1 : 0;
        }
        n = __reduce_add_sync(FULL, n);
        if (lane == 0 && n < k) output[n] = x;
        return;
    }
    if (mode == 4) {
        // N <= 16384, blocks of 512 threads: every block reads everything, up to 32 elements per thread
        const int nq = N >> 2;
        float4 f[8];
#pragma unroll
        for (int j = 0; j < 8; j++) f[j] = loadQuad(input, tid + THREADS * j, nq);
        float rest = __int_as_float(0x7fffffff);
        if (tid < (N & 3)) rest = __ldg(input + 4 * nq + tid);
        float m = max4(f[0]);
#pragma unroll
        for (int j = 1; j < 8; j++) m = fmaxf(m, max4(f[j]));
        u32 t = FULL;
        if (warp < (int)stride) t = warpBound((m == m) ? toKey(m) : 0u, (int)size);
        if (lane == 0) wlo[warp] = t;
        __syncthreads();
        const u32 T = max(__reduce_min_sync(FULL, wlo[lane & (WARPS - 1)]), NEG_INF_KEY);
        const float Tf = fromKey(T);
        int idx = tid;
        PUT(rest)
        if (m >= Tf) {
#pragma unroll
            for (int j = 0; j < 8; j++) {
                PUT(f[j].x)
                PUT(f[j].y)
                PUT(f[j].z)
                PUT(f[j].w)
            }
        }
        const int cnt = (idx - tid) / THREADS;
        const int inc = warpScan(cnt);
        if (lane == 31) wsum[warp] = inc;
        const int bad = __syncthreads_or(cnt > SLOTS ? 1 : 0);
        const int ws = (lane < WARPS) ? wsum[lane] : 0;
        const int base = __reduce_add_sync(FULL, (lane < warp) ? ws : 0);
        const int M = __reduce_add_sync(FULL, ws);
        if (bad || M < k) {
            if (blockIdx.x == 0) radixFallback(input, output, N, k, list, aux, sVal);
            return;
        }
        const int pos = base + inc - cnt;      // M <= SLOTS * THREADS = LCAP
#pragma unroll 1
        for (int i = 0; i < cnt; i++) list[pos + i] = sm[i * THREADS + tid];
        __syncthreads();
#pragma unroll 1
        for (int ci = warp * RBLOCKS + (int)blockIdx.x; ci < M; ci += WARPS * RBLOCKS)
            placeValue(ci, list, M, k, output);
        return;
    }
    if (mode == 0) {
        // 64 blocks of 512 threads: the same sample in every block, and up to 8 own elements per thread
        cudaTriggerProgrammaticLaunchCompletion();
        const int nq = N >> 2;
        const int gap = nq >> 6;               // 64 chunks of 32 quads; N > 16384, so gap >= 64
        float4 s[4], o[2];
#pragma unroll
        for (int j = 0; j < 4; j++)
            s[j] = __ldg(reinterpret_cast<const float4*>(input) + (warp * 4 + j) * gap + lane);
#pragma unroll
        for (int j = 0; j < 2; j++)
            o[j] = loadQuad(input, (int)blockIdx.x * THREADS + tid + j * ABLOCKS * THREADS, nq);
        float rest = __int_as_float(0x7fffffff);
        if (blockIdx.x == 0 && tid < (N & 3)) rest = __ldg(input + 4 * nq + tid);
        if (tid < REGION) list[tid] = 0;
        if (tid == 0) sVal[0] = 0;

        const float m = fmaxf(fmaxf(max4(s[0]), max4(s[1])), fmaxf(max4(s[2]), max4(s[3])));
        const u32 v = toKey(m);
        const u32 mn = __reduce_min_sync(FULL, v);
        const u32 mx = __reduce_max_sync(FULL, v);
        if (lane == 0) {
            wlo[warp] = mn;
            whi[warp] = mx;
        }
        __syncthreads();
        u32 lo = __reduce_min_sync(FULL, wlo[lane & (WARPS - 1)]);
        u32 hi = __reduce_max_sync(FULL, whi[lane & (WARPS - 1)]);
        const int want = (int)size, lim = want + (want >> 3);
#pragma unroll 1
        while (lo < hi) {
            const u32 d = hi - lo;
            const u32 mid = lo + (d >> 1) + (d & 1u);
            const int n = __syncthreads_count(v >= mid);
            if (n >= want) {
                lo = mid;
                if (n <= lim) break;
            } else {
                hi = mid - 1;
            }
        }
        const float Tf = fromKey(lo);          // between two keys of real values: never a NaN
        ADD(rest)
#pragma unroll
        for (int j = 0; j < 2; j++) {
            if (max4(o[j]) >= Tf) {
                ADD(o[j].x)
                ADD(o[j].y)
                ADD(o[j].z)
                ADD(o[j].w)
            }
        }
        __syncthreads();
        if (tid < REGION) {
            u32 x = list[tid];
            if (tid == 0 && sVal[0] > REGION) x = FULL;      // no key: marks a region that is too small
            reinterpret_cast<u32*>(g_slots)[blockIdx.x * REGION + tid] = x;
        }
        return;
    }
    if (mode == 1) {
        // 96 blocks of 512 threads: 8 slots per thread, empty ones hold 0
        cudaGridDependencySynchronize();
        const uint4 p = __ldcg(&g_slots[2 * tid]);
        const uint4 q = __ldcg(&g_slots[2 * tid + 1]);
        const u32 a[8] = {p.x, p.y, p.z, p.w, q.x, q.y, q.z, q.w};
        int cnt = 0;
#pragma unroll
        for (int i = 0; i < 8; i++) cnt += (a[i] != 0u) ? 1 : 0;
        const int inc = warpScan(cnt);
        if (lane == 31) wsum[warp] = inc;
        const int bad = __syncthreads_or(a[0] == FULL ? 1 : 0);
        const int ws = (lane < WARPS) ? wsum[lane] : 0;
        const int base = __reduce_add_sync(FULL, (lane < warp) ? ws : 0);
        const int M = __reduce_add_sync(FULL, ws);
        if (bad || M < k) {
            if (blockIdx.x == 0) radixFallback(input, output, N, k, list, aux, sVal);
            return;
        }
        const int pos = base + inc - cnt;
        // the slots of a region are filled from the front, so a thread's keys come first
#pragma unroll
        for (int i = 0; i < 8; i++)
            if (i < cnt) list[pos + i] = a[i];
        __syncthreads();
#pragma unroll 1
        for (int ci = warp * BBLOCKS + (int)blockIdx.x; ci < M; ci += WARPS * BBLOCKS)
            placeValue(ci, list, M, k, output);
        return;
    }
    if (mode == 5 || mode == 7) {
        const size_t base = (size_t)blockIdx.x * TILE;
        for (int i = tid; i < TILE; i += 1024) {
            size_t g = base + i;
            if (mode == 5) sm[i] = (g < (size_t)N) ? toKey(input[g]) : 0u;
            else sm[i] = buf[g];
        }
        __syncthreads();
        u32 s = (mode == 5) ? 2u : size;
        const u32 last = (mode == 5) ? (u32)TILE : size;
        while (true) {
            u32 st = (mode == 5) ? (s >> 1) : (u32)(TILE / 2);
            for (; st > 0; st >>= 1) {
                for (u32 p = tid; p < TILE / 2; p += 1024) {
                    u32 i = 2 * p - (p & (st - 1));
                    bool desc = (((u32)base + i) & s) == 0;
                    u32 a = sm[i], b = sm[i + st];
                    if (desc ? (a < b) : (a > b)) {
                        sm[i] = b;
                        sm[i + st] = a;
                    }
                }
                __syncthreads();
            }
            if (s == last) break;
            s <<= 1;
        }
        for (int i = tid; i < TILE; i += 1024) buf[base + i] = sm[i];
        return;
    }
    if (mode == 6) {
        u32 p = blockIdx.x * 1024u + tid;
        if (p < P / 2) {
            u32 i = 2 * p - (p & (stride - 1));
            bool desc = (i & size) == 0;
            u32 a = buf[i], b = buf[i + stride];
            if (desc ? (a < b) : (a > b)) {
                buf[i] = b;
                buf[i + stride] = a;
            }
        }
        return;
    }
    {
        size_t g = (size_t)blockIdx.x * 1024 + tid;
        if (g < (size_t)k) output[g] = fromKey(buf[g]);
    }
}

extern "C" void solve(const float* input, float* output, int N, int k)
{
    if (N <= 0 || k <= 0) return;
    if (N <= 1024 || (N <= 4096 && k > 256)) {
        topk_kernel<<<(N + 7) / 8, 256>>>(input, output, N, k, 3, (u32*)0, 0u, 0u, 0u);
        return;
    }
    if (N <= 16384 && k <= 512) {
        // warps whose first 128 elements all exist (at least 8) answer for r values each
        const int full = (N >> 7) < WARPS ? (N >> 7) : WARPS;
        const int r = (k + full - 1) / full;
        if (r <= 32) {
            topk_kernel<<<RBLOCKS, THREADS>>>(input, output, N, k, 4, (u32*)0, 0u, (u32)r, (u32)full);
            return;
        }
    }
    if (N > 16384 && N <= MAXN && k <= 1024) {
        // expected number of the k largest in the sample, plus a margin of 3.5 standard deviations
        const int e = (int)(((long long)k * SAMPLE + N - 1) / N);
        int s = 0;
        while (s * s < e) s++;
        const int want = e + 3 * s + s / 2 + 2;
        topk_kernel<<<ABLOCKS, THREADS>>>(input, output, N, k, 0, (u32*)0, 0u, (u32)want, 0u);
        cudaLaunchConfig_t cfg = {};
        cfg.gridDim = dim3(BBLOCKS);
        cfg.blockDim = dim3(THREADS);
        cfg.dynamicSmemBytes = 0;
        cfg.stream = 0;
        cudaLaunchAttribute at[1];
        at[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        at[0].val.programmaticStreamSerializationAllowed = 1;
        cfg.attrs = at;
        cfg.numAttrs = 1;
        cudaLaunchKernelEx(&cfg, topk_kernel, input, output, N, k, 1, (u32*)0, 0u, 0u, 0u);
        return;
    }

    u32 P = TILE;
    while (P < (u32)N) P <<= 1;
    u32* buf = 0;
    cudaMalloc((void**)&buf, (size_t)P * sizeof(u32));
    const u32 tiles = P / TILE;
    topk_kernel<<<tiles, 1024>>>(input, output, N, k, 5, buf, P, 0u, 0u);
    for (u32 size = 2 * TILE; size <= P && size != 0; size <<= 1) {
        for (u32 stride = size >> 1; stride >= TILE; stride >>= 1)
            topk_kernel<<<(P / 2 + 1023) / 1024, 1024>>>(input, output, N, k, 6, buf, P, size, stride);
        topk_kernel<<<tiles, 1024>>>(input, output, N, k, 7, buf, P, size, 0u);
    }
    topk_kernel<<<(u32)(((size_t)k + 1023) / 1024), 1024>>>(input, output, N, k, 8, buf, P, 0u, 0u);
    cudaFree(buf);
}
