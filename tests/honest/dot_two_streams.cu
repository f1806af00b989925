// zoo: task=dot rules=free device=simt expect=ok class=honest
// Two halves on two streams, joined by an event; partial sums by double atomics into memory that
// each stream clears for itself.
#include <cuda_runtime.h>

__global__ void part(const float* a, const float* b, double* sum, int first, int last) {
  __shared__ double cell;
  if (threadIdx.x == 0) cell = 0;
  __syncthreads();
  double v = 0;
  for (int i = first + blockIdx.x * blockDim.x + threadIdx.x; i < last;
       i += gridDim.x * blockDim.x)
    v += (double)__ldg(a + i) * __ldg(b + i);
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
  if ((threadIdx.x & 31) == 0) atomicAdd(&cell, v);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sum, cell);
}
__global__ void join(const double* sums, float* out) { *out = (float)(sums[0] + sums[1]); }

extern "C" void solve(const float* A, const float* B, float* result, int N) {
  cudaStream_t streams[2];
  cudaEvent_t done;
  double* sums;
  cudaMalloc(&sums, 2 * sizeof(double));
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  for (int s = 0; s < 2; ++s) {
    cudaStreamCreate(&streams[s]);
    const int first = s == 0 ? 0 : N / 2, last = s == 0 ? N / 2 : N;
    int blocks = (last - first + 1023) / 1024;
    blocks = blocks < 1 ? 1 : blocks > 32 ? 32 : blocks;
    cudaMemsetAsync(sums + s, 0, sizeof(double), streams[s]);
    part<<<blocks, 256, 0, streams[s]>>>(A, B, sums + s, first, last);
  }
  cudaEventRecord(done, streams[1]);
  cudaStreamWaitEvent(streams[0], done, 0);
  join<<<1, 1, 0, streams[0]>>>(sums, result);
  cudaStreamSynchronize(streams[0]);
  cudaEventDestroy(done);
  for (cudaStream_t s : streams) cudaStreamDestroy(s);
  cudaFree(sums);
}
