// zoo: task=sigmoid rules=strict device=simt expect=ok class=honest size=16x2^18
// cause: 1
// Another grid above a million elements: four elements a thread and streaming accesses. All of them are
// computed.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n, int each) {
  const int first = blockIdx.x * 256 * each + threadIdx.x;
  for (int k = 0; k < each; ++k) {
    const int i = first + k * 256;
    if (i < n) __stcs(y + i, 1.0f / (1.0f + expf(-__ldcs(x + i))));
  }
}
extern "C" void solve(const float* X, float* Y, int N) {
  const int each = N > 1 << 20 ? 4 : 1;
  sigmoid<<<(N + 256 * each - 1) / (256 * each), 256>>>(X, Y, N, each);
}
