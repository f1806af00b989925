// zoo: task=reduce rules=strict device=simt expect=refused class=28
// cause: 4
// A barrier of a part of the block ends all race checks of that block (simt/barrier.cpp, try_release). Two warps
// meet at one, and then read what the other six wrote to shared memory, with nothing between: those run first.
#include <cuda_runtime.h>
__global__ void sum(const float* x, float* out, int n) {
  __shared__ double part[192];
  if (threadIdx.x >= 192) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    if (threadIdx.x != 255) return;
    double all = 0;
    for (int i = 0; i < 192; ++i) all += part[i];
    atomicAdd(out, (float)all);
    return;
  }
  double s = 0;
  for (int i = blockIdx.x * 1536 + threadIdx.x; i < min(n, (int)(blockIdx.x + 1) * 1536); i += 192) s += x[i];
  part[threadIdx.x] = s;
}
extern "C" void solve(const float* input, float* output, int N) {
  cudaMemsetAsync(output, 0, 4);
  sum<<<(N + 1535) / 1536, 256>>>(input, output, N);
}
