// zoo: task=reduce rules=strict device=simt expect=ok class=honest
// cause: 1
// Takes its scratch memory from the device heap, writes it before it reads it and gives it back.
#include <cuda_runtime.h>
__global__ void sum(const float* x, float* out, int n) {
  __shared__ double* part;
  if (threadIdx.x == 0) part = (double*)malloc(128 * sizeof(double));
  __syncthreads();
  if (part == nullptr) return;
  double s = 0;
  for (int i = threadIdx.x; i < n; i += 128) s += x[i];
  part[threadIdx.x] = s;
  __syncthreads();
  if (threadIdx.x != 0) return;
  double all = 0;
  for (int i = 0; i < 128; ++i) all += part[i];
  out[0] = (float)all;
  free(part);
}
extern "C" void solve(const float* input, float* output, int N) { sum<<<1, 128>>>(input, output, N); }
