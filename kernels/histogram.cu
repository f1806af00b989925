// SPDX-License-Identifier: Apache-2.0
// task: histogram
// lane: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-16
// commit: efa77e5
// made by: warpwright 0.1.0
// model: Claude, a fresh instance per prompt and round
// run: histogram-1 r4.c1
// median us: 2^16 4.67, 2^18 5.33, 2^20 7.19, 2^22 10.44, 2^24 22.30
// sha256: 3ab758289caa0932387e9f9cafc70166d479ae4d60c82f01815684dbedc0af8e

#include <cuda_runtime.h>

// Accumulators, all 0 before and after every launch. Word of bin b: bits 0..23 the count so far,
// bits 24..31 the number of blocks that have added theirs. One 32-byte sector per 128-byte line.
#define ACC_BINS 3072
__device__ __align__(128) unsigned int g_acc[ACC_BINS * 4];

#define SCRATCH_VECS 64     // int4s behind the histogram copies, read by the dry run only

__device__ __forceinline__ int acc_index(int b) { return ((b >> 3) << 5) | (b & 7); }

__device__ __forceinline__ int4 load_vec(const int4* p) {
    int4 r;
    asm volatile("ld.global.nc.L1::no_allocate.v4.s32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
                 : "l"(p));
    return r;
}

__device__ __forceinline__ int launder(int v) {
    int r;
    asm volatile("mov.b32 %0, %1;" : "=r"(r) : "r"(v));
    return r;
}

__device__ __forceinline__ void prefetch_l2(const void* p) {
    asm volatile("prefetch.global.L2 [%0];" :: "l"(__cvta_generic_to_global(p)));
}

__device__ __forceinline__ void bump(int* shl, int v, unsigned int nb, int rs) {
    unsigned int b = min((unsigned int)v, nb);   // everything out of range goes to row nb
    atomicAdd(shl + (b << rs), 1);
}

__device__ __forceinline__ void bump4(int* shl, const int4& v, unsigned int nb, int rs) {
    bump(shl, v.x, nb, rs);
    bump(shl, v.y, nb, rs);
    bump(shl, v.z, nb, rs);
    bump(shl, v.w, nb, rs);
}

__device__ __forceinline__ void load_batch(int4 (&a)[4], const int4* in4, unsigned int base,
                                           unsigned int stride, unsigned int end) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const unsigned int i = base + (unsigned int)k * stride;
        if (i < end) a[k] = load_vec(in4 + i);
    }
}

__device__ __forceinline__ void count_batch(const int4 (&a)[4], unsigned int base,
                                            unsigned int stride, unsigned int end,
                                            int* shl, unsigned int nb, int rs) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const unsigned int i = base + (unsigned int)k * stride;
        if (i < end) bump4(shl, a[k], nb, rs);
    }
}

// sum of the 1 << rs copies of one bin (2 <= rs <= 5); rotated, so free of bank conflicts
__device__ __forceinline__ int row_sum(const int4* smem4, int bin, int rs) {
    const int cnt = 1 << (rs - 2);
    const int rot = bin >> (5 - rs);
    const int4* row = smem4 + (bin << (rs - 2));
    int s = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        if (k < cnt) {
            const int4 q = row[(k + rot) & (cnt - 1)];
            s += (q.x + q.y) + (q.z + q.w);
        }
    }
    return s;
}

__device__ __forceinline__ void plain_modes(const int* __restrict__ input, int* histogram, int* sh,
                                            int N, int num_bins, bool shared_copy) {
    const int tid = threadIdx.x;
    const int T = blockDim.x;
    const unsigned int nb = (unsigned int)num_bins;
    const size_t n = (size_t)N;
    const size_t stride = (size_t)gridDim.x * T;
    const size_t first = (size_t)blockIdx.x * T + tid;
    if (shared_copy) {
        for (int i = tid; i < num_bins; i += T) sh[i] = 0;
        __syncthreads();
        for (size_t i = first; i < n; i += stride) {
            const unsigned int v = (unsigned int)input[i];
            if (v < nb) atomicAdd(sh + v, 1);
        }
        __syncthreads();
        for (int i = tid; i < num_bins; i += T) {
            const int s = sh[i];
            if (s) atomicAdd(histogram + i, s);
        }
    } else {
        for (size_t i = first; i < n; i += stride) {
            const unsigned int v = (unsigned int)input[i];
            if (v < nb) atomicAdd(histogram + v, 1);
        }
    }
}

// any number of bins up to 3000: 1 << rs copies in shared memory; fused: counts and block tickets
// go to g_acc (N <= 2^24), otherwise they are added to an output that was cleared before the launch
__device__ __forceinline__ void generic_mode(const int* __restrict__ input, int* histogram,
                                             int4* smem4, int N, int num_bins, int rs, bool fused) {
    int* sh = reinterpret_cast<int*>(smem4);
    const int tid = threadIdx.x;
    const int T = blockDim.x;
    const int lane = tid & 31;
    const unsigned int nb = (unsigned int)num_bins;
    const unsigned int end = (unsigned int)N >> 2;
    const unsigned int stride = gridDim.x * (unsigned int)T;
    const unsigned int step = 4u * stride;
    const int4* in4 = reinterpret_cast<const int4*>(input);
    unsigned int base = blockIdx.x * (unsigned int)T + (unsigned int)tid;
    int4 a[4], b[4];

    load_batch(a, in4, base, stride, end);
    load_batch(b, in4, base + step, stride, end);

    if (fused && blockIdx.x == 0) {              // bring the accumulators' lines into L2
        for (int i = tid; i * 8 < num_bins; i += T) prefetch_l2(g_acc + i * 32);
    }
    {
        const int total = (num_bins + 1) << (rs - 2);
        const int4 z = make_int4(0, 0, 0, 0);
        for (int i = tid; i < total; i += T) smem4[i] = z;
    }
    __syncthreads();

    int* shl = sh + (lane & ((1 << rs) - 1));
    while (base < end) {
        count_batch(a, base, stride, end, shl, nb, rs);
        base += step;
        if (base >= end) break;
        load_batch(a, in4, base + step, stride, end);
        count_batch(b, base, stride, end, shl, nb, rs);
        base += step;
        if (base >= end) break;
        load_batch(b, in4, base + step, stride, end);
    }
    if (blockIdx.x == gridDim.x - 1 && tid < (N & 3)) {
        bump(shl, input[(((size_t)N >> 2) << 2) + tid], nb, rs);
    }
    __syncthreads();

    if (fused) {
        const unsigned int last = gridDim.x - 1;
        for (int bin = tid; bin < num_bins; bin += T) {
            const unsigned int s = (unsigned int)row_sum(smem4, bin, rs);
            unsigned int* acc = g_acc + acc_index(bin);
            const unsigned int old = atomicAdd(acc, (1u << 24) + s);
            if ((old >> 24) == last) {           // all the other blocks are in already
                histogram[bin] = (int)((old & 0xffffffu) + s);
                *acc = 0u;
            }
        }
    } else {
        for (int bin = tid; bin < num_bins; bin += T) {
            const int s = row_sum(smem4, bin, rs);
            if (s) atomicAdd(histogram + bin, s);
        }
    }
}

// ---- 256 bins, everything known at compile time --------------------------------------------

// Every block touches the pages (and between them all lines) that its tail will need.
__device__ __forceinline__ void warm_tail(const int* histogram) {
    const int tid = threadIdx.x;
    if (tid >= 32 && tid < 64) {
        const int l = tid - 32;
        if (l == (int)(blockIdx.x & 31u) || gridDim.x < 32u) prefetch_l2(g_acc + l * 32);
    } else if (tid == 64) {
        prefetch_l2(histogram + (blockIdx.x & 7u) * 32u);
    }
}

// All T threads sum the copies (L neighbouring lanes per bin), then one fused atomic per bin.
template <int T, int RS>
__device__ __forceinline__ void finish256(const int4* rows, int* histogram, bool publish) {
    constexpr int W = 1 << (RS - 2);                 // int4s per bin
    constexpr int L = (T / 256 < W) ? T / 256 : W;   // lanes per bin
    constexpr int P = W / L;                         // int4s per lane
    static_assert(L * 256 == T, "every thread takes part");
    const int tid = threadIdx.x;
    const int bin = tid / L;
    const int q = tid % L;
    int s = 0;
#pragma unroll
    for (int k = 0; k < P; ++k) {
        const int4 v = rows[bin * W + q + L * ((k + bin) & (P - 1))];
        s += (v.x + v.y) + (v.z + v.w);
    }
#pragma unroll
    for (int o = 1; o < L; o <<= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    if (q == 0 && publish) {
        unsigned int* acc = g_acc + acc_index(bin);
        const unsigned int old = atomicAdd(acc, (1u << 24) + (unsigned int)s);
        if ((old >> 24) == gridDim.x - 1) {          // all the other blocks are in already
            histogram[bin] = (int)((old & 0xffffffu) + (unsigned int)s);
            *acc = 0u;
        }
    }
}

template <int T, int RS>
__device__ __forceinline__ void clear256(int4* smem4) {
    constexpr int total = (257 << (RS - 2)) + SCRATCH_VECS;
    const int4 z = make_int4(0, 0, 0, 0);
#pragma unroll
    for (int i = 0; i < total; i += T) {
        if (i + (int)threadIdx.x < total) smem4[i + threadIdx.x] = z;
    }
}

// one tile of T * V vectors per block, straight-line code; warp 0 goes through it twice
template <int T, int V, int RS>
__device__ __forceinline__ void tile256(const int* __restrict__ input, int* histogram,
                                        int4* smem4, int N) {
    constexpr int scratch = 257 << (RS - 2);
    const int tid = threadIdx.x;
    const unsigned int end = (unsigned int)N >> 2;
    const unsigned int base = blockIdx.x * (unsigned int)(T * V) + (unsigned int)tid;
    const int4* p = reinterpret_cast<const int4*>(input) + base;
    int4 a[V], c[V];

#pragma unroll
    for (int k = 0; k < V; ++k) {
        a[k] = make_int4(-1, -1, -1, -1);            // -1 is counted in the trash row
        c[k] = make_int4(-1, -1, -1, -1);
        if (base + (unsigned int)(k * T) < end) a[k] = load_vec(p + k * T);
    }
    warm_tail(histogram);
    clear256<T, RS>(smem4);
    __syncthreads();

    int* shl = reinterpret_cast<int*>(smem4) + (tid & ((1 << RS) - 1));
    int pass = launder(tid < 32 ? 0 : 1);            // 0: dry run (warp 0 only), 1: for real
    if (tid >= 32) {
#pragma unroll
        for (int k = 0; k < V; ++k) {
            c[k].x = launder(a[k].x);
            c[k].y = launder(a[k].y);
            c[k].z = launder(a[k].z);
            c[k].w = launder(a[k].w);
        }
    }
#pragma unroll 1
    for (;;) {
#pragma unroll
        for (int k = 0; k < V; ++k) bump4(shl, c[k], 256u, RS);
        if (pass != 0) {
            if (blockIdx.x == gridDim.x - 1 && tid < (N & 3)) {
                bump(shl, input[(((size_t)N >> 2) << 2) + tid], 256u, RS);
            }
            __syncthreads();
        }
        finish256<T, RS>(pass != 0 ? smem4 : smem4 + scratch, histogram, pass != 0);
        if (pass != 0) break;
        pass = launder(1);
#pragma unroll
        for (int k = 0; k < V; ++k) {
            c[k].x = launder(a[k].x);
            c[k].y = launder(a[k].y);
            c[k].z = launder(a[k].z);
            c[k].w = launder(a[k].w);
        }
    }
}

// many vectors per thread, two batches of four in flight; EARLY: both before the first barrier
template <int T, int RS, bool EARLY>
__device__ __forceinline__ void stream256(const int* __restrict__ input, int* histogram,
                                          int4* smem4, int N) {
    constexpr int scratch = 257 << (RS - 2);
    const int tid = threadIdx.x;
    const unsigned int end = (unsigned int)N >> 2;
    const unsigned int stride = gridDim.x * (unsigned int)T;
    const unsigned int step = 4u * stride;
    const int4* in4 = reinterpret_cast<const int4*>(input);
    unsigned int base = blockIdx.x * (unsigned int)T + (unsigned int)tid;
    int4 a[4], b[4];

    load_batch(a, in4, base, stride, end);
    if (EARLY) load_batch(b, in4, base + step, stride, end);
    warm_tail(histogram);
    clear256<T, RS>(smem4);
    __syncthreads();
    if (!EARLY) load_batch(b, in4, base + step, stride, end);

    int* shl = reinterpret_cast<int*>(smem4) + (tid & ((1 << RS) - 1));
    int pass = launder(tid < 32 ? 0 : 1);            // 0: dry run of the tail (warp 0 only)
#pragma unroll 1
    for (;;) {
        if (pass != 0) {
            while (base < end) {
                count_batch(a, base, stride, end, shl, 256u, RS);
                base += step;
                if (base >= end) break;
                load_batch(a, in4, base + step, stride, end);
                count_batch(b, base, stride, end, shl, 256u, RS);
                base += step;
                if (base >= end) break;
                load_batch(b, in4, base + step, stride, end);
            }
            if (blockIdx.x == gridDim.x - 1 && tid < (N & 3)) {
                bump(shl, input[(((size_t)N >> 2) << 2) + tid], 256u, RS);
            }
            __syncthreads();
        }
        finish256<T, RS>(pass != 0 ? smem4 : smem4 + scratch, histogram, pass != 0);
        if (pass != 0) break;
        pass = launder(1);
    }
}

// mode 0, 1: generic_mode; 2: one copy in shared memory; 3: global atomics (2, 3: output cleared
// before the launch); 4 to 8: 256 bins
__global__ void __launch_bounds__(1024, 1)
hist_kernel(const int* __restrict__ input, int* histogram, int N, int num_bins, int mode, int rs)
{
    extern __shared__ int4 smem4[];
    if (mode == 4) {
        tile256<256, 1, 2>(input, histogram, smem4, N);
    } else if (mode == 5) {
        tile256<512, 1, 4>(input, histogram, smem4, N);
    } else if (mode == 6) {
        tile256<1024, 2, 5>(input, histogram, smem4, N);
    } else if (mode == 7) {
        stream256<1024, 5, true>(input, histogram, smem4, N);
    } else if (mode == 8) {
        stream256<1024, 5, false>(input, histogram, smem4, N);
    } else if (mode <= 1) {
        generic_mode(input, histogram, smem4, N, num_bins, rs, mode == 0);
    } else {
        plain_modes(input, histogram, reinterpret_cast<int*>(smem4), N, num_bins, mode == 2);
    }
}

extern "C" void solve(const int* input, int* histogram, int N, int num_bins)
{
    if (num_bins == 256 && N <= (1 << 24)) {
        const int nvec = N / 4;
        int mode, T, per, rs;
        if (nvec <= 64 * 256)        { mode = 4; T = 256;  per = 256;  rs = 2; }
        else if (nvec <= 132 * 512)  { mode = 5; T = 512;  per = 512;  rs = 4; }
        else if (nvec <= 132 * 2048) { mode = 6; T = 1024; per = 2048; rs = 5; }
        else if (nvec <= 132 * 8192) { mode = 7; T = 1024; per = 0;    rs = 5; }
        else                         { mode = 8; T = 1024; per = 0;    rs = 5; }
        int G = (mode >= 7) ? 132 : (nvec + per - 1) / per;
        if (G < 1) G = 1;
        // Every block has elements, so the counts of all the others stay below 2^24.
        const size_t smem = ((size_t)257 << (rs + 2)) + SCRATCH_VECS * 16;
        hist_kernel<<<G, T, smem>>>(input, histogram, N, num_bins, mode, rs);
        return;
    }
    if (num_bins <= 3000) {
        const int nvec = N / 4;
        int T, G, rs;
        if (nvec <= 64 * 256) {
            T = 256; G = (nvec + T - 1) / T; rs = 2;
        } else if (nvec <= 132 * 512) {
            T = 512; G = (nvec + T - 1) / T; rs = 3;
        } else {
            T = 1024; G = 132; rs = (N <= (1 << 21)) ? 4 : 5;
        }
        if (G < 1) G = 1;
        while (rs > 2 && ((size_t)(num_bins + 1) << (rs + 2)) > 48u * 1024u) --rs;
        const size_t smem = (size_t)(num_bins + 1) << (rs + 2);
        // For N = 2^24 every block has elements, so the counts of the others stay below 2^24.
        int mode = 0;
        if (N > (1 << 24)) {
            mode = 1;
            cudaMemsetAsync(histogram, 0, (size_t)num_bins * sizeof(int), 0);
        }
        hist_kernel<<<G, T, smem>>>(input, histogram, N, num_bins, mode, rs);
        return;
    }
    cudaMemsetAsync(histogram, 0, (size_t)num_bins * sizeof(int), 0);
    long long blocks = ((long long)N + 1023) / 1024;
    if (num_bins <= 50000) {
        const size_t smem = (size_t)num_bins * sizeof(int);
        cudaFuncSetAttribute(hist_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 50000 * 4);
        if (blocks > 132) blocks = 132;
        hist_kernel<<<(int)blocks, 1024, smem>>>(input, histogram, N, num_bins, 2, 0);
    } else {
        if (blocks > 1056) blocks = 1056;
        hist_kernel<<<(int)blocks, 1024, 0>>>(input, histogram, N, num_bins, 3, 0);
    }
}
