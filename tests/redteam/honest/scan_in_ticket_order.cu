// zoo: task=scan rules=strict device=simt expect=ok class=honest
// cause: 4
// Blocks take their numbers from a ticket, so each one's predecessor has begun; it waits for that one's flag,
// raised behind a fence. Right in every order.
#include <cuda_runtime.h>
__global__ void scan(const float* in, float* out, double* sums, int* state, int n) {
  __shared__ int number;
  __shared__ double part[256];
  __shared__ double before;
  if (threadIdx.x == 0) number = atomicAdd(&state[0], 1);
  __syncthreads();
  const int i = number * 256 + threadIdx.x;
  part[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    const double left = threadIdx.x >= d ? part[threadIdx.x - d] : 0;
    __syncthreads();
    part[threadIdx.x] += left;
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    before = 0;
    if (number > 0) {
      while (atomicAdd(&state[number], 0) == 0) {
      }
      __threadfence();
      before = ((volatile double*)sums)[number - 1];
    }
    ((volatile double*)sums)[number] = before + part[255];
    __threadfence();
    atomicExch(&state[number + 1], 1);
  }
  __syncthreads();
  if (i < n) out[i] = (float)(before + part[threadIdx.x]);
}
extern "C" void solve(const float* input, float* output, int N) {
  const int blocks = (N + 255) / 256;
  double* sums = nullptr;
  int* state = nullptr;
  cudaMalloc(&sums, blocks * sizeof(double));
  cudaMalloc(&state, (blocks + 1) * sizeof(int));
  cudaMemsetAsync(state, 0, (blocks + 1) * sizeof(int));
  scan<<<blocks, 256>>>(input, output, sums, state, N);
  cudaFree(sums);
  cudaFree(state);
}
