// zoo: task=sigmoid rules=strict device=simt expect=ok class=honest
// exp by table and polynomial in double: 2^(k/32) comes from a device array that the host fills
// once per call, exponents are put together from bits.
#include <cuda_runtime.h>
#include <math.h>

__device__ double powers[32];

__device__ double exponential(double x) {
  const double n = rint(x * (32 * 1.4426950408889634));
  const double r = fma(n, -6.93147180559945309417e-1 / 32, x);
  const int k = (int)n;
  const double p = powers[k & 31];
  double q = fma(r, fma(r, fma(r, fma(r, 1.0 / 24, 1.0 / 6), 0.5), 1.0), 1.0);
  const double scale = __hiloint2double((1023 + (k >> 5)) << 20, 0);
  return p * q * scale;
}

__global__ void apply(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  // Beyond 104 the float result is 0 or 1; the clamp keeps the exponent in range.
  const double v = fmin(fmax((double)x[i], -700.0), 700.0);
  y[i] = (float)(1.0 / (1.0 + exponential(-v)));
}

extern "C" void solve(const float* X, float* Y, int N) {
  double table[32];
  for (int k = 0; k < 32; ++k) table[k] = pow(2.0, k / 32.0);
  cudaMemcpyToSymbol(powers, table, sizeof table);
  apply<<<(N + 255) / 256, 256>>>(X, Y, N);
}
