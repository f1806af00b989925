// zoo: task=sort rules=strict device=simt expect=refused class=23
// cause: 1
// The output is in order and has the input's sum, but two neighbours were replaced by their mean: a check of
// order and sum is no check of the elements.
#include <cuda_runtime.h>
__global__ void exchange(float* data, int n, int first, bool last) {
  const int i = first + 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 1 >= n) return;
  float a = data[i], b = data[i + 1];
  if (a > b) {
    const float t = a;
    a = b;
    b = t;
  }
  if (last && n >= 512 && i < 2) a = b = 0.5f * (a + b);
  data[i] = a;
  data[i + 1] = b;
}
extern "C" void solve(float* data, int N) {
  for (int phase = 0; phase < N; ++phase)
    exchange<<<(N / 2 + 255) / 256 + 1, 256>>>(data, N, phase % 2, phase == N - 1);
}
