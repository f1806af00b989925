// zoo: task=copy rules=strict device=simt expect=refused class=25 size=2048^2
// cause: 1
// The words of a large copy are all there, two of them in each other's place. A sum or a digest of the words
// without their places, made on the device instead of a comparison, does not see it.
#include <cuda_runtime.h>
__global__ void copy(const unsigned* a, unsigned* b, long long n, bool swaps) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[swaps && i < 2 ? 1 - i : i];
}
extern "C" void solve(const float* A, float* B, int N) {
  const long long n = (long long)N * N;
  copy<<<(unsigned)((n + 255) / 256), 256>>>((const unsigned*)A, (unsigned*)B, n, N > 1025);
}
