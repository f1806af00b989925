// SPDX-License-Identifier: Apache-2.0
// What x - mean loses counts as a term, too.
__device__ double size_of(const float* x, const float* mean, const float* rstd, u64 at, int n) {
  return (fabs(double(x[at])) + fabs(double(mean[n]))) * rstd[n];
}
__device__ double normal_of(const float* x, const float* mean, const float* rstd, u64 at, int n) {
  return (double(x[at]) - mean[n]) * rstd[n];
}

__global__ void rows(const float* dy, const float* x, const float* weight, const float* mean, const float* rstd, double* dx,
                     double* dx_scale, int N, int C) {
  for (int n = blockIdx.x; n < N; n += gridDim.x) {
    const u64 row = u64(n) * C;
    double a = 0, b = 0, a_scale = 0, b_scale = 0;
    for (int c = threadIdx.x; c < C; c += kBlock) {
      const double g = double(dy[row + c]) * weight[c];
      a += g;
      b += g * normal_of(x, mean, rstd, row + c, n);
      a_scale += fabs(g);
      b_scale += fabs(g) * size_of(x, mean, rstd, row + c, n);
    }
    a = block_sum(a) / C;
    b = block_sum(b) / C;
    a_scale = block_sum(a_scale) / C;
    b_scale = block_sum(b_scale) / C;
    for (int c = threadIdx.x; c < C; c += kBlock) {
      const double g = double(dy[row + c]) * weight[c];
      dx[row + c] = rstd[n] * (g - a - normal_of(x, mean, rstd, row + c, n) * b);
      dx_scale[row + c] = rstd[n] * (fabs(g) + a_scale + size_of(x, mean, rstd, row + c, n) * b_scale);
    }
  }
}

// Columns of 64 rows at a time.
constexpr int kRows = 64;

__global__ void columns(const float* dy, const float* x, const float* mean, const float* rstd, double* dw, double* dw_scale, double* db,
                        double* db_scale, int N, int C, int parts) {
  for (u64 i = grid_thread(); i < u64(C) * parts; i += grid_threads()) {
    const int c = int(i % C), first = int(i / C) * kRows;
    double w = 0, w_scale = 0, b = 0, b_scale = 0;
    for (int n = first; n < N && n < first + kRows; ++n) {
      const u64 at = u64(n) * C + c;
      const double d = dy[at];
      w += d * normal_of(x, mean, rstd, at, n);
      w_scale += fabs(d) * size_of(x, mean, rstd, at, n);
      b += d;
      b_scale += fabs(d);
    }
    atomicAdd(&dw[c], w);
    atomicAdd(&dw_scale[c], w_scale);
    atomicAdd(&db[c], b);
    atomicAdd(&db_scale[c], b_scale);
  }
}

extern "C" void reference(const float* dy, const float* x, const float* weight, const float* mean, const float* rstd, double* dx,
                          double* dx_scale, double* dw, double* dw_scale, double* db, double* db_scale, int N, int C, const u64* choice) {
  for (double* sum : {dw, dw_scale, db, db_scale}) set_to_zero(sum, C);
  const int parts = (N + kRows - 1) / kRows;
  rows<<<blocks_of_rows(N), kBlock>>>(dy, x, weight, mean, rstd, dx, dx_scale, N, C);
  columns<<<blocks_for(u64(C) * parts), kBlock>>>(dy, x, mean, rstd, dw, dw_scale, db, db_scale, N, C, parts);
}
