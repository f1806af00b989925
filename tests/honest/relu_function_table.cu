// zoo: task=relu rules=strict device=simt expect=ok class=honest
// Three ways to write it stand in a device table of function pointers; the element's number picks
// one, so lanes of a warp call different functions.
#include <cuda_runtime.h>

typedef float (*Clamp)(float);
__device__ __noinline__ float by_max(float x) { return fmaxf(x, 0.0f); }
__device__ __noinline__ float by_select(float x) { return x > 0.0f ? x : 0.0f; }
__device__ __noinline__ float by_sign(float x) { return signbit(x) ? 0.0f : x; }
__device__ const Clamp table[3] = {by_max, by_select, by_sign};

__global__ void relu(const float* in, float* out, int n, int shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[(i + shift) % 3](in[i]);
}

extern "C" void solve(const float* input, float* output, int N) {
  relu<<<(N + 127) / 128, 128>>>(input, output, N, N % 3);
}
