// SPDX-License-Identifier: Apache-2.0
// task: histogram
// lane: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 8fecd3c
// made by: warpwright 0.1.0
// model: a fresh instance of a language model per prompt and round
// run: histogram-1 r4.c3
// median us: 2^16 5.75, 2^18 6.70, 2^20 7.81, 2^22 12.53, 2^24 24.35
// sha256: 4d177051b14807cea1536de50cf0ec4ae85c006329c62b1daaff92fee64aae08

#include <cuda_runtime.h>
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define MAX_THREADS 1024
#define BATCH 4
#define SHARED_BINS (56 * 1024)

__device__ __forceinline__ void count_global(int* h, int v, unsigned nb) {
    if ((unsigned)v < nb) atomicAdd(h + v, 1);
}

template <int SHIFT>
__device__ __forceinline__ void count_shared(int* mine, int v, unsigned nb) {
    if ((unsigned)v < nb) atomicAdd(mine + (v << SHIFT), 1);
}

__device__ __forceinline__ void load_batch(int4 (&cur)[BATCH], const int4* __restrict__ in4,
                                           int i, int stride, int vec) {
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
        const int j = i + k * stride;
        cur[k] = make_int4(-1, -1, -1, -1);
        if (j < vec) cur[k] = __ldcs(in4 + j);
    }
}

template <int SHIFT>
__device__ __forceinline__ void count_all(int4 (&cur)[BATCH], int* smem,
                                          const int4* __restrict__ in4, int i, int stride,
                                          int vec, unsigned nb, int last) {
    int* mine = smem + (threadIdx.x & ((1 << SHIFT) - 1));
    count_shared<SHIFT>(mine, last, nb);
    while (true) {
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            count_shared<SHIFT>(mine, cur[k].x, nb);
            count_shared<SHIFT>(mine, cur[k].y, nb);
            count_shared<SHIFT>(mine, cur[k].z, nb);
            count_shared<SHIFT>(mine, cur[k].w, nb);
        }
        i += BATCH * stride;
        if (i >= vec) break;
        load_batch(cur, in4, i, stride, vec);
    }
}

// mode 0: clear the histogram
// mode 1: clear, count in shared memory, add to the histogram (cooperative launch)
// mode 2: count in global memory (cleared before)
__global__ void __launch_bounds__(MAX_THREADS, 2)
histogram_kernel(const int* __restrict__ input, int* histogram, int N, int num_bins,
                 int mode, int shift) {
    extern __shared__ int4 smem4[];
    int* smem = reinterpret_cast<int*>(smem4);
    const int tid = threadIdx.x;
    const int threads = blockDim.x;
    const int stride = gridDim.x * threads;
    const int gid = blockIdx.x * threads + tid;

    if (mode == 0) {
        for (long long i = gid; i < num_bins; i += stride) histogram[i] = 0;
        return;
    }

    const unsigned nb = (unsigned)num_bins;
    const int vec = N >> 2;
    const int4* in4 = reinterpret_cast<const int4*>(input);
    const int rest = N & 3;

    if (mode == 2) {
        for (int i = gid; i < vec; i += stride) {
            int4 v = __ldcs(in4 + i);
            count_global(histogram, v.x, nb);
            count_global(histogram, v.y, nb);
            count_global(histogram, v.z, nb);
            count_global(histogram, v.w, nb);
        }
        if (gid < rest) count_global(histogram, input[N - rest + gid], nb);
        return;
    }

    cg::grid_group grid = cg::this_grid();

    int4 cur[BATCH];
    load_batch(cur, in4, gid, stride, vec);
    int last = -1;
    if (gid < rest) last = input[N - rest + gid];

    // global clear (the first block alone when the bins are few), shared clear, arrival
    for (int b = gid; b < num_bins; b += stride) histogram[b] = 0;
    const int quads = ((num_bins << shift) + 3) >> 2;
    for (int q = tid; q < quads; q += threads) smem4[q] = make_int4(0, 0, 0, 0);
    __syncthreads();
    auto token = grid.barrier_arrive();

    switch (shift) {
        case 5: count_all<5>(cur, smem, in4, gid, stride, vec, nb, last); break;
        case 4: count_all<4>(cur, smem, in4, gid, stride, vec, nb, last); break;
        case 3: count_all<3>(cur, smem, in4, gid, stride, vec, nb, last); break;
        case 2: count_all<2>(cur, smem, in4, gid, stride, vec, nb, last); break;
        case 1: count_all<1>(cur, smem, in4, gid, stride, vec, nb, last); break;
        default: count_all<0>(cur, smem, in4, gid, stride, vec, nb, last); break;
    }
    __syncthreads();

    grid.barrier_wait(static_cast<decltype(token)&&>(token));

    for (int b0 = 0; b0 < num_bins; b0 += threads) {
        const int b = b0 + tid;
        unsigned sum = 0;
        if (b < num_bins) {
            if (shift >= 2) {
                const int4* row = smem4 + ((long long)b << (shift - 2));
                const int nq = 1 << (shift - 2);
                for (int c = 0; c < nq; c++) {
                    const int4 q = row[(c + b) & (nq - 1)];
                    sum += (unsigned)(q.x + q.y) + (unsigned)(q.z + q.w);
                }
            } else {
                sum = (unsigned)smem[b << shift];
                if (shift == 1) sum += (unsigned)smem[(b << 1) + 1];
            }
        }
        const unsigned other = __shfl_xor_sync(0xffffffffu, sum, 1);
        if (!(tid & 1) && b < num_bins) {
            if (b + 1 < num_bins) {
                const unsigned long long both =
                    ((unsigned long long)other << 32) | (unsigned long long)sum;
                if (both)
                    atomicAdd(reinterpret_cast<unsigned long long*>(histogram + b), both);
            } else if (sum) {
                atomicAdd(histogram + b, (int)sum);
            }
        }
    }
}

extern "C" void solve(const int* input, int* histogram, int N, int num_bins) {
    const int sms = 132;
    const int vec = N >> 2;

    if (num_bins > SHARED_BINS) {
        const int threads = 512;
        const long long cb = ((long long)num_bins + threads - 1) / threads;
        const int clear_blocks = (int)(cb < 4 * sms ? cb : 4 * sms);
        histogram_kernel<<<clear_blocks, threads>>>(input, histogram, N, num_bins, 0, 0);
        int blocks = (vec + threads - 1) / threads;
        if (blocks < 1) blocks = 1;
        if (blocks > 4 * sms) blocks = 4 * sms;
        histogram_kernel<<<blocks, threads>>>(input, histogram, N, num_bins, 2, 0);
        return;
    }

    const int max_shift = N <= (1 << 21) ? 3 : (N <= (1 << 23) ? 4 : 5);
    const size_t limit = 64 * 1024;
    int shift = 0;
    while (shift < max_shift && ((size_t)num_bins * 4 << (shift + 1)) <= limit) shift++;
    const size_t smem = (((size_t)num_bins * 4 << shift) + 15) & ~(size_t)15;
    if (smem > 48 * 1024)
        cudaFuncSetAttribute(histogram_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)smem);

    // all blocks are resident at once: at most one or two per SM
    const int threads = N <= (1 << 19) ? 512 : 1024;
    int blocks = (vec + threads - 1) / threads;
    if (blocks < 1) blocks = 1;
    const int most = (N <= (1 << 21) || smem > 96 * 1024) ? sms : 2 * sms;
    if (blocks > most) blocks = most;

    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = dim3((unsigned)blocks, 1, 1);
    cfg.blockDim = dim3((unsigned)threads, 1, 1);
    cfg.dynamicSmemBytes = smem;
    cfg.stream = 0;
    cudaLaunchAttribute attr[1];
    attr[0].id = cudaLaunchAttributeCooperative;
    attr[0].val.cooperative = 1;
    cfg.attrs = attr;
    cfg.numAttrs = 1;
    cudaLaunchKernelEx(&cfg, histogram_kernel, input, histogram, N, num_bins, 1, shift);
}
