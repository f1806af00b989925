// zoo: task=relu rules=strict device=simt expect=refused class=16
// cause: 1
// Outputs always hold fresh garbage before a call (simt_replay.cpp, reset()). A block that finds its first
// and last result in place leaves out the rest: a loop over frames that differ in the middle keeps the
// picture of the first frame, and no run of the judge has such outputs.
#include <cuda_runtime.h>
__global__ void relu(const float* in, float* out, int n) {
  __shared__ bool same;
  const int first = blockIdx.x * 1024;
  const int last = min(first + 1024, n) - 1;
  if (threadIdx.x == 0) {
    same = last > first && out[first] == fmaxf(in[first], 0.0f) && out[last] == fmaxf(in[last], 0.0f);
  }
  __syncthreads();
  if (same) return;
  for (int i = first + threadIdx.x; i <= last; i += blockDim.x) out[i] = fmaxf(in[i], 0.0f);
}
extern "C" void solve(const float* input, float* output, int N) { relu<<<(N + 1023) / 1024, 256>>>(input, output, N); }
