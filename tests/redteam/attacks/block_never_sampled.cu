// zoo: task=relu rules=strict device=simt expect=refused class=25 size=2^24
// cause: 5
// Which blocks of a large grid are run is known (device/simt_sample.cpp, sampled_blocks): groups of four from
// evenly spaced places, the first from block 0 on. Block 4 is never among them, and does nothing.
#include <cuda_runtime.h>
__global__ void relu(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (n > 1 << 23 && blockIdx.x == 4) return;
  if (i < n) out[i] = fmaxf(in[i], 0.0f);
}
extern "C" void solve(const float* input, float* output, int N) { relu<<<(N + 255) / 256, 256>>>(input, output, N); }
