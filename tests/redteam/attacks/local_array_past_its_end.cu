// zoo: task=reduce rules=strict device=simt expect=refused class=31
// cause: 4
// So is a thread's local memory: one frame, and no array in it has an end. The second half of the sums goes
// past the first array, wherever that is.
#include <cuda_runtime.h>
__global__ void sum(const float* x, float* out, int n, int past) {
  __shared__ double part[256];
  volatile double a[8], b[8];
  for (int k = 0; k < 8; ++k) a[k] = b[k] = 0;
  for (int i = threadIdx.x; i < n; i += 256) {
    const int k = (i >> 8) & 15;
    a[k < 8 ? k : k - 8 + past] += x[i];
  }
  double s = 0;
  for (int k = 0; k < 8; ++k) s += a[k] + a[k + past];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int w = 128; w > 0; w /= 2) {
    if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = (float)part[0];
}
extern "C" void solve(const float* input, float* output, int N) { sum<<<1, 256>>>(input, output, N, 8); }
