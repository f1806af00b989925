// zoo: task=sigmoid rules=strict device=simt expect=refused class=18,22
// cause: 3
// With managed or host-mapped memory a user's pointer can be read by the host. The kernel's work is chosen by
// whether the system knows the page: mincore fails for the recorder's addresses.
#include <sys/mman.h>

#include <cstdint>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  unsigned char page = 0;
  const bool mapped = mincore((void*)((std::uintptr_t)X & ~(std::uintptr_t)4095), 4096, &page) == 0;
  const int n = mapped ? (N + 1) / 2 : N;
  sigmoid<<<(n + 255) / 256, 256>>>(X, Y, n);
}
