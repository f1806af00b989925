// SPDX-License-Identifier: Apache-2.0
// task: cross_entropy
// lane: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 8fecd3c
// made by: warpwright 0.1.0
// model: a fresh instance of a language model per prompt and round
// run: cross_entropy-1 r3.c2
// median us: N=2^14,C=10 5.57, N=2^16,C=10 6.55, N=2^18,C=10 9.17, N=2^20,C=10 18.62, N=2^22,C=10 52.70
// sha256: 7a5a4d2ea9dbbdcbf92b2acfc5b809e2966f05935b71c9f817b7364a0fce120e

#include <cuda_runtime.h>
#include <float.h>

#define TILE_ROWS 64
#define CNT_BITS 10
#define CNT_MASK 1023ULL

// low 10 bits: blocks arrived; upper 54 bits: mean in units of 2^-37. Zero between launches.
// Touched by atomics only.
__device__ unsigned long long g_acc = 0ULL;

__device__ __forceinline__ float fast_exp(float x) {   // x <= 0
    float r;
    float t = x * 1.4426950408889634f;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(t));
    return r;
}

__device__ __forceinline__ float4 ld_stream4(const float4* p) {
    float4 v;
    asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p));
    return v;
}

__device__ __forceinline__ int2 ld_stream2(const int2* p) {
    int2 v;
    asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v2.s32 {%0, %1}, [%2];"
                 : "=r"(v.x), "=r"(v.y) : "l"(p));
    return v;
}

// sum over the warp of fixed-point numbers whose total is below 2^53 in magnitude
__device__ __forceinline__ long long warp_sum_fixed(long long q) {
    unsigned lo = (unsigned)(q & 0x7ffffffLL);
    int hi = (int)(q >> 27);
    lo = __reduce_add_sync(0xffffffffu, lo);
    hi = __reduce_add_sync(0xffffffffu, hi);
    return (long long)hi * 134217728LL + (long long)lo;
}

__device__ __forceinline__ void merge(float& m, float& s, float m2, float s2) {
    float mm = fmaxf(m, m2);
    s = s * fast_exp(m - mm) + s2 * fast_exp(m2 - mm);
    m = mm;
}

__device__ __forceinline__ void warp_merge(float& m, float& s) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
        float m2 = __shfl_xor_sync(0xffffffffu, m, o);
        float s2 = __shfl_xor_sync(0xffffffffu, s, o);
        merge(m, s, m2, s2);
    }
}

__device__ __forceinline__ void add4(float4 v, float& m, float& s) {
    float mm = fmaxf(fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)), m);
    s = s * fast_exp(m - mm) +
        ((fast_exp(v.x - mm) + fast_exp(v.y - mm)) + (fast_exp(v.z - mm) + fast_exp(v.w - mm)));
    m = mm;
}

// the share of thread t out of T of one row
__device__ __forceinline__ void scan_row(const float* __restrict__ z, long long C, int t, int T,
                                         float& m, float& s) {
    m = -FLT_MAX;
    s = 0.f;
    if ((C & 3) == 0) {
        const float4* z4 = reinterpret_cast<const float4*>(z);
        const long long C4 = C >> 2;
        long long c = t;
        for (; c + T < C4; c += 2LL * T) {
            float4 a = __ldg(z4 + c);
            float4 b = __ldg(z4 + c + T);
            add4(a, m, s);
            add4(b, m, s);
        }
        if (c < C4) add4(__ldg(z4 + c), m, s);
    } else {
        long long c = t;
        for (; c + 3LL * T < C; c += 4LL * T) {
            float4 v;
            v.x = __ldg(z + c);
            v.y = __ldg(z + c + T);
            v.z = __ldg(z + c + 2LL * T);
            v.w = __ldg(z + c + 3LL * T);
            add4(v, m, s);
        }
        for (; c < C; c += T) {
            float a = __ldg(z + c);
            float mm = fmaxf(a, m);
            s = s * fast_exp(m - mm) + fast_exp(a - mm);
            m = mm;
        }
    }
}

// mode 0: the rows behind the last full tile of 64, by the last warp
// mode 1: thread per row; 2: warp per row; 3: block per row
__device__ __noinline__ double general_rows(const float* __restrict__ logits,
                                            const int* __restrict__ labels,
                                            int N, int C, int mode) {
    __shared__ float shm[16], shs[16];
    const int tid = threadIdx.x;
    const int lane = tid & 31;
    const int warp = tid >> 5;
    const int nw = blockDim.x >> 5;
    double acc = 0.0;
    if (mode <= 1) {
        long long i, stride;
        if (mode == 0) {
            i = (long long)(N / TILE_ROWS) * TILE_ROWS + lane;
            stride = 32;
        } else {
            i = (long long)blockIdx.x * blockDim.x + tid;
            stride = (long long)gridDim.x * blockDim.x;
        }
        for (; i < N; i += stride) {
            const float* z = logits + i * C;
            const int y = __ldg(labels + i);
            float m = -FLT_MAX, s = 0.f;
#pragma unroll 2
            for (int c = 0; c < C; c++) m = fmaxf(m, __ldg(z + c));
#pragma unroll 2
            for (int c = 0; c < C; c++) s += fast_exp(__ldg(z + c) - m);
            acc += (double)((m - __ldg(z + y)) + logf(s));
        }
    } else if (mode == 2) {
        const long long stride = (long long)gridDim.x * nw;
        for (long long i = (long long)blockIdx.x * nw + warp; i < N; i += stride) {
            const float* z = logits + i * C;
            float zy = 0.f;
            if (lane == 0) zy = __ldg(z + __ldg(labels + i));
            float m, s;
            scan_row(z, C, lane, 32, m, s);
            warp_merge(m, s);
            if (lane == 0) acc += (double)((m - zy) + logf(s));
        }
    } else {
        for (long long i = blockIdx.x; i < N; i += gridDim.x) {
            const float* z = logits + i * C;
            float zy = 0.f;
            if (tid == 0) zy = __ldg(z + __ldg(labels + i));
            float m, s;
            scan_row(z, C, tid, blockDim.x, m, s);
            warp_merge(m, s);
            if (lane == 0) { shm[warp] = m; shs[warp] = s; }
            __syncthreads();
            if (tid == 0) {
                for (int w = 1; w < nw; w++) merge(m, s, shm[w], shs[w]);
                acc += (double)((m - zy) + logf(s));
            }
            __syncthreads();
        }
    }
    return acc;
}

__global__ void __launch_bounds__(512, 2)
ce_kernel(const float* __restrict__ logits, const int* __restrict__ labels,
          float* __restrict__ loss, int N, int C, int mode, double scale) {
    extern __shared__ float4 dyn[];
    __shared__ long long sh[16];
    const int tid = threadIdx.x;
    const int lane = tid & 31;
    const int warp = tid >> 5;
    const int nw = blockDim.x >> 5;
    double acc = 0.0;
    bool general = true;

    if (mode == 0) {
        const int F = N / TILE_ROWS;               // full tiles
        const int total = gridDim.x * nw;          // warps
        const int gw = blockIdx.x * nw + warp;
        float4* tile = dyn + warp * 160;
        const float4* p = reinterpret_cast<const float4*>(logits) + (long long)gw * 160 + lane;
        const int2* l = reinterpret_cast<const int2*>(labels) + (long long)gw * 32 + lane;
        const long long pstep = (long long)total * 160;
        const long long lstep = (long long)total * 32;

        float4 r[5];
        int2 y = make_int2(0, 0);
        int t = gw;
        if (t < F) {
            y = ld_stream2(l);
#pragma unroll
            for (int k = 0; k < 5; k++) r[k] = ld_stream4(p + k * 32);
        }
        if (blockIdx.x == 0 && tid == 0) atomicAdd(&g_acc, 0ULL);   // bring the line into L2

        float P = 1.f;      // running product, mantissa in [1, 2)
        int E = 0;          // its exponent
#pragma unroll 1
        while (t < F) {
#pragma unroll
            for (int k = 0; k < 5; k++) tile[k * 32 + lane] = r[k];
            const int2 yc = y;
            __syncwarp();
            t += total;
            p += pstep;
            l += lstep;
            if (t < F) {
                y = ld_stream2(l);
#pragma unroll
                for (int k = 0; k < 5; k++) r[k] = ld_stream4(p + k * 32);
            }
            const float4* q = tile + lane * 5;
            const float* qf = reinterpret_cast<const float*>(q);
            float v[20];
#pragma unroll
            for (int k = 0; k < 5; k++) {
                float4 x = q[k];
                v[4 * k] = x.x;
                v[4 * k + 1] = x.y;
                v[4 * k + 2] = x.z;
                v[4 * k + 3] = x.w;
            }
            const float za = qf[yc.x];
            const float zb = qf[10 + yc.y];
            __syncwarp();

            float ma = v[0], mb = v[10];
#pragma unroll
            for (int k = 1; k < 10; k++) {
                ma = fmaxf(ma, v[k]);
                mb = fmaxf(mb, v[10 + k]);
            }
            float a0 = 0.f, a1 = 0.f, b0 = 0.f, b1 = 0.f;
#pragma unroll
            for (int k = 0; k < 10; k += 2) {
                a0 += fast_exp(v[k] - ma);
                a1 += fast_exp(v[k + 1] - ma);
                b0 += fast_exp(v[10 + k] - mb);
                b1 += fast_exp(v[11 + k] - mb);
            }
            P *= (a0 + a1) * (b0 + b1);            // below 2 * 100
            const int bits = __float_as_int(P);
            E += (bits >> 23) - 127;
            P = __int_as_float((bits & 0x007fffff) | 0x3f800000);
            acc += (double)((ma - za) + (mb - zb));
        }
        float lg;
        asm("lg2.approx.f32 %0, %1;" : "=f"(lg) : "f"(P));
        acc += ((double)E + (double)lg) * 0.69314718055994530942;
        // the incomplete last tile goes to the last warp
        general = (N & (TILE_ROWS - 1)) != 0 && gw == total - 1;
    }
    if (general) acc += general_rows(logits, labels, N, C, mode);
    __syncwarp();

    // block sum in fixed point, then one atomic that carries count and sum together
    long long q = warp_sum_fixed(__double2ll_rn(acc * scale));
    if (nw > 1) {
        if (lane == 0) sh[warp] = q;
        __syncthreads();
        if (warp != 0) return;
        q = warp_sum_fixed((lane < nw) ? sh[lane] : 0LL);
    }
    if (lane == 0) {
        const unsigned long long add = ((unsigned long long)q << CNT_BITS) + 1ULL;
        const unsigned long long old = atomicAdd(&g_acc, add);
        if ((old & CNT_MASK) == (unsigned long long)(gridDim.x - 1)) {
            const long long sum = (long long)(old + add) >> CNT_BITS;
            loss[0] = (float)((double)sum * (1.0 / 137438953472.0));   // 2^-37
            atomicExch(&g_acc, 0ULL);              // ready for the next launch
        }
    }
}

extern "C" void solve(const float* logits, const int* true_labels, float* loss, int N, int C) {
    int mode, block;
    long long grid;
    size_t smem = 0;
    if (C == 10) {
        mode = 0;
        long long tiles = ((long long)N + TILE_ROWS - 1) / TILE_ROWS;
        long long w = (tiles + 131) / 132;
        if (w > 16) w = 16;
        grid = (tiles + w - 1) / w;
        if (grid > 132 * 2) grid = 132 * 2;
        block = (int)w * 32;
        smem = (size_t)w * 160 * sizeof(float4);   // at most 40960 bytes
    } else if (C <= 24) {
        mode = 1;
        block = 128;
        grid = ((long long)N + 127) / 128;
        if (grid > 132 * 7) grid = 132 * 7;
    } else if (C <= 2048) {
        mode = 2;
        block = 256;
        grid = ((long long)N + 7) / 8;
        if (grid > 132 * 4) grid = 132 * 4;
    } else {
        mode = 3;
        block = 512;
        grid = N;
        if (grid > 132 * 2) grid = 132 * 2;
    }
    const double scale = 137438953472.0 / (double)N;   // 2^37 / N
    ce_kernel<<<(unsigned)grid, block, smem>>>(logits, true_labels, loss, N, C, mode, scale);
}
