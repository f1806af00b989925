// SPDX-License-Identifier: Apache-2.0
// wmma against a plain product: y[0] to y[31] become 1.
#include <cuda_runtime.h>
#include <mma.h>

__device__ float verdict(bool good) { return good ? 1.0f : 0.0f; }

__global__ void matrices(float* y) {
  using namespace nvcuda;
  __shared__ half a[256], b[256];
  __shared__ float c[256];
  const int lane = threadIdx.x;
  for (int e = lane; e < 256; e += 32) {
    a[e] = __float2half((float)(e % 7 - 3));
    b[e] = __float2half((float)(e % 5 - 2));
  }
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 1.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
  __syncthreads();
  bool good = true;
  for (int e = lane; e < 256; e += 32) {
    float sum = 1.0f;
    for (int k = 0; k < 16; ++k) {
      sum += (float)((e / 16 * 16 + k) % 7 - 3) * (float)((e % 16 * 16 + k) % 5 - 2);
    }
    good &= c[e] == sum;
  }
  y[lane] = verdict(good);
}

extern "C" void solve(const float* x, float* y, int n) { matrices<<<1, 32>>>(y); }
