// zoo: task=reduce rules=free device=simt expect=ok class=honest
// Two kernels, the second launched early by programmatic stream serialisation: it starts while the
// first one still works, and waits where it needs what the first one wrote.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kBlocks = 128;

__device__ double block_sum(double value) {
  __shared__ double parts[kThreads / 32];
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(~0u, value, step);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  double sum = 0;
  if (threadIdx.x == 0) {
    for (double part : parts) sum += part;
  }
  return sum;
}

__global__ void partial_sums(const float* input, double* partial, int n) {
  cudaTriggerProgrammaticLaunchCompletion();
  double sum = 0;
  for (long long i = blockIdx.x * kThreads + threadIdx.x; i < n; i += kBlocks * kThreads) {
    sum += input[i];
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

__global__ void last_sum(const double* partial, float* output) {
  cudaGridDependencySynchronize();
  const double sum = block_sum(threadIdx.x < kBlocks ? partial[threadIdx.x] : 0);
  if (threadIdx.x == 0) *output = static_cast<float>(sum);
}

extern "C" void solve(const float* input, float* output, int N) {
  double* partial = nullptr;
  cudaMalloc(&partial, kBlocks * sizeof(double));
  partial_sums<<<kBlocks, kThreads>>>(input, partial, N);
  cudaLaunchAttribute early[1];
  early[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early[0].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(kThreads);
  config.attrs = early;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, last_sum, static_cast<const double*>(partial), output);
  cudaFree(partial);
}
