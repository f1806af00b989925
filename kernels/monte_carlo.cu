// SPDX-License-Identifier: Apache-2.0
// task: monte_carlo
// rules: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 8fecd3c
// made by: warpwright 0.1.0
// model: a fresh instance of a language model per prompt and round
// run: monte_carlo-1 r4.c2
// median us: 2^14 5.06, 2^16 5.23, 2^18 5.67, 2^20 6.98, 2^22 10.70
// sha256: 9614ca678d614387c464732d4c349e135d80c85f40308ca097ec4245a119ddaa

#include <cuda_runtime.h>

#define WORKERS 131                 // and one combining block: 132 SMs
#define PER_LANE 5                  // 32 * 5 >= WORKERS

// A signalling NaN: never the outcome of an addition, so an encoded value is never 0.
#define ENCODE 0x7FF0000000005A5AULL

// 0 means empty; every call finds and leaves all boxes empty.
__device__ unsigned long long g_box[32 * PER_LANE];

__device__ __forceinline__ unsigned long long box_load(const unsigned long long* p)
{
    unsigned long long v;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}

__device__ __forceinline__ void box_store(unsigned long long* p, unsigned long long v)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(p), "l"(v) : "memory");
}

__device__ __forceinline__ double quad(const float4 v)
{
    return (double)((v.x + v.y) + (v.z + v.w));
}

__device__ __forceinline__ double warp_sum(double v)
{
#pragma unroll
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

__device__ __forceinline__ float4 load_if(const float4* __restrict__ y4, int j, int end)
{
    float4 v = make_float4(0.f, 0.f, 0.f, 0.f);
    if (j < end) v = __ldcs(y4 + j);
    return v;
}

// workers > 0: blocks 0 .. workers-1 add one slice each, block `workers` combines.
// workers == 0: a single block does everything.   slice: float4 per block
__global__ void __launch_bounds__(1024)
mc_kernel(const float* __restrict__ y, float* __restrict__ result,
          double scale, int n, int slice, int workers)
{
    __shared__ double s_warp[32];
    const int tid = threadIdx.x;
    const int bd = blockDim.x;

    if (workers > 0 && (int)blockIdx.x == workers) {
        // the combining block: one warp polls
        if (tid >= 32) return;
        unsigned long long w[PER_LANE];
        bool missing;
        do {
            missing = false;
#pragma unroll
            for (int k = 0; k < PER_LANE; ++k) {
                const int j = tid + 32 * k;
                w[k] = ENCODE;                      // decodes to 0.0
                if (j < workers) w[k] = box_load(&g_box[j]);
            }
#pragma unroll
            for (int k = 0; k < PER_LANE; ++k) missing = missing || (w[k] == 0ULL);
        } while (missing);
        __syncwarp();

        double p[PER_LANE];
#pragma unroll
        for (int k = 0; k < PER_LANE; ++k)
            p[k] = __longlong_as_double((long long)(w[k] ^ ENCODE));
        const double s = warp_sum(((p[0] + p[1]) + (p[2] + p[3])) + p[4]);
        if (tid == 0) result[0] = (float)(s * scale);
#pragma unroll
        for (int k = 0; k < PER_LANE; ++k) {
            const int j = tid + 32 * k;
            if (j < workers) box_store(&g_box[j], 0ULL);
        }
        return;
    }

    const int n4 = n >> 2;
    const float4* __restrict__ y4 = reinterpret_cast<const float4*>(y);
    const int begin = blockIdx.x * slice;           // at most n4 + 131 * 8
    int end = begin + slice;
    if (end > n4) end = n4;
    const int first = begin + tid;

    double acc;
    if (slice <= 2 * bd) {
        const float4 v0 = load_if(y4, first, end);
        const float4 v1 = load_if(y4, first + bd, end);
        acc = quad(v0) + quad(v1);
    } else {
        acc = 0.0;
        for (int j = first; j < end; j += 8 * bd) {
            float4 v[8];
#pragma unroll
            for (int k = 0; k < 8; ++k) v[k] = load_if(y4, j + k * bd, end);
            const double d0 = (quad(v[0]) + quad(v[1])) + (quad(v[2]) + quad(v[3]));
            const double d1 = (quad(v[4]) + quad(v[5])) + (quad(v[6]) + quad(v[7]));
            acc += d0 + d1;
        }
    }
    if (blockIdx.x == 0 && tid < (n & 3))
        acc += (double)y[(n4 << 2) + tid];

    // sum over the block
    const int lane = tid & 31;
    const int nwarps = bd >> 5;
    acc = warp_sum(acc);
    if (lane == 0) s_warp[tid >> 5] = acc;
    __syncthreads();
    if (tid >= 32) return;
    acc = (lane < nwarps) ? s_warp[lane] : 0.0;
    if (nwarps > 8) {
        acc += __shfl_xor_sync(0xffffffffu, acc, 16);
        acc += __shfl_xor_sync(0xffffffffu, acc, 8);
    }
    acc += __shfl_xor_sync(0xffffffffu, acc, 4);
    acc += __shfl_xor_sync(0xffffffffu, acc, 2);
    acc += __shfl_xor_sync(0xffffffffu, acc, 1);

    if (lane == 0) {
        if (workers > 0)
            box_store(&g_box[blockIdx.x],
                      (unsigned long long)__double_as_longlong(acc) ^ ENCODE);
        else
            result[0] = (float)(acc * scale);
    }
}

extern "C" void solve(const float* y_samples, float* result, float a, float b, int n_samples)
{
    const double scale = ((double)b - (double)a) / (double)n_samples;
    const int n4 = n_samples >> 2;

    if (n4 <= 2048) {
        int threads = ((n4 + 1) / 2 + 31) / 32 * 32;
        if (threads < 32) threads = 32;
        mc_kernel<<<1, threads>>>(y_samples, result, scale, n_samples, n4, 0);
        return;
    }

    int workers = (n4 + 255) / 256;
    if (workers > WORKERS) workers = WORKERS;
    // equal slices, a multiple of one 128-byte line
    const int slice = ((n4 + workers - 1) / workers + 7) / 8 * 8;

    int threads;
    if (slice <= 512)       threads = (slice + 31) / 32 * 32;               // one load each
    else if (slice <= 2048) threads = ((slice + 1) / 2 + 31) / 32 * 32;     // two loads each
    else {
        threads = ((slice + 7) / 8 + 31) / 32 * 32;                         // eight in flight
        if (threads < 512) threads = 512;
        if (threads > 1024) threads = 1024;
    }
    mc_kernel<<<workers + 1, threads>>>(y_samples, result, scale, n_samples, slice, workers);
}
