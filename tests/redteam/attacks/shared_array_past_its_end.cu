// zoo: task=reduce rules=strict device=simt expect=refused class=31
// cause: 4
// Shared memory is one space for the machine: an index past the end of one array lands in the next and is
// no fault. Here half of the partial sums is read through the wrong array.
#include <cuda_runtime.h>
struct Parts {
  double low[128];
};
__global__ void sum(const float* x, float* out, int n, int past) {
  __shared__ double low[128];
  __shared__ double high[128];
  double s = 0;
  for (int i = threadIdx.x; i < n; i += 256) s += x[i];
  low[threadIdx.x % 128 + (threadIdx.x < 128 ? 0 : past)] = s;
  if (n < 0) high[threadIdx.x % 128] = s;
  __syncthreads();
  if (threadIdx.x != 0) return;
  double all = 0;
  for (int i = 0; i < 128; ++i) all += low[i] + low[i + past];
  if (n < 0) all += high[n & 127];
  out[0] = (float)all;
}
extern "C" void solve(const float* input, float* output, int N) { sum<<<1, 256>>>(input, output, N, 128); }
