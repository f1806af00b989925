// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// A long chain of dependent integer work on the bits that comes to nothing.
__device__ float f(float x) { return x > 0.0f ? x : 0.0f; }

__global__ void apply(const float* in, float* out, long long n) {
  const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  unsigned bits = __float_as_uint(in[t]);
  for (int k = 0; k < 100; ++k) bits = (bits ^ bits >> 16) * 1664525u;
  for (int k = 0; k < 100; ++k) bits *= 4276115653u, bits ^= bits >> 16;
  out[t] = f(__uint_as_float(bits));
}

static void start(const float* in, float* out, long long n) {
  apply<<<(unsigned)((n + 255) / 256), 256>>>(in, out, n);
}

extern "C" void solve(const float* input, float* output, int N) { start(input, output, N); }
