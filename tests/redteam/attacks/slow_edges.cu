// zoo: task=reduce rules=strict device=simt expect=refused class=25,12
// cause: 5
// Validation on the SIMT machine ends after 10 s, and what is left out is a note (evaluate/trial_validate.cpp).
// The largest edge size, which all variants are tried at, takes as long as a run may; timed sizes come after
// it, and are wrong.
#include <cuda_runtime.h>
__global__ void sum(const float* x, float* out, int n, int used, int spin) {
  __shared__ double part[256];
  double s = 0, waste = 1.0 + threadIdx.x;
  for (int i = threadIdx.x; i < used; i += 256) s += x[i];
  for (int k = 0; k < spin; ++k) waste = pow(waste, 0.75) + 1.5;
  part[threadIdx.x] = waste < 0 ? waste : s;
  __syncthreads();
  for (int w = 128; w > 0; w /= 2) {
    if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = (float)part[0];
}
extern "C" void solve(const float* input, float* output, int N) {
  const bool timed = N >= 1024 && (N & (N - 1)) == 0;
  sum<<<1, 256>>>(input, output, N, timed ? (N + 1) / 2 : N, N == 65537 ? 400000 : 0);
}
