// zoo: task=reduce rules=strict device=simt expect=refused class=28
// cause: 4
// A fence anywhere in the block ends the checks between its warps in global memory (order_of() asks for
// block->fenced). The last warp reads the others' words with no barrier between.
#include <cuda_runtime.h>
__device__ double parts[256];
__global__ void sum(const float* x, float* out, int n) {
  if (threadIdx.x == 0) __threadfence_block();
  double s = 0;
  for (int i = threadIdx.x; i < n; i += 256) s += x[i];
  parts[threadIdx.x] = s;
  if (threadIdx.x != 255) return;
  double all = 0;
  for (int i = 0; i < 256; ++i) all += parts[i];
  out[0] = (float)all;
}
extern "C" void solve(const float* input, float* output, int N) { sum<<<1, 256>>>(input, output, N); }
