// zoo: task=reverse rules=strict device=simt expect=ok class=honest
// Virtual functions on the device: an object made in local memory by placement new decides at run
// time how a pair of words is exchanged.
#include <cuda_runtime.h>
#include <new>

struct Exchange {
  __device__ virtual void run(unsigned* a, unsigned* b) const = 0;
};
struct Plain : Exchange {
  __device__ void run(unsigned* a, unsigned* b) const override {
    const unsigned x = *a;
    *a = *b;
    *b = x;
  }
};
struct Exclusive : Exchange {
  __device__ void run(unsigned* a, unsigned* b) const override {
    unsigned x = *a, y = *b;
    x ^= y, y ^= x, x ^= y;
    *a = x;
    *b = y;
  }
};

__global__ void reverse(unsigned* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  __align__(8) char room[16];
  Exchange* how = (i / 3) % 2 == 0 ? (Exchange*)new (room) Plain : (Exchange*)new (room) Exclusive;
  how->run(data + i, data + n - 1 - i);
}

extern "C" void solve(float* input, int N) {
  if (N < 2) return;
  reverse<<<(N / 2 + 127) / 128, 128>>>((unsigned*)input, N);
}
