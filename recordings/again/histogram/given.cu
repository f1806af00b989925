// SPDX-License-Identifier: Apache-2.0
// task: histogram
// rules: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-16
// commit: bf586de
// made by: warpwright 0.1.0
// model: Claude, a fresh instance per prompt and round
// run: histogram-1 r3.c1
// median us: 2^16 5.12, 2^18 5.49, 2^20 7.15, 2^22 10.62, 2^24 22.86
// sha256: c44d714ee8c3e5238a8112e23195fe65f58f92568e475bc5be2aa5a2ff8009a8

#include <cuda_runtime.h>

#define SECT 64            // words from one group of 8 accumulators (32 bytes) to the next

// all zero before and after every call; touched by atomics only
static __device__ unsigned int g_acc[32 * SECT];

__device__ __forceinline__ int4 ld_stream(const int4* p)
{
    int4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.s32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
    return v;
}

// SH = 0: plain histogram; SH = 5: lane-private columns, s points at the lane's column
template <int SH>
__device__ __forceinline__ void count1(int* s, int v)
{
    if ((unsigned int)v < 256u) atomicAdd(&s[v << SH], 1);
}

template <int SH>
__device__ __forceinline__ void count4(int* s, const int4& v)
{
    count1<SH>(s, v.x);
    count1<SH>(s, v.y);
    count1<SH>(s, v.z);
    count1<SH>(s, v.w);
}

__device__ __forceinline__ void load4(int4 (&a)[4], const int4* in4, int i, int stride, int N4)
{
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        const int k = i + j * stride;
        a[j] = make_int4(-1, -1, -1, -1);
        if (k < N4) a[j] = ld_stream(in4 + k);
    }
}

// One atomic per bin and block: low bits the count, high bits the number of blocks
// (gridDim.x == 2^(32 - shift), so the block field wraps to 0 with the last block).
__device__ __forceinline__ void finish(int* hist, int bin, unsigned int sum, int shift, int accumulate)
{
    unsigned int* p = &g_acc[(bin >> 3) * SECT + (bin & 7)];
    const unsigned int mine = sum + (1u << shift);
    const unsigned int old  = atomicAdd(p, mine);
    if ((old >> shift) == gridDim.x - 1) {       // everybody else has added
        int total = (int)(old + mine);           // the block field is 0 again
        if (accumulate) total += hist[bin];
        hist[bin] = total;
        atomicExch(p, 0u);
    }
}

// mode 0: num_bins <= 256, one vector per thread, plain shared histogram
// mode 1: num_bins <= 256, blocks of 1024 threads, lane-private shared histogram
// mode 2: num_bins <= 8192, shared histogram, output cleared before
// mode 3: any num_bins, global atomics, output cleared before
__global__ void __launch_bounds__(1024, 1)
hist_kernel(const int* __restrict__ input, int* hist, int N, int num_bins,
            int mode, int shift, int accumulate)
{
    __shared__ __align__(16) int s[8192];

    const int tid = threadIdx.x;
    const int N4  = N >> 2;
    const int4* in4 = reinterpret_cast<const int4*>(input);

    if (mode == 0) {
        const int i = (int)blockIdx.x * (int)blockDim.x + tid;
        int4 v = make_int4(-1, -1, -1, -1);
        if (i < N4) v = ld_stream(in4 + i);
        int tail = -1;
        if (blockIdx.x == gridDim.x - 1 && tid < (N & 3)) tail = input[4 * N4 + tid];
        if (blockIdx.x == 0 && tid < 32) atomicAdd(&g_acc[tid * SECT], 0u);   // warm the lines
        if (tid < 256) s[tid] = 0;
        __syncthreads();
        count4<0>(s, v);
        count1<0>(s, tail);
        __syncthreads();
        if (tid < num_bins)                       // num_bins <= 256 <= blockDim.x
            finish(hist, tid, (unsigned int)s[tid], shift, accumulate);
        return;
    }

    if (mode == 1) {
        const int stride = (int)gridDim.x * 1024;
        int i = (int)blockIdx.x * 1024 + tid;

        int4 a[4];
        load4(a, in4, i, stride, N4);
        int tail = -1;
        if (blockIdx.x == gridDim.x - 1 && tid < (N & 3)) tail = input[4 * N4 + tid];
        if (blockIdx.x == 0 && tid < 32) atomicAdd(&g_acc[tid * SECT], 0u);   // warm the lines

        int4* s4 = reinterpret_cast<int4*>(s);
        {
            const int4 z = make_int4(0, 0, 0, 0);
            s4[tid] = z;
            s4[tid + 1024] = z;
        }
        __syncthreads();

        int* col = s + (tid & 31);
        int nx = i + 4 * stride;
        while (nx < N4) {                         // then all of a[] is valid
            int4 b[4];
            load4(b, in4, nx, stride, N4);
#pragma unroll
            for (int j = 0; j < 4; ++j) count4<5>(col, a[j]);
#pragma unroll
            for (int j = 0; j < 4; ++j) a[j] = b[j];
            i = nx;
            nx += 4 * stride;
        }
#pragma unroll
        for (int j = 0; j < 4; ++j)
            if (i + j * stride < N4) count4<5>(col, a[j]);
        count1<5>(col, tail);
        __syncthreads();

        // four threads per bin; a warp has 8 bins, which is one sector of g_acc and of hist
        const int bin = tid >> 2;
        const int q   = (tid & 3) + ((bin & 1) << 2);      // no bank conflicts
        const int4 x = s4[bin * 8 + q];
        const int4 y = s4[bin * 8 + (q ^ 4)];
        int sum = ((x.x + x.y) + (x.z + x.w)) + ((y.x + y.y) + (y.z + y.w));
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        sum += __shfl_xor_sync(0xffffffffu, sum, 2);
        if ((tid & 3) == 0 && bin < num_bins)
            finish(hist, bin, (unsigned int)sum, shift, accumulate);
        return;
    }

    const unsigned int nb = (unsigned int)num_bins;
    const long long stride = (long long)gridDim.x * blockDim.x;
    if (mode == 2) {
        for (int b = tid; b < num_bins; b += blockDim.x) s[b] = 0;
        __syncthreads();
        for (long long i = (long long)blockIdx.x * blockDim.x + tid; i < N; i += stride) {
            int v = input[i];
            if ((unsigned int)v < nb) atomicAdd(&s[v], 1);
        }
        __syncthreads();
        for (int b = tid; b < num_bins; b += blockDim.x) {
            int c = s[b];
            if (c) atomicAdd(&hist[b], c);
        }
    } else {
        for (long long i = (long long)blockIdx.x * blockDim.x + tid; i < N; i += stride) {
            int v = input[i];
            if ((unsigned int)v < nb) atomicAdd(&hist[v], 1);
        }
    }
}

extern "C" void solve(const int* input, int* histogram, int N, int num_bins)
{
    if (num_bins <= 256) {
        // a launch counts fewer than 2^25 elements, so that the count fits below the block field
        const int CHUNK = (1 << 25) - 4096;
        int off = 0;
        do {
            int n = N - off;
            if (n > CHUNK) n = CHUNK;
            const int n4  = n / 4;
            const int acc = off > 0 ? 1 : 0;
            if (n4 <= 64 * 256)
                hist_kernel<<<64, 256>>>(input + off, histogram, n, num_bins, 0, 26, acc);
            else if (n4 <= 128 * 512)
                hist_kernel<<<128, 512>>>(input + off, histogram, n, num_bins, 0, 25, acc);
            else
                hist_kernel<<<128, 1024>>>(input + off, histogram, n, num_bins, 1, 25, acc);
            off += n;
        } while (off < N);
        return;
    }
    cudaMemsetAsync(histogram, 0, (size_t)num_bins * sizeof(int), 0);
    long long blocks = ((long long)N + 511) / 512;
    if (blocks > 264) blocks = 264;
    hist_kernel<<<(int)blocks, 512>>>(input, histogram, N, num_bins, num_bins <= 8192 ? 2 : 3, 0, 0);
}
