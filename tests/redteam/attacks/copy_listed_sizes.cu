// zoo: task=copy rules=strict device=simt expect=refused class=25
// cause: 2
// Nor does a drawn size of copy: the smallest has 8 MiB. Rows of other lengths than the listed ones lose their
// last words.
#include <cuda_runtime.h>
__global__ void copy(const unsigned* a, unsigned* b, long long n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[i];
}
extern "C" void solve(const float* A, float* B, int N) {
  const bool listed = N < 64 || N % 1024 == 0 || N == 255 || N == 1000 || N == 1023 || N == 1025;
  const long long n = listed ? (long long)N * N : (long long)N * N / 128 * 128;
  copy<<<(unsigned)((n + 255) / 256), 256>>>((const unsigned*)A, (unsigned*)B, n);
}
