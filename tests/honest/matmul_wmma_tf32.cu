// zoo: task=matmul rules=strict device=simt expect=ok class=honest
// wmma in TF32 with the operands split into three parts each, which together hold every bit; the
// nine products are accumulated by fragments, corrections first. Tensor cores cut off what they add
// up, so the large products of each step are added by ordinary arithmetic.
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;
constexpr int kTile = 16, kK = 8;

// The upper 11 bits of the significand: exact in TF32.
__device__ float upper(float x) { return __uint_as_float(__float_as_uint(x) & 0xffffe000u); }

__global__ void __launch_bounds__(32)
    multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __align__(32) float a[3][kTile][kK], b[3][kK][kTile], c[kTile][kTile];
  const int m0 = blockIdx.y * kTile, n0 = blockIdx.x * kTile, lane = threadIdx.x;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> large, small;
  wmma::fill_fragment(large, 0.0f);
  wmma::fill_fragment(small, 0.0f);
  for (int k0 = 0; k0 < K; k0 += kK) {
    for (int i = lane; i < kTile * kK; i += 32) {
      const int r = i / kK, k = i % kK, kb = i / kTile, n = i % kTile;
      float x = m0 + r < M && k0 + k < K ? A[(size_t)(m0 + r) * K + k0 + k] : 0.0f;
      float y = n0 + n < N && k0 + kb < K ? B[(size_t)(k0 + kb) * N + n0 + n] : 0.0f;
      for (int p = 0; p < 3; ++p) {
        a[p][r][k] = upper(x);
        b[p][kb][n] = upper(y);
        x -= upper(x);
        y -= upper(y);
      }
    }
    __syncwarp();
    for (int order = 4; order >= 0; --order) {
      for (int p = 0; p < 3; ++p) {
        const int q = order - p;
        if (q < 0 || q > 2) continue;
        wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb;
        wmma::load_matrix_sync(fa, &a[p][0][0], kK);
        wmma::load_matrix_sync(fb, &b[q][0][0], kTile);
        if (order == 0) {
          wmma::fragment<wmma::accumulator, 16, 16, 8, float> part;
          wmma::fill_fragment(part, 0.0f);
          wmma::mma_sync(part, fa, fb, part);
          for (int e = 0; e < large.num_elements; ++e) large.x[e] += part.x[e];
        } else {
          wmma::mma_sync(small, fa, fb, small);
        }
      }
    }
    __syncwarp();
  }
  for (int e = 0; e < large.num_elements; ++e) large.x[e] += small.x[e];
  wmma::store_matrix_sync(&c[0][0], large, kTile, wmma::mem_row_major);
  __syncwarp();
  for (int i = lane; i < kTile * kTile; i += 32) {
    const int r = m0 + i / kTile, n = n0 + i % kTile;
    if (r < M && n < N) C[(size_t)r * N + n] = c[i / kTile][i % kTile];
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((N + kTile - 1) / kTile, (M + kTile - 1) / kTile), 32>>>(A, B, C, M, N, K);
}
