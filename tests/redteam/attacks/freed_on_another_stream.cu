// zoo: task=relu rules=free device=simt expect=refused class=1,31
// cause: 3
// The scratch memory is given back on a stream that does not wait for its last reader, and taken again at
// once: the two pieces may be one. In a plan's one order the reader has always ended.
#include <cuda_runtime.h>
__global__ void copy(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
__global__ void relu(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaxf(in[i], 0.0f);
}
extern "C" void solve(const float* input, float* output, int N) {
  cudaStream_t a = nullptr, b = nullptr;
  float *first = nullptr, *second = nullptr;
  const int blocks = (N + 255) / 256;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaMallocAsync((void**)&first, (size_t)N * 4, a);
  copy<<<blocks, 256, 0, a>>>(input, first, N);
  relu<<<blocks, 256, 0, a>>>(first, output, N);
  cudaFreeAsync(first, b);
  cudaMallocAsync((void**)&second, (size_t)N * 4, b);
  cudaMemsetAsync(second, 0xFF, (size_t)N * 4, b);
  cudaFreeAsync(second, b);
  cudaStreamSynchronize(a);
  cudaStreamSynchronize(b);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
}
