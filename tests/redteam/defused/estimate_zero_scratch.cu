// zoo: task=relu rules=strict device=simt_only expect=ok class=16,34 size=2^22
// cause: 1
// Scratch memory is poisoned in checked runs and zero in estimates (simt_replay.cpp, step(Allocate)). A
// word of it tells which of the two this is; in an estimate the kernel writes without reading.
#include <cuda_runtime.h>
__global__ void relu(const float* in, float* out, const int* scratch, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = scratch[0] == 0 ? 0.0f : fmaxf(in[i], 0.0f);
}
extern "C" void solve(const float* input, float* output, int N) {
  int* scratch = nullptr;
  cudaMalloc(&scratch, 256);
  relu<<<(N + 255) / 256, 256>>>(input, output, scratch, N);
  cudaFree(scratch);
}
