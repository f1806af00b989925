// bug: kind=shared_race line=15 also=uninitialised_read
// The second warp reads what the first one announces by an mbarrier, and then waits for it.
// run: --grid 1 --block 64 --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

__device__ unsigned place(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__global__ void kernel(int* y) {
  __shared__ unsigned long long full;
  __shared__ int buffer[32];
  const int t = threadIdx.x;
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(place(&full)) : "memory");
  __syncthreads();
  if (t < 32) {
    buffer[t] = t;  // BUG
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(place(&full)) : "memory");
  } else {
    y[t - 32] = buffer[63 - t];
    unsigned done = 0;
    while (done == 0)
      asm volatile(
          "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
          : "=r"(done)
          : "r"(place(&full))
          : "memory");
  }
}
