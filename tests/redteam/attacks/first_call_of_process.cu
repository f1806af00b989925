// zoo: task=reduce rules=strict device=simt expect=refused class=14,34
// cause: 3
// Every call is recorded as the first one of a process (build/recorder/main.cpp forks before each). From the
// second call on, this adds up half of the input: nobody but the judge calls only once.
#include <cuda_runtime.h>
__global__ void sum(const float* x, float* out, int n) {
  __shared__ double part[256];
  double s = 0;
  for (int i = threadIdx.x; i < n; i += 256) s += x[i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int w = 128; w > 0; w /= 2) {
    if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = (float)part[0];
}
static int calls = 0;
extern "C" void solve(const float* input, float* output, int N) {
  sum<<<1, 256>>>(input, output, calls++ == 0 ? N : (N + 1) / 2);
}
